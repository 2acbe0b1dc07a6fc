"""`talonax train`: learn a game by self-play, in a run folder."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from talonax.cli import output
from talonax.cli.errors import INTERRUPTED, UsageError
from talonax.cli.options import (
    Count,
    Flags,
    GameName,
    OptionalCount,
    OptionalSeed,
    Profile,
    existing_file,
    local_devices,
    one_line,
    pairs,
)
from talonax.cli.stopping import stop_requests

if TYPE_CHECKING:
    from talonax.agents.ppo_lstm.training import Progress, Trainer

ALGORITHMS = ("ppo_lstm",)


@dataclass(frozen=True, kw_only=True)
class Train:
    """Learn a game by self-play.

    What is trained and how comes from the game's own settings or --config; --set changes single
    entries, `rules.` before those that are flags of the game. All that is kept lies in one folder:
    settings, metrics, learning curves, checkpoints, the best policy. Evaluations play against the
    game's bots.

    Ctrl-C saves and says how to go on. `talonax arena GAME FOLDER greedy` plays the best policy.

    Example: talonax train ppo_lstm snapszer --steps 2e6 --out runs/a

    Attributes:
      algorithm: How to learn: ppo_lstm.
      game: The game; `talonax games` lists them.
      config: A YAML file of settings.
      profile: Which rules: the name of one of the game's profiles.
      set: Single settings, e.g. --set learning_rate=3e-4 rules.match=7.
      steps: Decisions to learn from in all (the setting total_steps).
      seed: Decides parameters, decks and draws.
      devices: How many local devices share the games.
      out: The run folder.
      resume: Go on with the run in the folder.
      json: Print one JSON object at the end instead of text.
    """

    algorithm: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="ALGORITHM")]
    game: GameName
    config: Annotated[
        Path | None,
        tyro.conf.arg(metavar="FILE.yaml", help_behavior_hint="(default: the game's own)"),
    ] = None
    profile: Profile = None
    set: Flags = ()
    steps: OptionalCount = None
    seed: OptionalSeed = None
    devices: Count = 1
    out: Annotated[
        Path | None,
        tyro.conf.arg(metavar="FOLDER", help_behavior_hint="(default: runs/GAME-DATE-TIME)"),
    ] = None
    resume: bool = False
    json: bool = False

    def run(self) -> int:
        """Train, and return the exit code."""
        if self.algorithm not in ALGORITHMS:
            told = ", ".join(ALGORITHMS)
            raise UsageError(f"no algorithm {self.algorithm!r}; there are: {told}")
        trainer = self._trainer()
        with stop_requests("the updates under way") as stopping:
            start = time.perf_counter()
            step, evaluation = self._train(trainer, stopping)
        self._report(trainer, step, evaluation, time.perf_counter() - start)
        return INTERRUPTED if step < trainer.steps else 0

    # What is asked for --------------------------------------------------------------------------

    def _changes(self) -> dict[str, Any]:
        changes = pairs(self.set)
        if self.profile is not None:
            # A file is found again from wherever the run is gone on with.
            path = Path(self.profile)
            changes["profile"] = str(path.resolve()) if path.is_file() else self.profile
        if self.steps is not None:
            changes["total_steps"] = self.steps
        return changes

    def _trainer(self) -> "Trainer":
        """Return the run that is to be trained, once everything about it is known to be right."""
        from talonax.configs import games

        try:
            games.get(self.game)
            if self.config is not None:
                existing_file(self.config)
            return self._resumed() if self.resume else self._new()
        except (ImportError, ValueError) as error:
            raise UsageError(one_line(error)) from None

    def _new(self) -> "Trainer":
        from talonax.agents.ppo_lstm.training import new_run
        from talonax.configs.train.load import read

        folder = self.out or Path("runs") / f"{self.game}-{time.strftime('%Y%m%d-%H%M%S')}"
        how = read(self.game, self.config, self._changes())
        return new_run(
            folder, self.game, how, seed=self.seed or 0, devices=local_devices(self.devices)
        )

    def _resumed(self) -> "Trainer":
        """Return the run to go on with, which must be the one that is asked for."""
        from talonax.agents.ppo_lstm.training import open_run
        from talonax.agents.runs import Run
        from talonax.configs.train.load import changed, differences, read

        if self.out is None:
            raise UsageError("--resume: which run? --out FOLDER is needed")
        there = Run.open(self.out)
        how = there.training
        asked = read(self.game, self.config) if self.config is not None else how
        wrong = differences(how, changed(asked, self._changes(), "--set"))
        if self.seed not in (None, there.about["seed"]):
            wrong.append(f"seed: {there.about['seed']} and {self.seed}")
        if there.about["game"] != self.game:
            wrong = [f"game: {there.about['game']} and {self.game}"]
        if wrong:
            raise UsageError(
                f"{self.out}: holds another run than was asked for: {'; '.join(wrong)}"
            )
        return open_run(self.out, devices=local_devices(self.devices))

    # Training -----------------------------------------------------------------------------------

    def _train(self, trainer: "Trainer", stopping: Any) -> tuple[int, Any]:
        settings, evaluation = trainer.learner.settings, None
        output.remark(f"{trainer.run.path}: {self.game}, {trainer.steps:,} steps")
        try:
            runner = trainer.begin()
        except ValueError as error:  # of a checkpoint that cannot be read
            raise UsageError(one_line(error)) from None
        step = int(runner.update) * settings.steps_per_update
        if step:
            output.remark(f"going on from step {step:,}")
        with output.progress(self.game, trainer.steps, "steps") as advance:
            advance(step)
            for progress in trainer.train(runner, stopping):
                step = progress.step
                advance(step, _short(progress))
                if progress.evaluation is not None:
                    evaluation = progress.evaluation
                    advance.say(f"{step:>12,}  {_strength(evaluation)}")
        return step, evaluation

    def _report(self, trainer: "Trainer", step: int, evaluation: Any, seconds: float) -> None:
        folder = trainer.run.path
        if step < trainer.steps:
            output.remark(
                f"stopped and saved; to go on: talonax train {self.algorithm} {self.game} "
                f"--out {folder} --resume"
            )
        if self.json:
            output.print_json(
                game=self.game,
                algorithm=self.algorithm,
                folder=str(folder),
                step=step,
                seconds=seconds,
                evaluation=evaluation,
                interrupted=step < trainer.steps,
            )
        else:
            done = [("run", str(folder)), ("steps", f"{step:,} in {seconds:.0f} s")]
            strength = [("strength", _strength(evaluation))] if evaluation else []
            output.print_pairs(done + strength)


def _short(progress: "Progress") -> str:
    told = progress.metrics
    return (
        f"policy {told['policy_loss']:+.3f}  value {told['value_loss']:.3f}  "
        f"entropy {told['entropy']:.2f}  KL {told['kl']:.4f}"
    )


def _strength(evaluation: Any) -> str:
    """Return how good the moving average is, in one line."""
    from talonax.agents.runs import AVERAGE, EXPLOITABILITY

    parts = []
    for name, found in evaluation[AVERAGE].items():
        if name == EXPLOITABILITY:
            parts.append(f"exploitability {found:.4f}")
        else:
            rate, half = 100 * found["win_rate"], 100 * found["win_ci95"]
            points = f"{found['points']:+.3f} points"
            parts.append(f"{name} {rate:.1f} ± {half:.1f} %, {points}")
    return "; ".join(parts)
