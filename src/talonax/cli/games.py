"""`talonax games`: what can be played."""

from dataclasses import dataclass
from typing import Any

from talonax.cli import output


@dataclass(frozen=True, kw_only=True)
class Games:
    """List the games: what they are, how large, and their profiles.

    The first profile of each game is the one that is played when none is named.

    Attributes:
      json: Print one JSON object instead of a table.
    """

    json: bool = False

    def run(self) -> int:
        """List, and return the exit code."""
        from talonax.envs.registry import games

        records = [_record(game) for game in games()]
        if self.json:
            output.print_json(games=records)
            return 0
        for record in records:
            shape = " x ".join(str(size) for size in record["observation_shape"])
            print(record["id"])
            print(f"  {record['summary']}")
            print(
                f"  {record['players']} players, {record['num_actions']} actions, "
                f"observation {shape}, at most {record['max_steps']} steps"
            )
            print(f"  profiles: {', '.join(record['profiles'])}")
        return 0


def _record(game: str) -> dict[str, Any]:
    """Return the entry of a game, under its default profile."""
    from talonax.configs.games import get
    from talonax.envs.registry import make

    env, record = make(game), get(game)
    return {
        "id": game,
        "version": env.version,
        "players": env.num_players,
        "num_actions": env.num_actions,
        "observation_shape": list(env.observation_shape),
        "max_steps": env.max_steps,
        "profiles": list(record.profiles),
        "default_profile": record.default_profile,
        "summary": env.summary,
    }
