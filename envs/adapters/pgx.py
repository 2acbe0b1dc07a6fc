"""Our games as Pgx environments: `as_pgx(talonax.make("snapszer"))` is a real `pgx.Env`.

What holds for Pgx's own games holds: random play, `pgx.experimental.auto_reset`, an mctx search
over its states. Where the two contracts differ, this one says what ours means in Pgx's words:

* agents are mapped to seats by a permutation drawn in `init`; `current_player` and `rewards` are by
  agent, observation and mask are those of the seat to act;
* once finished, `current_player` is the agent that acted last;
* an illegal action costs its actor `max_loss`, as everywhere in this suite;
* `step` accepts a key and ignores it: chance comes from the state.

Pgx's own `api_test` asserts its closed list of ids, so it cannot pass here; `tests/test_pgx.py`
tests the rest of what it asks.
"""

from html import escape
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pgx.core
from flax import struct
from jax import Array

from talonax.envs.core import Env, State
from talonax.envs.keys import key_words, typed_key

_LINE_HEIGHT, _CHARACTER_WIDTH, _MARGIN = 20, 8.5, 12
_COLOURS = {"light": ("white", "black"), "dark": ("#1e1e1e", "#e6e6e6")}


@struct.dataclass
class PgxState(pgx.core.State):
    """A Pgx state around one of ours.

    Attributes:
      current_player: int32[], the agent to act; the last to have acted once finished.
      observation: float32[..], what the seat to act observes.
      rewards: float32[P], by agent.
      terminated: bool[].
      truncated: bool[].
      legal_action_mask: bool[num_actions], of the seat to act.
      game: the state of the game itself.
      seats: int32[P], the seat of each agent.
      env: the game (static).
    """

    current_player: Array
    observation: Array
    rewards: Array
    terminated: Array
    truncated: Array
    legal_action_mask: Array
    _step_count: Array
    game: Any
    seats: Array
    env: Any = struct.field(pytree_node=False)

    @property
    def env_id(self) -> Any:
        """The id of the game."""
        return self.env.id

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """Return the table (of every state, in a batch) as an SVG text.

        Args:
          color_theme: `"light"` (default) or `"dark"`.
          scale: of the picture, 1.0 by default.
        """
        batch = self.game.terminated.shape
        states = [self.game]
        if batch:
            flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[len(batch) :]), self.game)
            number = flat.terminated.shape[0]
            states = [jax.tree.map(lambda leaf, i=i: leaf[i], flat) for i in range(number)]
        text = "\n\n".join(self.env.render(state) for state in states)
        return _svg(text.split("\n"), color_theme or "light", scale or 1.0)

    def save_svg(
        self, filename: str, *, color_theme: str | None = None, scale: float | None = None
    ) -> None:
        """Write the picture to a file whose name ends in `.svg`.

        Raises:
          ValueError: another name.
        """
        if not str(filename).endswith(".svg"):
            raise ValueError(f"save_svg: the file name must end in .svg, is {filename!r}")
        Path(filename).write_text(
            self.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8"
        )


class PgxEnv(pgx.core.Env):
    """A game of ours as a `pgx.Env`; see the module's docstring. Made by `as_pgx`."""

    def __init__(self, env: Env[Any]) -> None:
        super().__init__()
        self.env = env

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PgxEnv) and other.env == self.env

    def __hash__(self) -> int:
        return hash((PgxEnv, self.env))

    @property
    def id(self) -> Any:
        """The id of the game."""
        return self.env.id

    @property
    def version(self) -> str:
        """The version of the game."""
        return str(self.env.version)

    @property
    def num_players(self) -> int:
        """Number of agents, as many as seats."""
        return self.env.num_players

    @property
    def num_actions(self) -> int:
        """Number of action ids."""
        return self.env.num_actions

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of an observation."""
        return self.env.observation_shape

    @property
    def _illegal_action_penalty(self) -> float:
        return -self.env.max_loss

    def step(self, state: Any, action: Array, key: Array | None = None) -> PgxState:
        """Carry out an action; the key is accepted and ignored."""
        return self._step(state, action, key)

    def _init(self, key: Array) -> PgxState:
        for_game, for_seats = jax.random.split(typed_key(key_words(key)))
        seats = jax.random.permutation(for_seats, self.env.num_players).astype(jnp.int32)
        game = self.env.init(for_game)
        return self._wrapped(game, seats, self._agent(seats, game.current_player), jnp.int32(0))

    def _step(self, state: Any, action: Array, key: Array | None) -> PgxState:
        del key
        game = self.env.step(state.game, action)
        count = state._step_count + ~state.game.finished
        to_act = self._agent(state.seats, game.current_player)
        agent = jnp.where(game.finished, state.current_player, to_act)
        return self._wrapped(game, state.seats, agent, count)

    def _observe(self, state: Any, player_id: Array) -> Array:
        return self.env.observe(state.game, state.seats[player_id])

    @staticmethod
    def _agent(seats: Array, seat: Array) -> Array:
        return jnp.argmax(seats == seat).astype(jnp.int32)

    def _wrapped(self, game: State, seats: Array, agent: Array, count: Array) -> PgxState:
        return PgxState(
            current_player=agent,
            observation=self.env.observe(game, seats[agent]),
            rewards=game.rewards[seats],
            terminated=game.terminated,
            truncated=game.truncated,
            legal_action_mask=self.env.legal_action_mask(game),
            _step_count=count.astype(jnp.int32),
            game=game,
            seats=seats,
            env=self.env,
        )


def as_pgx(env: Env[Any]) -> PgxEnv:
    """Return a game of this suite as a Pgx environment (extra `adapters`)."""
    return PgxEnv(env)


def _svg(lines: list[str], theme: str, scale: float) -> str:
    if theme not in _COLOURS:
        raise ValueError(f"color_theme {theme!r} is unknown; there are: {', '.join(_COLOURS)}")
    paper, ink = _COLOURS[theme]
    width = 2 * _MARGIN + _CHARACTER_WIDTH * max(map(len, lines))
    height = 2 * _MARGIN + _LINE_HEIGHT * len(lines)
    rows = [
        f'<text x="{_MARGIN}" y="{_MARGIN + _LINE_HEIGHT * (i + 0.7):g}" xml:space="preserve">'
        f"{escape(line)}</text>"
        for i, line in enumerate(lines)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale:g}" '
        f'height="{height * scale:g}" viewBox="0 0 {width:g} {height:g}">'
        f'<rect width="100%" height="100%" fill="{paper}"/>'
        f'<g font-family="monospace" font-size="14" fill="{ink}">{"".join(rows)}</g></svg>'
    )


__all__ = ["PgxEnv", "PgxState", "as_pgx"]
