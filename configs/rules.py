"""Reading rules: YAML profiles and single-flag overrides into a frozen `Rules` dataclass.

A schema is a frozen pydantic dataclass (`configs/<game>/schema.py`). It is read once, here; what is
refused is refused with the file, the key and the reason.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, ValidationError

#: How every schema reads: unknown keys and values of another type are refused, never converted.
STRICT = ConfigDict(extra="forbid", strict=True)

HASH_DIGITS = 12


class RulesError(ValueError):
    """Rules that no game is played by: an unknown key, a wrong type, an impossible combination."""


def build(schema: type, values: Mapping[str, Any], source: str) -> Any:
    """Make a `schema` from `values`, naming `source` and the key in what is refused.

    Raises:
      RulesError: one line per fault, each with source, key, value, reason and what exists.
    """
    known = [field.name for field in fields(schema)]
    try:
        return schema(**{str(key): value for key, value in values.items()})
    except ValidationError as error:
        faults = [_fault(fault, known, source) for fault in error.errors()]
        raise RulesError("\n".join(dict.fromkeys(faults))) from None


def _fault(fault: Any, known: list[str], source: str) -> str:
    key = str(fault["loc"][0]) if fault["loc"] else "rules"
    path = ".".join(str(part) for part in fault["loc"]) or key
    if key != "rules" and key not in known:
        return f"{source}: {path}: no such flag; there are: {', '.join(known)}"
    reason = fault["msg"].removeprefix("Value error, ")
    if key == "rules":
        return f"{source}: {reason}"
    return f"{source}: {key}: {fault['input']!r} is not allowed: {reason}"


def read_yaml(path: Path) -> dict[str, Any]:
    """Read one profile: a mapping of flags to values.

    Raises:
      RulesError: the file is missing, is not YAML, or holds something else than a mapping.
    """
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RulesError(f"{path}: {error.strerror or error}") from None
    except yaml.YAMLError as error:
        raise RulesError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise RulesError(f"{path}: must be a mapping of flags to values, is {values!r}")
    return values


def as_dict(rules: Any) -> dict[str, Any]:
    """Return the flags of `rules` as plain values that JSON can carry."""
    plain = json.loads(json.dumps(asdict(rules)))
    assert isinstance(plain, dict)
    return plain


def rules_hash(game: str, version: int, rules: Any) -> str:
    """Return 12 hex digits that name a game, its version and its rules."""
    text = json.dumps([game, version, as_dict(rules)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]
