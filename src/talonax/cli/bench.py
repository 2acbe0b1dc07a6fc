"""`talonax bench`: how fast random play is on this machine."""

import os
import platform
import resource
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from talonax.cli import output
from talonax.cli.errors import UsageError
from talonax.cli.options import Count, GameOptions, Seed

if TYPE_CHECKING:
    from talonax.cli.measure import Contender, Row
    from talonax.envs.core import Env

MODES = ("init", "step", "games", "rollout", "observe")
#: The batch at which ours and others are compared, if it is measured.
REFERENCE_BATCH = 4096


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Measure how fast random play is on this machine.

    Five rows a game: `init` deals a batch, `step` makes one step in each game, `games` plays fresh
    games to their end, `rollout` plays on and on, and in `observe` the player to move observes,
    too. Medians of repeats, taken in turns; compilation is timed apart. With --peers others are
    measured in the same run.

    Example: talonax bench snapszer:base blob:players=3:cards=7 --batches 1024 --peers pgx

    Attributes:
      games: Which games, as GAME, GAME:PROFILE or GAME:FLAG=VALUE, with any number of flags; all
        games if none is named.
      batches: Games played side by side.
      peers: Others to compare with, if they are installed: pgx (its kuhn_poker, leduc_holdem,
        sparrow_mahjong with auto reset), openspiel (its oh_hell, four players and seven cards,
        one game at a time).
      repeats: Turns that the medians are taken over.
      seed: Decides the keys.
      json: Print one JSON object instead of tables.
    """

    games: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="[GAME[:PROFILE][:FLAG=VALUE] ..]", help_behavior_hint=""),
    ] = ()
    batches: Annotated[tuple[Count, ...], tyro.conf.arg(metavar="N ..")] = (REFERENCE_BATCH,)
    peers: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="NAME ..", help_behavior_hint="(default: none)")
    ] = ()
    repeats: Count = 7
    seed: Seed = 0
    json: bool = False

    def run(self) -> int:
        """Measure, and return the exit code."""
        rows, ratios = measure(self)
        if self.json:
            output.print_json(machine=machine(), rows=[asdict(row) for row in rows], ratios=ratios)
            return 0
        print_machine(machine())
        print()
        print_rows(rows)
        if ratios:
            print()
            output.print_table(("ratio of speeds", "times"), list(ratios.items()))
        return 0


def measure(
    bench: Bench, sticks: "Sequence[Contender]" = (), modes: Sequence[str] = MODES
) -> "tuple[list[Row], dict[str, float]]":
    """Measure what is asked for.

    Args:
      bench: what is asked for.
      sticks: others to measure in `games` mode beside ours, at the reference batch.
      modes: what to measure of each game.

    Returns:
      The rows, and the ratios of ours to the others' by name, e.g. `snapszer / pgx.kuhn_poker`.

    Raises:
      UsageError: an unknown game, profile or peer.
    """
    from talonax.cli import measure as measuring
    from talonax.cli import peers

    envs = {name: game_env(name) for name in bench.games or all_games()}
    peers.check(bench.peers)
    compared = reference_batch(bench.batches)
    turns = len(envs) * len(modes) * len(bench.batches)
    turns += len(sticks) + peers.count(bench.peers)
    rows: list[Row] = []
    ratios: dict[str, float] = {}
    done = 0
    with output.progress("measuring", turns * bench.repeats, "turns") as show:

        def advance() -> None:
            nonlocal done
            done += 1
            show(done)

        for batch in bench.batches:
            ours = [
                contender
                for name, env in envs.items()
                for contender in measuring.contenders(name, env, batch, modes)
            ]
            others = [*sticks, *peers.contenders(bench.peers, batch)] if batch == compared else []
            raced = measuring.race(
                [*ours, *others], repeats=bench.repeats, seed=bench.seed, advance=advance
            )
            rows += raced
            ratios |= compare(raced[: len(ours)], raced[len(ours) :])
    return rows, ratios


def compare(ours: "Iterable[Row]", others: "Iterable[Row]") -> dict[str, float]:
    """Return the ratios of our speeds to others', mode by mode: games or steps a second."""
    ratios = {}
    for other in others:
        for row in ours:
            if row.mode != other.mode:
                continue
            speed = "games_per_second" if row.mode == "games" else "steps_per_second"
            mine, theirs = getattr(row, speed), getattr(other, speed)
            ratios[f"{row.game} / {other.game}"] = mine / theirs
    return ratios


def reference_batch(batches: Sequence[int]) -> int:
    """Return the batch at which ours and others are compared: the nearest to 4096."""
    return min(batches, key=lambda batch: abs(batch - REFERENCE_BATCH))


def all_games() -> list[str]:
    """Return the ids of all games."""
    from talonax.envs.registry import games

    return games()


def game_env(name: str) -> "Env[Any]":
    """Return the env of `GAME`, `GAME:PROFILE`, `GAME:FLAG=VALUE`, or all of it, colons between.

    Raises:
      UsageError: no such game, profile or flag, or two profiles.
    """
    game, *more = name.split(":")
    flags = tuple(word for word in more if "=" in word)
    profiles = [word for word in more if word and "=" not in word]
    if len(profiles) > 1:
        raise UsageError(f"{name}: one profile at most, got: {', '.join(profiles)}")
    return GameOptions(game=game, profile=profiles[0] if profiles else None, set=(flags,)).env()


def machine() -> dict[str, Any]:
    """Return what the figures depend on, and the peak memory of this process."""
    import jax

    device = jax.local_devices()[0]
    statistics = device.memory_stats() or {}
    return {
        "cpu": cpu_model(),
        "cores": _cores(),
        "device": f"{device.device_kind} ({device.platform})",
        "devices": jax.local_device_count(),
        "jax": jax.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "peak_memory_bytes": _peak_memory(),
        "device_peak_memory_bytes": statistics.get("peak_bytes_in_use"),
    }


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_model() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024  # kilobytes, except on macOS


def print_machine(entries: dict[str, Any]) -> None:
    """Print the machine."""
    output.print_pairs(
        [
            ("cpu", f"{entries['cpu']}, {entries['cores']} cores"),
            ("device", f"{entries['devices']} x {entries['device']}"),
            ("versions", f"jax {entries['jax']}, Python {entries['python']}"),
            ("peak memory", " + ".join(_memory(entries))),
        ]
    )


def _memory(entries: dict[str, Any]) -> list[str]:
    on_device = entries["device_peak_memory_bytes"]
    host = f"{output.short(entries['peak_memory_bytes'])}B"
    return [host] if on_device is None else [host, f"{output.short(on_device)}B on the device"]


def print_rows(rows: "Iterable[Row]") -> None:
    """Print the speeds."""
    head = ("game", "mode", "batch", "steps/s", "games/s", "compile s", "state bytes")
    output.print_table(
        head,
        [
            (
                row.game,
                row.mode,
                row.batch,
                output.short(row.steps_per_second) if row.steps_per_second else "-",
                output.short(row.games_per_second) if row.games_per_second else "-",
                row.compile_seconds,
                row.state_bytes,
            )
            for row in rows
        ],
    )
