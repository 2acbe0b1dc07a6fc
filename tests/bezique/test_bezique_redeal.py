"""`redeal` of Bezique: what it keeps, and that it draws uniformly: small endings are enumerated.

Uniform are the ways to deal the cards that a player cannot place to where they can be. Of a type
that he knows to be in a hand, one of the copies that he cannot place lies there, each as likely;
the other cards are uniform given that.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.envs.bezique.view import card_name, card_number

pytestmark = pytest.mark.slow

DRAWS = 4_000
#: Standard deviations (of a normal deviate) that a chi-square may lie out; keys are fixed.
FAR = 3.7
FOUR = {"players": 4}

Hands = tuple[frozenset[int], ...]


@cache
def drawn(env: Any, player: int) -> Any:
    def worlds(state: Any, key: Any) -> Any:
        keys = jax.random.split(key, DRAWS)
        facts = jax.vmap(lambda each: env.facts(env.redeal(state, player, each)))(keys)
        return {name: facts[name] for name in ("hands", "stock")}

    return jax.jit(worlds)


@cache
def once(env: Any) -> Any:
    return jax.jit(env.redeal)


def members(words: Any) -> frozenset[int]:
    return frozenset(card for card in range(132) if int(words[card // 32]) >> card % 32 & 1)


def hands_of(table: Any, player: int, seed: int = 0) -> Counter[Hands]:
    """How often each set of hands was dealt."""
    words = np.asarray(drawn(table.env, player)(table.state, jax.random.key(seed))["hands"])
    rows, counts = np.unique(words, axis=0, return_counts=True)
    found: Counter[Hands] = Counter()
    for row, number in zip(rows, counts, strict=True):
        found[tuple(members(hand) for hand in row.reshape(-1, 5))] = int(number)
    return found


def splits(cards: frozenset[int], sizes: list[int]) -> Iterator[Hands]:
    """Yield all ways to deal cards into hands of these sizes."""
    if not sizes:
        yield ()
        return
    for first in combinations(sorted(cards), sizes[0]):
        for rest in splits(cards - set(first), sizes[1:]):
            yield (frozenset(first), *rest)


def ids(text: str) -> frozenset[int]:
    return frozenset(map(card_number, text.split()))


ENDINGS: dict[str, dict[str, Any]] = {
    "nothing is known": {"hands": ("9D#0 8D#0", "AH#0 AH#1", "KS#0 KC#0", "JO#0 7S#0")},
    "a class of one seat, and of two": {
        "hands": ("9D#0 8D#0 7D#0", "AC#0 KC#0 JO#1", "AS#0 AH#1 KH#2", "QS#0 QH#0 JO#0"),
        "denied": ["", "AS KS QS AH KH QH", "AC KC", "AC KC AH"],
    },
    "all classes": {
        "hands": ("9D#0 8D#0 7D#0", "AC#0 KC#0 QD#0", "AS#0 TD#1 JD#0", "QH#0 KH#1 JO#0"),
        "denied": ["", "AS QH KH", "AC QH", "KC AS QD TD"],
    },
    "hands of two sizes": {
        "hands": ("9D#0", "AC#0", "AS#0 TD#1", "QH#0 JO#0"),
        "leader": 0,
        "trick": ("8D#0", "7D#0", None, None),
        "denied": ["", "QH", "", "AC"],
    },
    "known cards": {
        "hands": ("9D#0 8D#0 7D#0", "AH#0 KC#0 QD#0", "AH#1 AH#3 JD#0", "QH#0 KH#1 JO#0"),
        "known": ["", "AH", "AH", "JO"],
        "denied": ["", "KH", "", "KC"],
    },
}


def type_name(card: int) -> str:
    return card_name(card).split("#")[0]


def certain(wanted: list[tuple[int, str]], left: frozenset[int]) -> Iterator[dict[int, int]]:
    """Yield every choice of copies that are known to be in hands: the seat of each card."""
    if not wanted:
        yield {}
        return
    (seat, kind), *others = wanted
    for card in sorted(left):
        if type_name(card) == kind:
            for rest in certain(others, left - {card}):
                yield {**rest, card: seat}


def expected(place: dict[str, Any], player: int) -> dict[Hands, Fraction]:
    """The probability of all hands, by enumeration of copies and deals."""
    hands = [ids(text) for text in place["hands"]]
    others = [seat for seat in range(4) if seat != player]
    denied = [set(text.split()) for text in place.get("denied", [""] * 4)]
    known = [text.split() for text in place.get("known", [""] * 4)]
    unseen = frozenset[int]().union(*(hands[seat] for seat in others))

    def may_be(deal: Hands) -> bool:
        held = [
            (seat, type_name(card))
            for seat, hand in zip(others, deal, strict=True)
            for card in hand
        ]
        return not any(kind in denied[seat] for seat, kind in held)

    chances: dict[Hands, Fraction] = {}
    choices = list(certain([(s, kind) for s in others for kind in known[s]], unseen))
    for choice in choices:
        sure = [frozenset(c for c, s in choice.items() if s == seat) for seat in others]
        sizes = [len(hands[seat]) - len(own) for seat, own in zip(others, sure, strict=True)]
        deals = list(filter(may_be, splits(unseen - set(choice), sizes)))
        for deal in deals:
            whole = list(hands)
            for seat, hand, own in zip(others, deal, sure, strict=True):
                whole[seat] = hand | own
            share = Fraction(1, len(choices) * len(deals))
            chances[tuple(whole)] = chances.get(tuple(whole), Fraction(0)) + share
    assert sum(chances.values()) == 1
    return chances


def far_from(found: Counter[Any], chances: dict[Any, Fraction]) -> float:
    """Return by how many standard deviations a chi-square lies out."""
    total = sum(found.values())
    assert set(found) <= set(chances)
    wanted = {key: float(chance) * total for key, chance in chances.items()}
    assert min(wanted.values()) > 5
    chi = sum((found[key] - number) ** 2 / number for key, number in wanted.items())
    free = len(wanted) - 1
    return float((chi - free) / np.sqrt(2 * free))


@pytest.mark.parametrize("name", ENDINGS)
def test_endings_are_uniform(sit: Any, name: str) -> None:
    place = ENDINGS[name]
    table = sit(FOUR, trump="S", phase="last", **place)
    chances = expected(place, 0)
    assert len(chances) > 5
    assert abs(far_from(hands_of(table, 0), chances)) < FAR


def test_another_seat_looks_from_its_own_place(sit: Any) -> None:
    place = {
        "hands": ("AC#0 KC#0", "AS#0 TD#1", "QH#0 JO#0", "9D#0 8D#0"),
        "denied": ["AS QH", "AC", "KC", ""],
    }
    table = sit(FOUR, trump="S", phase="last", **place)
    assert abs(far_from(hands_of(table, 3), expected(place, 3))) < FAR


def test_with_two_players_the_last_nine_are_open(sit: Any) -> None:
    table = sit(trump="S", phase="last", hands=("AC#0 KC#0 9D#0", "AS#0 AS#1 JO#0"))
    assert len(hands_of(table, 0)) == 1


def test_in_the_first_phase_hand_and_stock_are_shuffled(sit: Any) -> None:
    table = sit(trump="S", phase="play", hands=("AC#0 KC#0", "AS#0"), stock=7)
    worlds = drawn(table.env, 0)(table.state, jax.random.key(3))
    words, stock = np.asarray(worlds["hands"]), np.asarray(worlds["stock"])[:, :7]
    hidden = sorted(members(table.facts["hands"][5:]) | set(table.facts["stock"][:7]))
    assert len(hidden) == 16
    in_hand = Counter(card for row in words for card in members(row[5:]))
    assert sum(in_hand.values()) == 9 * DRAWS
    for place in range(7):
        first = Counter(stock[:, place].tolist())
        assert abs(far_from(first, dict.fromkeys(hidden, Fraction(1, 16)))) < FAR
    spread = np.sqrt(DRAWS * 9 / 16 * 7 / 16)
    assert all(abs(in_hand[card] - DRAWS * 9 / 16) < FAR * spread for card in hidden)
    # Two cards in the hand at once, as often as chance has it
    both = sum({hidden[0], hidden[1]} <= members(row[5:]) for row in words) / DRAWS
    assert both == pytest.approx(9 * 8 / (16 * 15), abs=FAR * 0.5 / np.sqrt(DRAWS))


def test_a_known_card_stays_as_a_type(sit: Any) -> None:
    table = sit(
        trump="S",
        phase="play",
        hands=("AC#0 KC#0", "AS#2"),
        stock="AS#1 AS#0 8D#0 9D#0 9D#1",
        turned_up="7S#0",
        known=["", "AS"],
        swapped=True,
    )
    rows = np.asarray(drawn(table.env, 0)(table.state, jax.random.key(4))["hands"])
    held = Counter(frozenset(members(row[5:]) & ids("AS#0 AS#1 AS#2")) for row in rows)
    assert all(held)
    # One of three copies for certain; and eight of thirteen cards, the two other copies among them
    for size, wanted in {1: 10 / 78, 2: 40 / 78, 3: 28 / 78}.items():
        number = sum(count for cards, count in held.items() if len(cards) == size)
        assert number / DRAWS == pytest.approx(wanted, abs=FAR * 0.5 / np.sqrt(DRAWS))


@pytest.mark.parametrize("players", [2, 4])
def test_only_what_is_hidden_changes(make: Any, players: int) -> None:
    env = make(players=players)
    state = env.init(jax.random.key(1))
    step, legal = jax.jit(env.step), jax.jit(env.legal_action_mask)
    rng = np.random.default_rng(2)
    for _ in range(40):
        state = step(state, int(rng.choice(np.flatnonzero(legal(state)))))
    world = once(env)(state, 1, jax.random.key(5))
    before, after = env.facts(state), env.facts(world)
    for name, value in before.items():
        if name not in ("hands", "stock"):
            assert jnp.array_equal(value, after[name]), name
    hand = slice(5, 10)
    assert jnp.array_equal(before["hands"][hand], after["hands"][hand])
    assert not jnp.array_equal(before["hands"][:5], after["hands"][:5])
    assert not jnp.array_equal(before["stock"], after["stock"])
    sizes = [
        int(np.bitwise_count(np.asarray(f["hands"]).reshape(-1, 5)).sum()) for f in (before, after)
    ]
    assert sizes[0] == sizes[1]
    assert env.position(world)["drawn"] is None  # nothing of the deck is told


def test_a_match_gets_a_fresh_key(make: Any) -> None:
    env = make(rounds=2)
    state = env.init(jax.random.key(1))
    worlds = [once(env)(state, 0, jax.random.key(seed)) for seed in (1, 1, 2)]
    keys = [np.asarray(world.key).tolist() for world in (state, *worlds)]
    assert keys[1] == keys[2]
    assert len({tuple(key) for key in keys}) == 3


# What replies show --------------------------------------------------------------------------------


def denied(table: Any, seat: int) -> set[str]:
    bits = int(table.state.denied[seat])
    return {card_name(4 * kind).split("#")[0] for kind in range(32) if bits >> kind & 1}


def suit(letter: str, ranks: str = "789JQKTA") -> set[str]:
    return {rank + letter for rank in ranks}


SHOWN = [
    ("KH#0", "TH#0", set()),
    ("KH#0", "9H#0", suit("H", "TA")),
    ("KH#0", "7S#0", suit("H")),
    ("KH#0", "9D#0", suit("H") | suit("S")),
    ("KH#0", "JO#0", suit("H") | suit("S")),
    ("9S#0", "8S#0", suit("S", "JQKTA")),
    ("JO#1", "7S#0", set()),
    ("JO#1", "9D#0", suit("S")),
    ("JO#1", "JO#0", suit("S")),
]


@pytest.mark.parametrize(("led", "reply", "shown"), SHOWN)
def test_what_a_reply_shows(sit: Any, led: str, reply: str, shown: set[str]) -> None:
    hands = (f"{led} 8D#0", f"{reply} 8D#1", "8D#2 9C#0", "8D#3 9C#1")
    table = sit(FOUR, trump="S", phase="last", hands=hands).do(
        *(n.split("#")[0] for n in (led, reply))
    )
    assert denied(table, 1) == shown
    assert not denied(table, 0)


def test_what_the_third_shows(sit: Any) -> None:
    hands = ("KH#0 8D#0", "9S#0 8D#1", "7S#0 9D#2", "8H#3 9C#1")
    table = sit(FOUR, trump="S", phase="last", hands=hands).do("KH", "9S", "7S", "8H")
    assert denied(table, 2) == suit("H") | suit("S", "JQKTA")
    assert denied(table, 3) == set()  # the suit led was trumped: nobody had to beat the king


def test_nothing_is_shown_in_the_first_phase(sit: Any) -> None:
    table = sit(FOUR, trump="S", phase="play", hands=("KH#0", "9D#0")).do("KH", "9D")
    assert not denied(table, 1)
