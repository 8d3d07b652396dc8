/** Faces of cards, put together from the pips, ranks and pictures of a deck's sprite. */

const SVG = "http://www.w3.org/2000/svg";
export const SUITS = ["S", "H", "C", "D"];
export const SYMBOLS = { S: "♠", H: "♥", C: "♣", D: "♦" };
export const isCard = (action) => /^[CDHS][2-9TJQKA]$/.test(action);

const COLUMN = 40, TOP = 108;
const CORNERS = [[-COLUMN, -TOP], [COLUMN, -TOP], [-COLUMN, TOP], [COLUMN, TOP]];
const SIDES = [[-COLUMN, -36], [COLUMN, -36], [-COLUMN, 36], [COLUMN, 36]];
const MIDDLE = [[-COLUMN, 0], [COLUMN, 0]];
/** Where the pips of a number card are; those of the lower half stand on their heads. */
const PIPS = {
  2: [[0, -TOP], [0, TOP]],
  3: [[0, -TOP], [0, 0], [0, TOP]],
  4: CORNERS,
  5: [...CORNERS, [0, 0]],
  6: [...CORNERS, ...MIDDLE],
  7: [...CORNERS, ...MIDDLE, [0, -54]],
  8: [...CORNERS, ...MIDDLE, [0, -54], [0, 54]],
  9: [...CORNERS, ...SIDES, [0, 0]],
  T: [...CORNERS, ...SIDES, [0, -72], [0, 72]],
};
const COURTS = "JQK";
/** On which side of the head the pip of a picture is. */
const PIP_LEFT = new Set(["CK", "DK", "HQ", "HK", "SJ", "SK"]);

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const use = (id, x, y, width, height = width) =>
  svg("use", { href: `#${id}`, x: x - width / 2, y: y - height / 2, width, height });
const turned = (...children) => svg("g", { transform: "rotate(180)" }, ...children);

const loaded = new Map();
/** Bring a deck's sprite into the page, once. */
export function loadDeck(deck) {
  if (!loaded.has(deck)) {
    loaded.set(deck, fetch(`/page/${deck}.svg`).then((found) => found.text()).then((text) => {
      const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      sprite.classList.add("sprite");
      sprite.setAttribute("aria-hidden", "true");
      document.body.append(document.adoptNode(sprite));
    }));
  }
  return loaded.get(deck);
}

const pipOf = (deck, suit) => (deck === "swiss" ? `swiss-pip-${suit}` : `pip-${suit}`);
/** A rank as it is in the corners of this deck's cards. */
export const shortRank = (rank, deck) => (deck === "swiss" && { J: "U", Q: "O" }[rank]) || (rank === "T" ? "10" : rank);
const rankOf = (deck, rank) => (deck === "swiss" && "JQ".includes(rank) ? `swiss-rank-${rank}` : `rank-${rank}`);
const pictureOf = (deck, suit, rank) => {
  if (deck === "swiss") return rank === "T" ? "swiss-banner" : `swiss-figure-${rank}`;
  return `court-${suit}${rank}`;
};
const hasPicture = (deck, rank) => COURTS.includes(rank) || (deck === "swiss" && rank === "T");

function index(deck, suit, rank) {
  return [use(rankOf(deck, rank), -90, -132, 56), use(pipOf(deck, suit), -90, -84, 40)];
}

function plainFace(deck, suit, rank) {
  const pip = pipOf(deck, suit), parts = index(deck, suit, rank);
  if (hasPicture(deck, rank)) {
    const picture = use(pictureOf(deck, suit, rank), 0, 0, 150, 237);
    const frame = svg("rect", { class: "frame", x: -75, y: -118.5, width: 150, height: 237 });
    if (deck === "swiss") {
      const at = rank === "T" ? [10, -45, 70] : rank === "J" ? [50, 92, 46] : [50, -92, 46];
      return [picture, frame, use(pip, ...at), ...parts, turned(...index(deck, suit, rank))];
    }
    const x = PIP_LEFT.has(suit + rank) ? -52 : 52;
    const half = () => [...index(deck, suit, rank), use(pip, x, -92, 46)];
    return [picture, frame, ...half(), turned(...half())];
  }
  if (rank === "A") return [...parts, use(pip, 0, 0, 120), turned(...index(deck, suit, rank))];
  const below = (at) => at[1] > 0;
  const place = (at) => (below(at) ? turned(use(pip, -at[0], -at[1], 60)) : use(pip, at[0], at[1], 60));
  return [...parts, ...PIPS[rank].map(place), turned(...index(deck, suit, rank))];
}

/** With figures that can be read on a phone, where only the left edge of most cards shows. */
function largeFace(deck, suit, rank) {
  const pip = pipOf(deck, suit);
  const parts = [use(rankOf(deck, rank), -66, -98, 124), use(pip, -66, 8, 84)];
  if (hasPicture(deck, rank)) {
    parts.push(use(pictureOf(deck, suit, rank), 45, 45, 126, 200));
  } else {
    parts.push(use(pip, 40, 88, 128));
  }
  return parts;
}

/** A card's face, or the back of a card for `null`. */
export function face(card, { deck = "french", large = false } = {}) {
  const paper = svg("rect", { class: "paper", x: -119, y: -167, width: 238, height: 334, rx: 16 });
  const attributes = { class: "face", viewBox: "-120 -168 240 336", "aria-hidden": "true", focusable: "false" };
  if (card === null) {
    return svg("svg", attributes, paper, svg("rect", { class: "back", x: -104, y: -152, width: 208, height: 304, rx: 10 }));
  }
  const [suit, rank] = card;
  attributes["data-suit"] = suit;
  return svg("svg", attributes, paper, ...(large ? largeFace : plainFace)(deck, suit, rank));
}

/** A suit's sign as it is on the cards of this deck. */
export function pip(suit, deck) {
  const attributes = { class: "pip", viewBox: "-600 -600 1200 1200", "aria-hidden": "true", "data-suit": suit };
  return svg("svg", attributes, use(pipOf(deck, suit), 0, 0, 1200));
}
