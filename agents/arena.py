"""Who is stronger: duplicate deals, so that luck of the cards falls on both sides alike.

Every deal is played again with the seats changed, with the same decks and the same keys for whoever
sits in a seat. With two seats that is two games a deal; with more, each of two players sits once in
every seat while the other has all other seats: `2 P` games. What is counted is the player's points
less the mean of the others at the table, so that a good seat or hand counts for nothing; a game is
won with more than that mean. The games of one deal belong together: intervals are over deals.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from talonax.agents.intervals import Z95, wilson
from talonax.agents.policy import Policy
from talonax.envs.core import Env
from talonax.envs.keys import typed_key
from talonax.envs.wrappers import fresh_carries, game_keys

#: Games that are played side by side, about.
BATCH = 4096
#: Elo points that ten to one odds are apart by.
ELO_SCALE = 400.0
ELO_DRAWS = 400
#: A share of wins is held this far from 0 and 1: against a side that never wins Elo has no end.
ELO_MARGIN = 1e-3


@dataclass(frozen=True)
class Player:
    """Somebody who plays.

    Attributes:
      name: what he is called in tables.
      policy: how he plays.
      params: what he has learned; None for bots.
    """

    name: str
    policy: Policy
    params: Any = None


@dataclass(frozen=True)
class Pairing:
    """What one player did against another.

    Attributes:
      first: his name.
      second: the other's.
      deals: how many deals; each was played `games / deals` times.
      games: games in all.
      wins: games that the first won.
      ties: games in which both did equally well.
      win_rate: share of games won, ties counted half.
      win_ci95: half the width of its 95 % interval, over deals; its wider half, near 0 and 1.
      win_by_seat: the share of games won, ties counted half, of those in which the first sat in
        seat 0, 1, ..; alone, where there are more than two.
      points: mean points of a game, less the mean of the others.
      points_ci95: half the width of its 95 % interval, over deals.
      by_deal: float[deals], the share of games won by deal, for `elo`.
    """

    first: str
    second: str
    deals: int
    games: int
    wins: int
    ties: int
    win_rate: float
    win_ci95: float
    win_by_seat: tuple[float, ...]
    points: float
    points_ci95: float
    by_deal: np.ndarray[Any, Any] = field(repr=False, compare=False)

    def told(self) -> dict[str, Any]:
        """Return all of it but the single deals, by name."""
        return {name: value for name, value in asdict(self).items() if name != "by_deal"}


def lineups(num_players: int) -> np.ndarray[Any, Any]:
    """Return int[G, P]: which of two players sits where in the games of one deal."""
    alone = np.eye(num_players, dtype=np.int32)
    if num_players == 2:
        return 1 - alone
    return np.concatenate([1 - alone, alone])


def play(
    env: Env[Any],
    policies: tuple[Policy, Policy],
    params: tuple[Any, Any],
    keys: Array,
) -> Array:
    """Play the games of a batch of deals to their ends.

    Args:
      env: the game.
      policies: the two players.
      params: what each has learned.
      keys: uint32[D, 2], a key a deal: it decides the decks and what the seats draw.

    Returns:
      float32[D, G, P]: the points of every seat, by deal and line-up (`lineups`).
    """
    seating = jnp.asarray(lineups(env.num_players))
    deals, games = keys.shape[0], keys.shape[0] * seating.shape[0]
    dealt = jax.vmap(env.init)(keys)
    states = jax.tree.map(lambda leaf: jnp.repeat(leaf, seating.shape[0], axis=0), dealt)
    seated = jnp.tile(seating, (deals, 1))
    carries = tuple(fresh_carries(env, policy, games) for policy in policies)
    returns = jnp.zeros((games, env.num_players), jnp.float32)
    choose = jax.vmap(partial(_choose, env, policies, params))

    def step(at: tuple[Any, ...]) -> tuple[Any, ...]:
        states, carries, returns, number = at
        words = jnp.repeat(jax.vmap(_drawn, (0, None))(keys, number), seating.shape[0], axis=0)
        actions, carries = choose(states, seated, carries, words)
        states = jax.vmap(env.step_legal)(states, actions)
        return states, carries, returns + states.rewards, number + 1

    start = (states, carries, returns, jnp.int32(1))
    end = jax.lax.while_loop(lambda at: ~at[0].finished.all(), step, start)
    points: Array = end[2]
    return points.reshape(deals, seating.shape[0], env.num_players)


def _drawn(words: Array, number: Array) -> Array:
    """Return uint32[2]: the key that a deal's games share at step `number`, from 1 on."""
    return jax.random.bits(jax.random.fold_in(typed_key(words), number), (2,), jnp.uint32)


def _choose(
    env: Env[Any],
    policies: tuple[Policy, Policy],
    params: tuple[Any, Any],
    state: Any,
    seated: Array,
    carries: tuple[Any, Any],
    words: Array,
) -> tuple[Array, tuple[Any, Any]]:
    """Let whoever sits in the seat to move act in one game; only his carry of that seat moves."""
    seat = jnp.maximum(state.current_player, 0)
    mask = env.legal_action_mask(state)
    action, after = jnp.int32(0), []
    for number, (policy, learned, carry) in enumerate(zip(policies, params, carries, strict=True)):
        own = jax.tree.map(lambda leaf: leaf[seat], carry)
        view = policy.see(env, state)
        chosen, moved = policy.act(learned, env, view, mask, own, typed_key(words))
        mine = seated[seat] == number
        action = jnp.where(mine, chosen, action)
        kept = jax.tree.map(partial(jnp.where, mine), moved, own)
        after.append(jax.tree.map(lambda leaf, new: leaf.at[seat].set(new), carry, kept))
    return action, (after[0], after[1])


def compare(
    env: Env[Any],
    first: Player,
    second: Player,
    *,
    deals: int,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Pairing:
    """Play two players against each other.

    Args:
      env: the game.
      first: one player.
      second: the other; may be the same.
      deals: how many deals, each played in every line-up.
      seed: what decks and draws follow from.
      progress: told the number of deals played after every batch.

    Raises:
      ValueError: fewer than two deals.
    """
    if deals < 2:
        raise ValueError(f"deals: at least 2 are needed for an interval, got {deals}")
    batch = min(deals, max(2, BATCH // len(lineups(env.num_players))))
    played = _compiled(env, (first.policy, second.policy))
    params = (first.params, second.params)
    points = []
    for number, start in enumerate(range(0, deals, batch)):
        key = jax.random.fold_in(jax.random.key(seed), number)
        keys = game_keys(key, batch).T
        points.append(np.asarray(played(params, keys))[: deals - start])
        if progress is not None:
            progress(min(deals, start + batch))
    return pairing(first.name, second.name, np.concatenate(points))


@lru_cache(maxsize=32)
def _compiled(env: Env[Any], policies: tuple[Policy, Policy]) -> Any:
    """Return the compiled `play` of two players, kept: training compares them again and again."""
    return jax.jit(partial(play, env, policies))


def pairing(first: str, second: str, points: np.ndarray[Any, Any]) -> Pairing:
    """Return what the points (float[D, G, P], as `play` returns them) say of two players."""
    players = points.shape[-1]
    mine = lineups(players) == 0
    # Alone against all others, or all others against the one: means over the seats of each side.
    own = np.where(mine, points, 0).sum(axis=-1) / mine.sum(axis=-1)
    theirs = np.where(mine, 0, points).sum(axis=-1) / (~mine).sum(axis=-1)
    ahead = own - theirs
    tied = np.abs(ahead) < 1e-6
    won = (ahead > 0) & ~tied
    share = won + 0.5 * tied
    return Pairing(
        first=first,
        second=second,
        deals=len(points),
        games=int(ahead.size),
        wins=int(won.sum()),
        ties=int(tied.sum()),
        win_rate=float(share.mean()),
        win_ci95=_share_ci95(share.mean(axis=1)),
        win_by_seat=tuple(share.mean(axis=0)[:players].tolist()),
        points=float(ahead.mean()),
        points_ci95=_ci95(ahead.mean(axis=1)),
        by_deal=share.mean(axis=1),
    )


def _ci95(by_deal: np.ndarray[Any, Any]) -> float:
    """Return half the width of the 95 % interval of a mean over deals."""
    return float(Z95 * by_deal.std(ddof=1) / np.sqrt(len(by_deal)))


def _share_ci95(by_deal: np.ndarray[Any, Any]) -> float:
    """Return half the width of the 95 % interval of a share of games, the wider half of Wilson's.

    The games of a deal depend on each other: the sample is worth as many games as would, each for
    itself, vary as much as the mean over deals does; where none was won or none lost, as the deals.
    """
    rate, deals = float(by_deal.mean()), len(by_deal)
    spread, variance = rate * (1 - rate), float(by_deal.var(ddof=1)) / deals
    worth = float(deals) if spread == 0 else math.inf
    if variance > 0:
        worth = spread / variance
    low, high = wilson(rate, worth)
    return max(rate - low, high - rate)


# Elo --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rating:
    """How strong a player is among those of a tournament.

    Attributes:
      name: the player.
      elo: his Elo; their mean is 0.
      ci95: half the width of its 95 % interval.
    """

    name: str
    elo: float
    ci95: float


def elo(names: Sequence[str], pairings: Sequence[Pairing], seed: int = 0) -> list[Rating]:
    """Return the ratings that explain the shares of games won best, strongest first.

    Bradley and Terry's model by maximum likelihood, ties counted half; the interval from shares
    drawn again within their own errors, `ELO_DRAWS` times, together where pairs went well together
    on the same decks.

    Raises:
      ValueError: pairings over different numbers of deals, which cannot be the same decks.
    """
    rng = np.random.default_rng(seed)
    shares = np.array([each.win_rate for each in pairings])
    places = np.array([(names.index(each.first), names.index(each.second)) for each in pairings])
    fitted = _fit(len(names), places, shares)
    again = rng.multivariate_normal(shares, _covariance(pairings), size=ELO_DRAWS)
    drawn = np.stack([_fit(len(names), places, each) for each in again])
    spread = Z95 * drawn.std(axis=0)
    ratings = [Rating(name, float(fitted[i]), float(spread[i])) for i, name in enumerate(names)]
    return sorted(ratings, key=lambda rating: -rating.elo)


def _covariance(pairings: Sequence[Pairing]) -> np.ndarray[Any, Any]:
    """Return float[N, N]: how the errors of the shares of N pairings go together."""
    if len({each.deals for each in pairings}) > 1:
        raise ValueError(
            f"deals: Elo needs as many of each pair, got {[p.deals for p in pairings]}"
        )
    errors = np.array([each.win_ci95 / Z95 for each in pairings])
    apart = np.stack([each.by_deal - each.by_deal.mean() for each in pairings])
    length = np.sqrt((apart**2).sum(axis=1))
    length = np.where(length > 0, length, 1)  # one whose deals are all alike goes with no other
    alike = (apart @ apart.T) / np.outer(length, length)
    np.fill_diagonal(alike, 1)
    return np.asarray(alike * np.outer(errors, errors))


def _fit(
    players: int, places: np.ndarray[Any, Any], shares: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return float[players]: Elo by Newton's method on the likelihood of the shares."""
    shares = np.clip(shares, ELO_MARGIN, 1 - ELO_MARGIN)
    slope = np.log(10) / ELO_SCALE
    design = np.zeros((len(places), players))
    design[np.arange(len(places)), places[:, 0]] = slope
    design[np.arange(len(places)), places[:, 1]] = -slope
    strength = np.zeros(players)
    for _ in range(100):
        expected = 1 / (1 + np.exp(-design @ strength))
        gradient = design.T @ (shares - expected)
        curvature = design.T @ (design * (expected * (1 - expected))[:, None])
        # The mean is free: hold it at 0.
        step = np.linalg.solve(curvature + np.ones((players, players)) * slope**2, gradient)
        strength = strength + np.clip(step, -ELO_SCALE, ELO_SCALE)
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(strength - strength.mean())
