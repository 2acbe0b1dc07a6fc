"""One runner on several devices: games are shared out, all else is on each.

Only where things lie is said here (`jax.sharding`); the compiler adds what has to be exchanged,
which are the gradients and the shuffled chunks. The same works with the devices of several
processes after `jax.distributed.initialize`, every process making the same calls.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from talonax.agents.ppo_lstm.learner import Learner, Runner, start

AXIS = "games"


def mesh_of(learner: Learner, devices: Sequence[Any] | None = None) -> Mesh:
    """Return the mesh of `devices`, all that jax sees if None.

    Raises:
      ValueError: the games of a rollout cannot be shared out evenly.
    """
    chosen = list(jax.devices() if devices is None else devices)
    envs = learner.settings.envs
    if envs % len(chosen):
        raise ValueError(
            f"envs: {envs} games cannot be shared by {len(chosen)} devices: must be a multiple"
        )
    return Mesh(np.array(chosen), (AXIS,))


def placed(learner: Learner, mesh: Mesh) -> Runner:
    """Return where each part of a runner lies: a runner of shardings."""
    everywhere = NamedSharding(mesh, PartitionSpec())  # type: ignore[no-untyped-call]
    by_game = NamedSharding(mesh, PartitionSpec(AXIS))  # type: ignore[no-untyped-call]
    like = jax.eval_shape(lambda: start(learner, jax.random.key(0)))
    runner: Runner = jax.tree.map(lambda _: everywhere, like)
    # An opponent's slice of the batch need not be a multiple of the devices: on each.
    table = runner.table._replace(
        states=jax.tree.map(lambda _: by_game, like.table.states),
        carries=jax.tree.map(lambda _: by_game, like.table.carries),
    )
    return runner._replace(table=table)


def start_on(learner: Learner, mesh: Mesh, seed: int) -> Runner:
    """Return the runner before its first update, on the devices of a mesh."""
    begin = jax.jit(lambda key: start(learner, key), out_shardings=placed(learner, mesh))
    runner: Runner = begin(jax.random.key(seed))
    return runner
