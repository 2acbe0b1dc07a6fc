"""A Bezique position as a person writes it, and back (`envs/serialize.py`).

    {"hands": ["AS#0 KD#3 ..", ..], "turned_up": "TH#1", "stock": "7C#0 JO#2 ..", "leader": 0, ..}

Cards are named with their packs. Only hands, stock and the card turned up must be there: all else
is as after a deal, and the cards that are nowhere else are gone. Who is to move follows.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.configs.bezique.schema import Rules
from talonax.envs import cards
from talonax.envs.bezique import melds, words
from talonax.envs.bezique.observation import facts
from talonax.envs.bezique.position_checks import check
from talonax.envs.bezique.position_entries import MOST, Entries
from talonax.envs.bezique.position_entries import cards as cards_in
from talonax.envs.bezique.redeal import UNTOLD
from talonax.envs.bezique.state import (
    KINDS,
    NO_CARD,
    PHASES,
    BeziqueState,
    by_seat,
    card16,
    packed_stock,
    small,
    stock_size,
    whole_stock,
)
from talonax.envs.bezique.view import card_name, members, type_name
from talonax.envs.bezique.words import PACK, SUIT_NAMES, TYPES, WORDS, Words
from talonax.envs.positions import fitted


def write(state: BeziqueState) -> dict[str, Any]:
    """Return the position in plain words."""
    told: dict[str, Any] = {
        name: np.asarray(value).tolist() for name, value in facts(state).items()
    }
    players = state.num_players
    last = np.asarray(state.cards_of(state.last)).tolist()
    written = {
        "round": told["round"],
        "dealer": told["dealer"],
        "leader": told["leader"],
        "phase": PHASES[int(state.phase)],
        "trump": SUIT_NAMES[told["trump"]],
        "turned_up": _name(told["turned_up"]),
        "hands": [_names(_five(told["hands"], seat)) for seat in range(players)],
        "tables": [_names(_five(told["tables"], seat)) for seat in range(players)],
        "known": [_types(told["known"][TYPES * seat :][:TYPES]) for seat in range(players)],
        "trick": [_name(card) for card in told["trick"]],
        "last_trick": None if told["last_winner"] == NO_CARD else [_name(card) for card in last],
        "gone": _names(told["gone"]),
        "stock": " ".join(card_name(card) for card in told["stock"] if card != NO_CARD),
        "drawn": _drawn(state),
        "melded": bool(told["melded"]),
        "swapped": bool(told["swapped"]),
        "used": {kind: _names(_five(told["used"], i)) for i, kind in enumerate(KINDS)},
        "brisques": told["brisques"],
        "points": told["points"],
        "scores": told["totals"],
        "why": int(state.why),
    }
    if state.denied is not None:
        denied = [np.asarray(cards.unpack(seat, PACK.size)).tolist() for seat in state.denied]
        written["denied"] = [_types(each) for each in denied]
    if state.key is not None:
        written |= {"key": state.key.tolist(), "deal_no": int(state.deal_no)}  # type: ignore[arg-type]
    return written


def _five(by_seat: list[int], seat: int) -> list[int]:
    return by_seat[WORDS * seat : WORDS * (seat + 1)]


def _name(card: int) -> str | None:
    return None if card == NO_CARD else card_name(card)


def _names(five: list[int]) -> str:
    return " ".join(map(card_name, members(five)))


def _types(counts: Iterable[int]) -> str:
    return " ".join(type_name(kind) for kind, number in enumerate(counts) for _ in range(number))


def _drawn(state: BeziqueState) -> str | None:
    """Return the cards drawn so far; None if that is not told, as after a re-deal."""
    drawn = np.asarray(whole_stock(state))[: int(state.drawn)].tolist()
    return None if UNTOLD in drawn else " ".join(map(card_name, drawn))


def read(rules: Rules, common: dict[str, Array], given: Mapping[str, Any]) -> BeziqueState:
    """Return the state that a position describes.

    Args:
      rules: the rules.
      common: the fields of `State`; who is to move is the position's.
      given: the position.

    Raises:
      ValueError: an entry is missing, unknown or impossible, or the entries contradict each other.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"position: an object is needed, is {given!r}")
    entries = Entries(rules, given)
    check(entries)
    state = _state(entries, common)
    if bool(state.finished):
        return state
    if not any(entries.hands) and not any(entries.tables):
        raise ValueError("position: hands: all cards are played, and the game is not over")
    played = sum(card != NO_CARD for card in entries.trick)
    mover = (entries.leader + played) % rules.players
    moved: BeziqueState = state.replace(current_player=jnp.int32(mover))
    return moved


def _state(told: Entries, common: dict[str, Array]) -> BeziqueState:
    """Return the state that the entries describe."""
    been = {kind: _set(pile) for kind, pile in told.used.items()}
    fields: dict[str, Any] = {
        **common,
        **_places(told),
        **melds.histories(been, jnp.int32(told.trump)),
    }
    if "denied" in told.given:
        denied = [sum(1 << kind for kind in set(kinds)) for kinds in told.denied]
        fields["denied"] = jnp.array(denied, jnp.uint32)
    if "key" in told.given:
        fields["key"] = fitted("key", told.given["key"], jnp.zeros(2, jnp.uint32))
        fields["deal_no"] = jnp.int32(told.number("deal_no", MOST))
    return BeziqueState(
        **fields,
        trump=small(told.trump),
        dealer=small(told.dealer),
        leader=small(told.leader),
        phase=small(told.phase),
        melded=jnp.bool_(told.melded),
        swapped=jnp.bool_(told.swapped),
        brisques=by_seat(told.rules.players).word(jnp.array(told.brisques)),
        points=jnp.array(told.points, jnp.int32),
        scores=jnp.array(told.scores, jnp.int32),
        round=jnp.int32(told.number("round", MOST)),
        why=jnp.int16(told.number("why", np.iinfo(np.int16).max)),
    )


def _places(told: Entries) -> dict[str, Any]:
    """Return the fields that say where the cards are."""
    packed = by_seat(told.rules.players)
    laid = [card for card in told.trick if card != NO_CARD]
    drawn = stock_size(told.rules.players) - len(told.stock)
    return {
        "hands": tuple(_set(hand) for hand in told.hands),
        "tables": tuple(_set(table) for table in told.tables),
        "known": tuple(_counted(kinds) for kinds in told.known),
        "played": _set([*told.gone, *laid]),
        "trick": packed.word(jnp.array(told.trick) + 1),
        "last": packed.word(jnp.array(told.last) + 1),
        "stock": packed_stock(jnp.array([*_told_drawn(told, drawn), *told.stock])),
        "drawn": small(drawn),
        "turned_up": card16(told.turned_up),
    }


def _told_drawn(told: Entries, drawn: int) -> list[int]:
    """Return the cards drawn so far, as the entry tells them."""
    given = told.given["drawn"]
    if given is None:
        return [UNTOLD] * drawn
    found = cards_in("drawn", given)
    if len(found) != drawn or any(card in told.stock for card in found):
        raise ValueError(
            f"position: drawn: {drawn} cards that are no longer in the stock, is {given!r}"
        )
    return found


def _set(pile: list[int]) -> Words:
    return _five_words(sum(1 << card for card in pile))


def _counted(kinds: list[int]) -> Words:
    return _five_words(sum(1 << words.PACKS * kind for kind in kinds))


def _five_words(bits: int) -> Words:
    mask = 2**cards.WORD - 1
    return tuple(jnp.uint32(bits >> cards.WORD * word & mask) for word in range(WORDS))


__all__ = ["read", "write"]
