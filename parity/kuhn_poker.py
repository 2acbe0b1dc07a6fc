"""Kuhn poker, three cards and one bet: the reference engine.

H. W. Kuhn, "A simplified two-person poker", 1950. Each of two players antes a chip and is dealt one
of J Q K; they pass or bet one chip until a bet is answered or both have passed
(`envs/kuhn_poker/README.md` has the rules).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from talonax.configs.kuhn_poker.schema import Rules
from talonax.parity.card_tensor import CardTensor
from talonax.parity.cards import Card, Rank, Suit
from talonax.parity.game import (
    NOBODY,
    Decks,
    Facts,
    GameSpec,
    GameState,
    Move,
    check_deck,
    check_table,
    deck_source,
    shuffled,
)

PASS = Move(0, "pass")
BET = Move(1, "bet")
MOVES = (PASS, BET)

PLANES = ("my_hand", "opponent", "unseen")

#: The deck by number, from the weakest to the strongest.
CARDS = tuple(Card(Suit.SPADES, rank) for rank in (Rank.JACK, Rank.QUEEN, Rank.KING))

#: Every way the betting can end, and whether the cards are then shown.
SHOWDOWNS = ((PASS, PASS), (BET, BET), (PASS, BET, BET))
FOLDS = ((BET, PASS), (PASS, BET, PASS))
LONGEST = max(map(len, SHOWDOWNS + FOLDS))

ANTE = 1


@dataclass(frozen=True)
class KuhnPokerState(GameState):
    """A position of Kuhn poker.

    Attributes:
      spec: the game.
      cards: the number of the card of each player.
      betting: the moves so far; the players take turns, player 0 first.
    """

    spec: "KuhnPokerSpec"
    cards: tuple[int, int]
    betting: tuple[Move, ...] = ()

    def current_player(self) -> int:
        """Return the player whose turn it is, or -1."""
        return NOBODY if self.is_terminal() else len(self.betting) % 2

    def legal_moves(self) -> tuple[Move, ...]:
        """Return pass and bet, until the betting is over."""
        return () if self.is_terminal() else MOVES

    def is_terminal(self) -> bool:
        """Return whether the betting is over."""
        return self.is_showdown() or self.betting in FOLDS

    def is_showdown(self) -> bool:
        """Return whether both cards lie open: both passed, or a bet was matched."""
        return self.betting in SHOWDOWNS

    def _after(self, move: Move) -> Self:
        return replace(self, betting=(*self.betting, move))

    def chips(self, player: int) -> int:
        """Return what a player has put into the pot."""
        return ANTE + self.betting[player::2].count(BET)

    def winner(self) -> int:
        """Return who wins: the only one who has bet, or the higher card. Only at the end."""
        if self.is_showdown():
            return 0 if self.cards[0] > self.cards[1] else 1
        return self.betting.index(BET) % 2

    def rewards(self) -> tuple[float, ...]:
        """Return the loser's chips, won by one and lost by the other; 0 before the end."""
        if not self.is_terminal():
            return (0.0, 0.0)
        lost = float(self.chips(1 - self.winner()))
        return (lost, -lost) if self.winner() == 0 else (-lost, lost)

    def to_tensor(self, player: int) -> CardTensor:
        """Return the planes: own card, the opponent's at a showdown, the rest of the deck."""
        hand = CARDS[self.cards[player]]
        opponent = [CARDS[self.cards[1 - player]]] if self.is_showdown() else []
        planes = {
            "my_hand": [hand],
            "opponent": opponent,
            "unseen": [card for card in CARDS if card not in (hand, *opponent)],
        }
        return CardTensor.from_plane_card_map(planes, PLANES)

    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return own seat, own card and each move of the betting, all one-hot.

        Raises:
          ValueError: a layout other than "full".
        """
        if layout != "full":
            raise ValueError(f"kuhn_poker has no layout {layout!r}; there is: full")
        seen = [player == seat for seat in range(self.spec.num_players)]
        seen += [self.cards[player] == card for card in range(len(CARDS))]
        for turn in range(LONGEST):
            made = self.betting[turn : turn + 1]
            seen += [move in made for move in MOVES]
        return [float(bit) for bit in seen]

    def facts(self) -> Facts:
        """Return both cards and the betting, filled up with -1."""
        bets = [move.id for move in self.betting]
        return {
            "current_player": self.current_player(),
            "cards": list(self.cards),
            "bets": bets + [-1] * (LONGEST - len(bets)),
        }

    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return own card, every move, and at a showdown the opponent's card."""
        moves = tuple(move.name for move in self.betting)
        shown = (("shown", self.cards[1 - player]),) if self.is_showdown() else ()
        return (("hand", player, self.cards[player]), *moves, *shown)


@dataclass(frozen=True)
class KuhnPokerSpec(GameSpec):
    """Kuhn poker; it has no rules to set."""

    id: ClassVar[str] = "kuhn_poker"
    num_players: ClassVar[int] = 2

    rules: Rules

    @property
    def num_actions(self) -> int:
        """Two: pass and bet."""
        return len(MOVES)

    def move_name(self, action_id: int) -> str:
        """Return "pass" or "bet".

        Raises:
          ValueError: another action.
        """
        for move in MOVES:
            if move.id == action_id:
                return move.name
        raise ValueError(f"there is no action {action_id}; there are: {', '.join(map(str, MOVES))}")

    def initial_state(
        self,
        *,
        seed: int | None = None,
        deck: Sequence[int] | None = None,
        decks: Decks | None = None,
        **table: Any,
    ) -> KuhnPokerState:
        """Deal the first card to player 0 and the second to player 1; nobody sees the third.

        Args:
          seed: seeds `random.Random`, which shuffles the cards in the order of their numbers.
          deck: the numbers of the cards, 0 1 2 for J Q K, in the order dealt.
          decks: the same as a function; `decks(0)` is dealt.
          **table: none; the table has nothing to set.

        Raises:
          ValueError: several sources of cards, or a bad deck.
          TypeError: a keyword in `table`.
        """
        check_table(table, ())
        source = deck_source(seed, deck, decks, shuffled(range(len(CARDS))))
        first, second, _ = check_deck(source(0), range(len(CARDS)))
        return KuhnPokerState(self, (first, second))
