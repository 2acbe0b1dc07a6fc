"""Every flag of Snapszer both ways, on positions built by hand; the field cases A.. by their ids.

A case speaks of its own flags: `talon_size` and the `_min_talon` flags count the turned-up card,
`marriage_without_trick: pending` is our `marriage_points: after_a_trick`, `failed_close` our two
`closer_fail_points`, `closed_stake_reference` our `stake_at`.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.configs.games import load_rules
from talonax.envs.core import Env
from talonax.envs.snapszer.env import Snapszer
from talonax.envs.snapszer.state import Sizes, SnapszerState
from talonax.envs.snapszer.view import card_number, names

#: Cases, or parts of them, that speak of rules that Snapszer does not have here.
OUT_OF_SCOPE = {
    "A09": "closed_play=closer_only: here the opponent's 66 ends a closed deal (other half tested)",
    "A11": "last_trick=plus_10 and its draw at 65 all: here the last trick wins",
    "A24": "snapszer_bid: there is no bidding",
    "A31": "dealer_rule=winner_deals: here the first lead alternates (other half tested)",
}
PENDING = {"marriage_points": "after_a_trick"}
SUITS = "SHDC"


@cache
def compiled(env: Env[Any]) -> Any:
    return jax.jit(env.step), jax.jit(env.legal_action_mask)


@dataclass(frozen=True)
class Table:
    """A position, and its env: what these tests read and play on."""

    env: Snapszer
    state: SnapszerState

    def play(self, *moves: str) -> "Table":
        """Return the table after the actions of these names, each of which must be legal."""
        state = self.state
        for name in moves:
            here = Table(self.env, state)
            assert name in here.legal(), (name, here.legal())
            state = compiled(self.env)[0](state, here.actions()[name])
        return Table(self.env, state)

    def actions(self) -> dict[str, int]:
        return {self.env.action_name(i): i for i in range(self.env.num_actions)}

    def legal(self) -> set[str]:
        mask = np.asarray(compiled(self.env)[1](self.state))
        return {self.env.action_name(int(i)) for i in np.flatnonzero(mask)}

    def hand(self, seat: int) -> set[str]:
        return set(names(self.env.sizes, int(self.state.hands[seat])))

    @property
    def points(self) -> tuple[int, int]:
        return int(self.state.points[0]), int(self.state.points[1])

    @property
    def tricks(self) -> tuple[int, int]:
        return int(self.state.tricks[0]), int(self.state.tricks[1])

    @property
    def to_move(self) -> int:
        return int(self.state.current_player)

    @property
    def over(self) -> bool:
        return bool(self.state.terminated)

    @property
    def paid(self) -> tuple[int, int]:
        """Winner and game points of the deal that the last step ended."""
        rewards = np.asarray(self.state.rewards)
        assert rewards.any()
        assert rewards[0] == -rewards[1]
        return int(rewards.argmax()), int(rewards.max())


def make(profile: str = "hungarian", **flags: Any) -> Snapszer:
    env = talonax.make("snapszer", profile, **flags)
    assert isinstance(env, Snapszer)
    return env


def cards(sizes: Sizes, text: str) -> list[int]:
    return [card_number(sizes, name) for name in text.split()]


def bits(sizes: Sizes, text: str) -> jax.Array:
    return jnp.uint32(sum(1 << card for card in cards(sizes, text)))


def position(
    hands: tuple[str, str],
    trump: str,
    *,
    stock: str = "",
    up: str = "",
    flags: dict[str, Any] | None = None,
    table: str = "",
    leader: int = 0,
    closing: tuple[int, tuple[int, int], tuple[int, int]] | None = None,
    profile: str = "hungarian",
    **pairs: tuple[int, int],
) -> Table:
    """Return a position built by hand.

    `closing` is who closed, and the tricks and points of both then. `pairs` are other fields by
    seat.
    """
    env = make(profile, **(flags or {}))
    sizes = env.sizes
    face_down = cards(sizes, stock)
    turned_up = card_number(sizes, up) if up else SUITS.index(trump) * sizes.hand
    assert sizes.name(turned_up)[1] == trump
    state: Any = env.deal(np.arange(sizes.num_cards))
    changes: dict[str, Any] = {
        "hands": tuple(bits(sizes, hand) for hand in hands),
        "stock": sizes.queue.fill(jnp.array([*face_down, 0], jnp.int32)[: len(face_down)]),
        "stock_left": jnp.int8(len(face_down)),
        "turned_up": jnp.int8(turned_up),
        "leader": jnp.int8(leader),
        "table": jnp.int8(card_number(sizes, table) if table else -1),
        "current_player": jnp.int32(1 - leader if table else leader),
    }
    if closing is not None:
        by, tricks, points = closing
        changes["closed_by"] = jnp.int8(by)
        if state.closed_tricks is not None:
            changes["closed_tricks"] = jnp.int8(tricks[1 - by])
            changes["closed_points"] = jnp.int32(points[1 - by])
    for name, pair in pairs.items():
        old = getattr(state, name)
        changes[name] = tuple(old[i].dtype.type(pair[i]) for i in (0, 1))
    return Table(env, jax.tree.map(jnp.asarray, state.replace(**changes)))


# The field cases ----------------------------------------------------------------------------------


def test_A01_a_marriage_without_a_trick_counts_nothing() -> None:
    table = position(
        ("QH TS JD QD JC", "AS TC KC KD AD"),
        "S",
        flags=PENDING,
        leader=1,
        points=(0, 47),
        tricks=(0, 5),
        pending=(20, 0),
        marriages=(0b0010, 0),
    )
    end = table.play("AS", "TS")
    assert end.points == (0, 68)
    assert end.paid == (1, 3)


def test_A02_pending_points_are_released_once() -> None:
    table = position(
        ("KD QD AC QH TH", "AD JC JH KH AH"),
        "S",
        stock="TS KS QS AS TC KC QC TD JD",
        up="JS",
        flags=PENDING,
    )
    points = []
    for trick in (("KD", "AD"), ("JC", "AC"), ("QH", "JH")):
        table = table.play(*trick)
        points.append(table.points)
    assert points == [(0, 15), (33, 15), (38, 15)]


@pytest.mark.parametrize("declare", ["auto", "optional"])
def test_A03_king_or_queen_of_a_marriage_may_be_led(declare: str) -> None:
    table = position(
        ("KD QD TS JC QH", "JD KH TH AD AS"),
        "C",
        stock="TD",
        up="AC",
        flags={"marriage_declare": declare},
        points=(40, 20),
        tricks=(3, 1),
    )
    prefix = "declare " if declare == "optional" else ""
    assert {f"{prefix}KD", f"{prefix}QD"} <= table.legal()
    king = table.play(f"{prefix}KD", "JD")
    assert king.points == (66, 20)
    assert king.paid == (0, 2)
    queen = table.play(f"{prefix}QD", "JD")
    assert (queen.points, queen.over) == ((65, 20), False)


def test_A04_a_marriage_can_end_the_deal() -> None:
    table = position(
        ("KH QH AS JC TS", "JH AH TH AD AC"),
        "D",
        stock="TD",
        up="KD",
        points=(46, 14),
        tricks=(3, 1),
    )
    end = table.play("QH")
    assert (end.over, end.points, end.paid) == (True, (66, 14), (0, 2))
    assert [len(end.hand(seat)) for seat in (0, 1)] == [5, 5]
    assert int(end.state.stock_left) == 1
    assert int(end.state.leader) == 0


@pytest.mark.parametrize(("stake_at", "points"), [("closing", 3), ("end", 1)])
def test_A05_the_stake_of_a_closed_deal(stake_at: str, points: int) -> None:
    table = position(
        ("AS JH", "TS JC"),
        "D",
        stock="AC",
        flags={"stake_at": stake_at},
        closing=(0, (2, 0), (24, 0)),
        points=(46, 33),
        tricks=(4, 2),
    )
    end = table.play("AS", "TS")
    assert (end.points, end.tricks) == ((67, 33), (5, 2))
    assert end.paid == (0, points)


@pytest.mark.parametrize(("usual", "trickless"), [(2, 3), (3, 3), (2, 2)])
def test_A06_what_a_failed_closing_costs(usual: int, trickless: int) -> None:
    flags = {"closer_fail_points": usual, "closer_fail_points_trickless": trickless}
    one_trick, no_trick = (0, (2, 1), (30, 13)), (0, (2, 0), (30, 0))
    for closing, before, cost in [(one_trick, (4, 3), usual), (no_trick, (3, 3), trickless)]:
        table = position(
            ("QS", "JH"),
            "D",
            stock="AC",
            flags=flags,
            closing=closing,
            points=(56, 35),
            tricks=before,
        )
        end = table.play("QS", "JH")
        assert (end.points, end.tricks) == ((61, 35), (before[0] + 1, 3))
        assert end.paid == (1, cost)


@pytest.mark.parametrize(("beaten", "points"), [("fails", 2), ("normal", 1)])
def test_A08_the_opponent_of_the_closer_reaches_66(beaten: str, points: int) -> None:
    table = position(
        ("TS JH", "AS JC"),
        "D",
        stock="AC",
        flags={"closer_beaten": beaten},
        leader=1,
        closing=(0, (2, 1), (28, 20)),
        points=(40, 45),
        tricks=(3, 3),
    )
    end = table.play("AS", "TS")
    assert (end.points, end.tricks) == ((40, 66), (3, 4))
    assert end.paid == (1, points)


def test_A09_a_closed_deal_ends_at_the_opponents_66() -> None:
    table = position(
        ("QH AC TD", "KS QS JH"),
        "S",
        stock="AH",
        flags={"marriage_when_strict": True},
        leader=1,
        closing=(0, (1, 1), (20, 12)),
        points=(41, 19),
        tricks=(2, 2),
    )
    led = table.play("KS")
    assert (led.points, led.over) == ((41, 59), False)
    end = led.play("QH")
    assert (end.points, end.paid) == ((41, 66), (1, 2))
    assert [len(end.hand(seat)) for seat in (0, 1)] == [2, 2]


def test_A10_the_last_trick_wins_not_the_points() -> None:
    end = position(("JS", "JH"), "D", points=(53, 63), tricks=(4, 5)).play("JS", "JH")
    assert (end.points, end.tricks) == ((57, 63), (5, 5))
    assert (end.paid, int(end.state.leader)) == ((0, 1), 0)


@pytest.mark.parametrize(("min_talon", "expected"), [(2, True), (3, False)])
def test_A12_cards_needed_for_the_exchange(min_talon: int, expected: bool) -> None:
    flags = {"exchange_min_stock": min_talon - 1}
    hands = ("JH AS KD QC TD", "QS JS AC JD QD")
    table = position(hands, "H", stock="TS", up="AH", flags=flags)
    assert ("exchange" in table.legal()) == expected
    assert "exchange" not in position(hands, "H", flags=flags).legal()
    closed = position(hands, "H", stock="TS", up="AH", flags=flags, closing=(0, (0, 0), (0, 0)))
    assert "exchange" not in closed.legal()


def test_A13_the_last_draw_after_an_exchange() -> None:
    table = position(("AS KS QC JH TD", "QS JS AC KD QD"), "H", stock="TS", up="AH")
    exchanged = table.play("exchange")
    assert exchanged.to_move == 0
    assert exchanged.env.sizes.name(int(exchanged.state.turned_up)) == "JH"
    after = exchanged.play("AS", "JS")
    assert after.hand(0) == {"KS", "QC", "TD", "AH", "TS"}
    assert after.hand(1) == {"QS", "AC", "KD", "QD", "JH"}
    assert int(after.state.stock_left) == 0
    assert bool(after.state.strict)
    assert set(names(after.env.sizes, int(after.state.known[1]))) == {"JH"}
    assert set(names(after.env.sizes, int(after.state.known[0]))) == {"AH"}


@pytest.mark.parametrize("declare", ["auto", "optional"])
def test_A14_the_follower_can_only_play_a_card(declare: str) -> None:
    table = position(
        ("AS KS QC AD", "JH KD QD AC JS"),
        "H",
        stock="QS TD JD TC KC",
        up="AH",
        flags={"marriage_declare": declare},
        table="TS",
    )
    assert table.legal() == {"JH", "KD", "QD", "AC", "JS"}
    after = table.play("KD")
    assert (int(after.state.marriages[1]), after.points) == (0, (14, 0))


@pytest.mark.parametrize(
    ("lead", "hand", "replies"),
    [
        ("TS", "JS AH KD QC", "JS"),
        ("TS", "AH JH KD QC", "AH JH"),
        ("TS", "AD KD QC TC", "AD KD QC TC"),
        ("KH", "QH JH AS TS", "QH JH"),
        ("KH", "AS TS KD QC", "AS TS KD QC"),
    ],
)
def test_A15_suit_must_be_followed_or_trumped(lead: str, hand: str, replies: str) -> None:
    assert position(("", hand), "H", table=lead).legal() == set(replies.split())
    closed = position(("", hand), "H", stock="AC", table=lead, closing=(0, (0, 0), (0, 0)))
    assert closed.legal() == set(replies.split())


@pytest.mark.parametrize(
    ("lead", "hand", "replies"),
    [
        ("QS", "KS JS AH TD", "KS"),
        ("KS", "TS AS QS AH", "TS AS"),
        ("TS", "KS QS AH JH", "KS QS"),
        ("JH", "QH TH AS KD", "QH TH"),
    ],
)
def test_A16_the_lead_must_be_beaten_in_its_suit(lead: str, hand: str, replies: str) -> None:
    assert position(("", hand), "H", table=lead).legal() == set(replies.split())


@pytest.mark.parametrize(
    ("reply", "winner", "points"), [("AD", 0, 13), ("TS", 1, 12), ("JH", 1, 4)]
)
def test_A17_no_duties_while_the_talon_is_open(reply: str, winner: int, points: int) -> None:
    table = position(
        ("AS KS QS AC", "AD TS JH KC QC"),
        "H",
        stock="KD QD JD TC JC TD TH KH QH",
        up="AH",
        table="JS",
    )
    assert len(table.legal()) == 5
    after = table.play(reply)
    assert after.points[winner] == sum(after.points) == points
    assert after.tricks[winner] == 1


@pytest.mark.parametrize(("min_talon", "last"), [(2, 2), (3, 4), (4, 4)])
def test_A18_cards_needed_for_closing(min_talon: int, last: int) -> None:
    face_down = ["AS", "TS", "KS", "QS", "JS", "AD", "TD", "KD", "QD"]
    for talon in (10, 8, 6, 4, 2, 0):
        table = position(
            ("KC QC", "JC TC"),
            "H",
            stock=" ".join(face_down[: talon - 1] if talon else []),
            up="AH",
            flags={"close_min_stock": min_talon - 1},
        )
        assert ("close" in table.legal()) == (talon >= last), talon


def test_A19_nobody_draws_after_the_trick_that_makes_66() -> None:
    table = position(
        ("AS TC JC AD TD", "JS KC QC KD QD"),
        "H",
        stock="TS JD QS",
        up="AH",
        points=(60, 14),
        tricks=(2, 1),
        marriages=(0b0010, 0),
    )
    end = table.play("AS", "JS")
    assert (end.points, end.paid) == ((73, 14), (0, 2))
    assert [len(end.hand(seat)) for seat in (0, 1)] == [4, 4]
    assert int(end.state.stock_left) + 1 == 4


def test_A20_a_trick_of_nines_is_a_trick() -> None:
    flags = {"nines": True, **PENDING}
    table = position(("AS JC", "9H KC"), "S", flags=flags, points=(59, 0), tricks=(5, 1))
    end = table.play("AS", "9H")
    assert (end.points, end.tricks) == ((70, 0), (6, 1))
    assert end.paid == (0, 2)
    variant_b = position(
        ("AD TD JD AC TC QC", "KH QH AH TH JD JC"),
        "S",
        stock="TS KS QS",
        up="AS",
        flags=flags,
        leader=1,
        points=(30, 0),
        tricks=(2, 1),
    )
    assert variant_b.play("KH").points == (30, 20)


@pytest.mark.parametrize(("allowed", "points"), [(True, 33), (False, 13)])
@pytest.mark.parametrize("stock", ["JD JC KC QC TH", ""])
def test_A21_a_marriage_after_closing(allowed: bool, points: int, stock: str) -> None:
    table = position(
        ("KD QD AC", "AD TD TC"),
        "S",
        stock=stock,
        up="AS",
        flags={"marriage_when_strict": allowed},
        closing=(1, (1, 2), (13, 22)) if stock else None,
        points=(13, 22),
        tricks=(1, 2),
    )
    after = table.play("KD")
    assert after.points == (points, 22)
    assert (int(after.state.marriages[0]) == 0b0100) == allowed
    optional = {"marriage_when_strict": allowed, "marriage_declare": "optional"}
    hands = ("KD QD AC", "AD TD TC")
    declaring = position(hands, "S", flags=optional, points=(13, 22), tricks=(1, 2))
    assert ({"declare KD", "declare QD"} <= declaring.legal()) == allowed


@pytest.mark.parametrize(("lead", "points"), [("KH", 32), ("QD", 52)])
def test_A22_a_lead_scores_the_pair_of_its_own_suit(lead: str, points: int) -> None:
    table = position(
        ("KH QH KD QD AS", "AH TH JH TS JS"),
        "D",
        stock="KS QS AC TC KC QC JC",
        up="AD",
        points=(12, 0),
        tricks=(1, 0),
    )
    assert table.play(lead).points == (points, 0)


def test_A23_announcing_by_itself_or_by_choice() -> None:
    hands = ("KH QH AS TS JD", "AH TH JH QS JS")
    rest: dict[str, Any] = {
        "stock": "KS AD TD KD QD AC TC",
        "up": "KC",
        "points": (5, 0),
        "tricks": (1, 0),
    }
    automatic = position(hands, "C", **rest)
    assert {name for name in automatic.legal() if "QH" in name} == {"QH"}
    assert automatic.play("QH").points == (25, 0)
    optional = position(hands, "C", flags={"marriage_declare": "optional"}, **rest)
    assert {name for name in optional.legal() if "QH" in name} == {"QH", "declare QH"}
    assert optional.play("QH").points == (5, 0)
    assert optional.play("declare QH").points == (25, 0)


def test_A25_the_cards_won_and_the_closed_talon_make_120() -> None:
    """Random play of one closed deal: what is won with what lies in the talon is 120 in the end."""
    table = position(
        ("AS KS JS JC JH", "QS AD TD KC QH"),
        "H",
        stock="TS QC JD",
        up="KH",
        closing=(0, (1, 2), (0, 0)),
        points=(0, 0),
        tricks=(1, 2),
    )
    values = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
    captured = sum(
        values[name[0]] for name in ["AS", "KS", "JS", "JC", "JH", "QS", "AD", "TD", "KC", "QH"]
    )
    talon_and_before = 120 - captured
    rng = np.random.default_rng(0)
    played_out = 0
    for _ in range(40):
        end = table
        while not end.over:
            end = end.play(str(rng.choice(sorted(end.legal()))))
        held = sum(values[name[0]] for seat in (0, 1) for name in end.hand(seat))
        assert sum(end.points) + held + talon_and_before == 120
        played_out += held == 0
    assert played_out


@pytest.mark.parametrize(
    ("points", "tricks", "game_points"),
    [(0, 0, 3), (4, 1, 2), (32, 3, 2), (33, 3, 1), (65, 5, 1)],
)
def test_A28_thresholds(points: int, tricks: int, game_points: int) -> None:
    hands = ("AS JC", "TS JH")
    end = position(hands, "D", points=(45, points), tricks=(4, tricks)).play("AS", "TS")
    assert end.points == (66, points)
    assert end.paid == (0, game_points)
    less = position(hands, "D", points=(44, points), tricks=(4, tricks)).play("AS", "TS")
    assert (less.points, less.over) == ((65, points), False)


def test_A29_several_actions_on_one_lead() -> None:
    """The case announces after closing, which needs `marriage_when_strict` here."""
    flags = {"close_min_stock": 1, "marriage_when_strict": True}
    hands = ("JH KH AS TS JD", "AD TD KD QD AC")
    talon: dict[str, Any] = {"stock": "TC KC QC JC KS", "up": "QH"}
    table = position(hands, "H", flags=flags, **talon)
    exchanged = table.play("exchange")
    assert exchanged.to_move == 0
    closed = exchanged.play("close")
    assert closed.to_move == 0
    assert closed.play("KH").points == (40, 0)
    assert "exchange" not in table.play("close").legal()
    assert "close" not in table.play("close").legal()
    by_default = position(hands, "H", **talon).play("exchange", "close", "KH")
    assert by_default.points == (0, 0)


def test_A31_the_end_of_a_match() -> None:
    rest: dict[str, Any] = {"points": (45, 0), "tricks": (4, 0), "flags": {"match": 7}}
    end = position(("AS JC", "TS JH"), "D", scores=(6, 5), **rest).play("AS", "TS")
    assert (end.over, end.paid) == (True, (0, 3))
    assert [int(score) for score in end.state.scores or ()] == [9, 5]
    on = position(("AS JC", "TS JH"), "D", scores=(3, 5), **rest).play("AS", "TS")
    assert (on.over, on.paid) == (False, (0, 3))
    assert [int(score) for score in on.state.scores or ()] == [6, 5]
    assert (int(on.state.deal_no), on.points, on.tricks) == (1, (0, 0), (0, 0))


# Flags that no case speaks of ---------------------------------------------------------------------


def test_closing_may_be_forbidden() -> None:
    hands, rest = ("AS KS QC JH TD", "QS JS AC KD QD"), "TS AH TH KH QH"
    assert "close" in position(hands, "C", stock=rest, up="TC").legal()
    forbidden = position(hands, "C", stock=rest, up="TC", flags={"closing": False})
    assert "close" not in forbidden.legal()
    assert bool(compiled(forbidden.env)[0](forbidden.state, 21).illegal)


@pytest.mark.parametrize("minimum", [0, 1])
def test_the_exchange_always_needs_a_face_down_card(minimum: int) -> None:
    hands = ("JH AS KD QC TD", "QS JS AC JD QD")
    flags = {"exchange_min_stock": minimum}
    assert "exchange" in position(hands, "H", stock="TS", up="AH", flags=flags).legal()
    assert "exchange" not in position(hands, "H", flags=flags).legal()


@pytest.mark.parametrize(
    ("when", "points"), [("at_once", 20), ("after_a_trick", 0), ("next_trick", 0)]
)
def test_when_a_first_marriage_is_credited(when: str, points: int) -> None:
    table = position(
        ("KD QD AC QH TH", "AD JC JH KH AH"),
        "S",
        stock="TS KS QS AS TC KC QC TD JD",
        up="JS",
        flags={"marriage_points": when},
    )
    assert table.play("KD").points == (points, 0)
    assert table.play("KD", "AD").points == (points, 15)
    assert table.play("KD", "AD", "JC", "AC").points == (33, 15)


@pytest.mark.parametrize(("when", "points"), [("after_a_trick", 25), ("next_trick", 5)])
def test_a_later_marriage(when: str, points: int) -> None:
    """With a trick won it counts at once, or waits for the next trick."""
    table = position(
        ("KD QD AC QH TH", "AD JC JH KH AH"),
        "S",
        stock="TS KS QS AS TC KC QC",
        up="JS",
        flags={"marriage_points": when},
        points=(5, 0),
        tricks=(1, 0),
    )
    assert table.play("KD").points == (points, 0)
    assert table.play("KD", "JC").points == (5 + 20 + 6, 0)


def test_pending_points_are_lost_without_a_trick() -> None:
    table = position(
        ("QD JH", "AD JC"),
        "S",
        flags={"marriage_points": "next_trick"},
        leader=1,
        points=(50, 50),
        tricks=(4, 4),
        pending=(20, 0),
    )
    end = table.play("AD", "QD", "JC", "JH")
    assert (end.points, end.paid) == ((50, 68), (1, 1))


@pytest.mark.parametrize(("lead", "king", "queen"), [("either", 20, 20), ("king", 20, 0)])
def test_which_card_scores_a_marriage(lead: str, king: int, queen: int) -> None:
    hands, stock = ("KD QD AC QH TH", "AD JC JH KH AH"), "TS KS QS AS TC KC QC TD JD"
    table = position(hands, "S", stock=stock, up="JS", flags={"marriage_lead": lead})
    assert table.play("KD").points == (king, 0)
    assert table.play("QD").points == (queen, 0)
    flags = {"marriage_lead": lead, "marriage_declare": "optional"}
    declared = {
        name
        for name in position(hands, "S", stock=stock, up="JS", flags=flags).legal()
        if name.startswith("declare")
    }
    assert declared == {"declare KD"} | ({"declare QD"} if queen else set())


def test_66_is_looked_at_after_marriages_or_after_tricks_alone() -> None:
    rest: dict[str, Any] = {"stock": "TD", "up": "KD", "points": (46, 60), "tricks": (3, 1)}
    hands = ("KH QH AS JC TS", "JH AH TH AD AC")
    at_once = position(hands, "D", **rest).play("QH")
    assert (at_once.over, at_once.paid) == (True, (0, 1))
    waits = position(hands, "D", flags={"sixty_six": "after_trick"}, **rest).play("QH")
    assert (waits.over, waits.points) == (False, (66, 60))
    # both have 66 when the trick completes: its winner wins
    assert waits.play("AH").points == (66, 74)
    assert waits.play("AH").paid == (1, 1)
    # its winner has not: the other wins
    poor = position(hands, "D", flags={"sixty_six": "after_trick"}, **{**rest, "points": (46, 20)})
    assert poor.play("QH", "AH").paid == (0, 1)


@pytest.mark.parametrize(
    ("when", "tricks", "points", "paid"),
    [
        ("no_trick", 0, 20, 3),
        ("no_points", 0, 20, 2),
        ("no_trick", 1, 0, 2),
        ("no_points", 1, 0, 3),
    ],
)
def test_what_the_loser_must_lack_to_lose_three(
    when: str, tricks: int, points: int, paid: int
) -> None:
    """With nines a trick can be worth nothing; a marriage counts without a trick."""
    table = position(
        ("AS JC", "TS JH"),
        "D",
        flags={"nines": True, "three_when": when},
        points=(45, points),
        tricks=(4, tricks),
    )
    assert table.play("AS", "TS").paid == (0, paid)


@pytest.mark.parametrize(("flag", "points"), [("wins", 2), ("wins_one", 1)])
def test_what_the_last_trick_is_worth(flag: str, points: int) -> None:
    table = position(("JS", "JH"), "D", flags={"last_trick": flag}, points=(53, 30), tricks=(4, 5))
    assert table.play("JS", "JH").paid == (0, points)


def test_a_failed_closing_is_not_the_last_tricks_one_point() -> None:
    flags = {"last_trick": "wins_one", "closer_fail_points": 3}
    table = position(
        ("JS", "JH"),
        "D",
        stock="AC",
        flags=flags,
        closing=(0, (2, 1), (9, 9)),
        points=(53, 30),
        tricks=(4, 5),
    )
    assert table.play("JS", "JH").paid == (1, 3)


def test_a_beaten_closer_pays_by_the_table_or_fails() -> None:
    rest: dict[str, Any] = {
        "stock": "AC",
        "leader": 1,
        "closing": (0, (2, 0), (28, 0)),
        "points": (20, 45),
        "tricks": (3, 3),
    }
    for beaten, trickless, points in [("fails", 3, 3), ("normal", 3, 2)]:
        flags = {"closer_beaten": beaten, "closer_fail_points_trickless": trickless}
        end = position(("TS JH", "AS JC"), "D", flags=flags, **rest).play("AS", "TS")
        assert end.paid == (1, points)


def test_the_stake_at_closing_is_for_the_closers_win_alone() -> None:
    """If the opponent wins by the table (`closer_beaten: normal`), his own win is what it is."""
    flags = {"stake_at": "closing", "closer_beaten": "normal"}
    table = position(
        ("TS JH", "AS JC"),
        "D",
        stock="AC",
        flags=flags,
        leader=1,
        closing=(0, (0, 0), (0, 0)),
        points=(40, 45),
        tricks=(3, 3),
    )
    assert table.play("AS", "TS").paid == (1, 1)


def test_nines() -> None:
    env = make(nines=True)
    assert (env.sizes.num_cards, env.num_actions, env.sizes.tricks) == (24, 26, 12)
    assert [env.action_name(i) for i in (0, 5, 6, 23, 24, 25)] == [
        "AS",
        "9S",
        "AH",
        "9C",
        "exchange",
        "close",
    ]
    state: Any = env.deal(np.arange(24))
    table = Table(env, state)
    assert table.hand(0) == {"AS", "TS", "KS", "QS", "JS", "9S"}
    assert env.sizes.name(int(state.turned_up)) == "AD"
    assert int(state.stock_left) == 11
    held = position(("9D AS", "JD TS"), "D", stock="TH KH QH", up="AD", flags={"nines": True})
    assert "exchange" in held.legal()
    assert held.play("exchange").hand(0) == {"AD", "AS"}
    jack = position(("JD AS", "9D TS"), "D", stock="TH KH QH", up="AD", flags={"nines": True})
    assert "exchange" not in jack.legal()
    assert env.observation_shape == (4 * 24 - 24 + 20 + 4 * 24 + 10,)


@pytest.mark.parametrize(("first", "leader"), [(0, 0), (1, 1)])
def test_first_leader(first: int, leader: int) -> None:
    env = make(first_leader=first)
    state: Any = env.deal(np.arange(20))
    assert (int(state.current_player), int(state.leader)) == (leader, leader)
    assert int(env.init(jax.random.key(3)).current_player) == leader


def test_a_random_first_leader_is_drawn_from_the_key() -> None:
    env = make(first_leader="random")
    keys = jax.random.split(jax.random.key(0), 1000)
    leaders = np.asarray(jax.jit(jax.vmap(env.init))(keys).current_player)
    assert abs(leaders.mean() - 0.5) < 4 * 0.5 / 1000**0.5
    again = np.asarray(jax.jit(jax.vmap(env.init))(keys).current_player)
    np.testing.assert_array_equal(leaders, again)


# Profiles -----------------------------------------------------------------------------------------


def test_profiles_are_the_flags_that_the_rules_name() -> None:
    default = load_rules("snapszer")
    assert load_rules("snapszer", "hungarian") == default

    def differs(profile: str) -> dict[str, Any]:
        rules = load_rules("snapszer", profile)
        return {k: v for k, v in vars(rules).items() if v != getattr(default, k)}

    assert differs("base") == {"closer_beaten": "normal"}
    assert differs("austrian") == {
        "marriage_when_strict": True,
        "marriage_points": "after_a_trick",
        "closer_fail_points_trickless": 3,
        "stake_at": "closing",
        "exchange_min_stock": 2,
    }
    assert differs("vu") == {
        "closing": False,
        "marriage_when_strict": True,
        "marriage_points": "next_trick",
        "marriage_declare": "optional",
        "marriage_lead": "king",
        "sixty_six": "after_trick",
        "three_when": "no_points",
        "last_trick": "wins_one",
    }


def test_every_shared_case_is_tested_or_out_of_scope(shared: Path) -> None:
    cases = json.loads((shared / "cases" / "rule_cases.json").read_text())
    ids = {case["id"] for case in cases if case["game"] == "snapszer"}
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_A")}
    assert tested | set(OUT_OF_SCOPE) == ids
    assert all(OUT_OF_SCOPE.values())
