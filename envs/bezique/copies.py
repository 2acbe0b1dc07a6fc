"""Which copies of equal cards an action takes (`README.md`, *Which copies*).

Every place of a meld takes a fresh card from the table if there is one, else from the hand; if no
place came from hand, the last one that can is filled again from there. Of several on the table the
one that has been in fewest melds is taken, then the lowest pack; what is in hand has been in none.
"""

from collections.abc import Sequence

import jax.numpy as jnp
from jax import Array

from talonax.envs.bezique.melds import (
    MOST,
    NATURAL,
    QUARTET_KINDS,
    RUN_RANKS,
    fresh,
    halves,
    nibble_of,
    times,
    used,
)
from talonax.envs.bezique.state import (
    BEZIQUE,
    DOUBLE,
    MARRIAGE,
    QUARTET,
    QUARTET_RANKS,
    RUN,
    WITH_JOKER,
    BeziqueState,
)
from talonax.envs.bezique.words import (
    ACE,
    DIAMONDS,
    HALF,
    JACK,
    KING,
    NIBBLE,
    PACKS,
    QUEEN,
    RANK,
    SPADES,
    TEN,
    WORDS,
    Words,
    at,
    lowest,
    put,
    rank,
    there,
)

#: The Jokers of a quartet lie behind the half word of its rank.
JOKERS_AT = HALF


def fewest(among: Array, planes: Sequence[Array]) -> Array:
    """Return the card, one bit, that has been in fewest melds, of several the lowest."""
    best = among
    for plane in reversed(planes):
        rarer = among & ~plane
        best = jnp.where(rarer != 0, rarer, best)
    return lowest(best)


def most(among: Array, planes: Sequence[Array]) -> Array:
    """Return the card, one bit, that has been in most melds, of several the lowest."""
    best = among
    for plane in planes:
        oftener = among & plane
        best = jnp.where(oftener != 0, oftener, best)
    return lowest(best)


def choose(state: BeziqueState, hand: Words, table: Words, kind: Array) -> Array:
    """Return the cards that a meld (index into `MELDS`) other than a trump seven takes, packed.

    Of a quartet the half word of its rank, then the Jokers; of others a nibble for each of
    `RUN_RANKS`, in a suit that the meld tells. `spread` unpacks it.
    """
    been = used(state)
    free, planes = fresh(been, table), times(been)
    few = _choose_few(state.suit, hand, free, planes, kind)
    return jnp.where(kind >= QUARTET, _choose_quartet(hand, free, planes, kind), few)


def suits(kind: Array, trump: Array) -> list[Array]:
    """Return the suit of each of `RUN_RANKS` in a meld that is no quartet."""
    run = kind == RUN
    married = (kind >= MARRIAGE) & (kind < BEZIQUE)
    couple = jnp.where(married, kind - MARRIAGE, trump)
    jack = jnp.where(run, trump, DIAMONDS)
    queen = jnp.where(run | married, couple, SPADES)
    return [jack, queen, couple, trump, trump]


def _choose_few(
    trump: Array, hand: Words, free: dict[str, Words], planes: list[Words], kind: Array
) -> Array:
    run, double = kind == RUN, kind == DOUBLE
    married = (kind >= MARRIAGE) & (kind < BEZIQUE)
    paired = (kind == BEZIQUE) | double
    wanted = [run | paired, run | married | paired, run | married, run, run]
    held, lying, first, second = [], [], [], []
    for number, suit in zip(RUN_RANKS, suits(kind, trump), strict=True):
        able = jnp.where(run, rank(free["run"], number), rank(free["bezique"], number))
        able = at(jnp.where(married, rank(free["marriage"], number), able), suit)
        own = at(rank(hand, number), suit)
        rare = [at(rank(plane, number), suit) for plane in planes]
        pick = _take(able, own, rare)
        held.append(own)
        lying.append(able)
        first.append(pick)
        second.append(_take(able & ~pick, own & ~pick, rare))
    none_new = jnp.bool_(True)
    for want, able, pick in zip(wanted, lying, first, strict=True):
        enough = jnp.where(double, able & ~pick, able) != 0
        none_new = none_new & (enough | ~want)
    packed: Array = jnp.uint32(0)
    for place, want in enumerate(wanted):  # the last places first: J Q K 10 A
        again = none_new & want & (held[place] != 0)
        none_new = none_new & ~again
        last = jnp.where(double, second[place], first[place])
        last = jnp.where(again, lowest(held[place]), last)
        both = jnp.where(double, first[place] | last, last)
        packed = packed | jnp.where(want, both, 0) << PACKS * place
    return packed


def _take(lying: Array, held: Array, planes: Sequence[Array]) -> Array:
    """Return the card that a place takes, one bit: from the table, or else from the hand."""
    return jnp.where(lying != 0, fewest(lying, planes), lowest(held))


def _choose_quartet(hand: Words, free: dict[str, Words], planes: list[Words], kind: Array) -> Array:
    with_joker = kind >= WITH_JOKER
    place = kind - jnp.where(with_joker, WITH_JOKER, QUARTET)
    lying, held, jokers = jnp.uint32(0), jnp.uint32(0), jnp.uint32(0)
    rare = [jnp.uint32(0)] * MOST
    for each, number in enumerate(QUARTET_RANKS):
        chosen, able = place == each, free[QUARTET_KINDS[each]]
        lying = jnp.where(chosen, rank(able, number), lying)
        jokers = jnp.where(chosen, able[-1], jokers)
        held = jnp.where(chosen, rank(hand, number), held)
        rare = [
            jnp.where(chosen, rank(plane, number), some)
            for plane, some in zip(planes, rare, strict=True)
        ]
    own_joker = hand[-1] != 0
    cards = jnp.uint32(0)
    for natural in range(NATURAL):
        suit = lowest(there(lying)) * NIBBLE
        pick = jnp.where(lying != 0, fewest(lying & suit, rare), lowest(held))
        three_lie = lying != 0
        if natural == NATURAL - 1:
            again = with_joker & three_lie & (jokers != 0) & ~own_joker
            pick = jnp.where(again, lowest(held), pick)
        cards, lying, held = cards | pick, lying & ~pick, held & ~pick
    # The fourth comes from hand: were it on the table, it would be filled again.
    cards = cards | jnp.where(with_joker, 0, lowest(held))
    from_hand = three_lie & own_joker
    joker = _take(jnp.where(from_hand, 0, jokers), hand[-1], [plane[-1] for plane in planes])
    whole: Array = cards | jnp.where(with_joker, joker, 0) << JOKERS_AT
    return whole


def spread(kind: Array, trump: Array, packed: Array) -> Words:
    """Return the cards of a meld that `choose` packed."""
    quartet = kind >= QUARTET
    with_joker = kind >= WITH_JOKER
    place = kind - jnp.where(with_joker, WITH_JOKER, QUARTET)
    four, few = jnp.where(quartet, packed & RANK, 0), jnp.where(quartet, 0, packed)
    ranks = {
        number: put(nibble_of(few, i), suit)
        for i, (number, suit) in enumerate(zip(RUN_RANKS, suits(kind, trump), strict=True))
    }
    for each, number in enumerate(QUARTET_RANKS):
        ranks[number] = ranks[number] | jnp.where(place == each, four, 0)
    zero = jnp.uint32(0)
    jokers = jnp.where(with_joker, packed >> JOKERS_AT, 0)
    cards = (
        zero,
        ranks[JACK] << HALF,
        halves(ranks[QUEEN], ranks[KING]),
        halves(ranks[TEN], ranks[ACE]),
        jokers,
    )
    assert len(cards) == WORDS
    return cards
