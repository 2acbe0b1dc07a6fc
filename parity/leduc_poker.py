"""Leduc poker, six cards and two rounds of betting: the reference engine.

F. Southey et al., "Bayes' Bluff: Opponent Modelling in Poker", UAI 2005. Each of two players antes
a chip and is dealt one of J Q K in two suits; after a round of betting a public card is turned up,
after a second one a pair with it wins, or else the higher card
(`envs/leduc_poker/README.md` has the rules).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from talonax.configs.leduc_poker.schema import Rules
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

FOLD = Move(0, "fold")
CALL = Move(1, "call")
RAISE = Move(2, "raise")
MOVES = (FOLD, CALL, RAISE)

PLANES = ("my_hand", "public", "opponent", "unseen")

#: The deck by number: ranks rise, and the two suits of a rank follow one another.
CARDS = tuple(
    Card(suit, rank)
    for rank in (Rank.JACK, Rank.QUEEN, Rank.KING)
    for suit in (Suit.SPADES, Suit.HEARTS)
)

ANTE = 1
#: What a raise adds to a call, in either round.
RAISES = (2, 4)
MAX_RAISES = 2
#: Check, raise, raise, call.
LONGEST = MAX_RAISES + 2
LARGEST_STAKE = ANTE + MAX_RAISES * sum(RAISES)

#: The moves of each round begun: one round, or two.
Betting = tuple[tuple[Move, ...], ...]


def strength(card: int, public: int) -> int:
    """Return how high a card is at the showdown: a pair beats every rank; suits do not count."""
    rank = CARDS[card].rank
    return len(Rank) if rank == CARDS[public].rank else rank


def is_closed(moves: tuple[Move, ...]) -> bool:
    """Return whether a round is over without a fold: a call that is not the round's first move."""
    return len(moves) > 1 and moves[-1] == CALL


@dataclass(frozen=True)
class LeducPokerState(GameState):
    """A position of Leduc poker.

    Attributes:
      spec: the game.
      cards: the number of the card of each player.
      public: the number of the card that is turned up after the first round.
      betting: the moves of each round; players take turns, and player 0 begins both rounds.
    """

    spec: "LeducPokerSpec"
    cards: tuple[int, int]
    public: int
    betting: Betting = ((),)

    @property
    def round(self) -> int:
        """The round that is being bet in, or was at the end: 0 or 1."""
        return len(self.betting) - 1

    def current_player(self) -> int:
        """Return the player whose turn it is, or -1."""
        return NOBODY if self.is_terminal() else len(self.betting[-1]) % 2

    def legal_moves(self) -> tuple[Move, ...]:
        """Return fold if something is owed, call always, raise while there are raises left."""
        if self.is_terminal():
            return ()
        mine, yours = (self.stakes()[seat] for seat in self._mover_and_other())
        legal = [FOLD] if yours > mine else []
        legal.append(CALL)
        if self.betting[-1].count(RAISE) < MAX_RAISES:
            legal.append(RAISE)
        return tuple(legal)

    def is_terminal(self) -> bool:
        """Return whether somebody has folded, or the second round is over."""
        return self.has_folded() or self.is_showdown()

    def has_folded(self) -> bool:
        """Return whether the last move was a fold."""
        return self.betting[-1][-1:] == (FOLD,)

    def is_showdown(self) -> bool:
        """Return whether both cards lie open."""
        return self.round == 1 and is_closed(self.betting[-1])

    def _mover_and_other(self) -> tuple[int, int]:
        mover = self.current_player()
        return mover, 1 - mover

    def _after(self, move: Move) -> Self:
        moves = (*self.betting[-1], move)
        betting: Betting = (*self.betting[:-1], moves)
        if self.round == 0 and is_closed(moves):
            betting = (*betting, ())
        return replace(self, betting=betting)

    def stakes(self) -> list[int]:
        """Return what each player has put into the pot."""
        stakes = [ANTE, ANTE]
        for raised_by, moves in zip(RAISES, self.betting, strict=False):
            for turn, move in enumerate(moves):
                mover, other = turn % 2, (turn + 1) % 2
                if move == CALL:
                    stakes[mover] = stakes[other]
                elif move == RAISE:
                    stakes[mover] = stakes[other] + raised_by
        return stakes

    def winner(self) -> int | None:
        """Return who wins, or None if they share. Only at the end."""
        if self.has_folded():
            return len(self.betting[-1]) % 2
        mine, yours = (strength(card, self.public) for card in self.cards)
        if mine == yours:
            return None
        return 0 if mine > yours else 1

    def rewards(self) -> tuple[float, ...]:
        """Return the loser's stake, won by one and lost by the other; 0 before the end."""
        winner = self.winner() if self.is_terminal() else None
        if winner is None:
            return (0.0, 0.0)
        lost = float(self.stakes()[1 - winner])
        return (lost, -lost) if winner == 0 else (-lost, lost)

    def _turned_up(self) -> list[int]:
        return [self.public] if self.round == 1 else []

    def _shown_by(self, player: int) -> list[int]:
        return [self.cards[player]] if self.is_showdown() else []

    def to_tensor(self, player: int) -> CardTensor:
        """Return the planes: own card, the public one, the opponent's if shown, the rest."""
        numbers = {
            "my_hand": [self.cards[player]],
            "public": self._turned_up(),
            "opponent": self._shown_by(1 - player),
        }
        seen = [number for plane in numbers.values() for number in plane]
        numbers["unseen"] = [number for number in range(len(CARDS)) if number not in seen]
        planes = {name: [CARDS[number] for number in plane] for name, plane in numbers.items()}
        return CardTensor.from_plane_card_map(planes, PLANES)

    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return own seat, own card, the public card, the calls and raises, and both stakes.

        All but the stakes are one-hot; the stakes, own first, are shares of the largest there is. A
        fold is not shown.

        Raises:
          ValueError: a layout other than "full".
        """
        if layout != "full":
            raise ValueError(f"leduc_poker has no layout {layout!r}; there is: full")
        seen = [player == seat for seat in range(self.spec.num_players)]
        seen += [self.cards[player] == card for card in range(len(CARDS))]
        seen += [card in self._turned_up() for card in range(len(CARDS))]
        for moves in (*self.betting, ())[: len(RAISES)]:
            for turn in range(LONGEST):
                made = moves[turn : turn + 1]
                seen += [CALL in made, RAISE in made]
        stakes = self.stakes()
        shares = [stakes[seat] / LARGEST_STAKE for seat in (player, 1 - player)]
        return [float(bit) for bit in seen] + shares

    def facts(self) -> Facts:
        """Return all three cards, round, stakes, and each round's moves, filled up with -1."""
        actions: list[int] = []
        for moves in (*self.betting, ())[: len(RAISES)]:
            actions += [move.id for move in moves] + [-1] * (LONGEST - len(moves))
        return {
            "current_player": self.current_player(),
            "cards": list(self.cards),
            "public": self.public,
            "round": self.round,
            "actions": actions,
            "pot": self.stakes(),
        }

    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return own card, every move, and the public and the opponent's card when shown."""
        first, *second = (tuple(move.name for move in moves) for moves in self.betting)
        public = tuple(("public", card) for card in self._turned_up())
        shown = tuple(("shown", card) for card in self._shown_by(1 - player))
        later = second[0] if second else ()
        return (("hand", player, self.cards[player]), *first, *public, *later, *shown)


@dataclass(frozen=True)
class LeducPokerSpec(GameSpec):
    """Leduc poker; it has no rules to set."""

    id: ClassVar[str] = "leduc_poker"
    num_players: ClassVar[int] = 2

    rules: Rules

    @property
    def num_actions(self) -> int:
        """Three: fold, call, raise."""
        return len(MOVES)

    def move_name(self, action_id: int) -> str:
        """Return "fold", "call" or "raise".

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
    ) -> LeducPokerState:
        """Deal a card to player 0, one to player 1, and lay the public card aside.

        Args:
          seed: seeds `random.Random`, which shuffles the cards in the order of their numbers.
          deck: the numbers of the cards, `rank * 2 + suit`, in the order dealt.
          decks: the same as a function; `decks(0)` is dealt.
          **table: none; the table has nothing to set.

        Raises:
          ValueError: several sources of cards, or a bad deck.
          TypeError: a keyword in `table`.
        """
        check_table(table, ())
        source = deck_source(seed, deck, decks, shuffled(range(len(CARDS))))
        first, second, public, *_ = check_deck(source(0), range(len(CARDS)))
        return LeducPokerState(self, (first, second), public)
