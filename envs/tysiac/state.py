"""The position of a Tysiac match, and the numbers of its cards, actions and phases.

Sets of cards are bits, amounts are kept in tens, what a rule set does not need is None: 95 bytes
for a single hand, 107 in a match.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.envs.core import State
from talonax.envs.pairs import Pair
from talonax.envs.planes import RANK_NAMES, SUITS
from talonax.envs.planes import SUIT_NAMES as GRID_SUITS
from talonax.envs.tricks import Pack

NO_CARD = -1
NO_SUIT = -1
NOT_TAKEN = -1

#: Suits by rising worth of their marriage, ranks from weak to strong.
SUIT_NAMES = "SCDH"
RANKS = "9JQKTA"
POINTS = (0, 2, 3, 4, 10, 11)
QUEEN, KING = 2, 3

PACK = Pack(ranks=len(RANKS))
HAND = 10
MUSIK = 2
FIRST_MUSIK = 2 * HAND
TRICKS = HAND

#: A marriage counts 40 in spades, 20 more in each suit after it.
LOWEST_MARRIAGE, MARRIAGE_STEP = 40, 20

TEN = 10
OPENING, LAST_BID, LAST_CONTRACT = 100, 200, 400
#: Bids above this need a marriage worth the bid less the opening bid.
FREE_BID = 120

# Actions
DECLARE = PACK.size
PASS = DECLARE + 2 * SUITS
BID = PASS + 1
TAKE = BID + (LAST_BID - OPENING) // TEN + 1
CONTRACT = TAKE + 2
BOMB = CONTRACT + (LAST_CONTRACT - OPENING) // TEN + 1
REBOMB = BOMB + 1
CHALLENGE = REBOMB + 1
NUM_ACTIONS = CHALLENGE + 1

PHASES = ("auction", "take", "return", "contract", "bomb", "rebomb", "play", "over")
AUCTION, TAKING, RETURNING, CONTRACTING, BOMBING, REBOMBING, PLAYING, OVER = range(len(PHASES))

#: The cell of each card in the 4x14 grid.
CELLS = tuple(
    GRID_SUITS.index(suit) * len(RANK_NAMES) + RANK_NAMES.index(rank)
    for suit in SUIT_NAMES
    for rank in RANKS
)


def points_of(card: ArrayLike) -> Array:
    """Return int32[]: what a card counts."""
    return PACK.worth(card, POINTS)


def marriage_of(suit: ArrayLike) -> Array:
    """Return int32[]: what the marriage of a suit counts."""
    return LOWEST_MARRIAGE + MARRIAGE_STEP * jnp.asarray(suit, jnp.int32)


def small(value: ArrayLike) -> Array:
    """Return `value` as int8[]: a count, a seat, a card or an amount in tens."""
    return jnp.asarray(value).astype(jnp.int8)


def amount(tens: Array) -> Array:
    """Return int32[]: the points of an amount that is kept in tens (int8[] would not hold them)."""
    return TEN * tens.astype(jnp.int32)


class Dealt(NamedTuple):
    """A deck laid out for play: what a queue of decks holds.

    Attributes:
      hands: uint32[] each, the sets that the seats hold.
      musiks: uint32[] each, the two face-down pairs.
    """

    hands: Pair
    musiks: Pair


class TysiacState(State):
    """A position. Pairs hold seat 0's and seat 1's; sets of cards are `uint32[]` bit sets.

    Attributes:
      phase: int8[], index into `PHASES`.
      dealer: int8[], the seat that dealt this hand.
      hands: uint32[] each, the cards held.
      musiks: uint32[] each, the two musiki as dealt.
      taken: int8[], which of them the declarer took, -1 before.
      returned: uint32[], the cards that the declarer has returned.
      high_bid: int8[], the standing bid in tens, 0 before the first.
      bid_by: int8[], who made it, -1 before: the declarer, once the auction is over.
      contract: int8[], the contract in tens, 0 before.
      doubling: int8[], 1, 2 or 4.
      leader: int8[], the seat that leads, or led, the trick; -1 before play.
      table: int8[], the card led to the open trick, -1 if none.
      last: int8[] each, the cards of the last trick, as led and as replied; -1 before the first.
      trump: int8[], the trump suit, -1 if none.
      declared: uint8[] each, bit set of the suits whose marriage that seat declared.
      points: int32[] each, card points of tricks won and marriages declared.
      tricks: int8[] each, tricks won.
      played: uint32[] each, the cards that seat has played.
      known: uint32[] each, cards of that seat's hand that the other one knows.
      denied: uint32[] each, cards that the seat's replies have shown it not to hold.
      hand: int32[], number of this hand in the match, 0 first.
      scores: int32[] each, totals.
      shown: uint8[] each, bit set of the suits whose marriage that seat showed when challenged;
        None under `auto`.
      lacking: uint8[] each, bit set of the suits whose marriage a challenge has shown that seat not
        to have been dealt; None under `auto`.
      key: uint32[2], decides later decks; None for a single hand.
      deal_no: int32[], number of decks dealt before this one; None for a single hand.
    """

    phase: Array
    dealer: Array
    hands: Pair
    musiks: Pair
    taken: Array
    returned: Array
    high_bid: Array
    bid_by: Array
    contract: Array
    doubling: Array
    leader: Array
    table: Array
    last: Pair
    trump: Array
    declared: Pair
    points: Pair
    tricks: Pair
    played: Pair
    known: Pair
    denied: Pair
    hand: Array
    scores: Pair
    shown: Pair | None = None
    lacking: Pair | None = None
    key: Array | None = None
    deal_no: Array | None = None

    @property
    def leading(self) -> Array:
        """bool[]: no card lies on the table."""
        return self.table < 0

    @property
    def tricks_done(self) -> Array:
        """int8[]: tricks completed in this hand."""
        return self.tricks[0] + self.tricks[1]

    @property
    def auction_over(self) -> Array:
        """bool[]: the declarer is known."""
        return self.phase > AUCTION
