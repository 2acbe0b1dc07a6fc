"""The rules of Leduc poker as pure functions (README.md tells them in words)."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.envs import pairs

#: Jack, queen and king in two suits, `card = rank * 2 + suit`.
RANKS, SUITS = 3, 2
NUM_CARDS = RANKS * SUITS
#: Actions.
FOLD, CALL, RAISE = 0, 1, 2
NUM_ACTIONS = 3
#: The rounds of betting; before the second the public card is turned up.
FIRST, SECOND = 0, 1
ROUNDS = 2
#: Chips that each seat puts in before the game, and that a raise of either round adds.
ANTE = 1
RAISES = (2, 4)
#: Raises that a round allows, and the actions of the longest: check, two raises, call.
MAX_RAISES = 2
ROUND_ACTIONS = 2 + MAX_RAISES
MAX_ACTIONS = ROUNDS * ROUND_ACTIONS
#: What the loser of a game with every raise has put in.
MAX_POT = ANTE + MAX_RAISES * sum(RAISES)


class Outcome(NamedTuple):
    """What an action brings about.

    Attributes:
      pot: int8[] each, what each seat has put in after it.
      turns: bool[], it ends the first round, and the game goes on.
      over: bool[], it ends the game.
      rewards: float32[2], what each seat wins; zero if the game goes on.
    """

    pot: pairs.Pair
    turns: Array
    over: Array
    rewards: Array


def strength(card: Array, public: Array) -> Array:
    """Return int32[]: the higher wins. A pair with the public card beats any rank."""
    rank = card // SUITS
    paired = rank == public // SUITS
    return (rank + jnp.where(paired, RANKS, 0)).astype(jnp.int32)


def owes(pot: pairs.Pair, seat: Array) -> Array:
    """Return bool[]: the other seat has put in more."""
    return pairs.other(pot, seat) > pairs.of(pot, seat)


def outcome(
    hands: pairs.Pair,
    public: Array,
    pot: pairs.Pair,
    seat: Array,
    round_: Array,
    made: Array,
    action: Array,
) -> Outcome:
    """Return what `action` of `seat` brings about.

    Args:
      hands: int8[] each, the card of each seat.
      public: int8[], the public card.
      pot: int8[] each, what each seat has put in before it.
      seat: int32[], who is to move.
      round_: int8[], which round of betting.
      made: int8[], how many actions the round has seen.
      action: int32[], a legal action, or -1 for none.
    """
    mine, theirs = pairs.of(pot, seat), pairs.other(pot, seat)
    folds, calls, raises = action == FOLD, action == CALL, action == RAISE
    owed = jnp.where(calls | raises, theirs - mine, 0)
    more = jnp.where(raises, jnp.where(round_ == FIRST, *RAISES), 0)
    closes = calls & (made > 0)  # a first call checks, and the other may still raise
    over = folds | closes & (round_ == SECOND)
    lead = jnp.sign(strength(hands[0], public) - strength(hands[1], public))
    winner = jnp.where(folds, jnp.where(seat == 0, -1, 1), lead)  # 1: seat 0, -1: seat 1, 0: both
    stake = jnp.where(folds, mine, theirs).astype(jnp.int32)
    won = jnp.where(over, winner * stake, 0)
    return Outcome(
        pot=pairs.add(pot, seat, owed + more),
        turns=closes & (round_ == FIRST),
        over=over,
        rewards=jnp.stack([won, -won]).astype(jnp.float32),
    )
