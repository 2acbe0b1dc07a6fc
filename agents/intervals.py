"""Intervals that hold 95 % of what chance does."""

import math

#: Standard deviations that hold 95 % of a normal distribution.
Z95 = 1.959964


def wilson(rate: float, sample: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate: right near 0 and 1, and for few games.

    Args:
      rate: the share of a sample.
      sample: its size; what it is worth, where its parts depend on each other. May be infinite.
    """
    if sample == 0:
        return 0.0, 1.0
    square = Z95**2 / sample
    middle = (rate + square / 2) / (1 + square)
    half = math.sqrt(square * rate * (1 - rate) + square**2 / 4) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)
