"""The rules of Bezique as data: its profiles, and what is refused."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import talonax.configs
from talonax.configs import games
from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import RulesError, as_dict, build, read_yaml, rules_hash

FOLDER = Path(talonax.configs.__file__).parent / "bezique"
GAME = "bezique_by_its_rules"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema and its profiles under an id of this module's own."""
    profiles = {name: FOLDER / f"{name}.yaml" for name in ("standard", "advanced")}
    record = games.Game(id=GAME, env=None, schema=Rules, profiles=profiles)
    monkeypatch.setitem(games._GAMES, GAME, record)


def load(profile: Any = None, **flags: Any) -> Rules:
    rules = games.load_rules(GAME, profile, **flags)
    assert isinstance(rules, Rules)
    return rules


def test_the_defaults_are_standard() -> None:
    assert load() == load("standard") == Rules()
    assert as_dict(Rules()) == {
        "players": 2,
        "mode": "standard",
        "target": 1000,
        "rounds": 0,
        "joker_turnup": "diamonds",
        "max_jokers": 1,
        "seven_in_phase2": True,
        "max_rounds": 100,
        "reward": "margin",
    }


def test_standard_writes_out_every_flag() -> None:
    assert read_yaml(FOLDER / "standard.yaml") == asdict(Rules())


def test_advanced() -> None:
    assert load("advanced") == Rules(mode="advanced")


def test_rules_go_through_json_and_back() -> None:
    rules = load("advanced", players=4, target=1500, max_jokers=0, seven_in_phase2=False)
    assert build(Rules, as_dict(rules), "json") == rules
    assert rules_hash(GAME, 1, rules) != rules_hash(GAME, 1, load("advanced"))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"colour": 1}, "colour: no such flag; there are: players, mode, target, rounds, joker_"),
        ({"players": 3}, "players: 3 is not allowed: Input should be 2 or 4"),
        ({"players": "2"}, "players: '2' is not allowed: Input should be 2 or 4"),
        ({"mode": "rubicon"}, "mode: 'rubicon' is not allowed: Input should be 'standard' or"),
        ({"target": 800}, "target: 800 is not allowed: Input should be 750, 1000 or 1500"),
        ({"rounds": -1}, "rounds: -1 is not allowed: Input should be greater than or equal to 0"),
        ({"joker_turnup": "spades"}, "joker_turnup: 'spades' is not allowed: Input should be 'd"),
        ({"max_jokers": 2}, "max_jokers: 2 is not allowed: Input should be 1 or 0"),
        ({"seven_in_phase2": 1}, "seven_in_phase2: 1 is not allowed: Input should be a valid b"),
        ({"max_rounds": 0}, "max_rounds: 0 is not allowed: Input should be greater than or equal"),
        ({"reward": "points"}, "reward: 'points' is not allowed: Input should be 'margin' or 'w"),
        ({"rounds": 101}, "rounds: 101 are more than max_rounds: 100"),
        ({"rounds": 3, "max_rounds": 2}, "rounds: 3 are more than max_rounds: 2"),
    ],
)
def test_what_the_schema_refuses(flags: dict[str, Any], said: str) -> None:
    with pytest.raises(RulesError) as raised:
        load(**flags)
    message = str(raised.value)
    assert message.startswith(f"{GAME}/standard.yaml with {next(iter(flags))}=")
    assert f": {said}" in message


def test_the_same_beside_what_is_allowed() -> None:
    for players in (2, 4):
        for target in (750, 1000, 1500):
            assert load(players=players, target=target).target == target
    assert load(rounds=100).rounds == 100
    assert load(rounds=1, max_rounds=1).max_rounds == 1


def test_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("players: 3\n")
    with pytest.raises(RulesError) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}: players: 3 is not allowed")


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Rules().target = 750  # type: ignore[misc]
    assert replace(Rules(), target=750).target == 750
