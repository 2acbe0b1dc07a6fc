"""One round of Bezique, step by step: tricks, the winner's turns, the draw, the last nine tricks.

The sections of the rules (`envs/bezique/README.md`), in this order. Each step has a method of its
own, which says by a named error which rule forbids it; `after` makes a step out of an action. A
`Round` never changes; every step makes a new one. Totals are not known here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from talonax.parity.bezique_errors import (
    CardNotHeld,
    MeldDone,
    NoSeven,
    NotAMeld,
    SevenTurnedUp,
)
from talonax.parity.bezique_events import (
    Drawn,
    Melded,
    Played,
    RoundEnd,
    Swapped,
    TablesReturned,
    TrickEnd,
    TurnEnd,
)
from talonax.parity.bezique_melds import (
    choose,
    fault_of_meld,
    kinds_of,
    meld_of,
    with_used,
)
from talonax.parity.bezique_pack import (
    Action,
    BeziqueCard,
    Cards,
    Declare,
    Done,
    Kind,
    Meld,
    Play,
    Swap,
    kind_name,
)
from talonax.parity.bezique_position import Phase, Position, in_order, with_seat, without
from talonax.parity.bezique_score import (
    brisque_points,
    count_brisques,
    last_trick_points,
    meld_points,
    play_points,
)
from talonax.parity.bezique_trick import fault_of_reply, winning_place

PLAYING = (Phase.PLAY, Phase.LAST_NINE)
TURN = (Phase.TURN,)


@dataclass(frozen=True)
class Round(Position):
    """A round, and the steps that may be made in it."""

    def after(self, action: Action) -> "Round":
        """Return the round after an action of the player to move.

        Raises:
          Refused: it is not legal; by a name of its own.
        """
        player = self.to_move
        match action:
            case Play():
                card = self.copy_to_play(action, player)
                if card is None:
                    where = "on the table" if action.from_table else "in hand"
                    self._check_turn(player, PLAYING, action)
                    self._refuse(action, CardNotHeld, f"no such card is {where}")
                return self.play_card(player, card)
            case Done():
                return self.done(player)
            case Swap():
                return self.swap_seven(player)
            case Declare(meld):
                return self._declare_action(player, meld)

    def cards_of(self, action: Action) -> Cards:
        """Return the very cards that a legal action takes, in the order of a meld's places."""
        player = self.to_move
        match action:
            case Play():
                card = self.copy_to_play(action, player)
                return () if card is None else (card,)
            case Swap():
                seven = self.seven_to_swap(player)
                return () if seven is None else (seven,)
            case Declare(meld):
                hand, table = self.hands[player], self.tables[player]
                return choose(meld, hand, table, self.used, self.trump) or ()
        return ()

    # Play

    def play_card(self, player: int, card: BeziqueCard) -> "Round":
        """Play a card of the hand or of the table.

        Raises:
          WrongPhase, NotYourTurn, CardNotHeld: in this order.
          MustFollow, MustBeat, MustTrump, MustOvertrump: a duty of the last nine tricks.
        """
        from_table = card in self.tables[player]
        what = Play(card.type, from_table)
        self._check_turn(player, PLAYING, what)
        if not from_table and card not in self.hands[player]:
            self._refuse(what, CardNotHeld, f"{card} is neither in hand nor on the table")
        strict = self.phase is Phase.LAST_NINE
        if strict:
            self._check(fault_of_reply(card, self.hands[player], self.trick, self.trump), what)
        scored = play_points(card, self.trump, counts=not strict or self.rules.seven_in_phase2)
        laid = self._my_turn()._laid(player, card, from_table)
        laid = laid.scoring(player, scored, "trump seven played")
        return laid if len(laid.trick) < laid.players else laid._trick_taken()

    def _laid(self, player: int, card: BeziqueCard, from_table: bool) -> "Round":
        """Move a card from hand or table to the trick."""
        trick = (*self.trick, card)
        if from_table:
            event = Played(player, card, True, kinds_of(card, self.used))
            tables = with_seat(self.tables, player, without(self.tables[player], card))
            return replace(self, tables=tables, trick=trick).noting(event)
        hands = with_seat(self.hands, player, without(self.hands[player], card))
        known = self.forgetting(player, (card,))
        after = replace(self, hands=hands, known=known, trick=trick)
        return after.noting(Played(player, card, False))

    def _trick_taken(self) -> "Round":
        place = winning_place(self.trick, self.trump)
        winner, winning = (self.leader + place) % self.players, self.trick[place]
        won = self.brisques[winner] + count_brisques(self.trick)
        after = replace(
            self,
            trick=(),
            gone=(*self.gone, *self.trick),
            leader=winner,
            last_winner=winner,
            brisques=with_seat(self.brisques, winner, won),
            events=(*self.events, TrickEnd(winner, self.trick)),
        )
        if self.phase is Phase.PLAY:
            return replace(after, phase=Phase.TURN)
        after = replace(after, last_tricks=self.last_tricks + 1)
        return after if any(after.hands) else after._ended(winner, winning)

    # The winner's turn

    def declare(self, player: int, cards: Sequence[BeziqueCard], kind: Kind) -> "Round":
        """Lay a meld of these very cards.

        Raises:
          WrongPhase, NotYourTurn, MeldDone: he may lay none.
          CardNotHeld, TooManyJokers, NotAMeld, AlreadyMelded, NothingFromHand: not this one; in
            this order.
        """
        meld = meld_of(kind, cards, self.trump)
        what = f"meld {kind_name(kind)}" if meld is None else Declare(meld)
        self._check_may_meld(player, what)
        hand, table = self.hands[player], self.tables[player]
        fault = fault_of_meld(
            kind,
            cards,
            hand=hand,
            table=table,
            used=self.used,
            trump=self.trump,
            max_jokers=self.rules.max_jokers,
        )
        self._check(fault, what)
        assert meld is not None
        after = self._my_turn()._melded(player, kind, in_order(cards))
        return after.scoring(player, meld_points(meld, self.trump), meld.name)

    def _check_may_meld(self, player: int, what: Action | str) -> None:
        self._check_turn(player, TURN, what)
        if self.melded:
            self._refuse(what, MeldDone, "one meld is laid after a trick, and one has been")

    def _declare_action(self, player: int, meld: Meld) -> "Round":
        """Lay the meld of an action, of the cards that the rules prescribe."""
        cards = self.cards_of(Declare(meld))
        if not cards:
            self._check_may_meld(player, Declare(meld))
            self._refuse(
                Declare(meld),
                NotAMeld,
                "eligible cards that make it, at least one of them in hand, are not there",
            )
        return self.declare(player, cards, meld.kind)

    def _melded(self, player: int, kind: Kind, cards: Cards) -> "Round":
        """Lay the cards of a meld on the table, those that are not there yet."""
        hand, table = self.hands[player], self.tables[player]
        new = tuple(card for card in cards if card in hand)
        event = Melded(
            player,
            kind,
            cards,
            tuple(card in new for card in cards),
            tuple(kinds_of(card, self.used) for card in cards),
        )
        after = replace(
            self,
            hands=with_seat(self.hands, player, without(hand, *new)),
            tables=with_seat(self.tables, player, in_order((*table, *new))),
            known=self.forgetting(player, new),
            used=with_used(self.used, kind, cards),
            melded=True,
        )
        return after.noting(event)

    def swap_seven(self, player: int) -> "Round":
        """Take the turned-up card for the trump seven of the lowest pack in hand.

        Raises:
          WrongPhase, NotYourTurn: not the turn of this player as the winner of a trick.
          SevenTurnedUp: a seven is turned up, from the deal on or by an earlier swap.
          NoSeven: none in hand; one on the table does not do.
        """
        self._check_turn(player, TURN, Swap())
        if not self.may_swap_for:
            self._refuse(Swap(), SevenTurnedUp, f"{self.turned_up} is turned up")
        seven, taken = self.seven_to_swap(player), self.turned_up
        if seven is None:
            self._refuse(Swap(), NoSeven, "no trump seven is in hand")
        assert taken is not None
        held = in_order((*without(self.hands[player], seven), taken))
        after = replace(
            self._my_turn(),
            hands=with_seat(self.hands, player, held),
            turned_up=seven,
            swapped=True,
            known=self.knowing(player, (taken,)),
        )
        return after.noting(Swapped(player, seven, taken)).scoring(
            player, play_points(seven, self.trump), "seven swapped"
        )

    def done(self, player: int) -> "Round":
        """End the turn of who has won the trick; then all draw.

        Raises:
          WrongPhase, NotYourTurn: not the turn of this player as the winner of a trick.
        """
        self._check_turn(player, TURN, Done())
        after = replace(self._my_turn(), phase=Phase.PLAY, melded=False)
        return after.noting(TurnEnd(player))._drawn()

    # The draw

    def _drawn(self) -> "Round":
        """Let all draw one card, the winner first; the last card of all is the turned-up one."""
        seats = [(self.leader + place) % self.players for place in range(self.players)]
        is_last = self.turned_up is not None and len(self.stock) + 1 == self.players
        drawn = list(self.stock[: self.players])
        if is_last and self.turned_up is not None:
            drawn.append(self.turned_up)
        after = replace(self, stock=self.stock[self.players :])
        for seat, card in zip(seats, drawn, strict=True):
            held = in_order((*after.hands[seat], card))
            after = replace(after, hands=with_seat(after.hands, seat, held))
            after = after.noting(Drawn(seat, card, shown=card == self.turned_up))
        return after._stock_gone(seats[-1]) if is_last else after

    def _stock_gone(self, last: int) -> "Round":
        """Take all table cards back to hand; the last nine tricks begin.

        Args:
          last: who drew the turned-up card.
        """
        assert self.turned_up is not None
        after = replace(self, known=self.knowing(last, (self.turned_up,)), turned_up=None)
        for seat, table in enumerate(self.tables):
            held = in_order((*after.hands[seat], *table))
            after = replace(
                after,
                hands=with_seat(after.hands, seat, held),
                known=after.knowing(seat, table),
            )
        nothing: tuple[Cards, ...] = ((),) * self.players
        after = replace(after, tables=nothing, phase=Phase.LAST_NINE)
        return after.noting(TablesReturned(self.tables))

    # The end of the round

    def _ended(self, winner: int, winning: BeziqueCard) -> "Round":
        """Score the last trick, and in an advanced game the aces and tens."""
        points = last_trick_points(winning, self.trump)
        after = self.scoring(winner, points, "last trick")
        for seat, brisques in enumerate(self.brisques):
            after = after.scoring(seat, brisque_points(self.rules, brisques), "aces and tens")
        after = replace(after, phase=Phase.OVER)
        return after.noting(RoundEnd(after.points, after.brisques))
