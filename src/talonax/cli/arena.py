"""`talonax arena`: who is stronger, over duplicate deals."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from talonax.cli import output
from talonax.cli.errors import INTERRUPTED, UsageError
from talonax.cli.options import Count, GameOptions, Seed, one_line, writable_file
from talonax.cli.stopping import stop_requests

if TYPE_CHECKING:
    from talonax.agents.arena import Pairing, Player, Rating
    from talonax.envs.core import Env

FEWEST = 2


@dataclass(frozen=True, kw_only=True)
class Arena(GameOptions):
    """Tell who plays better: every player against every other, over duplicate deals.

    Each deal is played again with the seats changed, so that the cards favour nobody; with more
    than two seats each of two players sits once in every seat, the other in all the rest. What
    counts is a player's points less the mean of the others at the table. Intervals are over deals.

    Ctrl-C keeps the pairs that are done.

    Attributes:
      players: Two or more: bots' names (random, greedy, ..), pretrained, run folders of `talonax
        train`, their checkpoints, files of policies; with :argmax at the end, e.g.
        pretrained:argmax, one that learned takes its likeliest action instead of drawing.
      deals: Deals of each pair.
      seed: Decides decks and draws.
      csv: Write the pairs to this file, too.
      json: Print one JSON object instead of tables.
    """

    players: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="PLAYER ..")]
    deals: Count = 20_000
    seed: Seed = 0
    csv: Path | None = None
    json: bool = False

    def run(self) -> int:
        """Play, and return the exit code."""
        env = self.env()  # first: it tells of players that --set took for flags
        if len(self.players) < FEWEST or len(set(self.players)) < len(self.players):
            told = " ".join(self.players) or "none"
            raise UsageError(f"two or more different players are needed, got: {told}")
        if self.deals < FEWEST:
            raise UsageError(f"--deals: {self.deals} is not allowed; at least {FEWEST} are needed")
        if self.csv is not None:
            writable_file("--csv", self.csv)
        pairings, interrupted = self._play(env, [player(env, name) for name in self.players])
        if interrupted:
            output.remark(f"interrupted: {len(pairings)} of {self.pairs} pairs were done")
        if pairings:
            self._tell(env, pairings, interrupted)
        return INTERRUPTED if interrupted else 0

    @property
    def pairs(self) -> int:
        """How many pairs there are of the players."""
        return math.comb(len(self.players), 2)

    def _tell(self, env: "Env[Any]", pairings: list["Pairing"], interrupted: bool) -> None:
        """Print what the pairs did, and write it down if that is asked for."""
        from talonax.agents.arena import elo
        from talonax.configs.rules import as_dict

        ratings = [] if interrupted else elo(self.players, pairings)
        if self.json:
            output.print_json(
                game=self.game,
                profile=self.profile_name,
                rules=as_dict(env.rules),
                deals=self.deals,
                seed=self.seed,
                pairings=[each.told() for each in pairings],
                ratings=[asdict(each) for each in ratings],
                interrupted=interrupted,
            )
        else:
            _print(self.players, pairings, ratings)
        if self.csv is not None:
            _write_csv(self.csv, pairings)

    def _play(self, env: "Env[Any]", players: Sequence["Player"]) -> tuple[list["Pairing"], bool]:
        """Return what the pairs did, and whether it was cut short."""
        from talonax.agents.arena import compare

        done: list[Pairing] = []
        title, total = f"{self.game}, {self.pairs} pairs", self.deals * self.pairs
        with output.progress(title, total, "deals") as advance, stop_requests("a batch") as asked:

            def told(deals: int) -> None:
                advance(len(done) * self.deals + deals)
                if asked() and deals < self.deals:
                    raise KeyboardInterrupt

            try:
                for first, second in combinations(players, 2):
                    if asked():
                        return done, True
                    done.append(
                        compare(env, first, second, deals=self.deals, seed=self.seed, progress=told)
                    )
            except KeyboardInterrupt:
                return done, True
        return done, False


def player(env: "Env[Any]", name: str) -> "Player":
    """Return the player of that name.

    Raises:
      UsageError: there is none; the message says what exists.
    """
    from talonax.agents import players

    try:
        return players.player(env, name)
    except ValueError as error:
        raise UsageError(one_line(error)) from None


def _write_csv(path: Path, pairings: Sequence["Pairing"]) -> None:
    """Write the pairs, beside the file first, so that it is never there by half."""
    text = io.StringIO()
    rows = []
    for each in pairings:
        row = each.told()
        by_seat = row.pop("win_by_seat")
        rows.append(row | {f"win_seat_{seat}": share for seat, share in enumerate(by_seat)})
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(text.getvalue(), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise UsageError(f"--csv {path}: {error.strerror or error}") from None


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return for each name the end of its path that tells it from the others: `runs/a` is `a`."""
    paths = {name: Path(name).parts for name in names}
    for parts in range(1, max(map(len, paths.values()))):
        ends = {name: str(Path(*path[-parts:])) for name, path in paths.items()}
        if len(set(ends.values())) == len(names):
            return ends
    return {name: name for name in names}


def _print(
    names: Sequence[str], pairings: Sequence["Pairing"], ratings: Sequence["Rating"]
) -> None:
    short = short_names(names)
    rows = [
        (
            f"{short[each.first]} - {short[each.second]}",
            each.games,
            each.ties,
            f"{100 * each.win_rate:.2f}% ± {100 * each.win_ci95:.2f}",
            " ".join(f"{100 * share:.1f}" for share in each.win_by_seat),
            f"{each.points:+.3f} ± {each.points_ci95:.3f}",
        )
        for each in pairings
    ]
    output.print_table(
        ("pair", "games", "ties", "won by the first (95 %)", "in seat 0, 1, ..", "points a game"),
        rows,
    )
    if len(names) > FEWEST:
        print()
        _print_cross(short, pairings)
    if ratings:
        print()
        rated = [(short[each.name], f"{each.elo:+.0f} ± {each.ci95:.0f}") for each in ratings]
        output.print_table(("player", "Elo (95 %)"), rated)


def _print_cross(short: Mapping[str, str], pairings: Sequence["Pairing"]) -> None:
    """Print the share of games that the player of a row won against that of a column.

    Args:
      short: what each player is called, by name.
      pairings: what the pairs did.
    """
    shares = {(each.first, each.second): each.win_rate for each in pairings}
    shares |= {(each.second, each.first): 1 - each.win_rate for each in pairings}
    rows = []
    for row, name in short.items():
        cells = [shares.get((row, column)) for column in short]
        rows.append((name, *("" if cell is None else f"{100 * cell:.1f}%" for cell in cells)))
    output.print_table(("won against", *short.values()), rows)
