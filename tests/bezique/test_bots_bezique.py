"""The greedy bot of Bezique in positions by hand: what it does, and why."""

import math
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.agents.bots import bezique as bot
from talonax.agents.bots import bezique_hopes as hopes
from talonax.agents.bots import bezique_sight as sight
from talonax.agents.bots.bezique import Greedy
from talonax.envs.bezique.state import KINDS, MELD, MELDS
from talonax.envs.bezique.view import action_name

pytestmark = pytest.mark.slow

#: What the profile `standard` is not.
OTHER: dict[str, Any] = {"mode": "advanced", "seven_in_phase2": False, "max_jokers": 0}
FOUR: dict[str, Any] = {"players": 4}


@cache
def judge(env: Any) -> Any:
    """Return what the bot does in a position, and what it thinks of it."""

    def judged(state: Any) -> Any:
        weights, seen = bot.WEIGHTS, sight.look(state)
        promised, ready = hopes.judge_each(weights.judged, env.rules, seen)
        return {
            "action": Greedy().act(
                None, env, state, env.legal_action_mask(state), (), jax.random.key(0)
            )[0],
            "wins": sight.wins(seen, weights.willing),
            "high": sight.high(seen),
            "ready": ready,
            "promised": promised,
            "unseen": seen.unseen,
            "fresh": seen.fresh,
            "goes": seen.goes,
            "laid": bot.meld_values(weights, seen, ready[-1]),
            **bot.considerations(weights, env.rules, seen, promised, ready),
        }

    return jax.jit(judged)


@cache
def world(env: Any) -> Any:
    return jax.jit(env.redeal)


class Judged:
    """A position as the bot judges it; in another world that its seat cannot tell it does the same.

    Attributes:
      does: the name of what it does.
    """

    def __init__(self, table: Any) -> None:
        env, state = table.env, table.state
        self.thinks = jax.tree.map(np.asarray, judge(env)(state))
        self.does = action_name(int(self.thinks["action"]))
        assert self.does in table.legal
        for seed in range(2 if env.rules.mode == "standard" else 0):
            other = world(env)(state, state.current_player, jax.random.key(seed))
            again = jax.tree.map(np.asarray, judge(env)(other))
            for name, found in self.thinks.items():
                np.testing.assert_array_equal(found, again[name], err_msg=name)

    def of(self, name: str, action: str) -> float:
        """Return what a consideration says of playing a card."""
        names = [action_name(each) for each in range(MELD)]
        return float(self.thinks[name][names.index(action)])


@pytest.fixture(scope="session")
def seat(sit: Any) -> Any:
    """Sit the bot down in seat 0: `seat(flags, **what position() takes)`."""
    return lambda flags=None, **entries: Judged(sit(flags, **entries))


@pytest.fixture(scope="session")
def answer(seat: Any) -> Any:
    """Let it answer, with hearts for trumps and a large stock: `answer(led, hand, flags, ..)`."""

    def answer(led: str, hand: str, flags: Any = None, **entries: Any) -> Judged:
        place: dict[str, Any] = {"phase": "play", "dealer": 0, "leader": 1, "stock": 113}
        place |= {"trump": "H", "trick": (None, led)}
        judged: Judged = seat(flags, **{**place, **entries}, hands=(hand,))
        return judged

    return answer


#: Cards that promise nothing.
LOW = "7D#0 8D#0 7C#0 8C#0 7S#0 8S#0"


# Tricks -----------------------------------------------------------------------------------------


def test_it_takes_a_trick_when_it_has_something_to_lay(answer: Any) -> None:
    rest = "TS#0 9D#0 JD#0 JC#0 JH#0 7C#0 7D#0 8C#0"
    four, three = answer("9S#0", f"{rest} JS#1"), answer("9S#0", f"{rest} 8S#1")
    assert four.does == "TS"
    assert four.of("wins a turn", "TS") > three.of("wins a turn", "TS") == 0
    assert four.of("wins a turn", "7C") == 0
    assert four.of("wins a turn", "JS") == 0  # it would be won, with nothing left to lay


def test_it_sheds_the_lowest_card_where_it_cannot_win(answer: Any) -> None:
    assert answer("AH#0", f"{LOW} AS#0 KC#0 9H#0").does == "7D"
    assert answer("AH#0", "AS#0 KC#0 QC#0 TD#0 QS#0 JD#0 TH#0 KH#0 KD#0").does == "TD"


def test_it_wins_with_the_cheapest(answer: Any) -> None:
    assert answer("9S#0", "AS#0 TS#0 8S#0 KC#0 KD#0 KH#0 KS#1 7C#0 7D#0").does == "TS"


def test_hopes_are_kept_together(answer: Any) -> None:
    """K with its Q, the two of a bezique, cards of the run, three of a rank: more than a single."""
    held = answer("AH#0", "KD#0 QD#0 KC#0 QS#0 JD#0 JS#0 JC#0 8C#0 TH#0")
    king, queen, single = (held.of("gives up hopes", card) for card in ("KD", "QD", "KC"))
    assert king < single < held.of("gives up hopes", "8C") == 0
    assert held.of("gives up hopes", "QS") < queen
    assert held.of("gives up hopes", "JD") < held.of("gives up hopes", "JS") < 0
    assert held.of("gives up hopes", "TH") < 0
    three = answer("AH#0", "AD#0 AC#0 AS#0 7C#0 7D#0 7S#0 8C#0 8D#0 8S#0")
    two = answer("AH#0", "AD#0 AC#0 9S#0 7C#0 7D#0 7S#0 8C#0 8D#0 8S#0")
    assert three.of("gives up hopes", "AD") < two.of("gives up hopes", "AD") < 0


def test_a_third_copy_is_dispensable(answer: Any) -> None:
    held = answer("AH#0", "KD#0 KD#1 KD#2 QD#0 7C#0 8C#0 9C#0 9S#0 TS#0")
    alone = answer("AH#0", "KD#0 8S#1 8S#2 QD#0 7C#0 8C#0 9C#0 9S#0 TS#0")
    spare = alone.of("gives up hopes", "KD") - alone.of("gives up hopes", "QD")
    assert spare < held.of("gives up hopes", "KD") - held.of("gives up hopes", "QD")


def test_a_run_needs_each_card_once(answer: Any) -> None:
    single = answer("AS#0", "TH#0 AH#0 KH#0 7C#0 8C#0 9C#0 7S#0 8S#0 9S#0")
    double = answer("AS#0", "TH#0 TH#1 AH#0 KH#0 8C#0 9C#0 7S#0 8S#0 9S#0")
    assert single.of("gives up hopes", "TH") < double.of("gives up hopes", "TH") == 0


def test_what_lies_on_the_table_is_hoped_with(answer: Any) -> None:
    held = answer("AS#0", f"KD#0 {LOW}", tables=("QD#0",))
    assert held.of("gives up hopes", "QD from the table") < 0
    assert held.of("gives up hopes", "KD") < 0


def test_a_used_card_goes_from_the_table(answer: Any) -> None:
    """The queen on the table has been in all that she can be in; the one in hand is fresh."""
    used = {"marriage": "QC#0", "queens": "QC#0"}
    hand = "QC#1 KC#0 AD#0 AC#0 AH#0 KH#0 JD#0 QS#0"
    held = answer("AS#0", hand, tables=("QC#0",), used=used)
    assert held.does == "QC from the table"
    assert held.of("gives up hopes", "QC from the table") == 0 > held.of("gives up hopes", "QC")


def test_what_playing_from_the_table_gives_up(seat: Any) -> None:
    """Of equal queens the one that has been in most melds goes, with what it was free for."""
    used = {"marriage": "QS#0 QS#1", "bezique": "QS#1", "queens": "QS#2"}
    held = seat(trump="H", phase="play", tables=("QS#0 QS#1 QS#2",), used=used)
    queen = [action_name(kind) for kind in range(MELD)].index("QS")
    fresh, goes = (
        dict(zip(KINDS, held.thinks[name][:, queen].tolist(), strict=True))
        for name in ("fresh", "goes")
    )
    kinds = ("marriage", "bezique", "double", "queens")
    assert [fresh[kind] for kind in kinds] == [1, 2, 2, 2]
    assert [goes[kind] for kind in kinds] == [0, 0, 0, 1]


def test_sevens_score(seat: Any, answer: Any) -> None:
    """If they do not in the last nine tricks, the last chance to play one is taken."""
    hand = f"7H#0 {LOW} 9S#0 9C#0"
    assert answer("9D#0", hand, OTHER, stock=1).does == "7H"
    assert answer("9D#0", hand, OTHER).of("scores a seven", "7H") == 10
    assert answer("9D#0", hand, stock=1).of("leaves the hand", "7H") < -10
    played = seat(OTHER, **LAST, hands=("7H#0 9C#0",))
    assert played.of("scores a seven", "7H") == 0 > played.of("leaves the hand", "7H") > -10


def test_aces_and_tens_count_in_advanced_mode(answer: Any) -> None:
    place = "TS#0", f"{LOW} AS#0 TC#0 9H#0"
    plain, counted = answer(*place), answer(*place, OTHER)
    gain, loss = "wins aces and tens", "loses aces and tens"
    assert plain.of(gain, "AS") == plain.of(loss, "TC") == 0
    assert [counted.of(gain, card) for card in ("AS", "9H", "TC")] == [20, 10, 0]
    assert [counted.of(loss, card) for card in ("AS", "7C", "TC")] == [0, -10, -20]
    beyond = answer(*place, OTHER, stock=31, brisques=[0, 19])
    assert beyond.of(gain, "AS") == 0
    assert beyond.of(loss, "TC") == -20


# The winner's turn ------------------------------------------------------------------------------

TURN: dict[str, Any] = {"trump": "H", "phase": "turn"}


def test_it_swaps_before_it_melds(seat: Any) -> None:
    assert seat(**TURN, hands=("7H#0 KS#0 QS#0",), turned_up="AH#0").does == "swap the seven"
    assert seat(**TURN, hands=("7H#0 KS#0 QS#0",), turned_up="7H#1").does == "meld marriage S"


def test_it_lays_the_best_meld(seat: Any) -> None:
    several = "KD#0 KC#0 KS#0 KH#0 QD#0"
    assert seat(**TURN, hands=(several,)).does == "meld four kings"
    assert seat(**TURN, hands=("KD#0 QD#0 KH#0 QH#0",)).does == "meld marriage H"
    assert seat(**TURN, hands=("7H#0 QD#0",), turned_up="7H#1").does == "meld trump seven"
    double = "QS#0 QS#1 JD#0 JD#1 AD#0 AC#0 AH#0 AS#0"
    assert seat(**TURN, hands=(double,)).does == "meld double bezique"
    assert seat(**TURN, hands=("8C#0",)).does == "done"


def test_a_trump_marriage_comes_before_its_run(seat: Any) -> None:
    run = "AH#0 TH#0 KH#0 QH#0 JH#0"
    assert seat(**TURN, hands=(run,), stock=41).does == "meld marriage H"
    assert seat(**TURN, hands=(run,), stock=1).does == "meld trump run"
    laid = {"marriage": "KH#0 QH#0"}
    assert (
        seat(**TURN, hands=("AH#0 TH#0 JH#0",), tables=("KH#0 QH#0",), used=laid, stock=41).does
        == "meld trump run"
    )


def test_a_bezique_waits_for_a_double_one(seat: Any) -> None:
    pair = "QS#0 JD#0"
    early = seat(**TURN, hands=(f"{pair} QS#1",), stock=81)
    assert early.does == "done"
    assert seat(**TURN, hands=(f"{pair} QS#1",), stock=1).does == "meld bezique"
    # The other jacks are on the table of the opponent
    gone = seat(**TURN, hands=(f"{pair} QS#1", ""), tables=("", "JD#1 JD#2 JD#3"), stock=81)
    assert gone.does == "meld bezique"


# The last nine tricks ---------------------------------------------------------------------------

LAST: dict[str, Any] = {"trump": "H", "phase": "last", "leader": 0}


def test_it_keeps_what_wins_the_last_trick(seat: Any) -> None:
    assert seat(**LAST, hands=("AH#0 9C#0", "KH#0 8C#0")).does == "9C"
    assert seat(**LAST, hands=("AC#0 9S#0", "8S#0 KC#0")).does == "9S"
    # An ace would be trumped
    kept = seat(**LAST, hands=("AC#0 9S#0 9H#0", "8H#0 8D#0 7D#0"))
    assert kept.of("gives up the last trick", "AC") == 0
    assert kept.of("gives up the last trick", "9H") == -10


def test_it_keeps_the_seven_for_the_last_trick(seat: Any) -> None:
    assert seat(**LAST, hands=("AH#0 7H#0", "KC#0 8C#0")).does == "AH"
    beaten = seat(**LAST, hands=("AH#0 7H#0", "KH#0 8C#0"))
    assert beaten.of("gives up the last trick", "AH") == -10


def test_it_counts_what_must_be_played(seat: Any) -> None:
    """With two players the other hand is known, and so is what it must do."""
    known = seat(**LAST, hands=("KC#0 KS#0 KD#0 JO#0", "AC#0 9H#0 8D#0 8D#1"))
    wins = dict(zip(("KC", "KS", "KD", "JO"), (0, 0, 1, 0), strict=True))
    for card, chance in wins.items():
        assert known.of("wins", card) == chance, card
    no_trump = seat(**LAST, hands=("KC#0 KS#0 KD#0 JO#0", "QC#0 9D#0 8D#0 8D#1"))
    for card in wins:
        assert no_trump.of("wins", card) == 1


def test_of_equal_cards_the_first_wins(seat: Any) -> None:
    equal = seat(**LAST, hands=("KC#0 7D#0 JO#0", "KC#1 7D#1 9S#0"))
    assert [equal.of("wins", card) for card in ("KC", "7D", "JO")] == [1, 1, 1]
    higher = seat(**LAST, hands=("KC#0 7D#0 7S#0", "TC#1 8D#1 AS#0"))
    assert [higher.of("wins", card) for card in ("KC", "7D", "7S")] == [0, 0, 0]


def test_four_are_judged_by_what_they_showed(seat: Any) -> None:
    hands = ("KC#0 9D#0", "7D#0 8D#0", "AC#0 8S#0", "9S#0 7S#0")
    unknown = seat(FOUR, **LAST, hands=hands)
    assert 0 < unknown.of("wins", "KC") < 1
    shown = seat(FOUR, **LAST, hands=hands, denied=["", "AC", "", "AC"])
    assert shown.of("wins", "KC") == 0  # the one who may hold the ace does
    known = seat(FOUR, **LAST, hands=hands, known=["", "", "AC", ""])
    assert known.of("wins", "KC") == 0
    assert unknown.of("wins", "9D") == 1  # nobody has a higher diamond, or a trump


def test_the_last_to_play_knows(seat: Any) -> None:
    place = {**LAST, "leader": 1}
    last = seat(FOUR, **place, hands=("KC#0 9H#0",), trick=(None, "9C#0", "TC#0", "8C#0"))
    assert last.of("wins", "KC") == 0
    last = seat(FOUR, **place, hands=("AC#0 9H#0",), trick=(None, "9C#0", "TC#0", "8C#0"))
    assert last.of("wins", "AC") == 1


# Counting ---------------------------------------------------------------------------------------


def test_jokers(seat: Any, answer: Any) -> None:
    led = answer("JO#0", f"{LOW} AS#0 JO#1 9H#0")
    assert led.of("wins", "AS") == led.of("wins", "JO") == 0
    assert led.of("wins", "9H") == 1
    leads = seat(trump="H", phase="play", stock=113, hands=(f"{LOW} AS#0 JO#1 9H#0",))
    assert 0 < leads.of("wins", "JO") < 1
    assert answer("9S#0", "JO#1").of("wins", "JO") == 0


def test_chances_are_those_of_many_draws() -> None:
    for among, share in ((0, 0.3), (3, 0.0), (4, 0.45), (13, 0.2), (16, 1.0)):
        for number in range(5):
            wanted = sum(
                math.comb(among, k) * share**k * (1 - share) ** (among - k)
                for k in range(number, among + 1)
            )
            found = hopes.at_least(jnp.int32(number), jnp.int32(among), jnp.float32(share))
            assert float(found) == pytest.approx(wanted, abs=1e-5)


def test_melds_with_a_joker_follow_the_flag(seat: Any) -> None:
    three = "AD#0 AC#0 AS#0 JO#0"
    assert seat(**TURN, hands=(three,)).does == "meld four aces with a Joker"
    without = seat(OTHER, **TURN, hands=(three,))
    assert without.does == "done"
    assert not without.thinks["ready"][-1].any()


def test_what_is_ready_is_what_is_legal(sit: Any) -> None:
    table = sit(
        **TURN,
        hands=("KS#0 QS#0 QS#1 7H#0",),
        tables=("JD#0 JD#1 QD#0 QC#0",),
        used={"bezique": "JD#0", "jacks": "JD#1 JD#0", "marriage": "QD#0 QC#0"},
    )
    ready = np.asarray(judge(table.env)(table.state)["ready"])[-1]
    assert {MELDS[kind] for kind in np.flatnonzero(ready)} == table.melds


def test_other_games_are_refused() -> None:
    env = talonax.make("high_card_duel")
    state = env.init(jax.random.key(0))
    with pytest.raises(TypeError, match="plays bezique, not high_card_duel"):
        Greedy().act(None, env, state, env.legal_action_mask(state), (), jax.random.key(0))
