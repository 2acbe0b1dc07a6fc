"""Finding games by name: `make`, `games`, `register`."""

from pathlib import Path
from typing import Any

from talonax.configs import games as listing
from talonax.envs.core import Env


def make(
    game: str, profile: str | Path | None = None, observation: str = "full", **flags: Any
) -> Env[Any]:
    """Return the env of a game.

    Args:
      game: a registered id (`games()` lists them).
      profile: a profile's name or the path of a YAML file; the game's default if None.
      observation: the layout of observations, `"full"` or `"compact"`.
      **flags: single flags that override the profile.

    Raises:
      UnknownGameError (a ValueError): no such game or profile; the message says what exists.
      RulesError (a ValueError): rules that the schema refuses, with source, key and reason.
      ValueError: an observation layout that the game does not have.
    """
    rules = listing.load_rules(game, profile, **flags)
    env: Env[Any] = listing.resolve(listing.get(game).env)(rules=rules, observation=observation)
    return env


def games() -> list[str]:
    """Return the ids of all games, ours and third parties', sorted."""
    return listing.ids()


def register(
    game: str,
    cls: type[Env[Any]],
    *,
    schema: type,
    profiles: dict[str, Path | dict[str, Any]],
    engine: type | None = None,
    bots: dict[str, type] | None = None,
) -> None:
    """Make a game a peer of ours: in `make`, `check_env`, lockstep and the command line.

    A package registers its games when it is imported, or from the function that its entry point of
    the group `talonax.games` names.

    Args:
      game: the id; must equal `cls.id`.
      cls: the `Env` class.
      schema: the frozen `Rules` dataclass.
      profiles: name -> YAML file or flags; the first is the default.
      engine: the `GameSpec` class of a reference engine, for `talonax parity`.
      bots: name -> `Policy` class, beside `random`.

    Raises:
      ValueError: the id is taken, is not the class's own, or there is no profile.
    """
    if getattr(cls, "id", None) != game:
        raise ValueError(
            f"{cls.__name__}.id is {getattr(cls, 'id', None)!r}, registered as {game!r}"
        )
    listing.register(
        listing.Game(
            id=game, env=cls, schema=schema, profiles=profiles, engine=engine, bots=bots or {}
        )
    )
