"""Closeness is shown for the masses of each event; here whole laws, by their divergences."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import pytest

from exactdp.audit.claimed import in_numbers
from exactdp.claims.values import exact_value
from proofs_check.erlingsson2019.trials import closeness, section_2, theorem_6, theorem_7
from proofs_check.erlingsson2019.trials.closeness import both, mix
from proofs_check.lemmas.trials.divergences import laws

LAWS = laws(3, 2)
HALF = Fraction(1, 2)


def least(p, q, exp_epsilon):
    """The least δ at which two laws are close: the larger hockey-stick divergence."""
    return exact_value(section_2.most(*both(p, q, exp_epsilon)))


def mixed(p, q, a):
    return tuple(exact_value(mix(u, v, a)) for u, v in zip(p, q, strict=True))


@pytest.mark.parametrize("exp_epsilon", [Fraction(1), Fraction(3, 2), Fraction(3)])
@pytest.mark.parametrize("q", [Fraction(0), Fraction(1, 4), Fraction(49, 100)])
def test_subsampling_of_whole_laws(exp_epsilon, q):
    for mu_1, mu_0 in product(LAWS, repeat=2):
        sampled = least(mixed(mu_0, mu_1, q), mu_0, 1 + q * (exp_epsilon - 1))
        assert sampled <= q * least(mu_1, mu_0, exp_epsilon)


def test_mixtures_and_chains_of_whole_laws():
    for a, b, c in product(LAWS, repeat=3):
        e1, e2 = Fraction(2), Fraction(3, 2)
        d1, d2 = least(a, b, e1), least(b, c, e2)
        assert least(a, c, e1 * e2) <= max(d1 + e1 * d2, d2 + e2 * d1)
        pairs = max(least(a, b, e1), least(c, b, e1))
        assert least(mixed(a, c, HALF), b, e1) <= pairs


PROVED = {
    "section-2/closeness": (closeness, {"power": 2}),
    "lemma-3/monotonicity": (closeness, {"share": Fraction(99, 100)}),
    "lemma-3/quasi-convexity": (closeness, {"share": Fraction(99, 100)}),
    "lemma-4": (closeness, {"share": Fraction(99, 100)}),
    "theorem-6/proof/response-mean": (theorem_6, {"shift": 1}),
    "theorem-7/proof/epsilon1-half": (theorem_7, {"bound": Fraction(49, 100)}),
}


@pytest.mark.parametrize("name", PROVED)
def test_the_reasons_do_not_prove_a_nearby_falsehood(name):
    module, change = PROVED[name]
    claim = module.TRIALS[f"erlingsson2019/{name}"]
    (rule,) = claim.proof.steps[-1].written()
    again = in_numbers(*rule.parts["reasons"])
    assert again(claim).verdict("", claim).label == "proved"
    assert again(replace(claim, says=partial(claim.says, **change))).verdict("") is None
