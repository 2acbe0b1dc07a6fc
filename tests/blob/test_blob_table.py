"""What Blob may be set to and what a table may be told; wrong values are refused by name."""

from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.configs.rules import RulesError

DECK = np.arange(52)


# The facts of a table -----------------------------------------------------------------------------


def test_dealer_and_round(make: Any) -> None:
    env = make(players=5, cards=4, dealer=3, first_round=4)
    deal = jax.jit(env.deal)
    told = [
        (int(state.dealer), int(state.current_player), int(state.round), int(state.trump))
        for state in (
            deal(DECK),
            deal(DECK, dealer=4),
            deal(DECK, dealer=4, round=1),
            deal(DECK, round=1),
            deal(DECK, round=7),
        )
    ]
    # `round` moves the rule's dealer on; a dealer that is given is taken as given
    assert told == [(2, 3, 4, -1), (4, 0, 4, -1), (4, 0, 1, 1), (4, 0, 1, 1), (0, 1, 7, 2)]


def test_cards_and_scores(make: Any) -> None:
    env = make(players=5, cards=4)
    state = jax.jit(env.deal)(DECK, cards=2, scores=(1, 0, 3, 0, 5))
    assert int(state.cards) == 2
    assert state.scores.tolist() == [1, 0, 3, 0, 5]
    assert [bin(word).count("1") for word in state.dealt.sum(axis=1).tolist()] == [2] * 5
    bids = np.flatnonzero(env.legal_action_mask(state))
    assert bids.tolist() == [0, 1, 2]


def test_one_kernel_serves_every_table(make: Any) -> None:
    env = make(players=4, cards=13)
    table = {
        "dealer": jnp.array([0, 1, 2, 3]),
        "round": jnp.array([0, 1, 4, 9]),
        "cards": jnp.array([13, 1, 5, 2]),
        "scores": jnp.arange(16).reshape(4, 4),
    }
    decks = jnp.stack([jnp.asarray(np.roll(DECK, shift)) for shift in range(4)])
    deal = jax.jit(chex.assert_max_traces(lambda deck, table: env.deal(deck, **table), n=1))
    step = jax.jit(chex.assert_max_traces(env.step, n=1))
    for i in range(4):
        one = deal(decks[i], {name: values[i] for name, values in table.items()})
        assert int(one.cards) == int(table["cards"][i])
        after = step(one, 0)
        assert int(after.turn) == 1
    many = jax.jit(jax.vmap(lambda deck, table: env.deal(deck, **table)))(decks, table)
    for i in range(4):
        one = deal(decks[i], {name: values[i] for name, values in table.items()})
        same = jax.tree.map(lambda leaf, i=i: leaf[i], many)
        jax.tree.map(np.testing.assert_array_equal, one, same)
    assert many.dealer.tolist() == [0, 1, 2, 3]
    assert many.trump.tolist() == [0, 1, -1, -1]


def test_a_full_game_takes_a_traced_round(make: Any) -> None:
    env = make(players=3, cards=3, rounds="full")
    states = jax.jit(jax.vmap(lambda number: env.deal(DECK, round=number)))(jnp.arange(8))
    assert states.cards.tolist() == [3, 2, 1, 1, 1, 1, 2, 3]
    assert states.dealer.tolist() == [0, 1, 2, 0, 1, 2, 0, 1]


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"dealer": 4}, r"dealer 4: 0 \.\. 3 is needed"),
    ({}, {"dealer": -1}, r"dealer -1: 0 \.\. 3 is needed"),
    ({}, {"dealer": 1.5}, r"dealer 1\.5: 0 \.\. 3"),
    ({}, {"dealer": [0, 1]}, r"dealer \[0, 1\]: 0 \.\. 3"),
    ({}, {"round": -1}, r"round -1: 0 \.\. 2147483647"),
    ({}, {"round": 2**31}, r"round 2147483648"),
    ({}, {"cards": 0}, r"cards 0: 1 \.\. 5 is needed"),
    ({}, {"cards": 6}, r"cards 6: 1 \.\. 5 is needed"),
    ({}, {"scores": (1, 2, 3)}, r"scores \(1, 2, 3\): 4 totals are needed"),
    ({}, {"scores": (1, 2, 3, -1)}, "whole numbers from 0 up"),
    ({}, {"scores": (1, 2, 3, 0.5)}, "whole numbers from 0 up"),
    ({"rounds": "full"}, {"round": 13}, r"round 13: 0 \.\. 12 is needed"),
    ({"rounds": "full"}, {"cards": 5}, r"cards 5: in a full game the round tells"),
    ({"rounds": "full"}, {"cards": 5, "round": 1}, "give round alone"),
    ({"first_round": 2**31}, {}, r"round 2147483648: 0 \.\. 2147483647"),
]


@pytest.mark.parametrize(("flags", "table", "said"), WRONG, ids=str)
def test_facts_that_no_table_has(
    make: Any, flags: dict[str, Any], table: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=f"blob: {said}" if said[0] in "drsc" else said):
        make(**flags).deal(DECK, **table)


def test_traced_scores_of_another_shape_are_refused(make: Any) -> None:
    for scores in (np.zeros(3, int), np.zeros((1, 4), int)):
        with pytest.raises(ValueError, match="4 totals are needed"):
            jax.jit(lambda scores: make().deal(DECK, scores=scores))(scores)


def test_other_keywords_and_bad_decks_are_refused(make: Any) -> None:
    env = make()
    with pytest.raises(TypeError, match=r"'leader'; there are: dealer, round, cards, scores"):
        env.deal(DECK, leader=1)
    with pytest.raises(ValueError, match=r"a deck: int\[52\] is needed, is of shape \[20\]"):
        env.deal(DECK[:20])
    with pytest.raises(ValueError, match=r"cards \[0\] are there twice"):
        env.deal([0, *DECK[:-1]])


# The rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"players": 2}, "players: 2 is not allowed"),
        ({"players": 9}, "players: 9 is not allowed"),
        ({"cards": 0}, "cards: 0 is not allowed"),
        ({"cards": 14}, r"cards: 14 is not allowed.*1\.\.13"),
        ({"players": 8, "cards": 7}, r"cards: 7 is not allowed.*1\.\.6"),
        ({"players": 3, "cards": 18}, r"1\.\.17"),
        ({"dealer": 4}, r"dealer: 4 is not allowed.*0\.\.3"),
        ({"rounds": "half"}, "rounds: 'half' is not allowed"),
        ({"trumps": ("X",)}, "trumps"),
        ({"trumps": ()}, "trumps: .* at least one"),
        ({"score": "squares"}, "score: 'squares' is not allowed"),
        ({"reward": "win"}, "reward: 'win' is not allowed"),
        ({"hook": 1}, "hook: 1 is not allowed"),
        ({"first_round": -1}, "first_round: -1 is not allowed"),
        ({"rounds": "full", "first_round": 13}, r"first_round: 13 is not allowed.*0\.\.12"),
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(make: Any, flags: dict[str, Any], said: str) -> None:
    with pytest.raises(RulesError, match=said):
        make(**flags)


def test_layouts(make: Any) -> None:
    with pytest.raises(ValueError, match="no observation 'planes'; there are: full, compact"):
        make(observation="planes")
    assert [make(players=p, cards=1).observation_shape for p in range(3, 9)] == [
        (264 + 56 * others,) for others in range(2, 8)
    ]
    assert make(observation="compact").observation_shape == (256,)


def test_a_state_is_small(make: Any) -> None:
    """Few bytes however many play: this is what search trees and queues hold."""

    def size(**flags: Any) -> int:
        state = jax.eval_shape(make(**flags).init, jax.random.key(0))
        return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state))

    assert size() <= 120
    assert size(players=8, cards=6) <= 184
    assert size(rounds="full") - size() == 12  # the key and the number of the deal
