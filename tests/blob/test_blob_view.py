"""The table of Blob as text: literal positions; hidden cards are not shown."""

from textwrap import dedent
from typing import Any

import jax
import numpy as np

HANDS = ("KH 5C AS", "2H QC 9D", "AH KC JD", "3S 4C 2S")


def text(lines: str) -> str:
    return dedent(lines).strip("\n")


def test_bidding(deal: Any) -> None:
    table = deal(*HANDS, dealer=3).do(1, 0)
    assert table.env.render(table.state) == text("""
        Blob   bidding   3 cards   trump ♠   bids 1 of 3
          player 0   AS KH 5C   bid 1, won 0, total 0
          player 1   2H QC 9D   bid 0, won 0, total 0
        > player 2   AH KC JD   no bid yet, total 0
          player 3   3S 2S 4C   no bid yet, total 0, dealer
    """)


def test_the_hooked_bid_is_told_when_the_dealer_is_to_bid(deal: Any) -> None:
    def headline(*bids: int, **flags: Any) -> str:
        table = deal(*HANDS, dealer=3, trump="none", **flags).do(*bids)
        line: str = table.env.render(table.state, 0).splitlines()[0]
        return line.removeprefix("Blob   bidding   3 cards   trump none   bids ")

    assert headline(1, 0, 1) == "2 of 3, the dealer may not bid 1"
    assert headline(1, 0, 2) == "3 of 3, the dealer may not bid 0"
    assert headline(2, 0, 2) == "4 of 3"
    assert headline(1, 0, 1, hook=False) == "2 of 3"


def test_playing_as_a_player_sees_it(deal: Any) -> None:
    """Own hand last; current trick in order of play, the last one by seat."""
    table = deal(*HANDS, dealer=3).do(1, 0, 1, 0, "KH", "2H", "AH", "3S", "4C", "5C")
    assert table.env.render(table.state, 0) == text("""
        Blob   playing   3 cards   trump ♠   bids 2 of 3
        > player 1   ·· ··   bid 0, won 0, total 0
          player 2   ·· ··   bid 1, won 0, total 0
          player 3   ··      bid 0, won 1, total 0, void in ♥, dealer
          player 0   AS      bid 1, won 0, total 0
          trick       3: 4C  0: 5C   player 0 wins so far
          last trick  0: KH  1: 2H  2: AH  3: 3S   player 3 won it
    """)


def test_between_two_tricks(deal: Any) -> None:
    table = deal(*HANDS, dealer=3).do(1, 0, 1, 0, "KH", "2H", "AH", "3S")
    lines = table.env.render(table.state).splitlines()
    assert lines[-2:] == [
        "  trick       player 3 leads",
        "  last trick  0: KH  1: 2H  2: AH  3: 3S   player 3 won it",
    ]


def test_the_end(deal: Any) -> None:
    table = deal("KH", "2H", "AH", "3S", dealer=3).do(0, 0, 0, 0, "KH", "2H", "AH", "3S")
    assert table.env.render(table.state, 2) == text("""
        Blob   over   1 card   trump ♠   bids 0 of 1
          player 3   -   bid 0, won 1, total 0, void in ♥, dealer
          player 0   -   bid 0, won 0, total 10
          player 1   -   bid 0, won 0, total 10
          player 2   -   bid 0, won 0, total 10
          last trick  0: KH  1: 2H  2: AH  3: 3S   player 3 won it
          over: highest total 10: player 0, player 1, player 2
    """)


def test_an_illegal_action(deal: Any) -> None:
    table = deal("KH", "2H", "AH", dealer=2)
    lines = table.env.render(table.tried(2)).splitlines()
    assert lines[0] == "Blob   over   1 card   trump ♠"
    assert lines[-1] == "  an illegal action ended it: 0: -27  1: +13.5  2: +13.5"


def test_a_full_game(make: Any, at: Any) -> None:
    env = make(players=3, cards=2, rounds="full")
    table = at(env, jax.jit(env.deal)(np.arange(52), round=2, scores=np.array([12, 0, 24])))
    assert env.render(table.state, 0) == text("""
        Blob   bidding   1 card   trump ♣   round 3 of 6
          player 1   ··   no bid yet, total 0
          player 2   ··   no bid yet, total 24, dealer
        > player 0   2S   no bid yet, total 12
    """)


def test_hidden_cards_are_not_shown(make: Any, at: Any) -> None:
    """Nor what was not dealt; eight players, all cards of whom have a place."""
    env = make(players=8, cards=6)
    table = at(env, jax.jit(env.deal)(np.arange(52)[::-1]))
    names = [env.action_name(card).split()[-1] for card in range(52)]
    for player in range(8):
        words = env.render(table.state, player).split()
        assert {name for name in names if name in words} == set(table.hand(player))
    words = env.render(table.state).split()
    assert {name for name in names if name not in words} == {"2S", "3S", "4S", "5S"}
