"""Run folders, resuming, saved policies, the command that trains."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import talonax
from talonax.__main__ import main
from talonax.agents import saved
from talonax.agents.arena import compare
from talonax.agents.players import player, pretrained
from talonax.agents.ppo_lstm.devices import start_on
from talonax.agents.ppo_lstm.events import events
from talonax.agents.ppo_lstm.learner import Runner, learner, start, updates
from talonax.agents.ppo_lstm.training import AVERAGE, SCORE, Trainer, evaluate, new_run, open_run
from talonax.agents.runs import Run, RunError
from talonax.configs.rules import RulesError
from talonax.configs.train.load import PPOSettings, changed, default_file, read, training

SMALL: dict[str, Any] = {
    "envs": 8,
    "steps": 8,
    "chunk": 4,
    "minibatches": 2,
    "updates_per_call": 1,
    "trunk": [16],
    "lstm": 8,
    "evaluate_every": 128,
    "evaluation_deals": 8,
    "total_steps": 512,
    "keep": 2,
}
WORDS = [f"{key}={value}" for key, value in SMALL.items()]
#: What a runner can hold beyond its parameters, all of it in use. Of eight updates the third and
#: the sixth renew the magnet, the fourth and the eighth a member of the league. A round of Blob
#: takes 36 steps here: the second is begun in the fifth update, and still played at the end.
RICH: dict[str, Any] = SMALL | {
    "rules": {"players": 3, "cards": 11},
    "envs": 16,
    "opponents": {"self": 0.5, "greedy": 0.25, "league": 0.25},
    "league_size": 2,
    "league_every": 4,
    "kl_prox": 0.5,
    "kl_magnet": 0.5,
    "refresh": 3,
    "privileged_critic": True,
    "critic": [8],
    "evaluate_every": 1024,  # once, at the end: the plain run looks on more often
    "total_steps": 1024,
}


def trainer_in(
    path: Path, game: str = "kuhn_poker", settings: Mapping[str, Any] = SMALL
) -> Trainer:
    """A run of eight small updates: that of the folder if it holds one."""
    if (path / "run.json").is_file():
        return open_run(path)
    return new_run(path, game, training(settings, "test"), seed=3)


def trained(trainer: Trainer, calls: int = 10**9) -> list[Any]:
    """What is told of at most so many calls."""
    told: list[Any] = []
    for progress in trainer.train(trainer.begin(), lambda: len(told) >= calls):
        told.append(progress)
    return told


def latest(trainer: Trainer) -> Runner:
    """Everything in the latest checkpoint."""
    step = trainer.run.latest()
    assert step is not None
    fresh = start_on(trainer.learner, trainer.mesh, trainer.seed)
    restored: Runner = trainer.run.restore(step, fresh)
    return restored


def without_speed(run: Run) -> list[dict[str, Any]]:
    """The metrics, but for what is another each time."""
    return [
        {name: each for name, each in entry.items() if name != "steps_per_second"}
        for entry in run.metrics()
    ]


def assert_same(one: Trainer, other: Trainer) -> None:
    """Two runs have come to the same, bit for bit, and told the same on the way."""
    pairs = zip(jax.tree.leaves_with_path(latest(one)), jax.tree.leaves(latest(other)), strict=True)
    for (path, leaf), there in pairs:
        np.testing.assert_array_equal(leaf, there, err_msg=jax.tree_util.keystr(path))
    assert without_speed(one.run) == without_speed(other.run)


def differ(one: Any, other: Any) -> bool:
    """Two trees of the same shape do not hold the same."""
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return any(not np.array_equal(a, b) for a, b in pairs)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    """A run that went through at once."""
    trainer = trainer_in(tmp_path_factory.mktemp("runs") / "whole")
    assert [each.step for each in trained(trainer)] == [64 * n for n in range(1, 9)]
    return trainer


@pytest.mark.slow
def test_a_run_that_was_stopped_and_resumed_is_the_same_bit_for_bit(
    whole: Trainer, tmp_path: Path
) -> None:
    assert len(trained(trainer_in(tmp_path / "run"), 3)) == 3
    again = trainer_in(tmp_path / "run")
    assert again.run.latest() == 192
    assert trained(again)[0].step == 256
    assert_same(whole, again)


@pytest.mark.slow
def test_so_is_one_with_opponents_a_magnet_and_a_privileged_critic(tmp_path: Path) -> None:
    """It is stopped when magnet and league are neither what they began with nor what plays now."""
    at_once = trainer_in(tmp_path / "whole", "blob", RICH)
    assert len(trained(at_once)) == 8
    assert len(trained(trainer_in(tmp_path / "run", "blob", RICH), 5)) == 5
    again = trainer_in(tmp_path / "run")
    begun, stopped = start_on(again.learner, again.mesh, again.seed), latest(again)
    assert stopped.update == 5
    assert [each.last - each.first for each in again.learner.opponents(begun.league)] == [4, 2, 2]

    def newcomer(runner: Runner) -> Any:
        """The member of the league that the fourth update replaces."""
        return jax.tree.map(lambda leaf: leaf[1], runner.league)

    for held, first in ((stopped.magnet, begun.magnet), (newcomer(stopped), newcomer(begun))):
        for other in (first, stopped.params):
            assert differ(held, other)
    assert any(np.asarray(leaf).any() for leaf in stopped.table.opponents[1])
    assert [each.step for each in trained(again)] == [768, 896, 1024]
    assert_same(at_once, again)
    ended = latest(again)
    assert differ(ended.magnet, stopped.magnet)
    assert differ(ended.league, stopped.league)


@pytest.mark.slow
def test_what_was_never_evaluated_is_not_the_best(tmp_path: Path) -> None:
    assert [each.step for each in trained(trainer_in(tmp_path / "run"), 1)] == [64]
    again = trainer_in(tmp_path / "run")
    assert again.run.latest() == 64
    trained(again)
    assert not (again.run.path / "checkpoints" / "64").exists()


@pytest.mark.slow
def test_lines_after_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    trainer = trainer_in(tmp_path / "run")
    trained(trainer, 2)
    trainer.run.record({"step": 192, "entropy": 0.0})
    with (trainer.run.path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 25')
    again = trainer_in(tmp_path / "run")
    again.begin()
    assert [entry["step"] for entry in again.run.metrics()] == [64, 128, 128]
    assert (again.run.path / "metrics.jsonl").read_text().endswith("}\n")


def test_what_a_run_folder_holds(whole: Trainer) -> None:
    path = whole.run.path
    kept = sorted(each.name for each in path.iterdir() if "tfevents" not in each.name)
    assert kept == ["checkpoints", "curves.png", "metrics.jsonl", "policy.npz", "run.json"]
    assert (path / "curves.png").read_bytes()[:4] == b"\x89PNG"
    told = json.loads((path / "run.json").read_text())
    assert told["game"] == "kuhn_poker"
    assert told["seed"] == 3
    assert told["settings"]["envs"] == 8
    assert set(told["versions"]) > {"talonax", "jax", "flax", "optax", "python", "device"}
    looked = [entry for entry in whole.run.metrics() if "evaluation" in entry]
    assert [entry["step"] for entry in looked] == [128, 256, 384, 512]
    scores = {entry["step"]: entry["evaluation"]["score"] for entry in looked}
    steps = {int(each.name) for each in (path / "checkpoints").iterdir() if each.name.isdigit()}
    assert {384, 512} <= steps <= {384, 512, max(scores, key=lambda step: scores[step])}
    best = saved.load(path / "policy.npz", whole.learner.env).about
    assert best["evaluation"]["score"] == max(scores.values())


def test_tensorboard_reads_the_events(tmp_path: Path) -> None:
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")
    with events(tmp_path) as tell:
        tell(5, {"entropy": 0.5, "evaluation": {"average": {"random": {"win_rate": 0.75}}}})
    (file,) = tmp_path.iterdir()
    read = [
        event for event in loader.EventFileLoader(str(file)).Load() if event.HasField("summary")
    ]
    found = {value.tag: value.tensor.float_val[0] for value in read[0].summary.value}
    assert read[0].step == 5
    assert found == {"entropy": 0.5, "evaluation/average/random/win_rate": 0.75}


def test_a_folder_plays_as_what_it_saved(whole: Trainer) -> None:
    env, path = whole.learner.env, whole.run.path
    best = player(env, str(path))
    found = saved.load(path / "policy.npz", env)
    at = player(env, str(path / "checkpoints" / "512"))
    assert best.policy == found.policy == at.policy
    for one, other in zip(jax.tree.leaves(best.params), jax.tree.leaves(found.params), strict=True):
        np.testing.assert_array_equal(one, other)
    assert jax.tree.structure(at.params) == jax.tree.structure(best.params)
    fresh = start_on(whole.learner, whole.mesh, 0)
    average = whole.run.restore(512, fresh).average
    for one, other in zip(jax.tree.leaves(at.params), jax.tree.leaves(average), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_a_policy_survives_its_file(tmp_path: Path) -> None:
    env = talonax.make("snapszer")
    learns = learner(env, PPOSettings(trunk=(16,), lstm=8, privileged_critic=True, critic=(4,)))
    params = learns.policy.init_params(env, jax.random.key(0))
    saved.save(tmp_path / "a.npz", learns.policy, params, {"game": "snapszer"})
    found = saved.load(tmp_path / "a.npz", env)
    assert "critic_0" in params["params"]
    assert not any(name.startswith("critic") for name in found.params["params"])
    state = env.init(jax.random.key(1))
    given = (env, found.policy.see(env, state), env.legal_action_mask(state))
    carry = found.policy.init(env)
    one = learns.policy.log_probs(params, *given, carry)
    other = found.policy.log_probs(found.params, *given, carry)
    np.testing.assert_array_equal(one[0], other[0])
    assert [each.name for each in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("{run}", "learned to play kuhn_poker, not snapszer"),
        ("{run}/checkpoints/512", "learned to play kuhn_poker, not snapszer"),
        ("{run}/run.json", "holds no policy that was saved by talonax"),
        ("{run}/checkpoints", "is no run with a policy, and no checkpoint"),
        ("{run}/nothing", "snapszer has no player"),
    ],
)
def test_what_is_no_player_is_refused(whole: Trainer, name: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        player(talonax.make("snapszer"), name.format(run=whole.run.path))


def test_a_policy_of_other_rules_is_refused(tmp_path: Path) -> None:
    env, other = talonax.make("snapszer"), talonax.make("snapszer", observation="compact")
    learns = learner(env, PPOSettings(trunk=(16,), lstm=8))
    params = learns.policy.init_params(env, jax.random.key(0))
    saved.save(tmp_path / "a.npz", learns.policy, params, {"game": "snapszer", "rules": {}})
    with pytest.raises(ValueError, match="has another size"):
        player(other, str(tmp_path / "a.npz"))


def test_folders_that_hold_something_are_not_taken(whole: Trainer, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="--resume goes on"):
        Run.create(whole.run.path, {})
    (tmp_path / "letter.txt").write_text("")
    with pytest.raises(RunError, match="is not empty"):
        Run.create(tmp_path, {})
    with pytest.raises(RunError, match=r"run\.json is missing"):
        Run.open(tmp_path)


@pytest.mark.parametrize(("objective", "told"), [("points", "points"), ("wins", "win_rate")])
def test_the_best_is_best_at_what_is_learned_for(objective: str, told: str) -> None:
    made = learner(talonax.make("kuhn_poker"), PPOSettings(**SMALL, objective=objective))
    found = evaluate(made, start(made, jax.random.key(0)), seed=1)
    assert found[SCORE] == found[AVERAGE]["random"][told]


# Settings ---------------------------------------------------------------------------------------


def test_entries_are_read_and_overridden(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "profile: vu\nrules: {match: 7}\ntotal_steps: 1_000\nlearning_rate: 1e-3\n"
        "trunk: [8, 4]\nopponents: {self: 0.5, greedy: 0.5}\n"
    )
    how = read("snapszer", file, {"clip": 0.1, "rules.nines": True})
    assert how.profile == "vu"
    assert how.rules == {"match": 7, "nines": True}
    settings = how.settings
    assert (settings.total_steps, settings.learning_rate, settings.clip) == (1000, 1e-3, 0.1)
    assert settings.trunk == (8, 4)
    assert settings.opponents == (("self", 0.5), ("greedy", 0.5))
    assert training(json.loads(json.dumps(how.entries())), "again") == how
    assert changed(how, {"rules": {}}, "test").rules == {}
    more = {"opponents.self": 0.25, "opponents.league": 0.25}
    mix = changed(how, more, "test").settings.opponents
    assert mix == (("self", 0.25), ("greedy", 0.5), ("league", 0.25))
    with pytest.raises(RulesError, match=r"test: opponents: the shares \[0\.25, 0\.5\] are not"):
        changed(how, {"opponents.self": 0.25}, "test")


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"clips": 0.1}, "clips: no such setting; there are: profile, rules, total_steps"),
        ({"clip": -1}, "clip: -1"),
        ({"clip": "much"}, "clip: 'much'"),
        ({"envs": 1.5}, r"envs: 1\.5"),
        ({"rules": 3}, "rules: 3 is not allowed"),
        ({"profile": 3}, "profile: 3 is not allowed"),
        ({"chunk": 7}, "chunk: 7 does not divide steps: 64"),
        ({"minibatches": 3}, "minibatches: 3 do not divide the 1024 chunks"),
        ({"opponents": {"self": 0.5}}, "not parts of 1"),
        ({"trunk": [8, 0]}, "trunk: 0 is not allowed"),
        ({"critic": [-1]}, "critic: -1 is not allowed"),
        ({"critic": [], "privileged_critic": True}, r"critic: \[\] is no network"),
    ],
)
def test_wrong_entries_are_refused(entries: dict[str, Any], told: str) -> None:
    with pytest.raises(RulesError, match=f"^here: .*{told}"):
        training(entries, "here")


@pytest.mark.parametrize("game", [game for game in talonax.games() if default_file(game)])
def test_the_settings_of_each_game_are_commented_and_fit_it(game: str) -> None:
    path = default_file(game)
    assert path is not None
    entries = [line for line in path.read_text().splitlines() if line and line[0] not in "# "]
    assert all("#" in line for line in entries)
    how = read(game)
    env = talonax.make(game, how.profile, **how.rules)
    learner(env, how.settings)
    # Else many decisions are the last of their seat in a rollout, and are not learned from.
    assert how.settings.steps >= 8 * env.num_players


def test_games_are_shared_among_opponents_as_near_as_can_be() -> None:
    """No game is left out or given twice, whatever rounds up; every earlier self that can plays."""
    mix = {"random": 0.5, "greedy": 0.5, "self": 0.0}
    halves = training({**SMALL, "envs": 7, "minibatches": 1, "opponents": mix}, "test").settings
    env = talonax.make("snapszer")
    seated = learner(env, halves).opponents(None)
    assert [(each.first, each.last) for each in seated] == [(0, 4), (4, 7)]
    few = training({**SMALL, "opponents": {"self": 0.5, "league": 0.5}, "league_size": 3}, "test")
    made = learner(env, few.settings)
    seated = made.opponents(start(made, jax.random.key(0)).league)
    assert [(each.first, each.last) for each in seated] == [(0, 1), (1, 3), (3, 4)]


@pytest.mark.slow
@pytest.mark.parametrize("game", talonax.games())
def test_one_trainer_learns_every_game_by_the_settings_it_comes_with(game: str) -> None:
    """Shrunk: the network, the batch and how long it goes on, but to where games have ended.

    Ten does not divide the 24 steps of a round of Blob: games have to end within a chunk.
    """
    given = read(game)
    small: dict[str, Any] = {"envs": 8, "steps": 20, "chunk": 10, "minibatches": 2}
    small |= {"trunk": [16] * len(given.settings.trunk), "lstm": 8, "total_steps": 1}
    env = talonax.make(game, given.profile, **given.rules)
    calls = 2 * env.typical_steps // small["steps"] + 2
    how = changed(given, {**small, "updates_per_call": calls}, "test")
    made = learner(env, how.settings)
    runner, told = updates(made)(start(made, jax.random.key(0)))
    assert int(runner.update) == calls
    assert {name: value for name, value in told.items() if not np.isfinite(value)} == {}
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(runner.params))
    assert float(told["games"]) > 0
    assert float(told["masked"]) < 1
    assert float(told["ratio_error"]) < 1e-5


# The command ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_train_and_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    words = ["train", "ppo_lstm", "kuhn_poker", "--out", str(folder)]
    assert main([*words, "--set", *WORDS, "exploitability=true", "--json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["step"] == 512
    assert not told["interrupted"]
    assert 0 < told["evaluation"]["average"]["exploitability"] < 2
    assert err.count("exploitability") == 4
    assert main([*words, "--resume"]) == 0
    assert "going on from step 512" in capsys.readouterr().err
    assert main(["arena", "kuhn_poker", str(folder), "random", "--deals", "8"]) == 0
    assert main(["exploitability", "kuhn_poker", str(folder)]) == 0


@pytest.mark.slow
def test_a_request_to_stop_is_heard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import signal

    recorded = Run.record

    def record(run: Run, entry: Any) -> None:
        recorded(run, entry)
        if entry["step"] == 192:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Run, "record", record)
    folder = tmp_path / "run"
    words = ["train", "ppo_lstm", "kuhn_poker", "--out", str(folder)]
    assert main([*words, "--set", *WORDS]) == 130
    err = capsys.readouterr().err
    assert f"talonax train ppo_lstm kuhn_poker --out {folder} --resume" in err
    assert Run.open(folder).latest() == 192
    monkeypatch.undo()
    assert main([*words, "--resume"]) == 0
    assert "going on from step 192" in capsys.readouterr().err
    assert Run.open(folder).latest() == 512


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("train sarsa snapszer", "no algorithm 'sarsa'; there are: ppo_lstm"),
        ("train ppo_lstm whist", "no game 'whist'"),
        ("train ppo_lstm snapszer --config none.yaml", "none.yaml: no such file"),
        ("train ppo_lstm snapszer --set clips=1", "--set: clips: no such setting"),
        ("train ppo_lstm snapszer --set rules.clubs=1", "clubs: no such flag"),
        ("train ppo_lstm snapszer --profile house", "no profile 'house'"),
        ("train ppo_lstm snapszer --set opponents={bold: 1.0}", "snapszer has no policy 'bold'"),
        ("train ppo_lstm snapszer --devices 7", "256 games cannot be shared by 7 devices"),
        ("train ppo_lstm snapszer --devices 99", "--devices 99: jax sees"),
        ("train ppo_lstm snapszer --resume", "--out FOLDER is needed"),
        ("train ppo_lstm snapszer --resume --out {tmp}", "holds no run"),
        (
            "train ppo_lstm snapszer --out {tmp}/no --set exploitability=true",
            "snapszer is too large to enumerate",
        ),
        ("train ppo_lstm snapszer --resume --out {run}", "game: kuhn_poker and snapszer"),
        ("train ppo_lstm kuhn_poker --out {run}", "--resume goes on with it"),
        ("train ppo_lstm kuhn_poker --resume --out {run} --seed 4", "seed: 3 and 4"),
        ("train ppo_lstm kuhn_poker --resume --out {run} --set clip=0.3", "clip: 0.2 and 0.3"),
        ("train ppo_lstm kuhn_poker --resume --out {run} --steps 8", "total_steps: 512 and 8"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    words: str, told: str, whole: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = words.replace("{bold: 1.0}", "{bold:@1.0}").split()
    filled = [
        word.replace("@", " ").replace("{run}", str(whole.run.path)).replace("{tmp}", str(tmp_path))
        for word in given
    ]
    assert main(filled) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert told in err
    assert not list(tmp_path.iterdir())


def test_what_has_to_be_installed_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distrax", None)
    folder = tmp_path / "run"
    assert main(["train", "ppo_lstm", "snapszer", "--out", str(folder)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "pip install 'talonax[train]'" in err
    assert not folder.exists()


def test_what_comes_with_snapszer_was_made_by_the_settings_that_come_with_it() -> None:
    env, path = talonax.make("snapszer"), pretrained("snapszer")
    assert path is not None
    assert path.stat().st_size < 2_000_000
    about = saved.load(path, env).about
    assert about["rules_hash"] == env.rules_hash
    assert training(about["settings"], str(path)) == read("snapszer")


@pytest.mark.slow
def test_what_comes_with_snapszer_wins_from_greedy() -> None:
    env = talonax.make("snapszer")
    met = compare(env, player(env, "pretrained"), player(env, "greedy"), deals=2_000)
    assert met.win_rate > 0.58  # 60.8 % of 20,000 deals; one in twenty of 2,000 is 1.3 % off


@pytest.mark.slow
def test_a_damaged_checkpoint_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = ["train", "ppo_lstm", "kuhn_poker", "--out", str(folder)]
    assert main([*words, "--set", *WORDS]) == 0
    (latest,) = folder.glob("checkpoints/512")
    for file in [*latest.glob("runner/_METADATA"), *latest.glob("average/_METADATA")]:
        file.write_text("{}")
    capsys.readouterr()
    for asked in ([*words, "--resume"], ["arena", "kuhn_poker", str(latest), "random"]):
        assert main(asked) == 2
        err = capsys.readouterr().err
        assert f"{latest}: the checkpoint is damaged" in err
        assert "Traceback" not in err


def test_a_run_that_does_not_say_all_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    with pytest.raises(RunError, match=r"run.json: is damaged"):
        Run.open(tmp_path)


def test_an_empty_file_is_no_policy(tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    path.touch()
    with pytest.raises(saved.SavedError, match="holds no policy"):
        saved.load(path, talonax.make("snapszer"))


@pytest.mark.slow
def test_a_run_finds_its_file_of_rules_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "mine.yaml").write_text("{}\n")
    monkeypatch.chdir(here)
    words = ["train", "ppo_lstm", "kuhn_poker", "--out", str(tmp_path / "run")]
    assert main([*words, "--profile", "mine.yaml", "--set", *WORDS]) == 0
    monkeypatch.chdir(there)
    assert main([*words, "--resume"]) == 0


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_anew(tmp_path: Path) -> None:
    trainer = trainer_in(tmp_path / "run")
    trainer.run.record({"step": 64})
    again = trainer_in(tmp_path / "run")
    assert again.begin().update == 0
    assert again.run.metrics() == []
