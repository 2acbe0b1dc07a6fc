"""Leduc poker as an `Env`: six cards, two rounds of betting; the yardstick of the field.

F. Southey et al., Bayes' bluff: opponent modelling in poker, UAI (2005). Players, actions and
payments are those of OpenSpiel's `leduc_poker` for two.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.leduc_poker.schema import Rules
from talonax.envs import betting, cards, pairs, planes
from talonax.envs.core import IDLE, NOBODY, Env, State, opening
from talonax.envs.leduc_poker import rules, view

#: Actions that an observation tells: a fold ends the game, and is not told.
_TOLD = (rules.CALL, rules.RAISE)


class LeducPokerState(State):
    """A position.

    Attributes:
      hands: int8[] each, the card of each seat.
      public: int8[], the public card, also before it is turned up.
      round: int8[], which round of betting.
      record: uint16[], what was done (`envs/betting.py`), `ROUND_ACTIONS` places a round.
      made: int8[], how many actions this round has seen.
      raises: int8[], how many of them raised.
      pot: int8[] each, chips that each seat has put in.
    """

    hands: pairs.Pair
    public: Array
    round: Array
    record: Array
    made: Array
    raises: Array
    pot: pairs.Pair


@dataclass(frozen=True)
class LeducPoker(Env[LeducPokerState]):
    """Two players, one card each of six, one in common; two raises in each of two rounds."""

    rules: Rules

    id: ClassVar[str] = "leduc_poker"
    summary: ClassVar[str] = "Leduc poker: six cards, two rounds of betting; to measure learning by"
    phases: ClassVar[tuple[str, ...]] = view.PHASES
    idles: ClassVar[bool] = True
    typical_steps: ClassVar[int] = 4

    # The game in numbers

    @property
    def num_players(self) -> int:
        """Two."""
        return 2

    @property
    def num_actions(self) -> int:
        """Fold, call and raise."""
        return rules.NUM_ACTIONS

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Own seat, own and public card, the actions so far, the pot."""
        return (sum(width for _, width, _ in view.ENTRIES),)

    @property
    def max_steps(self) -> int:
        """In each round check, two raises and a call."""
        return rules.MAX_ACTIONS

    @property
    def max_loss(self) -> float:
        """The ante and every raise."""
        return float(rules.MAX_POT)

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """Jacks, queens and kings."""
        return tuple(range(rules.NUM_CARDS))

    @property
    def cards_used(self) -> int:
        """One a seat, and the public card."""
        return 3

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Own card, the public one, the other's once shown, all others."""
        return view.PLANES

    @property
    def num_partition_planes(self) -> int:
        """All of them."""
        return len(view.PLANES)

    def action_name(self, action: int) -> str:
        """Return `fold`, `call` or `raise`."""
        if not 0 <= int(action) < rules.NUM_ACTIONS:
            raise ValueError(
                f"leduc_poker has no action {action}; there are: 0 fold, 1 call, 2 raise"
            )
        return view.ACTIONS[int(action)]

    def phase(self, state: LeducPokerState) -> Array:
        """Return int32[]: the round of betting."""
        return state.round.astype(jnp.int32)

    def observation_entries(self) -> list[tuple[str, int, str]]:
        """Return name, width and meaning of each entry, in order."""
        return list(view.ENTRIES)

    # The rules

    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> LeducPokerState:
        first, second, public = (deck[i].astype(jnp.int8) for i in range(self.cards_used))
        return LeducPokerState(
            **opening(self.num_players, first=0),
            hands=(first, second),
            public=public,
            round=jnp.int8(rules.FIRST),
            record=jnp.uint16(0),
            made=jnp.int8(0),
            raises=jnp.int8(0),
            pot=pairs.both(jnp.int8(rules.ANTE)),
        )

    def _legal_set(self, state: LeducPokerState) -> Array:
        fold = cards.single(rules.FOLD, rules.NUM_ACTIONS)
        more = cards.single(rules.RAISE, rules.NUM_ACTIONS)
        legal = cards.single(rules.CALL, rules.NUM_ACTIONS)
        legal = legal | jnp.where(rules.owes(state.pot, state.current_player), fold, 0)
        return legal | jnp.where(state.raises < rules.MAX_RAISES, more, 0)

    def _apply(self, state: LeducPokerState, action: Array, next_deck: Any) -> LeducPokerState:
        seat, acts = state.current_player, action != IDLE
        result = rules.outcome(
            state.hands, state.public, state.pot, seat, state.round, state.made, action
        )
        place = rules.ROUND_ACTIONS * state.round + state.made
        next_seat = jnp.where(result.over, NOBODY, jnp.where(result.turns, 0, 1 - seat))
        raised = state.raises + (action == rules.RAISE).astype(jnp.int8)
        after: LeducPokerState = state.replace(
            round=state.round + result.turns.astype(jnp.int8),
            record=betting.put(state.record, place, action),
            made=jnp.where(result.turns, jnp.int8(0), state.made + acts.astype(jnp.int8)),
            raises=jnp.where(result.turns, jnp.int8(0), raised),
            pot=result.pot,
            current_player=jnp.where(acts, next_seat, seat),
            rewards=result.rewards,
            terminated=state.terminated | result.over,
        )
        return after

    def _folded(self, state: LeducPokerState) -> Array:
        """Return bool[]: a fold ended it; of all ends only this leaves the seats uneven."""
        return state.terminated & ~state.illegal & (state.pot[0] != state.pot[1])

    def _shown(self, state: LeducPokerState) -> Array:
        """Return bool[]: there was a showdown."""
        return state.terminated & ~state.illegal & ~self._folded(state)

    def _public(self, state: LeducPokerState) -> Array:
        """Return int8[]: the public card, -1 before it is turned up."""
        return jnp.where(state.round == rules.SECOND, state.public, jnp.int8(betting.NONE))

    # What can be seen

    def _observe(self, state: LeducPokerState, player: Array) -> Array:
        deck, done = jnp.arange(rules.NUM_CARDS), betting.unfold(state.record, rules.MAX_ACTIONS)
        pot = jnp.stack([pairs.of(state.pot, player), pairs.other(state.pot, player)])
        parts = [
            jnp.arange(self.num_players) == player,
            deck == pairs.of(state.hands, player),
            deck == self._public(state),
            (done[:, None] == jnp.array(_TOLD)).ravel(),
            pot.astype(jnp.float32) / rules.MAX_POT,
        ]
        return jnp.concatenate([part.astype(jnp.float32) for part in parts])

    def card_tensor(self, state: LeducPokerState, player: ArrayLike) -> Array:
        """Return bool[4, 14, 4]: own card, the public one, the opponent's once shown, others."""
        mine, theirs = pairs.of(state.hands, player), pairs.other(state.hands, player)
        shown = jnp.where(self._shown(state), theirs, betting.NONE)
        return view.card_tensor(mine, self._public(state), shown)

    def redeal(self, state: LeducPokerState, player: ArrayLike, key: Array) -> LeducPokerState:
        """Draw the opponent's card, unless it was shown, and the public one until it is turned up.

        Every pair of cards that the player does not see is as likely: nothing is forced by cards.
        """
        mine = cards.single(pairs.of(state.hands, player), rules.NUM_CARDS)
        seen = mine | cards.single(self._public(state), rules.NUM_CARDS)
        hand, public = betting.drawn(key, seen, rules.NUM_CARDS)[:2].astype(jnp.int8)
        first, shown = jnp.asarray(player) == 0, self._shown(state)
        keep = jnp.stack([first, ~first]) | shown
        hands = [jnp.where(keep[i], state.hands[i], hand) for i in (0, 1)]
        dealt: LeducPokerState = state.replace(
            hands=tuple(hands),
            public=jnp.where(state.round == rules.SECOND, state.public, public),
        )
        return dealt

    def information_state(self, state: LeducPokerState, player: ArrayLike) -> Array:
        """Return int32[11], perfect recall: own seat, own and public card, the actions (-1: none).

        The public card is -1 until it is turned up; actions have their places by round.
        """
        player = jnp.asarray(player, jnp.int32)
        own = (player, pairs.of(state.hands, player), self._public(state))
        known = jnp.stack([each.astype(jnp.int32) for each in own])
        return jnp.concatenate([known, betting.unfold(state.record, rules.MAX_ACTIONS)])

    def facts(self, state: LeducPokerState) -> dict[str, Array]:
        """Return everything there is as plain integers, by name."""
        return {
            "current_player": state.current_player,
            "cards": jnp.stack(state.hands).astype(jnp.int32),
            "public": state.public.astype(jnp.int32),
            "round": state.round.astype(jnp.int32),
            "actions": betting.unfold(state.record, rules.MAX_ACTIONS),
            "pot": jnp.stack(state.pot).astype(jnp.int32),
        }

    def render(self, state: LeducPokerState, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""
        return view.render(state, player, bool(self._shown(state)))

    def position(self, state: LeducPokerState) -> dict[str, Any]:
        """Return the cards (seat 0's, seat 1's, the public one) and the actions, by name."""
        done = betting.unfold(state.record, rules.MAX_ACTIONS).tolist()
        dealt = (*state.hands, state.public)
        return {
            "cards": [planes.cell_name(view.CELLS[int(card)]) for card in dealt],
            "actions": [view.ACTIONS[action] for action in done if action >= 0],
        }

    def from_position(
        self, common: dict[str, Array], position: Mapping[str, Any]
    ) -> LeducPokerState:
        """Return the state that the actions of a position lead to (`envs/betting.py`)."""
        return betting.replayed(self, view.CELLS, common, position)

    def tally(
        self, state: LeducPokerState, action: Array, after: LeducPokerState
    ) -> dict[str, Array]:
        """Count raises, and how games end."""
        shown = self._shown(after)
        counted = {
            "raises": action == rules.RAISE,
            "showdowns": shown,
            "ties": shown & (after.rewards[0] == 0),
            "folds": self._folded(after),
        }
        return {name: happened.astype(jnp.int32) for name, happened in counted.items()}
