"""`talonax show`: deal one game and look at it."""

import json as json_text
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from talonax.cli import output
from talonax.cli.options import GameOptions, SeatNumber, Seed, check_player

if TYPE_CHECKING:
    from talonax.envs.core import Env


@dataclass(frozen=True, kw_only=True)
class Show(GameOptions):
    """Deal one game and print the table as each player sees it.

    Also printed: what the player to move may do, and what an observation is made of.

    Attributes:
      seed: Decides the deal.
      player: Only what this player sees (0 is the first).
      planes: Also print the card planes: suits S H D C by ranks A 2 .. K Joker.
      json: Print one JSON object instead: the deck, the state, the view of every player.
    """

    seed: Seed = 0
    player: SeatNumber = None
    planes: bool = False
    json: bool = False

    def run(self) -> int:
        """Deal, and return the exit code."""
        env = self.env()
        check_player(self.player, env.num_players)

        import jax

        key = jax.random.key(self.seed)
        state = jax.jit(env.init)(key)
        if self.json:
            self._print_json(env, key, state)
            return 0
        seats = range(env.num_players) if self.player is None else (self.player,)
        for seat in seats:
            print(f"What player {seat} sees:\n{env.render(state, seat)}\n")
            if self.planes:
                print(planes(env, state, seat))
        mover = int(state.current_player)
        if mover in seats:
            print(f"Player {mover} may: {', '.join(legal_names(env, state))}\n")
        _print_layout(env)
        return 0

    def _print_json(self, env: "Env[Any]", key: Any, state: Any) -> None:
        from talonax.envs.serialize import to_json

        output.print_json(
            deck=env.deck(key, 0).tolist(),
            state=json_text.loads(to_json(env, state)),
            views=[env.render(state, seat) for seat in range(env.num_players)],
        )


def legal_names(env: "Env[Any]", state: Any) -> list[str]:
    """Return the names of the legal actions."""
    mask = env.legal_action_mask(state).tolist()
    return [env.name_in(state, action) for action, legal in enumerate(mask) if legal]


def planes(env: "Env[Any]", state: Any, seat: int) -> str:
    """Return the card planes of a seat as text, each a grid of suits by ranks."""
    from talonax.envs.planes import RANK_NAMES, SUIT_NAMES

    head = "  " + "".join(f"{name:>3}" for name in RANK_NAMES)
    lines = []
    tensor = env.card_tensor(state, seat).tolist()
    for number, name in enumerate(env.plane_names):
        lines += [name, head]
        for suit, row in zip(SUIT_NAMES, tensor, strict=True):
            lines.append(f" {suit}" + "".join("  #" if cell[number] else "  ." for cell in row))
        lines.append("")
    return "\n".join(lines)


def _print_layout(env: "Env[Any]") -> None:
    entries = env.observation_entries()
    shape = " x ".join(str(size) for size in env.observation_shape)
    print(f"An observation is float32[{shape}]", end="")
    if not entries:
        print(f": the planes {', '.join(env.plane_names)}")
        return
    print(":")
    layout = env.observation_layout()
    rows = [
        (f"{layout[name].start}:{layout[name].stop}", name, meaning) for name, _, meaning in entries
    ]
    output.print_table(("place", "entry", "meaning"), rows)
