"""The position of a Bezique game, and the numbers of its actions and phases.

Sets of cards are five words (`words.py`). A card is in one place, so one history of melds serves
all seats: a bit says that a card has been in a kind of meld, and only the cards that can be in it
have one, 20 bytes in all.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.envs.bezique.words import CARDS, PACKS, RANKS, SUIT_NAMES, TYPES, Words
from talonax.envs.cards import WORD
from talonax.envs.core import State
from talonax.envs.planes import JOKER as GRID_JOKER
from talonax.envs.planes import RANK_NAMES, SUITS
from talonax.envs.planes import SUIT_NAMES as GRID_SUITS
from talonax.envs.seats import Packed

NO_CARD = -1
#: Cards dealt to each seat, and tricks played after the last draw.
HAND = 9

# Actions: the types from hand, the types from the table, and what a winner may do.
FROM_HAND = 0
FROM_TABLE = TYPES
DONE = 2 * TYPES
SWAP = DONE + 1
MELD = SWAP + 1

#: What can be melded, in the order of the actions.
MELDS = (
    "trump seven",
    *(f"marriage {suit}" for suit in SUIT_NAMES),
    "bezique",
    "double bezique",
    "trump run",
    "four aces",
    "four kings",
    "four queens",
    "four jacks",
    "four aces with a Joker",
    "four kings with a Joker",
    "four queens with a Joker",
    "four jacks with a Joker",
)
TRUMP_SEVEN, MARRIAGE = 0, 1
BEZIQUE = MARRIAGE + SUITS
DOUBLE, RUN, QUARTET = BEZIQUE + 1, BEZIQUE + 2, BEZIQUE + 3
#: The ranks of quartets, in the order of the actions: A K Q J.
QUARTET_RANKS = tuple(RANKS.index(rank) for rank in "AKQJ")
WITH_JOKER = QUARTET + len(QUARTET_RANKS)
NUM_ACTIONS = MELD + len(MELDS)

#: The kinds in which a card may be once, as `used` and the observation list them.
KINDS = ("marriage", "bezique", "double", "run", "aces", "kings", "queens", "jacks")

PHASES = ("play", "turn", "last", "over")
PLAY, TURN, LAST, OVER = range(len(PHASES))

#: The cell of each type in the 4x14 grid; the Jokers share one.
CELLS = (
    *(
        GRID_SUITS.index(suit) * len(RANK_NAMES) + RANK_NAMES.index(rank)
        for rank in RANKS
        for suit in SUIT_NAMES
    ),
    GRID_JOKER,
)

#: Bits of a card in a trick, or in the stock.
CARD_BITS = 8
PER_STOCK_WORD = WORD // CARD_BITS


def small(value: ArrayLike) -> Array:
    """Return `value` as int8[]: a seat, a suit, a phase or a count."""
    return jnp.asarray(value).astype(jnp.int8)


def card16(value: ArrayLike) -> Array:
    """Return `value` as int16[]: a card, -1 for none."""
    return jnp.asarray(value).astype(jnp.int16)


def by_seat(players: int) -> Packed:
    """Return how the cards of a trick (plus 1, 0 for none), and counts by seat, share a word."""
    return Packed(seats=players, bits=CARD_BITS)


def stock_size(players: int) -> int:
    """Return how many cards lie face down after the deal."""
    return CARDS - HAND * players - 1


def first_tricks(players: int) -> int:
    """Return how many tricks there are before the last nine."""
    return (stock_size(players) + 1) // players


class Dealt(NamedTuple):
    """A deck laid out for play: what a queue of decks holds.

    Attributes:
      hands: by seat the set that it is dealt.
      stock: uint32[n], `BeziqueState.stock`.
      turned_up: int16[], the card turned up.
    """

    hands: tuple[Words, ...]
    stock: Array
    turned_up: Array


class BeziqueState(State):
    """A position. A set of cards is five words, uint32[] each; by seat, a tuple of sets.

    Attributes:
      hands: by seat the cards held.
      tables: by seat the cards on the table before it.
      known: by seat the counts by type of cards that all know to be in its hand.
      played: the cards played this round, those of the open trick included.
      trick: uint32[], the card of each seat in the open trick, plus 1, 0 for none (`by_seat`).
      last: uint32[], the same of the last complete trick of the round, 0 before the first.
      stock: uint32[n], the face-down cards in drawing order as dealt, four to a word.
      drawn: int8[], how many of them have been drawn.
      turned_up: int16[], the card turned up, -1 once it is drawn.
      trump: int8[], the trump suit.
      dealer: int8[], the seat that dealt.
      leader: int8[], who leads, or led, the open trick; in a winner's turn, who won.
      phase: int8[], index into `PHASES`, stale in a finished state.
      melded: bool[], a meld was laid in this turn.
      swapped: bool[], the seven was swapped in this round.
      marriages: uint32[], queens (low half) and kings that have been in a marriage.
      queens_kings: uint32[], queens and kings that have been in four of their kind.
      jacks_aces: uint32[], jacks and aces that have been in four of their kind.
      runs: uint32[], nibbles J Q K 10 A: trumps that have been in a run.
      pairs: uint16[], nibbles: jacks D and queens S in a bezique, the same in a double bezique.
      jokers: uint16[], nibbles: Jokers that have stood in for aces, kings, queens, jacks.
      brisques: uint32[], aces and tens won by each seat (`by_seat`).
      points: int32[P], of this round.
      scores: int32[P], of all rounds before it; of a finished game, with the last.
      round: int32[], number of this round, 0 first.
      why: int16[], what the last step scored for (`score.Why`).
      denied: uint32[P], types that a seat's replies showed it not to hold; None with two players,
        where the other hand follows from the rest.
      key: uint32[2], decides later decks; None for a single round.
      deal_no: int32[], number of decks dealt before this one; None for a single round.
    """

    hands: tuple[Words, ...]
    tables: tuple[Words, ...]
    known: tuple[Words, ...]
    played: Words
    trick: Array
    last: Array
    stock: Array
    drawn: Array
    turned_up: Array
    trump: Array
    dealer: Array
    leader: Array
    phase: Array
    melded: Array
    swapped: Array
    marriages: Array
    queens_kings: Array
    jacks_aces: Array
    runs: Array
    pairs: Array
    jokers: Array
    brisques: Array
    points: Array
    scores: Array
    round: Array
    why: Array
    denied: Array | None = None
    key: Array | None = None
    deal_no: Array | None = None

    @property
    def num_players(self) -> int:
        """How many play."""
        return len(self.hands)

    @property
    def by_seat(self) -> Packed:
        """How `trick`, `last` and `brisques` hold their numbers."""
        return by_seat(self.num_players)

    @property
    def suit(self) -> Array:
        """int32[]: the trump suit."""
        return self.trump.astype(jnp.int32)

    @property
    def stock_left(self) -> Array:
        """int32[]: cards face down."""
        return stock_size(self.num_players) - self.drawn.astype(jnp.int32)

    @property
    def last_draw(self) -> Array:
        """bool[]: stock and turned-up card together are as many as the players."""
        return self.stock_left + 1 == self.num_players

    def cards_of(self, trick: Array) -> Array:
        """Return int32[P]: the card of each seat in `trick` (or in `last`), -1 for none."""
        return self.by_seat.all(trick) - 1


def packed_stock(cards: Array) -> Array:
    """Return uint32[n]: cards (int[k]) in drawing order, four to a word."""
    words = -(-cards.shape[0] // PER_STOCK_WORD)
    filled = (
        jnp.zeros(words * PER_STOCK_WORD, jnp.uint32)
        .at[: cards.shape[0]]
        .set(cards.astype(jnp.uint32))
    )
    shifts = CARD_BITS * jnp.arange(PER_STOCK_WORD, dtype=jnp.uint32)
    return (filled.reshape(words, PER_STOCK_WORD) << shifts).sum(axis=1, dtype=jnp.uint32)


def whole_stock(state: BeziqueState) -> Array:
    """Return int32[n]: the face-down cards as dealt, those drawn included."""
    shifts = CARD_BITS * jnp.arange(PER_STOCK_WORD, dtype=jnp.uint32)
    cards = state.stock[:, None] >> shifts & 2**CARD_BITS - 1
    order: Array = cards.reshape(-1)[: stock_size(state.num_players)].astype(jnp.int32)
    return order


def unpacked_stock(state: BeziqueState) -> Array:
    """Return int32[n]: the face-down cards, the next to be drawn first; -1 behind the last."""
    order = whole_stock(state)
    place = jnp.arange(order.shape[0]) + state.drawn.astype(jnp.int32)
    following = order[jnp.minimum(place, order.shape[0] - 1)]
    return jnp.where(place < order.shape[0], following, NO_CARD)


__all__ = [
    "BEZIQUE",
    "CARD_BITS",
    "CELLS",
    "DONE",
    "DOUBLE",
    "FROM_TABLE",
    "HAND",
    "KINDS",
    "LAST",
    "MARRIAGE",
    "MELD",
    "MELDS",
    "NO_CARD",
    "NUM_ACTIONS",
    "OVER",
    "PACKS",
    "PER_STOCK_WORD",
    "PHASES",
    "PLAY",
    "QUARTET",
    "QUARTET_RANKS",
    "RUN",
    "SWAP",
    "TRUMP_SEVEN",
    "TURN",
    "WITH_JOKER",
    "BeziqueState",
    "Dealt",
    "by_seat",
    "card16",
    "first_tricks",
    "packed_stock",
    "small",
    "stock_size",
    "unpacked_stock",
    "whole_stock",
]
