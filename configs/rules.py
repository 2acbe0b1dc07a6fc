"""Reading rules: YAML profiles and single-flag overrides into a frozen `Rules` dataclass.

A schema is a frozen pydantic dataclass (`configs/<game>/schema.py`). It is read once, here; what is
refused is refused with the file, the key and the reason.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, ValidationError

#: How every schema reads: unknown keys and values of another type are refused, never converted.
STRICT = ConfigDict(extra="forbid", strict=True)
#: The same for a dataclass inside a schema, which a strict one would not let YAML's mappings into;
#: its fields are to be strict one by one (`pydantic.StrictBool`).
NESTED = ConfigDict(extra="forbid")

HASH_DIGITS = 12


class RulesError(ValueError):
    """Rules that no game is played by: an unknown key, a wrong type, an impossible combination."""


def build(schema: type, values: Mapping[str, Any], source: str) -> Any:
    """Make a `schema` from `values`, naming `source` and the key in what is refused.

    A flag of a dataclass inside the schema has a dotted key, `bomba.enabled`; it overrides the
    entry of the mapping `bomba`, if that is given, too.

    Raises:
      RulesError: one line per fault, each with source, key, value, reason and what exists.
    """
    try:
        return schema(**_merged(schema, values))
    except ValidationError as error:
        known = flag_names(schema)
        faults = [_fault(fault, known, source) for fault in error.errors()]
        raise RulesError("\n".join(dict.fromkeys(faults))) from None


def flag_names(schema: type) -> list[str]:
    """Return the keys of all flags, those of dataclasses inside the schema dotted."""
    typed = getattr(schema, "__pydantic_fields__", {})
    names: list[str] = []
    for field in fields(schema):
        kind = typed[field.name].annotation if field.name in typed else None
        if isinstance(kind, type) and is_dataclass(kind):
            names += [f"{field.name}.{name}" for name in flag_names(kind)]
        else:
            names.append(field.name)
    return names


def _merged(schema: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `values` with the dotted keys that the schema knows put into their mappings."""
    known = flag_names(schema)
    dotted = {key: value for key, value in values.items() if "." in str(key) and key in known}
    merged = {str(key): value for key, value in values.items() if key not in dotted}
    for key, value in dotted.items():
        outer, inner = key.split(".", maxsplit=1)
        given = merged.get(outer, {})
        if is_dataclass(given) and not isinstance(given, type):
            given = asdict(given)
        # Anything else than a mapping stays as it is, to be refused by the schema.
        merged[outer] = {**given, inner: value} if isinstance(given, Mapping) else given
    return merged


def _fault(fault: Any, known: list[str], source: str) -> str:
    if not fault["loc"]:
        return f"{source}: {fault['msg'].removeprefix('Value error, ')}"
    path = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "unexpected_keyword_argument":
        return f"{source}: {path}: no such flag; there are: {', '.join(known)}"
    key = path if path in known else str(fault["loc"][0])
    reason = fault["msg"].removeprefix("Value error, ")
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
