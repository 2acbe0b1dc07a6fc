"""A position of one round of Bezique: what there is, who may do what, and what a refusal says.

The steps that lead from one position to the next are in `bezique_round.py`; the rules are told in
`envs/bezique/README.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import NoReturn, Self, TypeVar

from talonax.configs.bezique.schema import Rules
from talonax.parity.bezique_errors import Fault, NotYourTurn, WrongPhase
from talonax.parity.bezique_events import Dealt, Event, MyTurn, RoundStart, Scored, TurnedUp
from talonax.parity.bezique_melds import NOTHING_USED, Used, kinds_of, legal_melds
from talonax.parity.bezique_pack import (
    ACTION_IDS,
    CARDS,
    HAND_SIZE,
    MOVES,
    NUM_TYPES,
    Action,
    BeziqueCard,
    Cards,
    Declare,
    Done,
    Play,
    Swap,
    counts,
)
from talonax.parity.bezique_score import Scores, is_trump_seven, turn_up_points
from talonax.parity.bezique_trick import strict_replies
from talonax.parity.cards import Rank, Suit
from talonax.parity.game import NOBODY, Move, Refused

_T = TypeVar("_T")


class Phase(IntEnum):
    """What is being done."""

    PLAY = 0
    TURN = 1
    LAST_NINE = 2
    OVER = 3


#: The phases in words.
PHASE_NAMES = {
    Phase.PLAY: "play",
    Phase.TURN: "the winner's turn",
    Phase.LAST_NINE: "the last nine tricks",
    Phase.OVER: "the round is over",
}

#: The number of a move that is no action, as the play of one of several copies.
NO_ACTION = -1


def with_seat(seats: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    """Return `seats` with the entry of one seat replaced."""
    return (*seats[:seat], value, *seats[seat + 1 :])


def without(cards: Cards, *gone: BeziqueCard) -> Cards:
    """Return cards without some of them."""
    return tuple(card for card in cards if card not in gone)


def in_order(cards: Sequence[BeziqueCard]) -> Cards:
    """Return cards by rising id."""
    return tuple(sorted(cards, key=lambda card: card.id))


@dataclass(frozen=True)
class Position:
    """What there is in a round; tuples over players are by seat.

    Attributes:
      rules: the rules.
      dealer: his seat.
      trump: the trump suit; the turned-up card may go, the suit stays.
      hands: the cards in hand, by id.
      tables: the cards that lie melded, by id.
      stock: the face-down cards; the first is drawn next.
      turned_up: the card that is turned up, until it is drawn.
      leader: who leads, or led, the trick; in the winner's turn the winner.
      phase: what is being done.
      trick: the cards of the open trick, in the order of play.
      gone: the cards of complete tricks, in the order of play.
      last_winner: who won the last complete trick; -1 before the first.
      melded: whether the winner has laid a meld in this turn.
      swapped: whether the seven has been swapped in this round.
      used: by kind of meld, the cards that have been in one.
      known: by seat and type, how many cards of the hand all know.
      points: scored in this round.
      last_tricks: how many of the last nine tricks are complete.
      brisques: aces and tens won.
      events: what has happened in the round.
    """

    rules: Rules
    dealer: int
    trump: Suit
    hands: tuple[Cards, ...]
    tables: tuple[Cards, ...]
    stock: Cards
    turned_up: BeziqueCard | None
    leader: int
    phase: Phase = Phase.PLAY
    trick: Cards = ()
    gone: Cards = ()
    last_winner: int = NOBODY
    melded: bool = False
    swapped: bool = False
    used: Used = NOTHING_USED
    known: tuple[tuple[int, ...], ...] = ()
    points: Scores = ()
    last_tricks: int = 0
    brisques: Scores = ()
    events: tuple[Event, ...] = ()

    @classmethod
    def dealt(cls, rules: Rules, deck: Sequence[int], dealer: int, number: int = 0) -> Self:
        """Deal: nine cards to each seat, the next is turned up, the rest is the stock."""
        cards, players = tuple(CARDS[each] for each in deck), rules.players
        hands = tuple(cards[HAND_SIZE * seat : HAND_SIZE * (seat + 1)] for seat in range(players))
        turned_up, passed_over, stock = turn_up(rules, cards[HAND_SIZE * players :])
        points = turn_up_points(turned_up)
        events: list[Event] = [RoundStart(number, dealer)]
        events += [Dealt(seat, in_order(hand)) for seat, hand in enumerate(hands)]
        events.append(TurnedUp(turned_up, passed_over))
        if points:
            events.append(Scored(dealer, points, "seven turned up"))
        return cls(
            rules=rules,
            dealer=dealer,
            trump=Suit.DIAMONDS if turned_up.suit is None else turned_up.suit,
            hands=tuple(map(in_order, hands)),
            tables=((),) * players,
            stock=stock,
            turned_up=turned_up,
            leader=(dealer + 1) % players,
            known=((0,) * NUM_TYPES,) * players,
            points=with_seat((0,) * players, dealer, points),
            brisques=(0,) * players,
            events=tuple(events),
        )

    @property
    def players(self) -> int:
        """How many play."""
        return self.rules.players

    @property
    def to_move(self) -> int:
        """The seat to move, or -1 when the round is over."""
        if self.phase is Phase.OVER:
            return NOBODY
        return (self.leader + len(self.trick)) % self.players

    # How many cards of each type there are; asked for by every player's view

    @cached_property
    def hand_counts(self) -> tuple[list[int], ...]:
        """By seat and type, how many cards are in hand."""
        return tuple(map(counts, self.hands))

    @cached_property
    def table_counts(self) -> tuple[list[int], ...]:
        """By seat and type, how many cards lie on the table."""
        return tuple(map(counts, self.tables))

    @cached_property
    def gone_counts(self) -> list[int]:
        """By type, how many cards are in complete tricks."""
        return counts(self.gone)

    # What may be done

    @cached_property
    def legal_ids(self) -> tuple[int, ...]:
        """The ids of the legal actions, rising; none when the round is over."""
        return tuple(sorted({ACTION_IDS[action] for action in self._legal_actions()}))

    def _legal_actions(self) -> list[Action]:
        seat = self.to_move
        match self.phase:
            case Phase.PLAY:
                in_hand = [Play(card.type) for card in self.hands[seat]]
                return [*in_hand, *(Play(card.type, True) for card in self.tables[seat])]
            case Phase.TURN:
                return self._turn_actions(seat)
            case Phase.LAST_NINE:
                replies = strict_replies(self.hands[seat], self.trick, self.trump)
                return [Play(card.type) for card in replies]
        return []

    def _turn_actions(self, seat: int) -> list[Action]:
        actions: list[Action] = [Done()]
        if self.seven_to_swap(seat) is not None and self.may_swap_for:
            actions.append(Swap())
        if not self.melded:
            hand, table = self.hands[seat], self.tables[seat]
            most = self.rules.max_jokers
            actions += map(Declare, legal_melds(hand, table, self.used, self.trump, most))
        return actions

    @property
    def may_swap_for(self) -> bool:
        """Whether the turned-up card may be taken: it is there, and is no seven."""
        return self.turned_up is not None and self.turned_up.rank != Rank.SEVEN

    def seven_to_swap(self, seat: int) -> BeziqueCard | None:
        """Return the trump seven of a hand, of the lowest pack, if there is one."""
        return next((card for card in self.hands[seat] if is_trump_seven(card, self.trump)), None)

    def copy_to_play(self, action: Play, seat: int) -> BeziqueCard | None:
        """Return the card that the action of playing a type takes, if there is one.

        From hand that of the lowest pack; from the table the one that has been in most melds, then
        that of the lowest pack.
        """
        if not action.from_table:
            return next((card for card in self.hands[seat] if card.type == action.type), None)
        copies = [card for card in self.tables[seat] if card.type == action.type]
        # `max` keeps the first of equals, and tables are in the order of ids.
        return max(copies, key=lambda card: len(kinds_of(card, self.used)), default=None)

    # What is refused

    def _refuse(self, what: Action | str, error: type[Refused], reason: str) -> NoReturn:
        name = what if isinstance(what, str) else what.name
        number = NO_ACTION if isinstance(what, str) else ACTION_IDS[what]
        raise error(Move(number, name), [MOVES[legal] for legal in self.legal_ids], reason)

    def _check(self, fault: Fault | None, what: Action | str) -> None:
        if fault is not None:
            self._refuse(what, *fault)

    def _check_turn(self, player: int, phases: tuple[Phase, ...], what: Action | str) -> None:
        if self.phase not in phases:
            now = PHASE_NAMES[self.phase]
            self._refuse(what, WrongPhase, f"{now}; it belongs to {PHASE_NAMES[phases[0]]}")
        if player != self.to_move:
            self._refuse(what, NotYourTurn, f"player {self.to_move} is to move, not {player}")

    # Small changes

    def noting(self, *events: Event) -> Self:
        """Return the position with something that has happened."""
        return replace(self, events=(*self.events, *events))

    def scoring(self, player: int, points: int, why: str) -> Self:
        """Return the position with points for a player, and the event that says so; 0: neither."""
        if not points:
            return self
        after = with_seat(self.points, player, self.points[player] + points)
        event = Scored(player, points, why)
        return replace(self, points=after, events=(*self.events, event))

    def knowing(self, player: int, cards: Sequence[BeziqueCard]) -> tuple[tuple[int, ...], ...]:
        """Return what is known of the hands, with cards that all saw go into one."""
        row = list(self.known[player])
        for card in cards:
            row[card.type] += 1
        return with_seat(self.known, player, tuple(row))

    def forgetting(self, player: int, cards: Sequence[BeziqueCard]) -> tuple[tuple[int, ...], ...]:
        """Return what is known of the hands, after cards have left one before everybody's eyes."""
        row = list(self.known[player])
        for card in cards:
            row[card.type] = max(0, row[card.type] - 1)
        return with_seat(self.known, player, tuple(row))

    def _my_turn(self) -> Self:
        """Note for the player to move what he could choose from."""
        return self.noting(MyTurn(self.to_move, self.legal_ids))


def turn_up(rules: Rules, cards: Cards) -> tuple[BeziqueCard, Cards, Cards]:
    """Turn up the first of the cards that are left after the deal.

    Under `joker_turnup: redraw` Jokers are passed over, and go to the end of the stock.

    Returns:
      The turned-up card, the Jokers passed over, and the stock.
    """
    first = 0
    if rules.joker_turnup == "redraw":
        first = next(place for place, card in enumerate(cards) if not card.is_joker)
    passed_over = cards[:first]
    return cards[first], passed_over, (*cards[first + 1 :], *passed_over)
