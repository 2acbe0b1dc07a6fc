"""Blob positions in words: written and read again, by hand, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.envs import blob
from talonax.envs.core import opening

#: The second trick of three: seat 3 has trumped the first, and leads; seat 1 is to move.
POSITION: dict[str, Any] = {
    "round": 5,
    "cards": 3,
    "trump": "S",
    "dealer": 3,
    "leader": 3,
    "hands": ["AS", "QC 9D", "KC JD", "2S"],
    "played": ["KH 5C", "2H", "AH", "3S 4C"],
    "table": ["5C", None, None, "4C"],
    "last_trick": "3S AH KH 2H",
    "bids": [1, 0, 1, 0],
    "tricks": [0, 0, 0, 1],
    "voids": ["", "", "", "H"],
    "scores": [10, 0, 11, 0],
}


def without(*names: str, **entries: Any) -> dict[str, Any]:
    return {name: each for name, each in {**POSITION, **entries}.items() if name not in names}


def over(env: Any, **fields: Any) -> dict[str, Any]:
    return {**opening(env.num_players, -1), "terminated": jnp.bool_(True), **fields}


def same(one: Any, other: Any) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


# Reading ------------------------------------------------------------------------------------------


def test_a_position_is_read_and_played(make: Any, described: Any) -> None:
    env = make(players=4, cards=13)
    table = described(env, **POSITION)
    assert env.position(table.state) == POSITION
    assert (table.mover, table.legal()) == (1, ["QC"])
    assert table.facts["leader"] == 3
    table = table.do("QC")
    assert (table.mover, table.legal()) == (2, ["KC"])
    table = table.do("KC")
    assert (table.mover, table.facts["tricks"]) == (2, [0, 0, 1, 1])
    end = table.do("JD", "2S", "AS", "9D")
    # bids 1 0 1 0: seat 1 makes nothing, seats 0 and 2 one trick each, seat 3 one too many
    assert end.facts["tricks"] == [1, 0, 1, 1]
    assert end.paid == [11.0, 10.0, 11.0, 0.0]
    assert end.facts["scores"] == [21, 10, 22, 0]


def test_the_example_on_the_page_is_read_and_played(make: Any, described: Any) -> None:
    page = Path(blob.__file__).parent / "README.md"
    example = re.search(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    text = json.loads(example[1])
    table = described(make(**text["rules"]), **text["position"])
    assert (text["game"], table.mover, table.legal()) == ("blob", 1, ["QC"])
    assert table.env.position(table.do("QC", "KC").state)["tricks"] == [0, 0, 1, 1]


def test_it_is_the_position_that_the_same_actions_lead_to(make: Any, deal: Any) -> None:
    hands = ("KH 5C AS", "2H QC 9D", "AH KC JD", "3S 4C 2S")
    table = deal(*hands, dealer=3).do(1, 0, 1, 0, "KH", "2H", "AH", "3S", "4C", "5C")
    env = make(players=4, cards=13)
    given = {**POSITION, "round": 0, "scores": [0] * 4}
    same(env.from_position(opening(4, 0), given), table.state)


@pytest.mark.parametrize(
    "flags",
    [{"players": 8, "cards": 2}, {"players": 3, "cards": 2, "rounds": "full"}],
    ids=str,
)
def test_there_and_back(make: Any, at: Any, flags: dict[str, Any]) -> None:
    """Of every position of a game: bids, open tricks, between tricks, rounds, the end."""
    env = make(**flags)
    table = at(env, env.init(jax.random.key(0)))
    rng = np.random.default_rng(0)
    mask = jax.jit(env.legal_action_mask)
    for _ in range(env.max_steps + 1):
        common = {name: getattr(table.state, name) for name in opening(env.num_players, 0)}
        same(env.from_position(common, env.position(table.state)), table.state)
        table = at(env, table.tried(int(rng.choice(np.flatnonzero(mask(table.state))))))
    assert table.over


def test_what_is_left_out_is_as_after_the_deal(make: Any, described: Any, deal: Any) -> None:
    hands = ["AS 2S", "KS 3S", "QS 4S", "JS 5S"]
    table = described(make(players=4, cards=13), dealer=1, hands=hands)
    same(table.state, deal(*hands, dealer=1).state)
    assert table.mover == 2
    later = described(make(players=4, cards=13, first_round=3), dealer=1, hands=hands)
    assert later.facts["trump"] == 3


def test_a_full_game_has_a_key_and_the_round_fixes_the_cards(make: Any, described: Any) -> None:
    env = make(players=3, cards=3, rounds="full")
    hands = ["AS", "KS", "QS"]
    table = described(env, dealer=0, hands=hands, round=2)
    assert table.state.key.tolist() == [0, 0]
    assert int(table.state.deal_no) == 0
    keyed = described(env, dealer=0, hands=hands, round=2, key=[1, 2**32 - 1], deal_no=2)
    assert env.position(keyed.state)["key"] == [1, 2**32 - 1]
    assert keyed.state.key.dtype == jnp.uint32
    table = keyed.do(0, 0, 0, "KS", "QS", "AS")
    deck = np.asarray(env.deck(jnp.array([1, 2**32 - 1], jnp.uint32), 3))
    assert [table.hand(seat) for seat in range(3)] == [
        [env.action_name(int(card)).split()[-1]] for card in deck[:3]
    ]


def test_the_end_and_games_that_were_ended(make: Any) -> None:
    env = make(players=4, cards=13)
    ended = {
        **POSITION,
        "leader": 0,
        "hands": [""] * 4,
        "played": ["AS KH 5C", "2H QC 9D", "AH KC JD", "3S 2S 4C"],
        "table": [None] * 4,
        "last_trick": "AS 2S JD 9D",
        "tricks": [1, 0, 1, 1],
    }
    state = env.from_position(over(env), ended)
    assert int(state.current_player) == -1
    assert int(env.phase(state)) == 2
    assert env.position(state) == ended
    cut = env.from_position(over(env, illegal=jnp.bool_(True)), POSITION)
    assert int(cut.current_player) == -1


# What is refused ----------------------------------------------------------------------------------

BIDDING = {
    "dealer": 3,
    "hands": ["AS", "KS", "QS", "JS"],
}

REFUSED: list[tuple[dict[str, Any], str]] = [
    (without("hands"), "no 'hands'"),
    (without("dealer"), "'dealer'"),
    (without("leader"), "no 'leader': once cards are played"),
    (without(colour=1), "unknown 'colour'"),
    (without(key=[0, 1]), "unknown 'key'"),
    (without(dealer=4), r"dealer: 0 \.\. 3 is needed, is 4"),
    (without(dealer="me"), "dealer: .* is 'me'"),
    (without(dealer=True), "dealer: .* is True"),
    (without(leader=-1), r"leader: 0 \.\. 3 is needed, is -1"),
    (without(round=-1), r"round: 0 \.\. 2147483647 is needed, is -1"),
    (without(cards=14), r"cards: 1 \.\. 13 is needed, is 14"),
    (without(trump="X"), "trump: 'X'; there are: S, H, C, D, none"),
    (without(trump="H"), "trump: H in round 5, whose trump is S"),
    (without(hands=["AS", "QC 9D"]), "hands: a list by seat is needed, 4 long"),
    (without(hands="AS"), "hands: a list by seat is needed"),
    (without(hands=["AS", "QC 9D", "KC JD", None]), "hands: cards are written in one text"),
    (without(hands=["AS", "QC 9D", "KC JD", "1S"]), "hands: '1S' is no card of this pack"),
    (without(hands=["AS", "QC 9D", "KC JD", "AS"]), "in two places: AS"),
    (without(hands=["AS", "QC 9D", "KC JD", ""]), "player 3 holds 0 and has played 2"),
    (without(cards=2), "player 0 holds 1 and has played 2, but was dealt 2"),
    (without(table=["5C", None, None, "4D"]), "table: player 3 has not played 4D"),
    (without(table=["5C", None, None, "9Z"]), "table: '9Z' is no card"),
    (without(table=[None, None, None, "4C"]), "1 tricks and 1 cards on the table do not make"),
    (without(table=["5C", None, None, None]), "table: not in turn from the leader, player 3"),
    (without(tricks=[0, 0, 0, 0]), "0 tricks and 2 cards on the table"),
    (without(tricks=[0, 0, 0, 4]), r"tricks: 0 \.\. 3 is needed, is 4"),
    (without(tricks=[0, 1, 0, 0]), "leader: player 3 leads, but has won no trick"),
    (without(bids=[1, 0, 1]), "bids: a list by seat"),
    (without(bids=[1, 0, 1, 4]), r"bids: 0 \.\. 3 is needed, is 4"),
    (without(bids=[1, 0, 1, 1]), "may not bid so"),
    (without(bids=[1, 0, 1, None]), "cards are played before all have bid"),
    ({**BIDDING, "bids": [None, 1, None, None]}, "bids: not in turn from player 0 on"),
    ({**BIDDING, "leader": 1}, "leader: player 0 leads first, is 1"),
    ({**BIDDING, "voids": ["S", "", "", ""]}, "voids: player 0 has shown void in a suit, but"),
    ({**BIDDING, "voids": ["H", "", "", ""]}, "voids: player 0 has not played enough"),
    (without(voids=["", "", "", ""], last_trick="", table=["5D", None, None, "4C"]), "not played"),
    (without(voids=["", "X", "", "H"]), "voids: suits as in 'SH' are needed, is 'X'"),
    (without(voids=["", "", "", "S"]), "voids: player 3 has shown void in a suit, but holds 2S"),
    (without(voids=["", "H", "", "H"]), "voids: player 1 has not played enough"),
    (without(voids=["", "SH", "", "H"]), "voids: player 1 has not played enough"),
    (without(last_trick="3S AH KH"), "last_trick: one card that each has played"),
    (without(last_trick="3S AH 5C 2H"), "last_trick: one card .* not in the open trick"),
    (without(last_trick="3S AH KH KH"), "last_trick: one card"),
    (without(leader=2, table=[None] * 4, last_trick="", tricks=[0, 0, 1, 0]), "do not make"),
    (without(scores=[0, 0, 0, -1]), r"scores: 0 \.\. 2147483647 is needed, is -1"),
    (without(scores=[0, 0, 0]), "scores: a list by seat"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_wrong_is_named(
    make: Any, described: Any, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=f"position.*{said}"):
        described(make(players=4, cards=13), **given)


def test_a_position_is_an_object(make: Any) -> None:
    with pytest.raises(ValueError, match=r"an object is needed, is \[\]"):
        make().from_position(opening(4, 0), [])


def test_without_hook_the_dealer_bids_what_he_likes(make: Any, described: Any) -> None:
    table = described(make(players=4, cards=13, hook=False), **without(bids=[1, 0, 1, 1]))
    assert table.facts["bids"] == [1, 0, 1, 1]


def test_who_does_not_follow_shows_a_void(make: Any, described: Any) -> None:
    given = without(
        table=["9D", None, None, "4C"],
        hands=["AS", "QC 5C", "KC JD", "2S"],
        played=["KH 9D", "2H", "AH", "3S 4C"],
    )
    env = make(players=4, cards=13)
    with pytest.raises(ValueError, match="player 0 has not followed 4C, which shows a void in C"):
        described(env, **given)
    table = described(env, **{**given, "voids": ["C", "", "", "H"]})
    assert table.facts["voids"] == [0b0100, 0, 0, 0b0010]


def test_the_last_trick_was_won_by_who_leads(make: Any, described: Any) -> None:
    """Seat 0 leads, but seat 3 trumped; of cards of two plain suits either may have been led."""
    env = make(players=4, cards=13)
    given = without(
        "table", leader=0, tricks=[1, 0, 0, 0], hands=["AS 5C", "QC 9D", "KC JD", "2S 4C"],
        played=["KH", "2H", "AH", "3S"],
    )  # fmt: skip
    with pytest.raises(ValueError, match="3S AH KH 2H was not won by player 0, who leads now"):
        described(env, **given)
    plain = {**given, "played": ["KH", "2H", "AH", "3D"], "last_trick": "KH 2H AH 3D"}
    with pytest.raises(ValueError, match="was not won by player 0"):
        described(env, **plain)
    led = {**plain, "leader": 3, "tricks": [0, 0, 0, 1]}
    assert described(env, **led).mover == 3


def test_over_or_not(make: Any, described: Any) -> None:
    env = make(players=4, cards=13)
    with pytest.raises(ValueError, match="the game is over, but not all cards are played"):
        env.from_position(over(env), POSITION)
    played = without("table", "last_trick", hands=[""] * 4, tricks=[0, 0, 2, 1], leader=2)
    played["played"] = ["KH 5C AS", "2H QC 9D", "AH KC JD", "3S 4C 2S"]
    with pytest.raises(ValueError, match="all cards are played, but the game is not over"):
        described(env, **played)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"round": 8}, r"round: 0 \.\. 7 is needed, is 8"),
        ({"round": 1}, "cards: 1 in round 1, which deals 2"),
        ({"key": [1]}, r"key: uint32\[2\] is needed, is \[1\]"),
        ({"key": [-1, 0]}, r"key: uint32\[2\]"),
        ({"deal_no": 0.5}, r"deal_no: int32\[\]"),
    ],
    ids=str,
)
def test_what_is_wrong_in_a_full_game(
    make: Any, described: Any, entries: dict[str, Any], said: str
) -> None:
    given = {"dealer": 0, "hands": ["AS", "KS", "QS"], "round": 3, **entries}
    with pytest.raises(ValueError, match=f"position: {said}"):
        described(make(players=3, cards=3, rounds="full"), **given)


def test_the_end_of_a_full_game_is_its_last_round(make: Any) -> None:
    """A game that is over before its last round was cut off by something illegal."""
    env = make(players=3, cards=1, rounds="full")
    given = {
        "dealer": 2,
        "leader": 0,
        "hands": [""] * 3,
        "played": ["AS", "KS", "QS"],
        "bids": [0, 0, 0],
        "tricks": [1, 0, 0],
        "round": 0,
    }
    with pytest.raises(
        ValueError, match=r"round 0 of 0 \.\. 3 is played, but then the game goes on"
    ):
        env.from_position(over(env), given)
