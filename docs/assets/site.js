// What the theme adds while a page loads gets the names and the focus that keyboards and screen readers need.
new MutationObserver(() => {
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((table) => (table.tabIndex = 0));
  document.querySelectorAll(".md-code__nav").forEach((nav, i) => nav.setAttribute("aria-label", `Code ${i + 1}`));
}).observe(document.documentElement, { childList: true, subtree: true });
