"""The score of a Tysiac hand and of the match; and what is worth counting."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.configs.tysiac.schema import Rules
from talonax.envs import cards, pairs
from talonax.envs.pairs import Pair
from talonax.envs.tysiac.rules import Talk, carry_out, talk_of, trick_of
from talonax.envs.tysiac.state import (
    LAST_BID,
    OPENING,
    PACK,
    TEN,
    TysiacState,
    amount,
    points_of,
)


class Settlement(NamedTuple):
    """What a hand that is over does to the match.

    Attributes:
      scores: int32[] each, the new totals.
      made: bool[], the declarer made his contract.
      winner: int32[], who has won the match, -1 if it goes on or is level.
      over: bool[], the match is over.
      truncated: bool[], because of `max_hands`.
    """

    scores: Pair
    made: Array
    winner: Array
    over: Array
    truncated: Array


def settle_hand(rules: Rules, before: TysiacState, after: TysiacState, talk: Talk) -> Settlement:
    """Return what follows if the hand is over now.

    Args:
      rules: the rules.
      before: the position before the action.
      after: the position after it.
      talk: the action, if it was none of play.
    """
    declarer = before.bid_by.astype(jnp.int32)
    raw = pairs.of(after.points, declarer)
    if rules.return_to == "declarer":
        raw = raw + points_in(after.returned)
    contract = amount(after.contract)
    made = raw >= contract
    doubling = after.doubling.astype(jnp.int32)
    stake = doubling * contract
    gain = doubling * rounded(rules, pairs.other(after.points, declarer))
    # A lost challenge costs the bid, and brings nothing; a hand passed out, nothing at all
    lost = talk.challenges & ~talk.proven
    stake = jnp.where(lost, amount(before.high_bid), stake)
    change = jnp.where(made & ~lost, stake, -stake)
    gain, change = jnp.where(lost | talk.passes, 0, gain), jnp.where(talk.passes, 0, change)
    defended = locked(rules, pairs.other(before.scores, declarer), gain)
    scores = pairs.add(before.scores, declarer, change)
    scores = pairs.add(scores, 1 - declarer, defended - pairs.other(before.scores, declarer))
    return Settlement(scores, made, *_match(rules, before, scores, declarer))


def _match(
    rules: Rules, before: TysiacState, scores: Pair, declarer: Array
) -> tuple[Array, Array, Array]:
    """Return winner, whether the match is over, and whether it was cut off."""
    level = scores[0] == scores[1]
    ahead = jnp.where(level, -1, jnp.where(scores[0] > scores[1], 0, 1))
    hands = before.hand + 1
    if rules.hands > 0:
        return ahead, hands >= rules.hands, jnp.zeros_like(before.terminated)
    reached = scores[0] >= rules.target, scores[1] >= rules.target
    first = jnp.where(pairs.of(reached, declarer), declarer, 1 - declarer)
    won = reached[0] | reached[1]
    truncated = ~won & (hands >= rules.max_hands)
    return jnp.where(won, first, ahead), won | truncated, truncated


def rounded(rules: Rules, raw: Array) -> Array:
    """Return int32[]: a defender's points as they count."""
    added = {"up": TEN - 1, "nearest": TEN // 2, "nearest_down": TEN // 2 - 1}[rules.rounding]
    return (raw + added) // TEN * TEN


def locked(rules: Rules, total: Array, gain: Array) -> Array:
    """Return int32[]: a defender's new total, which the lock stops from passing it."""
    if rules.lock is None:
        return total + gain
    return jnp.where(total >= rules.lock, total, jnp.minimum(total + gain, rules.lock))


def points_in(held: Array) -> Array:
    """Return int32[]: the card points of a set."""
    return (cards.unpack(held, PACK.size) * points_of(jnp.arange(PACK.size))).sum(dtype=jnp.int32)


def tally(rules: Rules, state: TysiacState, action: Array) -> dict[str, Array]:
    """Return int32[] counts of what a legal action did, and of how hands ended.

    What cannot happen under the rules is left out.
    """
    talk = talk_of(rules, state, action)
    trick = trick_of(state, action, talk)
    made = settle_hand(rules, state, carry_out(rules, state, talk, trick), talk).made
    counted = {"hands": trick.over}
    if not rules.forced_open:
        counted["passed out"] = trick.over & talk.passes
    counted |= _contracts(rules, state, trick.over & ~talk.passes & ~talk.challenges, made)
    counted["marriages declared"] = trick.declares
    counted["trump changed"] = trick.declares & (state.trump >= 0)
    if rules.bomba.enabled:
        counted["bombs"] = talk.bombs
    if rules.bomba.allow_redouble:
        counted["re-bombs"] = talk.rebombs
    if rules.proof == "challenge":
        counted["challenges survived"] = talk.challenges & talk.proven
        counted["challenges lost"] = talk.challenges & ~talk.proven
    return {name: happened.astype(jnp.int32) for name, happened in counted.items()}


def _contracts(rules: Rules, state: TysiacState, played: Array, made: Array) -> dict[str, Array]:
    """Return bool[] by name: a contract was made, or lost; and of which winning bid it was."""
    # Under `auto` nobody can bid the most, which the other's bid of ten less leaves no proof for
    highest = LAST_BID if rules.proof == "challenge" else LAST_BID - TEN
    counted = {"contracts made": played & made, "contracts lost": played & ~made}
    for value in range(OPENING, highest + 1, TEN):
        bid = played & (amount(state.high_bid) == value)
        counted[f"bid {value} made"] = bid & made
        counted[f"bid {value} lost"] = bid & ~made
    return counted
