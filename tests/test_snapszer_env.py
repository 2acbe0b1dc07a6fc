"""Snapszer's env: dealing, whole deals from any deck, matches, what is seen and what is hidden."""

from functools import cache
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import talonax
from talonax.envs.core import NOBODY
from talonax.envs.snapszer.env import Snapszer

POINTS = (11, 10, 4, 3, 2, 0)
PROFILES = ("hungarian", "base", "austrian", "vu")


@cache
def make(profile: str = "hungarian", **flags: Any) -> Snapszer:
    env = talonax.make("snapszer", profile, **flags)
    assert isinstance(env, Snapszer)
    return env


@cache
def compiled(env: Snapszer) -> tuple[Any, Any, Any]:
    return (
        jax.jit(env.step),
        jax.jit(env.legal_action_mask),
        jax.jit(lambda state: (env.facts(state), _planes(env, state))),
    )


def _planes(env: Snapszer, state: Any) -> Any:
    return jnp.stack([env.card_tensor(state, player) for player in (0, 1)])


def members(bits: Any) -> set[int]:
    return {card for card in range(32) if int(bits) >> card & 1}


# Dealing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nines", [False, True])
def test_a_deck_is_laid_out_as_the_rules_say(nines: bool) -> None:
    env = make(nines=nines)
    hand, size = (6, 24) if nines else (5, 20)
    deck = np.random.default_rng(0).permutation(size)
    state = env.deal(deck)
    assert members(state.hands[0]) == set(deck[:hand].tolist())
    assert members(state.hands[1]) == set(deck[hand : 2 * hand].tolist())
    assert int(state.turned_up) == deck[2 * hand]
    left = size - 2 * hand - 1
    assert env.facts(state)["stock"].tolist() == deck[2 * hand + 1 :].tolist()
    assert (int(state.stock_left), int(state.current_player)) == (left, 0)


def test_the_winner_of_a_trick_draws_first_and_the_turned_up_card_goes_last() -> None:
    env = make(marriage_declare="optional")  # so that nobody reaches 66 in five cheap tricks
    step, _, look = compiled(env)
    deck = list(range(20))
    state = env.deal(np.array(deck))
    order = []
    for _ in range(5):
        before = [members(state.hands[seat]) for seat in (0, 1)]
        leader = int(state.current_player)
        for seat in (leader, 1 - leader):
            lowest = max(members(state.hands[seat]) - {10, 11, 12, 13, 14})
            state = step(state, lowest)
            before[seat] = before[seat] - {lowest}
        winner = int(state.current_player)
        drawn = [members(state.hands[seat]) - before[seat] for seat in (winner, 1 - winner)]
        order += [card for cards in drawn for card in cards]
    assert order == [*range(11, 20), 10]
    assert bool(state.strict)
    assert int(look(state)[0]["turned_up"]) == -1


def test_facts_of_the_table() -> None:
    env = make(match=7)
    deck = np.arange(20)
    for keyword in ("leader", "first_leader"):
        state: Any = env.deal(deck, **{keyword: 1})
        assert (int(state.leader), int(state.current_player)) == (1, 1)
    state = env.deal(deck, scores=(6, 3))
    assert [int(score) for score in state.scores] == [6, 3]
    traced = jax.jit(lambda leader: env.deal(deck, leader=leader))(1)
    assert int(traced.leader) == 1
    given_first = make(first_leader=1).deal(deck, leader=0)
    assert int(given_first.leader) == 0


@pytest.mark.parametrize(
    ("flags", "table", "said"),
    [
        ({}, {"leader": 2}, ["leader 2", "0, 1"]),
        ({}, {"first_leader": -1}, ["-1", "0, 1"]),
        ({}, {"scores": (1, 1)}, ["scores", "match"]),
        ({"match": 7}, {"scores": (7, 0)}, ["7", "below"]),
        ({"match": 7}, {"scores": (0, -1)}, ["-1"]),
    ],
)
def test_facts_that_no_table_has(
    flags: dict[str, Any], table: dict[str, Any], said: list[str]
) -> None:
    with pytest.raises(ValueError, match="snapszer") as raised:
        make(**flags).deal(np.arange(20), **table)
    for word in said:
        assert word in str(raised.value)


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        ([*range(19)], r"int\[20\].*\[19\]"),
        ([*range(19), 18], r"\[18\] are there twice"),
        ([*range(1, 21)], r"\[20\] are not in it"),
    ],
)
def test_a_bad_deck_is_named(deck: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make().deal(np.array(deck))


# Whole deals --------------------------------------------------------------------------------------


def play_deal(env: Snapszer, deck: list[int], choices: list[int]) -> list[Any]:
    """Return the states of a deal where choice `i` picks among the legal actions."""
    step, mask, _ = compiled(env)
    states = [env.deal(np.array(deck))]
    for choice in choices:
        if bool(states[-1].terminated):
            break
        legal = np.flatnonzero(mask(states[-1]))
        states.append(step(states[-1], int(legal[choice % len(legal)])))
    return states


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=25, deadline=None)
@given(
    deck=st.permutations(range(20)),
    choices=st.lists(st.integers(0, 10**6), min_size=22, max_size=22),
)
def test_cards_and_points_are_conserved(profile: str, deck: list[int], choices: list[int]) -> None:
    env = make(profile)
    _, _, look = compiled(env)
    states = play_deal(env, deck, choices)
    assert bool(states[-1].terminated)
    for state in states:
        facts, planes = jax.device_get(look(state))
        piles = [*facts["hands"], *facts["played"]]
        stock = sum(1 << int(card) for card in facts["stock"] if card >= 0)
        up = 1 << int(facts["turned_up"]) if facts["turned_up"] >= 0 else 0
        places = [*map(int, piles), stock, up]
        assert sum(places) == 2**20 - 1, "every card is in one place"
        assert sum(bin(place).count("1") for place in places) == 20
        grid = planes[..., : env.num_partition_planes].sum(axis=-1)
        assert grid.sum(axis=(1, 2)).tolist() == [20, 20]
        assert grid.max() == 1
        _check_points(env, facts)
    ends = np.abs(np.asarray(states[-1].rewards))
    assert ends[0] == ends[1] in (1, 2, 3)
    assert not any(np.asarray(state.rewards).any() for state in states[:-1])


def _check_points(env: Snapszer, facts: dict[str, Any]) -> None:
    laid = members(facts["played"][0] | facts["played"][1])
    on_table = {int(facts["table"])} - {NOBODY}
    captured = sum(POINTS[card % 5] for card in laid - on_table)
    married = sum(
        40 if suit == facts["trump"] else 20
        for seat in (0, 1)
        for suit in members(facts["marriages"][seat])
    )
    counted = facts["points"].sum() + facts["pending"].sum()
    assert captured <= counted == captured + married
    assert facts["tricks"].sum() * 2 + len(on_table) == len(laid)
    if env.rules.marriage_points == "at_once":
        assert not facts["pending"].any()


@settings(max_examples=15, deadline=None)
@given(
    deck=st.permutations(range(20)),
    other=st.permutations([*range(5, 10), *range(11, 20)]),
    choices=st.lists(st.integers(0, 10**6), min_size=3, max_size=3),
)
def test_cards_that_seat_0_cannot_see_do_not_reach_him(
    deck: list[int], other: list[int], choices: list[int]
) -> None:
    """The same deck but for the opponent's hand and the stock: his first moves look the same."""
    env = make()
    step, mask, look = compiled(env)
    hidden = list(deck)
    for place, source in zip([*range(5, 10), *range(11, 20)], other, strict=True):
        hidden[place] = deck[source]
    states = [env.deal(np.array(order)) for order in (deck, hidden)]
    for choice in choices:  # exchange, close, lead: until the opponent is to move
        if int(states[0].current_player) != 0:
            break
        legal = np.flatnonzero(mask(states[0]))
        action = int(legal[choice % len(legal)])
        states = [step(state, action) for state in states]
        for player_sees in (
            lambda s: env.observe(s, 0),
            lambda s: look(s)[1][0],
            lambda s: env.render(s, 0),
        ):
            one, same = map(player_sees, states)
            assert np.array_equal(one, same)


# Matches ------------------------------------------------------------------------------------------


def play_match(env: Snapszer, seed: int) -> list[Any]:
    step, mask, _ = compiled(env)
    rng = np.random.default_rng(seed)
    states = [env.init(jax.random.key(seed))]
    while not bool(states[-1].terminated):
        states.append(step(states[-1], int(rng.choice(np.flatnonzero(mask(states[-1]))))))
    return states


@pytest.mark.parametrize("first", [0, 1])
def test_a_match(first: int) -> None:
    env = make(match=5, first_leader=first)
    for seed in range(3):
        states = play_match(env, seed)
        assert len(states) - 1 <= env.max_steps
        scores, deal = np.zeros(2, int), 0
        for before, state in pairwise(states):
            paid = np.asarray(state.rewards)
            scores += np.maximum(paid, 0).astype(int)
            assert [int(score) for score in state.scores] == scores.tolist()
            over = scores.max() >= 5
            assert bool(state.terminated) == over
            ended = bool(paid.any())
            if ended and not over:
                deal += 1
                fresh: Any = env.deal(env.deck(jax.random.key(seed), deal))
                assert int(state.leader) == int(state.current_player) == (first + deal) % 2
                assert [int(hand) for hand in state.hands] == [int(hand) for hand in fresh.hands]
                assert [int(word) for word in state.stock] == [int(word) for word in fresh.stock]
                assert int(state.turned_up) == int(fresh.turned_up)
                assert not any(int(n) for n in (*state.points, *state.tricks, *state.known))
            assert int(state.deal_no) == deal
            np.testing.assert_array_equal(state.key, before.key)
        assert int(states[-1].current_player) == NOBODY


def test_a_match_takes_at_most_2n_minus_1_deals() -> None:
    """A match where the two take turns in winning one point reaches the bound of deals."""
    env = make(match=4)
    assert env.max_steps == (20 + 2) * 7
    assert make(match=4, closing=False).max_steps == 21 * 7
    assert make(nines=True).max_steps == 26
    deck, scores = np.arange(20), [0, 0]
    deals = 0
    step, _, _ = compiled(env)
    state: Any = env.deal(deck)
    while not bool(state.terminated):
        winner = deals % 2
        ended = _one_point_from_the_end(env, state, winner)
        state = step(ended, int(np.flatnonzero(compiled(env)[1](ended))[0]))
        scores[winner] += 1
        deals += 1
        assert [int(score) for score in state.scores] == scores
        assert float(state.rewards[winner]) == 1
    assert deals == 7


def _one_point_from_the_end(env: Snapszer, state: Any, winner: int) -> Any:
    """Put the deal one reply before its last trick, which `winner` takes for one game point."""
    held = [jnp.uint32(0), jnp.uint32(0)]
    held[winner] = jnp.uint32(1 << 15)
    return state.replace(
        hands=tuple(held),
        stock_left=jnp.int8(0),
        table=jnp.int8(17),
        leader=jnp.int8(1 - winner),
        current_player=jnp.int32(winner),
        points=(jnp.int32(50), jnp.int32(50)),
        tricks=(jnp.int8(4), jnp.int8(5)),
    )


def test_later_deals_without_a_key_come_from_key_0() -> None:
    env = make(match=2)
    one, same = env.deal(np.arange(20)), env.deal(np.arange(20), key=jax.random.key(0))
    jax.tree.map(np.testing.assert_array_equal, one, same)
    other: Any = env.deal(np.arange(20), key=jax.random.key(1))
    assert not np.array_equal(other.key, one.key)


# Looking ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nines", [False, True])
@pytest.mark.parametrize("match", [0, 7])
@pytest.mark.parametrize("layout", ["full", "compact"])
def test_the_layout_tiles_the_observation(nines: bool, match: int, layout: str) -> None:
    env = make(nines=nines, match=match, observation=layout)
    stop, size = 0, 24 if nines else 20
    for name, each in env.observation_layout().items():
        assert each.start == stop, name
        stop = each.stop
    assert (stop,) == env.observation_shape
    compact = 3 * size + 20
    assert stop == (compact if layout == "compact" else compact + 4 * size + 10 + 2 * (match > 0))
    entries = env.observation_layout()
    assert entries["to_move"].start == 3 * size + 12
    assert entries["trump"] == slice(3 * size, 3 * size + 4)


def test_match_scores_are_seen() -> None:
    env = make(match=7)
    state = env.deal(np.arange(20), scores=(6, 3))
    assert np.asarray(env.observe(state, 0))[-2:].tolist() == pytest.approx([6 / 7, 3 / 7])
    assert np.asarray(env.observe(state, 1))[-2:].tolist() == pytest.approx([3 / 7, 6 / 7])


def test_the_table_hides_hand_and_stock() -> None:
    env = make()
    state = env.deal(np.arange(20))
    seen, whole = env.render(state, 0), env.render(state)
    sizes = env.sizes
    for card in range(20):
        name = sizes.name(card)
        assert name in whole
        assert (name in seen.split()) == (card < 5 or card == 10), name
    assert "9 cards" in seen


def test_a_card_taken_by_exchange_stays_known_until_it_is_played() -> None:
    env = make()
    step, _, _ = compiled(env)
    deck = [14, 0, 1, 2, 3, *range(5, 10), 10, 4, *range(11, 14), *range(15, 20)]
    state = step(env.deal(np.array(deck)), env.sizes.exchange)
    assert members(state.known[0]) == {10}
    assert int(state.turned_up) == 14
    assert "AD" in env.render(state, 1).split()
    state = step(step(step(state, 10), 5), 0)
    assert not members(state.known[0])


@pytest.mark.parametrize("profile", PROFILES)
def test_action_names(profile: str) -> None:
    env = make(profile)
    names = [env.action_name(action) for action in range(env.num_actions)]
    assert names[:22] == [
        *(rank + suit for suit in "SHDC" for rank in "ATKQJ"),
        "exchange",
        "close",
    ]
    declared = [f"declare {rank}{suit}" for suit in "SHDC" for rank in "KQ"]
    assert names[22:] == (declared if profile == "vu" else [])
    with pytest.raises(ValueError, match=f"no action {env.num_actions}"):
        env.action_name(env.num_actions)


def test_deal_mt19937_runs_compiled_and_batched() -> None:
    for nines, size in ((False, 20), (True, 24)):
        env = make(nines=nines)
        decks = jax.jit(jax.vmap(env.deal_mt19937))(jnp.arange(5, dtype=jnp.uint32))
        assert decks.shape == (5, size)
        state = env.deal(decks[3])
        assert members(state.hands[0]) == set(np.asarray(decks[3][: size // 4]).tolist())
