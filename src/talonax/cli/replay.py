"""`talonax replay`: walk through one game of a trajectory file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from talonax.cli import output
from talonax.cli.errors import UsageError
from talonax.cli.options import Index, SeatNumber, check_player, one_line

if TYPE_CHECKING:
    from talonax.cli.trajectories import Reader, Recorded
    from talonax.envs.core import Env

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Step:
    """One step of a game that is replayed.

    Attributes:
      player: who acts.
      action: what.
      name: its name.
      rewards: what it earned, by seat.
      after: the state after it.
    """

    player: int
    action: int
    name: str
    rewards: list[float]
    after: Any


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Walk through one game of a file that `talonax selfplay --out` wrote.

    Prints every action by name and the table after it. The game is played again from its deck, and
    it is checked that the file fits the installed rules, that every action is legal and that the
    rewards are the recorded ones.

    Attributes:
      file: The file (.npz).
      game: Which game of the file; the first is 0.
      player: Show the table as this player sees it, instead of all cards.
      json: Print one JSON object instead of text.
    """

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE.npz")]
    game: Index = 0
    player: SeatNumber = None
    json: bool = False

    def run(self) -> int:
        """Replay, and return the exit code."""
        from talonax.cli.trajectories import reading

        with reading(self.file) as reader:
            meta, games = reader.meta, reader.games
            recorded = reader.game(self.game)
            env = env_of(reader)
        check_player(self.player, env.num_players)
        start = dealt(env, recorded)
        steps = self._steps(env, start, recorded)
        if self.json:
            self._print_json(env, meta, start, steps, recorded)
            return 0
        print(
            f"Game {self.game} of {games:,} in {self.file}: {meta['game']}, profile "
            f"{meta['profile']}, played by {', '.join(meta['policies'])}\n"
        )
        print(env.render(start, self.player))
        for number, step in enumerate(steps, start=1):
            print(f"\n{number}. player {step.player}: {step.name}")
            print(env.render(step.after, self.player))
        earned = [f"player {seat} {reward:+g}" for seat, reward in enumerate(recorded.rewards)]
        print(f"\nIn all: {', '.join(earned)}")
        return 0

    def _steps(self, env: "Env[Any]", state: Any, recorded: "Recorded") -> list[Step]:
        """Play the game again; raise a `UsageError` where it is not as recorded."""
        import jax

        step, mask = jax.jit(env.step), jax.jit(env.legal_action_mask)
        where, steps = f"{self.file}: game {self.game}", []
        returns = [0.0] * env.num_players
        moves = zip(recorded.actions, recorded.players, strict=True)
        for number, (action, player) in enumerate(moves, start=1):
            if bool(state.finished):
                raise UsageError(f"{where} goes on after step {number - 1}, where it is over")
            if int(state.current_player) != player:
                raise UsageError(
                    f"{where}, step {number}: player {int(state.current_player)} is to move, the "
                    f"file says {player}"
                )
            if not 0 <= action < env.num_actions or not bool(mask(state)[action]):
                raise UsageError(f"{where}, step {number}: action {action} is not legal")
            name = env.name_in(state, action)
            state = step(state, action)
            rewards = state.rewards.tolist()
            returns = [total + reward for total, reward in zip(returns, rewards, strict=True)]
            steps.append(Step(player, action, name, rewards, state))
        if not bool(state.finished):
            raise UsageError(f"{where} is not over after its last step, {len(steps)}")
        if any(abs(a - b) > TOLERANCE for a, b in zip(returns, recorded.rewards, strict=True)):
            raise UsageError(f"{where} earns {returns}, the file says {recorded.rewards}")
        return steps

    def _print_json(
        self,
        env: "Env[Any]",
        meta: dict[str, Any],
        start: Any,
        steps: list[Step],
        recorded: "Recorded",
    ) -> None:
        output.print_json(
            game=meta["game"],
            profile=meta["profile"],
            rules=meta["rules"],
            index=self.game,
            policies=meta["policies"],
            chance={name: value.tolist() for name, value in recorded.chance.items()},
            view=env.render(start, self.player),
            steps=[
                {
                    "player": step.player,
                    "action": step.action,
                    "name": step.name,
                    "rewards": step.rewards,
                    "view": env.render(step.after, self.player),
                }
                for step in steps
            ],
            rewards=recorded.rewards,
        )


def env_of(reader: "Reader") -> "Env[Any]":
    """Return the game of a file, under the rules that it was played by.

    Raises:
      UsageError: the game or its rules are not what is installed.
    """
    from talonax.envs.registry import make

    meta = reader.meta
    try:
        env = make(meta["game"], **meta["rules"])
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{reader.path}: {one_line(error)}") from None
    installed = env.version, env.rules_hash
    if installed != (meta["version"], meta["rules_hash"]):
        raise UsageError(
            f"{reader.path}: played by version {meta['version']} of {env.id} (rules "
            f"{meta['rules_hash']}, talonax {meta['versions']['talonax']}); installed is version "
            f"{env.version} (rules {env.rules_hash})"
        )
    return env


def dealt(env: "Env[Any]", recorded: "Recorded") -> Any:
    """Return the state that a recorded game starts from."""
    import jax
    import jax.numpy as jnp

    chance = recorded.chance
    if "key" in chance:
        return jax.jit(env.init)(jnp.asarray(chance["key"], jnp.uint32))
    table: dict[str, Any] = {
        name.removeprefix("table_"): int(value)
        for name, value in chance.items()
        if name.startswith("table_")
    }
    return env.deal(chance["deck"], **table)
