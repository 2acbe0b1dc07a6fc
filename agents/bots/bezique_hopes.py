"""What the cards of a seat of Bezique promise: the melds that they make, and may make.

A holding is what may still be melded: the hand, and of the table the copies that are fresh for each
kind. For each meld there is a chance that what it lacks is drawn in time; the points of all melds,
each by its chance, are what the holding promises. The difference that a card makes is what it is
worth to keep.
"""

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.agents.bots.bezique_sight import Sight
from talonax.agents.bots.powers import power
from talonax.configs.bezique.schema import Rules
from talonax.envs.bezique.melds import (
    FOUR,
    NATURAL,
    PLAIN_MARRIAGE,
    POINTS,
    QUARTETS,
    RUN_RANKS,
    TRUMP_MARRIAGE,
)
from talonax.envs.bezique.state import (
    BEZIQUE,
    DOUBLE,
    KINDS,
    MARRIAGE,
    MELDS,
    QUARTET,
    QUARTET_RANKS,
    RUN,
    TRUMP_SEVEN,
    WITH_JOKER,
)
from talonax.envs.bezique.words import (
    DIAMONDS,
    JACK,
    JOKER,
    KING,
    QUEEN,
    SEVEN,
    SPADES,
    TYPES,
)
from talonax.envs.planes import SUITS

BEZIQUE_QUEEN, BEZIQUE_JACK = SUITS * QUEEN + SPADES, SUITS * JACK + DIAMONDS
#: Cards of each type in a double bezique.
TWO = 2
#: float32[17, 4]: in how many ways up to three of so many cards are chosen.
WAYS = np.array([[comb(all_, some) for some in range(FOUR)] for all_ in range(17)], np.float32)


class Weights(NamedTuple):
    """How hopes are judged.

    Attributes:
      patience: what a card that is lacking takes from a hope, beside the chance to draw it: places
        in the hand are few.
      late: so many turns before the stock is gone, half of what could be melded will not be.
    """

    patience: float = 0.6
    late: float = 3.0


class Holding(NamedTuple):
    """What may be melded.

    Attributes:
      hand: int32[33], the cards in hand.
      fresh: int32[8, 33], of the table, by kind.
    """

    hand: Array
    fresh: Array

    def of(self, kind: str) -> Array:
        """Return int32[33]: the cards that may be in a kind of meld."""
        total: Array = self.hand + self.fresh[KINDS.index(kind)]
        return total


class Draws(NamedTuple):
    """What may still be drawn: of each thing the hope for so many more of it, from none to four.

    A hope is the chance to draw them in time, less for each of them by `Weights.patience`.

    Attributes:
      types: float32[5, 33], of each type.
      ranks: float32[5, 4], of each of `QUARTET_RANKS`.
    """

    types: Array
    ranks: Array


def draws(weights: Weights, seen: Sight) -> Draws:
    """Return what may be drawn that may still be melded then: by all draws but the last."""
    pool = jnp.maximum(seen.unseen.sum(dtype=jnp.int32), 1)
    share = jnp.clip((seen.turns - 1) / pool, 0.0, 1.0)
    more = jnp.arange(FOUR + 1)[:, None]
    patience = power(jnp.float32(weights.patience), more, most=FOUR)
    ranks = jnp.stack([_rank_of(seen.unseen, place) for place in range(len(QUARTET_RANKS))])
    return Draws(*(patience * at_least(more, left, share) for left in (seen.unseen, ranks)))


def future(weights: Weights, seen: Sight) -> Array:
    """Return float32[]: how likely it is that what can be melded will be, if not now."""
    further = jnp.maximum(seen.turns - 1, 0).astype(jnp.float32)
    return further / (further + weights.late)


def at_least(number: Array, among: Array, share: Array) -> Array:
    """Return float32[..]: the chance that of `among` cards (up to 16), each with the chance
    `share`, there are `number` (up to four) or more.
    """
    some = jnp.arange(FOUR)
    others = jnp.maximum(jnp.expand_dims(among, -1) - some, 0)
    there, away = power(share, some, most=FOUR), power(1 - share, others, most=len(WAYS))
    exactly = jnp.asarray(WAYS)[among] * there * away
    # A sum is worked out once, not again by each of the many who ask
    fewer = jnp.where(some < jnp.expand_dims(number, -1), exactly, 0.0).sum(axis=-1)
    return jnp.where(number > among, 0.0, 1 - fewer)


def promised(rules: Rules, drawing: Draws, held: Holding, trump: Array) -> Array:
    """Return float32[]: the points of all melds, each by the hope that it is made."""
    points = jnp.where(jnp.arange(SUITS) == trump, TRUMP_MARRIAGE, PLAIN_MARRIAGE)
    married, paired = (
        [_hope(drawing.types, held.of(kind), wanted) for wanted in (1, TWO)]
        for kind in ("marriage", "bezique")
    )
    run = _hope(drawing.types, held.of("run"), 1)
    total: Array = POINTS[RUN] * _run(run, trump).prod()
    for each in married:
        total = total + (points * _couples(each).prod(axis=1)).sum()
    for each, pair in zip(paired, (POINTS[BEZIQUE], POINTS[DOUBLE]), strict=True):
        total = total + pair * _pair(each).prod()
    for place, four in enumerate(QUARTETS):
        have = _of_rank(rules, held, place)
        total = total + four * _hope(drawing.ranks[:, place], have, FOUR)
    return total


def _hope(drawing: Array, have: Array, wanted: int) -> Array:
    """Return float32[..]: the hope to have so many in time, of each thing drawn."""
    total = jnp.where(have >= wanted, drawing[0], 0.0)
    for more in range(1, wanted + 1):
        total = jnp.where(have == wanted - more, drawing[more], total)
    return total


def _all_of(each: Array, rank: int) -> Array:
    """Return [4]: of what is by type, that of a rank, by suit."""
    return each[SUITS * rank : SUITS * (rank + 1)]


def _couples(each: Array) -> Array:
    """Return [4, 2]: of what is by type, that of the K and the Q of each suit."""
    return jnp.stack([_all_of(each, KING), _all_of(each, QUEEN)], axis=1)


def _pair(each: Array) -> Array:
    """Return [2]: of what is by type, that of the two of a bezique."""
    return jnp.stack([each[BEZIQUE_QUEEN], each[BEZIQUE_JACK]])


def _run(each: Array, trump: Array) -> Array:
    """Return [5]: of what is by type, that of the run."""
    is_trump = jnp.arange(SUITS) == trump
    ranks = jnp.stack([_all_of(each, rank) for rank in RUN_RANKS])
    return jnp.where(is_trump, ranks, 0).sum(axis=1, dtype=each.dtype)


def _rank_of(counts: Array, place: int) -> Array:
    return _all_of(counts, QUARTET_RANKS[place]).sum(dtype=jnp.int32)


def _of_rank(rules: Rules, held: Holding, place: int) -> Array:
    """Return int32[]: how many cards there are for four of a rank, a Joker among them."""
    have = held.of(KINDS[place - len(QUARTET_RANKS)])
    joker = jnp.minimum(have[JOKER], rules.max_jokers)
    return _rank_of(have, place) + joker


def double_hoped_for(drawing: Draws, held: Holding, less: int = 0) -> Array:
    """Return float32[]: the hope of a double bezique, if so many of each card are gone."""
    have = jnp.maximum(held.of("double") - less, 0)
    return _pair(_hope(drawing.types, have, TWO)).prod()


def ready(rules: Rules, held: Holding, trump: Array) -> Array:
    """Return bool[16]: the melds that could be laid now, in the order of `MELDS`."""
    there = [jnp.bool_(False)] * len(MELDS)
    there[TRUMP_SEVEN] = (_all_of(held.hand, SEVEN) * (jnp.arange(SUITS) == trump)).any()
    there[MARRIAGE : MARRIAGE + SUITS] = _complete(held, "marriage", _couples, 1)
    there[BEZIQUE] = _complete(held, "bezique", _pair, 1)
    there[DOUBLE] = _complete(held, "double", _pair, TWO)
    there[RUN] = _complete(held, "run", lambda counts: _run(counts, trump), 1)
    for place in range(len(QUARTET_RANKS)):
        have = held.of(KINDS[place - len(QUARTET_RANKS)])
        natural, new = _rank_of(have, place), _rank_of(held.hand, place)
        there[QUARTET + place] = (natural >= FOUR) & (new > 0)
        joker = (have[JOKER] > 0) & (new + held.hand[JOKER] > 0)
        stands = bool(rules.max_jokers)
        there[WITH_JOKER + place] = (natural >= NATURAL) & joker & stands
    return jnp.stack(there)


def _complete(held: Holding, kind: str, of: Callable[[Array], Array], number: int) -> Array:
    """Return bool[..]: are there so many of each card of a meld, and is one of them new?"""
    new = (of(held.hand) > 0).any(axis=-1)
    complete: Array = (of(held.of(kind)) >= number).all(axis=-1) & new
    return complete


def without(seen: Sight, place: Array) -> Holding:
    """Return the holding that is left when the card of a place is played: each type from the hand,
    each type from the table (33 and up), and at 66 none.
    """
    kinds = jnp.arange(TYPES)
    hand = seen.hand - (kinds == place)
    fresh = seen.fresh - seen.goes * (kinds == place - TYPES)
    return Holding(jnp.maximum(hand, 0), jnp.maximum(fresh, 0))


def judge_each(weights: Weights, rules: Rules, seen: Sight) -> tuple[Array, Array]:
    """Return of the holding `without` each place what it promises, float32[67]; and what is
    `ready`, bool[67, 16].
    """
    drawing = draws(weights, seen)

    def judge(place: Array) -> tuple[Array, Array]:
        held = without(seen, place)
        return promised(rules, drawing, held, seen.trump), ready(rules, held, seen.trump)

    judged: tuple[Array, Array] = jax.vmap(judge)(jnp.arange(2 * TYPES + 1))
    return judged
