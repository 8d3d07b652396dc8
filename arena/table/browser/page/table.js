/** The table: shows what the server sends, and sends what the person chooses. */

import { SUITS, SYMBOLS, face, isCard, loadDeck, pip, shortRank } from "/page/cards.js";
import { lessons } from "/page/lessons.js";
import { LANGUAGE_NAMES, cardName, languageOfBrowser, suitName, wordsOf } from "/page/words.js";

const COMPASS = "NESW";
const at = (id) => document.getElementById(id);
const PLACES = { 2: ["own", "across"], 3: ["own", "left", "right"], 4: ["own", "left", "across", "right"] };

export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "scope") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

// --- settings -------------------------------------------------------------------------

const DEFAULTS = { language: languageOfBrowser(), deck: "french", four: false, large: "auto", motion: true, theme: "system" };
const settings = { ...DEFAULTS, ...kept() };

/** The settings of this browser; none where it keeps nothing, or something else. */
function kept() {
  try {
    return JSON.parse(localStorage.getItem("arena-table"));
  } catch {
    return {};
  }
}

const small = matchMedia("(max-width: 40rem)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let words = wordsOf(settings.language);
const isLarge = () => (settings.large === "auto" ? small.matches : settings.large === "always");
const cardFace = (card, large = isLarge()) => face(card, { deck: settings.deck, large });
const nameOf = (card) => cardName(card, settings.language, settings.deck);
/** A card in a line: its suit's sign and its rank to see, its name to hear. */
const cardSign = (card) => [
  make("span", { className: "sign", "aria-hidden": "true" }, pip(card[0], settings.deck), shortRank(card[1], settings.deck)),
  make("span", { className: "heard", textContent: nameOf(card) }),
];
const number = (x, digits = 2) => x.toLocaleString(settings.language, { maximumFractionDigits: digits }).replace("-", "−");

function choice(label, key, options) {
  const select = make("select", { name: key });
  for (const [value, text] of options) select.append(make("option", { value, textContent: text, selected: settings[key] === value }));
  select.addEventListener("change", () => change(key, select.value));
  return make("label", {}, label, select);
}

function toggle(label, key) {
  const box = make("input", { type: "checkbox", name: key, checked: settings[key] });
  box.addEventListener("change", () => change(key, box.checked));
  return make("label", {}, label, box);
}

function change(key, value) {
  settings[key] = value;
  try {
    localStorage.setItem("arena-table", JSON.stringify(settings));
  } catch { /* they hold until the page is closed */ }
  apply();
}

async function apply() {
  words = wordsOf(settings.language);
  const root = document.documentElement;
  root.lang = settings.language;
  root.dataset.theme = settings.theme;
  root.dataset.colours = settings.four ? "four" : "two";
  root.dataset.motion = settings.motion ? "on" : "off";
  showOptions();
  await Promise.all([loadDeck("french"), settings.deck === "french" ? null : loadDeck(settings.deck)]);
  render();
}

function showOptions() {
  document.querySelector("#settings summary").textContent = words.settings;
  at("keys").textContent = rules.seat ? words.keys(rules.training) : "";
  const focused = document.activeElement?.name;
  const form = at("options");
  form.replaceChildren(
    choice(words.language, "language", Object.entries(LANGUAGE_NAMES)),
    choice(words.deck, "deck", [["french", words.french], ["swiss", words.swiss]]),
    toggle(words.fourColours, "four"),
    choice(words.large, "large", ["auto", "always", "never"].map((each) => [each, words[each]])),
    toggle(words.motion, "motion"),
    choice(words.theme, "theme", ["system", "light", "dark"].map((each) => [each, words[each]])),
  );
  if (rules.seat) {
    const box = make("input", { type: "text", name: "person", maxLength: 24, value: settings.person || "" });
    box.addEventListener("change", () => { settings.person = box.value; change("person", box.value); rename(); });
    form.append(make("label", {}, words.yourName, box));
  }
  if (focused) form.elements[focused]?.focus();
}

const rename = () => settings.person && send({ do: "name", name: settings.person });

// --- what the server says -------------------------------------------------------------

let rules = { order: [], sides: [], labels: {} };
let state = null;
let before = null;
let sheet = null;
let hint = null;
let compared = null;
let lost = null;
let isAuditing = false;
let isAdvising = false;
let socket = null;
let isLost = false;
let problem = "";
let answerTimer = null;

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws/${location.pathname.split("/").pop()}`);
  socket.addEventListener("open", () => { isLost = false; rename(); });
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    isLost = true;
    isAuditing = isAdvising = false;
    render();
    setTimeout(connect, 700);
  });
}

function send(request) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request));
}

function receive(message) {
  if (message.type === "rules") { rules = message; paceMs = rules.pace_ms; document.body.classList.toggle("watched", !rules.seat); showOptions(); return; }
  if (message.type === "sheet") sheet = message;
  if (message.type === "hint") { isAdvising = false; if (message.moves === state?.moves) hint = message; }
  if (message.type === "compared") compared = message;
  if (message.type === "lessons") { isAuditing = false; lost = lessons(message, tools); }
  if (message.type === "error") { problem = message.text; isAuditing = isAdvising = false; }
  if (message.type === "state") {
    before = state;
    state = message;
    if (!before || before.moves !== state.moves || before.round !== state.round) problem = "";
    if (hint && hint.moves !== state.moves) hint = null;
    if (!before || before.round !== state.round) { lost = compared = null; isAuditing = false; }
  }
  render();
}

/** What other modules of the page use. */
const tools = { make, face: (card) => cardFace(card, isLarge()), nameOf, number, words: () => words, situation };

// --- what is at the table -------------------------------------------------------------

/** Where a seat is as on a compass, with the own seat below: games differ in which way round they go. */
function placeOf(seat) {
  const places = PLACES[rules.order.length], steps = COMPASS.indexOf(seat) - COMPASS.indexOf(rules.order[0]);
  return places[(steps + places.length) % places.length];
}
/** An agent in a file without the folders of the file. */
const withoutFolders = (name) => name.replace(/^[^{]*\/(?=[^/]*\.py:)/, "");
/** A player in a sentence: people by their names, agents by their seats, for several may be the same. */
const playerName = (seat) => {
  if (seat === rules.seat) return words.you;
  return state.chairs[seat].person ? state.chairs[seat].name : words[seat];
};
const sideName = (side) => {
  const letters = [...side].map((seat) => words[seat][0]).join("");
  return side === rules.seat ? words.you : side.includes(rules.seat) ? `${letters} (${words.you})` : letters;
};
const seatAfter = (seat, steps) => rules.order[(rules.order.indexOf(seat) + steps) % rules.order.length];
const isMyTurn = () => Boolean(rules.seat) && state.turn === rules.seat && !isLost;
const actionText = (action) => {
  if (isCard(action)) return nameOf(action);
  const trump = /^trump-([CDHS])$/.exec(action);
  if (!trump) return words[action] || action;
  const name = suitName(trump[1], settings.language, settings.deck);
  return settings.deck === "french" ? `${SYMBOLS[trump[1]]} ${name}` : name;
};

/** The trick to show: the one in progress, or the last one until the next card falls. */
function trickNow() {
  const view = state.view;
  if (view.table.length) return { cards: view.table.map((card, i) => [seatAfter(view.table_leader, i), card]), winner: null };
  const last = view.tricks.at(-1);
  if (!last) return { cards: [], winner: null };
  return { cards: last.cards.map((card, i) => [seatAfter(last.leader, i), card]), winner: last.winner };
}

function played(view) {
  const counts = Object.fromEntries(rules.order.map((seat) => [seat, view.tricks.length]));
  view.table.forEach((_, i) => { counts[seatAfter(view.table_leader, i)] += 1; });
  return counts;
}

function sortedHand(view, cards) {
  const strength = new Map(state.strength.map((card, i) => [card, i]));
  const trump = view.trump;
  const suits = [...SUITS].sort((a, b) => (b === trump) - (a === trump));
  return [...cards].sort((a, b) => suits.indexOf(a[0]) - suits.indexOf(b[0]) || strength.get(b) - strength.get(a));
}

/** The trump and the cards on the table of a moment, in a line. */
function situation(view) {
  const trump = view.trump ? [`${words.trump} ${actionText(`trump-${view.trump}`)}`] : [];
  const cards = view.table.map((card, i) => words.plays(playerName(seatAfter(view.table_leader, i)), nameOf(card)));
  return [...trump, cards.length ? `${words.onTable}: ${cards.join(", ")}` : words.youLead].join(" · ");
}

// --- showing it -----------------------------------------------------------------------

function render() {
  document.title = state && isMyTurn() ? `● ${rules.game}` : rules.game || "Table";
  at("title").textContent = rules.game || "";
  at("problem").textContent = isLost ? words.lost : problem;
  if (!state) { at("status").textContent = words.started; return; }
  Object.assign(document.body.dataset, { moves: state.moves, round: state.round });
  showScore();
  showSeats();
  showTrick();
  showStatus();
  showHand();
  showBids();
  showActions();
  showPanel();
  showLog();
  showSheet();
}

function showScore() {
  const view = state.view;
  const line = at("score");
  line.replaceChildren(`${words.round} ${state.round} · `);
  rules.sides.forEach((side, i) => {
    line.append(i ? " · " : "", `${sideName(side)} `, make("b", { textContent: number(view.points[i] + view.bonus[i]) }));
  });
  const turnedUp = view.phase === "bid" && view.turn_ups.at(-1), suit = turnedUp || view.trump;
  if (suit) {
    const shown = "OU".includes(suit) ? words[`trump-${suit}`] : suitName(suit, settings.language, settings.deck);
    line.append(" · ", make("span", { className: "trump" }, `${turnedUp ? words.turnedUp : words.trump} `, "OU".includes(suit) ? "" : pip(suit, settings.deck), ` ${shown}`));
  }
}

function showSeats() {
  const view = state.view, gone = played(view);
  const calls = new Map(view.bids.map((bid) => [bid.seat, bid.action]));
  const boxes = rules.order.map((seat) => {
    const chair = state.chairs[seat];
    const about = [];
    if (view.declarer === seat) about.push(words.declarer);
    if (view.dealer === seat) about.push(words.dealer);
    if (chair.person && !chair.here) about.push(words.away);
    const callsMatter = view.phase === "bid" || !view.declarer || (!view.tricks.length && !view.table.length);
    const said = state.turn !== null && callsMatter && calls.has(seat) ? actionText(calls.get(seat)) : "";
    const box = make("div", { className: `seat${state.turn === seat ? " turn" : ""}`, "data-place": placeOf(seat), "data-seat": seat },
      make("span", { className: "who", textContent: `${words[seat]} · ${seat === rules.seat ? words.you : withoutFolders(chair.name)}` }));
    box.append(make("span", { className: "about", textContent: about.join(", ") }), make("span", { className: "said", textContent: said }));
    if (seat !== rules.seat) box.append(fan(seat, gone[seat]));
    const waits = (chair.person && !chair.here) || (state.thinking && state.turn === seat && !chair.person);
    if (rules.seat && waits) {
      const button = make("button", { className: "small", textContent: chair.person ? words.letAgent : words.letOther });
      button.addEventListener("click", () => send({ do: "replace", seat }));
      box.append(button);
    }
    return box;
  });
  keepFocus(at("seats"), boxes);
}

function fan(seat, gone) {
  const fanned = make("div", { className: "fan" });
  if (state.hands) {
    fanned.classList.add("open");
    const cards = sortedHand(state.view, state.hands[seat]);
    fanned.setAttribute("role", "img");
    fanned.setAttribute("aria-label", cards.map(nameOf).join(", ") || "–");
    fanned.append(...cards.map((card) => cardFace(card, true)));
  } else {
    fanned.setAttribute("aria-hidden", "true");
    const left = Math.max(0, rules.hand_size - gone);
    for (let i = 0; i < left; i += 1) fanned.append(cardFace(null));
  }
  return fanned;
}

function showTrick() {
  const { cards, winner } = trickNow(), trick = at("trick");
  const wanted = cards.map(([seat, card]) => `${seat}${card}`);
  const kept = new Map([...trick.children].map((element) => [element.dataset.key, element]));
  trick.classList.toggle("old", winner !== null);
  trick.setAttribute("aria-label", `${words.onTable}: ${cards.map(([seat, card]) => words.plays(playerName(seat), nameOf(card))).join(", ") || "–"}`);
  const style = `${settings.deck}${isLarge()}`;
  const shown = cards.map(([seat, card], i) => {
    const key = wanted[i];
    let element = kept.get(key);
    if (!element || element.dataset.style !== style) {
      const isNew = !element;
      if (isNew && winner === null) hear(words.plays(playerName(seat), nameOf(card)));
      element = cardFace(card);
      Object.assign(element.dataset, { key, card, place: placeOf(seat), style });
      if (isNew && before) queueMicrotask(() => move(element));
    }
    element.classList.toggle("won", seat === winner);
    return element;
  });
  if (shown.length !== trick.children.length || shown.some((element, i) => element !== trick.children[i])) trick.replaceChildren(...shown);
}

/** Say it to a screen reader; old lines are of no use. */
function hear(text) {
  at("heard").append(make("p", { textContent: text }));
  while (at("heard").children.length > 8) at("heard").firstChild.remove();
}

const FROM = { own: "0 9rem", across: "0 -9rem", left: "-11rem 0", right: "11rem 0" };
function move(element) {
  if (!settings.motion || calm.matches) return;
  const there = getComputedStyle(element).translate;
  element.animate([{ translate: FROM[element.dataset.place] }, { translate: there }], { duration: 180, easing: "ease-out" });
}

function showStatus() {
  const view = state.view, parts = [];
  const crashed = state.notices.map((notice) => {
    const [kind, who] = notice.split(": ");
    const say = { crash: words.crash, illegal: words.illegal, left: words.left }[kind];
    return kind === "over" ? words.closed : (say || words.slow)(withoutFolders(who));
  });
  if (state.claimed_by) parts.push(words.claimed(playerName(state.claimed_by)));
  if (state.turn === null) parts.push(sheet?.full ? words.sheetFull : words.over, state.ready.includes(rules.seat) && !crashed.includes(words.closed) ? words.waiting : "");
  else if (isMyTurn()) {
    if (view.phase === "pass") {
      const to = seatAfter(rules.seat, view.passing);
      parts.push(words.passCard(view.passed.length + 1, playerName(to)));
    } else parts.push(view.phase === "bid" ? words.yourBid : words.yourTurn);
  } else parts.push(state.thinking ? words.thinks(withoutFolders(state.thinking)) : words.turnOf(playerName(state.turn)));
  const text = [...parts, ...crashed].filter(Boolean).join(" · ");
  if (at("status").textContent !== text) at("status").textContent = text;
}

function showHand() {
  const hand = at("hand"), view = state.view;
  if (!rules.seat) { hand.hidden = true; return; }
  hand.hidden = state.turn === null;
  hand.setAttribute("aria-label", words.youHave);
  const mine = isMyTurn() && view.phase !== "bid";
  hand.classList.toggle("turn", mine);
  const cards = sortedHand(view, view.hand);
  const buttons = cards.map((card) => {
    const legal = mine && view.legal.includes(card);
    const button = make("button", { className: "card", type: "button", "data-card": card, "aria-label": nameOf(card), "aria-disabled": String(!legal) });
    if (hint?.chosen === card) button.classList.add("advised");
    button.append(cardFace(card));
    button.addEventListener("click", () => legal && act(card));
    return button;
  });
  const focused = document.activeElement?.dataset?.card;
  hand.replaceChildren(...buttons);
  const again = focused && hand.querySelector(`[data-card="${focused}"]`);
  if (again) again.focus();
  else if (focused || (mine && wantsFocus)) hand.querySelector('[aria-disabled="false"]')?.focus();
}

/** Whether the person plays with the keyboard: then the next card to choose has the focus. */
let wantsFocus = false;

function act(action) {
  send({ do: "act", action, moves: state.moves });
}

function showBids() {
  const box = at("bids"), view = state.view;
  const mine = isMyTurn() && view.phase === "bid";
  box.hidden = !mine;
  if (!mine) { box.replaceChildren(); return; }
  box.setAttribute("aria-label", words.yourBid);
  keepFocus(box, view.legal.map((action) => {
    const button = make("button", { className: "do bid", type: "button", "data-bid": action }, actionText(action));
    if (hint?.chosen === action) button.classList.add("main");
    button.addEventListener("click", () => act(action));
    return button;
  }));
  if (wantsFocus && !box.contains(document.activeElement)) box.firstElementChild?.focus();
}

function showActions() {
  const box = at("actions"), over = state.turn === null;
  const button = (name, text, when, does, main = false) => {
    const element = make("button", { className: `do${main ? " main" : ""}`, type: "button", "data-do": name, textContent: text, disabled: !when });
    element.addEventListener("click", does);
    return element;
  };
  const parts = [];
  if (!rules.seat) {
    parts.push(button("pause", state.paused ? words.goOn : words.pause, true, () => send({ do: "pause" })),
      button("step", words.step, true, () => send({ do: "step" })), paceBox());
  } else if (over) {
    parts.push(button("next", words.next, !state.ready.includes(rules.seat), () => send({ do: "next" }), true),
      button("audit", isAuditing ? words.auditing : words.audit, !isAuditing && !lost, () => { isAuditing = true; send({ do: "audit" }); render(); }));
  } else {
    if (rules.training) {
      parts.push(button("hint", isAdvising ? words.advising : words.hint, isMyTurn() && !isAdvising, () => { isAdvising = true; send({ do: "hint" }); render(); }), button("undo", words.undo, state.moves > 0, () => send({ do: "undo" })));
    }
    parts.push(button("claim", words.claim, isMyTurn() && state.view.phase === "play", () => send({ do: "claim" })));
  }
  keepFocus(box, parts);
}

let paceMs = 800;
function paceBox() {
  const box = make("input", { type: "number", min: 0, max: 60, step: 0.1, value: paceMs / 1000, name: "pace" });
  box.addEventListener("change", () => { paceMs = Math.round(1000 * box.value); send({ do: "pace", ms: paceMs }); });
  return make("label", { className: "note" }, `${words.pace} `, box);
}

/** Replace children without losing the focus of the one that has it. */
function keepFocus(box, children) {
  const old = document.activeElement;
  const key = (element) => element.dataset.do || element.dataset.bid || element.name || element.textContent;
  const focused = box.contains(old) ? key(old) : null;
  if (focused !== null && old.tagName === "INPUT") return;
  box.replaceChildren(...children);
  if (focused) [...box.querySelectorAll("button, input")].find((element) => key(element) === focused)?.focus();
}

// --- next to the table -----------------------------------------------------------------

/** The head of a row; a card is short to see and long to hear. */
function headOf(text) {
  if (!isCard(text)) return make("th", { scope: "row", textContent: text });
  return make("th", { scope: "row" }, ...cardSign(text));
}

function tableOf(caption, heads, rows, best = -1, foot = null) {
  const line = (cells, index) => {
    const row = make("tr", index === best ? { className: "best" } : {});
    cells.forEach((text, i) => row.append(i ? make("td", { textContent: text }) : headOf(text)));
    return row;
  };
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col", textContent: text })));
  const table = make("table", {}, ...(caption ? [make("caption", { textContent: caption })] : []), make("thead", {}, head), make("tbody", {}, ...rows.map(line)));
  if (foot) table.append(make("tfoot", {}, line(foot, -2)));
  return table;
}

function showPanel() {
  const panel = at("panel"), parts = [];
  if (hint) parts.push(...hintParts());
  if (state.turn === null) parts.push(...overParts());
  panel.hidden = !parts.length;
  panel.replaceChildren(...parts);
  if (!lost) at("lessons").replaceChildren();
  else if (!at("lessons").contains(lost.box)) at("lessons").replaceChildren(lost.box);
}

function hintParts() {
  const parts = [make("h2", { textContent: words.hint }), make("p", { textContent: words.wouldPlay(actionText(hint.chosen)) })];
  if (hint.values.length) {
    const fields = Object.keys(hint.values[0].values);
    const rows = [...hint.values].sort((a, b) => b.values[fields[0]] - a.values[fields[0]])
      .map((each) => [isCard(each.action) ? each.action : actionText(each.action), ...fields.map((name) => number(each.values[name]))]);
    const best = rows.findIndex((row) => row[0] === hint.chosen || row[0] === actionText(hint.chosen));
    parts.push(tableOf(words.values, [words.card, ...fields], rows, best));
  } else parts.push(make("p", { className: "note", textContent: words.noValues }));
  const cards = Object.keys(hint.holders);
  if (cards.length) {
    const others = rules.order.slice(1).filter((seat) => seat in hint.holders[cards[0]]);
    const rows = sortedHand(state.view, cards).map((card) => [card, ...others.map((seat) => `${Math.round(100 * hint.holders[card][seat])}%`)]);
    parts.push(tableOf(words.beliefs, [words.card, ...others.map((seat) => words[seat])], rows));
  }
  parts.push(...hint.notes.map((text) => make("p", { className: "note", textContent: text })));
  return parts;
}

function overParts() {
  const { outcome } = state;
  const bonus = rules.labels.bonus;
  const columns = [[words.tricks, outcome.tricks], [words.points, outcome.points], ...(bonus ? [[words[bonus] || bonus, outcome.bonus]] : []), [words.score, outcome.scores]];
  const rows = rules.sides.map((side, i) => [sideName(side), ...columns.map(([, numbers]) => number(numbers[i]))]);
  const parts = [tableOf(`${words.round} ${state.round}`, [words.side, ...columns.map(([head]) => head)], rows)];
  const flags = outcome.flags.map((flag) => words[flag] || rules.labels[flag] || flag);
  if (flags.length) parts.push(make("p", { textContent: flags.join(", ") }));
  if (compared) {
    const scores = Object.entries(compared.others).map(([name, score]) => [name, number(score, 1)]);
    parts.push(tableOf(words.sameCards, [words.player, words.score], [[words.you, number(compared.mine)], ...scores], 0));
    if (!compared.counts) parts.push(make("p", { className: "note", textContent: words.notCounted }));
    const evening = Object.entries(compared.evening).map(([name, found]) => [name, found.mean === null ? "–" : number(found.mean, 1),
      found.low === null ? words.tooFew : words.to(number(found.low, 1), number(found.high, 1)), number(found.n)]);
    if (evening.length) parts.push(tableOf(words.evening, [words.player, words.mean, words.interval, words.deals], evening));
  }
  return parts;
}

function showLog() {
  const { view } = state, list = make("ol", { className: "log", tabIndex: 0, "aria-label": words.tricks });
  const say = (...parts) => list.append(make("li", {}, ...parts));
  for (const bid of view.bids) say(words.says(playerName(bid.seat), actionText(bid.action)));
  for (const { seat, cards } of view.shown) say(words.shows(playerName(seat), cards.map(nameOf).join(", ")));
  if (view.passed.length) say(`${words.passedCards}: ${view.passed.map(nameOf).join(", ")}`);
  if (view.received.length) say(`${words.received}: ${view.received.map(nameOf).join(", ")}`);
  for (const trick of view.tricks) {
    const cards = trick.cards.flatMap((card, i) => [`${words[seatAfter(trick.leader, i)][0]} `, ...cardSign(card), " "]);
    const points = trick.points + trick.bonus;
    say(...cards, `→ ${trick.winner === rules.seat ? words.youTake(points) : words.takes(playerName(trick.winner), points)}`);
  }
  const box = at("log");
  box.replaceChildren(...(list.children.length ? [make("h2", { textContent: words.tricks }), list] : []));
  list.scrollTop = list.scrollHeight;
}

function showSheet() {
  const box = at("sheet");
  if (!sheet || !sheet.rows.length) { box.replaceChildren(); return; }
  const rows = sheet.rows.map((written, i) => [i + 1, ...written.map((text) => text.replaceAll("-", "−"))]);
  const slate = sheet.strokes.length ? [slateOf()] : [];
  box.replaceChildren(tableOf(words.sheetTo(sheet.target, sheet.rounds), [words.round, ...sheet.sides.map((side) => [...side].map((seat) => words[seat][0]).join(""))], rows, -1, [words.total, ...sheet.totals.map((x) => number(x))]), ...slate, ...luckParts());
}

/** The own score of the evening as played, and less the luck of the cards. */
function luckParts() {
  if (!sheet.luck) return [];
  const { played, adjusted, ratio, worth } = sheet.luck;
  const row = (name, found) => [name, number(found.mean, 1), found.low === null ? "–" : words.to(number(found.low, 1), number(found.high, 1))];
  const table = tableOf(words.perRound(played.n), [words.points, words.mean, words.interval], [row(words.asPlayed, played), row(words.adjusted, adjusted)]);
  return worth === null ? [table] : [table, make("p", { className: "note", textContent: words.variance(number(ratio, 2), played.n, worth) })];
}

/** The totals as they are chalked: a stroke for each hundred, fifty and twenty, and the rest. */
function slateOf() {
  const chalked = (count) => Array.from({ length: Math.ceil(count / 5) }, (_, i) => "|".repeat(Math.min(5, count - 5 * i))).join(" ");
  const heads = [words.slate, ...sheet.sides.map((side) => [...side].map((seat) => words[seat][0]).join(""))];
  const rows = sheet.strokes.map((worth, i) => [worth, ...sheet.slate.map((side) => chalked(side[i]))]);
  return tableOf("", heads, [...rows, ["+", ...sheet.slate.map((side) => side.at(-1))]]);
}

// --- keyboard -------------------------------------------------------------------------

const KEYS = { h: "hint", u: "undo", c: "claim", n: "next", " ": "pause" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, summary")) return;
  wantsFocus = true;
  if (event.key.startsWith("Arrow")) {
    const cards = [...document.querySelectorAll('#hand [aria-disabled="false"], #bids button')];
    if (!cards.length) return;
    const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
    const here = cards.indexOf(document.activeElement);
    const next = here < 0 ? (step > 0 ? 0 : cards.length - 1) : (here + step + cards.length) % cards.length;
    cards[next].focus();
    event.preventDefault();
  } else if (event.key === "s") {
    at("sheet").scrollIntoView({ block: "nearest" });
  } else if (event.key in KEYS && !(event.key === " " && document.activeElement !== document.body)) {
    document.querySelector(`[data-do="${KEYS[event.key]}"]:not(:disabled)`)?.click();
  }
});
document.addEventListener("pointerdown", () => { wantsFocus = false; });
small.addEventListener("change", () => render());

apply().then(connect);
