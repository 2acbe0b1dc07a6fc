"""Tysiac: the reference engine. The game around its hands: matches, rewards, the interface.

The rules are told in `envs/tysiac/README.md`; `tysiac_hand.py` plays a hand (`tysiac_position.py`,
`tysiac_auction.py`), `tysiac_score.py` counts it, `tysiac_view.py` shows it, `tysiac_scenarios.py`
drives it to rare places.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from talonax.configs.tysiac.schema import Rules
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
    Scenario,
    check_deck,
    check_table,
    deck_source,
    shuffled,
)
from talonax.parity.tysiac_auction import (
    BombClosed,
    IllegalBid,
    IllegalContract,
    IllegalReturn,
    InvalidMeldProof,
    MissingMeldProof,
    PassedAlready,
)
from talonax.parity.tysiac_hand import Hand
from talonax.parity.tysiac_pack import ACTIONS, CARDS, MOVES, Cards
from talonax.parity.tysiac_position import Event, Phase
from talonax.parity.tysiac_scenarios import scenarios
from talonax.parity.tysiac_score import NO_REWARD, Scores, Verdict, scores_after, verdict_after
from talonax.parity.tysiac_view import LAYOUTS, facts, full, planes

NUM_PLAYERS = 2

#: What a hand changed the totals by is counted in these.
MARGIN = 400.0


@dataclass(frozen=True)
class TysiacState(Paying, GameState):
    """A position of the game: the hand that is being played, and the match around it.

    Attributes:
      spec: the game.
      hand: the hand that is being played, or the last one when the game is over.
      decks: where the cards of each hand come from.
      number: which hand of the match it is; 0 for the first.
      dealt: hands dealt before it since this game was dealt: what `decks` are numbered by.
      scores: the totals.
      earned: what the last move earned each player.
      total: what the whole game earned so far.
      verdict: how the match has ended, if it has.
      ended: the hand that the last move ended, if it did, as it ended.
      past: what each player saw of earlier hands.
    """

    spec: "TysiacSpec"
    hand: Hand
    decks: Decks = field(compare=False, repr=False)
    number: int = 0
    dealt: int = 0
    scores: Scores = (0, 0)
    earned: tuple[float, float] = NO_REWARD
    total: tuple[float, float] = NO_REWARD
    verdict: Verdict | None = None
    ended: Hand | None = None
    past: tuple[tuple[Event, ...], tuple[Event, ...]] = ((), ())

    def current_player(self) -> int:
        """Return the seat to move, or -1 when the game is over."""
        return self.hand.to_move

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves by rising id; none when the game is over."""
        return tuple(MOVES[number] for number in self.hand.legal_ids)

    def is_terminal(self) -> bool:
        """Return whether the match is over, or was cut short."""
        return self.hand.phase is Phase.OVER

    def is_truncated(self) -> bool:
        """Return whether the match was cut short by `max_hands`."""
        return self.verdict is not None and self.verdict.truncated

    def apply_move(self, move: Move | int) -> Self:
        """Return the position after `move`, given whole or by its id.

        Raises:
          IllegalMoveError: the move is not legal here, or its name is not that of its id; by a name
            of its own where the rules have one.
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
                self.hand.after(ACTIONS[move.id])
            except IllegalMoveError as named:
                return named
        return error

    def _after(self, move: Move) -> Self:
        return self._with(self.hand.after(ACTIONS[move.id]))

    # The steps by name; `Hand` says what each refuses.

    def bid(self, player: int, amount: int, proof: Cards | None = None) -> Self:
        """Bid, above 120 with K and Q of a suit as proof."""
        return self._with(self.hand.bid(player, amount, proof))

    def pass_(self, player: int) -> Self:
        """Bid no more."""
        return self._with(self.hand.pass_(player))

    def challenge(self, player: int) -> Self:
        """Have the bidder prove his bid."""
        return self._with(self.hand.challenge(player))

    def take_musik(self, player: int, number: int) -> Self:
        """Take a musik."""
        return self._with(self.hand.take_musik(player, number))

    def return_cards(self, player: int, cards: Sequence[Card]) -> Self:
        """Return two cards."""
        return self._with(self.hand.return_cards(player, cards))

    def name_contract(self, player: int, amount: int) -> Self:
        """Name the contract."""
        return self._with(self.hand.name_contract(player, amount))

    def bomb(self, player: int) -> Self:
        """Double, as the defender."""
        return self._with(self.hand.bomb(player))

    def rebomb(self, player: int) -> Self:
        """Double a bomb, as the declarer."""
        return self._with(self.hand.rebomb(player))

    def no_bomb(self, player: int) -> Self:
        """Leave the bomb, or the re-bomb, alone."""
        return self._with(self.hand.no_bomb(player))

    def play(self, player: int, card: Card, declare: bool = False) -> Self:
        """Play a card; who leads may declare its marriage."""
        return self._with(self.hand.play(player, card, declare))

    # Match or hand

    def _with(self, hand: Hand) -> Self:
        if hand.phase is not Phase.OVER:
            return replace(self, hand=hand, earned=NO_REWARD, ended=None)
        return self._scored(hand)

    def _scored(self, hand: Hand) -> Self:
        """Count a hand that has ended; unless that ends the match, deal the next."""
        rules = self.spec.rules
        scores = scores_after(hand, self.scores)
        hand = hand.noting(("scores", *scores))
        after = replace(self, hand=hand, scores=scores, ended=hand)
        verdict = verdict_after(rules, self.number + 1, scores, hand.declarer)
        if rules.reward == "margin":
            margin = (scores[0] - self.scores[0]) - (scores[1] - self.scores[1])
            earned = (margin / MARGIN, -margin / MARGIN)
        else:
            earned = NO_REWARD if verdict is None else verdict.payment
        total = (self.total[0] + earned[0], self.total[1] + earned[1])
        after = replace(after, earned=earned, total=total)
        return after._next_hand() if verdict is None else replace(after, verdict=verdict)

    def _next_hand(self) -> Self:
        number, dealt = self.number + 1, self.dealt + 1
        past = (self.past[0] + self.hand.seen[0], self.past[1] + self.hand.seen[1])
        hand = self.spec.deal(self.decks(dealt), number, 1 - self.hand.dealer)
        return replace(self, hand=hand, number=number, dealt=dealt, past=past)

    def with_hand(self, **changes: Any) -> Self:
        """Return this position with fields of its hand replaced: a position of one's own making.

        Raises:
          TypeError: a field that `Hand` has not.
        """
        return replace(self, hand=replace(self.hand, **changes))

    def to_tensor(self, player: int) -> CardTensor:
        """Return where the cards are, as far as `player` knows."""
        return planes(self.hand, player)

    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return what `player` observes.

        Raises:
          ValueError: a layout other than "full".
        """
        if layout not in LAYOUTS:
            raise ValueError(f"tysiac has no layout {layout!r}; there is: {', '.join(LAYOUTS)}")
        return full(self.hand, self.scores, player)

    def facts(self) -> Facts:
        """Return everything that there is, hidden cards too, as plain numbers."""
        return facts(self.hand, self.number, self.scores)

    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return all that `player` has seen so far, hand by hand, and whose turn it is."""
        mover = self.current_player()
        choices = self.hand.legal_ids if mover == player else ()
        start, now = self.past[player], self.hand.seen[player]
        return (player, self.number, self.scores, *start, *now, ("to move", mover, choices))


@dataclass(frozen=True)
class TysiacSpec(GameSpec):
    """Tysiac under its rules."""

    id: ClassVar[str] = "tysiac"
    num_players: ClassVar[int] = NUM_PLAYERS

    rules: Rules

    @property
    def num_actions(self) -> int:
        """All that may be done under any rules."""
        return len(ACTIONS)

    def move_name(self, action_id: int) -> str:
        """Return e.g. "AS", "declare KS", "bid 110", "musik 0", "contract 150", "re-bomb".

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
    ) -> TysiacState:
        """Deal the first hand.

        Args:
          seed: Python's `random.Random(seed + n)` shuffles the card ids of deal n; the first hand
            that is played is deal 0, whatever `hand` is.
          deck: the card ids of deal 0; those of deal n after it are of the seed n.
          decks: gives the card ids of deal n.
          **table: `hand`, the number of the first hand, 0 by default; `dealer`, who deals it, by
            default the seat of the hand's number mod 2, and then in turn; `scores`, the totals that
            both start with.

        Raises:
          ValueError: several sources of cards, a bad seed or deck, or a bad fact of the table.
          TypeError: a keyword that is none of these.
        """
        check_table(table, ("dealer", "hand", "scores"))
        if seed is not None and seed < 0:
            raise ValueError(f"seed: must be 0 or more, got {seed}")
        number = self._number(table.get("hand"))
        dealer = self._dealer(table.get("dealer"), number)
        scores = self._scores(table.get("scores"))
        source = deck_source(seed, deck, decks, shuffled(range(len(CARDS))))
        hand = self.deal(source(0), number, dealer)
        return TysiacState(self, hand, source, number=number, scores=scores)

    def deal(self, deck: Sequence[int], number: int, dealer: int) -> Hand:
        """Deal one hand.

        Raises:
          ValueError: its deck is not a permutation of the cards.
        """
        name = f"deck of hand {number}" if number else "deck"
        return Hand.dealt(self.rules, check_deck(deck, range(len(CARDS)), name), dealer)

    def _number(self, hand: int | None) -> int:
        most = self.rules.hands or self.rules.max_hands
        if hand is None:
            return 0
        if hand not in range(most):
            raise ValueError(f"hand: must be in 0..{most - 1}, got {hand!r}")
        return int(hand)

    def _dealer(self, dealer: int | None, number: int) -> int:
        if dealer is None:
            return number % NUM_PLAYERS
        if dealer not in range(NUM_PLAYERS):
            raise ValueError(f"dealer: must be 0 or 1, got {dealer!r}")
        return int(dealer)

    def _scores(self, scores: Sequence[int] | None) -> Scores:
        if scores is None:
            return (0, 0)
        target = self.rules.target if not self.rules.hands else None
        if len(scores) != NUM_PLAYERS or any(
            score != int(score) or (target is not None and score >= target) for score in scores
        ):
            below = "" if target is None else f" below {target}"
            raise ValueError(f"scores: must be two whole numbers{below}, got {scores!r}")
        return (int(scores[0]), int(scores[1]))

    @property
    def scenarios(self) -> dict[str, Scenario[TysiacState]]:
        """Ways to reach the rare places that these rules allow."""
        return scenarios(self.rules)


__all__ = [
    "BombClosed",
    "IllegalBid",
    "IllegalContract",
    "IllegalReturn",
    "InvalidMeldProof",
    "MissingMeldProof",
    "PassedAlready",
    "TysiacSpec",
    "TysiacState",
]
