"""Sums over any number of games, in Python's numbers, and what follows from them."""

import math
from dataclasses import dataclass
from typing import Any

from talonax.agents.intervals import Z95


def half_width(total: float, squares: float, games: int) -> float:
    """Return half the 95 % interval of a mean, from the sum and the sum of squares."""
    if games < 2:
        return math.inf
    variance = max(0.0, (squares - total**2 / games) / (games - 1))
    return Z95 * math.sqrt(variance / games)


@dataclass(frozen=True)
class Totals:
    """Sums over all games so far.

    Attributes:
      games: how many.
      steps: of all of them.
      shortest: steps of the shortest.
      longest: steps of the longest.
      ties: games that nobody won alone.
      illegal: games that an illegal action ended.
      wins: by seat, games in which its return was higher than every other's.
      returns: by seat, sums of the returns.
      squares: by seat, sums of their squares.
      counts: by name, the game's own counts.
    """

    wins: tuple[int, ...]
    returns: tuple[float, ...]
    squares: tuple[float, ...]
    games: int = 0
    steps: int = 0
    shortest: int = 0
    longest: int = 0
    ties: int = 0
    illegal: int = 0
    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def none(cls, players: int) -> "Totals":
        """Return the sums over no games."""
        return cls(wins=(0,) * players, returns=(0.0,) * players, squares=(0.0,) * players)

    def plus(self, games: int, summary: Any) -> "Totals":
        """Return the sums with a batch added: its number of games and its `play.Summary`."""
        before = dict(self.counts)
        counts = {name: before.get(name, 0) + int(n) for name, n in summary.counts.items()}
        shortest = int(summary.shortest)
        return Totals(
            games=self.games + games,
            steps=self.steps + int(summary.steps),
            shortest=min(self.shortest, shortest) if self.games else shortest,
            longest=max(self.longest, int(summary.longest)),
            ties=self.ties + int(summary.ties),
            illegal=self.illegal + int(summary.illegal),
            wins=tuple(a + int(b) for a, b in zip(self.wins, summary.wins, strict=True)),
            returns=tuple(a + float(b) for a, b in zip(self.returns, summary.returns, strict=True)),
            squares=tuple(a + float(b) for a, b in zip(self.squares, summary.squares, strict=True)),
            counts=tuple(counts.items()),
        )
