"""Positions as JSON: there and back, by hand, and what is refused."""

import json
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.envs.serialize import PositionError, from_json, to_json

ENVS = [
    ("snapszer", {}),
    ("snapszer", {"profile": "austrian", "match": 3}),
    ("snapszer", {"profile": "vu", "nines": True}),
    ("snapszer", {"stake_at": "closing", "observation": "compact"}),
    ("tysiac", {"hands": 1, "proof": "challenge", "bomba.enabled": True}),
    ("high_card_duel", {}),
]
PAGE = Path(talonax.__file__).parent / "envs" / "snapszer" / "README.md"


def same(one, other):
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


@pytest.mark.quick_first
@pytest.mark.parametrize(("game", "flags"), ENVS, ids=str)
def test_there_and_back_and_on_to_the_end(game, flags):
    env = talonax.make(game, **flags)
    step, rng = jax.jit(env.step), np.random.default_rng(3)
    for seed in range(4):
        state = env.init(jax.random.key(seed))
        while not bool(state.finished):
            made, read = from_json(to_json(env, state))
            assert made == env
            same(read, state)
            legal = np.flatnonzero(np.asarray(env.legal_action_mask(state)))
            action = int(rng.choice(legal))
            same(step(read, action), step(state, action))
            state = step(state, action)
        same(from_json(to_json(env, state), env)[1], state)


def test_the_example_on_the_page_is_read_and_played():
    text = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    env, state = from_json(text)
    assert int(state.current_player) == 1
    assert env.action_name(1) == "TS"
    assert bool(env.legal_action_mask(state)[1])
    state = env.step(state, 1)
    assert int(state.table) == 1
    assert "led by player 1" in env.render(state, 0)


def changed(**entries):
    env = talonax.make("snapszer")
    text = json.loads(to_json(env, env.deal(jnp.arange(20))))
    for path, value in entries.items():
        *parents, last = path.split("__")
        place = text
        for parent in parents:
            place = place[parent]
        if value is None and last in place and last not in ("table", "closed", "exchanged"):
            del place[last]
        else:
            place[last] = value
    return json.dumps(text)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"rules": None}, "no 'rules'"),
        ({"colour": 1}, "unknown 'colour'"),
        ({"schema": 2}, "schema 2 is unknown"),
        ({"game": "chess"}, f"no game 'chess'; there are: {', '.join(talonax.games())}"),
        ({"version": 9}, "version: 9 in the position, 1 in the env"),
        ({"rules__match": "x"}, "match: 'x' is not allowed"),
        ({"rules__colour": 1}, "colour: no such flag"),
        ({"position__stock": None}, "position: no 'stock'"),
        ({"position__colour": 1}, "position: unknown 'colour'"),
        ({"position__hands": ["AS", "KS"]}, "nowhere: TS"),
        ({"position__turned_up": "AS"}, "in two places: AS"),
        ({"position__turned_up": "1S"}, "'1S' is no card of this pack"),
        ({"position__leader": 2}, "leader: a seat is 0 or 1, is 2"),
        ({"position__points": [0, -1]}, "points: whole numbers from 0"),
        ({"position__points": 5}, "points: a list by seat"),
        ({"position__tricks": [1, 0]}, "tricks \\[1, 0\\], but 0 tricks_played"),
        ({"position__pending": [20, 0]}, "nothing is pending"),
        ({"position__marriages": ["X", ""]}, "suits are S H D C"),
        ({"position__closed": {"who": 0}}, "closed: no 'by', unknown 'who'"),
        ({"position__exchanged": {"by": 0}}, "exchanged: no 'after_tricks'"),
        ({"position__tricks_played": ["AS"]}, "a trick is"),
        ({"state__rewards": [0.0]}, "rewards: 2 are needed"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(entries, message):
    with pytest.raises(PositionError, match=message):
        from_json(changed(**entries))


def test_no_json_no_object_other_rules_and_batches_are_refused():
    with pytest.raises(PositionError, match="not JSON"):
        from_json("{")
    with pytest.raises(PositionError, match="a position is an object, is list"):
        from_json("[]")
    with pytest.raises(PositionError, match="closing: True in the position, False in the env"):
        from_json(changed(), talonax.make("snapszer", "vu"))
    env = talonax.make("snapszer")
    with pytest.raises(ValueError, match="one state"):
        to_json(env, jax.vmap(env.init)(jax.random.split(jax.random.key(0), 2)))
    duel = talonax.make("high_card_duel")
    text = json.loads(to_json(duel, duel.init(jax.random.key(0))))
    text["position"]["hands"] = [1, 999]
    with pytest.raises(PositionError, match=r"hands: int8\[2\] is needed"):
        from_json(json.dumps(text))
