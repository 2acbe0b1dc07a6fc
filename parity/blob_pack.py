"""The cards of Blob: what they are called, what they are numbered, and who wins a trick.

52 cards (`envs/blob/README.md`, *Cards*). A card's id is `suit * 13 + rank`: spades, hearts, clubs,
diamonds, each from the two to the ace. An action's number is a card's id, or a bid.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from talonax.configs.blob.schema import DECK_SIZE
from talonax.parity.cards import Card, Rank, Suit
from talonax.parity.game import Move

#: Suits and ranks in the order of their ids; ranks from weak to strong.
SUITS = (Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS)
RANKS = (
    *(Rank.TWO, Rank.THREE, Rank.FOUR, Rank.FIVE, Rank.SIX, Rank.SEVEN, Rank.EIGHT),
    *(Rank.NINE, Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE),
)
SUIT_IDS = {suit: number for number, suit in enumerate(SUITS)}
STRENGTH = {rank: number for number, rank in enumerate(RANKS)}

CARDS = tuple(Card(suit, rank) for suit in SUITS for rank in RANKS)
IDS = {card: number for number, card in enumerate(CARDS)}

#: What the rules call a trump -> the suit; none is no suit.
TRUMPS: dict[str, Suit | None] = {
    **{"S": Suit.SPADES, "H": Suit.HEARTS, "C": Suit.CLUBS, "D": Suit.DIAMONDS},
    "none": None,
}

Cards = tuple[Card, ...]

#: The moves by id: while bidding, and while playing.
BIDS = tuple(Move(number, f"bid {number}") for number in range(DECK_SIZE))
PLAYS = tuple(Move(number, card.name) for number, card in enumerate(CARDS))


def in_order(cards: Iterable[Card]) -> Cards:
    """Return cards by rising id."""
    return tuple(sorted(cards, key=IDS.__getitem__))


def id_list(cards: Iterable[Card]) -> tuple[int, ...]:
    """Return the ids of cards, rising."""
    return tuple(sorted(IDS[card] for card in cards))


def checked_deck(deck: Sequence[int], needed: int, name: str) -> list[int]:
    """Return `deck` as a list if it has enough cards, all of them different.

    Raises:
      ValueError: it has not; the message begins with `name` and names the card.
    """
    cards = [int(card) for card in deck]
    if len(cards) < needed:
        raise ValueError(f"{name}: {needed} cards at least are needed, got {len(cards)}")
    for card in cards:
        if card not in range(DECK_SIZE):
            raise ValueError(f"{name}: there is no card {card} in this game")
        if cards.count(card) > 1:
            raise ValueError(f"{name}: card {card} occurs more than once")
    return cards


def winning_card(cards: Cards, trump: Suit | None) -> Card:
    """Return which of the cards of a trick, in order of play, wins it.

    The highest trump; if there is none, the highest card of the suit that was led.
    """
    trumps = [card for card in cards if card.suit == trump]
    led = [card for card in cards if card.suit == cards[0].suit]
    return max(trumps or led, key=lambda card: STRENGTH[card.rank])


@dataclass(frozen=True)
class Trick:
    """A trick, complete or not.

    Attributes:
      leader: who leads, or led, it.
      cards: its cards in order of play.
    """

    leader: int
    cards: Cards = ()

    def plays(self, players: int) -> list[tuple[int, Card]]:
        """Return seat and card of each play, in order."""
        return [((self.leader + i) % players, card) for i, card in enumerate(self.cards)]

    def with_card(self, card: Card) -> "Trick":
        """Return the trick with one more card."""
        return Trick(self.leader, (*self.cards, card))

    def winner(self, trump: Suit | None, players: int) -> int:
        """Return the seat that wins the trick, which has a card at least."""
        best = winning_card(self.cards, trump)
        return next(seat for seat, card in self.plays(players) if card == best)
