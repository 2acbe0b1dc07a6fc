"""One deal of Snapszer: what a player may do, what his action brings, who wins and how much.

The sections *Actions*, *A trick* and *End of the deal* of the rules (`envs/snapszer/README.md`), in
this order. A `Deal` never changes; every step makes a new one. Matches, rewards and the interface
to the world are in `snapszer.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from talonax.configs.snapszer.schema import Rules
from talonax.parity.cards import Card, Rank, Suit
from talonax.parity.game import NOBODY
from talonax.parity.snapszer_pack import (
    Action,
    Close,
    Declare,
    Exchange,
    Pack,
    Play,
    beats,
    partner,
    points_of,
)

WINNING_POINTS = 66
SCHNEIDER_POINTS = 33
MARRIAGE_POINTS = 20
TRUMP_MARRIAGE_POINTS = 2 * MARRIAGE_POINTS

Cards = tuple[Card, ...]

#: Something that a player saw: its kind, then plain numbers.
Event = tuple[Any, ...]

_T = TypeVar("_T")


def with_seat(pair: tuple[_T, _T], seat: int, value: _T) -> tuple[_T, _T]:
    """Return `pair` with the entry of one seat replaced."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def add(pair: tuple[int, int], seat: int, amount: int) -> tuple[int, int]:
    """Return `pair` with `amount` added for one seat."""
    return with_seat(pair, seat, pair[seat] + amount)


class Ending(Enum):
    """How a deal ended."""

    MARRIAGE = "66 with a marriage"
    TRICK = "66 after a trick"
    DURCHMARSCH = "all tricks to one player"
    LAST_TRICK = "hands ran out, the last trick wins"
    CLOSER_FAILED = "hands ran out, the closer has failed"


@dataclass(frozen=True)
class Closing:
    """Who closed the talon, and how things stood at that moment.

    Attributes:
      by: the closer.
      tricks: tricks of each player.
      points: points of each player.
    """

    by: int
    tricks: tuple[int, int]
    points: tuple[int, int]


@dataclass(frozen=True)
class Result:
    """How a deal ended: for whom, in which way, and how many game points that pays."""

    winner: int
    ending: Ending
    game_points: int


def game_points(
    rules: Rules,
    ending: Ending,
    winner: int,
    tricks: tuple[int, int],
    points: tuple[int, int],
    closing: Closing | None,
) -> int:
    """Return what a deal pays its winner: the table of *End of the deal*."""
    loser = 1 - winner
    if closing and closing.by == loser and _closer_failed(rules, ending):
        trickless = closing.tricks[winner] == 0
        return rules.closer_fail_points_trickless if trickless else rules.closer_fail_points
    if closing and closing.by == winner and rules.stake_at == "closing":
        tricks, points = closing.tricks, closing.points
    if ending is Ending.LAST_TRICK and rules.last_trick == "wins_one":
        return 1
    if ending is Ending.DURCHMARSCH:
        return 3
    has_nothing = tricks[loser] == 0 if rules.three_when == "no_trick" else points[loser] == 0
    if has_nothing:
        return 3
    return 2 if points[loser] < SCHNEIDER_POINTS else 1


def _closer_failed(rules: Rules, ending: Ending) -> bool:
    """Return whether a closer who lost has failed, rather than being paid as if nobody closed."""
    return ending is Ending.CLOSER_FAILED or rules.closer_beaten == "fails"


@dataclass(frozen=True)
class Deal:
    """A position of one deal; pairs are by seat.

    Attributes:
      rules: the rules.
      pack: the cards dealt.
      hands: the cards held.
      stock: the face-down cards, the next one drawn first; they stay where they are after closing.
      turned_up: the turned-up card until it is drawn; it stays, too, after closing.
      trump: the trump suit.
      leader: who leads the trick.
      table: the card led to it, if one is.
      points: counted points.
      tricks: tricks won.
      pending: marriage points that wait for a trick.
      marriages: suits of the marriages scored.
      closing: the closing, if somebody closed.
      known: cards of the hand that the opponent knows to be there.
      played: cards laid on the table, that of the open trick included.
      result: how the deal ended, if it has.
      seen: what each player has seen of the deal, in order.
    """

    rules: Rules
    pack: Pack
    hands: tuple[Cards, Cards]
    stock: Cards
    turned_up: Card | None
    trump: Suit
    leader: int
    table: Card | None = None
    points: tuple[int, int] = (0, 0)
    tricks: tuple[int, int] = (0, 0)
    pending: tuple[int, int] = (0, 0)
    marriages: tuple[frozenset[Suit], frozenset[Suit]] = (frozenset(), frozenset())
    closing: Closing | None = None
    known: tuple[frozenset[Card], frozenset[Card]] = (frozenset(), frozenset())
    played: tuple[frozenset[Card], frozenset[Card]] = (frozenset(), frozenset())
    result: Result | None = None
    seen: tuple[tuple[Event, ...], tuple[Event, ...]] = ((), ())

    @staticmethod
    def dealt(rules: Rules, pack: Pack, deck: Sequence[int], leader: int) -> "Deal":
        """Deal: a hand to player 0, a hand to player 1, one card turned up, the rest face down."""
        cards = [pack.cards[number] for number in deck]
        first, second = pack.hand_size, 2 * pack.hand_size
        hands = (pack.sorted(cards[:first]), pack.sorted(cards[first:second]))
        turned_up = cards[second]
        up = pack.ids[turned_up]
        return Deal(
            rules=rules,
            pack=pack,
            hands=hands,
            stock=tuple(cards[second + 1 :]),
            turned_up=turned_up,
            trump=turned_up.suit,
            leader=leader,
            seen=(
                (("dealt", leader, up, pack.id_list(hands[0])),),
                (("dealt", leader, up, pack.id_list(hands[1])),),
            ),
        )

    @property
    def to_move(self) -> int:
        """The player to move, or -1 when the deal is over."""
        if self.result:
            return NOBODY
        return self.leader if self.table is None else 1 - self.leader

    @property
    def closed_by(self) -> int:
        """The closer, or -1."""
        return self.closing.by if self.closing else NOBODY

    @property
    def is_strict(self) -> bool:
        """Whether the talon is closed, or stock and turned-up card are both gone."""
        return self.closing is not None or self.turned_up is None

    # Actions

    @cached_property
    def legal_actions(self) -> tuple[Action, ...]:
        """What the player to move may do; nothing when the deal is over."""
        if self.result:
            return ()
        hand = self.hands[self.to_move]
        if self.table is not None:
            return tuple(Play(card) for card in self._replies(hand, self.table))
        actions: list[Action] = [Play(card) for card in hand]
        if self._may_exchange():
            actions.append(Exchange())
        if self._may_close():
            actions.append(Close())
        if self.rules.marriage_declare == "optional":
            actions += [Declare(card) for card in hand if self.scores_marriage(card)]
        return tuple(actions)

    @cached_property
    def legal_ids(self) -> tuple[int, ...]:
        """The ids of the legal actions, rising."""
        return tuple(sorted(self.pack.action_ids[action] for action in self.legal_actions))

    def _replies(self, hand: Cards, lead: Card) -> Cards:
        """Return the cards that may follow: all, or in strict play those that obey its duties."""
        if not self.is_strict:
            return hand
        following = tuple(card for card in hand if card.suit == lead.suit)
        higher = tuple(card for card in following if beats(card, lead, self.trump))
        trumps = tuple(card for card in hand if card.suit == self.trump)
        return higher or following or trumps or hand

    def _may_exchange(self) -> bool:
        return (
            not self.is_strict
            and len(self.stock) >= max(1, self.rules.exchange_min_stock)
            and self._exchange_card in self.hands[self.leader]
        )

    @property
    def _exchange_card(self) -> Card:
        return Card(self.trump, self.pack.lowest)

    def _may_close(self) -> bool:
        enough = len(self.stock) >= self.rules.close_min_stock
        return self.rules.closing and not self.is_strict and enough

    def scores_marriage(self, card: Card) -> bool:
        """Return whether leading `card` scores a marriage, if it is declared where it must be."""
        other_half = partner(card)
        if other_half is None or other_half not in self.hands[self.leader]:
            return False
        if self.rules.marriage_lead == "king" and card.rank != Rank.KING:
            return False
        if self.is_strict and not self.rules.marriage_when_strict:
            return False
        return card.suit not in self.marriages[self.leader]

    def marriage_value(self, suit: Suit) -> int:
        """Return what a marriage of `suit` counts."""
        return TRUMP_MARRIAGE_POINTS if suit == self.trump else MARRIAGE_POINTS

    def after(self, action: Action) -> "Deal":
        """Return the deal after an action, which is legal."""
        deal = self._noting(self.to_move, ("my turn", self.legal_ids))
        match action:
            case Exchange():
                return deal._exchanged()
            case Close():
                return deal._closed()
            case Declare(card):
                return deal._led(card, declared=True)
            case Play(card) if self.table is None:
                return deal._led(card, declared=False)
            case Play(card):
                return deal._replied(card)

    def _exchanged(self) -> "Deal":
        assert self.turned_up is not None
        taken, given = self.turned_up, self._exchange_card
        hand = [taken, *(card for card in self.hands[self.leader] if card != given)]
        deal = replace(
            self,
            hands=with_seat(self.hands, self.leader, self.pack.sorted(hand)),
            turned_up=given,
            known=with_seat(self.known, self.leader, self.known[self.leader] | {taken}),
        )
        return deal._noting_for_both(("exchange", self.leader, self.pack.ids[taken]))

    def _closed(self) -> "Deal":
        closing = Closing(by=self.leader, tricks=self.tricks, points=self.points)
        return replace(self, closing=closing)._noting_for_both(("close", self.leader))

    # A trick

    def _led(self, card: Card, *, declared: bool) -> "Deal":
        by_itself = self.rules.marriage_declare == "auto" and self.scores_marriage(card)
        if not (declared or by_itself):
            return replace(self._laid(self.leader, card), table=card)
        deal = self._scoring_marriage(card)
        at_once = self.rules.sixty_six == "at_once"
        if at_once and deal.points[self.leader] >= WINNING_POINTS:
            return deal._ended(self.leader, Ending.MARRIAGE)
        return replace(deal._laid(self.leader, card), table=card)

    def _scoring_marriage(self, card: Card) -> "Deal":
        """Score the marriage of a K or Q that is still in hand; both halves are public now."""
        player, value = self.leader, self.marriage_value(card.suit)
        other_half = partner(card)
        assert other_half is not None
        deal = replace(
            self,
            marriages=with_seat(self.marriages, player, self.marriages[player] | {card.suit}),
            known=with_seat(self.known, player, self.known[player] | {card, other_half}),
        )
        if self._marriage_waits(player):
            deal = replace(deal, pending=add(deal.pending, player, value))
        else:
            deal = replace(deal, points=add(deal.points, player, value))
        return deal._noting_for_both(("marriage", player, self.pack.ids[card], value))

    def _marriage_waits(self, player: int) -> bool:
        """Return whether the points of a marriage scored now wait for a trick."""
        if self.rules.marriage_points == "after_a_trick":
            return self.tricks[player] == 0
        return self.rules.marriage_points == "next_trick"

    def _laid(self, player: int, card: Card) -> "Deal":
        """Move a card from the hand to the table."""
        hand = tuple(held for held in self.hands[player] if held != card)
        deal = replace(
            self,
            hands=with_seat(self.hands, player, hand),
            known=with_seat(self.known, player, self.known[player] - {card}),
            played=with_seat(self.played, player, self.played[player] | {card}),
        )
        return deal._noting_for_both(("play", player, self.pack.ids[card]))

    def _replied(self, card: Card) -> "Deal":
        assert self.table is not None
        follower = 1 - self.leader
        winner = follower if beats(card, self.table, self.trump) else self.leader
        deal = self._laid(follower, card)
        trick_points = points_of((self.table, card))
        deal = replace(
            deal,
            table=None,
            tricks=add(deal.tricks, winner, 1),
            points=add(deal.points, winner, trick_points + deal.pending[winner]),
            pending=with_seat(deal.pending, winner, 0),
        )
        return deal._noting_for_both(("trick", winner, trick_points))._after_trick(winner)

    def _after_trick(self, winner: int) -> "Deal":
        for player in (winner, 1 - winner):
            if self.points[player] >= WINNING_POINTS:
                return self._ended(player, Ending.TRICK)
        deal = replace(self, leader=winner)
        if deal.tricks[winner] == self.pack.tricks:
            return deal._ended(winner, Ending.DURCHMARSCH)
        if not any(deal.hands):
            if deal.closing:
                return deal._ended(1 - deal.closing.by, Ending.CLOSER_FAILED)
            return deal._ended(winner, Ending.LAST_TRICK)
        return deal if deal.is_strict else deal._drawn(winner)

    def _drawn(self, winner: int) -> "Deal":
        """Draw a card each, the winner of the trick first; the turned-up card goes last."""
        assert self.turned_up is not None
        loser = 1 - winner
        first, *rest = self.stock
        deal = self._drawing(winner, first)
        if rest:
            return replace(deal._drawing(loser, rest[0]), stock=tuple(rest[1:]))
        deal = deal._drawing(loser, self.turned_up)
        known = with_seat(deal.known, loser, deal.known[loser] | {self.turned_up})
        return replace(deal, stock=(), turned_up=None, known=known)

    def _drawing(self, player: int, card: Card) -> "Deal":
        hand = self.pack.sorted((*self.hands[player], card))
        deal = replace(self, hands=with_seat(self.hands, player, hand))
        return deal._noting(player, ("draw", self.pack.ids[card]))

    # End of the deal

    def _ended(self, winner: int, ending: Ending) -> "Deal":
        paid = game_points(self.rules, ending, winner, self.tricks, self.points, self.closing)
        deal = replace(self, result=Result(winner, ending, paid))
        return deal._noting_for_both(("end", winner, ending.name, paid))

    # What the players see

    def _noting(self, player: int, event: Event) -> "Deal":
        return replace(self, seen=with_seat(self.seen, player, (*self.seen[player], event)))

    def _noting_for_both(self, event: Event) -> "Deal":
        return replace(self, seen=((*self.seen[0], event), (*self.seen[1], event)))
