"""What a seat sees of a Snapszer position: the flat observation, the planes; and all facts."""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.configs.snapszer.schema import Rules
from talonax.envs import cards, pairs, planes
from talonax.envs.planes import SUITS
from talonax.envs.snapszer import rules as game
from talonax.envs.snapszer.state import NO_CARD, Sizes, SnapszerState

PLANES = ("my_hand", "table", "played", "turned_up", "opponent_known", "unseen", "trump")

MOST_POINTS = 120
MOST_TRICKS = 10
STOCK_WITH_TURNED_UP = 10
UNUSED = 3


# Observation ------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """A named slice of the observation: how wide it is, and what `player` reads there."""

    name: str
    width: int
    meaning: str
    read: Callable[["Seen"], Array]


class Seen(NamedTuple):
    """A position as one seat sees it: what the entries read."""

    sizes: Sizes
    state: SnapszerState
    player: Array

    def mine(self, pair: pairs.Pair) -> Array:
        """Return the half of `pair` that is the player's."""
        return pairs.of(pair, self.player)

    def theirs(self, pair: pairs.Pair) -> Array:
        """Return the half of `pair` that is the opponent's."""
        return pairs.other(pair, self.player)

    def held(self, bits: Array) -> Array:
        """Return a set of cards, a float each."""
        return cards.unpack(bits, self.sizes.num_cards)

    def card(self, card: Array) -> Array:
        """Return a card one-hot, all zero for no card."""
        return self.held(cards.single(card, self.sizes.num_cards))


def entries(rules: Rules, sizes: Sizes, layout: str) -> list[Entry]:
    """Return the entries of an observation in order (`rules`: section *Observation*)."""
    compact = _cards_and_trump(sizes) + _counts()
    if layout == "compact":
        return compact
    return compact + _memory(sizes) + _match(rules)


def _cards_and_trump(sizes: Sizes) -> list[Entry]:
    n = sizes.num_cards
    return [
        Entry("hand", n, "own hand", lambda s: s.held(s.mine(s.state.hands))),
        Entry("led", n, "card led to the current trick", lambda s: s.card(s.state.table)),
        Entry(
            "followed", n, "card played second (never seen between steps)", lambda s: jnp.zeros(n)
        ),
        Entry(
            "trump",
            SUITS,
            "trump suit: S, H, D, C",
            lambda s: jnp.arange(SUITS) == game.trump_of(sizes, s.state),
        ),
    ]


def _counts() -> list[Entry]:
    def closed_by(s: Seen, seat: Array) -> Array:
        return s.state.closed & (s.state.closed_by == seat)

    def one(name: str, meaning: str, read: Callable[[Seen], Array], over: int = 1) -> Entry:
        return Entry(
            name, 1, meaning + (f" / {over}" if over > 1 else ""), lambda s: read(s) / over
        )

    def stock_left(s: Seen) -> Array:
        return jnp.where(s.state.closed, 0, s.state.stock_left)

    return [
        one("turned_up_taken", "turned-up card taken, or talon closed", lambda s: s.state.strict),
        one("closed", "talon closed", lambda s: s.state.closed),
        one("stock", "face-down cards left", stock_left, STOCK_WITH_TURNED_UP),
        one(
            "stock_and_turned_up",
            "the same with the turned-up card",
            lambda s: stock_left(s) + ~s.state.strict,
            STOCK_WITH_TURNED_UP,
        ),
        one("own_points", "own points", lambda s: s.mine(s.state.points), MOST_POINTS),
        one(
            "opponent_points", "opponent's points", lambda s: s.theirs(s.state.points), MOST_POINTS
        ),
        one("own_tricks", "own tricks", lambda s: s.mine(s.state.tricks), MOST_TRICKS),
        one(
            "opponent_tricks", "opponent's tricks", lambda s: s.theirs(s.state.tricks), MOST_TRICKS
        ),
        one("to_move", "is to move", lambda s: s.state.current_player == s.player),
        one("leader", "is the leader", lambda s: s.state.leader == s.player),
        one("closed_by_self", "closed by self", lambda s: closed_by(s, s.player)),
        one("closed_by_opponent", "closed by the opponent", lambda s: closed_by(s, 1 - s.player)),
        one("strict", "strict phase", lambda s: s.state.strict),
        Entry("unused", UNUSED, "zero", lambda s: jnp.zeros(UNUSED)),
    ]


def _memory(sizes: Sizes) -> list[Entry]:
    n = sizes.num_cards

    def turned_up(s: Seen) -> Array:
        return s.card(jnp.where(turned_up_lies(s.state), s.state.turned_up, NO_CARD))

    def pending(half: Callable[[pairs.Pair], Array], s: Seen) -> Array:
        return half(s.state.pending) / MOST_POINTS if s.state.pending else jnp.zeros(())

    def suits(bits: Array) -> Array:
        return cards.unpack(bits.astype(jnp.uint32), SUITS)

    return [
        Entry("turned_up", n, "turned-up card, until it is drawn", turned_up),
        Entry(
            "own_played",
            n,
            "cards played by self, the one on the table included",
            lambda s: s.held(s.mine(played(s.sizes, s.state))),
        ),
        Entry(
            "opponent_played",
            n,
            "cards played by the opponent, the one on the table included",
            lambda s: s.held(s.theirs(played(s.sizes, s.state))),
        ),
        Entry(
            "opponent_known",
            n,
            "cards known to be in the opponent's hand",
            lambda s: s.held(s.theirs(s.state.known)),
        ),
        Entry(
            "own_marriages",
            SUITS,
            "marriages scored by self",
            lambda s: suits(s.mine(s.state.marriages)),
        ),
        Entry(
            "opponent_marriages",
            SUITS,
            "marriages scored by the opponent",
            lambda s: suits(s.theirs(s.state.marriages)),
        ),
        Entry("own_pending", 1, "own pending marriage points / 120", lambda s: pending(s.mine, s)),
        Entry(
            "opponent_pending",
            1,
            "opponent's pending marriage points / 120",
            lambda s: pending(s.theirs, s),
        ),
    ]


def _match(rules: Rules) -> list[Entry]:
    def score(half: Callable[[pairs.Pair], Array], s: Seen) -> Array:
        assert s.state.scores is not None
        return half(s.state.scores) / rules.match

    if rules.match == 0:
        return []
    return [
        Entry("own_score", 1, "own game points / match", lambda s: score(s.mine, s)),
        Entry("opponent_score", 1, "opponent's game points / match", lambda s: score(s.theirs, s)),
    ]


def observe(rules: Rules, sizes: Sizes, state: SnapszerState, player: Array, layout: str) -> Array:
    """Return float32[n]: what `player` (int32[]) observes."""
    seen = Seen(sizes, state, player)
    parts = [
        jnp.asarray(entry.read(seen)).astype(jnp.float32).reshape(entry.width)
        for entry in entries(rules, sizes, layout)
    ]
    return jnp.concatenate(parts)


# Where the cards are ----------------------------------------------------------------------------


def turned_up_lies(state: SnapszerState) -> Array:
    """Return bool[]: the turned-up card is on the table still (closed or not)."""
    return state.stock_left > 0


def played(sizes: Sizes, state: SnapszerState) -> pairs.Pair:
    """Return the sets of cards that each seat has played in this deal."""
    number = state.tricks_done.astype(jnp.int32)
    on_table = ~state.leading
    leads = on_table & (state.leader == 0), on_table & (state.leader == 1)
    return (
        _recorded(sizes, state.record[0], number + leads[0]),
        _recorded(sizes, state.record[1], number + leads[1]),
    )


def _recorded(sizes: Sizes, record: pairs.Pair, number: Array) -> Array:
    total = cards.empty(sizes.num_cards)
    for trick in range(sizes.tricks):
        card = sizes.queue.peek(record, trick)
        total = total | cards.single(jnp.where(trick < number, card, NO_CARD), sizes.num_cards)
    return total


def card_tensor(sizes: Sizes, state: SnapszerState, player: Array) -> Array:
    """Return bool[4, 14, 7]: `PLANES` as `player` knows them."""
    size = sizes.num_cards
    mine = pairs.of(state.hands, player)
    known = pairs.other(state.known, player)
    table = cards.single(state.table, size)
    by_seat = played(sizes, state)
    gone = (by_seat[0] | by_seat[1]) & ~table
    turned_up = cards.single(jnp.where(turned_up_lies(state), state.turned_up, NO_CARD), size)
    every = cards.constant(range(size), size)
    unseen = every & ~(mine | known | table | gone | turned_up)
    trump = sizes.pack.suit_set(game.trump_of(sizes, state))
    sets = (mine, table, gone, turned_up, known, unseen, trump)
    return planes.stack([planes.plane(each, sizes.cells) for each in sets])


def facts(sizes: Sizes, state: SnapszerState) -> dict[str, Array]:
    """Return everything there is, as plain integers: cards by number, sets as bit masks."""
    zero = jnp.zeros_like(state.points[0])
    return {
        "current_player": state.current_player,
        "hands": jnp.stack(state.hands),
        "table": state.table,
        "stock": sizes.queue.unfold(state.stock, state.stock_left),
        "turned_up": jnp.where(turned_up_lies(state), state.turned_up, NO_CARD),
        "trump": game.trump_of(sizes, state),
        "leader": state.leader,
        "points": jnp.stack(state.points),
        "tricks": jnp.stack(state.tricks),
        "pending": jnp.stack(state.pending or (zero, zero)),
        "marriages": jnp.stack(state.marriages),
        "closed_by": state.closed_by,
        "strict": state.strict.astype(jnp.int32),
        "known": jnp.stack(state.known),
        "played": jnp.stack(played(sizes, state)),
        "deal": zero if state.deal_no is None else state.deal_no,
        "scores": jnp.stack(state.scores or (zero, zero)),
    }
