"""The accountant in the place of opacus' own: its state, its hook, and opacus itself around it."""

import os
import subprocess
import sys
from collections import OrderedDict
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from exactdp import compose, dp_sgd, gaussian_mechanism
from exactdp.accounting.opacus import Accountant, ShuffledAccountant
from exactdp.errors import DomainError
from tests.hosts.installed import folder

ROOT = Path(__file__).resolve().parents[3]


def trained():
    accountant = Accountant()
    hook = accountant.get_optimizer_hook_fn(sample_rate=0.25)
    for sigma in (1.5, 1.5, 2.0):
        hook(SimpleNamespace(noise_multiplier=sigma, accumulated_iterations=1))
    return accountant


def test_a_state_is_kept_and_taken_up_again():
    accountant, given = trained(), OrderedDict(other=1)
    state = accountant.state_dict(given)
    assert state is given
    assert state == {
        "other": 1,
        "history": [(1.5, 0.25, 2), (2.0, 0.25, 1)],
        "mechanism": "exactdp",
    }
    resumed = Accountant()
    resumed.load_state_dict({**state, "history": [list(one) for one in state["history"]]})
    assert resumed.history == accountant.history and len(resumed) == 3
    accountant.step(noise_multiplier=2.0, sample_rate=0.25)
    resumed.step(noise_multiplier=2.0, sample_rate=0.25)
    assert resumed.get_epsilon(1e-5) == accountant.get_epsilon(delta=1e-5, eps_error=0.1)
    assert state["history"][-1] == (2.0, 0.25, 1)  # a state is a copy


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (None, "lacks history or mechanism"),
        ({}, "lacks history or mechanism"),
        ({"history": []}, "lacks history or mechanism"),
        ({"history": [], "mechanism": "rdp"}, "'rdp', not 'exactdp'"),
        ({"history": [(1.0, 0.5)], "mechanism": "exactdp"}, "noise multiplier, sample rate, steps"),
        ({"history": [(-1.0, 0.5, 1)], "mechanism": "exactdp"}, "noise_multiplier=-1.0"),
        ({"history": [(1.0, 1.5, 1)], "mechanism": "exactdp"}, "sample_rate"),
        ({"history": [("x", 0.5, 1)], "mechanism": "exactdp"}, "is not a number"),
        ({"history": [(1.0, 0.5, 1.5)], "mechanism": "exactdp"}, "steps=1.5"),
    ],
)
def test_a_state_that_is_none_is_refused_and_changes_nothing(state, said):
    accountant = trained()
    with pytest.raises(DomainError, match=said):
        accountant.load_state_dict(state)
    with pytest.raises(ValueError, match=said):  # which opacus' own raise
        accountant.load_state_dict(state)
    assert accountant.history == trained().history


def shuffled(*runs):
    accountant = ShuffledAccountant()
    accountant.history = [(sigma, rate, steps) for sigma, rate, steps in runs]
    return accountant


def test_a_loader_that_shuffles_has_the_epsilon_of_known_batches():
    accountant = shuffled((1.0, 0.01, 1000))
    found = accountant.get_epsilon(1e-5)
    known = dp_sgd(
        noise_multiplier=1, sampling_probability="1/100", steps=1000, batches="deterministic"
    ).epsilon("1e-5")
    assert known.lower - Fraction(1, 10**6) <= found <= known.upper * Fraction("1.0002")
    assert accountant.note.startswith("upper bound: batches in a known order")
    assert accountant.state_dict()["mechanism"] == "exactdp-shuffled"
    with pytest.raises(DomainError, match="'exactdp-shuffled', not 'exactdp'"):
        Accountant().load_state_dict(accountant.state_dict())
    poisson = Accountant()
    poisson.history = accountant.history
    assert 5 * poisson.get_epsilon(1e-5) < found


@pytest.mark.parametrize(
    ("runs", "epochs"),
    [
        ([(2.0, 0.25, 4)], [2.0]),
        ([(2.0, 0.25, 5)], [2.0, 2.0]),
        ([(2.0, 0.25, 2), (1.0, 0.25, 2)], [1.0]),
        ([(1.0, 0.25, 3), (2.0, 0.25, 6), (4.0, 0.25, 9)], [1.0, 2.0, 2.0, 4.0, 4.0]),
        ([(1.0, 0.25, 3), (2.0, 0.5, 3)], [1.0, 2.0, 2.0]),
        ([(4.0, 1 / 3, 1), (1.0, 1 / 3, 1), (2.0, 1 / 3, 7)], [1.0, 2.0, 2.0]),
    ],
)
def test_an_epoch_is_as_good_as_its_least_noise(runs, epochs):
    known = compose([(gaussian_mechanism(sigma=int(sigma)), 1) for sigma in epochs])
    found = shuffled(*runs).get_epsilon(1e-5)
    at = known.epsilon("1e-5", relative_width="1e-9")
    assert at.lower - Fraction(1, 10**6) <= found <= at.upper * Fraction("1.0002")


def test_rates_of_shuffled_batches_are_one_over_their_number():
    with pytest.raises(DomainError, match=r"sample_rate=0\.300000 is not 1/T"):
        shuffled((1.0, 0.3, 10)).get_epsilon(1e-5)
    doubled = shuffled((1.0, 2 * (1 / 98), 49))  # two batches of an epoch of 98 in each step
    assert doubled.get_epsilon(1e-5) < 4.379
    assert shuffled((0.0, 0.5, 1)).get_epsilon(1e-5) == float("inf")


def test_the_profile_of_what_was_trained_has_the_same_epsilon():
    accountant = trained()
    found = accountant.profile().epsilon("1e-5", relative_width="1e-6")
    assert found.lower <= Fraction(accountant.get_epsilon(1e-5)) <= found.upper * Fraction("1.0002")
    with pytest.raises(DomainError, match="no step was taken"):
        Accountant().profile()


# The example of a card: what it makes of loaders.


@pytest.fixture
def example(monkeypatch):
    """The example's names, with a module that stands for opacus' samplers."""

    class UniformWithReplacementSampler:
        def __init__(self, rate):
            self.sample_rate = rate

    module = SimpleNamespace(UniformWithReplacementSampler=UniformWithReplacementSampler)
    for name in ("opacus", "opacus.utils", "opacus.utils.uniform_sampler"):
        monkeypatch.setitem(sys.modules, name, module)
    return run_path(str(ROOT / "examples" / "opacus_card.py")) | {"sampler": module}


def test_the_example_takes_the_sampler_of_opacus_at_the_rate_that_was_counted(example):
    accountant = SimpleNamespace(history=[(1.0, 0.25, 3)])
    make, asked = example["sampler"].UniformWithReplacementSampler, example["who_sampled"]
    assert "has the Poisson sampler" in asked(SimpleNamespace(batch_sampler=make(0.25)), accountant)
    for loader in (SimpleNamespace(batch_sampler=make(0.5)), SimpleNamespace(batch_sampler=[]), []):
        with pytest.raises(SystemExit, match="are not the Poisson samples"):
            asked(loader, accountant)


@pytest.mark.skipif(
    find_spec("opacus") is None or find_spec("torch") is None,
    reason="opacus with torch is not installed",
)
def test_the_example_asks_the_loader_of_opacus():
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "opacus_card.py"], capture_output=True, text=True
    )
    assert "the loader has the Poisson sampler of opacus" in done.stdout, done.stderr


SCRIPT = """
import sys
from exactdp.compare.adapters.opacus import ACCOUNTANTS
exec(ACCOUNTANTS[0].before.partition("from opacus")[0])
from exactdp import compose, dp_sgd, gaussian_mechanism
from exactdp.accounting.opacus import Accountant, ShuffledAccountant
from opacus.accountants import IAccountant, create_accountant
from opacus.accountants.utils import get_noise_multiplier
one = create_accountant("exactdp")
assert type(one) is Accountant and isinstance(one, IAccountant)
own = [create_accountant(name) for name in ("prv", "rdp")]
for each in (one, *own):
    hook = each.get_optimizer_hook_fn(sample_rate=0.5)
    for _ in range(40):
        hook(type("Optimizer", (), {"noise_multiplier": 2.0, "accumulated_iterations": 1}))
    state = each.state_dict()
    assert set(state) == {"history", "mechanism"}
    other = create_accountant(each.mechanism())
    other.load_state_dict(state)
    assert other.history == each.history == [(2.0, 0.5, 40)]
exact, prv, rdp = (each.get_epsilon(delta=1e-5) for each in (one, *own))
from exactdp.cards import certify
card = certify(one.profile(), delta="1e-5")
assert exact < float(card.content["epsilon"]) < 1.01 * exact, (exact, card)
assert exact < prv < exact + 0.03 and exact < rdp, (exact, prv, rdp)
sigma = get_noise_multiplier(
    target_epsilon=3.0, target_delta=1e-5, sample_rate=0.1, steps=50, accountant="exactdp"
)
one.history = [(sigma, 0.1, 50)]
assert 2.98 < one.get_epsilon(1e-5) <= 3.0
assert create_accountant("exactdp-shuffled").mechanism() == "exactdp-shuffled"
print("as opacus' own")
"""


@pytest.mark.skipif(folder("opacus") is None, reason="opacus is not installed")
def test_opacus_takes_it_for_one_of_its_own():
    paths = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(folder('opacus'))!r}){SCRIPT}"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.stdout == "as opacus' own\n", done.stderr
