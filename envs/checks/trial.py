"""One env on trial: games played at random and recorded, and what the checks say when one fails.

All games are played as one batch under `jit`, and every check looks at many positions at once, so
that a trial compiles a handful of functions and takes seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from talonax.envs import cards
from talonax.envs.core import Env

#: The key of every trial: a failure shows itself again.
SEED = 0
#: Random play goes on in pieces of this many steps until all games are over.
PIECE = 32
#: How many positions the checks look at.
POSITIONS = 1024
#: One in so many of them is the end of a game, and as many are the ones before the end.
FROM_THE_END = 4
#: So many seats are tried at each of them, where one seat looks or re-deals.
SEATS = 2


class ContractError(AssertionError):
    """An env breaks a promise of the contract; says which one, and where."""


class Positions(NamedTuple):
    """Positions of the recorded games, with what was done there.

    Attributes:
      states: leaves [N, ..], numpy.
      actions: int32[N], the legal action taken; 0 where the game is over.
      after: leaves [N, ..], what it led to; the same state where the game is over.
      game: int[N], which game.
      step: int[N], at which step.
      seat: int32[N], who looks or re-deals there, if one seat does.
    """

    states: Any
    actions: np.ndarray
    after: Any
    game: np.ndarray
    step: np.ndarray
    seat: np.ndarray | None = None

    @property
    def finished(self) -> np.ndarray:
        """bool[N]: the game is over there."""
        over: np.ndarray = self.states.terminated | self.states.truncated
        return over


class Look(NamedTuple):
    """What can be read off a position: leaves [N, ..] for N positions, seats before other axes."""

    mask: Any
    phase: Any
    observations: tuple[Any, ...]
    planes: Any
    information: Any


@dataclass(frozen=True)
class Trial:
    """An env, and the functions of it that the checks share, each compiled once.

    Attributes:
      env: the env on trial.
      games: how many games are played.
    """

    env: Env[Any]
    games: int

    @cached_property
    def keys(self) -> Array:
        """uint32[games, 2]: a key for each game."""
        return jax.random.key_data(jax.random.split(jax.random.key(SEED), self.games))

    @cached_property
    def init(self) -> Callable[..., Any]:
        """`env.init` of many games."""
        return jax.jit(jax.vmap(self.env.init))

    @cached_property
    def step_one(self) -> Callable[..., Any]:
        """`env.step` of one game; what else makes steps calls this, which is traced once."""
        return jax.jit(self.env.step)

    @cached_property
    def step(self) -> Callable[..., Any]:
        """`env.step` of many games."""
        return jax.jit(jax.vmap(self.step_one))

    @cached_property
    def redeal(self) -> Callable[..., Any]:
        """`env.redeal` of many games."""
        return jax.jit(jax.vmap(self.env.redeal))

    @cached_property
    def look_one(self) -> Callable[..., Look]:
        """What every seat sees of one game; traced once, as `step_one` is."""
        return jax.jit(partial(look, self.env))

    @cached_property
    def look(self) -> Callable[..., Look]:
        """What every seat sees of many games."""
        return jax.jit(jax.vmap(self.look_one))

    @cached_property
    def play(self) -> Callable[..., Any]:
        """`PIECE` random steps of many games: the states after, and the record."""
        return jax.jit(partial(_play, self.env, self.step_one))

    @cached_property
    def recording(self) -> tuple[Any, np.ndarray]:
        """All games from deal to end: states, leaves [T + 1, games, ..]; actions int32[T, games].

        Raises:
          ContractError: a game goes on after `max_steps`.
        """
        states = self.init(self.keys)
        pieces: list[Any] = []
        played = 0
        while not bool(jnp.all(states.finished)):
            if played >= self.env.max_steps:
                self.fail(f"a game is over within max_steps = {self.env.max_steps}")
            key = jax.random.fold_in(jax.random.key(SEED), played)
            states, piece = self.play(states, key)
            pieces.append(jax.device_get(piece))
            played += PIECE
        pieces = pieces or [jax.device_get(self.play(states, jax.random.key(SEED))[1])]
        before, actions = jax.tree.map(lambda *each: np.concatenate(each), *pieces)
        end = jax.device_get(states)
        return jax.tree.map(lambda all_, last: np.append(all_, last[None], 0), before, end), actions

    @cached_property
    def positions(self) -> Positions:
        """Positions of all kinds: of every game the last ones, and others at random."""
        states, actions = self.recording
        over = (states.terminated | states.truncated)[:-1]
        length, games = over.shape
        alive, ends = np.argwhere(~over), (~over).sum(axis=0)
        rng = np.random.default_rng(SEED)
        others = alive[rng.permutation(len(alive))]
        last = np.stack([np.maximum(ends - 1, 0), np.arange(games)], axis=1)
        final = np.stack([np.minimum(ends, length - 1), np.arange(games)], axis=1)
        share = POSITIONS // FROM_THE_END
        chosen = np.concatenate([final[:share], last[:share], others])
        step, game = np.resize(chosen, (POSITIONS, 2)).T

        def at(step: np.ndarray) -> Any:
            return jax.tree.map(lambda leaf: leaf[step, game], states)

        done = over[step, game]
        taken = np.where(done, 0, actions[step, game]).astype(np.int32)
        return Positions(at(step), taken, at(np.where(done, step, step + 1)), game, step)

    def seated(self, turn: int) -> Positions:
        """Return the positions, with a seat at each: another one in each of `SEATS` turns."""
        seats = (np.arange(POSITIONS) + turn) % self.env.num_players
        return self.positions._replace(seat=seats.astype(np.int32))

    def keys_of(self, number: int) -> Array:
        """Return uint32[N, 2]: fresh keys, one a position."""
        key = jax.random.fold_in(jax.random.key(SEED + 1), number)
        return jax.random.key_data(jax.random.split(key, POSITIONS))

    def fail(self, promise: str, where: str = "") -> None:
        """Raise the error of a broken promise."""
        place = f" ({where})" if where else ""
        raise ContractError(f"{self.env!r} breaks a promise: {promise}{place}; seed {SEED}")

    def require(self, holds: Any, promise: str, at: Positions | None = None) -> None:
        """Fail unless `holds`: bool, or bool[N, ..] over the positions `at`."""
        truth = np.asarray(holds)
        if truth.all():
            return
        if at is None or truth.ndim == 0:
            self.fail(promise)
            return
        first = int(np.argwhere(~truth)[0][0])
        seat = "" if at.seat is None else f", seat {at.seat[first]}"
        self.fail(promise, f"game {at.game[first]}, step {at.step[first]}{seat}")

    def require_same(
        self, found: Any, wanted: Any, promise: str, at: Positions | None = None
    ) -> None:
        """Fail unless two trees are the same bit for bit, dtypes too; names a difference."""
        left, right = jax.tree_util.tree_leaves_with_path(found), jax.tree.leaves(wanted)
        self.require(len(left) == len(right), f"{promise}: as many fields")
        for (path, a), b in zip(left, right, strict=True):
            name = f"{promise} (field {jax.tree_util.keystr(path) or 'itself'})"
            a, b = np.asarray(a), np.asarray(b)
            self.require(a.dtype == b.dtype and a.shape == b.shape, f"{name}: {_kinds(a, b)}")
            self.require(a == b, name, at)


def _kinds(a: np.ndarray, b: np.ndarray) -> str:
    return f"{a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"


def look(env: Env[Any], state: Any) -> Look:
    """Return all that can be read off one position."""
    information = getattr(env, "information_state", None)
    layouts = [type(env)(rules=env.rules, observation=layout) for layout in env.layouts]

    def of_each_seat(see: Any) -> Any:  # by vmap: a loop would compile once for each
        return jax.vmap(see, (None, 0))(state, jnp.arange(env.num_players))

    return Look(
        mask=env.legal_action_mask(state),
        phase=env.phase(state),
        observations=tuple(of_each_seat(layout.observe) for layout in layouts),
        planes=of_each_seat(env.card_tensor),
        information=None if information is None else of_each_seat(information),
    )


def _play(env: Env[Any], step: Callable[..., Any], states: Any, key: Array) -> Any:
    games = states.terminated.shape[0]

    def one(state: Any, bits: Array) -> Any:
        action = cards.draw_one(env.legal_set(state), bits)
        return step(state, action), action

    def body(states: Any, bits: Array) -> Any:
        after, actions = jax.vmap(one)(states, bits)
        return after, (states, actions)

    return lax.scan(body, states, jax.random.bits(key, (PIECE, games), jnp.uint32))
