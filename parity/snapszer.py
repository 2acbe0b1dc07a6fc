"""Snapszer: the reference engine. The game around its deals: matches, rewards, the interface.

The rules are told in `envs/snapszer/README.md`; `snapszer_deal.py` plays a deal, `snapszer_view.py`
shows it, `snapszer_scenarios.py` drives it to rare places.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from talonax.configs.snapszer.schema import Rules
from talonax.parity.card_tensor import CardTensor
from talonax.parity.game import (
    Decks,
    Facts,
    GameSpec,
    GameState,
    Move,
    Paying,
    Scenario,
    check_deck,
    check_table,
    deck_source,
)
from talonax.parity.snapszer_deal import Deal, Event, add
from talonax.parity.snapszer_pack import NUM_DECLARATIONS, SEEDS, Pack, deal_mt19937, pack
from talonax.parity.snapszer_scenarios import scenarios
from talonax.parity.snapszer_view import LAYOUTS, compact, facts, full, planes

Scores = tuple[int, int]

NUM_PLAYERS = 2
NO_REWARD = (0.0, 0.0)


@dataclass(frozen=True)
class SnapszerState(Paying, GameState):
    """A position of the game: the deal that is being played, and the match around it.

    Attributes:
      spec: the game.
      deal: the deal that is being played, or the last one when the game is over.
      decks: where later deals of a match come from.
      first_leader: who leads deal 0.
      deal_number: 0 for the first.
      scores: match points.
      earned: what the last move earned each player.
      total: what the whole game earned so far.
      ended: the deal that the last move ended, if it did, as it ended.
      past: what each player saw of earlier deals.
    """

    spec: "SnapszerSpec"
    deal: Deal
    decks: Decks = field(compare=False, repr=False)
    first_leader: int
    deal_number: int = 0
    scores: Scores = (0, 0)
    earned: tuple[float, float] = NO_REWARD
    total: tuple[float, float] = NO_REWARD
    ended: Deal | None = None
    past: tuple[tuple[Event, ...], tuple[Event, ...]] = ((), ())

    def current_player(self) -> int:
        """Return the seat to move, or -1 when the game is over."""
        return self.deal.to_move

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves by rising id; none when the game is over."""
        moves = self.deal.pack.moves
        return tuple(moves[number] for number in self.deal.legal_ids)

    def is_terminal(self) -> bool:
        """Return whether the deal, or the match, is over."""
        return self.deal.result is not None

    def _after(self, move: Move) -> Self:
        deal = self.deal.after(self.deal.pack.actions[move.id])
        if deal.result is None:
            return replace(self, deal=deal, earned=NO_REWARD, ended=None)
        return self._paid(deal)

    def _paid(self, deal: Deal) -> Self:
        """Pay a deal that has ended; unless that ends the game, deal the next."""
        assert deal.result is not None
        winner, points = deal.result.winner, deal.result.game_points
        earned = (float(points), -float(points)) if winner == 0 else (-float(points), float(points))
        match = self.spec.rules.match
        paid = replace(
            self,
            deal=deal,
            scores=add(self.scores, winner, points) if match else self.scores,
            earned=earned,
            total=(self.total[0] + earned[0], self.total[1] + earned[1]),
            ended=deal,
        )
        return paid._next_deal() if match and max(paid.scores) < match else paid

    def _next_deal(self) -> Self:
        number = self.deal_number + 1
        leader = (self.first_leader + number) % NUM_PLAYERS
        past = (self.past[0] + self.deal.seen[0], self.past[1] + self.deal.seen[1])
        deal = self.spec.deal(self.decks, number, leader)
        return replace(self, deal=deal, deal_number=number, past=past)

    def with_deal(self, **changes: Any) -> Self:
        """Return this position with fields of its deal replaced: a position of one's own making.

        Raises:
          TypeError: a field that `Deal` has not.
        """
        return replace(self, deal=replace(self.deal, **changes))

    def to_tensor(self, player: int) -> CardTensor:
        """Return where the cards are, as far as `player` knows."""
        return planes(self.deal, player)

    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return what `player` observes.

        Args:
          player: the seat.
          layout: "compact", the table of the rules; or "full", which adds what else he knows and,
            in a match, the scores.

        Raises:
          ValueError: another layout.
        """
        if layout not in LAYOUTS:
            raise ValueError(f"snapszer has no layout {layout!r}; there are: {', '.join(LAYOUTS)}")
        if layout == "compact":
            return compact(self.deal, player)
        return full(self.deal, player) + self._match_entries(player)

    def _match_entries(self, player: int) -> list[float]:
        match = self.spec.rules.match
        if not match:
            return []
        return [self.scores[player] / match, self.scores[1 - player] / match]

    def facts(self) -> Facts:
        """Return everything that there is, hidden cards too, as plain numbers."""
        return facts(self.deal, self.deal_number, self.scores)

    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return all that `player` has seen so far, deal by deal, and whose turn it is."""
        mover = self.current_player()
        choices = self.deal.legal_ids if mover == player else ()
        start, now = self.past[player], self.deal.seen[player]
        return (player, self.first_leader, self.scores, *start, *now, ("to move", mover, choices))


@dataclass(frozen=True)
class SnapszerSpec(GameSpec):
    """Snapszer under its rules."""

    id: ClassVar[str] = "snapszer"
    num_players: ClassVar[int] = NUM_PLAYERS

    rules: Rules

    @property
    def pack(self) -> Pack:
        """The cards, with or without nines."""
        return pack(nines=self.rules.nines)

    @property
    def num_actions(self) -> int:
        """The cards, exchange, close and, where marriages are declared, eight declarations."""
        every = len(self.pack.moves)
        return every if self.rules.marriage_declare == "optional" else every - NUM_DECLARATIONS

    def move_name(self, action_id: int) -> str:
        """Return e.g. "AS", "exchange", "close", "declare KS".

        Raises:
          ValueError: there is no such action under these rules.
        """
        if not 0 <= action_id < self.num_actions:
            raise ValueError(f"there is no action {action_id}; ids end at {self.num_actions - 1}")
        return self.pack.moves[action_id].name

    def initial_state(
        self,
        *,
        seed: int | None = None,
        deck: Sequence[int] | None = None,
        decks: Decks | None = None,
        **table: Any,
    ) -> SnapszerState:
        """Deal the first deal.

        Args:
          seed: deal n is `deal_mt19937((seed + n) mod 2**32)`.
          deck: the card ids of deal 0; deal n after it is `deal_mt19937(n)`.
          decks: gives the card ids of deal n.
          **table: `leader` (or `first_leader`), who leads deal 0; `scores`, in a match, the points
            that both start with.

        Raises:
          ValueError: several sources of cards, a bad seed or deck, or a bad fact of the table.
          TypeError: a keyword that is none of these.
        """
        check_table(table, ("leader", "first_leader", "scores"))
        if seed is not None and not 0 <= seed < SEEDS:
            raise ValueError(f"seed: must be in [0, 2**32), got {seed}")
        source = deck_source(seed, deck, decks, self._deck_of)
        leader = self._leader(table, seed)
        scores = self._scores(table.get("scores"))
        first = self.deal(source, 0, leader)
        return SnapszerState(self, first, source, first_leader=leader, scores=scores)

    def deal(self, decks: Decks, number: int, leader: int) -> Deal:
        """Deal one deal.

        Raises:
          ValueError: its deck is not a permutation of the cards.
        """
        name = f"deck of deal {number}" if number else "deck"
        order = check_deck(decks(number), range(self.pack.size), name)
        return Deal.dealt(self.rules, self.pack, order, leader)

    def _deck_of(self, seed: int) -> list[int]:
        return deal_mt19937(seed % SEEDS, self.pack.size)

    def _leader(self, table: dict[str, Any], seed: int | None) -> int:
        named = [table.get(name) for name in ("leader", "first_leader")]
        given = [leader for leader in named if leader is not None]
        if len(given) > 1:
            raise ValueError("leader and first_leader are the same thing: give one")
        leader = given[0] if given else self.rules.first_leader
        if leader == "random":
            return random.Random(seed or 0).randrange(NUM_PLAYERS)
        if leader not in range(NUM_PLAYERS):
            raise ValueError(f"leader: must be 0 or 1, got {leader!r}")
        return int(leader)

    def _scores(self, scores: Sequence[int] | None) -> Scores:
        if scores is None:
            return (0, 0)
        match = self.rules.match
        if not match:
            raise ValueError("scores: there are none, these rules play a single deal (match: 0)")
        if len(scores) != NUM_PLAYERS or any(score not in range(match) for score in scores):
            raise ValueError(f"scores: must be two numbers in 0..{match - 1}, got {scores!r}")
        return (int(scores[0]), int(scores[1]))

    @property
    def scenarios(self) -> dict[str, Scenario[SnapszerState]]:
        """Ways to reach the rare places that these rules allow."""
        return scenarios(self.rules)


__all__ = ["SnapszerSpec", "SnapszerState", "deal_mt19937"]
