"""The score of a Bezique round and of the game; why it moved; and what is worth counting."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from talonax.configs.bezique.schema import Rules
from talonax.envs.bezique import melds
from talonax.envs.bezique.dealing import is_seven
from talonax.envs.bezique.rules import Move
from talonax.envs.bezique.state import DOUBLE, LAST, MELDS, RUN, WITH_JOKER, BeziqueState
from talonax.envs.bezique.words import PACKS, type_of
from talonax.envs.planes import SUITS

#: For a trump seven that is played, swapped or turned up; for an ace or a ten, when they count.
SEVEN_POINTS = 10
#: For the last trick, and if the trump seven takes it.
LAST_TRICK, LAST_TRICK_BY_SEVEN = 10, 20
#: Aces and tens count from so many on, by number of players.
BRISQUES_FROM = {2: 14, 4: 8}
BRISQUE_POINTS = 10
#: A point pays this.
MARGIN = 1000

#: `BeziqueState.why`: what the seat that moved scored for (a meld, or one of these), plus 1; the
#: seat; what the last trick paid, in tens; and its winner.
SWAPPED, PLAYED = len(MELDS), len(MELDS) + 1
WHAT_BITS, SEAT_BITS, TENS_BITS = 5, 2, 2


class Why(NamedTuple):
    """Why points moved.

    Attributes:
      what: what the seat that moved scored for, -1 for nothing.
      seat: the seat.
      last_trick: what the last trick paid.
      winner: who won it.
    """

    what: Array
    seat: Array
    last_trick: Array
    winner: Array


def packed_why(why: Why) -> Array:
    """Return int16[]: the reasons in one number."""
    tens = lax.div(why.last_trick.astype(jnp.int32), jnp.int32(LAST_TRICK))
    packed = (why.what + 1) | why.seat << WHAT_BITS | tens << WHAT_BITS + SEAT_BITS
    return (packed | why.winner << WHAT_BITS + SEAT_BITS + TENS_BITS).astype(jnp.int16)


def unpacked_why(state: BeziqueState) -> Why:
    """Return why the points moved in the last step."""
    rest = state.why.astype(jnp.int32)
    parts = []
    for bits in (WHAT_BITS, SEAT_BITS, TENS_BITS, SEAT_BITS):
        parts.append(rest & 2**bits - 1)
        rest = rest >> bits
    what, seat, tens, winner = parts
    return Why(what - 1, seat, LAST_TRICK * tens, winner)


def gain(rules: Rules, state: BeziqueState, move: Move) -> Array:
    """Return int32[]: what an action scores at once."""
    melded = jnp.where(move.melds, melds.points(move.kind, state.suit), 0)
    seven = move.swaps | plays_seven(rules, state, move)
    return melded + jnp.where(seven, SEVEN_POINTS, 0)


def plays_seven(rules: Rules, state: BeziqueState, move: Move) -> Array:
    """Return bool[]: is a trump seven played that scores?"""
    counts = move.plays & (type_of(move.card) == state.suit)
    return counts if rules.seven_in_phase2 else counts & (state.phase != LAST)


def last_trick(after: BeziqueState, move: Move) -> Array:
    """Return int32[]: what the last trick pays its winner; 0 before the end of a round."""
    card = after.by_seat.of(after.last, move.winner) - 1
    paid = jnp.where(type_of(card) == after.suit, LAST_TRICK_BY_SEVEN, LAST_TRICK)
    return jnp.where(move.ends, paid, 0)


def brisque_points(rules: Rules, after: BeziqueState) -> Array:
    """Return int32[P]: what the aces and tens that each seat has won count for."""
    won = after.by_seat.all(after.brisques)
    if rules.mode == "standard":
        return jnp.zeros_like(won)
    return jnp.where(won >= BRISQUES_FROM[rules.players], BRISQUE_POINTS * won, 0)


def add_points(
    rules: Rules, before: BeziqueState, after: BeziqueState, move: Move
) -> tuple[Array, Array]:
    """Return the points of the round so far, int32[P], and why they moved, int16[]."""
    seats = jnp.arange(rules.players)
    earned = gain(rules, before, move)
    trick = last_trick(after, move)
    points = before.points + jnp.where(seats == move.seat, earned, 0)
    points = points + jnp.where(seats == move.winner, trick, 0)
    points = points + jnp.where(move.ends, brisque_points(rules, after), 0)
    what = jnp.where(move.melds, move.kind, jnp.where(move.swaps, SWAPPED, PLAYED))
    why = packed_why(Why(jnp.where(earned > 0, what, -1), move.seat, trick, move.winner))
    acts = move.plays | move.swaps | move.melds | move.draws
    return points, jnp.where(acts, why, before.why)


def points_dealt(dealer: Array, turned_up: Array, players: int) -> Array:
    """Return int32[P]: the points after the deal, the dealer's for a seven turned up."""
    scores = (jnp.arange(players) == dealer) & is_seven(turned_up)
    return jnp.where(scores, SEVEN_POINTS, 0).astype(jnp.int32)


# Rounds and the game ------------------------------------------------------------------------------


def most_rounds(rules: Rules) -> int:
    """Return how many rounds a game can have."""
    return rules.rounds or rules.max_rounds


class Settlement(NamedTuple):
    """What the end of a round does to the game.

    Attributes:
      scores: int32[P], the new totals.
      rewards: float32[P], what is paid.
      over: bool[], the game is over.
      truncated: bool[], because of `max_rounds`.
    """

    scores: Array
    rewards: Array
    over: Array
    truncated: Array


def settle_round(rules: Rules, before: BeziqueState, points: Array) -> Settlement:
    """Return what follows if a round that brought `points` (int32[P]) is over now."""
    scores = before.scores + points
    leads = scores == scores.max()
    done = before.round + 1
    if rules.rounds > 0:
        over, truncated = done >= rules.rounds, jnp.zeros_like(before.terminated)
    else:
        won = (scores.max() >= rules.target) & (leads.sum(dtype=jnp.int32) == 1)
        truncated = ~won & (done >= rules.max_rounds)
        over = won | truncated
    if rules.reward == "win":
        rewards = jnp.where(over, _shares(leads), 0.0)
    else:
        # One division of whole numbers is the same however it is compiled
        margins = rules.players * points - points.sum(dtype=jnp.int32)
        rewards = margins.astype(jnp.float32) / ((rules.players - 1) * MARGIN)
    return Settlement(scores, rewards.astype(jnp.float32), over, truncated)


def _shares(leads: Array) -> Array:
    """Return float32[P]: what the game pays those who lead, and the others."""
    players = leads.shape[0]
    number = leads.sum(dtype=jnp.int32).astype(jnp.float32)
    share = (players - number) / (number * (players - 1))
    return jnp.where(leads, share, jnp.where(number == players, 0.0, -1 / (players - 1)))


def most_points(rules: Rules) -> int:
    """Return a bound on the points of all seats together in a round.

    Every card is once in each kind of meld, so there are at most: 4 trump sevens laid; 4 trump
    marriages and 12 plain ones; 2 double beziques (4 single ones count less); 4 runs; and of the 16
    cards of a rank 4 quartets, or 5 with the four Jokers, each with three cards of the rank.
    Besides, 4 trump sevens are played, one is swapped or turned up, one takes the last trick, and
    there are 32 aces and tens.
    """
    sevens = (PACKS + PACKS + 1) * SEVEN_POINTS
    marriages = PACKS * (melds.TRUMP_MARRIAGE + (SUITS - 1) * melds.PLAIN_MARRIAGE)
    doubles = PACKS // 2 * melds.POINTS[DOUBLE]
    runs = PACKS * melds.POINTS[RUN]
    quartets = (PACKS + 1 if rules.max_jokers else PACKS) * sum(melds.QUARTETS)
    won = 0 if rules.mode == "standard" else 2 * SUITS * PACKS * BRISQUE_POINTS
    return sevens + marriages + doubles + runs + quartets + LAST_TRICK_BY_SEVEN + won


# What is counted ----------------------------------------------------------------------------------


def tally(rules: Rules, state: BeziqueState, move: Move, after: BeziqueState) -> dict[str, Array]:
    """Return int32[] counts of a step: melds by kind, sevens, swaps, last tricks, rounds.

    What cannot happen under the rules is left out.
    """
    kinds = len(MELDS) if rules.max_jokers else WITH_JOKER
    counted = {name: move.melds & (move.kind == kind) for kind, name in enumerate(MELDS[:kinds])}
    counted["sevens played"] = move.plays & (type_of(move.card) == state.suit)
    counted["sevens swapped"] = move.swaps
    counted["last tricks"] = move.takes & (state.phase == LAST)
    counted["rounds"] = move.ends
    if rules.rounds == 0:
        counted["games cut off"] = move.ends & after.truncated
    return {name: happened.astype(jnp.int32) for name, happened in counted.items()}
