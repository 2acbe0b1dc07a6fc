"""Bezique: the reference engine. The game around its rounds: totals, rewards, the interface.

The rules are told in `envs/bezique/README.md`. What can be used alone: `bezique_trick.py` (what
wins a trick, what may be played to one of the last nine), `bezique_melds.py` (what is a meld, which
are legal, which cards an action takes), `bezique_score.py` (what scores). `bezique_round.py` plays
a round (`bezique_position.py`) and tells what happens (`bezique_events.py`) or which rule refuses
(`bezique_errors.py`); `bezique_view.py` shows it; `bezique_scenarios.py` and `bezique_decks.py`
lead to rare places.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from talonax.configs.bezique.schema import Rules
from talonax.parity.bezique_events import Event, GameEnd
from talonax.parity.bezique_pack import ACTIONS, CARDS, MOVES, BeziqueCard, Cards, Kind
from talonax.parity.bezique_position import Phase
from talonax.parity.bezique_round import Round
from talonax.parity.bezique_scenarios import scenarios
from talonax.parity.bezique_score import (
    Rewards,
    Scores,
    Verdict,
    margins,
    prizes,
    verdict_after,
)
from talonax.parity.bezique_view import LAYOUTS, facts, full, planes
from talonax.parity.card_tensor import CardTensor
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
    check_deck,
    check_table,
    deck_source,
    shuffled,
)


@dataclass(frozen=True)
class BeziqueState(Paying, GameState):
    """A position of the game: the round that is being played, and the game around it.

    Attributes:
      spec: the game.
      round: the round that is being played, or the last one when the game is over.
      decks: where the cards of each round come from.
      number: which round of the game it is; 0 for the first.
      dealt: rounds dealt before it since this game was dealt: what `decks` are numbered by.
      totals: what each seat has scored in all complete rounds.
      earned: what the last move earned each seat.
      total: what the whole game earned each so far.
      verdict: how the game has ended, if it has.
      ended: the round that the last move ended, if it did, as it ended.
      news: what the last move, or the first deal, made happen.
      past: what happened in earlier rounds.
    """

    spec: "BeziqueSpec"
    round: Round
    decks: Decks = field(compare=False, repr=False)
    number: int
    dealt: int
    totals: Scores
    earned: Rewards
    total: Rewards
    verdict: Verdict | None = None
    ended: Round | None = None
    news: tuple[Event, ...] = ()
    past: tuple[Event, ...] = ()

    @property
    def events(self) -> list[Event]:
        """What has happened in the round that is being played, in order."""
        return list(self.round.events)

    def current_player(self) -> int:
        """Return the seat to move, or -1 when the game is over."""
        return self.round.to_move

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves by rising id; none when the game is over."""
        return tuple(MOVES[number] for number in self.round.legal_ids)

    def is_terminal(self) -> bool:
        """Return whether the game is over, or was cut short."""
        return self.round.phase is Phase.OVER

    def is_truncated(self) -> bool:
        """Return whether the game was cut short by `max_rounds`."""
        return self.verdict is not None and self.verdict.truncated

    def apply_move(self, move: Move | int) -> Self:
        """Return the position after `move`, given whole or by its id.

        Raises:
          IllegalMoveError: the move is not legal here, or its name is not that of its id; by the
            name of the rule that forbids it, if there is such an action.
        """
        try:
            return super().apply_move(move)
        except IllegalMoveError as error:
            raise self._by_name(error) from None

    def _by_name(self, error: IllegalMoveError) -> IllegalMoveError:
        """Return what the rules call an error, if they have a name for it."""
        move = error.move
        if isinstance(move, Move) and move in MOVES and not self.is_terminal():
            try:
                self.round.after(ACTIONS[move.id])
            except Refused as named:
                return named
        return error

    def _after(self, move: Move) -> Self:
        return self._with(self.round.after(ACTIONS[move.id]))

    def cards_of(self, move: Move | int) -> Cards:
        """Return the very cards that a legal move takes: of a meld in the order of its places.

        Raises:
          IllegalMoveError: the move is not legal here.
        """
        number = move.id if isinstance(move, Move) else move
        return self.round.cards_of(ACTIONS[self.spec.move(number, self).id])

    # The steps by name; `Round` says what each refuses.

    def play_card(self, player: int, card: BeziqueCard) -> Self:
        """Play a card of the hand or of the table."""
        return self._with(self.round.play_card(player, card))

    def declare(self, player: int, cards: Sequence[BeziqueCard], kind: Kind) -> Self:
        """Lay a meld of these very cards."""
        return self._with(self.round.declare(player, cards, kind))

    def swap_seven(self, player: int) -> Self:
        """Take the turned-up card for the trump seven."""
        return self._with(self.round.swap_seven(player))

    def done(self, player: int) -> Self:
        """End the turn that winning a trick gives."""
        return self._with(self.round.done(player))

    # Rounds and the game

    def _with(self, now: Round) -> Self:
        news = now.events[len(self.round.events) :]
        if now.phase is not Phase.OVER:
            nothing = (0.0,) * now.players
            return replace(self, round=now, earned=nothing, ended=None, news=news)
        return self._scored(now, news)

    def _scored(self, ended: Round, news: tuple[Event, ...]) -> Self:
        """Count a round that has ended; unless that ends the game, deal the next."""
        rules = self.spec.rules
        totals = tuple(map(sum, zip(self.totals, ended.points, strict=True)))
        verdict = verdict_after(rules, self.number + 1, totals)
        if rules.reward == "margin":
            earned = margins(ended.points)
        elif verdict is None:
            earned = (0.0,) * rules.players
        else:
            earned = prizes(verdict.winners, rules.players)
        after = replace(
            self,
            round=ended,
            totals=totals,
            earned=earned,
            total=tuple(map(sum, zip(self.total, earned, strict=True))),
            verdict=verdict,
            ended=ended,
            news=news,
        )
        return after._next_round() if verdict is None else after._over(verdict)

    def _over(self, verdict: Verdict) -> Self:
        end = GameEnd(self.totals, verdict.winners, verdict.truncated)
        return replace(self, round=self.round.noting(end), news=(*self.news, end))

    def _next_round(self) -> Self:
        number, dealt = self.number + 1, self.dealt + 1
        dealer = (self.round.dealer + 1) % self.round.players
        fresh = self.spec.deal(self.decks(dealt), number, dealer)
        return replace(
            self,
            round=fresh,
            number=number,
            dealt=dealt,
            news=(*self.news, *fresh.events),
            past=(*self.past, *self.round.events),
        )

    def with_round(self, **changes: Any) -> Self:
        """Return this position with fields of its round replaced: a position of one's own making.

        Raises:
          TypeError: a field that `Round` has not.
        """
        return replace(self, round=replace(self.round, **changes))

    # What there is to see

    def to_tensor(self, player: int) -> CardTensor:
        """Return where the cards are, as far as `player` knows."""
        return planes(self.round, player)

    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return what `player` observes.

        Raises:
          ValueError: a layout other than "full".
        """
        if layout not in LAYOUTS:
            raise ValueError(f"bezique has no layout {layout!r}; there is: {', '.join(LAYOUTS)}")
        return full(self.round, self.totals, player)

    def facts(self) -> Facts:
        """Return everything that there is, hidden cards too, as plain numbers.

        `bezique_view.facts` says what each is.
        """
        return facts(self.round, self.number, self.totals)

    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return all that `player` has seen so far, round by round, and whose turn it is.

        Cards are seen by type. Of a card that leaves a table, or is melded again, everybody sees
        which kinds of meld it has been in, for all saw it laid; its pack nobody sees.
        """
        mover = self.current_player()
        choices = self.round.legal_ids if mover == player else ()
        events = (*self.past, *self.round.events)
        seen = (event.seen_by(player) for event in events)
        return (
            player,
            self.number,
            self.totals,
            *(each for each in seen if each is not None),
            ("to move", mover, choices),
        )


@dataclass(frozen=True)
class BeziqueSpec(GameSpec):
    """Bezique under its rules."""

    id: ClassVar[str] = "bezique"

    rules: Rules

    @property
    def num_players(self) -> int:
        """Two or four."""
        return self.rules.players

    @property
    def num_actions(self) -> int:
        """All that may be done under any rules."""
        return len(ACTIONS)

    def move_name(self, action_id: int) -> str:
        """Return e.g. "play AS", "play AS from the table", "done", "swap", "meld bezique".

        Raises:
          ValueError: there is no such action.
        """
        if action_id not in range(len(MOVES)):
            raise ValueError(f"there is no action {action_id}; ids end at {len(MOVES) - 1}")
        return MOVES[action_id].name

    def initial_state(
        self,
        *,
        seed: int | None = None,
        deck: Sequence[int] | None = None,
        decks: Decks | None = None,
        **table: Any,
    ) -> BeziqueState:
        """Deal the first round.

        Args:
          seed: Python's `random.Random(seed + n)` shuffles the card ids of deal n; the first round
            that is played is deal 0, whatever `round` is.
          deck: the card ids of deal 0; those of deal n after it are of the seed n.
          decks: gives the card ids of deal n.
          **table: `round`, how many rounds are done, 0 by default; `dealer`, who deals first, by
            default the last seat and one seat on for every round done; `scores`, the totals that
            all start with.

        Raises:
          ValueError: several sources of cards, a bad seed or deck, or a bad fact of the table.
          TypeError: a keyword that is none of these.
        """
        check_table(table, ("dealer", "round", "scores"))
        if seed is not None and seed < 0:
            raise ValueError(f"seed: must be 0 or more, got {seed}")
        number = self._number(table.get("round"))
        dealer = self._dealer(table.get("dealer"), number)
        totals = self._scores(table.get("scores"))
        source = deck_source(seed, deck, decks, shuffled(range(len(CARDS))))
        return self._start(source, number, dealer, totals)

    def _start(self, decks: Decks, number: int, dealer: int, totals: Scores) -> BeziqueState:
        first = self.deal(decks(0), number, dealer)
        nothing = (0.0,) * self.num_players
        return BeziqueState(
            spec=self,
            round=first,
            decks=decks,
            number=number,
            dealt=0,
            totals=totals,
            earned=nothing,
            total=nothing,
            news=first.events,
        )

    def deal(self, deck: Sequence[int], number: int, dealer: int) -> Round:
        """Deal one round.

        Raises:
          ValueError: its deck is not a permutation of the cards.
        """
        name = f"deck of round {number}" if number else "deck"
        return Round.dealt(self.rules, check_deck(deck, range(len(CARDS)), name), dealer, number)

    def _number(self, number: int | None) -> int:
        most = self.rules.rounds or self.rules.max_rounds
        if number is None:
            return 0
        if number not in range(most):
            raise ValueError(f"round: must be in 0..{most - 1}, got {number!r}")
        return int(number)

    def _dealer(self, dealer: int | None, number: int) -> int:
        if dealer is None:
            return (self.num_players - 1 + number) % self.num_players
        if dealer not in range(self.num_players):
            raise ValueError(f"dealer: must be in 0..{self.num_players - 1}, got {dealer!r}")
        return int(dealer)

    def _scores(self, scores: Sequence[int] | None) -> Scores:
        if scores is None:
            return (0,) * self.num_players
        if len(scores) != self.num_players or any(
            score != int(score) or score < 0 for score in scores
        ):
            wanted = f"{self.num_players} whole numbers, 0 or more"
            raise ValueError(f"scores: must be {wanted}, got {scores!r}")
        return tuple(int(score) for score in scores)

    @property
    def scenarios(self) -> dict[str, Scenario[BeziqueState]]:
        """Ways to reach the rare places that these rules allow."""
        return scenarios(self.rules)
