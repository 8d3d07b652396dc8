#!/usr/bin/env node
// A bot in JavaScript, without packages: it plays its lowest legal card, and passes in auctions.

"use strict";
const readline = require("node:readline");

const RANKS = "23456789TJQKA";

function choose(view) {
  const lowest = (a, b) => RANKS.indexOf(a[1]) - RANKS.indexOf(b[1]);
  const cards = view.legal.filter((action) => action.length === 2).sort(lowest);
  return cards[0] ?? (view.legal.includes("pass") ? "pass" : view.legal[0]);
}

function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "ready", protocol: 1, name: "lowest" };
    case "act":
      return {
        type: "action",
        deal: message.deal,
        decision: message.decision,
        action: choose(message.view),
      };
    case "quit":
      process.exit(0);
    default:
      return null; // start and end: nothing to remember
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const reply = answer(JSON.parse(line));
  if (reply !== null) process.stdout.write(JSON.stringify(reply) + "\n");
});
