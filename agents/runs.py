"""Run folders: all that is kept of one training.

    run.json        what is trained and how: game, rules, settings, seed, versions
    metrics.jsonl   one JSON object a line: losses as they come in, evaluations
    curves.png      the same as a picture
    policy.npz      the best policy so far, for playing (`saved.py`)
    checkpoints/    all that training needs to go on, by step (orbax): the latest, and the best

A line, a picture, a checkpoint is whole or not there: each is written beside its place and renamed.
"""

import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import jax
import orbax.checkpoint as ocp
from orbax.checkpoint import checkpoint_managers as managers

from talonax.agents.network import NetworkPolicy
from talonax.agents.saved import SavedError, for_play
from talonax.configs.rules import as_dict
from talonax.configs.train.load import Training, training
from talonax.envs.core import Env

SCHEMA = 1
ABOUT, METRICS, CHECKPOINTS = "run.json", "metrics.jsonl", "checkpoints"
#: Entries of `run.json` that going on with a run needs.
NEEDED = ("game", "version", "rules_hash", "seed", "settings")
#: Entries of the metrics: an evaluation, in it both iterates, and what it tells the best by.
EVALUATION, CURRENT, AVERAGE, SCORE = "evaluation", "current", "average", "score"
EXPLOITABILITY = "exploitability"
#: Parts of a checkpoint: what goes on; the moving average (`AVERAGE`) is kept apart, to play by.
RUNNER = "runner"
PACKAGES = ("talonax", "jax", "jaxlib", "flax", "optax", "distrax", "orbax-checkpoint", "numpy")


class RunError(ValueError):
    """A folder that holds no run, or another one than was asked for; the message says which."""


def about(env: Env[Any], how: Training, seed: int) -> dict[str, Any]:
    """Return what `run.json` says of a run."""
    return {
        "schema": SCHEMA,
        "algorithm": "ppo_lstm",
        "game": env.id,
        "version": env.version,
        "observation": env.observation,
        "rules": as_dict(env.rules),
        "rules_hash": env.rules_hash,
        "seed": seed,
        "settings": how.entries(),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Return the versions of what results depend on."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found | {"device": jax.devices()[0].device_kind}


class Run:
    """A run folder.

    Attributes:
      path: the folder.
      about: what `run.json` says.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self.about = about

    @classmethod
    def create(cls, path: Path, about: Mapping[str, Any]) -> "Run":
        """Make a folder for a new run.

        Raises:
          RunError: there is something already, or the folder cannot be made.
        """
        if (path / ABOUT).is_file():
            raise RunError(f"{path}: holds a run already; --resume goes on with it")
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise RunError(f"{path}: is not empty, and holds no run")
            _write(path / ABOUT, json.dumps(about, indent=2) + "\n")
        except OSError as error:
            raise RunError(f"{path}: {error.strerror or error}") from None
        return cls(path, about)

    @classmethod
    def open(cls, path: Path) -> "Run":
        """Open the folder of a run.

        Raises:
          RunError: it holds none.
        """
        try:
            found = json.loads((path / ABOUT).read_text(encoding="utf-8"))
            if found["schema"] != SCHEMA:
                raise RunError(f"{path / ABOUT}: schema {found['schema']!r} is not {SCHEMA}")
            for key in NEEDED:
                found[key]
        except FileNotFoundError:
            raise RunError(f"{path}: holds no run ({ABOUT} is missing)") from None
        except OSError as error:
            raise RunError(f"{path}: {error.strerror or error}") from None
        except (KeyError, TypeError, json.JSONDecodeError):
            raise RunError(f"{path / ABOUT}: is damaged") from None
        return cls(path, found)

    @property
    def training(self) -> Training:
        """How it is trained."""
        return training(self.about["settings"], str(self.path / ABOUT))

    # Metrics ------------------------------------------------------------------------------------

    def record(self, entry: Mapping[str, Any]) -> None:
        """Append a line to the metrics."""
        with (self.path / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def metrics(self) -> list[dict[str, Any]]:
        """Return all lines of the metrics."""
        return list(self._lines())

    def _lines(self) -> Iterator[dict[str, Any]]:
        path = self.path / METRICS
        if not path.is_file():
            return
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:  # cut off when the machine was
                return

    def forget_after(self, step: int) -> None:
        """Drop the metrics of steps that were played after the checkpoint that is gone on with."""
        kept = [json.dumps(entry) for entry in self._lines() if entry["step"] <= step]
        _write(self.path / METRICS, "".join(line + "\n" for line in kept))

    # Checkpoints --------------------------------------------------------------------------------

    @cached_property
    def _manager(self) -> Any:
        keep = self.training.settings.keep
        best = managers.BestN(
            get_metric_fn=lambda metrics: metrics[SCORE],
            n=1,
            keep_checkpoints_without_metrics=False,
        )
        options = ocp.CheckpointManagerOptions(
            preservation_policy=managers.AnyPreservationPolicy([managers.LatestN(keep), best]),
            enable_async_checkpointing=False,
        )
        return ocp.CheckpointManager((self.path / CHECKPOINTS).absolute(), options=options)

    def save(self, step: int, runner: Any, score: float | None = None) -> None:
        """Save all that training needs to go on from `step`; a step is saved once.

        Args:
          step: decisions played.
          runner: what changes as it is trained.
          score: how good it was found to be; None if that is not known.
        """
        if step in self._manager.all_steps():
            return
        parts = {
            RUNNER: ocp.args.StandardSave(runner),
            AVERAGE: ocp.args.StandardSave(runner.average),
        }
        told = None if score is None else {SCORE: score}
        self._manager.save(step, args=ocp.args.Composite(**parts), metrics=told)
        self._manager.wait_until_finished()

    def latest(self) -> int | None:
        """Return the step of the latest checkpoint; None where there is none."""
        found: int | None = self._manager.latest_step()
        return found

    def restore(self, step: int, like: Any) -> Any:
        """Return the runner of a checkpoint.

        Args:
          step: which.
          like: a runner of the same shapes; what is restored lies on its devices.

        Raises:
          RunError: the checkpoint is damaged.
        """
        abstract = jax.tree.map(ocp.utils.to_shape_dtype_struct, like)
        parts = {RUNNER: ocp.args.StandardRestore(abstract)}
        with _damage_told(self.path / CHECKPOINTS / str(step)):
            return self._manager.restore(step, args=ocp.args.Composite(**parts))[RUNNER]


def learned_at(env: Env[Any], path: Path) -> tuple[NetworkPolicy, Any, Mapping[str, Any]]:
    """Return a policy, what it had learned and of which run, from the folder of a checkpoint.

    Raises:
      RunError: it is none, or a damaged one.
    """
    if not (path / AVERAGE).is_dir():
        raise RunError(f"{path}: is no run with a policy, and no checkpoint")
    run = Run.open(path.absolute().parent.parent)
    settings = run.training.settings
    if run.about["game"] != env.id:
        raise SavedError(f"{path}: learned to play {run.about['game']}, not {env.id}")
    with ocp.StandardCheckpointer() as reader, _damage_told(path):
        params = reader.restore((path / AVERAGE).absolute())
    policy = NetworkPolicy(settings.trunk, settings.lstm, rename_suits=settings.rename_suits)
    return *for_play(policy, jax.tree.map(jax.numpy.asarray, params)), run.about


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Raise a `RunError` for whatever orbax raises at a checkpoint that it cannot read."""
    try:
        yield
    except Exception as error:  # a KeyError, a ValueError, ..: as the damage happens to be
        raise RunError(
            f"{path}: the checkpoint is damaged; without its folder, the one before it is used"
        ) from error


def _write(path: Path, text: str) -> None:
    """Write a file, beside it first, so that it is never there by half."""
    beside = path.with_name(path.name + ".part")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
