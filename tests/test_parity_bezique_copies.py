"""Which of several equal cards an action of Bezique takes, on the reference engine."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talonax.configs.bezique.schema import Rules
from talonax.parity.bezique import BeziqueSpec, BeziqueState
from talonax.parity.bezique_melds import choose, fault_of_meld, legal_melds, meld_of, melds_of
from talonax.parity.bezique_pack import CARDS, JOKER, MOVES, BeziqueCard, Cards, Kind
from talonax.parity.bezique_position import Phase, in_order
from talonax.parity.cards import Rank, Suit

NAMES = {move.name: move.id for move in MOVES}


def pick(text: str) -> Cards:
    """Return cards by name; a type alone is of pack 0."""
    names = (name if "." in name else f"{name}.0" for name in text.split())
    return tuple(BeziqueCard.from_name(name) for name in names)


def position(
    hand: str, table: str, used: dict[str, str], phase: Phase = Phase.TURN
) -> BeziqueState:
    """Return seat 0 with these cards, in hearts; `used` are the melds that cards have been in."""
    return (
        BeziqueSpec(Rules())
        .initial_state(seed=0)
        .with_round(
            trump=Suit.HEARTS,
            phase=phase,
            leader=0,
            points=(0, 0),
            hands=(in_order(pick(hand)), ()),
            tables=(in_order(pick(table)), ()),
            used=tuple(frozenset(pick(used.get(kind.name, ""))) for kind in Kind),
        )
    )


#: The meld; hand; table; what has been in which kind; the cards taken, place by place.
CASES: list[tuple[str, str, str, dict[str, str], str]] = [
    # From hand, the lowest packs.
    ("seven", "7H.2 7H.1 7D", "", {}, "7H.1"),
    ("marriage HEARTS", "KH.2 KH.1 QH.3 QH.2", "", {}, "KH.1 QH.2"),
    # A pair on the table and another in hand.
    ("marriage HEARTS", "KH.1 QH.1", "KH QH", {"MARRIAGE": "KH QH"}, "KH.1 QH.1"),
    ("marriage HEARTS", "KH.1 QH.1", "KH QH", {"KINGS": "KH", "QUEENS": "QH"}, "KH QH.1"),
    ("marriage HEARTS", "KH.1", "KH QH", {"KINGS": "KH", "QUEENS": "QH"}, "KH.1 QH"),
    ("bezique", "QS.1 JD.1", "QS JD", {"BEZIQUE": "QS JD"}, "QS.1 JD.1"),
    ("bezique", "QS.1 JD.1", "QS JD", {"QUEENS": "QS", "JACKS": "JD"}, "QS JD.1"),
    ("bezique", "QS.1 9D", "QS JD", {"QUEENS": "QS", "JACKS": "JD"}, "QS.1 JD"),
    # The table before the hand, also where its pack is higher.
    ("marriage HEARTS", "KH.1 QH.0", "KH.2", {"KINGS": "KH.2"}, "KH.2 QH.0"),
    ("marriage SPADES", "KS.0", "QS.2 QS.1", {"BEZIQUE": "QS.1 QS.2"}, "KS.0 QS.1"),
    # What is barred is passed over.
    ("marriage HEARTS", "KH.3 QH.3", "KH.0 QH.0", {"RUN": "KH QH"}, "KH.3 QH.3"),
    ("marriage HEARTS", "QH.3", "KH.0 KH.1", {"RUN": "KH.0", "KINGS": "KH.1"}, "KH.1 QH.3"),
    ("bezique", "JD.0", "QS.0 QS.1", {"DOUBLE_BEZIQUE": "QS.0", "QUEENS": "QS.1"}, "QS.1 JD.0"),
    # The fewest melds, then the lowest pack.
    (
        *("run", "AH TH JH QH", "KH.0 KH.1"),
        *({"MARRIAGE": "KH.0", "KINGS": "KH.0 KH.1"}, "AH TH KH.1 QH JH"),
    ),
    ("run", "AH TH JH QH", "KH.1 KH.2", {"KINGS": "KH.1 KH.2"}, "AH TH KH.1 QH JH"),
    ("run", "AH TH JH QH.1", "KH QH", {"MARRIAGE": "KH QH"}, "AH TH KH QH JH"),
    # Double bezique.
    ("double bezique", "QS.1 QS.2 JD.0 JD.1", "QS.0", {"QUEENS": "QS.0"}, "QS.0 QS.1 JD.0 JD.1"),
    ("double bezique", "QS.1 QS.2 JD.0 JD.1", "QS.0", {"BEZIQUE": "QS"}, "QS.1 QS.2 JD.0 JD.1"),
    (
        *("double bezique", "JD.2 JD.3", "QS.0 QS.1 JD.0 JD.1"),
        *({"QUEENS": "QS.0 QS.1", "JACKS": "JD.0 JD.1"}, "QS.0 QS.1 JD.0 JD.2"),
    ),
    (
        *("double bezique", "QS.2", "QS.0 QS.1 JD.0 JD.1"),
        *({"QUEENS": "QS.0 QS.1", "JACKS": "JD.0 JD.1"}, "QS.0 QS.2 JD.0 JD.1"),
    ),
    # Quartets: by suit D C H S, the table first.
    ("four kings", "KS KH KC KD KD.1", "", {}, "KD KD.1 KC KH"),
    ("four kings", "KD KC KH KS.1", "KS", {"MARRIAGE": "KS"}, "KS KD KC KH"),
    (
        *("four kings", "KD.1 KS.1", "KD KC KH KS", {"MARRIAGE": "KD KC KH KS"}),
        "KD KC KH KD.1",
    ),
    (
        *("four queens", "QS QH.3", "QD.0 QD.1 QC"),
        *({"MARRIAGE": "QD.0 QD.1 QC", "BEZIQUE": "QD.0"}, "QD.1 QD.0 QC QH.3"),
    ),
    ("four jacks", "JS.1 JH.2", "JD JC", {"BEZIQUE": "JD", "RUN": "JC"}, "JD JC JH.2 JS.1"),
    # With a Joker.
    ("four aces with a Joker", "AS AS.1 AH AD JO.2 JO.1", "", {}, "AD AH AS JO.1"),
    ("four kings with a Joker", "KD KC KH JO.1", "JO", {"QUEENS": "JO"}, "KD KC KH JO"),
    ("four kings with a Joker", "KD KC KH JO.1", "JO", {"KINGS": "JO"}, "KD KC KH JO.1"),
    (
        *("four kings with a Joker", "JO.1 KS", "KD KC KH JO"),
        *({"MARRIAGE": "KD KC KH", "QUEENS": "JO"}, "KD KC KH JO.1"),
    ),
    (
        *("four kings with a Joker", "KD.1 KS", "KD KC KH JO"),
        *({"MARRIAGE": "KD KC KH", "QUEENS": "JO"}, "KD KC KD.1 JO"),
    ),
]


@pytest.mark.parametrize(("name", "hand", "table", "used", "taken"), CASES)
def test_which_copies_a_meld_takes(
    name: str, hand: str, table: str, used: dict[str, str], taken: str
) -> None:
    state, action = position(hand, table, used), NAMES[f"meld {name}"]
    assert action in state.round.legal_ids
    assert state.cards_of(action) == pick(taken)
    after = state.apply_move(action)
    assert set(after.round.tables[0]) == {*pick(table), *pick(taken)}
    kind = next(event for event in after.news if hasattr(event, "kind")).kind
    assert after == state.declare(0, pick(taken), kind)


@pytest.mark.parametrize(
    ("name", "hand", "table", "used"),
    [
        ("marriage HEARTS", "9D", "KH QH", {"KINGS": "KH", "QUEENS": "QH"}),
        ("marriage HEARTS", "QH.1", "KH", {"RUN": "KH"}),
        ("bezique", "JD", "QS", {"DOUBLE_BEZIQUE": "QS"}),
        ("double bezique", "QS.1 JD.1", "QS JD", {"BEZIQUE": "QS JD"}),
        ("run", "AH TH QH JH", "KH", {"RUN": "KH"}),
        ("four kings", "KS.1", "KD KC KH KS", {"KINGS": "KD KC KH KS"}),
        ("four kings", "9D JO", "KD KC KH KS", {"MARRIAGE": "KD KC KH KS"}),
        ("four kings with a Joker", "KS.1", "KD KC KH", {"MARRIAGE": "KD KC KH"}),
        ("four kings with a Joker", "KD KC KH", "JO", {"KINGS": "JO"}),
        ("four kings with a Joker", "9D", "KD KC KH JO", {"MARRIAGE": "KD KC KH"}),
    ],
)
def test_what_cannot_be_laid(name: str, hand: str, table: str, used: dict[str, str]) -> None:
    assert NAMES[f"meld {name}"] not in position(hand, table, used).round.legal_ids


@pytest.mark.parametrize(
    ("table", "used", "taken"),
    [
        ("KH.1 KH.2", {"MARRIAGE": "KH.1 KH.2", "KINGS": "KH.2"}, "KH.2"),
        ("KH.1 KH.2", {"MARRIAGE": "KH.1 KH.2", "KINGS": "KH.1"}, "KH.1"),
        ("KH.1 KH.2", {"MARRIAGE": "KH.1", "KINGS": "KH.2"}, "KH.1"),
        ("KH.1 KH.2 KH.3", {"KINGS": "KH.1 KH.3", "RUN": "KH.2 KH.3"}, "KH.3"),
    ],
)
def test_which_copy_is_played_from_the_table(table: str, used: dict[str, str], taken: str) -> None:
    state = position("KH", table, used, Phase.PLAY)
    action = NAMES["play KH from the table"]
    assert state.cards_of(action) == pick(taken)
    assert state.apply_move(action).round.trick == pick(taken)


def test_the_lowest_pack_is_played_from_hand() -> None:
    state = position("KH.2 KH.1", "KH.0", {"KINGS": "KH.0"}, Phase.PLAY)
    assert state.cards_of(NAMES["play KH"]) == pick("KH.1")
    assert state.apply_move(NAMES["play KH"]).round.trick == pick("KH.1")


def test_a_move_without_cards_takes_none() -> None:
    assert position("KH", "", {}).cards_of(NAMES["done"]) == ()


# Against all that could be laid

RANKS = (Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE, Rank.TEN)
LIKELY = [
    card
    for card in CARDS
    if card.type == JOKER
    or (card.rank in RANKS and card.suit in (Suit.HEARTS, Suit.SPADES, Suit.DIAMONDS))
]


@st.composite
def holdings(draw: st.DrawFn) -> Any:
    """Draw nine cards, some on the table, and what those have been in."""
    cards = draw(st.lists(st.sampled_from(LIKELY), min_size=9, max_size=9, unique=True))
    on_table = draw(st.integers(0, 9))
    table = in_order(cards[:on_table])
    subset = st.frozensets(st.sampled_from(table)) if table else st.just(frozenset())
    used = tuple(draw(subset) for _ in Kind)
    return in_order(cards[on_table:]), table, used, draw(st.sampled_from([0, 1]))


@settings(max_examples=60, deadline=None)
@given(holdings())
def test_an_action_is_legal_iff_some_cards_may_be_declared(holding: Any) -> None:
    hand, table, used, jokers = holding
    legal = legal_melds(hand, table, used, Suit.HEARTS, jokers)
    fields = {"hand": hand, "table": table, "used": used, "trump": Suit.HEARTS}
    possible = set()
    for kind in Kind:
        for size in (1, 2, 4, 5):
            for cards in combinations((*hand, *table), size):
                if fault_of_meld(kind, cards, max_jokers=jokers, **fields) is None:
                    possible.add(meld_of(kind, cards, Suit.HEARTS))
    assert set(legal) == possible
    for meld in melds_of(jokers):
        taken = choose(meld, hand, table, used, Suit.HEARTS)
        assert (taken is not None) == (meld in legal)
        if taken is not None:
            assert fault_of_meld(meld.kind, taken, max_jokers=jokers, **fields) is None
            assert meld_of(meld.kind, taken, Suit.HEARTS) == meld
