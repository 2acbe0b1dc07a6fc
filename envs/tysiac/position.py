"""A Tysiac position as a person writes it, and back (`envs/serialize.py`).

Cards are named, amounts are points; every entry of the state is there under its own name. Who is to
move follows from the rest.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jax import Array

from talonax.envs import cards
from talonax.envs.core import NOBODY, State
from talonax.envs.positions import check_names, fitted
from talonax.envs.tysiac.state import (
    AUCTION,
    BOMBING,
    NO_CARD,
    NO_SUIT,
    NOT_TAKEN,
    PACK,
    PHASES,
    PLAYING,
    SUIT_NAMES,
    TEN,
    TysiacState,
    small,
)
from talonax.envs.tysiac.view import card_name, card_number, names

#: What cannot be left out; every other entry is as after the deal if it is.
NEEDED = ("dealer", "hands", "musiks")

_SETS = ("hands", "musiks", "played", "known", "denied")
_SUITS = ("declared", "shown", "lacking")
_AMOUNTS = ("high_bid", "contract")
#: Small numbers that can only be these.
_AMONG = {
    "dealer": (0, 1),
    "bid_by": (NOBODY, 0, 1),
    "leader": (NOBODY, 0, 1),
    "taken": (NOT_TAKEN, 0, 1),
    "doubling": (1, 2, 4),
}


def write(state: TysiacState) -> dict[str, Any]:
    """Return the position in plain words."""
    written: dict[str, Any] = {}
    for name in _own(state):
        value = getattr(state, name)
        plain = [np.asarray(each).tolist() for each in value] if isinstance(value, tuple) else None
        written[name] = _word(name, np.asarray(value).tolist() if plain is None else plain)
    return written


def _own(state: TysiacState) -> list[str]:
    """Return the names of the entries that there are under the rules of this state."""
    return [
        name
        for name, value in state.__dict__.items()
        if name not in State.__dataclass_fields__ and value is not None
    ]


def _word(name: str, value: Any) -> Any:
    if name in _SETS:
        return [" ".join(names(each)) for each in value]
    if name == "returned":
        return " ".join(names(value))
    if name == "phase":
        return PHASES[value]
    if name == "table":
        return None if value == NO_CARD else card_name(value)
    if name == "last":
        return None if value[0] == NO_CARD else " ".join(card_name(card) for card in value)
    if name == "trump":
        return None if value == NO_SUIT else SUIT_NAMES[value]
    if name in _SUITS:
        return ["".join(s for i, s in enumerate(SUIT_NAMES) if each >> i & 1) for each in value]
    if name in _AMOUNTS:
        return TEN * value
    return value


def read(like: TysiacState, common: dict[str, Array], given: Mapping[str, Any]) -> TysiacState:
    """Return the state that a position describes.

    Args:
      like: a fresh deal under the same rules: what it holds stands for what is left out.
      common: the fields of `State`.
      given: the position.

    Raises:
      ValueError: an entry is missing, unknown or impossible, or a card is not in exactly one place.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"position: an object is needed, is {given!r}")
    fresh = {name: word for name, word in write(like).items() if name not in NEEDED}
    words = {**fresh, **given}
    check_names("position", words, _own(like))
    fields = {name: fitted(name, _number(name, words[name]), getattr(like, name)) for name in words}
    state: TysiacState = like.replace(**common, **fields)
    _check_phase(state)
    _check_places(state)
    if bool(state.finished):
        return state
    moved: TysiacState = state.replace(current_player=_mover(state))
    return moved


def _number(name: str, word: Any) -> Any:
    """Return an entry as numbers; sets as bit masks."""
    if name in _SETS:
        return [_set(each) for each in _two(name, word)]
    if name == "returned":
        return _set(word)
    if name == "phase":
        return _index(name, word, PHASES)
    if name == "table":
        return NO_CARD if word is None else card_number(word)
    if name == "last":
        return _trick(word)
    if name == "trump":
        return NO_SUIT if word is None else _index(name, word, SUIT_NAMES)
    if name in _SUITS:
        return [sum(1 << _index(name, s, SUIT_NAMES) for s in each) for each in _two(name, word)]
    if name in _AMOUNTS:
        return _tens(name, word)
    if name in _AMONG:
        return _AMONG[name][_index(name, word, _AMONG[name])]
    return word


def _set(text: Any) -> int:
    return sum(1 << card for card in set(_cards(text)))


def _cards(text: Any) -> list[int]:
    if not isinstance(text, str):
        raise ValueError(f"position: cards are written in one text, 'AS KD'; is {text!r}")
    return [card_number(name) for name in text.split()]


def _trick(word: Any) -> list[int]:
    trick = [NO_CARD, NO_CARD] if word is None else _cards(word)
    if len(trick) != 2:
        raise ValueError(f"position: last: a trick is two cards, 'KH AH'; is {word!r}")
    return trick


def _two(name: str, values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) != 2:
        raise ValueError(f"position: {name}: a list by seat is needed, two long; is {values!r}")
    return values


def _index(name: str, word: Any, among: Any) -> int:
    if isinstance(word, bool) or word not in list(among):
        raise ValueError(f"position: {name}: {word!r}; there are: {', '.join(map(str, among))}")
    return list(among).index(word)


def _tens(name: str, amount: Any) -> int:
    if not isinstance(amount, int) or amount % TEN:
        raise ValueError(f"position: {name}: a multiple of {TEN} is needed, is {amount!r}")
    return amount // TEN


def _check_phase(state: TysiacState) -> None:
    """Check that there is what the phase needs: a declarer after the auction, a leader in play."""
    phase, name = int(state.phase), PHASES[int(state.phase)]
    if phase > PLAYING:
        raise ValueError(f"position: phase: {name!r}: that the game is over is told in state")
    if phase > AUCTION and int(state.bid_by) == NOBODY:
        raise ValueError(f"position: bid_by: nobody has bid, but the phase is {name!r}")
    if phase == PLAYING and int(state.leader) == NOBODY:
        raise ValueError("position: leader: nobody leads, but the phase is 'play'")


def _check_places(state: TysiacState) -> None:
    """Check that every card is in one place."""
    taken = int(state.taken)
    aside = [musik for number, musik in enumerate(state.musiks) if number != taken]
    piles = [*state.hands, *state.played, state.returned, *aside]
    total = sum(int(cards.count(pile)) for pile in piles)
    union = 0
    for pile in piles:
        union |= int(pile)
    missing = names((1 << PACK.size) - 1 & ~union)
    if missing:
        raise ValueError(f"position: nowhere: {' '.join(missing)}")
    if total != PACK.size:
        raise ValueError(
            "position: a card is in two places (hands, played, returned, musik not taken)"
        )


def _mover(state: TysiacState) -> Array:
    """Return int32[]: who is to move."""
    phase, bidder = int(state.phase), int(state.bid_by)
    if phase == AUCTION:
        seat = 1 - (int(state.dealer) if bidder == NOBODY else bidder)
    elif phase == PLAYING:
        seat = int(state.leader) if bool(state.leading) else 1 - int(state.leader)
    else:
        seat = 1 - bidder if phase == BOMBING else bidder
    return small(seat).astype(state.current_player.dtype)


__all__ = ["NEEDED", "read", "write"]
