"""The playout rules of JassTheRipper for Schieber, light and heavy, compiled.

Source: the T-DMCTS with rule-based rollouts of Niklaus 2019 (figure 13.3). The thesis does not
say what the rules are; these are those of its program. Each rule advises cards, and any of those
advised is played; where none has advice, any legal card.

**Light** rules look at the own cards only.

* Last to play, while the opponents hold the trick: take it with a plain card, else, if more than
  ten points lie there, with a trump.
* Last to play, while partner holds it: smear, a ten (in obe-abe also an eight).
* Leading one of the first two tricks with two trumps or more: draw trumps.

**Heavy** rules see all hands, as one does in a world that is made up. The last to play does as
above, and discards cards without points if that leaves nothing. The leader, all together:

* draws trumps while both opponents have some;
* leads a *master*, the best card left of its suit;
* leads a suit of which partner holds the master;
* leads below the second best card of a suit, to draw the master out.

Differs: where no card takes the trick the program advises all plain cards, here there is no
advice.
"""

from __future__ import annotations

from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HOLDER,
    LED,
    LEFT,
    LOW_SUIT,
    ONE,
    S16,
    TABLE,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Word,
    Words,
)
from arena.games.rulebook import OWN_WORDS, Book, above, highest
from arena.games.schieber.kernel import trick_value

FAT, BLANK = OWN_WORDS, OWN_WORDS + 1
"""Words of the book: cards worth many points, and cards without points."""
_WORTH_A_TRUMP = 10
"""A trick is trumped if it has more points than this."""


@uncounted
def light(state: Words, game: Words, book: Book, legal: Word) -> Word:
    """The cards advised by the light rules; several are legal."""
    advice: Word = ZERO
    if popcount(state[TABLE]) == THREE:
        advice = _last(state, game, book, legal)
    elif state[TABLE] == ZERO and state[LEFT] + ONE >= game[TRICKS]:
        trumps = legal & game[TRUMPS]
        advice = trumps if popcount(trumps) >= TWO else ZERO
    return advice if advice != ZERO else legal


@uncounted
def heavy(state: Words, game: Words, book: Book, legal: Word) -> Word:
    """The cards advised by the heavy rules; several are legal."""
    advice: Word = ZERO
    if popcount(state[TABLE]) == THREE:
        advice = _last(state, game, book, legal)
        if advice == ZERO:
            advice = legal & book[BLANK]
    elif state[TABLE] == ZERO:
        advice = _lead(state, game, legal)
    return advice if advice != ZERO else legal


@inlined
def _last(state: Words, game: Words, book: Book, legal: Word) -> Word:
    trumps = game[TRUMPS]
    if (state[HOLDER] ^ state[TURN]) & ONE == ZERO:
        return Word(legal & book[FAT])
    taking = legal & (state[LED] | trumps) & above(state[BEST])
    if taking & ~trumps != ZERO:
        return Word(taking & ~trumps)
    worth_it = trick_value(game, ZERO, state[TABLE]) > _WORTH_A_TRUMP
    return Word(taking) if worth_it else ZERO


@inlined
def _lead(state: Words, game: Words, legal: Word) -> Word:
    turn, trumps = state[TURN], game[TRUMPS]
    partner = state[HANDS + ((turn + TWO) & THREE)]
    left, right = state[HANDS + ((turn + ONE) & THREE)], state[HANDS + ((turn + THREE) & THREE)]
    everything = legal | partner | left | right
    advice = ZERO
    if left & trumps != ZERO and right & trumps != ZERO:
        advice |= legal & trumps
    lane: Word = LOW_SUIT
    for _ in range(4):
        own = legal & lane
        master = highest(everything & lane)
        second = highest(everything & lane & ~master)
        if partner & master != ZERO:
            advice |= own
        advice |= own & master
        if own & second != ZERO:
            advice |= own & ~second & ~master
        lane <<= S16
    return advice
