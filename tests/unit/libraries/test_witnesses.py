"""Kept witnesses of libraries by a second route: a few lines of mpmath, from the definitions.

Each is read from the inventory, with what the library answered; nothing of the engine, of the
terms of the claims, or of the library is used.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
import pytest

from exactdp.audit import read_inventory
from proofs_check.libraries import PAPER
from proofs_check.libraries.promises import read


def witness(claim: str, reading: str) -> dict[str, Any]:
    """Return the fields of a kept witness."""
    kept = read_inventory(PAPER)
    assert kept is not None
    facts = kept[f"libraries/{claim}"]["readings"][reading]
    assert facts["verdict"] == "refuted"
    return dict(read(facts["witness"]).mapping())


def of_gaussian(sigma: Any, epsilon: Any) -> Any:
    """Return δ = Φ(1/(2σ) − εσ) − e^ε Φ(−1/(2σ) − εσ)."""
    s, e = mp.mpf(sigma), mp.mpf(epsilon)
    upper, lower = 1 / (2 * s) - e * s, -1 / (2 * s) - e * s
    return (mp.erfc(-upper / mp.sqrt(2)) - mp.exp(e) * mp.erfc(-lower / mp.sqrt(2))) / 2


@pytest.mark.parametrize(
    ("claim", "reading"),
    [
        ("pfl/gaussian-single-iteration", "a"),
        ("pfl/gaussian-single-iteration", "b"),
        ("pfl/accountants", "b"),
        ("pfl/accountants-prv", "b"),
    ],
)
def test_gaussian_noise_is_too_little(claim: str, reading: str) -> None:
    at = witness(claim, reading)
    with mp.workdps(60):
        sigma = mp.mpf(at["answer"]) / mp.sqrt(at.get("times", 1))
        ratio = of_gaussian(sigma, at["epsilon"]) / mp.mpf(at["delta"])
        assert 1 < ratio < 1.01
        if reading == "a":
            assert ratio > 1 + mp.mpf(10) ** -12


@pytest.mark.parametrize("reading", ["a", "b"])
def test_laplace_noise_by_its_scale(reading: str) -> None:
    """δ of Laplace noise of scale b at ε is the integral of max(0, f(x) − e^ε f(x − 1))."""
    at = witness("pfl/accountants-prv-laplace", reading)
    assert at["times"] == 1
    b, e = mp.mpf(at["parameter"]), mp.mpf(at["answer"])
    # The losses (|x − 1| − |x|)/b fall from 1/b to −1/b on [0, 1]: above ε left of this point.
    end = (1 - b * e) / 2
    excess = mp.quad(
        lambda x: (mp.exp(-abs(x) / b) - mp.exp(e - abs(x - 1) / b)) / (2 * b), [-20 * b, 0, end]
    )
    assert excess > 0.99 > 1e6 * at["delta"]
    assert abs(excess - (1 - mp.exp((e - 1 / b) / 2))) < 1e-8
