"""What a player of Blob sees on the env: every index of the page, by literal positions."""

from itertools import product
from typing import Any

import jax
import numpy as np
import pytest

# Three players of two cards; seat 0 begins, seat 2 deals; hearts are trumps.
HANDS = ("AS 3H", "KS QH", "2C AH")


def start(deal: Any, **flags: Any) -> Any:
    return deal(*HANDS, dealer=2, trump="H", **flags)


# The compact part ---------------------------------------------------------------------------------


def test_the_deal(deal: Any, ids: Any) -> None:
    """Everything that is not zero, for every seat."""
    table = start(deal)
    nobody_bid = {156: -1.0, 157: -1.0, 158: -1.0, 172: -1.0}
    common = {174: 2 / 13, 177: 3 / 8, 179: 1.0, 183: 1.0, 186: 2 / 13, **nobody_bid}
    own = [
        {176: 1 / 3, 192: 1 / 13, 193: 1 / 13, 196: 1.0, 200: 1 / 12, 201: -1.0},
        {176: 2 / 3, 192: 1 / 13, 193: 1 / 13, 196: 0.5, 200: 10 / 12, 201: -1.0},
        {182: 1.0, 193: 1 / 13, 194: 1 / 13, 197: 1.0, 200: 1.0, 201: 1.0},
    ]
    for seat, hand in enumerate(HANDS):
        wanted = {**dict.fromkeys(ids(hand), 1.0), **common, 191: 1 / 13, **own[seat]}
        assert table.sees(seat, 0, 255) == pytest.approx(wanted)


def test_bids(deal: Any) -> None:
    one = start(deal).do(1)
    assert one.sees(1, 156, 173) == {156: 0.5, 157: -1.0, 158: -1.0, 172: -1.0}
    assert one.sees(0, 156, 173) == {156: 0.5, 157: -1.0, 158: -1.0, 172: 0.5}
    assert one.sees(0, 189, 189) == {189: -0.5}
    none = start(deal).do(0)  # a bid of nothing is not no bid
    assert none.sees(1, 156, 173) == {157: -1.0, 158: -1.0, 172: -1.0}
    assert none.sees(0, 156, 173) == {157: -1.0, 158: -1.0}
    assert none.sees(0, 189, 189) == {}
    done = start(deal).do(1, 0, 2)
    assert done.sees(1, 156, 173) == {156: 0.5, 158: 1.0}
    assert done.sees(2, 182, 185) == {184: 1.0}


@pytest.mark.parametrize(
    ("bids", "forbidden"), [((), 1.0), ((1,), 0.5), ((1, 1), 0.0), ((2, 1), -1.0), ((0, 0), 1.0)]
)
def test_the_hook(deal: Any, bids: tuple[int, ...], forbidden: float) -> None:
    """Seen by the dealer alone, while the bids go round; -1 if nothing is forbidden."""
    seen = {201: forbidden} if forbidden else {}
    assert start(deal).do(*bids).sees(2, 201, 201) == seen
    assert start(deal).do(*bids).sees(0, 201, 201) == {201: -1.0}
    assert start(deal, hook=False).do(*bids).sees(2, 201, 201) == {201: -1.0}


def test_no_hook_once_all_have_bid(deal: Any) -> None:
    assert start(deal).do(1, 0, 2).sees(2, 201, 201) == {201: -1.0}


def test_an_open_trick(deal: Any) -> None:
    table = start(deal).do(1, 0, 2, "AS", "KS")
    laid = {52 + 12: 1.0, 52 + 11: 2.0, 104 + 12: 1.0, 104 + 11: 1.0}
    for seat in range(3):
        assert table.sees(seat, 52, 155) == laid
        assert table.sees(seat, 190, 190) == {190: pytest.approx(2 / 3)}
        assert table.sees(seat, 175, 175) == table.sees(seat, 188, 188) == {}
    assert table.sees(0, 0, 51) == {14: 1.0}
    assert table.sees(0, 186, 187) == pytest.approx({186: 1 / 13, 187: 1 / 13})
    assert table.sees(2, 186, 187) == pytest.approx({186: 2 / 13})


def test_the_order_of_play_is_that_of_the_trick(deal: Any) -> None:
    """Seat 3 leads: its card is 1.0, that of seat 0 is 2.0."""
    table = deal("2S", "3S", "4S", "5S", dealer=2).do(0, 0, 0, 0, "5S", "2S", "3S")
    assert table.sees(1, 52, 103) == {52 + 3: 1.0, 52 + 0: 2.0, 52 + 1: 3.0}


def test_a_trick_won(deal: Any, ids: Any) -> None:
    table = start(deal).do(1, 0, 2, "AS", "KS", "AH")
    assert table.sees(0, 52, 155) == {104 + card: 1.0 for card in ids("AS KS AH")}
    assert table.sees(2, 164, 173) == {166: 0.5, 172: 1.0, 173: 0.5}
    assert table.sees(0, 164, 173) == {166: 0.5, 172: 0.5}
    assert table.sees(2, 174, 175) == pytest.approx({174: 2 / 13, 175: 0.5})
    assert table.sees(2, 188, 190) == {188: 0.5, 189: -0.5}
    assert table.sees(2, 191, 200) == pytest.approx({194: 1 / 13})


@pytest.mark.parametrize(
    ("trump", "index"), [("S", 178), ("H", 179), ("C", 180), ("D", 181), ("none", None)]
)
def test_trumps(deal: Any, trump: str, index: int | None) -> None:
    table = deal("AS KS QH", "2S 3S 4S", "KC QC 2D", dealer=0, trump=trump)
    assert table.sees(0, 178, 181) == ({index: 1.0} if index else {})
    kinds = {192: 2 / 13, 193: 1 / 13, 196: 1.0}
    own = {"S": {191: 2 / 13, 200: 11.5 / 12}, "H": {191: 1 / 13, 200: 10 / 12}}.get(trump, {})
    assert table.sees(0, 191, 200) == pytest.approx({**kinds, **own})
    assert table.sees(2, 192, 199) == pytest.approx({194: 2 / 13, 195: 1 / 13, 198: 0.5})


def test_the_end(deal: Any) -> None:
    table = start(deal).do(1, 0, 2, "AS", "KS", "AH", "2C", "3H", "QH")
    assert table.sees(1, 0, 103) == {}
    assert table.sees(1, 156, 201) == pytest.approx(
        {
            **{156: 0.5, 158: 1.0, 165: 0.5, 166: 0.5, 173: 0.5, 174: 2 / 13, 175: 1.0},
            **{176: 2 / 3, 177: 3 / 8, 179: 1.0, 185: 1.0, 187: 2 / 13, 188: 1.0},
            **{189: 0.5, 201: -1.0},
        }
    )


@pytest.mark.parametrize("players", range(3, 9))
def test_seats(deal: Any, players: int) -> None:
    """Absent seats are zero; the place is counted from the dealer."""
    hands = [f"{rank}S" for rank in "23456789"[:players]]
    table = deal(*hands, dealer=1)
    for seat in range(players):
        place = (seat - 1) % players / players
        wanted = {176: place, 177: players / 8} if place else {177: players / 8}
        assert table.sees(seat, 176, 177) == pytest.approx(wanted)
        assert table.sees(seat, 156, 171) == dict.fromkeys(range(156, 156 + players), -1.0)


def test_a_single_round_tells_nothing_of_a_game(make: Any, at: Any) -> None:
    env = make(players=4, cards=13)
    table = at(env, jax.jit(env.deal)(np.arange(52), round=3, scores=np.full(4, 9)))
    assert table.sees(1, 202, 255) == {}


@pytest.mark.parametrize(
    ("done", "ones", "stage"),
    [(0, 1.0, 0), (1, 1.0, 0), (2, 1.0, 0.5), (3, 2 / 3, 0.5), (4, 1 / 3, 0.5), (5, 0, 1)],
)
def test_a_full_game(make: Any, at: Any, done: int, ones: float, stage: float) -> None:
    """Plan: 2 1, 1 1 1, 2."""
    env = make(players=3, cards=2, rounds="full")
    table = at(env, jax.jit(env.deal)(np.arange(52), round=done, scores=np.array([12, 0, 24])))
    sizes = [1.0, 0.5, 0.5, 0.5, 0.5][:done]
    told = {
        202: 12 / (done * 12) if done else 0.0,
        204: 24 / (done * 12) if done else 0.0,
        **{210: done / 6, 211: 1 - done / 6, 212: ones, 213: stage, 229: 3 / 8, 230: 2 / 8},
        **{214 + number: size for number, size in enumerate(sizes)},
    }
    told = {index: value for index, value in told.items() if value}
    for seat in range(3):
        assert table.sees(seat, 202, 255) == pytest.approx(told)


def test_a_full_game_at_its_end(make: Any, at: Any) -> None:
    env = make(players=3, cards=1, rounds="full")
    # round 3 is the last of four
    state = jax.jit(env.deal)(np.arange(52), round=3, dealer=2, scores=np.array([11, 0, 22]))
    table = at(env, state).do(0, 0, 0, "2S", "3S", "4S")
    assert table.facts["scores"] == [21, 10, 22]
    told = {202: 21 / 44, 203: 10 / 44, 204: 22 / 44, 210: 1.0, 213: 1.0, 229: 3 / 8, 230: 1 / 8}
    told |= dict.fromkeys(range(214, 218), 1.0)
    for seat in range(3):
        assert table.sees(seat, 202, 255) == pytest.approx(told)


def test_only_the_last_15_rounds_are_told(make: Any, at: Any) -> None:
    env = make(players=8, cards=6, rounds="full")
    table = at(env, jax.jit(env.deal)(np.arange(52), round=17))
    told = [4, 3, 2, *[1] * 9, 2, 3, 4]
    assert table.sees(0, 214, 228) == pytest.approx(
        {214 + number: size / 6 for number, size in enumerate(told)}
    )


# What the full layout adds ------------------------------------------------------------------------


def test_full_begins_with_compact(make: Any, deal: Any) -> None:
    table = start(deal).do(1, 0, 2, "AS", "KS")
    compact = make(players=3, cards=17, observation="compact")
    observe = jax.jit(compact.observe)
    for seat in range(3):
        seen = observe(table.state, seat)
        told = {index: float(value) for index, value in enumerate(seen) if value}
        assert seen.shape == (256,)
        assert table.sees(seat, 0, 255) == told


@pytest.mark.parametrize("players", [3, 8])
def test_the_own_seat(deal: Any, players: int) -> None:
    table = deal(*(f"{rank}S" for rank in "23456789"[:players]), dealer=1)
    for seat in range(players):
        assert table.sees(seat, 256, 263) == {256 + seat: 1.0}


def test_voids_and_cards_by_seat(deal: Any) -> None:
    """56 entries a seat, from the left neighbour on: four suits, then 52 cards."""
    table = start(deal).do(1, 0, 2, "AS", "KS", "AH")
    first, second = 264, 320
    assert table.sees(0, 264, 375) == {
        first + 4 + 11: 1.0,
        **{second + 0: 1.0, second + 4 + 25: 1.0},
    }
    assert table.sees(1, 264, 375) == {
        **{first + 0: 1.0, first + 4 + 25: 1.0},
        second + 4 + 12: 1.0,
    }
    assert table.sees(2, 264, 375) == {first + 4 + 12: 1.0, second + 4 + 11: 1.0}


@pytest.mark.parametrize(("led", "suit"), [("2S", 0), ("2H", 1), ("2C", 2), ("2D", 3)])
def test_the_suit_shown_void(deal: Any, led: str, suit: int) -> None:
    other = "AH" if led == "2S" else "AS"
    table = deal(led, other, f"3{led[1]}", dealer=2, hook=False).do(0, 0, 0, led, other)
    assert table.sees(0, 264, 267) == {264 + suit: 1.0}
    assert table.sees(0, 320, 323) == {}
    assert table.facts["voids"] == [0, 2**suit, 0]


def test_the_layout_has_a_name_for_everything(make: Any) -> None:
    env = make(players=5, cards=4)
    layout = env.observation_layout()
    stop = 0
    for name, part in layout.items():
        assert part.start == stop, name
        stop = part.stop
    assert (stop,) == env.observation_shape
    named = {"trump": 178, "phase": 183, "forbidden": 201, "totals": 202, "spare": 231, "seat": 256}
    assert {name: layout[name].start for name in named} == named
    assert layout["played_4"] == slice(264 + 3 * 56 + 4, 264 + 4 * 56)


# Planes and facts ---------------------------------------------------------------------------------

#: Row of each of our suits and column of each of our ranks in the grid that all games share.
GRID_ROWS = {"S": 0, "H": 1, "D": 2, "C": 3}
GRID_COLUMNS = {rank: column for column, rank in enumerate("A23456789TJQK")}


def test_planes(deal: Any) -> None:
    table = start(deal).do(1, 0, 2, "AS", "KS", "AH", "2C")
    env, look = table.env, jax.jit(table.env.card_tensor)
    names = [rank + suit for rank, suit in product("23456789TJQKA", "SHCD")]
    for seat, hand in enumerate(("3H", "QH", "")):
        planes = np.asarray(look(table.state, seat))
        assert planes.shape == (4, 14, 5)
        shown = {
            plane: {
                name for name in names if planes[GRID_ROWS[name[1]], GRID_COLUMNS[name[0]], number]
            }
            for number, plane in enumerate(env.plane_names)
        }
        assert sum(map(len, shown.values())) == planes.sum()  # nothing in a cell without card
        assert shown["my_hand"] == set(hand.split())
        assert (shown["table"], shown["played"]) == ({"2C"}, {"AS", "KS", "AH"})
        assert shown["trump"] == {name for name in names if name[1] == "H"}
        seen = {"AS", "KS", "AH", "2C", *hand.split()}
        assert shown["unseen"] == set(names) - seen
    assert env.plane_names[: env.num_partition_planes] == ("my_hand", "table", "played", "unseen")


def test_planes_without_trump(deal: Any) -> None:
    table = deal(*HANDS, dealer=2, trump="none")
    assert not jax.jit(table.env.card_tensor)(table.state, 0)[..., 4].any()


def test_facts(deal: Any) -> None:
    table = start(deal).do(1, 0, 2, "AS", "KS")
    assert table.facts == {
        "current_player": 2,
        "phase": 1,
        "hands": [1 << 14, 0, 1 << 23, 0, (1 << 25) | (1 << 26), 0],
        "dealer": 2,
        "round": 1,
        "cards": 2,
        "trump": 1,
        "bids": [1, 0, 2],
        "tricks": [0, 0, 0],
        "table": [12, 11, -1],
        "leader": 0,
        "played": [1 << 12, 0, 1 << 11, 0, 0, 0],
        "voids": [0, 0, 0],
        "scores": [0, 0, 0],
        "done": 0,
    }
    won = table.do("AH").facts
    assert (won["leader"], won["tricks"], won["voids"]) == (2, [0, 0, 1], [0, 0, 1])
    assert won["table"] == [-1, -1, -1]


def test_facts_of_high_cards_and_no_bid(deal: Any) -> None:
    facts = deal("8C AD", "7C 2D", "2S 3S", dealer=1, trump="none").do(0).facts
    assert facts["hands"] == [0, (1 << 0) | (1 << 19), 1 << 31, 1 << 7, 3, 0]
    assert (facts["bids"], facts["trump"], facts["leader"]) == ([-1, -1, 0], -1, 2)
