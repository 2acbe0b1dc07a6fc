"""Bezique as an `Env`: the contract, in terms of this folder's modules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.bezique.schema import Rules
from talonax.envs.bezique import dealing, observation, outcome, position, rules, score, view, words
from talonax.envs.bezique.redeal import redeal
from talonax.envs.bezique.state import (
    HAND,
    NUM_ACTIONS,
    PHASES,
    PLAY,
    BeziqueState,
    Dealt,
    first_tricks,
    small,
)
from talonax.envs.bezique.words import CARDS, PACKS
from talonax.envs.core import NOBODY, Env, opening, select
from talonax.envs.given import is_concrete
from talonax.envs.stage import once, settle

#: Steps of a round under random play, by number of players.
_TYPICAL_STEPS = {2: 195, 4: 160}


@dataclass(frozen=True)
class Bezique(Env[BeziqueState]):
    """Bezique: win tricks to lay melds, then play the last nine tricks to the letter."""

    rules: Rules

    id: ClassVar[str] = "bezique"
    summary: ClassVar[str] = "Bezique: four packs with Jokers, melds, two or four players"
    phases: ClassVar[tuple[str, ...]] = PHASES
    idles: ClassVar[bool] = True
    table_keywords: ClassVar[tuple[str, ...]] = ("dealer", "round", "scores")

    @property
    def num_players(self) -> int:
        """Two or four."""
        return self.rules.players

    @property
    def num_actions(self) -> int:
        """Types from hand, types from the table, done, swap, 16 melds."""
        return NUM_ACTIONS

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The sum of the entries' widths."""
        return (sum(entry.width for entry in observation.entries(self.rules)),)

    @property
    def max_steps(self) -> int:
        """A trick before the last nine is a card a seat, at most one meld, and `done`; there is one
        swap in a round; the last nine are cards alone.
        """
        players = self.num_players
        each = first_tricks(players) * (players + 2) + 1 + HAND * players
        return score.most_rounds(self.rules) * each

    @property
    def max_loss(self) -> float:
        """All points of a round go to one seat, or the game is lost."""
        if self.rules.reward == "win":
            return 1.0
        return score.most_points(self.rules) / score.MARGIN

    @property
    def zero_sum(self) -> bool:
        """Margins to the mean of the others, and shares of a win, sum to zero."""
        return True

    @property
    def typical_steps(self) -> int:
        """Steps of a round under random play, measured."""
        return _TYPICAL_STEPS[self.num_players]

    @property
    def least_steps(self) -> int:
        """All cards are played."""
        return CARDS

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """Card = type * 4 + pack."""
        return tuple(range(CARDS))

    @property
    def plane_names(self) -> tuple[str, ...]:
        """A plane for each number of copies at each place, and the trump suit."""
        return observation.PLANES

    @property
    def num_partition_planes(self) -> int:
        """All but trump: they count the copies of every type."""
        return observation.PARTITION

    @property
    def copies(self) -> int:
        """Four packs, and four Jokers in one cell."""
        return PACKS

    @property
    def deals_again(self) -> bool:
        """Unless a game is one round."""
        return score.most_rounds(self.rules) > 1

    def phase(self, state: BeziqueState) -> Array:
        """Return int32[]: play, a winner's turn, the last nine tricks, or over."""
        return observation.phase(state)

    def action_name(self, action: int) -> str:
        """Return the name of an action id."""
        return view.action_name(int(action))

    def observation_entries(self) -> list[tuple[str, int, str]]:
        """Return name, width and meaning of each entry, in order."""
        entries = observation.entries(self.rules)
        return [(entry.name, entry.width, entry.meaning) for entry in entries]

    # Dealing ------------------------------------------------------------------------------------

    def pack_deck(self, deck: Array, **table: Any) -> Dealt:
        """Return the hands, the stock and the card turned up."""
        del table
        return dealing.lay_out(self.rules, deck)

    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> BeziqueState:
        number = table.get("round", 0)
        self._check_table(number, table)
        players = self.num_players
        dealer = table.get("dealer", (players - 1 + number) % players)
        scores = jnp.asarray(table.get("scores", (0,) * players), jnp.int32)
        match = {"key": key, "deal_no": jnp.int32(0)} if self.deals_again else {}
        return self._lay(deck, jnp.int32(number), jnp.int32(dealer), scores, match)

    def _lay(
        self, dealt: Dealt, number: Array, dealer: Array, scores: Array, match: dict[str, Any]
    ) -> BeziqueState:
        players = self.num_players
        first = (dealer + 1) % players
        nobody, zero = (words.nothing(),) * players, jnp.uint32(0)
        return BeziqueState(
            **opening(players, first),
            hands=dealt.hands,
            tables=nobody,
            known=nobody,
            played=words.nothing(),
            trick=zero,
            last=zero,
            stock=dealt.stock,
            drawn=small(0),
            turned_up=dealt.turned_up,
            trump=small(dealing.trump_of(dealt.turned_up)),
            dealer=small(dealer),
            leader=small(first),
            phase=small(PLAY),
            melded=jnp.bool_(False),
            swapped=jnp.bool_(False),
            marriages=zero,
            queens_kings=zero,
            jacks_aces=zero,
            runs=zero,
            pairs=jnp.uint16(0),
            jokers=jnp.uint16(0),
            brisques=zero,
            points=score.points_dealt(dealer, dealt.turned_up, players),
            scores=scores,
            round=number,
            why=jnp.int16(0),
            denied=jnp.zeros(players, jnp.uint32) if players > 2 else None,
            **match,
        )

    def _check_table(self, number: Any, table: Mapping[str, Any]) -> None:
        players, rounds = self.num_players, score.most_rounds(self.rules)
        limit = rounds if self.deals_again else np.inf
        if is_concrete(number) and not 0 <= int(number) < limit:
            allowed = f"0 .. {rounds - 1}" if self.deals_again else "0 and up"
            raise ValueError(f"bezique: round {number!r}: there are rounds {allowed}")
        dealer = table.get("dealer", 0)
        if is_concrete(dealer) and not 0 <= int(dealer) < players:
            raise ValueError(
                f"bezique: dealer {dealer!r} is no seat; there are: 0 .. {players - 1}"
            )
        scores = table.get("scores", (0,) * players)
        if is_concrete(scores):
            totals = [int(total) for total in np.asarray(scores).ravel()]
            if len(totals) != players or min(totals) < 0:
                raise ValueError(
                    f"bezique: scores {totals}: {players} totals are needed, none below 0"
                )

    # Playing ------------------------------------------------------------------------------------

    def _legal_set(self, state: BeziqueState) -> Array:
        return rules.legal_set(self.rules, state)

    def _apply(self, state: BeziqueState, action: Array, next_deck: Any) -> BeziqueState:
        move = settle(rules.move_of(state, action), **rules.MOVE_BITS)
        packed = once(rules.chosen(state, action))
        after = outcome.carry_out(self.rules, state, move, packed, rules.drawn(state, move.seat))
        points, why = score.add_points(self.rules, state, after, move)
        settled = score.settle_round(self.rules, state, points)
        over = move.ends & settled.over
        finished: BeziqueState = after.replace(
            points=points,
            why=why,
            scores=jnp.where(move.ends, settled.scores, state.scores),
            rewards=jnp.where(move.ends, settled.rewards, 0.0),
            current_player=jnp.where(over, NOBODY, after.current_player),
            terminated=state.terminated | over & ~settled.truncated,
            truncated=state.truncated | over & settled.truncated,
        )
        if not self.deals_again:
            return finished
        assert state.deal_no is not None
        fresh = self._lay(
            next_deck,
            state.round + 1,
            (state.dealer.astype(jnp.int32) + 1) % self.num_players,
            settled.scores,
            {"key": state.key, "deal_no": state.deal_no + 1},
        ).replace(rewards=finished.rewards, why=finished.why)
        return select(move.ends & ~over, fresh, finished)

    # Looking ------------------------------------------------------------------------------------

    def _observe(self, state: BeziqueState, player: Array) -> Array:
        return observation.observe(self.rules, state, player)

    def card_tensor(self, state: BeziqueState, player: ArrayLike) -> Array:
        """Return bool[4, 14, 33]: the planes of `plane_names` as `player` knows them."""
        return observation.card_tensor(state, jnp.asarray(player, jnp.int32))

    def redeal(self, state: BeziqueState, player: ArrayLike, key: Array) -> BeziqueState:
        """Draw a world consistent with what `player` knows (`redeal.py` tells how)."""
        return redeal(state, jnp.asarray(player, jnp.int32), key)

    def facts(self, state: BeziqueState) -> dict[str, Array]:
        """Return everything there is as plain integers, by name."""
        return observation.facts(state)

    def render(self, state: BeziqueState, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""
        return view.render(self.rules, state, player)

    def position(self, state: BeziqueState) -> dict[str, Any]:
        """Return the position in plain words (`position.py`)."""
        return position.write(state)

    def from_position(self, common: dict[str, Array], given: Mapping[str, Any]) -> BeziqueState:
        """Return the state that a position describes; ValueError if it is impossible."""
        return position.read(self.rules, common, given)

    def tally(self, state: BeziqueState, action: Array, after: BeziqueState) -> dict[str, Array]:
        """Count melds by kind, sevens, swaps, last tricks, rounds, and games cut off."""
        return score.tally(self.rules, state, rules.move_of(state, action), after)


__all__ = ["Bezique", "BeziqueState"]
