"""What the cards of a seat of Bezique promise: the melds that they make, and may make.

A holding is what may still be melded: the hand, and of the table the copies that are fresh for each
kind. For each meld there is a chance that what it lacks is drawn in time; the points of all melds,
each by its chance, are what the holding promises. The difference that a card makes is what it is
worth to keep.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from talonax.agents.bots import bezique_sight as sight
from talonax.agents.bots.bezique_sight import Sight
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


class Odds(NamedTuple):
    """The chance to draw what is lacking.

    Attributes:
      unseen: int32[33], cards that may be drawn.
      share: float32[], the part of them that will be, in time.
    """

    unseen: Array
    share: Array


def odds(seen: Sight) -> Odds:
    """Return the chance to draw a card that may still be melded then: all but the last draw."""
    pool = jnp.maximum(seen.unseen.sum(dtype=jnp.int32), 1)
    return Odds(seen.unseen, jnp.clip((seen.turns - 1) / pool, 0.0, 1.0))


def future(weights: Weights, seen: Sight) -> Array:
    """Return float32[]: how likely it is that what can be melded will be, if not now."""
    further = jnp.maximum(seen.turns - 1, 0).astype(jnp.float32)
    return further / (further + weights.late)


def at_least(number: Array, among: Array, share: Array) -> Array:
    """Return float32[..]: the chance that of `among` cards, each with the chance `share`, there are
    `number` (up to four) or more.
    """
    size, fewer = among.astype(jnp.float32), jnp.float32(0)
    ways = jnp.ones_like(size)
    for some in range(FOUR):
        exactly = ways * sight.power(share, jnp.int32(some))
        exactly = exactly * sight.power(1 - share, among - some)
        fewer = fewer + jnp.where(some < number, exactly, 0.0)
        ways = ways * jnp.maximum(size - some, 0.0) / (some + 1)
    return jnp.where(number > among, 0.0, 1 - fewer)


def promised(weights: Weights, rules: Rules, odds: Odds, held: Holding, trump: Array) -> Array:
    """Return float32[]: the points of all melds, each by the chance that it is made."""
    couples = jnp.where(jnp.arange(SUITS) == trump, TRUMP_MARRIAGE, PLAIN_MARRIAGE)
    kings, queens = (SUITS * rank + jnp.arange(SUITS) for rank in (KING, QUEEN))
    married, paired = held.of("marriage"), held.of("bezique")
    run = jnp.stack([SUITS * rank + trump for rank in RUN_RANKS])

    def all_there(have: Array, kinds: Array, number: int) -> Array:
        return _chance(weights, odds, have[kinds], odds.unseen[kinds], number)

    total: Array = jnp.float32(0)
    for number in range(1, TWO + 1):
        both = all_there(married, kings, number) * all_there(married, queens, number)
        total = total + (couples * both).sum()
    pair = jnp.array([BEZIQUE_QUEEN, BEZIQUE_JACK])
    total = total + POINTS[BEZIQUE] * all_there(paired, pair, 1).prod()
    total = total + POINTS[DOUBLE] * all_there(paired, pair, TWO).prod()
    total = total + POINTS[RUN] * all_there(held.of("run"), run, 1).prod()
    for place, points in enumerate(QUARTETS):
        have, left = _of_rank(rules, held, place), _rank_of(odds.unseen, place)
        total = total + points * _chance(weights, odds, have, left, FOUR)
    return total


def _chance(weights: Weights, odds: Odds, have: Array, left: Array, wanted: int) -> Array:
    """Return float32[..]: the chance to have so many cards in time."""
    lacking = jnp.maximum(wanted - have, 0)
    patience = sight.power(jnp.float32(weights.patience), lacking)
    return patience * at_least(lacking, left, odds.share)


def _rank_of(counts: Array, place: int) -> Array:
    first = SUITS * QUARTET_RANKS[place]
    return counts[first : first + SUITS].sum(dtype=jnp.int32)


def _of_rank(rules: Rules, held: Holding, place: int) -> Array:
    """Return int32[]: how many cards there are for four of a rank, a Joker among them."""
    have = held.of(KINDS[place - len(QUARTET_RANKS)])
    joker = jnp.minimum(have[JOKER], rules.max_jokers)
    return _rank_of(have, place) + joker


def double_hoped_for(weights: Weights, odds: Odds, held: Holding, less: int = 0) -> Array:
    """Return float32[]: the chance of a double bezique, if so many of each card are gone."""
    pair = jnp.array([BEZIQUE_QUEEN, BEZIQUE_JACK])
    have = held.of("double")[pair] - less
    return _chance(weights, odds, have, odds.unseen[pair], TWO).prod()


def ready(rules: Rules, held: Holding, trump: Array) -> Array:
    """Return bool[16]: the melds that could be laid now, in the order of `MELDS`."""
    there = [jnp.bool_(False)] * len(MELDS)
    there[TRUMP_SEVEN] = held.hand[SUITS * SEVEN + trump] > 0
    for suit in range(SUITS):
        couple = jnp.array([SUITS * KING + suit, SUITS * QUEEN + suit])
        there[MARRIAGE + suit] = _complete(held, "marriage", couple, 1)
    pair = jnp.array([BEZIQUE_QUEEN, BEZIQUE_JACK])
    there[BEZIQUE] = _complete(held, "bezique", pair, 1)
    there[DOUBLE] = _complete(held, "double", pair, TWO)
    run = jnp.stack([SUITS * rank + trump for rank in RUN_RANKS])
    there[RUN] = _complete(held, "run", run, 1)
    for place in range(len(QUARTET_RANKS)):
        have = held.of(KINDS[place - len(QUARTET_RANKS)])
        natural, new = _rank_of(have, place), _rank_of(held.hand, place)
        there[QUARTET + place] = (natural >= FOUR) & (new > 0)
        joker = (have[JOKER] > 0) & (new + held.hand[JOKER] > 0)
        stands = bool(rules.max_jokers)
        there[WITH_JOKER + place] = (natural >= NATURAL) & joker & stands
    return jnp.stack(there)


def _complete(held: Holding, kind: str, kinds: Array, number: int) -> Array:
    new = held.hand[kinds].sum(dtype=jnp.int32) > 0
    return (held.of(kind)[kinds] >= number).all() & new


def without_each(seen: Sight) -> Holding:
    """Return the holdings that are left when a card is played: [67], each type from hand, each
    type from the table, and none.
    """
    each = jnp.eye(TYPES, dtype=jnp.int32)
    hands = jnp.concatenate([seen.hand - each, jnp.tile(seen.hand, (TYPES + 1, 1))])
    gone = each[:, None] * seen.goes.T[:, :, None]
    lying = jnp.tile(seen.fresh, (TYPES, 1, 1))
    fresh = jnp.concatenate([lying, lying - gone, seen.fresh[None]])
    return Holding(jnp.maximum(hands, 0), jnp.maximum(fresh, 0))


def judge_each(weights: Weights, rules: Rules, seen: Sight) -> tuple[Array, Array]:
    """Return of each holding of `without_each` what it promises, float32[67]; and what is `ready`,
    bool[67, 16].
    """
    drawing = odds(seen)

    def judge(held: Holding) -> tuple[Array, Array]:
        hoped = promised(weights, rules, drawing, held, seen.trump)
        return hoped, ready(rules, held, seen.trump)

    judged: tuple[Array, Array] = jax.vmap(judge)(without_each(seen))
    return judged
