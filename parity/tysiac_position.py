"""A position of one hand of Tysiac: what there is, who may do what, and what a refusal says.

The steps that lead from one position to the next are in `tysiac_hand.py`; the rules are told in
`envs/tysiac/README.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import cached_property
from typing import Any, NoReturn, Self

from talonax.configs.tysiac.schema import Rules
from talonax.parity.cards import Card, Suit
from talonax.parity.game import NOBODY, Move, Refused
from talonax.parity.tysiac_auction import (
    Auction,
    BombClosed,
    Fault,
    PassedAlready,
    with_seat,
)
from talonax.parity.tysiac_pack import (
    ACTION_IDS,
    CARDS,
    CONTRACTS,
    HAND_SIZE,
    MOVES,
    MUSIK_SIZE,
    NUM_MUSIKS,
    Action,
    Bid,
    Bomb,
    Cards,
    Challenge,
    Contract,
    Declare,
    Pass,
    Play,
    Rebomb,
    Take,
    beats,
    id_list,
    in_order,
    partner,
    points_of,
)

Phase = IntEnum("Phase", "AUCTION TAKE RETURN CONTRACT BOMB REBOMB PLAY OVER", start=0)

#: Seats that take part: everything by seat is a pair.
SEATS = (0, 1)

NOT_TAKEN = -1
#: The number of a move that is no action at all, as a bid of 210.
NO_ACTION = -1

#: Something that a player saw: its kind, then plain numbers.
Event = tuple[Any, ...]


class Ending(Enum):
    """How a hand ended."""

    PASSED_OUT = "forehand passed: no score"
    UNPROVEN = "a challenged bid could not be proven"
    PLAYED = "all tricks were played"


def add(pair: tuple[int, int], seat: int, amount: int) -> tuple[int, int]:
    """Return `pair` with `amount` added for one seat."""
    return with_seat(pair, seat, pair[seat] + amount)


@dataclass(frozen=True)
class Position:
    """What there is in a hand; pairs are by seat.

    Attributes:
      rules: the rules.
      dealer: his seat; the other is forehand.
      hands: the cards held.
      musiks: the two musiki as dealt.
      auction: the bids.
      phase: what is being done.
      declarer: who has won the auction, or -1.
      taken: the musik that he took, or -1.
      returned: the cards that he returned.
      contract: what he named; 0 before.
      doubling: 1; 2 after a bomb, 4 after a re-bomb.
      leader: who leads, or led, the trick; -1 before the first.
      table: the card led to it, if one is.
      last: the cards of the trick before it, as they were played; none before the first.
      trump: the trump suit, if there is one yet.
      declared: suits of the marriages declared.
      points: points of the tricks won and the marriages declared.
      tricks: tricks won.
      played: cards laid on the table, that of the open trick included.
      known: cards that the opponent knows to be in the hand. While the declarer is returning he is
        taken to hold the whole musik: nobody sees what he returns.
      ending: how the hand ended, if it has.
      seen: what each player has seen of the hand, in order.
    """

    rules: Rules
    dealer: int
    hands: tuple[Cards, Cards]
    musiks: tuple[Cards, Cards]
    auction: Auction
    phase: Phase = Phase.AUCTION
    declarer: int = NOBODY
    taken: int = NOT_TAKEN
    returned: Cards = ()
    contract: int = 0
    doubling: int = 1
    leader: int = NOBODY
    table: Card | None = None
    last: Cards = ()
    trump: Suit | None = None
    declared: tuple[frozenset[Suit], frozenset[Suit]] = (frozenset(), frozenset())
    points: tuple[int, int] = (0, 0)
    tricks: tuple[int, int] = (0, 0)
    played: tuple[frozenset[Card], frozenset[Card]] = (frozenset(), frozenset())
    known: tuple[frozenset[Card], frozenset[Card]] = (frozenset(), frozenset())
    ending: Ending | None = None
    seen: tuple[tuple[Event, ...], tuple[Event, ...]] = ((), ())

    @classmethod
    def dealt(cls, rules: Rules, deck: Sequence[int], dealer: int) -> Self:
        """Deal: ten cards to player 0, ten to player 1, then the two musiki."""
        cards = [CARDS[number] for number in deck]
        sizes = (HAND_SIZE,) * len(SEATS) + (MUSIK_SIZE,) * NUM_MUSIKS
        parts = []
        for size in sizes:
            parts.append(in_order(cards[:size]))
            cards = cards[size:]
        return cls(
            rules=rules,
            dealer=dealer,
            hands=(parts[0], parts[1]),
            musiks=(parts[2], parts[3]),
            auction=Auction(rules, to_act=1 - dealer),
            seen=(
                (("dealt", dealer, id_list(parts[0])),),
                (("dealt", dealer, id_list(parts[1])),),
            ),
        )

    @property
    def to_move(self) -> int:
        """The player to move, or -1 when the hand is over."""
        match self.phase:
            case Phase.AUCTION:
                return self.auction.to_act
            case Phase.BOMB:
                return 1 - self.declarer
            case Phase.PLAY:
                return self.leader if self.table is None else 1 - self.leader
            case Phase.OVER:
                return NOBODY
        return self.declarer

    @property
    def raw(self) -> tuple[int, int]:
        """The points that are scored: returned cards included, where they count."""
        if self.rules.return_to != "declarer" or self.declarer == NOBODY:
            return self.points
        return add(self.points, self.declarer, points_of(self.returned))

    # What may be done

    @cached_property
    def legal_actions(self) -> tuple[Action, ...]:
        """What the player to move may do; nothing when the hand is over."""
        match self.phase:
            case Phase.AUCTION:
                return self._auction_actions()
            case Phase.TAKE:
                return tuple(Take(number) for number in range(NUM_MUSIKS))
            case Phase.RETURN:
                return tuple(Play(card) for card in self.hands[self.declarer])
            case Phase.CONTRACT:
                return tuple(Contract(amount) for amount in CONTRACTS if self._may_name(amount))
            case Phase.BOMB:
                return (Pass(), Bomb())
            case Phase.REBOMB:
                return (Pass(), Rebomb())
            case Phase.PLAY:
                return self._play_actions()
        return ()

    @cached_property
    def legal_ids(self) -> tuple[int, ...]:
        """The ids of the legal actions, rising."""
        return tuple(sorted(ACTION_IDS[action] for action in self.legal_actions))

    def _auction_actions(self) -> tuple[Action, ...]:
        auction = self.auction
        actions: list[Action] = [Pass()] if auction.may_pass else []
        if auction.next_bid is not None and auction.may_raise(self.hands[auction.to_act]):
            actions.append(Bid(auction.next_bid))
        if auction.may_challenge:
            actions.append(Challenge())
        return tuple(actions)

    def _may_name(self, amount: int) -> bool:
        return amount in CONTRACTS and amount >= self.auction.high_bid

    def _play_actions(self) -> tuple[Action, ...]:
        hand = self.hands[self.to_move]
        if self.table is not None:
            return tuple(Play(card) for card in self._replies(hand, self.table))
        plain = [Play(card) for card in hand]
        return (*plain, *(Declare(card) for card in hand if self.may_declare(card)))

    def may_declare(self, card: Card) -> bool:
        """Return whether leading `card` may declare a marriage: its partner is held, too."""
        other_half = partner(card)
        return other_half is not None and other_half in self.hands[self.leader]

    def _replies(self, hand: Cards, lead: Card) -> Cards:
        """Return the cards that may follow: the table of *Play*."""
        following = tuple(card for card in hand if card.suit == lead.suit)
        higher = tuple(card for card in following if beats(card, lead, self.trump))
        if following:
            return higher or following
        trumps = tuple(card for card in hand if card.suit == self.trump)
        return trumps if trumps and self.rules.must_trump_when_void else hand

    # What is refused

    def _refuse(self, what: Action | str, error: type[Refused], reason: str) -> NoReturn:
        name = what if isinstance(what, str) else what.name
        number = NO_ACTION if isinstance(what, str) else ACTION_IDS.get(what, NO_ACTION)
        legal = tuple(MOVES[legal] for legal in self.legal_ids)
        raise error(Move(number, name), legal, reason)

    def _check(self, fault: Fault | None, what: Action | str) -> None:
        if fault is not None:
            self._refuse(what, *fault)

    def _check_turn(self, player: int, phase: Phase, what: Action | str) -> None:
        if self.phase is not phase:
            self._refuse(what, Refused, f"the phase is: {self.phase.name.lower()}")
        if player != self.to_move:
            self._refuse(what, Refused, f"player {self.to_move} is to move")

    def _check_in_auction(self, player: int, what: Action | str) -> None:
        if self.auction.passed[player]:
            self._refuse(what, PassedAlready, f"player {player} has passed")
        self._check_turn(player, Phase.AUCTION, what)

    def _check_window(self, player: int, window: tuple[Phase, ...], what: Action | str) -> None:
        if self.phase not in window:
            self._refuse(what, BombClosed, "its window is not open")
        self._check_turn(player, self.phase, what)

    # What the players see

    def _knowing(self, player: int, cards: Cards) -> Self:
        """Return the hand with cards of one player known to the other."""
        known = self.known[player].union(cards)
        return replace(self, known=with_seat(self.known, player, known))

    def _my_turn(self) -> Self:
        """Note for the player to move what he could choose from."""
        return self.noting_to(self.to_move, ("my turn", self.legal_ids))

    def noting_to(self, player: int, event: Event) -> Self:
        """Return the position with something that one player has seen."""
        return replace(self, seen=with_seat(self.seen, player, (*self.seen[player], event)))

    def noting(self, event: Event) -> Self:
        """Return the position with something that both have seen."""
        return replace(self, seen=((*self.seen[0], event), (*self.seen[1], event)))
