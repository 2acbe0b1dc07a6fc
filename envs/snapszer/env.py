"""Snapszer as an `Env`: the contract, in terms of this folder's modules."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.snapszer.schema import Rules
from talonax.envs import pairs
from talonax.envs.core import NOBODY, Env, opening, select
from talonax.envs.given import is_concrete
from talonax.envs.keys import typed_key
from talonax.envs.mt19937 import deal_mt19937
from talonax.envs.snapszer import observation, position, rules, view
from talonax.envs.snapszer.redeal import redeal
from talonax.envs.snapszer.rules import Deed
from talonax.envs.snapszer.state import NO_CARD, Dealt, Sizes, SnapszerState, small
from talonax.envs.symmetry import SuitSymmetry, entries_by_suit, suit_major

#: What the first leader is drawn from, beside the decks of deals 0, 1, ..
LEADER_DRAW = 2**32 - 1


@dataclass(frozen=True)
class Snapszer(Env[SnapszerState]):
    """Hungarian Snapszer and its relatives (66, Schnapsen), two players, deals or matches."""

    rules: Rules

    id: ClassVar[str] = "snapszer"
    summary: ClassVar[str] = "Hungarian Snapszer (66): 20 cards, two players, marriages, closing"
    layouts: ClassVar[tuple[str, ...]] = ("full", "compact")
    idles: ClassVar[bool] = True
    typical_steps: ClassVar[int] = 14
    least_steps: ClassVar[int] = (
        3  # the first trick brings 62 at the most: A, T or A, and trump K Q
    )
    table_keywords: ClassVar[tuple[str, ...]] = ("leader", "first_leader", "scores")

    @cached_property
    def sizes(self) -> Sizes:
        """What the pack fixes."""
        return Sizes(nines=self.rules.nines)

    @property
    def num_players(self) -> int:
        """Two."""
        return 2

    @property
    def num_actions(self) -> int:
        """A card each, the exchange, closing; declaring eight more, where that is optional."""
        declaring = rules.DECLARATIONS if self.rules.marriage_declare == "optional" else 0
        return self.sizes.declare + declaring

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """(n,), see `observation_layout`."""
        return (sum(width for _, width, _ in self.observation_entries()),)

    @property
    def max_steps(self) -> int:
        """Every card played once, at most one exchange and one closing a deal; a match to n takes
        at most 2n - 1 deals, since each pays its winner at least one game point.
        """
        deal = self.sizes.num_cards + 1 + int(self.rules.closing)
        return deal * max(1, 2 * self.rules.match - 1)

    @property
    def max_loss(self) -> float:
        """Three game points."""
        return 3.0

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """Card = suit * ranks + rank."""
        return tuple(range(self.sizes.num_cards))

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Six planes that partition the deck, and the trump suit."""
        return observation.PLANES

    @property
    def num_partition_planes(self) -> int:
        """All planes but the trump suit."""
        return len(observation.PLANES) - 1

    @property
    def deals_again(self) -> bool:
        """In a match."""
        return self.rules.match > 0

    def action_name(self, action: int) -> str:
        """Return `AS` to play a card, `exchange`, `close`, `declare KS`."""
        return view.action_name(self.sizes, int(action), self.num_actions)

    def observation_entries(self) -> list[tuple[str, int, str]]:
        """Return name, width and meaning of each entry, in order."""
        entries = observation.entries(self.rules, self.sizes, self.observation)
        return [(entry.name, entry.width, entry.meaning) for entry in entries]

    def suit_symmetry(self) -> SuitSymmetry:
        """Cards and declarations go suit by suit; the trump suit is that of the card turned up."""
        size, layout = self.sizes.num_cards, self.observation_layout()
        declaring = suit_major(self.sizes.declare, self.num_actions - self.sizes.declare)
        return SuitSymmetry(
            cards=suit_major(0, size),
            observation=entries_by_suit(layout, size),
            trump=layout["trump"].start,
            actions=(np.concatenate([suit_major(0, size), declaring], axis=1),),
        )

    # Chance and dealing -------------------------------------------------------------------------

    def pack_deck(self, deck: Any, **table: Any) -> Dealt:
        """Return the deck laid out: two hands, turned-up card, stock."""
        return rules.lay_out(self.sizes, deck)

    def chance(self, key: Array) -> dict[str, Array]:
        """Draw the first leader, where the rules leave him to chance."""
        if self.rules.first_leader != "random":
            return {}
        draw = jax.random.fold_in(typed_key(key), LEADER_DRAW)
        return {"leader": (jax.random.bits(draw, (), jnp.uint32) & 1).astype(jnp.int32)}

    def deal_mt19937(self, seed: ArrayLike) -> Array:
        """Return the deck that the recorded engines deal from a 32-bit seed: int32[cards]."""
        return deal_mt19937(seed, self.sizes.num_cards)

    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> SnapszerState:
        leader, scores = self._table(table)
        match: dict[str, Any] = {}
        if self.deals_again:
            match = {"key": key, "deal_no": jnp.int32(0), "scores": scores}
        return self._lay(deck, leader, match)

    def _table(self, table: Mapping[str, Any]) -> tuple[Array, pairs.Pair]:
        leader = self.rules.first_leader
        if "first_leader" in table and "leader" in table and self.rules.first_leader != "random":
            raise ValueError("snapszer: leader and first_leader are the same thing: give one")
        if "first_leader" in table:
            leader = table["first_leader"]
        elif "leader" in table:
            leader = table["leader"]
        scores = table.get("scores", (0, 0))
        if "scores" in table and not self.deals_again:
            raise ValueError("snapszer: deal(scores=..) needs a match; match is 0")
        if is_concrete(leader) and int(leader) not in (0, 1):
            raise ValueError(f"snapszer: leader {leader!r} is no seat; there are: 0, 1")
        if is_concrete(scores) and self.deals_again:
            reached = [int(score) for score in np.asarray(scores)]
            if len(reached) != 2 or not all(0 <= score < self.rules.match for score in reached):
                raise ValueError(
                    f"snapszer: scores {reached} are none of a match to {self.rules.match} that "
                    "goes on: two numbers below that"
                )
        pair = jnp.int32(scores[0]), jnp.int32(scores[1])
        return jnp.asarray(leader, jnp.int32), pair

    def _lay(self, dealt: Dealt, leader: Array, match: dict[str, Any]) -> SnapszerState:
        nothing, nobody = jnp.int32(0), small(NOBODY)
        stake = rules.needs_stake(self.rules)
        waits = self.rules.marriage_points != "at_once"
        nobodys = jnp.uint32(0), jnp.uint32(0)
        return SnapszerState(
            **opening(self.num_players, leader),
            hands=dealt.hands,
            stock=dealt.stock,
            stock_left=small(self.sizes.stock),
            turned_up=dealt.turned_up,
            table=small(NO_CARD),
            leader=small(leader),
            points=(nothing, nothing),
            tricks=(small(0), small(0)),
            marriages=(jnp.uint8(0), jnp.uint8(0)),
            closed_by=nobody,
            known=nobodys,
            record=(nobodys, nobodys),
            leads=jnp.uint16(0),
            exchanged=small(NO_CARD),
            exchanged_at=nobody,
            pending=(nothing, nothing) if waits else None,
            closed_tricks=small(0) if stake else None,
            closed_points=nothing if stake else None,
            **match,
        )

    # Playing ------------------------------------------------------------------------------------

    def _legal_set(self, state: SnapszerState) -> Array:
        return rules.legal_set(self.rules, self.sizes, state)

    def _apply(self, state: SnapszerState, action: Array, next_deck: Any) -> SnapszerState:
        deed = rules.settled_deed(self.rules, self.sizes, state, action)
        played = rules.carry_out(self.rules, self.sizes, state, deed)
        seats = jnp.arange(self.num_players)
        paid = jnp.where(seats == deed.deal_winner, deed.game_points, -deed.game_points)
        rewards = jnp.where(deed.over, paid, 0).astype(jnp.float32)
        if not self.deals_again:
            return _finish(played, rewards, deed.over)
        return self._next_deal(state, played, rewards, deed, next_deck)

    def _next_deal(
        self,
        before: SnapszerState,
        state: SnapszerState,
        rewards: Array,
        deed: Deed,
        next_deck: Dealt,
    ) -> SnapszerState:
        """Count the deal's game points; unless they win the match, deal the next, led in turn."""
        assert before.scores is not None
        assert before.deal_no is not None
        gained = jnp.where(deed.over, deed.game_points, 0)
        scores = pairs.add(before.scores, deed.deal_winner, gained)
        won = deed.over & ((scores[0] >= self.rules.match) | (scores[1] >= self.rules.match))
        again = deed.over & ~won
        match = {"key": before.key, "deal_no": before.deal_no + 1, "scores": scores}
        fresh = self._lay(next_deck, 1 - rules.first_leader_of_deal(before), match)
        counted = state.replace(scores=scores)
        return _finish(select(again, fresh, counted), rewards, won)

    # Looking ------------------------------------------------------------------------------------

    def _observe(self, state: SnapszerState, player: Array) -> Array:
        return observation.observe(self.rules, self.sizes, state, player, self.observation)

    def card_tensor(self, state: SnapszerState, player: ArrayLike) -> Array:
        """Return bool[4, 14, 7]: the planes of `plane_names` as `player` knows them."""
        return observation.card_tensor(self.sizes, state, jnp.asarray(player, jnp.int32))

    def redeal(self, state: SnapszerState, player: ArrayLike, key: Array) -> SnapszerState:
        """Draw a world consistent with what `player` knows (`redeal.py` tells how)."""
        return redeal(self.rules, self.sizes, state, jnp.asarray(player, jnp.int32), key)

    def facts(self, state: SnapszerState) -> dict[str, Array]:
        """Return everything there is as plain integers, by name."""
        return observation.facts(self.sizes, state)

    def render(self, state: SnapszerState, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""
        return view.render(self.rules, self.sizes, state, player)

    def position(self, state: SnapszerState) -> dict[str, Any]:
        """Return the position in plain words (`position.py`)."""
        return position.write(self.rules, self.sizes, state)

    def from_position(self, common: dict[str, Array], given: Mapping[str, Any]) -> SnapszerState:
        """Return the state that a position describes; ValueError if it is impossible."""
        return position.read(self.rules, self.sizes, common, given)

    def tally(self, state: SnapszerState, action: Array, after: SnapszerState) -> dict[str, Array]:
        """Count closings, exchanges, marriages, and how deals end."""
        del after
        return rules.tally(self.rules, self.sizes, state, action)


def _finish(state: SnapszerState, rewards: Array, over: Array) -> SnapszerState:
    finished: SnapszerState = state.replace(
        current_player=jnp.where(over, NOBODY, state.current_player),
        rewards=rewards,
        terminated=state.terminated | over,
    )
    return finished


__all__ = ["Snapszer", "SnapszerState"]
