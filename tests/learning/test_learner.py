"""PPO-LSTM: what must hold whatever is learned (field cases F01, F02)."""

from typing import Any

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.network import NetworkPolicy
from talonax.agents.ppo_lstm import learner as learning
from talonax.agents.ppo_lstm.experience import Opponent, Players, play_on, sit_down
from talonax.agents.ppo_lstm.learner import learner, start, update, updates
from talonax.agents.ppo_lstm.loss import replay
from talonax.configs.train.schema import PPOSettings

SMALL: dict[str, Any] = {
    "envs": 16,
    "steps": 32,
    "chunk": 16,
    "minibatches": 2,
    "updates_per_call": 1,
    "trunk": (32,),
    "lstm": 16,
}


@pytest.fixture(scope="module")
def played():
    """A rollout of Snapszer, games ending in it, and what replays it."""
    env, policy = talonax.make("snapszer"), NetworkPolicy((32,), 16)
    params = policy.init_params(env, jax.random.key(0))

    players = Players(env, policy, params)

    @jax.jit
    def play(key):
        return play_on(players, sit_down(players, key, 16), key, steps=32, chunk=16)

    return players, *play(jax.random.key(1))


@pytest.mark.slow
def test_f01_what_is_replayed_is_what_was_played(played):
    players, _, decisions, starts = played
    env, policy, params = players.env, players.policy, players.params
    assert int(decisions.done.sum()) > 16
    again = jax.jit(lambda part, carries: replay(env, policy, params, part, carries))
    for chunk in range(2):
        part = jax.tree.map(lambda leaf, at=chunk: leaf[16 * at : 16 * at + 16], decisions)
        carries = jax.tree.map(lambda leaf, at=chunk: leaf[at], starts)
        log_probs, values = again(part, carries)
        ratio = np.exp(np.asarray(log_probs) - np.asarray(part.log_probs))
        legal = np.asarray(part.log_probs) > -1e8
        assert np.abs(ratio - 1)[legal].max() < 1e-5
        np.testing.assert_allclose(values, part.value, atol=1e-5)


@pytest.fixture(scope="module")
def step_by_step(played):
    """Who plays on in Snapszer, and each step of it: the table after it, which games it ended."""
    one = played[0]
    others = tuple(
        Opponent(one.policy, jax.tree.map(lambda leaf, by=by: by * leaf, one.params), first, last)
        for by, first, last in ((2.0, 0, 4), (3.0, 4, 8))
    )
    magnet = jax.tree.map(lambda leaf: 4.0 * leaf, one.params)
    players = one._replace(magnet=magnet, opponents=others)
    step = jax.jit(lambda at, key: play_on(players, at, key, steps=1, chunk=1)[:2])
    table, after = sit_down(players, jax.random.key(6), 16), []
    for number in range(32):
        table, decisions = step(table, jax.random.key(100 + number))
        after.append((table, np.asarray(decisions.done[0])))
    return players, after


@pytest.mark.slow
def test_f02_right_after_a_game_all_that_is_remembered_is_as_at_the_start(step_by_step):
    """That of the learner, of the magnet and of each opponent, in every seat."""
    players, after = step_by_step
    start = sit_down(players, jax.random.key(6), 16)
    held = {"learner": (0, 16), "magnet": (0, 16), "opponent 0": (0, 4), "opponent 1": (4, 8)}

    def remembered(table):
        return dict(zip(held, (table.carries, table.magnet, *table.opponents), strict=True))

    for who, (first, last) in held.items():
        ended, kept = 0, 0
        for table, done in after:
            over = done[first:last]
            ended += over.sum()
            leaves = zip(remembered(table)[who], remembered(start)[who], strict=True)
            for leaf, fresh in leaves:
                np.testing.assert_array_equal(leaf[over], fresh[over], err_msg=who)
                kept += (np.asarray(leaf)[~over] != 0).any(axis=(1, 2)).sum()
        assert ended > 2, who
        assert kept > 64, who  # there is a memory at all


@pytest.fixture(scope="module")
def second_games(played, length=8):
    """How second games begin: int32[length, n], their steps; int32[n], their places; the decisions;
    bool[length, n], those before a third game.
    """
    decisions = played[2]
    done = np.asarray(decisions.done)
    first = done.argmax(axis=0)
    here = np.flatnonzero(done.any(axis=0) & (first + length < len(done)) & (first + 1 >= length))
    assert len(here) > 4
    times = first[here] + 1 + np.arange(length)[:, None]
    second = jax.tree.map(lambda leaf: leaf[times, here], decisions)
    return times, here, second, np.cumsum(second.done, axis=0) - second.done == 0


def played_afresh(players, decisions, begun=0.0):
    """Return float32[T, N, A] log probabilities, float32[T, N] values of games from their deal on.

    Written out for a single game. Who sits there remembers nothing at first, or `begun`.
    """
    env, policy = players.env, players.policy
    fresh = [begun + jnp.zeros((env.num_players, policy.lstm))] * 2

    def step(carries, at):
        state, seat = at
        given = policy.see(env, state), env.legal_action_mask(state)
        own = tuple(leaf[seat] for leaf in carries)
        log_probs, value, own = policy.log_probs(players.params, env, *given, own)
        moved = [leaf.at[seat].set(new) for leaf, new in zip(carries, own, strict=True)]
        return moved, (log_probs, value)

    games = decisions.state, decisions.seat
    run = jax.vmap(lambda *game: jax.lax.scan(step, fresh, game)[1], in_axes=1, out_axes=1)
    return jax.jit(run)(*games)


@pytest.mark.slow
def test_f02_a_second_game_is_played_as_if_there_had_been_no_first(played, second_games):
    players, (_, _, second, still) = played[0], second_games
    log_probs, values = played_afresh(players, second)
    np.testing.assert_allclose(second.log_probs[still], log_probs[still], rtol=0, atol=1e-6)
    np.testing.assert_allclose(second.value[still], values[still], rtol=0, atol=1e-6)
    other = played_afresh(players, second, begun=1.0)[1]
    assert np.abs(second.value - other)[0].min() > 1e-3  # what is remembered matters


@pytest.mark.slow
def test_f02_a_second_game_is_replayed_as_if_there_had_been_no_first(played, second_games):
    """Two games whose second deal is identical but whose first differs."""
    players, _, decisions, _ = played
    times, places, second, still = second_games
    zeros = (jnp.zeros((len(places), players.env.num_players, players.policy.lstm)),) * 2

    @jax.jit
    def after(firsts):
        whole = jax.tree.map(lambda *parts: jnp.concatenate(parts), firsts, second)
        return replay(players.env, players.policy, players.params, whole, zeros)

    ends = jax.tree.map(lambda leaf: leaf[times - len(times), places], decisions)
    assert ends.done[-1].all()
    one = after(ends)
    other = after(jax.tree.map(lambda leaf: jnp.roll(leaf, 1, axis=1), ends))
    assert np.abs(one[1] - other[1])[7].min() > 1e-3  # other first games
    afresh = played_afresh(players, second)
    for here, there, alone in zip(one, other, afresh, strict=True):
        np.testing.assert_allclose(here[8:][still], there[8:][still], rtol=0, atol=1e-6)
        np.testing.assert_allclose(here[8:][still], alone[still], rtol=0, atol=1e-6)


@pytest.mark.slow
def test_the_first_gradient_step_starts_from_the_policy_that_played():
    made = learner(talonax.make("snapszer"), PPOSettings(**SMALL))
    _, told = jax.jit(lambda runner: update(made, runner))(start(made, jax.random.key(0)))
    assert float(told["ratio_error"]) < 1e-5
    assert 0 < float(told["masked"]) < 0.25


def test_f01_products_are_not_shortened_on_a_gpu():
    made = learner(talonax.make("kuhn_poker"), PPOSettings(**SMALL, privileged_critic=True))
    runner = jax.eval_shape(lambda: start(made, jax.random.key(0)))
    products = [
        equation
        for equation in _equations(jax.make_jaxpr(lambda at: update(made, at))(runner).jaxpr)
        if equation.primitive.name == "dot_general"
    ]
    assert len(products) > 10
    highest = (jax.lax.Precision.HIGHEST,) * 2
    assert {equation.params["precision"] for equation in products} == {highest}


def _equations(jaxpr):
    for equation in jaxpr.eqns:
        yield equation
        for inner in jax.extend.core.jaxprs_in_params(equation.params):
            yield from _equations(inner)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_parameters_and_another_another():
    made = learner(talonax.make("high_card_duel"), PPOSettings(**SMALL))
    step = updates(made)
    runs = [step(step(start(made, jax.random.key(seed)))[0])[0] for seed in (0, 0, 1)]
    one, two, other = (jax.tree.leaves(run.params) for run in runs)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(not np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.slow
def test_opponents_moves_are_not_learned_from():
    mix = {"self": 0.5, "greedy": 0.25, "league": 0.25}
    settings = PPOSettings(**SMALL, opponents=mix, league_size=2, kl_magnet=0.1)
    made = learner(talonax.make("snapszer"), settings)
    runner = start(made, jax.random.key(0))
    players = made.players(runner.params, runner.magnet, runner.league)
    assert [(each.first, each.last) for each in players.opponents] == [(0, 4), (4, 6), (6, 8)]
    run = jax.jit(lambda table: play_on(players, table, jax.random.key(2), 32, 16))
    table, decisions, _ = run(runner.table)
    learns, seat = np.asarray(decisions.learns), np.asarray(decisions.seat)
    np.testing.assert_array_equal(learns[:, 8:], True)
    np.testing.assert_array_equal(learns[:, :8], seat[:, :8] == np.arange(8) % 2)
    assert decisions.magnet is not None
    assert not jnp.isnan(decisions.magnet).any()
    assert len(table.opponents) == 3


@pytest.mark.parametrize(
    ("objective", "least", "most"), [("points", 1.15, 2.0), ("wins", 0.9, 1.1)]
)
def test_what_is_maximised_is_what_a_game_pays_or_its_sign(objective, least, most):
    """A deal of Kuhn poker pays 1 or 2: the deviation of the returns tells which is learned."""
    settings = PPOSettings(**SMALL, objective=objective, trace=1.0)
    made = learner(talonax.make("kuhn_poker"), settings)
    _, told = jax.jit(lambda runner: update(made, runner))(start(made, jax.random.key(0)))
    assert least < float(told["reward_unit"]) < most


def test_the_weight_of_the_entropy_falls_by_a_power_of_what_is_left():
    env = talonax.make("high_card_duel")
    how = {**SMALL, "total_steps": 100 * 16 * 32, "entropy": 0.1, "entropy_end": 0.02}
    line = learner(env, PPOSettings(**how)).entropy
    np.testing.assert_allclose([line(n) for n in (0, 50, 100, 150)], [0.1, 0.06, 0.02, 0.02])
    curve = learner(env, PPOSettings(**how, entropy_power=3)).entropy
    np.testing.assert_allclose([curve(n) for n in (0, 50, 100)], [0.1, 0.03, 0.02])


def test_an_update_weighs_the_entropy_as_it_stands_by_then():
    """Halfway, a curve steep enough has reached its end: as if the weight had always been that."""
    env, how = talonax.make("kuhn_poker"), {**SMALL, "total_steps": 100 * 16 * 32}
    how |= {"entropy": 50.0, "entropy_end": 0.01}

    def halfway(**changes):
        made = learner(env, PPOSettings(**how | changes))
        runner = start(made, jax.random.key(0))._replace(update=jnp.int32(50))
        learned, _ = jax.jit(lambda runner: update(made, runner))(runner)
        return np.concatenate([leaf.ravel() for leaf in jax.tree.leaves(learned.params)])

    ended = halfway(entropy=0.01)
    np.testing.assert_array_equal(halfway(entropy_power=1e3), ended)
    assert np.abs(halfway() - ended).max() > 1e-4


def test_of_a_call_means_are_told_and_the_largest_ratio_error(monkeypatch):
    """Four updates that log 0, 1, 2, 3."""

    def counted(made, runner):
        number = runner.update.astype(jnp.float32)
        return runner._replace(update=runner.update + 1), {"kl": number, "ratio_error": number}

    monkeypatch.setattr(learning, "update", counted)
    settings = PPOSettings(**SMALL | {"updates_per_call": 4})
    made = learner(talonax.make("high_card_duel"), settings)
    _, told = updates(made)(start(made, jax.random.key(0)))
    assert told == {"kl": 1.5, "ratio_error": 3}
