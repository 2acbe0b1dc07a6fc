"""The network that agents learn with: a trunk, one LSTM, a policy head for each phase, a value.

While it learns, the value may be told by a critic of its own that sees all seats' observations
(`privileged_critic`); the policy never does. Flax Linen, every part a named submodule: parameters
read `params/lstm/..`, `params/policy/..`. What is recurrent is apart from what is not: `features`
and `heads` run over all steps at once, only `recur` goes step by step.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import Array

from talonax.agents.distributions import masked_logits
from talonax.agents.policy import ObservationPolicy
from talonax.envs.core import Env
from talonax.envs.symmetry import SuitSymmetry, canonical_order, named_back, renamed

#: What an LSTM remembers: cell and output, float32[.., lstm] each.
Carry = tuple[Array, Array]


class Seen(NamedTuple):
    """What a network is given of a state.

    Attributes:
      observation: float32[.., N], of the seat to move, flat, its suits renamed by `order`.
      phase: int32[..], public: what is being decided.
      order: int32[.., 4], how the suits were renamed (`envs/symmetry.py`); None if they were not.
    """

    observation: Array
    phase: Array
    order: Array | None = None


class ActorCritic(nn.Module):
    """Policy and value of the seat to move.

    Attributes:
      num_actions: ids of actions.
      num_phases: an id may mean something else in each, so each has its own policy head.
      trunk: widths of the layers before the LSTM.
      lstm: width of the LSTM.
      critic: widths of the layers of the privileged critic; none without it.
    """

    num_actions: int
    num_phases: int
    trunk: Sequence[int]
    lstm: int
    critic: Sequence[int] = ()

    def setup(self) -> None:
        """Name the parts."""
        self.layers = [
            nn.Dense(width, kernel_init=nn.initializers.orthogonal(2**0.5), name=f"trunk_{i}")
            for i, width in enumerate(self.trunk)
        ]
        self.cell = nn.OptimizedLSTMCell(self.lstm, name="lstm")
        self.policy = nn.Dense(
            self.num_phases * self.num_actions,
            kernel_init=nn.initializers.orthogonal(0.01),
            name="policy",
        )
        self.value = nn.Dense(1, kernel_init=nn.initializers.orthogonal(1.0), name="value")
        self.critic_layers = [
            nn.Dense(width, kernel_init=nn.initializers.orthogonal(2**0.5), name=f"critic_{i}")
            for i, width in enumerate(self.critic)
        ]
        self.critic_value = nn.Dense(
            1, kernel_init=nn.initializers.orthogonal(1.0), name="critic_value"
        )

    def __call__(self, carry: Carry, seen: Seen) -> tuple[Carry, Array, Array]:
        """Return the carry after one step, float32[.., A] logits, float32[..] values."""
        carry, output = self.recur(carry, self.features(seen.observation))
        logits, value = self.heads(output, seen.phase)
        return carry, logits, value

    def features(self, observation: Array) -> Array:
        """Return float32[.., F]: what the LSTM reads of float32[.., N] flat observations."""
        for layer in self.layers:
            observation = nn.relu(layer(observation))
        return observation

    def recur(self, carry: Carry, features: Array) -> tuple[Carry, Array]:
        """Return the carry after one step, and what the heads read: float32[.., lstm + F].

        They read the features, too: what is on the table now need not pass through the memory.
        """
        after, output = self.cell(carry, features)
        return after, jnp.concatenate([output, features], axis=-1)

    def heads(self, output: Array, phase: Array) -> tuple[Array, Array]:
        """Return float32[.., A] logits by the head of `phase` (int32[..]), float32[..] values."""
        every = self.policy(output).reshape(*output.shape[:-1], self.num_phases, self.num_actions)
        chosen = jnp.arange(self.num_phases) == phase[..., None]
        logits = jnp.where(chosen[..., None], every, 0.0).sum(axis=-2)
        return logits, self.value(output)[..., 0]

    def privileged(self, observations: Array) -> Array:
        """Return float32[..] values of float32[.., P * N], all seats' observations in turn."""
        for layer in self.critic_layers:
            observations = nn.relu(layer(observations))
        return self.critic_value(observations)[..., 0]

    def everything(self, carry: Carry, seen: Seen, observations: Array) -> None:
        """Call every part once, so that each has parameters."""
        self(carry, seen)
        if self.critic:
            self.privileged(observations)


@dataclass(frozen=True)
class NetworkPolicy(ObservationPolicy):
    """A network behind the interface that bots share (`agents/policy.py`).

    `params` is what `ActorCritic.init` returned and training made of it. Plain data, hashable.

    Attributes:
      trunk: widths of the layers before the LSTM.
      lstm: width of the LSTM.
      critic: widths of the layers of the privileged critic, for training; none without it.
      rename_suits: give the suits names of its own, the trump suit first, in games where all suits
        but that one are alike.
      greedy: choose the likeliest action instead of drawing one.
    """

    trunk: tuple[int, ...] = (128,)
    lstm: int = 128
    critic: tuple[int, ...] = ()
    rename_suits: bool = True
    greedy: bool = False

    def network(self, env: Env[Any]) -> ActorCritic:
        """Return the network for a game."""
        return ActorCritic(env.num_actions, len(env.phases), self.trunk, self.lstm, self.critic)

    def _call(self, params: Any, env: Env[Any], method: Any, *given: Any) -> Any:
        """Call a method of the network, with products of whole float32.

        A GPU's are shorter by default, and round otherwise for other shapes: what an update replays
        would not be what was played.
        """
        with jax.default_matmul_precision("float32"):
            return self.network(env).apply(params, *given, method=method)

    def apply(
        self, params: Any, env: Env[Any], carry: Carry, seen: Seen
    ) -> tuple[Carry, Array, Array]:
        """Return the carry after a step, float32[.., A] logits, float32[..] values."""
        after, logits, values = self._call(params, env, None, carry, seen)
        return after, self._named_back(env, logits, seen), values

    def features(self, params: Any, env: Env[Any], observation: Array) -> Array:
        """Return what the LSTM reads of observations: `ActorCritic.features`."""
        return jnp.asarray(self._call(params, env, ActorCritic.features, observation))

    def recur(
        self, params: Any, env: Env[Any], carry: Carry, features: Array
    ) -> tuple[Carry, Array]:
        """Return the LSTM's carry after a step, and what the heads read: `ActorCritic.recur`."""
        after, output = self._call(params, env, ActorCritic.recur, carry, features)
        return after, output

    def heads(self, params: Any, env: Env[Any], output: Array, seen: Seen) -> tuple[Array, Array]:
        """Return logits and values: `ActorCritic.heads`."""
        logits, values = self._call(params, env, ActorCritic.heads, output, seen.phase)
        return self._named_back(env, logits, seen), values

    def _symmetry(self, env: Env[Any]) -> SuitSymmetry | None:
        return env.suit_symmetry() if self.rename_suits else None

    def _named_back(self, env: Env[Any], logits: Array, seen: Seen) -> Array:
        """Return the logits under the names that the suits have in the game."""
        symmetry = self._symmetry(env)
        if symmetry is None or seen.order is None:
            return logits
        for phase, table in enumerate(symmetry.actions):
            here = (seen.phase == phase)[..., None]
            logits = jnp.where(here, named_back(table, logits, seen.order), logits)
        return logits

    def init(self, env: Env[Any]) -> Carry:
        """Return the zero carry of one seat."""
        del env
        return jnp.zeros(self.lstm, jnp.float32), jnp.zeros(self.lstm, jnp.float32)

    def init_params(self, env: Env[Any], key: Array) -> Any:
        """Return fresh parameters."""
        size = math.prod(env.observation_shape)
        seen = Seen(jnp.zeros(size, jnp.float32), jnp.int32(0))
        everyone = jnp.zeros(env.num_players * size, jnp.float32)
        given = (self.init(env), seen, everyone)
        return self.network(env).init(key, *given, method=ActorCritic.everything)

    def see(self, env: Env[Any], state: Any) -> Seen:
        """Return the observation of the seat to move, flat, and the phase."""
        observation = env.observe(state, state.current_player).ravel()
        symmetry, phase = self._symmetry(env), env.phase(state)
        if symmetry is None:
            return Seen(observation, phase)
        order = canonical_order(symmetry, observation)
        return Seen(renamed(symmetry.observation, observation, order), phase, order)

    def learned_value(self, params: Any, env: Env[Any], state: Any, told: Array) -> Array:
        """Return float32[]: what learning takes for the value of a state.

        It is the privileged critic's, where there is one: of the observations of all seats, that of
        the seat to move first and then in the order of play. Else it is `told`, the value head's.
        """
        if not self.critic:
            return told
        seats = (state.current_player + jnp.arange(env.num_players)) % env.num_players
        every = jax.vmap(env.observe, (None, 0))(state, seats).reshape(env.num_players, -1)
        symmetry = self._symmetry(env)
        if symmetry is not None:
            order = canonical_order(symmetry, every[0])
            every = jax.vmap(partial(renamed, symmetry.observation), (0, None))(every, order)
        return jnp.asarray(self._call(params, env, ActorCritic.privileged, every.ravel()))

    def log_probs(
        self, params: Any, env: Env[Any], view: Seen, mask: Array, carry: Carry
    ) -> tuple[Array, Array, Carry]:
        """Return float32[A] log probabilities, float32[] value, and the carry after them."""
        carry, logits, value = self.apply(params, env, carry, view)
        return masked_logits(logits, mask), value, carry

    def act(
        self, params: Any, env: Env[Any], view: Seen, mask: Array, carry: Carry, key: Array
    ) -> tuple[Array, Carry]:
        """Draw an action, or take the likeliest."""
        log_probs, _, carry = self.log_probs(params, env, view, mask, carry)
        action = jnp.argmax(log_probs) if self.greedy else jax.random.categorical(key, log_probs)
        return action.astype(jnp.int32), carry

    def probabilities(
        self,
        params: Any,
        env: Env[Any],
        view: Seen,
        mask: Array,
        carry: Carry,
        key: Array | None = None,
    ) -> tuple[Array, Carry]:
        """Return float32[A]: what `act` draws from."""
        del key
        log_probs, _, carry = self.log_probs(params, env, view, mask, carry)
        if self.greedy:
            likeliest = jnp.arange(log_probs.shape[0]) == jnp.argmax(log_probs)
            return likeliest.astype(jnp.float32), carry
        return jnp.exp(log_probs), carry
