"""What a hand of Tysiac promises before play: points expected, and what a contract is worth.

The points that a hand wins are estimated as a weighted sum of what it has (`Traits`). They scatter
around the estimate, so a contract is a wager: `wager` says what it is expected to bring.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.tysiac.schema import Rules
from talonax.envs.planes import SUITS
from talonax.envs.tysiac.state import (
    KING,
    LAST_CONTRACT,
    LOWEST_MARRIAGE,
    MARRIAGE_STEP,
    OPENING,
    PACK,
    QUEEN,
    RANKS,
    TEN,
)

ACE_RANK, TEN_RANK, JACK_RANK = RANKS.index("A"), RANKS.index("T"), RANKS.index("J")
_LONG = 3


class Traits(NamedTuple):
    """What a hand has, float32[] each; or what each of it is worth, in points.

    Attributes:
      any: 1: what every hand has.
      aces: number of aces.
      tens_backed: tens whose ace is in the hand.
      tens_guarded: other tens that have company in their suit.
      runs: cards below an ace without a gap, the ten beside it included.
      marriages: points of its marriages.
      further: points of all but the dearest.
      length: cards in the suit of the dearest marriage.
      tops: ace and ten in that suit.
      halves: marriages of which it has one card, in points.
      long: cards beyond the third in each suit.
      short: suits of which it has one card or none.
    """

    any: ArrayLike
    aces: ArrayLike
    tens_backed: ArrayLike
    tens_guarded: ArrayLike
    runs: ArrayLike
    marriages: ArrayLike
    further: ArrayLike
    length: ArrayLike
    tops: ArrayLike
    halves: ArrayLike
    long: ArrayLike
    short: ArrayLike


def traits(hand: Array) -> Traits:
    """Return what a hand (uint32[]) has."""
    suits = hand >> jnp.arange(0, SUITS * PACK.ranks, PACK.ranks, dtype=jnp.uint32)
    suits = suits & (2**PACK.ranks - 1)

    def has(rank: int) -> Array:
        held: Array = suits >> rank & 1 != 0
        return held

    ace, ten, king, queen = has(ACE_RANK), has(TEN_RANK), has(KING), has(QUEEN)
    number = jax.lax.population_count(suits).astype(jnp.int32)
    worth = LOWEST_MARRIAGE + MARRIAGE_STEP * jnp.arange(SUITS)
    pair = jnp.where(king & queen, worth, 0)
    dearest = pair.max()
    trump = (pair == dearest) & (pair > 0)
    run, unbroken = jnp.zeros_like(number), ace
    for rank in range(TEN_RANK, JACK_RANK - 1, -1):
        unbroken = unbroken & has(rank)
        run = run + unbroken
    return Traits(
        any=jnp.float32(1),
        aces=_sum(ace),
        tens_backed=_sum(ten & ace),
        tens_guarded=_sum(ten & ~ace & (number > 1)),
        runs=_sum(run),
        marriages=_sum(pair),
        further=_sum(pair) - dearest.astype(jnp.float32),
        length=_sum(jnp.where(trump, number, 0)),
        tops=_sum(jnp.where(trump, ace.astype(jnp.int32) + ten, 0)),
        halves=_sum(jnp.where(king ^ queen, worth, 0)),
        long=_sum(jnp.maximum(number - _LONG, 0)),
        short=_sum(number <= 1),
    )


def _sum(each: Array) -> Array:
    return each.sum().astype(jnp.float32)


def estimate(worth: Traits, hand: Traits) -> Array:
    """Return float32[]: what the hand is expected to win, each of its traits counted at `worth`."""
    total: Array = jnp.float32(0)
    for each, has in zip(worth, hand, strict=True):
        total = total + jnp.asarray(each, jnp.float32) * has
    return total


def contracts() -> Array:
    """Return float32[31]: the contracts, 100 .. 400."""
    return jnp.arange(OPENING, LAST_CONTRACT + 1, TEN).astype(jnp.float32)


def chance(points: Array, spread: ArrayLike, contract: Array) -> Array:
    """Return float32[..]: the chance to make a contract, the points being expected and uncertain.

    Args:
      points: float32[], expected.
      spread: how uncertain they are: the scale of a logistic distribution.
      contract: float32[..].
    """
    return jax.nn.sigmoid((points - contract + TEN / 2) / spread)


def from_each(worth: Array) -> Array:
    """Return float32[31]: of contracts worth float32[31], the best that is not below each."""
    return jax.lax.cummax(worth, reverse=True)


# What it counts ---------------------------------------------------------------------------------

#: In points: what winning the match counts beyond the points that win it.
MATCH = 300.0


def wager(rules: Rules, score: Array, made: Array, contract: Array) -> Array:
    """Return float32[..]: what a contract is expected to bring its declarer.

    Args:
      rules: the rules.
      score: int32[], his total.
      made: float32[..], the chance that he makes it.
      contract: float32[..].
    """
    gain = contract
    if rules.hands == 0 and rules.reward == "win":
        needed = (rules.target - score).astype(jnp.float32)
        gain = jnp.where(contract >= needed, needed + MATCH, contract)
    return made * gain - (1 - made) * contract


def defended(rules: Rules, score: Array, points: Array) -> Array:
    """Return float32[]: what `points` won in defence count, the lock considered."""
    if rules.lock is None:
        return points
    return jnp.minimum(points, jnp.maximum(rules.lock - score, 0).astype(jnp.float32))
