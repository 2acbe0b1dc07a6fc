"""Distributions over the legal actions, safe where an action is masked.

The one module that needs distrax: it brings a nightly build of another library along, so it is
imported when a distribution is first asked for, not with the package.
"""

from typing import Any

import jax.numpy as jnp
from jax import Array

#: What an illegal action's logit is. Finite: with an infinite one the entropy and its gradient are
#: not a number; and so low that no rounding ever gives the action a probability.
MASKED = -1e9


def masked_logits(logits: Array, mask: Array) -> Array:
    """Return float32[.., A]: normalised log probabilities, illegal actions at most `MASKED`.

    Args:
      logits: float[.., A], of any precision.
      mask: bool[.., A], the legal actions. A row without any is uniform: give it no weight.
    """
    held = jnp.where(mask, logits.astype(jnp.float32), MASKED)
    held = held - held.max(axis=-1, keepdims=True)
    return held - jnp.log(jnp.exp(held).sum(axis=-1, keepdims=True))


def require() -> None:
    """Raise an `ImportError` that says what to install, if distrax is not."""
    try:
        import distrax  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"learning needs more packages: pip install 'talonax[train]' ({error})"
        ) from None


def categorical(logits: Array, mask: Array) -> Any:
    """Return the `distrax.Categorical` over the legal actions."""
    import distrax

    return distrax.Categorical(logits=masked_logits(logits, mask))


def entropy(log_probs: Array) -> Array:
    """Return float32[..]: the entropy, in nats, of what `masked_logits` returned."""
    return -(jnp.exp(log_probs) * log_probs).sum(axis=-1)


def kl_divergence(log_probs: Array, others: Array) -> Array:
    """Return float32[..]: KL(p || q) in nats of two that `masked_logits` returned, masks alike."""
    return (jnp.exp(log_probs) * (log_probs - others)).sum(axis=-1)
