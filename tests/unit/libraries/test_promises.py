"""Promises of libraries: a small library that is right, wrong, fails, hangs, or is another one."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from exactdp.audit import (
    audit_claim,
    inventory_changes,
    inventory_of,
    read_inventory,
    write_inventory,
)
from exactdp.audit.labels import restated
from exactdp.claims import (
    Claim,
    Effort,
    Paper,
    Refuted,
    Source,
    cases,
)
from exactdp.claims.certificate import one_line
from exactdp.claims.verdicts import Falls
from exactdp.divergences.questions import Question
from exactdp.execution import absence
from exactdp.numbers import Enclosure
from exactdp.side import Side
from exactdp.truth import Truth
from proofs_check.kernel import Accepted, check
from proofs_check.libraries import PAPER, asked
from proofs_check.libraries.decreasing import Decreasing
from proofs_check.libraries.laws import delta, law
from proofs_check.libraries.promises import Promise, read
from proofs_check.libraries.ranges import TINY
from proofs_check.libraries.search import doubles
from tests.evidence import KeptFile, kept_files

TRUE = "one - math.exp((e - 1 / b) / 2)"
ABOVE = "max(0.0, 1 - math.exp((e - 1 / b) / 2)) * (1 + 1e-9)"
IMPORTS = "import math, os, time\none = 1.0\n"


@pytest.fixture(autouse=True)
def no_long_waits(monkeypatch: pytest.MonkeyPatch) -> Any:
    asked._session.cache_clear()
    asked.reply.cache_clear()
    monkeypatch.setattr(asked, "_CALL_SECONDS", 1.5)
    yield
    asked._session("", IMPORTS).close()
    asked._session.cache_clear()
    asked.reply.cache_clear()


def laplace(expression: str) -> Promise:
    """A promise of delta of Laplace noise, 1 - e^((eps - 1/b)/2)."""
    return Promise(
        "",
        IMPORTS,
        lambda parameter, epsilon: f"(lambda e, b: {expression})({epsilon!r}, {parameter!r})",
        "delta",
        law,
        delta,
        cases(mechanism=("laplace",), parameter=(1.0, 2.0), epsilon=(0.5, 0.25)),
    )


DRAWN = cases(mechanism=("laplace",), parameter=(1.0,), epsilon=(0.5,)).drawn(
    lambda: {
        "mechanism": st.just("laplace"),
        "parameter": doubles(1e-3, 1e3),
        "epsilon": doubles(1e-3, 500.0),
    }
)


def claim_of(promise: Promise, about: str | None = None) -> Claim:
    return Claim(
        "libraries/mine/one", "s", Source("libraries", "x"), promise.readings(), about=about
    )


@pytest.mark.parametrize(
    ("expression", "a", "b"),
    [
        (f"({TRUE}) * (1 + 1e-13)", "survived", "survived"),
        (f"({TRUE}) * (1 - 1e-13)", "survived", "refuted"),
        (f"({TRUE}) * (1 - 1e-9)", "refuted", "refuted"),
        (f"({TRUE}) * (2 if e == 0.25 else 0.5)", "refuted", "refuted"),
        ("-0.5", "refuted", "refuted"),
        ("math.nan", "refuted", "refuted"),
        # Nothing is seen where there is no number, and the false variant says so.
        ("math.inf", "undecided", "undecided"),
        ("1 / 0", "undecided", "undecided"),
        ("os._exit(3)", "undecided", "undecided"),
    ],
)
def test_a_number_is_tried_twice(expression: str, a: str, b: str) -> None:
    found = audit_claim(claim_of(laplace(expression))).readings
    assert [found[key].label for key in "ab"] == [a, b]


def test_a_delta_that_was_rounded_to_zero_is_a_hair_below() -> None:
    far = cases(mechanism=("laplace",), parameter=(1.0,), epsilon=(1 - 2.0**-48, 1 - 2.0**-53))
    found = replace(laplace("0.0"), over=far).readings()
    above, below = sorted(found["a"].instances(Effort.DEFAULT), key=lambda at: at["epsilon"])
    assert [found[key].holds(above).truth for key in "ab"] == [Truth.FALSE, Truth.FALSE]
    assert [found[key].holds(below).truth for key in "ab"] == [Truth.FALSE, Truth.FALSE]
    # A true δ below 1e-15 decides no result.
    assert [found["a"].holds(at).falls for at in (above, below)] == [None, Falls.ROUNDING]
    tails = cases(mechanism=("gaussian",), parameter=(1.0,), epsilon=(45.0,))
    [at] = replace(laplace("0.0"), over=tails).readings()["a"].instances(Effort.DEFAULT)
    assert [found[key].holds(at).truth for key in "ab"] == [Truth.TRUE, Truth.FALSE]


def test_a_call_that_hangs_is_recorded_as_such() -> None:
    over = cases(mechanism=("laplace",), parameter=(1.0,), epsilon=(0.5,))
    [at] = replace(laplace("time.sleep(60)"), over=over).readings()["a"].instances(Effort.DEFAULT)
    assert at["answer"] == "(no answer in 1.5 s)"


def test_a_fault_beyond_the_list_is_found_and_shrunk() -> None:
    broken = replace(laplace(f"{ABOVE} * (0.5 if b < 0.03 else 1)"), over=DRAWN)
    verdict = audit_claim(claim_of(broken)).readings["a"]
    assert isinstance(verdict, Refuted)
    at = read(verdict.witness)
    assert at["parameter"] in (0.02, 0.01, 0.001)
    assert at["epsilon"] == 1.0
    assert verdict.certificate is not None
    content = verdict.certificate.to_bytes(claim="libraries/mine/one", reading="a")
    assert isinstance(check(content), Accepted)


def test_a_right_library_survives_and_counts_its_draws() -> None:
    verdict = audit_claim(claim_of(replace(laplace(ABOVE), over=DRAWN, draws=7))).readings["a"]
    assert verdict.label == "survived"
    assert verdict.instances == 8


def test_certificates_state_the_answer_and_are_compared_without_the_library() -> None:
    statement = laplace(f"({TRUE}) * 0.5").readings()["b"]
    verdict = audit_claim(claim_of(laplace(f"({TRUE}) * 0.5"))).readings["b"]
    assert isinstance(verdict, Refuted) and verdict.certificate is not None
    content = verdict.certificate.to_bytes(claim="libraries/mine/one", reading="b")
    assert isinstance(check(content), Accepted)
    answer = read(verdict.witness)["answer"]
    assert hex(Fraction(answer).numerator) in content.decode()  # type: ignore[arg-type]
    gone = replace(statement, instances=lambda effort: 1 / 0)  # type: ignore[arg-type]
    made = restated(gone, verdict.witness)
    assert made is not None
    assert made.to_bytes(claim="libraries/mine/one", reading="b") == content
    other = restated(gone, verdict.witness.replace("parameter=1.0", "parameter=0.5"))
    assert other is not None
    assert other.to_bytes(claim="libraries/mine/one", reading="b") != content


def test_an_absent_library_changes_nothing(tmp_path: Path) -> None:
    promise = laplace(f"({TRUE}) * 0.5")
    tried, away = claim_of(promise), claim_of(promise, "no-such-library==1.0")
    paper = Paper("libraries", "c", lambda: (tried,), str(tmp_path))
    write_inventory(paper, [audit_claim(tried)])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.json*")}
    assert len(before) == 2
    result = audit_claim(away)
    assert result.label == "absent"
    assert "not installed" in result.readings["a"].reason  # type: ignore[union-attr]
    kept = read_inventory(paper)
    assert kept is not None
    assert inventory_changes(kept, [result], complete=True) == []
    write_inventory(paper, [result])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json*")} == before
    assert inventory_of([audit_claim(tried)]) == kept


def test_another_version_is_not_tried() -> None:
    import numpy

    assert absence(f"numpy=={numpy.__version__}") == ""
    assert absence("numpy==0.1") == f"numpy is {numpy.__version__} here; the claim is about 0.1"


def test_numbers_in_order() -> None:
    def tried(expression: str) -> str:
        one = Decreasing("", IMPORTS, lambda x: expression, cases(x=(1,)))
        asked.reply.cache_clear()
        return audit_claim(
            Claim("libraries/mine/two", "s", Source("l", "x"), {"": one.statement()})
        ).label

    assert tried("[0.5, 0.25, 0.25]") == "survived"
    assert tried("[0.25, 0.5]") == tried("[1.5, 0.5]") == tried("[0.5, -1e-300]") == "refuted"


IDS = [
    "dp-accounting/pld-pessimistic-delta",
    "dp-accounting/pld-pessimistic-epsilon",
    "dp-accounting/pld-optimistic-delta",
    "dp-accounting/pld-range",
    "dp-accounting/rdp-epsilon",
    "dp-accounting/gaussian-sigma",
    "dp-accounting/gaussian-epsilon",
    "dp-accounting/pld-accountant-randomized-response",
    "dp-accounting/rdp-replace-one-gaussian",
    "dp-accounting/rdp-replace-one-laplace",
    "prv-accountant/pure-dp-long",
    "prv-accountant/gaussian",
    "prv-accountant/laplace",
    "prv-accountant/pure-dp",
    "opacus/rdp",
    "opacus/gdp",
    "opacus/prv",
    "opacus/noise-multiplier",
    "prv-accountant/approximate-dp",
    "prv-accountant/noise-multiplier",
    "autodp/analytic-gaussian-calibrator",
    "autodp/gaussian-epsilon",
    "autodp/rdp-randomized-response",
    "diffprivlib/gaussian-analytic",
    "diffprivlib/gaussian",
    "diffprivlib/bounded-or-truncated-laplace",
    "opendp/randomized-response-map",
    "opendp/laplace-map",
    "opendp/zcdp-to-approxdp",
    "opendp/laplace-threshold",
    "opendp/noisy-max",
    "gdpnum/mu",
    "opake-accounting/pessimistic-delta",
    "opake-accounting/random-allocation",
    "random-allocation/bounds",
    "dp-accelerator/rdp",
    "riskcal/operating-points",
    "ipa/readme-bernoulli-count",
    "ietf-binomial-dp/draft-formula",
    "cpsgd/theorem-1",
    "diffprivlib/gaussian-discrete",
    "diffprivlib/laplace-truncated",
    "diffprivlib/laplace-folded",
    "opendp/gaussian-threshold",
    "opendp/gaussian-map",
    "opendp/noisy-max-zcdp",
    "opendp/randomized-response-map-of-categories",
    "gdpnum/advantage",
    "riskcal/advantage-calibration",
    "riskcal/error-rates-calibration",
    "random-allocation/delta-bounds",
    "random-allocation/lower-bound",
    "gdpnum/mu-sampled",
    "gdpnum/advantage-sampled",
    "ietf-binomial-dp/quadratic",
    "ietf-binomial-dp/repair/quadratic",
    "opacus/noise-multiplier-prv",
    "opacus/noise-multiplier-gdp",
    "opake-accounting/attacks",
    "opake-accounting/attacks-false-negatives",
    *(
        f"prv-accountant/{kind}-{end}"
        for kind in ("gaussian", "laplace", "pure-dp", "approximate-dp")
        for end in ("epsilon-lower-end", "delta-upper-end", "delta-lower-end")
    ),
    "riskcal/operating-points-sampled",
    "apple-shuffling/numerical-upper-bound",
    "apple-shuffling/numerical-lower-bound",
    "apple-shuffling/delta-upper-bound",
    "apple-shuffling/delta-lower-bound",
    "apple-shuffling/delta-range",
    "apple-shuffling/closed-form",
    "apple-shuffling/closed-form-formula",
    "balle-shuffling/bounds",
    "balle-shuffling/bounds-of-k-rr",
    "balle-shuffling/bounds-of-laplace",
    "koskela-shuffling/strong-adversary",
    "koskela-shuffling/weak-adversary",
    "wang-amplification/upper-bound",
    "wang-amplification/upper-bound-of-randomizers",
    "wang-amplification/lower-bound",
    "wang-amplification/delta",
    *(
        f"python-dp/partition-selection-{strategy}"
        for strategy in ("truncated-geometric", "laplace", "gaussian")
    ),
    "python-dp/gaussian-std",
    "diffprivlib/geometric",
    "diffprivlib/geometric-truncated",
    "diffprivlib/geometric-folded",
    "diffprivlib/snapping",
    "diffprivlib/budget-accountant",
    "opendp/canonical-noise",
    "opendp/randomized-response-map-of-bit-vectors",
    "opendp/alp-map",
    "opendp/amplification-map",
    "opendp/amplification-map-with-delta",
    "opendp/amplification-map-of-several-records",
    "smartnoise-sql/threshold-laplace",
    "smartnoise-sql/threshold-gaussian",
    "smartnoise-sql/odometer-homogeneous",
    "smartnoise-sql/odometer-heterogeneous",
    "pfl/gaussian-single-iteration",
    "pfl/accountants",
    "pfl/accountants-prv",
    "pfl/accountants-prv-laplace",
    "pfl/accountants-rdp",
    "tensorflow-privacy/gdp-poisson",
    "pipeline-dp/budget",
    "pipeline-dp/budget-sensitivity",
    "pipeline-dp/budget-pure",
    "pipeline-dp/budget-pure-sensitivity",
    "pipeline-dp/budget-generic",
    "pipeline-dp/budget-truncated-geometric",
    "pipeline-dp/thresholding",
    "tmlt-core/conversions",
    "tmlt-core/privacy-functions",
    "tmlt-core/noise-scales",
    "tmlt-core/partition-selection",
    "jax-privacy/calibration",
    "jax-privacy/calibration-banded",
    "jax-privacy/fixed-batches",
]


@pytest.mark.parametrize("asks", ["delta", "epsilon", "parameter"])
def test_by_how_much_is_said_at_the_very_answer(asks: str) -> None:
    """Laplace δ is 1 − e^((ε − 1/b)/2): with an allowance of a tenth the ratio stays that of it."""
    answers = {"delta": "0.1", "epsilon": "0.25", "parameter": "2.0"}
    b, epsilon, delta_asked = Fraction(1), Fraction(1, 2), Fraction(1, 100)
    fields: dict[str, Any] = {"mechanism": ("laplace",)}
    fields |= {"parameter": (1.0,)} if asks != "parameter" else {}
    fields |= {"epsilon": (0.5,)} if asks != "epsilon" else {}
    fields |= {"delta": (0.01,)} if asks != "delta" else {}
    with_answer = {
        "law": lambda mechanism, answer: law(mechanism, answer),
        "delta": lambda mechanism, epsilon, answer: delta(mechanism, epsilon, answer),
    }
    promise = Promise(
        "",
        IMPORTS,
        lambda **_: answers[asks],
        asks,  # type: ignore[arg-type]
        **(with_answer if asks == "parameter" else {"law": law, "delta": delta}),
        over=cases(**fields),
    )
    [at] = promise.instances(Effort.DEFAULT, hair=Fraction(0))
    answer = Fraction(at["answer"])  # type: ignore[arg-type]
    if asks == "parameter":
        b, claim = answer, delta_asked
    elif asks == "epsilon":
        epsilon, claim = answer, delta_asked
    else:
        claim = answer
    ratio = (1 - math.exp((epsilon - 1 / b) / 2)) / float(claim)
    for hair in (Fraction(0), Fraction(1, 10)):
        over = promise.decided(at, hair=hair).over
        if over is None:
            assert promise.decided(at, hair=hair).truth is Truth.TRUE
        else:
            assert float(over[0]) == pytest.approx(ratio) == float(over[1])
    assert promise.decided(at, hair=Fraction(0)).over is not None or ratio < 1


@pytest.mark.parametrize(
    ("allowed", "a"),
    [
        ({}, Truth.FALSE),
        ({"allowed_epsilon": Fraction(1, 100)}, Truth.TRUE),
        ({"allowed_delta": Fraction(1, 100)}, Truth.TRUE),
        ({"allowed_delta": lambda delta: Fraction(delta) / 10}, Truth.TRUE),
        ({"allowed_delta": lambda delta: Fraction(delta) / 1000}, Truth.FALSE),
    ],
)
def test_what_is_documented_is_allowed(allowed: dict[str, Any], a: Truth) -> None:
    """Laplace noise of scale 2 has δ = 1 − e^((0.25 − 0.5)/2) = 0.1175 at ε = 0.25: asked 0.115."""
    promise = Promise(
        "",
        IMPORTS,
        lambda **_: "2.0",
        "parameter",
        lambda mechanism, answer: law(mechanism, answer),
        lambda mechanism, epsilon, answer: delta(mechanism, epsilon, answer),
        over=cases(mechanism=("laplace",), epsilon=(0.25,), delta=(0.115,)),
        **allowed,
    )
    [at] = promise.instances(Effort.DEFAULT, hair=Fraction(0))
    assert promise.decided(at, hair=Fraction(1, 10**12)).truth is a
    assert promise.decided(at, hair=Fraction(0)).truth is Truth.FALSE


def test_the_most_telling_failure_is_kept() -> None:
    """Of ordinary deployments the one that fails by most, not one far out that fails by more."""
    wrong = f"({TRUE}) * {{0.25: 1 - 1e-11, 0.5: 0.5, 0.125: 0.9, 1 - 2**-40: 0.001}}[e]"
    over = cases(mechanism=("laplace",), parameter=(1.0,), epsilon=(0.25, 0.125, 0.5, 1 - 2.0**-40))
    verdict = audit_claim(claim_of(replace(laplace(wrong), over=over))).readings["a"]
    assert isinstance(verdict, Refuted)
    assert read(verdict.witness)["epsilon"] == 0.5
    assert verdict.over is not None and float(verdict.over[0]) == pytest.approx(2)
    far = cases(mechanism=("laplace",), parameter=(1.0,), epsilon=(0.25, 1 - 2.0**-40))
    verdict = audit_claim(claim_of(replace(laplace(wrong), over=far))).readings["a"]
    assert isinstance(verdict, Refuted)
    assert read(verdict.witness)["epsilon"] == 1 - 2.0**-40


def test_only_what_is_lost_by_rounding_is_called_so() -> None:
    """By less than 1e-9 at the answer, where the promise allows nothing and δ is 1e-15 or more."""
    kept = read_inventory(PAPER)
    assert kept is not None
    labels = {Falls.ROUNDING.value: 0, Falls.RESULT.value: 0}
    for claim in PAPER.claims():
        for key, facts in kept[claim.id]["readings"].items():
            if facts["verdict"] != "refuted" or claim.apart(key) or claim.about is None:
                continue
            by = facts.get("by_how_much") or {}
            lower, upper = by.get("lower"), by.get("upper")
            if lower is None or upper is None:
                continue
            labels[facts["falls"]] += 1
            is_slight = float(lower) <= 1 <= float(upper) <= 1.001
            true = float(facts["sides"]["left"]["decimal"])
            is_rounding = facts["falls"] == Falls.ROUNDING.value
            assert (is_slight or true < TINY) if is_rounding else true >= TINY, claim.id
    assert all(labels.values())


def test_the_catalog_has_every_promise_with_its_version() -> None:
    claims = {claim.id: claim for claim in PAPER.claims()}
    assert {f"libraries/{name}" for name in IDS} <= set(claims)
    for claim_id, claim in claims.items():
        needs_none = claim_id.split("/")[1] in ("ipa", "ietf-binomial-dp", "cpsgd")
        assert (claim.about is None) is needs_none


KEPT = kept_files("certificates", "libraries")
LONG = {"libraries/jax-privacy/fixed-batches", "libraries/random-allocation/lower-bound"}
"""Claims that take seconds to be stated anew: with ``--deep``, and in ``.ci/libraries``."""


@cache
def kept_claims() -> Any:
    """What is kept of each claim, and the claims."""
    kept = read_inventory(PAPER)
    assert kept is not None
    return kept, {claim.id: claim for claim in PAPER.claims()}


@pytest.mark.parametrize(
    ("side", "claimed", "says"),
    [(Side.UPPER, 0.3, "is at least 0.39 > 0.29"), (Side.LOWER, 0.5, "is at most 0.4")],
)
def test_a_failure_says_of_the_truth_only_what_its_digits_show(
    side: Side, claimed: float, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few digits may not tell the truth, 1 - e^(-1/2), from a claim that it is on one side of."""
    made = replace(laplace(TRUE), side=side)
    at = read(f"mechanism=laplace, parameter=0.5, epsilon=1.0, answer={claimed}")
    for ends, words in (("0.39", "0.4"), says), (("0.2", "0.6"), "is on the wrong side of 0."):
        told = Enclosure(*map(Fraction, ends))
        monkeypatch.setattr(Question, "answer", lambda *_, told=told: told)
        outcome = made.decided(at, hair=Fraction(0))
        assert outcome.truth is Truth.FALSE and words in re.sub("0{5,}", "", outcome.found)


@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
def test_kept_certificates_are_the_claims_at_their_witnesses(
    path: KeptFile, request: pytest.FixtureRequest
) -> None:
    content = path.read_bytes()
    document = json.loads(content)
    kept, claims = kept_claims()
    claim, reading = claims[document["claim"]], document.get("reading", "")
    if claim.id in LONG and not request.config.getoption("--deep"):
        pytest.skip("it takes seconds: with --deep")
    assert kept[claim.id].get("about") == claim.about
    if claim.about is None:
        return  # the trial of the catalog does it
    witness = kept[claim.id]["readings"][reading]["witness"]
    made = restated(claim.readings[reading], witness)  # type: ignore[arg-type]
    assert made is not None
    assert one_line(made.to_bytes(claim=claim.id, reading=reading)) == content
