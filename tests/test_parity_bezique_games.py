"""Rounds and games of Bezique on the reference engine: what always holds, and how games end."""

import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity import GameEnv, IllegalMoveError, play_random_episode
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_decks import directed_decks
from talonax.parity.bezique_events import GameEnd, Melded, RoundEnd, Scored, TrickEnd
from talonax.parity.bezique_melds import BARRED_BY
from talonax.parity.bezique_pack import ACTIONS, BeziqueCard, Declare, Done, Kind, Play, counts
from talonax.parity.bezique_position import Phase
from talonax.parity.bezique_score import Verdict, margins, prizes, verdict_after
from talonax.parity.cards import Suit

RULES: list[dict[str, Any]] = [
    {"rounds": 1},
    {"rounds": 1, "players": 4, "mode": "advanced"},
    {"rounds": 2, "reward": "win", "joker_turnup": "redraw", "max_jokers": 0},
    {"max_rounds": 3, "target": 750, "seven_in_phase2": False},
    {"max_rounds": 2, "players": 4, "reward": "win"},
]
every_rules = pytest.mark.parametrize("flags", RULES, ids=str)
#: Tricks with the stock and without, by the number of players.
TRICKS = {2: (57, 9), 4: (24, 9)}


def bezique(**flags: Any) -> BeziqueSpec:
    return BeziqueSpec(build(Rules, flags, "test"))


def card(name: str) -> BeziqueCard:
    return BeziqueCard.from_name(name)


def walk(state: BeziqueState, rng: random.Random, melding: float = 0.0) -> Any:
    """Yield the positions of a game; melds are preferred with some probability."""
    yield state
    while not state.is_terminal():
        legal = state.legal_moves()
        melds = [move for move in legal if isinstance(ACTIONS[move.id], Declare)]
        state = state.apply_move(rng.choice(melds if melds and rng.random() < melding else legal))
        yield state


# What always holds


def check_cards(state: BeziqueState) -> None:
    """Every card is in exactly one place, and who is to lead has nine."""
    now = state.round
    placed = [each for cards in (*now.hands, *now.tables) for each in cards]
    turned_up = [] if now.turned_up is None else [now.turned_up]
    everything = [*placed, *turned_up, *now.stock, *now.trick, *now.gone]
    assert sorted(each.id for each in everything) == list(range(132))
    seats = [[*hand, *table] for hand, table in zip(now.hands, now.tables, strict=True)]
    if not now.trick and now.phase is Phase.PLAY:
        assert {len(seat) for seat in seats} == {9}
    if now.phase is Phase.LAST_NINE:
        assert {len(seat) for seat in seats} <= {9 - now.last_tricks, 8 - now.last_tricks}
        assert not any(now.tables)
    for seat, known in enumerate(now.known):
        held = counts(now.hands[seat])
        assert all(k <= h for k, h in zip(known, held, strict=True))


def check_round(ended: Any, rules: Rules) -> None:
    """A round that is over: its tricks, its melds, its score."""
    first, last = TRICKS[rules.players]
    ends = [event for event in ended.events if isinstance(event, TrickEnd)]
    assert (len(ends), ended.last_tricks) == (first + last, last)
    assert [each for end in ends for each in end.cards] == list(ended.gone)
    points = [0] * rules.players
    for event in ended.events:
        if isinstance(event, Scored):
            assert event.points > 0
            points[event.player] += event.points
    assert tuple(points) == ended.points
    assert sum(ended.brisques) == 32
    been: dict[Kind, set[BeziqueCard]] = {kind: set() for kind in Kind}
    for event in ended.events:
        if isinstance(event, Melded):
            for bar in BARRED_BY[event.kind]:
                assert not been[bar] & set(event.cards)
            been[event.kind] |= set(event.cards)
            assert any(event.from_hand)
    assert tuple(map(frozenset, been.values())) == ended.used


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(RULES),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.9]),
    st.sampled_from([None, *directed_decks(2)]),
)
def test_what_holds_of_every_game(
    flags: dict[str, Any], seed: int, melding: float, directed: str | None
) -> None:
    spec = bezique(**flags)
    deck = None if directed is None else directed_decks(spec.num_players)[directed]
    start = spec.initial_state(seed=seed) if deck is None else spec.initial_state(deck=deck)
    totals, moves, rounds = start.totals, 0, 0
    for before, after in itertools.pairwise(walk(start, random.Random(seed), melding)):
        check_cards(after)
        moves += 1
        assert sum(after.rewards()) == pytest.approx(0)
        if after.ended is None:
            assert after.totals == before.totals
            continue
        rounds += 1
        check_round(after.ended, spec.rules)
        won = zip(totals, after.ended.points, strict=True)
        totals = tuple(total + points for total, points in won)
        assert after.totals == totals
        assert any(isinstance(event, RoundEnd) for event in after.news)
    assert after.is_terminal()
    assert rounds == after.number + 1
    first, last = TRICKS[spec.num_players]
    most = spec.num_players * (first + last) + first * 3
    assert moves <= rounds * most


@every_rules
def test_an_episode_keeps_the_promises(flags: dict[str, Any]) -> None:
    spec = bezique(**flags)
    episode = play_random_episode(spec, 5)
    assert episode == play_random_episode(spec, 5)
    for state, move in zip(episode.states[:-1], episode.moves, strict=True):
        ids = [option.id for option in state.legal_moves()]
        assert ids == sorted(set(ids))
        assert move.id in ids
        assert all(option.name == spec.move_name(option.id) for option in state.legal_moves())
    end = episode.states[-1]
    assert (end.current_player(), end.legal_moves()) == (-1, ())
    assert end.facts()["phase"] == 3
    totals = tuple(map(sum, zip(*episode.rewards, strict=True)))
    assert end.returns() == totals
    with pytest.raises(IllegalMoveError, match="over"):
        end.apply_move(episode.moves[-1])
    env = GameEnv(spec)
    assert env.reset(seed=5) == episode.states[0]
    assert env.step(episode.moves[0])[0] == episode.states[1]


@pytest.mark.parametrize("flags", RULES[:2], ids=str)
def test_steps_by_name_are_the_moves_by_id(flags: dict[str, Any]) -> None:
    for seed in range(3):
        rng = random.Random(seed)
        state = bezique(**flags).initial_state(seed=seed)
        while not state.is_terminal():
            move, seat = rng.choice(state.legal_moves()), state.current_player()
            action, cards = ACTIONS[move.id], state.cards_of(move)
            match action:
                case Play():
                    by_name = state.play_card(seat, *cards)
                case Declare(meld):
                    by_name = state.declare(seat, cards[::-1], meld.kind)
                case Done():
                    by_name = state.done(seat)
                case _:
                    by_name = state.swap_seven(seat)
            after = state.apply_move(move)
            assert by_name == after
            assert after.events[-1] == after.news[-1]
            state = after


# How games end


def last_trick(points: tuple[int, ...], scores: tuple[int, ...], **flags: Any) -> BeziqueState:
    """Return the game after a last trick that seat 0 wins, which makes these points of the round.

    Args:
      points: of the round, the last trick included.
      scores: the totals before it.
      **flags: the rules.
    """
    number = flags.pop("number", 0)
    spec = bezique(players=len(points), **flags)
    cards = [card(name) for name in ("9D.0", "8D.0", "7S.0", "8S.0")[: len(points)]]
    state = spec.initial_state(seed=0, scores=scores, round=number).with_round(
        trump=Suit.HEARTS,
        phase=Phase.LAST_NINE,
        leader=0,
        hands=tuple((each,) for each in cards),
        points=(points[0] - 10, *points[1:]),
    )
    for seat, each in enumerate(cards):
        state = state.play_card(seat, each)
    return state


def test_the_target_is_reached() -> None:
    state = last_trick((100, 40), (900, 950))
    assert state.totals == (1000, 990)
    assert state.verdict == Verdict((0,))
    assert (state.is_terminal(), state.is_truncated(), state.current_player()) == (True, False, -1)
    assert state.news[-1] == GameEnd((1000, 990), (0,), False)
    assert state.number == 0
    assert state.round is not state.ended
    assert state.round.points == (100, 40)
    below = last_trick((90, 40), (900, 950))
    assert (below.totals, below.is_terminal()) == ((990, 990), False)


@pytest.mark.parametrize("target", [750, 1000, 1500])
def test_every_target(target: int) -> None:
    for short in (0, 10):
        state = last_trick((50, 0), (target - 50 - short, 0), target=target)
        assert state.is_terminal() == (not short)


def test_a_tie_at_the_top_goes_on() -> None:
    state = last_trick((100, 50), (950, 1000))
    assert state.totals == (1050, 1050)
    assert (state.is_terminal(), state.number, state.round.points) == (False, 1, (0, 0))
    assert state.ended is not None
    assert state.ended.points == (100, 50)
    assert state.rewards() == (0.05, -0.05)
    again = last_trick((100, 60, 0, 0), (950, 990, 1049, 0))
    assert (again.totals[:2], again.is_terminal()) == ((1050, 1050), False)
    lower = last_trick((100, 60, 0, 0), (900, 940, 1049, 0))
    assert lower.verdict == Verdict((2,))


def test_the_next_round_is_dealt_by_the_next() -> None:
    state = last_trick((20, 0), (0, 0))
    assert (state.round.dealer, state.current_player(), state.round.leader) == (0, 1, 1)
    assert state.round.last_winner == -1
    assert state.round == bezique().deal(state.decks(1), 1, 0)
    four = last_trick((20, 0, 0, 0), (0, 0, 0, 0), number=2)
    assert (four.number, four.round.dealer, four.current_player()) == (3, 2, 3)


@pytest.mark.parametrize(
    ("points", "winners"), [((100, 90), (0,)), ((100, 100), (0, 1)), ((10, 100), (1,))]
)
def test_a_game_cut_short(points: tuple[int, int], winners: tuple[int, ...]) -> None:
    state = last_trick(points, (0, 0), number=2, max_rounds=3)
    assert state.verdict == Verdict(winners, truncated=True)
    assert (state.is_terminal(), state.is_truncated()) == (True, True)
    assert not last_trick(points, (0, 0), number=1, max_rounds=3).is_terminal()
    won = last_trick((100, 0), (900, 0), number=2, max_rounds=3)
    assert won.verdict == Verdict((0,))
    tied = last_trick((100, 100), (900, 900), number=2, max_rounds=3)
    assert tied.verdict == Verdict((0, 1), truncated=True)


def test_a_number_of_rounds_whatever_the_target() -> None:
    early = last_trick((100, 0), (1400, 0), rounds=2)
    assert (early.is_terminal(), early.number) == (False, 1)
    end = last_trick((100, 0), (0, 50), rounds=2, number=1)
    assert end.verdict == Verdict((0,))
    assert not end.is_truncated()
    shared = last_trick((100, 0), (0, 100), rounds=2, number=1)
    assert shared.verdict == Verdict((0, 1))
    assert not shared.is_truncated()


@pytest.mark.parametrize(
    ("winners", "players", "expected"),
    [
        ((0,), 2, (1.0, -1.0)),
        ((1,), 2, (-1.0, 1.0)),
        ((0, 1), 2, (0.0, 0.0)),
        ((2,), 4, (-1 / 3, -1 / 3, 1.0, -1 / 3)),
        ((0, 3), 4, (1 / 3, -1 / 3, -1 / 3, 1 / 3)),
        ((0, 1, 3), 4, (1 / 9, 1 / 9, -1 / 3, 1 / 9)),
        ((0, 1, 2, 3), 4, (0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_prizes(winners: tuple[int, ...], players: int, expected: tuple[float, ...]) -> None:
    assert prizes(winners, players) == pytest.approx(expected)


def test_margins() -> None:
    assert margins((300, 100)) == (0.2, -0.2)
    assert margins((300, 100, 0, 50)) == pytest.approx((0.25, -1 / 60, -0.15, -1 / 12))


def test_rewards_by_flag() -> None:
    assert last_trick((100, 40), (900, 950)).rewards() == (0.06, -0.06)
    assert last_trick((100, 40), (0, 0)).rewards() == (0.06, -0.06)
    assert last_trick((100, 40), (0, 0), reward="win").rewards() == (0.0, 0.0)
    assert last_trick((100, 40), (900, 950), reward="win").returns() == (1.0, -1.0)
    lost = last_trick((20, 40, 0, 0), (0, 960, 0, 0), reward="win")
    assert lost.rewards() == pytest.approx((-1 / 3, 1.0, -1 / 3, -1 / 3))


def test_the_verdict_alone() -> None:
    assert verdict_after(Rules(), 1, (999, 0)) is None
    assert verdict_after(Rules(), 100, (999, 0)) == Verdict((0,), truncated=True)
    assert verdict_after(Rules(rounds=3), 2, (2000, 0)) is None
