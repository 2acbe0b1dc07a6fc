"""A Blob position as a person writes it, and back (`envs/serialize.py`).

    {"dealer": 3, "hands": ["AS KD", ..], "played": ["2H", ..], "table": ["2H", null, ..],
     "bids": [1, 0, null, ..], "tricks": [0, ..], "voids": ["", "SH", ..], ..}

Lists are by seat. What follows from the rest (who is to move, which card wins the trick) is not
written; what may be left out is as after the deal of the rules' first round (`NEEDED` may not).
"""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.configs.blob.schema import Rules, trump_of
from talonax.envs import tricks
from talonax.envs.blob.facts import bids, table
from talonax.envs.blob.position_checks import Described, check, mover, turn
from talonax.envs.blob.state import (
    NO_BID,
    NO_CARD,
    NO_SUIT,
    PACK,
    SUIT_NAMES,
    TRUMP_NAMES,
    WORDS,
    BlobState,
    counters,
    small,
    suits_of,
)
from talonax.envs.blob.view import card_name, card_number, names
from talonax.envs.cards import WORD
from talonax.envs.core import NOBODY
from talonax.envs.positions import check_names, fitted

#: Entries that must be there.
NEEDED = ("dealer", "hands")

#: Of a full game alone.
_MATCH = {"key": (np.uint32, (2,)), "deal_no": (np.int32, ())}
_MOST = int(np.iinfo(np.int32).max)


def write(state: BlobState) -> dict[str, Any]:
    """Return the position in plain words."""
    voids = suits_of(state.num_players).all(state.voids).tolist()
    written = {
        "round": int(state.round),
        "cards": int(state.cards),
        "trump": TRUMP_NAMES[int(state.trump)],
        "dealer": int(state.dealer),
        "leader": int(state.leader),
        "hands": [" ".join(names(hand)) for hand in state.hands().tolist()],
        "played": [" ".join(names(hand)) for hand in state.played().tolist()],
        "table": [None if card == NO_CARD else card_name(card) for card in table(state).tolist()],
        "last_trick": " ".join(names(state.last.tolist())),
        "bids": [None if bid == NO_BID else bid for bid in bids(state).tolist()],
        "tricks": state.counters.all(state.tricks).tolist(),
        "voids": ["".join(s for i, s in enumerate(SUIT_NAMES) if each >> i & 1) for each in voids],
        "scores": state.scores.tolist(),
    }
    if state.key is not None:
        written |= {name: np.asarray(getattr(state, name)).tolist() for name in _MATCH}
    return written


def read(rules: Rules, common: dict[str, Array], given: Mapping[str, Any]) -> BlobState:
    """Return the state that a position describes.

    Args:
      rules: the rules.
      common: the fields of `State`; who is to move follows from the position.
      given: the position.

    Raises:
      ValueError: an entry is missing, unknown or impossible, or the entries contradict each other.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"position: an object is needed, is {given!r}")
    position = {**_fresh(rules), **given}
    optional = ("cards", "trump", "leader")  # they follow from others, unless they are given
    known = [*NEEDED, *_fresh(rules), *(name for name in optional if name in position)]
    check_names("position", position, known)
    told = _described(rules, position)
    over = bool(common["terminated"]) or bool(common["truncated"])
    cut = over and (bool(common["illegal"]) or bool(common["truncated"]))
    check(told, over=over, cut=cut)
    match = {
        name: fitted(name, position[name], np.zeros(shape, dtype))
        for name, (dtype, shape) in _MATCH.items()
        if name in position
    }
    to_move = NOBODY if over else mover(told)
    return _state(told, {**common, "current_player": jnp.int32(to_move)}, position, match)


def _fresh(rules: Rules) -> dict[str, Any]:
    """Return what stands for an entry that is left out."""
    seats = rules.players
    fresh: dict[str, Any] = {
        "round": rules.first_round,
        "played": [""] * seats,
        "table": [None] * seats,
        "last_trick": "",
        "bids": [None] * seats,
        "tricks": [0] * seats,
        "voids": [""] * seats,
        "scores": [0] * seats,
    }
    return fresh | ({"key": [0, 0], "deal_no": 0} if rules.rounds == "full" else {})


# Reading the entries ------------------------------------------------------------------------------


def _described(rules: Rules, position: Mapping[str, Any]) -> Described:
    """Return the entries as plain numbers, each for itself as it should be."""
    seats = rules.players
    dealer = _number("dealer", position["dealer"], seats - 1)
    index = _number("round", position["round"], _MOST)
    hands = [_cards("hands", text) for text in _by_seat(seats, "hands", position)]
    played = [_cards("played", text) for text in _by_seat(seats, "played", position)]
    dealt = _number("cards", position.get("cards", len(hands[0]) + len(played[0])), rules.cards, 1)
    trump = position.get("trump", trump_of(rules, index))
    if trump not in TRUMP_NAMES:
        raise ValueError(f"position: trump: {trump!r}; there are: {', '.join(TRUMP_NAMES)}")
    if any(played) and "leader" not in position:
        raise ValueError("position: no 'leader': once cards are played it is needed")
    laid = _by_seat(seats, "table", position)
    bid = _by_seat(seats, "bids", position)
    return Described(
        rules=rules,
        round=index,
        cards=dealt,
        trump=SUIT_NAMES.find(trump) if trump in SUIT_NAMES else NO_SUIT,
        dealer=dealer,
        leader=_number("leader", position.get("leader", (dealer + 1) % seats), seats - 1),
        hands=hands,
        played=played,
        table=[None if card is None else _card("table", card) for card in laid],
        last=_cards("last_trick", position["last_trick"]),
        bids=[None if each is None else _number("bids", each, dealt) for each in bid],
        tricks=[_number("tricks", each, dealt) for each in _by_seat(seats, "tricks", position)],
        voids=[_suits(text) for text in _by_seat(seats, "voids", position)],
    )


def _number(name: str, value: Any, high: int, low: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"position: {name}: {low} .. {high} is needed, is {value!r}")
    return value


def _by_seat(seats: int, name: str, position: Mapping[str, Any]) -> list[Any]:
    values = position[name]
    if not isinstance(values, list) or len(values) != seats:
        raise ValueError(f"position: {name}: a list by seat is needed, {seats} long; is {values!r}")
    return values


def _card(name: str, text: Any) -> int:
    try:
        return card_number(text)
    except ValueError as error:
        raise ValueError(f"position: {name}: {error}") from None


def _cards(name: str, text: Any) -> list[int]:
    if not isinstance(text, str):
        raise ValueError(f"position: {name}: cards are written in one text, 'AS KD'; is {text!r}")
    return [_card(name, each) for each in text.split()]


def _suits(text: Any) -> set[int]:
    if not isinstance(text, str) or not set(text) <= set(SUIT_NAMES):
        raise ValueError(f"position: voids: suits as in 'SH' are needed, is {text!r}")
    return {SUIT_NAMES.index(suit) for suit in text}


# The state ----------------------------------------------------------------------------------------


def _state(
    told: Described, common: dict[str, Any], position: Mapping[str, Any], match: dict[str, Array]
) -> BlobState:
    seats = told.rules.players
    led, best, best_by = _winning(told)
    scores = [_number("scores", each, _MOST) for each in _by_seat(seats, "scores", position)]
    dealt = [[*hand, *played] for hand, played in zip(told.hands, told.played, strict=True)]
    voids = [sum(1 << suit for suit in suits) for suits in told.voids]
    return BlobState(
        **common,
        turn=small(turn(told)),
        dealer=small(told.dealer),
        leader=small(told.leader),
        cards=small(told.cards),
        trump=small(told.trump),
        round=jnp.int32(told.round),
        dealt=jnp.stack([_words(pile) for pile in dealt]),
        gone=_words([card for pile in told.played for card in pile]),
        table=_words([card for card in told.table if card is not None]),
        last=_words(told.last),
        led=small(led),
        best=small(best),
        best_by=small(best_by),
        bids=counters(seats).word(jnp.array([bid or 0 for bid in told.bids])),
        tricks=counters(seats).word(jnp.array(told.tricks)),
        voids=suits_of(seats).word(jnp.array(voids)),
        scores=jnp.array(scores, jnp.int32),
        **match,
    )


def _winning(told: Described) -> tuple[int, int, int]:
    """Return the suit led, the card that wins the open trick, and who played it."""
    laid = told.laid
    if not laid:
        return NO_SUIT, NO_CARD, told.leader
    cards = jnp.array([card for _, card in laid])
    place = int(tricks.winner(PACK, cards, told.trump))
    seat, card = laid[place]
    return laid[0][1] // PACK.ranks, card, seat


def _words(pile: list[int]) -> Array:
    bits = sum(1 << card for card in pile)
    return jnp.array([bits >> WORD * i & 2**WORD - 1 for i in range(WORDS)], jnp.uint32)


__all__ = ["NEEDED", "read", "write"]
