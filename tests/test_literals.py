"""Bare sizes stay out of the code of `envs/` and `parity/`: 4, 14, 56 and the decks' have names.

A name gets its value where it is defined: an assignment to UPPER_CASE at the top of a module, or a
class attribute declared as `ClassVar`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SIZES = {4, 14, 20, 24, 52, 56, 128, 132}
MODULES = sorted(
    path
    for folder in ("envs", "parity")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)


def is_constant(node: ast.stmt) -> bool:
    """Return whether this is the definition of named constants."""
    if isinstance(node, ast.AnnAssign):
        targets: list[ast.expr] = [node.target]
    elif isinstance(node, ast.Assign):
        targets = [
            name
            for target in node.targets
            for name in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
    else:
        return False
    return all(isinstance(each, ast.Name) and each.id.isupper() for each in targets)


def class_variables(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield what classes at the top of a module declare as `ClassVar`."""
    for cls in tree.body:
        for statement in cls.body if isinstance(cls, ast.ClassDef) else []:
            if isinstance(statement, ast.AnnAssign) and "ClassVar" in ast.dump(statement):
                yield statement


def bare_sizes(code: str) -> Iterator[tuple[int, int]]:
    """Yield line and value of every size that stands in the code without a name."""
    tree = ast.parse(code)
    named = {
        node
        for statement in [*filter(is_constant, tree.body), *class_variables(tree)]
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or node in named:
            continue
        if type(node.value) in (int, float) and node.value in SIZES:
            yield node.lineno, int(node.value)


def test_there_are_modules_to_look_at() -> None:
    assert len(MODULES) > 20
    assert {path.parent.name for path in MODULES} >= {"envs", "parity", "snapszer"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sizes_have_names(path: Path) -> None:
    found = [f"{path.name}:{line}: {value}" for line, value in bare_sizes(path.read_text())]
    assert not found


@pytest.mark.parametrize(
    "code",
    [
        "x = 14",
        "def f(cards):\n    return cards.reshape(4, -1)",
        "DECK = 52\ndef f():\n    return range(52)",
        "class Sizes:\n    CELLS = 56",
        "a, DECK = 20, 24",
        "x: int = 24",
        "half = 52.0",
    ],
)
def test_a_bare_size_is_found(code: str) -> None:
    assert list(bare_sizes(code))


@pytest.mark.parametrize(
    "code",
    [
        "SUITS = 4",
        "SUITS, RANKS = 4, 14",
        "SUITS: int = 4",
        "x = 5",
        "text = '52'",
        "class A:\n    steps: ClassVar[int] = 14",
    ],
)
def test_a_named_size_is_not(code: str) -> None:
    assert not list(bare_sizes(code))
