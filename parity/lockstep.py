"""Lockstep: the JAX env and the reference engine play the same games, and everything is compared.

Three quarters of the games are random, each with a taste of its own for some actions, so that rare
ones are common somewhere; the env chooses. One quarter is directed: the engine's scenarios drive
games to rare places. Either way both sides then play the same actions from the same decks (the env
all games at once, in one vmapped batch; the engine one at a time), and after every step player to
move, legal set, rewards, end, every fact, every player's observation in every layout, and his
planes must be equal.

This is the one module that knows both sides.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax import parity
from talonax.configs.games import get
from talonax.configs.rules import as_dict
from talonax.envs.core import Env
from talonax.envs.registry import make
from talonax.parity.game import GameSpec, GameState

#: One game in this many is directed.
DIRECTED = 4
#: Steps that one batch records, about: what it keeps of each is a few kilobytes.
RECORDED_STEPS = 12_000
#: Steps of each game that one call makes.
BLOCK = 512
#: A game is taken to be no longer than this where batches are cut to size, however long it may be.
LONG_GAME = 4 * BLOCK
#: The env's numbers are float32: this far off at most, or this part of what they should be.
TOLERANCE = 1e-6
#: How much a random game may prefer an action: 0 is uniform play, 8 nearly always the same.
TASTES = (0.0, 0.0, 2.0, 8.0)

#: What is compared of a position, by name; seats are part of the name.
Snapshot = dict[str, Any]
#: An env's `step`.
_Step = Callable[[Any, Array], Any]
#: Called after every batch with the number of games and steps compared so far.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Report:
    """What a run compared.

    Attributes:
      game: the game's id.
      profile: the profile.
      rules: its flags.
      games: games played.
      steps: actions made.
      seed: the seed.
      seconds: how long it took.
      differences: games in which the two sides differed.
      first: the first difference, or None: `game` (its index), `step`, `field`, `deal` (the decks),
        `seat` (of the player to move), `moves` (names up to there), and what `env` and `engine`
        say.
      scenarios: how many directed games reached each scenario.
    """

    game: str
    profile: str
    rules: dict[str, Any]
    games: int
    steps: int
    seed: int
    seconds: float
    differences: int
    first: dict[str, Any] | None
    scenarios: dict[str, int] = field(default_factory=dict)


def run(
    game: str,
    *,
    profile: str | Path | None = None,
    flags: Mapping[str, Any] | None = None,
    games: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Play `games` games on both sides and compare everything at every step.

    Args:
      game: a registered id with a reference engine.
      profile: a profile's name or file; the default if None.
      flags: flags that override the profile.
      games: how many games.
      seed: what decks and choices follow from.
      progress: told after every batch.

    Raises:
      UnknownGameError: no such game or profile, or no engine.
      RulesError: rules that the schema refuses.
      ValueError: fewer than one game.
    """
    if games < 1:
        raise ValueError(f"games: at least 1 is needed, got {games}")
    env = make(game, profile, **(flags or {}))
    spec = parity.spec(game, profile, **(flags or {}))
    sides = _Sides(env, spec)
    batch = min(games, RECORDED_STEPS // min(env.max_steps, LONG_GAME))
    started, steps, differing, first = time.perf_counter(), 0, 0, None
    reached = dict.fromkeys(spec.scenarios, 0)
    for start in range(0, games, batch):
        number = min(batch, games - start)
        played = sides.play(seed, start, batch, number)
        steps += sum(len(each.actions) for each in played.games)
        for name in played.reached:
            reached[name] += 1
        differences = list(sides.compare(played, start))
        differing += len(differences)
        first = first or next(iter(differences), None)
        if progress is not None:
            progress(start + number, steps)
    return Report(
        game=game,
        profile=str(profile or get(game).default_profile),
        rules=as_dict(env.rules),
        games=games,
        steps=steps,
        seed=seed,
        seconds=time.perf_counter() - started,
        differences=differing,
        first=first,
        scenarios=reached,
    )


# The env's side ---------------------------------------------------------------------------------


def snapshot(env: Env[Any], state: Any) -> dict[str, Array]:
    """Return all that is compared of an env's position: arrays by name."""
    taken = {
        "current_player": state.current_player,
        "legal": env.legal_action_mask(state) & ~state.finished,
        "rewards": state.rewards,
        "over": state.finished,
    }
    for name, value in env.facts(state).items():
        taken[f"facts.{name}"] = value
    seats = jnp.arange(env.num_players)  # by vmap: a loop would compile once for each seat
    for layout in env.layouts:
        seen = jax.vmap(replace(env, observation=layout).observe, (None, 0))(state, seats)
        taken |= {
            f"observation.{layout}.{seat}": seen[seat].ravel() for seat in range(env.num_players)
        }
    planes = jax.vmap(env.card_tensor, (None, 0))(state, seats)
    return taken | {f"planes.{seat}": planes[seat].ravel() for seat in range(env.num_players)}


def _taste(env: Env[Any], key: Array) -> Array:
    """Return float32[num_actions]: how much one random game prefers each action."""
    for_taste, for_strength = jax.random.split(jax.random.fold_in(key, 1))
    strength = jax.random.choice(for_strength, jnp.array(TASTES))
    return strength * jax.random.normal(for_taste, (env.num_actions,))


def _choices(
    env: Env[Any], make_step: _Step, taste: Array, state: Any, key: Array
) -> tuple[Any, Array]:
    """Play a block of a random game; return its end and int32[BLOCK]: the actions, -1 once over."""

    def step(state: Any, key: Array) -> tuple[Any, Array]:
        wish = jnp.where(env.legal_action_mask(state), taste, -jnp.inf)
        action = jax.random.categorical(key, wish).astype(jnp.int32)
        return make_step(state, action), jnp.where(state.finished, -1, action)

    end: tuple[Any, Array] = jax.lax.scan(step, state, jax.random.split(key, _block(env)))
    return end


def _trace(
    make_step: _Step, see: Callable[[Any], dict[str, Array]], state: Any, actions: Array
) -> tuple[Any, dict[str, Array]]:
    """Return the end of a block of one game, and the snapshots after each action."""

    def step(state: Any, action: Array) -> tuple[Any, dict[str, Array]]:
        state = make_step(state, action)
        return state, see(state)

    end: tuple[Any, dict[str, Array]] = jax.lax.scan(step, state, actions)
    return end


def _block(env: Env[Any]) -> int:
    """Return how many steps are taken in one call: a match is seldom as long as it may be."""
    return min(env.max_steps, BLOCK)


# The engine's side ------------------------------------------------------------------------------


@dataclass
class _Game:
    """One game: its decks, its actions, and what the engine says after each."""

    start: GameState
    deals: dict[int, list[int]]
    actions: list[int]
    names: list[str]
    said: list[Snapshot]


@dataclass
class _Played:
    """A batch of games, on both sides."""

    games: list[_Game]
    reached: list[str]
    env: dict[str, np.ndarray[Any, Any]]


def _said(state: GameState, layouts: tuple[str, ...]) -> Snapshot:
    """Return all that is compared of an engine's position: the same names as `snapshot`."""
    spec = state.spec
    legal = [False] * spec.num_actions
    for move in state.legal_moves():
        legal[move.id] = True
    taken: Snapshot = {
        "current_player": state.current_player(),
        "legal": legal,
        "rewards": state.rewards(),
        "over": state.is_terminal(),
    }
    for name, value in state.facts().items():
        taken[f"facts.{name}"] = value
    for seat in range(spec.num_players):
        for layout in layouts:
            # As an array: a list of a thousand floats would take five times the memory
            seen = np.array(state.observation(seat, layout), np.float64)
            taken[f"observation.{layout}.{seat}"] = seen
        taken[f"planes.{seat}"] = state.to_tensor(seat).data.ravel()
    return taken


class _Sides:
    """The env and the engine of one game under one set of rules."""

    def __init__(self, env: Env[Any], spec: GameSpec) -> None:
        self.env, self.spec = env, spec
        self.scenarios = list(spec.scenarios.items())
        self.init = jax.jit(jax.vmap(env.init))
        self.taste = jax.jit(jax.vmap(partial(_taste, env)))
        # Each is traced once, wherever it is called
        step, see = jax.jit(env.step), jax.jit(partial(snapshot, env))
        self.choices = jax.jit(jax.vmap(partial(_choices, env, step)))
        self.snapshot = jax.jit(jax.vmap(see))
        self.trace = jax.jit(jax.vmap(partial(_trace, step, see)))
        self.decks = jax.jit(jax.vmap(env.deck, in_axes=(0, None)))
        self.chance = jax.jit(jax.vmap(env.chance))

    def play(self, seed: int, start: int, batch: int, number: int) -> _Played:
        """Play the games `start ..` of a seed; the batch is padded, `number` of them count."""
        keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), start), batch)
        chosen = self._choices(keys).tolist()
        decks = _Decks(partial(self.decks, jax.vmap(jax.random.key_data)(keys)))
        words = jax.vmap(jax.random.key_data)(keys)
        tables = {name: np.asarray(value) for name, value in self.chance(words).items()}
        games, reached = [], []
        for i in range(number):
            table: dict[str, Any] = {name: int(values[i]) for name, values in tables.items()}
            deals: dict[int, list[int]] = {}
            state = self.spec.initial_state(decks=partial(decks.of, i, deals), **table)
            game = _Game(state, deals, [], [], [_said(state, self.env.layouts)])
            if self.scenarios and (start + i) % DIRECTED == 0:
                reached += self._direct(game, (start + i) // DIRECTED, seed)
            else:
                self._follow(game, chosen[i])
            games.append(game)
        return _Played(games, reached, self._trace(keys, [game.actions for game in games]))

    def _choices(self, keys: Array) -> np.ndarray[Any, Any]:
        """Return int32[batch, n]: the actions of random games, -1 after their end."""
        states, taste = self.init(keys), self.taste(keys)
        blocks: list[Any] = []
        for number in range(-(-self.env.max_steps // _block(self.env))):
            salted = jax.vmap(jax.random.fold_in, (0, None))(keys, 2 + number)
            states, actions = self.choices(taste, states, salted)
            blocks.append(actions)
            if bool(states.finished.all()):
                break
        return np.concatenate(blocks, axis=1)

    def _trace(self, keys: Array, games: list[list[int]]) -> dict[str, np.ndarray[Any, Any]]:
        """Return the env's snapshots of games that make these actions: leaves [batch, n, ..]."""
        states = self.init(keys)
        block = _block(self.env)
        blocks = -(-max(1, *map(len, games)) // block)
        actions = np.full((len(keys), blocks * block), -1, np.int32)
        for i, game in enumerate(games):
            actions[i, : len(game)] = game
        traced = [jax.tree.map(lambda leaf: leaf[:, None], self.snapshot(states))]
        for start in range(0, actions.shape[1], block):
            states, after = self.trace(states, actions[:, start : start + block])
            traced.append(after)
        names = traced[0]
        return {name: np.concatenate([part[name] for part in traced], axis=1) for name in names}

    def _follow(self, game: _Game, actions: list[int]) -> None:
        """Make the env's choices, as long as the engine allows them."""
        state = game.start
        for action in actions:
            if not game.said[-1]["legal"][action]:
                return
            state = self._move(game, state, action)

    def _direct(self, game: _Game, turn: int, seed: int) -> list[str]:
        """Let a scenario choose; return its name if it got there."""
        name, scenario = self.scenarios[turn % len(self.scenarios)]
        rng = random.Random(f"{seed}:{turn}")
        state, reached = game.start, scenario.reached(game.start)
        while not state.is_terminal() and len(game.actions) < self.env.max_steps:
            state = self._move(game, state, scenario.choose(state, rng).id)
            reached = reached or scenario.reached(state)
        return [name] if reached else []

    def _move(self, game: _Game, state: GameState, action: int) -> GameState:
        game.actions.append(action)
        game.names.append(self.spec.move(action, state).name)
        after = state.apply_move(action)
        game.said.append(_said(after, self.env.layouts))
        return after

    def compare(self, played: _Played, start: int) -> Iterator[dict[str, Any]]:
        """Yield the first difference of every game that has one."""
        for i, game in enumerate(played.games):
            found = self._first_difference(game, {k: v[i] for k, v in played.env.items()})
            if found is not None:
                step, name, ours, theirs = found
                yield {
                    "game": start + i,
                    "step": step,
                    "seat": int(played.env["current_player"][i, step]),
                    "field": name,
                    "deal": [game.deals[n] for n in sorted(game.deals)],
                    "moves": game.names[:step],
                    "env": ours,
                    "engine": theirs,
                }

    def _first_difference(
        self, game: _Game, env: dict[str, np.ndarray[Any, Any]]
    ) -> tuple[int, str, Any, Any] | None:
        length = len(game.said)
        names = set(env) ^ set(game.said[0])
        if names:
            return 0, ", ".join(sorted(names)), "has it not", "has it not"
        found: list[tuple[int, str, Any, Any]] = []
        for name, values in env.items():
            ours = values[:length].reshape(length, -1)
            theirs = np.array([each[name] for each in game.said], float).reshape(length, -1)
            if ours.shape != theirs.shape:
                found.append((0, name, f"shape {ours.shape[1:]}", f"shape {theirs.shape[1:]}"))
                continue
            allowed = TOLERANCE * np.maximum(1, np.abs(theirs))
            wrong = np.argwhere(np.abs(ours - theirs) > allowed)
            if wrong.size:
                step, entry = wrong[0].tolist()
                where = name if ours.shape[1] == 1 else f"{name}[{entry}]"
                found.append((step, where, ours[step, entry].item(), theirs[step, entry].item()))
        if not found and not bool(env["over"][length - 1]):
            return length - 1, "over", False, True
        return min(found, key=lambda each: each[0]) if found else None


class _Decks:
    """The decks of a batch of games, dealt when an engine first asks for that deal."""

    def __init__(self, deal: Callable[[int], Array]) -> None:
        self.deal = deal
        self.dealt: dict[int, list[list[int]]] = {}

    def of(self, game: int, deals: dict[int, list[int]], n: int) -> list[int]:
        """Return deal `n` of a game of the batch, and note it in `deals`."""
        if n not in self.dealt:
            self.dealt[n] = np.asarray(self.deal(n)).tolist()
        deals[n] = self.dealt[n][game]
        return deals[n]


__all__ = ["Report", "run", "snapshot"]
