"""The greedy bot of Blob in positions by hand: what it bids and plays, and why."""

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

import talonax
from talonax.agents.bots import blob_chances as chances
from talonax.agents.bots import blob_sight as sight
from talonax.agents.bots.blob import Greedy
from talonax.agents.policy import Policy
from talonax.configs.blob.schema import DECK_SIZE
from talonax.envs.blob.env import Blob
from talonax.envs.blob.view import card_name, card_number
from talonax.envs.core import Env

pytestmark = pytest.mark.slow

Lay = Callable[..., Any]


def asked(env: Env[Any], policy: Policy, state: Any) -> Array:
    """Return what a policy without carry or chance does."""
    mask = env.legal_action_mask(state)
    return policy.act(None, env, policy.see(env, state), mask, (), jax.random.key(0))[0]


@cache
def compiled(env: Blob) -> Any:
    return jax.jit(partial(asked, env, Greedy()))


def choice(table: Any) -> int | str:
    """Return what the bot does for the seat to move: a bid, or the name of a card."""
    action = int(compiled(table.env)(table.state))
    return action if bool(table.state.bidding) else card_name(action)


@cache
def judged(env: Blob) -> Any:
    def judge(state: Any) -> tuple[Array, Array]:
        seen = sight.look(env, env.observe(state, state.current_player))
        now, later = (each(chances.Weights(), seen) for each in (chances.now, chances.later))
        return now.reshape(-1), later.reshape(-1)

    return jax.jit(judge)


def chance(table: Any, card: str) -> float:
    """Return how likely the bot thinks a card of the seat to move wins a later trick."""
    return float(judged(table.env)(table.state)[1][card_number(card)])


def chance_now(table: Any, card: str) -> float:
    """Return how likely the bot thinks a card of the seat to move wins the trick that is open."""
    return float(judged(table.env)(table.state)[0][card_number(card)])


@pytest.fixture
def lay(deal: Any) -> Lay:
    """Lay hands out, seat 0's first; cards that nobody named fill up those that are short."""

    def laid(mine: str, *others: str, players: int = 4, **table: Any) -> Any:
        hands = [hand.split() for hand in (mine, *others)]
        hands += [[] for _ in range(players - len(hands))]
        named = [name for hand in hands for name in hand]
        rest = iter(name for name in map(card_name, range(DECK_SIZE)) if name not in named)
        for hand in hands:
            hand += [next(rest) for _ in range(len(hands[0]) - len(hand))]
        return deal(*map(" ".join, hands), **table)

    return laid


# Bids ---------------------------------------------------------------------------------------------


def test_it_bids_the_tricks_that_it_counts(lay: Lay) -> None:
    assert choice(lay("AS KS QS", dealer=3)) == 3
    assert choice(lay("AS 3H 2H", dealer=3)) == 1
    assert choice(lay("2C 3D 2H", dealer=3)) == 0


def test_long_trumps_are_tricks_and_long_side_suits_are_not(lay: Lay) -> None:
    assert choice(lay("5S 4S 3S 2H 3H", dealer=3)) == 2
    assert choice(lay("5S 4S 3S 2H 3H", dealer=3, trump="none")) <= 1
    long = "AH QH JH TH 9H 8H 7H 2H 2C 3C 4C 2D 3D"
    short = "AH 7C 8C 9C TC 2C 3C 4C 5C 6C 2D 3D 4D"
    assert chance(lay(short, dealer=3), "AH") > 0.5 > chance(lay(long, dealer=3), "AH") + 0.1


def test_who_leads_counts_on_more(lay: Lay) -> None:
    assert choice(lay("9H", dealer=3, trump="none")) == 1
    assert choice(lay("9H", dealer=2, trump="none").do(0)) == 0


def test_a_king_is_good_where_the_ace_is_likely_not_dealt(lay: Lay) -> None:
    assert chance(lay("KH", dealer=3, trump="none"), "KH") > 0.9
    all_dealt = "KH QH 5H 4H 2C 3C 4C 5C 2D 3D 4D 5D 2S"
    assert chance(lay(all_dealt, dealer=3, trump="none"), "KH") < 0.1


def test_the_more_play_the_sooner_a_side_ace_is_ruffed(lay: Lay) -> None:
    three, eight = (lay("AH 2C 3D", dealer=p - 1, players=p) for p in (3, 8))
    assert chance(three, "AH") > 2 * chance(eight, "AH")


@pytest.mark.parametrize(("card", "higher"), [("2S", 12), ("5S", 9), ("QS", 2)])
def test_a_single_trump_wins_if_nobody_has_a_higher_one(lay: Lay, card: str, higher: int) -> None:
    """Three others have a card each of the 51: that none of them is higher can be worked out."""
    exact = math.comb(51 - higher, 3) / math.comb(51, 3)
    table = lay(card, dealer=3)
    assert chance(table, card) == pytest.approx(exact, abs=0.03)
    assert choice(table) == (1 if card != "2S" else 0)
    assert choice(lay(card, dealer=7, players=8)) == (1 if card == "QS" else 0)


def test_a_single_side_ace_wins_if_nobody_has_a_trump(lay: Lay) -> None:
    table = lay("AH", dealer=3)
    assert chance(table, "AH") == pytest.approx(math.comb(38, 3) / math.comb(51, 3), abs=0.04)
    assert choice(table) == 0
    assert choice(lay("AH", dealer=2, players=3)) == 1


def test_a_late_bidder_minds_what_the_others_have_bid(lay: Lay) -> None:
    table = lay("KS QH JD AC 3C", dealer=0, hook=False)
    bids = [int(choice(table.do(*[each] * 3))) for each in (0, 1, 5)]
    assert bids == sorted(bids, reverse=True)
    assert bids[0] > bids[-1]


def test_the_dealer_makes_way_for_the_hook(lay: Lay) -> None:
    assert choice(lay("AS", dealer=0, hook=False).do(0, 0, 0)) == 1
    assert choice(lay("AS", dealer=0).do(0, 0, 0)) == 0


# Plays --------------------------------------------------------------------------------------------


def last(lay: Lay, mine: str, bid: int, *cards: str, **flags: Any) -> Any:
    """Return the first trick as the last to play sees it: seat 0, who dealt, and bid so."""
    table = lay(mine, *cards, dealer=0, hook=False, **flags)
    return table.do(0, 0, 0, bid, *cards)


def test_it_wins_as_cheaply_as_it_can(lay: Lay) -> None:
    assert choice(last(lay, "TH AH 3S", 3, "5H", "9H", "2H")) == "TH"


def test_it_gets_rid_of_a_high_card_by_the_trick_that_it_needs(lay: Lay) -> None:
    # One trick is enough: the ace takes it now, the ten need not take one later.
    assert choice(last(lay, "TH AH 3C", 1, "5H", "9H", "2H")) == "AH"


def test_it_ducks_with_the_highest_card_that_loses(lay: Lay) -> None:
    assert choice(last(lay, "QH 2H 9H", 0, "5H", "KH", "3H")) == "QH"


def test_it_throws_what_may_win_later(lay: Lay) -> None:
    assert choice(last(lay, "AC 2C 3D", 0, "5H", "KH", "3H")) == "AC"
    assert choice(last(lay, "KS 2C 3D", 0, "5H", "AS", "3H")) == "KS"  # under a higher trump


def test_it_throws_low_cards_while_it_needs_tricks(lay: Lay) -> None:
    assert choice(last(lay, "AC 2C KD", 2, "5H", "KH", "3H")) == "2C"


def test_a_card_is_the_surer_the_fewer_are_to_come(lay: Lay) -> None:
    mine, others, led = "TH 4H AC 2S", ("5H", "3H", "2H"), {1: "5H", 2: "3H", 3: "2H"}
    second = lay(mine, *others, dealer=2).do(1, 1, 1, 0, led[3])
    third = lay(mine, *others, dealer=1).do(1, 1, 1, 0, led[2], led[3])
    last = lay(mine, *others, dealer=0).do(1, 1, 1, 0, led[1], led[2], led[3])
    assert 0.2 < chance_now(second, "TH") < chance_now(third, "TH") - 0.05
    assert chance_now(third, "TH") < chance_now(last, "TH") == 1
    assert chance_now(last, "4H") == 0
    # Nobody has shown a void, but somebody may have one, and a trump.
    leads = lay(mine, *others, dealer=3).do(0, 1, 1, 1)
    assert 0.2 < chance_now(leads, "AC") < 0.9


def test_with_others_to_come_it_ducks_for_sure(lay: Lay) -> None:
    table = lay("QH 2H 9H", "5H", "4H", "3H", dealer=1, hook=False)
    assert choice(table.do(0, 0, 0, 0, "4H", "3H")) == "2H"


def test_it_leads_low_with_its_bid_and_a_winner_without(lay: Lay) -> None:
    assert choice(lay("2C AD KD", dealer=3).do(0, 1, 1, 2)) == "2C"
    assert choice(lay("AS 2C 3D", dealer=3).do(1, 1, 0, 2)) == "AS"


@pytest.mark.parametrize("score", ["exact", "exact_or_tricks"])
def test_with_a_missed_bid_it_spoils_others_or_takes_tricks(lay: Lay, score: str) -> None:
    """Seat 0 has bid nothing, and has won the first trick; the second is seat 1's."""
    others = "5H KC QD 9S", "3H 4C 5D 6D", "4H 5C 7D 8D"
    first, second, third = ("5H", "3H", "4H", "AH"), ("2C", "KC", "4C", "5C"), ("QD", "5D", "7D")
    chosen = {}
    for bid in (1, 2):
        table = lay("AH 2C KD 3D", *others, dealer=0, hook=False, score=score)
        table = table.do(bid, 0, 0, 0, *first, *second, *third)
        chosen[bid] = choice(table)
    # Who has bid two still needs this one, and should not get it; who has bid one should get it.
    assert chosen == {1: "3D" if score == "exact" else "KD", 2: "KD"}


def test_a_void_that_was_shown_is_remembered(lay: Lay) -> None:
    """After the first trick: the ace of hearts will be ruffed by whoever has shown no heart."""
    mine = "KH AH 2C 3D 4D"
    follows = lay(mine, "5H 3C", "6H 4C", "7H 5C", dealer=3).do(2, 0, 0, 0, "KH", "5H", "6H", "7H")
    void = lay(mine, "5H 3C", "6C 4C", "7H 5C", dealer=3).do(2, 0, 0, 0, "KH", "5H", "6C", "7H")
    assert chance(void, "AH") < 0.8 * chance(follows, "AH")


# The way in ---------------------------------------------------------------------------------------


def test_it_plays_the_same_with_wide_numbers_and_either_observation(make: Any) -> None:
    def played(observation: str) -> list[int]:
        env, actions = make(observation, cards=13), []
        policy, step = jax.jit(partial(asked, env, Greedy())), jax.jit(env.step)
        state = env.deal(env.deck(jax.random.key(5), 0), cards=6)
        while not state.finished:
            actions.append(int(policy(state)))
            state = step(state, actions[-1])
        return actions

    full = played("full")
    assert len(full) == 4 * 7
    with jax.enable_x64(True):
        assert played("compact") == full


def test_it_refuses_other_games_and_other_observations(make: Any) -> None:
    duel = talonax.make("high_card_duel")
    with pytest.raises(TypeError, match="plays blob, not high_card_duel"):
        asked(duel, Greedy(), duel.init(jax.random.key(0)))
    env, key = make(cards=13), jax.random.key(0)
    mask = jnp.ones(env.num_actions, bool)
    with pytest.raises(ValueError, match=r"`full`, float32\[432\]; it was given \[256\]"):
        Greedy().act(None, env, np.zeros(256), mask, (), key)
