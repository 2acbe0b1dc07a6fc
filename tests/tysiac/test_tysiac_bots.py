"""The bots of Tysiac in positions by hand: what each of them does, and why."""

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from talonax.agents.bots import tysiac_outlook as outlook
from talonax.agents.bots import tysiac_plan as plan
from talonax.agents.bots import tysiac_sight as sight
from talonax.agents.bots.tysiac import Greedy, TrumpManager
from talonax.agents.policy import Policy
from talonax.configs.tysiac.schema import Bomba, Rules
from talonax.envs.core import Env
from talonax.envs.tysiac.env import Tysiac
from talonax.envs.tysiac.state import (
    PACK,
    PLAYING,
    SUIT_NAMES,
    small,
)
from talonax.envs.tysiac.view import action_name, card_number

pytestmark = pytest.mark.slow

BOTS: dict[str, Policy] = {"greedy": Greedy(), "trump_manager": TrumpManager()}


def asked(env: Env[Any], policy: Policy, state: Any, key: Array) -> Array:
    """Return what a policy without carry does."""
    mask = env.legal_action_mask(state)
    return policy.act(None, env, policy.see(env, state), mask, (), key)[0]


# Positions --------------------------------------------------------------------------------------


@cache
def _compiled(env: Tysiac, name: str) -> Any:
    return jax.jit(partial(asked, env, BOTS[name]))


@cache
def _step(env: Tysiac) -> Any:
    return jax.jit(env.step)


def bits(names: str) -> Array:
    """Return the set of the cards named."""
    return jnp.uint32(sum(1 << card_number(name) for name in names.split()))


class Position:
    """A hand laid out: seat 0 is forehand, seat 1 the dealer; unnamed cards fill the musiki."""

    def __init__(self, first: str, second: str, musik: str = "", **flags: Any):
        self.env = Tysiac(rules=Rules(hands=flags.pop("hands", 1), **flags))
        named = [card_number(name) for name in f"{first} {second} {musik}".split()]
        rest = [card for card in range(PACK.size) if card not in named]
        self.state = self.env.deal(jnp.array(named + rest), dealer=1)

    def play(self, *names: str) -> "Position":
        """Carry out actions by name."""
        ids = {action_name(action): action for action in range(self.env.num_actions)}
        for name in names:
            self.state = _step(self.env)(self.state, ids[name])
            assert not self.state.illegal, name
        return self

    def choice(self, name: str) -> str:
        """The name of what a bot does."""
        return action_name(int(_compiled(self.env, name)(self.state, jax.random.key(0))))


def ending(
    mine: str,
    theirs: str,
    trump: str = "",
    led: str = "",
    aside: str = "",
    contract: int = 100,
    declares: bool = True,
    points: tuple[int, int] = (0, 0),
    **flags: Any,
) -> Position:
    """Return a position late in a hand, seat 0 to move: to lead, or to answer `led`.

    Cards that are not named are played; `aside` lie in the musik not taken and, if the opponent
    declares, among what he returned: seat 0 does not see them.
    """
    named = f"{mine} {theirs} {led} {aside}".split()
    rest = [card for card in range(PACK.size) if card not in map(card_number, named)]
    deal = Position("", "", **flags)
    state = deal.state
    deal.state = state.replace(
        current_player=jnp.int32(0),
        phase=small(PLAYING),
        hands=(bits(mine), bits(theirs)),
        musiks=(bits(""), bits(aside)),
        taken=small(0),
        bid_by=small(0 if declares else 1),
        high_bid=small(10),
        contract=small(contract // 10),
        leader=small(1 if led else 0),
        table=small(card_number(led) if led else -1),
        trump=small(SUIT_NAMES.index(trump) if trump else -1),
        points=(jnp.int32(points[0]), jnp.int32(points[1])),
        tricks=(small(10 - len(mine.split())), small(0)),
        played=(jnp.uint32(sum(1 << card for card in rest)), bits(led)),
    )
    return deal


@pytest.mark.parametrize("name", BOTS)
def test_they_take_a_trick_with_what_is_cheapest(name: str) -> None:
    assert ending("AS KS 9D", "9C QD TC", led="QS").choice(name) == "KS"
    assert ending("AS TS 9D", "9C QD TC", led="KS", aside="KH QH").choice(name) == "TS"


@pytest.mark.parametrize("name", BOTS)
def test_they_ruff_an_ace_with_the_lowest_trump(name: str) -> None:
    assert ending("9H AH JD 9D", "9C QD TC", trump="H", led="AS").choice(name) == "9H"


@pytest.mark.parametrize("name", BOTS)
def test_they_shed_the_lowest_card_where_they_cannot_win(name: str) -> None:
    assert ending("TS JS 9S", "9C QD", led="AS", aside="KH QH").choice(name) == "9S"
    assert ending("TD JC QH", "9C QD", led="AS", aside="KH AC").choice(name) == "JC"


@pytest.mark.parametrize("name", BOTS)
def test_they_keep_a_marriage_together(name: str) -> None:
    # A queen counts less than a king, but she has her own
    assert ending("KD QD KC", "9C 9D TC", led="AS", aside="AD TD").choice(name) == "KC"


@pytest.mark.parametrize("name", BOTS)
def test_they_declare_when_they_lead(name: str) -> None:
    choice = ending("KH QH 9C", "AH TC JD", aside="TH AC", contract=150).choice(name)
    assert choice in ("declare KH", "declare QH")


@pytest.mark.parametrize("name", BOTS)
def test_they_return_neither_marriages_nor_aces(name: str) -> None:
    hand = "AS KH QH AH TH KD QD 9C JC AC"
    deal = Position(hand, "9S JS QS KS TS JD 9D TD AD TC", "KC QC")
    deal.play("bid 100", "pass", "musik 0")
    first = deal.choice(name)
    second = deal.play(first).choice(name)
    assert {first, second} <= {"9C", "JC"}


@pytest.mark.parametrize("name", BOTS)
def test_they_pass_with_nothing_and_bid_with_much(name: str) -> None:
    nothing, much = "9S JS 9C JC 9D JD 9H JH QS TC", "AS AC AD KH QH AH TH KD QD TD"
    assert Position(much, nothing).play("bid 100").choice(name) == "pass"
    assert Position(nothing, much).play("bid 100").choice(name) == "bid 110"


@pytest.mark.parametrize("name", BOTS)
def test_they_name_what_the_hand_is_worth(name: str) -> None:
    def named(hand: str, other: str, musik: str, *returned: str) -> int:
        deal = Position(hand, other, musik).play("bid 100", "pass", "musik 0", *returned)
        return int(deal.choice(name).split()[1])

    nothing = "9S JS 9C JC 9D JD 9H JH QS TC"
    much = named("AS AC AD KH QH AH TH KD QD TD", nothing, "KS TS", "KS", "TS")
    little = named(nothing, "AS AC AD KH QH AH TH KD QD TD", "KS TS", "9S", "9C")
    assert little == 100
    assert 220 <= much <= 320
    hand, other = "AS KH QH AH TH 9D 9C JC 9S JS", "AC AD KD QD TC TD KS JD QS KC"
    hearts_alone = named(hand, other, "QC 9H", "QC", "9H")
    assert little < hearts_alone < much


def test_greedy_declares_the_best_marriage_first() -> None:
    choice = ending("KH QH KS QS AC", "AH TC JD TS AS").choice("greedy")
    assert choice in ("declare KH", "declare QH")


@pytest.mark.parametrize("name", BOTS)
def test_they_bomb_what_cannot_be_made(name: str) -> None:
    mine = "AS AC AD AH TS TC TD TH KH KD"
    bomba = Bomba(enabled=True, allow_redouble=True)

    def answered(contract: int) -> str:
        deal = Position("9S JS QS 9C JC QC 9D JD QD 9H", mine, "KS KC", bomba=bomba)
        deal.play("bid 100", "pass", "musik 0", "9S", "9C", f"contract {contract}")
        return deal.choice(name)

    assert answered(200) == "bomb"
    # Against kings and queens of four suits, a hundred is little
    mine = "9S JS 9C JC 9D JD 9H JH TS TC"
    deal = Position("AS AC AD AH KS QS KC QC KH QH", mine, "TD TH", bomba=bomba)
    deal.play("bid 100", "pass", "musik 0", "TD", "TH", "contract 120")
    assert deal.choice(name) == "pass"


@pytest.mark.parametrize("name", BOTS)
def test_they_answer_a_bomb_by_what_they_hold(name: str) -> None:
    bomba = Bomba(enabled=True, allow_redouble=True)
    much, nothing = "AS AC AD KH QH AH TH KD QD TD", "9S JS 9C JC 9D JD 9H JH QS TC"

    def answered(hand: str, other: str, contract: int, *returned: str) -> str:
        deal = Position(hand, other, "KS TS", bomba=bomba).play("bid 100", "pass", "musik 0")
        deal.play(*returned, f"contract {contract}", "bomb")
        return deal.choice(name)

    assert answered(much, nothing, 120, "KS", "TS") == "re-bomb"
    assert answered(nothing, much, 120, "9S", "9C") == "pass"


@pytest.mark.parametrize("name", BOTS)
def test_they_challenge_a_bid_that_their_own_cards_disprove(name: str) -> None:
    kings, queen = "KS KC KD KH 9S 9C 9D 9H JS JC", "AS AC AD AH TS TC TD TH QS QC"
    deal = Position(kings, queen, proof="challenge")
    deal.play("bid 100", "bid 110", "bid 120", "bid 130")
    assert deal.choice(name) == "challenge"


def test_only_the_trump_manager_asks_for_a_marriage_that_may_be_there() -> None:
    deal = Position("AS TS JS 9S AC TC JC 9C AD TD", "KH QH AH TH JH", proof="challenge")
    deal.play("bid 100", "bid 110", "bid 120", "bid 130")
    assert deal.choice("greedy") != "challenge"
    assert deal.choice("trump_manager") == "challenge"


@pytest.mark.parametrize("name", BOTS)
def test_they_do_not_bluff(name: str) -> None:
    # Worth 150, which forty for spades cannot prove
    strong, other = "AS TS KS QS AC TC AD TD AH TH", "KH QH KD QD KC QC 9S JS 9C JC"
    deal = Position(other, strong, proof="challenge")
    deal.play("bid 100", "bid 110", "bid 120", "bid 130", "bid 140", "challenge")
    assert deal.choice(name) == "pass"


# The trump manager ------------------------------------------------------------------------------


def test_it_cashes_what_is_sure_before_it_declares() -> None:
    deal = ending("AS AC KH QH", "9S TC 9H AH", aside="TH JD", contract=130)
    assert deal.choice("trump_manager") in ("AS", "AC")
    assert deal.choice("greedy").startswith("declare")
    cashed = _values(deal, "cashes first", declares=False)
    assert cashed["AS"] > 0
    assert cashed["KH"] == 0
    without = ending("AS AC KH QC", "9S TC 9H AH", aside="TH JD", contract=130)
    assert _values(without, "cashes first", declares=False)["AS"] == 0


def test_it_draws_trumps_before_its_high_cards() -> None:
    hand = ending("AH TH AS AC", "9H 9S TC JD", trump="H", aside="JH QD", contract=120)
    assert hand.choice("trump_manager") in ("AH", "TH")


def test_it_does_not_draw_when_the_opponent_has_none() -> None:
    # Every other trump is gone: what is sure is led, whatever is kept for later
    seen = _sight(ending("9H AS AC 9D", "9S TC JD AD", trump="H", contract=120))
    assert _named(seen, sight.sure_tricks) == {"9H", "AS", "AC"}
    seen = _sight(ending("9H AS AC 9D", "9S TC JD JH", trump="H", contract=120))
    assert _named(seen, sight.sure_tricks) == set()
    seen = _sight(ending("AH AS AC 9D", "9S TC JD JH", trump="H", contract=120))
    assert _named(seen, sight.sure_tricks) == {"AH", "AS", "AC"}


def test_long_cards_behind_high_ones_are_sure() -> None:
    assert _named(_sight(ending("AS 9S", "JS TD", aside="QD KD")), sight.sure_tricks) == {
        "AS",
        "9S",
    }
    assert _named(_sight(ending("AS 9S", "JS TS", aside="QD KD")), sight.sure_tricks) == {"AS"}


def test_it_carries_out_a_count_that_is_enough() -> None:
    # 60 and the tens and aces, 42, are the contract; leading the jack would lose it
    deal = ending("AS TS AC TC JD", "9S 9C KD QD AD", contract=100, points=(60, 0), aside="TD JH")
    assert deal.choice("trump_manager") in ("AS", "TS", "AC", "TC")
    assert _named(_sight(deal), plan.counted_out) == {"AS", "TS", "AC", "TC"}
    carried = _values(deal, "carries out the count")
    assert carried["TC"] > 0
    assert carried["JD"] == 0
    deal = ending("AS TS AC TC JD", "9S 9C KD QD AD", contract=110, points=(60, 0), aside="TD JH")
    assert _named(_sight(deal), plan.counted_out) == set()


def test_it_breaks_the_trump_of_the_opponent() -> None:
    # Clubs are the opponent's trumps; the own diamonds are long
    deal = ending("KD QD JD 9D", "KC JC 9C AH", trump="C", aside="TC QH", declares=False)
    assert deal.choice("trump_manager") in ("declare KD", "declare QD")


def test_it_gives_up_what_is_worth_least() -> None:
    deal = ending("9H 9C AD TD", "9S TC JD", trump="H", led="AS", aside="JH QC")
    left = _values(deal, "leaves the hand")
    assert left["9C"] > left["TD"] > left["AD"]
    assert left["9C"] > left["9H"]  # a trump


def test_it_keeps_a_trump_suit_of_its_own_that_draws() -> None:
    # Spades would take the place of hearts, of which it holds all that are left
    control = _values(ending("AH TH JH KS QS", "AS TS JS 9S 9D", trump="H"), "changes trump")
    assert control["KS"] < 0
    control = _values(ending("KS QS JS 9S JH", "AH TH 9H 9D 9C", trump="H"), "changes trump")
    assert control["KS"] > 0


def test_what_replies_denied_is_counted() -> None:
    deal = ending("AS AC 9D", "9C TC JD", trump="H", aside="9H JH", contract=120)
    assert _named(_sight(deal), sight.sure_tricks) == set()
    deal.state = deal.state.replace(denied=(bits(""), bits("9H JH")))
    assert {"AS", "AC"} <= _named(_sight(deal), sight.sure_tricks)


def test_its_chances_are_those_of_drawing_without_replacement() -> None:
    seen = _sight(ending("AS", "9C TC JD", aside="9H JH"))  # five cards unseen, two of them aside
    assert float(sight.lacks(seen, bits("9C"))) == pytest.approx(2 / 5)
    assert float(sight.lacks(seen, bits("9C TC"))) == pytest.approx(1 / 10)
    assert float(sight.lacks(seen, bits("9C TC JD"))) == 0
    assert float(sight.lacks(seen, bits("AS"))) == 1
    assert float(sight.expected(seen, bits("9C TC"))) == pytest.approx(6 / 5)


def test_it_secures_the_contract_with_a_sure_trick() -> None:
    # Eleven are wanted: the ace brings them, whatever else there is to keep
    deal = ending("AS KS KH QD", "9S TS JD AD", contract=100, points=(88, 10), aside="AH TD")
    assert deal.choice("trump_manager") == "AS"


def test_a_defender_takes_the_trick_that_would_make_the_contract() -> None:
    at_stake = {"trump": "H", "led": "TS", "aside": "AC KC", "declares": False}
    deal = ending("9H AD JC", "9S JD", contract=100, points=(0, 90), **at_stake)  # type: ignore[arg-type]
    assert deal.choice("trump_manager") == "9H"
    risk = _values(deal, "decides the contract")
    assert risk["JC"] < risk["9H"]


def test_a_contract_is_named_as_a_wager() -> None:
    rules, score, named = Rules(), jnp.int32(0), outlook.contracts()
    made = outlook.chance(jnp.float32(160), 13.0, named)
    worth = outlook.wager(rules, score, made, named)
    best = float(named[jnp.argmax(worth)])
    assert 120 <= best <= 150  # more is likelier to fail than it is worth
    near = outlook.wager(rules, jnp.int32(900), made, named)
    assert float(named[jnp.argmax(near)]) == 100  # the match needs no more


def test_the_lock_makes_defence_worthless() -> None:
    points = jnp.float32(60)
    assert float(outlook.defended(Rules(), jnp.int32(700), points)) == 60
    assert float(outlook.defended(Rules(), jnp.int32(780), points)) == 20
    assert float(outlook.defended(Rules(), jnp.int32(840), points)) == 0
    assert float(outlook.defended(Rules(lock=None), jnp.int32(840), points)) == 60


def _sight(deal: Position) -> sight.Sight:
    return sight.look(deal.env.rules, deal.state)


def _named(seen: sight.Sight, judged: Any) -> set[str]:
    flags = np.asarray(judged(sight.pack_of(), seen))
    return {action_name(card) for card in np.flatnonzero(flags).tolist()}


def _values(deal: Position, consideration: str, declares: bool = True) -> dict[str, float]:
    """Return what a consideration says of each card, by name."""
    declares = declares and deal.state.leading.item()
    each = plan.considerations(
        plan.Weights(), deal.env.rules, sight.pack_of(), _sight(deal), declares=declares
    )[consideration]
    return {action_name(card): float(value) for card, value in enumerate(each)}
