"""The bounds that the paper publishes, as people run them."""

from typing import Any

from exactdp.bounds import PublishedBound
from exactdp.claims.domains import Domain
from exactdp.claims.forms import at_least, at_most, below
from exactdp.claims.kinds import integers, reals
from exactdp.claims.terms import formula
from proofs_check.erlingsson2019 import bounds, truths
from proofs_check.lemmas.targets import OF_SHUFFLED, shuffled_at

AT_DELTA = {"n": integers(2), "epsilon0": reals(above=0), "delta": reals(above=0, below=1)}
LARGE = {"epsilon0": reals(above=0, below="1/2"), "delta": reals(above=0, below="1/100")}
STEPS = {"k": integers(1), "epsilon": reals(0), "delta": reals(above=0, below=1)}
TWO = {
    "epsilon1": reals(0),
    "delta1": reals(0, 1),
    "epsilon2": reals(0),
    "delta2": reals(0, 1),
}
SAMPLED = {"q": reals(0, below="1/2"), "epsilon": reals(0)}
UNITS = {"epsilon1": "nats", "epsilon2": "nats", "delta1": "a probability",
         "delta2": "a probability", "q": "a probability", "levels": "log_2 of the periods",
         "k": "changes of one user's value", "beta": "a probability"}  # fmt: skip

OF_SWAPPED = "n users in turn, any ε0-private randomizers, the first user swapped with a random one"

TRIANGLE: dict[str, Any] = {
    "domain": Domain(TWO),
    "bounds": "delta",
    "of": "μ_1 and μ_3 at ε_1 + ε_2, where μ_1 ≈(ε_1, δ_1) μ_2 ≈(ε_2, δ_2) μ_3",
    "truth": truths.triangle,
    "units": UNITS,
}
SAMPLE: dict[str, Any] = {
    "domain": Domain(SAMPLED),
    "bounds": "epsilon",
    "of": "(1 − q)μ_0 + qμ_1 beside μ_0, where μ_1 ≈(ε, δ) μ_0, at qδ",
    "truth": truths.sampled,
    "units": UNITS,
}
SHUFFLED: dict[str, Any] = {"bounds": "epsilon", "of": OF_SHUFFLED, "truth": shuffled_at()}
COROLLARY_9: dict[str, Any] = {
    "formula": bounds.large_n_bound,
    "domain": Domain({"n": integers(1), **LARGE}, (lambda n: at_least(n, 1000),)),
    "bounds": "epsilon",
}


def repaired_triangle(f: Any, *, epsilon1: Any, delta1: Any, epsilon2: Any, delta2: Any) -> Any:
    """Return max(delta1 + e^eps1 delta2, delta2 + e^eps2 delta1)."""
    return f.maximum(delta1 + f.exp(epsilon1) * delta2, delta2 + f.exp(epsilon2) * delta1)


BOUNDS = [
    PublishedBound(
        "erlingsson2019/theorem-2",
        lambda f, *, k, epsilon, step_delta, delta: bounds.advanced_composition(
            f, k=k, epsilon=epsilon, delta=delta
        ),
        Domain({**STEPS, "step_delta": reals(0, below=1)}),
        bounds="epsilon",
        of="k steps, (ε, δ_step)-private each, at kδ_step + δ",
        truth=truths.composed_steps,
        stable=lambda f, *, k, epsilon, step_delta, delta: bounds.advanced_composition_stably(
            f, k=k, epsilon=epsilon, delta=delta
        ),
        units={"k": "steps", "step_delta": "a probability"},
    ),
    PublishedBound(
        "erlingsson2019/theorem-2/corollary",
        bounds.overhead,
        Domain(
            {**STEPS, "epsilon": reals(0, below=1)},
            (
                lambda k, epsilon, delta: below(
                    formula(bounds.overhead, k=k, epsilon=epsilon, delta=delta), 1
                ),
            ),
        ),
        bounds="epsilon",
        stable=lambda f, *, k, epsilon, delta: 2 * epsilon * f.sqrt(2 * k * -f.log(delta)),
        of="k steps, (ε, δ)-private each, at (k + 1)δ",
        truth=lambda k, epsilon, delta: truths.composed_steps(k, epsilon, delta, delta),
        units={"k": "steps"},
    ),
    PublishedBound(
        "erlingsson2019/lemma-3/triangle",
        lambda f, *, epsilon1, delta1, epsilon2, delta2: delta1 + delta2,
        instead="erlingsson2019/repair/lemma-3-triangle",
        **TRIANGLE,
    ),
    PublishedBound("erlingsson2019/repair/lemma-3-triangle", repaired_triangle, **TRIANGLE),
    PublishedBound(
        "erlingsson2019/lemma-4",
        bounds.amplified_by_sampling,
        stable=bounds.amplified_by_sampling_stably,
        **SAMPLE,
    ),
    PublishedBound(
        "erlingsson2019/lemma-4/epsilon-prime",
        bounds.amplified_by_sampling_linearly,
        stable=lambda f, *, q, epsilon: q * f.expm1(epsilon),
        **SAMPLE,
    ),
    PublishedBound(
        "erlingsson2019/theorem-5",
        lambda f, *, levels, k, epsilon: epsilon,
        Domain({"levels": integers(0, 40), "k": integers(1), "epsilon": reals(0)}),
        bounds="epsilon",
        of="all outputs of one user's client over 2^levels periods, any two inputs",
        truth=truths.client,
        units=UNITS,
    ),
    PublishedBound(
        "erlingsson2019/theorem-6/proof/final-display",
        bounds.deviation,
        Domain(
            {
                "levels": integers(1, 40),
                "n": integers(1),
                "k": integers(1),
                "epsilon": reals(above=0, most=1),
                "beta": reals(above=0, below=1),
            }
        ),
        bounds="deviation",
        of="the estimates of all 2^levels periods, except with probability β",
        stable=bounds.deviation_stably,
        truth=truths.estimates,
        instead="the scale log_2 d + 1 (erlingsson2019/repair/theorem-6-expectation)",
        units=UNITS,
    ),
    PublishedBound(
        "erlingsson2019/theorem-7/general",
        bounds.general_bound,
        Domain(AT_DELTA),
        stable=bounds.general_bound_stably,
        **SHUFFLED,
    ),
    PublishedBound(
        "erlingsson2019/theorem-7/small-epsilon0",
        bounds.small_epsilon0_bound,
        Domain(
            AT_DELTA,
            (lambda n, epsilon0: at_most(epsilon0, formula(bounds.largest_epsilon0, n=n)),),
        ),
        stable=bounds.small_epsilon0_stably,
        **SHUFFLED,
    ),
    PublishedBound(
        "erlingsson2019/theorem-7/n>=1000",
        bounds.large_n_bound,
        Domain({"n": integers(2), **LARGE}, (lambda n: at_least(n, 1000),)),
        **SHUFFLED,
    ),
    PublishedBound(
        "erlingsson2019/theorem-8",
        bounds.general_bound,
        Domain(AT_DELTA),
        bounds="epsilon",
        of=OF_SWAPPED,
        truth=truths.swapped,
        stable=bounds.general_bound_stably,
    ),
    PublishedBound(
        "erlingsson2019/remark-1/dp-to-rdp",
        bounds.renyi_of_private,
        Domain({"epsilon": reals(0), "order": reals(above=1)}),
        bounds="renyi",
        of="any ε-private mechanism",
        truth=truths.renyi_of_private,
    ),
    PublishedBound(
        "erlingsson2019/remark-1/rdp",
        bounds.renyi_bound,
        Domain({"n": integers(2), "epsilon0": reals(above=0), "order": reals(above=1)}),
        bounds="renyi",
        of=OF_SHUFFLED,
        truth=shuffled_at("order"),
        stable=bounds.renyi_stably,
    ),
    PublishedBound(
        "erlingsson2019/corollary-9",
        of="a user among n with one ε0-private randomizer, others answering after seeing them",
        truth=truths.copied,
        instead="erlingsson2019/repair/corollary-9, if nobody else sees the n users' outputs",
        **COROLLARY_9,
    ),
    PublishedBound(
        "erlingsson2019/repair/corollary-9",
        of="a user among n with one ε0-private randomizer, whose outputs nobody else sees",
        truth=shuffled_at(),
        **COROLLARY_9,
    ),
]
