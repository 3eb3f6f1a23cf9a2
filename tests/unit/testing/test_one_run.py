"""One-run audits: by hand, from the definition, as the paper printed them, and by the kernel."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import mpmath
import pytest
from typer.testing import CliRunner

from exactdp.claims import term, value
from exactdp.cli.app import application
from exactdp.errors import DomainError, ExactDPError, ParseError, TooLargeError
from exactdp.numbers import Epsilon, Exact, enclosure
from exactdp.testing import OneRun
from proofs_check.kernel import Accepted, Rejected, check


def from_the_definition(m: int, r: int, v: int, delta: Fraction, odds: Fraction) -> Fraction:
    """β + 2mδα over all i from 1 to m, in fractions."""
    law = [comb(r, k) * odds**k / (1 + odds) ** r for k in range(r + 1)]
    means = [sum(law[max(0, v - i) : v], Fraction(0)) / i for i in range(1, m + 1)]
    return sum(law[v:], Fraction(0)) + 2 * m * delta * max(means)


@pytest.mark.parametrize("odds", ["1", "3/2", "3", "40"])
@pytest.mark.parametrize(
    ("m", "r", "v"), [(1, 1, 1), (7, 4, 0), (9, 6, 2), (12, 12, 11), (40, 30, 17), (60, 25, 25)]
)
@pytest.mark.parametrize("delta", ["0", "1/1000", "1/20"])
def test_p_values_are_those_of_the_definition(
    m: int, r: int, v: int, delta: str, odds: str
) -> None:
    expected = from_the_definition(m, r, v, Fraction(delta), Fraction(odds))
    found = enclosure(OneRun(m, r, v, delta).p_value(Epsilon.log(odds)), relative_bits=90)
    assert found.contains(expected)


def test_tails_of_many_guesses_are_those_of_mpmath() -> None:
    with mpmath.workdps(40):
        for r, v, epsilon in ((600, 450, "1"), (600, 300, "1.2"), (900, 899, "0.1")):
            q = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
            law = (mpmath.binomial(r, k) * q**k * (1 - q) ** (r - k) for k in range(v, r + 1))
            tail = mpmath.fsum(law)
            p = OneRun(r, r, v).p_value(Epsilon.rational(epsilon)).ball(200)
            assert abs(mpmath.mpf(p.mid().str(40, radius=False)) / tail - 1) < mpmath.mpf("1e-30")


@pytest.mark.parametrize(
    ("m", "r", "v", "delta", "printed"),
    [
        (1000, 100, 75, "1e-4", "0.673"),  # Appendix D, page 46
        (100_000, 1510, 1439, "1e-5", "2.675"),  # Section 7, page 28: 2.67585, cut
    ],
)
def test_what_the_paper_printed(m: int, r: int, v: int, delta: str, printed: str) -> None:
    found = OneRun(m, r, v, delta).refuted(level="0.05")
    assert abs(found.lower - Fraction(printed)) < Fraction(1, 1000)
    assert found.width < Fraction(1, 10**5)


def test_all_right_is_a_power() -> None:
    """Pure DP, all r right: (e^ε/(1 + e^ε))^r = p at e^ε = s/(1 − s), s = p^(1/r)."""
    found = OneRun(2, 2, 2).refuted(level="9/16", relative_width="1e-12")
    assert found.lower < found.upper
    odds = [Exact.exp(end) for end in (found.lower, found.upper)]
    assert bool(odds[0] < 3)
    assert bool(odds[1] > 3)
    assert OneRun(2, 2, 2).refuted(level="1/4").upper == 0  # blind guessing, a quarter of the time
    assert OneRun(5, 5, 0, "1/3").refuted(level="1/2").upper == 0
    assert OneRun(5, 0, 0).refuted(level="1/2").upper == 0


@pytest.mark.parametrize(
    ("m", "r", "v", "delta"), [(30, 30, 30, 0), (300, 40, 36, "1e-4"), (1000, 500, 420, "1e-3")]
)
def test_the_kernel_accepts_what_is_refuted_and_nothing_beyond(
    m: int, r: int, v: int, delta: str
) -> None:
    audit = OneRun(m, r, v, delta)
    found = audit.refuted(level="0.05")
    data = audit.certificate(level="0.05", epsilon=found.lower).to_bytes(claim="one run")
    assert isinstance(check(data), Accepted)
    document = json.loads(data)
    [[sign, left, _]] = document["conclusion"]
    p = enclosure(audit.p_value(Epsilon.rational(found.lower)), relative_bits=100)
    for factor, kind in ((1 - Fraction(1, 10**12), Rejected), (1 + Fraction(1, 10**12), Accepted)):
        # Nothing is given away: the bound is the p-value itself.
        document["conclusion"] = [[sign, left, term(Exact(p.lower * factor)).json]]
        assert isinstance(check(json.dumps(document).encode()), kind)
    if delta:
        # All sums up to I, and for the others 1/(I + 1).
        *sums, last = left[2][2][1:]
        assert last == f"0x1/{hex(len(sums) + 1)}"
    with pytest.raises(DomainError, match="is not refuted: its p-value is"):
        audit.certificate(level="0.05", epsilon=found.upper)


def test_the_certificate_is_what_the_engine_evaluates() -> None:
    audit = OneRun(20, 12, 11, "1/1000")
    [(_, left, _)] = audit.certificate(level="0.1", epsilon=Fraction(1, 2)).conclusion
    p = audit.p_value(Epsilon.rational("1/2"))
    assert enclosure(value(left), relative_bits=80).contains(enclosure(p, relative_bits=99).lower)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((10, 11, 5), DomainError, "right=5, guesses=11, canaries=10: right guesses are some of"),
        ((0, 0, 0), DomainError, "canaries=0 must be at least 1"),
        ((10**7, 10**7, 10), TooLargeError, "Guess only where the output says most"),
        ((10, 5, 5, "1.5"), DomainError, "delta="),
        ((10, 5, 5, float("nan")), DomainError, "delta=nan is not finite"),
    ],
)
def test_bad_input(given: tuple[int, int, int], error: type[ExactDPError], message: str) -> None:
    with pytest.raises(error, match=message):
        OneRun(*given)


def test_the_command_and_its_certificate(tmp_path: Path) -> None:
    out, run = tmp_path / "run.json", CliRunner()
    arguments = ["one-run", "1000", "100", "75", "--delta", "1e-4", "--certificate", str(out)]
    found = run.invoke(application(), arguments)
    assert found.output.startswith("(0.672984444")
    assert "DP is refuted at level 0.05; the crossing is in [0.67298" in found.output
    assert run.invoke(application(), ["verify", str(out)]).output.split(": ")[1] == "accepted"
    again = run.invoke(application(), arguments)
    assert isinstance(again.exception, ParseError)
    nothing = run.invoke(application(), ["one-run", "10", "10", "5"])
    # Pr[W >= 5] of ten fair coins is 638/1024.
    text = "nothing is refuted at level 0.05: at epsilon 0 the p-value is in [0.623, 0.624]\n"
    assert (nothing.exit_code, nothing.output) == (1, text)
