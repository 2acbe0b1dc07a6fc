"""The arena: duplicate deals, what they count, and the command (field case F22)."""

import csv
import json
import signal
from pathlib import Path

import numpy as np
import pytest

import talonax
from talonax.__main__ import main
from talonax.agents import arena
from talonax.agents.arena import Pairing, Player, compare, elo, lineups, pairing
from talonax.agents.policy import by_name
from talonax.cli.arena import short_names

SNAPSZER = talonax.make("snapszer")
RANDOM, GREEDY = (Player(name, by_name("snapszer", name)) for name in ("random", "greedy"))


def test_lineups_seat_each_player_everywhere():
    np.testing.assert_array_equal(lineups(2), [[0, 1], [1, 0]])
    four = lineups(4)
    assert four.shape == (8, 4)
    assert sorted(four.sum(axis=1)) == [1] * 4 + [3] * 4
    np.testing.assert_array_equal(four[0], [0, 1, 1, 1])
    np.testing.assert_array_equal(four[4], [1, 0, 0, 0])


def test_f22_a_player_is_as_good_as_himself():
    """The same keys play the same games with the seats changed: not about half, but half."""
    same = compare(SNAPSZER, RANDOM, RANDOM, deals=300)
    assert (same.games, same.wins, same.ties, same.win_rate) == (600, 300, 0, 0.5)
    assert same.points == 0
    assert sum(same.win_by_seat) == 1
    assert same.win_ci95 == 0


def test_the_better_one_wins_and_a_seed_repeats_itself():
    first = compare(SNAPSZER, GREEDY, RANDOM, deals=300, seed=3)
    assert first.win_rate - first.win_ci95 > 0.7
    assert first.points - first.points_ci95 > 1
    assert first == compare(SNAPSZER, GREEDY, RANDOM, deals=300, seed=3)
    assert first != compare(SNAPSZER, GREEDY, RANDOM, deals=300, seed=4)


def test_points_by_hand():
    """Three seats: the first player alone in seat 0, 1, 2, then the second."""
    deal = np.array([[9, 3, 3], [0, 6, 0], [4, 4, 4], [2, 5, 5], [5, 2, 5], [5, 5, 2]], dtype=float)
    found = pairing("a", "b", np.stack([deal, deal]))
    # ahead: 9 - 3, 6 - 0, 4 - 4, then the two others' mean less the second's: 5 - 2, thrice
    assert found.points == pytest.approx((6 + 6 + 0 + 3 + 3 + 3) / 6)
    assert (found.deals, found.games, found.wins, found.ties) == (2, 12, 10, 2)
    assert found.win_rate == pytest.approx((5 + 0.5) / 6)
    assert found.win_by_seat == (1, 1, 0.5)
    assert found.points_ci95 == 0


def test_the_interval_is_over_deals():
    """Games of a deal go together: a thousand pairs of one win and one loss leave no doubt."""
    split = np.array([[[1.0, -1.0], [1.0, -1.0]]] * 1000)
    assert pairing("a", "b", split).win_ci95 == 0
    rng = np.random.default_rng(0)
    both = rng.choice([-1.0, 1.0], 4000)[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = pairing("a", "b", both)
    assert found.win_ci95 == pytest.approx(1.96 * 0.5 / 4000**0.5, rel=0.02)


def test_f22_games_are_told_by_seat():
    """Who leads wins: two seats, both players alike."""
    leads = np.array([[[1.0, -1.0], [1.0, -1.0]]] * 3)
    assert pairing("a", "b", leads).win_by_seat == (1, 0)


def test_an_interval_of_a_share_near_one_is_not_nothing():
    """Thirty deals, all won twice: Wilson's lower end is 88.6 %, as for thirty games."""
    found = pairing("a", "b", np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 30))
    assert found.win_rate == 1
    assert found.win_ci95 == pytest.approx(1 - 0.8865, abs=1e-3)


def against(first: str, second: str, share: float, by_deal: np.ndarray) -> Pairing:
    """A pair of a thousand deals, its share of games known to within 0.02."""
    games = 2 * len(by_deal)
    return Pairing(first, second, len(by_deal), games, 0, 0, share, 0.02, (), 0.0, 0.0, by_deal)


def test_elo_explains_the_shares():
    """Ten to one is 400. Each of two differences d is known to within 1.96 * 21.5 = 42."""
    one, other = np.random.default_rng(0).normal(size=(2, 1000))
    ten_to_one = 10 / 11
    pairs = [against("a", "b", ten_to_one, one), against("b", "c", ten_to_one, other)]
    rated = elo(["a", "b", "c"], pairs)
    assert [each.name for each in rated] == ["a", "b", "c"]
    np.testing.assert_allclose([each.elo for each in rated], [400, 0, -400], atol=1e-3)
    # a is (2 d + d') / 3, b is (d' - d) / 3.
    expected = 42.05 * np.array([5**0.5, 2**0.5, 5**0.5]) / 3
    np.testing.assert_allclose([each.ci95 for each in rated], expected, rtol=0.1)


def test_elo_knows_which_pairs_had_luck_together():
    """With the same luck by deal d and d' err alike: a by 42, b, half way between, not at all."""
    luck = np.random.default_rng(0).normal(size=1000)
    rated = elo(["a", "b", "c"], [against("a", "b", 0.5, luck), against("b", "c", 0.5, luck)])
    by_name = {each.name: each.ci95 for each in rated}
    assert by_name["b"] < 0.1
    assert by_name["a"] == pytest.approx(0.02 * 400 / np.log(10) / 0.25, rel=0.1)


def test_elo_of_one_who_always_wins_is_not_exact():
    (strong, _) = elo(["a", "b"], [pairing("a", "b", np.array([[[1.0, -1], [-1.0, 1]]] * 30))])
    assert strong.elo == pytest.approx(600, abs=1)
    assert strong.ci95 > 50


def test_elo_needs_the_same_deals_of_each_pair():
    pairs = [against("a", "b", 0.5, np.ones(10)), against("b", "c", 0.5, np.ones(11))]
    with pytest.raises(ValueError, match=r"as many of each pair, got \[10, 11\]"):
        elo(["a", "b", "c"], pairs)


def test_few_deals_are_the_first_of_many():
    many = compare(SNAPSZER, RANDOM, GREEDY, deals=48)
    few = compare(SNAPSZER, RANDOM, GREEDY, deals=16)
    np.testing.assert_array_equal(few.by_deal, many.by_deal[:16])
    assert len(set(few.by_deal)) > 1


def test_too_few_deals_are_refused():
    with pytest.raises(ValueError, match="at least 2 are needed for an interval, got 1"):
        compare(SNAPSZER, RANDOM, GREEDY, deals=1)


def test_the_command_tells_json_and_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "pairs.csv"
    words = ["arena", "snapszer", "random", "greedy", "--deals", "64", "--json", "--csv"]
    assert main([*words, str(file)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == 1
    assert (told["game"], told["deals"], told["interrupted"]) == ("snapszer", 64, False)
    assert told["rules"]["match"] == 0
    (pair,) = told["pairings"]
    assert (pair["first"], pair["second"], pair["games"]) == ("random", "greedy", 128)
    assert [each["name"] for each in told["ratings"]] == ["greedy", "random"]
    with file.open() as lines:
        (row,) = csv.DictReader(lines)
    assert float(row["win_rate"]) == pair["win_rate"]
    assert [float(row[f"win_seat_{seat}"]) for seat in (0, 1)] == pair["win_by_seat"]
    assert [each.name for each in tmp_path.iterdir()] == ["pairs.csv"]


@pytest.mark.parametrize(
    ("during", "batches"), [(("greedy", 8), (8,)), (("pretrained", 4), (4, 8))]
)
def test_ctrl_c_keeps_the_pairs_that_are_done(
    during: tuple[str, int],
    batches: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """It is heard after a batch: the only one of the first pair, or the first of the second."""
    alike = np.array([[[1.0, -1.0], [1.0, -1.0]]] * 8)
    heard = []

    def played(env: object, first: Player, second: Player, *, progress, **how: int) -> Pairing:
        for deals in batches:
            if (second.name, deals) == during:
                signal.raise_signal(signal.SIGINT)
            progress(deals)
            heard.append((second.name, deals))
        return pairing(first.name, second.name, alike)

    monkeypatch.setattr(arena, "compare", played)
    words = "arena snapszer random greedy pretrained --deals 8 --json"
    assert main(words.split()) == 130
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (len(told["pairings"]), told["ratings"], told["interrupted"]) == (1, [], True)
    assert heard == [("greedy", deals) for deals in batches]
    assert "stopping after a batch" in err
    assert "interrupted: 1 of 3 pairs were done" in err


def test_a_csv_that_cannot_be_written_costs_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "pairs.csv.part").mkdir()
    words = ["arena", "high_card_duel", "random", "greedy", "--deals", "8", "--json", "--csv"]
    assert main([*words, str(tmp_path / "pairs.csv")]) == 2
    out, err = capsys.readouterr()
    assert len(json.loads(out)["pairings"]) == 1
    assert "pairs.csv: Is a directory" in err


def test_players_are_called_by_the_end_of_their_path():
    names = ["greedy", "runs/a", "/home/runs/b:argmax"]
    assert list(short_names(names).values()) == ["greedy", "a", "b:argmax"]
    names = ["greedy", "x/runs/a", "x/other/a", "a"]
    assert list(short_names(names).values()) == ["greedy", "runs/a", "other/a", "a"]
    assert list(short_names(["a", "./a"]).values()) == ["a", "./a"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("arena snapszer random", "two or more different players are needed, got: random"),
        ("arena snapszer random random", "two or more different players are needed, got: random"),
        ("arena snapszer random best", "snapszer has no player 'best'; there are: random, greedy"),
        ("arena snapszer random greedy:argmax", "greedy:argmax: only players that learned have"),
        ("arena snapszer --set match=7 random greedy", "--set random: must be FLAG=VALUE"),
        ("arena snapszer random greedy --deals 1", "--deals: 1 is not allowed; at least 2"),
        ("arena snapszer random greedy --csv no/pairs.csv", "--csv no/pairs.csv: no: no such"),
        ("arena snapszer random greedy --csv tests", "--csv tests: is a folder"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words, told, capsys):
    assert main(words.split()) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
