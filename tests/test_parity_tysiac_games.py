"""Whole games of Tysiac on the reference engine: what always holds, and the scenarios."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from talonax.configs.rules import build
from talonax.configs.tysiac.schema import Rules
from talonax.parity import IllegalMoveError, Move, play_random_episode
from talonax.parity.cards import Card
from talonax.parity.tysiac import TysiacSpec, TysiacState
from talonax.parity.tysiac_auction import proof_of
from talonax.parity.tysiac_pack import MARRIAGES, points_of
from talonax.parity.tysiac_position import Ending, Phase
from talonax.parity.tysiac_score import locked, rounded

BOMBS = {"bomba.enabled": True, "bomba.allow_redouble": True}
RULES: list[dict[str, Any]] = [
    {},
    {"must_trump_when_void": True, "rounding": "nearest"},
    {"hands": 1},
    {"hands": 3, "reward": "margin", "forced_open": False, "return_to": "declarer"},
    {"proof": "challenge", "lock": None, "max_hands": 12, **BOMBS},
    {"reward": "margin", "lock": 100, "target": 200, "rounding": "nearest_down", **BOMBS},
]
every_rules = pytest.mark.parametrize("flags", RULES, ids=str)


def tysiac(flags: dict[str, Any]) -> TysiacSpec:
    return TysiacSpec(build(Rules, flags, "test"))


@every_rules
def test_an_episode_keeps_the_promises(flags: dict[str, Any]) -> None:
    made = tysiac(flags)
    for seed in range(2):
        episode = play_random_episode(made, seed)
        assert episode == play_random_episode(made, seed)
        for state, move, rewards in zip(
            episode.states[:-1], episode.moves, episode.rewards, strict=True
        ):
            _check_open_state(made, state, move)
            assert sum(rewards) == 0
        end = episode.states[-1]
        assert end.is_terminal()
        assert (end.current_player(), end.legal_moves()) == (-1, ())
        assert end.facts()["current_player"] == -1
        totals = tuple(map(sum, zip(*episode.rewards, strict=True)))
        assert end.returns() == pytest.approx(totals)
        with pytest.raises(IllegalMoveError, match="over"):
            end.apply_move(episode.moves[-1])


def _check_open_state(made: TysiacSpec, state: Any, move: Move) -> None:
    ids = [option.id for option in state.legal_moves()]
    assert ids == sorted(set(ids))
    assert ids
    assert set(ids) <= set(range(made.num_actions))
    assert all(option.name == made.move_name(option.id) for option in state.legal_moves())
    assert state.apply_move(move) == state.apply_move(move.id)
    with pytest.raises(RuntimeError, match="not over"):
        state.returns()


@every_rules
def test_what_holds_of_every_hand(flags: dict[str, Any]) -> None:
    made = tysiac(flags)
    for seed in range(3):
        states = play_random_episode(made, seed).states
        calls = 0
        for before, after in itertools.pairwise(states):
            assert isinstance(before, TysiacState)
            assert isinstance(after, TysiacState)
            calls = calls + 1 if before.hand.phase is Phase.AUCTION else 0
            bids = calls - sum(event[0] == "challenge" for event in before.hand.seen[0])
            assert bids <= 12
            if after.ended is not None:
                _check_end(before, after)
            else:
                assert after.scores == before.scores
                assert after.rewards() == (0.0, 0.0)


def _check_end(before: TysiacState, after: TysiacState) -> None:
    hand, rules = after.ended, after.spec.rules
    assert hand is not None
    change = [now - then for now, then in zip(after.scores, before.scores, strict=True)]
    if rules.reward == "margin":
        assert after.rewards()[0] == pytest.approx((change[0] - change[1]) / 400)
    if hand.ending is Ending.PASSED_OUT:
        assert change == [0, 0]
    elif hand.ending is Ending.UNPROVEN:
        assert sorted(change) == [-hand.auction.high_bid, 0]
    else:
        melds = sum(MARRIAGES[suit] for suits in hand.declared for suit in suits)
        buried = points_of((*hand.musiks[1 - hand.taken], *hand.returned))
        assert sum(hand.points) - melds == 120 - buried
        assert sum(hand.tricks) == 10
        _check_scores(before, after)


def _check_scores(before: TysiacState, after: TysiacState) -> None:
    """The formula of the rules, by hand."""
    hand, rules = after.ended, after.spec.rules
    assert hand is not None
    declarer, defender = hand.declarer, 1 - hand.declarer
    raw = hand.points[declarer]
    raw += points_of(hand.returned) if rules.return_to == "declarer" else 0
    sign = 1 if raw >= hand.contract else -1
    assert after.scores[declarer] == before.scores[declarer] + sign * hand.contract * hand.doubling
    gain = rounded(hand.points[defender], rules.rounding) * hand.doubling
    assert after.scores[defender] == locked(before.scores[defender], gain, rules.lock)


@pytest.mark.parametrize("flags", [{"hands": 1}, {"hands": 4, "proof": "challenge", **BOMBS}])
def test_steps_by_name_are_the_moves_by_id(flags: dict[str, Any]) -> None:
    for seed in range(10):
        rng = random.Random(seed)
        state = tysiac(flags).initial_state(seed=seed)
        while not state.is_terminal():
            move = rng.choice(state.legal_moves())
            after = state.apply_move(move)
            if state.hand.phase is Phase.RETURN and not state.hand.returned:
                second = rng.choice(after.legal_moves())
                both = [Card.from_name(each.name) for each in (move, second)]
                assert state.return_cards(state.current_player(), both) == after.apply_move(second)
            elif state.hand.phase is not Phase.RETURN:
                assert _by_name(state, move.name) == after
            state = after


def _by_name(state: TysiacState, name: str) -> TysiacState:
    player, kind = state.current_player(), name.split()[0]
    in_window = state.hand.phase in (Phase.BOMB, Phase.REBOMB)
    match kind:
        case "bid":
            amount = int(name.split()[1])
            return state.bid(player, amount, proof_of(state.hand.hands[player], amount))
        case "pass":
            return state.no_bomb(player) if in_window else state.pass_(player)
        case "challenge":
            return state.challenge(player)
        case "musik":
            return state.take_musik(player, int(name.split()[1]))
        case "contract":
            return state.name_contract(player, int(name.split()[1]))
        case "bomb":
            return state.bomb(player)
        case "re-bomb":
            return state.rebomb(player)
    return state.play(player, Card.from_name(name.split()[-1]), declare=kind == "declare")


# Scenarios


def _walk(made: TysiacSpec, name: str, seed: int) -> Iterator[TysiacState]:
    rng = random.Random(seed)
    state = made.initial_state(seed=seed)
    yield state
    while not state.is_terminal():
        move = made.scenarios[name].choose(state, rng)
        assert move in state.legal_moves()
        state = state.apply_move(move)
        yield state


@every_rules
def test_scenarios_reach_their_places(flags: dict[str, Any]) -> None:
    made = tysiac(flags)
    for name, scenario in made.scenarios.items():
        found = any(
            scenario.reached(state) for seed in range(150) for state in _walk(made, name, seed)
        )
        assert found, f"{name}: {scenario.what}"


def test_scenarios_follow_the_flags() -> None:
    hand = {"forced_pass", "proof_limit", "raised", "declarer_declares", "defender_declares"}
    hand |= {"overridden", "void"}
    match = {"won", "lock", "truncated"}
    assert set(tysiac({}).scenarios) == hand | match
    assert set(tysiac({"hands": 1}).scenarios) == hand
    challenge = {"highest_bid", "challenge_survived", "challenge_lost"}
    proofs = {"forced_pass", "proof_limit"}
    assert set(tysiac({"hands": 1, "proof": "challenge"}).scenarios) == hand - proofs | challenge
    assert set(tysiac({"lock": None}).scenarios) == hand | match - {"lock"}
    assert set(tysiac({"max_hands": 9}).scenarios) == hand | {"truncated"}
    assert set(tysiac({"hands": 1, "forced_open": False}).scenarios) == hand | {"passed_out"}
    returned = {"hands": 1, "return_to": "declarer"}
    assert set(tysiac(returned).scenarios) == hand | {"made_with_returned"}
    bomb = {"bomb", "bomb_failed"}
    assert set(tysiac({"hands": 1, "bomba.enabled": True}).scenarios) == hand | bomb
    assert set(tysiac({"hands": 1, **BOMBS}).scenarios) == hand | bomb | {"rebomb"}


@pytest.mark.parametrize(
    ("name", "flags", "check"),
    [
        ("proof_limit", {}, lambda f: f["high_bid"] in (140, 160, 180) and f["phase"] == 0),
        ("forced_pass", {}, lambda f: f["high_bid"] == 120 and f["phase"] == 0),
        ("highest_bid", {"proof": "challenge"}, lambda f: f["high_bid"] == 200),
        ("challenge_survived", {"proof": "challenge"}, lambda f: f["high_bid"] > 120),
        ("raised", {}, lambda f: f["contract"] > f["high_bid"]),
        ("bomb", BOMBS, lambda f: f["doubling"] >= 2),
        ("rebomb", BOMBS, lambda f: f["doubling"] == 4),
        ("declarer_declares", {}, lambda f: f["declared"][f["declarer"]] > 0),
        ("defender_declares", {}, lambda f: f["declared"][1 - f["declarer"]] > 0),
        ("overridden", {}, lambda f: sum(f["declared"]).bit_count() > 1 or all(f["declared"])),
        ("void", {}, lambda f: f["table"] >= 0 and f["trump"] >= 0),
    ],
)
def test_scenarios_of_a_hand_by_their_own_account(
    name: str, flags: dict[str, Any], check: Any
) -> None:
    made = tysiac({"hands": 1, **flags})
    there = [
        state.facts()
        for seed in range(40)
        for state in _walk(made, name, seed)
        if made.scenarios[name].reached(state)
    ]
    assert there
    assert all(map(check, there))


def test_scenarios_of_a_match_by_their_own_account() -> None:
    made = tysiac({})
    ends = {name: list(_walk(made, name, 0)) for name in ("won", "lock", "truncated")}
    won, cut = ends["won"][-1], ends["truncated"][-1]
    assert made.scenarios["won"].reached(won)
    assert max(won.scores) >= 1000
    assert won.scores[won.hand.declarer] >= 1000
    assert any(800 in state.scores for state in ends["lock"])
    assert (cut.is_truncated(), cut.number, made.scenarios["truncated"].reached(cut)) == (
        *(True, 59, True),
    )


def test_a_match_cut_short_pays_by_the_totals() -> None:
    for seed in range(5):
        *_, end = _walk(tysiac({}), "truncated", seed)
        sign = (end.scores[0] > end.scores[1]) - (end.scores[0] < end.scores[1])
        assert end.returns() == end.rewards() == (float(sign), float(-sign))
