"""What the reference engine of Tysiac refuses, and what it says then."""

import random
from typing import Any

import pytest

from talonax.configs.rules import build
from talonax.configs.tysiac.schema import Rules
from talonax.parity import GameEnv, IllegalMoveError, Move
from talonax.parity.cards import Card
from talonax.parity.tysiac import (
    BombClosed,
    IllegalBid,
    IllegalContract,
    IllegalReturn,
    InvalidMeldProof,
    MissingMeldProof,
    PassedAlready,
    TysiacSpec,
    TysiacState,
)
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import ACTIONS, in_order
from talonax.parity.tysiac_position import Phase

# Ids: S 0..5, C 6..11, D 12..17, H 18..23, each 9 J Q K 10 A. Seat 0 has spades and 9C .. KC, seat
# 1 TC, AC, diamonds and 9H, JH; the musiki are QH, KH and TH, AH.
PLAIN_DECK = list(range(24))
NAMED = (
    *(BombClosed, IllegalBid, IllegalContract, IllegalReturn),
    *(InvalidMeldProof, MissingMeldProof, PassedAlready),
)


def tysiac(**flags: Any) -> TysiacSpec:
    return TysiacSpec(build(Rules, flags, "test"))


def cards(text: str) -> tuple[Card, ...]:
    return in_order(Card.from_name(name) for name in text.split())


def start(**flags: Any) -> TysiacState:
    """Return the plain deal, seat 0 is forehand."""
    return tysiac(**flags).initial_state(deck=PLAIN_DECK, dealer=1)


def play(state: TysiacState, *names: str) -> TysiacState:
    for name in names:
        moves = {move.name: move for move in state.legal_moves()}
        state = state.apply_move(moves[name])
    return state


def answering(bid: int, hand: str, **flags: Any) -> TysiacState:
    """Return seat 0 with this hand, to answer a bid of seat 1."""
    state = start(**flags)
    auction = Auction(state.spec.rules, to_act=0, high_bid=bid, bid_by=1)
    return state.with_hand(hands=(cards(hand), cards("9D JD")), auction=auction)


# Decks and tables


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        (range(23), "deck: 24 cards are needed, got 23"),
        ([1, 1, *range(2, 24)], "deck: card 1 occurs more than once"),
        ([*range(23), 24], "deck: there is no card 24"),
        ([*range(23), -1], "deck: there is no card -1"),
    ],
)
def test_bad_decks(deck: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}"):
        tysiac().initial_state(deck=deck)
    with pytest.raises(ValueError, match=f"^{said}"):
        tysiac().initial_state(decks=lambda number: deck)


def test_a_bad_later_deck_is_numbered() -> None:
    decks = {0: PLAIN_DECK, 1: PLAIN_DECK[1:]}
    state = tysiac(forced_open=False).initial_state(decks=decks.__getitem__)
    with pytest.raises(ValueError, match="deck of hand 1: 24 cards are needed, got 23"):
        play(state, "pass")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"seed": -1}, "seed: must be 0 or more, got -1"),
        ({"seed": 0, "deck": PLAIN_DECK}, "not seed and deck"),
        ({"deck": PLAIN_DECK, "decks": lambda n: PLAIN_DECK}, "not deck and decks"),
        ({"dealer": 2}, "dealer: must be 0 or 1, got 2"),
        ({"hand": 60}, r"hand: must be in 0\.\.59, got 60"),
        ({"hand": -1}, r"hand: must be in 0\.\.59, got -1"),
        ({"scores": (1000, 0)}, "scores: must be two whole numbers below 1000"),
        ({"scores": (0,)}, "scores: must be two whole numbers below 1000"),
        ({"scores": (0, 1, 2)}, "scores: must be two whole numbers below 1000"),
        ({"scores": (0.5, 1)}, "scores: must be two whole numbers below 1000"),
    ],
)
def test_bad_tables(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tysiac().initial_state(**arguments)


def test_bounds_follow_the_rules() -> None:
    with pytest.raises(ValueError, match=r"hand: must be in 0\.\.2, got 3"):
        tysiac(hands=3).initial_state(hand=3)
    with pytest.raises(ValueError, match="below 900"):
        tysiac(target=900).initial_state(scores=(900, 0))
    assert tysiac().initial_state(scores=(999, -5000), hand=59).scores == (999, -5000)


def test_totals_may_pass_the_target_where_the_number_of_hands_ends_the_match() -> None:
    assert tysiac(hands=3).initial_state(scores=(1050, 0), hand=1).scores == (1050, 0)
    with pytest.raises(ValueError, match="scores: must be two whole numbers, got"):
        tysiac(hands=3).initial_state(scores=(0.5, 0))


def test_unknown_facts_and_layouts() -> None:
    with pytest.raises(TypeError, match=r"'leader'.*dealer, hand, scores"):
        tysiac().initial_state(leader=1)
    with pytest.raises(ValueError, match="no layout 'compact'; there is: full"):
        start().observation(0, "compact")


def test_no_source_means_seed_0() -> None:
    assert tysiac().initial_state() == tysiac().initial_state(seed=0)


# Bids


@pytest.mark.parametrize("amount", [100, 110, 130, 210, 115, 0, 200])
def test_illegal_bids(amount: int) -> None:
    state = play(start(), "bid 100", "bid 110")
    with pytest.raises(IllegalBid, match=f"bid {amount} .*the next bid is 120"):
        state.bid(0, amount)


def test_nobody_bids_above_200() -> None:
    with pytest.raises(IllegalBid, match=r"bid 210 .*nobody bids above 200"):
        answering(200, "KH QH").bid(0, 210, cards("KH QH"))


def test_passed_comes_first() -> None:
    state = play(start(), "bid 100", "bid 110", "pass")
    for amount, proof in [(120, None), (500, None), (130, cards("9C JC"))]:
        with pytest.raises(PassedAlready, match="player 0 has passed"):
            state.bid(0, amount, proof)
    with pytest.raises(PassedAlready):
        state.pass_(0)
    with pytest.raises(IllegalMoveError, match="the phase is: take") as raised:
        state.bid(1, 120)
    assert not isinstance(raised.value, NAMED)


def test_the_bid_comes_before_its_proof() -> None:
    state = answering(130, "KS QS")
    with pytest.raises(IllegalBid):
        state.bid(0, 150)
    with pytest.raises(IllegalBid):
        state.bid(0, 150, cards("KC QC"))
    with pytest.raises(MissingMeldProof, match="above 120 a marriage must be shown"):
        state.bid(0, 140)


@pytest.mark.parametrize(
    ("proof", "said"),
    [
        ("KC QC", "not in hand"),
        ("KS QD", "K and Q of one suit"),
        ("KS KD", "K and Q of one suit"),
        ("KS", "K and Q of one suit"),
        ("KS QS KD QD", "K and Q of one suit"),
        ("AS TS", "K and Q of one suit"),
        ("", "K and Q of one suit"),
        ("KS QS", "40 is shown, 50 is needed"),
    ],
)
@pytest.mark.parametrize("flag", ["auto", "challenge"])
def test_invalid_proofs(proof: str, said: str, flag: str) -> None:
    state = answering(140, "KS QS KD QD AS TS", proof=flag)
    with pytest.raises(InvalidMeldProof, match=f"bid 150 .*{said}"):
        state.bid(0, 150, cards(proof))


def test_no_proof_is_missing_where_bids_are_challenged() -> None:
    with pytest.raises(MissingMeldProof):
        answering(140, "KS QS KD QD").bid(0, 150)
    after = answering(140, "9S", proof="challenge").bid(0, 150)
    assert after.hand.auction.high_bid == 150


def test_a_bid_out_of_turn() -> None:
    state = play(start(), "bid 100")
    with pytest.raises(IllegalMoveError, match="player 1 is to move") as raised:
        state.bid(0, 110)
    assert not isinstance(raised.value, NAMED)


def test_what_cannot_be_challenged() -> None:
    for state in (
        play(start(proof="challenge"), "bid 100"),
        answering(120, "9S", proof="challenge"),
        answering(130, "9S"),
    ):
        with pytest.raises(IllegalMoveError, match="no bid that is still to be proven"):
            state.challenge(state.current_player())


# After the auction


def test_illegal_returns() -> None:
    state = play(start(), "bid 100", "pass", "musik 0")
    for returned, said in [
        ("9S", r"2 card\(s\) go back, not 1"),
        ("9S JS QS", r"2 card\(s\) go back, not 3"),
        ("", r"2 card\(s\) go back, not 0"),
        ("9S TC", "only cards of the hand"),
        ("9S AH", "only cards of the hand"),
    ]:
        with pytest.raises(IllegalReturn, match=said):
            state.return_cards(0, cards(returned))
    with pytest.raises(IllegalReturn, match="only cards of the hand"):
        state.return_cards(0, [Card.from_name("9S")] * 2)
    with pytest.raises(IllegalReturn, match=r"1 card\(s\) go back, not 2"):
        play(state, "9S").return_cards(0, cards("JS QS"))
    for player, where in ((1, state), (0, start())):
        with pytest.raises(IllegalMoveError) as raised:
            where.return_cards(player, cards("9S JS"))
        assert not isinstance(raised.value, NAMED)


def test_there_are_two_musiki() -> None:
    state = play(start(), "bid 100", "pass")
    for number in (-1, 2):
        with pytest.raises(IllegalMoveError, match=f"musik {number} .*the musiki are 0 and 1"):
            state.take_musik(0, number)


@pytest.mark.parametrize("amount", [100, 0, 115, 410, 125, -120])
def test_illegal_contracts(amount: int) -> None:
    state = play(start(), "bid 100", "bid 110", "pass", "musik 0")
    state = state.return_cards(1, state.hand.hands[1][:2])
    with pytest.raises(IllegalContract, match="a multiple of ten from 110 to 400"):
        state.name_contract(1, amount)


def test_closed_bombs() -> None:
    flags = {"bomba.enabled": True, "bomba.allow_redouble": True}
    early = start(**flags)
    named = play(early, "bid 100", "pass", "musik 0", "9S", "JS")
    asked = play(named, "contract 100")
    led = play(asked, "pass", "QS")
    off = play(start(), "bid 100", "pass", "musik 0", "9S", "JS", "contract 100")
    for state in (early, named, led, off):
        for step in (state.bomb, state.rebomb, state.no_bomb):
            for player in (0, 1):
                with pytest.raises(BombClosed, match="its window is not open"):
                    step(player)
    with pytest.raises(BombClosed):
        asked.rebomb(0)
    bombed = asked.bomb(1)
    with pytest.raises(BombClosed):
        bombed.bomb(1)
    for step, player in ((asked.bomb, 0), (bombed.rebomb, 1), (bombed.no_bomb, 1)):
        with pytest.raises(IllegalMoveError, match="is to move") as raised:
            step(player)
        assert not isinstance(raised.value, NAMED)


def test_illegal_plays() -> None:
    fields = {"phase": Phase.PLAY, "declarer": 0, "leader": 0, "contract": 100}
    hands = (cards("KS QS AC"), cards("TS 9S KD"))
    state = start().with_hand(hands=hands, **fields)
    led = state.play(0, Card.from_name("QS"))
    for where, player, card, declare, said in [
        (state, 1, "TS", False, "player 0 is to move"),
        (state, 0, "TS", False, "not in hand"),
        (state, 0, "AC", True, "nobody else"),
        (led, 1, "KD", False, "QS is to be followed, and beaten if possible"),
        (led, 1, "9S", False, "QS is to be followed, and beaten if possible"),
        (led, 1, "KD", True, "nobody else"),
        (start(), 0, "9S", False, "the phase is: auction"),
    ]:
        with pytest.raises(IllegalMoveError, match=said) as raised:
            where.play(player, Card.from_name(card), declare)
        assert not isinstance(raised.value, NAMED)


# Moves by id


@pytest.mark.parametrize(
    ("moves", "illegal", "error"),
    [
        ([], 32, IllegalMoveError),
        ([], 34, IllegalBid),
        (["bid 100"], 33, IllegalBid),
        ([f"bid {amount}" for amount in range(100, 180, 10)], 41, MissingMeldProof),
        (["bid 100", "pass"], 34, IllegalMoveError),
        (["bid 100", "pass", "musik 0"], 10, IllegalReturn),
        (["bid 100", "bid 110", "pass", "musik 0", "TC", "AC"], 46, IllegalContract),
        (["bid 100", "bid 110", "pass", "musik 0", "TC", "AC", "contract 110"], 77, BombClosed),
        (["bid 100"], 78, BombClosed),
        (["bid 100"], 79, IllegalMoveError),
        (["bid 100"], 0, IllegalMoveError),
        (["bid 100"], 24, IllegalMoveError),
        (["bid 100"], 44, IllegalMoveError),
        (["bid 100"], 46, IllegalMoveError),
    ],
)
def test_illegal_ids_are_named(moves: list[str], illegal: int, error: type[Exception]) -> None:
    state = play(start(), *moves)
    for move in (illegal, Move(illegal, tysiac().move_name(illegal))):
        with pytest.raises(error, match="legal are: ") as raised:
            state.apply_move(move)
        assert isinstance(raised.value, IllegalMoveError)
        assert raised.value.legal == state.legal_moves()
        assert isinstance(raised.value, NAMED) == (error is not IllegalMoveError)
    assert state == play(start(), *moves)


@pytest.mark.parametrize("move", [-1, 80, Move(33, "bid 110"), Move(-1, "bid 210")])
def test_what_is_no_action_at_all(move: Move | int) -> None:
    with pytest.raises(IllegalMoveError, match=r"is not legal; legal are: 33 \(bid 100\)"):
        start().apply_move(move)


def test_unknown_actions_have_no_name() -> None:
    for action in (-1, 80):
        with pytest.raises(ValueError, match=f"no action {action}; ids end at 79"):
            tysiac().move_name(action)


@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"proof": "challenge", "forced_open": False},
        {"bomba.enabled": True, "bomba.allow_redouble": True, "must_trump_when_void": True},
    ],
)
def test_a_step_is_refused_exactly_if_its_id_is_not_legal(flags: dict[str, Any]) -> None:
    """The list of what is legal and the checks of the steps are told twice: they agree."""
    for seed in range(15):
        rng = random.Random(seed)
        state = tysiac(hands=1, **flags).initial_state(seed=seed)
        while not state.is_terminal():
            accepted = []
            for number, action in enumerate(ACTIONS):
                try:
                    state.hand.after(action)
                    accepted.append(number)
                except IllegalMoveError:
                    pass
            assert accepted == [move.id for move in state.legal_moves()]
            state = state.apply_move(rng.choice(state.legal_moves()))


# Positions


def test_a_position_does_not_change() -> None:
    state = start()
    with pytest.raises(AttributeError):
        state.scores = (1, 1)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        state.hand.contract = 100  # type: ignore[misc]
    with pytest.raises(TypeError, match="luck"):
        state.with_hand(luck=1)


def test_env() -> None:
    env = GameEnv(tysiac(hands=1))
    state = env.reset(deck=PLAIN_DECK)
    done = False
    while not done:
        state, rewards, done = env.step(state.legal_moves()[0])
    assert rewards == state.returns()
    with pytest.raises(IllegalMoveError, match="the game is over"):
        env.step(0)
    with pytest.raises(IllegalMoveError, match="legal are: nothing"):
        state.bid(0, 100)  # type: ignore[attr-defined]
    assert isinstance(env.reset(seed=1), TysiacState)
