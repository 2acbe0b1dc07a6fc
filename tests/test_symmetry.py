"""Suits renamed: the tables of each game, canonical names, and networks that use them."""

import itertools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents import saved
from talonax.agents.network import NetworkPolicy
from talonax.agents.ppo_lstm.learner import learner
from talonax.configs.train.schema import PPOSettings
from talonax.envs import symmetry
from talonax.envs.checks.renaming import check_renaming
from talonax.envs.checks.trial import ContractError, Trial
from talonax.envs.snapszer.env import Snapszer

pytestmark = pytest.mark.slow

ORDERS = jnp.array(list(itertools.permutations(range(symmetry.SUITS))), jnp.int32)


def test_an_order_names_suits_anew() -> None:
    table = np.array([[1, 5], [2, 6], [3, 7], [4, 8]])  # entries 0 and 9 are of no suit
    entries, order = jnp.arange(10) * 10, jnp.array([2, 0, 3, 1])
    named = symmetry.renamed(table, entries, order)
    assert named.tolist() == [0, 30, 10, 40, 20, 70, 50, 80, 60, 90]
    assert symmetry.named_back(table, named, order).tolist() == entries.tolist()
    numbers = symmetry.renamed_numbers(table, 10, order)
    assert numbers.tolist() == [0, 2, 4, 1, 3, 6, 8, 5, 7, 9]
    assert named[numbers].tolist() == entries.tolist()


def test_where_nothing_is_of_a_suit_nothing_is_renamed() -> None:
    entries = jnp.arange(5)
    assert symmetry.renamed(symmetry.NOTHING, entries, ORDERS[7]) is entries


def test_the_trump_suit_comes_first_then_what_is_held() -> None:
    env = talonax.make("snapszer")
    names = [env.action_name(card) for card in range(20)]
    spades, hearts, diamonds, clubs = range(symmetry.SUITS)
    for hand, plain in (
        ("AH TH AD KC QC", [diamonds, clubs, spades]),
        ("AC TC AD KH QH", [clubs, diamonds, spades]),
    ):
        numbers = [names.index(name) for name in hand.split()]
        deck = numbers + [card for card in range(20) if card not in numbers]
        assert names[deck[10]].endswith("H")  # what is turned up
        seen = env.observe(env.deal(deck), 0)
        order = symmetry.canonical_order(env.suit_symmetry(), seen)
        assert order.tolist() == [hearts, *plain]


@pytest.mark.parametrize("flags", [{}, {"nines": True, "marriage_declare": "optional"}])
def test_a_network_plays_alike_whatever_the_suits_are_called(flags: dict[str, Any]) -> None:
    env, policy = talonax.make("snapszer", **flags), NetworkPolicy((16,), 8)
    params = policy.init_params(env, jax.random.key(1))
    params = jax.tree.map(
        lambda leaf: leaf + 0.1 * jnp.sin(jnp.arange(leaf.size)).reshape(leaf.shape), params
    )  # the head starts out near 0: no action would differ from another
    table = env.suit_symmetry()

    def odds(deck: Any) -> Any:
        state = env.step(env.deal(deck), deck[0])
        mask, view = env.legal_action_mask(state), policy.see(env, state)
        return policy.probabilities(params, env, view, mask, policy.init(env))[0]

    deck = env.deck(jax.random.key(3), 0)
    plain = jax.jit(odds)(deck)
    assert float(plain.max() - plain[plain > 0].min()) > 1e-3
    for order in ORDERS:
        numbers = symmetry.renamed_numbers(table.cards, len(env.deck_cards), order)
        wanted = symmetry.renamed(table.actions[0], plain, order)
        np.testing.assert_allclose(jax.jit(odds)(numbers[deck]), wanted, atol=1e-6)


@pytest.mark.parametrize("moves", [0, 4])
def test_bids_are_of_no_suit(moves: int) -> None:
    """In Blob an id is a bid, then a card: only cards change their names."""
    env, policy = talonax.make("blob"), NetworkPolicy((16,), 8)
    params = jax.tree.map(lambda leaf: leaf + 0.1, policy.init_params(env, jax.random.key(1)))
    table = env.suit_symmetry()

    def logits(deck: Any) -> Any:
        state = env.deal(deck)
        for _ in range(moves):
            state = env.step(state, 1)  # a bid
        return policy.apply(params, env, policy.init(env), policy.see(env, state))[1]

    deck = env.deck(jax.random.key(3), 0)
    plain, order = jax.jit(logits)(deck), jnp.array([0, 2, 3, 1])  # spades are trumps in round 0
    numbers = symmetry.renamed_numbers(table.cards, len(env.deck_cards), order)
    wanted = symmetry.renamed(table.actions[min(moves, 1)], plain, order)
    np.testing.assert_allclose(jax.jit(logits)(numbers[deck]), wanted, atol=1e-5)
    cards = symmetry.renamed(table.cards, plain, order)
    assert (float(abs(cards - wanted).max()) > 1e-3) == (moves == 0)


def test_the_privileged_critic_judges_alike_whatever_the_suits_are_called() -> None:
    env, policy = talonax.make("snapszer"), NetworkPolicy((16,), 8, critic=(16,))
    params, table = policy.init_params(env, jax.random.key(1)), env.suit_symmetry()

    def value(policy: NetworkPolicy, deck: Any) -> float:
        return float(policy.learned_value(params, env, env.deal(deck), jnp.float32(0)))

    deck = env.deck(jax.random.key(3), 0)
    other = symmetry.renamed_numbers(table.cards, 20, ORDERS[9])[deck]
    assert value(policy, deck) == pytest.approx(value(policy, other), abs=1e-5)
    plainly = replace(policy, rename_suits=False)
    assert value(plainly, deck) != pytest.approx(value(plainly, other), abs=1e-4)


@pytest.mark.parametrize("rename", [True, False])
def test_whether_suits_are_renamed_is_set_and_kept_in_a_file(rename: bool, tmp_path: Path) -> None:
    env = talonax.make("snapszer")
    settings = PPOSettings(trunk=(8,), lstm=4, rename_suits=rename)
    policy = learner(env, settings).policy
    assert policy.rename_suits == rename
    params = policy.init_params(env, jax.random.key(0))
    saved.save(tmp_path / "policy.npz", policy, params, {"game": env.id})
    assert saved.load(tmp_path / "policy.npz", env).policy == policy


def test_the_same_network_without_new_names_does_not() -> None:
    env, policy = talonax.make("snapszer"), NetworkPolicy((16,), 8, rename_suits=False)
    params = policy.init_params(env, jax.random.key(1))
    deck, table = env.deck(jax.random.key(3), 0), env.suit_symmetry()
    values = [
        policy.apply(params, env, policy.init(env), policy.see(env, env.deal(numbers[deck])))[2]
        for numbers in (symmetry.renamed_numbers(table.cards, 20, order) for order in ORDERS[:2])
    ]
    assert float(abs(values[0] - values[1])) > 1e-4


def test_games_whose_suits_differ_have_no_table() -> None:
    for game in ("tysiac", "bezique", "high_card_duel", "kuhn_poker", "leduc_poker"):
        env = talonax.make(game)
        assert env.suit_symmetry() is None
    assert NetworkPolicy().see(env, env.init(jax.random.key(0))).order is None


def test_an_entry_that_moves_with_the_wrong_suit_is_found() -> None:
    @dataclass(frozen=True)
    class Swapped(Snapszer):
        def suit_symmetry(self) -> symmetry.SuitSymmetry:
            table = super().suit_symmetry()
            wrong = table.observation.copy()
            wrong[[0, 1], 0] = wrong[[1, 0], 0]
            return table._replace(observation=wrong)

    @dataclass(frozen=True)
    class Fixed(Snapszer):
        def suit_symmetry(self) -> symmetry.SuitSymmetry:
            return super().suit_symmetry()._replace(actions=(symmetry.NOTHING,))

    rules = talonax.make("snapszer").rules
    with pytest.raises(ContractError, match="the same is seen"):
        check_renaming(Trial(Swapped(rules=rules), 16))
    with pytest.raises(ContractError, match=r"the same is (seen|legal)"):
        check_renaming(Trial(Fixed(rules=rules), 16))
    check_renaming(Trial(replace(talonax.make("snapszer"), observation="compact"), 16))
