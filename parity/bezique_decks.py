"""Decks of Bezique that lead to rare places, written out: the hands that matter, card by card.

`directed_decks(players)[name]` is a whole deck, as `initial_state(deck=..)` takes it; the names are
those of `bezique_scenarios.py`, whose plan gets from there to the place. With the default dealer
seat 0 leads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from talonax.parity.bezique_pack import CARDS, HAND_SIZE, type_name

#: The cards that a deck does not name come in the order of their ids times this: well mixed.
STRIDE = 61


@dataclass(frozen=True)
class Directed:
    """What a deck must have; cards are types by name, e.g. `AS TH JO`.

    Attributes:
      hands: the first seats' hands, or as much of them as matters.
      turned_up: the card turned up, and what follows it in the stock.
      last: the last cards of the stock.
    """

    hands: tuple[str, ...] = ()
    turned_up: str = ""
    last: str = ""


DIRECTED = {
    "double_bezique": Directed(("QS QS JD JD AH AH 7C 8C 9C",), "KC"),
    "second_bezique": Directed(("QS QS JD JD AH AH 7C 8C 9C",), "KC"),
    "second_pair": Directed(("KH KH QH QH AC AC 7D 8D 9D",), "9H"),
    "run_after_marriage": Directed(("AH TH KH QH JH AC AC AC 8D",), "9H"),
    "marriage_after_run": Directed(("AH TH KH KH QH JH AC AC 8D",), "9H"),
    "unlike_copies": Directed(("KH KH QH QH KD KS KC AC AC",), "9H"),
    "joker_quartet": Directed(("JO AH AD AS TC TC 7D 8D 9D",), "9H"),
    "swap": Directed(("7H AC AC AD TD TC 8D 8D 9D",), "AH"),
    "joker_taken": Directed(("7D AC AC AH TH TC 8C 8H 9S",), "JO"),
    #: Under `joker_turnup: redraw` the king is turned up, and the Jokers go to the end.
    "jokers_turned_up": Directed(("7H AC AC AD TD TC 8D 8D 9D",), "JO JO KH"),
    "joker_led": Directed(("AH TH KH", "AH TH KH"), "9H", "JO JO JO JO"),
    "seven_takes_last": Directed(
        ("AH AH AH TH TH KH KH QH 7H", "7C 8C 9C 7D 8D 9D 7S 8S 9S"), "8H"
    ),
    "must_trump": Directed(("AH TH KH QH JH AC", "AH TH KH QH JH AD"), "9H"),
    "must_overtrump": Directed(
        ("AH 9H 8H", "AH 9H 8H", "TH 9H 8H", "TH 8H 7H"),
        "9H",
    ),
    "last_draw": Directed(("KH QH KD QD KS QS", "KH QH KC QC KS QS"), "9H"),
}


def directed_decks(players: int) -> dict[str, list[int]]:
    """Return the decks by name, each the ids of all cards in the order in which they are dealt.

    A deck that names the hands of more players is left out.
    """
    return {
        name: _deck(directed, players)
        for name, directed in DIRECTED.items()
        if len(directed.hands) <= players
    }


def _deck(directed: Directed, players: int) -> list[int]:
    left = [number * STRIDE % len(CARDS) for number in range(len(CARDS))]
    hands = [_take(left, text) for text in directed.hands]
    turned_up, last = _take(left, directed.turned_up), _take(left, directed.last)
    hands += [[] for _ in range(players - len(hands))]
    deck: list[int] = []
    for hand in hands:
        deck += [*hand, *_rest(left, HAND_SIZE - len(hand))]
    return [*deck, *turned_up, *left, *last]


def _take(left: list[int], names: str) -> list[int]:
    """Take cards of these types, each of the lowest pack that is left."""
    taken = []
    for name in names.split():
        card = min(each for each in left if type_name(CARDS[each].type) == name)
        left.remove(card)
        taken.append(card)
    return taken


def _rest(left: list[int], number: int) -> Sequence[int]:
    """Take the next cards that no deck names."""
    taken = left[:number]
    del left[:number]
    return taken
