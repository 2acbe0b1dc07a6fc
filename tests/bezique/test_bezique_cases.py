"""Group D of the shared cases (`rule_cases.json`), each by its id, as actions on the env.

Out of our scope: D22, carte blanche, which this Bezique has not; of cases with several settings,
those that are not ours: a double bezique grown from a single one (D01), melds formed again (D21), a
game that ends within a round (D24), a Joker led that binds nobody (D27). In D10 a seven played in
the last nine tricks counts 10 here (`seven_in_phase2`), and 0 without.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from talonax.envs.bezique.state import first_tricks

IDS = [f"D{i:02}" for i in (1, *range(3, 14), 15, *range(17, 26), 27)]


@pytest.fixture(scope="module")
def cases(shared: Path) -> dict[str, Any]:
    read = json.loads((shared / "cases" / "rule_cases.json").read_text())
    cases = read["cases"] if isinstance(read, dict) else read
    return {case["id"]: case for case in cases if case["game"] == "bezique4"}


def test_every_case_is_here(cases: dict[str, Any]) -> None:
    assert list(cases) == IDS
    names = {name for name in globals() if name.startswith("test_d")}
    assert {name[5:8].upper() for name in names} == set(IDS)


def told(table: Any, seat: int = 0) -> int:
    points: int = table.facts["points"][seat]
    return points


def packed(cards: list[str]) -> str:
    """Give equal cards packs of their own."""
    return " ".join(f"{card}#{cards[:i].count(card)}" for i, card in enumerate(cards))


def test_d01_a_second_bezique_is_single(cases: dict[str, Any], sit: Any) -> None:
    want = cases["D01"]["expected"]
    table = sit(hands=("QS#2 JD#2",), tables=("QS#1 JD#1",), used={"bezique": "QS#1 JD#1"})
    assert "double bezique" not in table.melds
    assert 40 + told(table.do("meld bezique")) == want["at_once"]
    table = sit(hands=("QS#1 JD#1 QS#2 JD#2",)).do("meld double bezique")
    assert told(table) == want["all_four_at_once"]


def test_d03_reuse_across_kinds(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D03"]["situation"], cases["D03"]["expected"]
    lying = " ".join(place["table"])
    table = sit(
        trump=place["trump"],
        hands=(" ".join(place["hand_adds"]),),
        tables=(lying,),
        used={"kings": lying},
        points=[80, 0],
    ).do("meld marriage H")
    assert told(table) == want["total"]
    assert want["points"] == 20


def test_d04_a_card_is_not_its_equal(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D04"]["situation"], cases["D04"]["expected"]
    table = sit(
        trump=place["trump"],
        hands=("KH#2 QH#2",),
        tables=("KH#1 QH#1",),
        used={"marriage": "KH#1 QH#1"},
    ).do("meld marriage H")
    assert table.used("marriage") == {"KH#1", "QH#1", *want["legal"][0]}
    assert 20 + told(table) == want["total_points"]
    for hand in ("QH#2", "KH#2", ""):
        used = {"marriage": "KH#1 QH#1"}
        table = sit(trump="C", hands=(hand,), tables=("KH#1 QH#1",), used=used)
        assert "marriage H" not in table.melds


def test_d05_marriage_before_run(cases: dict[str, Any], sit: Any) -> None:
    want = cases["D05"]["expected"]
    used = {"marriage": "KD#0 QD#0"}
    table = sit(trump="D", hands=("AD#0 TD#0 JD#0",), tables=("KD#0 QD#0",), used=used)
    assert 40 + told(table.do("meld trump run")) == want["order_a"]
    run = "AD#0 TD#0 KD#0 QD#0 JD#0"
    table = sit(trump="D", tables=(run,), used={"run": run})
    assert "marriage D" not in table.melds
    assert told(sit(trump="D", hands=(run,)).do("meld trump run")) == want["order_b"]


def test_d06_run_and_double_as_first_melds(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D06"]["situation"], cases["D06"]["expected"]
    for hand, meld in (("hand_a", "trump run"), ("hand_b", "double bezique")):
        cards = packed(place[hand])
        # Nine cards: the trick is over, one was played
        table = sit(trump=place["trump"], hands=(cards.rsplit(" ", 1)[0],))
        assert told(table.do(f"meld {meld}")) == want[hand]["points"]


def test_d07_jokers_stand_in_quartets_alone(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D07"]["situation"], cases["D07"]["expected"]
    for cards, points in zip(place["candidates"], want["points"], strict=True):
        place_of = {"trump": place["trump"], "hands": (packed(cards),)}
        laid = [sit(**place_of).do(f"meld {meld}") for meld in sit(**place_of).melds]
        whole = [table for table in laid if table.table(0) == set(packed(cards).split())]
        assert [told(table) for table in whole] == ([points] if points else []), cards


def winners(case: dict[str, Any], sit: Any) -> list[int]:
    found = []
    trump = case["situation"]["trump"]
    for cards in case["situation"]["tricks"]:
        hands = tuple(packed(cards).split())
        table = sit(
            {"players": len(cards)},
            trump=trump,
            phase="play",
            hands=hands,
            turned_up=f"9{trump}#3",
        ).do(*cards)
        found.append(table.facts["leader"])
    return found


def test_d08_jokers_in_tricks(cases: dict[str, Any], sit: Any) -> None:
    assert winners(cases["D08"], sit) == cases["D08"]["expected"]["winner_index"]


def test_d09_of_equal_cards_the_first_wins(cases: dict[str, Any], sit: Any) -> None:
    assert winners(cases["D09"], sit) == cases["D09"]["expected"]["winner_index"]


def test_d10_sevens(cases: dict[str, Any], sit: Any) -> None:
    want = cases["D10"]["expected"]["points"]
    env = sit().env
    deck = [card for card in range(132) if card != 4]  # 7C#0
    deck.insert(18, 4)
    assert np.asarray(env.deal(np.array(deck), dealer=0).points).tolist() == [want[0]["P0"], 0]
    seven = {"trump": "C", "leader": 1, "hands": ("7C#0", "7C#1")}
    swapped = sit(**seven, turned_up="AC#0").do("swap the seven")
    assert swapped.facts["points"] == [0, want[1]["P1"]]
    assert want[2] is want[3] is None
    assert swapped.facts["current_player"] == 1  # and P0, who lost the trick, may do nothing
    assert "swap the seven" not in sit(**seven, turned_up="7C#2").legal
    lost = sit(trump="C", phase="play", leader=1, trick=(None, "AC#0"), hands=("7C#0",)).do("7C")
    assert lost.facts["points"] == [want[4]["P0"], 0]
    late = {"trump": "C", "phase": "last", "hands": ("7C#0 8D#0",)}
    assert told(sit({"seven_in_phase2": False}, **late).do("7C")) == want[5]["P0"]
    assert told(sit(**late).do("7C")) == 10  # our default


def test_d11_a_joker_is_never_trump(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D11"]["situation"], cases["D11"]["expected"]
    assert place["jokers"] / place["deck"] == pytest.approx(want["probability"])
    env = sit({"joker_turnup": "redraw"}).env
    jokers, others = list(range(128, 132)), list(range(128))
    for on_top in range(5):
        deck = [*others[:18], *jokers[:on_top], *others[18:], *jokers[on_top:]]
        facts = env.facts(env.deal(np.array(deck)))
        assert int(facts["trump"]) in range(4)
        assert int(facts["turned_up"]) == 18
        held = int(np.bitwise_count(np.asarray(facts["hands"])).sum())
        assert held + 1 + len(set(facts["stock"].tolist())) == place["deck"]


def test_d12_numbers(cases: dict[str, Any], sit: Any) -> None:
    for players, want in cases["D12"]["expected"].items():
        env = sit({"players": int(players)}).env
        state = env.deal(np.arange(132))
        assert int(state.stock_left) == want["stock"]
        assert first_tricks(int(players)) == want["phase1_tricks"]
        assert first_tricks(int(players)) + 9 == want["total_tricks"]


def test_d13_the_last_draw(cases: dict[str, Any], sit: Any) -> None:
    want = cases["D13"]["expected"]
    table = sit(
        trump="C",
        leader=1,
        stock="9D#0",
        turned_up="AC#0",
        tables=("KH#0 QH#0",),
        used={"marriage": "KH#0 QH#0"},
    ).do("done")
    assert f"{want['P1']}#0" in table.hand(1)
    assert f"{want['P0']}#0" in table.hand(0)
    assert [len(table.hand(seat)) for seat in (0, 1)] == want["hand_sizes"]
    assert sorted(table.table(0)) == want["table_P0"]
    assert table.facts["phase"] == want["phase"]


def test_d15_the_duties_of_the_last_nine(cases: dict[str, Any], sit: Any) -> None:
    place = cases["D15"]["situation"]
    for case, want in zip(place["cases"], cases["D15"]["expected"]["legal"], strict=True):
        laid = f"{case['trick'][0]}#3"
        table = sit(
            trump=place["trump"],
            phase="last",
            leader=1,
            trick=(None, laid),
            hands=(packed(case["hand"]),),
        )
        assert table.legal == set(want)


def test_d17_who_may_meld_and_when(cases: dict[str, Any], sit: Any) -> None:
    aces = "AS#0 AH#0 AD#0 AC#0"
    loser = sit(hands=(aces,), leader=1)
    no_queen = sit(hands=("KH#0",))
    late = sit(phase="last", hands=(aces,))
    trick_57 = sit(hands=(aces,), stock=1)
    twice = sit(hands=("KH#0 QH#0 KS#0 QS#0",)).do("meld marriage H")
    tables = (loser, no_queen, late, trick_57, twice)
    found = [bool(table.melds) for table in tables]
    assert found == cases["D17"]["expected"]["legal"]


def test_d18_the_last_trick_by_the_seven(cases: dict[str, Any], sit: Any) -> None:
    place = cases["D18"]["situation"]
    found = []
    for cards in place["last_trick"]:
        table = sit(trump=place["trump"], phase="last", hands=tuple(packed(cards).split()))
        points = table.do(*cards).facts["points"]
        seat = int(np.argmax(points))
        played = 10 if cards[seat] == "7" + place["trump"] else 0
        found.append({f"P{seat}": points[seat] - played})
    assert found == cases["D18"]["expected"]["bonus"]


def test_d19_brisques(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D19"]["situation"], cases["D19"]["expected"]
    for name, players in (("two_players", 2), ("four_players", 4)):
        for won, points in zip(place[name], want[name], strict=True):
            hands = ("9H#0", "8H#0", "8H#1", "8H#2")[:players]
            flags = {"players": players, "mode": "advanced"}
            table = sit(flags, trump="S", phase="last", hands=hands, brisques=won)
            table.do(*(hand.split("#")[0] for hand in hands))
            found = table.facts["points"]
            assert [found[0] - 10, *found[1:]] == points


def test_d20_one_meld_a_turn(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D20"]["situation"], cases["D20"]["expected"]
    table = sit(trump=place["trump"], hands=(packed(place["hand"]).rsplit(" ", 1)[0],))
    melds = {"double bezique", "bezique", "four queens", "marriage S"}
    assert table.melds == melds
    assert {each.rsplit(" ", 1)[0] for each in want["includes"]} == melds
    table.do("meld double bezique")
    assert told(table) == want["scored_now"]
    assert table.melds == set()


def test_d21_a_meld_is_not_formed_again(cases: dict[str, Any], sit: Any) -> None:
    assert cases["D21"]["expected"]["false"] == 0
    used = {"queens": "QS#0 QH#0 QD#0 QC#0"}
    table = sit(hands=("QH#2",), tables=("QS#0 QH#0 QD#0",), used=used)
    assert "four queens" not in table.melds


def test_d22_there_is_no_carte_blanche(cases: dict[str, Any], sit: Any) -> None:
    hand = packed(cases["D22"]["situation"]["hand"])
    table = sit(trump="C", phase="play", hands=(hand,))
    assert table.legal == {name.split("#")[0] for name in hand.split()}


def test_d23_equal_totals(cases: dict[str, Any], sit: Any) -> None:
    for scores, want in zip(
        cases["D23"]["situation"]["scores"], cases["D23"]["expected"]["winners"], strict=True
    ):
        players = len(scores)
        hands = ("8H#0", "9H#0", "8H#1", "8H#2")[:players]  # seat 1 takes the last trick
        flags = {"players": players, "reward": "win", "rounds": 1, "target": 1500}
        points = [score - 10 * (seat == 1) for seat, score in enumerate(scores)]
        table = sit(flags, trump="S", phase="last", hands=hands, points=points)
        paid = table.do(*(hand.split("#")[0] for hand in hands)).rewards[-1]
        assert [seat for seat in range(players) if paid[seat] == max(paid)] == want


def test_d24_the_target_is_looked_at_after_the_round(cases: dict[str, Any], sit: Any) -> None:
    assert not cases["D24"]["expected"]["end_of_deal"]["terminal"]
    scores = cases["D24"]["situation"]["scores"]
    flags = {"rounds": 0, "target": 1500}
    table = sit(flags, trump="H", hands=("KH#0 QH#0",), scores=scores).do("meld marriage H")
    assert not table.state.finished
    assert table.facts["totals"][0] + told(table) == 1500


def test_d25_trump_stays(cases: dict[str, Any], sit: Any) -> None:
    table = sit(trump="C", hands=("7C#0",), turned_up="AC#0", stock=1)
    seen = [table.facts["trump"]]
    for action in ("swap the seven", "done"):
        seen.append(table.do(action).facts["trump"])
    assert table.facts["turned_up"] == -1
    assert ["DCHS"[suit] for suit in seen] == cases["D25"]["expected"]["trump"]


def test_d27_a_joker_led_asks_for_trumps(cases: dict[str, Any], sit: Any) -> None:
    place, want = cases["D27"]["situation"], cases["D27"]["expected"]
    position = {"trump": place["trump"], "phase": "last", "leader": 1, "trick": (None, "JO#0")}
    table = sit(**position, hands=("9H#0 AS#0 KD#0",))
    assert table.legal == set(want["must_trump"])
    for reply, winner in want["winner_index"].items():
        # Each reply as the only one that can be made
        table = sit(**position, hands=(f"{reply}#0",)).do(reply)
        assert table.facts["leader"] == (1 if winner == 0 else 0)
