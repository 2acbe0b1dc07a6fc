"""The cards, the melds and the actions of Bezique: what they are called and how they are numbered.

Four packs of 32 cards and four Jokers (`envs/bezique/README.md`). A card's *type* is
`rank * 4 + suit`, ranks from weak to strong, suits in the order D C H S; the Joker is type 32. A
card is a type and a pack, its id `type * 4 + pack`. The grid's `Card` that it looks like is its
`face`: all four Jokers look like the Joker of spades.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from talonax.parity.cards import RANK_LETTERS, Card, Rank, Suit
from talonax.parity.game import Move

SUITS = (Suit.DIAMONDS, Suit.CLUBS, Suit.HEARTS, Suit.SPADES)
SUIT_IDS = {suit: number for number, suit in enumerate(SUITS)}

#: From weak to strong.
RANKS = (
    Rank.SEVEN,
    Rank.EIGHT,
    Rank.NINE,
    Rank.JACK,
    Rank.QUEEN,
    Rank.KING,
    Rank.TEN,
    Rank.ACE,
)
STRENGTH = {rank: number for number, rank in enumerate(RANKS)}

#: What a type looks like.
FACES = (
    *(Card(suit, rank) for rank in RANKS for suit in SUITS),
    Card(Suit.SPADES, Rank.JOKER),
)
NUM_TYPES = len(FACES)
TYPES = {face: number for number, face in enumerate(FACES)}
JOKER = NUM_TYPES - 1

NUM_PACKS = 4
HAND_SIZE = 9

#: What counts at the end of an advanced round.
BRISQUES = (Rank.ACE, Rank.TEN)


def type_of(rank: Rank, suit: Suit) -> int:
    """Return the type of the cards of a rank and suit."""
    return TYPES[Card(suit, rank)]


def type_name(number: int) -> str:
    """Return what a type is called: `AS`, `TH`, `7D`; `JO` is the Joker."""
    face = FACES[number]
    return RANK_LETTERS[face.rank] if number == JOKER else face.name


@dataclass(frozen=True, order=True, repr=False)
class BeziqueCard:
    """One card of the 132, by its id. There is one object of each, in `CARDS`.

    Attributes:
      id: `type * 4 + pack`.
      type: what it is, in [0, 33).
      pack: which of the four of its type.
      face: the cell of the grid that it looks like.
      rank: its rank.
      suit: its suit; None for a Joker, which has none.
      strength: how high it is in its suit.
    """

    id: int
    type: int = field(init=False, compare=False)
    pack: int = field(init=False, compare=False)
    face: Card = field(init=False, compare=False)
    rank: Rank = field(init=False, compare=False)
    suit: Suit | None = field(init=False, compare=False)
    strength: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        number, pack = divmod(self.id, NUM_PACKS)
        face = FACES[number]
        derived = {
            "type": number,
            "pack": pack,
            "face": face,
            "rank": face.rank,
            "suit": None if number == JOKER else face.suit,
            "strength": -1 if number == JOKER else STRENGTH[face.rank],
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self.id

    @property
    def is_joker(self) -> bool:
        """Whether it is one of the four Jokers."""
        return self.suit is None

    @property
    def name(self) -> str:
        """Type and pack: `AS.2`, `TH.0`; `JO.3` is a Joker."""
        return f"{type_name(self.type)}.{self.pack}"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"BeziqueCard({self.name})"

    @staticmethod
    def from_name(name: str) -> "BeziqueCard":
        """Return the card of a name, e.g. `TH.0`.

        Raises:
          ValueError: no card is called that.
        """
        for card in CARDS:
            if card.name == name:
                return card
        raise ValueError(f"no card is called {name!r}; names are like AS.0, TH.3, JO.1")


Cards = tuple[BeziqueCard, ...]

#: Every card, by id.
CARDS: Cards = tuple(BeziqueCard(number) for number in range(NUM_TYPES * NUM_PACKS))


def counts(cards: Iterable[BeziqueCard]) -> list[int]:
    """Return how many cards there are of each type."""
    row = [0] * NUM_TYPES
    for card in cards:
        row[card.type] += 1
    return row


# Melds


#: The kinds of meld, as far as the reuse of cards tells them apart.
Kind = IntEnum(
    "Kind",
    "SEVEN MARRIAGE BEZIQUE DOUBLE_BEZIQUE RUN ACES KINGS QUEENS JACKS",
    start=0,
)

#: The kinds that are four of a rank.
QUARTETS = {
    Kind.ACES: Rank.ACE,
    Kind.KINGS: Rank.KING,
    Kind.QUEENS: Rank.QUEEN,
    Kind.JACKS: Rank.JACK,
}


def kind_name(kind: Kind) -> str:
    """Return what a kind of meld is called: `double bezique`, `four aces`."""
    name = kind.name.lower().replace("_", " ")
    return f"four {name}" if kind in QUARTETS else name


@dataclass(frozen=True)
class Meld:
    """A meld as an action names it.

    Attributes:
      kind: its kind.
      suit: of a marriage.
      with_joker: whether a Joker stands in, in a quartet.
    """

    kind: Kind
    suit: Suit | None = None
    with_joker: bool = False

    @property
    def name(self) -> str:
        """What it is called, e.g. `marriage DIAMONDS`, `four aces with a Joker`."""
        if self.suit is not None:
            return f"{kind_name(self.kind)} {self.suit.name}"
        return f"{kind_name(self.kind)}{' with a Joker' if self.with_joker else ''}"


# Actions


@dataclass(frozen=True)
class Play:
    """Play a card of a type, from the hand or from the table."""

    type: int
    from_table: bool = False

    @property
    def name(self) -> str:
        """The card and where it is, e.g. `play AS`, `play AS from the table`."""
        where = " from the table" if self.from_table else ""
        return f"play {type_name(self.type)}{where}"


@dataclass(frozen=True)
class Done:
    """End the turn that winning a trick gives."""

    name: str = "done"


@dataclass(frozen=True)
class Swap:
    """Take the turned-up card for the trump seven."""

    name: str = "swap"


@dataclass(frozen=True)
class Declare:
    """Lay a meld."""

    meld: Meld

    @property
    def name(self) -> str:
        """Which one, e.g. `meld bezique`."""
        return f"meld {self.meld.name}"


Action = Play | Done | Swap | Declare

#: The melds in the order of their actions.
MELDS: tuple[Meld, ...] = (
    Meld(Kind.SEVEN),
    *(Meld(Kind.MARRIAGE, suit) for suit in SUITS),
    Meld(Kind.BEZIQUE),
    Meld(Kind.DOUBLE_BEZIQUE),
    Meld(Kind.RUN),
    *(Meld(kind) for kind in QUARTETS),
    *(Meld(kind, with_joker=True) for kind in QUARTETS),
)

#: The actions by id.
ACTIONS: tuple[Action, ...] = (
    *(Play(number) for number in range(NUM_TYPES)),
    *(Play(number, from_table=True) for number in range(NUM_TYPES)),
    Done(),
    Swap(),
    *(Declare(meld) for meld in MELDS),
)
ACTION_IDS = {action: number for number, action in enumerate(ACTIONS)}
MOVES = tuple(Move(number, action.name) for number, action in enumerate(ACTIONS))
