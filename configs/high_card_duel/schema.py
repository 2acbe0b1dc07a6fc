"""The rules of High Card Duel as data (`envs/high_card_duel/README.md` tells them in words)."""

from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from talonax.configs.rules import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Rules:
    """One field per flag; the defaults are the profile `standard`."""

    include_jokers: Annotated[bool, Field(description="deal the four Jokers, too (56 cards)")] = (
        True
    )
