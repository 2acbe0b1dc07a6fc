"""The entries of a Bezique position as a person wrote it, each read by itself (`position.py`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from talonax.configs.bezique.schema import Rules
from talonax.envs.bezique.score import most_rounds
from talonax.envs.bezique.state import KINDS, NO_CARD, OVER, PHASES, PLAY
from talonax.envs.bezique.view import card_number, type_name
from talonax.envs.bezique.words import CARDS, DIAMONDS, JOKER, PACKS, SUIT_NAMES, TYPES
from talonax.envs.positions import check_names

#: Entries that must be there.
NEEDED = ("hands", "turned_up", "stock")
#: No count is larger.
MOST = int(np.iinfo(np.int32).max)


def as_dealt(rules: Rules) -> dict[str, Any]:
    """Return what stands for an entry that is left out; None: what follows from the others."""
    players = rules.players
    fresh: dict[str, Any] = {
        **dict.fromkeys(("leader", "trump", "last_trick", "gone", "drawn")),
        **dict.fromkeys(("tables", "known"), [""] * players),
        **dict.fromkeys(("brisques", "points", "scores"), [0] * players),
        **dict.fromkeys(("melded", "swapped"), False),
        **dict.fromkeys(("round", "why"), 0),
        "dealer": players - 1,
        "phase": PHASES[PLAY],
        "trick": [None] * players,
        "used": {},
    }
    if players > 2:
        fresh["denied"] = [""] * players
    if most_rounds(rules) > 1:
        fresh |= {"key": [0, 0], "deal_no": 0}
    return fresh


class Entries:
    """What is written, as numbers: cards, types, seats. By seat where there are several.

    Attributes:
      rules: the rules.
      given: the entries as written; those left out as after a deal.
    """

    def __init__(self, rules: Rules, given: Mapping[str, Any]) -> None:
        """Read the entries.

        Raises:
          ValueError: one is missing, unknown, or says nothing that can be.
        """
        self.rules = rules
        self.given = {**as_dealt(rules), **given}
        check_names("position", self.given, (*NEEDED, *as_dealt(rules)))
        players = rules.players
        self.dealer = self.number("dealer", players - 1)
        self.leader = (self.dealer + 1) % players
        if self.given["leader"] is not None:
            self.leader = self.number("leader", players - 1)
        self.phase = self._among("phase", PHASES[:OVER])
        self.turned_up = self._card("turned_up", self.given["turned_up"])
        self.trump = self._trump()
        self.hands = [cards("hands", text) for text in self._by_seat("hands")]
        self.tables = [cards("tables", text) for text in self._by_seat("tables")]
        self.known = [types("known", text) for text in self._by_seat("known")]
        self.denied = self._denied()
        self.trick = [self._card("trick", name) for name in self._by_seat("trick")]
        self.last = self._last_trick()
        self.stock = cards("stock", self.given["stock"])
        self.gone = self._gone()
        self.used = self._used()
        self.melded, self.swapped = self._flag("melded"), self._flag("swapped")
        self.brisques = self._counts("brisques", CARDS)
        self.points = self._counts("points", MOST)
        self.scores = self._counts("scores", MOST)

    @property
    def piles(self) -> list[list[int]]:
        """All places that cards are in, but the complete tricks."""
        single = [card for card in (*self.trick, self.turned_up) if card != NO_CARD]
        return [*self.hands, *self.tables, self.stock, single]

    def number(self, name: str, high: int) -> int:
        """Return an entry that is a number from 0 to `high`.

        Raises:
          ValueError: it is none.
        """
        value = self.given[name]
        if not _is_number(value, high):
            raise ValueError(f"position: {name}: 0 .. {high} is needed, is {value!r}")
        return int(value)

    def _among(self, name: str, known: Sequence[str]) -> int:
        if self.given[name] not in list(known):
            raise ValueError(
                f"position: {name}: {self.given[name]!r}; there are: {', '.join(known)}"
            )
        return list(known).index(self.given[name])

    def _flag(self, name: str) -> bool:
        if not isinstance(self.given[name], bool):
            raise ValueError(f"position: {name}: true or false is needed, is {self.given[name]!r}")
        return bool(self.given[name])

    def _by_seat(self, name: str) -> list[Any]:
        values, players = self.given[name], self.rules.players
        if not isinstance(values, list) or len(values) != players:
            raise ValueError(
                f"position: {name}: a list by seat is needed, {players} long; is {values!r}"
            )
        return values

    def _counts(self, name: str, high: int) -> list[int]:
        for value in self._by_seat(name):
            if not _is_number(value, high):
                raise ValueError(f"position: {name}: 0 .. {high} is needed, is {value!r}")
        return self._by_seat(name)

    def _card(self, name: str, text: Any) -> int:
        return NO_CARD if text is None else _card(name, text)

    def _trump(self) -> int:
        if self.given["trump"] is not None:
            return self._among("trump", SUIT_NAMES)
        if self.turned_up == NO_CARD:
            raise ValueError("position: trump: is needed where no card is turned up")
        kind = self.turned_up // PACKS
        return DIAMONDS if kind == JOKER else kind % len(SUIT_NAMES)

    def _denied(self) -> list[list[int]]:
        if "denied" not in self.given:
            return [[]] * self.rules.players
        denied = [types("denied", text) for text in self._by_seat("denied")]
        if any(JOKER in kinds for kinds in denied):
            raise ValueError("position: denied: no reply shows that a Joker is not held")
        return denied

    def _last_trick(self) -> list[int]:
        if self.given["last_trick"] is None:
            return [NO_CARD] * self.rules.players
        return [_card("last_trick", name) for name in self._by_seat("last_trick")]

    def _gone(self) -> list[int]:
        if self.given["gone"] is not None:
            return cards("gone", self.given["gone"])
        elsewhere = {card for pile in self.piles for card in pile}
        return [card for card in range(CARDS) if card not in elsewhere]

    def _used(self) -> dict[str, list[int]]:
        given = self.given["used"]
        if not isinstance(given, Mapping):
            raise ValueError(f"position: used: cards by kind of meld are needed, is {given!r}")
        check_names("position: used", {**dict.fromkeys(KINDS), **given}, KINDS)
        return {kind: cards(f"used: {kind}", given.get(kind, "")) for kind in KINDS}


def _is_number(value: Any, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= high


def _card(name: str, text: Any) -> int:
    try:
        return card_number(text)
    except ValueError as error:
        raise ValueError(f"position: {name}: {error}") from None


def cards(name: str, text: Any) -> list[int]:
    """Return the cards of an entry, written in one text.

    Raises:
      ValueError: it is no text, names no card, or one twice.
    """
    if not isinstance(text, str):
        raise ValueError(f"position: {name}: cards are written in one text, 'AS#0'; is {text!r}")
    found = [_card(name, each) for each in text.split()]
    if len(set(found)) != len(found):
        raise ValueError(f"position: {name}: a card is there twice: {text!r}")
    return found


def types(name: str, text: Any) -> list[int]:
    """Return the types of an entry, written in one text, as often as there are copies.

    Raises:
      ValueError: it is no text, or names no type.
    """
    known = {type_name(kind): kind for kind in range(TYPES)}
    if not isinstance(text, str):
        raise ValueError(f"position: {name}: types are written in one text, 'AS AS'; is {text!r}")
    for each in text.split():
        if each not in known:
            raise ValueError(f"position: {name}: {each!r} is no type, as AS or JO, without a pack")
    return [known[each] for each in text.split()]
