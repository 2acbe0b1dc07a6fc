"""Playing many games to their end, batch by batch, as one compiled function.

Every batch has the same shape, so there is one compilation. What chance decides in game `i` of
batch `b` follows from the seed, `b`, `i` and the size of the batch alone: keys are drawn before the
games are spread over devices, and the random numbers of jax do not depend on how an array is
sharded.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from talonax.agents.policy import Random
from talonax.cli.errors import UsageError
from talonax.cli.options import local_devices
from talonax.envs.core import IDLE, Env
from talonax.envs.wrappers import Acts, act, fresh_carries, game_keys

#: Sums over one batch are int32.
MAX_STEPS_PER_BATCH = 2**31
#: Batches handed to the device before the first is fetched: it never waits for the host.
AHEAD = 2


class Summary(NamedTuple):
    """What is counted of the games of one batch, by seat where it says [P].

    Attributes:
      wins: int32[P], games in which this seat's return was higher than every other's.
      ties: int32[], games without such a seat.
      returns: float32[P], sums of the returns.
      squares: float32[P], sums of their squares.
      steps: int32[], all steps.
      shortest: int32[], steps of the shortest game.
      longest: int32[], steps of the longest.
      unfinished: int32[], games that `max_steps` did not end.
      illegal: int32[], games that an illegal action ended.
      counts: int32[] by name, what `env.tally` counts.
    """

    wins: Any
    ties: Any
    returns: Any
    squares: Any
    steps: Any
    shortest: Any
    longest: Any
    unfinished: Any
    illegal: Any
    counts: dict[str, Any]


class Trajectories(NamedTuple):
    """The games of one batch, complete.

    Attributes:
      actions: int16[B, max_steps], padded with -1.
      players: int8[B, max_steps], who acted, padded with -1.
      lengths: int32[B], steps.
      rewards: float32[B, P], returns.
      chance: what was dealt: `deck` (int16[B, n]), or for matches `key` (uint32[B, 2]), and a
        `table_<keyword>` of each fact of the table that chance decided.
    """

    actions: Any
    players: Any
    lengths: Any
    rewards: Any
    chance: dict[str, Any]


class Batch(NamedTuple):
    """A batch that was played.

    Attributes:
      games: how many of its games count; the others only fill it up.
      summary: sums over those games.
      trajectories: None unless they are recorded.
    """

    games: int
    summary: Summary
    trajectories: Trajectories | None


class _Playing(NamedTuple):
    """The carry of the loop over steps."""

    states: Any
    carries: Any
    returns: Array
    lengths: Array
    counts: dict[str, Array]
    moves: tuple[Array, Array] | None


@dataclass(frozen=True)
class Driver:
    """Plays batches of fresh games to their end.

    Attributes:
      env: the game.
      policy: plays every seat.
      batch: games in a batch.
      seed: decides everything.
      devices: how many local devices share each batch.
      record: whether to keep trajectories.
      params: what the policy has learned, if anything.
    """

    env: Env[Any]
    policy: Acts
    batch: int
    seed: int
    devices: int = 1
    record: bool = False
    params: Any = None

    def __post_init__(self) -> None:
        local_devices(self.devices)
        if self.batch % self.devices:
            raise UsageError(
                f"--batch {self.batch} cannot be shared by {self.devices} devices: it must be a "
                "multiple of --devices"
            )
        if self.batch * self.env.max_steps >= MAX_STEPS_PER_BATCH:
            most = (MAX_STEPS_PER_BATCH - 1) // self.env.max_steps
            raise UsageError(
                f"--batch {self.batch}: a game of {self.env.id} may take {self.env.max_steps} "
                f"steps, and a batch is counted in 32 bits: at most {most}"
            )

    @cached_property
    def compiled(self) -> Any:
        """The compiled function `(params, key, index, games) -> Summary, Trajectories | None`."""
        arguments = self.params, self._key, jnp.uint32(0), jnp.int32(0)
        return jax.jit(self._play).lower(*arguments).compile()

    def compile(self) -> float:
        """Compile, and return the seconds that it took."""
        start = time.perf_counter()
        _ = self.compiled
        return time.perf_counter() - start

    def batches(self, games: int) -> Iterator[Batch]:
        """Play `games` games and yield the batches as numpy arrays, in order."""
        waiting: list[tuple[int, Any]] = []
        for index in range(-(-games // self.batch)):
            counted = min(self.batch, games - index * self.batch)
            out = self.compiled(self.params, self._key, jnp.uint32(index), jnp.int32(counted))
            waiting.append((counted, out))
            if len(waiting) == AHEAD:
                yield self._fetch(*waiting.pop(0))
        for counted, out in waiting:
            yield self._fetch(counted, out)

    def _fetch(self, games: int, out: tuple[Summary, Trajectories | None]) -> Batch:
        summary, trajectories = jax.device_get(out)
        counts = {name: summary.counts[name] for name in self.counted}
        if trajectories is not None:
            trajectories = jax.tree.map(lambda leaf: leaf[:games], trajectories)
        return Batch(games, summary._replace(counts=counts), trajectories)

    @cached_property
    def counted(self) -> list[str]:
        """The names of what `env.tally` counts, in its order (jax sorts dictionaries)."""
        names: list[str] = []

        def count(key: Array) -> None:
            state = self.env.init(key)
            names.extend(self.env.tally(state, jnp.int32(0), state))

        jax.eval_shape(count, self._key)
        return names

    @cached_property
    def _key(self) -> Array:
        return jax.random.key(self.seed)

    @cached_property
    def _sharding(self) -> NamedSharding:
        mesh = Mesh(np.array(local_devices(self.devices)), ("games",))
        spec = PartitionSpec("games")  # type: ignore[no-untyped-call]
        return NamedSharding(mesh, spec)

    def _play(
        self, params: Any, key: Array, index: Array, games: Array
    ) -> tuple[Summary, Trajectories | None]:
        """Play batch `index`, of which the first `games` games count."""
        for_deals, for_policy = jax.random.split(jax.random.fold_in(key, index))
        keys = jax.random.split(for_deals, self.batch)
        if self.devices > 1:
            keys = lax.with_sharding_constraint(  # type: ignore[no-untyped-call]
                keys, self._sharding
            )
        prepared = jax.vmap(self.env.prepare)(keys)
        start = self._start(jax.vmap(self.env.begin)(prepared))

        def going(carry: tuple[Array, _Playing]) -> Array:
            number, playing = carry
            over: Array = playing.states.finished
            return (number < self.env.max_steps) & ~over.all()

        def one(carry: tuple[Array, _Playing]) -> tuple[Array, _Playing]:
            number, playing = carry
            drawn = jax.random.fold_in(for_policy, number)
            return number + 1, self._step(params, playing, number, drawn)

        _, end = lax.while_loop(going, one, (jnp.int32(0), start))
        summary = _summarise(end, jnp.arange(self.batch) < games)
        if end.moves is None:
            return summary, None
        actions, players = end.moves
        chance = _chance(self.env, keys, prepared.table)
        return summary, Trajectories(actions.T, players.T, end.lengths, end.returns, chance)

    def _start(self, states: Any) -> _Playing:
        moves = None
        if self.record:
            shape = self.env.max_steps, self.batch
            moves = jnp.full(shape, IDLE, jnp.int16), jnp.full(shape, IDLE, jnp.int8)
        return _Playing(
            states=states,
            carries=fresh_carries(self.env, self.policy, self.batch),
            returns=jnp.zeros((self.batch, self.env.num_players), jnp.float32),
            lengths=jnp.zeros(self.batch, jnp.int32),
            counts={name: jnp.zeros(self.batch, jnp.int32) for name in self.counted},
            moves=moves,
        )

    def _step(self, params: Any, playing: _Playing, number: Array, key: Array) -> _Playing:
        before, going = playing.states, ~playing.states.finished
        words = game_keys(key, self.batch)
        actions, carries = act(self.env, self.policy, params, before, playing.carries, words)
        # Random play draws from the legal set; whoever else plays is checked.
        safe = isinstance(self.policy, Random)
        after = jax.vmap(self.env.step_legal if safe else self.env.step)(before, actions)
        tally = jax.vmap(self.env.tally)(before, actions, after)
        counts = {
            name: playing.counts[name] + jnp.where(going, happened, 0)
            for name, happened in tally.items()
        }
        moves = None
        if playing.moves is not None:
            did = jnp.where(going, actions, IDLE).astype(jnp.int16)
            who = before.current_player.astype(jnp.int8)
            moves = (playing.moves[0].at[number].set(did), playing.moves[1].at[number].set(who))
        return _Playing(
            states=after,
            carries=carries,
            returns=playing.returns + after.rewards,
            lengths=playing.lengths + going,
            counts=counts,
            moves=moves,
        )


def _summarise(end: _Playing, counted: Array) -> Summary:
    """Sum over the games that count (bool[B])."""
    best = end.returns == end.returns.max(-1, keepdims=True)
    won = best & (best.sum(-1, keepdims=True) == 1) & counted[:, None]
    returns = jnp.where(counted[:, None], end.returns, 0)

    def total(values: Array) -> Array:
        return jnp.where(counted, values, 0).sum(dtype=jnp.int32)

    return Summary(
        wins=won.sum(0, dtype=jnp.int32),
        ties=total(~won.any(-1)),
        returns=returns.sum(0),
        squares=(returns**2).sum(0),
        steps=total(end.lengths),
        shortest=jnp.where(counted, end.lengths, end.lengths.max()).min(),
        longest=jnp.where(counted, end.lengths, 0).max(),
        unfinished=total(~end.states.finished),
        illegal=total(end.states.illegal),
        counts={name: total(values) for name, values in end.counts.items()},
    )


def _chance(env: Env[Any], keys: Array, table: dict[str, Array]) -> dict[str, Array]:
    """Return what a game is dealt again from: its key, or its deck and what else chance decided."""
    if env.deals_again:
        return {"key": jax.random.key_data(keys)}
    decks = jax.vmap(lambda key: env.deck(key, 0))(keys).astype(jnp.int16)
    return {"deck": decks, **{f"table_{name}": value for name, value in table.items()}}
