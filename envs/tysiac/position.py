"""A Tysiac position as a person writes it, and back (`envs/serialize.py`).

Cards are named, amounts are points; every entry of the state is there under its own name.
"""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.envs import cards
from talonax.envs.core import NOBODY, State, check_names
from talonax.envs.tysiac.state import (
    NO_CARD,
    NO_SUIT,
    PACK,
    PHASES,
    SUIT_NAMES,
    TEN,
    TysiacState,
)
from talonax.envs.tysiac.view import card_name, card_number, names

_SETS = ("hands", "musiks", "played", "known", "denied")
_AMOUNTS = ("high_bid", "contract")


def write(state: TysiacState) -> dict[str, Any]:
    """Return the position in plain words."""
    written: dict[str, Any] = {}
    for name, value in state.__dict__.items():
        if name in State.__dataclass_fields__ or value is None:
            continue
        plain = [np.asarray(each).tolist() for each in value] if isinstance(value, tuple) else None
        written[name] = _word(name, np.asarray(value).tolist() if plain is None else plain)
    return written


def _word(name: str, value: Any) -> Any:
    if name in _SETS:
        return [" ".join(names(each)) for each in value]
    if name == "returned":
        return " ".join(names(value))
    if name == "phase":
        return PHASES[value]
    if name == "table":
        return None if value == NO_CARD else card_name(value)
    if name == "trump":
        return None if value == NO_SUIT else SUIT_NAMES[value]
    if name == "declared":
        return ["".join(s for i, s in enumerate(SUIT_NAMES) if each >> i & 1) for each in value]
    if name in _AMOUNTS:
        return TEN * value
    if name == "shown":
        return [TEN * each for each in value]
    return value


def read(like: TysiacState, common: dict[str, Array], given: Mapping[str, Any]) -> TysiacState:
    """Return the state that a position describes.

    Args:
      like: any state under the same rules: it says which entries there are.
      common: the fields of `State`.
      given: the position.

    Raises:
      ValueError: an entry is missing, unknown or impossible, or a card is not in exactly one place.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"position: an object is needed, is {given!r}")
    own = [
        name
        for name, value in like.__dict__.items()
        if name not in State.__dataclass_fields__ and value is not None
    ]
    check_names("position", given, own)
    fields = {name: _fitted(name, _number(name, given[name]), getattr(like, name)) for name in own}
    state: TysiacState = like.replace(**common, **fields)
    _check_places(state)
    return state


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
    if name == "trump":
        return NO_SUIT if word is None else _index(name, word, SUIT_NAMES)
    if name == "declared":
        return [sum(1 << _index(name, s, SUIT_NAMES) for s in each) for each in _two(name, word)]
    if name in _AMOUNTS:
        return _tens(name, word)
    if name == "shown":
        return [_tens(name, each) for each in _two(name, word)]
    return word


def _fitted(name: str, value: Any, like: Any) -> Any:
    """Return numbers as arrays of the dtypes of `like`."""
    if isinstance(like, tuple):
        pair = [
            _fitted(name, each, leaf) for each, leaf in zip(_two(name, value), like, strict=True)
        ]
        return tuple(pair)
    array = np.asarray(value)
    if array.shape != like.shape or not np.array_equal(array, array.astype(like.dtype)):
        raise ValueError(
            f"position: {name}: {like.dtype}{list(like.shape)} is needed, is {value!r}"
        )
    return jnp.asarray(array, like.dtype)


def _set(text: Any) -> int:
    if not isinstance(text, str):
        raise ValueError(f"position: cards are written in one text, 'AS KD'; is {text!r}")
    return sum(1 << card for card in {card_number(name) for name in text.split()})


def _two(name: str, values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) != 2:
        raise ValueError(f"position: {name}: a list by seat is needed, two long; is {values!r}")
    return values


def _index(name: str, word: Any, among: Any) -> int:
    if word not in list(among):
        raise ValueError(f"position: {name}: {word!r}; there are: {', '.join(among)}")
    return list(among).index(word)


def _tens(name: str, amount: Any) -> int:
    if not isinstance(amount, int) or amount % TEN:
        raise ValueError(f"position: {name}: a multiple of {TEN} is needed, is {amount!r}")
    return amount // TEN


def _check_places(state: TysiacState) -> None:
    """Check that every card is in one place, and that somebody is to move."""
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
    if not bool(state.finished) and int(state.current_player) == NOBODY:
        raise ValueError("position: nobody is to move, and the game is not over")
