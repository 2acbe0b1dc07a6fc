"""The rules of Blob as data (`envs/blob/README.md` tells them in words), and its plan of rounds."""

from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.dataclasses import dataclass

from talonax.configs.rules import STRICT

#: Cards of the pack, all of which may be dealt.
DECK_SIZE = 52
MIN_PLAYERS = 3
MAX_PLAYERS = 8

#: A trump suit by its letter, or none.
Trump = Literal["S", "H", "C", "D", "none"]


def _flag(text: str, *, ge: int | None = None, le: int | None = None) -> object:
    return Field(description=text, ge=ge, le=le)


def _tuple_of_list(value: Any) -> Any:
    """Read a list, which is what YAML and JSON have, as a tuple, which can be hashed."""
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Rules:
    """One field per flag; the defaults are the profile `standard`."""

    players: Annotated[int, _flag("seats", ge=MIN_PLAYERS, le=MAX_PLAYERS)] = 4
    cards: Annotated[int, _flag("cards that each is dealt in the first round", ge=1)] = 5
    rounds: Annotated[
        Literal["single", "full"],
        _flag(
            "one round; or a whole game: cards, .., 2, 1, then players more of one card, then 2, "
            ".., cards"
        ),
    ] = "single"
    trumps: Annotated[
        tuple[Trump, ...],
        Field(description="the trumps of the rounds by their index, over and over"),
        BeforeValidator(_tuple_of_list),
    ] = ("S", "H", "C", "D", "none")
    dealer: Annotated[
        int, _flag("the dealer of round 0; the deal moves one seat on each round", ge=0)
    ] = 0
    hook: Annotated[
        bool, _flag("the dealer may not make the bids add up to the cards dealt to each")
    ] = True
    score: Annotated[
        Literal["exact", "exact_or_tricks"],
        _flag("10 + bid if exactly made; otherwise 0, or the tricks"),
    ] = "exact"
    first_round: Annotated[
        int,
        _flag("index of the first round: it fixes the trump and moves the dealer on", ge=0),
    ] = 0
    reward: Annotated[
        Literal["score", "normalised", "relative"],
        _flag(
            "what a round pays: the score; 2 * score / (10 + cards) - 1; the score minus the mean "
            "of the others'"
        ),
    ] = "score"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        most = DECK_SIZE // self.players
        if self.cards > most:
            raise ValueError(
                f"cards: {self.cards} is not allowed: {DECK_SIZE} cards are enough for 1..{most} "
                f"each with players: {self.players}"
            )
        if self.dealer >= self.players:
            raise ValueError(
                f"dealer: {self.dealer} is not allowed: with players: {self.players} it is one of "
                f"0..{self.players - 1}"
            )
        if not self.trumps:
            raise ValueError(
                "trumps: () is not allowed: at least one of S, H, C, D, none is needed"
            )
        last = len(round_cards(self)) - 1
        if self.rounds == "full" and self.first_round > last:
            raise ValueError(
                f"first_round: {self.first_round} is not allowed: the full game's rounds are "
                f"0..{last}"
            )
        return self


@cache
def round_cards(rules: Rules) -> tuple[int, ...]:
    """Return how many cards each is dealt in the rounds of the game, in order.

    A full game has `2 * cards - 1 + players` of them, by round index; a single round is the only
    one, whatever its index.
    """
    if rules.rounds == "single":
        return (rules.cards,)
    down = range(rules.cards, 0, -1)
    up = range(2, rules.cards + 1)
    return (*down, *(1 for _ in range(rules.players)), *up)


def dealer_of(rules: Rules, index: int) -> int:
    """Return who deals the round of that index."""
    return (rules.dealer + index) % rules.players


def trump_of(rules: Rules, index: int) -> Trump:
    """Return the trump of the round of that index."""
    return rules.trumps[index % len(rules.trumps)]


__all__ = [
    "DECK_SIZE",
    "MAX_PLAYERS",
    "MIN_PLAYERS",
    "Rules",
    "Trump",
    "dealer_of",
    "round_cards",
    "trump_of",
]
