"""Positions as JSON: to keep one, to send one, to write one by hand.

    text = to_json(env, state)
    env, state = from_json(text)

The text names game, version and rules, so that nobody continues a position under other rules by
accident; the position itself is in the game's own words (`Env.position`; its page shows an
example).
"""

import json
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.configs import games
from talonax.configs.rules import as_dict, build
from talonax.envs.core import LAYOUTS, Env, State
from talonax.envs.positions import check_names

SCHEMA = 1

_ENTRIES = ("schema", "game", "version", "rules", "observation", "state", "position")
_FIELDS = {
    "current_player": jnp.int32,
    "rewards": jnp.float32,
    "terminated": bool,
    "truncated": bool,
    "illegal": bool,
}


class PositionError(ValueError):
    """A text that is no position, or none of this game and these rules."""


def to_json(env: Env[Any], state: State) -> str:
    """Return a position as JSON text, indented.

    Args:
      env: the game.
      state: one state, not a batch.

    Raises:
      ValueError: a batch of states.
    """
    if np.ndim(state.terminated) != 0:
        raise ValueError(
            "to_json takes one state; of a batch, take jax.tree.map(lambda x: x[i], ..)"
        )
    common = {name: np.asarray(getattr(state, name)).tolist() for name in _FIELDS}
    written = {
        "schema": SCHEMA,
        "game": env.id,
        "version": env.version,
        "rules": as_dict(env.rules),
        "observation": env.observation,
        "state": common,
        "position": env.position(state),
    }
    return _indented(written)


def from_json(text: str, env: Env[Any] | None = None) -> tuple[Env[Any], Any]:
    """Return the env and the state that a text describes.

    Args:
      text: what `to_json` returned, or a person wrote. `state` may be left out: then the game goes
        on, the player to move is the position's, and nothing was earned yet; so may `observation`,
        the layout: then it is `full`.
      env: the game that it must be of, whatever its layout; made from the text if None.

    Raises:
      PositionError: no JSON, an entry missing or unknown, another game, version or rules than
        `env`'s, or a position that the game refuses; the message names the entry.
    """
    try:
        read = json.loads(text)
    except json.JSONDecodeError as error:
        raise PositionError(f"not JSON: {error}") from None
    if not isinstance(read, dict):
        raise PositionError(f"a position is an object, is {type(read).__name__}")
    try:
        read.setdefault("state", None)
        read.setdefault("observation", LAYOUTS[0])
        check_names("position file", read, _ENTRIES)
        made = _env_of(read, env)
        common = _common(made, read["state"])
        return made, made.from_position(common, read["position"])
    except PositionError:
        raise
    except (ValueError, TypeError) as error:
        raise PositionError(str(error)) from None


def _env_of(read: dict[str, Any], env: Env[Any] | None) -> Env[Any]:
    if read["schema"] != SCHEMA:
        raise PositionError(f"schema {read['schema']!r} is unknown; this version reads {SCHEMA}")
    if not isinstance(read["rules"], dict):
        raise PositionError(f"rules: a mapping of flags to values is needed, is {read['rules']!r}")
    record = games.get(read["game"])
    rules = build(games.resolve(record.schema), read["rules"], "position file: rules")
    if env is None:
        env = games.resolve(record.env)(rules=rules, observation=read["observation"])
    of_text: dict[str, Any] = {"game": record.id, "version": read["version"], **as_dict(rules)}
    of_env: dict[str, Any] = {"game": env.id, "version": env.version, **as_dict(env.rules)}
    for name, value in of_text.items():
        if of_env.get(name) != value:
            raise PositionError(
                f"{name}: {value!r} in the position, {of_env.get(name)!r} in the env"
            )
    return env


def _common(env: Env[Any], given: Any) -> dict[str, Array]:
    if given is None:
        given = {
            "current_player": 0,
            "rewards": [0.0] * env.num_players,
            "terminated": False,
            "truncated": False,
            "illegal": False,
        }
    check_names("state", given, _FIELDS)
    if len(given["rewards"]) != env.num_players:
        raise PositionError(
            f"state: rewards: {env.num_players} are needed, is {given['rewards']!r}"
        )
    return {name: jnp.asarray(given[name], dtype) for name, dtype in _FIELDS.items()}


def _indented(value: dict[str, Any]) -> str:
    """Indent objects, but keep lists of plain values on one line."""

    def lines(value: Any, indent: str) -> str:
        if isinstance(value, dict) and value:
            inner = indent + "  "
            parts = [
                f"{inner}{json.dumps(key)}: {lines(each, inner)}" for key, each in value.items()
            ]
            return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
        if isinstance(value, list) and any(isinstance(each, dict) for each in value):
            inner = indent + "  "
            return "[\n" + ",\n".join(inner + json.dumps(each) for each in value) + f"\n{indent}]"
        return json.dumps(value)

    return lines(value, "")
