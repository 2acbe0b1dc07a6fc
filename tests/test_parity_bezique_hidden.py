"""What is hidden in Bezique and what is remembered: facts, leaks, information states, events."""

import itertools
import random
from typing import Any

import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_events import (
    Drawn,
    Melded,
    MyTurn,
    Played,
    RoundStart,
    Swapped,
    TurnedUp,
)
from talonax.parity.bezique_pack import CARDS, MOVES, BeziqueCard, Cards, Kind
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.cards import Suit

NAMES = {move.name: move.id for move in MOVES}

RULES: list[dict[str, Any]] = [
    {"rounds": 1},
    {"rounds": 1, "players": 4, "joker_turnup": "redraw"},
    {"rounds": 2, "mode": "advanced", "max_jokers": 0},
]
every_rules = pytest.mark.parametrize("flags", RULES, ids=str)


def bezique(**flags: Any) -> BeziqueSpec:
    return BeziqueSpec(build(Rules, flags, "test"))


def pick(text: str) -> Cards:
    """Return cards by name; a type alone is of pack 0."""
    names = (name if "." in name else f"{name}.0" for name in text.split())
    return tuple(BeziqueCard.from_name(name) for name in names)


def make(state: BeziqueState, *names: str) -> BeziqueState:
    for name in names:
        state = state.apply_move(NAMES[name])
    return state


def words(*cards: str) -> list[int]:
    """Return the facts' words of sets of cards, one after the other."""
    whole = [sum(2**card.id for card in pick(each)) for each in cards]
    return [(each >> (32 * word)) % 2**32 for each in whole for word in range(5)]


# Facts


def test_facts_of_the_deal() -> None:
    deck = [(5 * place + 3) % 132 for place in range(132)]
    facts = bezique().initial_state(deck=deck, round=3, scores=(10, 20)).facts()
    hands = [" ".join(CARDS[n].name for n in deck[9 * seat : 9 * seat + 9]) for seat in (0, 1)]
    assert facts == {
        "current_player": 1,
        "phase": 0,
        "hands": words(*hands),
        "tables": [0] * 10,
        "gone": [0] * 5,
        "stock": deck[19:],
        "turned_up": deck[18],
        "trump": deck[18] // 4 % 4,
        "leader": 1,
        "trick": [-1, -1],
        "last_winner": -1,
        "melded": 0,
        "swapped": 0,
        "used": [0] * 40,
        "known": [0] * 66,
        "points": [0, 0],
        "totals": [10, 20],
        "dealer": 0,
        "round": 3,
        "last_tricks": 0,
        "brisques": [0, 0],
    }


def test_facts_of_a_position() -> None:
    used = {Kind.SEVEN: "7H", Kind.MARRIAGE: "KH QH", Kind.JACKS: "JO.3", Kind.RUN: "AH.2"}
    state = bezique(players=4).initial_state(seed=0)
    state = state.with_round(
        trump=Suit.SPADES,
        hands=(pick("7D"), pick("JO.3"), (), pick("8D AS.3")),
        tables=((), pick("KH QH"), (), ()),
        gone=pick("AS 7D.1"),
        stock=pick("7D.3 8D.3"),
        turned_up=None,
        leader=3,
        phase=Phase.PLAY,
        trick=pick("9D 9C.1"),
        last_winner=2,
        melded=True,
        swapped=True,
        used=tuple(frozenset(pick(used.get(kind, ""))) for kind in Kind),
        known=tuple(tuple(10 * seat + (number == 5) for number in range(33)) for seat in range(4)),
        points=(1, 2, 3, 4),
        last_tricks=5,
        brisques=(1, 0, 0, 7),
    )
    facts = state.facts()
    assert facts["current_player"] == 1
    assert facts["hands"] == words("7D", "JO.3", "", "8D AS.3")
    assert facts["hands"][:5] == [1, 0, 0, 0, 0]
    assert facts["hands"][5:10] == [0, 0, 0, 0, 2**3]
    assert facts["tables"] == words("", "KH QH", "", "")
    assert facts["gone"] == words("AS 7D.1")
    assert facts["stock"] == [3, 19] + [-1] * 93
    assert (facts["turned_up"], facts["trump"], facts["leader"]) == (-1, 3, 3)
    assert facts["trick"] == [pick("9C.1")[0].id, -1, -1, pick("9D")[0].id]
    assert (facts["last_winner"], facts["melded"], facts["swapped"]) == (2, 1, 1)
    assert facts["used"] == words("KH QH", "", "", "AH.2", "", "", "", "JO.3")
    assert facts["known"] == [10 * s + (n == 5) for s in range(4) for n in range(33)]
    assert (facts["points"], facts["brisques"]) == ([1, 2, 3, 4], [1, 0, 0, 7])
    assert (facts["last_tricks"], facts["dealer"], facts["round"]) == (5, 3, 0)


@every_rules
def test_facts_have_one_shape(flags: dict[str, Any]) -> None:
    spec = bezique(**flags)
    state, rng = spec.initial_state(seed=1), random.Random(1)
    shapes = {name: _shape(value) for name, value in state.facts().items()}
    assert shapes["stock"] == {2: 113, 4: 95}[spec.num_players]
    while not state.is_terminal():
        state = state.apply_move(rng.choice(state.legal_moves()))
        assert {name: _shape(value) for name, value in state.facts().items()} == shapes


def _shape(value: int | list[int]) -> int:
    """Return the length of a list, -1 for a number."""
    return len(value) if isinstance(value, list) else -1


# What is hidden


@every_rules
def test_nothing_that_a_player_sees_depends_on_hidden_cards(flags: dict[str, Any]) -> None:
    rng = random.Random(0)
    spec = bezique(**flags)
    state = spec.initial_state(seed=7)
    moved = 0
    while not state.is_terminal():
        state = state.apply_move(rng.choice(state.legal_moves()))
        for player in range(spec.num_players):
            other = _with_hidden_cards_shuffled(state, player, rng)
            moved += other.round.hands != state.round.hands
            assert state.observation(player) == other.observation(player)
            assert state.to_tensor(player) == other.to_tensor(player)
    assert moved > 50


def _with_hidden_cards_shuffled(state: BeziqueState, player: int, rng: random.Random) -> Any:
    """Mix what a player cannot see: the stock, and of the other hands what is not known."""
    now = state.round
    others = [seat for seat in range(now.players) if seat != player]
    kept: dict[int, list[BeziqueCard]] = {}
    hidden: list[BeziqueCard] = list(now.stock)
    for seat in others:
        known = list(now.known[seat])
        kept[seat] = []
        for card in now.hands[seat]:
            place = kept[seat] if known[card.type] > 0 else hidden
            known[card.type] -= 1
            place.append(card)
    rng.shuffle(hidden)
    places, hands = iter(hidden), list(now.hands)
    stock = tuple(itertools.islice(places, len(now.stock)))
    for seat in others:
        new = itertools.islice(places, len(now.hands[seat]) - len(kept[seat]))
        hands[seat] = in_order([*kept[seat], *new])
    return state.with_round(hands=tuple(hands), stock=stock)


# What is remembered


@every_rules
def test_equal_information_states_look_equal(flags: dict[str, Any]) -> None:
    """Hidden cards change places in the deck, and the same is played."""
    alike = {True: 0, False: 0}
    for seed in range(20):
        rng = random.Random(seed)
        walk, actions = [bezique(**flags).initial_state(seed=seed)], []
        for _ in range(rng.randrange(3, 50)):
            actions.append(rng.choice(walk[-1].legal_moves()).id)
            walk.append(walk[-1].apply_move(actions[-1]))
        player = rng.randrange(walk[0].spec.num_players)
        looks = _looks(walk, player)
        for _ in range(5):
            other = _replayed(walk[0], actions, _moved(walk[0], player, rng))
            if other is None:
                continue
            same_look = looks == _looks(other, player)
            mine, yours = walk[-1].information_state(player), other[-1].information_state(player)
            alike[mine == yours] += 1
            assert same_look or mine != yours
            assert mine == yours or not same_look or _public(walk) != _public(other)
            assert mine != yours or hash(mine) == hash(yours)
    assert min(alike.values()) > 4


def _public(walk: list[BeziqueState]) -> list[Any]:
    """Return what is seen by all and is not in the observation.

    That is the pasts of the table cards that somebody plays or lays again, and how many Jokers were
    passed over.
    """
    kinds = (Melded, Played, TurnedUp)
    return [event.seen_by(0) for state in walk for event in state.news if isinstance(event, kinds)]


def _moved(start: BeziqueState, player: int, rng: random.Random) -> list[int]:
    """Return the deck with some cards, none of the player's first hand, in each other's places."""
    deck = list(start.decks(0))
    places = [place for place in range(132) if place // 9 != player]
    near = [place for place in places if place < 60]
    chosen = rng.sample(near if rng.random() < 0.7 else places, 4)
    moved = [deck[place] for place in chosen]
    rng.shuffle(moved)
    for place, card in zip(chosen, moved, strict=True):
        deck[place] = card
    return deck


def _replayed(
    first: BeziqueState, actions: list[int], deck: list[int]
) -> list[BeziqueState] | None:
    """Return the same actions from another deck, if they are legal."""
    states = [first.spec.initial_state(decks=lambda n: deck if n == 0 else first.decks(n))]
    for action in actions:
        if action not in states[-1].round.legal_ids:
            return None
        states.append(states[-1].apply_move(action))
    return states


def _looks(walk: list[BeziqueState], player: int) -> list[Any]:
    """Return what a player sees of each position."""
    return [
        (
            *(state.observation(player), state.to_tensor(player)),
            state.legal_moves() if state.current_player() == player else (),
            *(state.current_player(), state.is_terminal(), state.rewards()),
        )
        for state in walk
    ]


def test_packs_are_not_seen() -> None:
    """Two cards that look alike change places, in hand and in the stock."""
    deck = [*range(3), *range(4, 132), 3]
    other = [{0: 3, 3: 0}.get(card, card) for card in deck]
    one, two = (bezique().initial_state(deck=each) for each in (deck, other))
    one, two = (make(state, "play 7D", "play 8D") for state in (one, two))
    assert one.round.gone != two.round.gone
    for player in (0, 1):
        assert one.information_state(player) == two.information_state(player)
        assert one.observation(player) == two.observation(player)


def test_packs_of_a_meld_are_not_seen() -> None:
    """A king from the table and an equal one from hand: which is of the lower pack is not told."""
    pasts = ((), (1,))
    seen = [
        Melded(0, Kind.KINGS, pick("KD KC KH.0 KH.1"), (True, True, *hand), ((), (), *kinds))
        for hand, kinds in (((True, False), pasts), ((False, True), pasts[::-1]))
    ]
    assert seen[0].seen_by(1) == seen[1].seen_by(1)
    assert seen[0].seen_by(1)[-1][-2:] == ((22, False, (1,)), (22, True, ()))


def position(hand: str, other: str, table: str = "") -> BeziqueState:
    state = bezique(rounds=1).initial_state(seed=0)
    return state.with_round(
        trump=Suit.HEARTS,
        turned_up=pick("AH")[0],
        phase=Phase.TURN,
        leader=0,
        points=(0, 0),
        hands=(in_order(pick(hand)), in_order(pick(other))),
        tables=(in_order(pick(table)), ()),
        stock=pick("9C 8C 7C"),
    )


def test_information_state_of_events() -> None:
    state = make(position("7H KH.1 QH 9S", "8S"), "meld marriage HEARTS", "swap", "done")
    own, other = state.information_state(0), state.information_state(1)
    for seen in (own, other):
        assert ("melded", 0, 1, ((18, True, ()), (22, True, ()))) in seen
        assert ("scored", 0, 40, "marriage HEARTS") in seen
        assert ("swapped", 0, 30) in seen
        assert ("scored", 0, 10, "seven swapped") in seen
        assert ("done", 0) in seen
    assert ("drew", 0, 9) in own
    assert ("drew", 0, 9) not in other
    assert ("drew", 1, 5) in other
    assert ("my turn", (66, 67, 68, 71)) in own
    assert ("my turn", (66, 67, 68, 71)) not in other
    assert own[-1] == ("to move", 0, state.round.legal_ids)
    assert other[-1] == ("to move", 0, ())
    after = make(state, "play QH from the table")
    assert ("played", 0, 18, True, (1,)) in after.information_state(1)


def test_information_state_of_the_deal() -> None:
    deck = [(7 * place) % 132 for place in range(132)]
    state = bezique().initial_state(deck=deck, dealer=0, round=2)
    seen = state.information_state(0)
    assert seen[:3] == (0, 2, (0, 0))
    assert seen[3] == ("round", 2, 0)
    assert seen[4] == ("dealt", tuple(sorted(number // 4 for number in deck[:9])))
    assert seen[5] == ("turned up", deck[18] // 4, 0)
    assert state.information_state(1)[4] == (
        *("dealt", tuple(sorted(number // 4 for number in deck[9:18]))),
    )


def test_the_last_card_is_seen_by_all() -> None:
    state = position("9S", "8S").with_round(stock=pick("9C"))
    after = make(state, "done")
    for player in (0, 1):
        assert ("drew", 1, 30) in after.information_state(player)
        assert ("tables returned",) in after.information_state(player)
    assert ("drew", 0, 9) not in after.information_state(1)


def test_information_state_goes_on_over_rounds() -> None:
    state = (
        bezique()
        .initial_state(seed=0, scores=(10, 0))
        .with_round(
            phase=Phase.LAST_NINE, leader=0, hands=(pick("9D"), pick("8D")), trump=Suit.HEARTS
        )
    )
    before = state.information_state(1)
    after = make(state, "play 9D", "play 8D")
    seen = after.information_state(1)
    assert before[3:-1] == seen[3 : len(before) - 1]
    assert [event[0] for event in seen[3:]].count("dealt") == 2
    assert [event for event in seen[3:] if event[0] == "round end"] == [
        ("round end", *(after.ended.points if after.ended else ())),
    ]


# Events, as a caller reads them


def test_events_name_cards_by_type_and_pack() -> None:
    state = make(position("7H.2 KH.1 QH 9S", "8S"), "meld marriage HEARTS", "swap")
    assert state.events == list(state.round.events)
    assert state.news[-2] == Swapped(0, pick("7H.2")[0], pick("AH")[0])
    melded = next(event for event in state.events if isinstance(event, Melded))
    assert melded == Melded(0, Kind.MARRIAGE, pick("QH KH.1"), (True, True), ((), ()))
    done = make(state, "done")
    assert [event for event in done.news if isinstance(event, Drawn)] == [
        *(Drawn(0, pick("9C")[0]), Drawn(1, pick("8C")[0])),
    ]
    assert done.news[0] == MyTurn(0, state.round.legal_ids)
    fresh = bezique().initial_state(seed=0)
    assert fresh.news == tuple(fresh.events)
    assert fresh.events[0] == RoundStart(0, 1)
