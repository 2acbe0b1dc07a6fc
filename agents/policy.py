"""The one interface of everything that plays: bots, networks, search.

A policy chooses an action for the seat to move, in one game; the caller vmaps. It is plain data (a
frozen dataclass without arrays): what it has learned is `params`, what it remembers of a game is
the `carry`, one for each seat. Two kinds differ in what they are given, and their type says so:

* an `ObservationPolicy` is given `env.observe(state, seat)` and nothing else;
* a `StatePolicy` is given the whole state, for its speed or its convenience. It must not use what
  its seat cannot know: `env.redeal` for that seat must not change its action (`tests/test_bots.py`
  tries it).

    @dataclass(frozen=True)
    class HighestCard(ObservationPolicy):
        def act(self, params, env, view, mask, carry, key):
            return jnp.argmax(jnp.where(mask, jnp.arange(mask.shape[0]), -1)), carry
"""

import abc
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from talonax.configs import games
from talonax.envs import cards
from talonax.envs.core import Env
from talonax.envs.keys import key_words


class Policy(abc.ABC):
    """Chooses actions. Derive from `ObservationPolicy` or `StatePolicy`."""

    def init(self, env: Env[Any]) -> Any:
        """Return the carry of one seat at the start of a game: a pytree, empty by default."""
        del env
        return ()

    @abc.abstractmethod
    def see(self, env: Env[Any], state: Any) -> Any:
        """Return what `act` is given of a state."""

    @abc.abstractmethod
    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Choose an action for the seat to move.

        Args:
          params: what was learned; None for bots.
          env: the game.
          view: what `see` returned.
          mask: bool[num_actions], the legal actions.
          carry: what this seat remembers of the game.
          key: a fresh key.

        Returns:
          int32[], a legal action, and the seat's carry after it.
        """

    def probabilities(
        self,
        params: Any,
        env: Env[Any],
        view: Any,
        mask: Array,
        carry: Any,
        key: Array | None = None,
    ) -> tuple[Array, Any]:
        """Return how likely `act` is to choose each action, and the carry that it leaves.

        By default all of it lies on the choice of `act`: right only for a policy that ignores its
        key. One that draws must override this, and not keep in its carry what it drew.

        Args:
          params: as for `act`, and so are `env`, `view`, `mask` and `carry`.
          key: handed to `act` by the default; key 0 if None.

        Returns:
          float32[num_actions], which sums to one and is zero where `mask` is false; and the seat's
          carry after the action.
        """
        given = jax.random.key(0) if key is None else key
        action, after = self.act(params, env, view, mask, carry, given)
        return (jnp.arange(mask.shape[0]) == action).astype(jnp.float32), after


class ObservationPolicy(Policy):
    """A policy that is given the observation of the seat to move."""

    def see(self, env: Env[Any], state: Any) -> Any:
        """Return what the seat to move observes."""
        return env.observe(state, state.current_player)


class StatePolicy(Policy):
    """A policy that is given the whole state, and uses what the seat to move may know of it."""

    def see(self, env: Env[Any], state: Any) -> Any:
        """Return the state."""
        del env
        return state


@dataclass(frozen=True)
class Random(StatePolicy):
    """Chooses uniformly among the legal actions.

    It is given the state only to draw from the packed set of legal actions, several times cheaper
    than from a mask.
    """

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Draw a legal action."""
        del params, mask
        return cards.draw_one(env.legal_set(view), _hashed(key_words(key))), carry

    def probabilities(
        self,
        params: Any,
        env: Env[Any],
        view: Any,
        mask: Array,
        carry: Any,
        key: Array | None = None,
    ) -> tuple[Array, Any]:
        """Return the same for every legal action."""
        del params, env, view, key
        return mask.astype(jnp.float32) / mask.sum(dtype=jnp.float32), carry


def _hashed(words: Array) -> Array:
    """Return uint32[]: random bits from a key's two words, as good as they are mixed.

    The finaliser of MurmurHash3: enough to choose one action, at a tenth of a threefry block.
    """
    mixed: Array = words[0] * jnp.uint32(0x9E3779B9) ^ words[1]
    mixed = (mixed ^ (mixed >> 16)) * jnp.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> 13)) * jnp.uint32(0xC2B2AE35)
    return mixed ^ (mixed >> 16)


@dataclass(frozen=True)
class Seated(Policy):
    """Gives each seat its own policy; one that has several seats is asked once a move.

    Attributes:
      policies: who plays.
      seats: which of them has each seat, by its place in `policies`; by default one each, in order.

    Raises:
      ValueError: a seat is given to a policy that is not there.
    """

    policies: tuple[Policy, ...]
    seats: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.seats:
            object.__setattr__(self, "seats", tuple(range(len(self.policies))))
        if not set(self.seats) <= set(range(len(self.policies))):
            raise ValueError(f"seats: {self.seats}, but there are {len(self.policies)} policies")

    def init(self, env: Env[Any]) -> Any:
        """Return a carry of each policy; of a seat's, only its own policy's moves on.

        Raises:
          ValueError: there are not as many seats as the game has.
        """
        if len(self.seats) != env.num_players:
            raise ValueError(
                f"{env.id} has {env.num_players} seats; {len(self.seats)} policies are seated"
            )
        return tuple(policy.init(env) for policy in self.policies)

    def see(self, env: Env[Any], state: Any) -> Any:
        """Return which policy is to move, and what each would be given."""
        turn = jnp.array(self.seats)[state.current_player]
        return turn, tuple(policy.see(env, state) for policy in self.policies)

    def act(
        self, params: Any, env: Env[Any], view: Any, mask: Array, carry: Any, key: Array
    ) -> tuple[Array, Any]:
        """Let the policy of the seat to move choose. `params` is one a policy, or None."""
        turn, views = view
        each = params if params is not None else (None,) * len(self.policies)
        action, after = jnp.int32(0), []
        for i, policy in enumerate(self.policies):
            chosen, moved = policy.act(each[i], env, views[i], mask, carry[i], key)
            action = jnp.where(turn == i, chosen, action)
            after.append(_if(turn == i, moved, carry[i]))
        return action, tuple(after)

    def probabilities(
        self,
        params: Any,
        env: Env[Any],
        view: Any,
        mask: Array,
        carry: Any,
        key: Array | None = None,
    ) -> tuple[Array, Any]:
        """Return those of the policy of the seat to move. `params` is one a policy, or None."""
        turn, views = view
        each = params if params is not None else (None,) * len(self.policies)
        chances, after = jnp.zeros(mask.shape[0], jnp.float32), []
        for i, policy in enumerate(self.policies):
            found, moved = policy.probabilities(each[i], env, views[i], mask, carry[i], key)
            chances = jnp.where(turn == i, found, chances)
            after.append(_if(turn == i, moved, carry[i]))
        return chances, tuple(after)


def _if(condition: Array, yes: Any, no: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)


RANDOM = "random"


def names(game: str) -> list[str]:
    """Return the names of the policies that need no training, for `game`."""
    return [RANDOM, *games.get(game).bots]


def by_name(game: str, name: str) -> Policy:
    """Return a bot of `game`.

    Raises:
      ValueError: there is none of that name; the message lists those that exist.
    """
    if name == RANDOM:
        return Random()
    bots = games.get(game).bots
    if name not in bots:
        raise ValueError(f"{game} has no policy {name!r}; there are: {', '.join(names(game))}")
    policy: Policy = games.resolve(bots[name])()
    return policy
