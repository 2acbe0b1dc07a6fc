"""High Card Duel on the env: recorded episodes, the field cases H.., and chance."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.envs import planes
from talonax.envs.core import Env
from talonax.envs.high_card_duel import rules


@cache
def make(jokers: bool) -> Env[Any]:
    return talonax.make("high_card_duel", include_jokers=jokers)


@cache
def compiled(env: Env[Any]) -> tuple[Any, Any]:
    return jax.jit(jax.vmap(env.deal)), jax.jit(jax.vmap(env.step))


def deck_of(env: Env[Any], first: int, second: int) -> list[int]:
    return [first, second, *(card for card in env.deck_cards if card not in (first, second))]


def play(env: Env[Any], hands: list[Any]) -> list[Any]:
    """Return the states of the games with these two cards: dealt, after one and after two steps."""
    deal, step = compiled(env)
    states = [deal(jnp.array([deck_of(env, *pair) for pair in hands]))]
    for _ in range(2):
        states.append(step(states[-1], jnp.zeros(len(hands), jnp.int32)))
    return [jax.device_get(state) for state in states]


def card(name: str) -> int:
    return planes.cell(name[-1], name[:-1])


@pytest.fixture(scope="module")
def recorded(shared: Path) -> list[Any]:
    with gzip.open(shared / "golden" / "high_card_duel_seed.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(("variant", "jokers"), [("m02_56", True), ("head52", False)])
def test_recorded_episodes(recorded: list[Any], variant: str, jokers: bool) -> None:
    env = make(jokers)
    episodes = [r for r in recorded if r["type"] == "episode" and r["variant"] == variant]
    assert len(episodes) > 100
    states = play(env, [episode["hands"] for episode in episodes])
    for i, episode in enumerate(episodes):
        assert episode["moves"] == [[0, "reveal"]] * 2
        for step, state in enumerate(states):
            assert int(state.current_player[i]) == episode["players"][step]
            assert bool(state.terminated[i]) == episode["terminal"][step]
            assert state.revealed[i].tolist() == episode["revealed"][step]
            assert state.hands[i].tolist() == episode["hands"]
            paid = episode["rewards"] if step == 2 else [0.0, 0.0]
            assert state.rewards[i].tolist() == paid
    assert any(episode["rewards"] == [0.0, 0.0] for episode in episodes)


@pytest.mark.parametrize(("variant", "jokers"), [("m02_56", True), ("head52", False)])
def test_recorded_planes(recorded: list[Any], variant: str, jokers: bool) -> None:
    """`head52` was recorded with the Jokers in `unseen`, by fault: they are in no deck there."""
    env = make(jokers)
    episodes = [
        r
        for r in recorded
        if r["type"] == "episode" and r["variant"] == variant and r.get("tensors")
    ]
    states = play(env, [episode["hands"] for episode in episodes])
    see = jax.jit(jax.vmap(env.card_tensor, in_axes=(0, None)))
    tensors = [[np.asarray(see(state, player)) for player in (0, 1)] for state in states]
    looked = 0
    for i, episode in enumerate(episodes):
        for tensor in episode["tensors"]:
            found = tensors[tensor["state"]][tensor["player"]][i]
            assert list(found.shape) == tensor["shape"]
            assert list(env.plane_names) == tensor["planes"]
            for index, name in enumerate(tensor["planes"]):
                wanted = np.array([int(d) for d in f"{int(tensor['flat_hex'][name], 16):056b}"])
                if not jokers:
                    wanted[planes.JOKER :: planes.RANKS] = 0
                np.testing.assert_array_equal(found[..., index].ravel(), wanted)
                looked += 1
    assert looked > 100


def test_recorded_values(recorded: list[Any]) -> None:
    """Only the order counts: Joker, ace, king .. two."""
    for record in recorded:
        if record["type"] == "enums":
            recorded_values = np.array([record["values"].get(str(i), 0) for i in range(56)])
            ours = np.asarray(rules.value(jnp.arange(56)))
            there = recorded_values > 0
            order = np.sign(recorded_values[there][:, None] - recorded_values[there][None])
            np.testing.assert_array_equal(np.sign(ours[there][:, None] - ours[there][None]), order)


def test_H01_equal_ranks_are_a_tie() -> None:
    deals = [("AS", "AH"), ("2C", "AD"), ("TD", "9S"), ("KH", "KC")]
    states = play(make(False), [[card(first), card(second)] for first, second in deals])
    assert states[-1].rewards.tolist() == [[0, 0], [-1, 1], [1, -1], [0, 0]]
    assert states[-1].terminated.all()
    jokers = play(make(True), [[card("JOS"), card("AS")], [card("JOS"), card("JOC")]])
    assert jokers[-1].rewards.tolist() == [[1, -1], [0, 0]]


@pytest.mark.parametrize("jokers", [0, 4])
def test_H02_the_rates_of_winning_and_of_ties(jokers: int) -> None:
    """The case has two Jokers; here there are four or none, whose exact rates follow likewise."""
    env = make(jokers > 0)
    deck = [card for card in env.deck_cards]
    ranks = [card % planes.RANKS for card in deck]
    pairs = len(deck) * (len(deck) - 1)
    tie = sum(ranks.count(rank) - 1 for rank in ranks) / pairs
    if not jokers:
        assert tie == pytest.approx(0.058823529)
    keys = jax.random.split(jax.random.key(0), 40_000)
    states = jax.jit(jax.vmap(env.init))(keys)
    for _ in range(2):
        states = compiled(env)[1](states, jnp.zeros(len(keys), jnp.int32))
    first = np.asarray(states.rewards[:, 0])
    for outcome, rate in [(0, tie), (1, (1 - tie) / 2), (-1, (1 - tie) / 2)]:
        spread = (rate * (1 - rate) / len(keys)) ** 0.5
        assert abs((first == outcome).mean() - rate) < 4 * spread, outcome


def test_H03_forced_reveals_show_one_card_at_a_time() -> None:
    env = make(False)
    seven, queen = card("7D"), card("QS")
    states = play(env, [[seven, queen]])
    see = jax.jit(env.observe)
    sees: dict[int, list[set[int]]] = {0: [], 1: []}
    for state in states:
        one = jax.tree.map(lambda leaf: leaf[0], state)
        assert int(np.asarray(env.legal_action_mask(one)).sum()) == 1
        for player in (0, 1):
            own_and_other = np.asarray(see(one, player))[..., :2].reshape(-1, 2)
            sees[player].append(set(np.flatnonzero(own_and_other.any(axis=1)).tolist()))
    assert [int(state.current_player[0]) for state in states] == [0, 1, -1]
    assert sees[0] == [{seven}, {seven}, {seven, queen}]
    assert sees[1] == [{queen}, {queen, seven}, {queen, seven}]


def test_every_shared_case_is_tested(shared: Path) -> None:
    cases = json.loads((shared / "cases" / "rule_cases.json").read_text())
    ids = {case["id"] for case in cases if case["id"].startswith("H")}
    assert ids == {name.split("_")[1] for name in globals() if name.startswith("test_H")}


def test_the_table_hides_what_is_not_revealed() -> None:
    env = make(True)
    state = env.deal(np.array(deck_of(env, card("7D"), card("QS"))))
    assert "QS" not in env.render(state, 0)
    assert "7D" in env.render(state, 0)
    assert {"7D", "QS"} <= set(env.render(state).split())
    after = env.step(state, 0)
    assert "7D" in env.render(after, 1)
    assert "over" in env.render(env.step(after, 0), 0)


def test_redeal_gives_any_card_but_what_is_seen() -> None:
    env = make(True)
    state = env.deal(np.array(deck_of(env, 20, 3)))
    keys = jax.random.split(jax.random.key(0), 20_000)
    redeal = jax.jit(jax.vmap(env.redeal, in_axes=(None, None, 0)))
    drawn = np.asarray(redeal(state, 0, keys).hands)
    assert (drawn[:, 0] == 20).all()
    counts = np.bincount(drawn[:, 1], minlength=56)
    assert counts[20] == 0
    share = np.delete(counts, 20) / len(keys)
    assert np.abs(share - 1 / 55).max() < 5 * (1 / 55 * 54 / 55 / len(keys)) ** 0.5
    revealed = env.step(state, 0)
    assert (np.asarray(redeal(revealed, 1, keys).hands)[:, 0] == 20).all()
    assert len(set(np.asarray(redeal(revealed, 0, keys).hands)[:, 1].tolist())) == 55
