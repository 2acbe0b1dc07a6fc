"""Learning: a `Runner` that goes through updates, all of it one pytree and one compiled call.

An update plays on (`experience.play_on`), estimates advantages seat by seat (`gae.advantages`) and
goes through the chunks in minibatches (`loss.loss`). The runner holds all that an update changes:
saved and restored it goes on bit for bit.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from talonax.agents import policy as policies
from talonax.agents.distributions import require
from talonax.agents.network import NetworkPolicy
from talonax.agents.ppo_lstm.experience import Decision, Opponent, Players, Table, play_on, sit_down
from talonax.agents.ppo_lstm.gae import advantages
from talonax.agents.ppo_lstm.loss import Batch, Coefficients, loss
from talonax.configs.train.schema import LEAGUE, SELF, PPOSettings
from talonax.envs.core import Env

#: How fast the running deviation of returns follows.
UNIT_DECAY = 0.99


class Runner(NamedTuple):
    """All that an update changes.

    Attributes:
      params: the policy.
      optimiser: the state of Adam.
      average: the moving average of the parameters.
      magnet: the reference policy.
      league: earlier parameters; leaves [league_size, ..].
      table: the games in progress.
      unit: float32[], what values are measured in, in points.
      key: uint32[2], what chance follows from.
      update: int32[], updates made.
    """

    params: Any
    optimiser: Any
    average: Any
    magnet: Any
    league: Any
    table: Table
    unit: Array
    key: Array
    update: Array


class Learner(NamedTuple):
    """A game, a policy and settings: what the functions of this module close over. Hashable."""

    env: Env[Any]
    policy: NetworkPolicy
    settings: PPOSettings

    @property
    def optimiser(self) -> optax.GradientTransformation:
        """Adam with a clipped gradient; its rate falls on a line."""
        settings = self.settings
        gradients = settings.updates * settings.epochs * settings.minibatches
        rate = optax.linear_schedule(
            settings.learning_rate, settings.learning_rate_end, max(1, gradients)
        )
        return optax.chain(
            optax.clip_by_global_norm(settings.gradient_clip), optax.adam(rate, eps=1e-5)
        )

    @property
    def entropy(self) -> optax.Schedule:
        """The weight of the entropy after so many updates; it falls by a power of what is left."""
        settings = self.settings
        return optax.polynomial_schedule(
            settings.entropy,
            settings.entropy_end,
            settings.entropy_power,
            max(1, settings.updates),
        )

    def players(self, params: Any, magnet: Any, league: Any) -> Players:
        """Return who plays; the magnet only where something is made of what it tells."""
        told = magnet if self.settings.kl_magnet > 0 else None
        return Players(self.env, self.policy, params, told, self.opponents(league))

    def opponents(self, league: Any) -> tuple[Opponent, ...]:
        """Return who plays in which slice of the batch: bots, earlier selves, by their shares."""
        settings, seated = self.settings, []
        for name, first, last in _slices(settings):
            if name == LEAGUE:
                bounds = _bounds(first, last, [1 / settings.league_size] * settings.league_size)
                for member, (one, other) in enumerate(bounds):
                    params = jax.tree.map(lambda leaf, member=member: leaf[member], league)
                    seated.append(Opponent(self.policy, params, one, other))
            elif name != SELF:
                seated.append(Opponent(policies.by_name(self.env.id, name), None, first, last))
        return tuple(each for each in seated if each.last > each.first)


def _slices(settings: PPOSettings) -> list[tuple[str, int, int]]:
    """Return the games against each opponent, oneself last: name, the first, one past the last."""
    mix = sorted(settings.opponents, key=lambda each: each[0] == SELF)
    bounds = _bounds(0, settings.envs, [share for _, share in mix])
    return [(name, *each) for (name, _), each in zip(mix, bounds, strict=True)]


def _bounds(first: int, last: int, shares: Sequence[float]) -> list[tuple[int, int]]:
    """Cut `first` .. `last` into parts by their shares, which add up to 1; no game is left out."""
    cuts = [first + round((last - first) * sum(shares[:n])) for n in range(len(shares) + 1)]
    return list(pairwise(cuts))


def learner(env: Env[Any], settings: PPOSettings) -> Learner:
    """Return a learner of `env`.

    Raises:
      ImportError: a package that learning needs is not installed.
      ValueError: the settings name a bot that the game does not have.
    """
    require()
    for name, _ in settings.opponents:
        if name not in (SELF, LEAGUE):
            policies.by_name(env.id, name)
    critic = settings.critic if settings.privileged_critic else ()
    policy = NetworkPolicy(settings.trunk, settings.lstm, critic, settings.rename_suits)
    return Learner(env, policy, settings)


def start(learner: Learner, key: Array) -> Runner:
    """Return the runner before its first update. Pure: `vmap` over keys gives a runner a seed."""
    settings = learner.settings
    for_params, for_games, for_later = jax.random.split(key, 3)
    params = learner.policy.init_params(learner.env, for_params)
    league = jax.tree.map(lambda leaf: jnp.stack([leaf] * settings.league_size), params)
    table = sit_down(learner.players(params, params, league), for_games, settings.envs)
    return Runner(
        params=params,
        optimiser=learner.optimiser.init(params),
        average=jax.tree.map(jnp.copy, params),  # updates consume their runner: no two leaves
        magnet=jax.tree.map(jnp.copy, params),  # may share their memory
        league=league,
        table=table,
        unit=jnp.float32(learner.env.max_loss),
        key=jax.random.key_data(for_later),
        update=jnp.int32(0),
    )


def updates(
    learner: Learner, places: Any = None
) -> Callable[[Runner], tuple[Runner, dict[str, Array]]]:
    """Return the compiled function that makes `updates_per_call` updates; it consumes its runner.

    It returns the runner after them, and the mean of each thing logged, a float32[] each; of
    `ratio_error`, the largest.

    Args:
      learner: what learns.
      places: where each part of the runner lies (`devices.placed`); where jax likes if None.
    """

    def call(runner: Runner) -> tuple[Runner, dict[str, Array]]:
        def one(runner: Runner, _: None) -> tuple[Runner, dict[str, Array]]:
            return update(learner, runner)

        runner, told = jax.lax.scan(one, runner, None, learner.settings.updates_per_call)
        means = {name: value.mean() for name, value in told.items()}
        return runner, means | {"ratio_error": told["ratio_error"].max()}

    if places is None:
        return jax.jit(call, donate_argnums=0)
    return jax.jit(call, donate_argnums=0, in_shardings=(places,), out_shardings=(places, None))


def update(learner: Learner, runner: Runner) -> tuple[Runner, dict[str, Array]]:
    """Play on and learn from it. Pure."""
    settings = learner.settings
    key = jax.random.wrap_key_data(runner.key)
    for_play, for_batches, for_later = jax.random.split(key, 3)
    players = learner.players(runner.params, runner.magnet, runner.league)
    table, decisions, starts = play_on(
        players, runner.table, for_play, settings.steps, settings.chunk
    )
    batch, unit, told = _batch(learner, runner, decisions, starts)
    params, optimiser, losses = _learn(learner, runner, batch, for_batches)
    number = runner.update + 1
    return (
        Runner(
            params=params,
            optimiser=optimiser,
            average=optax.incremental_update(params, runner.average, 1 - settings.average),
            magnet=_when(number % settings.refresh == 0, params, runner.magnet),
            league=_promote(settings, runner.league, params, number),
            table=table,
            unit=unit,
            key=jax.random.key_data(for_later),
            update=number,
        ),
        told | losses,
    )


def _batch(
    learner: Learner, runner: Runner, decisions: Decision, starts: Any
) -> tuple[Batch, Array, dict[str, Array]]:
    """Return the rollout as chunks, leaves [L, C * B, ..], with advantages in reward units."""
    settings = learner.settings
    estimate = partial(advantages, discount=settings.discount, trace=settings.trace)
    earned = decisions.reward if settings.objective == "points" else jnp.sign(decisions.reward)
    rewards = earned / runner.unit
    found = jax.vmap(estimate, in_axes=1, out_axes=1)(
        decisions.seat, decisions.value, rewards, decisions.done
    )
    weight = (found.known & decisions.learns).astype(jnp.float32)
    unit = runner.unit
    if settings.reward_unit == "deviation":
        spread = jnp.sqrt(
            (weight * (found.target * unit) ** 2).sum() / jnp.maximum(weight.sum(), 1)
        )
        unit = jnp.where(runner.update == 0, spread, UNIT_DECAY * unit + (1 - UNIT_DECAY) * spread)
        unit = jnp.maximum(unit, 1e-3 * learner.env.max_loss)
    told = {
        "masked": 1 - found.known.mean(),
        "reward_unit": unit,
        "games": decisions.done.sum().astype(jnp.float32),
    }
    chunks = settings.steps // settings.chunk

    def cut(leaf: Array) -> Array:
        parts = leaf.reshape(chunks, settings.chunk, settings.envs, *leaf.shape[2:])
        return jnp.moveaxis(parts, 0, 1).reshape(settings.chunk, -1, *leaf.shape[2:])

    carries = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), starts)
    whole = jax.tree.map(cut, (decisions, found.advantage, found.target, weight))
    return Batch(whole[0], carries, *whole[1:]), unit, told


def _learn(
    learner: Learner, runner: Runner, batch: Batch, key: Array
) -> tuple[Any, Any, dict[str, Array]]:
    """Go through the chunks `epochs` times in minibatches."""
    settings = learner.settings
    moving = Coefficients(entropy=jnp.asarray(learner.entropy(runner.update), jnp.float32))
    optimiser = learner.optimiser
    sequences = batch.weight.shape[1]

    def step(carry: tuple[Any, Any], chosen: Array) -> tuple[tuple[Any, Any], dict[str, Array]]:
        params, state = carry
        part = batch.part(chosen)
        gradient, told = jax.grad(loss, has_aux=True)(
            params, learner.env, learner.policy, settings, part, moving
        )
        changes, state = optimiser.update(gradient, state, params)
        told["gradient_norm"] = optax.tree.norm(gradient)
        return (optax.apply_updates(params, changes), state), told

    def epoch(carry: tuple[Any, Any], key: Array) -> tuple[tuple[Any, Any], dict[str, Array]]:
        order = jax.random.permutation(key, sequences).reshape(settings.minibatches, -1)
        return jax.lax.scan(step, carry, order)

    keys = jax.random.split(key, settings.epochs)
    (params, state), told = jax.lax.scan(epoch, (runner.params, runner.optimiser), keys)
    means = {name: value.mean() for name, value in told.items() if name != "ratio_error"}
    # Before the first gradient step the policy is the one that played: anything but 0 is a bug.
    return params, state, {**means, "ratio_error": told["ratio_error"][0, 0]}


def _promote(settings: PPOSettings, league: Any, params: Any, number: Array) -> Any:
    """Return the league, its eldest replaced by the policy of now when it is time."""
    due = number % settings.league_every == 0
    place = number // settings.league_every % settings.league_size

    def put(old: Array, new: Array) -> Array:
        here = jnp.arange(settings.league_size) == place
        return jnp.where((due & here).reshape(-1, *(1,) * new.ndim), new, old)

    return jax.tree.map(put, league, params)


def _when(condition: Array, yes: Any, no: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)
