"""What a seat sees of Bezique: the observation, entry by entry, the planes, and nothing hidden."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.envs.bezique.state import KINDS
from talonax.envs.bezique.view import type_name

FOUR = {"players": 4}
TYPES = {type_name(kind): kind for kind in range(33)}


def seen(table: Any, player: int = 0) -> dict[str, np.ndarray]:
    observed = np.asarray(table.env.observe(table.state, player))
    return {name: observed[part] for name, part in table.env.observation_layout().items()}


def counts(entry: np.ndarray) -> dict[str, float]:
    """What is not zero, by type; in packs, as the page counts, times 4."""
    return {name: float(4 * entry[kind]) for name, kind in TYPES.items() if entry[kind]}


def names(cards: set[str]) -> dict[str, float]:
    kinds = [card.split("#")[0] for card in cards]
    return {kind: float(kinds.count(kind)) for kind in kinds}


@pytest.mark.parametrize(("players", "width"), [(2, 549), (4, 757)])
def test_the_layout(make: Any, players: int, width: int) -> None:
    """The page's entries, in its order."""
    env, others = make(players=players), players - 1
    widths = {"hand": 33, "table_0": 33}
    widths |= {f"table_{steps}": 33 for steps in range(1, players)}
    widths |= {"gone": 33} | {f"trick_{steps}": 33 for steps in range(players)}
    widths |= {"turned_up": 33, "trump": 4} | {f"fresh_{kind}": 33 for kind in KINDS}
    widths |= {"stock": 1, "phase": 4, "melded": 1, "swapped": 1}
    widths |= dict.fromkeys(("points", "totals", "to_act", "last_winner"), players)
    widths |= {f"known_{steps}": 33 for steps in range(1, players)} | {"brisques": players}
    assert {name: size for name, size, _ in env.observation_entries()} == widths
    assert [name for name, *_ in env.observation_entries()] == list(widths)
    size = 33 * (1 + 1 + others + 1) + (33 * players + 33 + 4) + 8 * 33 + (1 + 4 + 1 + 1)
    size += 4 * players + (33 * others + players)
    assert env.observation_shape == (size,) == (width,)
    assert env.layouts == ("full",)


def test_cards(sit: Any) -> None:
    table = sit(
        trump="C",
        phase="play",
        leader=1,
        trick=(None, "AH#2"),
        hands=("KS#0 KS#2 JO#1",),
        tables=("QS#0 JD#0", "KH#0 KH#1"),
        turned_up="9C#0",
        used={"bezique": "QS#0 JD#0", "marriage": "KH#0 KH#1"},
    )
    entries = seen(table)
    assert counts(entries["hand"]) == names(table.hand(0))
    assert counts(entries["hand"])["KS"] == 2
    assert counts(entries["table_0"]) == {"QS": 1, "JD": 1}
    assert counts(entries["table_1"]) == {"KH": 2}
    assert counts(entries["gone"]) == names(table.gone)
    assert np.flatnonzero(entries["trick_0"]).tolist() == []
    assert entries["trick_1"][TYPES["AH"]] == entries["trick_1"].sum() == 1
    assert entries["turned_up"][TYPES["9C"]] == entries["turned_up"].sum() == 1
    assert entries["trump"].tolist() == [0, 1, 0, 0]
    other = seen(table, 1)
    assert counts(other["table_0"]) == {"KH": 2}
    assert counts(other["table_1"]) == {"QS": 1, "JD": 1}
    assert other["trick_0"][TYPES["AH"]] == 1


@pytest.mark.slow
def test_what_may_be_melded_again(sit: Any) -> None:
    table = sit(
        trump="S",
        tables=("QS#0 QS#1 JD#0 KS#0 AH#0 AS#0 JO#0 JO#1",),
        used={
            "marriage": "QS#0 KS#0",
            "bezique": "QS#0",
            "double": "JD#0",
            "run": "QS#1",
            "aces": "AH#0 JO#0",
            "queens": "JO#1",
        },
    )
    entries = seen(table)
    fresh = {kind: counts(entries[f"fresh_{kind}"]) for kind in KINDS}
    assert fresh == {
        "marriage": {},  # the second queen has been in a run
        "bezique": {"QS": 1},
        "double": {"QS": 1},
        "run": {"QS": 1, "KS": 1, "AS": 1},
        "aces": {"AS": 1, "JO": 1},
        "kings": {"KS": 1, "JO": 2},
        "queens": {"QS": 2, "JO": 1},
        "jacks": {"JD": 1, "JO": 2},
    }
    assert all(not counts(seen(table, 1)[f"fresh_{kind}"]) for kind in KINDS)


def test_stage_and_scores(sit: Any) -> None:
    table = sit(
        {"rounds": 0, "target": 1500},
        hands=("7H#0 KS#0 QS#0",),
        turned_up="AH#0",
        stock=55,
        points=[130, 40],
        scores=[300, 750],
        brisques=[8, 4],
        last_trick=["8S#3", "8D#3"],
    )
    table.do("swap the seven", "meld marriage S")
    entries = {name: value.tolist() for name, value in seen(table, 1).items()}
    assert entries["stock"] == pytest.approx([55 / 113])
    assert entries["phase"] == [0, 1, 0, 0]
    assert (entries["melded"], entries["swapped"]) == ([1], [1])
    assert entries["points"] == pytest.approx([0.04, 0.16])
    assert entries["totals"] == pytest.approx([0.5, 0.2])
    assert entries["to_act"] == entries["last_winner"] == [0, 1]
    assert entries["brisques"] == pytest.approx([4 / 32, 8 / 32])
    assert counts(seen(table, 1)["known_1"]) == {"AH": 1}
    assert counts(seen(table, 0)["known_1"]) == {}


def test_four_look_clockwise(sit: Any) -> None:
    table = sit(FOUR, phase="play", leader=2, points=[10, 20, 30, 40])
    entries = seen(table, 3)
    assert entries["points"].tolist() == pytest.approx([0.04, 0.01, 0.02, 0.03])
    assert entries["to_act"].tolist() == [0, 0, 0, 1]
    assert entries["last_winner"].tolist() == [0, 0, 0, 0]
    table.do("8D" if "8D" in table.legal else min(table.legal))
    assert seen(table, 0)["trick_2"].sum() == 1
    assert seen(table, 3)["trick_3"].sum() == 1


def test_the_end(sit: Any) -> None:
    table = sit(trump="S", phase="last", hands=("AH#0", "8H#0")).do("AH", "8H")
    entries = {name: value.tolist() for name, value in seen(table).items()}
    assert entries["phase"] == [0, 0, 0, 1]
    assert entries["to_act"] == [0, 0]
    assert entries["stock"] == [0]
    assert sum(entries["turned_up"]) == 0
    assert counts(seen(table)["gone"])["JO"] == 4
    assert entries["totals"] == pytest.approx([0.01, 0])


# Planes -------------------------------------------------------------------------------------------

CELL = {"AS": (0, 0), "TH": (1, 9), "7D": (2, 6), "KC": (3, 12), "JO": (0, 13), "KH": (1, 12)}


def where(env: Any, planes: np.ndarray, place: str, card: str) -> int:
    """How many copies lie at a place, and that the planes say so one by one."""
    row, column = CELL[card]
    found = [bool(planes[row, column, env.plane_names.index(f"{place}_{n}")]) for n in (1, 2, 3, 4)]
    assert found == sorted(found, reverse=True)
    return sum(found)


def test_every_copy_has_its_place(sit: Any) -> None:
    table = sit(
        FOUR,
        trump="H",
        phase="play",
        leader=1,
        trick=(None, "TH#0", "TH#3", None),
        hands=("AS#0 AS#1 JO#2", "", "", "JO#0 JO#1"),
        tables=("KC#0", "KH#0", "KH#2"),
        used={"marriage": "KC#0 KH#0 KH#2"},
        turned_up="7H#0",
        known=["", "", "", "JO"],
    )
    planes = np.asarray(table.env.card_tensor(table.state, 0))
    env = table.env
    assert planes.shape == (4, 14, 33)
    assert where(env, planes, "my_hand", "AS") == 2
    assert where(env, planes, "my_hand", "JO") == 1
    assert where(env, planes, "opponent_known", "JO") == 1
    assert where(env, planes, "unseen", "JO") == 1
    assert where(env, planes, "gone", "JO") == 1
    assert where(env, planes, "my_table", "KC") == 1
    assert where(env, planes, "opponent_table", "KH") == 2
    assert where(env, planes, "trick", "TH") == 2
    trump = planes[..., env.plane_names.index("trump")]
    assert {tuple(cell) for cell in np.argwhere(trump)} == {
        (1, column) for column in (0, 6, 7, 8, 9, 10, 11, 12)
    }
    mine = np.asarray(env.card_tensor(table.state, 3))
    assert where(env, mine, "my_hand", "JO") == 2
    assert where(env, mine, "opponent_table", "KC") == 1
    assert where(env, mine, "opponent_known", "JO") == 0


def test_copies_add_up(sit: Any) -> None:
    table = sit(trump="H", hands=("AS#0",), turned_up="TH#1")
    env = table.env
    for player in (0, 1):
        planes = np.asarray(env.card_tensor(table.state, player))[..., : env.num_partition_planes]
        total = planes.sum(axis=-1)
        assert total.sum() == 132
        assert set(total.ravel().tolist()) == {0, 4}
        assert total[0, 13] == 4
    assert env.copies == 4


# Nothing hidden -----------------------------------------------------------------------------------


@pytest.mark.quick_first
@pytest.mark.parametrize("players", [2, 4])
def test_hidden_cards_do_not_show(make: Any, players: int) -> None:
    """Swap a card of another's hand with one of the stock: nobody else can tell."""
    env = make(players=players)
    step, legal = jax.jit(env.step), jax.jit(env.legal_action_mask)
    state, rng = env.init(jax.random.key(4)), np.random.default_rng(0)
    for _ in range(30):
        state = step(state, int(rng.choice(np.flatnonzero(legal(state)))))
    given = env.position(state)
    hand, stock = given["hands"][1].split(), given["stock"].split()
    hand[0], stock[0] = stock[0], hand[0]
    given["hands"][1], given["stock"] = " ".join(hand), " ".join(stock)
    common = {n: getattr(state, n) for n in ("rewards", "terminated", "truncated", "illegal")}
    other = env.from_position({**common, "current_player": state.current_player}, given)
    observe, planes = jax.jit(env.observe), jax.jit(env.card_tensor)
    for seat in range(players):
        same = jnp.array_equal(observe(state, seat), observe(other, seat))
        assert same == (seat != 1)
        assert jnp.array_equal(planes(state, seat), planes(other, seat)) == (seat != 1)
        assert (env.render(state, seat) == env.render(other, seat)) == (seat != 1)
    assert env.render(state) != env.render(other)


# The table as text --------------------------------------------------------------------------------


def test_the_table_as_text(sit: Any) -> None:
    table = sit(
        trump="H",
        hands=("KS#0 QS#0 AS#1 AS#3 9S#0 9S#1 8C#0 8C#1", "JO#0"),
        turned_up="AH#0",
        stock=11,
        last_trick=["9S#2", "8S#2"],
        points=[0, 40],
    ).do("meld marriage S")
    lines = table.env.render(table.state, 0).splitlines()
    assert lines == [
        "Bezique   the winner's turn   trump ♥ H   turned up AH, stock 11",
        "  player 1   hand  ·· x8   (40 points, 0 aces and tens, dealer)",
        "> player 0   hand  8C x2 AS x2 9S x2   (20 points, 0 aces and tens)",
        "             table KS QS",
        "  last trick 9S by player 0, 8S by player 1; player 0 won it",
        "  player 0 scored 20 for marriage S",
    ]
    assert "JO" in table.env.render(table.state)


def test_why_points_moved(sit: Any) -> None:
    def why(table: Any) -> list[str]:
        return [
            line.strip() for line in table.env.render(table.state).splitlines() if "scored" in line
        ]

    assert why(sit(trump="H", hands=("7H#0",), turned_up="AH#0").do("swap the seven")) == [
        "player 0 scored 10 for swapping the seven"
    ]
    assert why(sit(trump="H", phase="play", hands=("7H#0",)).do("7H")) == [
        "player 0 scored 10 for playing a trump seven"
    ]
    flags = {"mode": "advanced"}
    table = sit(flags, trump="S", phase="last", hands=("AH#0", "7S#0"), brisques=[3, 13])
    assert why(table.do("AH", "7S")) == [
        "player 1 scored 10 for playing a trump seven",
        "player 1 scored 20 for the last trick, taken by the trump seven",
        "player 1 scored 140 for aces and tens",
    ]
    assert why(sit(trump="H").do("done")) == []


def test_action_names(make: Any) -> None:
    env = make()
    told = {0: "7D", 31: "AS", 32: "JO", 33: "7D from the table", 65: "JO from the table"}
    told |= {66: "done", 67: "swap the seven", 68: "meld trump seven", 69: "meld marriage D"}
    told |= {75: "meld trump run", 76: "meld four aces", 83: "meld four jacks with a Joker"}
    assert {number: env.action_name(number) for number in told} == told
    with pytest.raises(ValueError, match=r"no action 84; there are: 0 \.\. 83"):
        env.action_name(84)
