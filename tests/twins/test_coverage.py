"""A public function that makes a profile, or what a profile is made of, has a twin."""

import importlib
import inspect
import types

from exactdp.divergences import PrivacyProfile
from tests.twins.cells import KINDS, OPERATIONS

ROOMS = "accounting", "divergences", "mechanisms", "pufferfish", "shuffle"

PARTS = {"Randomizer", "NoisyMax", "AboveThreshold"}
"""What is not a profile, and makes pairs."""

ELSEWHERE = {
    "FixedSizeSampled": "sampled asks it of any mechanism on batches of fixed size",
    "rounded_noise": "integer_noise of the tail of noise; it is tested beside mpmath",
    "tuning_bound": "nothing is known below; it is tested beside best_of_runs, of drawn pairs",
    "compose_certified": "compose asks it; its enclosures are tested beside compose_exactly",
    "compose_exactly": "compose asks it of finite laws",
}


def profiles(kind=PrivacyProfile):
    """The names of all profiles there are."""
    return {kind.__name__}.union(*(profiles(one) for one in kind.__subclasses__()))


def makers():
    """The public functions whose annotation says that they return a profile, or a part of one."""
    made = profiles() | PARTS
    for room in ROOMS:
        module = importlib.import_module(f"exactdp.{room}")
        for name in module.__all__:
            one = getattr(module, name)
            if inspect.isfunction(one):
                says = str(inspect.signature(one).return_annotation).strip("'")
                if made & {x.strip() for x in says.split("|")}:
                    yield name


def named_in(code):
    """The names that a function's code asks for, those of functions inside included."""
    inside = (x for x in code.co_consts if isinstance(x, types.CodeType))
    return {*code.co_names}.union(*map(named_in, inside))


def called(make):
    """The functions that a maker names: its own, and those of makers that it was handed."""
    if hasattr(make, "func"):  # a partial
        return {make.func.__name__}
    handed = (cell.cell_contents for cell in make.__closure__ or ())
    return named_in(make.__code__).union(
        *(called(x) for x in handed if callable(x) and hasattr(x, "__code__"))
    )


def twins():
    asked = [twin.make for twin in KINDS.values()] + [step.profile for step in OPERATIONS.values()]
    return set().union(*map(called, asked))


def test_every_function_that_makes_a_profile_has_a_twin():
    assert set(makers()) - twins() - ELSEWHERE.keys() == set()


def test_what_is_tested_elsewhere_is_there_and_has_no_twin():
    assert ELSEWHERE.keys() <= set(makers()) - twins()


def test_a_function_without_a_twin_is_found():
    assert {"thresholded", "compose", "group_profile", "hadamard_response"} <= set(
        makers()
    ) & twins()
    assert called(lambda: [PrivacyProfile for _ in "a"]) == {"PrivacyProfile"}
