"""Options that several subcommands share, and how their texts are read.

Only tyro is imported at the top: jax and the games come with `game_env`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
import yaml

from talonax.cli.errors import UsageError

if TYPE_CHECKING:
    from talonax.agents.arena import Player
    from talonax.envs.core import Env

#: Keys of jax hold 32 bits of a seed.
MAX_SEED = 2**32 - 1


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` to `most`; 1e6 and 1_000_000 are some too."""
    allowed = f"from {least} to {most}" if most is not None else f"of at least {least}"

    def read(text: str) -> int:
        try:
            number = int(text) if text.lstrip("+-").replace("_", "").isdigit() else float(text)
            whole = int(number)
        except (ValueError, OverflowError):
            raise ValueError(f"{text!r} is no number; a whole number {allowed} is needed") from None
        if whole != number or whole < least or (most is not None and whole > most):
            raise ValueError(f"{text} is not allowed; a whole number {allowed} is needed")
        return whole

    return read


def _number(least: int, most: int | None = None) -> tyro.constructors.PrimitiveConstructorSpec[int]:
    read = whole_number(least, most)
    return tyro.constructors.PrimitiveConstructorSpec(
        nargs=1,
        metavar="N",
        instance_from_str=lambda words: read(words[0]),
        is_instance=lambda value: isinstance(value, int),
        str_from_instance=lambda value: [str(value)],
    )


Count = Annotated[int, _number(1)]
Index = Annotated[int, _number(0)]
Seed = Annotated[int, _number(0, MAX_SEED)]
GameName = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
Profile = Annotated[
    str | None,
    tyro.conf.arg(metavar="NAME|FILE.yaml", help_behavior_hint="(default: the game's first)"),
]
SeatNumber = Annotated[
    int | None, tyro.conf.arg(metavar="N", help_behavior_hint="(default: all)"), _number(0)
]
#: The same where a file or a default elsewhere decides if nothing is given.
OptionalCount = Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint=""), _number(1)]
OptionalSeed = Annotated[
    int | None,
    tyro.conf.arg(metavar="N", help_behavior_hint="(default: 0)"),
    _number(0, MAX_SEED),
]
Flags = Annotated[
    tuple[tuple[str, ...], ...],
    tyro.conf.UseAppendAction,
    tyro.conf.arg(name="set", metavar="FLAG=VALUE ..", help_behavior_hint="(may be repeated)"),
]


@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """Which game, under which rules.

    Attributes:
      game: The game; `talonax games` lists them.
      profile: Which rules: the name of one of the game's profiles, or a YAML file of flags.
      set: Single flags that override the profile, e.g. --set match=7 closing=false.
    """

    game: GameName
    profile: Profile = None
    set: Flags = ()

    @property
    def flags(self) -> dict[str, Any]:
        """The flags of `--set`, their values read as YAML."""
        return pairs(self.set)

    @property
    def profile_name(self) -> str:
        """The profile that is played."""
        from talonax.configs import games

        return self.profile or games.get(self.game).default_profile

    def check_rules(self) -> dict[str, Any]:
        """Return the flags of `--set`, once game, profile and flags are known to be right.

        Raises:
          UsageError: no such game, profile or flag, or a value that the game refuses.
        """
        from talonax.configs import games
        from talonax.configs.rules import flag_names

        flags = self.flags
        try:
            known = flag_names(games.resolve(games.get(self.game).schema))
            outer = [name.partition(".")[0] for name in known]
            for name in flags:
                if name not in (*known, *outer):
                    told = f"there are: {', '.join(known)}" if known else "it has none"
                    raise UsageError(f"--set {name}: {self.game} has no such flag; {told}")
            games.load_rules(self.game, self.profile, **flags)
        except ValueError as error:  # the registry's, which say what exists
            raise UsageError(one_line(error)) from None
        return flags

    def env(self) -> "Env[Any]":
        """Return the game.

        Raises:
          UsageError: as `check_rules`.
        """
        flags = self.check_rules()

        from talonax.envs.registry import make

        return make(self.game, self.profile, **flags)


def pairs(words: tuple[tuple[str, ...], ...]) -> dict[str, Any]:
    """Return what `--set NAME=VALUE ..` says, values read as YAML.

    Raises:
      UsageError: a word of another form.
    """
    return dict(_flag(word) for given in words for word in given)


def seated(env: "Env[Any]", names: Sequence[str]) -> "Player":
    """Return the player that gives each seat the one of that name.

    Raises:
      UsageError: another number of names than seats, or an unknown one.
    """
    from talonax.agents import players

    try:
        return players.seat(env, names)
    except ValueError as error:
        raise UsageError(f"--policies: {one_line(error)}") from None


def check_player(player: int | None, players: int) -> None:
    """Raise a `UsageError` if `--player` is no seat."""
    if player is not None and player >= players:
        raise UsageError(f"--player {player}: there are players 0 .. {players - 1}")


def local_devices(number: int) -> list[Any]:
    """Return the first `number` devices of this process.

    Raises:
      UsageError: there are fewer.
    """
    import jax

    there = list(jax.local_devices())
    if number > len(there):
        raise UsageError(
            f"--devices {number}: jax sees {len(there)} ({there[0].platform}); on a CPU, "
            "XLA_FLAGS=--xla_force_host_platform_device_count=N makes N of it"
        )
    return there[:number]


def one_line(error: Exception) -> str:
    """Return the message of an error on one line."""
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())


def existing_file(path: Path) -> Path:
    """Return `path`.

    Raises:
      UsageError: there is no such file.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise UsageError(f"{path}: {what}")
    return path


def writable_file(option: str, path: Path) -> Path:
    """Return `path`, which is to be written once all is done.

    Raises:
      UsageError: it is a folder, or its folder is missing.
    """
    if path.is_dir():
        raise UsageError(f"{option} {path}: is a folder")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: {path.parent}: no such folder")
    return path


def _flag(word: str) -> tuple[str, Any]:
    name, equals, text = word.partition("=")
    if not equals or not name:
        raise UsageError(f"--set {word}: must be FLAG=VALUE, e.g. --set match=7")
    try:
        return name, yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"--set {word}: {text!r} is no YAML value: {one_line(error)}") from None
