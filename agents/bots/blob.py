"""The greedy bot of Blob: it counts likely winners, bids as many, and plays to make just that.

Everything rests on two chances of a card (`blob_chances.py`): to win the trick that is open, and to
win a later one. Their sum over the hand is what it expects to take. It bids what scores best around
that number, and plays the card after which its bid is nearest to what it then expects, the trick
won or lost: wanting a trick it wins as cheaply as is sure, having its bid it ducks with the highest
card that loses, and what it has too many winners for goes under those of others. A bid that is
missed it plays to spoil the others'. It looks one trick ahead, searches nothing, remembers nothing
and sees its seat's observation only (`blob_sight.py`).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from talonax.agents.bots import blob_chances as chances
from talonax.agents.bots import blob_sight as sight
from talonax.agents.bots import choice
from talonax.agents.bots.blob_sight import Sight
from talonax.agents.policy import ObservationPolicy
from talonax.configs.blob.schema import Rules
from talonax.envs.blob.env import Blob
from talonax.envs.blob.rules import MADE
from talonax.envs.blob.state import NUM_ACTIONS
from talonax.envs.core import Env

#: Values are chances to make the bid, in per cent: what is certain.
CERTAIN = 100.0
#: No number of tricks is known for certain while there is one to come.
LEAST = 1e-3


class Weights(NamedTuple):
    """What the bot goes by.

    Attributes:
      judged: how chances of cards are judged.
      steer: how far it can bend what it takes towards what it wants, as a part of the way.
      press: by how much a trick that the others' bids claim beyond what is there for them lowers
        what it takes.
      doubt: how much of the variance that its cards' chances have counts.
      more: variance that each trick to come adds.
      keep: with a missed bid, keeping a card that may win later, as a part of winning now.
    """

    judged: chances.Weights = chances.Weights()
    steer: float = 0.1
    press: float = 0.085
    doubt: float = 0.32
    more: float = 0.012
    keep: float = 0.2


WEIGHTS = Weights()


@dataclass(frozen=True)
class Greedy(ObservationPolicy):
    """Does what is worth most; of equal actions, the lowest id.

    Attributes:
      weights: what it goes by.
    """

    weights: Weights = WEIGHTS

    def see(self, env: Env[Any], state: Any) -> Array:
        """Return what the seat to move observes in the `full` layout, whichever `env` has.

        Raises:
          TypeError: `env` is another game.
        """
        return _full(env).observe(state, state.current_player)

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Return int32[], the action, and the carry unchanged.

        Raises:
          TypeError: `env` is another game.
          ValueError: `view` is not the `full` observation.
        """
        del params, key
        full = _full(env)
        if view.shape != full.observation_shape:
            raise ValueError(
                f"greedy of blob reads the observation `full`, float32"
                f"{list(full.observation_shape)}; it was given {list(view.shape)}"
            )
        seen = sight.look(full, view)
        later = chances.later(self.weights.judged, seen)
        bids = bid_values(self.weights, seen, later)
        plays = play_values(self.weights, full.rules, seen, later)
        return choice.best(jnp.where(seen.bidding, bids, plays), mask), carry


def _full(env: Env[Any]) -> Blob:
    if not isinstance(env, Blob):
        raise TypeError(f"this greedy bot plays blob, not {env.id}")
    return Blob(rules=env.rules)


# Values -------------------------------------------------------------------------------------------


class Outlook(NamedTuple):
    """What is expected of the tricks to come, float32[..].

    Attributes:
      tricks: how many there are.
      expected: how many of them the hand takes.
      variance: of that number.
    """

    tricks: Array
    expected: Array
    variance: Array


def outlook(weights: Weights, seen: Sight, tricks: Array, each: Array, gone: Array) -> Outlook:
    """Return what is expected of `tricks` tricks.

    The more tricks the others' bids still claim beyond their share of those that the hand leaves
    them, the harder they fight, and the fewer it takes.

    Args:
      weights: what it goes by.
      seen: what the seat knows.
      tricks: float32[], how many there are.
      each: float32[4, 13], the chance of each card of the hand to win one.
      gone: float32[..], that of the card that the hand has no more; 0 while bidding.
    """
    taken, doubt = each.sum() - gone, (each * (1 - each)).sum() - gone * (1 - gone)
    share = (tricks - taken) / seen.has_bid.shape[0]
    surplus = jnp.maximum(seen.needs, 0.0).sum() - seen.has_bid.sum() * share
    return Outlook(
        tricks,
        taken - weights.press * surplus,
        weights.doubt * doubt + weights.more * tricks + LEAST,
    )


def made(weights: Weights, number: Array, ahead: Outlook) -> Array:
    """Return float32[..]: the chance to take exactly `number` tricks; 0 if there are not so many.

    A logistic curve around what is expected, which the play bends towards what is wanted.
    """
    off = (1 - weights.steer) * (number - ahead.expected)
    scale = 1 / jnp.sqrt(ahead.variance)
    below = jnp.where(number <= 0, 0.0, jax.nn.sigmoid((off - 0.5) * scale))
    above = jnp.where(number >= ahead.tricks, 0.0, jax.nn.sigmoid((-off - 0.5) * scale))
    return jnp.where((number >= 0) & (number <= ahead.tricks), 1 - below - above, 0.0)


def bid_values(weights: Weights, seen: Sight, later: Array) -> Array:
    """Return float32[52]: what each bid is expected to score, as a part of the best score.

    Args:
      weights: what it goes by.
      seen: what the seat knows.
      later: float32[4, 13], the chance of each card of the hand to win a trick.
    """
    bid = jnp.arange(NUM_ACTIONS).astype(jnp.float32)
    ahead = outlook(weights, seen, seen.dealt, later, jnp.float32(0))
    return CERTAIN * (MADE + bid) / (MADE + seen.dealt) * made(weights, bid, ahead)


def play_values(weights: Weights, rules: Rules, seen: Sight, later: Array) -> Array:
    """Return float32[52]: the chance that the bid is made once each card is played; if it is missed
    already, how well the card spoils the others' or, where tricks count, takes tricks.
    """
    wins = chances.now(weights.judged, seen)
    ahead = outlook(weights, seen, seen.after, later, later)
    won = made(weights, seen.need - 1, ahead)
    lost = made(weights, seen.need, ahead)
    possible = (seen.need >= 0) & (seen.need <= seen.held)
    takes = jnp.bool_(True) if rules.score == "exact_or_tricks" else spoils_by_taking(seen)
    missed = jnp.where(takes, 1.0, -1.0) * (wins - weights.keep * later)
    return CERTAIN * jnp.where(possible, wins * won + (1 - wins) * lost, missed).reshape(-1)


def spoils_by_taking(seen: Sight) -> Array:
    """Return bool[]: does taking the trick harm the others more than leaving it to them?

    It does if who is winning it still needs it; if the seat leads, if they need more tricks than
    there are.
    """
    hungry = seen.needs > 0
    scarce = jnp.where(hungry, seen.needs, 0.0).sum() >= seen.held
    return jnp.where(seen.leads, scarce, (seen.ahead & hungry).any())
