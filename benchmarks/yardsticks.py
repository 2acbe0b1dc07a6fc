"""Players of Snapszer against another library's bots: PyPI `schnapsen` 0.0.5, profile `vu`.

That package deals, referees and counts. Every bot plays through a `Mirror`, which carries each move
over into a state of ours; our player is asked there. At the end of a deal both sides must agree on
who won, and for how many points. Each deck is played twice, seats exchanged.

    python benchmarks/yardsticks.py --games 400 --opponents rand bully rdeep --policy runs/a
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from schnapsen.bots import BullyBot, RandBot, RdeepBot
from schnapsen.deck import Card, Rank, Suit
from schnapsen.game import (
    Bot,
    BotState,
    GameState,
    Marriage,
    Move,
    PlayerPerspective,
    RegularMove,
    SchnapsenGamePlayEngine,
    TrumpExchange,
)

import talonax
from talonax.agents.arena import Player
from talonax.agents.players import player
from talonax.envs.snapszer.env import Snapszer
from talonax.envs.snapszer.state import KING, QUEEN

#: Their rules.
ENV = talonax.make("snapszer", profile="vu")
SUITS = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
RANKS = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.JACK)


def card_of(number: int) -> Card:
    """Return their card of our number."""
    suit, rank = divmod(number, len(RANKS))
    return Card.get_card(RANKS[rank], SUITS[suit])


def number_of(card: Card) -> int:
    """Return our number of their card."""
    return SUITS.index(card.suit) * len(RANKS) + RANKS.index(card.rank)


def action_of(env: Snapszer, move: Move) -> int:
    """Return our action of their move; their marriages always lead the king."""
    if move.is_trump_exchange():
        return env.sizes.exchange
    if move.is_marriage():
        return env.sizes.declare + 2 * SUITS.index(move.as_marriage().suit)
    return number_of(move.as_regular_move().card)


def move_of(env: Snapszer, action: int) -> Move:
    """Return their move of our action.

    Raises:
      ValueError: they have no such move.
    """
    if action < env.sizes.num_cards:
        return RegularMove(card_of(action))
    if action == env.sizes.exchange:
        raise ValueError("the exchange needs the trump suit: see Guest.get_move")
    suit, queen = divmod(action - env.sizes.declare, 2)
    if action < env.sizes.declare or queen:
        raise ValueError(f"package schnapsen has no move for action {env.action_name(action)}")
    king = suit * len(RANKS) + KING
    return Marriage(king_card=card_of(king), queen_card=card_of(king - KING + QUEEN))


class Table:
    """One deal in our env, kept in step with theirs."""

    def __init__(self, env: Snapszer, player: Player) -> None:
        self.env, self.player = env, player
        self.state: Any = None
        self.carry: Any = None
        self.keys: Iterator[jax.Array] = iter(())
        self._deal = jax.jit(env.deal)
        self._step = jax.jit(env.step)
        self._choose = jax.jit(self._chosen)

    def _chosen(self, state: Any, carry: Any, key: jax.Array) -> Any:
        env, policy = self.env, self.player.policy
        mask = env.legal_action_mask(state)
        return policy.act(self.player.params, env, policy.see(env, state), mask, carry, key)

    def deal(self, deck: Sequence[int], seed: int) -> None:
        """Lay out a deal; what our player draws in it follows from `seed`."""
        self.state = self._deal(jnp.array(deck, jnp.int32))
        self.carry = self.player.policy.init(self.env)
        self.keys = iter(jax.random.split(jax.random.key(seed), self.env.max_steps))

    def choose(self) -> int:
        """Return the action of our player, who is to move."""
        action, self.carry = self._choose(self.state, self.carry, next(self.keys))
        return int(action)

    def play(self, move: Move) -> None:
        """Carry a move of theirs over."""
        self.state = self._step(self.state, action_of(self.env, move))


class Mirror(Bot):
    """Plays as another bot does, and carries every move over to the table."""

    def __init__(self, inner: Bot, table: Table) -> None:
        super().__init__(str(inner))
        self.inner, self.table = inner, table

    def get_move(self, perspective: PlayerPerspective, leader_move: Move | None) -> Move:
        move = self.inner.get_move(perspective, leader_move)
        self.table.play(move)
        return move


class Guest(Bot):
    """Our player as a bot of theirs: asked at the table, not of their perspective."""

    def __init__(self, name: str, table: Table) -> None:
        super().__init__(name)
        self.table = table

    def get_move(self, perspective: PlayerPerspective, leader_move: Move | None) -> Move:
        env, action = self.table.env, self.table.choose()
        if action == env.sizes.exchange:
            return TrumpExchange(Card.get_card(Rank.JACK, perspective.get_trump_suit()))
        return move_of(env, action)


def play_deal(table: Table, bots: tuple[Bot, Bot], rng: Random) -> int:
    """Play a deal, `bots[0]` leading; return the game points of `bots[0]`.

    Raises:
      AssertionError: the two libraries disagree on the result.
    """
    engine = SchnapsenGamePlayEngine()
    shuffled = engine.deck_generator.shuffle_deck(engine.deck_generator.get_initial_deck(), rng)
    first, second, talon = engine.hand_generator.generateHands(shuffled)
    *stock, turned_up = talon.get_cards()
    order = [*first.get_cards(), *second.get_cards(), turned_up, *stock]
    table.deal([number_of(card) for card in order], rng.getrandbits(31))
    mirrors = Mirror(bots[0], table), Mirror(bots[1], table)
    start = GameState(
        leader=BotState(implementation=mirrors[0], hand=first),
        follower=BotState(implementation=mirrors[1], hand=second),
        talon=talon,
        previous=None,
    )
    winner, points, _ = engine.play_game_from_state(game_state=start, leader_move=None)
    theirs = points if winner is mirrors[0] else -points
    ours = np.asarray(table.state.rewards).tolist()
    assert not bool(table.state.illegal), "one of their moves is illegal here"
    assert bool(table.state.terminated), "the deal is over there and goes on here"
    assert ours == [theirs, -theirs], f"they count {theirs}, we count {ours}"
    return theirs


class Score(NamedTuple):
    """How our player did. `ci95`: of the win rate; `points_ci95`: of the mean game points."""

    opponent: str
    games: int
    win_rate: float
    ci95: tuple[float, float]
    mean_points: float
    points_ci95: tuple[float, float]


def measure(ours: Player, opponent: str, bot: Bot, games: int, seed: int) -> Score:
    """Play `games` deals (an even number: each deck from both seats) against `bot`."""
    table = Table(ENV, ours)
    guest = Guest(ours.name, table)
    points = []
    for deck in range(games // 2):
        points.append(play_deal(table, (guest, bot), Random(seed + deck)))
        points.append(-play_deal(table, (bot, guest), Random(seed + deck)))
    won = np.array(points) > 0
    return Score(
        opponent=opponent,
        games=len(points),
        win_rate=float(won.mean()),
        ci95=interval(won),
        mean_points=float(np.mean(points)),
        points_ci95=interval(np.array(points)),
    )


def interval(values: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return the 95 % interval of the mean; the two deals of one deck are one sample."""
    by_deck = values.reshape(-1, 2).mean(axis=1)
    half = 1.96 * by_deck.std(ddof=1) / math.sqrt(len(by_deck))
    return float(by_deck.mean() - half), float(by_deck.mean() + half)


def opponents(samples: int, depth: int, seed: int) -> dict[str, Bot]:
    """Return their bots by name."""
    return {
        "rand": RandBot(Random(seed)),
        "bully": BullyBot(Random(seed)),
        "rdeep": RdeepBot(num_samples=samples, depth=depth, rand=Random(seed)),
    }


def line(policy: str, score: Score) -> str:
    """Return a score in words."""
    (low, high), (least, most) = score.ci95, score.points_ci95
    return (
        f"{policy} against {score.opponent}: wins {score.win_rate:.1%} [{low:.1%}, {high:.1%}], "
        f"{score.mean_points:+.2f} game points a deal [{least:+.2f}, {most:+.2f}], "
        f"{score.games} deals"
    )


def main() -> None:
    """Print a line a pairing, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400, help="deals against each (even)")
    parser.add_argument("--opponents", nargs="+", default=["rand", "bully", "rdeep"])
    parser.add_argument("--samples", type=int, default=8, help="rdeep: samples a move")
    parser.add_argument("--depth", type=int, default=6, help="rdeep: tricks looked ahead")
    parser.add_argument("--policy", default="greedy", help="a bot, a run folder, a checkpoint")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    bots = opponents(chosen.samples, chosen.depth, chosen.seed)
    unknown = [name for name in chosen.opponents if name not in bots]
    if unknown:
        parser.error(f"no opponent {unknown[0]!r}; there are: {', '.join(bots)}")
    if chosen.games < 4 or chosen.games % 2:
        parser.error(f"--games {chosen.games}: an even number, at least 4")
    try:
        ours = player(ENV, chosen.policy)
    except ValueError as error:
        parser.error(str(error))
    scores = []
    for name in chosen.opponents:
        score = measure(ours, name, bots[name], chosen.games, chosen.seed)
        scores.append(score._asdict())
        if not chosen.json:
            print(line(chosen.policy, score))
    if chosen.json:
        print(json.dumps({"schema": 1, "policy": chosen.policy, "profile": "vu", "rows": scores}))


if __name__ == "__main__":
    main()
