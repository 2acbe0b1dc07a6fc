"""Re-dealing what a player cannot see, uniformly over what is consistent with what he knows.

Hidden from a player are the opponent's hand, the musik or musiki on the table, and, if the opponent
is the declarer, which two cards he returned; that choice is drawn with the deck, every deck and
choice alike. He knows: the musik taken; his own returned cards; the cards that the opponent has
shown and still holds (`known`); which cards the opponent's replies have shown him not to hold
(`denied`: nothing is drawn in play, so what was not held then is not held now); and what a bid
above 120 proves under `proof: auto`: some marriage of at least that worth was in the bidder's ten
cards at the deal.

At most four unseen cards lie outside the opponent's hand. All ways to choose them are weighed at
once: the musik not taken (two cards; both musiki, four, in the auction) and the cards returned
(two).
"""

from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.configs.tysiac.schema import Rules
from talonax.envs import cards, pairs
from talonax.envs.core import key_words, typed_key
from talonax.envs.tysiac.observation import buried, musik_taken
from talonax.envs.tysiac.rules import marriages_in, proving
from talonax.envs.tysiac.state import (
    AUCTION,
    FREE_BID,
    HAND,
    MUSIK,
    NOT_TAKEN,
    PACK,
    RETURNING,
    TysiacState,
    amount,
)

#: The most cards that a player cannot place: the opponent's ten, and four outside his hand.
UNSEEN = HAND + 2 * MUSIK
#: The bit that stands for a place without a card: no card has it.
BEYOND = 2**31


def redeal(rules: Rules, state: TysiacState, player: Array, key: Array) -> TysiacState:
    """Return the state of a world drawn uniformly (see the module's docstring)."""
    opponent = 1 - player
    key = typed_key(key_words(key))
    for_choice, for_state = jax.random.split(key)
    unseen = _unseen(state, player)
    musik, returned = _candidates(unseen)
    weights = _weights(rules, state, opponent, unseen, musik, returned)
    chosen = _draw(for_choice, weights)
    aside, given = musik[chosen], returned[chosen]

    auction = state.taken == NOT_TAKEN
    hand = _sure(state, opponent) | unseen & ~(aside | given)
    declares = ~auction & (state.bid_by == opponent)
    changes: dict[str, Any] = {
        "hands": pairs.update(state.hands, opponent, lambda _: hand),
        "musiks": _musiks(state, auction, aside, given),
        "returned": jnp.where(declares, given, state.returned),
    }
    if state.key is not None:
        changes["key"] = jax.random.key_data(for_state)
    dealt: TysiacState = state.replace(**changes)
    return dealt


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


def _splits() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return every choice of two places, and of two others, among `UNSEEN`, or of no others.

    Returns:
      int32[N, 2] each, places of the musik and of the cards returned; `UNSEEN` stands for none.
    """
    places = range(UNSEEN)
    musik, returned = [], []
    for pair in combinations(places, MUSIK):
        rest = [place for place in places if place not in pair]
        for other in [(UNSEEN,), *combinations(rest, 1), *combinations(rest, MUSIK)]:
            musik.append(pair)
            returned.append((*other, UNSEEN)[:MUSIK])
    return np.array(musik, np.int32), np.array(returned, np.int32)


def _candidates(unseen: Array) -> tuple[Array, Array]:
    """Return uint32[N] each: every musik not taken with every pair, one, or none returned."""
    places = jnp.arange(UNSEEN)
    held = cards.count(unseen)
    numbers = jax.vmap(lambda k: cards.kth(unseen, k))(places)
    # Places beyond the cards there are become two bits that no card has: no count comes out right
    bits = jnp.where(places < held, jnp.uint32(1) << numbers.astype(jnp.uint32), jnp.uint32(BEYOND))
    bits = jnp.append(bits, jnp.uint32(0))
    musik, returned = (jnp.array(each) for each in _splits())
    return (
        bits[musik[:, 0]] | bits[musik[:, 1]],
        bits[returned[:, 0]] | bits[returned[:, 1]],
    )


def _weights(
    rules: Rules,
    state: TysiacState,
    opponent: Array,
    unseen: Array,
    musik: Array,
    returned: Array,
) -> Array:
    """Return int32[N]: 1 for every candidate that is a world, else 0."""
    auction = state.taken == NOT_TAKEN
    declares = ~auction & (state.bid_by == opponent)
    number = jnp.where(auction, MUSIK, jnp.where(declares, cards.count(state.returned), 0))
    fits: Array = ((musik | returned) & jnp.uint32(BEYOND) == 0) & (_counts(returned) == number)
    # The musik that was taken lies in no other; a card may be returned only by who holds it
    taken = musik_taken(state)
    fits = fits & (musik & taken == 0)
    hand = unseen & ~(musik | returned)
    fits = fits & (hand & pairs.of(state.denied, opponent) == 0)
    if rules.proof == "auto":
        fits = fits & _proven(state, opponent, hand, returned)
    return fits.astype(jnp.int32)


def _counts(sets: Array) -> Array:
    return jax.lax.population_count(sets).astype(jnp.int32)


def _proven(state: TysiacState, opponent: Array, hand: Array, returned: Array) -> Array:
    """Return bool[N]: did the ten cards dealt to the opponent prove all that he bid?"""
    mine = state.bid_by == opponent
    highest = jnp.where(mine, state.high_bid, state.high_bid - 1)
    declares = mine & (state.phase > AUCTION)
    dealt = hand | _sure(state, opponent) | pairs.of(state.played, opponent)
    dealt = jnp.where(declares, (dealt | returned) & ~musik_taken(state), dealt)
    enough = jax.vmap(marriages_in)(dealt) & proving(highest) != 0
    needs = amount(highest) > FREE_BID
    return enough | ~needs


def _draw(key: Array, weights: Array) -> Array:
    """Return int32[]: an index in proportion to its weight."""
    upto = jnp.cumsum(weights)
    draw = jax.random.randint(key, (), 0, jnp.maximum(upto[-1], 1), jnp.int32)
    return (draw >= upto).sum(dtype=jnp.int32)


def _musiks(state: TysiacState, auction: Array, aside: Array, other: Array) -> pairs.Pair:
    """Return the musiki: the one not taken is `aside`; in the auction, `aside` and `other`."""
    first = jnp.where(auction | (state.taken == 1), aside, state.musiks[0])
    second = jnp.where(auction, other, jnp.where(state.taken == 0, aside, state.musiks[1]))
    return first, second
