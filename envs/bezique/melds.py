"""Melds: what they count, what has been in which, and which there are (`README.md`, *Melds*).

A card may be once in each kind of meld. What is on the table is *fresh* for a kind if it has not
been in it; what is in hand has been in none, and is fresh for all. At least one card of a meld is
from the hand.
"""

from collections.abc import Sequence
from functools import reduce

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.bezique.schema import Rules
from talonax.envs.bezique.state import (
    BEZIQUE,
    DOUBLE,
    KINDS,
    MARRIAGE,
    QUARTET,
    QUARTET_RANKS,
    RUN,
    TRUMP_SEVEN,
    WITH_JOKER,
    BeziqueState,
)
from talonax.envs.bezique.words import (
    ACE,
    DIAMONDS,
    HALF,
    JACK,
    JOKER,
    KING,
    NIBBLE,
    PACK,
    PACKS,
    QUEEN,
    RANK,
    SEVEN,
    SPADES,
    TEN,
    Words,
    at,
    copies_in,
    gathered,
    one_of,
    put,
    rank,
    there,
    union,
    without,
)
from talonax.envs.planes import SUITS

#: The ranks of a run, in the order of the nibbles of `BeziqueState.runs`.
RUN_RANKS = (JACK, QUEEN, KING, TEN, ACE)
#: A bezique's nibbles begin here in `BeziqueState.pairs`: jacks of diamonds, then queens of spades.
DOUBLE_SHIFT = 2 * PACKS
#: No card has been in more melds: a queen in a marriage, four queens, a run and a bezique.
MOST = 4
#: Four of a kind, and with a Joker the natural cards among them.
FOUR, NATURAL = 4, 3
QUARTET_KINDS = KINDS[-len(QUARTET_RANKS) :]

#: What melds count; quartets A K Q J.
POINTS = {TRUMP_SEVEN: 10, BEZIQUE: 40, DOUBLE: 500, RUN: 250}
QUARTETS = (100, 80, 60, 40)
PLAIN_MARRIAGE, TRUMP_MARRIAGE = 20, 40


def points(kind: ArrayLike, trump: Array) -> Array:
    """Return int32[]: what a meld (index into `MELDS`) counts."""
    kind = jnp.asarray(kind, jnp.int32)
    plain = jnp.where(kind - MARRIAGE == trump, TRUMP_MARRIAGE, PLAIN_MARRIAGE)
    worth = jnp.where((kind >= MARRIAGE) & (kind < BEZIQUE), plain, 0)
    for one, number in POINTS.items():
        worth = jnp.where(kind == one, number, worth)
    for place, number in enumerate(QUARTETS):
        four = (kind == QUARTET + place) | (kind == WITH_JOKER + place)
        worth = jnp.where(four, number, worth)
    return worth


# What has been in which meld ----------------------------------------------------------------------


def halves(low: Array, high: Array) -> Array:
    """Return the word of two ranks, each a half word."""
    return low | high << HALF


def used(state: BeziqueState) -> dict[str, Words]:
    """Return the cards that have been in each of `KINDS`, wherever they are now."""
    zero = jnp.uint32(0)
    jack, queen, king, ten, ace = (
        put(nibble_of(state.runs, place), state.suit) for place in range(len(RUN_RANKS))
    )
    pairs = state.pairs.astype(jnp.uint32)
    low, high = jnp.uint32(RANK), jnp.uint32(RANK << HALF)
    stood = [nibble_of(state.jokers.astype(jnp.uint32), place) for place in range(FOUR)]

    def pair(pairs: Array) -> Words:
        jacks, queens = nibble_of(pairs, 0) << HALF, nibble_of(pairs, 1) << PACKS * SPADES
        return zero, jacks, queens, zero, zero

    by_kind = (
        (zero, zero, state.marriages, zero, zero),
        pair(pairs),
        pair(pairs >> DOUBLE_SHIFT),
        (zero, jack << HALF, halves(queen, king), halves(ten, ace), zero),
        (zero, zero, zero, state.jacks_aces & high, stood[0]),
        (zero, zero, state.queens_kings & high, zero, stood[1]),
        (zero, zero, state.queens_kings & low, zero, stood[2]),
        (zero, (state.jacks_aces & low) << HALF, zero, zero, stood[3]),
    )
    return dict(zip(KINDS, by_kind, strict=True))


def nibble_of(word: Array, place: int) -> Array:
    """Return a nibble of a word."""
    packs: Array = word >> PACKS * place & NIBBLE
    return packs


def fresh(been: dict[str, Words], table: Words) -> dict[str, Words]:
    """Return, for each of `KINDS`, the cards of a table that have not been in it.

    A trump that has been in a run is barred from marriages, a card of a bezique from double
    beziques, and the reverse. Cards that cannot be in the kind at all are among them.
    """
    barred = dict(been)
    barred["marriage"] = union(been["marriage"], been["run"])
    barred["bezique"] = barred["double"] = union(been["bezique"], been["double"])
    return {kind: without(table, cards) for kind, cards in barred.items()}


def taking_part(kind: str, trump: ArrayLike) -> Words:
    """Return all cards that can be in a kind of meld at all."""
    if kind == "run":
        suited = [PACK.card(trump, number) for number in RUN_RANKS]
        return _all_of(suited)
    if kind == "marriage":
        return _all_of([SUITS * number + suit for number in (QUEEN, KING) for suit in range(SUITS)])
    if kind in ("bezique", "double"):
        return _all_of([SUITS * QUEEN + SPADES, SUITS * JACK + DIAMONDS])
    number = QUARTET_RANKS[QUARTET_KINDS.index(kind)]
    return _all_of([*(SUITS * number + suit for suit in range(SUITS)), JOKER])


def _all_of(kinds: Sequence[ArrayLike]) -> Words:
    return reduce(union, (tuple(word * NIBBLE for word in one_of(kind)) for kind in kinds))


def histories(been: dict[str, Words], trump: Array) -> dict[str, Array]:
    """Return the fields of a state that say what has been in which meld: the inverse of `used`."""
    runs, pairs, jokers = jnp.uint32(0), jnp.uint32(0), jnp.uint32(0)
    for place, number in enumerate(RUN_RANKS):
        runs = runs | at(rank(been["run"], number), trump) << PACKS * place
    for shift, kind in ((0, "bezique"), (DOUBLE_SHIFT, "double")):
        pairs = pairs | _nibble(been[kind], JACK, DIAMONDS) << shift
        pairs = pairs | _nibble(been[kind], QUEEN, SPADES) << shift + PACKS
    for place, kind in enumerate(QUARTET_KINDS):
        jokers = jokers | been[kind][-1] << PACKS * place
    return {
        "marriages": been["marriage"][QUEEN // 2],
        "queens_kings": been["queens"][QUEEN // 2] | been["kings"][QUEEN // 2],
        "jacks_aces": halves(rank(been["jacks"], JACK), rank(been["aces"], ACE)),
        "runs": runs,
        "pairs": pairs.astype(jnp.uint16),
        "jokers": jokers.astype(jnp.uint16),
    }


def times(been: dict[str, Words]) -> list[Words]:
    """Return the cards that have been in at least 1, 2, 3 and 4 melds."""
    words = zip(*been.values(), strict=True)
    by_word = [_at_least(sets) for sets in words]
    return [tuple(planes[number] for planes in by_word) for number in range(MOST)]


def _at_least(sets: Sequence[Array]) -> list[Array]:
    planes = [jnp.uint32(0)] * MOST
    for carry in sets:
        for number, plane in enumerate(planes):
            planes[number], carry = plane | carry, plane & carry
    return planes


# Which melds there are ----------------------------------------------------------------------------


def offers(rules: Rules, state: BeziqueState, hand: Words, table: Words) -> Array:
    """Return the set of the melds (indices into `MELDS`) that a seat can lay, uint32[]."""
    free = fresh(used(state), table)
    seven = at(rank(hand, SEVEN), state.suit) != 0
    listed = [
        _bit(seven, TRUMP_SEVEN),
        _marriages(hand, free["marriage"]) << MARRIAGE,
        _pairs(hand, free["bezique"]),
        _bit(_run(state.suit, hand, free["run"]), RUN),
    ]
    for place, number in enumerate(QUARTET_RANKS):
        kind = QUARTET_KINDS[place]
        with_joker = rules.max_jokers > 0
        listed.append(_quartet(hand, free[kind], number, place, with_joker))
    offered: Array = jnp.uint32(0)
    for each in listed:
        offered = offered | each
    return offered


def _bit(there_is: Array, kind: int) -> Array:
    return there_is.astype(jnp.uint32) << kind


def _marriages(hand: Words, free: Words) -> Array:
    """Return the suits in which king and queen are there."""
    held = there(hand[QUEEN // 2])
    both = held | there(free[QUEEN // 2])
    return gathered(both & both >> HALF & (held | held >> HALF) & RANK)


def _pairs(hand: Words, free: Words) -> Array:
    """Return whether there is a bezique, and a double one."""
    held = (_nibble(hand, QUEEN, SPADES), _nibble(hand, JACK, DIAMONDS))
    lying = (_nibble(free, QUEEN, SPADES), _nibble(free, JACK, DIAMONDS))
    number = [copies_in(h | e) for h, e in zip(held, lying, strict=True)]
    new = (held[0] | held[1]) != 0
    single = new & (number[0] > 0) & (number[1] > 0)
    double = new & (number[0] > 1) & (number[1] > 1)
    return _bit(single, BEZIQUE) | _bit(double, DOUBLE)


def _nibble(some: Words, number: int, suit: int) -> Array:
    packs: Array = rank(some, number) >> PACKS * suit & NIBBLE
    return packs


def _run(trump: Array, hand: Words, free: Words) -> Array:
    held = [at(rank(hand, number), trump) for number in RUN_RANKS]
    lying = [at(rank(free, number), trump) for number in RUN_RANKS]
    whole: Array = jnp.bool_(True)
    new: Array = jnp.uint32(0)
    for h, e in zip(held, lying, strict=True):
        whole, new = whole & ((h | e) != 0), new | h
    whole = whole & (new != 0)
    return whole


def _quartet(hand: Words, free: Words, number: int, place: int, with_joker: bool) -> Array:
    """Return whether there are four of a rank, and three with a Joker."""
    held = rank(hand, number)
    natural = copies_in(held | rank(free, number))
    plain = (natural >= FOUR) & (held != 0)
    offered = _bit(plain, QUARTET + place)
    if not with_joker:
        return offered
    joker = (hand[-1] | free[-1]) != 0
    new = (held | hand[-1]) != 0
    return offered | _bit((natural >= NATURAL) & joker & new, WITH_JOKER + place)
