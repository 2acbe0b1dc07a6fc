"""The rules of Snapszer as data (`envs/snapszer/README.md` tells them in words)."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from talonax.configs.rules import STRICT

GamePoints = Annotated[int, Field(ge=1, le=3)]


def _flag(text: str, *, ge: int | None = None, le: int | None = None) -> object:
    return Field(description=text, ge=ge, le=le)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Rules:
    """One field per flag; the defaults are the profile `hungarian`."""

    closing: Annotated[bool, _flag("the talon may be closed (action *close*)")] = True
    close_min_stock: Annotated[
        int, _flag("closing needs at least this many face-down cards", ge=1, le=9)
    ] = 3
    exchange_min_stock: Annotated[
        int, _flag("the exchange needs at least this many face-down cards", ge=0, le=9)
    ] = 1
    marriage_when_strict: Annotated[
        bool, _flag("marriages count after the talon is closed or gone, too")
    ] = False
    marriage_points: Annotated[
        Literal["at_once", "after_a_trick", "next_trick"],
        _flag(
            "when a marriage is credited: at once; once its player has won a trick; when its "
            "player next wins a trick"
        ),
    ] = "at_once"
    marriage_declare: Annotated[
        Literal["auto", "optional"],
        _flag("leading from a held pair scores by itself, or by eight actions of its own"),
    ] = "auto"
    marriage_lead: Annotated[
        Literal["either", "king"], _flag("the card of the pair that is led to score")
    ] = "either"
    sixty_six: Annotated[
        Literal["at_once", "after_trick"],
        _flag("66 wins after a marriage or a trick, or is looked at after tricks alone"),
    ] = "at_once"
    closer_beaten: Annotated[
        Literal["fails", "normal"],
        _flag("if the closer's opponent reaches 66: the closer has failed, or is paid as usual"),
    ] = "fails"
    closer_fail_points: Annotated[GamePoints, _flag("game points that a failed closing costs")] = 2
    closer_fail_points_trickless: Annotated[
        GamePoints, _flag("the same, if the opponent had no trick when the talon was closed")
    ] = 2
    stake_at: Annotated[
        Literal["end", "closing"],
        _flag("a closed deal that its closer wins pays by the opponent's cards at that moment"),
    ] = "end"
    three_when: Annotated[
        Literal["no_trick", "no_points"], _flag("the loser has none of these: 3 game points")
    ] = "no_trick"
    last_trick: Annotated[
        Literal["wins", "wins_one"],
        _flag("hands run out below 66: the last trick wins by the table, or always one point"),
    ] = "wins"
    nines: Annotated[bool, _flag("24 cards with nines worth 0, hands of six")] = False
    first_leader: Annotated[
        Literal[0, 1, "random"], _flag("the seat that leads the first trick of deal 0")
    ] = 0
    match: Annotated[
        int, _flag("0: one deal; n: deals until a player has n game points", ge=0, le=1000)
    ] = 0
