"""The bots: they play legally, by what their seat knows, sensibly, and better than chance."""

import itertools
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

import talonax
from talonax.agents.arena import Player
from talonax.agents.bots import snapszer_sight as sight
from talonax.agents.bots.high_card_duel import Greedy as HighCardGreedy
from talonax.agents.bots.snapszer import Greedy, counts_out
from talonax.agents.players import player
from talonax.agents.policy import ObservationPolicy, Policy, Random, Seated, StatePolicy
from talonax.envs import cards
from talonax.envs.core import Env

pytestmark = pytest.mark.slow

#: Profiles, and single flags that the profiles leave alone.
TABLES: dict[str, dict[str, Any]] = {
    "hungarian": {},
    "base": {"profile": "base"},
    "austrian": {"profile": "austrian"},
    "vu": {"profile": "vu"},
    "nines": {"nines": True, "close_min_stock": 1, "exchange_min_stock": 0},
    "match": {"match": 3, "first_leader": "random"},
    "declare": {
        "marriage_declare": "optional",
        "marriage_points": "next_trick",
        "sixty_six": "after_trick",
        "marriage_when_strict": True,
        "nines": True,
    },
    "pending": {"marriage_points": "next_trick", "marriage_when_strict": True, "match": 2},
}


def table(name: str) -> Env[Any]:
    return talonax.make("snapszer", **TABLES[name])


def asked(env: Env[Any], policy: Policy, state: Any, key: Array) -> Array:
    """Return what a policy without carry does."""
    mask = env.legal_action_mask(state)
    return policy.act(None, env, policy.see(env, state), mask, (), key)[0]


# Nobody cheats ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_greedy_is_legal_and_does_not_see_hidden_cards(name: str) -> None:
    """Mid-game states reached by greedy and random moves: a re-deal changes no action."""
    env, games, steps = table(name), 96, 22

    @jax.jit
    @jax.vmap
    def watch(key: Array) -> Any:
        def body(state: Any, key: Array) -> Any:
            for_world, for_move, for_choice = jax.random.split(key, 3)
            seat = jnp.maximum(state.current_player, 0)
            other = env.redeal(state, seat, for_world)
            action = asked(env, Greedy(), state, for_move)
            differs = (jnp.stack(state.hands) != jnp.stack(other.hands)).any()
            seen = {
                "plays": ~state.finished,
                "legal": env.legal_action_mask(state)[action],
                "same": action == asked(env, Greedy(), other, for_move),
                "hidden differs": differs & ~state.finished,
                "closed": state.closed & differs & ~state.finished,
            }
            by_chance = asked(env, Random(), state, for_choice)
            chosen = jnp.where(jax.random.bernoulli(for_choice), action, by_chance)
            return env.step(state, chosen), seen

        start = env.init(key)
        return jax.lax.scan(body, start, jax.random.split(key, steps))[1]

    seen = jax.tree.map(np.asarray, watch(jax.random.split(jax.random.key(11), games)))
    plays = seen["plays"]
    assert plays.sum() > 800
    assert seen["legal"][plays].all()
    assert seen["hidden differs"].sum() > 400
    if env.rules.closing:
        assert seen["closed"].sum() > 20
    assert seen["same"][plays].all()


def test_greedy_plays_the_same_batched_and_alone(same_batched_and_alone: Any) -> None:
    same_batched_and_alone(table("hungarian"), Greedy(), games=24, moves=6)


def test_greedy_of_snapszer_refuses_other_games() -> None:
    env = talonax.make("high_card_duel")
    with pytest.raises(TypeError, match="plays snapszer, not high_card_duel"):
        asked(env, Greedy(), env.init(jax.random.key(0)), jax.random.key(0))


def test_greedy_of_high_card_duel_reveals() -> None:
    env = talonax.make("high_card_duel")
    state = env.init(jax.random.key(0))
    for _ in range(2):
        action = asked(env, HighCardGreedy(), state, jax.random.key(0))
        assert int(action) == 0
        state = env.step(state, action)
    assert bool(state.terminated)
    assert not bool(state.illegal)


# Positions --------------------------------------------------------------------------------------


class Position:
    """A deal laid out by hand, seat 0 to lead; trump is the turned-up card's suit."""

    def __init__(self, first: str, second: str, turned_up: str, stock: str = "", **flags: Any):
        self.env = talonax.make("snapszer", **flags)
        sizes = self.env.sizes
        self.names = {sizes.name(card): card for card in range(sizes.num_cards)}
        named = [*first.split(), *second.split(), turned_up, *stock.split()]
        rest = [name for name in self.names if name not in named]
        self.state = self.env.deal([self.names[name] for name in named + rest])

    def play(self, *names: str) -> "Position":
        """Carry out actions by name."""
        ids = {self.env.action_name(a): a for a in range(self.env.num_actions)}
        for name in names:
            self.state = self.env.step(self.state, ids[name])
            assert not self.state.illegal, name
        return self

    def with_points(self, first: int, second: int) -> "Position":
        """Set the points."""
        self.state = self.state.replace(points=(jnp.int32(first), jnp.int32(second)))
        return self

    @property
    def choice(self) -> str:
        """The name of what greedy does."""
        compiled = _compiled(self.env)
        return self.env.action_name(int(compiled(self.state, jax.random.key(0))))


@cache
def _compiled(env: Env[Any]) -> Any:
    return jax.jit(partial(asked, env, Greedy()))


def test_it_wins_a_king_with_the_ten_and_keeps_the_ace() -> None:
    deal = Position("KH AC TC KC JC", "AH TH JH JD QD", turned_up="QS")
    assert deal.play("KH").choice == "TH"


def test_it_wins_a_ten_with_the_ace() -> None:
    assert Position("TH AC TC KC JC", "AH QH JH JD QD", "QS").play("TH").choice == "AH"


def test_it_trumps_an_ace_with_the_lowest_trump_but_not_a_jack() -> None:
    hands = "AH JH AC TC KC", "JS QS JD TD AD"
    assert Position(*hands, "KS").play("AH").choice == "JS"
    assert Position(*hands, "KS").play("JH").choice == "JD"


def test_it_trumps_a_jack_to_come_to_its_marriage() -> None:
    assert Position("AH JH AC TC KC", "JS QS JD QD KD", "KS").play("JH").choice == "JS"


def test_it_throws_the_lowest_card_on_a_trick_that_it_cannot_win() -> None:
    assert Position("AS KH AC TC KC", "TD QH JC AD TH", "QS").play("AS").choice == "JC"


def test_it_keeps_a_marriage_together() -> None:
    # The king of clubs counts more than the queen of diamonds, but she has her king
    assert Position("AS KH JH JD JS", "KD QD KC TC AC", "QS").play("AS").choice == "KC"
    assert Position("AS KH JH JD JS", "AD QD KC TC AC", "QS").play("AS").choice == "QD"


@pytest.mark.parametrize("suit", ["D", "H"])
def test_it_leads_a_marriage(suit: str) -> None:
    deal = Position(f"K{suit} Q{suit} JC AC KC", f"TD TH A{suit} JH JD", turned_up="TS")
    assert deal.choice in (f"K{suit}", f"Q{suit}")
    assert deal.play(deal.choice).state.points[0] == 20


def test_it_prefers_the_marriage_of_trumps() -> None:
    assert Position("KD QD KS QS AC", "TD TH AD JH JD", "TS").choice in ("KS", "QS")


def test_it_declares_where_that_is_optional() -> None:
    deal = Position("KD QD JC AC KC", "TD TH AD JH JD", "TS", profile="vu")
    assert deal.choice == "declare KD"
    either = {"marriage_declare": "optional"}
    deal = Position("KD QD JC AC KC", "TD TH AD JH JD", "TS", **either)
    assert deal.choice in ("declare KD", "declare QD")


def test_it_declares_the_marriage_that_wins() -> None:
    deal = Position("KD QD AS TS AC", "TD TH AD JH JD", "JS").with_points(46, 0)
    deal.play(deal.choice)
    assert bool(deal.state.terminated)
    assert deal.state.rewards[0] > 0


def test_it_exchanges_the_jack_first() -> None:
    assert Position("JS KD QD AC AH", "TD TH AD JH JD", "AS").choice == "exchange"
    nines = {"nines": True}
    deal = Position("9S JS KD QD AC AH", "TD TH AD JH JD 9D", "AS", **nines)
    assert deal.choice == "exchange"


CLOSING = "AS TS KS QS AH", "JD QD JH QH JC", "JS"


def test_it_closes_when_it_counts_66() -> None:
    deal = Position(*CLOSING, stock="KH TC")
    assert deal.choice in ("KS", "QS")  # 40 first: they would not count in a closed deal
    deal.play("KS", "JD")
    # 46 points. Nobody can trump: ace, ten and queen of trumps and the ace of hearts cannot be lost
    assert deal.choice == "close"
    deal.play("close")
    while not deal.state.finished:
        mask = np.flatnonzero(np.asarray(deal.env.legal_action_mask(deal.state)))
        mine = int(deal.state.current_player) == 0
        deal.play(deal.choice if mine else deal.env.action_name(int(mask[0])))
    assert deal.state.rewards[0] > 0


@pytest.mark.parametrize(("points", "closes"), [(26, False), (27, True)])
def test_it_closes_with_66_and_not_with_65(points: int, closes: bool) -> None:
    # K and Q of trumps are unseen, and ace and ten draw them: both and the ace of hearts are sure,
    # 32 points, and the three least cards that he can hold are two jacks and a queen, 7
    hand, other = "AS TS KH JC AH", "JD QD JH QH TC"
    deal = Position(hand, other, "JS", stock="KD KC").with_points(points, 0)
    assert (deal.choice == "close") is closes


def test_one_unseen_trump_more_keeps_it_from_closing() -> None:
    # With the ten unseen, the ace alone cannot draw three
    deal = Position("AS TH KH JC AH", "JD QD JH QH TC", "JS", stock="KD KC").with_points(40, 0)
    assert deal.choice != "close"


def test_it_draws_trumps_before_it_plays_aces_out() -> None:
    deal = Position("AS TS AH AD JC", "QS KH KD JH JD", "JS", "QC KC TC").with_points(20, 0)
    deal.play("close")
    assert deal.choice in ("AS", "TS")
    deal.play("AS", "QS")
    assert deal.choice == "TS"  # the king of trumps is unseen
    deal.play("TS", "JD")
    assert deal.choice in ("AH", "AD")


def test_a_void_shown_in_a_closed_deal_is_remembered() -> None:
    # Four trumps are unseen. A diamond on the ace of trumps tells that he has none: both red aces
    # and the ten are safe, and the count reaches 66
    hand, stock = "AS JC AH AD TD", "KC QC TC"
    void = (
        Position(hand, "QH KH KD TH JD", "JS", stock).with_points(19, 0).play("close", "AS", "JD")
    )
    trump = (
        Position(hand, "QH KH KD QS JD", "JS", stock).with_points(19, 0).play("close", "AS", "QS")
    )
    assert _counts_out(void)
    assert void.choice in ("AH", "AD", "TD")
    assert not _counts_out(trump)


def _counts_out(deal: Position) -> bool:
    rules, sizes = deal.env.rules, deal.env.sizes  # type: ignore[attr-defined]
    pack, seen = sight.pack_of(sizes), sight.look(rules, sizes, deal.state)
    return bool(counts_out(rules, pack, seen))


def test_it_counts_the_cards_that_are_gone() -> None:
    # Ace and ten of hearts are played to the first tricks; then the king is high
    deal = Position("KH TC JD JC QD", "AH TH AD KD TD", "AS", "QC KC JH QH")
    king = deal.names["KH"]

    def high() -> bool:
        pack = sight.pack_of(deal.env.sizes)
        return bool(sight.high(pack, sight.look(deal.env.rules, deal.env.sizes, deal.state))[king])

    assert not high()
    deal.play("QD", "TH")  # seat 0 keeps the lead: a heart does not win a diamond
    assert not high()
    deal.play("TC", "AH")
    assert int(deal.state.current_player) == 0
    assert high()


def test_it_does_not_hand_over_the_deal() -> None:
    # Whatever the trick costs, it must be taken from one who has 61
    hands = "QH TH AC TC KC", "AS KD QD JD JC"
    assert Position(*hands, "QS").play("QH").choice != "AS"
    assert Position(*hands, "QS").with_points(61, 20).play("QH").choice == "AS"


# Strength ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RandomOpen(StatePolicy):
    """Chooses uniformly among the legal actions, but never closes."""

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        close: int = env.sizes.close  # type: ignore[attr-defined]
        legal = env.legal_set(view) & ~cards.single(close, cards.WORD)
        return cards.draw_one(legal, jax.random.bits(key, (), jnp.uint32)), carry


def results(env: Env[Any], opponent: Policy, deals: int, seat: int) -> tuple[Any, Any]:
    """Return greedy's game points, float[deals], and how often its closing failed."""
    pair = (Greedy(), opponent) if seat == 0 else (opponent, Greedy())

    @jax.jit
    def play(key: Array) -> tuple[Array, Array]:
        def one(state: Any, key: Array) -> tuple[Any, Array]:
            policy, carry = Seated(pair), ((), ())
            mask = env.legal_action_mask(state)
            action, _ = policy.act(None, env, policy.see(env, state), mask, carry, key)
            after = env.step_legal(state, action)
            mine = after.closed_by == seat
            failed = after.finished & ~state.finished & mine & (after.rewards[seat] < 0)
            return after, failed

        def body(carry: Any) -> Any:
            states, points, failed, key = carry
            key, for_moves = jax.random.split(key)
            states, fails = jax.vmap(one)(states, jax.random.split(for_moves, deals))
            return states, points + states.rewards[:, seat], failed + fails.sum(), key

        states = jax.vmap(env.init)(jax.random.split(key, deals))
        start = states, jnp.zeros(deals), jnp.int32(0), jax.random.fold_in(key, 1)
        end = jax.lax.while_loop(lambda carry: ~carry[0].finished.all(), body, start)
        return end[1], end[2]

    points, failed = play(jax.random.key(100 + seat))
    return np.asarray(points), int(failed)


@pytest.mark.parametrize("profile", ["hungarian", "austrian", "vu"])
def test_greedy_beats_random(profile: str) -> None:
    env = table(profile)
    for seat in (0, 1):
        points, failed = results(env, Random(), 4000, seat)
        assert (points > 0).mean() > 0.8
        assert points.mean() > 1.2
        assert failed == 0  # what counts to 66 does


def test_greedy_beats_random_that_never_closes() -> None:
    for seat in (0, 1):
        points, failed = results(table("hungarian"), RandomOpen(), 4000, seat)
        assert (points > 0).mean() > 0.75
        assert points.mean() > 1.1
        assert failed == 0


# Another library's bots -------------------------------------------------------------------------


def test_greedy_against_the_bots_of_package_schnapsen() -> None:
    pytest.importorskip("schnapsen")
    yardsticks = _yardsticks()
    bots = yardsticks.opponents(samples=4, depth=4, seed=0)
    assert set(bots) == {"rand", "bully", "rdeep"}
    greedy, random = (player(yardsticks.ENV, name) for name in ("greedy", "random"))
    bully = yardsticks.measure(greedy, "bully", bots["bully"], games=60, seed=1)
    assert bully.games == 60
    assert bully.win_rate > 0.7
    # Not a test of strength: every move and result of the two libraries agreed on the way
    assert yardsticks.measure(greedy, "rdeep", bots["rdeep"], games=4, seed=1).games == 4
    assert yardsticks.measure(random, "rand", bots["rand"], games=40, seed=1).win_rate < 0.8


def test_who_remembers_plays_against_the_bots_of_package_schnapsen() -> None:
    """His carry moves on through a deal, and is fresh in the next."""
    pytest.importorskip("schnapsen")
    yardsticks, remembered = _yardsticks(), []

    @dataclass(frozen=True)
    class Counts(ObservationPolicy):
        def init(self, env: Any) -> Any:
            return jnp.int32(0)

        def act(
            self, params: Any, env: Any, view: Any, mask: Array, carry: Any, key: Array
        ) -> tuple[Array, Any]:
            jax.debug.callback(lambda decisions: remembered.append(int(decisions)), carry)
            return jnp.argmax(mask).astype(jnp.int32), carry + 1

    bots = yardsticks.opponents(samples=4, depth=4, seed=0)
    ours = Player("counts", Counts())
    assert yardsticks.measure(ours, "rand", bots["rand"], games=4, seed=1).games == 4
    assert remembered.count(0) == 4
    assert all(after in (0, before + 1) for before, after in itertools.pairwise(remembered))
    assert max(remembered) >= 4


def _yardsticks() -> Any:
    import importlib.util
    from pathlib import Path

    path = Path(__file__).parent.parent / "benchmarks" / "yardsticks.py"
    spec = importlib.util.spec_from_file_location("yardsticks", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
