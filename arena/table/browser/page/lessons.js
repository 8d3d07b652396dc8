/** Find the better card: the moments of a round that mattered, one after the other. */

/** The audit of a round as an exercise: find, try, see, next. */
export function lessons(message, { make, face, nameOf, number, words, situation }) {
  const state = { moment: -1, tried: new Map(), seen: false, said: "" };
  const box = make("div");

  function button(text, does) {
    const made = make("button", { className: "do", type: "button", textContent: text });
    made.addEventListener("click", () => { does(); fill(); });
    return made;
  }

  function fill() {
    const say = words(), { moments } = message;
    const parts = [make("h2", { textContent: say.audit }),
      make("p", { textContent: say.lostKnown(message.decisions, number(message.known, 1), message.hindsight, message.solved) })];
    const moment = moments[state.moment];
    if (!moments.length) parts.push(make("p", { textContent: say.noMoments }));
    else if (!moment) {
      parts.push(make("p", { textContent: state.moment < 0 ? say.moments(moments.length) : say.done }));
      parts.push(button(say.find, () => { state.moment = 0; state.tried.clear(); state.seen = false; }));
    } else parts.push(...exercise(moment, say));
    box.replaceChildren(...parts);
  }

  function exercise(moment, say) {
    const { view } = moment;
    const table = make("div", { className: "cards", role: "img", "aria-label": `${say.onTable}: ${view.table.map(nameOf).join(", ") || "–"}` },
      ...view.table.map((card) => make("span", {}, face(card))));
    const hand = make("div", { className: "cards", role: "group", "aria-label": say.youHave });
    for (const card of view.legal) {
      const chosen = make("button", { type: "button", "aria-label": nameOf(card), "data-try": card }, face(card));
      if (state.tried.has(card)) chosen.className = state.tried.get(card) ? "good" : "bad";
      chosen.addEventListener("click", () => { tryCard(moment, card); fill(); });
      hand.append(chosen);
    }
    const isFound = state.tried.get(moment.better);
    const parts = [make("h2", { textContent: `${say.find} (${state.moment + 1}/${message.moments.length})` }),
      make("p", { textContent: say.findText(moment.trick) }), make("p", { className: "note", textContent: situation(view) }), table, hand,
      make("p", { role: "status", className: "answer", textContent: state.said })];
    if (state.seen || isFound) parts.push(...answer(moment, say));
    else parts.push(button(say.see, () => { state.seen = true; }));
    parts.push(button(say.nextMoment, () => { state.moment += 1; state.tried.clear(); state.seen = false; state.said = ""; }));
    return parts;
  }

  function tryCard(moment, card) {
    const say = words(), worth = moment.values;
    const isBest = worth[card] === worth[moment.better];
    state.tried.set(card, isBest);
    if (isBest) state.seen = true;
    if (card === moment.played) state.said = say.sameAs(nameOf(card));
    else if (isBest) state.said = say.better(nameOf(card), number(moment.loss, 1));
    else if (worth[card] > worth[moment.played]) state.said = say.alsoGood(nameOf(card), number(worth[moment.better] - worth[card], 1));
    else state.said = say.worse(nameOf(card));
  }

  function answer(moment, say) {
    const rows = Object.entries(moment.values).sort((a, b) => b[1] - a[1]);
    const body = rows.map(([card, value]) => make("tr", { className: card === moment.better ? "best" : "" },
      make("th", { scope: "row", textContent: nameOf(card) + (card === moment.played ? ` (${say.played} ${moment.mark})` : "") }),
      make("td", { textContent: number(value, 1) })));
    const head = make("tr", {}, make("th", { scope: "col", textContent: say.card }), make("th", { scope: "col", textContent: say.worth }));
    return [make("p", { className: "note", textContent: say.meanOver(moment.worlds) }), make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)),
      make("p", { className: "note", textContent: say.line(moment.line.map(nameOf).join(", ")) })];
  }

  fill();
  return { box };
}
