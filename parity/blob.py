"""Blob (Oh Hell): the reference engine. The game around its rounds: plan, totals, the interface.

The rules are told in `envs/blob/README.md`; `blob_round.py` plays and counts a round
(`blob_pack.py` has its cards), `blob_view.py` shows it, `blob_scenarios.py` drives it to rare
places.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from talonax.configs.blob.schema import DECK_SIZE, Rules, dealer_of, round_cards
from talonax.parity.blob_pack import (
    BIDS,
    CARDS,
    IDS,
    PLAYS,
    SUIT_IDS,
    checked_deck,
    id_list,
)
from talonax.parity.blob_round import (
    HookedBid,
    IllegalBid,
    NotInHand,
    OutOfTurn,
    Phase,
    Revoke,
    Round,
)
from talonax.parity.blob_scenarios import scenarios
from talonax.parity.blob_view import LAYOUTS, NO_TRUMP, View
from talonax.parity.card_tensor import CardTensor
from talonax.parity.cards import Card
from talonax.parity.game import (
    Decks,
    Facts,
    GameSpec,
    GameState,
    IllegalMoveError,
    Move,
    Paying,
    Refused,
    Scenario,
    check_table,
    deck_source,
    shuffled,
)

#: Something that was seen: its kind, then plain numbers.
Event = tuple[Any, ...]

#: Events that only the seat after the kind has seen.
PRIVATE = ("dealt", "my turn")

TABLE = ("dealer", "round", "cards", "scores")


@dataclass(frozen=True)
class BlobState(Paying, GameState):
    """A position of the game: the round that is being played, and the game around it.

    Attributes:
      spec: the game.
      round: the round that is being played, or the last one when the game is over.
      plan: the cards dealt in each round of the game.
      decks: where the cards of each deal come from.
      scores: the totals, by seat.
      earned: what the last move earned each seat.
      total: what the whole game earned each seat so far.
      deal: which deal it is; 0 for the first that was played.
      done: how many rounds of the plan are done.
      ended: the round that the last move ended, if it did, as it ended.
      log: all that anybody has seen, in order.
    """

    spec: "BlobSpec"
    round: Round
    plan: tuple[int, ...]
    decks: Decks = field(compare=False, repr=False)
    scores: tuple[int, ...]
    earned: tuple[float, ...]
    total: tuple[float, ...]
    deal: int = 0
    done: int = 0
    ended: Round | None = None
    log: tuple[Event, ...] = ()

    def current_player(self) -> int:
        """Return the seat to move, or -1 when the game is over."""
        return self.round.to_move

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves by rising id, named as bids or as cards; none at the end."""
        return self.round.legal_moves

    def is_terminal(self) -> bool:
        """Return whether all rounds are done."""
        return self.round.phase is Phase.OVER

    def apply_move(self, move: Move | int) -> Self:
        """Return the position after `move`, given whole or by its id.

        Raises:
          IllegalMoveError: the move is not legal here, or its name is not that of its id in this
            phase; by a name of its own where the rules have one.
        """
        try:
            return super().apply_move(move)
        except IllegalMoveError as error:
            raise self._by_name(error) from None

    def _by_name(self, error: IllegalMoveError) -> IllegalMoveError:
        """Return what the rules call an error, if they have a name for it."""
        move = error.move
        if isinstance(move, Move) and move == self._named(move.id) and not self.is_terminal():
            try:
                self._after(move)
            except Refused as named:
                return named
        return error

    def _named(self, move: Move | int) -> Move | int:
        """Return an id with the name that its action has in this phase."""
        if isinstance(move, Move) or move not in range(DECK_SIZE):
            return move
        return BIDS[move] if self.round.phase is Phase.BIDDING else PLAYS[move]

    def _after(self, move: Move) -> Self:
        player = self.current_player()
        if self.round.phase is Phase.BIDDING:
            return self.bid(player, move.id)
        return self.play(player, CARDS[move.id])

    # The steps by name; `Round` says what each refuses.

    def bid(self, player: int, number: int) -> Self:
        """Bid a number of tricks."""
        return self._with(self.round.bid(player, number), ("bid", player, number))

    def play(self, player: int, card: Card) -> Self:
        """Play a card."""
        return self._with(self.round.play(player, card), ("play", player, IDS[card]))

    # Rounds

    def _with(self, after: Round, event: Event) -> Self:
        events: list[Event] = [("my turn", self.current_player(), self.round.legal_ids), event]
        if len(after.completed) > len(self.round.completed):
            events.append(("trick", after.trick.leader))
        nothing = (0.0,) * self.spec.num_players
        state = replace(self, round=after, earned=nothing, ended=None, log=(*self.log, *events))
        return state._scored() if after.phase is Phase.OVER else state

    def _scored(self) -> Self:
        """Count a round that has ended; unless it was the last, deal the next."""
        ended = self.round
        scores = _sums(self.scores, ended.scores)
        state = replace(
            self,
            scores=scores,
            earned=ended.rewards,
            total=_sums(self.total, ended.rewards),
            done=self.done + 1,
            ended=ended,
            log=(*self.log, ("scores", *scores)),
        )
        if state.done == len(self.plan):
            return state
        dealer = (ended.dealer + 1) % self.spec.num_players
        return state._dealt(self.deal + 1, ended.index + 1, dealer)

    def _dealt(self, deal: int, index: int, dealer: int) -> Self:
        size = self.plan[self.done]
        round_ = self.spec.deal(self.decks(deal), deal, index=index, size=size, dealer=dealer)
        return replace(self, round=round_, deal=deal, log=(*self.log, *opening(round_)))

    def with_round(self, **changes: Any) -> Self:
        """Return this position with fields of its round replaced: a position of one's own making.

        Raises:
          TypeError: a field that `Round` has not.
        """
        return replace(self, round=replace(self.round, **changes))

    def winner(self) -> int:
        """Return the seat with the highest total, the lowest of those that share it.

        Raises:
          RuntimeError: the game is not over.
        """
        if not self.is_terminal():
            raise RuntimeError("winner: the game is not over yet")
        return self.scores.index(max(self.scores))

    @cached_property
    def _view(self) -> View:
        return View(self.round, self.scores, self.done)

    def to_tensor(self, player: int) -> CardTensor:
        """Return where the cards are, as far as `player` knows."""
        return self._view.planes(player)

    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return what `player` observes.

        Raises:
          ValueError: a layout other than "full" and "compact".
        """
        if layout not in LAYOUTS:
            raise ValueError(f"blob has no layout {layout!r}; there are: {', '.join(LAYOUTS)}")
        view = self._view
        return view.compact(player) if layout == "compact" else view.full(player)

    def facts(self) -> Facts:
        """Return everything that there is, hidden cards too, as plain numbers."""
        return self._view.facts()

    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return all that `player` has seen so far, round by round, and whose turn it is."""
        mover = self.current_player()
        choices = self.round.legal_ids if mover == player else ()
        seen = (event for event in self.log if event[0] not in PRIVATE or event[1] == player)
        return (player, *seen, ("to move", mover, choices))


def opening(round_: Round) -> list[Event]:
    """Return what is seen when a round has been dealt."""
    trump = NO_TRUMP if round_.trump is None else SUIT_IDS[round_.trump]
    events: list[Event] = [("round", round_.index, round_.size, round_.dealer, trump)]
    events += [("dealt", seat, id_list(hand)) for seat, hand in enumerate(round_.hands)]
    return events


def _sums(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class BlobSpec(GameSpec):
    """Blob under its rules."""

    id: ClassVar[str] = "blob"

    rules: Rules

    @property
    def num_players(self) -> int:
        """The seats: the rules say how many."""
        return self.rules.players

    @property
    def num_actions(self) -> int:
        """The cards; the bids have the same numbers."""
        return len(CARDS)

    def move_name(self, action_id: int) -> str:
        """Return e.g. "AS", or "bid 3 or 5S" for an id that is a bid in one phase.

        The moves of a position carry the name that they have there.

        Raises:
          ValueError: there is no such action.
        """
        if action_id not in range(len(CARDS)):
            raise ValueError(f"there is no action {action_id}; ids end at {len(CARDS) - 1}")
        card = PLAYS[action_id].name
        return f"{BIDS[action_id].name} or {card}" if action_id <= self.rules.cards else card

    def initial_state(
        self,
        *,
        seed: int | None = None,
        deck: Sequence[int] | None = None,
        decks: Decks | None = None,
        **table: Any,
    ) -> BlobState:
        """Deal the first round.

        A deck is the 52 card ids in any order, or as many of them as its round deals at least.

        Args:
          seed: Python's `random.Random(seed + n)` shuffles the card ids of deal n.
          deck: the deck of the first round; that of deal n after it is of the seed n.
          decks: gives the deck of deal n, 0 for the first round that is played.
          **table: `round`, the index of the first round, by default `first_round`; `dealer`, who
            deals it, by default the rules' dealer moved on by its index; `cards`, how many each is
            dealt, where there is only one round; `scores`, the totals that all start with.

        Raises:
          ValueError: several sources of cards, a bad seed or deck, or a bad fact of the table.
          TypeError: a keyword that is none of these.
        """
        check_table(table, TABLE)
        if seed is not None and seed < 0:
            raise ValueError(f"seed: must be 0 or more, got {seed}")
        source = deck_source(seed, deck, decks, shuffled(range(len(CARDS))))
        index = self._index(table.get("round"))
        plan = self._plan(table.get("cards"))
        done = index if self.rules.rounds == "full" else 0
        dealer = self._dealer(table.get("dealer"), index)
        scores = self._scores(table.get("scores"))
        nothing = (0.0,) * self.num_players
        round_ = self.deal(source(0), 0, index=index, size=plan[done], dealer=dealer)
        log = (("start", *scores), *opening(round_))
        return BlobState(
            self, round_, plan, source, scores, earned=nothing, total=nothing, done=done, log=log
        )

    def deal(
        self, deck: Sequence[int], number: int, *, index: int, size: int, dealer: int
    ) -> Round:
        """Deal one round, which is deal `number` of the game.

        Raises:
          ValueError: its deck has too few cards, one twice, or one that does not exist.
        """
        name = f"deck of deal {number}" if number else "deck"
        cards = checked_deck(deck, self.num_players * size, name)
        return Round.dealt(self.rules, cards, index=index, size=size, dealer=dealer)

    def _index(self, number: int | None) -> int:
        if number is None:
            return self.rules.first_round
        if self.rules.rounds == "single":
            if number != int(number) or number < 0:
                raise ValueError(f"round: must be a whole number from 0 up, got {number!r}")
            return int(number)
        last = len(round_cards(self.rules)) - 1
        if number not in range(last + 1):
            raise ValueError(f"round: must be in 0..{last}, got {number!r}")
        return int(number)

    def _plan(self, cards: int | None) -> tuple[int, ...]:
        if cards is None:
            return round_cards(self.rules)
        if self.rules.rounds == "full":
            raise ValueError(
                f"cards: got {cards!r}, but in a full game the round says how many cards are "
                "dealt: give `round` alone"
            )
        if cards not in range(1, self.rules.cards + 1):
            raise ValueError(
                f"cards: must be in 1..{self.rules.cards}, the rules' `cards`, got {cards!r}"
            )
        return (int(cards),)

    def _dealer(self, dealer: int | None, index: int) -> int:
        if dealer is None:
            return dealer_of(self.rules, index)
        if dealer not in range(self.num_players):
            raise ValueError(f"dealer: must be in 0..{self.num_players - 1}, got {dealer!r}")
        return int(dealer)

    def _scores(self, scores: Sequence[int] | None) -> tuple[int, ...]:
        players = self.num_players
        if scores is None:
            return (0,) * players
        if len(scores) != players or any(score != int(score) or score < 0 for score in scores):
            raise ValueError(f"scores: must be {players} whole numbers from 0 up, got {scores!r}")
        return tuple(map(int, scores))

    @property
    def scenarios(self) -> dict[str, Scenario[BlobState]]:
        """Ways to reach the rare places that these rules allow."""
        return scenarios(self.rules)


__all__ = [
    "BlobSpec",
    "BlobState",
    "HookedBid",
    "IllegalBid",
    "NotInHand",
    "OutOfTurn",
    "Refused",
    "Revoke",
]
