"""Ways to drive a game of Bezique to its rare places; lockstep plays them beside random games.

A scenario is a plan (`bezique_plans.py`) that the players follow, and a place that they are to
reach (`bezique_places.py`). Not every deck leads there; `bezique_decks.py` has decks that do, under
the same names.
"""

from typing import TYPE_CHECKING

from talonax.configs.bezique.schema import Rules
from talonax.parity.bezique_melds import BEZIQUE_JACK, BEZIQUE_QUEEN
from talonax.parity.bezique_pack import Kind
from talonax.parity.bezique_places import (
    Reached,
    barred_by_run,
    brisques_at,
    cut_short,
    joker_led,
    joker_taken,
    last_draw,
    meld_laid,
    must_beat,
    must_overtrump,
    must_trump,
    run_after_marriage,
    second_pair,
    seven_takes_last,
    swapped,
    tied,
    unlike_copies,
    won,
)
from talonax.parity.bezique_plans import (
    TIED,
    Plan,
    bezique_cards,
    chooser,
    collect_brisques,
    court_cards,
    end_with_the_seven,
    few_trumps,
    keep_for_the_end,
    lay,
    lay_everything,
    lay_marriage_then_run,
    lay_trump_marriage,
    lay_with_joker,
    lead_a_joker,
    pursue,
    quartet_cards,
    run_cards,
    score_nothing,
    stay_level,
    swap,
    trump_marriage_cards,
)
from talonax.parity.bezique_score import BRISQUES_FROM
from talonax.parity.game import Scenario

if TYPE_CHECKING:
    from talonax.parity.bezique import BeziqueState

_Entry = tuple[str, Plan, Reached]


def scenarios(rules: Rules) -> dict[str, Scenario["BeziqueState"]]:
    """Return the scenarios that these rules allow, by name."""
    return {
        name: Scenario(what, chooser(plan), reached)
        for name, (what, plan, reached) in {
            **_melds(rules),
            **_cards(rules),
            **_games(rules),
        }.items()
    }


def _melds(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {
        "double_bezique": (
            "a double bezique is laid",
            pursue(bezique_cards, lay(Kind.DOUBLE_BEZIQUE)),
            meld_laid(lambda meld: meld.kind is Kind.DOUBLE_BEZIQUE),
        ),
        "second_bezique": (
            "a bezique on the table and another in hand",
            pursue(bezique_cards, lay(Kind.BEZIQUE)),
            second_pair((BEZIQUE_QUEEN, BEZIQUE_JACK)),
        ),
        "second_pair": (
            "K and Q of trumps on the table, and again in hand",
            pursue(trump_marriage_cards, lay_trump_marriage),
            second_pair(None),
        ),
        "run_after_marriage": (
            "a run with the K and Q of a marriage",
            pursue(run_cards, lay_marriage_then_run),
            run_after_marriage,
        ),
        "marriage_after_run": (
            "a trump marriage that only the run before it forbids",
            pursue(run_cards, lay(Kind.RUN)),
            barred_by_run,
        ),
        "unlike_copies": (
            "equal cards on a table that have been in different melds",
            pursue(court_cards, lay(Kind.MARRIAGE, Kind.KINGS, Kind.QUEENS)),
            unlike_copies,
        ),
    }
    if rules.max_jokers:
        entries["joker_quartet"] = (
            "four of a rank, one of them a Joker",
            pursue(quartet_cards, lay_with_joker),
            meld_laid(lambda meld: any(card.is_joker for card in meld.cards)),
        )
    return entries


def _cards(rules: Rules) -> dict[str, _Entry]:
    trumps = keep_for_the_end(few_trumps)
    anything = keep_for_the_end(lambda now, card: False)
    entries: dict[str, _Entry] = {
        "swap": ("the seven is swapped", swap, swapped),
        "last_draw": ("the stock is gone, table cards return", lay_everything, last_draw),
        "must_beat": ("a reply that must beat, and need not be the highest", anything, must_beat),
        "must_trump": ("a reply that must trump", trumps, must_trump),
        "joker_led": ("a Joker led in the last nine tricks", lead_a_joker, joker_led),
        "seven_takes_last": (
            "the trump seven takes the last trick",
            end_with_the_seven,
            seven_takes_last,
        ),
    }
    if rules.joker_turnup == "diamonds":
        entries["joker_taken"] = ("a turned-up Joker is swapped", swap, joker_taken)
    if rules.players > len(TIED):
        entries["must_overtrump"] = ("a reply that must overtrump", trumps, must_overtrump)
    return entries


def _games(rules: Rules) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {
        "tied": ("a tie at the top, where a single leader would win", stay_level, tied)
    }
    if not rules.rounds:
        entries["won"] = ("somebody reaches the target", lay_everything, won)
        if rules.max_rounds <= len(TIED):
            entries["cut_short"] = ("a game of too many rounds", score_nothing, cut_short)
    if rules.mode == "advanced":
        count = BRISQUES_FROM[rules.players]
        for name, number in (("brisques", count), ("brisques_short", count - 1)):
            entries[name] = (
                f"a player ends a round with {number} aces and tens",
                collect_brisques(number),
                brisques_at(number),
            )
    return entries
