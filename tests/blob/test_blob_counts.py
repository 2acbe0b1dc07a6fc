"""What is counted of a game of Blob: at the end of a round, its bids and those that were made."""

from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

HANDS = ("KH 5C AS", "2H QC 9D", "AH KC JD", "3S 4C 2S")
PLAYS = ("KH", "2H", "AH", "3S", "4C", "5C", "QC", "KC", "JD", "2S", "AS", "9D")


def test_the_end_of_a_round_is_counted(deal: Any, ids: Any) -> None:
    """A trick each for seats 3, 2 and 0, in this order; seats 0 and 2 bid one, the others none."""
    table = deal(*HANDS, dealer=3)
    tally = jax.jit(table.env.tally)
    total: Counter[str] = Counter()
    for action in [1, 0, 1, 0, *(number for play in PLAYS for number in ids(play))]:
        after = table.tried(action)
        counted = {k: int(v) for k, v in tally(table.state, action, after).items()}
        assert any(counted.values()) == bool(after.finished)
        total.update(counted)
        table = type(table)(table.env, after)
    assert not table.state.illegal
    assert table.facts["tricks"] == [1, 0, 1, 1]
    assert {name: number for name, number in total.items() if number} == {
        "rounds": 1,
        "bids": 4,
        "bids made": 3,
        "bid 0": 2,
        "bid 0, made": 1,
        "bid 1": 2,
        "bid 1, made": 2,
        "made by seat 0": 1,
        "made by seat 1": 1,
        "made by seat 2": 1,
    }


def test_parts_are_at_most_their_whole(make: Any) -> None:
    env = make(players=3, cards=3, rounds="full")

    @jax.jit
    @jax.vmap
    def play(key: Any) -> Any:
        def step(state: Any, key: Any) -> Any:
            legal = env.legal_action_mask(state)
            action = jax.random.categorical(key, jnp.where(legal, 0.0, -jnp.inf))
            after = env.step(state, action)
            return after, env.tally(state, action, after)

        return jax.lax.scan(step, env.init(key), jax.random.split(key, env.max_steps))[1]

    told = play(jax.random.split(jax.random.key(0), 32))
    counts = {name: int(np.asarray(number).sum()) for name, number in told.items()}
    assert counts["rounds"] == 32 * 8
    assert counts["bids"] == 3 * counts["rounds"]
    assert set(env.tally_of) <= set(counts)
    for part, whole in env.tally_of.items():
        assert counts[part] <= counts[whole], part
    by_bid = sum(counts[f"bid {bid}, made"] for bid in range(4))
    by_seat = sum(counts[f"made by seat {seat}"] for seat in range(3))
    assert by_bid == by_seat == counts["bids made"] > 0
