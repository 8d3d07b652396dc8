"""Numbers and names as the report writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from arena.core.rules import plural

if TYPE_CHECKING:
    from arena.stats import Rating

P_FLOOR = 0.001
"""Smaller p-values are written as being below it."""
ROLES = {
    "score_as_declarer": "declaring",
    "score_as_defender": "defending",
    "score_as_leader": "leading",
    "score_not_leading": "not leading",
}
"""Measures of the make-up that are scores in a role."""
MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"


def plain(value: float | None, digits: int = 1) -> str:
    """A number, with a real minus sign; a dash if there is none.

    >>> plain(-0.04), plain(-3.25, 2), plain(None)
    ('0.0', '−3.25', '–')
    """
    if value is None:
        return DASH
    text = f"{value:,.{digits}f}"
    if isfinite(value) and not any(digit in text for digit in "123456789"):
        text = text.removeprefix("-")
    return text.replace("-", MINUS)


def signed(value: float | None, digits: int = 1) -> str:
    """A difference, always with its sign.

    >>> signed(3.14), signed(-3.14), signed(0.01)
    ('+3.1', '−3.1', '0.0')
    """
    text = plain(value, digits)
    positive = value is not None and value > 0 and any(digit in text for digit in "123456789")
    return f"+{text}" if positive else text


def interval(
    low: float | None,
    high: float | None,
    digits: int = 1,
    show: Callable[[float | None, int], str] = plain,
) -> str:
    """Both limits; one that is near 0 has as many digits as show on which side of it.

    >>> interval(-1.26, 3), interval(0.04, 32.8), interval(0.0, 5)
    ('−1.3 to 3.0', '0.04 to 32.8', '0.0 to 5.0')
    >>> interval(float("-inf"), float("nan"))
    '−inf to nan'
    """
    if low is None or high is None:
        return DASH
    return f"{_limit(low, digits, show)} to {_limit(high, digits, show)}"


def _limit(value: float, digits: int, show: Callable[[float | None, int], str]) -> str:
    text = show(value, digits)
    if abs(value) < 1e-6 or not isfinite(value) or any(digit in text for digit in "123456789"):
        return text
    return _limit(value, digits + 1, show)


def rating_text(rating: Rating | None, digits: int = 1) -> str:
    """A rating with its sign; without a value (a perfect score) the one limit that there is."""
    if rating is None:
        return DASH
    if rating.value is None and rating.low is not None:
        return f"> {signed(rating.low, digits)}"
    if rating.value is None and rating.high is not None:
        return f"< {signed(rating.high, digits)}"
    return signed(rating.value, digits)


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.5625)
    '56.2%'
    """
    return DASH if share is None else f"{plain(100 * share, digits)}%"


def options(chosen: Mapping[str, Any]) -> str:
    """The options of a game.

    >>> options({"variant": "rotterdam", "tie_is_nat": True})
    'variant rotterdam, tie is nat yes'
    >>> options({"beliefs": {"kind": "probabilities", "m1": 1.2}})
    'beliefs (kind probabilities, m1 1.2)'
    """
    return ", ".join(f"{name.replace('_', ' ')} {_option(value)}" for name, value in chosen.items())


def _option(value: Any) -> Any:
    if isinstance(value, Mapping):
        return f"({options(value)})"
    return ("yes" if value else "no") if isinstance(value, bool) else value


def count(number: int | None) -> str:
    """A whole number.

    >>> count(12800)
    '12,800'
    """
    return DASH if number is None else f"{number:,}"


def pvalue(p: float | None) -> str:
    """A p-value with its sign.

    >>> pvalue(0.0312), pvalue(1e-9), pvalue(0.999999), pvalue(None)
    ('= 0.031', '< 0.001', '= 1.000', '–')
    """
    if p is None:
        return DASH
    return f"< {P_FLOOR:g}" if p < P_FLOOR else f"= {p:.3f}"


def duration(seconds: float | None) -> str:
    """A time, to three figures.

    >>> duration(0.00123), duration(75.0), duration(0.0), duration(1234.5)
    ('1.23 ms', '75 s', '–', '1,234 s')
    """
    if not seconds:
        return DASH
    if seconds >= 1000:
        return f"{seconds:,.0f} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return DASH


def above(higher_wins: bool) -> str:
    """The relation of a rating to the field: where fewer points are better, more is not above."""
    return "above" if higher_wins else "better than"


def counted(number: int, unit: str) -> str:
    """So many of a unit.

    >>> counted(1, "deal"), counted(1200, "match")
    ('1 deal', '1,200 matches')
    """
    return f"{number:,} {unit if number == 1 else plural(unit)}"


def label_of(rules: Any, word: str) -> str:
    """The word that players of the game use."""
    return str(getattr(rules, "labels", {}).get(word, word))


def markdown(text: Any) -> str:
    """Text that Markdown shows as it is, in a table as well.

    >>> markdown("<b>a|b</b> *x*")
    '&lt;b&gt;a\\\\|b&lt;/b&gt; \\\\*x\\\\*'
    """
    escaped = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = re.sub(r"([\\`*_\[\]|#~$!])", r"\\\1", escaped)
    return " ".join(escaped.split())
