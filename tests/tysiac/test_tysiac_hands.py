"""Hands of Tysiac written by hand (`tests/data/tysiac_hands`), played by env and by engine."""

from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parent.parent / "data" / "tysiac_hands"
HANDS = sorted(FOLDER.glob("*.txt"))


class Hand:
    """A hand as its file tells it."""

    def __init__(self, path: Path) -> None:
        lines = [line.strip() for line in path.read_text().splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        head = dict(line.split(": ", 1) for line in lines[:3])
        self.flags = {name: yaml.safe_load(value) for name, value in _pairs(head["rules"])}
        self.table = {
            name: [int(each) for each in value.split(",")] if "," in value else int(value)
            for name, value in _pairs(head["table"])
        }
        self.deck = head["deck"]
        self.lines = lines[3:]


def _pairs(text: str) -> list[list[str]]:
    return [pair.split("=") for pair in text.split()]


def check(table: Any, question: str) -> None:
    """Ask the table what a line of the file says of it."""
    what, *answer = question.split()
    numbers = [int(each) for each in answer if each.lstrip("-").isdigit()]
    if what == "legal":
        plain = {name for name in table.legal() if not name.startswith("declare")}
        assert plain == {name.replace("_", " ") for name in answer}
    elif what == "trump":
        assert table.trump == answer[0]
    elif what in ("contract", "doubling", "to_move"):
        assert [table.facts["current_player" if what == "to_move" else what]] == numbers
    elif what in ("points", "scores"):
        assert table.facts[what] == numbers
    elif what == "known":
        sides = [set(part.split()) - {"-"} for part in " ".join(answer).split("/")]
        assert [table.cards("known", seat) for seat in (0, 1)] == sides
    elif what == "reward":
        assert table.paid == pytest.approx([float(each) for each in answer], abs=1e-6)
    else:
        assert what == "over"
        assert table.over


@pytest.mark.parametrize("path", HANDS, ids=lambda path: path.stem)
def test_hand(tables: Any, path: Path) -> None:
    hand = Hand(path)
    table = tables.deal(hand.deck, hand.flags, **hand.table)
    for number, line in enumerate(hand.lines):
        try:
            if line.startswith("="):
                check(table, line[1:].strip())
            else:
                table = table.play(line)
        except AssertionError as error:
            raise AssertionError(f"{path.name}: entry {number + 1}: {line}: {error}") from error


def test_there_are_hands() -> None:
    assert len(HANDS) >= 10
