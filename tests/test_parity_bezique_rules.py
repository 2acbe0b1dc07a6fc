"""The rules of Bezique on the reference engine: the deal, the trick, the turn, the draw."""

from typing import Any

import pytest

from talonax.configs.bezique.schema import Rules
from talonax.configs.rules import build
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_errors import TooManyJokers
from talonax.parity.bezique_events import Drawn, TrickEnd, TurnedUp
from talonax.parity.bezique_pack import (
    ACTIONS,
    CARDS,
    MOVES,
    BeziqueCard,
    Cards,
    Kind,
)
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.cards import Suit

DONE, SWAP = 66, 67
NAMES = {move.name: move.id for move in MOVES}


def bezique(**flags: Any) -> BeziqueSpec:
    return BeziqueSpec(build(Rules, flags, "test"))


def pick(text: str) -> Cards:
    """Return cards of these types, of the lowest packs; `KH.2` names the pack."""
    taken: list[BeziqueCard] = []
    for name in text.split():
        if "." not in name:
            name += f".{sum(card.name.startswith(name) for card in taken)}"
        taken.append(BeziqueCard.from_name(name))
    return tuple(taken)


def one(text: str) -> BeziqueCard:
    return pick(text)[0]


def deck_with(turned_up: str, players: int = 2, hand: str = "") -> list[int]:
    """Return a deck with these cards where the turned-up card lies, and in seat 0's hand."""
    shown, held = pick(turned_up), pick(hand)
    rest = [card.id for card in reversed(CARDS) if card not in (*shown, *held)]
    front = 9 * players - len(held)
    return [*(c.id for c in held), *rest[:front], *(c.id for c in shown), *rest[front:]]


def position(hand: str, table: str = "", /, flags: Any = None, **fields: Any) -> BeziqueState:
    """Return seat 0 with these cards, in hearts, by default in his turn as the winner."""
    spec = bezique(**(flags or {}))
    nothing: tuple[Cards, ...] = ((),) * (spec.num_players - 1)
    plain = {
        "trump": Suit.HEARTS,
        "turned_up": one("9H"),
        "phase": Phase.TURN,
        "leader": 0,
        "points": (0,) * spec.num_players,
        "hands": (in_order(pick(hand)), *nothing),
        "tables": (in_order(pick(table)), *nothing),
    }
    return spec.initial_state(seed=0).with_round(**{**plain, **fields})


def make(state: BeziqueState, *names: str) -> BeziqueState:
    for name in names:
        state = state.apply_move(NAMES[name])
    return state


# The actions


def test_the_table_of_actions() -> None:
    assert len(ACTIONS) == len(MOVES) == 84
    assert [MOVES[i].name for i in (0, 3, 4, 23, 24, 31, 32)] == [
        *("play 7D", "play 7S", "play 8D", "play KS", "play TD", "play AS", "play JO"),
    ]
    assert [MOVES[i].name for i in (33, 65)] == [
        *("play 7D from the table", "play JO from the table"),
    ]
    assert [move.name for move in MOVES[66:]] == [
        *("done", "swap", "meld seven"),
        *(f"meld marriage {suit}" for suit in ("DIAMONDS", "CLUBS", "HEARTS", "SPADES")),
        *("meld bezique", "meld double bezique", "meld run"),
        *("meld four aces", "meld four kings", "meld four queens", "meld four jacks"),
        *(f"meld four {rank} with a Joker" for rank in ("aces", "kings", "queens", "jacks")),
    ]


def test_cards_by_type_and_pack() -> None:
    assert [one(name).id for name in ("7D", "7D.3", "7C", "8D", "TH.2", "AS.3", "JO", "JO.3")] == [
        *(0, 3, 4, 16, 106, 127, 128, 131),
    ]
    assert one("TH.2").face.name == "TH"
    assert {card.face.name for card in CARDS[128:]} == {"JOS"}
    assert (one("JO").suit, one("JO").is_joker, one("AS").suit) == (None, True, Suit.SPADES)


# The deal


@pytest.mark.parametrize("players", [2, 4])
def test_the_deal(players: int) -> None:
    deck = [(7 * place + 5) % 132 for place in range(132)]
    state = bezique(players=players).initial_state(deck=deck)
    now = state.round
    for seat in range(players):
        assert [card.id for card in now.hands[seat]] == sorted(deck[9 * seat : 9 * seat + 9])
    assert now.turned_up is CARDS[deck[9 * players]]
    assert [card.id for card in now.stock] == deck[9 * players + 1 :]
    assert (now.dealer, now.leader, state.current_player()) == (players - 1, 0, 0)


@pytest.mark.parametrize(
    ("players", "table", "dealer"),
    [
        (2, {}, 1),
        (2, {"round": 1}, 0),
        (2, {"round": 4}, 1),
        (2, {"dealer": 0}, 0),
        (2, {"dealer": 0, "round": 4}, 0),
        (4, {}, 3),
        (4, {"round": 1}, 0),
        (4, {"round": 6}, 1),
        (4, {"dealer": 2, "round": 6}, 2),
    ],
)
def test_dealer_and_leader(players: int, table: dict[str, int], dealer: int) -> None:
    state = bezique(players=players).initial_state(seed=0, **table)
    assert (state.round.dealer, state.number) == (dealer, table.get("round", 0))
    assert state.current_player() == state.round.leader == (dealer + 1) % players


def test_a_joker_turned_up() -> None:
    deck = deck_with("JO JO KH", hand="7D")
    plain = bezique().initial_state(deck=deck)
    assert (plain.round.turned_up, plain.round.trump) == (one("JO"), Suit.DIAMONDS)
    assert plain.round.stock[:2] == (one("JO.1"), one("KH"))
    assert TurnedUp(one("JO")) in plain.events
    redrawn = bezique(joker_turnup="redraw").initial_state(deck=deck)
    assert (redrawn.round.turned_up, redrawn.round.trump) == (one("KH"), Suit.HEARTS)
    assert redrawn.round.stock[-2:] == (one("JO"), one("JO.1"))
    assert len(redrawn.round.stock) == len(plain.round.stock) == 113
    assert redrawn.round.stock[:-2] == plain.round.stock[2:]
    assert TurnedUp(one("KH"), pick("JO JO")) in redrawn.events


def test_a_seven_turned_up_after_jokers() -> None:
    deck = deck_with("JO 7S")
    redrawn = bezique(joker_turnup="redraw").initial_state(deck=deck)
    assert redrawn.round.points == (0, 10)
    assert bezique().initial_state(deck=deck).round.points == (0, 0)


def test_no_joker_turned_up_is_the_same_under_both() -> None:
    one_way, other = (
        bezique(joker_turnup=flag).initial_state(deck=deck_with("KH"))
        for flag in ("diamonds", "redraw")
    )
    assert (one_way.round.stock, one_way.round.trump) == (other.round.stock, other.round.trump)


def test_where_the_decks_come_from() -> None:
    seeded = [[card.id for card in _dealt(bezique().initial_state(seed=s))] for s in (0, 1, 2)]
    decks = bezique().initial_state(decks=lambda n: seeded[n])
    assert [card.id for card in _dealt(decks)] == seeded[0]
    later = bezique().initial_state(decks=lambda n: seeded[n], round=7)
    assert [card.id for card in _dealt(later)] == seeded[0]
    given = bezique().initial_state(deck=seeded[2])
    for state in (decks, later, given):
        state = state.with_round(phase=Phase.LAST_NINE, hands=(pick("9D"), pick("8D")), leader=0)
        after = state.play_card(0, one("9D")).play_card(1, one("8D"))
        assert after.number == state.number + 1
        assert [card.id for card in _dealt(after)] == seeded[1]


def _dealt(state: BeziqueState) -> Cards:
    """Return the deck as far as hands are in the order of ids."""
    now = state.round
    turned_up = () if now.turned_up is None else (now.turned_up,)
    return (*now.hands[0], *now.hands[1], *turned_up, *now.stock)


# The trick, the winner's turn and the draw


def test_a_table_card_is_played_and_the_points_stay() -> None:
    state = make(position("KH QH 9D"), "meld marriage HEARTS")
    state = state.with_round(phase=Phase.PLAY)
    assert set(state.round.legal_ids) == {one("9D").type, 33 + one("KH").type, 33 + one("QH").type}
    after = make(state, "play KH from the table")
    assert after.round.tables[0] == pick("QH")
    assert after.round.points == (40, 0)
    assert after.round.trick == pick("KH")


def test_the_winner_leads_and_has_the_turn() -> None:
    state = position("", "", phase=Phase.PLAY, leader=1, hands=(pick("AD 8C"), pick("9D 8S")))
    state = make(state, "play 9D", "play AD")
    assert (state.current_player(), state.round.leader, state.round.phase) == (0, 0, Phase.TURN)
    assert TrickEnd(0, (one("9D"), one("AD"))) in state.news
    assert state.round.gone == (one("9D"), one("AD"))
    state = make(state, "done")
    assert (state.current_player(), state.round.phase) == (0, Phase.PLAY)
    assert [event.player for event in state.news if isinstance(event, Drawn)] == [0, 1]


@pytest.mark.parametrize("first", ["swap", "meld"])
def test_swap_and_meld_in_either_order(first: str) -> None:
    names = ["swap", "meld marriage HEARTS"]
    state = position("7H KH 9D", "QH", turned_up=one("AH"))
    state = make(state, *(names if first == "swap" else reversed(names)))
    assert state.round.legal_ids == (DONE,)
    assert state.round.points == (50, 0)
    assert state.round.turned_up == one("7H")
    assert (state.round.melded, state.round.swapped) == (True, True)


def test_done_is_always_an_action_of_its_own() -> None:
    state = position("9D", turned_up=one("AH"))
    assert state.round.legal_ids == (DONE,)
    after = make(position("KH QH"), "meld marriage HEARTS", "done")
    assert not after.round.melded


def test_the_swap_takes_the_lowest_pack_and_is_the_last() -> None:
    state = position("7H.3 7H.1 9D", turned_up=one("8H"))
    assert state.cards_of(SWAP) == pick("7H.1")
    after = make(state, "swap")
    assert after.round.hands[0] == pick("7H.3 8H 9D")
    assert after.round.turned_up == one("7H.1")
    assert SWAP not in after.round.legal_ids


def test_a_turned_up_joker_is_taken_with_the_seven_of_diamonds() -> None:
    start = bezique().initial_state(deck=deck_with("JO", hand="7D 7S"))
    state = start.with_round(phase=Phase.TURN)
    assert SWAP in state.round.legal_ids
    after = make(state, "swap")
    assert after.round.turned_up == one("7D")
    assert one("JO") in after.round.hands[0]
    assert after.round.points[0] == 10
    assert after.round.trump == Suit.DIAMONDS
    no_seven = state.with_round(hands=(pick("7S"), ()))
    assert SWAP not in no_seven.round.legal_ids


@pytest.mark.parametrize(("jokers", "legal"), [(1, True), (0, False)])
def test_how_many_jokers_stand_in(jokers: int, legal: bool) -> None:
    state = position("AH AS AD JO", "", {"max_jokers": jokers})
    assert (NAMES["meld four aces with a Joker"] in state.round.legal_ids) == legal
    if legal:
        assert state.declare(0, pick("AH AS AD JO"), Kind.ACES).round.points == (100, 0)
    else:
        with pytest.raises(TooManyJokers, match="at most 0 may stand in"):
            state.declare(0, pick("AH AS AD JO"), Kind.ACES)
    natural = position("AH AS AD AC JO", "", {"max_jokers": jokers})
    assert NAMES["meld four aces"] in natural.round.legal_ids


def test_four_players_draw_from_the_winner_on() -> None:
    state = position("", "", {"players": 4}, leader=2, stock=pick("9C 8D 7S 9S 7C"))
    after = make(state, "done")
    assert [(e.player, e.card) for e in after.news if isinstance(e, Drawn)] == [
        *((2, one("9C")), (3, one("8D")), (0, one("7S")), (1, one("9S"))),
    ]
    assert after.round.stock == pick("7C")
    assert after.current_player() == 2
