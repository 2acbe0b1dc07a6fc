"""What `Blob.deal` is told of the table: which facts a table can have."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from talonax.configs.blob.schema import Rules, round_cards
from talonax.envs.given import is_concrete

KEYWORDS = ("dealer", "round", "cards", "scores")
_MOST = int(np.iinfo(np.int32).max)


def check_table(rules: Rules, table: Mapping[str, Any]) -> None:
    """Check the facts of a table that are not being traced.

    Raises:
      ValueError: no table has such a fact; the message says what there is.
    """
    full = rules.rounds == "full"
    if full and "cards" in table:
        raise ValueError(
            f"blob: cards {table['cards']!r}: in a full game the round tells how many are dealt: "
            "give round alone"
        )
    limits = {
        "dealer": (0, rules.players - 1),
        "round": (0, len(round_cards(rules)) - 1 if full else _MOST),
        "cards": (1, rules.cards),
    }
    for name, (low, high) in limits.items():
        if name in table and is_concrete(table[name]) and not _whole(table[name], low, high):
            raise ValueError(f"blob: {name} {table[name]!r}: {low} .. {high} is needed")
    if "scores" in table:
        _check_scores(rules, table["scores"])


def _check_scores(rules: Rules, scores: Any) -> None:
    if is_concrete(scores):
        totals = np.asarray(scores)
        fit = totals.shape == (rules.players,) and all(_whole(each, 0, _MOST) for each in totals)
    else:
        fit = jnp.asarray(scores).shape == (rules.players,)
    if not fit:
        raise ValueError(
            f"blob: scores {scores!r}: {rules.players} totals are needed, whole numbers from 0 up"
        )


def _whole(value: Any, low: int, high: int) -> bool:
    """Return whether a value is one whole number between the limits."""
    number = np.asarray(value)
    if number.shape != () or not np.issubdtype(number.dtype, np.integer):
        return False
    return low <= int(number) <= high
