"""Tysiac as an `Env`: the contract, in terms of this folder's modules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.tysiac.schema import Rules
from talonax.envs import pairs
from talonax.envs.core import NOBODY, Env, opening, select
from talonax.envs.given import is_concrete
from talonax.envs.stage import settle
from talonax.envs.tysiac import observation, position, rules, score, view
from talonax.envs.tysiac.redeal import redeal
from talonax.envs.tysiac.rules import Trick
from talonax.envs.tysiac.score import Settlement
from talonax.envs.tysiac.state import (
    AUCTION,
    LAST_BID,
    NO_CARD,
    NO_SUIT,
    NOT_TAKEN,
    NUM_ACTIONS,
    OPENING,
    PACK,
    PHASES,
    TEN,
    TRICKS,
    Dealt,
    TysiacState,
    small,
)

#: `margin` pays a hand in units of this many points.
MARGIN = 400


@dataclass(frozen=True)
class Tysiac(Env[TysiacState]):
    """Two-player Tysiac (Thousand): auction, musik, contract, ten tricks, matches to 1000."""

    rules: Rules

    id: ClassVar[str] = "tysiac"
    summary: ClassVar[str] = "Two-player Tysiac (Thousand): auction, marriages that make trump"
    phases: ClassVar[tuple[str, ...]] = PHASES
    idles: ClassVar[bool] = True
    typical_steps: ClassVar[int] = 30
    table_keywords: ClassVar[tuple[str, ...]] = ("dealer", "hand", "scores")

    @property
    def num_players(self) -> int:
        """Two."""
        return 2

    @property
    def num_actions(self) -> int:
        """Cards, declarations, bids, musiki, contracts, bombs and the challenge."""
        return NUM_ACTIONS

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """(213,)."""
        return (sum(entry.width for entry in observation.entries()),)

    @property
    def max_steps(self) -> int:
        """A hand: at most eleven bids and a pass, a challenge of each bid above 120, the musik, two
        cards returned, the contract, two steps of bombing, twenty cards.
        """
        bids = (LAST_BID - OPENING) // TEN + 1
        challenges = bids - 3 if self.rules.proof == "challenge" else 0
        bombing = int(self.rules.bomba.enabled) + int(self.rules.bomba.allow_redouble)
        hand = bids + 1 + challenges + 1 + 2 + 1 + bombing + 2 * TRICKS
        return hand * (self.rules.hands or self.rules.max_hands)

    @property
    def least_steps(self) -> int:
        """All cards are played, unless a hand is passed out, or ends by a challenge."""
        if self.rules.proof == "challenge" or not self.rules.forced_open:
            return 1
        return 2 * TRICKS

    @property
    def max_loss(self) -> float:
        """`win` pays 1; `margin` at most a contract lost and as much gained, 400 each, doubled."""
        if self.rules.reward == "win":
            return 1.0
        bomba = self.rules.bomba
        return 2.0 * (1 << bomba.enabled + bomba.allow_redouble)

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """Card = suit * 6 + rank."""
        return tuple(range(PACK.size))

    @property
    def plane_names(self) -> tuple[str, ...]:
        """Six planes that partition the deck, the trump suit, the musik taken."""
        return observation.PLANES

    @property
    def num_partition_planes(self) -> int:
        """All but trump and musik."""
        return observation.PARTITION

    @property
    def deals_again(self) -> bool:
        """Unless a single hand is played."""
        return self.rules.hands != 1

    def phase(self, state: TysiacState) -> Array:
        """Return int32[]: the index into `phases`."""
        return observation.phase(state).astype(jnp.int32)

    def action_name(self, action: int) -> str:
        """Return `AS`, `declare KS`, `pass`, `bid 110`, `musik 0`, `contract 150`, `bomb`, .."""
        return view.action_name(int(action))

    def name_in(self, state: TysiacState, action: int) -> str:
        """Return what an action id means in this position: `return AS`, `no bomb`, .."""
        return view.name_in(int(state.phase), int(action))

    def observation_entries(self) -> list[tuple[str, int, str]]:
        """Return name, width and meaning of each entry, in order."""
        return [(entry.name, entry.width, entry.meaning) for entry in observation.entries()]

    # Dealing ------------------------------------------------------------------------------------

    def pack_deck(self, deck: Any, **table: Any) -> Dealt:
        """Return the deck laid out: two hands, two musiki."""
        return rules.lay_out(deck)

    def _deal(self, deck: Any, key: Array | None, table: Mapping[str, Any]) -> TysiacState:
        hand, scores = table.get("hand", 0), table.get("scores", (0, 0))
        dealer = table.get("dealer", jnp.asarray(hand) % 2)
        self._check_table(hand, scores, dealer)
        match = {"key": key, "deal_no": jnp.int32(0)} if self.deals_again else {}
        totals = jnp.int32(scores[0]), jnp.int32(scores[1])
        return self._lay(deck, jnp.asarray(dealer, jnp.int32), jnp.int32(hand), totals, match)

    def _check_table(self, hand: Any, scores: Any, dealer: Any) -> None:
        last = (self.rules.hands or self.rules.max_hands) - 1
        if is_concrete(hand) and not 0 <= int(hand) <= last:
            raise ValueError(f"tysiac: hand {hand!r}: there are hands 0 .. {last}")
        if is_concrete(dealer) and int(dealer) not in (0, 1):
            raise ValueError(f"tysiac: dealer {dealer!r} is no seat; there are: 0, 1")
        if is_concrete(scores):
            totals = np.asarray(scores)
            below = f" below {self.rules.target}" if self.rules.hands == 0 else ""
            whole = totals.shape == (self.num_players,) and np.issubdtype(totals.dtype, np.integer)
            if not whole or (below and (totals >= self.rules.target).any()):
                raise ValueError(f"tysiac: scores {scores!r}: two whole numbers{below} are needed")

    def _lay(
        self,
        dealt: Dealt,
        dealer: Array,
        hand: Array,
        scores: pairs.Pair,
        match: dict[str, Any],
    ) -> TysiacState:
        none, nothing = jnp.uint32(0), jnp.int32(0)
        return TysiacState(
            **opening(self.num_players, 1 - dealer),
            phase=small(AUCTION),
            dealer=small(dealer),
            hands=dealt.hands,
            musiks=dealt.musiks,
            taken=small(NOT_TAKEN),
            returned=none,
            high_bid=small(0),
            bid_by=small(NOBODY),
            contract=small(0),
            doubling=small(1),
            leader=small(NOBODY),
            table=small(NO_CARD),
            last=pairs.both(small(NO_CARD)),
            trump=small(NO_SUIT),
            declared=(jnp.uint8(0), jnp.uint8(0)),
            points=(nothing, nothing),
            tricks=(small(0), small(0)),
            played=(none, none),
            known=(none, none),
            denied=(none, none),
            hand=hand,
            scores=scores,
            **self._unchallenged(),
            **match,
        )

    def _unchallenged(self) -> dict[str, Any]:
        if self.rules.proof == "auto":
            return {}
        return {name: pairs.both(jnp.uint8(0)) for name in ("shown", "lacking")}

    # Playing ------------------------------------------------------------------------------------

    def _legal_set(self, state: TysiacState) -> Array:
        return rules.legal_set(self.rules, state)

    def _apply(self, state: TysiacState, action: Array, next_deck: Any) -> TysiacState:
        talk = settle(rules.talk_of(self.rules, state, action), **rules.TALK_BITS)
        trick = settle(rules.trick_of(state, action, talk), **rules.TRICK_BITS)
        after = rules.carry_out(self.rules, state, talk, trick)
        settled = score.settle_hand(self.rules, state, after, talk)
        over = trick.over & settled.over
        finished: TysiacState = after.replace(
            scores=_where(trick.over, settled.scores, state.scores),
            rewards=self._paid(state, trick, settled),
            current_player=jnp.where(over, NOBODY, after.current_player),
            terminated=state.terminated | over & ~settled.truncated,
            truncated=state.truncated | over & settled.truncated,
        )
        if not self.deals_again:
            return finished
        assert state.deal_no is not None
        fresh = self._lay(
            next_deck,
            1 - state.dealer.astype(jnp.int32),
            state.hand + 1,
            finished.scores,
            {"key": state.key, "deal_no": state.deal_no + 1},
        ).replace(rewards=finished.rewards)
        return select(trick.over & ~settled.over, fresh, finished)

    def _paid(self, state: TysiacState, trick: Trick, settled: Settlement) -> Array:
        """Return float32[2]: what the step pays."""
        seats = jnp.arange(self.num_players)
        if self.rules.reward == "win":
            won = jnp.where(seats == settled.winner, 1.0, -1.0)
            paid = jnp.where(settled.over & (settled.winner >= 0), won, 0.0)
        else:
            change = (
                settled.scores[0] - state.scores[0] - settled.scores[1] + state.scores[1]
            ) / MARGIN
            paid = jnp.where(seats == 0, change, -change)
        return jnp.where(trick.over, paid, 0.0).astype(jnp.float32)

    # Looking ------------------------------------------------------------------------------------

    def _observe(self, state: TysiacState, player: Array) -> Array:
        return observation.observe(self.rules, state, player)

    def card_tensor(self, state: TysiacState, player: ArrayLike) -> Array:
        """Return bool[4, 14, 8]: the planes of `plane_names` as `player` knows them."""
        return observation.card_tensor(state, jnp.asarray(player, jnp.int32))

    def redeal(self, state: TysiacState, player: ArrayLike, key: Array) -> TysiacState:
        """Draw a world consistent with what `player` knows (`redeal.py` tells how)."""
        return redeal(self.rules, state, jnp.asarray(player, jnp.int32), key)

    def facts(self, state: TysiacState) -> dict[str, Array]:
        """Return everything there is as plain integers, by name."""
        return observation.facts(state)

    def render(self, state: TysiacState, player: int | None = None) -> str:
        """Return the table as text, as `player` sees it; `None` shows everything."""
        return view.render(self.rules, state, player)

    def position(self, state: TysiacState) -> dict[str, Any]:
        """Return the position in plain words (`position.py`)."""
        return position.write(state)

    def from_position(self, common: dict[str, Array], given: Mapping[str, Any]) -> TysiacState:
        """Return the state that a position describes; ValueError if it is impossible."""
        like = self._lay(
            rules.lay_out(jnp.arange(PACK.size)),
            jnp.int32(0),
            jnp.int32(0),
            (jnp.int32(0), jnp.int32(0)),
            {"key": jnp.zeros(2, jnp.uint32), "deal_no": jnp.int32(0)} if self.deals_again else {},
        )
        return position.read(like, common, given)

    def tally(self, state: TysiacState, action: Array, after: TysiacState) -> dict[str, Array]:
        """Count hands, contracts made by bid, bombs, marriages and challenges."""
        del after
        return score.tally(self.rules, state, jnp.asarray(action, jnp.int32))


def _where(condition: Array, yes: pairs.Pair, no: pairs.Pair) -> pairs.Pair:
    return jnp.where(condition, yes[0], no[0]), jnp.where(condition, yes[1], no[1])


__all__ = ["Tysiac", "TysiacState"]
