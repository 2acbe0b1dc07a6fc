"""Reading how to train: a YAML file of a game, and single entries that override it.

# configs/train/ppo_lstm_tysiac.yaml
profile: alpha1000      # under which rules: a profile of the game,
rules: {hands: 1}       # and flags that override it
total_steps: 10_000_000 # everything else is a setting of `PPOSettings`
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from talonax.configs.rules import RulesError, as_dict, build, read_yaml
from talonax.configs.train.schema import PPOSettings

ALGORITHM = "ppo_lstm"
PROFILE = "profile"
RULES = "rules"
OPPONENTS = "opponents"
#: What is a mapping: `rules.hands=1` is an entry of `rules`.
MAPPINGS = (RULES, OPPONENTS)


@dataclass(frozen=True)
class Training:
    """What is trained, and how.

    Attributes:
      profile: a profile of the game; its default if None.
      rules: flags that override it.
      settings: of the algorithm.
    """

    profile: str | None
    rules: Mapping[str, Any]
    settings: PPOSettings

    def entries(self) -> dict[str, Any]:
        """Return all of it as plain values that JSON and YAML can carry."""
        settings = as_dict(self.settings)
        settings[OPPONENTS] = dict(self.settings.opponents)
        return {PROFILE: self.profile, RULES: dict(self.rules), **settings}


def default_file(game: str) -> Path | None:
    """Return the settings that a game comes with; None where it has none."""
    path = Path(__file__).parent / f"{ALGORITHM}_{game}.yaml"
    return path if path.is_file() else None


def read(game: str, file: Path | None = None, changes: Mapping[str, Any] | None = None) -> Training:
    """Return how to train.

    Args:
      game: the game.
      file: a YAML file; what the game comes with if None, else the defaults of `PPOSettings`.
      changes: entries that override the file's.

    Raises:
      RulesError: an entry that does not exist or is not allowed, with its source.
    """
    path = file or default_file(game)
    values = {} if path is None else read_yaml(path)
    given = training(values, f"{path or ALGORITHM}")
    return changed(given, changes or {}, "--set")


def changed(given: Training, changes: Mapping[str, Any], source: str) -> Training:
    """Return `given` with entries overridden.

    Raises:
      RulesError: an entry that does not exist or is not allowed; it names `source`.
    """
    dotted = {
        key: value for key, value in changes.items() if "." in key and key.split(".")[0] in MAPPINGS
    }
    values = given.entries() | {k: value for k, value in changes.items() if k not in dotted}
    for key, value in dotted.items():
        outer, inner = key.split(".", maxsplit=1)
        if isinstance(values[outer], Mapping):  # else it is refused as it is
            values[outer] = {**values[outer], inner: value}
    return training(values, source)


def training(values: Mapping[str, Any], source: str) -> Training:
    """Return how to train from plain values.

    Raises:
      RulesError: an entry that does not exist or is not allowed; it names `source`.
    """
    settings = dict(values)
    profile, rules = settings.pop(PROFILE, None), settings.pop(RULES, None) or {}
    if not isinstance(rules, Mapping):
        raise RulesError(f"{source}: {RULES}: {rules!r} is not allowed: a mapping of flags")
    if profile is not None and not isinstance(profile, str):
        raise RulesError(f"{source}: {PROFILE}: {profile!r} is not allowed: a profile's name")
    unknown = set(settings) - {field.name for field in fields(PPOSettings)}
    if unknown:
        known = [PROFILE, RULES, *(field.name for field in fields(PPOSettings))]
        raise RulesError(
            f"{source}: {min(unknown)}: no such setting; there are: {', '.join(known)}"
        )
    return Training(profile, dict(rules), build(PPOSettings, settings, source))


def differences(one: Training, other: Training) -> list[str]:
    """Return what differs, one text an entry: `clip: 0.2 and 0.1`."""
    left, right = one.entries(), other.entries()
    return [f"{key}: {left[key]} and {right[key]}" for key in left if left[key] != right[key]]
