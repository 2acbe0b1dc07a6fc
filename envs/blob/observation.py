"""What a seat sees of a Blob position: the flat observations, and the planes."""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from talonax.configs.blob.schema import Rules, round_cards
from talonax.envs import cards, planes
from talonax.envs.blob.facts import bids, phase, rounds_done
from talonax.envs.blob.rules import MADE, hooked
from talonax.envs.blob.state import (
    ACE,
    BIDDING,
    CELLS,
    KING,
    MAX_SEATS,
    NO_BID,
    PACK,
    PHASES,
    BlobState,
    suits_of,
)
from talonax.envs.planes import SUITS
from talonax.envs.seats import row

PLANES = ("my_hand", "table", "played", "unseen", "trump")
PARTITION = 4

#: Rounds whose card counts are shown.
PAST = 15
#: Places at the end of the compact layout that nothing is written to.
SPARE = 25
RANKS = PACK.ranks
LOWEST, HIGHEST = 2, 14


class Seen(NamedTuple):
    """A position as one seat sees it: what the entries read.

    Attributes:
      rules: the rules.
      state: the position.
      player: int32[], the seat.
      hand: uint32[2], what it holds.
      bids: int32[P], -1 where none is made.
      tricks: int32[P], tricks won.
    """

    rules: Rules
    state: BlobState
    player: Array
    hand: Array
    bids: Array
    tricks: Array

    @property
    def dealt(self) -> Array:
        """float32[]: C, how many cards each was dealt."""
        return self.state.cards.astype(jnp.float32)

    @property
    def bid(self) -> Array:
        """int32[]: the player's own bid, -1 if none."""
        return self.bids[self.player]

    @property
    def won(self) -> Array:
        """int32[]: the player's own tricks."""
        return self.tricks[self.player]

    @property
    def done(self) -> Array:
        """int32[]: rounds done."""
        return rounds_done(self.rules, self.state)

    def place(self, seat: Array) -> Array:
        """Return the place of `seat` at the table, the player's own 0, on to the left."""
        return (seat - self.player) % self.state.num_players

    def by_suit(self) -> Array:
        """Return bool[4, 13]: the hand."""
        return cards.unpack(self.hand, PACK.size).reshape(SUITS, RANKS)

    def trumps(self) -> Array:
        """Return bool[13]: the trumps held."""
        is_trump = jnp.arange(SUITS) == self.state.trump
        return (self.by_suit() & is_trump[:, None]).any(axis=0)


def over(number: ArrayLike, whole: ArrayLike) -> Array:
    """Return float32[..] `number / whole`, in single precision also where there is double."""
    return jnp.asarray(number, jnp.float32) / jnp.asarray(whole, jnp.float32)


def see(rules: Rules, state: BlobState, player: Array) -> Seen:
    """Return the position as `player` sees it."""
    hand = row(state.dealt, player) & ~state.gone
    return Seen(rules, state, player, hand, bids(state), state.counters.all(state.tricks))


class Entry(NamedTuple):
    """A named slice of the observation: how wide it is, and what `player` reads there."""

    name: str
    width: int
    meaning: str
    read: Callable[[Seen], Array]


def entries(rules: Rules, layout: str) -> list[Entry]:
    """Return the entries of an observation in order (`README.md`: section *Observation*)."""
    compact = [*_cards(), *_counts(), *_own(), *_hand(), *_match()]
    return compact if layout == "compact" else [*compact, *_full(rules.players)]


def _one(name: str, meaning: str, read: Callable[[Seen], Array]) -> Entry:
    return Entry(name, 1, meaning, read)


def _cards() -> list[Entry]:
    size = PACK.size
    return [
        Entry("hand", size, "own hand", lambda s: cards.unpack(s.hand, size)),
        Entry("trick", size, "cards of the open trick: 1, 2, .. in order of play", _in_order),
        Entry(
            "played",
            size,
            "cards played this round, the open trick included",
            lambda s: cards.unpack(s.state.gone, size),
        ),
    ]


def _in_order(s: Seen) -> Array:
    seats = jnp.arange(s.state.num_players)
    order = (seats - s.state.leader) % s.state.num_players + 1
    laid = [cards.unpack(hand & s.state.table, PACK.size) for hand in s.state.dealt]
    return sum(on_table * order[seat] for seat, on_table in enumerate(laid))  # type: ignore[return-value]


def _counts() -> list[Entry]:
    def by_seat(values: Array) -> Array:
        return jnp.pad(values, (0, MAX_SEATS - values.shape[0]))

    return [
        Entry(
            "bids",
            MAX_SEATS,
            "bid / C of seats 0..7; -1 not yet bid, 0 seat absent",
            lambda s: by_seat(jnp.where(s.bids < 0, NO_BID, over(s.bids, s.dealt))),
        ),
        Entry(
            "tricks",
            MAX_SEATS,
            "tricks / C of seats 0..7",
            lambda s: by_seat(over(s.tricks, s.dealt)),
        ),
    ]


def _own() -> list[Entry]:
    def dealer_bids(s: Seen) -> Array:
        return (s.player == s.state.dealer) & (phase(s.state) == BIDDING)

    def distance(s: Seen) -> Array:
        return jnp.where(s.bid < 0, 0, over(s.won - s.bid, s.dealt))

    def held(s: Seen) -> Array:
        return over(cards.count(s.hand), RANKS)

    def done(s: Seen) -> Array:
        return over(s.state.tricks_done, s.dealt)

    return [
        _one(
            "bid", "own bid / C, -1 none", lambda s: jnp.where(s.bid < 0, -1, over(s.bid, s.dealt))
        ),
        _one("won", "own tricks / C", lambda s: over(s.won, s.dealt)),
        _one("cards", "C / 13, C the cards dealt to each", lambda s: over(s.dealt, RANKS)),
        _one("tricks_done", "tricks done / C", done),
        _one(
            "place",
            "seats from the dealer to the left / P",
            lambda s: over((s.player - s.state.dealer) % s.rules.players, s.rules.players),
        ),
        _one(
            "players",
            "P / 8, P the number of players",
            lambda s: over(s.rules.players, MAX_SEATS),
        ),
        Entry(
            "trump",
            SUITS,
            "trump: S, H, C, D; all zero: none",
            lambda s: jnp.arange(SUITS) == s.state.trump,
        ),
        _one("dealer_bids", "is dealer, and bidding", dealer_bids),
        Entry(
            "phase",
            len(PHASES),
            "phase: " + ", ".join(PHASES),
            lambda s: jnp.arange(len(PHASES)) == phase(s.state),
        ),
        _one("hand_size", "cards in hand / 13", held),
        _one(
            "own_played",
            "own cards played / 13",
            lambda s: over(cards.count(row(s.state.dealt, s.player) & s.state.gone), RANKS),
        ),
        _one("tricks_done_again", "tricks done / C", done),
        _one("distance", "(own tricks - own bid) / C, 0 before the own bid", distance),
        _one(
            "on_table",
            "cards in the open trick / P",
            lambda s: over(s.state.on_table, s.rules.players),
        ),
    ]


def _hand() -> list[Entry]:
    def top(s: Seen) -> Array:
        held = s.by_suit()
        return jnp.where(held[:, ACE], 1.0, jnp.where(held[:, KING], 0.5, 0.0))

    def mean_trump(s: Seen) -> Array:
        trumps = s.trumps()
        number = trumps.sum(dtype=jnp.int32)
        ranks = (trumps * jnp.arange(RANKS)).sum(dtype=jnp.int32)
        return over(over(ranks, jnp.maximum(number, 1)), HIGHEST - LOWEST)

    def forbidden(s: Seen) -> Array:
        told = (s.player == s.state.dealer) & (phase(s.state) == BIDDING)
        number = hooked(s.state)
        applies = told & (number >= 0) & (number <= s.state.cards) & s.rules.hook
        return jnp.where(applies, over(number, s.dealt), -1)

    return [
        _one("trumps", "trumps in hand / 13", lambda s: over(s.trumps().sum(), RANKS)),
        Entry(
            "suits",
            SUITS,
            "cards in hand by suit / 13",
            lambda s: over(s.by_suit().sum(axis=1), RANKS),
        ),
        Entry("tops", SUITS, "by suit: 1 ace held, else 0.5 king held, else 0", top),
        _one("mean_trump", "(mean rank of own trumps, 2..14, minus 2) / 12; 0 without", mean_trump),
        _one(
            "forbidden",
            "for the dealer while bidding: the bid the hook forbids / C; else -1",
            forbidden,
        ),
    ]


def _match() -> list[Entry]:
    """All zero in a single round."""

    def full(read: Callable[[Seen, int], Array]) -> Callable[[Seen], Array]:
        def reading(s: Seen) -> Array:
            seen = jnp.asarray(read(s, s.rules.cards), jnp.float32)
            return seen if s.rules.rounds == "full" else jnp.zeros_like(seen)

        return reading

    def totals(s: Seen, first: int) -> Array:
        share = over(s.state.scores, jnp.maximum(s.done * (MADE + first), 1))
        share = jnp.where(s.done == 0, 0.0, share)
        return jnp.pad(share, (0, MAX_SEATS - s.rules.players))

    def ones_left(s: Seen, first: int) -> Array:
        left = jnp.clip(first + s.rules.players - s.done, 0, s.rules.players)
        return over(left, s.rules.players)

    def stage(s: Seen, first: int) -> Array:
        ones = jnp.where(s.done < first + s.rules.players, 0.5, 1.0)
        return jnp.where(s.done < first, 0.0, ones)

    def total(s: Seen) -> int:
        return len(round_cards(s.rules))

    return [
        Entry("totals", MAX_SEATS, "totals / (rounds done * (10 + first C))", full(totals)),
        _one("rounds_done", "rounds done / all", full(lambda s, _: over(s.done, total(s)))),
        _one("rounds_left", "rounds left / all", full(lambda s, _: 1 - over(s.done, total(s)))),
        _one("ones_left", "extra one-card rounds left / P", full(ones_left)),
        _one("stage", "0 going down, 0.5 the one-card rounds, 1 going up", full(stage)),
        Entry(
            "past_cards",
            PAST,
            "cards of the last 15 rounds done, oldest first / first C",
            full(lambda s, first: over(_past(s.rules)[s.done], first)),
        ),
        _one("full_players", "P / 8", full(lambda s, _: over(s.rules.players, MAX_SEATS))),
        _one("first_cards", "first C / 8", full(lambda _, first: over(first, MAX_SEATS))),
        Entry("spare", SPARE, "0", lambda _: jnp.zeros(SPARE)),
    ]


def _past(rules: Rules) -> Array:
    """Return int32[rounds + 1, 15]: the card counts of the last rounds, by rounds done."""
    plan = round_cards(rules)
    rows = [list(plan[max(0, done - PAST) : done]) for done in range(len(plan) + 1)]
    return jnp.array([each + [0] * (PAST - len(each)) for each in rows], jnp.int32)


def _full(players: int) -> list[Entry]:
    """What the compact layout lacks: who showed and played what."""

    def left(s: Seen, steps: int) -> Array:
        return (s.player + steps) % s.state.num_players

    def voids(steps: int) -> Callable[[Seen], Array]:
        suits = suits_of(players)

        def read(s: Seen) -> Array:
            shown = suits.of(s.state.voids, left(s, steps))
            return cards.unpack(shown.astype(jnp.uint32), SUITS)

        return read

    def played(steps: int) -> Callable[[Seen], Array]:
        return lambda s: cards.unpack(row(s.state.dealt, left(s, steps)) & s.state.gone, PACK.size)

    listed = [
        Entry(
            "seat",
            MAX_SEATS,
            "own seat",
            lambda s: jnp.arange(MAX_SEATS) == s.player,
        )
    ]
    for steps in range(1, players):
        whose = f"the seat {steps} to the left"
        listed += [
            Entry(f"voids_{steps}", SUITS, f"suits that {whose} has shown void", voids(steps)),
            Entry(f"played_{steps}", PACK.size, f"cards that {whose} has played", played(steps)),
        ]
    return listed


def observe(rules: Rules, layout: str, state: BlobState, player: Array) -> Array:
    """Return float32[256], or float32[264 + 56 (P - 1)]: what `player` (int32[]) observes."""
    seen = see(rules, state, player)
    parts = [
        jnp.asarray(entry.read(seen)).astype(jnp.float32).reshape(entry.width)
        for entry in entries(rules, layout)
    ]
    return jnp.concatenate(parts)


def card_tensor(state: BlobState, player: Array) -> Array:
    """Return bool[4, 14, 5]: `PLANES` as `player` knows them."""
    mine = row(state.dealt, player) & ~state.gone
    every = cards.constant(range(PACK.size), PACK.size)
    sets = (
        mine,
        state.table,
        state.gone & ~state.table,
        every & ~(mine | state.gone),
        PACK.suit_set(state.trump),
    )
    return planes.stack([planes.plane(each, CELLS) for each in sets])


__all__ = ["PARTITION", "PLANES", "card_tensor", "entries", "observe"]
