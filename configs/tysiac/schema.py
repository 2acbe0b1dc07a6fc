"""The rules of Tysiac as data (`envs/tysiac/README.md` tells them in words)."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, StrictBool, model_validator
from pydantic.dataclasses import dataclass

from talonax.configs.rules import NESTED, STRICT

#: Totals are counted in tens, and so is what they are held against.
TEN = 10


def _flag(text: str, *, ge: int | None = None, multiple_of: int | None = None) -> object:
    return Field(description=text, ge=ge, multiple_of=multiple_of)


def _none_in_words(value: Any) -> Any:
    """Read the word `none` as YAML reads `null`: people write either."""
    return None if value == "none" else value


@dataclass(frozen=True, kw_only=True, config=NESTED)
class Bomba:
    """The flags of the bomb."""

    enabled: Annotated[StrictBool, _flag("the defender may double before the first lead")] = False
    allow_redouble: Annotated[
        StrictBool, _flag("the declarer may answer a bomb by doubling again (x4)")
    ] = False


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Rules:
    """One field per flag; the defaults are the profile `alpha1000`."""

    forced_open: Annotated[
        bool, _flag("forehand must open with 100, or may pass, which ends the hand without score")
    ] = True
    proof: Annotated[
        Literal["auto", "challenge"],
        _flag(
            "a bid above 120 that no held marriage proves: is illegal; or is legal, and costs its "
            "amount if it is challenged"
        ),
    ] = "auto"
    return_to: Annotated[
        Literal["unused_musik", "discard", "declarer"],
        _flag("for whom the two returned cards count: nobody (either name), or the declarer"),
    ] = "unused_musik"
    bomba: Annotated[Bomba, Field(description="the bomb")] = Bomba()
    must_trump_when_void: Annotated[
        bool, _flag("who is void in the led suit must play a trump if he has one")
    ] = False
    rounding: Annotated[
        Literal["up", "nearest", "nearest_down"],
        _flag("how a defender's points become tens: up; to the nearest, 5 going up, or down"),
    ] = "up"
    lock: Annotated[
        int | None,
        _flag(
            "a defender's score never takes him past this, nor counts from there on; none: off",
            ge=TEN,
            multiple_of=TEN,
        ),
        BeforeValidator(_none_in_words),
    ] = 800
    target: Annotated[int, _flag("the total that wins a match", ge=TEN, multiple_of=TEN)] = 1000
    hands: Annotated[
        int, _flag("0: hands until the target; n: n hands, then the higher total wins", ge=0)
    ] = 0
    reward: Annotated[
        Literal["win", "margin"],
        _flag("+1 and -1 at the end of the match; or what a hand changed the totals by, over 400"),
    ] = "win"
    max_hands: Annotated[int, _flag("a match that has had this many hands is cut short", ge=1)] = 60

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.bomba.allow_redouble and not self.bomba.enabled:
            raise ValueError(
                "bomba.allow_redouble: there is nothing to redouble: it needs bomba.enabled"
            )
        if self.lock is not None and self.target <= self.lock:
            raise ValueError(f"target: {self.target} is not above lock: {self.lock}")
        if self.hands > self.max_hands:
            raise ValueError(f"hands: {self.hands} are more than max_hands: {self.max_hands}")
        return self
