"""Cards of the 4x14 grid that every game of the suite shares.

Rows are the suits S H D C, columns the ranks A 2 .. 10 J Q K and the Joker of the suit. A game that
is played with fewer cards uses some of the cells. Cards have no order of their own: what beats what
is each game's business.
"""

from dataclasses import dataclass, field
from enum import IntEnum

Suit = IntEnum("Suit", "SPADES HEARTS DIAMONDS CLUBS", start=0)
Rank = IntEnum(
    "Rank",
    "ACE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN JACK QUEEN KING JOKER",
    start=0,
)

#: Rows and columns of the grid, and its cells.
NUM_SUITS = len(Suit)
NUM_RANKS = len(Rank)
NUM_CARDS = NUM_SUITS * NUM_RANKS

SUIT_LETTERS = ("S", "H", "D", "C")
RANK_LETTERS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "JO")


@dataclass(frozen=True)
class Card:
    """One cell of the grid.

    Attributes:
      suit: the row.
      rank: the column.
      index: `suit * NUM_RANKS + rank`, in [0, NUM_CARDS).
    """

    suit: Suit
    rank: Rank
    index: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", self.suit * NUM_RANKS + self.rank)

    def __hash__(self) -> int:
        return self.index

    @property
    def name(self) -> str:
        """Rank and suit: `AS`, `TH`, `KD`; `JOS` is the Joker of spades."""
        return RANK_LETTERS[self.rank] + SUIT_LETTERS[self.suit]

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def from_index(index: int) -> "Card":
        """Return the card of a cell.

        Raises:
          ValueError: the grid has no such cell.
        """
        if not 0 <= index < NUM_CARDS:
            raise ValueError(f"Card index must be in [0, {NUM_CARDS - 1}], got {index}")
        return ALL_CARDS[index]

    @staticmethod
    def from_name(name: str) -> "Card":
        """Return the card of a name, e.g. `TH`.

        Raises:
          ValueError: no card is called that.
        """
        for card in ALL_CARDS:
            if card.name == name:
                return card
        raise ValueError(f"no card is called {name!r}; names are like AS, TH, KD, JOS")


#: Every card, by index.
ALL_CARDS: tuple[Card, ...] = tuple(Card(suit, rank) for suit in Suit for rank in Rank)
