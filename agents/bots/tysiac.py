"""The bots of Tysiac: each values what it may do, and does what is worth most.

`Greedy` bids what its hand is worth by a plain count, takes tricks cheaply, declares the best
marriage as soon as it leads, saves it otherwise, and sheds low cards. `TrumpManager` weighs
contracts as wagers (`tysiac_outlook.py`) and plans which suit becomes trump, and when, from the
cards it has counted (`tysiac_plan.py`). Neither searches or remembers; both use only what their
seat may know (`tysiac_sight.py`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax.numpy as jnp
from jax import Array

from talonax.agents.bots import tysiac_outlook as outlook
from talonax.agents.bots import tysiac_plan as plan
from talonax.agents.bots import tysiac_sight as sight
from talonax.agents.bots.choice import Scorer
from talonax.agents.bots.tysiac_outlook import Traits
from talonax.agents.bots.tysiac_sight import Pack, Sight
from talonax.configs.tysiac.schema import Rules
from talonax.envs import pairs
from talonax.envs.planes import SUITS
from talonax.envs.tysiac.marriages import marriages_in, proving
from talonax.envs.tysiac.state import (
    AUCTION,
    BOMB,
    CONTRACT,
    FREE_BID,
    KING,
    LAST_BID,
    OPENING,
    PACK,
    POINTS,
    QUEEN,
    RETURNING,
    TAKE,
    TEN,
    TysiacState,
    amount,
)

#: In points: what is always done, and what never is.
SURE = 4000.0
#: The bids are the first of the contracts.
BIDS = (LAST_BID - OPENING) // TEN + 1
ALL_POINTS = float(SUITS * sum(POINTS))


class Talk(NamedTuple):
    """What is worth what before play, float32.

    Attributes:
      passing: [], leaving the contract to the opponent; 0 in the bomb window.
      bids: [11], bidding 100 .. 200.
      contracts: [31], naming 100 .. 400.
      bomb: [], doubling.
      rebomb: [], doubling again.
      challenge: [], asking for the marriage.
    """

    passing: Array
    bids: Array
    contracts: Array
    bomb: Array
    rebomb: Array
    challenge: Array


def scores(talk: Talk, laid: Array, declared: Array) -> Array:
    """Return float32[80]: what each action is worth, by action id.

    Args:
      talk: what is worth what before play.
      laid: float32[24], what playing, or returning, each card is worth.
      declared: float32[24], what declaring with it is worth.
    """
    declarations = declared.reshape(SUITS, PACK.ranks)[:, (KING, QUEEN)].reshape(-1)
    takes = jnp.zeros(CONTRACT - TAKE)  # two cards face down are as good as two others
    single = jnp.stack([talk.bomb, talk.rebomb, talk.challenge])
    assert talk.contracts.shape == (BOMB - CONTRACT,)
    return jnp.concatenate(
        [laid, declarations, talk.passing[None], talk.bids, takes, talk.contracts, single]
    )


def total(considerations: dict[str, Array]) -> Array:
    """Return the sum of all considerations."""
    parts = list(considerations.values())
    summed = parts[0]
    for each in parts[1:]:
        summed = summed + each
    return summed


# Greedy -----------------------------------------------------------------------------------------


class GreedyWeights(NamedTuple):
    """What `Greedy` goes by, in points.

    Attributes:
      promise: what each trait of a hand promises.
      musik: what the musik is expected to add.
      caution: how much of the promise it does not count on.
      keep: keeping a card, by rank from the nine up.
      trump: keeping a trump, beyond that.
      pair: keeping K and Q together, as a part of their marriage's worth.
      lead: having the lead.
      sure_bomb: by how much a contract must exceed what it expects its declarer to win.
    """

    promise: Traits = Traits(
        any=6.0,
        aces=16.0,
        tens_backed=8.0,
        tens_guarded=10.0,
        runs=2.0,
        marriages=1.0,
        further=-0.2,
        length=-1.0,
        tops=0.0,
        halves=0.0,
        long=2.0,
        short=7.0,
    )
    musik: float = 15.0
    caution: float = 12.0
    keep: tuple[float, ...] = (0.0, 0.5, 2.0, 3.0, 9.5, 13.0)
    trump: float = 4.0
    pair: float = 0.5
    lead: float = 2.0
    sure_bomb: float = 20.0


GREEDY = GreedyWeights()


@dataclass(frozen=True)
class Greedy(Scorer):
    """Takes what it can get: bids by a plain count, declares at once, wins tricks cheaply.

    Attributes:
      weights: what it goes by.
    """

    game: ClassVar[str] = "tysiac"

    weights: GreedyWeights = GREEDY

    def scores(self, env: Any, state: TysiacState) -> Array:
        """Return float32[80]: what each action is worth, legal or not."""
        pack, seen = sight.pack_of(), sight.look(env.rules, state)
        plays = total(greedy_considerations(self.weights, pack, seen))
        marriage = sight.pair_held(pack, seen)
        returns = -greedy_kept(self.weights, pack, seen)
        if env.rules.return_to == "declarer":
            returns = returns + pack.points
        laid = jnp.where(state.phase == RETURNING, returns, plays)
        talk = greedy_talk(self.weights, env.rules, pack, seen, state)
        return scores(talk, laid, plays + SURE + marriage)


def greedy_considerations(weights: GreedyWeights, pack: Pack, seen: Sight) -> dict[str, Array]:
    """Return float32[24] each: what speaks for a card, and what against it, by name."""
    on_table = jnp.arange(PACK.size) == seen.led
    led_points = jnp.where(on_table, pack.points, 0.0).sum()
    over = jnp.arange(PACK.size) > seen.led
    wins = jnp.where(pack.suit_no == PACK.suit(seen.led), over, pack.suit_no == seen.trump)
    won = jnp.where(seen.leads, sight.high(pack, seen), wins).astype(jnp.float32)
    at_stake = pack.points + led_points
    return {
        "wins points": won * at_stake,
        "loses points": -(1 - won) * at_stake,
        "has the lead": won * weights.lead,
        "leaves the hand": -greedy_kept(weights, pack, seen),
    }


def greedy_kept(weights: GreedyWeights, pack: Pack, seen: Sight) -> Array:
    """Return float32[24]: what the card is worth if kept: its rank, as a trump, in a marriage."""
    return (
        plan.by_card(weights.keep)
        + weights.trump * (pack.suit_no == seen.trump)
        + weights.pair * sight.pair_held(pack, seen)
    )


def greedy_talk(
    weights: GreedyWeights, rules: Rules, pack: Pack, seen: Sight, state: TysiacState
) -> Talk:
    """Return what is worth what before play: what the hand promises, held against the contract."""
    promise = outlook.estimate(weights.promise, outlook.traits(seen.hand)) - weights.caution
    hoped = promise + jnp.where(state.phase == AUCTION, weights.musik, 0.0)
    named, bids = outlook.contracts(), outlook.contracts()[:BIDS]
    expected = ALL_POINTS - promise + sight.their_pairs(pack, seen)
    return Talk(
        passing=jnp.float32(0),
        bids=hoped - bids - SURE * unproven(rules, seen, bids),
        contracts=jnp.where(named <= promise, named, -named),
        bomb=seen.contract - expected - weights.sure_bomb,
        rebomb=promise - seen.contract - weights.sure_bomb,
        challenge=jnp.where(cannot_be_proven(pack, seen, state), jnp.float32(SURE), -SURE),
    )


def unproven(rules: Rules, seen: Sight, bids: Array) -> Array:
    """Return bool[11]: bids that can be challenged for good: the hand has no marriage for them."""
    if rules.proof == "auto":
        return jnp.zeros_like(bids, bool)
    tens = (bids / TEN).astype(jnp.int32)
    return (bids > FREE_BID) & (marriages_in(seen.hand) & proving(tens) == 0)


def cannot_be_proven(pack: Pack, seen: Sight, state: TysiacState) -> Array:
    """Return bool[]: the seat's own cards show that no marriage behind the bid can be there."""
    whole = sight.meet(pack.itself, seen.may) & sight.meet(pack.partner, seen.may)
    needed = amount(state.high_bid) - OPENING
    return ~(whole & (pack.worth >= needed)).any()


# Trump manager ----------------------------------------------------------------------------------


class Outlook(NamedTuple):
    """What is expected of a hand: fitted, by least squares, to hands that the bot played itself.

    Attributes:
      points: what each trait of it is worth to its holder.
      theirs: what it leaves to the opponent.
      spread: how uncertain the declarer's points are.
      told: what the opponent's bid or contract tells of his points, for each above 100.
    """

    points: Traits
    theirs: Traits
    spread: float
    told: float = 0.0


class Weights(NamedTuple):
    """What `TrumpManager` goes by.

    Attributes:
      play: the considerations of play, and of the return.
      dealt: what ten cards dealt promise, the musik to come.
      declaring: what the declarer's ten cards promise.
      defending: what a defender's promise.
    """

    play: plan.Weights
    dealt: Outlook
    declaring: Outlook
    defending: Outlook


WEIGHTS = Weights(
    play=plan.Weights(),
    dealt=Outlook(
        Traits(29.0, 11.8, 8.4, 2.7, 1.4, 0.98, -0.34, -0.8, 4.9, 0.12, 3.7, 2.3),
        Traits(139.0, -14.0, -24.5, 0.9, 4.1, -0.21, -0.02, 0.0, -5.9, -0.21, -5.0, -2.2),
        spread=22.0,
    ),
    declaring=Outlook(
        Traits(7.7, 13.2, 10.0, 3.8, 1.9, 1.03, -0.40, 0.7, 1.6, 0.0, 6.1, 4.5),
        Traits(154.0, -13.0, -26.5, 5.4, 4.1, -0.19, -0.05, -0.8, -6.9, -0.22, -9.6, 0.6),
        spread=12.5,
    ),
    defending=Outlook(
        Traits(-38.5, 34.0, 8.7, 20.0, -9.0, 0.33, -0.14, 3.1, 12.0, 0.03, -5.3, -3.4),
        Traits(298.0, -21.5, -5.7, -12.7, 2.7, -0.55, -0.12, -5.1, 7.0, -0.65, 4.3, 4.1),
        spread=22.0,
        told=0.3,
    ),
)


@dataclass(frozen=True)
class TrumpManager(Scorer):
    """Plans which suit becomes trump, and when; weighs contracts as wagers; counts cards.

    Attributes:
      weights: what it goes by.
    """

    game: ClassVar[str] = "tysiac"

    weights: Weights = WEIGHTS

    def scores(self, env: Any, state: TysiacState) -> Array:
        """Return float32[80]: what each action is worth, legal or not."""
        weights, rules = self.weights, env.rules
        pack, seen = sight.pack_of(), sight.look(rules, state)
        plainly, declaring = (
            total(plan.considerations(weights.play, rules, pack, seen, declares=declares))
            for declares in (False, True)
        )
        returns = plan.returned_value(weights.play, rules, pack, seen)
        laid = jnp.where(state.phase == RETURNING, returns, plainly)
        talk = manager_talk(weights, rules, seen, state)
        return scores(talk, laid, declaring)


def manager_talk(weights: Weights, rules: Rules, seen: Sight, state: TysiacState) -> Talk:
    """Return what is worth what before play: every contract as a wager, mine or his."""
    me = state.current_player
    score, his_score = pairs.of(state.scores, me), pairs.other(state.scores, me)
    hand, named = outlook.traits(seen.hand), outlook.contracts()

    def declaring(view: Outlook, contract: Array) -> Array:
        made = outlook.chance(outlook.estimate(view.points, hand), view.spread, contract)
        return outlook.wager(rules, score, made, contract)

    def given(view: Outlook) -> Array:
        return outlook.defended(rules, his_score, outlook.estimate(view.theirs, hand))

    def facing(view: Outlook, told: Array, contract: Array) -> Array:
        his = outlook.estimate(view.theirs, hand) + view.told * (told - OPENING)
        made = outlook.chance(his, view.spread, contract)
        return outlook.wager(rules, his_score, made, contract)

    own = outlook.defended(rules, score, outlook.estimate(weights.defending.points, hand))
    bid = jnp.maximum(amount(state.high_bid), OPENING).astype(jnp.float32)
    left_to_him = jnp.where(named >= bid, facing(weights.defending, bid, named), -jnp.inf).max()
    bids = outlook.from_each(declaring(weights.dealt, named))[:BIDS] - given(weights.dealt)
    return Talk(
        passing=jnp.where(state.phase == AUCTION, own - left_to_him, 0.0),
        bids=bids - SURE * unproven(rules, seen, named[:BIDS]),
        contracts=declaring(weights.declaring, named),
        bomb=own - facing(weights.defending, seen.contract, seen.contract),
        rebomb=declaring(weights.declaring, seen.contract) - given(weights.declaring),
        challenge=jnp.float32(SURE),  # it costs nothing, and shows cards or wins the hand
    )
