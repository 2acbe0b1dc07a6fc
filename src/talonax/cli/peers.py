"""Other people's games, measured by the same loop as ours."""

import importlib.util
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from talonax.cli.errors import UsageError
from talonax.cli.measure import Contender, Work, compiled, tree_bytes, wait

PEERS = ("pgx",)
#: Games of Pgx, and steps of one call: about as long as a call of ours.
PGX_GAMES = {"kuhn_poker": 256, "leduc_holdem": 256, "sparrow_mahjong": 16}
#: Calls before measuring, until games are at different steps.
WARM_UP = 3


def check(peers: Sequence[str]) -> None:
    """Check that the named peers can be measured, before anything else is.

    Raises:
      UsageError: an unknown peer, or one that is not installed.
    """
    for peer in peers:
        if peer not in PEERS:
            raise UsageError(f"--peers {peer}: no such peer; there are: {', '.join(PEERS)}")
        if importlib.util.find_spec(peer) is None:
            raise UsageError(
                f"--peers {peer}: {peer} is not installed: pip install 'talonax[adapters]'"
            )


def contenders(peers: Sequence[str], batch: int) -> list[Contender]:
    """Return what is measured of the named peers."""
    return [_pgx(game, batch, steps) for _ in peers for game, steps in PGX_GAMES.items()]


def _pgx(game: str, batch: int, steps: int) -> Contender:
    """Random play with `pgx.experimental.auto_reset`: uniform over the legal actions."""
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game)
    step = auto_reset(env.step, env.init)

    def go_on(states: Any, key: Array) -> tuple[Any, Array]:
        def one(carry: tuple[Any, Array], key: Array) -> tuple[tuple[Any, Array], None]:
            states, games = carry
            for_actions, for_deals = jax.random.split(key)
            wish = jnp.log(states.legal_action_mask.astype(jnp.float32))
            actions = jax.random.categorical(for_actions, wish, axis=-1)
            states = jax.vmap(step)(states, actions, jax.random.split(for_deals, batch))
            over = states.terminated | states.truncated
            return (states, games + over.sum(dtype=jnp.int32)), None

        out, _ = lax.scan(one, (states, jnp.int32(0)), jax.random.split(key, steps))
        return out

    keys = jax.random.split(jax.random.key(0), batch)
    states = jax.jit(jax.vmap(env.init))(keys)
    size = tree_bytes(jax.eval_shape(env.init, keys[0]))
    function, seconds = compiled(go_on, states, keys[0])
    for number in range(WARM_UP):
        states, _ = function(states, jax.random.key(number))

    def run(key: Array) -> Work:
        nonlocal states
        states, games = wait(function(states, key))
        return Work(batch * steps, int(games))

    return Contender(f"pgx.{game}", "rollout", batch, run, seconds, size)
