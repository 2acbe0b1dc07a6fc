"""The cards and the actions of Tysiac: what they are called, what they count, what beats what.

24 cards (`envs/tysiac/README.md`, *Cards* and *Actions*). A card's id is `suit * 6 + rank`: suits
by the rising worth of their marriages, ranks from weak to strong. The action of playing a card, or
of returning it, has the number of the card.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from talonax.parity.cards import Card, Rank, Suit
from talonax.parity.game import Move

#: What the marriage of a suit is worth; suits are numbered in this order.
MARRIAGES = {Suit.SPADES: 40, Suit.CLUBS: 60, Suit.DIAMONDS: 80, Suit.HEARTS: 100}
SUITS = tuple(MARRIAGES)
SUIT_IDS = {suit: number for number, suit in enumerate(SUITS)}

#: What the cards of a rank count for whoever wins them, ranks from weak to strong.
POINTS = {
    Rank.NINE: 0,
    Rank.JACK: 2,
    Rank.QUEEN: 3,
    Rank.KING: 4,
    Rank.TEN: 10,
    Rank.ACE: 11,
}
RANKS = tuple(POINTS)
STRENGTH = {rank: number for number, rank in enumerate(RANKS)}

CARDS = tuple(Card(suit, rank) for suit in SUITS for rank in RANKS)
IDS = {card: number for number, card in enumerate(CARDS)}

HAND_SIZE = 10
MUSIK_SIZE = 2
NUM_MUSIKS = 2

#: The cards of a marriage, in the order of the actions that declare it.
MARRIAGE_RANKS = (Rank.KING, Rank.QUEEN)

TEN = 10
OPENING_BID = 100
HIGHEST_BID = 200
HIGHEST_CONTRACT = 400

Cards = tuple[Card, ...]


def points_of(cards: Iterable[Card]) -> int:
    """Return what cards count for whoever wins them in tricks."""
    return sum(POINTS[card.rank] for card in cards)


def beats(reply: Card, lead: Card, trump: Suit | None) -> bool:
    """Return whether the card played second wins the trick."""
    if reply.suit == lead.suit:
        return STRENGTH[reply.rank] > STRENGTH[lead.rank]
    return reply.suit == trump


def partner(card: Card) -> Card | None:
    """Return the other half of a marriage, for a K or a Q."""
    if card.rank not in MARRIAGE_RANKS:
        return None
    return CARDS[IDS[Card(card.suit, Rank.QUEEN if card.rank == Rank.KING else Rank.KING)]]


def couple(suit: Suit) -> tuple[Card, Card]:
    """Return K and Q of a suit."""
    return Card(suit, Rank.KING), Card(suit, Rank.QUEEN)


def lowest_marriage(cards: Iterable[Card], worth: int) -> Suit | None:
    """Return the cheapest marriage among cards that is worth so much, if there is one."""
    held = set(cards)
    for suit, value in MARRIAGES.items():
        if value >= worth and held.issuperset(couple(suit)):
            return suit
    return None


def in_order(cards: Iterable[Card]) -> Cards:
    """Return cards by rising id."""
    return tuple(sorted(cards, key=IDS.__getitem__))


def id_list(cards: Iterable[Card]) -> tuple[int, ...]:
    """Return the ids of cards, rising."""
    return tuple(sorted(IDS[card] for card in cards))


@dataclass(frozen=True)
class Play:
    """Play a card; while two are to be returned, return it."""

    card: Card

    @property
    def name(self) -> str:
        """The card, e.g. `AS`."""
        return self.card.name


@dataclass(frozen=True)
class Declare:
    """Declare the marriage of a K or Q and lead it."""

    card: Card

    @property
    def name(self) -> str:
        """The card with its announcement, e.g. `declare KS`."""
        return f"declare {self.card.name}"


@dataclass(frozen=True)
class Pass:
    """Bid no more; or leave the bomb, or the re-bomb, alone."""

    name: str = "pass"


@dataclass(frozen=True)
class Bid:
    """Bid an amount."""

    amount: int

    @property
    def name(self) -> str:
        """The amount, e.g. `bid 110`."""
        return f"bid {self.amount}"


@dataclass(frozen=True)
class Take:
    """Take one of the two musiki."""

    number: int

    @property
    def name(self) -> str:
        """Which one, e.g. `musik 0`."""
        return f"musik {self.number}"


@dataclass(frozen=True)
class Contract:
    """Name the contract."""

    amount: int

    @property
    def name(self) -> str:
        """The amount, e.g. `contract 150`."""
        return f"contract {self.amount}"


@dataclass(frozen=True)
class Bomb:
    """Double the hand, as its defender."""

    name: str = "bomb"


@dataclass(frozen=True)
class Rebomb:
    """Double a bomb, as the declarer."""

    name: str = "re-bomb"


@dataclass(frozen=True)
class Challenge:
    """Ask for the marriage that a bid needs."""

    name: str = "challenge"


Action = Play | Declare | Pass | Bid | Take | Contract | Bomb | Rebomb | Challenge

BIDS = range(OPENING_BID, HIGHEST_BID + TEN, TEN)
CONTRACTS = range(OPENING_BID, HIGHEST_CONTRACT + TEN, TEN)

#: The actions by id.
ACTIONS: tuple[Action, ...] = (
    *(Play(card) for card in CARDS),
    *(Declare(Card(suit, rank)) for suit in SUITS for rank in MARRIAGE_RANKS),
    Pass(),
    *(Bid(amount) for amount in BIDS),
    *(Take(number) for number in range(NUM_MUSIKS)),
    *(Contract(amount) for amount in CONTRACTS),
    Bomb(),
    Rebomb(),
    Challenge(),
)
ACTION_IDS = {action: number for number, action in enumerate(ACTIONS)}
MOVES = tuple(Move(number, action.name) for number, action in enumerate(ACTIONS))
