"""What a player of Tysiac sees and remembers: observations, planes, information states."""

import itertools
import random
from typing import Any

import pytest

from talonax.configs.rules import build
from talonax.configs.tysiac.schema import Rules
from talonax.parity.cards import Card
from talonax.parity.tysiac import TysiacSpec, TysiacState
from talonax.parity.tysiac_auction import Auction
from talonax.parity.tysiac_pack import CARDS, IDS, in_order
from talonax.parity.tysiac_position import Phase
from talonax.parity.tysiac_view import NUM_PARTITION_PLANES, PLANES

# Ids: S 0..5, C 6..11, D 12..17, H 18..23, each 9 J Q K 10 A. Seat 0 has spades and 9C .. KC, seat
# 1 TC, AC, diamonds and 9H, JH; the musiki are QH, KH and TH, AH.
PLAIN_DECK = list(range(24))
#: Rules that open what the default closes, each a whole hand or a short match.
RULES: list[dict[str, Any]] = [
    {"hands": 1},
    {"hands": 1, "proof": "challenge", "forced_open": False, "return_to": "declarer"},
    {"hands": 2, "bomba.enabled": True, "bomba.allow_redouble": True, "reward": "margin"},
    {"max_hands": 2, "must_trump_when_void": True, "rounding": "nearest", "proof": "challenge"},
]


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


def entries(state: TysiacState, player: int, first: int = 0, last: int = 212) -> dict[int, float]:
    """Return what is not zero of an observation, by index."""
    seen = state.observation(player)
    assert len(seen) == 213
    return {i: seen[i] for i in range(first, last + 1) if seen[i]}


# Observation


def test_observation_of_the_deal() -> None:
    state = start()
    own = {i: 1.0 for i in range(10)}
    assert entries(state, 0) == {**own, 148: 1.0, 191: 1.0, 196: 1.0}
    own = {i: 1.0 for i in range(10, 20)}
    assert entries(state, 1) == {**own, 148: 1.0, 191: 1.0, 196: 1.0, 208: 1.0}


def test_observation_of_bids() -> None:
    state = play(start(), "bid 100", "bid 110")
    assert entries(state, 0, 185, 195) == {185: 0.55, 187: 1.0, 191: 1.0}
    assert entries(state, 1, 185, 195) == {185: 0.55, 186: 1.0, 191: 1.0}
    won = play(state, "pass")
    assert entries(won, 0, 185, 203) == {
        **{185: 0.55, 187: 1.0, 188: 1.0, 191: 1.0, 195: 1.0, 197: 1.0},
    }
    assert entries(won, 1, 185, 203) == {
        **{185: 0.55, 186: 1.0, 189: 1.0, 191: 1.0, 194: 1.0, 197: 1.0},
    }


def test_observation_of_the_musik_and_the_returned_cards() -> None:
    taken = play(start(), "bid 100", "pass", "musik 1")
    for player in (0, 1):
        assert entries(taken, player, 72, 95) == {72 + 22: 1.0, 72 + 23: 1.0}
        assert entries(taken, player, 198, 198) == {198: 1.0}
    assert entries(taken, 0, 96, 119) == entries(taken, 0, 161, 184) == {}
    assert entries(taken, 1, 161, 184) == {161 + 22: 1.0, 161 + 23: 1.0}
    one = play(taken, "TH")
    assert entries(one, 0, 96, 119) == {96 + 22: 1.0}
    assert entries(one, 1, 161, 184) == {161 + 22: 1.0, 161 + 23: 1.0}
    two = play(one, "9S")
    assert entries(two, 0, 96, 119) == {96: 1.0, 96 + 22: 1.0}
    assert entries(two, 1, 96, 119) == entries(two, 1, 161, 184) == {}
    assert entries(two, 1, 72, 95) == {72 + 22: 1.0, 72 + 23: 1.0}
    assert entries(two, 0, 0, 23) == {**{i: 1.0 for i in range(1, 10)}, 23: 1.0}


def test_observation_of_contract_and_doubling() -> None:
    flags = {"bomba.enabled": True, "bomba.allow_redouble": True}
    named = play(start(**flags), "bid 100", "pass", "musik 0", "9S", "JS", "contract 150")
    assert entries(named, 1, 190, 203) == {190: 0.375, 191: 1.0, 195: 1.0, 200: 1.0}
    bombed = play(named, "bomb")
    assert entries(bombed, 1, 190, 203) == {190: 0.375, 192: 1.0, 195: 1.0, 201: 1.0}
    again = play(bombed, "re-bomb")
    assert entries(again, 0, 190, 203) == {190: 0.375, 193: 1.0, 194: 1.0, 202: 1.0}
    assert entries(again, 0, 144, 147) == {144: 1.0}
    assert entries(again, 1, 144, 147) == {145: 1.0}
    assert entries(bombed, 0, 144, 147) == {}


def test_observation_of_play() -> None:
    state = play(start(), "bid 100", "pass", "musik 0", "9S", "JS", "contract 100", "declare KS")
    assert entries(state, 0, 24, 71) == {24 + 3: 1.0}
    assert entries(state, 1, 24, 71) == {48 + 3: 1.0}
    for player, leads, table in ((0, 144, 146), (1, 145, 147)):
        assert entries(state, player, 120, 152) == {
            **{120 + 3: 1.0, leads: 1.0, table: 1.0, 149: 1.0},
        }
    assert entries(state, 0, 153, 184) == {153: 1.0}
    assert entries(state, 1, 153, 184) == {157: 1.0, 161 + 2: 1.0}
    assert entries(state, 0, 209, 211) == {210: 40 / 300}
    after = play(state, "9D")
    assert entries(after, 0, 24, 71) == {24 + 3: 1.0, 48 + 12: 1.0}
    assert entries(after, 0, 120, 152) == {144: 1.0, 149: 1.0}
    assert entries(after, 0, 209, 211) == {209: 0.1, 210: 44 / 300}
    assert entries(after, 1, 209, 211) == {209: 0.1, 211: 44 / 300}
    assert entries(play(after, "QS"), 1, 161, 184) == {}


@pytest.mark.parametrize(("suit", "index"), [("S", 149), ("C", 150), ("D", 151), ("H", 152)])
def test_observation_of_trumps_and_marriages(suit: str, index: int) -> None:
    hands = (cards(f"K{suit} Q{suit}"), cards("9S 9C"))
    fields = {"phase": Phase.PLAY, "declarer": 0, "leader": 0, "hands": hands}
    state = play(start().with_hand(**fields), f"declare Q{suit}")
    assert entries(state, 0, 148, 160) == {index: 1.0, 153 + index - 149: 1.0}
    assert entries(state, 1, 148, 160) == {index: 1.0, 157 + index - 149: 1.0}


def test_observation_of_totals() -> None:
    state = tysiac().initial_state(seed=0, scores=(-150, 800))
    assert entries(state, 0, 204, 208) == {204: -0.15, 205: 0.8, 207: 1.0, 208: 1.0}
    assert entries(state, 1, 204, 208) == {204: 0.8, 205: -0.15, 206: 1.0}
    no_lock = tysiac(lock=None).initial_state(seed=0, scores=(-150, 800))
    assert entries(no_lock, 1, 206, 207) == {}
    target = tysiac(lock=300, target=500).initial_state(seed=0, scores=(310, 290))
    assert entries(target, 0, 204, 207) == {204: 0.31, 205: 0.29, 206: 1.0}


def test_observation_of_a_proven_bid() -> None:
    flags = {"proof": "challenge"}
    auction = Auction(tysiac(**flags).rules, to_act=1, high_bid=140, bid_by=0)
    state = start(**flags).with_hand(auction=auction)
    after = play(state, "challenge")
    assert [entries(state, player, 212) for player in (0, 1)] == [{}, {}]
    assert [entries(after, player, 212) for player in (0, 1)] == [{212: 1.0}, {212: 1.0}]
    assert entries(after, 1, 161, 184) == {161 + 2: 1.0, 161 + 3: 1.0}
    assert entries(after, 0, 161, 184) == {}
    assert entries(play(after, "pass", "musik 0"), 0, 212) == {212: 1.0}
    by_itself = play(start(), "bid 100", "bid 110", "bid 120", "bid 130")
    assert entries(by_itself, 0, 212) == {}


def test_observation_of_the_end() -> None:
    state = start(hands=1).with_hand(
        phase=Phase.PLAY, declarer=1, leader=1, contract=100, hands=(cards("9S"), cards("9C"))
    )
    end = play(state, "9C", "9S")
    assert entries(end, 0, 144, 147) == {145: 1.0}
    assert entries(end, 0, 190, 207) == {190: 0.25, 191: 1.0, 195: 1.0, 203: 1.0, 205: -0.1}


# Planes


def test_planes() -> None:
    state = play(start(), "bid 100", "pass", "musik 0", "9S", "QH", "contract 100")
    state = play(state, "AS", "9D", "declare KS")
    shown = {
        player: {
            name: " ".join(card.name for card in in_order(tensor.cards_in_plane(name)))
            for name in PLANES
        }
        for player in (0, 1)
        for tensor in [state.to_tensor(player)]
    }
    assert shown[0] == {
        "my_hand": "JS QS TS 9C JC QC KC KH",
        "table": "KS",
        "played": "AS 9D",
        "buried": "9S QH",
        "opponent_known": "",
        "unseen": "TC AC JD QD KD TD AD 9H JH TH AH",
        "trump": "9S JS QS KS TS AS",
        "musik": "QH KH",
    }
    assert shown[1] == {
        "my_hand": "TC AC JD QD KD TD AD 9H JH",
        "table": "KS",
        "played": "AS 9D",
        "buried": "",
        "opponent_known": "QS",
        "unseen": "9S JS TS 9C JC QC KC QH KH TH AH",
        "trump": "9S JS QS KS TS AS",
        "musik": "QH KH",
    }


@pytest.mark.parametrize("flags", RULES)
def test_planes_and_facts_hold_through_random_games(flags: dict[str, Any]) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        state = tysiac(**flags).initial_state(seed=seed)
        while not state.is_terminal():
            state = state.apply_move(rng.choice(state.legal_moves()))
            _check_cards(state)


def _check_cards(state: TysiacState) -> None:
    hand = state.hand
    aside = [card for number in (0, 1) if number != hand.taken for card in hand.musiks[number]]
    everything = [*hand.hands[0], *hand.hands[1], *hand.played[0], *hand.played[1]]
    everything += [*aside, *hand.returned]
    assert sorted(IDS[card] for card in everything) == list(range(24))
    for player in (0, 1):
        tensor = state.to_tensor(player)
        tensor.validate_partition(PLANES[:NUM_PARTITION_PLANES], CARDS)
        if hand.phase is not Phase.RETURN:
            assert hand.known[player] <= set(hand.hands[player])


# What is hidden


@pytest.mark.parametrize("flags", RULES)
def test_nothing_that_a_player_sees_depends_on_hidden_cards(flags: dict[str, Any]) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        state = tysiac(**flags).initial_state(seed=seed)
        while not state.is_terminal():
            state = state.apply_move(rng.choice(state.legal_moves()))
            for player in (0, 1):
                other = _with_hidden_cards_shuffled(state, player, rng)
                assert state.observation(player) == other.observation(player)
                assert state.to_tensor(player) == other.to_tensor(player)


def _with_hidden_cards_shuffled(state: TysiacState, player: int, rng: random.Random) -> TysiacState:
    """Mix what a player cannot see: the other hand, untaken musiki, the other's returned cards."""
    hand, opponent = state.hand, 1 - player
    known = hand.known[opponent] & set(hand.hands[opponent])
    untaken = [number for number in (0, 1) if number != hand.taken]
    returned = hand.returned if hand.declarer == opponent and len(hand.returned) == 2 else ()
    secret = [card for card in hand.hands[opponent] if card not in known]
    hidden = [*secret, *returned, *(card for n in untaken for card in hand.musiks[n])]
    rng.shuffle(hidden)
    places = iter(hidden)
    hands = list(hand.hands)
    hands[opponent] = in_order([*known, *itertools.islice(places, len(secret))])
    back = in_order(itertools.islice(places, 2)) if returned else hand.returned
    musiks = list(hand.musiks)
    for number in untaken:
        musiks[number] = in_order(itertools.islice(places, 2))
    return state.with_hand(hands=tuple(hands), returned=back, musiks=tuple(musiks))


# What is remembered


@pytest.mark.parametrize("flags", RULES)
def test_information_states_are_equal_iff_the_games_look_equal(flags: dict[str, Any]) -> None:
    """Hidden cards change places in the deck; the same is played, other cards are returned."""
    alike = {True: 0, False: 0}
    for seed in range(40):
        rng = random.Random(seed)
        walk = [tysiac(**flags).initial_state(seed=seed)]
        for _ in range(rng.randrange(3, 50)):
            if not walk[-1].is_terminal():
                walk.append(walk[-1].apply_move(rng.choice(walk[-1].legal_moves())))
        player = rng.randrange(2)
        for _ in range(8):
            other = _replayed(walk, _moved(walk[0], player, rng), player, rng)
            if other is None:
                continue
            looks = [(_look(a, player), _look(b, player)) for a, b in zip(walk, other, strict=True)]
            same = all(mine == yours for mine, yours in looks)
            alike[same] += 1
            ours, theirs = walk[-1].information_state(player), other[-1].information_state(player)
            assert (ours == theirs) == same
            assert not same or hash(ours) == hash(theirs)
    assert min(alike.values()) > 4


def _moved(start: TysiacState, player: int, rng: random.Random) -> list[int]:
    """Return the deck with some cards, none of the player's first hand, in each other's places."""
    hand = start.hand
    deck = [IDS[card] for part in (*hand.hands, *hand.musiks) for card in part]
    theirs = range(10, 20) if player == 0 else range(10)
    places = rng.sample([*theirs, *range(20, 24)], 3)
    moved = [deck[place] for place in places]
    rng.shuffle(moved)
    for place, card in zip(places, moved, strict=True):
        deck[place] = card
    return deck


def _replayed(
    walk: list[TysiacState], deck: list[int], player: int, rng: random.Random
) -> list[TysiacState] | None:
    """Return the same actions from another deck, if they are legal; the other returns at random."""
    first = walk[0]

    def decks(number: int) -> list[int]:
        return deck if number == 0 else list(first.decks(number))

    states = [first.spec.initial_state(decks=decks, dealer=first.hand.dealer)]
    for before, after in itertools.pairwise(walk):
        here = states[-1]
        moves = {move.id: move for move in here.legal_moves()}
        action = next(m.id for m in before.legal_moves() if before.apply_move(m) == after)
        if here.hand.phase is Phase.RETURN and here.current_player() != player:
            action = rng.choice([action, *moves])
        if action not in moves:
            return None
        states.append(here.apply_move(action))
    return states


def _look(state: TysiacState, player: int) -> tuple[Any, ...]:
    """Return what a player sees of a position."""
    mine = state.legal_moves() if state.current_player() == player else ()
    seen = state.observation(player), state.to_tensor(player), mine, state.current_player()
    return *seen, state.is_terminal(), state.rewards()


def test_information_state_of_events() -> None:
    state = play(start(), "bid 100", "bid 110", "pass", "musik 1", "TC", "AH")
    own, other = state.information_state(1), state.information_state(0)
    for seen in (own, other):
        assert [event for event in seen if event in (("bid", 0, 100), ("bid", 1, 110))]
        assert ("pass", 0) in seen
        assert ("musik", 1, 1, (22, 23)) in seen
    assert ("return", 1, 10) in own
    assert ("return", 1, 23) in own
    assert other.count(("return", 1)) == 2
    assert ("return", 1, 10) not in other
    assert own[-1][:2] == other[-1][:2] == ("to move", 1)
    assert other[-1][2] == ()
    assert ("my turn", (44, 45)) in own
    assert ("my turn", (44, 45)) not in other
    assert ("my turn", (33,)) in other


def test_information_state_of_a_challenge_and_of_play() -> None:
    flags = {"proof": "challenge", "bomba.enabled": True}
    bids = [f"bid {amount}" for amount in range(100, 150, 10)]
    state = play(start(**flags), *bids, "challenge", "pass", "musik 0", "9S", "JS")
    assert ("challenge", 1) in state.information_state(0)
    assert ("shown", 0, 0) in state.information_state(1)
    state = play(state, "contract 150", "bomb", "declare KS", "9D")
    for player in (0, 1):
        seen = state.information_state(player)
        for event in [
            *[("contract", 0, 150), ("bomb", 1), ("declare", 0, 0), ("play", 0, 3)],
            *[("play", 1, 12), ("trick", 0, 4)],
        ]:
            assert event in seen


def test_information_state_goes_on_over_hands() -> None:
    state = play(tysiac(forced_open=False).initial_state(seed=3), "pass")
    seen = state.information_state(0)
    assert [event[0] for event in seen[3:]] == [
        *("dealt", "pass", "end", "scores", "dealt", "to move"),
    ]
    assert ("scores", 0, 0) in seen
    assert state.information_state(0) != tysiac().initial_state(seed=4, hand=1).information_state(0)


def test_the_scores_at_the_start_are_remembered() -> None:
    one, other = (tysiac().initial_state(seed=3, scores=scores) for scores in ((0, 0), (0, 10)))
    assert one.information_state(0) != other.information_state(0)
