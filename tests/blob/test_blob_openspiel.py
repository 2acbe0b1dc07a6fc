"""Fresh games of OpenSpiel's `oh_hell`, move for move on Blob's env: the same hook and scoring.

OpenSpiel turns up a trump, which nobody holds; here a round has the trump of its index, so each
game is played as the round that has the same. With its `off_bid_penalty` a miss costs, where it
counts nothing here; without, a miss counts its tricks: our `score: exact_or_tricks`. Skipped
without the extra `openspiel`.
"""

import random
from typing import Any, NamedTuple

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")

GAMES = 400  # of each number of players: 2,000 in all
BID = 52  # its bid b is the action 52 + b
#: Our round, under the rules' trumps, of the suit of one of its cards.
ROUND_OF = {"C": 2, "D": 3, "S": 0, "H": 1}


class Played(NamedTuple):
    """A game as OpenSpiel has it: who moved, what was legal (bids, then cards), what was done."""

    cards: int
    dealer: int
    trump: str
    hands: list[list[int]]
    seats: list[int]
    legal: list[list[int]]
    actions: list[int]
    returns: list[float]


def play(players: int, tricks: int, penalty: bool, rng: random.Random) -> Played:
    """Play a game at random, its chance too."""
    parameters = {"players": players, "num_tricks_fixed": tricks, "off_bid_penalty": penalty}
    game = pyspiel.load_game("oh_hell", parameters)
    state = game.new_initial_state()
    chance: list[int] = []
    seats, legal, actions = [], [], []
    while not state.is_terminal():
        choices = state.legal_actions()
        action = rng.choice(choices)
        if state.is_chance_node():
            chance.append(action)
        else:
            seats.append(state.current_player())
            legal.append(choices)
            actions.append(action)
        state.apply_action(action)
    # Chance decides the number of tricks, the dealer, the cards one by one, the trump.
    _, dealer, *dealt, trump = chance
    assert len(dealt) == players * tricks
    hands = [dealt[seat::players] for seat in range(players)]
    suit = "CDSH"[trump % 4]
    return Played(tricks, dealer, suit, hands, seats, legal, actions, state.returns())


@pytest.mark.parametrize(
    ("players", "score"),
    [*((players, "exact") for players in range(3, 8)), (4, "exact_or_tricks")],
)
def test_fresh_games(
    make: Any, replay: Any, side_by_side: Any, from_openspiel: Any, players: int, score: str
) -> None:
    rng = random.Random(players)
    most = 51 // players
    games = [play(players, rng.randint(1, most), score == "exact", rng) for _ in range(GAMES)]

    def ours(action: int) -> int:
        return action - BID if action >= BID else int(from_openspiel(action))

    flags = {} if score == "exact" else {"score": score}  # equal flags, one compilation
    env = make(players=players, cards=52 // players, observation="compact", **flags)
    laid = [
        (
            [[ours(card) for card in hand] for hand in each.hands],
            each.dealer,
            ROUND_OF[each.trump],
            0,
            [ours(action) for action in each.actions],
        )
        for each in games
    ]
    seen = replay(env, side_by_side(env, laid))
    for i, each in enumerate(games):
        last = len(each.actions)
        assert last == players * (1 + each.cards)
        assert seen["current_player"][i][: last + 1].tolist() == [*each.seats, -1], each
        for number, legal in enumerate(each.legal):
            allowed = np.flatnonzero(seen["mask"][i][number]).tolist()
            assert allowed == sorted(map(ours, legal)), (number, each)
        assert seen["rewards"][i].sum(axis=0).tolist() == [max(0.0, r) for r in each.returns], each
