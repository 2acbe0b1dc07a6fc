"""Blob keeps the contract under other flags than the defaults: all that `check_env` tries."""

from typing import Any

import pytest

from talonax.envs.check import check_env

RULES: list[dict[str, Any]] = [
    {"players": 8, "cards": 6, "hook": False, "score": "exact_or_tricks", "reward": "normalised"},
    {
        "players": 3,
        "cards": 3,
        "rounds": "full",
        "reward": "relative",
        "trumps": ("none", "D"),
        "first_round": 2,
    },
]


@pytest.mark.slow
@pytest.mark.parametrize("flags", RULES, ids=str)
def test_the_contract_is_kept(make: Any, flags: dict[str, Any]) -> None:
    check_env(make(**flags), games=24)
