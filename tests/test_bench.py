"""`talonax bench` and `benchmarks/throughput.py`: what they report, never how fast."""

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np
import pytest

import talonax
from talonax.__main__ import main
from talonax.cli import bench, measure, peers
from talonax.cli.errors import UsageError
from talonax.configs.games import load_rules

ROOT = Path(__file__).parent.parent
KEYS = [
    "game",
    "mode",
    "batch",
    "steps_per_second",
    "games_per_second",
    "compile_seconds",
    "state_bytes",
]


@pytest.fixture
def throughput(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("throughput", ROOT / "benchmarks/throughput.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "throughput", module)  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """One call a turn is enough where figures do not matter."""
    monkeypatch.setattr(measure, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(measure, "ROLLOUT_STEPS", 64)


@pytest.mark.slow
def test_bench_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "high_card_duel:standard", "--batches", "8", "--repeats", "1", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["schema", "machine", "rows", "ratios"]
    assert told["machine"]["jax"] == jax.__version__
    assert told["machine"]["peak_memory_bytes"] > 10**7
    assert told["ratios"] == {}
    assert [row["mode"] for row in told["rows"]] == list(bench.MODES)
    for row in told["rows"]:
        assert list(row) == KEYS
        assert (row["game"], row["batch"]) == ("high_card_duel:standard", 8)
        assert row["state_bytes"] == measure.state_bytes(talonax.make("high_card_duel"))
        assert row["compile_seconds"] > 0
        assert (row["steps_per_second"] is None) == (row["mode"] == "init")
        assert (row["games_per_second"] is None) == (row["mode"] == "step")


def test_bench_as_text_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [measure.Row("pgx.sparrow_mahjong", "rollout", 131072, 1.234e7, 8.8e5, 12.345, 19)]
    monkeypatch.setattr(bench, "measure", lambda asked: (rows, {"high_card_duel / other": 2.5}))
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["bench"]) == 0
    shown = capsys.readouterr().out
    found = next(line for line in shown.splitlines() if line.startswith("pgx.sparrow"))
    assert " ".join(found.split()) == "pgx.sparrow_mahjong rollout 131,072 12.3 M 880 k 12.35 19"
    assert re.search(r"high_card_duel / other +2.5$", shown, re.M)
    assert "peak memory" in shown


def test_full_games_are_played_to_their_end() -> None:
    env = talonax.make("snapszer")
    states, returns, lengths = jax.jit(lambda key: measure.play_out(env, 64, key))(
        jax.random.key(0)
    )
    assert np.asarray(states.finished).all()
    assert not np.asarray(states.illegal).any()
    np.testing.assert_array_equal(returns.sum(axis=1), 0)
    assert (np.abs(returns) >= 1).all()
    assert set(np.asarray(lengths).tolist()) <= set(range(2, env.max_steps + 1))
    assert len(set(np.asarray(lengths).tolist())) > 3


def test_rollouts_go_on_from_different_steps_with_fresh_keys() -> None:
    env = talonax.make("high_card_duel")
    for mode in ("rollout", "observe"):
        (contender,) = measure.contenders("duel", env, 16, [mode])
        work = contender.run(jax.random.key(0))
        assert contender.mode == mode
        assert work.steps == 16 * 64
        assert work.games == 16 * 64 / 2


def test_turns_alternate_and_medians_are_taken() -> None:
    order: list[str] = []
    keys: list[int] = []

    def contender(name: str, speeds: list[int]) -> measure.Contender:
        left = iter([1, 1, *speeds])  # two calls to see how long one takes

        def run(key: Any) -> measure.Work:
            order.append(name)
            keys.append(int(jax.random.key_data(key)[1]))
            return measure.Work(next(left), 0, seconds=1.0)

        return measure.Contender(name, "games", 1, run)

    rows = measure.race(
        [contender("a", [10, 90, 20]), contender("b", [5, 1, 3])], repeats=3, seed=0
    )
    assert order == [*"aabb", *"ababab"]
    assert len(set(keys)) == len(keys)
    assert [row.steps_per_second for row in rows] == [20, 3]
    assert [row.games_per_second for row in rows] == [None, None]


def test_ratios_compare_like_with_like() -> None:
    def row(game: str, mode: str, steps: float, games: float) -> measure.Row:
        return measure.Row(game, mode, 1, steps, games, None, None)

    ours = [row("ours", "games", 8.0, 2.0), row("ours", "rollout", 9.0, 5.0)]
    others = [row("stick", "games", 1.0, 4.0), row("peer", "rollout", 3.0, 1.0)]
    assert bench.compare(ours, others) == {"ours / stick": 0.5, "ours / peer": 3.0}
    assert bench.reference_batch([1, 3000, 131072]) == 3000


def test_compile_times_are_not_those_of_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jax.config.jax_enable_compilation_cache
    seen = []
    monkeypatch.setattr(
        jax, "jit", lambda f: seen.append(jax.config.jax_enable_compilation_cache) or pytest.skip
    )
    with pytest.raises(AttributeError):
        measure.compiled(lambda x: x, 1)
    assert seen == [False]
    assert jax.config.jax_enable_compilation_cache == before


def test_peers_that_are_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    for peer, extra in (("pgx", "adapters"), ("openspiel", "openspiel")):
        assert main(["bench", "high_card_duel", "--peers", peer]) == 2
        told = f"{peer} is not installed: pip install 'talonax[{extra}]'"
        assert told in capsys.readouterr().err


def test_games_with_flags() -> None:
    assert bench.game_env("blob:players=3:cards=7").rules == load_rules("blob", players=3, cards=7)
    assert bench.game_env("snapszer:base:match=3").rules == load_rules("snapszer", "base", match=3)
    assert bench.game_env("snapszer:base:match=3").observation == "full"
    assert bench.game_env("snapszer:").rules == load_rules("snapszer")
    with pytest.raises(UsageError, match="one profile at most, got: base, vu"):
        bench.game_env("snapszer:base:vu")
    with pytest.raises(UsageError, match="--set size: snapszer has no such flag"):
        bench.game_env("snapszer:size=3")


@pytest.mark.parametrize("game", ["oh_hell", "kuhn_poker"])
def test_games_of_openspiel_are_played_to_their_end(
    monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """All moves count and none of chance; the game in Python is the game in C++."""
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    parameters = {"players": 3, "num_tricks_fixed": 2} if game == "oh_hell" else {}
    monkeypatch.setattr(peers, "OPENSPIEL_GAMES", {game: parameters})
    monkeypatch.setattr(peers, "GAMES_IN_CPP", 5)
    monkeypatch.setattr(peers, "GAMES_IN_PYTHON", 3)
    assert peers.count(["openspiel", "pgx"]) == 2 + len(peers.PGX_GAMES)
    played, observed = peers.contenders(["openspiel"], 4096)
    assert (played.game, played.mode) == (f"openspiel.{game}", "rollout")
    assert (observed.game, observed.mode) == (f"openspiel.{game}.python", "observe")
    for contender, games in ((played, 5), (observed, 3)):
        work = contender.run(jax.random.key(1))
        assert work.games == games
        if game == "oh_hell":
            assert work.steps == games * 3 * (1 + 2)
        else:
            assert 2 * games <= work.steps <= 3 * games
    seconds = played.run(jax.random.key(2)).seconds
    assert seconds is not None
    assert 0 < seconds < 1


@pytest.mark.slow
def test_peers_in_the_same_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pgx")
    monkeypatch.setattr(peers, "PGX_GAMES", {"kuhn_poker": 8})
    words = ["bench", "high_card_duel", "--peers", "pgx", "--batches", "16", "--repeats", "1"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    peer = told["rows"][-1]
    assert (peer["game"], peer["mode"], peer["batch"]) == ("pgx.kuhn_poker", "rollout", 16)
    assert list(told["ratios"]) == ["high_card_duel / pgx.kuhn_poker"]
    ours = next(row for row in told["rows"] if row["mode"] == "rollout")
    expected = ours["steps_per_second"] / peer["steps_per_second"]
    assert told["ratios"]["high_card_duel / pgx.kuhn_poker"] == pytest.approx(expected)


# The script -------------------------------------------------------------------------------------


def test_throughput_writes_the_table(
    throughput: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--games", "high_card_duel", "--batches", "16", "--repeats", "1", "--modes", "games"]
    assert throughput.main([*words, "rollout", "--markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = "| game | batch | full games, games/s | full games, steps/s | rollout, steps/s | observe"
    assert f"{head}, steps/s |" in lines
    speeds = [line for line in lines if line.startswith("| high_card_duel | ")]
    assert [line.split(" | ")[1] for line in speeds] == ["16", "19"]  # batch; bytes of a state
    assert speeds[1].count(" s |") == 2


@pytest.mark.slow
def test_throughput_measures_the_sticks(
    throughput: ModuleType, capsys: pytest.CaptureFixture[str], shared: Path
) -> None:
    if not (shared / "tools/trial_snapszer.py").is_file():
        pytest.skip(f"no measuring sticks at {shared}/tools")
    words = ["--games", "snapszer:base", "--batches", "16", "--repeats", "1", "--modes", "games"]
    assert throughput.main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "snapszer:base / trial_snapszer.py" in told["ratios"]
    assert all(ratio > 0 for ratio in told["ratios"].values())
    assert not list((shared / "tools").glob("__pycache__"))


def test_throughput_refuses_unknown_modes(
    throughput: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert throughput.main(["--modes", "fast"]) == 2
    assert "no such mode; there are: init, step, games, rollout, observe" in capsys.readouterr().err
