"""Blob as an `Env`: the contract, in terms of this folder's modules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.blob.schema import Rules, round_cards
from talonax.envs import cards
from talonax.envs.blob import facts, observation, position, rules, view
from talonax.envs.blob.redeal import redeal
from talonax.envs.blob.rules import MADE, Move
from talonax.envs.blob.state import (
    NO_CARD,
    NO_SUIT,
    NUM_ACTIONS,
    PACK,
    PHASES,
    PLAYING,
    BlobState,
    Dealt,
    small,
)
from talonax.envs.blob.table import KEYWORDS, check_table
from talonax.envs.core import NOBODY, Env, opening, select
from talonax.envs.stage import settle
from talonax.envs.symmetry import NOTHING, SuitSymmetry, entries_by_suit, suit_major


@dataclass(frozen=True)
class Blob(Env[BlobState]):
    """Blob (Oh Hell): bid how many tricks you will take, then take exactly so many."""

    rules: Rules

    id: ClassVar[str] = "blob"
    summary: ClassVar[str] = "Blob (Oh Hell): three to eight players bid their tricks exactly"
    layouts: ClassVar[tuple[str, ...]] = ("full", "compact")
    phases: ClassVar[tuple[str, ...]] = PHASES
    idles: ClassVar[bool] = True
    table_keywords: ClassVar[tuple[str, ...]] = KEYWORDS

    @property
    def num_players(self) -> int:
        """Three to eight."""
        return self.rules.players

    @property
    def num_actions(self) -> int:
        """A bid or a card: the phase tells which."""
        return NUM_ACTIONS

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """(256,) if compact, else (264 + 56 * (P - 1),)."""
        return (sum(entry.width for entry in observation.entries(self.rules, self.observation)),)

    @property
    def max_steps(self) -> int:
        """Every round is a bid and as many cards as were dealt, by each seat."""
        return sum(self.num_players * (1 + number) for number in round_cards(self.rules))

    @property
    def max_loss(self) -> float:
        """A bid of all the cards that is made; `relative`, while all others get nothing."""
        return 1.0 if self.rules.reward == "normalised" else float(MADE + self.rules.cards)

    @property
    def zero_sum(self) -> bool:
        """Only if scores are paid relative to the others'."""
        return self.rules.reward == "relative"

    @property
    def typical_steps(self) -> int:
        """Steps of a round, on average."""
        return self.max_steps // len(round_cards(self.rules))

    @property
    def least_steps(self) -> int:
        """The steps of the shortest round that is dealt."""
        return self.num_players * (1 + min(round_cards(self.rules)))

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """Card = suit * 13 + rank."""
        return tuple(range(PACK.size))

    @property
    def cards_used(self) -> int:
        """What is dealt in the largest round: `cards * players`."""
        return self.rules.cards * self.num_players

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Four planes that partition the deck, and the trump suit."""
        return observation.PLANES

    @property
    def num_partition_planes(self) -> int:
        """All but trump."""
        return observation.PARTITION

    @property
    def deals_again(self) -> bool:
        """In a full game."""
        return self.rules.rounds == "full"

    def phase(self, state: BlobState) -> Array:
        """Return int32[]: bidding, playing, or over."""
        return facts.phase(state)

    def action_name(self, action: int) -> str:
        """Return what an action id means, bidding and playing: `bid 0 or 2S`, `TH`."""
        return view.action_name(self.rules, int(action))

    def name_in(self, state: BlobState, action: int) -> str:
        """Return what an action id means in this phase: `bid 0`, `2S`."""
        return view.name_in(state, int(action))

    def observation_entries(self) -> list[tuple[str, int, str]]:
        """Return name, width and meaning of each entry, in order."""
        entries = observation.entries(self.rules, self.observation)
        return [(entry.name, entry.width, entry.meaning) for entry in entries]

    def suit_symmetry(self) -> SuitSymmetry:
        """Cards go suit by suit; bids are of no suit."""
        layout, pack = self.observation_layout(), suit_major(0, PACK.size)
        return SuitSymmetry(
            cards=pack,
            observation=entries_by_suit(layout, PACK.size),
            trump=layout["trump"].start,
            actions=tuple(pack if phase == PLAYING else NOTHING for phase in range(len(PHASES))),
        )

    # Dealing ------------------------------------------------------------------------------------

    def pack_deck(self, deck: Array, **table: Any) -> Any:
        """Return the hands of a single round. The decks of a full game stay as they are: the round
        tells how much of one is dealt.
        """
        if self.deals_again:
            return deck[: self.cards_used].astype(jnp.int8)
        check_table(self.rules, table)
        number = table.get("cards", self.rules.cards)
        return rules.lay_out(deck, self.num_players, number, self.rules.cards)

    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> BlobState:
        table = {"round": self.rules.first_round, **table}
        check_table(self.rules, table)
        number = table["round"]
        dealer = table.get("dealer", (self.rules.dealer + number) % self.num_players)
        scores = jnp.asarray(table.get("scores", (0,) * self.num_players), jnp.int32)
        if not self.deals_again:
            dealt, held = deck, jnp.asarray(table.get("cards", self.rules.cards), jnp.int32)
            return self._lay(dealt, held, jnp.int32(number), jnp.int32(dealer), scores, {})
        match = {"key": key, "deal_no": jnp.int32(0)}
        return self._next_round(deck, jnp.int32(number), jnp.int32(dealer), scores, match)

    def _next_round(
        self, deck: Array, number: Array, dealer: Array, scores: Array, match: dict[str, Any]
    ) -> BlobState:
        held = rules.cards_of(self.rules, number)
        dealt = rules.lay_out(deck, self.num_players, held, self.rules.cards)
        return self._lay(dealt, held, number, dealer, scores, match)

    def _lay(
        self,
        dealt: Dealt,
        held: Array,
        number: Array,
        dealer: Array,
        scores: Array,
        match: dict[str, Any],
    ) -> BlobState:
        first = (dealer + 1) % self.num_players
        nothing = jnp.uint32(0)
        return BlobState(
            **opening(self.num_players, first),
            turn=small(0),
            dealer=small(dealer),
            leader=small(first),
            cards=small(held),
            trump=small(rules.trump_of(self.rules, number)),
            round=number,
            dealt=dealt.hands,
            gone=cards.empty(PACK.size),
            table=cards.empty(PACK.size),
            last=cards.empty(PACK.size),
            led=small(NO_SUIT),
            best=small(NO_CARD),
            best_by=small(first),
            bids=nothing,
            tricks=nothing,
            voids=nothing,
            scores=scores,
            **match,
        )

    # Playing ------------------------------------------------------------------------------------

    def _legal_set(self, state: BlobState) -> Array:
        return rules.legal_set(self.rules, state)

    def _apply(self, state: BlobState, action: Array, next_deck: Any) -> BlobState:
        move = settle(rules.move_of(state, action), **rules.MOVE_BITS)
        after = rules.carry_out(state, move)
        scored = rules.score(self.rules, *self._made(after))
        scored = jnp.where(move.ends, scored, 0)
        over = move.ends & self._last(state)
        finished: BlobState = after.replace(
            scores=state.scores + scored,
            rewards=self._paid(state, scored, move),
            current_player=jnp.where(over, NOBODY, after.current_player),
            terminated=state.terminated | over,
        )
        if not self.deals_again:
            return finished
        assert state.deal_no is not None
        fresh = self._next_round(
            next_deck,
            jnp.minimum(state.round + 1, len(round_cards(self.rules)) - 1),
            (state.dealer.astype(jnp.int32) + 1) % self.num_players,
            finished.scores,
            {"key": state.key, "deal_no": state.deal_no + 1},
        ).replace(rewards=finished.rewards)
        return select(move.ends & ~over, fresh, finished)

    def _last(self, state: BlobState) -> Array:
        """Return bool[]: is this the last round?"""
        if not self.deals_again:
            return jnp.asarray(True)
        last: Array = state.round == len(round_cards(self.rules)) - 1
        return last

    def _made(self, state: BlobState) -> tuple[Array, Array]:
        """Return int32[P] each: the bids, the tricks."""
        return state.counters.all(state.bids), state.counters.all(state.tricks)

    def _paid(self, state: BlobState, scored: Array, move: Move) -> Array:
        paid = rules.reward(self.rules, scored, state.cards.astype(jnp.int32))
        return jnp.where(move.ends, paid, 0.0).astype(jnp.float32)

    # Looking ------------------------------------------------------------------------------------

    def _observe(self, state: BlobState, player: Array) -> Array:
        return observation.observe(self.rules, self.observation, state, player)

    def card_tensor(self, state: BlobState, player: ArrayLike) -> Array:
        """Return bool[4, 14, 5]: the planes of `plane_names` as `player` knows them."""
        return observation.card_tensor(state, jnp.asarray(player, jnp.int32))

    def redeal(self, state: BlobState, player: ArrayLike, key: Array) -> BlobState:
        """Draw a world consistent with what `player` knows (`redeal.py` tells how)."""
        return redeal(self.rules, state, jnp.asarray(player, jnp.int32), key)

    def facts(self, state: BlobState) -> dict[str, Array]:
        """Return everything there is as plain integers, by name."""
        return facts.facts(self.rules, state)

    def render(self, state: BlobState, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""
        return view.render(self.rules, state, player)

    def position(self, state: BlobState) -> dict[str, Any]:
        """Return the position in plain words (`position.py`)."""
        return position.write(state)

    def from_position(self, common: dict[str, Array], given: Mapping[str, Any]) -> BlobState:
        """Return the state that a position describes; ValueError if it is impossible."""
        return position.read(self.rules, common, given)

    @property
    def tally_of(self) -> Mapping[str, str]:
        """Bids made are a part of those bid, by number; by seat, of its bids: one a round."""
        return rules.tally_of(self.rules)

    def tally(self, state: BlobState, action: Array, after: BlobState) -> dict[str, Array]:
        """Count rounds, bids by number and seat, and those that were made."""
        del after
        return rules.tally(self.rules, state, action)


__all__ = ["Blob", "BlobState"]
