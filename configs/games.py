"""The list of the games: where each one's parts are, ours and third parties' alike.

A part may be given as the object itself or as `"module:attribute"`, which is imported when it is
first needed: listing the games imports none of them, and no module here imports upward.
"""

import importlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from talonax.configs.rules import RulesError, build, read_yaml

#: Entry points of this group name a function without arguments that calls `talonax.register`.
ENTRY_POINT_GROUP = "talonax.games"

#: A profile: a YAML file, or the flags themselves.
Profile = Path | Mapping[str, Any]


@dataclass(frozen=True)
class Game:
    """Where the parts of one game are.

    Attributes:
      id: the name that `make` takes.
      env: the `Env` class.
      schema: the frozen `Rules` dataclass.
      profiles: name of each profile -> its YAML file or flags; the first is the default.
      engine: the `GameSpec` class of the reference engine, if there is one.
      bots: name of each bot -> its `Policy` class.
    """

    id: str
    env: Any
    schema: Any
    profiles: Mapping[str, Profile]
    engine: Any = None
    bots: Mapping[str, Any] = field(default_factory=dict)

    @property
    def default_profile(self) -> str:
        """The name of the profile that is played when none is named."""
        return next(iter(self.profiles))


def _built_in(game: str, cls: str, *profiles: str, bots: tuple[str, ...] = ("greedy",)) -> Game:
    folder = Path(__file__).parent / game
    return Game(
        id=game,
        env=f"talonax.envs.{game}.env:{cls}",
        schema=f"talonax.configs.{game}.schema:Rules",
        profiles={name: folder / f"{name}.yaml" for name in profiles},
        engine=f"talonax.parity.{game}:{cls}Spec",
        bots={name: f"talonax.agents.bots.{game}:{name.title().replace('_', '')}" for name in bots},
    )


_GAMES: dict[str, Game] = {
    game.id: game
    for game in (
        _built_in("blob", "Blob", "standard"),
        _built_in("high_card_duel", "HighCardDuel", "standard"),
        _built_in("kuhn_poker", "KuhnPoker", "standard", bots=()),
        _built_in("leduc_poker", "LeducPoker", "standard", bots=()),
        _built_in("snapszer", "Snapszer", "hungarian", "base", "austrian", "vu"),
        _built_in("tysiac", "Tysiac", "alpha1000", "polish", bots=("greedy", "trump_manager")),
        _built_in("bezique", "Bezique", "standard", "advanced"),
    )
}


class UnknownGameError(ValueError):
    """No game, profile or part of that name; the message says what exists."""


def register(game: Game) -> None:
    """Add a game to the list.

    Raises:
      ValueError: the id is taken, or there is no profile.
    """
    if game.id in _GAMES:
        raise ValueError(f"a game {game.id!r} is registered already")
    if not game.profiles:
        raise ValueError(
            f"game {game.id!r}: at least one profile is needed, e.g. {{'default': {{}}}}"
        )
    _GAMES[game.id] = game


@cache
def _discover() -> None:
    """Call every installed entry point once; one that fails is reported and left out."""
    for point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            point.load()()
        except Exception as error:  # a third party's fault must not take our games down
            warnings.warn(f"entry point {point.value}: {error}", stacklevel=2)


def ids() -> list[str]:
    """Return the ids of all games, sorted."""
    _discover()
    return sorted(_GAMES)


def get(game: str) -> Game:
    """Return the record of `game`.

    Raises:
      UnknownGameError: there is none; the message lists those that exist.
    """
    if game not in _GAMES:
        _discover()
    if game not in _GAMES:
        raise UnknownGameError(f"no game {game!r}; there are: {', '.join(ids())}")
    return _GAMES[game]


def resolve(part: Any) -> Any:
    """Return `part` itself, or what it names if it is `"module:attribute"`."""
    if not isinstance(part, str):
        return part
    module, _, attribute = part.partition(":")
    return getattr(importlib.import_module(module), attribute)


def load_rules(game: str, profile: str | Path | None = None, **flags: Any) -> Any:
    """Return the `Rules` of a profile, with single flags overridden.

    Args:
      game: a registered id.
      profile: a profile's name, or the path of a YAML file of the same form (it ends in `.yaml` or
        `.yml`); the game's default if None.
      **flags: flags that override the profile.

    Raises:
      UnknownGameError: no such game or profile.
      RulesError: rules that the schema refuses.
    """
    record = get(game)
    source, values = _profile(record, profile)
    if flags:
        source = f"{source} with {', '.join(f'{key}={value!r}' for key, value in flags.items())}"
    return build(resolve(record.schema), {**values, **flags}, source)


def _profile(record: Game, profile: str | Path | None) -> tuple[str, dict[str, Any]]:
    name = record.default_profile if profile is None else profile
    if str(name) in record.profiles:
        found = record.profiles[str(name)]
        if isinstance(found, Path):
            return f"{record.id}/{found.name}", _read(found)
        return f"{record.id}/{name}", dict(found)
    if str(name).endswith((".yaml", ".yml")):
        return str(name), dict(read_yaml(Path(name)))
    raise UnknownGameError(
        f"{record.id} has no profile {str(name)!r}; there are: {', '.join(record.profiles)}, "
        "or the path of a .yaml file"
    )


@cache
def _read(path: Path) -> dict[str, Any]:
    return read_yaml(path)


__all__ = [
    "ENTRY_POINT_GROUP",
    "Game",
    "RulesError",
    "UnknownGameError",
    "get",
    "ids",
    "load_rules",
    "register",
    "resolve",
]
