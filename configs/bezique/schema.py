"""The rules of Bezique as data (`envs/bezique/README.md` tells them in words)."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass

from talonax.configs.rules import STRICT


def _flag(text: str, *, ge: int | None = None) -> object:
    return Field(description=text, ge=ge)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Rules:
    """One field per flag; the defaults are the profile `standard`."""

    players: Annotated[Literal[2, 4], _flag("how many play, each for himself")] = 2
    mode: Annotated[
        Literal["standard", "advanced"],
        _flag("advanced: aces and tens that were won count at the end of a round"),
    ] = "standard"
    target: Annotated[
        Literal[750, 1000, 1500], _flag("the total that wins a game, looked at after each round")
    ] = 1000
    rounds: Annotated[
        int, _flag("0: rounds until the target; n: n rounds, then the highest total wins", ge=0)
    ] = 0
    joker_turnup: Annotated[
        Literal["diamonds", "redraw"],
        _flag("a Joker turned up makes diamonds trump; or the next card that is none is turned up"),
    ] = "diamonds"
    max_jokers: Annotated[
        Literal[1, 0], _flag("how many Jokers may stand in four aces, kings, queens or jacks")
    ] = 1
    seven_in_phase2: Annotated[
        bool, _flag("a trump seven played in the last nine tricks scores 10, too")
    ] = True
    max_rounds: Annotated[int, _flag("a game that has had this many rounds is cut short", ge=1)] = (
        100
    )
    reward: Annotated[
        Literal["margin", "win"],
        _flag(
            "a round's own points minus the mean of the others', over 1000; or +1 to the winner "
            "of the game and -1 shared by the others"
        ),
    ] = "margin"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.rounds > self.max_rounds:
            raise ValueError(f"rounds: {self.rounds} are more than max_rounds: {self.max_rounds}")
        return self
