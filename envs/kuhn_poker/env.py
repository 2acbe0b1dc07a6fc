"""Kuhn poker as an `Env`: three cards, one bet; the smallest game that has to be bluffed in.

H. W. Kuhn, A simplified two-person poker, Contributions to the Theory of Games 1 (1950), 97-103.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.kuhn_poker.schema import Rules
from talonax.envs import betting, cards, pairs, planes
from talonax.envs.core import IDLE, NOBODY, Env, State, opening
from talonax.envs.kuhn_poker import rules, view


class KuhnPokerState(State):
    """A position.

    Attributes:
      hands: int8[] each, the card of each seat.
      record: uint8[], what was done (`envs/betting.py`), in `MAX_ACTIONS` places.
      made: int8[], how many actions.
    """

    hands: pairs.Pair
    record: Array
    made: Array


@dataclass(frozen=True)
class KuhnPoker(Env[KuhnPokerState]):
    """Two players, one card each of three; a single bet of one chip."""

    rules: Rules

    id: ClassVar[str] = "kuhn_poker"
    summary: ClassVar[str] = "Kuhn poker: three cards, one bet; solved, to measure learning by"
    phases: ClassVar[tuple[str, ...]] = ("betting",)
    idles: ClassVar[bool] = True
    typical_steps: ClassVar[int] = 2

    # The game in numbers

    @property
    def num_players(self) -> int:
        """Two."""
        return 2

    @property
    def num_actions(self) -> int:
        """Pass and bet."""
        return rules.NUM_ACTIONS

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Own seat, own card, the actions so far."""
        return (sum(width for _, width, _ in view.ENTRIES),)

    @property
    def max_steps(self) -> int:
        """Pass, bet and the answer to it."""
        return rules.MAX_ACTIONS

    @property
    def max_loss(self) -> float:
        """The ante and a bet."""
        return float(rules.ANTE + rules.BET_SIZE)

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """Jack, queen and king."""
        return tuple(range(rules.NUM_CARDS))

    @property
    def cards_used(self) -> int:
        """The third card is never seen."""
        return 2

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Own card, the other's once shown, all others."""
        return view.PLANES

    @property
    def num_partition_planes(self) -> int:
        """All of them."""
        return len(view.PLANES)

    def action_name(self, action: int) -> str:
        """Return `pass` or `bet`."""
        if not 0 <= int(action) < rules.NUM_ACTIONS:
            raise ValueError(f"kuhn_poker has no action {action}; there are: 0 pass, 1 bet")
        return view.ACTIONS[int(action)]

    def observation_entries(self) -> list[tuple[str, int, str]]:
        """Return name, width and meaning of each entry, in order."""
        return list(view.ENTRIES)

    # The rules

    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> KuhnPokerState:
        return KuhnPokerState(
            **opening(self.num_players, first=0),
            hands=(deck[0].astype(jnp.int8), deck[1].astype(jnp.int8)),
            record=jnp.uint8(0),
            made=jnp.int8(0),
        )

    def _legal_set(self, state: KuhnPokerState) -> Array:
        return cards.constant(range(rules.NUM_ACTIONS), rules.NUM_ACTIONS)

    def _apply(self, state: KuhnPokerState, action: Array, next_deck: Any) -> KuhnPokerState:
        seat, acts = state.current_player, action != IDLE
        result = rules.outcome(state.hands, state.record, seat, action)
        to_move = jnp.where(acts, jnp.where(result.over, NOBODY, 1 - seat), seat)
        after: KuhnPokerState = state.replace(
            record=betting.put(state.record, state.made, action),
            made=state.made + acts.astype(jnp.int8),
            current_player=to_move,
            rewards=result.rewards,
            terminated=state.terminated | result.over,
        )
        return after

    def _shown(self, state: KuhnPokerState) -> Array:
        """Return bool[]: there was a showdown: both have bet, or neither has."""
        return state.terminated & ~state.illegal & (rules.bets(state.record) != 1)

    # What can be seen

    def _observe(self, state: KuhnPokerState, player: Array) -> Array:
        done = betting.unfold(state.record, rules.MAX_ACTIONS)
        parts = [
            jnp.arange(self.num_players) == player,
            jnp.arange(rules.NUM_CARDS) == pairs.of(state.hands, player),
            (done[:, None] == jnp.arange(rules.NUM_ACTIONS)).ravel(),
        ]
        return jnp.concatenate(parts).astype(jnp.float32)

    def card_tensor(self, state: KuhnPokerState, player: ArrayLike) -> Array:
        """Return bool[4, 14, 3]: own card, the opponent's after a showdown, all others."""
        mine, theirs = pairs.of(state.hands, player), pairs.other(state.hands, player)
        return view.card_tensor(mine, jnp.where(self._shown(state), theirs, betting.NONE))

    def redeal(self, state: KuhnPokerState, player: ArrayLike, key: Array) -> KuhnPokerState:
        """Draw the opponent's card, unless it was shown: either of the others is as likely."""
        mine = pairs.of(state.hands, player)
        other = betting.drawn(key, cards.single(mine, rules.NUM_CARDS), rules.NUM_CARDS)[0]
        first, shown = jnp.asarray(player) == 0, self._shown(state)
        keep = jnp.stack([first, ~first]) | shown
        hands = [jnp.where(keep[i], state.hands[i], other.astype(jnp.int8)) for i in (0, 1)]
        dealt: KuhnPokerState = state.replace(hands=tuple(hands))
        return dealt

    def information_state(self, state: KuhnPokerState, player: ArrayLike) -> Array:
        """Return int32[5], perfect recall: own seat, own card, the actions (-1 for none)."""
        player = jnp.asarray(player, jnp.int32)
        own = jnp.stack([player, pairs.of(state.hands, player).astype(jnp.int32)])
        return jnp.concatenate([own, betting.unfold(state.record, rules.MAX_ACTIONS)])

    def facts(self, state: KuhnPokerState) -> dict[str, Array]:
        """Return everything there is as plain integers, by name."""
        return {
            "current_player": state.current_player,
            "cards": jnp.stack(state.hands).astype(jnp.int32),
            "bets": betting.unfold(state.record, rules.MAX_ACTIONS),
        }

    def render(self, state: KuhnPokerState, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""
        return view.render(state, player, bool(self._shown(state)))

    def position(self, state: KuhnPokerState) -> dict[str, Any]:
        """Return the cards of seat 0 and 1, and the actions, by name."""
        done = betting.unfold(state.record, rules.MAX_ACTIONS).tolist()
        return {
            "cards": [planes.cell_name(view.CELLS[int(card)]) for card in state.hands],
            "actions": [view.ACTIONS[action] for action in done if action >= 0],
        }

    def from_position(
        self, common: dict[str, Array], position: Mapping[str, Any]
    ) -> KuhnPokerState:
        """Return the state that the actions of a position lead to (`envs/betting.py`)."""
        return betting.replayed(self, view.CELLS, common, position)

    def tally(
        self, state: KuhnPokerState, action: Array, after: KuhnPokerState
    ) -> dict[str, Array]:
        """Count bets and calls, and how games end."""
        counted = {
            "bets": action == rules.BET,
            "showdowns": self._shown(after),
            "folds": after.terminated & ~after.illegal & ~self._shown(after),
        }
        return {name: happened.astype(jnp.int32) for name, happened in counted.items()}
