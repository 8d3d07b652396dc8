"""Words that a page explains at their first use; the sentences are in `glossary.yaml`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from importlib import resources

import yaml
from markupsafe import Markup, escape

LONG_NAME = 20
"""Characters of a name that fit a line on a phone next to a number."""
_SETTING = re.compile(r"[^\s(),]+ = [^\s(),]+[),]?")


@cache
def groups() -> dict[str, dict[str, str]]:
    """Every word with its sentence, by group."""
    text = resources.files("arena.report").joinpath("glossary.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = yaml.load(text, Loader=yaml.CSafeLoader)
    return found


@cache
def glossary() -> dict[str, str]:
    """Every word with its sentence, all groups together."""
    return {word: sentence for group in groups().values() for word, sentence in group.items()}


def term(word: str, shown: str = "?") -> Markup:
    """A word that shows its sentence when it is hovered, focused or tapped.

    No button: lines break before and after one, and browsers leave it out of a table's head on
    later printed pages.
    """
    label = Markup(' aria-label="what {} means"').format(word) if shown == "?" else ""
    html = '<span role="button" tabindex="0" class="term" title="{}"{}>{}</span>'
    return Markup(html).format(glossary()[word], label, shown)


def name_span(name: str, full: str = "") -> Markup:
    """An agent's name, which does not break at its hyphens unless it is long.

    Long names break between settings: `c = 0.7` stays whole.
    """
    title = Markup(' title="{}"').format(full) if full and full != name else ""
    if len(name) <= LONG_NAME:
        return Markup('<span class="name"{}>{}</span>').format(title, name)
    parts, end = [], 0
    for match in _SETTING.finditer(name):
        whole = len(match[0]) <= LONG_NAME + 4
        shown = Markup('<span class="name">{}</span>').format(match[0]) if whole else match[0]
        parts += [escape(name[end : match.start()]), shown]
        end = match.end()
    inner = Markup("").join([*parts, escape(name[end:])])
    return Markup('<span class="name long"{}>{}</span>').format(title, inner)


def explainer(names: Collection[str]) -> Callable[[str], Markup]:
    """A filter for the prose of one page: words are explained at first use, names stay whole."""
    words = {word.casefold(): word for word in glossary()}
    longest_first = sorted(names, key=len, reverse=True)
    either = [rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])"] if names else []
    either += [rf"\b(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})\b"]
    pattern = re.compile("|".join(f"({part})" for part in either), re.IGNORECASE)
    seen = {name.casefold() for name in names}  # an agent that is called "group" is an agent

    def explain(text: str) -> Markup:
        parts, end = [], 0
        for match in pattern.finditer(text):
            found, key = match[0], match[0].casefold()
            if found in names:
                shown = name_span(found)
            elif key in words and key not in seen:
                seen.add(key)
                shown = term(words[key], found)
            else:
                continue
            parts += [escape(text[end : match.start()]), shown]
            end = match.end()
        return Markup("").join([*parts, escape(text[end:])])

    return explain
