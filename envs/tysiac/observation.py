"""What a seat sees of a Tysiac position: the flat observation, the planes; and all facts."""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.configs.tysiac.schema import Rules
from talonax.envs import cards, pairs, planes
from talonax.envs.core import NOBODY
from talonax.envs.planes import SUITS
from talonax.envs.tysiac.marriages import lowest_of, proving
from talonax.envs.tysiac.state import (
    CELLS,
    FREE_BID,
    LAST_BID,
    LAST_CONTRACT,
    NO_SUIT,
    NOT_TAKEN,
    OVER,
    PACK,
    PHASES,
    TRICKS,
    TysiacState,
    amount,
    marriage_of,
)

PLANES = (
    "my_hand",
    "table",
    "played",
    "buried",
    "opponent_known",
    "unseen",
    "trump",
    "musik",
)
PARTITION = 6

FULL_SCORE = 1000
FULL_POINTS = 300
DOUBLINGS = (1, 2, 4)


class Seen(NamedTuple):
    """A position as one seat sees it: what the entries read."""

    rules: Rules
    state: TysiacState
    player: Array

    def mine(self, pair: pairs.Pair) -> Array:
        """Return the half of `pair` that is the player's."""
        return pairs.of(pair, self.player)

    def theirs(self, pair: pairs.Pair) -> Array:
        """Return the half of `pair` that is the opponent's."""
        return pairs.other(pair, self.player)

    def is_mine(self, seat: Array) -> Array:
        """Return bool[2]: is `seat` the player's own; is it the opponent's (neither for -1)?"""
        return jnp.stack([seat == self.player, seat == 1 - self.player])


class Entry(NamedTuple):
    """A named slice of the observation: how wide it is, and what `player` reads there."""

    name: str
    width: int
    meaning: str
    read: Callable[[Seen], Array]


def entries() -> list[Entry]:
    """Return the entries of the observation in order (`rules`: section *Observation*)."""
    return [*_cards(), *_play(), *_auction(), *_match()]


def _cards() -> list[Entry]:
    size = PACK.size

    def held(bits: Array) -> Array:
        return cards.unpack(bits, size)

    def own_returned(s: Seen) -> Array:
        return held(buried(s.state, s.player))

    return [
        Entry("hand", size, "own hand", lambda s: held(s.mine(s.state.hands))),
        Entry("own_played", size, "cards played by self", lambda s: held(s.mine(s.state.played))),
        Entry(
            "opponent_played",
            size,
            "cards played by the opponent, the one on the table included",
            lambda s: held(s.theirs(s.state.played)),
        ),
        Entry("musik", size, "musik taken, by whomever", lambda s: held(musik_taken(s.state))),
        Entry("own_returned", size, "the two cards that this player returned", own_returned),
        Entry(
            "table",
            size,
            "card on the table",
            lambda s: held(cards.single(s.state.table, size)),
        ),
    ]


def _play() -> list[Entry]:
    def laid_by(s: Seen) -> Array:
        return s.is_mine(s.state.leader) & ~s.state.leading

    def declared(s: Seen) -> Array:
        both = s.mine(s.state.declared), s.theirs(s.state.declared)
        return jnp.concatenate([cards.unpack(each.astype(jnp.uint32), SUITS) for each in both])

    return [
        Entry("leads", 2, "who leads: self, opponent", lambda s: s.is_mine(s.state.leader)),
        Entry("laid_by", 2, "whose card is on the table: self, opponent", laid_by),
        Entry(
            "trump",
            SUITS + 1,
            "trump: none, S, C, D, H",
            lambda s: jnp.arange(NO_SUIT, SUITS) == s.state.trump,
        ),
        Entry("declared", 2 * SUITS, "marriages declared by self, by the opponent", declared),
        Entry(
            "opponent_known",
            PACK.size,
            "cards known to be in the opponent's hand",
            lambda s: cards.unpack(s.theirs(s.state.known), PACK.size),
        ),
    ]


def _auction() -> list[Entry]:
    def one(name: str, meaning: str, read: Callable[[Seen], Array]) -> Entry:
        return Entry(name, 1, meaning, read)

    return [
        one("high_bid", "high bid / 200", lambda s: amount(s.state.high_bid) / LAST_BID),
        Entry("bid_by", 2, "who holds it: self, opponent", lambda s: s.is_mine(s.state.bid_by)),
        Entry("passed", 2, "who has passed: self, opponent", lambda s: s.is_mine(passed(s.state))),
        one("contract", "contract / 400", lambda s: amount(s.state.contract) / LAST_CONTRACT),
        Entry(
            "doubling",
            len(DOUBLINGS),
            "doubling: 1, 2, 4",
            lambda s: jnp.array(DOUBLINGS) == s.state.doubling,
        ),
        Entry("role", 2, "is declarer, is defender (both 0 in the auction)", _role),
        Entry(
            "phase",
            len(PHASES),
            "phase: " + ", ".join(PHASES),
            lambda s: jnp.arange(len(PHASES)) == phase(s.state),
        ),
    ]


def _role(s: Seen) -> Array:
    return s.is_mine(s.state.bid_by) & s.state.auction_over


def _match() -> list[Entry]:
    def by_seat(read: Callable[[Array], Array]) -> Callable[[Seen], Array]:
        return lambda s: jnp.stack([read(s.mine(s.state.scores)), read(s.theirs(s.state.scores))])

    def at_lock(s: Seen) -> Array:
        if s.rules.lock is None:
            return jnp.zeros(2)
        lock = s.rules.lock
        return by_seat(lambda score: score >= lock)(s)

    def raw(s: Seen) -> Array:
        return jnp.stack([s.mine(s.state.points), s.theirs(s.state.points)]) / FULL_POINTS

    return [
        Entry("scores", 2, "scores / 1000", by_seat(lambda score: score / FULL_SCORE)),
        Entry("at_lock", 2, "at or above the lock", at_lock),
        Entry("dealer", 1, "is dealer", lambda s: s.state.dealer == s.player),
        Entry("tricks", 1, "tricks done / 10", lambda s: s.state.tricks_done / TRICKS),
        Entry("points", 2, "raw points so far / 300", raw),
        Entry(
            "proven",
            1,
            "the standing bid is proven: a marriage that covers it was shown",
            lambda s: covered(s.state) > 0,
        ),
    ]


def observe(rules: Rules, state: TysiacState, player: Array) -> Array:
    """Return float32[213]: what `player` (int32[]) observes."""
    seen = Seen(rules, state, player)
    parts = [
        jnp.asarray(entry.read(seen)).astype(jnp.float32).reshape(entry.width)
        for entry in entries()
    ]
    return jnp.concatenate(parts)


# Public and private facts -----------------------------------------------------------------------


def phase(state: TysiacState) -> Array:
    """Return int8[]: the index into `PHASES`."""
    return jnp.where(state.finished, jnp.int8(OVER), state.phase)


def passed(state: TysiacState) -> Array:
    """Return int8[]: who has passed, -1 if nobody: the one who does not play."""
    passed_out = state.finished & ~state.illegal & (state.bid_by < 0)
    defender = jnp.where(state.auction_over, 1 - state.bid_by, jnp.int8(NOBODY))
    return jnp.where(passed_out, 1 - state.dealer, defender)


def musik_taken(state: TysiacState) -> Array:
    """Return the set of the two cards of the musik taken; empty before."""
    chosen = jnp.where(state.taken == 0, state.musiks[0], state.musiks[1])
    return jnp.where(state.taken == NOT_TAKEN, jnp.uint32(0), chosen)


def buried(state: TysiacState, player: Array) -> Array:
    """Return the cards that `player` has returned."""
    return jnp.where(state.bid_by == player, state.returned, jnp.uint32(0))


def covered(state: TysiacState) -> Array:
    """Return int32[]: the worth of the marriage shown that covers the standing bid, or 0."""
    if state.shown is None:
        return jnp.zeros_like(state.hand)
    shown = pairs.of(state.shown, state.bid_by) & proving(state.high_bid)
    above = amount(state.high_bid) > FREE_BID
    covering: Array = jnp.where(above & (shown != 0), marriage_of(lowest_of(shown)), 0)
    return covering


def card_tensor(state: TysiacState, player: Array) -> Array:
    """Return bool[4, 14, 8]: `PLANES` as `player` knows them."""
    mine, known = pairs.of(state.hands, player), pairs.other(state.known, player)
    table = cards.single(state.table, PACK.size)
    gone = (state.played[0] | state.played[1]) & ~table
    own = buried(state, player)
    every = cards.constant(range(PACK.size), PACK.size)
    unseen = every & ~(mine | known | table | gone | own)
    sets = (
        mine,
        table,
        gone,
        own,
        known,
        unseen,
        PACK.suit_set(state.trump),
        musik_taken(state),
    )
    return planes.stack([planes.plane(each, CELLS) for each in sets])


def facts(state: TysiacState) -> dict[str, Array]:
    """Return everything there is, as plain integers: cards by number, sets as bit masks."""
    leads = state.leader
    return {
        "current_player": state.current_player,
        "phase": phase(state),
        "hands": jnp.stack(state.hands),
        "musiks": jnp.stack(state.musiks),
        "taken": state.taken,
        "returned": state.returned,
        "declarer": jnp.where(state.auction_over, state.bid_by, jnp.int8(NOBODY)),
        "dealer": state.dealer,
        "high_bid": amount(state.high_bid),
        "bid_by": state.bid_by,
        "passed": jnp.stack([passed(state) == 0, passed(state) == 1]).astype(jnp.int32),
        "proven": covered(state),
        "contract": amount(state.contract),
        "doubling": state.doubling,
        "table": state.table,
        "last": jnp.stack(state.last),
        "leader": leads,
        "trump": state.trump,
        "declared": jnp.stack(state.declared),
        "points": jnp.stack(state.points),
        "tricks": jnp.stack(state.tricks),
        "played": jnp.stack(state.played),
        "known": jnp.stack(state.known),
        "hand": state.hand,
        "scores": jnp.stack(state.scores),
    }


__all__ = ["PARTITION", "PLANES", "card_tensor", "entries", "facts", "observe"]
