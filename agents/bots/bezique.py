"""The greedy bot of Bezique: it values all it may do, in points, and does what is worth most.

A card is worth keeping for the melds that it promises (`bezique_hopes.py`) and for the tricks that
it may win; a trick is worth the meld that can be laid after it, the sevens and, where they count,
the aces and tens. So it sheds what promises nothing, keeps K and Q together, bezique, quartets and
run, and takes a trick when it has something to lay. After a trick it swaps the seven and lays the
best meld, a trump marriage before the run that would bar it, but not a bezique while a double one
is likely enough. In the last nine tricks it counts: what the others can hold, what they must play,
and the card to win the last trick with. It looks one trick ahead, searches nothing and remembers
nothing; it uses only what its seat may know (`bezique_sight.py`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.agents.bots import bezique_hopes as hopes
from talonax.agents.bots import bezique_sight as sight
from talonax.agents.bots.bezique_sight import Sight
from talonax.agents.bots.choice import Scorer
from talonax.configs.bezique.schema import Rules
from talonax.envs.bezique import melds
from talonax.envs.bezique.score import (
    BRISQUE_POINTS,
    BRISQUES_FROM,
    LAST_TRICK,
    LAST_TRICK_BY_SEVEN,
    SEVEN_POINTS,
)
from talonax.envs.bezique.state import (
    BEZIQUE,
    DONE,
    DOUBLE,
    MARRIAGE,
    MELDS,
    RUN,
    SWAP,
    BeziqueState,
)
from talonax.envs.bezique.words import JOKER, SEVEN, TYPES
from talonax.envs.planes import SUITS

#: In points: the swap comes before any meld.
FIRST = 4000.0


class Weights(NamedTuple):
    """What a consideration is worth, in points.

    Attributes:
      judged: how hopes are judged.
      plain: keeping a card for its tricks, by rank from the seven up.
      trumps: keeping a trump, likewise.
      joker: keeping a Joker.
      willing: how often one who can take a trick of the first phase does.
      lead: winning a trick, for itself: the others lay nothing.
      at_once: laying a meld now rather than later, as a part of its points.
      marriage_first: so many further turns must come, for a marriage before its run.
      last_nine: winning one of the last nine tricks, for itself.
    """

    judged: hopes.Weights = hopes.Weights()
    plain: tuple[float, ...] = (0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 4.0, 5.0)
    trumps: tuple[float, ...] = (4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 9.0, 10.0)
    joker: float = 3.0
    willing: float = 0.5
    lead: float = 8.0
    at_once: float = 0.2
    marriage_first: int = 3
    last_nine: float = 1.0


WEIGHTS = Weights()


@dataclass(frozen=True)
class Greedy(Scorer):
    """Does what is worth most.

    Attributes:
      weights: what each consideration is worth.
    """

    game: ClassVar[str] = "bezique"

    weights: Weights = WEIGHTS

    def scores(self, env: Any, state: BeziqueState) -> Array:
        """Return float32[84]: what each action is worth, legal or not."""
        return scores(self.weights, env.rules, state)


def scores(weights: Weights, rules: Rules, state: BeziqueState) -> Array:
    """Return float32[84]: what each action is worth to the seat to move, legal or not."""
    seen = sight.look(state)
    promised, ready = hopes.judge_each(weights.judged, rules, seen)
    laid = meld_values(weights, seen, ready[-1])
    total = jnp.zeros(DONE)
    for each in considerations(weights, rules, seen, promised, ready).values():
        total = total + each
    assert DONE + 1 == SWAP
    return jnp.concatenate([total, jnp.stack([jnp.float32(0), jnp.float32(FIRST)]), laid])


def considerations(
    weights: Weights, rules: Rules, seen: Sight, promised: Array, ready: Array
) -> dict[str, Array]:
    """Return float32[66] each: what speaks for playing a type, from hand or from the table, or
    against it, by name.

    Args:
      weights: what each is worth.
      rules: the rules.
      seen: what the seat knows.
      promised: float32[67], what the holding without each promises, and with all.
      ready: bool[67, 16], the melds that could be laid from it.
    """
    won = jnp.tile(sight.wins(seen, weights.willing), 2)
    mine, theirs = brisque_stakes(rules, seen)
    at_stake = seen.open + jnp.tile(sight.brisques(), 2)
    first = ~seen.last
    later = hopes.future(weights.judged, seen)
    return {
        "wins a turn": jnp.where(first, won * turn_values(weights, seen, ready[:-1]), 0.0),
        "wins the trick": won * jnp.where(first, weights.lead, weights.last_nine),
        "wins aces and tens": won * mine * at_stake,
        "loses aces and tens": -(1 - won) * theirs * at_stake,
        "scores a seven": jnp.where(_seven(seen), SEVEN_POINTS * seven_counts(rules, seen), 0.0),
        "gives up hopes": -later * (promised[-1] - promised[:-1]),
        "leaves the hand": -kept_values(weights, rules, seen),
        "gives up the last trick": -last_trick_given_up(seen),
    }


# A trick ------------------------------------------------------------------------------------------


def turn_values(weights: Weights, seen: Sight, ready: Array) -> Array:
    """Return float32[n]: what a winner's turn is worth with each holding: its best meld, the more
    so the fewer turns are left to lay it in; and the swap.
    """
    later = hopes.future(weights.judged, seen)
    best = meld_points(seen.trump) * ready
    # A bezique that had better wait is no reason to win
    best = jnp.where(jnp.arange(len(MELDS)) == BEZIQUE, bezique_value(weights, seen, best), best)
    hurry = 1 - later + weights.at_once
    seven = seen.hand[SUITS * SEVEN + seen.trump] > 0
    swap = jnp.where(seven & _may_swap(seen), SEVEN_POINTS, 0)
    return hurry * (best.max(axis=-1) + swap)


def brisque_stakes(rules: Rules, seen: Sight) -> tuple[Array, Array]:
    """Return float32[] each: what an ace or a ten won counts, and what one counts that is lost.

    It counts for whoever can still come to have enough of them.
    """
    if rules.mode == "standard":
        return jnp.float32(0), jnp.float32(0)
    left = 2 * SUITS * melds.FOUR - seen.brisques.sum(dtype=jnp.int32)
    able = (seen.brisques + left >= BRISQUES_FROM[rules.players]).astype(jnp.float32)
    return BRISQUE_POINTS * able[0], BRISQUE_POINTS * able[1:].mean()


def kept_values(weights: Weights, rules: Rules, seen: Sight) -> Array:
    """Return float32[66]: what a card is worth if kept, for the tricks that it may win."""
    suit, rank = sight.suit_of()[:JOKER], sight.rank_of()[:JOKER]
    plain, trumps = (
        jnp.stack([jnp.asarray(each, jnp.float32) for each in by_rank])[rank]
        for by_rank in (weights.plain, weights.trumps)
    )
    kept = jnp.append(jnp.where(suit == seen.trump, trumps, plain), weights.joker)
    kept = jnp.tile(kept, 2)
    still = 1.0 if rules.seven_in_phase2 else hopes.future(weights.judged, seen)
    return kept + jnp.where(_seven(seen), SEVEN_POINTS * still, 0.0)


def _seven(seen: Sight) -> Array:
    """Return bool[66]: the trump seven."""
    return jnp.tile(jnp.arange(TYPES) == SUITS * SEVEN + seen.trump, 2)


def seven_counts(rules: Rules, seen: Sight) -> Array:
    """Return bool[]: does a trump seven that is played now score?"""
    return jnp.bool_(True) if rules.seven_in_phase2 else ~seen.last


def last_trick_given_up(seen: Sight) -> Array:
    """Return float32[66]: what playing a card takes from the hope of the last trick.

    The hope is the best card to win it with: one that nobody can beat.
    """
    paid = jnp.where(_seven(seen)[:TYPES], LAST_TRICK_BY_SEVEN, LAST_TRICK)
    worth = paid * sight.high(seen)
    each = jnp.eye(TYPES, dtype=jnp.int32)
    left = jnp.where(seen.hand - each > 0, worth, 0.0).max(axis=1)
    whole = jnp.where(seen.hand > 0, worth, 0.0).max()
    more = seen.hand.sum(dtype=jnp.int32) > 1
    return jnp.tile(jnp.where(seen.last & more, whole - left, 0.0), 2)


# The winner's turn --------------------------------------------------------------------------------


def meld_points(trump: Array) -> Array:
    """Return float32[16]: what each meld counts."""
    return melds.points(jnp.arange(len(MELDS)), trump).astype(jnp.float32)


def bezique_value(weights: Weights, seen: Sight, counts: Array) -> Array:
    """Return float32[..]: what laying a bezique now gains, where it `counts` at all.

    Waiting does not lose it for certain; laying it takes two cards from a double one.
    """
    held, drawing = hopes.Holding(seen.hand, seen.fresh), hopes.draws(weights.judged, seen)
    double = [hopes.double_hoped_for(drawing, held, less) for less in (0, 1)]
    later = hopes.future(weights.judged, seen)
    lost = later * melds.POINTS[DOUBLE] * (double[0] - double[1])
    return jnp.where(counts > 0, (1 - later + weights.at_once) * counts - lost, 0.0)


def meld_values(weights: Weights, seen: Sight, ready: Array) -> Array:
    """Return float32[16]: what laying each meld is worth; `done` is worth nothing.

    Args:
      weights: what each consideration is worth.
      seen: what the seat knows.
      ready: bool[16], the melds that can be laid.
    """
    worth = meld_points(seen.trump)
    kinds = jnp.arange(len(MELDS))
    worth = jnp.where(kinds == BEZIQUE, bezique_value(weights, seen, worth), worth)
    # The run bars its K and Q from marriages, not the reverse
    waits = ready[RUN] & (seen.turns > weights.marriage_first)
    first = (kinds == MARRIAGE + seen.trump) & waits
    return worth + jnp.where(first, melds.POINTS[RUN], 0)


def _may_swap(seen: Sight) -> Array:
    return (seen.turned_up >= 0) & (seen.turned_up // SUITS != SEVEN)
