"""Theorem 2 for users who add Laplace or Gaussian noise: lower bounds on the true δ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import (
    Certificate,
    Relation,
    Term,
    function,
    hockey_stick,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Outcome, Statement
from exactdp.numbers import Enclosure, Exact, decimal
from exactdp.truth import Truth
from proofs_check.liu2024.curves import CentralBound
from proofs_check.liu2024.noise import Shape, other_probabilities, victim_probability
from proofs_check.liu2024.trials.figure_3 import MAKE, least_of
from proofs_check.liu2024.trials.noise_terms import (
    gaussian_delta,
    gaussian_other_terms,
    laplace_other_terms,
    probability_below,
)
from proofs_check.liu2024.trials.protocols import best_delta_term
from proofs_check.liu2024.truth import threshold_view

__all__ = ["noisy"]


def noisy(shape: Shape) -> Statement:
    """All users add noise of one family to inputs in [0, 1], x_i = x_1^0 = 0, ε_i < ε_1 <= 2.

    The truth is at least that of the number of messages below a threshold. Gaussian: σ of
    three digits above the least for (ε, 10^−10); T_δ is empty, for no density is above 1/2.
    """
    parameters = (
        [(Fraction(1), Fraction(99, 100)), (Fraction(2), Fraction(199, 100))]
        if shape is Shape.LAPLACE
        else [(Fraction(1513, 500), Fraction(3041, 1000))]
    )

    def instances(effort: Effort) -> Iterator[Instance]:
        for (first, second), n in product(parameters, (2, 3, 10)):
            for e, cut in product(("1/100", "1/1000", "1/10"), ("3/4", "3/2", "2")):
                named = (
                    {"epsilon_1": first, "epsilon_i": second}
                    if shape is Shape.LAPLACE
                    else {"sigma_1": first, "sigma_i": second}
                )
                yield Instance.of(n=n, **named, epsilon=Fraction(e), threshold=Fraction(cut))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, cut, epsilon = v["n"], v["threshold"], v["epsilon"]
        scales = _scales(at)
        make = MAKE[shape]
        zero, one, other = make(0, scales[0]), make(1, scales[0]), make(0, scales[1])
        p = least_of(other_probabilities(zero, one, other))
        w = victim_probability(zero, one)
        delta_1 = Exact(0) if shape is Shape.LAPLACE else Exact("1e-10")
        bound = CentralBound([(p, n - 1)], w=w, delta_1=delta_1, bits=96).best_delta(
            epsilon=epsilon, first=0
        )
        view = threshold_view(zero, one, [(other, n - 1)], threshold=cut, bits=96)
        gamma = Exact.exp(epsilon)
        true = max(
            (view.delta(exp_epsilon=gamma), view.reverse_delta(exp_epsilon=gamma)),
            key=lambda found: found.lower,
        )
        found = f"δ_s = {_shown(bound)}, true δ at least {_shown(true)}"
        if true.lower > bound.upper:
            return Outcome(Truth.FALSE, found, lambda: _noisy_certificate(shape, at))
        return Outcome(Truth.TRUE, found, slack=bound.lower / true.upper)

    return Statement(instances=instances, holds=holds)


def _scales(at: Instance) -> tuple[Fraction, Fraction]:
    v: Mapping[str, Any] = at.mapping()
    if "epsilon_1" in v:
        return 1 / v["epsilon_1"], 1 / v["epsilon_i"]
    return v["sigma_1"], v["sigma_i"]


def _shown(value: Enclosure) -> str:
    return decimal(Exact(value.lower), digits=6)


def _noisy_certificate(shape: Shape, at: Instance) -> Certificate:
    v: Mapping[str, Any] = at.mapping()
    (s, r), n, cut = _scales(at), v["n"], v["threshold"]
    below = [
        probability_below(shape, cut, center=center, scale=scale)
        for center, scale in ((0, s), (1, s), (0, r))
    ]
    rows = [[b, 1 - b] for b in below]
    views = [
        hockey_stick(shuffle_pair(rows, inputs=inputs, others=[(2, n - 1)]), ref("gamma")).json
        for inputs in ((0, 1), (1, 0))
    ]
    hypotheses: list[Relation] = []
    delta_1 = term(0)
    if shape is Shape.LAPLACE:
        w, ends = function("exp", -1 / (2 * s)) / 2, laplace_other_terms(1 / s, 1 / r)
    else:
        delta_1 = term(Fraction(1, 10**10))
        w, ends = function("normal_cdf", -1 / (2 * s)), gaussian_other_terms(1 / s, r / s)
        hypotheses = [
            relation("<=", gaussian_delta(1 / scale, epsilon), delta_1)
            for scale, epsilon in ((s, Fraction(2)), (r, Fraction(199, 100)))
        ]
    define = [("w", w), ("p_i", function("min", *ends)), ("gamma", function("exp", v["epsilon"]))]
    bound = best_delta_term(ref("w"), [(ref("p_i"), n - 1)], ref("gamma"), delta_1)
    return Certificate(
        define=define,
        hypotheses=hypotheses,
        conclusion=[relation(">", Term(["max", *views]), bound)],
    )
