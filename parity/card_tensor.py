"""`CardTensor`: named sets of cards as planes over the 4x14 grid, `bool[4, 14, n]`.

The one picture of a position that all games share. A tensor never changes once it is made; its
planes have names, and the two `validate_` methods check what a game promises of them: that no card
lies in two places, or that each card of the deck lies in exactly one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from talonax.parity.cards import ALL_CARDS, NUM_CARDS, NUM_RANKS, NUM_SUITS, Card

BoolArray = npt.NDArray[np.bool_]

_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")
_GRID = (NUM_SUITS, NUM_RANKS)


@lru_cache(maxsize=256)
def _check_names(names: tuple[str, ...]) -> None:
    for name in names:
        if not _SNAKE_CASE.fullmatch(name):
            raise ValueError(
                f"plane name {name!r}: must be snake_case (a lowercase letter, then lowercase "
                "letters, digits and underscores)"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"plane names must differ, got {', '.join(names)}")


class CardTensor:
    """Planes of cards with names; read-only.

    Attributes:
      data: bool[4, 14, n], read-only.
      plane_names: the n names, in the order of the planes.
    """

    __slots__ = ("data", "plane_names")

    data: BoolArray
    plane_names: tuple[str, ...]

    def __init__(self, data: npt.NDArray[Any], plane_names: Sequence[str]) -> None:
        """Wrap a copy of `data`.

        Raises:
          TypeError: `data` is not boolean.
          ValueError: the shape is not (4, 14, number of names), or a name is bad.
        """
        names = tuple(plane_names)
        _check_names(names)
        array = np.array(data)
        if array.dtype != np.bool_:
            raise TypeError(f"a card tensor holds bool, not {array.dtype}")
        if array.shape != (*_GRID, len(names)):
            raise ValueError(
                f"{len(names)} plane(s) need the shape {(*_GRID, len(names))}, got {array.shape}"
            )
        array.flags.writeable = False
        object.__setattr__(self, "data", array)
        object.__setattr__(self, "plane_names", names)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a CardTensor cannot be changed: {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CardTensor):
            return NotImplemented
        return self.plane_names == other.plane_names and np.array_equal(self.data, other.data)

    def __hash__(self) -> int:
        return hash((self.plane_names, self.data.tobytes()))

    def __repr__(self) -> str:
        planes = ", ".join(
            f"{name}: {' '.join(card.name for card in self.cards_in_plane(name)) or '-'}"
            for name in self.plane_names
        )
        return f"CardTensor({planes})"

    @classmethod
    def from_plane_card_map(
        cls, planes: Mapping[str, Iterable[Card]], plane_names: Sequence[str]
    ) -> "CardTensor":
        """Make a tensor from the cards of each plane; planes that `planes` leaves out are empty.

        Raises:
          KeyError: `planes` names a plane that `plane_names` does not.
          ValueError: a bad name.
        """
        names = tuple(plane_names)
        flat = np.zeros(NUM_CARDS * len(names), dtype=np.bool_)
        cells: list[int] = []
        for name, cards in planes.items():
            plane = _position(name, names)
            cells += [card.index * len(names) + plane for card in cards]
        flat[cells] = True
        return cls(flat.reshape(*_GRID, len(names)), names)

    @classmethod
    def empty(cls, plane_names: Sequence[str]) -> "CardTensor":
        """Make a tensor without a card.

        Raises:
          ValueError: a bad name.
        """
        return cls.from_plane_card_map({}, plane_names)

    @classmethod
    def from_flat_plane(cls, name: str, flat: Sequence[bool] | BoolArray) -> "CardTensor":
        """Make a tensor of one plane from its cells in index order.

        Raises:
          TypeError: `flat` is not boolean.
          ValueError: `flat` has not one entry a cell of the grid, or a bad name.
        """
        array = np.asarray(flat)
        if array.size != NUM_CARDS:
            raise ValueError(f"a flat plane has {NUM_CARDS} entries, got {array.size}")
        return cls(array.reshape(*_GRID, 1), (name,))

    def plane(self, name: str) -> BoolArray:
        """Return one plane, bool[4, 14], read-only.

        Raises:
          KeyError: no plane of that name.
        """
        view: BoolArray = self.data[:, :, _position(name, self.plane_names)]
        return view

    def flat_plane(self, name: str) -> BoolArray:
        """Return one plane as its cells in index order, bool[56].

        Raises:
          KeyError: no plane of that name.
        """
        return self.plane(name).reshape(NUM_CARDS)

    def cards_in_plane(self, name: str) -> tuple[Card, ...]:
        """Return the cards of one plane, in index order.

        Raises:
          KeyError: no plane of that name.
        """
        return tuple(ALL_CARDS[index] for index in np.flatnonzero(self.flat_plane(name)))

    def validate_exclusive_planes(self, names: Iterable[str]) -> None:
        """Check that no card lies in two of these planes.

        Raises:
          KeyError: no plane of such a name.
          ValueError: a card does; the message names it.
        """
        twice = self._counts(names) > 1
        if twice.any():
            raise ValueError(f"in more than one plane: {_names_of(twice)}")

    def validate_partition(self, names: Iterable[str], deck: Iterable[Card] | None = None) -> None:
        """Check that each card of `deck` lies in exactly one of these planes, and no other in any.

        Args:
          names: the planes.
          deck: the cards to be covered; the whole grid if None.

        Raises:
          KeyError: no plane of such a name.
          ValueError: a card is covered twice, or not, or is not of the deck; the message names it.
        """
        counts = self._counts(names)
        wanted = np.zeros(NUM_CARDS, dtype=np.bool_)
        wanted[[card.index for card in (ALL_CARDS if deck is None else deck)]] = True
        faults = {
            "in more than one plane": counts > 1,
            "in no plane": wanted & (counts == 0),
            "not of the deck": ~wanted & (counts > 0),
        }
        for fault, cells in faults.items():
            if cells.any():
                raise ValueError(f"{fault}: {_names_of(cells)}")

    def _counts(self, names: Iterable[str]) -> npt.NDArray[np.int64]:
        columns = [_position(name, self.plane_names) for name in names]
        flat = self.data.reshape(NUM_CARDS, len(self.plane_names))
        counts: npt.NDArray[np.int64] = flat[:, columns].sum(axis=1, dtype=np.int64)
        return counts


def _position(name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise KeyError(f"no plane {name!r}; there are: {', '.join(names)}")
    return names.index(name)


def _names_of(cells: BoolArray) -> str:
    return " ".join(ALL_CARDS[index].name for index in np.flatnonzero(cells))
