"""Bots that score what they may do, and choose the action of the highest score, the same on every
machine.

Scores are sums of floats, and compilers round them differently; of two that are meant to be equal
either might come out ahead. They are therefore compared in fractions of a point.
"""

import abc
from typing import Any, ClassVar

import jax.numpy as jnp
from jax import Array

from talonax.agents.policy import StatePolicy
from talonax.envs.core import Env

#: A score of one point is this many grains.
GRAIN = 64
LEAST = -(2**31)


def best(scores: Array, mask: Array) -> Array:
    """Return int32[]: the legal action of the highest score; of equal ones, the lowest id.

    Args:
      scores: float32[num_actions], each below 2**24 in size.
      mask: bool[num_actions], the legal actions.
    """
    grains = jnp.round(scores * GRAIN).astype(jnp.int32)
    return jnp.argmax(jnp.where(mask, grains, LEAST)).astype(jnp.int32)


class Scorer(StatePolicy):
    """A bot of one game that does what scores most; of equal actions, the lowest id.

    Attributes:
      game: the id of the game.
    """

    game: ClassVar[str]

    @abc.abstractmethod
    def scores(self, env: Any, state: Any) -> Array:
        """Return float32[num_actions]: what each action is worth, legal or not."""

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Return int32[], the action, and the carry unchanged.

        Raises:
          TypeError: `env` is another game.
        """
        del params, key
        if env.id != self.game:
            raise TypeError(f"this bot plays {self.game}, not {env.id}")
        return best(self.scores(env, view), mask), carry
