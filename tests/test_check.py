"""`check_env` finds what is broken; `step_checked` says what was illegal."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import talonax
from talonax.envs import cards
from talonax.envs.check import ContractError, IllegalMoveError, check_env, step_checked
from talonax.envs.checks import looking, plain, playing, running
from talonax.envs.checks.trial import Trial
from talonax.envs.high_card_duel.env import HighCardDuel, HighCardDuelState
from talonax.envs.snapszer.env import Snapszer, SnapszerState
from talonax.envs.snapszer.redeal import redeal

RULES = talonax.make("high_card_duel").rules
GAMES = 32


class UnhashableEnv(HighCardDuel):
    __hash__: ClassVar[None] = None  # type: ignore[assignment]


class ArrayOfActions(HighCardDuel):
    @property
    def num_actions(self) -> int:
        return jnp.int32(1) + 0  # type: ignore[return-value]


class NumpyShape(HighCardDuel):
    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (np.int64(4), 14, 3)  # type: ignore[return-value]


class NamelessActions(HighCardDuel):
    def action_name(self, action: int) -> str:
        return ""


class AnyDeck(HighCardDuel):
    def deal(self, deck: Any, *, key: Any = None, **table: Any) -> Any:
        return super().deal(np.array(self.deck_cards), key=key, **table)


class TakesAKey(HighCardDuel):
    def step(self, state: Any, action: Any, *unexpected: Any) -> Any:
        return super().step(state, action)


class WrongSums(HighCardDuel):
    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        return after.replace(rewards=jnp.abs(after.rewards))


class KeepsRewards(HighCardDuel):
    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        return after.replace(rewards=state.rewards + after.rewards)


class PaysTooMuch(HighCardDuel):
    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        return after.replace(rewards=2 * after.rewards)


class NeverEnds(HighCardDuel):
    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        return after.replace(terminated=jnp.bool_(False), current_player=jnp.int32(0))


class Lasting(HighCardDuel):
    """Takes three steps, and says two."""

    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        early = ~state.revealed[1]
        return after.replace(
            terminated=after.terminated & ~early,
            rewards=jnp.where(early, 0.0, after.rewards),
            current_player=jnp.where(after.terminated & early, 1, after.current_player),
        )


class Hasty(HighCardDuel):
    """Takes two steps, and promises three."""

    least_steps: ClassVar[int] = 3


class MovesAfterTheEnd(HighCardDuel):
    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        return after.replace(current_player=jnp.int32(1))


class WiderHands(HighCardDuel):
    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        return after.replace(hands=after.hands.astype(jnp.int32))


class Restless(HighCardDuel):
    def _advance(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._advance(state, action, next_deck)
        return after.replace(hands=after.hands * (~state.finished))


class EmptyMask(HighCardDuel):
    def legal_set(self, state: Any) -> Any:
        return jnp.where(state.finished, jnp.uint32(0), jnp.uint32(1))


class FinesNobody(HighCardDuel):
    def _punish(self, before: Any, after: Any, illegal: Any) -> Any:
        return super()._punish(before, after, illegal).replace(rewards=jnp.zeros(2, jnp.float32))


class Forgives(HighCardDuel):
    def _punish(self, before: Any, after: Any, illegal: Any) -> Any:
        return after


class DealsAnother(HighCardDuel):
    def begin(self, prepared: Any) -> Any:
        return self._deal(jnp.roll(prepared.deck, 1), prepared.key, prepared.table)


class LooksDeep(HighCardDuel):
    def _deal(self, deck: Any, key: Any, table: Any) -> Any:
        return super()._deal(deck[-2:], key, table)


class SameDecks(HighCardDuel):
    def deck(self, key: Any, n: Any) -> Any:
        return jnp.array(self.deck_cards, jnp.int32)


class NoDeck(HighCardDuel):
    def deck(self, key: Any, n: Any) -> Any:
        return super().deck(key, n) * 0


class ShowsAll(HighCardDuel):
    def _observe(self, state: Any, player: Any) -> Any:
        shown = state.replace(revealed=jnp.ones(2, bool))
        return super()._observe(shown, player)


class ShowsAllAsText(HighCardDuel):
    def render(self, state: Any, player: int | None = None) -> str:
        return super().render(state, None)


class LosesCards(HighCardDuel):
    def card_tensor(self, state: Any, player: Any) -> Any:
        planes = super().card_tensor(state, player)
        return planes.at[..., 1].set(False)


class OtherWord(HighCardDuel):
    @property
    def plane_names(self) -> tuple[str, ...]:
        return ("my_hand", "unseen")


class FloatFacts(HighCardDuel):
    def facts(self, state: Any) -> Any:
        return {"half": state.rewards / 2}


class Float16(HighCardDuel):
    def _observe(self, state: Any, player: Any) -> Any:
        return super()._observe(state, player).astype(jnp.float16)


class NaNs(HighCardDuel):
    def _observe(self, state: Any, player: Any) -> Any:
        return super()._observe(state, player) / 0.0


class StrangePhase(HighCardDuel):
    def phase(self, state: Any) -> Any:
        return jnp.ones_like(state.current_player)


class DealsTheTruth(HighCardDuel):
    def redeal(self, state: Any, player: Any, key: Any) -> Any:
        return state


class RevealsTheRevealed(HighCardDuel):
    def redeal(self, state: Any, player: Any, key: Any) -> Any:
        hidden = state.replace(revealed=jnp.zeros(2, bool))
        return super().redeal(hidden, player, key).replace(revealed=state.revealed)


class NextCard(HighCardDuel):
    def redeal(self, state: Any, player: Any, key: Any) -> Any:
        """A chain that starts from the truth."""
        drawn = super().redeal(state, player, key)
        near = drawn.hands[1] != state.hands[1]
        hands = drawn.hands.at[1].set(
            jnp.where(near & ~state.revealed[1], (state.hands[1] + 1) % 8 + 1, drawn.hands[1])
        )
        return drawn.replace(hands=hands)


class DependsOnX64(HighCardDuel):
    def _observe(self, state: Any, player: Any) -> Any:
        return super()._observe(state, player) + jnp.arange(3).dtype.itemsize


class DependsOnJit(HighCardDuel):
    def _apply(self, state: Any, action: Any, next_deck: Any) -> Any:
        after = super()._apply(state, action, next_deck)
        if isinstance(state.hands, jax.core.Tracer):
            return after
        return after.replace(hands=after.hands + 1)


class MisreadsBytes(HighCardDuel):
    def step(self, state: Any, action: Any, *unexpected: Any) -> Any:
        if jnp.asarray(action).dtype == jnp.uint8:
            return state
        return super().step(state, action, *unexpected)


BROKEN: list[tuple[type[HighCardDuel], Callable[[Trial], None], str]] = [
    (ArrayOfActions, plain.check_properties, "compiles nothing"),
    (NumpyShape, plain.check_properties, "observation_shape is plain Python"),
    (NamelessActions, plain.check_action_names, "every action has a name"),
    (AnyDeck, plain.check_bad_decks, "a deck with"),
    (TakesAKey, plain.check_refusals, "step\\(state, action, key\\)"),
    (OtherWord, plain.check_numbers, "partition|card_tensor"),
    (WrongSums, playing.check_rewards, "sum to zero"),
    (KeepsRewards, playing.check_rewards, "last step alone"),
    (PaysTooMuch, playing.check_rewards, "max_loss"),
    (NeverEnds, playing.check_flags, "max_steps"),
    (Lasting, playing.check_flags, "max_steps"),
    (Hasty, playing.check_least_steps, "least_steps"),
    (MovesAfterTheEnd, playing.check_flags, "current_player"),
    (WiderHands, playing.check_leaves, "same kind of state"),
    (Restless, playing.check_finished, "finished state steps to itself"),
    (FinesNobody, playing.check_illegal, "actor pays"),
    (Forgives, playing.check_illegal, "terminates"),
    (DealsAnother, playing.check_dealing, "deals deck\\(key, 0\\)"),
    (LooksDeep, playing.check_dealing, "cards_used"),
    (SameDecks, playing.check_decks, "decks of their own"),
    (NoDeck, playing.check_decks, "order of deck_cards"),
    (EmptyMask, looking.check_looking, "something is legal"),
    (StrangePhase, looking.check_looking, "the phase is one of"),
    (LosesCards, looking.check_looking, "card"),
    (FloatFacts, looking.check_looking, "plain integers"),
    (Float16, looking.check_looking, "float32"),
    (NaNs, looking.check_looking, "finite"),
    (ShowsAll, looking.check_redeal, "keeps what he sees"),
    (ShowsAllAsText, looking.check_redeal, "render"),
    (DealsTheTruth, looking.check_redeal, "true cards"),
    (RevealsTheRevealed, looking.check_redeal, "keeps what he sees"),
    (NextCard, looking.check_redeal, "cannot tell apart"),
    (DependsOnX64, lambda trial: running.check_x64(trial, redeal=False), "x64"),
    (DependsOnJit, running.check_eager, "eager is jit"),
    (MisreadsBytes, running.check_eager, "an action may be uint8"),
]


@pytest.mark.parametrize(
    ("cls", "check", "promise"), BROKEN, ids=[case[0].__name__ for case in BROKEN]
)
def test_a_broken_promise_is_found(
    cls: type[HighCardDuel], check: Callable[[Trial], None], promise: str
) -> None:
    with pytest.raises(ContractError, match=promise) as raised:
        check(Trial(cls(rules=RULES), GAMES))
    assert isinstance(raised.value, AssertionError)
    assert cls.__name__ in str(raised.value)


def test_every_check_passes_for_the_game_that_was_broken() -> None:
    trial = Trial(HighCardDuel(rules=RULES), GAMES)
    for _, check, _ in BROKEN:
        check(trial)


def test_an_unhashable_env_is_found() -> None:
    with pytest.raises((ContractError, TypeError)):
        check_env(UnhashableEnv(rules=RULES), games=4)


class PeeksAtTheStock(Snapszer):
    """Keeps the order of the stock: nothing that a player sees shows it."""

    def redeal(self, state: Any, player: Any, key: Any) -> SnapszerState:
        drawn = super().redeal(state, player, key)
        kept: SnapszerState = drawn.replace(  # type: ignore[attr-defined]
            hands=state.hands, stock=state.stock
        )
        return kept


class KeepsTheKey(Snapszer):
    def redeal(self, state: Any, player: Any, key: Any) -> SnapszerState:
        return redeal(self.rules, self.sizes, state, jnp.asarray(player), key).replace(  # type: ignore[attr-defined, no-any-return]
            key=state.key
        )


class SeesTheKey(Snapszer):
    def _observe(self, state: Any, player: Any) -> Any:
        seen = super()._observe(state, player)
        return seen.at[-1].add(state.key[0] % 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "promise"),
    [
        (PeeksAtTheStock, "true cards"),
        (KeepsTheKey, "the key|fresh"),
        (SeesTheKey, "keeps what he sees"),
    ],
)
def test_a_leak_of_a_match_is_found(cls: type[Snapszer], promise: str) -> None:
    env = cls(rules=talonax.make("snapszer", match=2).rules)
    with pytest.raises(ContractError, match=promise):
        looking.check_redeal(Trial(env, GAMES))


def test_a_failure_says_where() -> None:
    with pytest.raises(ContractError, match=r"game \d+, step \d+"):
        playing.check_illegal(Trial(Forgives(rules=RULES), GAMES))


def test_check_env_plays_at_least_one_game() -> None:
    with pytest.raises(ValueError, match="games=0"):
        check_env(HighCardDuel(rules=RULES), games=0)


class NoRedeal(HighCardDuel):
    def redeal(self, state: Any, player: Any, key: Any) -> HighCardDuelState:
        raise NotImplementedError


@pytest.mark.slow
def test_redeal_may_be_left_out() -> None:
    check_env(NoRedeal(rules=RULES), redeal=False, games=GAMES)


@dataclass(frozen=True)
class Toy:
    """A line of play in Snapszer, for `step_checked`."""

    env: Any = field(default_factory=lambda: talonax.make("snapszer"))


def test_step_checked_is_step_on_legal_actions() -> None:
    env = Toy().env
    state = env.deal(np.arange(20))
    after, wanted = step_checked(env, state, 3), env.step(state, 3)
    jax.tree.map(np.testing.assert_array_equal, after, wanted)


def test_step_checked_names_the_action_and_the_legal_ones() -> None:
    env = Toy().env
    state = env.deal(np.arange(20))
    with pytest.raises(IllegalMoveError) as raised:
        step_checked(env, state, 5)
    text = str(raised.value)
    assert "action 5 (AH) is not legal for player 0" in text
    for name in ("action 0 (AS)", "action 4 (JS)", "action 21 (close)"):
        assert name in text
    assert "action 6" not in text
    assert isinstance(raised.value, ValueError)
    for action in (22, -1):
        with pytest.raises(IllegalMoveError, match=rf"action {action} \(there is none; ids are 0"):
            step_checked(env, state, action)
    with pytest.raises(TypeError, match="integer"):
        step_checked(env, state, 1.0)


def test_step_checked_says_that_the_game_is_over() -> None:
    env = talonax.make("high_card_duel")
    state = env.step(env.step(env.deal(np.arange(56)), 0), 0)
    with pytest.raises(IllegalMoveError, match="the game is over"):
        step_checked(env, state, 0)
    assert int(cards.count(env.legal_set(state))) == 1
