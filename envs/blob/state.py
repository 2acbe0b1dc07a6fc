"""The position of a Blob game, and the numbers of its cards, actions and phases.

What a round decides is kept in few fields: the hands as dealt and one set of all cards gone (who
holds what, and who played what, follow from the two), and one count of the bids and cards so far,
which tells the phase, the trick and the place in it. Numbers by seat share a word (`seats.Packed`).
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.envs.cards import WORD
from talonax.envs.core import State
from talonax.envs.planes import RANK_NAMES, SUITS
from talonax.envs.planes import SUIT_NAMES as GRID_SUITS
from talonax.envs.seats import Packed
from talonax.envs.tricks import Pack

NO_CARD = -1
NO_SUIT = -1
NO_BID = -1

SUIT_NAMES = "SHCD"
#: What the trump is called, by suit; -1, the last, for none.
TRUMP_NAMES = (*SUIT_NAMES, "none")
RANKS = "23456789TJQKA"
PACK = Pack(ranks=len(RANKS))
KING, ACE = RANKS.index("K"), RANKS.index("A")
#: Words of a set of cards.
WORDS = 2

MAX_SEATS = 8
NUM_ACTIONS = PACK.size

PHASES = ("bidding", "playing", "over")
BIDDING, PLAYING, OVER = range(len(PHASES))

#: The cell of each card in the 4x14 grid.
CELLS = tuple(
    GRID_SUITS.index(suit) * len(RANK_NAMES) + RANK_NAMES.index(rank)
    for suit in SUIT_NAMES
    for rank in RANKS
)


def small(value: ArrayLike) -> Array:
    """Return `value` as int8[]: a count, a seat, a card or a suit."""
    return jnp.asarray(value).astype(jnp.int8)


def counters(players: int) -> Packed:
    """Return how bids, or tricks, share a word: as wide as can be, which is wide enough for all."""
    return Packed(seats=players, bits=WORD // players)


def suits_of(players: int) -> Packed:
    """Return how the sets of suits by seat share a word."""
    return Packed(seats=players, bits=SUITS)


class Dealt(NamedTuple):
    """A deck laid out for play: what a queue of decks holds.

    Attributes:
      hands: uint32[P, 2], the set that each seat is dealt.
    """

    hands: Array


class BlobState(State):
    """A position. Sets of cards are `uint32[2]` bit sets.

    Attributes:
      turn: int8[], bids and cards of this round so far: `0 .. P + C * P`.
      dealer: int8[], the seat that deals, and bids last.
      leader: int8[], who leads, or led, the open trick; while bidding the seat after the dealer.
      cards: int8[], C, how many each seat was dealt.
      trump: int8[], the trump suit, -1 if none.
      round: int32[], index of the round, which fixes the trump (and, in a full game, C).
      dealt: uint32[P, 2], the hands as dealt.
      gone: uint32[2], the cards played this round, those of the open trick included.
      table: uint32[2], the cards of the open trick.
      last: uint32[2], the cards of the trick before it in this round.
      led: int8[], the suit that was led, -1 if none.
      best: int8[], the card that wins the open trick so far, -1 if none.
      best_by: int8[], who played it; stale between tricks.
      bids: uint32[], each seat's bid (`counters`), 0 before it is made.
      tricks: uint32[], tricks won by each seat (`counters`).
      voids: uint32[], the set of suits that each seat has shown not to hold (`suits_of`).
      scores: int32[P], totals.
      key: uint32[2], decides later decks; None for a single round.
      deal_no: int32[], number of decks dealt before this one; None for a single round.
    """

    turn: Array
    dealer: Array
    leader: Array
    cards: Array
    trump: Array
    round: Array
    dealt: Array
    gone: Array
    table: Array
    last: Array
    led: Array
    best: Array
    best_by: Array
    bids: Array
    tricks: Array
    voids: Array
    scores: Array
    key: Array | None = None
    deal_no: Array | None = None

    @property
    def num_players(self) -> int:
        """How many play."""
        return self.scores.shape[-1]

    @property
    def counters(self) -> Packed:
        """How `bids` and `tricks` hold their numbers."""
        return counters(self.num_players)

    @property
    def bidding(self) -> Array:
        """bool[]: not all have bid."""
        return self.turn < self.num_players

    @property
    def laid(self) -> Array:
        """int32[]: cards played this round."""
        return jnp.maximum(self.turn.astype(jnp.int32) - self.num_players, 0)

    @property
    def tricks_done(self) -> Array:
        """int32[]: tricks completed this round."""
        return self.laid // self.num_players

    @property
    def on_table(self) -> Array:
        """int32[]: cards in the open trick."""
        return self.laid % self.num_players

    @property
    def round_over(self) -> Array:
        """bool[]: every card is played; seen only when the game is over."""
        return self.laid == self.cards.astype(jnp.int32) * self.num_players

    def hands(self) -> Array:
        """Return uint32[P, 2]: what each seat holds."""
        return self.dealt & ~self.gone

    def played(self) -> Array:
        """Return uint32[P, 2]: what each seat has played this round."""
        return self.dealt & self.gone
