"""The greedy bot of High Card Duel: there is one thing to do, and it does it."""

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array

from talonax.agents.policy import ObservationPolicy
from talonax.envs.core import Env


@dataclass(frozen=True)
class Greedy(ObservationPolicy):
    """Takes the first legal action: here, the only one."""

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Return int32[], the lowest legal action, and the carry unchanged."""
        del params, env, view, key
        return jnp.argmax(mask).astype(jnp.int32), carry
