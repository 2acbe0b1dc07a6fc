"""How fast games are played: `python benchmarks/throughput.py --peers pgx --markdown`.

The long version of `talonax bench`: batches from 1 to 131,072, and beside the peers two measuring
sticks, where they are there: a trial of Snapszer in JAX that was written to be measured against,
and the same in scalar C on one core (`tools/trial_snapszer.py` and `.c` in the folder that
TALONAX_SHARED names, `../shared` by default). Both play full games by the rules of profile `base`,
so they are compared with `snapszer:base`, mode `games`.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from talonax.cli import output
from talonax.cli.bench import (
    MODES,
    Bench,
    machine,
    measure,
    print_machine,
    print_rows,
    reference_batch,
)
from talonax.cli.errors import USAGE, UsageError
from talonax.cli.measure import Contender, Row, Work, wait
from talonax.cli.options import Count, Seed
from talonax.cli.peers import PEERS

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("TALONAX_SHARED", ROOT.parent / "shared"))
COMPARED_WITH_STICKS = "snapszer:base"
#: Steps of the trial's loop: no game takes more.
TRIAL_STEPS = 32
GAMES = ("snapszer", COMPARED_WITH_STICKS)
BATCHES = (1, 16, 256, 1024, 4096, 16384, 65536, 131072)


@dataclass(frozen=True, kw_only=True)
class Throughput:
    """Measure random play over a range of batches, against peers and measuring sticks.

    Attributes:
      games: Which games, as GAME, GAME:PROFILE or GAME:FLAG=VALUE.
      batches: Games played side by side.
      modes: What to measure: init, step, games, rollout, observe.
      peers: Others to compare with: pgx, openspiel.
      repeats: Turns that the medians are taken over.
      seed: Decides the keys.
      sticks: Measure the two sticks too, where they are there.
      markdown: Print the tables for the README.
      json: Print one JSON object.
    """

    games: tuple[str, ...] = GAMES
    batches: tuple[Count, ...] = BATCHES
    modes: Annotated[tuple[str, ...], tyro.conf.arg(metavar="MODE ..")] = MODES
    peers: tuple[str, ...] = ()
    repeats: Count = 7
    seed: Seed = 0
    sticks: bool = True
    markdown: bool = False
    json: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    asked = tyro.cli(Throughput, args=arguments, description=__doc__)
    unknown = [mode for mode in asked.modes if mode not in MODES]
    try:
        if unknown:
            raise UsageError(f"--modes {unknown[0]}: no such mode; there are: {', '.join(MODES)}")
        rows, ratios = run(asked)
    except UsageError as error:
        print(f"throughput: {error}", file=sys.stderr)
        return USAGE
    entries = machine()
    if asked.json:
        output.print_json(machine=entries, rows=[asdict(row) for row in rows], ratios=ratios)
    elif asked.markdown:
        print(markdown(entries, rows, ratios))
    else:
        print_machine(entries)
        print()
        print_rows(rows)
        if ratios:
            print()
            output.print_table(("ratio of speeds", "times"), list(ratios.items()))
    return 0


def run(asked: Throughput) -> tuple[list[Row], dict[str, float]]:
    """Return the rows and the ratios."""
    bench = Bench(
        games=asked.games,
        batches=asked.batches,
        peers=asked.peers,
        repeats=asked.repeats,
        seed=asked.seed,
    )
    with tempfile.TemporaryDirectory() as folder:
        sticks = list(measuring_sticks(asked, Path(folder)))
        rows, ratios = measure(bench, sticks, asked.modes)
    named = {stick.game for stick in sticks}
    return rows, {
        name: ratio
        for name, ratio in ratios.items()
        if name.partition(" / ")[2] not in named or name.startswith(f"{COMPARED_WITH_STICKS} /")
    }


# The measuring sticks ---------------------------------------------------------------------------


def measuring_sticks(asked: Throughput, folder: Path) -> Iterator[Contender]:
    """Yield the sticks that are there."""
    if not asked.sticks or COMPARED_WITH_STICKS not in asked.games or "games" not in asked.modes:
        return
    tools = SHARED / "tools"
    trial, scalar = tools / "trial_snapszer.py", tools / "trial_snapszer.c"
    if trial.is_file():
        yield jax_trial(trial, reference_batch(asked.batches))
    if scalar.is_file() and shutil.which("cc") is not None:
        yield c_trial(scalar, folder)
    if not trial.is_file():
        output.remark(f"no measuring sticks at {tools} (set TALONAX_SHARED)")


def jax_trial(path: Path, batch: int) -> Contender:
    """Return the trial in JAX: `mk(B, T, 1)` makes a function of a key that plays B full games."""
    with _without_bytecode():
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    play = module.mk(batch, TRIAL_STEPS, 1)

    def run(key: Any) -> Work:
        _, steps = wait(play(key))
        return Work(int(steps), batch)

    return Contender("trial_snapszer.py", "games", batch, run)


def c_trial(path: Path, folder: Path) -> Contender:
    """Compile the trial in C, and return it: it plays for 3 seconds on one core, one by one."""
    program = folder / "trial_snapszer"
    subprocess.run(["cc", "-O3", "-march=native", "-o", program, path], check=True)

    def run(key: Any) -> Work:
        del key
        told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        games, steps = (
            float(re.search(rf"{what}/s ([0-9.e+]+)", told)[1])  # type: ignore[index]
            for what in ("games", "steps")
        )
        return Work(round(steps), round(games), seconds=1.0)

    return Contender("trial_snapszer.c", "games", 1, run)


@contextmanager
def _without_bytecode() -> Iterator[None]:
    """Import without writing beside the source."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


# The table of the README ------------------------------------------------------------------------


def markdown(entries: dict[str, Any], rows: Sequence[Row], ratios: dict[str, float]) -> str:
    """Return the figures as Markdown: a table of speeds, one of compile times, one of ratios."""
    parts = [
        f"{entries['cpu']}, {entries['cores']} cores; {entries['devices']} x {entries['device']}; "
        f"jax {entries['jax']}, Python {entries['python']}; peak memory "
        f"{output.short(entries['peak_memory_bytes'])}B.",
        _speeds(rows),
        _compiling(rows),
    ]
    if ratios:
        listed = [[name, f"{ratio:.2f}"] for name, ratio in ratios.items()]
        parts.append(_table(["ratio of speeds, same run", "times"], listed))
    return "\n\n".join(parts)


def _speeds(rows: Sequence[Row]) -> str:
    return _table(
        [
            *("game", "batch", "full games, games/s", "full games, steps/s"),
            *("rollout, steps/s", "observe, steps/s"),
        ],
        [
            [
                row.game,
                f"{row.batch:,}",
                _speed(row.games_per_second),
                _speed(row.steps_per_second),
                _speed(_other(rows, row, "rollout")),
                _speed(_other(rows, row, "observe")),
            ]
            for row in rows
            if row.mode == "games"
        ]
        + [
            [row.game, f"{row.batch:,}", "", "", *_in_its_mode(row)]
            for row in rows
            if row.game.partition(".")[0] in PEERS
        ],
    )


def _in_its_mode(row: Row) -> tuple[str, str]:
    """Return the last two cells of a peer."""
    speed = _speed(row.steps_per_second)
    return (speed, "") if row.mode == "rollout" else ("", speed)


def _other(rows: Sequence[Row], like: Row, mode: str) -> float | None:
    found = [
        row.steps_per_second
        for row in rows
        if (row.game, row.batch, row.mode) == (like.game, like.batch, mode)
    ]
    return found[0] if found else None


def _compiling(rows: Sequence[Row]) -> str:
    """Compile times at the batch of the comparison."""
    batch = reference_batch([row.batch for row in rows if row.mode == "rollout"] or [1])
    games = [row for row in rows if row.batch == batch and row.state_bytes is not None]
    times: dict[str, dict[str, str]] = {}
    for row in games:
        times.setdefault(row.game, {"bytes": str(row.state_bytes)})
        times[row.game][row.mode] = f"{row.compile_seconds:.1f} s"
    return _table(
        ["game", "state bytes", *(f"{mode} compiled in" for mode in MODES)],
        [[game, of["bytes"], *(of.get(mode, "") for mode in MODES)] for game, of in times.items()],
    )


def _speed(speed: float | None) -> str:
    return "" if speed is None else output.short(speed)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
