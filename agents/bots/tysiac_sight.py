"""What a seat of Tysiac knows, counted out: the ground of its bots' judgement.

Everything here follows from the seat's own cards and from what lies open: the cards played, those
that the opponent is known to hold, and those that his replies have shown him not to hold. The other
cards are in his hand or, at most four of them, out of play; each is as likely as the next to be
one of those.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from talonax.configs.tysiac.schema import Rules
from talonax.envs import cards, pairs
from talonax.envs.planes import SUITS
from talonax.envs.tysiac.observation import buried
from talonax.envs.tysiac.score import points_in
from talonax.envs.tysiac.state import (
    KING,
    MUSIK,
    PACK,
    PLAYING,
    POINTS,
    QUEEN,
    TysiacState,
    amount,
    marriage_of,
)

#: The most unseen cards that lie outside the opponent's hand: both musiki.
OUT_OF_PLAY = 2 * MUSIK


class Pack(NamedTuple):
    """What never changes about the cards; all arrays are by card, sets are uint32.

    Attributes:
      rank: int32[24].
      suit_no: int32[24].
      points: float32[24].
      worth: float32[24], what the marriage of its suit counts.
      itself: uint32[24], the set of the card alone.
      suit: uint32[24], all cards of its suit.
      stronger: uint32[24], those of them that beat it.
      partner: uint32[24], the queen of a king's suit, the king of a queen's, else nothing.
    """

    rank: Array
    suit_no: Array
    points: Array
    worth: Array
    itself: Array
    suit: Array
    stronger: Array
    partner: Array


def pack_of() -> Pack:
    """Return what never changes about the cards."""
    numbers = range(PACK.size)
    rank = [card % PACK.ranks for card in numbers]
    suit = [card // PACK.ranks for card in numbers]
    whole = [(1 << PACK.ranks) - 1 << PACK.ranks * each for each in suit]
    other = {KING: QUEEN, QUEEN: KING}
    partner = [
        1 << card - rank[card] + other[rank[card]] if rank[card] in other else 0 for card in numbers
    ]
    suit_no = jnp.array(suit, jnp.int32)
    return Pack(
        rank=jnp.array(rank, jnp.int32),
        suit_no=suit_no,
        points=jnp.array([POINTS[each] for each in rank], jnp.float32),
        worth=marriage_of(suit_no).astype(jnp.float32),
        itself=jnp.array([1 << card for card in numbers], jnp.uint32),
        suit=jnp.array(whole, jnp.uint32),
        stronger=jnp.array([whole[card] >> card + 1 << card + 1 for card in numbers], jnp.uint32),
        partner=jnp.array(partner, jnp.uint32),
    )


class Sight(NamedTuple):
    """What the seat to move knows. Sets are uint32[], points float32[].

    Attributes:
      hand: its cards.
      may: the cards that the opponent may hold.
      has: those of them that he is known to hold.
      held: int32[], cards in his hand.
      places: int32[], cards that he may hold but is not known to.
      aside: int32[], how many of those he does not hold.
      trump: int32[], the trump suit, -1 if none.
      led: int32[], the card to be followed, -1 if none.
      leads: bool[], the seat leads.
      declares: bool[], the seat is the declarer.
      contract: the contract, 0 before.
      mine: what the seat has.
      theirs: what the opponent has.
    """

    hand: Array
    may: Array
    has: Array
    held: Array
    places: Array
    aside: Array
    trump: Array
    led: Array
    leads: Array
    declares: Array
    contract: Array
    mine: Array
    theirs: Array


def look(rules: Rules, state: TysiacState) -> Sight:
    """Return what the seat to move knows."""
    me = state.current_player
    hand, own = pairs.of(state.hands, me), buried(state, me)
    gone = state.played[0] | state.played[1]
    elsewhere = hand | gone | own | pairs.other(state.denied, me)
    may = cards.constant(range(PACK.size), PACK.size) & ~elsewhere
    has = pairs.other(state.known, me) & may
    held = cards.count(pairs.other(state.hands, me))
    places = cards.count(may & ~has)
    mine = pairs.of(state.points, me)
    if rules.return_to == "declarer":
        mine = mine + points_in(own)
    return Sight(
        hand=hand,
        may=may,
        has=has,
        held=held,
        places=places,
        aside=places - (held - cards.count(has)),
        trump=state.trump.astype(jnp.int32),
        led=state.table.astype(jnp.int32),
        leads=state.leading & (state.phase == PLAYING),
        declares=state.bid_by == me,
        contract=amount(state.contract).astype(jnp.float32),
        mine=mine.astype(jnp.float32),
        theirs=pairs.other(state.points, me).astype(jnp.float32),
    )


def lacks(seen: Sight, wanted: Array) -> Array:
    """Return float32[..]: the chance that the opponent holds none of the cards in `wanted`.

    All of them must be among those that lie aside: drawn without replacement, each in turn.
    """
    guessed = count(wanted & seen.may & ~seen.has)
    chance = jnp.where(meet(wanted, seen.has) | (guessed > OUT_OF_PLAY), 0.0, 1.0)
    for drawn in range(OUT_OF_PLAY):
        left, among = jnp.maximum(seen.aside - drawn, 0), jnp.maximum(seen.places - drawn, 1)
        share = left.astype(jnp.float32) / among.astype(jnp.float32)
        chance = chance * jnp.where(drawn < guessed, share, 1.0)
    return chance


def expected(seen: Sight, wanted: Array) -> Array:
    """Return float32[..]: how many of the cards in `wanted` the opponent is expected to hold."""
    sure, guessed = count(wanted & seen.has), count(wanted & seen.may & ~seen.has)
    share = (seen.places - seen.aside) / jnp.maximum(seen.places, 1)
    return sure.astype(jnp.float32) + share.astype(jnp.float32) * guessed.astype(jnp.float32)


def count(members: Array) -> Array:
    """Return int32[..]: how many cards each set holds."""
    return lax.population_count(members).astype(jnp.int32)


def meet(each: Array, members: Array) -> Array:
    """Return bool[..]: do the sets have a card in common?"""
    shared: Array = each & members != 0
    return shared


def mine(pack: Pack, seen: Sight) -> Array:
    """Return bool[24]: the cards of the hand."""
    return meet(pack.itself, seen.hand)


def high(pack: Pack, seen: Sight) -> Array:
    """Return bool[24]: the opponent can have no stronger card of the suit."""
    return ~meet(pack.stronger, seen.may)


def sure_tricks(pack: Pack, seen: Sight) -> Array:
    """Return bool[24]: the cards of the hand that win a trick each if led now, one after the other.

    Cards that are high in their suit, and those behind them once they draw all that he can have of
    it; without trumps, or if the own trumps draw all of his. Otherwise trumps alone are sure.
    """
    own = mine(pack, seen)
    winners = own & high(pack, seen)
    drawn = meet(pack.suit[:, None], pack.itself) & winners
    winners = own & (winners | (drawn.sum(axis=1) >= count(pack.suit & seen.may)))
    trump = pack.suit_no == seen.trump
    his = jnp.minimum(count(PACK.suit_set(seen.trump) & seen.may), seen.held)
    free = (winners & trump).sum(dtype=jnp.int32) >= his
    return winners & (trump | free)


def pair_held(pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: the marriage of each K and Q held whose partner is held, too; else 0."""
    return jnp.where(mine(pack, seen) & meet(pack.partner, seen.hand), pack.worth, 0.0)


def pairs_left(pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: the worth of the marriages that playing the card leaves whole."""
    each = pair_held(pack, seen)
    return each.sum() / 2 - each


def their_pairs(pack: Pack, seen: Sight) -> Array:
    """Return float32[]: what the opponent's undeclared marriages are expected to be worth."""
    kings = [PACK.ranks * suit + KING for suit in range(SUITS)]
    king, queen = pack.itself[jnp.array(kings)], pack.partner[jnp.array(kings)]
    neither = lacks(seen, king | queen)
    both = 1 - lacks(seen, king) - lacks(seen, queen) + neither
    return (both * pack.worth[jnp.array(kings)]).sum()


def most_of_theirs(pack: Pack, seen: Sight) -> Array:
    """Return float32[]: the most that the opponent's undeclared marriages can be worth."""
    whole = meet(pack.itself, seen.may) & meet(pack.partner, seen.may)
    return jnp.where(whole, pack.worth, 0.0).sum() / 2


def points_left(pack: Pack, seen: Sight) -> Array:
    """Return float32[]: the card points that may still be won: hand, table and the unseen."""
    table = cards.single(seen.led, PACK.size)
    there = meet(pack.itself, seen.hand | seen.may | table)
    return jnp.where(there, pack.points, 0.0).sum()
