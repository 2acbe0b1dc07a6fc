"""`redeal` of Snapszer draws worlds uniformly: endings enumerated with the reference engine.

A world is an order of the deck. All that `player` cannot see of the deck is spread over the places
that it could lie in, the moves are replayed in each of these worlds, and those where a move is
illegal or he would have seen something else are dropped: what remains is equally likely. The hands
that the env deals must come as often as in there.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.envs import pairs
from talonax.envs.core import Env
from talonax.parity import spec
from talonax.parity.cards import Card
from talonax.parity.snapszer import SnapszerSpec, SnapszerState

pytestmark = pytest.mark.slow

DRAWS = 20_000
#: Standard deviations (of a normal deviate) that a chi-square may lie out; keys are fixed.
FAR = 3.7
LEAST_EXPECTED = 10.0


@dataclass(frozen=True)
class Ending:
    """A position by its moves: who looks at it, the deck, what was played, and the flags."""

    name: str
    player: int
    deck: str
    moves: str
    flags: dict[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> SnapszerSpec:
        made = spec("snapszer", **self.flags)
        assert isinstance(made, SnapszerSpec)
        return made

    @property
    def actions(self) -> list[int]:
        ids = {self.game.move_name(i): i for i in range(self.game.num_actions)}
        return [ids[name] for name in self.moves.split(", ")]

    @property
    def order(self) -> list[int]:
        ids = {self.game.move_name(i): i for i in range(self.game.pack.size)}
        return [ids[name] for name in self.deck.split()]


STRICT = {"marriage_when_strict": True, "marriage_points": "next_trick"}
CLOSED_DECK = "QH QS TH AH AC TC KS KD AS TS QD AD JC JH JD TD JS KC QC KH"
VOID_DECK = "KC JC AD JD AH QC TC TD JS QH TH AS QD TS KS AC KD QS JH KH"
KING_DECK = "JS KD TH TC KC QS QD JD TD AH KH JH AD JC AS TS QH AC KS QC"
MARRIAGE_DECK = "JS JH TH AH JD KC QC TS KS AC AD QS KD KH QD AS TC TD QH JC"

ENDINGS = [
    Ending(
        "closed: he trumped, so he has nothing of the suit led",
        1,
        CLOSED_DECK,
        "AC, TC, QH, KD, close, TS, QS, KS, JD, AD",
    ),
    Ending(
        "closed: he neither followed nor trumped",
        1,
        VOID_DECK,
        "AH, TD, AD, JS, close, JD, QD, QH, TS",
    ),
    Ending(
        "closed: he followed without beating; a Q led without its K",
        1,
        CLOSED_DECK,
        "AC, TC, QH, KD, close, TS, QS",
    ),
    Ending("closed: he beat the lead", 0, VOID_DECK, "AH, TD, AD, JS, close, JD, QD, QH"),
    Ending(
        "K led without the marriage, then drawn; the opponent exchanged",
        1,
        KING_DECK,
        "TH, JD, KC, AD, exchange, JC, AS, KD, QH",
    ),
    Ending(
        "K led without the marriage, its Q drawn and played later",
        1,
        "JC JD KC TC JH QD AH AC AD QH QS KS TS AS QC TH JS KD TD KH",
        "KC, AC, AH, TC, AS, QC",
    ),
    Ending("a half of a marriage is held", 0, MARRIAGE_DECK, "JD, KS, QS, KD, KC, TH"),
    Ending(
        "both halves of a marriage are played; an exchange; a K led alone",
        1,
        "KS JC JH QS KD TH TC QC TS KH KC AC AS AD QD AH JS QH TD JD",
        "exchange, KD, TH, QS, TS, AS, KS",
    ),
    Ending(
        "Q led without the marriage",
        1,
        "TC QC QH AC TH KD QS JD TS AS AD QD JS KC KS TD AH JH JC KH",
        "QH, KD, TS, TC, QS, KS, TD, KC, QC",
    ),
    Ending(
        "Q led without the marriage, its K drawn and played later",
        1,
        "JC QH JH JS JD QS TS QC KS KD AH AS QD KC TH KH TD TC AC AD",
        "JD, KS, QH, QD, AS, KD, KH, TH",
    ),
    Ending(
        "two cards released, then closed",
        1,
        "TH TC QH QD JS KS TD JC QC KC JH AC JD AH AD KD QS KH TS AS",
        "QH, KC, QD, JC, close, AC, QC, JS",
    ),
    Ending(
        "K of trumps led before its Q was taken in an exchange",
        1,
        "TC QD KH JD AD QS QH TS KD TD QC KC JS JC KS AH AS TH AC JH",
        "AD, TS, KC, TD, exchange, QD, QS, KH, QH, AH",
    ),
    Ending(
        "the stock is gone: there is one world",
        0,
        MARRIAGE_DECK,
        "JD, KS, QS, KD, KC, TH, TS, QD, AH, AS, JH",
    ),
    Ending(
        "the stock is gone: a K led does not say that its Q is missing",
        0,
        VOID_DECK,
        "AH, TD, AD, JS, JD, QD, QH, TS, AC, KD, KH, TH, KC, TC, QC, JC, KS",
    ),
    Ending(
        "K of trumps led before its Q was taken in an exchange and played",
        1,
        "JC TS TC TH JD QH QS AC JS KH QC KC TD KD AH JH AS QD AD KS",
        "TS, QS, JD, KH, KC, TD, TH, AS, exchange, QC",
    ),
    Ending(
        "closed, and marriages count: a Q led without its K says so",
        1,
        CLOSED_DECK,
        "AC, TC, QH, KD, close, TS, QS, KS, JD",
        STRICT,
    ),
    Ending(
        "pending points give nothing away; two cards released",
        1,
        "KH AD JD KC TC TS TH QD JC KS JS AH AC KD QH JH AS QS TD QC",
        "KC, QD, KH, KS, JC, AH",
        STRICT,
    ),
    Ending(
        "only the K scores: a Q led alone says nothing",
        0,
        "KH TH KC QH JC AC QD AS QS JH JD JS AD KD TC AH TD QC KS TS",
        "JC, AC, QD, KH, JS, KC, JH",
        {"marriage_lead": "king"},
    ),
    Ending(
        "only the K scores: a K led alone says that the Q is missing",
        1,
        KING_DECK,
        "KC, JD, KD, QS, JH, AD, TC",
        {"marriage_lead": "king"},
    ),
    Ending(
        "declaring is optional: a K led plainly says nothing",
        1,
        KING_DECK,
        "TH, JD, KC, AD, exchange, JC, AS",
        {"marriage_declare": "optional"},
    ),
]
LONG = Ending(
    "24 cards, K and Q led alone",
    1,
    "9C AC JH KC JC JD QC 9H AD TC TD 9D KD KH 9S QS TS AS QD TH QH JS AH KS",
    "JD, QC, KH, TC, QS, AD, AS, JC, TH, QD",
    {"nines": True},
)


# All worlds, with the engine ----------------------------------------------------------------------


class Worlds:
    """The worlds that agree with what `player` knows at the end of the moves."""

    def __init__(self, ending: Ending) -> None:
        self.player, self.actions = ending.player, ending.actions
        self.truth = [ending.game.initial_state(deck=ending.order)]
        for action in self.actions:
            self.truth.append(self.truth[-1].apply_move(action))
        self.known = [state.information_state(self.player) for state in self.truth]
        self.places = [self._place(k) for k in range(len(self.actions))]

    def _place(self, k: int) -> int | None:
        """Return where in the stock lies what the opponent draws after action k, if he draws."""
        before, after = self.truth[k].deal, self.truth[k + 1].deal
        gone = len(before.stock) - len(after.stock)
        if gone and after.leader != self.player:
            return 0
        return 1 if gone == 2 else None

    def _unknown(self) -> set[Card]:
        """Return the cards that lay where `player` could not see them come."""
        start = self.truth[0].deal
        seen = {*start.hands[self.player], start.turned_up}
        for before, after in zip(self.truth, self.truth[1:], strict=False):
            drawn = set(after.deal.hands[self.player]) - set(before.deal.hands[self.player])
            seen |= drawn & set(start.stock)
        return set(start.pack.cards) - seen

    def __iter__(self) -> Iterator[SnapszerState]:
        """Give the last position of each world."""
        unknown, start = self._unknown(), self.truth[0]
        end, opponent = self.truth[-1].deal, 1 - self.player
        must = ({*end.played[opponent]} | end.known[opponent]) & unknown
        for hand in combinations(sorted(unknown, key=str), len(start.deal.hands[opponent])):
            hands = [start.deal.hands[0], start.deal.hands[1]]
            hands[opponent] = start.deal.pack.sorted(hand)
            dealt = start.with_deal(hands=(hands[0], hands[1]))
            yield from self._on(dealt, 0, unknown - set(hand), must - set(hand))

    def _on(
        self, state: SnapszerState, k: int, free: set[Card], must: set[Card]
    ) -> Iterator[SnapszerState]:
        """Go on from before action `k`; `free` cards lie in the stock, `must` are to be drawn."""
        if state.information_state(self.player) != self.known[k]:
            return
        if len(must) > sum(place is not None for place in self.places[k:]):
            return
        if k == len(self.actions):
            yield state
            return
        if self.actions[k] not in state.deal.legal_ids:
            return
        place = self.places[k]
        if place is None:
            yield from self._on(state.apply_move(self.actions[k]), k + 1, free, must)
            return
        for card in free:
            stock = list(state.deal.stock)
            stock[place] = card
            after = state.with_deal(stock=tuple(stock)).apply_move(self.actions[k])
            yield from self._on(after, k + 1, free - {card}, must - {card})


# The env ------------------------------------------------------------------------------------------


@cache
def _compiled(env: Env[Any]) -> Any:
    def draw(state: Any, player: jax.Array, keys: jax.Array) -> Any:
        return jax.vmap(lambda key: env.redeal(state, player, key))(keys)

    return jax.jit(env.step), jax.jit(draw)


def redealt(ending: Ending) -> tuple[Env[Any], Any]:
    """Return the env and a batch of `DRAWS` worlds that it draws at the ending."""
    env = talonax.make("snapszer", **ending.flags)
    step, draw = _compiled(env)
    state = env.deal(np.array(ending.order))
    for action in ending.actions:
        state = step(state, action)
        assert not bool(state.finished)
    keys = jax.random.split(jax.random.key(0), DRAWS)
    return env, jax.device_get(draw(state, jnp.int32(ending.player), keys))


def chi_square(found: Counter[Any], weights: dict[Any, float]) -> float:
    """Return how many standard deviations `found` lies from what `weights` let expect.

    Rare outcomes are counted together; Wilson and Hilferty's cube root makes it a normal deviate.
    """
    total, draws = sum(weights.values()), found.total()
    cells, seen, expected = [], 0, 0.0
    for outcome in sorted(weights, key=lambda each: (weights[each], str(each))):
        seen, expected = seen + found[outcome], expected + draws * weights[outcome] / total
        if expected >= LEAST_EXPECTED:
            cells.append((seen, expected))
            seen, expected = 0, 0.0
    if expected:
        last = cells.pop()
        cells.append((last[0] + seen, last[1] + expected))
    if len(cells) == 1:
        return 0.0
    chi = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    spread = 2 / (9 * (len(cells) - 1))
    return float(((chi / (len(cells) - 1)) ** (1 / 3) - (1 - spread)) / spread**0.5)


def _check(ending: Ending) -> None:
    env, drawn = redealt(ending)
    opponent = 1 - ending.player
    weights: Counter[int] = Counter()
    example: dict[int, SnapszerState] = {}
    for world in Worlds(ending):
        hand = sum(1 << world.deal.pack.ids[card] for card in world.deal.hands[opponent])
        weights[hand] += 1
        example.setdefault(hand, world)
    hands = drawn.hands[opponent].tolist()
    found = Counter(hands)
    assert set(found) <= set(weights), "a world that the play has ruled out"
    assert chi_square(found, weights) < FAR

    # the stock's order was never seen: given the hand, each card is as likely to be the next
    left = int(drawn.stock_left[0])
    if left:
        stocks = np.asarray(jax.vmap(env.sizes.queue.unfold)(drawn.stock, drawn.stock_left))  # type: ignore[attr-defined]
        rest = _rest(ending, env, drawn)
        both = Counter(zip(hands, stocks[:, 0].tolist(), strict=True))
        joint = {(hand, card): weights[hand] / left for hand in weights for card in rest[hand]}
        assert set(both) <= set(joint)
        assert chi_square(both, joint) < FAR
    _check_facts(env, drawn, example)


def _rest(ending: Ending, env: Env[Any], drawn: Any) -> dict[int, list[int]]:
    """Return the cards of the stock by the opponent's hand; all cards are somewhere once."""
    rest: dict[int, list[int]] = {}
    stocks = np.asarray(jax.vmap(env.sizes.queue.unfold)(drawn.stock, drawn.stock_left))  # type: ignore[attr-defined]
    for hand, stock in zip(drawn.hands[1 - ending.player].tolist(), stocks.tolist(), strict=True):
        cards = sorted(card for card in stock if card >= 0)
        assert rest.setdefault(hand, cards) == cards
        assert not any(hand >> card & 1 for card in cards)
    return rest


def _check_facts(env: Env[Any], drawn: Any, example: dict[int, SnapszerState]) -> None:
    """The position drawn is that of the world in everything but the order of the stock."""
    opponent_hands = np.stack(drawn.hands, axis=1)
    for hand, world in list(example.items())[:8]:
        where = np.flatnonzero((opponent_hands == hand).any(axis=1))
        assert len(where), "a world that is never drawn"
        state = jax.tree.map(lambda leaf, i=where[0]: leaf[i], drawn)
        facts = {name: np.asarray(value).tolist() for name, value in env.facts(state).items()}
        wanted = dict(world.facts())
        del facts["stock"], wanted["stock"]
        assert facts == wanted


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_redeal_is_uniform_over_the_worlds(ending: Ending) -> None:
    _check(ending)


def test_redeal_is_uniform_with_nines() -> None:
    _check(LONG)


def test_the_test_tells_a_wrong_distribution() -> None:
    """Uniform over present hands is not uniform over worlds, and the chi-square sees it."""
    ending = next(each for each in ENDINGS if each.name.startswith("K led without the marriage, t"))
    weights: Counter[int] = Counter()
    for world in Worlds(ending):
        hand = world.deal.hands[1 - ending.player]
        weights[sum(1 << world.deal.pack.ids[card] for card in hand)] += 1
    assert len(set(weights.values())) > 1
    level = Counter({hand: DRAWS // len(weights) for hand in weights})
    assert chi_square(level, weights) > FAR


def test_before_the_first_card_every_hand_is_possible() -> None:
    env = talonax.make("snapszer")
    state = env.deal(np.arange(20))
    keys = jax.random.split(jax.random.key(1), DRAWS)
    drawn = _compiled(env)[1](state, jnp.int32(0), keys)
    held = np.asarray(jax.vmap(lambda bits: (bits >> jnp.arange(20)) & 1)(drawn.hands[1]))
    np.testing.assert_array_equal(held[:, :5], 0)
    assert not held[:, 10].any()
    share = np.delete(held[:, 5:], 5, axis=1).mean(axis=0)
    assert np.abs(share - 5 / 14).max() < 4 * (5 / 14 * 9 / 14 / DRAWS) ** 0.5
    assert pairs.of(drawn.hands, 0)[0] == state.hands[0]
