"""`redeal` of Tysiac draws uniformly: endings enumerated with the reference engine.

A world is an order of the deck, with what the opponent returned if he is the declarer. All that
`player` cannot see is spread over the places where it could lie, the moves are replayed on the
engine, and the worlds are dropped in which a move is illegal or he would have seen something else:
those that remain must be drawn equally often.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.parity import IllegalMoveError, spec
from talonax.parity.tysiac import TysiacSpec, TysiacState
from talonax.parity.tysiac_pack import CARDS, IDS
from talonax.parity.tysiac_position import Phase

pytestmark = pytest.mark.slow

DRAWS = 20_000
#: Standard deviations (of a normal deviate) that a chi-square may lie out; keys are fixed.
FAR = 3.7
MUSIKI = 4

#: An outcome: the opponent's hand, what lies aside (both musiki together), what was returned.
World = tuple[int, int, int]


@dataclass(frozen=True)
class Ending:
    """A single hand by its moves, dealer 1: who looks at it, the deck, the moves, the flags."""

    name: str
    player: int
    deck: str
    moves: str
    flags: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def game(self) -> TysiacSpec:
        made = spec("tysiac", hands=1, **self.flags)
        assert isinstance(made, TysiacSpec)
        return made

    @cached_property
    def order(self) -> list[int]:
        names = [card.name for card in CARDS]
        return [names.index(name) for name in self.deck.replace("|", " ").split()]

    @cached_property
    def actions(self) -> list[int]:
        ids = {self.game.move_name(i): i for i in range(self.game.num_actions)}
        return [ids[name] for name in self.moves.split(", ")]

    def start(self, order: list[int]) -> TysiacState:
        return self.game.initial_state(deck=order, dealer=1)


CHALLENGE = {"proof": "challenge"}
HEARTS = "QH AC AH AD KH JD AS TC KC 9C | 9S JC JS JH TD 9D TH QD KD KS | QC QS | 9H TS"
LOW = "AS 9H TH KD JC QD AH KH 9C JH | JD TD QC 9S KC AC KS AD QS JS | QH 9D | TS TC"
DIAMONDS = "KD JC 9S 9D QD KS TS JH AD QH | JD TD KH TC 9H AH 9C QC KC AS | AC TH | QS JS"

ENDINGS = [
    Ending("nothing is known yet", 1, HEARTS, "bid 100, pass"),
    Ending(
        "auction: he has bid 150, which 40 do not prove",
        0,
        HEARTS,
        "bid 100, bid 110, bid 120, bid 130, bid 140, bid 150",
    ),
    Ending(
        "auction: his last bid was 140, which 40 prove",
        1,
        DIAMONDS,
        "bid 100, bid 110, bid 120, bid 130, bid 140, bid 150",
    ),
    Ending(
        "he declares at 150 and has returned two; voids, and replies that did not beat",
        0,
        HEARTS,
        "bid 100, bid 110, bid 120, bid 130, bid 140, bid 150, pass, musik 1, TH, 9S, "
        "contract 310, declare KD, AD, declare QH, 9H, JD, QD, TD, 9C, JC, TC, AS, KS",
    ),
    Ending(
        "the other half of his marriage is known",
        0,
        LOW,
        "bid 100, bid 110, bid 120, bid 130, pass, musik 0, JD, QS, contract 220, declare QC, 9C, "
        "QH, KH, declare QD, TD, 9S, AS, 9H, JS, AH, KS",
    ),
    Ending(
        "he defends after a bid of 130; own cards returned",
        0,
        DIAMONDS,
        "bid 100, bid 110, bid 120, bid 130, bid 140, pass, musik 0, JC, AC, contract 140, "
        "declare KD, TD, declare KC, TS, 9H, TH",
    ),
    Ending(
        "with the duty to trump, a void without a trump shows that he has none",
        0,
        "QH JD KC TH QD TD TC JH 9C KS | JC AD AH 9D AS AC KH TS 9S JS | QC KD | QS 9H",
        "bid 100, pass, musik 0, JD, KD, contract 350, declare QC, AC, JS, KS, TD, AD, 9S, TC",
        {"must_trump_when_void": True},
    ),
    Ending(
        "the hand is over: four cards were never seen",
        0,
        HEARTS,
        "bid 100, bid 110, pass, musik 0, JH, KD, contract 110, declare QS, AS, declare QH, TH, "
        "JC, TC, JD, QD, KS, KC, JS, KH, AD, 9D, AC, QC, 9C, TD, AH, 9S",
    ),
    Ending(
        "challenged at 130 he showed diamonds: neither spades nor clubs",
        0,
        HEARTS,
        "bid 100, bid 110, bid 120, bid 130, challenge, bid 140, challenge, bid 150",
        CHALLENGE,
    ),
    Ending(
        "he has shown two marriages, then declared and returned: both were dealt to him",
        0,
        LOW,
        "bid 100, bid 110, bid 120, bid 130, challenge, bid 140, challenge, bid 150, challenge, "
        "pass, musik 0, TD, QC, contract 320, declare KS, AS, declare KD, AD, JS, JC, 9D, QD, TH, "
        "QH",
        CHALLENGE,
    ),
    Ending(
        "he has shown diamonds, then returned them",
        0,
        HEARTS,
        "bid 100, bid 110, bid 120, bid 130, challenge, bid 140, challenge, bid 150, pass, "
        "musik 0, QD, KD, contract 320, declare KS, AS, declare KH, TH, JH, AH, 9C, QC, 9D, JD",
        CHALLENGE,
    ),
    Ending(
        "he defends with the marriage that he has shown",
        0,
        HEARTS,
        "bid 100, bid 110, bid 120, bid 130, challenge, bid 140, challenge, pass, musik 0, AD, QC, "
        "contract 380, declare QH, TH, declare KD, JD",
        CHALLENGE,
    ),
    Ending(
        "he could not prove 150: he has nothing that would",
        0,
        "AH TC QH QD AC JS TD AS TH JD | KH JH 9H QC 9C 9S AD QS TS KD | 9D KS | KC JC",
        "bid 100, bid 110, bid 120, bid 130, bid 140, bid 150, challenge",
        CHALLENGE,
    ),
    Ending(
        "one card of two is returned: what was seen of the hand may be it",
        0,
        HEARTS,
        "bid 100, bid 110, bid 120, bid 130, challenge, pass, musik 0, 9D",
        CHALLENGE,
    ),
]


# All worlds, with the engine ----------------------------------------------------------------------


class Worlds:
    """The worlds that agree with what `player` knows at the end of the moves."""

    def __init__(self, ending: Ending) -> None:
        self.ending, self.player = ending, ending.player
        start = truth = ending.start(ending.order)
        for action in ending.actions:
            truth = truth.apply_move(action)
        self.known = truth.information_state(self.player)
        end = truth.ended or truth.hand
        self.end, self.own = end, set(start.hand.hands[self.player])
        self.taken = set(end.musiks[end.taken]) if end.taken >= 0 else set()
        self.returning = len(end.returned) if end.declarer == 1 - self.player else 0
        # The moves, with None where the opponent returns a card: only he knows which
        state, self.moves = start, list[int | None]()
        for action in ending.actions:
            hidden = state.hand.phase is Phase.RETURN and state.current_player() != self.player
            self.moves.append(None if hidden else action)
            state = state.apply_move(action)

    def __iter__(self) -> Iterator[tuple[World, list[int], list[int]]]:
        """Give each world, with its deck and its moves."""
        opponent = 1 - self.player
        # What he has laid, and holds for certain, came from his ten cards or from the musik
        sure = set() if self.returning == 1 else self.end.known[opponent]
        must = self.end.played[opponent] | sure
        unknown = set(CARDS) - self.own - self.taken
        number = MUSIKI - len(self.taken)
        for aside in combinations(sorted(unknown - must, key=IDS.__getitem__), number):
            ten = unknown - set(aside)
            deck = self._deck(ten, list(aside))
            spare = sorted((ten | self.taken) - must, key=IDS.__getitem__)
            for returned in combinations(spare, self.returning):
                given = iter(returned)
                moves = [IDS[next(given)] if move is None else move for move in self.moves]
                if self._agrees(deck, moves):
                    held = ten | (self.taken if self.returning else set())
                    held = held - set(returned) - self.end.played[opponent]
                    yield (_mask(held), _mask(aside), _mask(returned)), deck, moves

    def _deck(self, ten: set[Any], aside: list[Any]) -> list[int]:
        hands = [sorted(self.own, key=IDS.__getitem__), sorted(ten, key=IDS.__getitem__)]
        if self.player == 1:
            hands.reverse()
        musiks = [aside[:2], aside[2:]]
        if self.taken:
            both = [sorted(self.taken, key=IDS.__getitem__), aside]
            musiks = both if self.end.taken == 0 else both[::-1]
        return [IDS[card] for part in (*hands, *musiks) for card in part]

    def _agrees(self, deck: list[int], moves: list[int]) -> bool:
        state = self.ending.start(deck)
        try:
            for action in moves:
                state = state.apply_move(action)
        except IllegalMoveError:
            return False
        return state.information_state(self.player) == self.known


def _mask(cards: Any) -> int:
    return sum(1 << IDS[card] for card in cards)


# The env ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled() -> Any:
    """Return what plays moves and re-deals for an env, compiled once for each of them."""
    made: dict[Any, Any] = {}

    def of(flags: dict[str, Any]) -> Any:
        env = talonax.make("tysiac", hands=1, **flags)
        if env not in made:

            def draw(state: Any, player: Any, keys: Any) -> Any:
                drawn = jax.vmap(lambda key: env.redeal(state, player, key))(keys)
                return drawn.hands, drawn.musiks, drawn.returned

            made[env] = env, jax.jit(env.step), jax.jit(draw), jax.jit(env.redeal)
        return made[env]

    return of


def _played(env: Any, step: Any, order: list[int], actions: list[int]) -> Any:
    state = env.deal(np.array(order), dealer=1)
    for action in actions:
        state = step(state, action)
        assert not bool(state.illegal)
    return state


def _outcomes(ending: Ending, drawn: Any) -> list[World]:
    """Return the worlds drawn, in the terms of `World`."""
    hands, musiks, returned = jax.device_get(drawn)
    end = Worlds(ending).end
    aside = musiks[1 - end.taken] if end.taken >= 0 else musiks[0] | musiks[1]
    gone = returned if end.declarer == 1 - ending.player else np.zeros_like(returned)
    parts = (hands[1 - ending.player], aside, gone)
    return list(zip(*(part.tolist() for part in parts), strict=True))


def _far(counts: list[int], expected: float) -> float:
    """Return by how many standard deviations a chi-square lies out (Wilson and Hilferty)."""
    free = len(counts) - 1
    if free == 0:
        return 0.0
    chi = sum((count - expected) ** 2 / expected for count in counts)
    spread = 2 / (9 * free)
    return float(((chi / free) ** (1 / 3) - (1 - spread)) / spread**0.5)


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_redeal_is_uniform_over_the_worlds(ending: Ending, compiled: Any) -> None:
    env, step, draw, redeal = compiled(ending.flags)
    state = _played(env, step, ending.order, ending.actions)
    keys = jax.random.split(jax.random.key(0), DRAWS)
    drawn = draw(state, jnp.int32(ending.player), keys)
    found, worlds = Counter(_outcomes(ending, drawn)), list(Worlds(ending))
    possible = {world for world, _, _ in worlds}
    assert len(possible) == len(worlds) > 1
    assert set(found) <= possible, "a world that the play has ruled out"
    assert set(found) == possible, "a world that is never drawn"
    assert _far([found[world] for world in possible], DRAWS / len(possible)) < FAR

    # States that he cannot tell apart give the same result under one key
    wanted = redeal(state, jnp.int32(ending.player), keys[0])
    for _, deck, moves in worlds[:: max(1, len(worlds) // 4)]:
        other = redeal(_played(env, step, deck, moves), jnp.int32(ending.player), keys[0])
        jax.tree.map(np.testing.assert_array_equal, other, wanted)


def test_both_musiki_are_drawn_in_every_order(compiled: Any) -> None:
    """Before a musik is taken: of four cards aside each pair is as often the first."""
    env, step, draw, _ = compiled({})
    state = _played(env, step, ENDINGS[0].order, ENDINGS[0].actions)
    _, musiks, _ = jax.device_get(
        draw(state, jnp.int32(1), jax.random.split(jax.random.key(1), DRAWS))
    )
    first = Counter(musiks[0].tolist())
    assert len(first) == 14 * 13 // 2
    assert _far(list(first.values()), DRAWS / len(first)) < FAR
    assert not (musiks[0] & musiks[1]).any()
    # Given what lies aside, the lowest of the four is in the first musik half of the time
    lowest = (musiks[0] | musiks[1]) & -(musiks[0] | musiks[1]).astype(np.int64)
    share = (musiks[0] & lowest != 0).mean()
    assert abs(share - 0.5) < 4 * 0.5 / DRAWS**0.5


def test_the_test_tells_a_wrong_distribution() -> None:
    level = [100] * 50
    assert _far(level, 100) < FAR
    assert _far([160] * 10 + [85] * 40, 100) > FAR
