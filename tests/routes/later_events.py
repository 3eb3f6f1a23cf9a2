"""Events of dp-accounting that 0.6 lacks, with the fields that they have in later versions."""

import pytest

attr = pytest.importorskip("attr")
dp_event = pytest.importorskip("dp_accounting").dp_event


def newer(name, *fields):
    """Return the class of that name, or one that stands in for it."""
    made = attr.make_class(name, list(fields), bases=(dp_event.DpEvent,), frozen=True)
    return getattr(dp_event, name, made)


PROMISE = newer("EpsilonDeltaDpEvent", "epsilon", "delta")
EXPONENTIAL = newer("ExponentialMechanismDpEvent", "epsilon")
PERMUTED = newer("PermuteAndFlipDpEvent", "epsilon")
INTEGERS = newer("DiscreteGaussianDpEvent", "sigma", "sensitivity", "dimension")
