"""opendp: canonical noise, bit vectors, sparse histograms (ALP), and samples of a population."""

from __future__ import annotations

from fractions import Fraction
from math import comb, floor

from exactdp.claims import Term, Trials, cases, function, positive_part, term
from exactdp.compare.adapters.opendp import ACCOUNTANTS
from exactdp.divergences import Largest, Pair, PrivacyProfile
from exactdp.numbers import Exact
from exactdp.testing.later import st
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["TRIALS"]

IMPORTS = ACCOUNTANTS[0].imports + (
    "\nsparse = (dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), "
    "dp.l01inf_distance(dp.absolute_distance(T=int)))\n"
    "def total(scale, size, upper):\n"
    "    bounded = dp.vector_domain(dp.atom_domain(bounds=(0, upper)), size=size)\n"
    "    return (bounded, dp.symmetric_distance()) >> dp.t.then_sum() >> dp.m.then_laplace(scale)\n"
    "def any_of(size, spent, measure):\n"
    "    records = dp.vector_domain(dp.atom_domain(T=int), size=size), dp.change_one_distance()\n"
    "    zero = (0.0, 0.0) if isinstance(spent, tuple) else 0.0\n"
    "    return dp.m.make_user_measurement(\n"
    "        *records, measure, lambda x: 0.0, lambda changed: spent if changed else zero)\n"
    "def amplified(measurement, population, changed):\n"
    "    return dp.c.make_population_amplification(measurement, population).map(changed)\n"
)
SIZES = ((10, 100), (1000, 100_000), (1, 2), (50, 50), (5, 10**9), (999, 1000))
"""Sizes of samples and of their populations, the documentation's first."""


def flipped(weight: int, f: float) -> Term:
    """Return the loss of two vectors of so many ones, all elsewhere: 2m ln((2 − f)/f)."""
    return 2 * weight * function("log", (2 - Fraction(f)) / term(Fraction(f)))


def projected(scale: float, alpha: int, change: int) -> Term:
    """Return a lower bound on the loss of a sparse histogram, of so many keys from 0 to 1.

    A key of value 1 sets s/α bits, s = scale, the last with the probability that is left; each is
    flipped with probability 1/(α + 2). Of a bit that is set with probability r it is ln(1 + rα).
    """
    bits = Fraction(scale) / alpha
    whole_bits = floor(bits)
    last = 1 + (bits - whole_bits) * alpha
    one = whole_bits * function("log", alpha + 1) + function("log", term(last))
    return change * one


def sampled(rate: Fraction, loss: Term) -> Term:
    """Return ln(1 + q(e^ε − 1)): of a record that is in the sample with probability q."""
    found: Term = function("log", 1 + rate * (function("exp", loss) - 1))
    return found


def seen(sample: int, population: int, changed: int) -> Fraction:
    """Return the probability that a sample has one of the changed records."""
    missed = comb(population - changed, sample) if changed <= population else 0
    return 1 - Fraction(missed, comb(population, sample))


def canonical(epsilon: Fraction, parameter: float, leak: float) -> Term:
    """Return δ at ε' of the trade-off function of (ε, δ): δ + (1 − δ)(1 − e^(ε'−ε))/(1 + e^(−ε)).

    Awan and Vadhan 2023, Definition 3.1: shifted by its sensitivity, canonical noise has it.
    """
    spent = Fraction(parameter)
    rest = positive_part(1 - function("exp", epsilon - spent)) / (1 + function("exp", -spent))
    found: Term = 1 - (1 - term(Fraction(leak))) * (1 - rest)
    return found


def amplified(parameter: float, leak: float, sample: int, population: int) -> PrivacyProfile:
    """Return a sample's worst (ε, δ)-private analysis, of one record of the population.

    Of a sample that is the population it has the trade-off function of (ε, δ) itself.
    """
    x, d = Exact.exp(Fraction(parameter)), Exact(Fraction(leak))
    likely, rare = (1 - d) * x / (1 + x), (1 - d) / (1 + x)
    pair = Pair.from_masses([d, likely, rare, 0], [0, rare, likely, d])
    found = pair.subsampled(Fraction(sample, population))
    return Largest((found, found.reversed()))


def leaks(epsilon: Fraction, parameter: float, leak: float, rate: Fraction) -> Term:
    """Return its δ, of the record in the sample with probability q.

    δ at ε' is q times that of the analysis at ln(1 + (e^ε' − 1)/q).
    """
    x = function("exp", Fraction(parameter))
    factor = 1 + (function("exp", epsilon) - 1) / rate
    rest = positive_part(x - factor) / (x + 1)
    found: Term = rate * (1 - (1 - term(Fraction(leak))) * (1 - rest))
    return found


TRIALS: Trials = {
    "libraries/opendp/canonical-noise": Promise(
        "opendp",
        IMPORTS,
        lambda parameter, leak, size: (
            f"dp.m.make_canonical_noise(*reals, d_in={size!r}, d_out=({parameter!r}, {leak!r}))"
            f".map({size!r})"
        ),
        "epsilon",
        lambda parameter, leak: amplified(parameter, leak, 1, 1),
        canonical,
        cases(
            size=(1.0, 0.5),
            parameter=(1.0, 0.1, 0.5, 2.0, 10.0),
            leak=(1e-6, 1e-7, 0.0, 1e-3, 0.5),
        ).drawn(
            lambda: {
                "size": doubles(1e-6, 1e6),
                "parameter": doubles(1e-6, 500.0),
                "leak": st.just(0.0) | small(300),
            }
        ),
        picks=slice(2),
        draws=15,
    ).readings(),
    "libraries/opendp/randomized-response-map-of-bit-vectors": Promise(
        "opendp",
        IMPORTS,
        lambda weight, f: (
            "dp.m.make_randomized_response_bitvec(dp.bitvector_domain("
            f"max_weight={weight}), dp.discrete_distance(), f={f!r}).map(1)"
        ),
        "loss",
        None,
        flipped,
        cases(weight=(4, 1, 2, 100), f=(0.95, 0.5, 0.25, 0.75, 0.01, 1.0, 1e-9)).drawn(
            lambda: {"weight": whole(10**6), "f": doubles(1e-300, 1.0)}
        ),
        ranges={"weight": (1, 10**6)},
    ).readings(),
    "libraries/opendp/alp-map": Promise(
        "opendp",
        IMPORTS,
        lambda scale, alpha, change: (
            f"dp.m.make_alp_queryable(*sparse, scale={scale!r}, total_limit=100, value_limit=10, "
            f"alpha={alpha}).map(({change}, {change}, 1))"
        ),
        "loss",
        None,
        projected,
        cases(
            scale=(1.0, 0.1, 0.5, 2.0, 4.0, 10.0, 1e-3), alpha=(4, 1, 2, 10, 3), change=(1, 2, 10)
        ).drawn(lambda: {"scale": doubles(1e-3, 1e3), "alpha": whole(100), "change": whole(100)}),
        shaved=Fraction(1, 2),
        ranges={"alpha": (1, 1000)},
    ).readings(),
    "libraries/opendp/amplification-map": Promise(
        "opendp",
        IMPORTS,
        lambda scale, upper, sample, population: (
            f"amplified(total({scale!r}, {sample}, {upper}), {population}, 2)"
        ),
        "loss",
        None,
        lambda scale, upper, sample, population: sampled(
            Fraction(sample, population), upper / term(Fraction(scale))
        ),
        cases(sample__population=SIZES, upper=(10, 1), scale=(5.0, 10.0, 1.0, 100.0, 0.5))
        .drawn(
            lambda: {
                "sample": whole(1000),
                "population": whole(10**6, 2),
                "upper": whole(10),
                "scale": doubles(0.02, 1e6),
            }
        )
        .where(lambda sample, population: sample <= population),
    ).readings(),
    "libraries/opendp/amplification-map-with-delta": Promise(
        "opendp",
        IMPORTS,
        lambda parameter, leak, sample, population: (
            f"amplified(any_of({sample}, ({parameter!r}, {leak!r}), "
            f"dp.approximate(dp.max_divergence())), {population}, 1)"
        ),
        "epsilon",
        amplified,
        lambda epsilon, parameter, leak, sample, population: leaks(
            epsilon, parameter, leak, Fraction(sample, population)
        ),
        cases(sample__population=SIZES, parameter=(1.0, 0.1, 3.0, 10.0), leak=(1e-6, 1e-3, 0.0))
        .drawn(
            lambda: {
                "sample": whole(1000),
                "population": whole(10**6, 2),
                "parameter": doubles(1e-3, 50.0),
                "leak": st.just(0.0) | small(300),
            }
        )
        .where(lambda sample, population: sample < population),
        picks=slice(2),
    ).readings(),
    "libraries/opendp/amplification-map-of-several-records": Promise(
        "opendp",
        IMPORTS,
        lambda parameter, sample, population, changed: (
            f"amplified(any_of({sample}, {parameter!r}, dp.max_divergence()), {population}, "
            f"{changed})"
        ),
        "loss",
        None,
        lambda parameter, sample, population, changed: sampled(
            seen(sample, population, changed), term(Fraction(parameter))
        ),
        cases(
            sample__population=((10, 100), (100, 10_000), (1, 2)),
            changed=(1, 2, 10, 100),
            parameter=(1.0, 0.1, 3.0, 10.0),
        )
        .drawn(
            lambda: {
                "sample": whole(1000),
                "population": whole(10**6, 2),
                "changed": whole(1000),
                "parameter": doubles(1e-3, 50.0),
            }
        )
        .where(lambda sample, population: sample <= population)
        .where(lambda changed, population: changed <= population),
    ).readings(),
}
