"""Other people's games, measured beside ours in the same run.

Games in JAX go through the same loop as ours. OpenSpiel plays one game after the other on one core:
in its own loop in C++, where nobody observes anything, against our `rollout`; and in a loop in
Python that fetches the tensor of every player to move, against our `observe`.
"""

import importlib.util
import random
import time
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from talonax.cli.errors import UsageError
from talonax.cli.measure import Contender, Work, compiled, tree_bytes, wait

#: Each peer: the module that it is, and our extra that brings it.
PEERS = {"pgx": ("pgx", "adapters"), "openspiel": ("pyspiel", "openspiel")}
#: Games of Pgx, and steps of one call: about as long as a call of ours.
PGX_GAMES = {"kuhn_poker": 256, "leduc_holdem": 256, "sparrow_mahjong": 16}
#: Calls before measuring, until games are at different steps.
WARM_UP = 3
#: Games of OpenSpiel, and their parameters.
OPENSPIEL_GAMES: dict[str, dict[str, Any]] = {"oh_hell": {"players": 4, "num_tricks_fixed": 7}}
#: Games of one call of its loop in C++, and of the one in Python.
GAMES_IN_CPP, GAMES_IN_PYTHON = 1024, 64


def check(peers: Sequence[str]) -> None:
    """Check that the named peers can be measured, before anything else is.

    Raises:
      UsageError: an unknown peer, or one that is not installed.
    """
    for peer in peers:
        if peer not in PEERS:
            raise UsageError(f"--peers {peer}: no such peer; there are: {', '.join(PEERS)}")
        module, extra = PEERS[peer]
        if importlib.util.find_spec(module) is None:
            raise UsageError(
                f"--peers {peer}: {peer} is not installed: pip install 'talonax[{extra}]'"
            )


def count(peers: Sequence[str]) -> int:
    """Return how many contenders the named peers are."""
    each = {"pgx": len(PGX_GAMES), "openspiel": 2 * len(OPENSPIEL_GAMES)}
    return sum(each[peer] for peer in peers)


def contenders(peers: Sequence[str], batch: int) -> list[Contender]:
    """Return what is measured of the named peers."""
    found: list[Contender] = []
    if "pgx" in peers:
        found += [_pgx(game, batch, steps) for game, steps in PGX_GAMES.items()]
    if "openspiel" in peers:
        for game, parameters in OPENSPIEL_GAMES.items():
            found += [_in_cpp(game, parameters), _in_python(game, parameters)]
    return found


# Pgx ----------------------------------------------------------------------------------------------


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


# OpenSpiel ----------------------------------------------------------------------------------------


def _in_cpp(name: str, parameters: dict[str, Any]) -> Contender:
    """`evaluate_bots` with bots that choose uniformly, chance drawn in C++, too."""
    import pyspiel

    game = pyspiel.load_game(name, parameters)
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(game.num_players())]

    def run(key: Array) -> Work:
        first = _seed(key)
        states = [game.new_initial_state() for _ in range(GAMES_IN_CPP)]
        start = time.perf_counter()
        for number, state in enumerate(states):
            pyspiel.evaluate_bots(state, bots, first + number)
        seconds = time.perf_counter() - start
        moves = sum(step.player >= 0 for state in states for step in state.full_history())
        return Work(moves, GAMES_IN_CPP, seconds)

    return Contender(f"openspiel.{name}", "rollout", 1, run)


def _in_python(name: str, parameters: dict[str, Any]) -> Contender:
    """Uniform choices in a loop in Python, the player to move being shown his tensor."""
    import pyspiel

    game = pyspiel.load_game(name, parameters)
    observes = game.get_type().provides_observation_tensor

    def play(rng: random.Random) -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
                continue
            moves += 1
            if observes:
                state.observation_tensor(state.current_player())
            else:
                state.information_state_tensor(state.current_player())
            state.apply_action(rng.choice(state.legal_actions()))
        return moves

    def run(key: Array) -> Work:
        rng = random.Random(_seed(key))
        return Work(sum(play(rng) for _ in range(GAMES_IN_PYTHON)), GAMES_IN_PYTHON)

    return Contender(f"openspiel.{name}.python", "observe", 1, run)


def _seed(key: Array) -> int:
    """Return a number of 30 bits."""
    return int(jax.random.key_data(key)[-1]) >> 2
