"""The auction of Tysiac on the reference engine, and challenges: literal positions."""

from typing import Any

import pytest

from talonax.configs.rules import build
from talonax.configs.tysiac.schema import Rules
from talonax.parity import IllegalMoveError
from talonax.parity.cards import Card, Suit
from talonax.parity.tysiac import TysiacSpec, TysiacState
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import in_order
from talonax.parity.tysiac_position import Ending, Phase

# Ids: S 0..5, C 6..11, D 12..17, H 18..23, each 9 J Q K 10 A. Seat 0 has spades and 9C .. KC, seat
# 1 TC, AC, diamonds and 9H, JH; the musiki are QH, KH and TH, AH.
PLAIN_DECK = list(range(24))


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


@pytest.mark.parametrize("forced", [True, False])
def test_forced_open(forced: bool) -> None:
    state = start({"forced_open": forced})
    assert legal(state) == ({"bid 100"} if forced else {"pass", "bid 100"})
    assert legal(play(state, "bid 100")) == {"pass", "bid 110"}
    if forced:
        with pytest.raises(IllegalMoveError, match="forehand must open"):
            state.pass_(0)


def test_a_pass_ends_the_auction_and_stands() -> None:
    state = play(start(), "bid 100", "bid 110", "pass")
    assert (state.hand.declarer, state.hand.phase, state.current_player()) == (1, Phase.TAKE, 1)
    facts = state.facts()
    assert (facts["high_bid"], facts["bid_by"], facts["passed"]) == (110, 1, [1, 0])
    assert legal(state) == {"musik 0", "musik 1"}


@pytest.mark.parametrize(
    ("bid", "hand", "allowed"),
    [
        (120, "9S JC", True),
        (130, "9S JC", False),
        (130, "KS QC", False),
        (130, "KS QS", True),
        (140, "KS QS", True),
        (150, "KS QS", False),
        (150, "KC QC", True),
        (160, "KC QC", True),
        (170, "KC QC KS QS", False),
        (170, "KD QD", True),
        (180, "KD QD", True),
        (190, "KD QD KC QC", False),
        (190, "KH QH", True),
        (200, "KH QH", True),
    ],
)
def test_what_proves_a_bid(bid: int, hand: str, allowed: bool) -> None:
    for proof in ("auto", "challenge"):
        flags = {"proof": proof}
        auction = Auction(tysiac(**flags).rules, to_act=0, high_bid=bid - 10, bid_by=1)
        state = position(hand, "9D", flags, phase=Phase.AUCTION, auction=auction)
        assert (f"bid {bid}" in legal(state)) == (allowed or proof == "challenge")
        assert "pass" in legal(state)


def test_nobody_bids_above_200() -> None:
    for proof in ("auto", "challenge"):
        auction = Auction(tysiac(proof=proof).rules, to_act=0, high_bid=200, bid_by=1)
        state = position("KH QH", "KD", {"proof": proof}, phase=Phase.AUCTION, auction=auction)
        assert legal(state) - {"challenge"} == {"pass"}


@pytest.mark.parametrize("proof", ["auto", "challenge"])
def test_the_auction_ends_within_twelve_bids(proof: str) -> None:
    for seed in range(100):
        state, calls = tysiac(proof=proof).initial_state(seed=seed), 0
        while state.hand.phase is Phase.AUCTION:
            bids = [move for move in state.legal_moves() if move.name.startswith("bid")]
            state = state.apply_move(bids[0] if bids else state.legal_moves()[0])
            calls += 1
        assert calls <= 12
        assert (calls == 12) == (state.hand.auction.high_bid == 200) == (proof == "challenge")


def test_a_proof_by_name_is_looked_at_and_not_shown() -> None:
    for flags in ({"proof": "auto"}, {"proof": "challenge"}):
        auction = Auction(tysiac(**flags).rules, to_act=0, high_bid=130, bid_by=1)
        fields = {"phase": Phase.AUCTION, "auction": auction}
        state = position("KS QS KD QD 9S", "9D", flags, **fields)
        for proof in ("KS QS", "QS KS", "KD QD"):
            assert state.bid(0, 140, cards(proof)) == play(state, "bid 140")
        after = play(state, "bid 140")
        assert (after.hand.known, after.facts()["proven"]) == ((frozenset(), frozenset()), 0)
        shown = ("challenge" in legal(after)) == (flags["proof"] == "challenge")
        assert shown


# Challenge


def challenged(mine: str, bid: int, **fields: Any) -> TysiacState:
    """Return a bid of seat 0 above 120 to which seat 1 has to say something."""
    flags = {"proof": "challenge", "reward": "margin"}
    auction = Auction(tysiac(**flags).rules, to_act=1, high_bid=bid, bid_by=0, **fields)
    return position(
        mine,
        "9D JD",
        flags,
        phase=Phase.AUCTION,
        auction=auction,
        declarer=-1,
        contract=0,
        leader=-1,
    )


def test_challenge_is_for_unproven_bids_above_120() -> None:
    assert legal(challenged("KS QS", 120)) == {"pass", "bid 130"}
    assert legal(challenged("KS QS", 130)) == {"pass", "bid 140", "challenge"}
    assert legal(challenged("9S JS", 200)) == {"pass", "challenge"}
    shown = (Suit.SPADES, None)
    assert legal(challenged("KS QS", 140, shown=shown)) == {"pass", "bid 150"}
    assert legal(challenged("KS QS", 150, shown=shown)) == {"pass", "bid 160", "challenge"}
    assert "challenge" not in legal(position("KS QS", "9D"))


def test_a_challenge_survived() -> None:
    after = play(challenged("KS QS KD QD", 150), "challenge")
    assert (after.current_player(), after.hand.phase) == (1, Phase.AUCTION)
    assert legal(after) == {"pass", "bid 160"}
    assert after.hand.known == (frozenset(cards("KD QD")), frozenset())
    assert after.facts()["proven"] == 80
    assert (after.hand.trump, after.hand.points, after.scores) == (None, (0, 0), (0, 0))
    raised = play(after, "bid 160")
    assert raised.facts()["proven"] == 0
    assert legal(raised) == {"pass", "bid 170", "challenge"}
    again = play(raised, "bid 170")
    assert again.facts()["proven"] == 80
    assert legal(again) == {"pass", "bid 180"}


def test_the_marriage_shown_is_the_cheapest_that_suffices() -> None:
    for bid, shown in [(130, "KS QS"), (140, "KS QS"), (150, "KC QC"), (180, "KH QH")]:
        after = play(challenged("KS QS KC QC KH QH", bid), "challenge")
        assert after.hand.known[0] == frozenset(cards(shown)), bid


@pytest.mark.parametrize("hand", ["KS QC", "KS QS"])
def test_a_challenge_lost(hand: str) -> None:
    after = play(challenged(hand, 150), "challenge")
    assert after.ended is not None
    assert (after.ended.ending, after.ended.declarer) == (Ending.UNPROVEN, -1)
    assert (after.scores, after.rewards()) == ((-150, 0), (-150 / 400, 150 / 400))
    assert (after.number, after.hand.phase, after.hand.dealer) == (1, Phase.AUCTION, 0)


def test_a_challenge_lost_after_one_survived() -> None:
    state = play(challenged("KS QS", 140), "challenge", "bid 150", "bid 160")
    assert play(state, "challenge").scores == (-160, 0)


def test_a_shown_marriage_is_known_until_two_are_returned() -> None:
    hands = "KS QS 9S JS TS AS 9C JC QC KC"
    state = challenged(hands, 140).with_hand(musiks=(cards("TH AH"), cards("QH KH")))
    state = play(state, "challenge", "pass")
    shown, musik = frozenset(cards("KS QS")), frozenset(cards("TH AH"))
    assert state.hand.known[0] == shown
    taken = play(state, "musik 0")
    assert taken.hand.known[0] == shown | musik
    assert play(taken, "KS").hand.known[0] == shown | musik
    assert play(taken, "TH").hand.known[0] == shown | musik
    assert play(taken, "9S", "JS").hand.known[0] == frozenset()


def test_a_defenders_shown_marriage_is_known_until_played() -> None:
    known = (frozenset(cards("")), frozenset(cards("KS QS")))
    state = position("AS 9C", "KS QS", known=known, leader=0)
    assert play(state, "AS", "KS").hand.known == (frozenset(), frozenset(cards("QS")))
