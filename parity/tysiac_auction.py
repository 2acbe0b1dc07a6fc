"""The auction of Tysiac, and the errors that its steps and those after it may end in.

*Auction* and *Named errors* of the rules (`envs/tysiac/README.md`). An `Auction` knows the bids;
the cards are the business of `tysiac_hand.py`, which asks it what is wrong with a bid.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

from talonax.configs.tysiac.schema import Rules
from talonax.parity.cards import Suit
from talonax.parity.game import NOBODY, Refused
from talonax.parity.tysiac_pack import (
    HIGHEST_BID,
    MARRIAGES,
    OPENING_BID,
    TEN,
    Cards,
    couple,
    lowest_marriage,
)

#: The highest bid that needs no marriage; what is bid above `FREE_PART` a marriage must be worth.
HIGHEST_FREE_BID = 120
FREE_PART = 100

_T = TypeVar("_T")


def with_seat(pair: tuple[_T, _T], seat: int, value: _T) -> tuple[_T, _T]:
    """Return `pair` with the entry of one seat replaced."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)


class PassedAlready(Refused):
    """Who has passed wants back into the auction."""


class IllegalBid(Refused):
    """A bid that is not exactly the next one, or is above 200."""


class MissingMeldProof(Refused):
    """A bid above 120, and no marriage is shown."""


class InvalidMeldProof(Refused):
    """What is shown is no marriage, is not in hand, or is worth too little."""


class IllegalReturn(Refused):
    """Not two cards, or not of the hand."""


class IllegalContract(Refused):
    """A contract below the bid, above 400, or not a multiple of ten."""


class BombClosed(Refused):
    """A bomb or re-bomb outside its window."""


#: What is wrong with a step: the error, and the reason.
Fault = tuple[type[Refused], str]


def worth_needed(amount: int) -> int:
    """Return what the marriage that proves a bid must be worth; 0 if none is needed."""
    return amount - FREE_PART if amount > HIGHEST_FREE_BID else 0


def proof_of(cards: Cards, amount: int) -> Cards | None:
    """Return the cheapest marriage that proves a bid; None if none is needed, or none is held."""
    worth = worth_needed(amount)
    suit = lowest_marriage(cards, worth) if worth else None
    return None if suit is None else couple(suit)


@dataclass(frozen=True)
class Auction:
    """The bids so far; pairs are by seat.

    Attributes:
      rules: the rules.
      to_act: who bids next.
      high_bid: the standing bid; 0 before the opening.
      bid_by: whose it is, or -1.
      passed: who has passed.
      shown: the marriage that each showed when he was last challenged.
    """

    rules: Rules
    to_act: int
    high_bid: int = 0
    bid_by: int = NOBODY
    passed: tuple[bool, bool] = (False, False)
    shown: tuple[Suit | None, Suit | None] = (None, None)

    @property
    def next_bid(self) -> int | None:
        """The one amount that may be bid: exactly ten more, up to 200."""
        if not self.high_bid:
            return OPENING_BID
        return self.high_bid + TEN if self.high_bid < HIGHEST_BID else None

    @property
    def may_pass(self) -> bool:
        """Whether the next to act may pass: a forced forehand may not before its opening."""
        return bool(self.high_bid) or not self.rules.forced_open

    @property
    def proven(self) -> int:
        """What the marriage that was shown for the standing bid is worth; 0 if none was."""
        suit = self.shown[self.bid_by] if self.bid_by != NOBODY else None
        worth = 0 if suit is None else MARRIAGES[suit]
        return worth if 0 < worth_needed(self.high_bid) <= worth else 0

    @property
    def may_challenge(self) -> bool:
        """Whether the standing bid may be challenged."""
        by_challenge = self.rules.proof == "challenge"
        return by_challenge and worth_needed(self.high_bid) > 0 and not self.proven

    def may_raise(self, cards: Cards) -> bool:
        """Return whether who holds these cards may make the next bid."""
        if self.next_bid is None:
            return False
        provable = not worth_needed(self.next_bid) or proof_of(cards, self.next_bid) is not None
        return provable or self.rules.proof == "challenge"

    def fault_of_amount(self, amount: int) -> Fault | None:
        """Return what is wrong with a bid, its proof apart."""
        if self.next_bid is None:
            return IllegalBid, f"nobody bids above {HIGHEST_BID}"
        if amount != self.next_bid:
            return IllegalBid, f"the next bid is {self.next_bid}, no less and no more"
        return None

    def fault_of_proof(self, amount: int, proof: Cards | None, cards: Cards) -> Fault | None:
        """Return what is wrong with the proof that a holder of `cards` gives, or does not give."""
        worth = worth_needed(amount)
        if proof is None:
            if worth and self.rules.proof == "auto":
                return MissingMeldProof, f"above {HIGHEST_FREE_BID} a marriage must be shown"
            return None
        suit = lowest_marriage(proof, 0)
        if suit is None or len(proof) != len(couple(suit)):
            return InvalidMeldProof, "K and Q of one suit must be shown"
        if not set(proof) <= set(cards):
            return InvalidMeldProof, "a marriage that is not in hand proves nothing"
        if MARRIAGES[suit] < worth:
            return InvalidMeldProof, f"{MARRIAGES[suit]} is shown, {worth} is needed"
        return None

    def after_bid(self, amount: int) -> "Auction":
        """Return the auction after the next bid."""
        player = self.to_act
        return replace(self, high_bid=amount, bid_by=player, to_act=1 - player)

    def after_pass(self) -> "Auction":
        """Return the auction after a pass, which ends it."""
        return replace(self, passed=with_seat(self.passed, self.to_act, True))

    def after_showing(self, suit: Suit) -> "Auction":
        """Return the auction after the bidder has answered a challenge with a marriage."""
        return replace(self, shown=with_seat(self.shown, self.bid_by, suit))
