"""Reference engines: every game a second time, in slow, plain Python, to hold the first against.

    from talonax.parity import play_random_episode, spec
    episode = play_random_episode(spec("snapszer", profile="base"), seed=0)

They are written from the rules alone and share nothing with `envs` but the rules' data (`configs`).
"""

if __name__ != "talonax.parity":
    raise ImportError("import `talonax.parity`, not `parity`: the folder is part of the package")

from pathlib import Path
from typing import Any

from talonax.configs.games import UnknownGameError, get, load_rules, resolve
from talonax.parity.card_tensor import CardTensor
from talonax.parity.game import (
    Episode,
    GameEnv,
    GameSpec,
    GameState,
    IllegalMoveError,
    Move,
    play_random_episode,
)


def spec(game: str, profile: str | Path | None = None, **flags: Any) -> GameSpec:
    """Return the reference engine of `game` under a profile's rules.

    Args:
      game: a registered id.
      profile: the profile's name or file; the game's default if None.
      **flags: flags that override the profile.

    Raises:
      UnknownGameError: no such game or profile, or the game has no reference engine.
      RulesError: rules that the game's schema refuses.
    """
    engine = get(game).engine
    if engine is None:
        raise UnknownGameError(f"{game} has no reference engine: it was registered without one")
    made = resolve(engine)(load_rules(game, profile, **flags))
    assert isinstance(made, GameSpec)
    return made


__all__ = [
    "CardTensor",
    "Episode",
    "GameEnv",
    "GameSpec",
    "GameState",
    "IllegalMoveError",
    "Move",
    "play_random_episode",
    "spec",
]
