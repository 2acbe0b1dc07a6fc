"""The tables of the games' pages, printed from the code: `python -m talonax.envs.pages --write`.

A page holds a table between `<!-- generated: NAME -->` and `<!-- end -->`; flags may follow the
name: `<!-- generated: observation players=4 -->`. Without `--write` the command says which pages
are out of date, and exits 1; a test does the same.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import yaml

from talonax.configs import games
from talonax.configs.rules import flag_names
from talonax.envs.core import Env
from talonax.envs.registry import make

_BLOCK = re.compile(
    r"(<!-- generated: (\w+)((?: [\w.]+=\w+)*) -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)

#: Kinds of plain types, as a reader of YAML calls them.
_KINDS = {bool: "true, false", int: "whole number", float: "number", str: "text"}

#: Limits on one side, and what is said of them.
_LIMITS: dict[str, Callable[[Any], str]] = {
    "Ge": lambda limit: f"at least {limit.ge}",
    "Gt": lambda limit: f"more than {limit.gt}",
    "Le": lambda limit: f"at most {limit.le}",
    "Lt": lambda limit: f"less than {limit.lt}",
}


def table(head: list[str], rows: list[list[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def flags(env: Env[Any]) -> str:
    """Return the flags of the rules."""
    return entries(type(env.rules), "flag")


def entries(schema: type, what: str) -> str:
    """Return the entries of a schema: name, default, values, meaning."""
    rows = [
        [f"`{name}`", f"`{_yaml(each.default)}`", _values(each), each.description]
        for name, each in _fields(schema).items()
    ]
    return table([what, "default", "values", "meaning"], rows)


def _fields(schema: type) -> dict[str, Any]:
    """Return the pydantic field of every flag; those of dataclasses inside have dotted names."""
    found: dict[str, Any] = {}
    for name, flag in schema.__pydantic_fields__.items():  # type: ignore[attr-defined]
        if isinstance(flag.annotation, type) and is_dataclass(flag.annotation):
            inner = _fields(flag.annotation)
            found |= {f"{name}.{each}": field for each, field in inner.items()}
        else:
            found[name] = flag
    return found


def _parts(kind: Any) -> list[str]:
    """Return what an entry of a list consists of, in words, or what it is and its limits."""
    if get_origin(kind) is Annotated:
        whole, field = get_args(kind)
        limits = [_LIMITS[type(limit).__name__](limit) for limit in field.metadata]
        return [_KINDS[whole], *(f"each {limit}" for limit in limits)]
    return [_KINDS.get(part, f"`{part}`") for part in get_args(kind) or (kind,)]


def _values(flag: Any) -> str:
    """Return what a flag may be set to, in words; `none` if it may be switched off."""
    kinds = get_args(flag.annotation) or (flag.annotation,)
    if get_origin(flag.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in kinds)
    if get_origin(flag.annotation) is tuple:
        return "list of " + ", ".join(_parts(kinds[0]))
    limits = {type(limit).__name__: limit for limit in flag.metadata}
    if "Ge" in limits and "Le" in limits:
        words = [f"{limits['Ge'].ge} .. {limits['Le'].le}"]
    elif limits.keys() & _LIMITS.keys():
        words = [_LIMITS[name](limit) for name, limit in limits.items() if name in _LIMITS]
    else:
        words = [_KINDS[kind] for kind in kinds if kind is not NoneType]
    if "MultipleOf" in limits:
        words = [f"multiple of {limits['MultipleOf'].multiple_of}"]
    return ", ".join([*words, "`none`"] if NoneType in kinds else words)


def _yaml(value: Any) -> str:
    """Return a plain value as one writes it in YAML."""
    plain = list(value) if isinstance(value, tuple) else value
    return str(yaml.safe_dump(plain, default_flow_style=True)).splitlines()[0]


def profiles(env: Env[Any]) -> str:
    """Return what each profile sets other than the defaults."""
    record = games.get(env.id)
    defaults = _flat(games.resolve(record.schema)())
    rows = []
    for name in record.profiles:
        values = _flat(games.load_rules(env.id, name))
        changed = [
            f"`{key}: {_yaml(value)}`" for key, value in values.items() if value != defaults[key]
        ]
        rows.append([f"`{name}`", ", ".join(changed) or "the defaults"])
    return table(["profile", "flags"], rows)


def _flat(rules: Any) -> dict[str, Any]:
    """Return the value of every flag, by its (dotted) name."""
    return {name: attrgetter(name)(rules) for name in flag_names(type(rules))}


def actions(env: Env[Any]) -> str:
    """Return every action id with its name."""
    rows = [[action, f"`{env.action_name(action)}`"] for action in range(env.num_actions)]
    return table(["id", "action"], rows)


def observation(env: Env[Any]) -> str:
    """Return the entries of the observation with their indices; of planes, their names."""
    entries = env.observation_entries()
    if not entries:
        names: list[list[Any]] = [[i, f"`{name}`"] for i, name in enumerate(env.plane_names)]
        return table(["index of the last axis", "plane"], names)
    rows = []
    for (name, width, meaning), part in zip(
        entries, env.observation_layout().values(), strict=True
    ):
        index = f"{part.start}" if width == 1 else f"{part.start}-{part.stop - 1}"
        rows.append([index, f"`{name}`", meaning])
    return table(["index", "name", "meaning"], rows)


def numbers(env: Env[Any]) -> str:
    """Return the game in numbers."""
    rows: list[list[Any]] = [
        ["players", env.num_players],
        ["actions", env.num_actions],
        ["observation", f"`{env.observation}`, float32{list(env.observation_shape)}"],
        ["longest game", f"{env.max_steps} steps"],
        ["largest reward of a step", f"{env.max_loss:g}"],
        ["planes", ", ".join(f"`{name}`" for name in env.plane_names)],
        ["planes that partition the deck", f"the first {env.num_partition_planes}"],
        ["version", env.version],
    ]
    return table(["", ""], rows)


TABLES: dict[str, Callable[[Env[Any]], str]] = {
    "numbers": numbers,
    "flags": flags,
    "profiles": profiles,
    "actions": actions,
    "observation": observation,
}


def filled(text: str, env: Env[Any]) -> str:
    """Return a game's page with its generated tables as the code prints them now."""

    def of(shown: Callable[[Env[Any]], str]) -> Callable[..., str]:
        return lambda **flags: shown(make(env.id, **flags) if flags else env)

    return fill(text, {name: of(shown) for name, shown in TABLES.items()})


def fill(text: str, tables: Mapping[str, Callable[..., str]]) -> str:
    """Return a page with its generated tables as the code prints them now.

    Args:
      text: the page.
      tables: by name, what prints a table; it is given what stands after the name.

    Raises:
      ValueError: the page asks for a table that does not exist, or for flags that do not.
    """

    def of(found: re.Match[str]) -> str:
        name, flags = found[2], dict(flag.split("=") for flag in found[3].split())
        if name not in tables:
            raise ValueError(f"no table {name!r}; there are: {', '.join(tables)}")
        printed = tables[name](**{flag: yaml.safe_load(value) for flag, value in flags.items()})
        return f"{found[1]}{printed}{found['end']}"

    return _BLOCK.sub(of, text)


def pages() -> dict[Path, Env[Any]]:
    """Return the page of each of our games, with its env."""
    folder = Path(__file__).parent
    found = {folder / game / "README.md": game for game in games.ids()}
    return {page: make(game) for page, game in found.items() if page.is_file()}


def run(pages: Mapping[Path, Callable[[str], str]], prog: str, arguments: list[str] | None) -> int:
    """Check pages, or write them; return the exit code.

    Args:
      pages: by path, what makes a page's text anew.
      prog: the command.
      arguments: those of the process if None.
    """
    parser = argparse.ArgumentParser(description="The tables of pages.", prog=prog)
    parser.add_argument("--write", action="store_true", help="bring the pages up to date")
    write = parser.parse_args(arguments).write
    stale = []
    for page, anew in pages.items():
        text = page.read_text(encoding="utf-8")
        fresh = anew(text)
        if fresh != text:
            stale.append(page)
            if write:
                page.write_text(fresh, encoding="utf-8")
    for page in stale:
        print(f"{page}: {'written' if write else 'out of date'}")
    return 1 if stale and not write else 0


def main(arguments: list[str] | None = None) -> int:
    """Check the pages of the games, or write them; return the exit code."""
    found = {page: partial(filled, env=env) for page, env in pages().items()}
    return run(found, "python -m talonax.envs.pages", arguments)


if __name__ == "__main__":
    sys.exit(main())
