"""The deals saved by playing every deal in all its seatings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.errors import StatsError
from arena.stats.sample import join_notes


@dataclass(frozen=True)
class DuplicateSaving:
    """The deals saved by playing each in every seating, against the same number of fresh deals.

    `variance_ratio` = variance of the deal mean / variance the same games would have on fresh
    deals. `games_saved_fraction` = 1 - ratio. `deals_saved` = fresh single games that would be
    needed for the same precision, minus the games played, divided by the seatings of a deal.
    """

    variance_ratio: float | None
    correlation: float | None
    games_saved_fraction: float | None
    deals_saved: float | None
    variance_single: float | None
    variance_deal: float | None
    deals: int
    seatings: int
    note: str = ""


def duplicate_saving(seatings: ArrayLike) -> DuplicateSaving:
    """How much playing every deal in all its seatings saved.

    `seatings` has one row per deal and one column per seating: the margin of A over B in that
    game; a row with a NaN (a forfeit) is left out. Formula: with k seatings, v1 = pooled variance
    of a single game, vd = variance of the deal mean; ratio = vd/(v1/k) = 1 + (k-1)·ρ with ρ the
    mean correlation between seatings. Luck of the cards makes ρ negative. Unit: the deal.
    Source: Kish 1965, Survey Sampling, §5.4 (design effect); duplicate bridge since 1857.
    """
    table = np.asarray(seatings, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise StatsError(
            f"one row per deal and at least two seatings expected, got shape {table.shape}"
        )
    played = table[~np.isnan(table).any(axis=1)]
    forfeits = table.shape[0] - played.shape[0]
    deals, k = played.shape
    forfeit_note = f"{forfeits} deals with a forfeit were left out." if forfeits else ""
    if deals < 2:
        note = join_notes("Fewer than two complete deals: no variance.", forfeit_note)
        return DuplicateSaving(None, None, None, None, None, None, deals, k, note)
    single = float(((played - played.mean()) ** 2).sum() / (k * (deals - 1)))
    deal = float(played.mean(axis=1).var(ddof=1))
    if single == 0.0:
        why = "Every game has the same margin: nothing varies, so nothing is saved."
        note = join_notes(why, forfeit_note)
        return DuplicateSaving(None, None, None, None, 0.0, 0.0, deals, k, note)
    ratio = deal / (single / k)
    note = ""
    saved: float | None = None
    if deal <= 1e-12 * single:
        ratio = 0.0
        note = "The seatings cancel exactly: every deal mean is the same, the saving is unbounded."
    else:
        saved = deals / ratio - deals
    shares = (ratio, (ratio - 1) / (k - 1), 1 - ratio, saved)
    return DuplicateSaving(*shares, single, deal, deals, k, join_notes(note, forfeit_note))
