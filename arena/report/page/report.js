"use strict";

/* --- tables sort by a click on the head of a column ---------------------------------- */

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("span");   // a button is missing where heads repeat in print
    button.role = "button";
    button.tabIndex = 0;
    button.className = "sort";
    button.append(...[...head.childNodes].filter((node) => !node.matches?.(".term")));
    head.prepend(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
      const compare = (a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === "" || y === "") return (x === "") - (y === "");   // what is missing goes last
        const order = isNaN(x) || isNaN(y) ? x.localeCompare(y, "en", { numeric: true }) : x - y;
        return up ? order : -order;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(compare));
    });
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      button.click();
    });
  });
}

/* --- what is wider than its box says so ---------------------------------------------- */

const boxes = document.querySelectorAll(".scroll, .plot");
const sayMore = (box) => box.toggleAttribute("data-more", box.scrollWidth > box.clientWidth + 1);
const watchBoxes = new ResizeObserver((entries) => entries.forEach((entry) => sayMore(entry.target)));
boxes.forEach((box) => watchBoxes.observe(box));

/* --- words that explain themselves when they are hovered, focused or tapped ---------- */

const tip = document.createElement("div");
tip.className = "tip";
tip.id = "tip";
tip.setAttribute("role", "tooltip");
let explained = null;
const hideTip = () => { explained = null; tip.remove(); };
const placeTip = () => {
  if (!explained) return;
  const at = explained.getBoundingClientRect();
  tip.style.left = 0;   // measured where nothing narrows it
  const left = Math.min(at.left, innerWidth - tip.offsetWidth - 12);
  const below = at.bottom + 8 + tip.offsetHeight < innerHeight;
  tip.style.left = `${Math.max(12, left)}px`;
  tip.style.top = `${below ? at.bottom + 8 : at.top - tip.offsetHeight - 8}px`;
};
for (const word of document.querySelectorAll(".term")) {
  const sentence = word.title;
  word.removeAttribute("title");
  word.setAttribute("aria-description", sentence);
  const show = () => {
    explained = word;
    tip.textContent = sentence;
    document.body.append(tip);
    placeTip();
  };
  for (const event of ["mouseenter", "focus", "click"]) word.addEventListener(event, show);
  word.addEventListener("blur", hideTip);
  word.addEventListener("mouseleave", () => { if (document.activeElement !== word) hideTip(); });
}
addEventListener("scroll", placeTip, { passive: true, capture: true });
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

/* --- the replay viewer ---------------------------------------------------------------- */

const SEATS = ["N", "E", "S", "W"];
const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SHOWN = "SHCD";
const RANKS = "23456789TJQKA";

const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};
const isCard = (word) => word.length === 2 && word[0] in SUITS && RANKS.includes(word[1]);
const pretty = (word) =>
  isCard(word) ? SUITS[word[0]] + (word[1] === "T" ? "10" : word[1]) : word;
const cardsIn = (text) => (text ? text.split(" ") : []);
const byRank = (a, b) =>
  SHOWN.indexOf(a[0]) - SHOWN.indexOf(b[0]) || RANKS.indexOf(b[1]) - RANKS.indexOf(a[1]);
const cardElement = (word, ...classes) => {
  const red = word[0] === "H" || word[0] === "D";
  const element = make("span", ["c", red ? "red" : "", ...classes].join(" "), pretty(word));
  return element;
};

/** Everything on the table after the first `count` steps of a game. */
function situation(game, count) {
  let hands = game.hands.map(cardsIn);
  const now = { notes: game.notes, table: [], tricks: [], points: null, bonus: null, passed: {}, drawing: game.drawing, known: {} };
  let table = [];
  for (const step of game.steps.slice(0, count)) {
    if (step.phase === "play") {
      if (now.closed) { table = []; now.closed = null; }
      table.push([step.seat, step.action]);
      hands[step.seat] = hands[step.seat].filter((card) => card !== step.action);
    } else if (isCard(step.action)) {
      (now.passed[step.seat] ??= []).push(step.action);
    }
    if (step.hands) hands = step.hands.map(cardsIn);
    if (step.notes) now.notes = step.notes;
    if (step.drawing) now.drawing = step.drawing;
    if (step.known) now.known[step.seat] = step.known;
    if (step.trick) {
      now.closed = step.trick;
      now.tricks.push({ ...step.trick, cards: table });
    }
    now.points = step.points;
    now.bonus = step.bonus;
  }
  now.hands = hands;
  now.table = table;
  now.last = game.steps[count - 1];
  now.next = game.steps[count];
  if (now.next?.known) now.known[now.next.seat] = now.next.known;
  return now;
}

/** The number of the first step in which two games differ. */
function whereTheyPart(a, b) {
  const same = (i) => a.steps[i].seat === b.steps[i].seat && a.steps[i].action === b.steps[i].action;
  let i = 0;
  while (i < a.steps.length && i < b.steps.length && same(i)) i += 1;
  return i;
}

function describe(game, now, sees) {
  const does = { play: "plays", bid: "calls", pass: "passes on" };
  if (!now.last) return `${SEATS[now.next ? now.next.seat : 0]} (${label(game.seats[now.next ? now.next.seat : 0])}) begins.`;
  const { seat, action, phase, trick, given } = now.last;
  const what = phase === "pass" && !sees(seat) ? "a card" : pretty(action);
  let text = `${SEATS[seat]} (${label(game.seats[seat])}) ${does[phase] ?? phase} ${what}`;
  if (given) text += ", as given by the deal";
  if (trick) {
    text += `; ${SEATS[trick.winner]} takes the trick: ${trick.points} points`;
    if (trick.bonus) text += ` and ${trick.bonus} ${BONUS}`;
  }
  if (!now.next) {
    text += game.fault ? `. The round ends here: ${game.fault}` : ". The round is over";
    if (game.flags.length) text += `: ${game.flags.join(", ")}`;
  }
  return `${text}.`;
}

/** The table as the game draws it, or what a seat knew when it last had the turn. */
function drawing(now, seat) {
  const text = seat === null ? now.drawing : now.known[seat];
  const box = make("pre", "drawing", text ?? `${SEATS[seat]} had no turn yet.`);
  box.tabIndex = 0;
  return box;
}

/** A small table with a row for each card, which comes first in it. */
function cardTable(caption, columns, rows) {
  const cell = (tag, scope, text) => {
    const element = make(tag, "", text);
    if (scope) element.scope = scope;
    return element;
  };
  const head = make("tr", "", cell("th", "col", "card"), ...columns.map((name) => cell("th", "col", name)));
  const body = rows.map(([card, ...cells]) => make("tr", "", cell("th", "row", card),
    ...cells.map((text) => cell("td", "", text))));
  return make("div", "searched",
    make("table", "", make("caption", "", caption), make("thead", "", head), make("tbody", "", ...body)));
}

let BONUS = "bonus";
let LABELS = {};
const label = (agent) => LABELS[agent] ?? agent;

class Board {
  constructor(viewer) {
    this.viewer = viewer;
    this.root = make("div", "board");
  }

  show(game, count, eyes, replay, part) {
    const now = situation(game, count);
    const mover = now.next ? now.next.seat : null;
    const viewpoint = eyes === "mover" ? (mover ?? now.last?.seat ?? 0) : eyes;
    const sees = (seat) => eyes === "all" || seat === viewpoint;
    const two = game.seats.length === 2;
    const at = (seat) => (two ? seat * 2 : seat);
    const felt = make("div", two ? "felt two" : "felt");
    game.seats.forEach((name, seat) => {
      const hand = make("div", "hand");
      const cards = [...now.hands[seat]].sort(byRank);
      const legal = seat === mover && now.next.legal ? cardsIn(now.next.legal) : null;
      for (const card of cards) {
        if (!sees(seat)) { hand.append(make("span", "c back")); continue; }
        hand.append(cardElement(card, legal && !legal.includes(card) ? "no" : "",
          now.next && seat === mover && now.next.action === card ? "do" : ""));
      }
      const gaps = game.hands[seat] ? cardsIn(game.hands[seat]).length - cards.length : 0;
      for (let gap = 0; gap < gaps; gap += 1) hand.append(make("span", "gap"));   // the table keeps its height
      const who = make("div", "who", make("b", "", SEATS[seat]), make("span", "", label(name)));
      who.title = name;
      const box = make("div", seat === mover ? "seat turn" : "seat", who, hand);
      box.dataset.at = at(seat);
      felt.append(box);
    });
    const trick = make("div", "trick");
    for (const [seat, card] of now.table) {
      const element = cardElement(card, now.closed && now.closed.winner === seat ? "won" : "");
      element.dataset.at = at(seat);
      trick.append(element);
    }
    felt.append(trick);
    const table = now.drawing ? drawing(now, eyes === "all" ? null : viewpoint) : felt;

    const title = make("h3", "", `Seating ${game.seating}: ` +
      replay.sides.map((side, i) => `${side} ${sideOwner(game, replay, i)}`).join(", "));
    const notes = make("p", "known", now.notes.map(noteText).join(" · "));
    const tell = make("p", "tell", describe(game, now, sees));
    if (count > part) tell.prepend(make("span", "parted", "parted "), "· ");
    const passed = now.passed[viewpoint];
    if (eyes !== "all" && passed && !now.drawing) tell.append(` Passed on: ${passed.map(pretty).join(" ")}.`);
    const parts = [title, notes, table, tell];
    const valued = game.valued.find((each) => each.step === count);
    if (valued) parts.push(this.valued(valued));
    const talk = game.talks?.find((each) => each.step === count && sees(each.seat));
    if (talk) parts.push(this.talk(talk, replay.prompt_start ?? ""));
    this.root.replaceChildren(...parts, this.tally(game, now, replay), this.history(game, now, count), ...this.thoughts(game, replay));
  }

  /** What the player thought where the seatings part; it stays in place at every other step. */
  thoughts(game, replay) {
    const tables = [];
    if (game.searched.length) tables.push(this.searched(game));
    if (game.believed.length) tables.push(this.believed(game, situation(game, replay.parts_at).next.seat));
    return tables.length ? [this.folded("thoughtsOpen", `what the player thought at step ${replay.parts_at}, where they part`, ...tables)] : [];
  }

  /** A part of the board that is open or closed on all boards and at all steps alike. */
  folded(state, summary, ...content) {
    const box = make("details", "history", make("summary", "", summary), ...content);
    box.open = this.viewer[state];
    box.addEventListener("toggle", () => { this.viewer[state] = box.open; });
    return box;
  }

  /** What the search of the player to move says about the cards: the numbers of `arena explain`. */
  searched(game) {
    const columns = Object.keys(game.searched[0].values);
    const rows = game.searched.map((card) => [pretty(card.card) + (card.played ? " – played" : ""),
      ...columns.map((name) => card.values[name].toLocaleString("en", { maximumFractionDigits: 2 }))]);
    return cardTable("What the search thinks of the cards here, the best first", columns, rows);
  }

  /** Who holds the hidden cards, as the player to move sees it. */
  believed(game, mover) {
    const others = game.seats.map((_, seat) => seat).filter((seat) => seat !== mover);
    const rows = game.believed.map((hidden) => [pretty(hidden.card),
      ...others.map((seat) => `${Math.round(100 * hidden.holders[seat])}%`)]);
    return cardTable("Who holds the hidden cards, as this player sees it", others.map((seat) => SEATS[seat]), rows);
  }

  /** What each card is worth here, on demand: as far as could be known, and with all cards open. */
  valued(here) {
    const number = (x) => (x === undefined ? "–" : x.toLocaleString("en", { maximumFractionDigits: 1 }).replace("-", "−"));
    const rows = here.cards.map((card) => [pretty(card.card) + (card.played ? `${here.mark} – played` : ""),
      number(card.known), number(card.exact)]);
    const table = cardTable("Final margin of the side to move, with best play after the card",
      ["could be known", "all cards open"], rows);
    const lost = here.grade ? `: ${here.grade}, ${number(here.lost)} points lost` : "";
    const box = make("details", "worth", make("summary", here.grade, `what the cards are worth${lost}`), table);
    box.open = this.viewer.valuesOpen;
    box.addEventListener("toggle", () => { this.viewer.valuesOpen = box.open; });
    return box;
  }

  /** What a language model was asked here and answered: all attempts. */
  talk(talk, start) {
    const number = (x, digits) => (x ?? 0).toLocaleString("en", { maximumFractionDigits: digits });
    const texts = talk.attempts.flatMap((attempt, i) => {
      const facts = [`${number(attempt.seconds, 2)} s`, `finish reason: ${attempt.finish || "none"}`];
      if (attempt.prompt_tokens !== undefined) facts.push(`${number(attempt.prompt_tokens)} tokens asked`);
      if (attempt.completion_tokens !== undefined) facts.push(`${number(attempt.completion_tokens)} answered`);
      if (attempt.cost !== undefined) facts.push(`cost ${number(attempt.cost, 6)}`);
      const asked = make("pre", "", attempt.asked);
      const prompt = i || !start ? [asked] : [make("details", "", make("summary", "", "the rules, as in all prompts"), make("pre", "", start)), asked];
      const thought = attempt.reasoning ? [make("h5", "", "reasoning"), make("pre", "", attempt.reasoning)] : [];
      return [make("h5", "", i ? "asked again" : "prompt"), ...prompt, ...thought,
        make("h5", "", attempt.problem ? `answer: ${attempt.problem}` : "answer"), make("pre", "", attempt.reply),
        make("p", "sub", facts.join(" · "))];
    });
    const wrong = talk.attempts.filter((attempt) => attempt.problem).map((attempt) => attempt.problem);
    const summary = `what ${SEATS[talk.seat]} was asked and answered${wrong.length ? `: ${wrong.join(", ")}` : ""}`;
    return this.folded("talksOpen", summary, make("div", "talk", ...texts));
  }

  tally(game, now, replay) {
    const over = !now.next && game.scores.length;
    if (now.drawing && !over) return "";
    const bonus = game.steps.some((step) => step.bonus.some((points) => points));
    const columns = ["side", ...(now.drawing ? [] : ["points"]), ...(bonus ? [BONUS] : []), ...(over ? ["score"] : [])];
    const head = make("tr", "", ...columns
      .map((word) => { const th = make("th", "", word); th.scope = "col"; return th; }));
    const table = make("table", "tally", make("thead", "", head));
    const body = make("tbody");
    replay.sides.forEach((side, i) => {
      const th = make("th", "", side);
      th.scope = "row";
      const cells = now.drawing ? [] : [now.points ? now.points[i] : 0];
      if (bonus) cells.push(now.bonus ? now.bonus[i] : 0);
      if (over) cells.push(game.scores[i]);
      body.append(make("tr", "", th, ...cells.map((x) => make("td", "", String(x)))));
    });
    table.append(body);
    return table;
  }

  history(game, now, count) {
    const list = make("ol");
    if (now.drawing) {
      for (const { seat, action } of game.steps.slice(0, count)) list.append(make("li", "", `${SEATS[seat]} ${pretty(action)}`));
      return this.folded("historyOpen", `actions so far: ${count}`, list);
    }
    for (const trick of now.tricks) {
      const cards = trick.cards.map(([seat, card]) => `${SEATS[seat]} ${pretty(card)}`).join(" ");
      list.append(make("li", "", `${cards} → ${SEATS[trick.winner]}`));
    }
    return this.folded("historyOpen", `tricks so far: ${now.tricks.length}`, list);
  }
}

const noteText = (note) => note.replace(/\b([CDHS])([2-9TJQKA])\b/g, (word) => pretty(word));

function sideOwner(game, replay, side) {
  const seat = replay.sides[side][0];
  return label(game.seats[SEATS.indexOf(seat)]);
}

class Viewer {
  constructor(root, replays) {
    this.root = root;
    this.replays = replays;
    this.historyOpen = false;
    this.valuesOpen = false;
    this.thoughtsOpen = false;
    this.talksOpen = false;
    this.boards = [new Board(this), new Board(this)];
    this.controls();
    this.openLink() || this.open(0);
    window.addEventListener("hashchange", () => this.openLink());
  }

  /** `#deal=NAME&step=7`, with `pair=A,B` where a deal is shown for several pairs. */
  openLink() {
    const link = new URLSearchParams(location.hash.slice(1));
    if (!link.has("deal")) return false;
    const pair = link.get("pair");
    const index = this.replays.findIndex((r) =>
      r.deal === link.get("deal") && (!pair || `${r.first},${r.second}` === pair));
    if (index < 0) return false;
    const same = this.replay === this.replays[index];
    if (!same) this.open(index);
    const step = Number.parseInt(link.get("step"), 10);
    if (Number.isInteger(step) && step !== this.at) this.go(step);
    if (!same) this.root.scrollIntoView({ block: "start" });
    return true;
  }

  comeIntoView() {
    this.root.scrollIntoView({ block: "start" });
    this.root.focus({ preventScroll: true });
  }

  link() {
    const { deal, first, second } = this.replay;
    const link = new URLSearchParams({ deal, pair: `${first},${second}`, step: this.at });
    return `#${link}`;
  }

  controls() {
    const select = (words, options, change) => {
      const element = make("select");
      options.forEach(([value, text]) => element.append(new Option(text, value)));
      element.addEventListener("change", () => { change(element.value); this.draw(); });
      const wrap = make("label", "", words, element);
      return [wrap, element];
    };
    const button = (text, words, act) => {
      const element = make("button", "btn", text);
      element.type = "button";
      element.setAttribute("aria-label", words);
      element.title = words;
      element.addEventListener("click", act);
      return element;
    };
    const deals = this.replays.map((r, i) => [i, `${r.margin > 0 ? "+" : "−"}${Math.abs(r.margin).toLocaleString("en", { maximumFractionDigits: 1 })} ${r.deal}: ${label(r.first)} – ${label(r.second)}`]);
    const [dealLabel, deal] = select("deal", deals, (i) => this.open(Number(i)));
    const seats = this.replays[0].games[0].seats.map((_, seat) => [seat, `what ${SEATS[seat]} could see`]);
    const [eyesLabel, eyes] = select("show", [["all", "all cards"], ["mover", "what the player to move could see"], ...seats],
      (value) => { this.eyes = value === "all" || value === "mover" ? value : Number(value); });
    this.deal = deal;
    this.eyes = "all";
    eyes.value = "all";
    const head = make("div", "head", dealLabel, eyesLabel);
    if (this.replays[0].games.length > 2) {
      this.choices = [0, 1].map((side) => {
        const [wrap, element] = select(side ? "with" : "compare seating", [], (value) => { this.shown[side] = Number(value); });
        head.append(wrap);
        return element;
      });
    }
    this.slider = make("input");
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.setAttribute("aria-label", "step");
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.marks = make("div", "marks");
    const track = make("div", "track-box", this.slider, this.marks);
    this.firstButton = button("«", "to the deal", () => this.go(0));
    this.backButton = button("‹", "one step back (left arrow)", () => this.go(this.at - 1));
    this.nextButton = button("›", "one step on (right arrow)", () => this.go(this.at + 1));
    this.lastButton = button("»", "to the end", () => this.go(this.length));
    this.partButton = button("where they part", "to where the two seatings part", () => this.go(this.part));
    this.counter = make("span", "sub");
    this.here = make("a", "here", "link to this step");
    const steps = make("div", "steps", this.firstButton, this.backButton, this.nextButton,
      this.lastButton, this.partButton, track, this.counter, this.here);
    const boards = make("div", "boards", this.boards[0].root, this.boards[1].root);
    boards.setAttribute("aria-live", "polite");
    this.root.replaceChildren(head, steps, boards);
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "replay: arrow keys go back and forth");
    this.root.addEventListener("keydown", (event) => {
      if (event.target.matches("select, input")) return;
      const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.length }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.go(to);
    });
  }

  open(index) {
    this.replay = this.replays[index];
    this.deal.value = index;
    const games = this.replay.games;
    const order = games.map((_, i) => i).sort((a, b) => games[b].margin - games[a].margin);
    this.shown = games.length > 2 ? [order[0], order[order.length - 1]] : games.map((_, i) => i);
    this.choices?.forEach((element, side) => {
      const options = games.map((game, i) => new Option(`${game.seating}: ${game.seats.map(label).join(" ")}`, i));
      element.replaceChildren(...options);
      element.value = this.shown[side];
    });
    this.at = 0;
    this.draw();
    this.go(this.part < this.length ? this.part : 0);
  }

  draw() {
    const games = this.shown.map((i) => this.replay.games[i]);
    this.length = Math.max(...games.map((game) => game.steps.length));
    this.part = games.length > 1 ? whereTheyPart(games[0], games[1]) : 0;
    this.slider.max = this.length;
    this.mark(games);
    this.go(this.at);
  }

  /** A mark under the slider for each mistake in the games that are shown. */
  mark(games) {
    const found = games.flatMap((game) => game.valued.filter((each) => each.grade)
      .map((each) => [each, game]));
    this.marks.hidden = !found.length;
    this.marks.replaceChildren(...found.map(([each, game]) => {
      const { seat } = game.steps[each.step];
      const words = `${each.grade} of ${SEATS[seat]} ${label(game.seats[seat])}, seating ${game.seating}, step ${each.step}`;
      const element = make("button", `mark ${each.grade}`);
      element.type = "button";
      element.title = words;
      element.setAttribute("aria-label", words);
      element.style.left = `${(100 * each.step) / this.length}%`;
      element.addEventListener("click", () => { this.valuesOpen = true; this.go(each.step); });
      return element;
    }));
  }

  go(step) {
    this.at = Math.min(Math.max(step, 0), this.length);
    this.slider.value = this.at;
    this.firstButton.disabled = this.backButton.disabled = this.at === 0;
    this.lastButton.disabled = this.nextButton.disabled = this.at === this.length;
    this.partButton.hidden = this.shown.length < 2 || this.part >= this.length;
    const together = this.at <= this.part ? "together" : "parted";
    this.counter.textContent = `step ${this.at} of ${this.length}, ${together}`;
    this.here.href = this.link();
    this.boards.forEach((board, side) => {
      const game = this.replay.games[this.shown[side]];
      board.root.hidden = !game;
      if (game) board.show(game, Math.min(this.at, game.steps.length), this.eyes, this.replay, this.part);
    });
  }
}

const replayRoot = document.getElementById("replay");
if (replayRoot) {
  const data = JSON.parse(document.getElementById("replay-data").textContent);
  BONUS = data.bonus;
  LABELS = data.labels;
  const viewer = new Viewer(replayRoot, data.replays);
  for (const button of document.querySelectorAll("[data-replay]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      viewer.open(Number(button.dataset.replay));
      viewer.comeIntoView();
    });
  }
  for (const link of document.querySelectorAll("a[href^='#deal=']")) {
    if (replayRoot.contains(link)) continue;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      location.hash = link.hash;
      viewer.openLink(); // the same link again changes no hash
      viewer.comeIntoView();
    });
  }
}
