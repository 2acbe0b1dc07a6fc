"""The rules of Kuhn poker as pure functions (README.md tells them in words)."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from talonax.envs.betting import BITS, NONE

#: Jack, queen and king; the higher number wins.
NUM_CARDS = 3
#: Actions.
PASS, BET = 0, 1
NUM_ACTIONS = 2
#: Pass, bet and the answer to it.
MAX_ACTIONS = 3
#: Chips that each seat puts in before the game, and that a bet adds.
ANTE = 1
BET_SIZE = 1
#: The record with a bet in every place: its bits are those of bets alone.
_BETS = sum((BET - NONE) << BITS * place for place in range(MAX_ACTIONS))


class Outcome(NamedTuple):
    """What an action brings about.

    Attributes:
      over: bool[], the game ends.
      rewards: float32[2], what each seat wins; zero if the game goes on.
    """

    over: Array
    rewards: Array


def bets(record: Array) -> Array:
    """Return int32[]: how many seats have bet."""
    return lax.population_count(record & _BETS).astype(jnp.int32)


def outcome(hands: tuple[Array, Array], record: Array, seat: Array, action: Array) -> Outcome:
    """Return what `action` of `seat` brings about.

    Args:
      hands: int8[] each, the card of each seat.
      record: the actions before it.
      seat: int32[], who is to move.
      action: int32[], a legal action, or -1 for none.
    """
    faced = bets(record) == 1
    called, passed = faced & (action == BET), action == PASS
    over = called | passed & (record != 0)
    folded = faced & passed
    first_wins = jnp.where(folded, seat == 1, hands[0] > hands[1])
    stake = jnp.where(over, jnp.where(called, ANTE + BET_SIZE, ANTE), 0)
    won = jnp.where(first_wins, stake, -stake)
    return Outcome(over, jnp.stack([won, -won]).astype(jnp.float32))
