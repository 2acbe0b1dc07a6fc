"""How likely a card of Blob wins: the trick that is open now, or one later in the round.

Both follow from counting. Few of 52 cards may be dealt: a king is then as good as an ace, since the
ace is likely in nobody's hand. With long hands the ace is out, side suits are ruffed the sooner
the shorter others are in them, and long trumps win when nobody has any left.

Where counting ends, weights (`Weights`) say what is usual; they were chosen by play against others.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from talonax.agents.bots.blob_sight import RANKS, Sight
from talonax.agents.bots.powers import power
from talonax.envs.blob.state import PACK
from talonax.envs.planes import SUITS


class Weights(NamedTuple):
    """How chances are judged where counting ends.

    Attributes:
      eager: the chance that a seat that needs tricks beats a card that it can beat.
      forced: the same of a seat that wants none.
      entry: the chance, by card held, that a suit is led in time for a card of it to win.
      rounds: rounds of a side suit beyond those that the others' lengths tell, for ruffing.
      ruffs: how often a trump is used for a ruff that is there.
      width: scale of the logistic curve, in standard deviations, that stands for a binomial sum.
      slack: variance that is added to the binomial one.
    """

    eager: float = 0.8
    forced: float = 0.35
    entry: float = 0.2
    rounds: float = 0.55
    ruffs: float = 0.65
    width: float = 0.55
    slack: float = 0.05


# The open trick -----------------------------------------------------------------------------------


def now(weights: Weights, seen: Sight) -> Array:
    """Return float32[4, 13]: the chance that each card, played now, wins the trick.

    Exactly 0 or 1 for the last to play.
    """
    share, lead = _share(seen, seen.holds), ~seen.led.any()
    higher = 1 - _none(share[:, :, None], above(seen.unseen))
    none_lower = _none(share[:, :, None], _below(seen.unseen))
    short, has_trump = _none(share, number(seen.unseen)), _has_trump(seen, share, seen.holds)
    ruffs = jnp.where(seen.trump, 0.0, short * has_trump)
    overruffs = _of(seen.led, short)[:, None] * _of(seen.trump[:, None], higher, axis=1)
    beaten = jnp.where(
        (seen.led | lead)[:, None], higher + ruffs[:, :, None], overruffs[:, None, :]
    )
    content = weights.forced + (1 - weights.forced) * none_lower
    wants = jnp.where((seen.needs > 0)[:, None, None], weights.eager, content)
    wants = wants * seen.follows[:, None, None]
    holds = jnp.prod(1 - wants * jnp.minimum(beaten, 1.0), axis=0)
    return jnp.where(seen.wins, holds, 0.0)


# Later --------------------------------------------------------------------------------------------


def later(weights: Weights, seen: Sight) -> Array:
    """Return float32[4, 13]: the chance that each card of the hand wins a trick after this one."""
    share = _share(seen, jnp.broadcast_to(seen.after, seen.holds.shape))
    over, left = above(seen.unseen).astype(jnp.float32), number(seen.unseen)
    turn = (1 + above(seen.hand)).astype(jnp.float32)
    out = jnp.minimum(share.sum(axis=0), 1.0)[:, None]
    high = _fewer(weights, turn, over * out, 1 - out)
    mean = (share * left)[:, :, None]
    short = _fewer(weights, turn, mean, 1 - share[:, :, None])
    has_trump = _has_trump(seen, share, seen.after)[:, :, None]
    holds = jnp.maximum(high, jnp.prod(short, axis=0))
    unruffed = jnp.prod(1 - short * has_trump, axis=0)
    side = _entry(weights, seen)[:, None] * holds * unruffed
    trump = _with_ruffs(weights, seen, share, holds)
    held = seen.hand[:, None] >> jnp.arange(RANKS, dtype=jnp.uint32) & 1
    return jnp.where(held != 0, jnp.where(seen.trump[:, None], trump, side), 0.0)


def _entry(weights: Weights, seen: Sight) -> Array:
    """Return float32[4]: the chance that a suit is led in time for a card of it to win."""
    count = number(seen.unseen).astype(jnp.float32)
    left = jnp.maximum(seen.after, 1.0)
    led = count / jnp.maximum(count.sum(), 1.0)
    comes = 1 - jnp.exp((1 + weights.entry * (left - 1)) * jnp.log1p(-jnp.minimum(led, 0.99)))
    return jnp.where(seen.bidding & seen.leads, comes + (1 - comes) / left, comes)


def _with_ruffs(weights: Weights, seen: Sight, share: Array, holds: Array) -> Array:
    """Return float32[4, 13]: the chance that each card, a trump, wins when it is high or by a ruff.

    Side suits that the others hold longer than the hand offer ruffs, which its trumps share. A ruff
    holds unless somebody with a higher trump is short, too; where nobody has one it is high anyway.

    Args:
      weights: how chances are judged.
      seen: what the seat knows.
      share: float32[P - 1, 4], as `_share` returns it.
      holds: float32[4, 13], the chance of each card to be high when it is played.
    """
    left, own = number(seen.unseen), number(seen.hand)
    rounds = (share * left).mean(axis=0) + weights.rounds - own
    offered = jnp.where(seen.trump, 0.0, jnp.maximum(rounds, 0.0)).sum()
    trumps = jnp.maximum(_of(seen.trump, own), 1)
    # Who has a higher trump has a place less for other cards.
    room = jnp.maximum(seen.after - 1, 0) / jnp.maximum(seen.after, 1)
    short = jnp.where(seen.trump, 0.0, _none(room * share, left)).sum(axis=1) / (SUITS - 1)
    higher = 1 - _none(share[:, :, None], above(seen.unseen))
    ruffed = jnp.prod(1 - short[:, None, None] * higher, axis=0)
    used = weights.ruffs * jnp.minimum(offered / trumps, 1.0)
    return holds + used * jnp.maximum(ruffed - holds, 0.0)


# Counting -----------------------------------------------------------------------------------------


def number(members: Array) -> Array:
    """Return int32[4]: how many there are of each suit."""
    return lax.population_count(members).astype(jnp.int32)


def above(members: Array) -> Array:
    """Return int32[4, 13]: how many of the members are higher than each card of their suit."""
    return number(members[:, None] >> jnp.arange(1, RANKS + 1, dtype=jnp.uint32))


def _below(members: Array) -> Array:
    lower = (1 << jnp.arange(RANKS, dtype=jnp.uint32)) - 1
    return number(members[:, None] & lower)


def _share(seen: Sight, holds: Array) -> Array:
    """Return float32[P - 1, 4]: the chance that an unseen card of a suit is with each other seat.

    Places that may hold the suit: those of the seats, and those of the cards not dealt.
    """
    not_dealt = PACK.size - (1 + seen.may.shape[0]) * seen.dealt
    places = seen.may * holds[:, None]
    return places / jnp.maximum(places.sum(axis=0) + not_dealt, 1.0)


def _none(share: Array, count: Array) -> Array:
    """Return float32[..]: the chance that a seat has none of `count` (0 .. 13) cards.

    Each is there with chance `share`.
    """
    return power(1 - share, count, most=RANKS)


def _fewer(weights: Weights, bound: Array, mean: Array, others: Array) -> Array:
    """Return float32[..]: the chance that a binomial number is below `bound` (1, 2, ..).

    Args:
      weights: the curve.
      bound: the number.
      mean: its mean.
      others: the chance of each card not to be counted.
    """
    spread = weights.width * jnp.sqrt(mean * others + weights.slack)
    return jax.nn.sigmoid((bound - 0.5 - mean) / spread)


def _has_trump(seen: Sight, share: Array, holds: Array) -> Array:
    """Return float32[P - 1, 4]: the chance that each other seat, if it has nothing of a suit, has a
    trump; 0 where there is none.

    All its cards, `holds` of them (float32[..]), are then of the other suits.
    """
    count, places = number(seen.unseen), jnp.broadcast_to(holds, share.shape[:1])[:, None]
    others = jnp.maximum(places - share * count, 0.01)
    trump = jnp.minimum(_of(seen.trump, share)[:, None] * places / others, 1.0)
    left = _of(seen.trump, count)
    # By card where cards are fewer, by place where places are: exact for one of either.
    each = jnp.minimum(trump * left / jnp.maximum(places, 1.0), 1.0)
    by_place = _none(each, places.astype(jnp.int32))
    return 1 - jnp.where(places < left, by_place, _none(trump, left))


def _of(suit: Array, each: Array, axis: int = -1) -> Array:
    """Return what `each` has for a suit, along its `axis`; 0 where there is no such suit."""
    return jnp.where(suit, each, 0).sum(axis)
