"""jax-privacy: its noise for DP-SGD and banded matrices, and its batches of fixed size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Statement, Term, Trials, cases, listed
from exactdp.compare.adapters.jax_privacy import ALONE
from exactdp.divergences import PrivacyProfile
from exactdp.testing.later import st
from proofs_check.libraries import laws
from proofs_check.libraries.jax_privacy.fixed_batches import delta_of_fixed_batches
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import small

__all__ = ["TRIALS"]

CALLS = (
    ALONE
    + """
from jax_privacy import accounting
def trained(kind):
    config = getattr(accounting, kind + "AccountantConfig")()
    return accounting.DpsgdTrainingAccountant(dp_accountant_config=config)
def noise(kind, epsilon, delta, updates, samples, batch, cycle):
    return accounting.calibrate_noise_multiplier(
        target_epsilon=epsilon, accountant=trained(kind), batch_sizes=batch, num_updates=updates,
        num_samples=samples, target_delta=delta, cycle_length=cycle)
def fixed(kind, sigma, delta, updates, samples, batch):
    method = accounting.SamplingMethod.FIXED_BATCH_SIZE
    return float(trained(kind).compute_epsilon(updates, accounting.DpParams(
        noise_multipliers=sigma, num_samples=samples, delta=delta, batch_size=batch,
        sampling_method=method)))
"""
)
TARGETS = ((1.0, 1e-5), (3.0, 1e-6), (8.0, 1e-5))
ROWS: tuple[dict[str, Any], ...] = (
    {"samples": 10_000, "batch": 100, "updates": 100, "cycle": 1},
    {"samples": 60_000, "batch": 600, "updates": 1000, "cycle": 1},
    {"samples": 1000, "batch": 250, "updates": 10, "cycle": 1},
    {"samples": 100, "batch": 100, "updates": 10, "cycle": 1},
    {"samples": 1000, "batch": 100, "updates": 1, "cycle": 1},
)
BANDED: tuple[dict[str, Any], ...] = (
    {"samples": 10_000, "batch": 100, "updates": 100, "cycle": 4},
    {"samples": 1003, "batch": 100, "updates": 10, "cycle": 4},
    {"samples": 1000, "batch": 250, "updates": 10, "cycle": 4},
    {"samples": 60_000, "batch": 600, "updates": 1000, "cycle": 16},
)


def rate_of(samples: int, batch: int, cycle: int) -> Any:
    """Return the rate with which a record of a group is sampled, batch/⌊samples/cycle⌋."""
    return Fraction(batch, samples // cycle)


def law(answer: Fraction, samples: int, batch: int, updates: int, cycle: int) -> PrivacyProfile:
    """Return the truth of a record: it is in a group, whose turn comes ⌈updates/cycle⌉ times."""
    rate = rate_of(samples, batch, cycle)
    return laws.with_noise("gaussian", answer, rate, -(-updates // cycle))


def delta(
    epsilon: Fraction, answer: Fraction, samples: int, batch: int, updates: int, cycle: int
) -> Term | None:
    """Return its δ, or a lower bound on it, as a term."""
    rate = rate_of(samples, batch, cycle)
    return laws.delta_with_noise("gaussian", epsilon, answer, rate, -(-updates // cycle))


def over(rows: tuple[dict[str, Any], ...], cycles: tuple[int, ...]) -> Cases:
    """Return trainings with a target, of both accountants."""
    found = listed(
        *(
            {"kind": kind, **row, "epsilon": epsilon, "delta": delta}
            for kind, targets in (("Rdp", TARGETS), ("Pld", TARGETS[:1]))
            for epsilon, delta in targets
            for row in rows
        )
    )
    searched = cases().drawn(
        lambda: {
            "kind": st.just("Rdp"),
            "samples": st.sampled_from([1000, 10_000, 999, 10**6]),
            "batch": st.sampled_from([100, 10, 1, 60]),
            "updates": st.sampled_from([10, 100, 1, 1000]),
            "cycle": st.sampled_from(cycles),
            "epsilon": st.sampled_from([1.0, 2.0, 8.0, 0.5]),
            "delta": small(12).filter(lambda delta: delta < 0.5),
        }
    )
    return found.drawn(searched.where(is_fair).drawn_instances)


def is_fair(samples: int, batch: int, updates: int, cycle: int) -> bool:
    """Return whether a record is seen once or more, and a batch is no larger than a group."""
    return batch * updates >= samples and batch * cycle <= samples


def calibrated(cases_of: Cases) -> dict[str, Statement]:
    """Return the readings of a noise multiplier."""
    return Promise(
        "jax-privacy",
        CALLS,
        lambda kind, epsilon, delta, updates, samples, batch, cycle: (
            f"noise({kind!r}, {epsilon!r}, {delta!r}, {updates}, {samples}, {batch}, {cycle})"
        ),
        "parameter",
        law,
        delta,
        cases_of,
        shaved=Fraction(1, 2),
        draws=6,
        fair=is_fair,
    ).readings()


FIXED = cases(
    kind=("Pld", "Rdp"),
    samples__batch=((1000, 100), (1000, 500)),
    sigma=(2.0, 1.0, 4.0),
    updates=(2, 1),
    delta=(1e-5, 1e-3),
).drawn(
    lambda: {
        "kind": st.sampled_from(["Pld", "Rdp"]),
        "samples": st.sampled_from([1000, 100, 10_000]),
        "batch": st.sampled_from([100, 50, 10, 1]),
        "sigma": st.sampled_from([2.0, 1.0, 4.0, 0.75, 8.0]),
        "updates": st.sampled_from([2, 1]),
        "delta": small(8).filter(lambda delta: delta < 0.1),
    }
)

TRIALS: Trials = {
    "libraries/jax-privacy/calibration": calibrated(over(ROWS, (1,))),
    "libraries/jax-privacy/calibration-banded": calibrated(over(BANDED, (2, 4, 16))),
    "libraries/jax-privacy/fixed-batches": Promise(
        "jax-privacy",
        CALLS,
        lambda kind, sigma, delta, updates, samples, batch: (
            f"fixed({kind!r}, {sigma!r}, {delta!r}, {updates}, {samples}, {batch})"
        ),
        "epsilon",
        None,
        delta_of_fixed_batches,
        FIXED,
        shaved=Fraction(1, 2),
        draws=30,
    ).readings(),
}
