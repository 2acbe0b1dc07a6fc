"""A Snapszer position as a person writes it, and back (`envs/serialize.py`).

    {"leader": 0, "hands": ["AS KS JD QC TC", ..], "turned_up": "QH", "stock": "TS ..",
     "table": null, "tricks_played": [{"leader": 0, "cards": "JS AS"}, ..], "points": [0, 13], ..}

Points and tricks are taken as they stand, not counted again. `table`, `pending`, `marriages`,
`known`, `closed`, `exchanged` and `match` may be left out: nothing of the kind, then.
"""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.configs.snapszer.schema import Rules
from talonax.envs import cards, planes
from talonax.envs.core import NOBODY
from talonax.envs.positions import check_names
from talonax.envs.snapszer.observation import facts
from talonax.envs.snapszer.rules import needs_stake
from talonax.envs.snapszer.state import NO_CARD, Sizes, SnapszerState, small
from talonax.envs.snapszer.view import card_number, names

#: Entries that must be there.
NEEDED = ("leader", "hands", "turned_up", "stock", "tricks_played", "points", "tricks")


def write(rules: Rules, sizes: Sizes, state: SnapszerState) -> dict[str, Any]:
    """Return the position in plain words."""
    told: dict[str, Any] = {
        name: np.asarray(value).tolist() for name, value in facts(sizes, state).items()
    }
    stock = [sizes.name(card) for card in told["stock"] if card != NO_CARD]
    done = sum(told["tricks"])
    written = {
        "leader": told["leader"],
        "hands": [" ".join(names(sizes, hand)) for hand in told["hands"]],
        "turned_up": sizes.name(int(state.turned_up)),
        "stock": " ".join(stock),
        "table": None if told["table"] == NO_CARD else sizes.name(told["table"]),
        "tricks_played": [_trick(sizes, state, trick) for trick in range(done)],
        "points": told["points"],
        "tricks": told["tricks"],
        "pending": told["pending"],
        "marriages": [_suits(suits) for suits in told["marriages"]],
        "known": [" ".join(names(sizes, known)) for known in told["known"]],
        "closed": _closed(state),
        "exchanged": _exchanged(sizes, state),
    }
    if rules.match:
        key = np.asarray(state.key).tolist()
        written["match"] = {"deal": told["deal"], "scores": told["scores"], "key": key}
    return written


def _trick(sizes: Sizes, state: SnapszerState, trick: int) -> dict[str, Any]:
    leader = int(state.leads) >> trick & 1
    played = [sizes.name(int(sizes.queue.peek(record, trick))) for record in state.record]
    return {"leader": leader, "cards": f"{played[leader]} {played[1 - leader]}"}


def _suits(members: int) -> str:
    return "".join(name for suit, name in enumerate(planes.SUIT_NAMES) if members >> suit & 1)


def _closed(state: SnapszerState) -> dict[str, Any] | None:
    if int(state.closed_by) == NOBODY:
        return None
    closed: dict[str, Any] = {"by": int(state.closed_by)}
    if state.closed_tricks is not None:
        closed["opponent_tricks"] = int(state.closed_tricks)
        closed["opponent_points"] = int(jnp.asarray(state.closed_points))
    return closed


def _exchanged(sizes: Sizes, state: SnapszerState) -> dict[str, Any] | None:
    if int(state.exchanged) == NO_CARD:
        return None
    when = int(state.exchanged_at)
    return {"by": when % 2, "after_tricks": when // 2, "card": sizes.name(int(state.exchanged))}


# Reading ----------------------------------------------------------------------------------------


def read(
    rules: Rules, sizes: Sizes, common: dict[str, Array], given: Mapping[str, Any]
) -> SnapszerState:
    """Return the state that a position describes.

    Raises:
      ValueError: an entry is missing, unknown or impossible, or a card is not in exactly one place.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"position: an object is needed, is {given!r}")
    position = {**_defaults(rules), **given}
    check_names("position", position, (*NEEDED, *_defaults(rules)))
    tricks = [_read_trick(sizes, trick) for trick in position["tricks_played"]]
    hands = [_cards(sizes, hand) for hand in _two("hands", position["hands"])]
    stock, turned_up = _cards(sizes, position["stock"]), card_number(sizes, position["turned_up"])
    table = [] if position["table"] is None else [card_number(sizes, position["table"])]
    leader = _seat("leader", position["leader"])
    gone = [card for _, pair in tricks for card in pair]
    lies = [turned_up] if stock else []
    _check_places(sizes, [*hands[0], *hands[1], *stock, *table, *lies, *gone])
    _check_sizes(sizes, hands, leader, len(stock), bool(table))

    over = bool(common["terminated"]) or bool(common["truncated"])
    to_move = NOBODY if over else 1 - leader if table else leader
    return SnapszerState(
        **{**common, "current_player": jnp.int32(to_move)},
        hands=_sets(sizes, hands),
        stock=sizes.queue.fill(jnp.array(stock, jnp.int32)),
        stock_left=small(len(stock)),
        turned_up=small(turned_up),
        table=small(table[0] if table else NO_CARD),
        leader=small(leader),
        known=_sets(sizes, [_cards(sizes, each) for each in _two("known", position["known"])]),
        **_record(sizes, tricks, leader, table),
        **_counts(position, len(tricks)),
        **_special(rules, sizes, position),
    )


def _defaults(rules: Rules) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "table": None,
        "pending": [0, 0],
        "marriages": ["", ""],
        "known": ["", ""],
        "closed": None,
        "exchanged": None,
    }
    if rules.match:
        defaults["match"] = {"deal": 0, "scores": [0, 0], "key": [0, 0]}
    return defaults


def _record(
    sizes: Sizes, tricks: list[tuple[int, list[int]]], leader: int, table: list[int]
) -> dict[str, Any]:
    played: tuple[list[int], list[int]] = ([], [])
    leads = 0
    for trick, (first, pair) in enumerate(tricks):
        played[first].append(pair[0])
        played[1 - first].append(pair[1])
        leads |= first << trick
    if table:
        played[leader].append(table[0])
        leads |= leader << len(tricks)
    record = tuple(sizes.queue.fill(jnp.array(each, jnp.int32)) for each in played)
    return {"record": record, "leads": jnp.uint16(leads)}


def _counts(position: Mapping[str, Any], done: int) -> dict[str, Any]:
    tricks = _numbers("tricks", position["tricks"])
    if sum(tricks) != done:
        raise ValueError(f"position: tricks {tricks}, but {done} tricks_played")
    points = _numbers("points", position["points"])
    suits = [_suit_set(each) for each in _two("marriages", position["marriages"])]
    return {
        "tricks": (small(tricks[0]), small(tricks[1])),
        "points": (jnp.int32(points[0]), jnp.int32(points[1])),
        "marriages": (jnp.uint8(suits[0]), jnp.uint8(suits[1])),
    }


def _special(rules: Rules, sizes: Sizes, position: Mapping[str, Any]) -> dict[str, Any]:
    """Read what some rules do without: pending points, closing, the exchange, the match."""
    exchanged = position["exchanged"]
    fields: dict[str, Any] = {
        **_read_closed(rules, position["closed"]),
        "exchanged": small(NO_CARD),
        "exchanged_at": small(NOBODY),
    }
    if exchanged is not None:
        check_names("position: exchanged", exchanged, ("by", "after_tricks", "card"))
        fields["exchanged"] = small(card_number(sizes, exchanged["card"]))
        seat = _seat("exchanged: by", exchanged["by"])
        fields["exchanged_at"] = small(2 * exchanged["after_tricks"] + seat)
    pending = _numbers("pending", position["pending"])
    if rules.marriage_points != "at_once":
        fields["pending"] = jnp.int32(pending[0]), jnp.int32(pending[1])
    elif any(pending):
        raise ValueError(f"position: pending {pending}, but under these rules nothing is pending")
    if rules.match:
        match = position["match"]
        check_names("position: match", match, ("deal", "scores", "key"))
        scores = _numbers("match: scores", match["scores"])
        fields["key"] = jnp.array(match["key"], jnp.uint32)
        fields["deal_no"] = jnp.int32(match["deal"])
        fields["scores"] = jnp.int32(scores[0]), jnp.int32(scores[1])
    return fields


def _read_closed(rules: Rules, closed: Any) -> dict[str, Any]:
    entries = ("by", "opponent_tricks", "opponent_points") if needs_stake(rules) else ("by",)
    if closed is None:
        closed = {**dict.fromkeys(entries, 0), "by": NOBODY}
    else:
        check_names("position: closed", closed, entries)
        _seat("closed: by", closed["by"])
    fields: dict[str, Any] = {"closed_by": small(closed["by"])}
    if needs_stake(rules):
        fields["closed_tricks"] = small(closed["opponent_tricks"])
        fields["closed_points"] = jnp.int32(closed["opponent_points"])
    return fields


def _read_trick(sizes: Sizes, trick: Any) -> tuple[int, list[int]]:
    if not isinstance(trick, Mapping):
        raise ValueError(f'position: a trick is {{"leader": 0, "cards": "TS AS"}}, is {trick!r}')
    check_names("position: tricks_played", trick, ("leader", "cards"))
    pair = _cards(sizes, trick["cards"])
    if len(pair) != 2:
        raise ValueError(f"position: a trick played has two cards, the lead first: {trick!r}")
    return _seat("tricks_played: leader", trick["leader"]), pair


def _cards(sizes: Sizes, text: Any) -> list[int]:
    if not isinstance(text, str):
        raise ValueError(f"position: cards are written in one text, 'AS KD'; is {text!r}")
    return [card_number(sizes, name) for name in text.split()]


def _sets(sizes: Sizes, hands: list[list[int]]) -> tuple[Array, Array]:
    first, second = (cards.constant(hand, sizes.num_cards) for hand in hands)
    return first, second


def _suit_set(text: Any) -> int:
    wrong = [letter for letter in str(text) if letter not in planes.SUIT_NAMES]
    if wrong:
        raise ValueError(f"position: marriages: {text!r}: suits are {' '.join(planes.SUIT_NAMES)}")
    return sum(1 << planes.SUIT_NAMES.index(letter) for letter in set(str(text)))


def _two(name: str, values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) != 2:
        raise ValueError(f"position: {name}: a list by seat is needed, two long; is {values!r}")
    return values


def _numbers(name: str, values: Any) -> list[int]:
    for value in _two(name, values):
        if not isinstance(value, int) or value < 0:
            raise ValueError(f"position: {name}: whole numbers from 0 are needed, is {values!r}")
    return list(values)


def _seat(name: str, value: Any) -> int:
    if value not in (0, 1):
        raise ValueError(f"position: {name}: a seat is 0 or 1, is {value!r}")
    return int(value)


def _check_places(sizes: Sizes, placed: list[int]) -> None:
    twice = sorted({card for card in placed if placed.count(card) > 1})
    if twice:
        raise ValueError(f"position: in two places: {' '.join(map(sizes.name, twice))}")
    missing = [card for card in range(sizes.num_cards) if card not in placed]
    if missing:
        raise ValueError(
            f"position: nowhere: {' '.join(map(sizes.name, missing))} (every card is in a hand, "
            "the stock, on the table, turned up or in tricks_played)"
        )


def _check_sizes(
    sizes: Sizes, hands: list[list[int]], leader: int, stock: int, on_table: bool
) -> None:
    held = [len(hand) for hand in hands]
    held[leader] += on_table
    if held[0] != held[1]:
        raise ValueError(
            f"position: the hands hold {len(hands[0])} and {len(hands[1])} cards; with the card on "
            "the table both must have as many"
        )
    if stock > sizes.stock or (stock and stock % 2 == 0):
        raise ValueError(
            f"position: {stock} cards in the stock; it holds {sizes.stock}, two fewer after each "
            "draw, none after the last"
        )
