"""Measuring how fast games are played.

What is compared is measured in turns, in the same run: every repeat gives each contender its turn,
and medians are taken over the repeats, so that a busy moment of the machine falls on all alike.
Every call gets a fresh key and is waited for. Random play throughout, in three ways:

* `games`: a batch of fresh games is dealt and played to the end of the last one; nothing is dealt
  anew.
* `rollout`: the steady state: `wrappers.rollout` from games that are at different steps, each call
  going on where the last one stopped.
* `observe`: the same, and before every step the player to move observes.

`init` and `step` are single calls of a compiled batch, dispatch included.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.experimental.compilation_cache import compilation_cache

from talonax.agents.policy import Random
from talonax.envs import cards
from talonax.envs.core import Env
from talonax.envs.wrappers import Dealer, rollout

#: A turn lasts at least this long: short calls are repeated.
TURN_SECONDS = 0.25
#: Steps of one call of `rollout`, and its bounds; large batches take fewer.
ROLLOUT_STEPS = 256
LEAST_ROLLOUT_STEPS = 64
ROLLOUT_WORK = 1 << 24


Out = TypeVar("Out")


class Work(NamedTuple):
    """What one call did.

    Attributes:
      steps: how many steps; 0 if it makes none.
      games: how many games were finished (dealt, by `init`); 0 if that is not counted.
      seconds: how long it took by its own clock; None: by ours.
    """

    steps: int
    games: int
    seconds: float | None = None


@dataclass(frozen=True)
class Contender:
    """Something whose speed is measured.

    Attributes:
      game: what is played.
      mode: `init`, `step`, `games`, `rollout` or `observe`.
      batch: games side by side.
      run: does one call with a fresh key, and waits for it.
      compile_seconds: how long it took to trace and compile; None if that is not known.
      state_bytes: bytes of a state; None if that is not known.
    """

    game: str
    mode: str
    batch: int
    run: Callable[[Array], Work]
    compile_seconds: float | None = None
    state_bytes: int | None = None


@dataclass(frozen=True)
class Row:
    """The speed of a contender: medians over the repeats."""

    game: str
    mode: str
    batch: int
    steps_per_second: float | None
    games_per_second: float | None
    compile_seconds: float | None
    state_bytes: int | None


def wait(out: Out) -> Out:
    """Return `out`, once it is there."""
    there: Out = jax.block_until_ready(out)  # type: ignore[no-untyped-call]
    return there


def state_bytes(env: Env[Any]) -> int:
    """Return the bytes of one state."""
    return tree_bytes(jax.eval_shape(env.init, jax.random.key(0)))


def tree_bytes(shapes: Any) -> int:
    """Return the bytes of all leaves."""
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(shapes))


@contextmanager
def uncached() -> Iterator[None]:
    """Compile anew, whatever is in jax's cache on disk."""
    config: Any = jax.config
    before = bool(config.jax_enable_compilation_cache)
    config.update("jax_enable_compilation_cache", False)
    compilation_cache.reset_cache()  # whether it is in use is looked up once
    try:
        yield
    finally:
        config.update("jax_enable_compilation_cache", before)
        compilation_cache.reset_cache()


def compiled(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return the compiled function, and the seconds that tracing and compiling took."""
    start = time.perf_counter()
    with uncached():
        made = jax.jit(function).lower(*arguments).compile()
    return made, time.perf_counter() - start


def race(
    contenders: Sequence[Contender],
    *,
    repeats: int,
    seed: int,
    advance: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Measure contenders in turns.

    Args:
      contenders: what to measure.
      repeats: turns of each.
      seed: decides the keys.
      advance: called after every turn.

    Returns:
      A row for each contender, in order.
    """
    keys = _keys(seed)
    calls = [_calls_per_turn(contender, keys) for contender in contenders]
    speeds: list[list[tuple[float, float]]] = [[] for _ in contenders]
    for _ in range(repeats):
        for contender, number, measured in zip(contenders, calls, speeds, strict=True):
            measured.append(_turn(contender, [next(keys) for _ in range(number)]))
            advance()
    return [_row(contender, each) for contender, each in zip(contenders, speeds, strict=True)]


def _keys(seed: int) -> Iterator[Array]:
    key, number = jax.random.key(seed), 0
    while True:
        yield jax.random.fold_in(key, number)
        number += 1


def _calls_per_turn(contender: Contender, keys: Iterator[Array]) -> int:
    contender.run(next(keys))
    start = time.perf_counter()
    contender.run(next(keys))
    return max(1, round(TURN_SECONDS / (time.perf_counter() - start)))


def _turn(contender: Contender, keys: Sequence[Array]) -> tuple[float, float]:
    """Return steps and games a second over a call with each key."""
    wait(keys)
    start = time.perf_counter()
    done = [contender.run(key) for key in keys]
    seconds = time.perf_counter() - start
    if all(work.seconds is not None for work in done):
        seconds = sum(work.seconds or 0.0 for work in done)
    return sum(w.steps for w in done) / seconds, sum(w.games for w in done) / seconds


def _row(contender: Contender, speeds: list[tuple[float, float]]) -> Row:
    steps, games = (statistics.median(each) for each in zip(*speeds, strict=True))
    return Row(
        game=contender.game,
        mode=contender.mode,
        batch=contender.batch,
        steps_per_second=steps or None,
        games_per_second=games or None,
        compile_seconds=contender.compile_seconds,
        state_bytes=contender.state_bytes,
    )


# What is measured of a game ---------------------------------------------------------------------


def contenders(name: str, env: Env[Any], batch: int, modes: Sequence[str]) -> list[Contender]:
    """Return what is measured of a game: one contender for each of the modes."""
    made = {
        "init": _init,
        "step": _step,
        "games": _games,
        "rollout": _rollout,
        "observe": _observe,
    }
    return [made[mode](name, env, batch) for mode in modes]


def _init(name: str, env: Env[Any], batch: int) -> Contender:
    def deal(key: Array) -> Any:
        return jax.vmap(env.init)(jax.random.split(key, batch))

    function, seconds = compiled(deal, jax.random.key(0))

    def run(key: Array) -> Work:
        wait(function(key))
        return Work(0, batch)

    return Contender(name, "init", batch, run, seconds, state_bytes(env))


def _step(name: str, env: Env[Any], batch: int) -> Contender:
    """One step of games that have just been dealt."""

    def start(key: Array) -> tuple[Any, Array]:
        states = jax.vmap(env.init)(jax.random.split(key, batch))
        return states, _choose(env, states, jax.random.bits(key, (batch,), jnp.uint32))

    states, actions = jax.jit(start)(jax.random.key(0))
    function, seconds = compiled(jax.vmap(env.step), states, actions)

    def run(key: Array) -> Work:
        del key  # a step draws nothing
        wait(function(states, actions))
        return Work(batch, 0)

    return Contender(name, "step", batch, run, seconds, state_bytes(env))


def _games(name: str, env: Env[Any], batch: int) -> Contender:
    function, seconds = compiled(lambda key: play_out(env, batch, key), jax.random.key(0))

    def run(key: Array) -> Work:
        out = wait(function(key))
        return Work(int(out[2].sum()), batch)

    return Contender(name, "games", batch, run, seconds, state_bytes(env))


def play_out(env: Env[Any], batch: int, key: Array) -> tuple[Any, Array, Array]:
    """Deal a batch of games and play them at random until the last one is over.

    Returns:
      The states [B, ..], the returns (float32[B, P]) and the steps (int32[B]) of the games.
    """
    for_deals, for_actions = jax.random.split(key)
    states = jax.vmap(env.init)(jax.random.split(for_deals, batch))
    bits = jax.random.bits(for_actions, (env.max_steps, batch), jnp.uint32)
    returns = jnp.zeros((batch, env.num_players), jnp.float32)

    def going(carry: tuple[Array, Any, Array, Array]) -> Array:
        over: Array = carry[1].finished
        return (carry[0] < env.max_steps) & ~over.all()

    def one(carry: tuple[Array, Any, Array, Array]) -> tuple[Array, Any, Array, Array]:
        number, states, returns, lengths = carry
        actions = _choose(env, states, bits[number])
        lengths = lengths + ~states.finished
        states = jax.vmap(env.step_legal)(states, actions)
        return number + 1, states, returns + states.rewards, lengths

    start = (jnp.int32(0), states, returns, jnp.zeros(batch, jnp.int32))
    _, states, returns, lengths = lax.while_loop(going, one, start)
    return states, returns, lengths


def _choose(env: Env[Any], states: Any, bits: Array) -> Array:
    """Return a random legal action for each game (int32[B]) from random bits (uint32[B])."""
    chosen: Array = jax.vmap(cards.draw_one)(jax.vmap(env.legal_set)(states), bits)
    return chosen


def _rollout(name: str, env: Env[Any], batch: int) -> Contender:
    steps = _steps(batch)

    def go_on(states: Any, key: Array) -> tuple[Any, Array]:
        out = rollout(env, Random(), states, key, steps)
        return out.states, out.games

    states = _dealt(env, batch)
    return _steady(name, "rollout", env, batch, go_on, states)


def _observe(name: str, env: Env[Any], batch: int) -> Contender:
    steps = _steps(batch)

    def go_on(carry: tuple[Any, Array], key: Array) -> tuple[tuple[Any, Array], Array]:
        for_deals, for_actions = jax.random.split(key)
        dealer = Dealer.ahead(env, for_deals, batch, steps)

        def one(carry: tuple[Any, ...], bits: Array) -> tuple[tuple[Any, ...], None]:
            states, _, dealer, games = carry
            # Carried along, so that what every player observes is written out in full.
            seen = jax.vmap(env.observe)(states, states.current_player)
            states, last, dealer = dealer.step(env, states, _choose(env, states, bits))
            return (states, seen, dealer, games + last.finished.sum(dtype=jnp.int32)), None

        bits = jax.random.bits(for_actions, (steps, batch), jnp.uint32)
        (states, seen, _, games), _ = lax.scan(one, (*carry, dealer, jnp.int32(0)), bits)
        return (states, seen), games

    seen = jnp.zeros((batch, *env.observation_shape), jnp.float32)
    return _steady(name, "observe", env, batch, go_on, (_dealt(env, batch), seen))


def _steps(batch: int) -> int:
    """Return the steps of one call of a steady state."""
    return min(ROLLOUT_STEPS, max(LEAST_ROLLOUT_STEPS, ROLLOUT_WORK // batch))


def _dealt(env: Env[Any], batch: int) -> Any:
    return jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), batch))


def _steady(
    name: str,
    mode: str,
    env: Env[Any],
    batch: int,
    go_on: Callable[[Any, Array], tuple[Any, Array]],
    carry: Any,
) -> Contender:
    """Return the contender that goes on where it stopped, from games at different steps.

    Args:
      name: what it is called.
      mode: the mode.
      env: the game.
      batch: games side by side.
      go_on: `_steps(batch)` steps from a carry and a key; returns the next carry and the number of
        games that ended.
      carry: the first one.
    """
    steps = _steps(batch)
    function, seconds = compiled(go_on, carry, jax.random.key(0))
    for number in range(-(-2 * env.typical_steps // steps)):
        carry, _ = function(carry, jax.random.key(number))

    def run(key: Array) -> Work:
        nonlocal carry
        carry, games = wait(function(carry, key))
        return Work(batch * steps, int(games))

    return Contender(name, mode, batch, run, seconds, state_bytes(env))
