"""`talonax selfplay`: play many games, count, and keep them if asked to."""

import platform
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from talonax.agents.intervals import wilson
from talonax.cli import output
from talonax.cli.errors import INTERRUPTED, UsageError
from talonax.cli.options import Count, GameOptions, OptionalCount, Seed, seated
from talonax.cli.statistics import Totals, half_width

if TYPE_CHECKING:
    from talonax.cli.play import Batch, Driver
    from talonax.cli.trajectories import Writer
    from talonax.envs.core import Env

#: Games played side by side, unless it is said: so many, and for few games not so many. Powers of
#: two, for as many devices to share whatever the number of games.
BATCH, FEW = 4096, 64


@dataclass(frozen=True)
class Played:
    """What a run did.

    Attributes:
      totals: sums over the games that were finished.
      seconds: of playing, compilation not counted.
      compile_seconds: of compilation.
      interrupted: whether it was stopped before all games were played.
    """

    totals: Totals
    seconds: float
    compile_seconds: float
    interrupted: bool


@dataclass(frozen=True, kw_only=True)
class Selfplay(GameOptions):
    """Play many games at once and count what happened.

    Prints how fast it was, who won how often (with 95 % intervals), game points, and how games
    went. If a file is named to keep them, every game is in it, complete: talonax replay walks
    through one, numpy reads all. Ctrl-C stops early and keeps what is done.

    Example: talonax selfplay snapszer --set match=7 --policies greedy random --games 10000

    Attributes:
      games: How many games.
      policies: Who plays: one name for all seats, or one for each seat, in order: a bot (every game
        has random; our own have greedy too), pretrained, a run folder of `talonax train`, one of
        its checkpoints, a file of a policy.
      batch: Games played side by side: 4,096 unless said, or for fewer games the power of two that
        holds them, at least 64. Results depend on it, as on the seed.
      seed: Decides every deal and every random choice.
      devices: Share each batch among this many devices. Results do not depend on it.
      out: Keep every game in this file (.npz). It appears once it is whole.
      json: Print one JSON object instead of tables.
    """

    games: Count = 1_000_000
    policies: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME ..")] = ("random",)
    batch: OptionalCount = None
    seed: Seed = 0
    devices: Count = 1
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE.npz", help_behavior_hint="")] = None
    json: bool = False

    def run(self) -> int:
        """Play, and return the exit code."""
        env = self.env()
        player = seated(env, self.policies)

        from talonax.cli.play import Driver

        driver = Driver(
            env,
            player.policy,
            self.side_by_side,
            self.seed,
            self.devices,
            record=self.out is not None,
            params=player.params,
        )
        with ExitStack() as stack:
            writer = None
            if self.out is not None:
                from talonax.cli.trajectories import writing

                writer = stack.enter_context(writing(self.out))
            played = self._play(driver, writer)
            if writer is not None and played.totals.games:
                writer.assemble(played.totals.games, played.totals.longest, self._meta(env, played))
        if self.json:
            output.print_json(**self._report(env, played))
        elif played.totals.games:
            self._print(env, played)
        if not played.interrupted:
            return 0
        where = f" and are in {self.out}" if self.out is not None and played.totals.games else ""
        output.remark(
            f"interrupted: {played.totals.games:,} of {self.games:,} games were finished{where}"
        )
        return INTERRUPTED

    @property
    def side_by_side(self) -> int:
        """How many games are played at once."""
        return self.batch or min(BATCH, max(FEW, 1 << (self.games - 1).bit_length()))

    def _play(self, driver: "Driver", writer: "Writer | None") -> Played:
        """Play until done or interrupted; only whole batches count."""
        totals, compile_seconds = Totals.none(driver.env.num_players), 0.0
        start, interrupted = time.perf_counter(), False
        try:
            compile_seconds = driver.compile()
            start = time.perf_counter()
            with output.progress(self.game, self.games, "games") as advance:
                for batch in driver.batches(self.games):
                    _check(batch, driver.env)
                    if writer is not None:
                        writer.append(_arrays(batch))
                    totals = totals.plus(batch.games, batch.summary)
                    advance(totals.games)
        except KeyboardInterrupt:
            interrupted = True
        return Played(totals, time.perf_counter() - start, compile_seconds, interrupted)

    def _meta(self, env: "Env[Any]", played: Played) -> dict[str, Any]:
        """Return what a trajectory file says of itself."""
        from talonax.cli.trajectories import FORMAT

        return {
            "schema": FORMAT,
            "versions": _versions(),
            "game": self.game,
            "version": env.version,
            "profile": self.profile_name,
            "rules": _rules(env),
            "rules_hash": env.rules_hash,
            "seed": self.seed,
            "batch": self.side_by_side,
            "games": played.totals.games,
            "policies": self._by_seat(env),
        }

    def _by_seat(self, env: "Env[Any]") -> list[str]:
        names = list(self.policies)
        return names * env.num_players if len(names) == 1 else names

    def _report(self, env: "Env[Any]", played: Played) -> dict[str, Any]:
        totals, games = played.totals, played.totals.games
        seats = [
            {
                "policy": name,
                "wins": totals.wins[seat],
                "win_rate": totals.wins[seat] / games if games else None,
                "ci95": list(_interval(totals.wins[seat], games)),
                "mean_points": totals.returns[seat] / games if games else None,
            }
            for seat, name in enumerate(self._by_seat(env))
        ]
        return {
            "game": self.game,
            "profile": self.profile_name,
            "rules": _rules(env),
            "seed": self.seed,
            "games": games,
            "steps": totals.steps,
            "seconds": played.seconds,
            "compile_seconds": played.compile_seconds,
            "games_per_second": games / played.seconds,
            "steps_per_second": totals.steps / played.seconds,
            "state_bytes": _state_bytes(env),
            "seats": seats,
            "counts": dict(totals.counts),
            "interrupted": played.interrupted,
        }

    def _print(self, env: "Env[Any]", played: Played) -> None:
        totals, games, seconds = played.totals, played.totals.games, played.seconds
        pairs = [
            ("game", f"{self.game}, profile {self.profile_name}, seed {self.seed}"),
            ("played", f"{games:,} games, {totals.steps:,} steps in {seconds:.2f} s"),
            ("compiled", f"in {played.compile_seconds:.1f} s, before that"),
            (
                "speed",
                f"{output.short(games / seconds)} games/s, "
                f"{output.short(totals.steps / seconds)} steps/s",
            ),
            ("state", f"{_state_bytes(env)} bytes"),
            (
                "steps",
                f"{totals.steps / games:.2f} a game ({totals.shortest} to {totals.longest})",
            ),
        ]
        output.print_pairs(pairs + ([("kept in", str(self.out))] if self.out else []))
        print()
        self._print_seats(env, totals)
        if totals.counts:
            print()
            _print_counts(totals, env.tally_of)
        if totals.illegal:
            output.remark(f"{totals.illegal:,} games were ended by an illegal action of a policy")

    def _print_seats(self, env: "Env[Any]", totals: Totals) -> None:
        games, rows = totals.games, []
        for seat, name in enumerate(self._by_seat(env)):
            mean = totals.returns[seat] / games
            half = half_width(totals.returns[seat], totals.squares[seat], games)
            rate = _rate(totals.wins[seat], games)
            rows.append((str(seat), name, totals.wins[seat], *rate, f"{mean:+.4f} ± {half:.4f}"))
        rows.append(("", "ties", totals.ties, *_rate(totals.ties, games), ""))
        head = ("seat", "policy", "wins", "rate", "95 % interval", "points a game (95 %)")
        output.print_table(head, rows)


def _print_counts(totals: Totals, parts: Mapping[str, str]) -> None:
    """Print what was counted; of counts that are parts of others (`Env.tally_of`), their share."""
    counts = dict(totals.counts)
    rows = [(name, number, 1000 * number / totals.games) for name, number in totals.counts]
    head = ("what happened", "times", "per 1000 games")
    if not parts:
        output.print_table(head, rows)
        return
    shares = []
    for name in counts:
        whole = parts.get(name, "")
        number = counts.get(whole, 0)
        shares.append(f"{counts[name] / number:.1%} of {whole}" if number else "")
    rows_with_shares = [(*row, share) for row, share in zip(rows, shares, strict=True)]
    output.print_table((*head, "share"), rows_with_shares)


def _rate(number: int, games: int) -> tuple[str, str]:
    low, high = _interval(number, games)
    return f"{number / games:.2%}", f"{low:.2%} .. {high:.2%}"


def _interval(number: int, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of the games."""
    return wilson(number / games if games else 0.0, games)


def _check(batch: "Batch", env: "Env[Any]") -> None:
    """Raise a `UsageError` if games did not end: a fault of a (third party's) env."""
    if batch.summary.unfinished:
        raise UsageError(
            f"{env.id}: {batch.summary.unfinished} games of a batch were not over after "
            f"max_steps = {env.max_steps} steps: that bound of the env is wrong"
        )


def _arrays(batch: "Batch") -> dict[str, Any]:
    """Return the arrays of a batch by the names that they have in a file."""
    kept = batch.trajectories
    assert kept is not None
    return {
        "actions": kept.actions,
        "players": kept.players,
        "lengths": kept.lengths,
        "rewards": kept.rewards,
        **kept.chance,
    }


def _rules(env: "Env[Any]") -> dict[str, Any]:
    from talonax.configs.rules import as_dict

    return as_dict(env.rules)


def _state_bytes(env: "Env[Any]") -> int:
    from talonax.cli.measure import state_bytes

    return state_bytes(env)


def _versions() -> dict[str, str]:
    import jax
    import numpy as np

    import talonax

    return {
        "talonax": talonax.__version__,
        "jax": jax.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
