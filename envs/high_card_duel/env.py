"""High Card Duel as an `Env`: the smallest game, and the template for adding one.

Read this file from the top: the state, then what the contract (`envs/core.py`) asks of a game, in
its order. A game of your own starts as a copy of this folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.high_card_duel.schema import Rules
from talonax.envs import cards
from talonax.envs.core import NOBODY, Env, State, opening
from talonax.envs.high_card_duel import rules, view
from talonax.envs.keys import key_words, typed_key
from talonax.envs.planes import RANKS, SUITS

#: The only action.
REVEAL = 0


class HighCardDuelState(State):
    """A position.

    Attributes:
      hands: int8[2], the card of each seat.
      revealed: bool[2], whose card lies face up.
    """

    hands: Array
    revealed: Array


@dataclass(frozen=True)
class HighCardDuel(Env[HighCardDuelState]):
    """Two players, one card each: player 0 reveals, then player 1, and the higher card wins."""

    rules: Rules

    id: ClassVar[str] = "high_card_duel"
    summary: ClassVar[str] = (
        "High Card Duel: one card each, the higher wins; the template of a game"
    )
    phases: ClassVar[tuple[str, ...]] = ("reveal",)
    typical_steps: ClassVar[int] = 2

    # The game in numbers

    @property
    def num_players(self) -> int:
        """Two."""
        return 2

    @property
    def num_actions(self) -> int:
        """One: reveal."""
        return 1

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The planes of `card_tensor`."""
        return (SUITS, RANKS, len(view.PLANES))

    @property
    def max_steps(self) -> int:
        """Each player reveals once."""
        return 2

    @property
    def max_loss(self) -> float:
        """One point."""
        return 1.0

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """The cells of the grid, `suit * 14 + rank`."""
        return rules.deck_cards(self.rules)

    @property
    def cards_used(self) -> int:
        """Only the two top cards are ever looked at."""
        return 2

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Own card, the other once revealed, all others."""
        return view.PLANES

    @property
    def num_partition_planes(self) -> int:
        """All of them."""
        return len(view.PLANES)

    def action_name(self, action: int) -> str:
        """Return `reveal`."""
        if int(action) != REVEAL:
            raise ValueError(f"high_card_duel has no action {action}; there is: {REVEAL}")
        return "reveal"

    # The rules

    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> HighCardDuelState:
        return HighCardDuelState(
            **opening(self.num_players, first=0),
            hands=deck[:2].astype(jnp.int8),
            revealed=jnp.zeros(2, bool),
        )

    def _legal_set(self, state: HighCardDuelState) -> Array:
        return cards.constant([REVEAL], self.num_actions)

    def _apply(self, state: HighCardDuelState, action: Array, next_deck: Any) -> HighCardDuelState:
        over = state.current_player == 1
        payoff = rules.payoff(state.hands.astype(jnp.int32))
        after: HighCardDuelState = state.replace(
            revealed=state.revealed | (jnp.arange(2) == state.current_player),
            current_player=jnp.where(over, NOBODY, 1),
            rewards=jnp.where(over, payoff, 0.0),
            terminated=over,
        )
        return after

    # What can be seen

    def _observe(self, state: HighCardDuelState, player: Array) -> Array:
        return self.card_tensor(state, player).astype(jnp.float32)

    def card_tensor(self, state: HighCardDuelState, player: ArrayLike) -> Array:
        """Return bool[4, 14, 3]: own card, the opponent's once revealed, all others."""
        player = jnp.asarray(player, jnp.int32)
        return view.card_tensor(self.deck_cards, state.hands, state.revealed, player)

    def redeal(self, state: HighCardDuelState, player: ArrayLike, key: Array) -> HighCardDuelState:
        """Draw the opponent's card anew, unless it is revealed: any card but the player's own."""
        player = jnp.asarray(player, jnp.int32)
        deck = jnp.array(self.deck_cards, jnp.int8)
        mine = state.hands[player]
        place = jax.random.randint(
            typed_key(key_words(key)), (), 0, len(self.deck_cards) - 1, jnp.int32
        )
        place = place + (place >= jnp.argmax(deck == mine))
        theirs = jnp.where(state.revealed[1 - player], state.hands[1 - player], deck[place])
        hands = jnp.where(jnp.arange(2) == player, mine, theirs)
        dealt: HighCardDuelState = state.replace(hands=hands)
        return dealt

    def information_state(self, state: HighCardDuelState, player: ArrayLike) -> Array:
        """Return what `player` has seen so far, with perfect recall: the observation has it all."""
        return self.observe(state, player)

    def facts(self, state: HighCardDuelState) -> dict[str, Array]:
        """Return everything there is as plain integers, by name."""
        return {
            "current_player": state.current_player,
            "hands": state.hands,
            "revealed": state.revealed.astype(jnp.int32),
        }

    def render(self, state: HighCardDuelState, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""
        return view.render(state, player)

    def tally(
        self, state: HighCardDuelState, action: Array, after: HighCardDuelState
    ) -> dict[str, Array]:
        """Count ties."""
        return {"ties": (after.terminated & (after.rewards[0] == 0)).astype(jnp.int32)}
