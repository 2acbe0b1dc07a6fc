"""What a seat sees of a Bezique position: the flat observation, the planes; and all facts."""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.configs.bezique.schema import Rules
from talonax.envs import planes
from talonax.envs.bezique import melds, words
from talonax.envs.bezique.state import (
    CELLS,
    HAND,
    KINDS,
    LAST,
    NO_CARD,
    OVER,
    PHASES,
    BeziqueState,
    stock_size,
    unpacked_stock,
)
from talonax.envs.bezique.words import (
    JOKER,
    PACKS,
    SUIT_NAMES,
    TYPES,
    Words,
    numbers,
    single,
    stacked,
    type_counts,
    type_of,
    union,
    without,
)
from talonax.envs.planes import SUITS

#: Where cards are, as the planes tell; each has a plane for at least 1, 2, 3 and 4 copies.
PLACES = (
    "my_hand",
    "my_table",
    "opponent_table",
    "trick",
    "gone",
    "turned_up",
    "opponent_known",
    "unseen",
)
PARTITION = len(PLACES) * PACKS
PLANES = (
    *(f"{place}_{number}" for place in PLACES for number in range(1, PACKS + 1)),
    "trump",
)

#: The type of each cell of the grid, or one more.
_TYPES_OF_CELLS = tuple(
    CELLS.index(cell) if cell in CELLS else TYPES for cell in range(planes.CELLS)
)

#: Units of the observation.
POINTS, BRISQUES = 1000, 2 * SUITS * PACKS
MOST_FACE_DOWN = stock_size(2)


class Seen(NamedTuple):
    """A position as one seat sees it: what the entries read.

    Attributes:
      rules: the rules.
      state: the position.
      player: int32[], the seat.
      fresh: by kind of meld, the cards on the own table that may be in one.
    """

    rules: Rules
    state: BeziqueState
    player: Array
    fresh: dict[str, Words]

    def seat(self, steps: int) -> Array:
        """Return int32[]: the seat so many steps to the left; 0 is the player's own."""
        return (self.player + steps) % self.rules.players

    def by_place(self, by_seat: Array) -> Array:
        """Return [P]: what the seats have, the player's own first, then clockwise."""
        return by_seat[self.seat(jnp.arange(self.rules.players))]  # type: ignore[arg-type]

    def table(self, steps: int) -> Words:
        """Return the cards on the table before a seat."""
        return words.of(self.state.tables, self.seat(steps))


class Entry(NamedTuple):
    """A named slice of the observation: how wide it is, and what `player` reads there."""

    name: str
    width: int
    meaning: str
    read: Callable[[Seen], Array]


def entries(rules: Rules) -> list[Entry]:
    """Return the entries of the observation in order (`README.md`: section *Observation*)."""
    players = rules.players
    return [*_cards(players), *_fresh(), *_stage(), *_scores(players), *_known(players)]


def _copies(some: Words) -> Array:
    """Return float32[33]: how many of each type, in packs."""
    return type_counts(numbers(some)) / PACKS


def _whose(steps: int) -> str:
    return "own" if steps == 0 else f"of the seat {steps} to the left"


def _cards(players: int) -> list[Entry]:
    def table(steps: int) -> Callable[[Seen], Array]:
        return lambda s: _copies(s.table(steps))

    def played(steps: int) -> Callable[[Seen], Array]:
        def read(s: Seen) -> Array:
            card = s.state.by_seat.of(s.state.trick, s.seat(steps)) - 1
            return jnp.arange(TYPES) == type_of(card)

        return read

    hand = "copies of each type / 4: own hand"
    listed = [Entry("hand", TYPES, hand, lambda s: _copies(words.of(s.state.hands, s.player)))]
    for steps in range(players):
        listed.append(
            Entry(f"table_{steps}", TYPES, f"copies / 4: table, {_whose(steps)}", table(steps))
        )
    gone = "copies / 4: cards of complete tricks"
    listed.append(Entry("gone", TYPES, gone, lambda s: _copies(taken(s.state))))
    for steps in range(players):
        listed.append(
            Entry(
                f"trick_{steps}", TYPES, f"card in the open trick, {_whose(steps)}", played(steps)
            )
        )
    return [
        *listed,
        Entry(
            "turned_up",
            TYPES,
            "card turned up, none once it is drawn",
            lambda s: jnp.arange(TYPES) == type_of(s.state.turned_up),
        ),
        Entry(
            "trump",
            SUITS,
            "trump suit: " + ", ".join(SUIT_NAMES),
            lambda s: jnp.arange(SUITS) == s.state.suit,
        ),
    ]


def _fresh() -> list[Entry]:
    def read(kind: str) -> Callable[[Seen], Array]:
        return lambda s: _copies(s.fresh[kind])

    meaning = "copies / 4 on the own table that may be in a meld of the kind: {}"
    return [Entry(f"fresh_{kind}", TYPES, meaning.format(kind), read(kind)) for kind in KINDS]


def _stage() -> list[Entry]:
    return [
        Entry(
            "stock",
            1,
            f"face-down cards / {MOST_FACE_DOWN}",
            lambda s: s.state.stock_left / MOST_FACE_DOWN,
        ),
        Entry(
            "phase",
            len(PHASES),
            "phase: " + ", ".join(PHASES),
            lambda s: jnp.arange(len(PHASES)) == phase(s.state),
        ),
        Entry("melded", 1, "a meld was laid in this turn", lambda s: s.state.melded),
        Entry("swapped", 1, "the seven was swapped in this round", lambda s: s.state.swapped),
    ]


def _scores(players: int) -> list[Entry]:
    order = "own, then clockwise"
    return [
        Entry(
            "points",
            players,
            f"points of the round / {POINTS}: {order}",
            lambda s: s.by_place(s.state.points) / POINTS,
        ),
        Entry(
            "totals",
            players,
            f"totals / target: {order}",
            lambda s: s.by_place(s.state.scores) / s.rules.target,
        ),
        Entry(
            "to_act",
            players,
            f"who is to move: {order}",
            lambda s: s.by_place(jnp.arange(s.rules.players) == s.state.current_player),
        ),
        Entry(
            "last_winner",
            players,
            f"who won the last trick of the round: {order}",
            lambda s: s.by_place(jnp.arange(s.rules.players) == last_winner(s.state)),
        ),
    ]


def _known(players: int) -> list[Entry]:
    def read(steps: int) -> Callable[[Seen], Array]:
        return lambda s: type_counts(words.of(s.state.known, s.seat(steps))) / PACKS

    listed = [
        Entry(
            f"known_{steps}",
            TYPES,
            f"copies / 4 known to be in the hand {_whose(steps)}",
            read(steps),
        )
        for steps in range(1, players)
    ]
    return [
        *listed,
        Entry(
            "brisques",
            players,
            f"aces and tens won / {BRISQUES}: own, then clockwise",
            lambda s: s.by_place(s.state.by_seat.all(s.state.brisques)) / BRISQUES,
        ),
    ]


def observe(rules: Rules, state: BeziqueState, player: Array) -> Array:
    """Return float32[n]: what `player` (int32[]) observes."""
    seen = Seen(rules, state, player, eligible(state, words.of(state.tables, player)))
    parts = [
        jnp.asarray(entry.read(seen)).astype(jnp.float32).reshape(entry.width)
        for entry in entries(rules)
    ]
    return jnp.concatenate(parts)


# Public and private facts -----------------------------------------------------------------------


def phase(state: BeziqueState) -> Array:
    """Return int32[]: the index into `PHASES`."""
    return jnp.where(state.finished, OVER, state.phase.astype(jnp.int32))


def open_trick(state: BeziqueState) -> Words:
    """Return the cards of the open trick."""
    laid = words.nothing()
    for seat in range(state.num_players):
        laid = union(laid, single(state.by_seat.of(state.trick, seat) - 1))
    return laid


def taken(state: BeziqueState) -> Words:
    """Return the cards of complete tricks."""
    return without(state.played, open_trick(state))


def last_winner(state: BeziqueState) -> Array:
    """Return int32[]: who won the last complete trick of the round, -1 before the first."""
    return jnp.where(state.last == 0, NO_CARD, state.leader.astype(jnp.int32))


def last_tricks(state: BeziqueState) -> Array:
    """Return int32[]: how many of the last nine tricks are complete."""
    held: Array = jnp.int32(0)
    for hand in state.hands:
        held = held + words.count(hand)
    players = state.num_players
    left = (held + players - 1) // players
    return jnp.where(state.phase == LAST, HAND - left, 0)


def eligible(state: BeziqueState, table: Words) -> dict[str, Words]:
    """Return, for each of `KINDS`, the cards of a table that may be in such a meld."""
    free = melds.fresh(melds.used(state), table)
    return {kind: words.common(free[kind], melds.taking_part(kind, state.suit)) for kind in KINDS}


def card_tensor(state: BeziqueState, player: Array) -> Array:
    """Return bool[4, 14, 33]: `PLANES` as `player` knows them."""
    others = [(player + steps) % state.num_players for steps in range(1, state.num_players)]
    lying, known = jnp.int32(0), jnp.int32(0)
    for seat in others:
        lying = lying + type_counts(numbers(words.of(state.tables, seat)))
        known = known + type_counts(words.of(state.known, seat))
    seen = [
        type_counts(numbers(words.of(state.hands, player))),
        type_counts(numbers(words.of(state.tables, player))),
        lying,
        type_counts(numbers(open_trick(state))),
        type_counts(numbers(taken(state))),
        (jnp.arange(TYPES) == type_of(state.turned_up)).astype(jnp.int32),
        known,
    ]
    seen.append(PACKS - sum(seen))
    # A type more, of which there is nothing, for the cells without a card
    on_grid = jnp.pad(jnp.stack(seen), ((0, 0), (0, 1)))[:, jnp.array(_TYPES_OF_CELLS)]
    layers = on_grid.T[..., None] >= jnp.arange(1, PACKS + 1)
    kinds = jnp.arange(TYPES + 1)
    trump = (kinds % SUITS == state.suit) & (kinds < JOKER)
    flat = jnp.concatenate(
        [layers.reshape(planes.CELLS, PARTITION), trump[jnp.array(_TYPES_OF_CELLS)][:, None]],
        axis=1,
    )
    return flat.reshape(SUITS, planes.RANKS, len(PLANES))


def facts(state: BeziqueState) -> dict[str, Array]:
    """Return everything there is, as plain integers; a set of cards as its five words."""
    return {
        "current_player": state.current_player,
        "phase": phase(state),
        "hands": jnp.concatenate([stacked(hand) for hand in state.hands]),
        "tables": jnp.concatenate([stacked(table) for table in state.tables]),
        "gone": stacked(taken(state)),
        "stock": unpacked_stock(state),
        "turned_up": state.turned_up,
        "trump": state.trump,
        "leader": state.leader,
        "trick": state.cards_of(state.trick),
        "last_winner": last_winner(state),
        "melded": state.melded.astype(jnp.int32),
        "swapped": state.swapped.astype(jnp.int32),
        "used": jnp.concatenate([stacked(cards) for cards in melds.used(state).values()]),
        "known": jnp.concatenate([type_counts(counts) for counts in state.known]),
        "points": state.points,
        "totals": state.scores,
        "dealer": state.dealer,
        "round": state.round,
        "last_tricks": last_tricks(state),
        "brisques": state.by_seat.all(state.brisques),
    }


__all__ = [
    "PARTITION",
    "PLANES",
    "card_tensor",
    "eligible",
    "entries",
    "facts",
    "last_tricks",
    "last_winner",
    "observe",
    "open_trick",
    "phase",
    "taken",
]
