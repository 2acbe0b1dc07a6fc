"""Promises of what can be seen: masks, observations, planes, the table as text; re-dealing."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from talonax.envs.checks.trial import PIECE, POSITIONS, SEATS, Look, Positions, Trial
from talonax.envs.core import State

#: The table is printed for so many positions.
PRINTED = 24
#: The truth may show through a re-deal by so many standard deviations at most.
SIGMAS = 6


def check_looking(trial: Trial) -> None:
    """Run the checks of this module that need no `redeal`."""
    at = trial.positions
    seen = jax.device_get(trial.look(at.states))
    check_masks(trial, seen)
    check_observations(trial, seen)
    check_planes(trial, seen)
    check_facts_and_text(trial)


def check_redeal(trial: Trial) -> None:
    """Run the checks of `redeal`."""
    for turn in range(SEATS):
        at = trial.seated(turn)
        drawn = jax.device_get(trial.redeal(at.states, at.seat, trial.keys_of(turn)))
        check_redealt(trial, at, drawn, turn)
        check_text_hides(trial, at, drawn)
    check_redealt_plays_on(trial)
    check_truth_is_gone(trial)


def check_masks(trial: Trial, seen: Look) -> None:
    """A mask is bool[num_actions], never empty, all true once finished; phases have names."""
    env, at = trial.env, trial.positions
    shape = (POSITIONS, env.num_actions)
    trial.require(
        seen.mask.shape == shape and seen.mask.dtype == bool, "the mask is bool[num_actions]"
    )
    trial.require(seen.mask.any(axis=1), "something is legal in every state", at)
    trial.require(seen.mask.all(axis=1) | ~at.finished, "a finished state's mask is all true", at)
    taken = seen.mask[np.arange(POSITIONS), at.actions]
    trial.require(taken, "an action of legal_set is legal in the mask", at)
    trial.require(
        seen.phase.shape == (POSITIONS,) and seen.phase.dtype == np.int32, "the phase is int32[]"
    )
    known = (seen.phase >= 0) & (seen.phase < len(env.phases))
    trial.require(known, f"the phase is one of {env.phases}", at)


def check_observations(trial: Trial, seen: Look) -> None:
    """Every seat can look at every position: float32[*observation_shape], finite."""
    env, at = trial.env, trial.positions
    own = seen.observations[env.layouts.index(env.observation)]
    shape = (POSITIONS, env.num_players, *env.observation_shape)
    trial.require(own.shape == shape, f"observe returns {list(env.observation_shape)} numbers")
    for layout, observed in zip(env.layouts, seen.observations, strict=True):
        trial.require(observed.dtype == np.float32, f"observation {layout!r} is float32")
        trial.require(np.isfinite(observed), f"observation {layout!r} is finite", at)
    if "compact" in env.layouts:
        compact = seen.observations[env.layouts.index("compact")]
        full = seen.observations[env.layouts.index("full")]
        begins = full[..., : compact.shape[-1]] == compact
        trial.require(begins, "the full observation begins with the compact one", at)


def check_planes(trial: Trial, seen: Look) -> None:
    """The partition planes hold every card of the deck once, for every seat, in every position."""
    env, at = trial.env, trial.positions
    places = _places(trial, seen)
    grid = places.sum(axis=(-2, -1))
    trial.require((grid == grid[0, 0]).all(axis=(1, 2, 3)), "no card is lost or doubled", at)
    held = int(grid[0, 0].sum())
    trial.require(
        held == len(env.deck_cards), f"{held} cards lie somewhere, of {len(env.deck_cards)}"
    )
    trial.require(grid.max() == env.copies, f"a cell of the planes holds {env.copies} cards")
    nested = places[..., 1:] <= places[..., :-1]
    trial.require(nested.reshape(len(nested), -1).all(axis=1), "who has two copies has one", at)
    hands = _hands(trial, seen)
    if hands is not None:
        fits = hands.sum(axis=1) <= env.copies
        trial.require(fits.all(axis=(1, 2)), "no card is in two hands", at)


def _places(trial: Trial, seen: Look) -> Any:
    """Return bool[N, P, 4, 14, places, copies]: the partition planes by place."""
    planes = seen.planes[..., : trial.env.num_partition_planes]
    return planes.reshape(*planes.shape[:-1], -1, trial.env.copies)


def _hands(trial: Trial, seen: Look) -> Any:
    """Return int[N, P, 4, 14]: the copies in each seat's own hand, if there are planes of it."""
    names = trial.env.plane_names
    own = [i for i, name in enumerate(names) if name.startswith("my_hand")]
    return seen.planes[..., own].sum(axis=-1) if own else None


def check_facts_and_text(trial: Trial) -> None:
    """`facts` are plain integers; the table can be printed for every seat, and whole."""
    env, at = trial.env, trial.positions
    facts = jax.eval_shape(env.facts, _one(at.states, 0))
    integers = [jnp.issubdtype(leaf.dtype, jnp.integer) for leaf in jax.tree.leaves(facts)]
    trial.require(integers and all(integers), "facts are plain integers")
    for i in range(PRINTED):
        state = _one(at.states, i)
        texts = [env.render(state, player) for player in (*range(env.num_players), None)]
        trial.require(all(isinstance(text, str) and text for text in texts), "render returns text")


def check_redealt(trial: Trial, at: Positions, drawn: Any, turn: int) -> None:
    """`redeal` changes nothing that the player sees, and depends on nothing else.

    `drawn` is what it made of the positions `at`, with the keys of the `turn`.
    """
    keys = trial.keys_of(turn)
    other = trial.redeal(at.states, at.seat, trial.keys_of(SEATS + turn))
    trial.require_same(
        trial.redeal(other, at.seat, keys),
        drawn,
        "redeal: states that he cannot tell apart give the same result",
        at,
    )
    keyless = _rekeyed(at.states, trial.keys_of(100 + turn))
    trial.require_same(
        trial.redeal(keyless, at.seat, keys), drawn, "redeal does not depend on the key", at
    )
    for name in State.__dataclass_fields__:
        trial.require_same(
            getattr(drawn, name), getattr(at.states, name), f"redeal leaves {name} as it is", at
        )
    if getattr(drawn, "key", None) is not None:
        fresh = (drawn.key != at.states.key).any(axis=1)
        trial.require(fresh, "redeal gives a fresh state.key", at)
    old, new = jax.device_get((trial.look(at.states), trial.look(drawn)))
    _check_seen(trial, old, new, at)
    _check_hands(trial, old, new, at)


def _check_seen(trial: Trial, old: Look, new: Look, at: Positions) -> None:
    mine = at.finished | (at.states.current_player == at.seat)
    same_mask = (old.mask == new.mask).all(axis=1)
    trial.require(same_mask | ~mine, "redeal keeps his own mask", at)
    trial.require_same(new.phase, old.phase, "redeal keeps the phase", at)
    own = np.arange(POSITIONS), at.seat
    for before, after in zip(old.observations, new.observations, strict=True):
        trial.require_same(after[own], before[own], "redeal keeps what he sees", at)
    trial.require_same(new.planes[own], old.planes[own], "redeal keeps his planes", at)
    if old.information is not None:
        knew, knows = old.information[own], new.information[own]
        trial.require_same(knows, knew, "redeal keeps what he knows", at)


def _rekeyed(states: Any, keys: jax.Array) -> Any:
    if getattr(states, "key", None) is None:
        return states
    return states.replace(key=keys)


def _check_hands(trial: Trial, old: Look, new: Look, at: Positions) -> None:
    check_planes(trial, new)
    before, after = _hands(trial, old), _hands(trial, new)
    if before is not None:
        kept = before.sum(axis=(2, 3)) == after.sum(axis=(2, 3))
        trial.require(kept, "redeal keeps the size of every hand", at)


def check_text_hides(trial: Trial, at: Positions, drawn: Any) -> None:
    """The table as a seat sees it does not show what `redeal` changes."""
    env = trial.env
    assert at.seat is not None
    for i in np.linspace(0, POSITIONS - 1, PRINTED, dtype=int):
        player = int(at.seat[i])
        same = env.render(_one(at.states, i), player) == env.render(_one(drawn, i), player)
        where = f"render for seat {player} shows what he cannot see"
        trial.require(same, f"{where}: game {at.game[i]}, step {at.step[i]}")


def check_redealt_plays_on(trial: Trial) -> None:
    """A re-dealt position is one of the game: it can be played to its end, within max_steps."""
    env, at = trial.env, trial.positions
    played = int(at.step.max())
    states = trial.redeal(at.states, trial.seated(0).seat, trial.keys_of(0))
    states = jax.tree.map(lambda leaf: jnp.resize(leaf, (trial.games, *leaf.shape[1:])), states)
    key, steps = trial.keys[0], 0
    while not bool(jnp.all(states.finished)) and steps <= env.max_steps + played:
        states, _ = trial.play(states, jax.random.fold_in(jax.random.wrap_key_data(key), steps))
        steps += PIECE
    trial.require(states.finished, "a re-dealt position can be played to its end")
    trial.require(~np.asarray(states.illegal), "legal play of a re-dealt position stays legal")


def check_truth_is_gone(trial: Trial) -> None:
    """Of a hand that nobody has played from, `redeal` keeps as many cards as chance would.

    Only where cards are single and the planes `my_hand` and `unseen` exist.
    """
    env = trial.env
    names = env.plane_names
    if not {"my_hand", "unseen"} <= set(names) or trial.games < PRINTED:
        return
    states = trial.init(jax.random.key_data(jax.random.split(jax.random.key(2), POSITIONS)))
    old = jax.device_get(trial.look(states))
    new = jax.device_get(
        trial.look(trial.redeal(states, np.zeros(POSITIONS, np.int32), trial.keys_of(9)))
    )
    unseen = old.planes[:, 0, ..., names.index("unseen")]
    before = _hands(trial, old)[:, 1].astype(bool) & unseen
    after = _hands(trial, new)[:, 1].astype(bool) & unseen
    kept = (before & after).sum(axis=(1, 2)).astype(float)
    hidden, cards = before.sum(axis=(1, 2)), unseen.sum(axis=(1, 2))
    use = cards > 1
    hidden, cards, kept = hidden[use], cards[use], kept[use]
    share = hidden / cards
    spread = np.sqrt((hidden * share * (1 - share) * (cards - hidden) / (cards - 1)).sum())
    gap = abs(kept.sum() - (hidden * share).sum())
    trial.require(
        gap <= SIGMAS * spread, "redeal does not start from the true cards (or is not uniform)"
    )


def _one(states: Any, i: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[i], states)
