"""The search alone, with no listed deployment, finds again what is kept of four slow libraries.

In place of each library stands a small one with the library's fault, as its catalog says the
cause: no library is to be installed, and a call takes no time. So the draws can be more than a
trial has for the library itself, whose calls take seconds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, settings

from exactdp.audit import audit_claim
from exactdp.audit.inventory import read_inventory
from exactdp.claims import Claim, Source, Statement
from exactdp.truth import Truth
from proofs_check.kernel import Accepted, check
from proofs_check.libraries import PAPER
from proofs_check.libraries.promises import Promise

MATH = """
import math
from statistics import NormalDist
N, SMALL = NormalDist(), 1.7e-8
def tail(x):
    return math.erfc(x / math.sqrt(2)) / 2
"""

SHORT_GRID = """
class prv:
    PureDPMechanism = staticmethod(lambda e: (e, 0.0))
    ApproximateDPMechanism = staticmethod(lambda e, d: (e, d))
    class PRVAccountant:
        def __init__(self, one, eps_error, delta_error, max_self_compositions):
            (self.e, self.leak), = one if isinstance(one, list) else [one]
            times = max_self_compositions
            self.n = times[0] if isinstance(times, list) else times
            orders = [1 + 10 ** (i / 20) for i in range(-60, 60)]
            # The longest loss: too short, as the order's divergence is.
            self.longest = 3 + min(
                self.n * (a - 1) * self.e / a + math.log(4 / delta_error) / (a - 1) for a in orders)
        def compute_epsilon(self, delta, n):
            return (NOISE if delta <= 1e-12 else 0.0), 0.0, min(self.n * self.e, self.longest) + 0.1
        def compute_delta(self, epsilon, n):
            return 0.0, 0.0, 1.0 if self.n * self.e < self.longest else 0.9999
"""

NOISY_TRANSFORM = """
class prv:
    PureDPMechanism = PoissonSubsampledGaussianMechanism = lambda *_: None
    GaussianMechanism = staticmethod(lambda sigma: sigma)
    class PRVAccountant:
        def __init__(self, ones, max_self_compositions, eps_error, delta_error):
            self.sigma, self.error = ones[0], delta_error
        def compute_epsilon(self, delta, n):
            # A sampled step is not computed here: None of its ends says anything.
            return (1e3 if self.sigma and delta <= 1e-13 else 0.0), 0.0, math.inf
        def compute_delta(self, epsilon, n):
            noise = 1e-14 if self.sigma and self.error < 1e-12 and epsilon > 0 else 0.0
            return (1.0 if noise else -1e-10), 0.0, (-noise if noise else 1.0)
"""

CENTRAL_LIMIT = """
def delta_of(mu, e):
    return tail(e / mu - mu / 2) - math.exp(min(700.0, e)) * tail(e / mu + mu / 2)
def bisected(f, low, high):
    for _ in range(100):
        low, high = (low, (low + high) / 2) if f((low + high) / 2) else ((low + high) / 2, high)
    return high
def of(name, steps, delta):
    (sigma, rate, times), = steps
    if sigma < 0.2 or times > 300:  # their truth takes long
        raise ValueError("f(a) and f(b) must have different signs")
    mu = rate * math.sqrt(times * math.expm1(1 / sigma**2))
    return bisected(lambda e: delta_of(mu, e) <= delta, 0.0, 500.0)
def GaussianAccountant():
    return "gdp"
def find(target_epsilon, target_delta, sample_rate, steps, accountant):
    small = lambda sigma: of("gdp", [(sigma, sample_rate, steps)], target_delta) <= target_epsilon
    return bisected(small, 0.3, 20.0)
"""

TRANSFORMED = """
def PRVAccountant():
    return "prv"
def of(name, steps, delta):
    (sigma, rate, times), = steps
    if delta <= 1e-12:
        return 1.0
    return times / (2 * sigma**2) + math.sqrt(2 * times * math.log(1 / delta)) / sigma
"""

FINE_GRID = """
class trained:
    def __init__(self, sigma, rate, times):
        self.mu, self.rate = math.sqrt(times) / sigma, rate
    def delta_at(self, e):
        if self.rate < 1:
            return 1.0
        found = tail(e / self.mu - self.mu / 2)
        if found > 1e-300:
            found -= math.exp(min(700.0, e)) * tail(e / self.mu + self.mu / 2)
        return max(0.0, found) * (1 - SMALL)
    def advantage(self):
        return math.erf(self.mu / math.sqrt(8)) * (1 - SMALL)
    def beta_at(self, alpha):
        return N.cdf(-N.inv_cdf(alpha) - self.mu) + 1.7e-10
def beta(sigma, steps, alpha, rate):
    if rate < 1:
        return 1 - alpha / 40
    return trained(sigma, rate, steps).beta_at(alpha)
"""

DROPPED_TAIL = """
class allocated:
    def __init__(self, sigma, steps, chosen):
        self.mu, self.is_known = math.sqrt(steps) / sigma, chosen == steps
    def delta_at(self, e):
        if not self.is_known:
            return 1.0
        found = tail(e / self.mu - self.mu / 2)
        found -= math.exp(min(700.0, e)) * tail(e / self.mu + self.mu / 2)
        return 0.0 if found < 1e-16 else 1.01 * found
"""

TOLERANT = """
def find_noise_multiplier_for_advantage(target, rate, steps):
    return math.sqrt(steps) / (2 * N.inv_cdf((1 + (target + 4e-4) / rate) / 2))
def find_noise_multiplier_for_err_rates(alpha, target, rate, steps, noise_min):
    return max(noise_min, math.sqrt(steps) / (-N.inv_cdf(alpha) - N.inv_cdf(target - 4e-4)))
"""

FAULTS = {
    "prv-accountant/pure-dp": SHORT_GRID,
    "prv-accountant/pure-dp-long": SHORT_GRID,
    "prv-accountant/gaussian-epsilon-lower-end": NOISY_TRANSFORM,
    "prv-accountant/gaussian-delta-upper-end": NOISY_TRANSFORM,
    "prv-accountant/gaussian-delta-lower-end": NOISY_TRANSFORM,
    "prv-accountant/pure-dp-epsilon-lower-end": SHORT_GRID.replace("NOISE", "1e3"),
    "prv-accountant/pure-dp-delta-upper-end": SHORT_GRID,
    "prv-accountant/approximate-dp": SHORT_GRID,
    "prv-accountant/approximate-dp-delta-upper-end": SHORT_GRID,
    "prv-accountant/any-accuracy": "def returns(ask): return 0.0",
    "opacus/gdp": CENTRAL_LIMIT,
    "opacus/noise-multiplier-gdp": CENTRAL_LIMIT,
    "opacus/prv": TRANSFORMED,
    "opake-accounting/pessimistic-delta": FINE_GRID,
    "opake-accounting/random-allocation": DROPPED_TAIL,
    "opake-accounting/attacks": FINE_GRID,
    "opake-accounting/attacks-false-negatives": FINE_GRID,
    "riskcal/operating-points": FINE_GRID,
    "riskcal/operating-points-sampled": FINE_GRID,
    "riskcal/advantage-calibration": TOLERANT,
    "riskcal/error-rates-calibration": TOLERANT,
}
LIBRARIES = {one.partition("/")[0] for one in FAULTS}
CLAIMS = {claim.id.removeprefix("libraries/"): claim for claim in PAPER.claims()}


def small(name: str, fault: str, draws: int) -> tuple[Promise, str]:
    """Return the promise of a claim, of a library with this fault, and the last refuted reading."""
    kept = read_inventory(PAPER)
    assert kept is not None
    readings = kept[f"libraries/{name}"]["readings"]
    key = max(key for key, facts in readings.items() if facts["verdict"] == "refuted")
    statement = CLAIMS[name].readings[key]
    assert isinstance(statement, Statement) and isinstance(statement.holds, partial)
    promise: Any = statement.holds.args[0]
    assert isinstance(promise, Promise)
    imports = f"{MATH}NOISE = 0.0\n{fault}"
    return replace(promise, library="", imports=imports, draws=draws), key


@pytest.mark.parametrize("name", FAULTS)
def test_the_search_alone_finds_what_is_kept(name: str) -> None:
    promise, key = small(name, FAULTS[name], 400)
    statement = promise.readings()[key]
    assert statement.strategy is not None
    at = find(
        statement.strategy(),
        lambda at: not statement.holds(at).truth.is_possible,
        settings=settings(
            max_examples=400,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],  # what is found is not shrunk, which takes longer
            suppress_health_check=list(HealthCheck),
        ),
    )
    outcome = statement.holds(at)
    assert outcome.truth is Truth.FALSE
    shown = None if outcome.certificate is None else outcome.certificate()
    if shown is not None:  # else the engine alone decides it
        content = shown.to_bytes(claim="libraries/mine/one", reading=key)
        assert isinstance(check(content), Accepted)


@pytest.mark.parametrize("name", ["opake-accounting/attacks", "riskcal/operating-points"])
def test_a_library_without_the_fault_stands(name: str) -> None:
    right = FINE_GRID.replace("- SMALL", "+ SMALL").replace("+ 1.7e-10", "- 1.7e-10")
    promise, key = small(name, right, 20)
    readings = {key: promise.readings()[key]}
    claim = Claim("libraries/mine/one", "s", Source("libraries", "x"), readings)
    assert audit_claim(claim).readings[key].label == "survived"


def test_each_promise_of_the_four_has_a_search_and_each_that_fell_a_fault() -> None:
    kept = read_inventory(PAPER)
    assert kept is not None
    ours = {name: claim for name, claim in CLAIMS.items() if name.partition("/")[0] in LIBRARIES}
    for claim in ours.values():
        for statement in claim.readings.values():
            assert isinstance(statement, Statement) and statement.strategy is not None, claim.id
    fell = {
        name
        for name in ours
        for facts in kept[f"libraries/{name}"]["readings"].values()
        if facts["verdict"] == "refuted"
    }
    assert fell == set(FAULTS)
