"""Env and engine in lockstep: no difference under any rules; and differences are found."""

from dataclasses import replace
from operator import attrgetter

import jax.numpy as jnp
import pytest

import talonax
from talonax import parity
from talonax.configs import games as listing
from talonax.configs.games import load_rules
from talonax.configs.rules import RulesError, flag_names
from talonax.envs.snapszer.env import Snapszer
from talonax.parity import lockstep

PROFILES = ["hungarian", "base", "austrian", "vu"]
#: What no profile has; all flags, more games: case E33 (`test_cases_environment.py`).
VARIATIONS = [
    {"match": 3, "nines": True, "first_leader": "random", "close_min_stock": 1},
    {"match": 2, "marriage_points": "after_a_trick", "first_leader": 1, "closer_fail_points": 3},
    {"marriage_declare": "optional", "marriage_lead": "king", "nines": True},
]
BOMBS = {"bomba.enabled": True, "bomba.allow_redouble": True}
TYSIAC = [
    {"forced_open": False, "proof": "challenge", "return_to": "declarer", **BOMBS},
    {"rounding": "nearest_down", "reward": "margin", "must_trump_when_void": True},
    {"proof": "challenge", "hands": 2, "rounding": "nearest", "bomba.enabled": True},
    {"return_to": "discard", "lock": 100, "target": 200, "hands": 0, "max_hands": 8},
    {"hands": 0, "max_hands": 4, "forced_open": False, "lock": None, "target": 150},
]
BLOB = [
    {"players": 3, "cards": 4, "rounds": "full", "dealer": 2, "reward": "relative"},
    {"players": 5, "cards": 2, "rounds": "full", "hook": False, "score": "exact_or_tricks"},
    {"players": 8, "cards": 6, "first_round": 4, "reward": "normalised"},
    {"players": 6, "cards": 8, "trumps": ("none", "D")},
    {"players": 7, "score": "exact_or_tricks"},
    {"cards": 13},
]
BEZIQUE = [
    {"rounds": 1, "joker_turnup": "redraw", "max_jokers": 0, "seven_in_phase2": False},
    {"rounds": 2, "players": 4, "mode": "advanced", "reward": "win"},
    {"target": 750, "max_rounds": 3},
]


def run(game, games=300, **keywords):
    report = lockstep.run(game, games=games, **keywords)
    assert report.first is None, report.first
    assert report.differences == 0
    assert report.games == games
    return report


@pytest.mark.quick_first
@pytest.mark.parametrize("profile", PROFILES)
def test_snapszer_profile(profile):
    report = run("snapszer", profile=profile)
    assert report.steps > 300 * 8
    assert sum(report.scenarios.values()) > 30, "directed games should get somewhere"


@pytest.mark.slow
@pytest.mark.parametrize("flags", VARIATIONS, ids=str)
def test_snapszer_variation(flags):
    run("snapszer", games=60, flags=flags, seed=1)


@pytest.mark.quick_first
@pytest.mark.parametrize("profile", ["alpha1000", "polish"])
def test_tysiac_profile(profile):
    """Single hands, a quarter of them steered."""
    report = run("tysiac", profile=profile, flags={"hands": 1})
    assert report.steps > 300 * 26
    assert sum(report.scenarios.values()) > 30, report.scenarios


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["alpha1000", "polish"])
def test_whole_matches_of_tysiac(profile):
    assert run("tysiac", profile=profile, games=10).steps > 10 * 100


@pytest.mark.slow
@pytest.mark.parametrize("flags", TYSIAC, ids=str)
def test_tysiac_variation(flags):
    run("tysiac", games=60, flags={"hands": 1, **flags}, seed=1)


@pytest.mark.slow
def test_blob():
    report = run("blob", games=100)
    assert report.steps == 100 * 4 * 6
    assert all(report.scenarios.values()), report.scenarios


@pytest.mark.slow
@pytest.mark.parametrize("flags", BLOB, ids=str)
def test_blob_variation(flags):
    run("blob", games=40, flags=flags, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("profile", ["standard", "advanced"])
def test_bezique_profile(profile, players):
    report = run("bezique", profile=profile, games=48, flags={"rounds": 1, "players": players})
    assert report.steps > 48 * (180 if players == 2 else 140)
    assert sum(report.scenarios.values()) > 5, report.scenarios


@pytest.mark.slow
@pytest.mark.parametrize("flags", BEZIQUE, ids=str)
def test_bezique_variation(flags):
    run("bezique", games=16, flags=flags, seed=1)


@pytest.mark.parametrize("jokers", [True, False])
def test_high_card_duel(jokers):
    report = run("high_card_duel", flags={"include_jokers": jokers})
    assert report.steps == 600


@pytest.mark.parametrize(
    ("game", "variations"),
    [("snapszer", VARIATIONS), ("tysiac", TYSIAC), ("blob", BLOB), ("bezique", BEZIQUE)],
)
def test_every_flag_has_been_varied_both_ways(game, variations):
    profiles = [load_rules(game, name) for name in listing.get(game).profiles]
    varied = [load_rules(game, **flags) for flags in variations]
    for flag in flag_names(type(profiles[0])):
        values = {attrgetter(flag)(rules) for rules in [*profiles, *varied]}
        assert len(values) > 1, flag


@pytest.mark.slow
def test_a_seed_repeats_itself():
    first = lockstep.run("kuhn_poker", games=20, seed=5)
    again = lockstep.run("kuhn_poker", games=20, seed=5)
    other = lockstep.run("kuhn_poker", games=20, seed=6)
    assert replace(first, seconds=0.0) == replace(again, seconds=0.0)
    assert first.steps != other.steps


@pytest.mark.slow
def test_progress_is_told_after_every_batch():
    told = []
    report = run("snapszer", games=20, progress=lambda games, steps: told.append((games, steps)))
    assert told[-1] == (20, report.steps)


# Differences are found ---------------------------------------------------------------------------


def broken(monkeypatch, method, change):
    whole = getattr(Snapszer, method)
    monkeypatch.setattr(Snapszer, method, lambda *a, **k: change(whole(*a, **k)))
    return lockstep.run("snapszer", games=24, seed=2)


@pytest.mark.slow
def test_a_wrong_reward_is_found(monkeypatch):
    def generous(state):
        return state.replace(rewards=state.rewards * 2)

    report = broken(monkeypatch, "_apply", generous)
    assert report.differences == 24
    assert report.first["field"] == "rewards[0]"
    assert len(report.first["moves"]) == report.first["step"]
    assert len(report.first["deal"][0]) == 20
    assert report.first["env"] != report.first["engine"]


def test_a_wrong_fact_is_found(monkeypatch):
    report = broken(monkeypatch, "facts", lambda facts: {**facts, "leader": jnp.int8(0)})
    assert report.differences > 0
    assert report.first["field"] == "facts.leader"


@pytest.mark.slow
def test_a_missing_fact_is_found(monkeypatch):
    report = broken(
        monkeypatch, "facts", lambda facts: {k: facts[k] for k in facts if k != "known"}
    )
    assert report.differences == 24
    assert "facts.known" in report.first["field"]


@pytest.mark.slow
def test_a_wrong_observation_is_found(monkeypatch):
    report = broken(monkeypatch, "_observe", lambda seen: seen.at[68].add(0.01))
    assert report.differences == 24
    assert report.first["field"].startswith("observation")


@pytest.mark.slow
def test_a_legal_action_too_many_is_found(monkeypatch):
    report = broken(monkeypatch, "_legal_set", lambda legal: legal | jnp.uint32(1 << 20))
    assert report.differences > 0
    assert report.first["field"] == "legal[20]"


# Errors ------------------------------------------------------------------------------------------


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=f"there are: {', '.join(talonax.games())}"):
        lockstep.run("chess")
    with pytest.raises(ValueError, match="games: at least 1"):
        lockstep.run("snapszer", games=0)
    with pytest.raises(RulesError, match="no such flag"):
        lockstep.run("snapszer", flags={"colour": 1})
    with pytest.raises(ValueError, match="no profile"):
        parity.spec("snapszer", "french")
