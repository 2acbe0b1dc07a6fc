"""`talonax parity`: hold a game against its reference engine."""

from dataclasses import dataclass
from typing import Any

from talonax.cli import output
from talonax.cli.errors import DIFFERENT, INTERRUPTED, UsageError
from talonax.cli.options import Count, GameOptions, Seed, one_line

ENTRIES = "game", "profile", "rules", "games", "steps", "seed", "seconds", "differences", "first"


@dataclass(frozen=True, kw_only=True)
class Parity(GameOptions):
    """Hold a game, step by step, against its plain Python reference engine.

    Both play the same decks and the same actions. After every step all is compared: who is to move,
    what is legal, rewards, all counters, what every player observes. The exit code is 1 if anything
    differs; the first difference is printed with what leads to it.

    Attributes:
      games: How many games; a quarter of them is steered to rare situations.
      seed: Decides decks and choices.
      json: Print one JSON object instead of text.
    """

    games: Count = 10_000
    seed: Seed = 0
    json: bool = False

    def run(self) -> int:
        """Compare, and return the exit code."""
        flags, done = self.check_rules(), 0

        from talonax.configs.games import UnknownGameError
        from talonax.parity import lockstep

        with output.progress(f"{self.game}, env and engine", self.games, "games") as advance:

            def progress(games: int, steps: int) -> None:
                nonlocal done
                del steps
                done = games
                advance(games)

            try:
                report = lockstep.run(
                    self.game,
                    profile=self.profile,
                    flags=flags,
                    games=self.games,
                    seed=self.seed,
                    progress=progress,
                )
            except UnknownGameError as error:  # no engine
                raise UsageError(one_line(error)) from None
            except KeyboardInterrupt:
                output.remark(f"interrupted after {done:,} of {self.games:,} games")
                return INTERRUPTED
        if self.json:
            output.print_json(**_entries(report))
        else:
            _print(report)
        return DIFFERENT if report.differences else 0


def _entries(report: Any) -> dict[str, Any]:
    return {name: getattr(report, name) for name in ENTRIES}


def _print(report: Any) -> None:
    rate = output.short(report.games / report.seconds)
    pairs = [
        ("game", f"{report.game}, profile {report.profile}, seed {report.seed}"),
        ("compared", f"{report.games:,} games, {report.steps:,} steps"),
        ("took", f"{report.seconds:.1f} s, {rate} games/s"),
        ("different", f"{report.differences:,} games"),
    ]
    output.print_pairs(pairs)
    if report.scenarios:
        print()
        output.print_table(("steered to", "games that got there"), list(report.scenarios.items()))
    if report.first is None:
        return
    first = dict(report.first)
    print("\nThe first difference:")
    print(f"  game {first.pop('game', '?')}, step {first.pop('step', '?')}, {first.pop('field')}")
    for name, value in first.items():
        shown = " ".join(value) if name == "moves" else value
        print(f"  {name}: {shown}")
