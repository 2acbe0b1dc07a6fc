"""One round of Blob, step by step: the deal, the bids, the tricks.

*A round* of the rules (`envs/blob/README.md`). The two steps, `bid` and `play`, say by a named
error what is wrong with them. A `Round` never changes; every step makes a new one. Totals and the
plan of rounds are not known here: they are in `blob.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import NoReturn, TypeVar

from talonax.configs.blob.schema import Rules, trump_of
from talonax.parity.blob_pack import BIDS, CARDS, IDS, PLAYS, TRUMPS, Cards, Trick, in_order
from talonax.parity.cards import Card, Suit
from talonax.parity.game import NOBODY, Move, Refused

Phase = IntEnum("Phase", "BIDDING PLAYING OVER", start=0)

#: What an exactly made bid counts beside the bid.
EXACT_BONUS = 10

#: The number of a move with a card that the pack has not.
NO_ACTION = -1

_T = TypeVar("_T")


class OutOfTurn(Refused):
    """The move of a player who is not to move, or in another phase."""


class IllegalBid(Refused):
    """A bid that is not a number from 0 to the cards dealt to each."""


class HookedBid(IllegalBid):
    """The dealer's bid makes the bids add up to the cards dealt to each."""


class NotInHand(Refused):
    """A card that the player does not hold."""


class Revoke(Refused):
    """A card of another suit than the one led, which the player holds."""


def with_seat(seats: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    """Return what is by seat, with the entry of one seat replaced."""
    return (*seats[:seat], value, *seats[seat + 1 :])


@dataclass(frozen=True)
class Round:
    """What there is in a round; tuples are by seat, if nothing else is said.

    Attributes:
      rules: the rules.
      index: the round's index, which fixes the trump.
      size: the cards dealt to each.
      dealer: his seat.
      trump: the trump suit, if there is one.
      hands: the cards held.
      bids: the bids; None before.
      trick: the open trick; while bidding and at the end it has no card.
      completed: the tricks before it, in order of play.
    """

    rules: Rules
    index: int
    size: int
    dealer: int
    trump: Suit | None
    hands: tuple[Cards, ...]
    bids: tuple[int | None, ...]
    trick: Trick
    completed: tuple[Trick, ...] = ()

    @classmethod
    def dealt(
        cls, rules: Rules, deck: Sequence[int], *, index: int, size: int, dealer: int
    ) -> "Round":
        """Deal one card at a time to the seats from 0; the seat left of the dealer begins."""
        players = rules.players
        used = [CARDS[number] for number in deck[: players * size]]
        return cls(
            rules=rules,
            index=index,
            size=size,
            dealer=dealer,
            trump=TRUMPS[trump_of(rules, index)],
            hands=tuple(in_order(used[seat::players]) for seat in range(players)),
            bids=(None,) * players,
            trick=Trick((dealer + 1) % players),
        )

    @cached_property
    def players(self) -> int:
        """The number of seats."""
        return len(self.hands)

    @cached_property
    def phase(self) -> Phase:
        """What is being done; over when the last trick was won."""
        if None in self.bids:
            return Phase.BIDDING
        return Phase.PLAYING if any(self.hands) else Phase.OVER

    @cached_property
    def to_move(self) -> int:
        """The player to move, or -1 when the round is over."""
        if self.phase is Phase.OVER:
            return NOBODY
        bidding = self.phase is Phase.BIDDING
        first, done = (
            (self.dealer + 1, len(self.bids_made))
            if bidding
            else (self.trick.leader, len(self.trick.cards))
        )
        return (first + done) % self.players

    @cached_property
    def bids_made(self) -> list[int]:
        """The bids made so far, by seat."""
        return [bid for bid in self.bids if bid is not None]

    @property
    def forbidden(self) -> int | None:
        """The bid that the dealer may not make, as the bids stand: the hook; None if there is none.

        It is so from the first bid on: only the dealer, who bids last, meets it.
        """
        rest = self.size - sum(self.bids_made)
        return rest if self.rules.hook and rest >= 0 else None

    @cached_property
    def plays(self) -> list[tuple[int, Card]]:
        """Seat and card of every play of the round, in order."""
        tricks = (*self.completed, self.trick)
        return [play for trick in tricks for play in trick.plays(self.players)]

    @cached_property
    def played(self) -> tuple[Cards, ...]:
        """The cards played, those of the open trick included."""
        return tuple(
            tuple(card for player, card in self.plays if player == seat)
            for seat in range(self.players)
        )

    @cached_property
    def winners(self) -> list[int]:
        """The winners of the completed tricks, in order."""
        return [trick.winner(self.trump, self.players) for trick in self.completed]

    @cached_property
    def tricks(self) -> tuple[int, ...]:
        """The tricks won."""
        return tuple(self.winners.count(seat) for seat in range(self.players))

    @cached_property
    def voids(self) -> tuple[frozenset[Suit], ...]:
        """The suits that were led and not followed."""
        shown: list[set[Suit]] = [set() for _ in self.hands]
        for trick in (*self.completed, self.trick):
            for seat, card in trick.plays(self.players):
                if card.suit != trick.cards[0].suit:
                    shown[seat].add(trick.cards[0].suit)
        return tuple(map(frozenset, shown))

    # What may be done

    @cached_property
    def legal_moves(self) -> tuple[Move, ...]:
        """What the player to move may do, by rising id; nothing when the round is over."""
        if self.phase is Phase.BIDDING:
            return tuple(BIDS[number] for number in range(self.size + 1) if self._may_bid(number))
        if self.phase is Phase.PLAYING:
            return tuple(PLAYS[IDS[card]] for card in self._replies(self.hands[self.to_move]))
        return ()

    @property
    def legal_ids(self) -> tuple[int, ...]:
        """The ids of the legal moves, rising."""
        return tuple(move.id for move in self.legal_moves)

    def _may_bid(self, number: int) -> bool:
        return self.to_move != self.dealer or number != self.forbidden

    def _replies(self, hand: Cards) -> Cards:
        """Return what may be played from a hand: the suit led, if it is held; else any card."""
        if not self.trick.cards:
            return hand
        led = self.trick.cards[0].suit
        return tuple(card for card in hand if card.suit == led) or hand

    # What is done

    def bid(self, player: int, number: int) -> "Round":
        """Bid a number of tricks.

        Raises:
          IllegalBid: it is not in 0..cards dealt.
          HookedBid: the dealer makes the bids add up to the cards dealt.
          OutOfTurn: not this player's turn to bid.
        """
        what = Move(number, f"bid {number}")
        self._check_turn(player, Phase.BIDDING, what)
        if number not in range(self.size + 1):
            self._refuse(what, IllegalBid, f"a bid is 0..{self.size}")
        if not self._may_bid(number):
            reason = f"the dealer may not make the bids add up to {self.size}, the cards dealt"
            self._refuse(what, HookedBid, reason)
        return replace(self, bids=with_seat(self.bids, player, int(number)))

    def play(self, player: int, card: Card) -> "Round":
        """Play a card; the last one of a trick gives it to its winner, who leads the next.

        Raises:
          NotInHand: the player does not hold it.
          Revoke: it does not follow suit, though the player is able to.
          OutOfTurn: not this player's turn to play.
        """
        what = Move(IDS.get(card, NO_ACTION), card.name)
        self._check_turn(player, Phase.PLAYING, what)
        hand = self.hands[player]
        if card not in hand:
            self._refuse(what, NotInHand, f"player {player} does not hold it")
        if card not in self._replies(hand):
            led = self.trick.cards[0].suit.name.lower()
            self._refuse(what, Revoke, f"player {player} holds {led}, which were led")
        held = tuple(other for other in hand if other != card)
        after = replace(
            self,
            hands=with_seat(self.hands, player, held),
            trick=self.trick.with_card(card),
        )
        return after._trick_won() if len(after.trick.cards) == self.players else after

    def _trick_won(self) -> "Round":
        winner = self.trick.winner(self.trump, self.players)
        return replace(self, trick=Trick(winner), completed=(*self.completed, self.trick))

    def _check_turn(self, player: int, phase: Phase, what: Move) -> None:
        if self.phase is not phase:
            self._refuse(what, OutOfTurn, f"the phase is: {self.phase.name.lower()}")
        if player != self.to_move:
            self._refuse(what, OutOfTurn, f"player {self.to_move} is to move, not {player}")

    def _refuse(self, what: Move, error: type[Refused], reason: str) -> NoReturn:
        raise error(what, self.legal_moves, reason)

    # What it counts

    @property
    def made(self) -> tuple[bool, ...]:
        """Whether the tricks won are those bid."""
        return tuple(bid == won for bid, won in zip(self.bids, self.tricks, strict=True))

    @property
    def scores(self) -> tuple[int, ...]:
        """What a round that is over counts."""
        missed = self.tricks if self.rules.score == "exact_or_tricks" else (0,) * self.players
        return tuple(
            EXACT_BONUS + won if made else miss
            for won, made, miss in zip(self.tricks, self.made, missed, strict=True)
        )

    @property
    def rewards(self) -> tuple[float, ...]:
        """What a round that is over pays: the flag `reward`."""
        scores = self.scores
        match self.rules.reward:
            case "normalised":
                best = EXACT_BONUS + self.size
                return tuple(2 * score / best - 1 for score in scores)
            case "relative":
                others = self.players - 1
                return tuple(score - (sum(scores) - score) / others for score in scores)
        return tuple(map(float, scores))
