"""The rules of Leduc poker as data (`envs/leduc_poker/README.md` tells them in words)."""

from pydantic.dataclasses import dataclass

from talonax.configs.rules import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Rules:
    """No flag: the game is played in one way, that of the literature."""
