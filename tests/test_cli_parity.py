"""`talonax parity`."""

import json
from typing import Any

import pytest

from talonax.__main__ import main
from talonax.parity import lockstep


def test_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", "high_card_duel", "--games", "20", "--seed", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == [
        "schema",
        "game",
        "profile",
        "rules",
        "games",
        "steps",
        "seed",
        "seconds",
        "differences",
        "first",
    ]
    assert (told["games"], told["steps"], told["seed"]) == (20, 40, 3)
    assert (told["differences"], told["first"]) == (0, None)


def test_scenarios_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", "snapszer", "--profile", "base", "--games", "8"]) == 0
    shown = capsys.readouterr().out
    assert "different  0 games" in shown
    assert "exchange" in shown


@pytest.fixture
def differing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the two sides differ."""
    real = lockstep.snapshot

    def wrong(env: Any, state: Any) -> dict[str, Any]:
        taken = real(env, state)
        return {**taken, "rewards": taken["rewards"] + 1}

    monkeypatch.setattr(lockstep, "snapshot", wrong)


@pytest.mark.usefixtures("differing")
def test_a_difference_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["parity", "high_card_duel", "--games", "5"]
    assert main(words) == 1
    shown = capsys.readouterr().out
    assert "different  5 games" in shown
    assert "The first difference:" in shown
    assert "game 0, step 0, rewards" in shown
    assert main([*words, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["differences"] == 5
    assert {"deal", "seat", "field", "moves", "env", "engine"} <= set(told["first"])


def test_interrupted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*args: Any, progress: Any, **kwargs: Any) -> None:
        progress(7, 14)
        raise KeyboardInterrupt

    monkeypatch.setattr(lockstep, "run", run)
    assert main(["parity", "high_card_duel"]) == 130
    assert "interrupted after 7 of 10,000 games" in capsys.readouterr().err
