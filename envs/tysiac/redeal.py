"""Re-dealing what a player cannot see, uniformly over what is consistent with what he knows.

Hidden from a player are the opponent's hand, the musik or musiki on the table, and, if the opponent
is the declarer, which two cards he returned; that choice is drawn with the deck, every deck and
choice alike. He knows: the musik taken; his own returned cards; the cards that the opponent has
shown and still holds (`known`); which cards the opponent's replies have shown him not to hold
(`denied`: nothing is drawn in play, so what was not held then is not held now); and of the ten
cards that the opponent was dealt: under `proof: auto`, that a marriage among them proves each of
his bids above 120; under `challenge`, that the marriages are among them that he has shown, and none
is that he would have shown instead.

Two cards lie aside since the deal, four in the auction: what lies there decides which ten cards the
opponent was dealt. So all ways to choose those are weighed at once, each by the number of ways to
choose what he returned; then that is drawn, and in the auction, which two make the first musik.
"""

from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from talonax.configs.tysiac.schema import Rules
from talonax.envs import cards, pairs
from talonax.envs.keys import key_words, typed_key
from talonax.envs.tysiac.marriages import marriages_in, proving
from talonax.envs.tysiac.observation import buried, musik_taken
from talonax.envs.tysiac.state import (
    FREE_BID,
    HAND,
    MUSIK,
    NOT_TAKEN,
    PACK,
    RETURNING,
    TysiacState,
    amount,
)

#: The most cards that a player cannot place: the opponent's ten, and both musiki.
UNSEEN = HAND + 2 * MUSIK
#: The bit that stands for a place without a card: no card has it.
BEYOND = 2**31
#: Keys that one re-deal needs: for what lies aside, for what is returned, and for later decks.
INDEPENDENT_DRAWS = 3


def redeal(rules: Rules, state: TysiacState, player: Array, key: Array) -> TysiacState:
    """Return the state of a world drawn uniformly (see the module's docstring)."""
    opponent = 1 - player
    key = typed_key(key_words(key))
    for_aside, for_returned, for_state = jax.random.split(key, INDEPENDENT_DRAWS)
    auction = state.taken == NOT_TAKEN
    declares = ~auction & (state.bid_by == opponent)
    unseen = _unseen(state, player)
    # What he is known not to hold lies aside or was returned
    denied = unseen & pairs.of(state.denied, opponent)
    number = jnp.where(declares, cards.count(state.returned), 0)

    candidates = _candidates(unseen)
    weights = _fits(rules, state, opponent, unseen, candidates, auction)
    weights = weights * _ways(unseen & ~candidates, denied & ~candidates, number)
    aside = candidates[_draw(for_aside, weights)]
    forced = denied & ~aside
    free = jnp.where(auction, aside, unseen & ~(aside | forced))
    chosen = _some(for_returned, free, jnp.where(auction, MUSIK, number - cards.count(forced)))
    given = jnp.where(auction, jnp.uint32(0), forced | chosen)
    changes: dict[str, Any] = {
        "hands": pairs.update(
            state.hands, opponent, lambda _: _sure(state, opponent) | unseen & ~(aside | given)
        ),
        "musiks": _musiks(state, auction, aside, chosen),
        "returned": jnp.where(declares, given, state.returned),
    }
    if state.key is not None:
        changes["key"] = jax.random.key_data(for_state)
    dealt: TysiacState = state.replace(**changes)
    return dealt


# What is known ----------------------------------------------------------------------------------


def _unseen(state: TysiacState, player: Array) -> Array:
    """Return the set of the cards that the player cannot place."""
    seen = pairs.of(state.hands, player) | _sure(state, 1 - player)
    gone = state.played[0] | state.played[1] | buried(state, player)
    return cards.constant(range(PACK.size), PACK.size) & ~(seen | gone)


def _sure(state: TysiacState, opponent: Array) -> Array:
    """Return the cards that the opponent holds for certain.

    While he has returned one card of two, what he is known to hold may be the card returned.
    """
    returning = (state.phase == RETURNING) & (state.bid_by == opponent) & (state.returned != 0)
    return jnp.where(returning, jnp.uint32(0), pairs.of(state.known, opponent))


def _candidates(unseen: Array) -> Array:
    """Return uint32[N]: every two, and every four, of `UNSEEN` places for unseen cards, as sets.

    Places beyond the cards that there are hold a card that is none, and fit nowhere.
    """
    places = jnp.arange(UNSEEN)
    numbers = jax.vmap(lambda place: cards.kth(unseen, place))(places)
    there = places < cards.count(unseen)
    bits = jnp.where(there, jnp.uint32(1) << numbers.astype(jnp.uint32), jnp.uint32(BEYOND))
    sets = []
    for size in (MUSIK, 2 * MUSIK):
        chosen = bits[jnp.array(list(combinations(range(UNSEEN), size)), jnp.int32)]
        united = chosen[:, 0]
        for place in range(1, size):
            united = united | chosen[:, place]
        sets.append(united)
    return jnp.concatenate(sets)


def _fits(
    rules: Rules,
    state: TysiacState,
    opponent: Array,
    unseen: Array,
    aside: Array,
    auction: Array,
) -> Array:
    """Return bool[N]: can these cards lie aside (both musiki, or the one that was not taken)?"""
    taken = musik_taken(state)
    number = jnp.where(auction, 2 * MUSIK, MUSIK)
    fits: Array = (_count(aside) == number) & (aside & (taken | jnp.uint32(BEYOND)) == 0)
    held = unseen & ~aside | _sure(state, opponent) | pairs.of(state.played, opponent)
    marriages = marriages_in(held & ~taken)
    if rules.proof == "auto":
        return fits & _proves(state, opponent, marriages)
    return fits & _answers(state, opponent, marriages)


def _proves(state: TysiacState, opponent: Array, marriages: Array) -> Array:
    """Return bool[N]: do the marriages that he was dealt prove all that the opponent bid?"""
    highest = jnp.where(state.bid_by == opponent, state.high_bid, state.high_bid - 1)
    return (marriages & proving(highest) != 0) | (amount(highest) <= FREE_BID)


def _answers(state: TysiacState, opponent: Array, marriages: Array) -> Array:
    """Return bool[N]: would the opponent have answered every challenge as he did?"""
    assert state.shown is not None
    assert state.lacking is not None
    shown, lacking = pairs.of(state.shown, opponent), pairs.of(state.lacking, opponent)
    return (marriages & shown == shown) & (marriages & lacking == 0)


def _ways(rest: Array, forced: Array, number: Array) -> Array:
    """Return int32[N]: the ways to return `number` (0, 1, 2) cards of `rest`, the `forced` too."""
    left, free = number - _count(forced), _count(rest & ~forced)
    ways = jnp.where(left == MUSIK, free * (free - 1) // 2, jnp.where(left == 0, 1, free))
    return jnp.where(left < 0, 0, ways)


def _count(sets: Array) -> Array:
    return jax.lax.population_count(sets).astype(jnp.int32)


# Drawing ----------------------------------------------------------------------------------------


def _draw(key: Array, weights: Array) -> Array:
    """Return int32[]: an index in proportion to its weight."""
    upto = jnp.cumsum(weights, dtype=jnp.int32)
    draw = jax.random.randint(key, (), 0, jnp.maximum(upto[-1], 1), jnp.int32)
    return (draw >= upto).sum(dtype=jnp.int32)


def _some(key: Array, among: Array, number: Array) -> Array:
    """Return a uniformly random set of `number` (at most 2) cards of `among`."""
    chosen: Array = jnp.uint32(0)
    for draw, each in enumerate(jax.random.split(key, MUSIK)):
        left = among & ~chosen
        place = jax.random.randint(each, (), 0, jnp.maximum(cards.count(left), 1), jnp.int32)
        bit = jnp.uint32(1) << cards.kth(left, place).astype(jnp.uint32)
        chosen = chosen | jnp.where(draw < number, bit, jnp.uint32(0))
    return chosen


def _musiks(state: TysiacState, auction: Array, aside: Array, first: Array) -> pairs.Pair:
    """Return the musiki: the one not taken is `aside`; in the auction `first` and what is left."""
    other = aside & ~first
    return (
        jnp.where(auction, first, jnp.where(state.taken == 1, aside, state.musiks[0])),
        jnp.where(auction, other, jnp.where(state.taken == 0, aside, state.musiks[1])),
    )
