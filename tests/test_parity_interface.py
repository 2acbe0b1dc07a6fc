"""What holds for every reference engine: the way in, episodes, scenarios, the code itself."""

import dataclasses
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import talonax
import talonax.parity
from talonax.configs import games
from talonax.configs.rules import RulesError
from talonax.parity import (
    GameEnv,
    GameSpec,
    GameState,
    IllegalMoveError,
    Move,
    play_random_episode,
    spec,
)
from talonax.parity.high_card_duel import HighCardDuelSpec
from talonax.parity.snapszer import SnapszerSpec

FOLDER = Path(talonax.parity.__file__).parent
#: Every profile, and rules that open what the profiles close.
RULES: list[tuple[str, str, dict[str, Any]]] = [
    ("high_card_duel", "standard", {}),
    ("high_card_duel", "standard", {"include_jokers": False}),
    ("snapszer", "hungarian", {}),
    ("snapszer", "base", {}),
    ("snapszer", "austrian", {}),
    ("snapszer", "vu", {}),
    ("snapszer", "hungarian", {"nines": True, "close_min_stock": 1}),
    ("snapszer", "hungarian", {"match": 3, "first_leader": "random"}),
    ("snapszer", "austrian", {"marriage_declare": "optional", "marriage_lead": "king"}),
    ("snapszer", "hungarian", {"sixty_six": "after_trick", "exchange_min_stock": 3}),
    ("blob", "standard", {}),
    ("blob", "standard", {"players": 3, "cards": 2, "rounds": "full", "reward": "relative"}),
    ("blob", "standard", {"players": 8, "score": "exact_or_tricks", "reward": "normalised"}),
]
#: Rare places need decks of their own there (`test_parity_bezique_scenarios.py`).
BEZIQUE: list[tuple[str, str, dict[str, Any]]] = [
    ("bezique", "standard", {"rounds": 1}),
    ("bezique", "advanced", {"rounds": 1, "players": 4}),
]
some_rules = pytest.mark.parametrize(("game", "profile", "flags"), RULES)
every_rules = pytest.mark.parametrize(("game", "profile", "flags"), [*RULES, *BEZIQUE])


def test_spec_reads_rules_by_profile_and_flags() -> None:
    assert isinstance(spec("snapszer"), SnapszerSpec)
    assert isinstance(spec("high_card_duel"), HighCardDuelSpec)
    assert spec("snapszer") == spec("snapszer", profile="hungarian")
    assert spec("snapszer", "base").rules.closer_beaten == "normal"
    assert spec("snapszer", "base", match=7).rules.match == 7
    assert hash(spec("snapszer", "vu")) == hash(spec("snapszer", "vu"))


def test_spec_says_what_is_missing() -> None:
    with pytest.raises(games.UnknownGameError, match=r"'mahjong'; there are: .*snapszer"):
        spec("mahjong")
    with pytest.raises(games.UnknownGameError, match="'bavarian'; there are: hungarian"):
        spec("snapszer", "bavarian")
    with pytest.raises(RulesError, match="no such flag"):
        spec("snapszer", jokers=4)


def test_a_game_without_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = dataclasses.replace(games.get("snapszer"), engine=None)
    monkeypatch.setitem(games._GAMES, "bare", bare)
    with pytest.raises(games.UnknownGameError, match="bare has no reference engine"):
        spec("bare")


@every_rules
def test_an_episode_keeps_the_promises(game: str, profile: str, flags: dict[str, Any]) -> None:
    made = spec(game, profile, **flags)
    zero_sum = talonax.make(game, profile, **flags).zero_sum
    for seed in range(5):
        episode = play_random_episode(made, seed)
        assert episode == play_random_episode(made, seed)
        assert len(episode.states) == len(episode.moves) + 1 == len(episode.rewards) + 1
        steps = zip(episode.states[:-1], episode.moves, episode.rewards, strict=True)
        for state, move, rewards in steps:
            _check_open_state(made, state, move)
            assert not zero_sum or sum(rewards) == pytest.approx(0, abs=1e-6)
        end = episode.states[-1]
        assert end.is_terminal()
        assert (end.current_player(), end.legal_moves()) == (-1, ())
        assert end.facts()["current_player"] == -1
        totals = tuple(map(sum, zip(*episode.rewards, strict=True)))
        assert end.returns() == totals
        with pytest.raises(IllegalMoveError, match="over"):
            end.apply_move(episode.moves[-1])


def _check_open_state(made: GameSpec, state: GameState, move: Move) -> None:
    legal = state.legal_moves()
    ids = [option.id for option in legal]
    assert not state.is_terminal()
    assert ids == sorted(set(ids))
    assert set(ids) <= set(range(made.num_actions))
    # An id may mean several things; a position says which.
    assert all(option.name in made.move_name(option.id).split(" or ") for option in legal)
    assert state.current_player() in range(made.num_players)
    assert state.apply_move(move) == state.apply_move(move.id)
    assert made.move(move.id, state) == move
    with pytest.raises(RuntimeError):
        state.returns()
    refused = next((a for a in range(-1, made.num_actions + 1) if a not in ids), None)
    assert refused is not None
    with pytest.raises(IllegalMoveError):
        state.apply_move(refused)
    with pytest.raises(IllegalMoveError):
        made.move(refused, state)
    for player in range(made.num_players):
        hash(state.information_state(player))


@every_rules
def test_env_plays_what_the_states_play(game: str, profile: str, flags: dict[str, Any]) -> None:
    made = spec(game, profile, **flags)
    env = GameEnv(made)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    episode = play_random_episode(made, 3)
    assert env.reset(seed=3) == episode.states[0]
    for number, move in enumerate(episode.moves):
        state, rewards, done = env.step(move)
        assert state == episode.states[number + 1]
        assert rewards == episode.rewards[number]
        assert done == state.is_terminal()


def _walk(made: GameSpec, name: str, seed: int) -> Iterator[GameState]:
    rng = random.Random(seed)
    state = made.initial_state(seed=seed)
    yield state
    while not state.is_terminal():
        move = made.scenarios[name].choose(state, rng)
        assert move in state.legal_moves()
        state = state.apply_move(move)
        yield state


@some_rules
def test_scenarios_reach_their_places(game: str, profile: str, flags: dict[str, Any]) -> None:
    made = spec(game, profile, **flags)
    for name, scenario in made.scenarios.items():
        found = any(
            scenario.reached(state) for seed in range(150) for state in _walk(made, name, seed)
        )
        assert found, f"{name}: {scenario.what}"


def test_scenarios_follow_the_flags() -> None:
    hungarian = set(spec("snapszer").scenarios)
    assert hungarian == {
        *(f"close_at_{stock}" for stock in (9, 7, 5, 3)),
        *("failed_close", "close_beaten", "exchange", "exchange_last", "marriage"),
        *("trump_marriage", "won_by_marriage", "stock_gone", "to_the_last_card", "no_trick"),
        "greedy_trump",
    }
    vu = set(spec("snapszer", "vu").scenarios)
    closings = {name for name in hungarian if "close" in name}
    assert vu == hungarian - closings - {"won_by_marriage"} | {"declare"}
    nines = set(spec("snapszer", nines=True, close_min_stock=5).scenarios)
    assert {name for name in nines if name.startswith("close_at")} == {
        *(f"close_at_{stock}" for stock in (11, 9, 7, 5))
    }


def test_scenarios_by_their_own_account() -> None:
    """A few places, looked at from outside."""
    made = spec("snapszer")
    for name, check in {
        "close_at_5": lambda facts: facts["stock"].count(-1) == 4 and facts["closed_by"] >= 0,
        "stock_gone": lambda facts: facts["turned_up"] == -1 and facts["closed_by"] == -1,
        "exchange": lambda facts: (
            facts["turned_up"] == facts["trump"] * 5 + 4 and any(facts["known"])
        ),
        "marriage": lambda facts: any(facts["marriages"]),
        "no_trick": lambda facts: 0 in facts["tricks"] and facts["current_player"] == -1,
        "to_the_last_card": lambda facts: facts["hands"] == [0, 0] and facts["closed_by"] == -1,
        "failed_close": lambda facts: facts["hands"] == [0, 0] and facts["closed_by"] >= 0,
        "close_beaten": lambda facts: facts["points"][1 - facts["closed_by"]] >= 66,
        "won_by_marriage": lambda facts: max(facts["points"]) >= 66 and any(facts["known"]),
    }.items():
        there = [
            state.facts()
            for seed in range(60)
            for state in _walk(made, name, seed)
            if made.scenarios[name].reached(state)
        ]
        assert there, name
        assert all(map(check, there)), name


def test_engines_import_neither_jax_nor_the_environments() -> None:
    script = (
        "import sys, talonax.parity, talonax.parity.snapszer, talonax.parity.high_card_duel\n"
        "import talonax.parity.tysiac, talonax.parity.blob, talonax.parity.bezique\n"
        "loaded = [name for name in sys.modules if name.split('.')[0] in ('jax', 'flax')]\n"
        "loaded += [name for name in sys.modules if name.startswith('talonax.envs')]\n"
        "sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_folder_is_not_a_package_of_its_own() -> None:
    script = "import parity"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=FOLDER.resolve().parent
    )
    assert "import `talonax.parity`, not `parity`" in done.stderr


@pytest.mark.parametrize(
    "name",
    ["card_tensor", "cards", "game", "high_card_duel", "snapszer", "tysiac", "blob", "bezique"],
)
def test_sizes_have_names(name: str) -> None:
    for path in FOLDER.glob(f"{name}*.py"):
        code = re.sub(r'""".*?"""|#[^\n]*|"[^"\n]*"', "", path.read_text(), flags=re.DOTALL)
        code = re.sub(r"^[A-Z_]+ = .*$", "", code, flags=re.MULTILINE)  # names are given here
        sizes = re.findall(r"(?<![\w.])(?:14|24|52|56)(?![\w.])", code)
        assert not sizes, path
        assert len(path.read_text().splitlines()) < 400, path
