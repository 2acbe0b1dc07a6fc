"""`as_pgx`: random play, auto-reset, an mctx search; the seats and agents apart."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax

pytestmark = pytest.mark.slow

pgx = pytest.importorskip("pgx")
mctx = pytest.importorskip("mctx")
from pgx.experimental import auto_reset  # noqa: E402

from talonax.envs.adapters.pgx import as_pgx  # noqa: E402

BATCH = 64
GAMES = [
    ("snapszer", {}),
    ("snapszer", {"profile": "vu", "match": 2}),
    ("high_card_duel", {}),
    ("tysiac", {"hands": 1}),
]


def choose(key, mask):
    return jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf))


@pytest.fixture(scope="module", params=GAMES, ids=str)
def env(request):
    game, flags = request.param
    return as_pgx(talonax.make(game, **flags))


def test_it_is_a_pgx_env(env):
    state = env.init(jax.random.PRNGKey(0))
    assert isinstance(env, pgx.Env)
    assert isinstance(state, pgx.State)
    assert state.legal_action_mask.shape == (env.num_actions,)
    assert state.observation.shape == env.observation_shape
    assert env == as_pgx(env.env)
    assert hash(env) == hash(as_pgx(env.env))
    assert state.env_id == env.id


def test_random_play_ends_with_the_rewards_of_the_game_by_agent(env):
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), BATCH))
    step = jax.jit(jax.vmap(env.step))
    seen_first = set(np.asarray(state.current_player).tolist())
    total = np.zeros((BATCH, env.num_players))
    actor = np.asarray(state.current_player)
    for i in range(env.env.max_steps):
        keys = jax.random.split(jax.random.fold_in(jax.random.key(2), i), BATCH)
        action = jax.vmap(choose)(keys, state.legal_action_mask)
        live = ~np.asarray(state.terminated)
        actor = np.where(live, np.asarray(state.current_player), actor)
        state = step(state, action, keys)
        total += np.asarray(state.rewards)
        by_seat = np.take_along_axis(
            np.asarray(state.game.rewards), np.asarray(state.seats), axis=1
        )
        np.testing.assert_array_equal(np.asarray(state.rewards), by_seat)
    assert np.asarray(state.terminated).all()
    assert np.asarray(state.legal_action_mask).all()
    np.testing.assert_array_equal(np.asarray(state.current_player), actor)
    np.testing.assert_allclose(total.sum(axis=1), 0)
    assert seen_first == {0, 1}, "the permutation should seat either agent first"


def test_the_observation_is_that_of_the_seat_to_act(env):
    state = env.init(jax.random.key(3))
    seat = state.game.current_player
    assert int(state.seats[state.current_player]) == int(seat)
    np.testing.assert_array_equal(state.observation, env.env.observe(state.game, seat))


def test_an_illegal_action_costs_its_actor_max_loss(env):
    state = env.init(jax.random.key(4))
    agent = int(state.current_player)
    state = jax.jit(env.step)(state, env.num_actions + 3)
    assert bool(state.terminated)
    assert float(state.rewards[agent]) == -env.env.max_loss
    assert float(state.rewards.sum()) == 0.0


def test_auto_reset_deals_anew(env):
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(5), BATCH))
    ended = np.zeros(BATCH, int)
    for i in range(3 * env.env.max_steps):
        keys = jax.random.split(jax.random.fold_in(jax.random.key(6), i), BATCH)
        action = jax.vmap(choose)(keys, state.legal_action_mask)
        state = step(state, action, keys)
        over = np.asarray(state.terminated)
        ended += over
        assert not np.asarray(state.game.finished)[over].any(), "a fresh deal follows at once"
        paid = np.abs(np.asarray(state.rewards)).sum(axis=1) > 0
        if env.id == "snapszer":
            assert paid[over].all()
    assert (ended >= 2).all()


def search(env, simulations, key, state):
    """Run a Gumbel MuZero search with the game as its model, on lean states."""

    def recurrent(_, key, action, game):
        after = jax.vmap(env.step)(game, action)
        actor = game.current_player
        reward = jnp.take_along_axis(after.rewards, actor[:, None], axis=1)[:, 0]
        same = after.current_player == actor
        discount = jnp.where(after.finished, 0.0, jnp.where(same, 1.0, -1.0))
        mask = jax.vmap(env.legal_action_mask)(after)
        out = mctx.RecurrentFnOutput(
            reward=jnp.where(game.finished, 0.0, reward),
            discount=discount,
            prior_logits=jnp.where(mask, 0.0, -1e9),
            value=jnp.zeros_like(reward),
        )
        return out, after

    mask = jax.vmap(env.legal_action_mask)(state)
    root = mctx.RootFnOutput(
        prior_logits=jnp.where(mask, 0.0, -1e9),
        value=jnp.zeros(mask.shape[0]),
        embedding=state,
    )
    return mctx.gumbel_muzero_policy(
        None, key, root, recurrent, simulations, invalid_actions=~mask, max_depth=16
    )


def test_an_mctx_search_wins_a_won_deal_at_once():
    """With 66 in reach of a marriage, the search leads it; lean states are the embeddings."""
    env = talonax.make("snapszer")
    # Player 0 holds KS QS of trumps; 40 points at once after 26 in two tricks
    ace_h, ten_h, ten_d, jack_d = 5, 6, 11, 14
    king_s, queen_s, ace_c = 2, 3, 15
    deck = [king_s, queen_s, ace_h, ace_c, jack_d, ten_h, 8, 9, ten_d, 13]
    deck += [4] + [card for card in range(20) if card not in (*deck, 4)]
    state = env.deal(jnp.array(deck))
    step = jax.jit(env.step)
    state = step(step(state, ace_h), ten_h)  # 21 points
    assert int(state.points[0]) == 21
    state = state.replace(points=(jnp.int32(30), state.points[1]))
    batch = jax.tree.map(lambda leaf: jnp.repeat(leaf[None], 8, axis=0), state)
    out = jax.jit(partial(search, env, 64))(jax.random.key(0), batch)
    assert set(np.asarray(out.action).tolist()) <= {king_s, queen_s}


def test_the_picture_shows_the_table(tmp_path):
    env = as_pgx(talonax.make("snapszer"))
    state = env.init(jax.random.key(0))
    svg = state.to_svg(color_theme="dark", scale=2.0)
    assert svg.startswith("<svg")
    assert "player 0" in svg
    batch = jax.vmap(env.init)(jax.random.split(jax.random.key(0), 3))
    assert batch.to_svg().count("Snapszer") == 3
    state.save_svg(str(tmp_path / "table.svg"))
    assert (tmp_path / "table.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match=r"must end in \.svg"):
        state.save_svg(str(tmp_path / "table.png"))
    with pytest.raises(ValueError, match="there are: light, dark"):
        state.to_svg(color_theme="pink")
