"""Distributions over legal actions: what masks must never do (field cases F04, F05, F06)."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from talonax.agents.distributions import categorical, entropy, kl_divergence, masked_logits

LOGITS = jnp.array([1.0, 2.0, 3.0])
MASK = jnp.array([True, False, True])


def test_f04_a_masked_action_has_no_part_in_anything():
    log_probs = masked_logits(LOGITS, MASK)
    np.testing.assert_allclose(jnp.exp(log_probs), [0.119203, 0, 0.880797], atol=1e-6)
    np.testing.assert_allclose(entropy(log_probs), 0.365334, atol=1e-6)
    slope = jax.grad(lambda logits: entropy(masked_logits(logits, MASK)))(LOGITS)
    np.testing.assert_allclose(slope, [0.209987, 0, -0.209987], atol=1e-6)
    held = categorical(LOGITS, MASK)
    np.testing.assert_allclose(held.entropy(), 0.365334, atol=1e-6)


def test_f05_a_row_without_legal_actions_is_finite_and_weightless():
    none = jnp.zeros(3, bool)

    def loss(logits):
        log_probs = masked_logits(logits, jnp.stack([MASK, none]))
        weight = jnp.array([1.0, 0.0])
        terms = log_probs[:, 0] + entropy(log_probs) + kl_divergence(log_probs, log_probs)
        return (weight * terms).sum()

    logits = jnp.stack([LOGITS, LOGITS])
    value, slope = jax.value_and_grad(loss)(logits)
    assert np.isfinite(value)
    assert np.isfinite(slope).all()
    np.testing.assert_array_equal(slope[1], 0)


@pytest.mark.quick_first
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_f06_no_masked_action_is_ever_drawn(dtype):
    """Of ten million draws; so many are worth being compiled well."""
    keys = jax.random.split(jax.random.key(0), 200)
    mask = jax.random.bernoulli(jax.random.key(1), 0.3, (64,)).at[0].set(True)
    logits = jnp.where(mask, -80, 80).astype(dtype)

    @partial(jax.jit, compiler_options={"xla_backend_optimization_level": 3})
    def wrong(key):
        drawn = categorical(logits, mask).sample(seed=key, sample_shape=(50_000,))
        return (~mask[drawn]).sum()

    assert sum(int(wrong(key)) for key in keys) == 0


def test_divergence_of_two_policies():
    p = masked_logits(jnp.log(jnp.array([0.5, 0.25, 0.25])), jnp.array([True, True, True]))
    q = masked_logits(jnp.log(jnp.array([0.25, 0.25, 0.5])), jnp.array([True, True, True]))
    np.testing.assert_allclose(kl_divergence(p, q), 0.25 * np.log(2), atol=1e-6)
    np.testing.assert_allclose(kl_divergence(p, p), 0, atol=1e-7)
