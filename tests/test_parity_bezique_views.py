"""What a player of Bezique sees: observations, planes, facts."""

import random
from typing import Any

import numpy as np
import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_pack import FACES, MOVES, BeziqueCard, Cards, Kind
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.bezique_view import NUM_PARTITION_PLANES, PLANES
from talonax.parity.cards import Suit

NAMES = {move.name: move.id for move in MOVES}

#: The entries by number of players, in order: name and width.
LAYOUT = {
    players: {
        "hand": 33,
        "table": 33,
        "tables": 33 * (players - 1),
        "gone": 33,
        "trick": 33 * players,
        "turned_up": 33,
        "trump": 4,
        "eligible": 8 * 33,
        "stock": 1,
        "phase": 4,
        "melded": 1,
        "swapped": 1,
        "points": players,
        "totals": players,
        "to_act": players,
        "last_winner": players,
        "known": 33 * (players - 1),
        "brisques": players,
    }
    for players in (2, 4)
}


def bezique(**flags: Any) -> BeziqueSpec:
    return BeziqueSpec(build(Rules, flags, "test"))


def pick(text: str) -> Cards:
    """Return cards of these types, of the lowest packs; `KH.2` names the pack."""
    taken: list[BeziqueCard] = []
    for name in text.split():
        if "." not in name:
            name += f".{sum(card.name.startswith(name) for card in taken)}"
        taken.append(BeziqueCard.from_name(name))
    return tuple(taken)


def kind(name: str) -> int:
    return pick(name)[0].type


def position(hands: list[str], tables: list[str] | None = None, **fields: Any) -> BeziqueState:
    """Return a position, in hearts, by default seat 0's turn as the winner."""
    flags = fields.pop("flags", {})
    state = bezique(players=len(hands), **flags).initial_state(seed=0)
    plain = {
        "trump": Suit.HEARTS,
        "turned_up": pick("9H")[0],
        "phase": Phase.TURN,
        "leader": 0,
        "points": (0,) * len(hands),
        "hands": tuple(in_order(pick(hand)) for hand in hands),
        "tables": tuple(in_order(pick(table)) for table in tables or [""] * len(hands)),
    }
    return state.with_round(**{**plain, **fields})


def make(state: BeziqueState, *names: str) -> BeziqueState:
    for name in names:
        state = state.apply_move(NAMES[name])
    return state


def entry(state: BeziqueState, player: int, name: str) -> dict[int, float]:
    """Return what is not zero of one entry of an observation, by place in it."""
    layout, seen = LAYOUT[state.spec.num_players], state.observation(player)
    assert len(seen) == sum(layout.values()) == {2: 549, 4: 757}[state.spec.num_players]
    first = sum(list(layout.values())[: list(layout).index(name)])
    return {i: seen[first + i] for i in range(layout[name]) if seen[first + i]}


# Observation


def test_observation_of_cards() -> None:
    state = position(["KH KH QS JO", "7D"], ["QH", "AS AS"], gone=pick("9D 9D 9D 8S"))
    assert entry(state, 0, "hand") == {kind("KH"): 0.5, kind("QS"): 0.25, 32: 0.25}
    assert entry(state, 1, "hand") == {0: 0.25}
    assert entry(state, 0, "table") == {kind("QH"): 0.25} == entry(state, 1, "tables")
    assert entry(state, 1, "table") == {kind("AS"): 0.5} == entry(state, 0, "tables")
    for player in (0, 1):
        assert entry(state, player, "gone") == {kind("9D"): 0.75, kind("8S"): 0.25}
        assert entry(state, player, "turned_up") == {kind("9H"): 1.0}
        assert entry(state, player, "trump") == {2: 1.0}
        assert entry(state, player, "trick") == {}
    assert entry(state.with_round(turned_up=None), 0, "turned_up") == {}


def test_observation_by_seat_goes_clockwise_from_oneself() -> None:
    state = position(["9D", "8D", "7D", "AD"], ["KD", "QD", "JD", "TD"])
    state = state.with_round(phase=Phase.PLAY, leader=2, trick=pick("7S JO"), last_winner=2)
    tables = ["KD", "QD", "JD", "TD"]
    for player in range(4):
        others = [(player + turn) % 4 for turn in (1, 2, 3)]
        expected = {33 * n + kind(tables[seat]): 0.25 for n, seat in enumerate(others)}
        assert entry(state, player, "tables") == expected
        place = {seat: (seat - player) % 4 for seat in range(4)}
        assert entry(state, player, "trick") == {
            33 * place[2] + kind("7S"): 1.0,
            33 * place[3] + 32: 1.0,
        }
        assert entry(state, player, "to_act") == {place[0]: 1.0}
        assert entry(state, player, "last_winner") == {place[2]: 1.0}


@pytest.mark.parametrize(("suit", "place"), [("D", 0), ("C", 1), ("H", 2), ("S", 3)])
def test_observation_of_the_trump_suit(suit: str, place: int) -> None:
    trump = next(each for each in Suit if each.name[0] == suit)
    assert entry(position(["9D", "8D"], trump=trump), 1, "trump") == {place: 1.0}


def test_observation_of_what_is_eligible() -> None:
    table = "KH QH QS JD JO AH TH KD KD"
    used = {
        Kind.MARRIAGE: "KH QH",
        Kind.BEZIQUE: "QS JD",
        Kind.KINGS: "KD",
        Kind.QUEENS: "JO QH",
        Kind.RUN: "TH",
    }
    sets = tuple(frozenset(pick(used.get(each, ""))) for each in Kind)
    state = position(["9D", "8D"], [table, "KS"], used=sets)
    marriage, single, double, run, aces, kings, queens, jacks = range(0, 8 * 33, 33)
    assert entry(state, 0, "eligible") == {
        marriage + kind("KD"): 0.5,
        marriage + kind("QS"): 0.25,
        **{run + kind(name): 0.25 for name in ("AH", "KH", "QH")},
        aces + kind("AH"): 0.25,
        aces + 32: 0.25,
        kings + kind("KH"): 0.25,
        kings + kind("KD"): 0.25,
        kings + 32: 0.25,
        queens + kind("QS"): 0.25,
        jacks + kind("JD"): 0.25,
        jacks + 32: 0.25,
    }
    fresh = position(["9D", "8D"], ["QS JD", ""])
    for row in (single, double):
        seen = entry(fresh, 0, "eligible")
        assert {seen.get(row + kind("QS")), seen.get(row + kind("JD"))} == {0.25}
    after_run = position(["9D", "8D"], ["KH QH", ""], used=used_run())
    assert set(entry(after_run, 0, "eligible")) == {kings + kind("KH"), queens + kind("QH")}
    assert set(entry(state, 1, "eligible")) == {marriage + kind("KS"), kings + kind("KS")}


def used_run() -> Any:
    return tuple(frozenset(pick("KH QH") if each is Kind.RUN else ()) for each in Kind)


def test_observation_of_jokers_that_may_not_stand_in() -> None:
    state = position(["9D", "8D"], ["JO", ""], flags={"max_jokers": 0})
    assert entry(state, 0, "eligible") == {}
    assert set(entry(position(["9D", "8D"], ["JO", ""]), 0, "eligible")) == {
        *(33 * row + 32 for row in (4, 5, 6, 7)),
    }


@pytest.mark.parametrize("players", [2, 4])
def test_observation_of_the_deal(players: int) -> None:
    state = bezique(players=players).initial_state(seed=4)
    assert entry(state, 0, "stock") == {0: pytest.approx({2: 1.0, 4: 95 / 113}[players])}
    assert entry(state, 1, "phase") == {0: 1.0}
    assert entry(state, 0, "to_act") == {0: 1.0}
    assert entry(state, 1, "to_act") == {players - 1: 1.0}
    for name in ("gone", "trick", "melded", "swapped", "last_winner", "known", "brisques"):
        assert entry(state, 0, name) == {}


def test_observation_of_the_turn() -> None:
    state = position(["7H KH QH", "8D"], turned_up=pick("AH")[0], last_winner=0)
    assert entry(state, 1, "phase") == {1: 1.0}
    melded = make(state, "meld marriage HEARTS")
    assert (entry(melded, 1, "melded"), entry(melded, 1, "swapped")) == ({0: 1.0}, {})
    assert (entry(melded, 0, "points"), entry(melded, 1, "points")) == ({0: 0.04}, {1: 0.04})
    both = make(melded, "swap")
    assert entry(both, 0, "swapped") == {0: 1.0}
    assert entry(both, 1, "known") == {kind("AH"): 0.25}
    assert entry(both, 0, "known") == {}
    done = make(both, "done")
    assert (entry(done, 0, "melded"), entry(done, 0, "swapped")) == ({}, {0: 1.0})
    assert entry(done, 1, "phase") == {0: 1.0}
    assert entry(make(done, "play AH"), 1, "known") == {}


def test_observation_of_scores() -> None:
    state = bezique(target=750).initial_state(seed=0, scores=(300, 75))
    state = state.with_round(points=(20, 500), brisques=(16, 4))
    assert entry(state, 0, "totals") == {0: 0.4, 1: 0.1}
    assert entry(state, 1, "totals") == {0: 0.1, 1: 0.4}
    assert entry(state, 1, "points") == {0: 0.5, 1: 0.02}
    assert entry(state, 0, "brisques") == {0: 0.5, 1: 0.125}


def test_observation_of_the_last_draw() -> None:
    tables = ["KH", "QS QS", "", "JD"]
    state = position(["8S", "7S", "9S", "7C"], tables, stock=pick("9C 8D 7H"), leader=1)
    state = make(state, "done")
    assert entry(state, 2, "phase") == {2: 1.0}
    assert entry(state, 2, "stock") == entry(state, 2, "turned_up") == {}
    assert entry(state, 2, "tables") == {}
    # Seat 0 drew last, the turned-up 9H; clockwise from seat 2 come 3, 0 and 1.
    known = {kind("JD"): 0.25, 33 + kind("KH"): 0.25, 33 + kind("9H"): 0.25}
    assert entry(state, 2, "known") == {**known, 66 + kind("QS"): 0.5}
    after = make(state, "play QS")
    assert entry(after, 2, "known") == {**known, 66 + kind("QS"): 0.25}
    assert entry(after, 1, "known") == entry(state, 1, "known")


def test_a_known_count_falls_by_plays_and_melds_from_hand() -> None:
    known = [0] * 33
    known[kind("KH")] = 1
    fields = {"known": (tuple(known), (0,) * 33)}
    state = position(["KH KH.1 QH", "8D"], **fields)
    assert entry(make(state, "meld marriage HEARTS"), 1, "known") == {}
    from_table = position(["KH KH.1", "8D"], ["KH.2", ""], phase=Phase.PLAY, **fields)
    assert entry(make(from_table, "play KH from the table"), 1, "known") == {kind("KH"): 0.25}
    assert entry(make(from_table, "play KH"), 1, "known") == {}
    assert entry(make(from_table, "play KH"), 0, "known") == {}


def test_observation_of_the_end() -> None:
    state = bezique(rounds=1).initial_state(seed=0, scores=(100, 0))
    state = state.with_round(
        phase=Phase.LAST_NINE,
        leader=0,
        hands=(pick("9D"), pick("8D")),
        points=(30, 20),
        trump=Suit.HEARTS,
    )
    state = make(state, "play 9D", "play 8D")
    assert entry(state, 1, "phase") == {3: 1.0}
    assert entry(state, 1, "to_act") == {}
    assert entry(state, 1, "points") == {0: 0.02, 1: 0.04}
    assert entry(state, 1, "totals") == {0: 0.02, 1: 0.14}
    assert entry(state, 1, "last_winner") == {1: 1.0}


# Planes


def planes_of(state: BeziqueState, player: int) -> dict[str, dict[str, int]]:
    """Return by location how many cards of each face it shows."""
    tensor = state.to_tensor(player)
    shown: dict[str, dict[str, int]] = {}
    for name in PLANES[:NUM_PARTITION_PLANES]:
        location, copies = name.rsplit("_", 1)
        for card in tensor.cards_in_plane(name):
            held = shown.setdefault(location, {})
            assert held.get(card.name, 0) == int(copies) - 1
            held[card.name] = int(copies)
    return shown


def test_the_names_of_the_planes() -> None:
    assert len(PLANES) == 33
    assert PLANES[:5] == ("my_hand_1", "my_hand_2", "my_hand_3", "my_hand_4", "my_table_1")
    locations = ["my_hand", "my_table", "opponent_table", "trick", "gone", "turned_up"]
    locations += ["opponent_known", "unseen"]
    assert [name[:-2] for name in PLANES[:-1:4]] == locations
    assert (PLANES[-2], PLANES[-1]) == ("unseen_4", "trump")


def test_planes() -> None:
    known = [[0] * 33 for _ in range(4)]
    known[0][kind("QD")], known[2][kind("QD")] = 1, 1
    state = position(
        ["QD", "JO JO KH KH", "QD", "7S"],
        ["KS", "QS", "KS JD", ""],
        phase=Phase.PLAY,
        leader=3,
        trick=pick("AD AD.1"),
        gone=pick("8D JO.2 8D.1 8D.2 8D.3"),
        known=tuple(map(tuple, known)),
    )
    shown = planes_of(state, 1)
    unseen = shown.pop("unseen")
    assert shown == {
        "my_hand": {"JOS": 2, "KH": 2},
        "my_table": {"QS": 1},
        "opponent_table": {"KS": 2, "JD": 1},
        "trick": {"AD": 2},
        "gone": {"8D": 4, "JOS": 1},
        "turned_up": {"9H": 1},
        "opponent_known": {"QD": 2},
    }
    assert unseen["JOS"] == 1
    assert unseen["KH"] == 2
    assert unseen["9H"] == 3
    assert "8D" not in unseen
    assert sum(unseen.values()) == 132 - (4 + 1 + 3 + 2 + 5 + 1 + 2)
    trumps = state.to_tensor(1).cards_in_plane("trump")
    assert {card.name for card in trumps} == {f"{rank}H" for rank in "789TJQKA"}


@pytest.mark.parametrize("players", [2, 4])
def test_planes_hold_four_of_each_type(players: int) -> None:
    rng = random.Random(players)
    state = bezique(players=players, rounds=1).initial_state(seed=9)
    cells = np.zeros((4, 14), bool)
    for face in FACES:
        cells[face.suit, face.rank] = True
    while not state.is_terminal():
        state = state.apply_move(rng.choice(state.legal_moves()))
        for player in range(players):
            data = state.to_tensor(player).data
            counts = data[..., :NUM_PARTITION_PLANES].sum(axis=-1)
            assert (counts == 4 * cells).all()
            levels = data[..., :NUM_PARTITION_PLANES].reshape(4, 14, -1, 4)
            assert (levels[..., 1:] <= levels[..., :-1]).all()
