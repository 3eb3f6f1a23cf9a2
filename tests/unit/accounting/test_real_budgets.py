"""Budgets and mechanisms of the real autodp and Tumult, each read where the library is installed.

``EXACTDP_PYTHONS`` says where, as for the trials of libraries.
"""

import json
import subprocess
from pathlib import Path

import flint
import pytest

from exactdp.accounting import from_zcdp, guarantee
from exactdp.execution import interpreters
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon
from proofs_check.libraries.tmlt_core import ALONE

ROOT = Path(__file__).resolve().parents[3]

START = f"""
import json, sys, warnings
warnings.simplefilter("ignore")
sys.path += [{str(Path(flint.__file__).parents[1])!r}, {str(ROOT)!r}]
from exactdp.accounting import read_budget
from exactdp.numbers import Epsilon, float_above
def told(budget):
    try:
        found = read_budget(budget)
        delta = found.delta(Epsilon.rational("1/2"), relative_width="1e-9")
        return [float_above(delta), float_above(found.epsilon("1e-6", relative_width="1e-4"))]
    except ValueError as error:
        return str(error)
"""

ANALYTICS = f"""{ALONE}
if not any((_p := _q + "/analytics") for _q in _u.find_spec("tmlt").submodule_search_locations
           if __import__("os").path.isdir(_q + "/analytics")):
    raise SystemExit(print("null"))
_budgets = _t.ModuleType("tmlt.analytics")
_budgets.__path__ = [_p]
_s.modules["tmlt.analytics"] = _budgets
"""
"""Only the file of budgets is loaded: the rest asks for pyspark."""

TUMULT = (
    """
import sympy as sp
from tmlt.core.utils.exact_number import ExactNumber
def exact(*values):
    return [ExactNumber(value) for value in values]
"""
    + START
)


def answers(library, script):
    python = interpreters().get(library)
    if python is None:
        pytest.skip(f"{library} is not among EXACTDP_PYTHONS")
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if found is None:
        pytest.skip(f"a part of {library} is not installed")
    return found


def near(found, profile):
    """Whether δ(1/2) is that of a profile, to 1e-8."""
    delta = profile.delta(Epsilon.rational("1/2"), relative_width="1e-9")
    return delta.lower <= found[0] <= float(delta.upper) * (1 + 1e-8)


BUDGETS = """
third, root, three, small = exact(sp.Rational(1, 3), sp.sqrt(2), sp.log(3), sp.Rational(1, 10**6))
print(json.dumps([told(one) for one in (
    PureDPBudget(one), PureDPBudget(third), PureDPBudget(root), PureDPBudget(three),
    PureDPBudget(zero), approximate(one, small), RhoZCDPBudget(tenth), RhoZCDPBudget(zero),
    approximate(one, zero), PureDPBudget(float("inf")), approximate(float("inf"), zero),
)]))
"""
EXPECTED = [
    guarantee(1),
    guarantee("1/3"),
    guarantee("1.41421356237309514"),  # the double above √2, to 17 digits
    guarantee(Epsilon.log(3)),
    guarantee(0),
    guarantee(1, "1e-6"),
    from_zcdp("1/10"),
    guarantee(0),
    guarantee(1),
]


@pytest.mark.parametrize(
    "made",
    [
        f"""{ALONE}{TUMULT}
from tmlt.core.measures import ApproxDPBudget, PureDPBudget, RhoZCDPBudget
one, tenth, zero = exact(1, sp.Rational(1, 10), 0)
approximate = lambda epsilon, delta: ApproxDPBudget((epsilon, delta))
""",
        f"""{ANALYTICS}{TUMULT}
from tmlt.analytics.privacy_budget import ApproxDPBudget as approximate
from tmlt.analytics.privacy_budget import PureDPBudget, RhoZCDPBudget
one, tenth, zero = 1, ExactNumber(sp.Rational(1, 10)), 0
""",
    ],
    ids=["core", "analytics"],
)
def test_budgets_of_tumult(made):
    found = answers("tmlt-core", made + BUDGETS)
    assert found[-2:] == ["budget is infinite: it promises nothing. Pass a finite one."] * 2
    assert len(found) == len(EXPECTED) + 2
    assert [near(*one) for one in zip(found, EXPECTED, strict=False)] == [True] * len(EXPECTED)


def test_doubles_of_tumult_analytics():
    made = f"""{ANALYTICS}{TUMULT}
from tmlt.analytics.privacy_budget import *
spent = RhoZCDPBudget(0.3) - RhoZCDPBudget(0.1)
print(json.dumps([told(one) for one in (PureDPBudget(0.75), spent)]))
"""
    pure, rest = answers("tmlt-core", made)
    assert near(pure, guarantee("3/4"))
    assert near(rest, from_zcdp("1/5"))


AUTODP = """
import numpy as np
from autodp import autodp_core as core, mechanism_zoo as zoo, transformer_zoo as transformers
composed, sampled = transformers.Composition(), transformers.AmplificationBySampling()
class Approximate(core.Mechanism):
    def __init__(self):
        super().__init__()
        self.propagate_updates((1.0, 1e-6), "approxDP")
one_way = zoo.LaplaceMechanism(2.0)
one_way.neighboring = "remove_only"
print(json.dumps([told(one) for one in (
    zoo.PureDP_Mechanism(0.5), zoo.LaplaceMechanism(2.0), zoo.RandresponseMechanism(0.75),
    composed([zoo.LaplaceMechanism(2.0)], [3]), zoo.ExponentialMechanism(1.0), Approximate(),
    zoo.zCDP_Mechanism(0.1), zoo.ExactGaussianMechanism(2.0), zoo.DiscreteGaussianMechanism(2.0),
    composed([zoo.LaplaceMechanism(100.0)], [1000]),
    composed([zoo.ExactGaussianMechanism(4.0), zoo.LaplaceMechanism(8.0)], [2, 2]),
    sampled(zoo.ExactGaussianMechanism(2.0), 0.1), one_way, core.Mechanism(),
    zoo.GaussianMechanism(2.0, RDP_off=True),
)]))
"""
PURE = [guarantee(x) for x in ("1/2", "1/2")] + [guarantee(Epsilon.log(3))]
PURE += [guarantee("3/2"), guarantee(1), guarantee(1, "1e-6")]


def test_mechanisms_of_autodp():
    found = answers("autodp", START + AUTODP)
    assert [near(*one) for one in zip(found, PURE, strict=False)] == [True] * len(PURE)
    zcdp, gaussian, discrete, laplaces, mixed, sampled = found[len(PURE) : -3]
    # ρ = 1/10 and 1/8 at orders up to 256, beside all orders at once, and beside the noise itself.
    for told, rho in ((zcdp, "1/10"), (gaussian, "1/8"), (discrete, "1/8")):
        assert 1 <= told[1] / float(from_zcdp(rho).epsilon("1e-6").lower) < 1.001
    assert gaussian[1] > gaussian_mechanism(sigma=2).epsilon("1e-6").upper
    # Pure ε is 10; D_a <= a·1000/(2·100²) (Bun & Steinke 2016, Proposition 3.3: ε²a/2 each).
    assert laplaces[1] < from_zcdp("1/20").epsilon("1e-6").upper
    # ρ = 2/32 and 2·(1/8)²/2.
    assert mixed[1] < from_zcdp("5/64").epsilon("1e-6").upper
    assert sampled[1] < gaussian[1]
    assert found[-3].startswith("budget is about neighbors in one order alone, remove_only.")
    assert all("no pure epsilon, no Rényi curve" in one for one in found[-2:])
