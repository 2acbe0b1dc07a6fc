"""Rules are data: profiles, single flags, and what is refused, with source, key and reason."""

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest
import yaml

import talonax
from talonax.configs import games as listing
from talonax.configs.games import load_rules
from talonax.configs.rules import RulesError, as_dict, read_yaml, rules_hash

GAMES = talonax.games()


@pytest.mark.parametrize("game", GAMES)
def test_every_profile_loads_and_every_flag_has_a_word(game: str) -> None:
    record = listing.get(game)
    for profile in record.profiles:
        rules = load_rules(game, profile)
        assert isinstance(rules, listing.resolve(record.schema))
    assert load_rules(game) == load_rules(game, record.default_profile)
    for name, flag in type(rules).__pydantic_fields__.items():
        assert flag.description, name
    with pytest.raises(FrozenInstanceError):
        setattr(rules, next((field.name for field in fields(rules)), "flag"), None)


def test_the_default_profile_spells_out_every_flag() -> None:
    written = yaml.safe_load(listing.get("snapszer").profiles["hungarian"].read_text())  # type: ignore[union-attr]
    assert written == as_dict(load_rules("snapszer"))


def test_flags_override_a_profile() -> None:
    rules = load_rules("snapszer", "vu", closing=True, match=7)
    assert rules.closing
    assert rules.match == 7
    assert rules.marriage_lead == "king"


def test_a_file_is_a_profile(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text("nines: true\nmatch: 9\n")
    rules = load_rules("snapszer", path)
    assert (rules.nines, rules.match, rules.closing) == (True, 9, True)
    assert talonax.make("snapszer", str(path), match=3).rules.match == 3
    (tmp_path / "empty.yml").write_text("# nothing differs\n")
    assert load_rules("snapszer", tmp_path / "empty.yml") == load_rules("snapszer")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("closed: true", ["closed", "no such flag", "closing"]),
        ("nines: 1", ["nines", "1"]),
        ("nines: 'yes'", ["nines", "yes"]),
        ("match: -1", ["match", "-1", "0"]),
        ("match: 2.0", ["match", "2.0"]),
        ("match: '7'", ["match", "7"]),
        ("first_leader: 2", ["first_leader", "2", "random"]),
        ("closer_fail_points: 4", ["closer_fail_points", "4", "3"]),
        ("close_min_stock: 10", ["close_min_stock", "10", "9"]),
        ("marriage_points: soon", ["soon", "at_once", "after_a_trick", "next_trick"]),
        ("- nines", ["mapping"]),
        ("nines: [", ["not YAML"]),
        ("3: true", ["3"]),
    ],
)
def test_what_is_refused_names_file_key_and_reason(
    tmp_path: Path, text: str, said: list[str]
) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(text)
    with pytest.raises(RulesError) as raised:
        load_rules("snapszer", path)
    for word in ["house.yaml", *said]:
        assert word in str(raised.value)


def test_several_faults_are_told_one_a_line() -> None:
    with pytest.raises(RulesError) as raised:
        load_rules("snapszer", nines=3, match=-2)
    lines = str(raised.value).split("\n")
    assert len(lines) == 2
    assert all("hungarian.yaml with nines=3, match=-2" in line for line in lines)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"gone\.yaml"):
        load_rules("snapszer", tmp_path / "gone.yaml")
    with pytest.raises(RulesError, match=r"gone\.yaml"):
        read_yaml(tmp_path / "gone.yaml")


def test_a_hash_names_game_version_and_rules() -> None:
    one = load_rules("snapszer")
    assert rules_hash("snapszer", 1, one) == rules_hash("snapszer", 1, load_rules("snapszer"))
    others = {
        rules_hash("snapszer", 1, one),
        rules_hash("snapszer", 2, one),
        rules_hash("other", 1, one),
        rules_hash("snapszer", 1, load_rules("snapszer", "base")),
    }
    assert len(others) == 4
    assert all(len(each) == 12 and int(each, 16) >= 0 for each in others)
