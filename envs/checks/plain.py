"""Promises of the env itself, before a card is dealt: plain data, plain values, clear refusals."""

import copy
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from talonax.envs.checks.trial import SEED, ContractError, Trial
from talonax.envs.planes import RANKS, SUITS

PLAIN = (bool, int, float, str)
PROPERTIES = (
    "id",
    "version",
    "summary",
    "num_players",
    "num_actions",
    "observation_shape",
    "max_steps",
    "max_loss",
    "phases",
    "layouts",
    "cards_used",
    "deck_cards",
    "plane_names",
    "num_partition_planes",
    "copies",
    "rules_hash",
    "deals_again",
    "table_keywords",
    "typical_steps",
    "least_steps",
    "zero_sum",
)


def check_plain(trial: Trial) -> None:
    """Run all checks of this module."""
    check_identity(trial)
    check_properties(trial)
    check_numbers(trial)
    check_action_names(trial)
    check_refusals(trial)
    check_bad_decks(trial)


def check_identity(trial: Trial) -> None:
    """An env is a frozen dataclass, hashable, and equal to one of the same rules and layout."""
    env = trial.env
    params = getattr(type(env), "__dataclass_params__", None)
    trial.require(
        is_dataclass(env) and params is not None and params.frozen, "Env is a frozen dataclass"
    )
    again = type(env)(rules=copy.copy(env.rules), observation=env.observation)
    trial.require(
        again == env and hash(again) == hash(env), "equal rules make equal, hash-equal envs"
    )
    leaves = jax.tree.leaves([env.rules, env.observation])
    arrays = [leaf for leaf in leaves if isinstance(leaf, jax.Array | np.ndarray)]
    trial.require(not arrays, "nothing in an env is an array")
    raises(trial, ValueError, "an unknown observation layout", lambda: type(env)(env.rules, "no"))


def check_properties(trial: Trial) -> None:
    """Building an env and reading its properties computes nothing; the values are plain Python."""
    env, read = trial.env, {}

    def reading() -> None:
        fresh = type(env)(rules=env.rules, observation=env.observation)
        for name in PROPERTIES:
            read[name] = getattr(fresh, name)
        read["action_name"] = tuple(fresh.action_name(i) for i in range(fresh.num_actions))

    promise = "building an env and reading its properties compiles nothing"
    try:
        computed = jax.make_jaxpr(reading)().eqns
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerIntegerConversionError) as error:
        raise ContractError(f"{env!r} breaks a promise: {promise}") from error
    trial.require(not computed, promise)
    for name, value in read.items():
        trial.require(_is_plain(value), f"{name} is plain Python, not {value!r}")


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(_is_plain(each) for each in value)
    return type(value) in PLAIN


def check_numbers(trial: Trial) -> None:
    """Sizes make sense; names are as many as what they name, and unique."""
    env = trial.env
    trial.require(env.num_players >= 2 and env.num_actions >= 1, "there are players and actions")
    trial.require(env.max_steps >= 1 and env.max_loss > 0, "max_steps and max_loss are positive")
    cards = env.deck_cards
    trial.require(len(set(cards)) == len(cards), "deck_cards names each card once")
    trial.require(0 < env.cards_used <= len(cards), "cards_used is a part of the deck")
    planes = env.num_partition_planes
    trial.require(0 < planes <= len(env.plane_names), "some planes partition")
    trial.require(planes % env.copies == 0, f"a place has {env.copies} partition planes")
    for name in ("phases", "layouts", "plane_names"):
        names = getattr(env, name)
        trial.require(names and len(set(names)) == len(names), f"{name} are unique names")
    tensor = jax.eval_shape(lambda key: env.card_tensor(env.init(key), 0), trial.keys[0])
    shape = (SUITS, RANKS, len(env.plane_names))
    trial.require(
        tensor.shape == shape and tensor.dtype == bool, f"card_tensor is bool{list(shape)}"
    )


def check_action_names(trial: Trial) -> None:
    """Every action has a name of its own."""
    env = trial.env
    names = [env.action_name(action) for action in range(env.num_actions)]
    trial.require(all(names), "every action has a name")
    trial.require(len(set(names)) == len(names), "no two actions have the same name")


def check_refusals(trial: Trial) -> None:
    """Wrong arguments are refused at once, with the right kind of error."""
    env, key = trial.env, trial.keys[0]
    state = jax.tree.map(lambda leaf: leaf[0], trial.init(trial.keys))
    deck = np.array(env.deck_cards)
    raises(trial, TypeError, "step(state, action, key)", lambda: env.step(state, 0, key))
    raises(trial, TypeError, "a float as action", lambda: env.step(state, 0.0))
    raises(trial, TypeError, "a float as legal action", lambda: env.step_legal(state, jnp.ones(())))
    raises(trial, TypeError, "many keys at once", lambda: env.init(trial.keys))
    raises(trial, TypeError, "deal(deck, weather=1)", lambda: env.deal(deck, weather=1))
    for player in (-2, env.num_players):
        raises(trial, ValueError, f"observe({player})", partial(env.observe, state, player))
    env.observe(state, -1)


def check_bad_decks(trial: Trial) -> None:
    """A deck that is no order of the game's cards is refused."""
    env, good = trial.env, list(trial.env.deck_cards)
    bad = {
        "a card too few": good[:-1],
        "a card too many": [*good, good[0]],
        "a card twice": [good[1], *good[1:]],
        "a card that is none": [max(good) + 1, *good[1:]],
        "a negative card": [-1, *good[1:]],
        "two decks": [good, good],
    }
    for what, deck in bad.items():
        raises(trial, ValueError, f"a deck with {what}", partial(env.deal, np.array(deck)))


def raises(trial: Trial, error: type[Exception], what: str, call: Callable[[], Any]) -> None:
    """Fail unless `call` raises `error` itself, with a message."""
    try:
        call()
    except error as raised:
        trial.require(str(raised) != "", f"{what} is refused with a message")
        return
    except Exception as other:
        trial.fail(f"{what} raises {error.__name__}", f"raised {type(other).__name__}: {other}")
    trial.fail(f"{what} raises {error.__name__}", f"raised nothing, key {SEED}")
