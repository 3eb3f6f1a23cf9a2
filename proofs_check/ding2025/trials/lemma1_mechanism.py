"""Appendix A: Proposition 2, noise of scale sup Δ* / ε, on alphabets with and without gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

from exactdp.certificates import Certificate, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.truth import Truth
from proofs_check.ding2025.cumulative import Shifts
from proofs_check.ding2025.laws import worst_ratio
from proofs_check.ding2025.terms import LinePair, shift_relations, violation
from proofs_check.ding2025.trials.lemma1 import (
    Largest,
    cumulative,
    lemma_1_proof,
    printed,
    symmetric,
    symmetric_proof,
)
from proofs_check.ding2025.trials.lemma1_instances import (
    consecutive,
    pair_strategy,
    with_any_gaps,
    with_integer_gaps,
)

__all__ = ["TRIALS", "by_transport", "transport_bound_holds"]


def _proposition_2(
    largest: Largest,
    *,
    instances: Callable[[Effort], Iterator[Instance]],
    strategy: Callable[[], Any] | None = None,
    proof: Callable[[], Proved | None] | None = None,
    shifts: Shifts | None = None,
    powers: tuple[int, int] = (1, 1),
) -> Statement:
    """Laplace noise with θ = sup Δ* / ε attains ε.

    With h > 1 rational, u the lattice step and sup Δ* = k u: e^{u/θ} = h^b and
    e^ε = h^{a k} for θ = (a/b) sup Δ* / ε, ``powers`` = (a, b). The print has a = b = 1.
    θ = 0 is no Laplace noise: pairs with sup Δ* = 0 are left out.
    """
    a, b = powers

    def distance(v: Mapping[str, Any]) -> Fraction:
        return largest(cumulative(v["P"].law), cumulative(v["Q"].law), v["X"])

    def with_noise(effort: Effort) -> Iterator[Instance]:
        for at in instances(effort):
            if distance(at.mapping()) > 0:
                yield Instance((*at.values, ("base", Fraction(2))))

    def search() -> Any:
        from hypothesis import strategies as st

        assert strategy is not None
        bases = st.sampled_from([Fraction(v) for v in ("2", "3/2", "10/9", "7")])
        return st.builds(
            lambda at, base: Instance((*at.values, ("base", base))),
            strategy().filter(lambda at: distance(at.mapping()) > 0),
            bases,
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, base = v["P"].law, v["Q"].law, v["base"]
        unit = Fraction(1, lcm(*(x.denominator for x in v["X"])))
        steps = distance(v) / unit
        growth, exp_epsilon = base**b, base ** int(a * steps)
        ratio, _, _ = worst_ratio(p, q, growth=growth, unit=unit)

        def certificate() -> Certificate:
            # e^{u/θ} = growth and e^ε = growth^{sup Δ*/u}, where Δ* is what the relations say.
            assert shifts is not None
            pair = LinePair.of(p, q, points=v["X"])
            hypotheses: list[Any] = []
            values = []
            for x in v["X"]:
                value, relations = shift_relations(pair, p, q, x, shifts=shifts)
                values.append(term(value))
                hypotheses += relations
            hypotheses.append(relation("=", function("max", *values), distance(v)))
            hypotheses.append(relation("=", exp_epsilon, term(growth) ** int(steps)))
            return violation(
                p,
                q,
                exp_epsilon=exp_epsilon,
                growth=growth,
                unit=unit,
                points=v["X"],
                hypotheses=hypotheses,
            )

        return Outcome(
            Truth.of(ratio <= exp_epsilon),
            f"sup of Delta* is {distance(v)}, e^eps = {exp_epsilon}, worst ratio {ratio}",
            None if shifts is None else certificate,
            slack=exp_epsilon / ratio,
        )

    variant = None
    if proof is not None:
        variant = _proposition_2(largest, instances=instances, powers=(2, 3))
    return Statement(
        instances=with_noise,
        holds=holds,
        strategy=None if strategy is None else search,
        proof=proof,
        false_variant=variant,
    )


def transport_bound_holds() -> bool:
    """Return whether K(y − x) <= e^{|x − x'|/θ} K(y − x') for the Laplace density K.

    It is |y − x'| − |y − x| <= |x − x'|: both sides are homogeneous, do not change under a
    common shift, and are linear on each order of y, x, x'; so 0/1 vectors decide.
    """
    return all(abs(y - z) - abs(y - x) <= abs(x - z) for y, x, z in product((0, 1), repeat=3))


def by_transport(largest_distance: Proved | None) -> Proved | None:
    """Conclude from what sup Δ* is to privacy with θ = sup Δ* / ε."""
    if largest_distance is None or not transport_bound_holds():
        return None
    return Proved(
        f"{largest_distance.domain}, eps > 0, one pair of secrets or the largest theta of many",
        "sup Delta* is the plan's largest distance W (Lemma 1, proved there), and with "
        "theta = W/eps f_i(y) = sum pi* K(y-x) <= sum pi* e^(|x-x'|/theta) K(y-x') <= "
        "e^eps f_j(y), as |y-x'| - |y-x| <= |x-x'|; likewise with i and j exchanged",
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/proposition-2": {
        "a": _proposition_2(
            printed(Shifts.INTEGERS), instances=with_integer_gaps, shifts=Shifts.INTEGERS
        ),
        "b": _proposition_2(printed(Shifts.REALS), instances=with_any_gaps, shifts=Shifts.REALS),
        "c": _proposition_2(
            printed(Shifts.INTEGERS),
            instances=consecutive,
            strategy=pair_strategy(),
            proof=lambda: by_transport(lemma_1_proof()),
        ),
    },
    "ding2025/repair/proposition-2": {
        "": _proposition_2(
            symmetric,
            instances=with_any_gaps,
            strategy=pair_strategy(gaps=("1", "1/2", "5/3")),
            proof=lambda: by_transport(symmetric_proof()),
        )
    },
}
