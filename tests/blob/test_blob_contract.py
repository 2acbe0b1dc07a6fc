"""Blob keeps the contract: all that `check_env` tries."""

from typing import Any

import pytest

from talonax.configs import games as listing
from talonax.envs.check import check_env

RULES: list[dict[str, Any]] = [
    {},
    {"players": 3, "cards": 3, "rounds": "full", "reward": "relative"},
    {"players": 8, "cards": 6, "hook": False, "score": "exact_or_tricks", "reward": "normalised"},
    {"players": 5, "cards": 2, "rounds": "full", "trumps": ("none", "D"), "first_round": 2},
]


@pytest.mark.slow
@pytest.mark.parametrize("flags", RULES, ids=str)
def test_the_contract_is_kept(
    make: Any, flags: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = listing._built_in("blob", "Blob", "standard", bots=())
    monkeypatch.setitem(listing._GAMES, "blob", here)  # what is written as JSON is read by id
    check_env(make(**flags), games=48)
