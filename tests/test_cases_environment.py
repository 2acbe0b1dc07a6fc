"""The field cases of environments (group E of the shared cases) on our games, each by its id."""

import json
import os
import pickle
import re
import subprocess
import sys
import warnings
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.policy import Random
from talonax.configs.games import get
from talonax.envs import cards, serialize, wrappers
from talonax.envs.core import NOBODY, Env
from talonax.envs.tricks import NO_SUIT, Pack
from talonax.envs.wrappers import AutoReset
from talonax.parity import lockstep

#: Cases that no game of the suite can try yet.
OUT_OF_SCOPE: dict[str, str] = {}
GAMES = ("high_card_duel", "snapszer", "tysiac")
VARIANTS = [
    ("high_card_duel", {}),
    ("high_card_duel", {"include_jokers": False}),
    ("snapszer", {"profile": "hungarian"}),
    ("snapszer", {"profile": "austrian", "match": 3}),
    ("snapszer", {"profile": "vu", "nines": True}),
]
BATCH = 64
STEPS = 32


@cache
def make(game: str, **flags: Any) -> Env[Any]:
    return talonax.make(game, **flags)


@pytest.fixture(params=[VARIANTS[0], VARIANTS[2]], ids=str)
def default(request: pytest.FixtureRequest) -> Env[Any]:
    """For what takes long to compile and hardly depends on the rules."""
    game, flags = request.param
    return make(game, **flags)


@pytest.fixture(params=VARIANTS, ids=str)
def env(request: pytest.FixtureRequest) -> Env[Any]:
    game, flags = request.param
    return make(game, **flags)


@cache
def functions(env: Env[Any]) -> dict[str, Any]:
    """Batched and jitted functions of an env, each compiled once for all tests."""
    return {
        "init": jax.jit(jax.vmap(env.init)),
        "step": jax.jit(jax.vmap(env.step)),
        "mask": jax.jit(jax.vmap(env.legal_action_mask)),
        "see": jax.jit(jax.vmap(lambda s: jnp.stack([env.observe(s, p) for p in (0, 1)]))),
        "redeal": jax.jit(jax.vmap(env.redeal)),
        "phase": jax.jit(jax.vmap(env.phase)),
        "single": jax.jit(env.step),
    }


def keys(number: int, seed: int = 0) -> jax.Array:
    return jax.random.split(jax.random.key(seed), number)


@cache
def trace(env: Env[Any], batch: int = BATCH, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Return random games: states, leaves [T + 1, B, ..], and actions [T, B]; all end."""

    def step(states: Any, key: jax.Array) -> Any:
        bits = jax.random.bits(key, (batch,), jnp.uint32)
        actions = jax.vmap(cards.draw_one)(jax.vmap(env.legal_set)(states), bits)
        return jax.vmap(env.step)(states, actions), (states, actions)

    play = jax.jit(lambda states, key: jax.lax.scan(step, states, jax.random.split(key, STEPS)))
    states, pieces = functions(env)["init"](keys(batch, seed)), []
    while not states.finished.all():
        key = jax.random.fold_in(jax.random.key(seed), len(pieces))
        states, piece = play(states, key)
        pieces.append(jax.device_get(piece))
    before, actions = jax.tree.map(lambda *each: np.concatenate(each), *pieces)
    end = jax.device_get(states)
    return jax.tree.map(lambda all_, last: np.append(all_, last[None], 0), before, end), actions


def same(a: Any, b: Any) -> bool:
    return all(
        x.dtype == y.dtype and np.array_equal(x, y)
        for x, y in zip(
            map(np.asarray, jax.tree.leaves(a)), map(np.asarray, jax.tree.leaves(b)), strict=True
        )
    )


def at(states: Any, *place: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[place], states)


# What a player may know ---------------------------------------------------------------------------


def test_E01_hidden_cards_do_not_reach_observation_or_mask(default: Env[Any]) -> None:
    env = default
    states, _ = trace(env)
    length = states.terminated.shape[0]
    for step in range(0, length, max(1, length // 9)):
        _check_hides(env, at(states, step), seed=step)


def _check_hides(env: Env[Any], now: Any, seed: int) -> None:
    call = functions(env)
    batch = now.terminated.shape[0]
    for player in (0, 1):
        seats = np.full(batch, player, np.int32)
        other = call["redeal"](now, seats, keys(batch, seed + 100))
        assert np.array_equal(call["see"](other)[:, player], call["see"](now)[:, player])
        own = (np.asarray(now.current_player) == player) | np.asarray(now.finished)
        masks = np.asarray(call["mask"](other)) == np.asarray(call["mask"](now))
        assert (masks.all(axis=1) | ~own).all()


def test_E02_hidden_cards_stay_hidden_where_the_phase_changes() -> None:
    env = make("snapszer", profile="hungarian")
    states, _ = trace(env)
    strict = (states.closed_by >= 0) | (states.stock_left == 0)
    changes = [
        ~strict[:-1] & strict[1:] & (states.closed_by[1:] >= 0),
        ~strict[:-1] & strict[1:] & (states.closed_by[1:] < 0),
        (states.exchanged[:-1] < 0) & (states.exchanged[1:] >= 0),
        ~states.terminated[:-1] & states.terminated[1:],
        (states.marriages[0] + states.marriages[1])[:-1]
        != (states.marriages[0] + states.marriages[1])[1:],
    ]
    for change in changes:
        step, game = np.argwhere(change).T
        assert len(step) > 1
        chosen = np.resize(np.stack([step + 1, game], 1), (BATCH, 2)).T
        _check_hides(env, at(states, *chosen), seed=int(step[0]))
    taken = np.argwhere(changes[2])
    for step, game in taken:
        here, before = at(states, step + 1, game), at(states, step, game)
        by = int(before.current_player)
        card = int(before.turned_up)
        assert int(here.exchanged) == card
        assert int(here.known[by]) >> card & 1
        layout = env.observation_layout()["opponent_known"]  # type: ignore[attr-defined]
        assert np.asarray(env.observe(here, 1 - by))[layout][card] == 1


def test_E04_one_public_event_more_is_another_observation() -> None:
    """Closed or not, exchanged or not, another card led or played: all can be told apart."""
    env = make("snapszer", profile="hungarian")
    states, actions = trace(env)
    call = functions(env)
    compared = 0
    for step in range(8):
        now = at(states, step)
        masks = np.asarray(call["mask"](now))
        legal = [np.flatnonzero(mask) for mask in masks]
        for shift in (1, 2):
            other = np.array(
                [
                    ids[(list(ids).index(a) + shift) % len(ids)] if a in ids else a
                    for ids, a in zip(legal, actions[step], strict=True)
                ]
            )
            here, there = at(states, step + 1), call["step"](now, other)
            use = (other != actions[step]) & ~now.terminated
            seen, changed = np.asarray(call["see"](here)), np.asarray(call["see"](there))
            differs = (seen != changed).any(axis=2)
            assert differs[use].all(), "both players see which of two public actions was taken"
            compared += int(use.sum())
    assert compared > 500
    blocks = [
        s
        for n, s in env.observation_layout().items()
        if n in ("led", "followed", "trump", "turned_up")
    ]  # type: ignore[attr-defined]
    seen = np.asarray(call["see"](at(states, 5)))
    for block in blocks:
        assert (seen[..., block].sum(axis=-1) <= 1).all()


# Ends, masks, shapes ------------------------------------------------------------------------------


def test_E06_the_longest_deal_fits() -> None:
    """Every card played, with an exchange: all ten tricks stand in the record, within max_steps."""
    env = make("snapszer", profile="hungarian", closing=False)
    exchange = env.sizes.exchange  # type: ignore[attr-defined]

    def step(states: Any, key: jax.Array) -> Any:
        legal = jax.vmap(env.legal_set)(states)
        bits = jax.random.bits(key, (4096,), jnp.uint32)
        drawn = jax.vmap(cards.draw_one)(legal, bits)
        wants = (legal >> exchange & 1 != 0) & ~states.finished
        after = jax.vmap(env.step)(states, jnp.where(wants, exchange, drawn))
        return after, (~states.finished, wants)

    start = functions(env)["init"](keys(4096, 5))
    play = jax.jit(lambda s: jax.lax.scan(step, s, keys(env.max_steps)))
    end, (alive, exchanged) = jax.device_get(play(start))
    length = alive.sum(axis=0)
    assert end.terminated.all()
    longest = np.flatnonzero((length == 21) & exchanged.any(axis=0))
    assert len(longest)
    assert length.max() == 21 <= env.max_steps
    for game in longest[:3]:
        state = at(end, int(game))
        assert (int(state.hands[0]), int(state.hands[1])) == (0, 0)
        assert int(state.tricks[0]) + int(state.tricks[1]) == 10
        played = np.asarray(env.facts(state)["played"])
        assert played[0] | played[1] == 2**20 - 1
        assert played[0] & played[1] == 0
    match = make("snapszer", profile="hungarian", match=3)
    assert match.max_steps == 22 * 5
    lengths = (~trace(match)[0].terminated).sum(axis=0)
    assert lengths.max() <= match.max_steps


def test_E07_early_ends_pay_once(env: Env[Any]) -> None:
    states, _ = trace(env)
    over = states.terminated | states.truncated
    paid = np.abs(states.rewards).sum(axis=-1)
    assert np.allclose(states.rewards.sum(axis=-1), 0)
    assert (states.current_player[over] == NOBODY).all()
    first = over & ~np.roll(over, 1, axis=0)
    assert (first.sum(axis=0) == 1).all()
    assert not paid[over & ~first].any()
    if env.id == "snapszer":
        assert (paid[first] > 0).all()
    if not env.deals_again:
        assert not paid[~over].any()


def test_E08_the_first_mask_is_that_of_the_rules(env: Env[Any]) -> None:
    call = functions(env)
    states = call["init"](keys(2000))
    masks = np.asarray(call["mask"](states))
    assert masks.any(axis=1).all()
    if env.id == "high_card_duel":
        assert masks.all()
        return
    sizes = env.sizes  # type: ignore[attr-defined]
    mover = np.asarray(states.current_player)
    hands = np.where(mover == 0, states.hands[0], states.hands[1])
    held = hands[:, None] >> np.arange(sizes.num_cards) & 1 == 1
    assert np.array_equal(masks[:, : sizes.num_cards], held)
    lowest = np.asarray(states.turned_up) // sizes.hand * sizes.hand + sizes.lowest
    assert np.array_equal(masks[:, sizes.exchange], held[np.arange(2000), lowest])
    assert (masks[:, sizes.close] == env.rules.closing).all()


def test_E09_scores_do_not_wrap() -> None:
    env = make("snapszer", profile="hungarian", match=200)
    state = env.deal(np.arange(20), scores=(199, 198))
    for score in (*state.points, *state.scores):  # type: ignore[attr-defined]
        assert score.dtype == jnp.int32
    rich: Any = state.replace(points=(jnp.int32(120), jnp.int32(1)))  # type: ignore[attr-defined]
    rich = rich.replace(table=jnp.int8(19), leader=jnp.int8(1), current_player=jnp.int32(0))
    after = functions(env)["single"](rich, 0)
    total = [int(score) for score in after.scores]
    assert sum(total) in range(398, 401)
    assert max(total) >= 200


def test_E10_shapes_agree(env: Env[Any]) -> None:
    def kinds(tree: Any) -> Any:
        leaves, shape = jax.tree.flatten(tree)
        return shape, [(leaf.shape, leaf.dtype, leaf.weak_type) for leaf in leaves]

    start = jax.eval_shape(env.init, jax.random.key(0))
    stepped = jax.eval_shape(env.step, start, jnp.int32(0))
    assert kinds(start) == kinds(stepped)
    assert not any(leaf.weak_type for leaf in jax.tree.leaves(start))
    assert jax.eval_shape(env.legal_action_mask, start).shape == (env.num_actions,)
    assert jax.eval_shape(env.observe, start, 0).shape == env.observation_shape


IMPORTS = """
import sys, importlib, pkgutil
import talonax
assert "jax" not in sys.modules, "import talonax alone imports jax"
for game in {games!r}:
    env = talonax.make(game)
    env.num_actions, env.observation_shape, env.max_steps, env.plane_names, env.rules_hash
for module in pkgutil.walk_packages(talonax.envs.__path__, "talonax.envs."):
    if "adapters" not in module.name:
        importlib.import_module(module.name)
import jax
try:
    jax.devices()
except RuntimeError:
    print("no backend until now")
"""


def test_E12_importing_starts_no_backend() -> None:
    """With a platform that does not exist everything works up to the first computation."""
    script = IMPORTS.format(games=GAMES)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "JAX_PLATFORMS": "bogus"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] == "no backend until now"


@pytest.mark.slow
def test_E05_hidden_sub_actions_change_nothing_for_the_opponent() -> None:
    """Whichever two cards the declarer of Tysiac returns, and in whatever order, looks the same."""
    env = make("tysiac", hands=1)
    state = env.deal(np.arange(24), dealer=1)
    for name in ("bid 100", "pass", "musik 0"):
        state = env.step(state, [env.action_name(a) for a in range(env.num_actions)].index(name))
    held = np.flatnonzero(np.asarray(env.legal_action_mask(state)))
    pairs = np.array([(a, b) for a in held for b in held if a != b], np.int32)
    assert len(pairs) == 12 * 11

    def returned(pair: jax.Array) -> Any:
        one = env.step(state, pair[0])
        two = env.step(one, pair[1])
        named = env.step(two, 50)  # a contract; the opponent has not moved yet
        return [(env.observe(s, 1), env.card_tensor(s, 1), env.phase(s)) for s in (one, two, named)]

    seen = jax.jit(jax.vmap(returned))(pairs)
    for leaf in jax.tree.leaves(seen):
        assert np.array_equal(leaf, np.broadcast_to(leaf[:1], leaf.shape))


# Auto-reset ---------------------------------------------------------------------------------------


def test_E13_the_step_that_ends_a_game_belongs_to_the_old_deal() -> None:
    env = make("high_card_duel")
    wrapped = AutoReset(env)
    state, rewards = wrapped.init(jax.random.key(0)), []
    step = jax.jit(wrapped.step)
    for i in range(10):
        hands = np.asarray(state.hands)
        state, last = step(state, 0, jax.random.key(i + 1))
        assert np.array_equal(last.hands, hands), "last is of the deal that was played"
        assert bool(last.terminated) == (i % 2 == 1)
        assert not bool(state.terminated)
        assert int(state.current_player) == (i + 1) % 2, "the next action acts in the new deal"
        assert not state.rewards.any() or not last.terminated
        rewards.append(np.asarray(last.rewards))
        if i % 2:
            assert same(state, env.init(jax.random.key(i + 1)))
            sign = np.sign(_value(hands[0]) - _value(hands[1]))
            assert rewards[-1].tolist() == [sign, -sign]
        else:
            assert same(state, last)
            assert not rewards[-1].any()


def _value(card: int) -> int:
    rank = int(card) % 14
    return {0: 13, 13: 14}.get(rank, rank)


def test_E14_every_deal_is_another() -> None:
    """Through the queue of `rollout`: no two games share a deck, in a row or side by side."""
    env = make("snapszer", profile="hungarian")

    def deck(state: Any, action: jax.Array, last: Any) -> Any:
        del action, last
        untouched = (state.tricks_done == 0) & state.leading & ~state.closed & (state.exchanged < 0)
        return untouched, jnp.stack([*state.hands, *state.stock])

    run = jax.jit(lambda s, k: wrappers.rollout(env, Random(), s, k, 200, collect=deck))
    result = run(functions(env)["init"](keys(16)), jax.random.key(1))
    untouched, dealt = jax.device_get(result.trace)
    decks = {tuple(each) for each in dealt[untouched].tolist()}
    assert int(result.games) > 16 * 8
    assert len(decks) == untouched.sum()
    assert int(result.games) <= untouched.sum() <= int(result.games) + 16


def test_E15_no_deck_is_dealt_in_a_step() -> None:
    """The loop of `rollout` holds no shuffle, except where the queue has run dry."""
    env = make("snapszer", profile="hungarian")
    states = functions(env)["init"](keys(BATCH))
    run = jax.make_jaxpr(lambda s, k: wrappers.rollout(env, Random(), s, k, 20))
    (loop,) = [
        eqn
        for eqn in _equations(run(states, jax.random.key(0)).jaxpr, {"scan"})
        if eqn.primitive.name == "scan" and eqn.params["length"] == 20
    ]
    inside = _equations(loop.params["jaxpr"].jaxpr, {"scan", "cond"})
    assert len(inside) > 100
    assert not _draws(inside)
    beneath = _draws(_equations(loop.params["jaxpr"].jaxpr, set()))
    assert (BATCH, 20) in beneath, "the queue that has run dry deals on the spot"


def _draws(equations: list[Any]) -> list[tuple[int, ...]]:
    """Return the shapes of all random bits that are drawn: a shuffle draws some for each card."""
    drawn = [eqn for eqn in equations if eqn.primitive.name == "random_bits"]
    return [eqn.outvars[0].aval.shape for eqn in drawn]


def _equations(jaxpr: Any, closed: set[str]) -> list[Any]:
    """Return the equations of a jaxpr and of those within, except within `closed` primitives."""
    found = []
    for eqn in jaxpr.eqns:
        found.append(eqn)
        if eqn.primitive.name in closed:
            continue
        for value in eqn.params.values():
            for inner in value if isinstance(value, tuple | list) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    found += _equations(inner, closed)
    return found


# Chance -------------------------------------------------------------------------------------------


def test_E17_keys_that_are_split_deal_other_decks() -> None:
    env = make("snapszer", profile="hungarian")
    decks = np.asarray(jax.jit(jax.vmap(lambda key: env.deck(key, 0)))(keys(1024)))
    assert len({tuple(deck) for deck in decks.tolist()}) == 1024
    one = jnp.broadcast_to(jax.random.key_data(jax.random.key(0)), (4, 2))
    states = functions(env)["init"](one)
    assert len(set(np.asarray(states.hands[0]).tolist())) == 1


@pytest.mark.slow
def test_E18_no_key_is_used_twice() -> None:
    env = make("snapszer", profile="hungarian", first_leader="random")
    many = keys(10_000)
    states = functions(env)["init"](many)
    decks = np.asarray(jax.jit(jax.vmap(lambda key: env.deck(key, 0)))(many))
    leader = np.asarray(states.leader)
    for place in (0, 5, 10, 19):
        assert abs(np.corrcoef(leader, decks[:, place])[0, 1]) < 0.04
    with jax.debug_key_reuse(True):
        fresh = talonax.make("snapszer", profile="hungarian", first_leader="random", match=2)
        state = jax.jit(fresh.init)(jax.random.key(0))
        state = jax.jit(fresh.step)(state, int(jnp.argmax(fresh.legal_action_mask(state))))
        jax.jit(fresh.redeal)(state, 0, jax.random.key(1))
        states = jax.vmap(fresh.init)(jax.random.split(jax.random.key(2), 4))
        jax.jit(lambda s, k: wrappers.rollout(fresh, Random(), s, k, 4).games)(
            states, jax.random.key(3)
        )


@pytest.mark.slow
def test_E19_nothing_hangs_on_a_stream_of_random_numbers() -> None:
    """A deck fixes a game in either mode of threefry; and both modes deal proper decks."""
    env, ends = make("snapszer", profile="hungarian"), []
    for partitionable in (True, False):
        with jax.threefry_partitionable(partitionable):
            deck = np.asarray(jax.jit(env.deck)(jax.random.key(0), 0))
            assert sorted(deck) == list(range(20))
            state = env.deal(np.arange(20))
            for action in (0, 5, 1, 6):
                state = jax.jit(env.step)(state, action)
            ends.append(env.facts(state))
    assert same(*ends)
    assert ends[0]["tricks"].tolist() == [2, 0]
    held = [sum(1 << card for card in hand) for hand in ((2, 3, 4, 11, 13), (7, 8, 9, 12, 14))]
    assert ends[0]["hands"].tolist() == held


def test_E20_sharded_games_have_the_same_decks() -> None:
    env = make("snapszer", profile="hungarian")
    assert len(jax.devices()) >= 2
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("games",))
    spec = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("games"))
    many = jax.random.key_data(keys(4096))
    alone = functions(env)["init"](many)
    spread = functions(env)["init"](jax.device_put(many, spec))
    assert len(spread.current_player.sharding.device_set) == 2
    assert same(spread, alone)


# How it runs --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", ["high_card_duel", pytest.param("snapszer", marks=pytest.mark.slow)]
)
def test_E21_the_same_with_x64(game: str) -> None:
    """The whole rollout, whose loop carries must keep their types; values are compared."""
    env = make(game)

    def play(states: Any, key: jax.Array) -> Any:
        return wrappers.rollout(env, Random(), states, key, 8)

    many, key = jax.device_get(jax.random.key_data(keys(4))), np.zeros(2, np.uint32)
    narrow = jax.device_get(jax.jit(play)(jax.vmap(env.init)(many), key))
    with jax.enable_x64(True):
        wide = jax.device_get(jax.jit(play)(jax.vmap(env.init)(many), key))
    assert same(wide, narrow)
    assert wide.games.dtype == np.int32


@pytest.mark.parametrize("card", [0, 31, 32, 51, 63, 64, 127, 131])
def test_E22_bits_at_the_edges_of_words(card: int) -> None:
    size = 132
    alone = cards.single(card, size)
    assert int(cards.count(alone)) == 1
    assert bool(cards.contains(alone, card))
    assert not any(bool(cards.contains(alone, other)) for other in (card ^ 1, card ^ 32))
    assert int(cards.kth(alone, 0)) == card
    everything = cards.constant(range(size), size)
    rest = everything & ~alone
    assert int(cards.count(rest)) == size - 1
    assert not bool(cards.contains(rest, card))
    assert np.array_equal(cards.unpack(everything, size), np.ones(size, bool))
    assert not bool(cards.contains(everything, size))
    assert bool(cards.is_empty(rest & alone))
    small = cards.constant(range(31), 32)
    assert int(cards.count(small | cards.single(31, 32))) == 32


def test_E23_no_card_is_no_card(default: Env[Any]) -> None:
    """The sentinel -1 is never the last card; indices stay in bounds throughout random games."""
    env = default
    pack = Pack(ranks=5, strong_first=True)
    assert bool(cards.is_empty(cards.single(-1, 20)))
    assert not bool(cards.contains(cards.constant(range(20), 20), -1))
    assert int(pack.suit(-1)) == NO_SUIT
    assert bool(cards.is_empty(pack.stronger(-1)))
    assert bool(cards.is_empty(pack.suit_set(NO_SUIT)))
    call = functions(env)
    start = call["init"](keys(BATCH))
    assert np.asarray(call["step"](start, np.full(BATCH, -1, np.int32)).illegal).all()
    from jax.experimental import checkify

    states, actions = trace(env)
    checked = jax.jit(
        checkify.checkify(
            lambda s, a: (jax.vmap(env.step)(s, a), jax.vmap(partial(env.observe, player=0))(s)),
            errors=checkify.index_checks,
        )
    )
    for step in range(min(len(actions), 16)):
        error, _ = checked(at(states, step), actions[step])
        error.throw()


def test_E24_live_finished_and_illegal_games_share_a_batch(env: Env[Any]) -> None:
    call = functions(env)
    states, _ = trace(env)
    step = int(np.median((~states.terminated).sum(axis=0)))
    now = at(states, step)
    masks = np.asarray(call["mask"](now))
    action = masks.argmax(axis=1).astype(np.int32)
    action[1::3] = -1
    after = jax.device_get(call["step"](now, action))
    over = now.terminated
    rested = jax.tree.map(lambda leaf: leaf[over], after)
    wanted = jax.tree.map(lambda leaf: leaf[over], now.replace(rewards=np.zeros_like(now.rewards)))
    assert same(rested, wanted)
    bad = ~over & (action < 0)
    assert over.any() or env.id == "high_card_duel"
    assert after.illegal[bad].all()
    assert not after.illegal[~bad].any()
    alone = call["step"](now, masks.argmax(axis=1).astype(np.int32))
    kept = ~bad
    assert same(
        jax.tree.map(lambda leaf: np.asarray(leaf)[kept], after),
        jax.tree.map(lambda leaf: np.asarray(leaf)[kept], alone),
    )
    assert states.terminated[-1].all()
    assert (~states.terminated).sum(axis=0).max() <= env.max_steps


def test_E25_a_step_has_no_branches_and_does_not_grow_with_the_batch(env: Env[Any]) -> None:
    start = functions(env)["init"](keys(2))

    def traced(batch: int) -> list[str]:
        states = jax.tree.map(lambda leaf: jnp.resize(leaf, (batch, *leaf.shape[1:])), start)
        step = jax.make_jaxpr(jax.vmap(env.step))(states, jnp.zeros(batch, jnp.int32))
        return [eqn.primitive.name for eqn in _equations(step.jaxpr, set())]

    names = traced(2)
    assert not {"cond", "while", "scan", "sort"} & set(names)
    assert traced(1024) == names
    assert len(names) < 2500


def test_E26_nothing_is_compiled_twice(default: Env[Any]) -> None:
    env = default
    again = type(env)(rules=env.rules, observation=env.observation)
    assert hash(again) == hash(env)
    step = jax.jit(lambda env, state, action: env.step(state, action), static_argnums=0)
    state = at(functions(env)["init"](keys(2)), 0)
    for _ in range(10):
        for kind in (int, np.int32, jnp.int32, np.uint8):
            step(env, state, kind(0))
            step(again, state, kind(0))
    assert step._cache_size() <= 4
    before = step._cache_size()
    for _ in range(50):
        state = step(env, state, jnp.int32(0))
    assert step._cache_size() == before


def test_E27_memory_does_not_grow(default: Env[Any]) -> None:
    env = default
    call = functions(env)
    states, key = call["init"](keys(BATCH)), jax.random.key(0)
    action = np.zeros(BATCH, np.int32)

    def on(states: Any, number: int) -> Any:
        for _ in range(number):
            states = call["step"](states, action)
            call["see"](states)
        return states

    states = on(states, 3)
    sizes, alive = call["step"]._cache_size(), len(jax.live_arrays())
    states = on(states, 300)
    assert call["step"]._cache_size() == sizes
    assert len(jax.live_arrays()) <= alive
    del key


def test_E28_every_device_plays_the_same(default: Env[Any]) -> None:
    """A second device of the CPU, and an accelerator where jax has one, against the first."""
    env = default
    devices = {device.platform: device for device in jax.devices()}
    devices["cpu"] = jax.devices("cpu")[1]
    states, actions = trace(env)
    for device in devices.values():
        with jax.default_device(device):
            now = jax.device_put(at(states, 0), device)
            for step in range(min(len(actions), 24)):
                now = functions(env)["step"](now, jax.device_put(actions[step], device))
                assert same(now, at(states, step + 1)), (device, step)
            assert np.array_equal(
                functions(env)["mask"](now), functions(env)["mask"](at(states, step + 1))
            )
            assert np.array_equal(
                functions(env)["see"](now), functions(env)["see"](at(states, step + 1))
            )


def test_E29_a_saved_position_goes_on_alike(default: Env[Any], tmp_path: Path) -> None:
    env = default
    states, actions = trace(env)
    call = functions(env)
    middle = int((~states.terminated[:, 0]).sum()) // 2
    state = at(states, middle, 0)
    leaves, shape = jax.tree.flatten(state)
    np.savez(tmp_path / "state.npz", *leaves)
    with np.load(tmp_path / "state.npz") as read:
        loaded = jax.tree.unflatten(shape, [read[f"arr_{i}"] for i in range(len(leaves))])
    copies = {
        "pickle": pickle.loads(pickle.dumps(state)),
        "npz": loaded,
        "json": serialize.from_json(serialize.to_json(env, state))[1],
    }
    for how, copy in copies.items():
        assert same(copy, state), how
        for step in range(middle, len(actions)):
            copy = call["single"](copy, int(actions[step, 0]))
            assert same(copy, at(states, step + 1, 0)), (how, step)
        assert bool(copy.terminated)


@pytest.mark.slow
def test_E29_orbax(tmp_path: Path) -> None:
    checkpoint = pytest.importorskip("orbax.checkpoint")
    state = jax.tree.map(jnp.asarray, at(trace(make("snapszer", profile="hungarian"))[0], 5, 0))
    with checkpoint.StandardCheckpointer() as saver:
        saver.save(tmp_path / "state", state)
        saver.wait_until_finished()
        assert same(saver.restore(tmp_path / "state", state), state)


# Play ---------------------------------------------------------------------------------------------


def test_E31_both_players_get_the_last_reward_once(env: Env[Any]) -> None:
    """The mask is of the seat to move; whoever is not to move has none of his own (documented)."""
    states, _ = trace(env)
    total = states.rewards.sum(axis=0)
    over = states.terminated
    ends = over & ~np.roll(over, 1, axis=0)
    last = np.where(ends[..., None], states.rewards, 0).sum(axis=0)
    assert np.allclose(total.sum(axis=-1), 0)
    if not env.deals_again:
        assert np.array_equal(total, last)
    mover = np.roll(states.current_player, 1, axis=0)
    for seat in (0, 1):  # whoever made the last move, the reward of both stands in that state
        made = ends & (mover == seat)
        assert made.any() or env.id == "high_card_duel"
        assert np.array_equal(states.rewards[made][:, 0], -states.rewards[made][:, 1])
    assert "legal actions" in (Env.legal_action_mask.__doc__ or "")


@pytest.mark.parametrize("action", ["masked", -1, -(2**31), "too large", 2**31 - 1])
def test_E32_an_illegal_action_costs_its_actor_alone(env: Env[Any], action: Any) -> None:
    call = functions(env)
    states, actions = trace(env)
    now = at(states, 1)
    masks = np.asarray(call["mask"](now))
    if action == "masked":
        chosen = masks.argmin(axis=1)
        if env.num_actions == 1:
            pytest.skip("high_card_duel has one action, always legal")
    else:
        chosen = np.full(BATCH, env.num_actions if action == "too large" else action)
    mixed = np.where(np.arange(BATCH) == 7, chosen, actions[1]).astype(np.int32)
    after, plain = jax.device_get((call["step"](now, mixed), call["step"](now, actions[1])))
    assert bool(after.illegal[7])
    assert bool(after.terminated[7])
    assert after.current_player[7] == NOBODY
    actor = int(now.current_player[7])
    assert after.rewards[7, actor] == -env.max_loss
    assert after.rewards[7, 1 - actor] == env.max_loss
    others = np.arange(BATCH) != 7
    assert same(
        jax.tree.map(lambda leaf: leaf[others], after),
        jax.tree.map(lambda leaf: leaf[others], plain),
    )
    assert np.isfinite(np.asarray(call["see"](after))).all()


#: Every flag, two at a time: two that decide about different things.
FLAGS = [
    {"closing": False, "nines": True},
    {"close_min_stock": 1, "three_when": "no_points"},
    {"exchange_min_stock": 4, "first_leader": 1},
    {"marriage_when_strict": True, "closer_fail_points": 3},
    {"marriage_points": "after_a_trick", "stake_at": "closing"},
    {"marriage_points": "next_trick", "last_trick": "wins_one"},
    {"marriage_declare": "optional", "closer_beaten": "normal"},
    {"marriage_lead": "king", "match": 2},
    {"sixty_six": "after_trick", "closer_fail_points_trickless": 3},
]


@pytest.mark.slow
@pytest.mark.parametrize("flags", FLAGS, ids=str)
def test_E33_every_flag_against_the_slow_engine(flags: dict[str, Any]) -> None:
    report = lockstep.run("snapszer", flags=flags, games=2000, seed=3)
    assert (report.differences, report.first, report.games) == (0, None, 2000)


def test_E33_no_flag_is_left_out() -> None:
    varied = {name for flags in FLAGS for name in flags}
    assert varied == set(vars(talonax.make("snapszer").rules))


@pytest.mark.slow
def test_E34_parity_compares_everything_and_goes_to_rare_places() -> None:
    env = make("snapszer", profile="hungarian")
    compared = set(lockstep.snapshot(env, env.deal(np.arange(20))))
    for what in ("hands", "stock", "turned_up", "points", "pending", "leader", "table", "known"):
        assert any(what in name for name in compared), what
    for what in ("legal", "reward", "observation", "planes", "player"):
        assert any(what in name for name in compared), (what, sorted(compared))
    report = lockstep.run("snapszer", games=40, seed=5)
    assert report.differences == 0
    assert sum(count > 0 for count in report.scenarios.values()) >= 5


def test_E35_our_modules_warn_of_nothing(env: Env[Any]) -> None:
    """Deprecated names of jax and numpy are errors in the whole suite (pyproject); here, traced."""
    project = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert "error::DeprecationWarning:talonax" in project
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = jax.eval_shape(env.init, jax.random.key(0))
        jax.eval_shape(env.step, state, jnp.int32(0))
        jax.eval_shape(env.observe, state, 0)
        jax.eval_shape(env.redeal, state, 0, jax.random.key(0))


def test_E36_any_seat_may_look_at_any_time(env: Env[Any]) -> None:
    states, _ = trace(env)
    call = functions(env)
    for step in range(0, states.terminated.shape[0], 3):
        now = at(states, step)
        seen = np.asarray(call["see"](now))
        for player in (0, 1):
            if env.id == "high_card_duel":
                own = seen[:, player, ..., 0].reshape(BATCH, -1).argmax(axis=1)
                assert np.array_equal(own, now.hands[:, player])
                continue
            layout = env.observation_layout()  # type: ignore[attr-defined]
            size = env.sizes.num_cards  # type: ignore[attr-defined]
            held = now.hands[player][:, None] >> np.arange(size) & 1
            assert np.array_equal(seen[:, player, layout["hand"]], held)
            to_move = seen[:, player, layout["to_move"]][:, 0]
            assert np.array_equal(to_move, now.current_player == player)
    end = at(states, -1, 0)
    assert np.array_equal(env.observe(end, end.current_player), env.observe(end, 0))


def test_every_shared_case_of_group_E_is_tested_or_out_of_scope(shared: Path) -> None:
    text = (shared / "cases" / "field_cases.md").read_text()
    ids = set(re.findall(r"^\| (E\d\d) \|", text, re.MULTILINE))
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_E")}
    assert tested | set(OUT_OF_SCOPE) == ids
    assert not tested & set(OUT_OF_SCOPE)
    assert all(OUT_OF_SCOPE.values())
    assert {
        case["id"][0] for case in json.loads((shared / "cases" / "rule_cases.json").read_text())
    }
    assert set(GAMES) <= {get(game).id for game in talonax.games()}
