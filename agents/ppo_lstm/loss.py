"""The loss of PPO-LSTM on a batch of chunks (agents/README.md has the equations).

Schulman et al., *Proximal policy optimization algorithms* (2017), eq. 7 and 9. What regularises
self-play under imperfect information are two divergences, to the policy that played (as in mirror
descent) and to a slowly refreshed reference, the magnet (Sokota et al., *A unified approach to
reinforcement learning, quantal response equilibria, and two-player zero-sum games*, 2023, eq. 12).
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from talonax.agents.distributions import entropy, kl_divergence, masked_logits
from talonax.agents.network import Carry, NetworkPolicy, Seen
from talonax.agents.ppo_lstm.experience import Decision, moved_on, own_carry
from talonax.configs.train.schema import PPOSettings
from talonax.envs.core import Env


class Batch(NamedTuple):
    """What a gradient step learns from; leaves [L, N, ..], carries [N, P, ..].

    Attributes:
      decisions: the decisions of N chunks of L steps.
      carries: each seat's carry at the start of each chunk.
      advantage: float32, of each decision.
      target: float32, what its value should have been, in reward units.
      weight: float32, 1 where it is to be learned from, else 0.
    """

    decisions: Decision
    carries: Carry
    advantage: Array
    target: Array
    weight: Array

    def part(self, chosen: Array) -> "Batch":
        """Return the chunks with these numbers (int32[n])."""
        steps = (self.decisions, self.advantage, self.target, self.weight)
        decisions, *numbers = jax.tree.map(lambda leaf: leaf[:, chosen], steps)
        return Batch(decisions, jax.tree.map(lambda leaf: leaf[chosen], self.carries), *numbers)


class Coefficients(NamedTuple):
    """What moves as training goes on: float32[] each.

    Attributes:
      entropy: weight of the entropy.
    """

    entropy: Array


def replay(
    env: Env[Any], policy: NetworkPolicy, params: Any, decisions: Decision, carries: Carry
) -> tuple[Array, Array]:
    """Return float32[L, N, A] log probabilities and float32[L, N] values of the decisions.

    The memory moves as it did when they were made: only the acting seat's, and all of a game's
    seats start anew where it ended.
    """
    seen: Seen = jax.vmap(jax.vmap(partial(policy.see, env)))(decisions.state)
    mask = jax.vmap(jax.vmap(env.legal_action_mask))(decisions.state)
    features = policy.features(params, env, seen.observation)
    fresh = policy.init(env)

    def step(carries: Carry, at: tuple[Array, Array, Array]) -> tuple[Carry, Array]:
        read, seats, done = at
        own = own_carry(carries, seats)
        after, output = policy.recur(params, env, own, read)
        carries = moved_on(carries, seats, after)
        again = jax.tree.map(
            lambda new, old: jnp.where(done[:, None, None], new, old), fresh, carries
        )
        return again, output

    _, outputs = jax.lax.scan(step, carries, (features, decisions.seat, decisions.done))
    logits, values = policy.heads(params, env, outputs, seen)
    value_of = partial(policy.learned_value, params, env)
    values = jax.vmap(jax.vmap(value_of))(decisions.state, values)
    return masked_logits(logits, mask), values


def loss(
    params: Any,
    env: Env[Any],
    policy: NetworkPolicy,
    settings: PPOSettings,
    batch: Batch,
    moving: Coefficients,
) -> tuple[Array, dict[str, Array]]:
    """Return float32[], the loss, and what is worth logging, each a float32[]."""
    decisions = batch.decisions
    log_probs, values = replay(env, policy, params, decisions, batch.carries)

    def mean(each: Array) -> Array:
        return (each * batch.weight).sum() / jnp.maximum(batch.weight.sum(), 1.0)

    advantage = batch.advantage
    if settings.normalise_advantages:
        centred = advantage - mean(advantage)
        advantage = centred / (jnp.sqrt(mean(centred**2)) + 1e-8)
    taken = _of_action(log_probs, decisions.action)
    ratio = jnp.exp(taken - _of_action(decisions.log_probs, decisions.action))
    clipped = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    surrogate = -mean(jnp.minimum(ratio * advantage, clipped * advantage))
    value_loss = 0.5 * mean((values - batch.target) ** 2)
    spread = mean(entropy(log_probs))
    prox = mean(kl_divergence(log_probs, decisions.log_probs))
    total = surrogate + settings.value_weight * value_loss - moving.entropy * spread
    total = total + settings.kl_prox * prox
    told = {
        "policy_loss": surrogate,
        "value_loss": value_loss,
        "entropy": spread,
        "kl": prox,
        "clipped": mean((jnp.abs(ratio - 1) > settings.clip).astype(jnp.float32)),
        "ratio_error": jnp.abs((ratio - 1) * batch.weight).max(),
    }
    if decisions.magnet is not None:
        pull = mean(kl_divergence(log_probs, decisions.magnet))
        total = total + settings.kl_magnet * pull
        told["kl_magnet"] = pull
    return total, told


def _of_action(log_probs: Array, action: Array) -> Array:
    """Return float32[..]: the log probability of the action taken."""
    return jnp.take_along_axis(log_probs, action[..., None], axis=-1)[..., 0]
