"""`talonax selfplay`, the files that it writes, and `talonax replay`."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.__main__ import main
from talonax.agents.intervals import wilson
from talonax.cli import play, trajectories
from talonax.cli.selfplay import Selfplay
from talonax.cli.statistics import Totals, half_width

Told = Callable[..., dict[str, Any]]
SMALL = ("--games", "100", "--batch", "32")
KEYS = [
    "schema",
    "game",
    "profile",
    "rules",
    "seed",
    "games",
    "steps",
    "seconds",
    "compile_seconds",
    "games_per_second",
    "steps_per_second",
    "state_bytes",
    "seats",
    "counts",
    "interrupted",
]
#: What differs between two runs of the same games.
TIMES = ("seconds", "compile_seconds", "games_per_second", "steps_per_second")


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """Run `selfplay` with --json; what it prints, without the times."""

    def run(*words: str, code: int = 0) -> dict[str, Any]:
        assert main(["selfplay", *words, "--json"]) == code
        read: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert list(read) == KEYS
        assert all(read.pop(name) > 0 for name in TIMES)
        return read

    return run


def load(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    return {**arrays, "meta": json.loads(str(arrays["meta"]))}


# Playing and counting ---------------------------------------------------------------------------


def test_counts_agree_with_the_games_that_are_kept(told: Told, tmp_path: Path) -> None:
    out = tmp_path / "games.npz"
    report, kept = told("snapszer", *SMALL, "--out", str(out)), load(out)
    assert report["games"] == 100  # though the last batch plays 28 more
    assert report["rules"] == kept["meta"]["rules"]
    assert report["steps"] == kept["lengths"].sum()
    assert report["state_bytes"] <= 100
    assert report["interrupted"] is False
    for seat, told_of in enumerate(report["seats"]):
        mine, other = kept["rewards"][:, seat], kept["rewards"][:, 1 - seat]
        assert told_of["policy"] == "random"
        assert told_of["wins"] == (mine > other).sum()
        assert told_of["win_rate"] == pytest.approx((mine > other).mean())
        assert told_of["mean_points"] == pytest.approx(mine.mean(), abs=1e-6)
        assert told_of["ci95"] == pytest.approx(wilson(told_of["wins"] / 100, 100))
    env = talonax.make("snapszer")
    names = np.array([env.action_name(action) for action in range(env.num_actions)])
    done = names[kept["actions"][kept["actions"] >= 0]]
    assert report["counts"]["closed"] == (done == "close").sum()
    assert report["counts"]["exchanged"] == (done == "exchange").sum()
    assert report["counts"]["deals"] == 100


def test_the_seed_decides_and_so_does_the_batch(told: Told) -> None:
    first = told("snapszer", *SMALL, "--seed", "5")
    assert told("snapszer", *SMALL, "--seed", "5") == first
    assert told("snapszer", *SMALL, "--seed", "6")["steps"] != first["steps"]
    other = told("snapszer", "--games", "100", "--batch", "64", "--seed", "5")
    assert other["steps"] != first["steps"]


def test_results_do_not_depend_on_the_devices(told: Told, tmp_path: Path) -> None:
    assert jax.local_device_count() == 8
    one, eight = tmp_path / "1.npz", tmp_path / "8.npz"
    words = ("snapszer", *SMALL, "--policies", "greedy", "random")
    assert told(*words, "--out", str(one)) == told(*words, "--out", str(eight), "--devices", "8")
    kept, shared = load(one), load(eight)
    for name in kept.keys() | shared.keys():
        np.testing.assert_array_equal(kept[name], shared[name], err_msg=name)


@pytest.mark.parametrize(
    ("games", "said", "batch"),
    [(1, None, 64), (65, None, 128), (4096, None, 4096), (10**6, None, 4096), (5, 3, 3)],
)
def test_hardly_more_games_are_played_than_are_asked_for(
    games: int, said: int | None, batch: int
) -> None:
    assert Selfplay(game="snapszer", games=games, batch=said).side_by_side == batch


def test_a_single_game_on_several_devices(told: Told) -> None:
    one = told("high_card_duel", "--games", "1")
    assert told("high_card_duel", "--games", "1", "--devices", "8") == one
    assert one["games"] == 1


def test_batches_are_spread_over_the_devices() -> None:
    env = talonax.make("snapszer")
    driver = play.Driver(env, play.Random(), batch=64, seed=0, devices=8, record=True)
    _, kept = driver.compiled(None, driver._key, jnp.uint32(0), jnp.int32(64))
    assert len({shard.device for shard in kept.lengths.addressable_shards}) == 8
    assert kept.lengths.addressable_shards[0].data.shape == (8,)


def test_the_device_is_kept_busy_but_no_more_than_two_batches_wait() -> None:
    driver = play.Driver(talonax.make("high_card_duel"), play.Random(), batch=8, seed=0)
    function, started = driver.compiled, []

    def counting(*arguments: Any) -> Any:
        started.append(int(arguments[2]))
        return function(*arguments)

    driver.__dict__["compiled"] = counting  # where the cached property keeps it
    counted = []
    for number, batch in enumerate(driver.batches(36)):
        assert len(started) == min(number + 2, 5)
        counted.append(batch.games)
    assert started == [0, 1, 2, 3, 4]
    assert counted == [8, 8, 8, 8, 4]


def test_ties_are_nobodys_wins(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selfplay", "high_card_duel", "--games", "1000", "--batch", "500"]) == 0
    shown = capsys.readouterr().out
    rows = re.findall(r"^(0 +random|1 +random| +ties) +([0-9,]+) ", shown, re.M)
    wins = [int(number.replace(",", "")) for _, number in rows]
    assert len(wins) == 3
    assert sum(wins) == 1000
    assert 0 < wins[2] < 200  # about one in 18


@pytest.mark.slow
def test_learned_players_sit_in_their_seats(told: Told) -> None:
    for seat, names in enumerate([("pretrained", "random"), ("random", "pretrained")]):
        there = told("snapszer", *SMALL, "--policies", *names)["seats"]
        assert [each["policy"] for each in there] == list(names)
        assert there[seat]["win_rate"] > 0.75


def test_each_policy_sits_in_its_own_seat(told: Told) -> None:
    there = told("snapszer", *SMALL, "--policies", "greedy", "random")["seats"]
    assert [seat["policy"] for seat in there] == ["greedy", "random"]
    assert there[0]["wins"] > 75
    turned = told("snapszer", *SMALL, "--policies", "random", "greedy")["seats"]
    assert turned[1]["wins"] > 75


def test_text_tells_speed_wins_points_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selfplay", "snapszer", *SMALL]) == 0
    shown = capsys.readouterr().out
    for word in ("games/s", "steps/s", "compiled", "bytes", "95 %", "± ", "ties", "per 1000"):
        assert word in shown
    order = [shown.index(name) for name in ("deals", "closed", "exchanged", "trump marriages")]
    assert order == sorted(order)


def test_counts_that_are_parts_of_others_tell_their_share(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["selfplay", "blob", "--set", "cards=1", "players=3", *SMALL]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    made = next(line for line in shown if line[:2] == ["bids", "made"])
    bids = next(line for line in shown if line[:1] == ["bids"] and line[1] != "made")
    assert made[-2:] == ["of", "bids"]
    assert made[-3] == f"{int(made[2]) / int(bids[1]):.1%}"
    assert [line[-1] for line in shown if line[:3] == ["made", "by", "seat"]] == ["rounds"] * 3


def test_an_env_that_does_not_end_in_time_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    env = type(talonax.make("snapszer"))
    monkeypatch.setattr(env, "max_steps", property(lambda self: 10))
    assert main(["selfplay", "snapszer", *SMALL]) == 2
    assert "not over after max_steps = 10 steps" in capsys.readouterr().err


def test_sums_are_pythons_numbers() -> None:
    batch = play.Summary(
        wins=np.array([2**30, 0], np.int32),
        ties=np.int32(2**30),
        returns=np.array([2**30, -(2**30)], np.float32),
        squares=np.array([2**30, 2**30], np.float32),
        steps=np.int32(2**31 - 1),
        shortest=np.int32(3),
        longest=np.int32(9),
        unfinished=np.int32(0),
        illegal=np.int32(1),
        counts={"deals": np.int32(2**31 - 1)},
    )
    totals = Totals.none(players=2)
    for _ in range(4):
        totals = totals.plus(2**31, batch)
    assert totals.steps == 4 * (2**31 - 1)
    assert dict(totals.counts) == {"deals": 4 * (2**31 - 1)}
    assert (totals.games, totals.ties, totals.wins) == (2**33, 2**32, (2**32, 0))
    assert (totals.shortest, totals.longest, totals.illegal) == (3, 9, 4)
    assert totals.returns == (2.0**32, -(2.0**32))


def test_intervals() -> None:
    # Wilson's interval of 8 of 10, as the textbooks have it.
    assert wilson(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0.0, 10)[0] == 0
    assert wilson(0.0, 0) == (0.0, 1.0)
    sample = np.array([1.0, 2.0, 3.0, 6.0])
    expected = 1.959964 * sample.std(ddof=1) / 2
    assert half_width(sample.sum(), (sample**2).sum(), 4) == pytest.approx(expected)
    assert half_width(1.0, 1.0, 1) == math.inf


# Files ------------------------------------------------------------------------------------------


@pytest.mark.quick_first
@pytest.mark.parametrize(
    ("game", "flags"),
    [
        ("high_card_duel", {}),
        ("snapszer", {"first_leader": "random"}),
        ("snapszer", {"match": 3, "first_leader": "random"}),
    ],
)
def test_every_game_of_a_file_can_be_played_again(
    told: Told, tmp_path: Path, game: str, flags: dict[str, Any]
) -> None:
    out = tmp_path / "games.npz"
    words = [word for name, value in flags.items() for word in ("--set", f"{name}={value}")]
    told(game, *words, *SMALL, "--seed", "9", "--out", str(out))
    kept, env = load(out), talonax.make(game, **flags)
    length = int(kept["lengths"].max())
    expected: dict[str, tuple[str, tuple[int, ...]]] = {
        "actions": ("int16", (100, length)),
        "players": ("int8", (100, length)),
        "lengths": ("int32", (100,)),
        "rewards": ("float32", (100, 2)),
    }
    if env.deals_again:
        expected["key"] = ("uint32", (100, 2))
    else:
        expected["deck"] = ("int16", (100, len(env.deck_cards)))
        expected |= {"table_leader": ("int32", (100,))} if flags else {}
    shapes = {name: (kept[name].dtype.name, kept[name].shape) for name in kept if name != "meta"}
    assert shapes == expected
    meta = kept["meta"]
    assert (meta["game"], meta["seed"], meta["batch"], meta["games"]) == (game, 9, 32, 100)
    assert meta["rules_hash"] == env.rules_hash
    assert meta["versions"]["jax"] == jax.__version__
    step, mask = jax.jit(jax.vmap(env.step)), jax.jit(jax.vmap(env.legal_action_mask))
    if env.deals_again:
        states = jax.vmap(env.init)(kept["key"])
    else:
        table = {name[6:]: kept[name] for name in kept if name.startswith("table_")}
        states = jax.vmap(lambda deck, table: env.deal(deck, **table))(kept["deck"], table)
    returns = np.zeros_like(kept["rewards"])
    for number in range(length):
        going = kept["lengths"] > number
        actions, players = kept["actions"][:, number], kept["players"][:, number]
        np.testing.assert_array_equal(going, ~np.asarray(states.finished))
        np.testing.assert_array_equal(actions >= 0, going)
        np.testing.assert_array_equal(players, np.where(going, states.current_player, -1))
        assert mask(states)[np.arange(100), actions][going].all()
        states = step(states, np.maximum(actions, 0).astype(np.int32))
        returns += np.asarray(states.rewards)
    assert np.asarray(states.finished).all()
    assert not np.asarray(states.illegal).any()
    np.testing.assert_array_equal(returns, kept["rewards"])


def test_a_file_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectories, "CHUNK", 24)
    rng = np.random.default_rng(0)
    arrays = {
        "actions": rng.integers(0, 9, (50, 6)).astype(np.int16),
        "players": rng.integers(0, 2, (50, 6)).astype(np.int8),
        "lengths": np.full(50, 4, np.int32),
        "rewards": rng.normal(size=(50, 2)).astype(np.float32),
    }
    target, meta = tmp_path / "a.npz", dict.fromkeys(trajectories.NEEDED_META, "?")
    with trajectories.writing(target) as writer:
        for rows in (slice(0, 30), slice(30, 50)):
            writer.append({name: values[rows] for name, values in arrays.items()})
        writer.assemble(games=40, longest=4, meta=meta)
    kept = load(target)
    np.testing.assert_array_equal(kept["actions"], arrays["actions"][:40, :4])
    np.testing.assert_array_equal(kept["players"], arrays["players"][:40, :4])
    np.testing.assert_array_equal(kept["rewards"], arrays["rewards"][:40])
    assert kept["meta"] == meta
    with trajectories.reading(target) as reader:
        assert reader.games == 40
        one = reader.game(33)
    assert one.actions == arrays["actions"][33, :4].tolist()
    assert one.rewards == arrays["rewards"][33].tolist()
    assert os.listdir(tmp_path) == ["a.npz"]


# Interrupted and failing runs -------------------------------------------------------------------


def stopping_after(batches: int, error: BaseException) -> Callable[..., Iterator[play.Batch]]:
    whole = play.Driver.batches

    def stopped(self: play.Driver, games: int) -> Iterator[play.Batch]:
        for number, batch in enumerate(whole(self, games)):
            if number == batches:
                raise error
            yield batch

    return stopped


def test_an_interrupted_run_keeps_what_is_done(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, part = tmp_path / "whole.npz", tmp_path / "part.npz"
    told("snapszer", *SMALL, "--out", str(whole))
    monkeypatch.setattr(play.Driver, "batches", stopping_after(2, KeyboardInterrupt()))
    report = told("snapszer", *SMALL, "--out", str(part), code=130)
    assert report["interrupted"] is True
    assert report["games"] == 64
    kept, all_ = load(part), load(whole)
    assert kept["meta"]["games"] == 64
    assert report["steps"] == kept["lengths"].sum()
    np.testing.assert_array_equal(kept["deck"], all_["deck"][:64])
    length = kept["actions"].shape[1]
    np.testing.assert_array_equal(kept["actions"], all_["actions"][:64, :length])
    assert sorted(os.listdir(tmp_path)) == ["part.npz", "whole.npz"]


def test_interrupted_before_anything_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play.Driver, "batches", stopping_after(0, KeyboardInterrupt()))
    assert main(["selfplay", "snapszer", *SMALL, "--out", str(tmp_path / "a.npz"), "--json"]) == 130
    out, err = capsys.readouterr()
    assert json.loads(out)["seats"][0]["win_rate"] is None
    assert "0 of 100 games were finished" in err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("a bug")])
def test_a_failing_run_leaves_the_old_file_alone(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    target = tmp_path / "a.npz"
    target.write_text("old")
    monkeypatch.setattr(play.Driver, "batches", stopping_after(1, error))
    words = ["selfplay", "snapszer", *SMALL, "--out", str(target)]
    if isinstance(error, OSError):
        assert main(words) == 2
        assert "a.npz: No space left on device" in capsys.readouterr().err
    else:
        with pytest.raises(RuntimeError, match="a bug"):
            main(words)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.npz"]


@pytest.mark.parametrize(
    "sent", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_signal_stops_a_run_and_keeps_what_is_done(tmp_path: Path, sent: signal.Signals) -> None:
    target = tmp_path / "a.npz"
    words = ["selfplay", "snapszer", "--games", "1e9", "--batch", "256", "--out", str(target)]
    # Whoever runs the tests in the background has its children ignore SIGINT.
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    main = f"{heeds}; import sys; from talonax.__main__ import main; sys.exit(main({words}))"
    process = subprocess.Popen(
        [sys.executable, "-c", main], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    raw: list[Path] = []
    deadline = time.monotonic() + 120
    while not any(file.stat().st_size > 0 for file in raw) and time.monotonic() < deadline:
        time.sleep(0.05)
        raw = list(tmp_path.glob("a.npz.*.part/deck"))
    process.send_signal(sent)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert b"interrupted: " in err
    assert os.listdir(tmp_path) == ["a.npz"]
    assert load(target)["meta"]["games"] == len(load(target)["lengths"]) > 0


# Replay -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of ten games."""
    target = tmp_path_factory.mktemp("recorded") / "ten.npz"
    words = ["selfplay", "snapszer", "--games", "10", "--batch", "32", "--out", str(target)]
    assert main(words) == 0
    return target


def changed(source: Path, target: Path, **arrays: Any) -> Path:
    with np.load(source) as file:
        kept = {name: file[name] for name in file.files}
    np.savez(target, **{**kept, **arrays})
    return target


def with_meta(source: Path, target: Path, **entries: Any) -> Path:
    return changed(source, target, meta=np.array(json.dumps({**load(source)["meta"], **entries})))


def test_replay_walks_through_a_game(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = load(recorded)
    assert main(["replay", str(recorded), "--game", "7"]) == 0
    shown = capsys.readouterr().out
    steps = int(kept["lengths"][7])
    assert f"\n{steps}. player " in shown
    assert f"\n{steps + 1}. " not in shown
    assert shown.endswith(
        f"In all: player 0 {kept['rewards'][7, 0]:+g}, player 1 {kept['rewards'][7, 1]:+g}\n"
    )
    assert "··" not in shown
    assert main(["replay", str(recorded), "--game", "7", "--player", "1"]) == 0
    assert "··" in capsys.readouterr().out


def test_replay_as_json(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, env = load(recorded), talonax.make("snapszer")
    assert main(["replay", str(recorded), "--game", "9", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == 1
    assert told["index"] == 9
    assert told["chance"]["deck"] == kept["deck"][9].tolist()
    assert told["rewards"] == kept["rewards"][9].tolist()
    actions = [step["action"] for step in told["steps"]]
    assert actions == kept["actions"][9][: kept["lengths"][9]].tolist()
    assert [step["name"] for step in told["steps"]] == [env.action_name(a) for a in actions]


@pytest.mark.slow
def test_replay_of_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "match.npz")
    assert main(["selfplay", "snapszer", "--set", "match=3", *SMALL, "--out", out]) == 0
    capsys.readouterr()
    assert main(["replay", out, "--game", "99"]) == 0
    assert "to 3" in capsys.readouterr().out


def test_replay_refuses_what_does_not_fit(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, target = load(recorded), tmp_path / "changed.npz"
    illegal = kept["actions"].copy()
    illegal[0, 1] = illegal[0, 0]  # nobody can do the same thing twice
    text = tmp_path / "text.npz"
    text.write_text("no archive")
    other = tmp_path / "other.npz"
    np.savez(other, x=np.arange(3))
    cut = tmp_path / "cut.npz"
    cut.write_bytes(recorded.read_bytes()[:-400])
    rules = {**kept["meta"]["rules"], "match": 2}
    cases: list[tuple[Path, str]] = [
        (text, "no trajectory file"),
        (other, "it has no actions, players, lengths, rewards, meta"),
        (cut, "no trajectory file"),
        (tmp_path, "is a folder"),
        (with_meta(recorded, target, game="chess"), "no game 'chess'"),
        (with_meta(recorded, tmp_path / "1.npz", version=99), "played by version 99 of snapszer"),
        (with_meta(recorded, tmp_path / "2.npz", rules=rules), "installed is version"),
        (with_meta(recorded, tmp_path / "3.npz", rules={"x": 1}), "x: no such flag"),
        (changed(recorded, tmp_path / "4.npz", actions=illegal), "is not legal"),
        (changed(recorded, tmp_path / "5.npz", rewards=kept["rewards"] + 1), "the file says"),
        (changed(recorded, tmp_path / "6.npz", players=1 - kept["players"]), "is to move"),
        (changed(recorded, tmp_path / "7.npz", lengths=kept["lengths"] - 1), "is not over after"),
        (changed(recorded, tmp_path / "8.npz", meta=np.array("{}")), "its meta has no versions"),
    ]
    for path, said in cases:
        assert main(["replay", str(path)]) == 2, said
        err = capsys.readouterr().err
        assert said in err
        assert err.count("\n") == 1
    assert main(["replay", str(recorded), "--game", "10"]) == 2
    assert "holds games 0 .. 9" in capsys.readouterr().err
