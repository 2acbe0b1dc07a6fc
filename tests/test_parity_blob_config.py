"""The rules of Blob as data: the profile, the plan of rounds, and what is refused."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import talonax.configs
from talonax.configs import games
from talonax.configs.blob.schema import Rules, dealer_of, round_cards, trump_of
from talonax.configs.rules import RulesError, as_dict, build, read_yaml, rules_hash

FOLDER = Path(talonax.configs.__file__).parent / "blob"
GAME = "blob_by_its_rules"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema and its profile under an id of this module's own."""
    profiles = {"standard": FOLDER / "standard.yaml"}
    record = games.Game(id=GAME, env=None, schema=Rules, profiles=profiles)
    monkeypatch.setitem(games._GAMES, GAME, record)


def load(profile: Any = None, **flags: Any) -> Rules:
    rules = games.load_rules(GAME, profile, **flags)
    assert isinstance(rules, Rules)
    return rules


def test_the_defaults_are_the_profile() -> None:
    assert load() == load("standard") == Rules()
    assert as_dict(Rules()) == {
        "players": 4,
        "cards": 5,
        "rounds": "single",
        "trumps": ["S", "H", "C", "D", "none"],
        "dealer": 0,
        "hook": True,
        "score": "exact",
        "first_round": 0,
        "reward": "score",
    }
    written = read_yaml(FOLDER / "standard.yaml")
    assert {**written, "trumps": tuple(written["trumps"])} == asdict(Rules())


def test_trumps_are_given_as_a_list_or_a_tuple(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("trumps: [H, none]\n")
    assert load(path) == load(trumps=["H", "none"]) == load(trumps=("H", "none"))
    assert hash(load(path)) == hash(load(trumps=("H", "none")))
    assert load(path).trumps == ("H", "none")
    assert load(trumps=["D", "D"]).trumps == ("D", "D")


def test_rules_go_through_json_and_back() -> None:
    rules = load(trumps=["none"], rounds="full", score="exact_or_tricks")
    assert build(Rules, as_dict(rules), "json") == rules
    assert rules_hash(GAME, 1, rules) != rules_hash(GAME, 1, load(rounds="full"))


@pytest.mark.parametrize(
    ("flags", "plan"),
    [
        ({"cards": 7}, (7,)),
        ({"cards": 7, "first_round": 99}, (7,)),
        ({"rounds": "full", "cards": 3}, (3, 2, 1, 1, 1, 1, 1, 2, 3)),
        ({"rounds": "full", "cards": 1, "players": 3}, (1, 1, 1, 1)),
        ({"rounds": "full", "cards": 2, "players": 8}, (2, *[1] * 9, 2)),
    ],
)
def test_the_plan_of_rounds(flags: dict[str, Any], plan: tuple[int, ...]) -> None:
    assert round_cards(load(**flags)) == plan


def test_dealer_and_trump_of_a_round() -> None:
    rules = load(players=3, dealer=2, trumps=["S", "none"])
    assert [dealer_of(rules, index) for index in range(5)] == [2, 0, 1, 2, 0]
    assert [trump_of(rules, index) for index in range(5)] == ["S", "none", "S", "none", "S"]


ALL = "players, cards, rounds, trumps, dealer, hook, score, first_round, reward"
SUITS = "Input should be 'S', 'H', 'C', 'D' or 'none'"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"colour": 1}, f"colour: no such flag; there are: {ALL}"),
        ({"players": 2}, "players: 2 is not allowed: Input should be greater than or equal to 3"),
        ({"players": 9}, "players: 9 is not allowed: Input should be less than or equal to 8"),
        ({"players": "4"}, "players: '4' is not allowed: Input should be a valid integer"),
        ({"players": True}, "players: True is not allowed"),
        ({"cards": 0}, "cards: 0 is not allowed: Input should be greater than or equal to 1"),
        ({"cards": 14}, "cards: 14 is not allowed: 52 cards are enough for 1..13 each"),
        ({"cards": 7, "players": 8}, "cards: 7 is not allowed: 52 cards are enough for 1..6 each"),
        ({"rounds": "half"}, "rounds: 'half' is not allowed: Input should be 'single' or 'full'"),
        ({"trumps": []}, "trumps: () is not allowed: at least one of S, H, C, D, none is needed"),
        ({"trumps": ["S", "X"]}, f"trumps: 'X' is not allowed: {SUITS}"),
        ({"trumps": ["S", 1]}, f"trumps: 1 is not allowed: {SUITS}"),
        ({"trumps": "S"}, "trumps: 'S' is not allowed: Input should be a valid tuple"),
        ({"dealer": -1}, "dealer: -1 is not allowed: Input should be greater than or equal to 0"),
        ({"dealer": 4}, "dealer: 4 is not allowed: with players: 4 it is one of 0..3"),
        ({"hook": 1}, "hook: 1 is not allowed: Input should be a valid boolean"),
        ({"score": "squares"}, "score: 'squares' is not allowed"),
        ({"first_round": -1}, "first_round: -1 is not allowed"),
        ({"rounds": "full", "first_round": 13}, "first_round: 13 is not allowed: .* 0..12"),
        ({"reward": "win"}, "reward: 'win' is not allowed"),
    ],
)
def test_what_the_schema_refuses(flags: dict[str, Any], said: str) -> None:
    given = rf"^{GAME}/standard.yaml with {next(iter(flags))}=.*: "
    with pytest.raises(RulesError, match=given + said.replace("()", r"\(\)")):
        load(**flags)


def test_the_same_beside_what_is_allowed() -> None:
    assert load(players=3, cards=17).cards == 17
    assert load(players=8, cards=6, dealer=7).dealer == 7
    assert load(rounds="full", first_round=12).first_round == 12
    assert load(first_round=1000).first_round == 1000


def test_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("players: 8\ncards: 7\n")
    with pytest.raises(RulesError) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}: cards: 7 is not allowed")


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Rules().cards = 6  # type: ignore[misc]
    assert replace(Rules(), cards=6).cards == 6
