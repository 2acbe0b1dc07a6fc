"""`redeal` of Blob draws uniformly over all worlds: endings enumerated.

A world is who holds which of the cards that the player cannot place. The first endings are played
out on the reference engine: the same moves are replayed in every world that there could be, and
those where a move is illegal, or the player would have seen something else, are dropped. What
remains is what hand sizes and voids allow; so the other endings, of more players or written down by
hand, are counted by these.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.parity.blob import BlobSpec, BlobState
from talonax.parity.blob_pack import CARDS, in_order

pytestmark = pytest.mark.slow

#: Standard deviations (of a normal deviate) that a chi-square may lie out; keys are fixed.
FAR = 3.7
DRAWS = 4_000
LEAST_EXPECTED = 10.0
SUIT = 13

#: The cards that the others hold, by seat; the player's own entry is empty.
World = tuple[frozenset[int], ...]


# What a player knows, and the worlds that it allows -----------------------------------------------


@dataclass(frozen=True)
class Known:
    """What is known of a position: the player, unseen cards, hand sizes and voids by seat."""

    player: int
    unseen: frozenset[int]
    sizes: tuple[int, ...]
    voids: tuple[int, ...]

    @classmethod
    def of(cls, state: Any, player: int) -> "Known":
        players = len(state.dealt)
        dealt = [_members(words) for words in np.asarray(state.dealt)]
        gone = _members(np.asarray(state.gone))
        return cls(
            player,
            frozenset(range(52)) - dealt[player] - gone,
            tuple(len(hand - gone) * (seat != player) for seat, hand in enumerate(dealt)),
            tuple(int(state.voids) >> 4 * seat & 15 for seat in range(players)),
        )

    def worlds(self, voids: bool = True) -> Iterator[World]:
        """Give all worlds; those that contradict a void as well if `voids` is false."""
        yield from self._from(0, self.unseen, voids)

    def _from(self, seat: int, left: frozenset[int], voids: bool) -> Iterator[World]:
        if seat == len(self.sizes):
            yield ()
            return
        fit = [c for c in sorted(left) if not voids or not self.voids[seat] >> c // SUIT & 1]
        for hand in combinations(fit, self.sizes[seat]):
            for rest in self._from(seat + 1, left - set(hand), voids):
                yield (frozenset(hand), *rest)


def _members(words: Any) -> frozenset[int]:
    bits = int(words[0]) | int(words[1]) << 32
    return frozenset(card for card in range(52) if bits >> card & 1)


@cache
def compiled(env: Any) -> Any:
    def draw(state: Any, player: Any) -> Any:
        keys = jax.random.split(jax.random.key(0), DRAWS)
        return jax.vmap(lambda key: env.redeal(state, player, key).hands())(keys)

    return jax.jit(draw)


def drawn(env: Any, state: Any, player: int) -> Counter[World]:
    hands = np.asarray(compiled(env)(state, jnp.int32(player)))
    seats = range(env.num_players)
    unique, counts = np.unique(hands, axis=0, return_counts=True)
    return Counter(
        {
            tuple(frozenset() if seat == player else _members(each[seat]) for seat in seats): int(n)
            for each, n in zip(unique, counts, strict=True)
        }
    )


def chi_square(found: Counter[World], worlds: list[World]) -> float:
    """Return how many standard deviations `found` lies from all worlds being drawn alike.

    Worlds are counted together until enough are expected; Wilson and Hilferty's cube root makes a
    chi-square a normal deviate.
    """
    each = found.total() / len(worlds)
    together = int(-(-LEAST_EXPECTED // each))
    starts = range(0, len(worlds), together)
    cells = [worlds[start : start + together] for start in starts]
    chi = sum(
        (sum(found[world] for world in cell) - each * len(cell)) ** 2 / (each * len(cell))
        for cell in cells
    )
    freedom = len(cells) - 1
    spread = 2 / (9 * freedom)
    return float(((chi / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5)


def check(env: Any, state: Any, player: int, worlds: list[World]) -> None:
    found = drawn(env, state, player)
    assert set(found) <= set(worlds), "a world that the play has ruled out"
    if len(worlds) == 1:
        return
    if DRAWS / len(worlds) > 2 * LEAST_EXPECTED:
        assert len(found) == len(worlds), "a world that is never drawn"
    assert abs(chi_square(found, worlds)) < FAR


# Endings that were played -------------------------------------------------------------------------


def played(make: Any, players: int, cards: int, steps: int, stride: int) -> Any:
    """Return env and state after a number of steps, and the engine's positions up to there.

    The deck takes every so many-th card of the pack; of what is legal everybody takes the next one
    round, which leads through all suits.
    """
    env = make(players=players, cards=52 // players)
    deck = np.arange(52) * stride % 52
    engine = [BlobSpec(env.rules).initial_state(deck=deck.tolist(), cards=cards)]
    state = stepping(env)[1](deck, cards=cards)
    for step in range(steps):
        moves = engine[-1].legal_moves()
        move = moves[step % len(moves)]
        engine.append(engine[-1].apply_move(move))
        state = stepping(env)[0](state, move.id)
    assert not state.finished
    return env, state, engine


@cache
def stepping(env: Any) -> Any:
    return jax.jit(env.step), jax.jit(env.deal)


def allowed(engine: list[BlobState], known: Known) -> list[World]:
    """Return the worlds in which the player would have seen the same, by replaying the moves."""
    start, end = engine[0], engine[-1]
    moves = [event for event in end.log if event[0] in ("bid", "play")]
    return [
        world
        for world in known.worlds(voids=False)
        if _agrees(start, end, moves, known.player, world)
    ]


def _agrees(start: BlobState, end: BlobState, moves: Any, player: int, world: World) -> bool:
    hands = tuple(
        start.round.hands[seat]
        if seat == player
        else in_order([*end.round.played[seat], *(CARDS[card] for card in world[seat])])
        for seat in range(len(world))
    )
    state = start.with_round(hands=hands)
    for _, _, number in moves:
        if number not in state.round.legal_ids:
            return False
        state = state.apply_move(number)
    return state.information_state(player) == end.information_state(player)


#: Players, cards, steps made, the deck's stride, who looks; between tricks and within one;
#: all cards dealt but one, and but four.
ENDINGS = [
    (3, 17, 3 + 3 * 14, 9, 0),
    (3, 17, 3 + 3 * 14 + 1, 5, 1),
    (3, 17, 3 + 3 * 15 + 2, 7, 2),
    (3, 16, 3 + 3 * 14, 7, 1),
]


@pytest.mark.parametrize("ending", ENDINGS, ids=str)
def test_uniform_over_the_worlds_that_the_engine_allows(
    make: Any, ending: tuple[int, int, int, int, int]
) -> None:
    *deal, player = ending
    env, state, engine = played(make, *deal)
    known = Known.of(state, player)
    worlds = allowed(engine, known)
    assert 1 < len(worlds) < len(list(known.worlds(voids=False))) / 1.5
    assert worlds == list(known.worlds())
    check(env, state, player, worlds)


#: More players, a card each; five or more others have shown voids.
LARGER = [
    (5, 10, 50, 5, 3),
    (5, 10, 50, 11, 0),
    (7, 7, 49, 29, 6),
]


@pytest.mark.parametrize("ending", LARGER, ids=str)
def test_uniform_over_the_worlds_of_more_players(
    make: Any, ending: tuple[int, int, int, int, int]
) -> None:
    *deal, player = ending
    env, state, _ = played(make, *deal)
    worlds = list(Known.of(state, player).worlds())
    assert len(worlds) > 50
    check(env, state, player, worlds)


# Endings that were written down -------------------------------------------------------------------

#: Each may hold two suits, another pair each: S and H, H and C, C and S.
CHAIN = ["", "CD", "SD", "HD"]
#: Hands (player 0 looks), suits shown void by seat, how many worlds there are.
WRITTEN: dict[str, tuple[list[str], list[str], int]] = {
    # No swap of two cards joins the two worlds.
    "a card each of three suits": (["AD", "AS", "AH", "AC"], CHAIN, 2),
    # Seat 1 has a spades and 3 - a hearts, so seat 2 a hearts, seat 3 a clubs: C(3, a)^3 ways
    "three cards each of three suits": (
        ["AD KD QD", "AS KS AH", "KH QH AC", "KC QC QS"],
        CHAIN,
        1 + 27 + 27 + 1,
    ),
    "no voids": (["AD KD", "AS KS", "KH QH", "KC QC"], ["", "", "", ""], 90),
    "all voids": (
        ["AD KD QD", "AS KS QS", "AH KH QH", "AC KC QC"],
        ["", "HCD", "SCD", "SHD"],
        1,
    ),
    # The hand of seat 1 is clear; C(4, 2) ways for the others
    "one suit each, but for two": (
        ["AD KD", "AS KS", "AH KH", "AC KC"],
        ["", "HCD", "S", "S"],
        6,
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_uniform_over_the_worlds_of_four_players(make: Any, described: Any, name: str) -> None:
    hands, voids, number = WRITTEN[name]
    env = make(players=4, cards=13)
    state = described(env, **ending(env, hands, voids)).state
    worlds = list(Known.of(state, 0).worlds())
    assert len(worlds) == number
    check(env, state, 0, worlds)


def test_uniform_where_cards_are_not_dealt(make: Any, described: Any, ids: Any) -> None:
    """Five players, two cards each, the queens of clubs and diamonds in nobody's hand."""
    hands = ["AD KD", "AS AH", "KH AC", "KC KS", "QS QH"]
    env = make(players=5, cards=10)
    position = ending(env, hands, ["", "CD", "SD", "HD", ""], undealt="QC QD")
    state = described(env, **position).state
    worlds = list(Known.of(state, 0).worlds())
    assert 500 < len(worlds) < 5_000
    [queen] = ids("QD")
    assert any(queen in world[4] for world in worlds)
    check(env, state, 0, worlds)


def ending(env: Any, hands: list[str], voids: list[str], undealt: str = "") -> dict[str, Any]:
    """Return a position, all tricks before it won by seat 0, the cards played in any order."""
    seats = len(hands)
    held = [*" ".join(hands).split(), *undealt.split()]
    names = [env.action_name(card).split()[-1] for card in range(52)]
    rest = [name for name in names if name not in held]
    done = len(rest) // seats
    return {
        "dealer": seats - 1,
        "leader": 0,
        "hands": hands,
        "played": [" ".join(rest[seat::seats]) for seat in range(seats)],
        "tricks": [done] + [0] * (seats - 1),
        "bids": [0] * seats,
        "voids": voids,
    }


def test_before_a_card_is_played_every_hand_is_possible(make: Any, described: Any) -> None:
    env = make(players=3, cards=1)
    state = described(env, dealer=0, hands=["AD", "AS", "AH"]).state
    worlds = list(Known.of(state, 0).worlds())
    assert len(worlds) == 51 * 50
    check(env, state, 0, worlds)


def test_most_cards_are_not_dealt(make: Any, described: Any) -> None:
    """Two cards each, one trick: seats 1 and 2 have not followed spades, seat 3 has.

    46 cards are unseen, 11 of them spades: each card of the other suits is as likely as another to
    be seat 1's, and so it is for seat 2.
    """
    env = make(players=4, cards=13)
    state = described(
        env,
        dealer=3,
        leader=0,
        hands=["AD", "2H", "2C", "2D"],
        played=["AS", "AH", "AC", "KS"],
        tricks=[1, 0, 0, 0],
        bids=[0] * 4,
        voids=["", "S", "S", ""],
    ).state
    found = drawn(env, state, 0)
    unseen = sorted(Known.of(state, 0).unseen)
    assert len(unseen) == 47
    plain = [(frozenset({card}),) for card in unseen if card >= SUIT]
    for seat in (1, 2):
        held = Counter[World]()
        for world, number in found.items():
            held[(world[seat],)] += number
        assert set(held) == set(plain)
        assert abs(chi_square(held, plain)) < FAR
    spades = len(unseen) - len(plain)
    ways = [spades * len(plain), len(plain) * (len(plain) - 2)]  # of seats 1 and 3; 2 is alike
    share = ways[0] / sum(ways)
    number = sum(n for world, n in found.items() if min(world[3]) < SUIT)
    assert abs(number - share * DRAWS) < FAR * (DRAWS * share * (1 - share)) ** 0.5


def test_a_void_shown_in_this_trick_counts(make: Any, deal: Any) -> None:
    """Seat 1 has just thrown a heart on a spade; seat 2 has not played, and may hold anything."""
    table = deal("2S 3S", "2H 3H", "4S 4H", dealer=2, trump="none").do(0, 0, 1, "2S", "2H")
    found = drawn(table.env, table.state, 0)
    held = [set().union(*(world[seat] for world in found)) for seat in range(3)]
    assert min(held[1]) >= SUIT
    assert min(held[2]) < SUIT
    assert not any({0, 1, 13} & (world[1] | world[2]) for world in found)


def test_the_test_tells_a_wrong_distribution(make: Any, described: Any) -> None:
    """Drawn hand by hand from what each may hold, worlds are not equally likely; this is seen."""
    hands, voids, _ = WRITTEN["three cards each of three suits"]
    env = make(players=4, cards=13)
    state = described(env, **ending(env, hands, voids)).state
    worlds = list(Known.of(state, 0).worlds())
    assert abs(chi_square(Counter({world: 71 for world in worlds}), worlds)) > FAR  # too even
    # by the counts first: each of the four as likely as another
    spades = Counter(sum(card < SUIT for card in world[1]) for world in worlds)
    skewed = Counter(
        {world: 1_000 // spades[sum(card < SUIT for card in world[1])] for world in worlds}
    )
    assert chi_square(skewed, worlds) > FAR
