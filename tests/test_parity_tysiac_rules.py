"""A hand of Tysiac on the reference engine, its auction apart: literal positions and flags."""

import random
from typing import Any

import pytest

from talonax.configs.rules import build
from talonax.configs.tysiac.schema import Rules
from talonax.parity.cards import Card, Suit
from talonax.parity.tysiac import TysiacSpec, TysiacState
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import CARDS, IDS, in_order, points_of
from talonax.parity.tysiac_position import Phase

# Ids: S 0..5, C 6..11, D 12..17, H 18..23, each 9 J Q K 10 A. Seat 0 has spades and 9C .. KC, seat
# 1 TC, AC, diamonds and 9H, JH; the musiki are QH, KH and TH, AH.
PLAIN_DECK = list(range(24))
BOMB = {"bomba.enabled": True}
REDOUBLE = {**BOMB, "bomba.allow_redouble": True}


def tysiac(**flags: Any) -> TysiacSpec:
    return TysiacSpec(build(Rules, flags, "test"))


def cards(text: str) -> tuple[Card, ...]:
    return in_order(Card.from_name(name) for name in text.split())


def start(flags: dict[str, Any] | None = None, **table: Any) -> TysiacState:
    """Return the plain deal; seat 0 is forehand by default."""
    return tysiac(**(flags or {})).initial_state(deck=PLAIN_DECK, **{"dealer": 1, **table})


def position(
    mine: str, yours: str, flags: dict[str, Any] | None = None, **fields: Any
) -> TysiacState:
    """Return a position of play, seat 0 the declarer of 100 and on lead by default."""
    state = start(flags)
    auction = Auction(state.spec.rules, to_act=1, high_bid=100, bid_by=0, passed=(False, True))
    table = {"phase": Phase.PLAY, "declarer": 0, "contract": 100, "leader": 0, "auction": auction}
    return state.with_hand(hands=(cards(mine), cards(yours)), **{**table, **fields})


def play(state: TysiacState, *names: str) -> TysiacState:
    for name in names:
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


def legal(state: TysiacState) -> set[str]:
    return {move.name for move in state.legal_moves()}


def mask(*ids: int) -> int:
    return sum(2**number for number in ids)


# The deal


def test_deal() -> None:
    state = tysiac().initial_state(deck=PLAIN_DECK)
    assert state.facts() == {
        "current_player": 1,
        "phase": 0,
        "hands": [mask(*range(10)), mask(*range(10, 20))],
        "musiks": [mask(20, 21), mask(22, 23)],
        "taken": -1,
        "returned": 0,
        "declarer": -1,
        "dealer": 0,
        "high_bid": 0,
        "bid_by": -1,
        "passed": [0, 0],
        "proven": 0,
        "contract": 0,
        "doubling": 1,
        "table": -1,
        "last": [-1, -1],
        "leader": -1,
        "trump": -1,
        "declared": [0, 0],
        "points": [0, 0],
        "tricks": [0, 0],
        "played": [0, 0],
        "known": [0, 0],
        "hand": 0,
        "scores": [0, 0],
    }
    assert [CARDS[number].name for number in (0, 4, 5, 6, 15, 23)] == [
        *("9S", "TS", "AS", "9C", "KD", "AH")
    ]
    assert points_of(CARDS) == 120


def test_names_of_the_actions() -> None:
    game = tysiac()
    names = [game.move_name(number) for number in range(game.num_actions)]
    assert len(set(names[24:])) == 80 - 24 == len(names) - 24
    assert names[:6] == ["9S", "JS", "QS", "KS", "TS", "AS"]
    assert names[24:32] == [f"declare {rank}{suit}" for suit in "SCDH" for rank in "KQ"]
    assert names[32:34] == ["pass", "bid 100"]
    assert names[43:47] == ["bid 200", "musik 0", "musik 1", "contract 100"]
    assert names[76:] == ["contract 400", "bomb", "re-bomb", "challenge"]


def test_decks_by_number() -> None:
    def shuffled(seed: int) -> list[int]:
        order = list(range(24))
        random.Random(seed).shuffle(order)
        return order

    def dealt(state: TysiacState) -> list[int]:
        places = [*state.hand.hands, *state.hand.musiks]
        return [mask(*(IDS[card] for card in place)) for place in places]

    def parts(order: list[int]) -> list[int]:
        return [mask(*order[a:b]) for a, b in ((0, 10), (10, 20), (20, 22), (22, 24))]

    passing = tysiac(forced_open=False)
    for state, decks in [
        (passing.initial_state(), [shuffled(0), shuffled(1), shuffled(2)]),
        (passing.initial_state(seed=7), [shuffled(7), shuffled(8), shuffled(9)]),
        (passing.initial_state(seed=7, hand=3), [shuffled(7), shuffled(8)]),
        (passing.initial_state(deck=PLAIN_DECK), [PLAIN_DECK, shuffled(1), shuffled(2)]),
        (passing.initial_state(deck=PLAIN_DECK, hand=3), [PLAIN_DECK, shuffled(1)]),
        (passing.initial_state(decks=lambda n: shuffled(2 * n)), [shuffled(0), shuffled(2)]),
        (
            passing.initial_state(decks=lambda n: shuffled(2 * n), hand=3),
            [shuffled(0), shuffled(2)],
        ),
    ]:
        for order in decks:
            assert dealt(state) == parts(order)
            state = play(state, "pass")


@pytest.mark.parametrize(
    ("table", "dealers"),
    [
        ({}, [0, 1, 0]),
        ({"hand": 1}, [1, 0, 1]),
        ({"hand": 4}, [0, 1, 0]),
        ({"dealer": 1}, [1, 0, 1]),
        ({"dealer": 1, "hand": 4}, [1, 0, 1]),
    ],
)
def test_the_dealer_changes_with_every_hand(table: dict[str, Any], dealers: list[int]) -> None:
    state = tysiac(forced_open=False).initial_state(seed=0, **table)
    for number, dealer in enumerate(dealers, start=table.get("hand", 0)):
        assert (state.number, state.hand.dealer, state.current_player()) == (
            *(number, dealer, 1 - dealer),
        )
        state = play(state, "pass")


def test_scores_given_are_counted_on() -> None:
    state = tysiac(forced_open=False).initial_state(seed=0, scores=(-120, 990))
    assert play(state, "pass").scores == (-120, 990)


# Musik and contract


def test_musik_and_return() -> None:
    state = play(start(), "bid 100", "pass", "musik 1")
    assert state.hand.hands[0] == (*CARDS[:10], *CARDS[22:24])
    assert state.hand.known == (frozenset(CARDS[22:24]), frozenset())
    assert legal(state) == {card.name for card in state.hand.hands[0]}
    one = play(state, "TH")
    assert (one.hand.phase, one.current_player()) == (Phase.RETURN, 0)
    assert "TH" not in legal(one)
    two = play(one, "9S")
    assert (two.hand.returned, two.hand.phase) == (cards("9S TH"), Phase.CONTRACT)
    assert two == state.return_cards(0, cards("TH 9S")[::-1])
    assert two.facts()["returned"] == mask(0, 22)
    assert two.hand.known == (frozenset(), frozenset())


@pytest.mark.parametrize(
    ("bids", "lowest"), [([], 100), (["bid 110"], 110), (["bid 110", "bid 120"], 120)]
)
def test_contracts(bids: list[str], lowest: int) -> None:
    state = play(start(), "bid 100", *bids, "pass", "musik 0")
    declarer = state.hand.declarer
    state = state.return_cards(declarer, state.hand.hands[declarer][:2])
    assert legal(state) == {f"contract {amount}" for amount in range(lowest, 401, 10)}
    named = play(state, "contract 250")
    assert (named.hand.contract, named.hand.auction.high_bid) == (250, lowest)
    assert (named.hand.phase, named.hand.leader) == (Phase.PLAY, declarer)


@pytest.mark.parametrize(
    ("return_to", "scores"),
    [("unused_musik", (-100, 20)), ("discard", (-100, 20)), ("declarer", (100, 20))],
)
def test_return_to(return_to: str, scores: tuple[int, int]) -> None:
    fields = {"returned": cards("AD TD"), "points": (79, 20)}
    led = play(position("9S", "9C", {"return_to": return_to}, **fields), "9S")
    assert led.facts()["points"] == [79, 20]
    end = play(led, "9C")
    assert end.ended is not None
    assert end.ended.points == (79, 20)
    assert end.scores == scores


# Bomb


def test_no_bomb_by_default() -> None:
    state = position("AS 9S", "AC 9C", phase=Phase.CONTRACT, leader=-1)
    assert play(state, "contract 100").hand.phase is Phase.PLAY


@pytest.mark.parametrize("flags", [BOMB, REDOUBLE])
def test_bomb(flags: dict[str, Any]) -> None:
    state = position("AS 9S", "AC 9C", flags, phase=Phase.CONTRACT, leader=-1)
    asked = play(state, "contract 100")
    assert (asked.hand.phase, asked.current_player(), asked.hand.leader) == (Phase.BOMB, 1, -1)
    assert legal(asked) == {"pass", "bomb"}
    declined = play(asked, "pass")
    assert (declined.hand.phase, declined.hand.doubling) == (Phase.PLAY, 1)
    assert declined == asked.no_bomb(1)
    bombed = play(asked, "bomb")
    assert (bombed.hand.doubling, bombed.current_player()) == (2, 0)
    if flags is BOMB:
        assert (bombed.hand.phase, bombed.hand.leader) == (Phase.PLAY, 0)
        return
    assert (bombed.hand.phase, bombed.hand.leader) == (Phase.REBOMB, -1)
    assert legal(bombed) == {"pass", "re-bomb"}
    for name, doubling in (("pass", 2), ("re-bomb", 4)):
        after = play(bombed, name)
        assert (after.hand.phase, after.hand.doubling) == (Phase.PLAY, doubling)
    assert play(bombed, "pass") == bombed.no_bomb(0)


@pytest.mark.parametrize(
    ("doubling", "made", "failed"),
    [(1, (150, 50), (-150, 50)), (2, (300, 100), (-300, 100)), (4, (600, 200), (-600, 200))],
)
def test_doubling(doubling: int, made: tuple[int, int], failed: tuple[int, int]) -> None:
    for points, scores in ((150, made), (149, failed)):
        state = position("9S", "9C", REDOUBLE, contract=150, doubling=doubling, points=(points, 41))
        assert play(state, "9S", "9C").scores == scores


# Play


def test_the_leader_may_declare_or_not() -> None:
    state = position("KD QD AC", "JD 9S 9C")
    assert legal(state) == {"KD", "QD", "AC", "declare KD", "declare QD"}
    plain, declared = play(state, "QD"), play(state, "declare QD")
    assert (plain.hand.trump, plain.hand.points) == (None, (0, 0))
    assert (declared.hand.trump, declared.hand.points) == (Suit.DIAMONDS, (80, 0))
    assert declared.facts()["declared"] == [4, 0]
    assert plain.hand.known == (frozenset(), frozenset())
    assert declared.hand.known == (frozenset(cards("KD")), frozenset())
    assert legal(play(plain, "JD")) == {"KD", "AC"}


@pytest.mark.parametrize(
    ("suit", "worth", "number"), [("S", 40, 0), ("C", 60, 1), ("D", 80, 2), ("H", 100, 3)]
)
def test_worth_of_marriages(suit: str, worth: int, number: int) -> None:
    state = position(f"K{suit} Q{suit}", "9S 9C")
    led = play(state, f"declare K{suit}")
    assert (led.hand.points, led.facts()["trump"]) == ((worth, 0), number)


def test_trump_rules_the_trick_that_it_is_declared_in() -> None:
    spades: dict[str, Any] = {"trump": Suit.SPADES}
    state = position("KH QH", "AS 9S", **spades)
    assert play(state, "KH", "AS").hand.leader == 1
    assert play(state, "declare KH", "AS").hand.leader == 0


def test_the_defender_declares_too_and_overrides() -> None:
    state = position("9C AS", "KC QC", leader=1, trump=Suit.SPADES)
    led = play(state, "declare QC")
    assert (led.hand.trump, led.hand.points, led.facts()["declared"]) == (
        *(Suit.CLUBS, (0, 60), [0, 2]),
    )
    assert play(led, "9C", "KC", "AS").ended is not None


def test_a_half_of_a_played_marriage_declares_nothing() -> None:
    state = play(position("KD QD AC", "JD 9S 9C"), "declare QD", "JD")
    assert legal(state) == {"KD", "AC"}


@pytest.mark.parametrize("trump", [None, "S", "H"])
def test_a_follower_beats_in_the_led_suit(trump: str | None) -> None:
    suits = {"S": Suit.SPADES, "H": Suit.HEARTS, None: None}
    hand = "9S JS KS AS 9H AC"
    state = position("QS 9D", hand, trump=suits[trump])
    assert legal(play(state, "QS")) == {"KS", "AS"}
    top = position("TS 9D", "9S JS KS 9H AC", trump=suits[trump])
    assert legal(play(top, "TS")) == {"9S", "JS", "KS"}


@pytest.mark.parametrize("duty", [True, False])
def test_must_trump_when_void(duty: bool) -> None:
    flags = {"must_trump_when_void": duty}
    hand = "9H AH AC 9D"
    state = play(position("QS 9D", hand, flags, trump=Suit.HEARTS), "QS")
    assert legal(state) == ({"9H", "AH"} if duty else {"9H", "AH", "AC", "9D"})
    no_trump = play(position("QS 9D", hand, flags), "QS")
    assert legal(no_trump) == {"9H", "AH", "AC", "9D"}
    without = play(position("QS 9D", "AC 9D", flags, trump=Suit.HEARTS), "QS")
    assert legal(without) == {"AC", "9D"}


@pytest.mark.parametrize(
    ("lead", "reply", "trump", "winner"),
    [
        ("QS", "KS", None, 1),
        ("TS", "KS", None, 0),
        ("TS", "AS", None, 1),
        ("9S", "AH", None, 0),
        ("AS", "9H", "H", 1),
        ("9H", "AS", "H", 0),
        ("9H", "JH", "H", 1),
        ("9S", "AC", "H", 0),
    ],
)
def test_who_takes_a_trick(lead: str, reply: str, trump: str | None, winner: int) -> None:
    suit = Suit.HEARTS if trump else None
    after = play(position(f"{lead} 9D", f"{reply} JD", trump=suit), lead, reply)
    taken = [0, 0]
    taken[winner] = points_of(cards(f"{lead} {reply}"))
    assert (after.hand.leader, list(after.hand.points)) == (winner, taken)
    assert (after.hand.tricks[winner], after.current_player()) == (1, winner)
