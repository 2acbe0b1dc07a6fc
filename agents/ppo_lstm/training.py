"""Training in a run folder: calls of updates, evaluations between them, checkpoints after those.

Nothing here changes what is learned: a run that was stopped and resumed has the parameters of one
that never was, bit for bit. What an evaluation draws follows from the seed and the step.

    trainer = new_run(Path("runs/a"), "snapszer", read("snapszer"))
    for progress in trainer.train():
        print(progress.step, progress.metrics["entropy"])
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
from jax.sharding import Mesh

from talonax.agents import policy as policies
from talonax.agents import saved
from talonax.agents.arena import Player, compare
from talonax.agents.exploitability import exploitability
from talonax.agents.game_tree import game_tree
from talonax.agents.players import BEST
from talonax.agents.ppo_lstm.curves import draw
from talonax.agents.ppo_lstm.devices import mesh_of, placed, start_on
from talonax.agents.ppo_lstm.events import events
from talonax.agents.ppo_lstm.learner import Learner, Runner, learner, updates
from talonax.agents.runs import (
    AVERAGE,
    CURRENT,
    EVALUATION,
    EXPLOITABILITY,
    SCORE,
    Run,
    about,
)
from talonax.configs.train.load import Training
from talonax.envs.registry import make


def new_run(
    path: Path, game: str, how: Training, *, seed: int = 0, devices: Sequence[Any] | None = None
) -> "Trainer":
    """Return a run that begins, in a new folder.

    Args:
      path: the folder.
      game: a registered id.
      how: rules and settings (`talonax.configs.train.load`).
      seed: what all chance follows from.
      devices: what shares the games; the first device alone if None.

    Raises:
      ValueError: rules or settings that do not fit the game or the devices, a game too large for
        the exploitability that the settings ask for, or a folder that holds something.
    """
    env = make(game, how.profile, **how.rules)
    learns = learner(env, how.settings)
    if how.settings.exploitability:
        game_tree(env)  # minutes into the training would be late to tell that there is none
    mesh = mesh_of(learns, devices or jax.local_devices()[:1])
    return Trainer(Run.create(path, about(env, how, seed)), learns, mesh)


def open_run(path: Path, *, devices: Sequence[Any] | None = None) -> "Trainer":
    """Return the run of a folder, to go on with it.

    Raises:
      ValueError: the folder holds no run, or its game has changed since.
    """
    run = Run.open(path)
    game, how = run.about["game"], run.training
    env = make(game, how.profile, **how.rules)
    if run.about["rules_hash"] != env.rules_hash:
        raise ValueError(
            f"{path}: was trained on {game} version {run.about['version']}, rules "
            f"{run.about['rules_hash']}; now they are {env.version}, {env.rules_hash}"
        )
    learns = learner(env, how.settings)
    return Trainer(run, learns, mesh_of(learns, devices or jax.local_devices()[:1]))


@dataclass(frozen=True)
class Progress:
    """What is told after each call of updates.

    Attributes:
      step: decisions played so far.
      metrics: means over the call.
      evaluation: what `evaluate` returned, if it was time for it.
    """

    step: int
    metrics: Mapping[str, float]
    evaluation: Mapping[str, Any] | None


@dataclass
class Trainer:
    """A run being trained.

    Attributes:
      run: its folder.
      learner: what learns.
      mesh: the devices that share the games.
    """

    run: Run
    learner: Learner
    mesh: Mesh

    @property
    def seed(self) -> int:
        """What all chance in the run follows from."""
        return int(self.run.about["seed"])

    @cached_property
    def _call(self) -> Callable[[Runner], tuple[Runner, dict[str, Any]]]:
        return updates(self.learner, placed(self.learner, self.mesh))

    def begin(self) -> Runner:
        """Return the runner to go on from: that of the latest checkpoint, else a fresh one."""
        runner = start_on(self.learner, self.mesh, self.seed)
        step = self.run.latest()
        self.run.forget_after(step or 0)
        if step is None:
            return runner
        restored: Runner = self.run.restore(step, runner)
        return restored

    @property
    def steps(self) -> int:
        """Decisions in all, once it is done."""
        settings = self.learner.settings
        return settings.updates * settings.steps_per_update

    def train(
        self, runner: Runner | None = None, stopping: Callable[[], bool] = lambda: False
    ) -> Iterator[Progress]:
        """Train to the end, or until `stopping`, which is asked after each call.

        The runner (what `begin` returns, if None) is saved at every evaluation, at the end, and
        when it is stopped.
        """
        runner = self.begin() if runner is None else runner
        with events(self.run.path) as tell:
            for progress in self._calls(runner, stopping):
                tell(progress.step, progress.metrics)
                if progress.evaluation is not None:
                    tell(progress.step, {EVALUATION: progress.evaluation})
                yield progress

    def _calls(self, runner: Runner, stopping: Callable[[], bool]) -> Iterator[Progress]:
        settings = self.learner.settings
        update, best = int(runner.update), self._best_so_far()
        saved_at = step = update * settings.steps_per_update
        while update < settings.updates and not stopping():
            began = time.perf_counter()
            runner, told = self._call(runner)
            metrics = {name: float(value) for name, value in jax.device_get(told).items()}
            update += settings.updates_per_call
            before, step = step, update * settings.steps_per_update
            metrics["steps_per_second"] = (step - before) / (time.perf_counter() - began)
            self.run.record({"step": step, **metrics})
            evaluation = None
            over = update >= settings.updates
            if over or step // settings.evaluate_every > before // settings.evaluate_every:
                evaluation = self._look(runner, step, best)
                best, saved_at = max(best, evaluation[SCORE]), step
            yield Progress(step, metrics, evaluation)
        if step > saved_at:
            self.run.save(step, runner)

    def _look(self, runner: Runner, step: int, best: float) -> dict[str, Any]:
        """Evaluate, record it, save the runner, and the policy if it is the best so far."""
        evaluation = evaluate(self.learner, runner, self.seed + step)
        if evaluation[SCORE] > best or not (self.run.path / BEST).is_file():
            told = {**self.run.about, "step": step, EVALUATION: evaluation}
            saved.save(self.run.path / BEST, self.learner.policy, runner.average, told)
        self.run.record({"step": step, EVALUATION: evaluation})
        self.run.save(step, runner, evaluation[SCORE])
        draw(self.run)
        return evaluation

    def _best_so_far(self) -> float:
        entries = self.run.metrics()
        scores = [entry[EVALUATION][SCORE] for entry in entries if EVALUATION in entry]
        return max(scores, default=float("-inf"))


def evaluate(learner: Learner, runner: Runner, seed: int) -> dict[str, Any]:
    """Return how good the policy and its moving average are.

    Against each bot of the game, over duplicate deals; and, if the settings ask for it, how
    exploitable. The score, by which the best is told, is the average's: what is learned for, points
    or wins, against the last bot of the list, the strongest, or how little it is exploitable.
    """
    env, settings = learner.env, learner.settings
    bots = policies.names(env.id)
    found: dict[str, Any] = {}
    for name, params in ((CURRENT, runner.params), (AVERAGE, runner.average)):
        policy, learned = saved.for_play(learner.policy, params)
        against: dict[str, Any] = {}
        for bot in bots:
            pair = compare(
                env,
                Player(name, policy, learned),
                Player(bot, policies.by_name(env.id, bot)),
                deals=settings.evaluation_deals,
                seed=seed % 2**32,
            )
            against[bot] = {
                "win_rate": pair.win_rate,
                "win_ci95": pair.win_ci95,
                "points": pair.points,
                "points_ci95": pair.points_ci95,
            }
        if settings.exploitability:
            against[EXPLOITABILITY] = exploitability(env, policy, learned).exploitability
        found[name] = against
    average = found[AVERAGE]
    lost = average.get(EXPLOITABILITY)
    sought = "win_rate" if settings.objective == "wins" else "points"
    return {**found, SCORE: average[bots[-1]][sought] if lost is None else -lost}
