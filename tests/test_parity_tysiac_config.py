"""The rules of Tysiac as data: its profiles, its nested flags, and what is refused."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import talonax.configs
from talonax.configs import games
from talonax.configs.rules import RulesError, as_dict, build, read_yaml, rules_hash
from talonax.configs.tysiac.schema import Bomba, Rules

FOLDER = Path(talonax.configs.__file__).parent / "tysiac"
GAME = "tysiac_by_its_rules"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema and its profiles under an id of this module's own."""
    profiles = {name: FOLDER / f"{name}.yaml" for name in ("alpha1000", "polish")}
    record = games.Game(id=GAME, env=None, schema=Rules, profiles=profiles)
    monkeypatch.setitem(games._GAMES, GAME, record)


def load(profile: Any = None, **flags: Any) -> Rules:
    rules = games.load_rules(GAME, profile, **flags)
    assert isinstance(rules, Rules)
    return rules


def test_the_defaults_are_alpha1000() -> None:
    assert load() == load("alpha1000") == Rules()
    assert as_dict(Rules()) == {
        "forced_open": True,
        "proof": "auto",
        "return_to": "unused_musik",
        "bomba": {"enabled": False, "allow_redouble": False},
        "must_trump_when_void": False,
        "rounding": "up",
        "lock": 800,
        "target": 1000,
        "hands": 0,
        "reward": "win",
        "max_hands": 60,
    }


def test_alpha1000_writes_out_every_flag() -> None:
    assert read_yaml(FOLDER / "alpha1000.yaml") == asdict(Rules())


def test_polish() -> None:
    assert load("polish") == Rules(must_trump_when_void=True, rounding="nearest")


def test_single_flags_of_the_bomb_have_dotted_keys() -> None:
    assert load(**{"bomba.enabled": True}).bomba == Bomba(enabled=True)
    both = load(**{"bomba.allow_redouble": True, "bomba.enabled": True})
    assert both.bomba == Bomba(enabled=True, allow_redouble=True)
    assert load(bomba={"enabled": True}).bomba == Bomba(enabled=True)
    assert load(bomba=Bomba(enabled=True)).bomba == Bomba(enabled=True)
    merged = load(bomba=Bomba(enabled=True), **{"bomba.allow_redouble": True})
    assert merged == both
    assert hash(merged) == hash(both)


def test_a_dotted_key_overrides_the_mapping_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("bomba:\n  enabled: true\n  allow_redouble: true\ntarget: 900\n")
    assert load(path).bomba == Bomba(enabled=True, allow_redouble=True)
    one = load(path, **{"bomba.allow_redouble": False})
    assert (one.bomba, one.target) == (Bomba(enabled=True), 900)
    path.write_text("bomba.enabled: true\n")
    assert load(path).bomba == Bomba(enabled=True)


@pytest.mark.parametrize("off", ["none", "null", "~"])
def test_the_lock_is_switched_off_in_yaml(off: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"lock: {off}\n")
    assert load(path).lock is None
    assert load(lock=None).lock is None
    assert load(lock="none", target=500).target == 500


def test_rules_go_through_json_and_back() -> None:
    rules = load("polish", **{"bomba.enabled": True})
    assert build(Rules, as_dict(rules), "json") == rules
    assert rules_hash(GAME, 1, rules) != rules_hash(GAME, 1, load("polish"))


ALL = (
    "forced_open, proof, return_to, bomba.enabled, bomba.allow_redouble, must_trump_when_void, "
    "rounding, lock, target, hands, reward, max_hands"
)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"colour": 1}, f"colour: no such flag; there are: {ALL}"),
        ({"bomba.loud": True}, f"bomba.loud: no such flag; there are: {ALL}"),
        ({"bomba": {"loud": True}}, f"bomba.loud: no such flag; there are: {ALL}"),
        ({"bombo.enabled": True}, f"bombo.enabled: no such flag; there are: {ALL}"),
        ({"target.high": 1}, f"target.high: no such flag; there are: {ALL}"),
        ({"max_contract": 400}, f"max_contract: no such flag; there are: {ALL}"),
        ({"bomba.enabled": "yes"}, "bomba.enabled: 'yes' is not allowed: Input should be a valid"),
        ({"bomba.enabled": 1}, "bomba.enabled: 1 is not allowed: Input should be a valid boolean"),
        ({"bomba": {"enabled": "yes"}}, "bomba.enabled: 'yes' is not allowed"),
        ({"bomba": True}, "bomba: True is not allowed: Input should be a dictionary"),
        ({"bomba": 7, "bomba.enabled": True}, "bomba: 7 is not allowed"),
        ({"forced_open": 1}, "forced_open: 1 is not allowed: Input should be a valid boolean"),
        (
            {"proof": "never"},
            "proof: 'never' is not allowed: Input should be 'auto' or 'challenge'",
        ),
        ({"return_to": "nobody"}, "return_to: 'nobody' is not allowed"),
        ({"rounding": "down"}, "rounding: 'down' is not allowed"),
        ({"reward": "points"}, "reward: 'points' is not allowed"),
        ({"must_trump_when_void": "no"}, "must_trump_when_void: 'no' is not allowed"),
        ({"lock": 805}, "lock: 805 is not allowed: Input should be a multiple of 10"),
        ({"lock": 0}, "lock: 0 is not allowed: Input should be greater than or equal to 10"),
        ({"lock": "off"}, "lock: 'off' is not allowed: Input should be a valid integer"),
        ({"target": 1001}, "target: 1001 is not allowed: Input should be a multiple of 10"),
        ({"target": None}, "target: None is not allowed"),
        ({"hands": -1}, "hands: -1 is not allowed"),
        ({"max_hands": 0}, "max_hands: 0 is not allowed"),
    ],
)
def test_what_a_schema_refuses(flags: dict[str, Any], said: str) -> None:
    with pytest.raises(RulesError) as raised:
        load(**flags)
    message = str(raised.value)
    assert message.startswith(f"{GAME}/alpha1000.yaml with {next(iter(flags))}=")
    assert f": {said}" in message


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"bomba.allow_redouble": True}, "bomba.allow_redouble: .* needs bomba.enabled"),
        ({"target": 800}, "target: 800 is not above lock: 800"),
        ({"target": 500}, "target: 500 is not above lock: 800"),
        ({"lock": 1000}, "target: 1000 is not above lock: 1000"),
        ({"hands": 61}, "hands: 61 are more than max_hands: 60"),
        ({"hands": 5, "max_hands": 4}, "hands: 5 are more than max_hands: 4"),
    ],
)
def test_inconsistent_rules(flags: dict[str, Any], said: str) -> None:
    with pytest.raises(RulesError, match=f"^{GAME}/alpha1000.yaml with .*: {said}"):
        load(**flags)


def test_the_same_beside_what_is_consistent() -> None:
    assert load(target=810).target == 810
    assert load(lock=990).lock == 990
    assert load(lock=None, target=10).target == 10
    assert load(hands=60).hands == 60
    assert load(hands=1, max_hands=1).max_hands == 1


def test_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("bomba:\n  allow_redouble: true\n")
    with pytest.raises(RulesError) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}: bomba.allow_redouble: ")


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Rules().lock = 900  # type: ignore[misc]
    assert replace(Rules(), lock=900).lock == 900
