"""The cards and the actions of Snapszer: what they are called, what they count, what beats what.

*Cards*, *Deal* and *Actions* of the rules (`envs/snapszer/README.md`): 20 cards from Ace to Jack,
or 24 with the flag `nines`. A card's id is `suit * ranks + rank`, ranks from strong to weak; the
action of playing it has the same number.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from talonax.parity.cards import NUM_SUITS, Card, Rank, Suit
from talonax.parity.game import Move

POINTS = {
    Rank.ACE: 11,
    Rank.TEN: 10,
    Rank.KING: 4,
    Rank.QUEEN: 3,
    Rank.JACK: 2,
    Rank.NINE: 0,
}

#: Ranks from strong to weak.
RANKS = tuple(POINTS)
RANKS_WITHOUT_NINE = RANKS[:-1]
HAND_SIZE = 5
HAND_SIZE_WITH_NINES = 6

#: The cards of a marriage, in the order of the actions that declare it.
MARRIAGE_RANKS = (Rank.KING, Rank.QUEEN)
NUM_DECLARATIONS = NUM_SUITS * len(MARRIAGE_RANKS)

SEEDS = 2**32


def points_of(cards: Iterable[Card]) -> int:
    """Return what cards count for whoever wins them in tricks."""
    return sum(POINTS[card.rank] for card in cards)


def beats(reply: Card, lead: Card, trump: Suit) -> bool:
    """Return whether the card played second wins the trick (*A trick*)."""
    if reply.suit == lead.suit:
        return RANKS.index(reply.rank) < RANKS.index(lead.rank)
    return reply.suit == trump


def partner(card: Card) -> Card | None:
    """Return the other half of a marriage, for a K or a Q."""
    if card.rank not in MARRIAGE_RANKS:
        return None
    return Card(card.suit, Rank.QUEEN if card.rank == Rank.KING else Rank.KING)


@dataclass(frozen=True)
class Play:
    """Play a card."""

    card: Card

    @property
    def name(self) -> str:
        """The card, e.g. `AS`."""
        return self.card.name


@dataclass(frozen=True)
class Exchange:
    """Exchange the lowest trump for the turned-up card."""

    name: str = "exchange"


@dataclass(frozen=True)
class Close:
    """Close the talon."""

    name: str = "close"


@dataclass(frozen=True)
class Declare:
    """Declare the marriage of a K or Q and lead it."""

    card: Card

    @property
    def name(self) -> str:
        """The card with its announcement, e.g. `declare KS`."""
        return f"declare {self.card.name}"


Action = Play | Exchange | Close | Declare


class Pack:
    """The cards that are dealt, and the actions with them.

    Attributes:
      cards: the cards by id.
      ids: the id of each card.
      size: how many cards there are.
      hand_size: how many cards a hand has.
      lowest: the rank that is exchanged: Jack, or nine.
      actions: the actions by id; those that declare a marriage come last.
      action_ids: the id of each action.
      moves: each action as a `Move`.
    """

    def __init__(self, *, nines: bool) -> None:
        ranks = RANKS if nines else RANKS_WITHOUT_NINE
        self.cards = tuple(Card(suit, rank) for suit in Suit for rank in ranks)
        self.ids = {card: number for number, card in enumerate(self.cards)}
        self.size = len(self.cards)
        self.hand_size = HAND_SIZE_WITH_NINES if nines else HAND_SIZE
        self.lowest = ranks[-1]
        self.actions: tuple[Action, ...] = (
            *(Play(card) for card in self.cards),
            Exchange(),
            Close(),
            *(Declare(Card(suit, rank)) for suit in Suit for rank in MARRIAGE_RANKS),
        )
        self.action_ids = {action: number for number, action in enumerate(self.actions)}
        self.moves = tuple(Move(number, a.name) for number, a in enumerate(self.actions))

    @property
    def stock_size(self) -> int:
        """How many cards lie face down after the deal."""
        return self.size - 2 * self.hand_size - 1

    @property
    def tricks(self) -> int:
        """How many tricks a deal has, if nobody closes."""
        return self.size // 2

    def sorted(self, cards: Iterable[Card]) -> tuple[Card, ...]:
        """Return cards by rising id."""
        return tuple(sorted(cards, key=self.ids.__getitem__))

    def id_list(self, cards: Iterable[Card]) -> tuple[int, ...]:
        """Return the ids of cards, rising."""
        return tuple(sorted(self.ids[card] for card in cards))


@cache
def pack(*, nines: bool) -> Pack:
    """Return the pack with or without nines."""
    return Pack(nines=nines)


#: Cards of the pack that is played by default.
STANDARD_SIZE = len(RANKS_WITHOUT_NINE) * NUM_SUITS


def deal_mt19937(seed: int, size: int = STANDARD_SIZE) -> list[int]:
    """Return the deck of a seed: an MT19937's doubles swap the cards from the last down (*Deal*).

    Args:
      seed: in [0, 2**32), given to the generator's plain integer initialiser.
      size: the number of cards.

    Raises:
      ValueError: a seed out of that range.
    """
    if not 0 <= seed < SEEDS:
        raise ValueError(f"seed: must be in [0, 2**32), got {seed}")
    # The golden decks are defined by this very generator, so NumPy's newer ones will not do.
    draws = np.random.RandomState(seed).random_sample(size - 1)
    deck = list(range(size))
    for top, draw in zip(range(size - 1, 0, -1), draws, strict=True):
        other = int(draw * (top + 1))
        deck[top], deck[other] = deck[other], deck[top]
    return deck
