"""Whole tricks of four players, unrolled: the loop that playouts spend their time in.

`kind`, `rule` and `semi` are constants wherever `tricks` is called (see `loops`). It is inlined
there, so that a loop is compiled for each game from this one.
"""

from __future__ import annotations

from arena.games.kernel import dispatch
from arena.games.kernel.bits import kth_bit, popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    HANDS,
    LAST_TRICK,
    LEFT,
    LOW_HALF,
    ONE,
    ONE_TRICK,
    OPENED,
    OWN,
    OWN_STATE,
    S32,
    SIDE_OF,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.rng import advance, below_word, mix
from arena.games.kernel.step import side_in, suit_bits_of


@inlined
def pick(cards: Word, half: Word) -> Word:
    """One of some cards, chosen by 32 random bits."""
    return Word(kth_bit(cards, below_word(half, popcount(cards))))


@inlined
def choose(cards: Word, seed: Word) -> tuple[Word, Word]:
    """One of some cards; the seed advances only if there is more than one."""
    seed = advance(seed) if cards & (cards - ONE) != ZERO else seed
    return pick(cards, mix(seed) >> S32), seed


@inlined
def tricks(
    kind: Word,
    rule: Word,
    semi: bool,
    state: Words,
    game: Words,
    seed: Word,
    semi_random_flags: Word,
) -> Word:
    """Play whole tricks to the end of the round, four cards at a time; the new seed."""
    leader, left, opened = state[TURN], state[LEFT], state[OPENED]
    even, odd = state[TAKEN], state[TAKEN + ONE]
    # Loaded once: the compiler cannot know that writing a state leaves the game alone.
    trumps, all_tricks, last, first_parameter = (
        game[TRUMPS],
        game[TRICKS],
        game[LAST_TRICK],
        game[OWN],
    )
    sides, calls = game[SIDE_OF], state[OWN_STATE]
    pairs, alone, step = dispatch.pairs(kind), dispatch.alone(kind), dispatch.step(kind)
    word = next_word = ZERO
    if dispatch.can_score_ahead(kind, game):
        dispatch.score_ahead(kind, state, game)
        even, odd = state[TAKEN], state[TAKEN + ONE]
    while left != ZERO:
        first_trick = left == all_tricks
        left -= ONE
        if not semi:
            seed = advance(seed)
            word = mix(seed)
            seed = advance(seed)
            next_word = mix(seed)

        hand = state[HANDS + leader]
        cards = dispatch.leading(kind, rule, game, hand, first_trick, opened)
        if semi:
            cards = dispatch.semi_leading(kind, semi_random_flags, game, calls, leader, cards)
            card, seed = choose(cards, seed)
        else:
            card = pick(cards, word & LOW_HALF)
        state[HANDS + leader] = hand ^ card
        table, best, holder = card, card, leader
        led = suit_bits_of(card)
        can_win = led | trumps

        for place in range(1, 4):
            seat = (leader + step * Word(place)) & THREE
            if pairs:
                partner_holds = (holder ^ seat) & ONE == ZERO
            else:
                partner_holds = side_in(sides, holder) == side_in(sides, seat)
            hand = state[HANDS + seat]
            cards = dispatch.following(
                kind, rule, game, trumps, hand, table, led, best, partner_holds, first_trick
            )
            if semi:
                cards = dispatch.semi_following(
                    kind,
                    semi_random_flags,
                    game,
                    trumps,
                    calls,
                    seat,
                    cards,
                    table,
                    led,
                    best,
                    partner_holds,
                )
                card, seed = choose(cards, seed)
            elif place == 2:
                card = pick(cards, next_word & LOW_HALF)
            else:
                card = pick(cards, word >> S32 if place == 1 else next_word >> S32)
            state[HANDS + seat] = hand ^ card
            table |= card
            card &= can_win
            holder = seat if card > best else holder
            best = card if card > best else best

        value = dispatch.trick_value(kind, game, first_parameter, table) + ONE_TRICK
        opened |= dispatch.opens(kind, game, table, holder)
        if left == ZERO:
            value += last
        if pairs:
            # Masks, because the CPU cannot foresee who wins.
            to_odd = ZERO - (holder & ONE)
            odd += value & to_odd
            even += value & ~to_odd
        else:
            side = holder if alone else side_in(sides, holder)
            state[TAKEN + side] += value
        leader = holder
    if pairs:
        state[TAKEN], state[TAKEN + ONE] = even, odd
    if dispatch.can_open(kind):
        state[OPENED] = opened
    state[LEFT] = ZERO
    state[TURN] = leader
    return seed
