"""High Card Duel, the smallest game: the reference engine, and the pattern for writing others.

Each of two players is dealt a card face down; player 0 reveals, then player 1; the higher card wins
(`envs/high_card_duel/README.md` has the rules).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from talonax.configs.high_card_duel.schema import Rules
from talonax.parity.card_tensor import CardTensor
from talonax.parity.cards import ALL_CARDS, Card, Rank
from talonax.parity.game import (
    NOBODY,
    Decks,
    Facts,
    GameSpec,
    GameState,
    Move,
    Scenario,
    check_deck,
    check_table,
    deck_source,
    shuffled,
)

REVEAL = Move(0, "reveal")
PLANES = ("my_hand", "opponent_hand", "unseen")

#: Ranks from weak to strong: the Ace is high, and only the Joker beats it.
RANKS_BY_STRENGTH: list[Rank] = [rank for rank in Rank if rank not in (Rank.ACE, Rank.JOKER)]
RANKS_BY_STRENGTH += [Rank.ACE, Rank.JOKER]


def strength(card: Card) -> int:
    """Return how high a card is; suits do not count."""
    return RANKS_BY_STRENGTH.index(card.rank)


@dataclass(frozen=True)
class HighCardDuelState(GameState):
    """A position of the duel.

    Attributes:
      spec: the game.
      hands: the card of each player.
      revealed: whether it lies face up.
    """

    spec: "HighCardDuelSpec"
    hands: tuple[Card, Card]
    revealed: tuple[bool, bool] = (False, False)

    def current_player(self) -> int:
        """Return the first player who has not revealed yet, or -1."""
        for player, shown in enumerate(self.revealed):
            if not shown:
                return player
        return NOBODY

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the one move there is, until both have revealed."""
        return () if self.is_terminal() else (REVEAL,)

    def is_terminal(self) -> bool:
        """Return whether both have revealed."""
        return all(self.revealed)

    def _after(self, move: Move) -> Self:
        first_reveals = self.current_player() == 0
        return replace(self, revealed=(True, not first_reveals))

    def rewards(self) -> tuple[float, ...]:
        """Return +1 and -1 to the higher and the lower card once both lie open, 0 on a tie."""
        mine, yours = map(strength, self.hands)
        if not self.is_terminal() or mine == yours:
            return (0.0, 0.0)
        return (1.0, -1.0) if mine > yours else (-1.0, 1.0)

    def to_tensor(self, player: int) -> CardTensor:
        """Return the planes: own card, the opponent's once it is revealed, the rest of the deck."""
        opponent = 1 - player
        seen = [self.hands[opponent]] if self.revealed[opponent] else []
        placed = [self.hands[player], *seen]
        planes = {
            "my_hand": [self.hands[player]],
            "opponent_hand": seen,
            "unseen": [card for card in self.spec.cards if card not in placed],
        }
        return CardTensor.from_plane_card_map(planes, PLANES)

    def observation(self, player: int, layout: str = "full") -> list[float]:
        """Return the planes, flat.

        Raises:
          ValueError: a layout other than "full".
        """
        if layout != "full":
            raise ValueError(f"high_card_duel has no layout {layout!r}; there is: full")
        return [float(cell) for cell in self.to_tensor(player).data.ravel()]

    def facts(self) -> Facts:
        """Return both cards and who has revealed."""
        return {
            "current_player": self.current_player(),
            "hands": [card.index for card in self.hands],
            "revealed": [int(shown) for shown in self.revealed],
        }

    def information_state(self, player: int) -> tuple[Any, ...]:
        """Return own card, and every card that was revealed, in order, by seat."""
        reveals = tuple(
            ("reveal", seat, card.index)
            for seat, card in enumerate(self.hands)
            if self.revealed[seat]
        )
        choices = tuple(move.id for move in self.legal_moves() if player == self.current_player())
        mover = self.current_player()
        return (("hand", player, self.hands[player].index), *reveals, ("to move", mover, choices))


@dataclass(frozen=True)
class HighCardDuelSpec(GameSpec):
    """High Card Duel under its rules."""

    id: ClassVar[str] = "high_card_duel"
    num_players: ClassVar[int] = 2

    rules: Rules

    @property
    def num_actions(self) -> int:
        """One: reveal."""
        return 1

    @property
    def cards(self) -> list[Card]:
        """The deck: the whole grid, or the grid without its Jokers."""
        with_jokers = self.rules.include_jokers
        return [card for card in ALL_CARDS if with_jokers or card.rank != Rank.JOKER]

    def move_name(self, action_id: int) -> str:
        """Return "reveal".

        Raises:
          ValueError: an action other than 0.
        """
        if action_id != REVEAL.id:
            raise ValueError(f"there is no action {action_id}; there is: {REVEAL}")
        return REVEAL.name

    def initial_state(
        self,
        *,
        seed: int | None = None,
        deck: Sequence[int] | None = None,
        decks: Decks | None = None,
        **table: Any,
    ) -> HighCardDuelState:
        """Deal the first card to player 0 and the second to player 1.

        Args:
          seed: seeds `random.Random`, which shuffles the cards in index order.
          deck: the indices of the cards in the order dealt.
          decks: the same as a function; `decks(0)` is dealt.
          **table: none; the duel's table has nothing to set.

        Raises:
          ValueError: several sources of cards, or a bad deck.
          TypeError: a keyword in `table`.
        """
        check_table(table, ())
        indices = [card.index for card in self.cards]
        order = check_deck(deck_source(seed, deck, decks, shuffled(indices))(0), indices)
        return HighCardDuelState(self, (ALL_CARDS[order[0]], ALL_CARDS[order[1]]))

    @property
    def scenarios(self) -> dict[str, Scenario[HighCardDuelState]]:
        """The one rare place: two cards of a rank."""
        return {
            "tie": Scenario(
                what="both reveal cards of the same rank (chance decides, not the players)",
                choose=lambda state, rng: rng.choice(state.legal_moves()),
                reached=lambda state: state.is_terminal() and state.rewards() == (0.0, 0.0),
            )
        }
