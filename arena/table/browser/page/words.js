/** The words of the game in English, Dutch and German; the rest of the page is in the same languages. */

const RANKS = {
  en: { 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" },
  nl: { 2: "twee", 3: "drie", 4: "vier", 5: "vijf", 6: "zes", 7: "zeven", 8: "acht", 9: "negen", T: "tien", J: "boer", Q: "vrouw", K: "heer", A: "aas" },
  de: { 2: "Zwei", 3: "Drei", 4: "Vier", 5: "Fünf", 6: "Sechs", 7: "Sieben", 8: "Acht", 9: "Neun", T: "Zehn", J: "Bube", Q: "Dame", K: "König", A: "Ass" },
};
const SWISS_RANKS = { T: "Banner", J: "Under", Q: "Ober" };
const SUIT_NAMES = {
  en: { C: "clubs", D: "diamonds", H: "hearts", S: "spades" },
  nl: { C: "klaveren", D: "ruiten", H: "harten", S: "schoppen" },
  de: { C: "Kreuz", D: "Karo", H: "Herz", S: "Pik" },
};
const SWISS_SUITS = { C: "Eicheln", D: "Schellen", H: "Rosen", S: "Schilten" };

const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;

const EN = {
  N: "North", E: "East", S: "South", W: "West",
  pass: "pass", play: "play", push: "push (schieben)", "trump-O": "obe-abe", "trump-U": "une-ufe",
  trump: "trump", turnedUp: "turned up", declarer: "declarer", dealer: "dealer", partner: "partner", you: "you",
  tricks: "tricks", points: "points", round: "round", total: "total", score: "score",
  yourTurn: "Your turn", yourBid: "Your call", turnOf: (name) => `${name} to play`,
  thinks: (name) => `${name} is thinking`, letOther: "let another agent play",
  passCard: (n, to) => `Pass on a card to ${to}: ${n} of 3`, passedCards: "you passed on", received: "you received",
  youHave: "your hand", onTable: "cards on the table", youLead: "you lead", lastTrick: "last trick", noTrick: "no trick yet",
  says: (name, what) => `${name}: ${what}`, shows: (name, cards) => `${name} shows ${cards}`,
  takes: (name, points) => `${name} takes the trick, ${count(points, "point", "points")}`, youTake: (points) => `you take the trick, ${count(points, "point", "points")}`, plays: (name, card) => `${name}: ${card}`,
  hint: "Hint", advising: "the adviser is thinking", undo: "Take back", claim: "Claim", next: "Next round", audit: "Look at my cards again", 
  help: "Help", settings: "Settings", keys: (helps) => `Arrow keys choose a card, Enter plays it. ${helps ? "h hint, u take back, " : ""}c claim, n next round, s score sheet.`,
  deck: "cards", french: "French", swiss: "Swiss-German", fourColours: "a colour for each suit", large: "large figures", auto: "on small screens", always: "always", never: "never",
  motion: "moving cards", language: "language", theme: "colours", light: "light", dark: "dark", system: "as the system",
  wouldPlay: (card) => `The adviser would choose ${card}.`, values: "what its search says about each card", beliefs: "where it expects the hidden cards", card: "card", noValues: "It has no numbers for the cards here.",
  over: "The round is over", sheetFull: "The match is over", waiting: "waiting for the others", lost: "connection lost, trying again", started: "waiting for the first round",
  sameCards: "on the same cards", evening: "the evening: you less them, points per deal", to: (low, high) => `${low} to ${high}`, interval: "95% interval", deals: "deals", notCounted: "Played with help: not counted.", tooFew: "needs two deals", side: "side", player: "player", mean: "mean",
  auditing: "looking at every card; this takes a while", lostKnown: (n, known, hindsight, solved) => `Your ${n} decisions lost ${known} points as far as could be known, ${hindsight} in hindsight (${solved} solved).`,
  noMoments: "No card of yours lost points that could have been known.", moments: (n) => `${n} moments worth another look`,
  find: "Find the better card", findText: (trick) => `Trick ${trick}. You played another card here than the best one. Which one is better?`,
  better: (card, loss) => `Yes: ${card} is better by ${loss} points on average.`, sameAs: (card) => `${card} is what you played.`, alsoGood: (card, less) => `${card} is better than what you played, but ${less} points below the best.`, worse: (card) => `${card} is no better than what you played.`,
  see: "See it", nextMoment: "Next", done: "Done", played: "played", best: "best", worth: "mean value", line: (cards) => `Then both sides play best with open cards: ${cards}`,
  meanOver: (worlds) => `Mean over ${worlds} deals of the hidden cards that you could expect.`,
  invite: "not here yet", away: "away", letAgent: "let an agent play", claimed: (name) => `${name} claimed: the rest was proved`,
  crash: (who) => `${who} crashed; the first legal cards from here on`, illegal: (who) => `${who} played an illegal card; the first legal cards from here on`, slow: (who) => `${who} was too slow; the first legal cards from here on`, left: (who) => `${who} has left; an agent plays`,
  closed: "No deal is left, or the match is over.", pause: "Pause", goOn: "Go on", step: "One card", pace: "seconds for a card", yourName: "your name", calls: "calls", thisRound: "this round", match: "match",
  perRound: (n) => `your points per round, ${n} rounds`, asPlayed: "as played", adjusted: "less the luck of the cards", variance: (ratio, n, worth) => `Without the luck of the cards the variance is ${ratio} of that as played: ${n} rounds are worth ${worth}.`,
  sheetTo: (target, rounds) => `score sheet${target ? `, to ${target} points` : rounds ? `, ${rounds} rounds` : ""}`,
  slate: "slate", redeal: "thrown in", "Weis and Stöck": "Weis, Stöck", moon: "shot the moon", nat: "nat", pit: "pit", roem: "roem",
};
const NL = {
  ...EN, N: "Noord", E: "Oost", S: "Zuid", W: "West",
  pass: "pas", play: "spelen", push: "schuiven", trump: "troef", turnedUp: "gedraaid", declarer: "speler", dealer: "deler", partner: "maat", you: "jij",
  tricks: "slagen", points: "punten", round: "ronde", total: "totaal", score: "stand",
  yourTurn: "Jij bent aan de beurt", yourBid: "Jouw bod", turnOf: (name) => `${name} is aan de beurt`,
  thinks: (name) => `${name} denkt na`, letOther: "laat een ander spelen",
  passCard: (n, to) => `Geef een kaart door aan ${to}: ${n} van 3`, passedCards: "doorgegeven", received: "gekregen",
  youHave: "je hand", onTable: "kaarten op tafel", youLead: "jij komt uit", lastTrick: "laatste slag", noTrick: "nog geen slag",
  shows: (name, cards) => `${name} toont ${cards}`, takes: (name, points) => `${name} haalt de slag, ${count(points, "punt", "punten")}`, youTake: (points) => `jij haalt de slag, ${count(points, "punt", "punten")}`,
  hint: "Tip", advising: "de adviseur denkt na", undo: "Terugnemen", claim: "Claimen", next: "Volgende ronde", audit: "Mijn kaarten nog eens bekijken",
  help: "Hulp", settings: "Instellingen", keys: (helps) => `Pijltjes kiezen een kaart, Enter speelt hem. ${helps ? "h tip, u terugnemen, " : ""}c claimen, n volgende ronde, s scoreblad.`,
  deck: "kaarten", french: "Frans", swiss: "Duits-Zwitsers", fourColours: "elke kleur een eigen kleur", large: "grote tekens", auto: "op kleine schermen", always: "altijd", never: "nooit",
  motion: "bewegende kaarten", language: "taal", theme: "kleuren", light: "licht", dark: "donker", system: "zoals het systeem",
  wouldPlay: (card) => `De adviseur zou ${card} kiezen.`, values: "wat het zoeken van elke kaart zegt", beliefs: "waar hij de verborgen kaarten verwacht", card: "kaart", noValues: "Er zijn hier geen getallen bij de kaarten.",
  over: "De ronde is voorbij", sheetFull: "De partij is voorbij", waiting: "wachten op de anderen", lost: "verbinding verbroken, nieuwe poging", started: "wachten op de eerste ronde",
  sameCards: "met dezelfde kaarten", evening: "de avond: jij min zij, punten per spel", to: (low, high) => `${low} tot ${high}`, interval: "95%-interval", deals: "spellen", notCounted: "Met hulp gespeeld: telt niet mee.", tooFew: "twee spellen nodig", side: "partij", player: "speler", mean: "gemiddeld",
  auditing: "elke kaart wordt bekeken; dit duurt even", lostKnown: (n, known, hindsight, solved) => `Je ${n} beslissingen kostten ${known} punten voor zover te weten, ${hindsight} achteraf (${solved} opgelost).`,
  noMoments: "Geen kaart van jou kostte punten die te weten waren.", moments: (n) => `${n} momenten om nog eens te bekijken`,
  find: "Vind de betere kaart", findText: (trick) => `Slag ${trick}. Hier speelde je niet de beste kaart. Welke is beter?`,
  better: (card, loss) => `Ja: ${card} is gemiddeld ${loss} punten beter.`, sameAs: (card) => `${card} heb je gespeeld.`, alsoGood: (card, less) => `${card} is beter dan wat je speelde, maar ${less} punten onder de beste.`, worse: (card) => `${card} is niet beter dan wat je speelde.`,
  see: "Toon", nextMoment: "Volgende", done: "Klaar", played: "gespeeld", best: "beste", worth: "gemiddelde waarde", line: (cards) => `Daarna spelen beide partijen het best met open kaarten: ${cards}`,
  meanOver: (worlds) => `Gemiddeld over ${worlds} verdelingen van de verborgen kaarten die je kon verwachten.`,
  invite: "nog niet hier", away: "weg", letAgent: "laat een agent spelen", claimed: (name) => `${name} heeft geclaimd: de rest is bewezen`,
  crash: (who) => `${who} is vastgelopen; vanaf hier de eerste geldige kaarten`, illegal: (who) => `${who} speelde een ongeldige kaart; vanaf hier de eerste geldige kaarten`, slow: (who) => `${who} was te traag; vanaf hier de eerste geldige kaarten`, left: (who) => `${who} is weg; een agent speelt`,
  closed: "Er is geen spel meer over, of de partij is voorbij.", pause: "Pauze", goOn: "Verder", step: "Eén kaart", pace: "seconden per kaart", yourName: "je naam", calls: "biedingen", thisRound: "deze ronde", match: "partij",
  perRound: (n) => `jouw punten per ronde, ${n} rondes`, asPlayed: "zoals gespeeld", adjusted: "zonder het geluk van de kaarten", variance: (ratio, n, worth) => `Zonder het geluk van de kaarten is de variantie ${ratio} van die zoals gespeeld: ${n} rondes zijn er ${worth} waard.`,
  sheetTo: (target, rounds) => `scoreblad${target ? `, tot ${target} punten` : rounds ? `, ${rounds} rondes` : ""}`,
  slate: "lei", redeal: "opnieuw gedeeld", moon: "alle punten",
};
const DE = {
  ...EN, N: "Nord", E: "Ost", S: "Süd", W: "West",
  pass: "passen", play: "spielen", push: "schieben", trump: "Trumpf", turnedUp: "aufgedeckt", declarer: "Spielmacher", dealer: "Geber", partner: "Partner", you: "du",
  tricks: "Stiche", points: "Punkte", round: "Runde", total: "Summe", score: "Stand",
  yourTurn: "Du bist am Zug", yourBid: "Deine Ansage", turnOf: (name) => `${name} ist am Zug`,
  thinks: (name) => `${name} denkt nach`, letOther: "einen anderen spielen lassen",
  passCard: (n, to) => `Gib eine Karte an ${to} weiter: ${n} von 3`, passedCards: "weitergegeben", received: "bekommen",
  youHave: "dein Blatt", onTable: "Karten auf dem Tisch", youLead: "du spielst aus", lastTrick: "letzter Stich", noTrick: "noch kein Stich",
  shows: (name, cards) => `${name} weist ${cards}`, takes: (name, points) => `${name} nimmt den Stich, ${count(points, "Punkt", "Punkte")}`, youTake: (points) => `du nimmst den Stich, ${count(points, "Punkt", "Punkte")}`,
  hint: "Tipp", advising: "der Ratgeber denkt nach", undo: "Zurücknehmen", claim: "Rest beanspruchen", next: "Nächste Runde", audit: "Meine Karten nochmals ansehen",
  help: "Hilfe", settings: "Einstellungen", keys: (helps) => `Pfeiltasten wählen eine Karte, Enter spielt sie. ${helps ? "h Tipp, u zurücknehmen, " : ""}c Rest beanspruchen, n nächste Runde, s Tafel.`,
  deck: "Karten", french: "französisch", swiss: "deutschschweizerisch", fourColours: "eine Farbe für jede Kartenfarbe", large: "große Zeichen", auto: "auf kleinen Bildschirmen", always: "immer", never: "nie",
  motion: "bewegte Karten", language: "Sprache", theme: "Farben", light: "hell", dark: "dunkel", system: "wie das System",
  wouldPlay: (card) => `Der Ratgeber würde ${card} wählen.`, values: "was die Suche zu jeder Karte sagt", beliefs: "wo er die verdeckten Karten erwartet", card: "Karte", noValues: "Zu den Karten gibt es hier keine Zahlen.",
  over: "Die Runde ist vorbei", sheetFull: "Die Partie ist vorbei", waiting: "warten auf die anderen", lost: "Verbindung verloren, neuer Versuch", started: "warten auf die erste Runde",
  sameCards: "mit denselben Karten", evening: "der Abend: du minus sie, Punkte pro Spiel", to: (low, high) => `${low} bis ${high}`, interval: "95%-Intervall", deals: "Spiele", notCounted: "Mit Hilfe gespielt: zählt nicht.", tooFew: "zwei Spiele nötig", side: "Seite", player: "Spieler", mean: "Mittel",
  auditing: "jede Karte wird angesehen; das dauert", lostKnown: (n, known, hindsight, solved) => `Deine ${n} Entscheidungen verloren ${known} Punkte, soweit man es wissen konnte, ${hindsight} im Nachhinein (${solved} gelöst).`,
  noMoments: "Keine deiner Karten verlor Punkte, die man wissen konnte.", moments: (n) => `${n} Momente zum Nachsehen`,
  find: "Finde die bessere Karte", findText: (trick) => `Stich ${trick}. Hier hast du nicht die beste Karte gespielt. Welche ist besser?`,
  better: (card, loss) => `Ja: ${card} ist im Mittel ${loss} Punkte besser.`, sameAs: (card) => `${card} hast du gespielt.`, alsoGood: (card, less) => `${card} ist besser als deine Karte, aber ${less} Punkte unter der besten.`, worse: (card) => `${card} ist nicht besser als deine Karte.`,
  see: "Zeigen", nextMoment: "Weiter", done: "Fertig", played: "gespielt", best: "beste", worth: "mittlerer Wert", line: (cards) => `Danach spielen beide Seiten mit offenen Karten am besten: ${cards}`,
  meanOver: (worlds) => `Mittel über ${worlds} Verteilungen der verdeckten Karten, die du erwarten konntest.`,
  invite: "noch nicht da", away: "weg", letAgent: "einen Agenten spielen lassen", claimed: (name) => `${name} hat den Rest beansprucht: bewiesen`,
  crash: (who) => `${who} ist abgestürzt; ab hier die ersten erlaubten Karten`, illegal: (who) => `${who} spielte eine verbotene Karte; ab hier die ersten erlaubten Karten`, slow: (who) => `${who} war zu langsam; ab hier die ersten erlaubten Karten`, left: (who) => `${who} ist weg; ein Agent spielt`,
  closed: "Es ist kein Spiel mehr da, oder die Partie ist vorbei.", pause: "Pause", goOn: "Weiter", step: "Eine Karte", pace: "Sekunden pro Karte", yourName: "dein Name", calls: "Ansagen", thisRound: "diese Runde", match: "Partie",
  perRound: (n) => `deine Punkte pro Runde, ${n} Runden`, asPlayed: "wie gespielt", adjusted: "ohne das Kartenglück", variance: (ratio, n, worth) => `Ohne das Kartenglück ist die Varianz ${ratio} von der wie gespielt: ${n} Runden sind ${worth} wert.`,
  sheetTo: (target, rounds) => `Tafel${target ? `, bis ${target} Punkte` : rounds ? `, ${rounds} Runden` : ""}`,
  slate: "Striche", redeal: "neu gegeben", moon: "Durchmarsch",
};

const LANGUAGES = { en: EN, nl: NL, de: DE };
export const LANGUAGE_NAMES = { en: "English", nl: "Nederlands", de: "Deutsch" };
export const languageOfBrowser = () =>
  (navigator.languages || []).map((each) => each.slice(0, 2)).find((each) => each in LANGUAGES) || "en";
export const wordsOf = (language) => LANGUAGES[language] || EN;

export function suitName(suit, language, deck) {
  if (deck === "swiss" && language === "de") return SWISS_SUITS[suit];
  return SUIT_NAMES[language][suit];
}

/** A card as it is said aloud: "seven of hearts". */
export function cardName(card, language, deck) {
  const swiss = deck === "swiss" && language === "de";
  const suit = suitName(card[0], language, deck);
  const rank = (swiss && SWISS_RANKS[card[1]]) || RANKS[language][card[1]];
  return language === "en" ? `${rank} of ${suit}` : `${suit} ${rank}`;
}
