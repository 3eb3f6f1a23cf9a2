"""The bounds of erlingsson2019: formulas written anew, and truths by enumeration."""

from fractions import Fraction

import pytest
from mpmath import exp, log, sqrt

from exactdp.bounds import published
from exactdp.numbers import Epsilon, decimal
from proofs_check.erlingsson2019.client import change_vectors, client_rows
from tests.bounds.routes import number, ordered_truth, same_formula


def advanced(k, epsilon, delta, **_):
    return epsilon * sqrt(2 * k * log(1 / delta)) + k * epsilon * (exp(epsilon) - 1)


def general(n, epsilon0, delta):
    return advanced(n, 2 * exp(2 * epsilon0) * (exp(epsilon0) - 1) / n, delta)


def small(n, epsilon0, delta):
    c = exp(2 * epsilon0) * (exp(epsilon0) - 1)
    return c * sqrt(8 * log(1 / delta) / n) + 6 * c**2 / n


def large(n, epsilon0, delta):
    return 12 * epsilon0 * sqrt(log(1 / delta) / n)


def display(levels, n, k, epsilon, beta):
    c = (exp(epsilon / 2) + 1) / (exp(epsilon / 2) - 1)
    return c * k * levels ** number("3/2") * sqrt(n * log(2 * 2**levels / beta))


def triangle(epsilon1, delta1, epsilon2, delta2):
    return max(delta1 + exp(epsilon1) * delta2, delta2 + exp(epsilon2) * delta1)


AT = {"n": 5000, "epsilon0": "1/4", "delta": "1e-6"}
STEPS = {"k": 20, "epsilon": "1/1000", "delta": "1e-5"}
CLOSE = {"epsilon1": 1, "delta1": "1/100", "epsilon2": 2, "delta2": "1/1000"}

FORMS = [
    ("theorem-2", advanced, STEPS | {"step_delta": "1e-9"}),
    ("theorem-2", advanced, STEPS | {"epsilon": 2, "step_delta": 0}),
    ("theorem-2/corollary", lambda k, epsilon, delta: 2 * epsilon * sqrt(2 * k * log(1 / delta)),
     STEPS),
    ("lemma-3/triangle", lambda delta1, delta2, **_: delta1 + delta2, CLOSE),
    ("repair/lemma-3-triangle", triangle, CLOSE),
    ("lemma-4", lambda q, epsilon: log(q * (exp(epsilon) - 1) + 1), {"q": "1/50", "epsilon": 1}),
    ("lemma-4/epsilon-prime", lambda q, epsilon: q * (exp(epsilon) - 1),
     {"q": "1/50", "epsilon": 1}),
    ("theorem-5", lambda epsilon, **_: epsilon, {"levels": 3, "k": 20, "epsilon": "1/2"}),
    ("theorem-6/proof/final-display", display,
     {"levels": 4, "n": 10**4, "k": 2, "epsilon": "1/2", "beta": "1/3"}),
    ("theorem-7/general", general, AT),
    ("theorem-7/small-epsilon0", small, AT),
    ("theorem-7/n>=1000", large, AT),
    ("theorem-8", general, AT),
    ("remark-1/dp-to-rdp", lambda epsilon, order: order * epsilon**2 / 2,
     {"epsilon": "1/2", "order": 4}),
    ("remark-1/rdp", lambda n, epsilon0, order: 2 * order * exp(4 * epsilon0)
     * (exp(epsilon0) - 1) ** 2 / n, {"n": 50, "epsilon0": "1/2", "order": 4}),
    ("corollary-9", large, AT),
    ("repair/corollary-9", large, AT),
]  # fmt: skip


@pytest.mark.parametrize(("name", "form", "at"), FORMS)
def test_formula(name, form, at):
    name = f"erlingsson2019/{name}"
    same_formula(name, at, form(**{name: number(x) for name, x in at.items()}))
    ordered_truth(name, at)


@pytest.mark.parametrize(("levels", "k"), [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)])
def test_the_client_is_as_private_as_its_rows(levels, k):
    """The largest ratio of two rows of the client, over all of its inputs."""
    epsilon = Fraction(2)
    inputs = tuple(change_vectors(d=2**levels, k=k))
    rows = client_rows(inputs, k=k, epsilon=Epsilon.rational(epsilon))
    largest = max(max(column) / min(column) for column in zip(*rows, strict=True))
    target = published("erlingsson2019/theorem-5").truth(levels=levels, k=k, epsilon=epsilon)
    ((_, found),) = target.below
    assert decimal(found, digits=20) == decimal(Epsilon(largest).nats, digits=20)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("lemma-3/triangle", CLOSE),
        ("corollary-9", AT),
        ("theorem-6/proof/final-display",
         {"levels": 1, "n": 10**6, "k": 1, "epsilon": 1, "beta": "1/3"}),
    ],
)  # fmt: skip
def test_a_refuted_bound_is_below_the_truth(name, at):
    assert published(f"erlingsson2019/{name}")(**at).below_truth == "formula"
