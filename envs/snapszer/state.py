"""The position of a Snapszer deal, and the sizes that follow from the pack.

At most 100 bytes for a single deal under any profile: sets of cards are bits, the stock is a packed
queue, small counts are small integers, and what a rule set does not need is None.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.envs import cards
from talonax.envs.core import State
from talonax.envs.pairs import Pair
from talonax.envs.planes import RANK_NAMES, SUIT_NAMES, SUITS
from talonax.envs.tricks import Pack

NO_CARD = -1
SIXTY_SIX = 66
SCHNEIDER = 33

#: Ranks from strong to weak, with their points.
RANKS = ("A", "T", "K", "Q", "J", "9")
POINTS = (11, 10, 4, 3, 2, 0)
KING, QUEEN, JACK, NINE = 2, 3, 4, 5


@dataclass(frozen=True)
class Sizes:
    """What the pack fixes: 20 cards in hands of five, or 24 (`nines`) in hands of six."""

    nines: bool

    @property
    def pack(self) -> Pack:
        """Suit by suit, the strongest rank first."""
        return Pack(ranks=len(RANKS) if self.nines else len(RANKS) - 1, strong_first=True)

    @property
    def num_cards(self) -> int:
        """Cards in the pack."""
        return self.pack.size

    @property
    def hand(self) -> int:
        """Cards in a hand."""
        return self.pack.ranks

    @property
    def tricks(self) -> int:
        """Tricks in a deal that is not closed."""
        return self.num_cards // 2

    @property
    def stock(self) -> int:
        """Face-down cards after the deal."""
        return self.num_cards - 2 * self.hand - 1

    @property
    def queue(self) -> cards.Queue:
        """The form of the stock, and of the cards that a seat has played."""
        return cards.Queue(bits=(cards.WORD - 1).bit_length(), length=self.stock)

    @property
    def lowest(self) -> int:
        """The rank that is exchanged for the turned-up card."""
        return NINE if self.nines else JACK

    @property
    def exchange(self) -> int:
        """The action id of the exchange."""
        return self.num_cards

    @property
    def close(self) -> int:
        """The action id of closing."""
        return self.num_cards + 1

    @property
    def declare(self) -> int:
        """The first action id of declaring a marriage (`marriage_declare: optional`)."""
        return self.num_cards + 2

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell of each card in the 4x14 grid."""
        columns = [RANK_NAMES.index(RANKS[rank]) for rank in range(self.pack.ranks)]
        return tuple(row * len(RANK_NAMES) + column for row in range(SUITS) for column in columns)

    def name(self, card: int) -> str:
        """Return the name of a card: rank and suit, `TS` for the ten of spades."""
        suit, rank = divmod(card, self.pack.ranks)
        return RANKS[rank] + SUIT_NAMES[suit]

    def points(self, card: ArrayLike) -> Array:
        """Return int32[]: what a card counts."""
        return self.pack.worth(card, POINTS)


class Dealt(NamedTuple):
    """A deck laid out for play: what a queue of decks holds.

    Attributes:
      hands: uint32[] each, the sets that the seats hold.
      stock: uint32[] each, the face-down cards as a packed queue, drawn from the front.
      turned_up: int8[], the card that fixes the trump suit.
    """

    hands: Pair
    stock: Pair
    turned_up: Array


class SnapszerState(State):
    """A position. Pairs hold seat 0's and seat 1's; sets of cards are `uint32[]` bit sets.

    Attributes:
      hands: uint32[] each, the cards held.
      stock: uint32[] each, the face-down cards as a packed queue (`Sizes.queue`).
      stock_left: int8[], face-down cards that lie there (closing leaves them).
      turned_up: int8[], the turned-up card; its suit is trump. Kept after it is drawn.
      table: int8[], the card led to the open trick, -1 if none.
      leader: int8[], the seat that leads, or led, the trick.
      points: int32[] each, points counted.
      tricks: int8[] each, tricks won.
      marriages: uint8[] each, bit set of the suits whose marriage that seat scored.
      closed_by: int8[], the seat that closed the talon, -1 if nobody.
      known: uint32[] each, cards of that seat's hand that the other seat knows.
      record: a packed queue each, the cards that the seat has played, by trick.
      leads: uint16[], bit t: the seat that led trick t.
      exchanged: int8[], the card taken by the exchange, -1 if none was made.
      exchanged_at: int8[], 2 * tricks done then + the seat that made it, -1 if none was made.
      pending: int32[] each, marriage points not credited yet; None where they count at once.
      closed_tricks: int8[], tricks of the closer's opponent at closing; None where it cannot
        matter.
      closed_points: int32[], his points then; None likewise.
      key: uint32[2], decides later decks; None unless a match is played.
      deal_no: int32[], number of this deal in the match; None likewise.
      scores: int32[] each, game points in the match so far; None likewise.
    """

    hands: Pair
    stock: Pair
    stock_left: Array
    turned_up: Array
    table: Array
    leader: Array
    points: Pair
    tricks: Pair
    marriages: Pair
    closed_by: Array
    known: Pair
    record: tuple[Pair, Pair]
    leads: Array
    exchanged: Array
    exchanged_at: Array
    pending: Pair | None = None
    closed_tricks: Array | None = None
    closed_points: Array | None = None
    key: Array | None = None
    deal_no: Array | None = None
    scores: Pair | None = None

    @property
    def closed(self) -> Array:
        """bool[]: somebody has closed the talon."""
        return self.closed_by >= 0

    @property
    def strict(self) -> Array:
        """bool[]: closed, or stock and turned-up card are both gone (the last draw takes both)."""
        return self.closed | (self.stock_left == 0)

    @property
    def leading(self) -> Array:
        """bool[]: no card lies on the table."""
        return self.table < 0

    @property
    def tricks_done(self) -> Array:
        """int8[]: tricks completed in this deal."""
        return self.tricks[0] + self.tricks[1]


def small(value: ArrayLike) -> Array:
    """Return `value` as int8[]: a count, a seat or a card."""
    return jnp.asarray(value).astype(jnp.int8)
