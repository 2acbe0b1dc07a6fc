"""Melds of Bezique: which can be laid, what they count, which of equal cards they take."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.configs.bezique.schema import Rules
from talonax.envs.bezique import copies, melds, words
from talonax.envs.bezique.state import KINDS, MELDS
from talonax.envs.bezique.view import card_name, card_number

SUITS = "DCHS"
CARDS = 132
NAMES = [card_name(card).split("#")[0] for card in range(CARDS)]

# What counts what ---------------------------------------------------------------------------------

SCORES = [
    ("7H#0", "trump seven", 10),
    ("KH#0 QH#3", "marriage H", 40),
    ("KD#0 QD#3", "marriage D", 20),
    ("KC#0 QC#3", "marriage C", 20),
    ("KS#0 QS#3", "marriage S", 20),
    ("QS#1 JD#2", "bezique", 40),
    ("QS#1 QS#2 JD#2 JD#0", "double bezique", 500),
    ("AH#0 TH#1 KH#0 QH#0 JH#3", "trump run", 250),
    ("AD#0 AD#1 AD#2 AC#0", "four aces", 100),
    ("KH#0 KD#1 KS#0 KS#1", "four kings", 80),
    ("QH#0 QC#1 QS#0 QS#1", "four queens", 60),
    ("JH#0 JC#1 JS#0 JS#1", "four jacks", 40),
    ("AH#0 AC#1 AS#0 JO#1", "four aces with a Joker", 100),
    ("KH#0 KC#1 KS#0 JO#1", "four kings with a Joker", 80),
    ("QH#0 QC#1 QS#0 JO#1", "four queens with a Joker", 60),
    ("JH#0 JC#1 JS#0 JO#1", "four jacks with a Joker", 40),
]


@pytest.mark.parametrize(("hand", "meld", "points"), SCORES, ids=[each[1] for each in SCORES])
def test_a_meld_counts_and_lies_on_the_table(sit: Any, hand: str, meld: str, points: int) -> None:
    table = sit(trump="H", hands=(hand,))
    assert meld in table.melds
    table.do(f"meld {meld}")
    assert table.facts["points"] == [points, 0]
    assert table.table(0) == set(hand.split())
    assert not table.hand(0) & set(hand.split())
    assert table.facts["melded"] == 1
    assert table.melds == set()  # one in a turn


def test_sets_of_plain_numbers_are_those_that_jax_makes() -> None:
    """Constants are made without jax: -1 is no card, and the last ones are the Jokers."""
    for make, number in ((words.single, words.CARDS), (words.one_of, words.TYPES)):
        every = range(-1, number)
        constants = np.array([make(each) for each in every])
        traced = np.stack(jax.vmap(make)(jnp.arange(-1, number)), axis=1)
        assert constants.dtype == traced.dtype == np.uint32
        np.testing.assert_array_equal(constants, traced)
        assert np.bitwise_count(constants).sum(axis=1).tolist() == [0] + [1] * number


def test_every_meld_is_in_the_list() -> None:
    assert sorted(each[1] for each in SCORES) == sorted(MELDS)


NONE = [
    ("", "7H#0", {}, "trump seven"),
    ("KH#0", "", {}, "marriage H"),
    ("", "KH#0 QH#0", {"run": "KH#0 QH#0"}, "marriage H"),
    ("KD#0 JO#0", "", {}, "marriage D"),
    ("QS#0", "", {}, "bezique"),
    ("QS#0 JO#0", "", {}, "bezique"),
    ("QS#0 QS#1 JD#0", "", {}, "double bezique"),
    ("QS#1 JD#1", "QS#0 JD#0", {"bezique": "QS#0 JD#0"}, "double bezique"),
    ("QS#2 JD#2", "QS#0 QS#1 JD#0 JD#1", {"double": "QS#0 QS#1 JD#0 JD#1"}, "double bezique"),
    ("QS#2", "QS#0 QS#1 JD#0 JD#1", {"double": "QS#0 QS#1 JD#0 JD#1"}, "bezique"),
    ("AH#0 TH#0 KH#0 QH#0", "", {}, "trump run"),
    ("AH#0 TH#0 KH#0 QH#0 JO#0", "", {}, "trump run"),
    ("AD#0 TD#0 KD#0 QD#0 JD#0", "", {}, "trump run"),
    ("QH#1", "KH#0", {"run": "KH#0"}, "marriage H"),
    ("KH#1", "QH#0", {"run": "QH#0"}, "marriage H"),
    ("AH#0 AD#0 AS#0", "", {}, "four aces"),
    ("AH#0 AD#0 JO#0 JO#1", "", {}, "four aces with a Joker"),
    ("AH#0", "AD#0 AS#0 JO#0", {"aces": "AD#0 AS#0 JO#0"}, "four aces with a Joker"),
    ("", "KH#0 KD#0 KS#0 KC#0", {"marriage": "KH#0 KD#0 KS#0 KC#0"}, "four kings"),
    ("", "KH#0 KD#0 KS#0 JO#0", {"queens": "JO#0"}, "four kings with a Joker"),
]


@pytest.mark.parametrize(("hand", "table", "used", "meld"), NONE)
def test_what_is_no_meld(sit: Any, hand: str, table: str, used: Any, meld: str) -> None:
    assert meld not in sit(trump="H", hands=(hand,), tables=(table,), used=used).melds


REUSED = [
    ("AH#0 TH#0 JH#0", "KH#0 QH#0", {"marriage": "KH#0 QH#0"}, "trump run", 250),
    ("QD#0", "KD#0", {"kings": "KD#0"}, "marriage D", 20),
    ("JD#0", "QS#0", {"queens": "QS#0", "marriage": "QS#0"}, "bezique", 40),
    ("KS#0", "QS#0 JD#0", {"bezique": "QS#0 JD#0"}, "marriage S", 20),
    ("QS#1 JD#1", "QS#0 JD#0", {"bezique": "QS#0 JD#0"}, "bezique", 40),
    ("KH#1 QH#1", "KH#0 QH#0", {"run": "KH#0 QH#0"}, "marriage H", 40),
    ("KD#0 KC#0", "KS#0 JO#0", {"queens": "JO#0"}, "four kings with a Joker", 80),
    ("JO#0", "KD#0 KC#0 KS#0", {"marriage": "KD#0 KC#0 KS#0"}, "four kings with a Joker", 80),
]


@pytest.mark.parametrize(("hand", "table", "used", "meld", "points"), REUSED)
def test_a_card_may_be_in_other_kinds(
    sit: Any, hand: str, table: str, used: Any, meld: str, points: int
) -> None:
    seat = sit(trump="H", hands=(hand,), tables=(table,), used=used).do(f"meld {meld}")
    assert seat.facts["points"] == [points, 0]


def test_a_meld_is_written_down(sit: Any) -> None:
    table = sit(trump="S", hands=("KS#1 QS#2 JD#3 KD#0 KC#0 JO#3",)).do("meld marriage S")
    assert table.used("marriage") == {"KS#1", "QS#2"}
    table = sit(trump="S", hands=("KS#1 QS#2 JD#3 KD#0 KC#0 JO#3",)).do("meld bezique")
    assert table.used("bezique") == {"QS#2", "JD#3"}
    assert table.used("double") == table.used("jacks") == table.used("queens") == set()
    table = sit(trump="S", hands=("KS#1 QS#2 JD#3 KD#0 KC#0 JO#3",))
    table.do("meld four kings with a Joker")
    assert table.used("kings") == {"KS#1", "KD#0", "KC#0", "JO#3"}
    run = "AS#0 TS#1 KS#2 QS#3 JS#0"
    assert sit(trump="S", hands=(run,)).do("meld trump run").used("run") == set(run.split())


@pytest.mark.parametrize("jokers", [0, 1])
def test_flag_max_jokers(sit: Any, jokers: int) -> None:
    table = sit({"max_jokers": jokers}, hands=("AC#0 AD#0 AS#0 JO#0 KD#0 KC#0 KS#0 KS#1",))
    with_joker = {name for name in table.melds if "Joker" in name}
    assert with_joker == (
        {f"four {r} with a Joker" for r in ("aces", "kings")} if jokers else set()
    )
    assert "four kings" in table.melds


# Which copies -------------------------------------------------------------------------------------

CHOICES = [
    # From the table, even a higher pack
    ("KD#0 QD#1", "KD#3", {"kings": "KD#3"}, "marriage D", "KD#3 QD#1"),
    # From hand the lowest pack
    ("KD#2 KD#1 QD#3 QD#2", "", {}, "marriage D", "KD#1 QD#2"),
    # Fewest melds, then the lowest pack
    ("KS#0", "QS#0 QS#1 QS#2", {"queens": "QS#0 QS#2", "run": ""}, "marriage S", "KS#0 QS#1"),
    ("KS#0", "QS#3 QS#2", {"queens": "QS#3 QS#2"}, "marriage S", "KS#0 QS#2"),
    ("KS#0", "QS#0 QS#2", {"queens": "QS#0 QS#2", "bezique": "QS#0"}, "marriage S", "KS#0 QS#2"),
    # Quartets by suit first, whatever they have been in
    (
        "KS#0",
        "KD#1 KC#2 KH#3 KS#1",
        {"marriage": "KD#1 KC#2 KH#3"},
        "four kings",
        "KD#1 KC#2 KH#3 KS#0",
    ),
    # No place came from hand: the last one whose card is in hand is filled again
    ("QS#2 JD#2", "QS#1 JD#1", {"queens": "QS#1", "jacks": "JD#1"}, "bezique", "QS#1 JD#2"),
    ("QS#2", "QS#1 JD#1", {"queens": "QS#1", "jacks": "JD#1"}, "bezique", "QS#2 JD#1"),
    ("KD#2", "KD#1 QD#1", {"kings": "KD#1", "queens": "QD#1"}, "marriage D", "KD#2 QD#1"),
    (
        "AH#2 KH#2",
        "AH#1 TH#1 KH#1 QH#1 JH#1",
        {"aces": "AH#1", "run": "", "marriage": "KH#1 QH#1"},
        "trump run",
        "AH#1 TH#1 KH#2 QH#1 JH#1",
    ),
    # Double beziques: two of a place; the pair on the table first
    (
        "QS#2 JD#2",
        "QS#1 JD#1",
        {"queens": "QS#1", "jacks": "JD#1"},
        "double bezique",
        "QS#1 QS#2 JD#1 JD#2",
    ),
    (
        "QS#0 JD#0",
        "QS#2 QS#1 JD#1 JD#2",
        {"queens": "QS#2 QS#1", "marriage": "QS#1", "jacks": "JD#1 JD#2"},
        "double bezique",
        "QS#1 QS#2 JD#0 JD#1",
    ),
    (
        "QS#0",
        "QS#3 QS#2 QS#1 JD#1 JD#2",
        {"queens": "QS#2 QS#1 QS#3", "marriage": "QS#1", "jacks": "JD#1 JD#2"},
        "double bezique",
        "QS#0 QS#2 JD#1 JD#2",
    ),
    # A quartet of five on the table; with a Joker
    (
        "KC#0 KH#0",
        "KD#1 KD#3 KD#2 KC#1 KS#1",
        {"marriage": "KD#1 KD#3 KC#1 KS#1"},
        "four kings",
        "KD#2 KD#1 KD#3 KC#0",
    ),
    (
        "KH#0 JO#1",
        "KD#1 KC#2 KS#3 JO#0",
        {"marriage": "KD#1 KC#2 KS#3", "aces": "JO#0"},
        "four kings with a Joker",
        "KD#1 KC#2 KS#3 JO#1",
    ),
    (
        "KH#0",
        "KD#1 KC#2 KS#3 JO#0",
        {"marriage": "KD#1 KC#2 KS#3", "aces": "JO#0"},
        "four kings with a Joker",
        "KD#1 KC#2 KH#0 JO#0",
    ),
    (
        "KH#0 JO#3",
        "KD#1 KC#2 JO#0 JO#1",
        {"marriage": "KD#1 KC#2", "aces": "JO#0", "queens": "JO#0 JO#1"},
        "four kings with a Joker",
        "KD#1 KC#2 KH#0 JO#1",
    ),
]


@pytest.mark.parametrize(("hand", "table", "used", "meld", "taken"), CHOICES)
def test_the_copies_of_a_meld(
    sit: Any, hand: str, table: str, used: dict[str, str], meld: str, taken: str
) -> None:
    seat = sit(trump="H", hands=(hand,), tables=(table,), used=used)
    before = {kind: seat.used(kind) for kind in KINDS}
    seat.do(f"meld {meld}")
    kind = {"marriage D": "marriage", "marriage S": "marriage", "trump run": "run"}.get(meld)
    kind = kind or {"double bezique": "double", "bezique": "bezique"}.get(meld, "kings")
    assert seat.used(kind) - before[kind] == set(taken.split())
    assert seat.table(0) == set(table.split()) | set(taken.split())
    assert seat.hand(0) >= set(hand.split()) - set(taken.split())


def test_from_the_table_the_one_in_most_melds_is_played(sit: Any) -> None:
    lying = "QS#0 QS#1 QS#2 JD#3 JD#1 7H#2 7H#1 JO#2 JO#3"
    used = {
        "marriage": "QS#0 QS#1 QS#2",
        "queens": "QS#1 QS#2",
        "jacks": "JD#3 JD#1",
        "kings": "JO#2 JO#3",
        "aces": "JO#3",
    }

    def played(name: str) -> set[str]:
        table = sit(trump="H", phase="play", tables=(lying,), used=used)
        return set(lying.split()) - table.do(f"{name} from the table").table(0)

    assert played("QS") == {"QS#1"}
    assert played("JD") == {"JD#1"}
    assert played("7H") == {"7H#1"}
    assert played("JO") == {"JO#3"}


def test_a_queen_in_four_melds_is_played_first(sit: Any) -> None:
    used = {"marriage": "QS#1 QS#3", "queens": "QS#1 QS#3", "bezique": "QS#1 QS#3", "run": "QS#3"}
    table = sit(trump="S", phase="play", tables=("QS#1 QS#3",), used=used)
    assert table.do("QS from the table").table(0) == {"QS#1"}


def test_from_hand_the_lowest_pack_goes(sit: Any) -> None:
    table = sit(trump="H", phase="play", hands=("9S#3 9S#1 9S#2",)).do("9S")
    assert {"9S#3", "9S#2"} <= table.hand(0)
    assert "9S#1" not in table.hand(0)
    table = sit(trump="H", hands=("7H#3 7H#1",), turned_up="AH#0").do("swap the seven")
    assert table.facts["turned_up"] == card_number("7H#1")
    table = sit(trump="H", hands=("7H#3 7H#1",)).do("meld trump seven")
    assert table.table(0) == {"7H#1"}


# Any position, against the page read out loud -----------------------------------------------------


def kind_of(meld: int) -> str | None:
    """The kind, of `KINDS`, in which a meld's cards may be once."""
    name = MELDS[meld].replace(" with a Joker", "")
    named = {"bezique": "bezique", "double bezique": "double", "trump run": "run"}
    if name.startswith("marriage"):
        return "marriage"
    return named.get(name, name.removeprefix("four ")) if name != "trump seven" else None


def places_of(meld: int, trump: int) -> list[str]:
    """The types (of quartets the ranks) of a meld's places, in the page's order."""
    name = MELDS[meld]
    if name.startswith("marriage"):
        return ["K" + name[-1], "Q" + name[-1]]
    if name.startswith("four"):
        rank = name.split()[1][0].upper()
        return [rank] * 3 + ["JO"] if "Joker" in name else [rank] * 4
    suit = SUITS[trump]
    return {
        "trump seven": ["7" + suit],
        "bezique": ["QS", "JD"],
        "double bezique": ["QS", "QS", "JD", "JD"],
        "trump run": [rank + suit for rank in "ATKQJ"],
    }[name]


def fits(card: int, place: str) -> bool:
    name = NAMES[card]
    return name == place or (len(place) == 1 and name != "JO" and name[0] == place)


def of_page(
    meld: int, trump: int, hand: set[int], table: set[int], used: dict[str, set[int]]
) -> set[int] | None:
    """The cards that a meld takes, read off the page word for word; None: it cannot be laid."""
    kind = kind_of(meld)
    barred = set(used[kind]) if kind else set(table)
    if kind == "marriage":
        barred |= used["run"]
    if kind in ("bezique", "double"):
        barred |= used["bezique"] | used["double"]

    def order(card: int, place: str) -> tuple[int, int, int]:
        times = sum(card in cards for cards in used.values())
        suit = card // 4 % 4 if len(place) == 1 else 0
        return suit, times, card % 4

    taken: list[int] = []
    for place in places_of(meld, trump):
        for pile in (table - barred, hand):
            fitting = [card for card in pile if fits(card, place) and card not in taken]
            if fitting:
                taken.append(min(fitting, key=lambda card: order(card, place)))
                break
        else:
            return None
    if not hand & set(taken):
        for i, place in reversed(list(enumerate(places_of(meld, trump)))):
            fitting = [card for card in hand if fits(card, place)]
            if fitting:
                taken[i] = min(fitting, key=lambda card: order(card, place))
                return set(taken)
        return None
    return set(taken)


def some_position(rng: np.random.Generator) -> tuple[int, Any, Any, dict[str, set[int]]]:
    """A trump, a hand, a table, and what has been in which meld; all about one kind of meld."""
    trump, meld = int(rng.integers(4)), int(rng.integers(1, len(MELDS)))
    places = places_of(meld, trump)
    able = [card for card in range(CARDS) if any(fits(card, place) for place in places)]
    chosen = rng.permutation(able)[: rng.integers(4, 10)].tolist()
    number = int(rng.integers(len(chosen) + 1))
    hand, table = set(chosen[number:]), set(chosen[:number])
    used: dict[str, set[int]] = {}
    for kind in KINDS:
        part = {c for c in table if rng.random() < 0.3 and c in taking_part(kind, trump)}
        used[kind] = part - used.get("bezique", set()) if kind == "double" else part
    return trump, hand, table, used


@cache
def taking_part(kind: str, trump: int) -> frozenset[int]:
    """The cards that can be in a kind of meld."""
    able = [meld for meld in range(1, len(MELDS)) if kind_of(meld) == kind]
    places = [place for meld in able for place in places_of(meld, trump)]
    return frozenset(c for c in range(CARDS) if any(fits(c, place) for place in places))


def words_of(pile: set[int]) -> np.ndarray:
    bits = sum(1 << card for card in pile)
    return np.array([bits >> 32 * word & 2**32 - 1 for word in range(5)], np.uint32)


@jax.jit
@jax.vmap
def decided(state: Any, trump: Any, hand: Any, table: Any, used: Any) -> Any:
    """What the env says of a position: the melds that there are, and the cards of each."""
    held, lying = words.split(hand), words.split(table)
    been = {kind: words.split(used[kind]) for kind in KINDS}
    state = state.replace(trump=trump.astype(jnp.int8), **melds.histories(been, trump))
    rules = Rules()

    def cards(meld: Any) -> Any:
        return words.stacked(copies.spread(meld, trump, copies.choose(state, held, lying, meld)))

    every = jnp.arange(1, len(MELDS))
    return melds.offers(rules, state, held, lying), jax.vmap(cards)(every)


POSITIONS = 1024


@pytest.mark.slow
def test_any_meld_is_the_page_s(make: Any) -> None:
    rng = np.random.default_rng(5)
    drawn = [some_position(rng) for _ in range(POSITIONS)]
    state = jax.tree.map(lambda leaf: jnp.stack([leaf] * POSITIONS), make().init(jax.random.key(0)))
    offered, taken = decided(
        state,
        jnp.array([trump for trump, *_ in drawn], jnp.int32),
        jnp.array([words_of(hand) for _, hand, _, _ in drawn]),
        jnp.array([words_of(table) for _, _, table, _ in drawn]),
        {kind: jnp.array([words_of(used[kind]) for *_, used in drawn]) for kind in KINDS},
    )
    offered, taken = np.asarray(offered), np.asarray(taken)
    met = dict.fromkeys(MELDS, 0)
    for i, position in enumerate(drawn):
        for meld, name in enumerate(MELDS):
            wanted = of_page(meld, *position)
            assert bool(offered[i] >> meld & 1) == (wanted is not None), (name, position)
            if wanted is not None and meld > 0:
                met[name] += 1
                assert (taken[i, meld - 1] == words_of(wanted)).all(), (name, position)
    assert min(number for name, number in met.items() if name != MELDS[0]) > 5, met
