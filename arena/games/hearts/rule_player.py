"""A rule player for Hearts: give points away, avoid them, and stop others from taking them all.

Source: none; common sense of the game in a few rules, so that there is a player between
`semi-random` and the searches, and a playout that plays like people. It never tries to
shoot the moon.

**Passing.** The three cards with the highest `burden`: the queen of spades unless four lower
spades guard it; ace and king of spades without enough lower ones; high cards of short suits;
high hearts.

**Leading.** The card with the lowest `lead_cost`: how likely it is to take the trick, which is
the share of lower cards among those of its suit that others hold; half if the suit is fresh, for
then there are hardly any points; more for hearts; much more for a suit that no other
seat has, and for a high spade while the queen is out. A player without any of the three high spades
leads spades to drive the queen out.

**Following.** The queen of spades under a higher spade. Last in a trick without points: the
highest card, but not the queen. Otherwise the highest card that does not take the trick. Who
must go higher plays the lowest if others are to follow, and the highest as last player.

**Discarding.** The queen of spades, then ace and king of spades while the queen is out, then
the highest heart, then the card with the highest burden.

**The moon.** If all points so far, and at least `SUSPICION`, are with one of the others, that
player is watched: a trick with points that they hold is taken if possible, hearts go to
anybody else's tricks first, the queen is not given to them, and the highest heart is kept.
"""

from __future__ import annotations

from arena.core.cards import LANE, RANKS, suit_of
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.hearts.tables import ALL_POINTS, HEARTS, POINT_CARDS, QUEEN, SUIT_MASK

SUSPICION = 10
"""A player with all points so far is watched from this number of points on."""

SPADES = suit_of(QUEEN.bit_length() - 1)
HIGH_SPADES = sum(1 << LANE * SPADES + RANKS.index(rank) for rank in "KA")
LOW_SPADES = SUIT_MASK[SPADES] & (QUEEN - 1)
GUARDS = 4
"""So many lower spades make the queen, or ace and king, safe to hold."""
FRESH = 8
"""A suit of which others hold so many cards is likely to be followed by all."""


# --- passing -----------------------------------------------------------------------------


def act(view: View, rng: Rng, mode: str = "") -> int:
    """The card to pass or to play by the rules; there is one mode."""
    return choose_pass(view) if view.phase == "pass" else choose_card(view)


def choose_pass(view: View) -> int:
    """The next card to pass on: of those not chosen yet, the one with the highest burden."""
    return max(view.legal, key=lambda card: (burden(card, view.hand), card))


def burden(card: int, hand: int) -> int:
    """How much one would like to be rid of a card of a hand.

    >>> from arena.core.cards import CardSet, parse_card
    >>> hand = CardSet.parse("SQ SA S2 D3 D4 DK HA H2").mask
    >>> [burden(parse_card(name), hand) for name in "SQ SA DK HA H2 D3".split()]
    [90, 80, 25, 36, 4, 3]
    """
    single = 1 << card
    suit = suit_of(card)
    if single & (QUEEN | HIGH_SPADES) and (hand & LOW_SPADES).bit_count() < GUARDS:
        return 90 if single == QUEEN else 80
    held = hand & SUIT_MASK[suit]
    lower = (held & (single - 1)).bit_count()
    rank = card - LANE * suit
    high = 3 * rank - 4 * lower
    return high + (0 if suit != SPADES else -20) + (4 if single & HEARTS else 0)


# --- playing -----------------------------------------------------------------------------


def choose_card(view: View) -> int:
    """The card by the rules above."""
    if len(view.legal) == 1:
        return view.legal[0]
    if not view.table:
        return min(view.legal, key=lambda card: (lead_cost(card, view.hand, view.unseen), card))
    if suit_of(view.legal[0]) == suit_of(view.table[0]):
        return _follow(view)
    return _discard(view)


def lead_cost(card: int, hand: int, unseen: int) -> int:
    """How bad it is to lead a card; `unseen` are the cards that others hold."""
    single = 1 << card
    suit = suit_of(card)
    others = unseen & SUIT_MASK[suit]
    if not others:
        return 200
    lower, count = (others & (single - 1)).bit_count(), others.bit_count()
    cost = 60 * lower // count
    if single & HEARTS:
        return cost + 10
    if suit == SPADES and unseen & QUEEN:
        if single & HIGH_SPADES:
            return cost + 100
        return cost if hand & HIGH_SPADES else -1 - (card - LANE * suit)
    if single == QUEEN:
        return cost + 100
    return cost // 2 if count >= FRESH else cost


def _follow(view: View) -> int:
    table, legal = view.table, view.legal
    led = suit_of(table[0])
    best = max(card for card in table if suit_of(card) == led)
    under = [card for card in legal if card < best]
    over = [card for card in legal if card > best]
    points = any(POINT_CARDS >> card & 1 for card in table)
    last = len(table) == view.rules.players - 1
    if QUEEN.bit_length() - 1 in under:
        return QUEEN.bit_length() - 1
    watched = _watched(view)
    holder = view.seat_at(table.index(best))
    if over and points and watched == holder:
        return over[-1]
    without_queen = [card for card in over if not QUEEN >> card & 1]
    if last and not points and without_queen:
        return without_queen[-1]
    if under:
        return under[-1]
    if not without_queen:
        return over[-1]
    return without_queen[-1] if last else without_queen[0]


def _discard(view: View) -> int:
    legal = view.legal
    led = suit_of(view.table[0])
    best = max(card for card in view.table if suit_of(card) == led)
    watched = _watched(view)
    to_watched = watched is not None and view.seat_at(view.table.index(best)) == watched
    hearts = [card for card in legal if HEARTS >> card & 1]
    queen = [card for card in legal if QUEEN >> card & 1]
    if watched is not None and not to_watched and (hearts or queen):
        return queen[0] if queen else hearts[0]
    if to_watched:
        spare = [card for card in legal if not POINT_CARDS >> card & 1]
        if spare:
            return _most_burdensome(spare, view.hand)
        return hearts[0] if hearts else queen[0]
    if queen:
        return queen[0]
    high_spades = [card for card in legal if HIGH_SPADES >> card & 1]
    if high_spades and view.unseen & QUEEN:
        return high_spades[-1]
    if hearts:
        return hearts[-1]
    return _most_burdensome(legal, view.hand)


def _most_burdensome(cards: tuple[int, ...] | list[int], hand: int) -> int:
    return max(cards, key=lambda card: (burden(card, hand), card))


def _watched(view: View) -> int | None:
    """The other player who has all points so far, if they are many."""
    taken = sum(view.points)
    if not SUSPICION <= taken < ALL_POINTS:
        return None
    holder = view.points.index(max(view.points))
    return holder if view.points[holder] == taken and holder != view.seat else None
