"""Generalised advantage estimation, seat by seat.

Schulman et al., *High-dimensional continuous control using generalized advantage estimation*
(2016), eq. 16, where the time of a seat is counted in its own decisions: between two of them lie
moves of the others, and all rewards of those steps are its own to collect. Nothing is assumed about
turns: who wins a trick moves again, three others may move in between, and a reward that is paid
while another seat moves reaches the last decision of everybody.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array


class Advantages(NamedTuple):
    """What `advantages` returns.

    Attributes:
      advantage: float32[T], of the decision taken at each step, for the seat that took it.
      target: float32[T], what its value should have been.
      known: bool[T], whether the return of the decision is known at all: its seat acts again in the
        chunk, or the game ends in it. False ones are to be masked out of the loss.
    """

    advantage: Array
    target: Array
    known: Array


class _Ahead(NamedTuple):
    """What is known of each seat's future while walking back: leaves [P].

    Attributes:
      reward: rewards from here on until its next decision.
      value: the value of that decision, 0 at the end of a game.
      advantage: its advantage, 0 where that is not known.
      known: there is a next decision, or the game ends.
    """

    reward: Array
    value: Array
    advantage: Array
    known: Array


def advantages(
    seats: Array,
    values: Array,
    rewards: Array,
    done: Array,
    *,
    discount: float = 1.0,
    trace: float = 0.95,
    last_values: Array | None = None,
) -> Advantages:
    """Return the advantages of one chunk of steps in one place, games ending anywhere in it.

    Args:
      seats: int32[T], who acted.
      values: float32[T], the acting seat's value before it acted.
      rewards: float32[T, P], what the step paid to each seat.
      done: bool[T], the step ended its game; the next step is in another one.
      discount: gamma, from one decision of a seat to its next.
      trace: lambda.
      last_values: float32[T, P], each seat's value of the state that a game was cut off in, read
        where `done`; None where an end is an end (our truncations pay their final reward).
    """
    players = rewards.shape[-1]
    ends = jnp.zeros_like(rewards) if last_values is None else last_values

    def back(ahead: _Ahead, step: tuple[Array, ...]) -> tuple[_Ahead, Advantages]:
        seat, value, reward, over, end = step
        reward_ahead = jnp.where(over, 0.0, ahead.reward) + reward
        value_ahead = jnp.where(over, end, ahead.value)
        advantage_ahead = jnp.where(over, 0.0, ahead.advantage)
        known = over | ahead.known
        delta = reward_ahead + discount * value_ahead - value
        advantage = (delta + discount * trace * advantage_ahead)[seat]
        told = known[seat]
        own = jnp.arange(players) == seat
        before = _Ahead(
            reward=jnp.where(own, 0.0, reward_ahead),
            value=jnp.where(own, value, value_ahead),
            advantage=jnp.where(own, jnp.where(told, advantage, 0.0), advantage_ahead),
            known=own | known,
        )
        advantage = jnp.where(told, advantage, 0.0)
        return before, Advantages(advantage, advantage + value, told)

    nothing = jnp.zeros(players, jnp.float32)
    start = _Ahead(nothing, nothing, nothing, jnp.zeros(players, bool))
    _, found = jax.lax.scan(back, start, (seats, values, rewards, done, ends), reverse=True)
    return found
