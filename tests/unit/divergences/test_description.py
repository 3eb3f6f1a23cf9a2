"""Descriptions of mechanisms: they say what signatures, problem files, events and pages say."""

import json
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature, unwrap
from pathlib import Path

import pytest

from exactdp import Pair, accounting, mechanisms, shuffle
from exactdp.compare import tasks_of
from exactdp.divergences.description import (
    COUNT,
    EPSILON,
    OPEN_PROBABILITY,
    OPEN_RATIONAL,
    POSITIVE,
    PROBABILITY,
    RATIONAL,
    SIZE,
    USERS,
    WHOLE,
    Parameter,
    described,
    described_in,
    description_of,
)
from exactdp.divergences.families import families_of
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, ParseError
from exactdp.numbers.crossing import Slope
from exactdp.problems import read_problem
from exactdp.problems.composition import PARTS
from exactdp.problems.described import law_of
from exactdp.problems.dp_sgd import DpSgd
from exactdp.problems.laws import MechanismLaw
from exactdp.problems.randomizers import RANDOMIZERS
from exactdp.problems.schema import json_schema
from exactdp.problems.validation import converted
from exactdp.testing.mechanisms import KINDS
from tests.commands import answers
from tests.routes.good_calls import arguments_of

ROOMS = {"mechanisms": mechanisms, "accounting": accounting, "shuffle": shuffle}
ALL = {
    one.__name__: (f"{name}.{one.__name__}", one)
    for name, room in ROOMS.items()
    for one in described_in(room)
}
LAWS = [law for law in (*PARTS, *RANDOMIZERS, DpSgd) if hasattr(law, "mechanism")]
BESIDE = {"sampling", "modulus", "hash_family", "noise_multipliers"}
"""What is said beside a description: of batches, of results, what files do not have."""
NOT_DESCRIBED = {
    "above_threshold": "its pairs are of answers",
    "clamped_noise": "it is made of noise",
    "from_trade_off": "its points are a curve",
    "group_profile": "it is made of another profile",
    "guarantee": "its pair is known",
    "modular_noise": "it is made of noise",
    "partition_selection": "its parameters are the promise",
    "thresholded": "it is made of noise",
}


@pytest.mark.parametrize("name", ALL)
def test_a_signature_has_the_parameters_of_its_description(name):
    _, one = ALL[name]
    about = description_of(one)
    names = [parameter.name for parameter in about.parameters]
    assert set(names) == set(signature(one).parameters) - BESIDE
    assert len(set(names)) == len(names) and set(about.one_of) <= set(names)
    found = {parameter.name: parameter.slope for parameter in about.parameters if parameter.slope}
    assert {name: family.slope for name, family in families_of(one).items()} == found


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_kind_of_file_has_the_parameters_of_its_description(law):
    about = description_of(law.mechanism)
    assert law.__struct_config__.tag == about.kind
    keys = set(law.__struct_fields__) - BESIDE
    assert keys == {parameter.name for parameter in about.parameters}


INSIDE_AND_OUT = {
    POSITIVE: (["sqrt(2)", "1e-9"], [0, -1]),
    RATIONAL: (["1/3", 2], [0, "-1", "e^2"]),
    PROBABILITY: ([0, 1, "e^-1"], ["-1/9", 2]),
    OPEN_PROBABILITY: (["1/2"], [0, 1]),
    OPEN_RATIONAL: (["1/2"], [0, 1, "e^-1"]),
    EPSILON: ([0, "log(3)"], [-1]),
    COUNT: ([1, 10**9], [0, 1.5, True]),
    USERS: ([1, "2", 3.0], [0, "2.5"]),
    SIZE: ([2], [1]),
    WHOLE: ([0], [-1]),
}


@pytest.mark.parametrize("values", INSIDE_AND_OUT, ids=lambda values: values.words)
def test_a_range_is_its_words(values):
    inside, out = INSIDE_AND_OUT[values]
    for value in inside:
        values.check(value, name="x")
    for value in out:
        with pytest.raises(DomainError, match=r"^x="):
            values.check(value, name="x")


def good(name):
    """Return arguments with which a described function may be called."""
    return dict(arguments_of(ALL[name][0]))


CASES = [
    (name, parameter.name)
    for name, (_, one) in ALL.items()
    for parameter in description_of(one).parameters
    if parameter.range in INSIDE_AND_OUT
]


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_what_is_out_of_range_is_refused_by_its_name(name, parameter):
    _, one = ALL[name]
    about = description_of(one)
    (values,) = (x.range for x in about.parameters if x.name == parameter)
    given = good(name)
    if parameter in about.one_of:
        given = {x: y for x, y in given.items() if x not in about.one_of}
    for wrong in INSIDE_AND_OUT[values][1]:
        with pytest.raises(DomainError, match=rf"^{parameter}="):
            one(**given | {parameter: wrong})


MONOTONE = {
    "bounded_laplace_mechanism": ({"upper": 4, "results": "folded"}, "scale", (2, 3)),
    "binomial_mechanism": ({}, "trials", (4, 9)),
    "clone_pair": ({"n": 20}, "epsilon0", ("1/2", 1)),
    "discrete_laplace_mechanism": ({}, "scale", (2, 3)),
    "dp_sgd_noise": ({"sampling_probability": "1/4", "steps": 2}, "noise_multiplier", (1, 2)),
    "dp_sgd_share": ({"noise_multiplier": 1, "steps": 2}, "sampling_probability", ("1/9", "1/4")),
    "dp_sgd_steps": ({"noise_multiplier": 1, "sampling_probability": "1/4"}, "steps", (1, 3)),
    "exponential_mechanism": ({}, "scale", (2, 3)),
    "from_zcdp": ({}, "rho", ("1/10", "1/5")),
    "gaussian_mechanism": ({}, "sigma", (2, 3)),
    "laplace_mechanism": ({}, "scale", (2, 3)),
    "matrix_mechanism": ({"matrix": [[1, 0], [1, 1]]}, "sigma", (2, 3)),
    "skellam_mechanism": ({}, "variance", (2, 3)),
    "stronger_clone_pair": ({"n": 20}, "epsilon0", ("1/2", 1)),
    "tree_aggregation": ({"steps": 4}, "sigma", (2, 3)),
    "truncated_discrete_laplace_mechanism": ({"scale": 2}, "radius", (3, 5)),
    "truncated_laplace_mechanism": ({"scale": 2}, "radius", (3, 5)),
}


@pytest.mark.parametrize("case", MONOTONE)
def test_delta_falls_or_grows_as_it_says(case):
    others, parameter, ends = MONOTONE[case]
    _, one = ALL["dp_sgd" if case.startswith("dp_sgd") else case]
    slope = families_of(one)[parameter].slope
    low, high = (
        enclosed(one(**others, **{parameter: x}).delta("1/10", relative_width="1e-4"), "1e-4")
        for x in ends
    )
    assert low.lower > high.upper if slope is Slope.FALLING else low.upper < high.lower


def test_all_slopes_are_asked():
    asked = {("dp_sgd" if x.startswith("dp_sgd") else x, y[1]) for x, y in MONOTONE.items()}
    known = {(name, x) for name, (_, one) in ALL.items() for x in families_of(one)}
    assert asked == known


def test_what_returns_a_profile_is_described_or_says_why_not():
    lacking = set()
    for name, room in ROOMS.items():
        for public in room.__all__:
            one = getattr(room, public)
            returns = str(getattr(unwrap(one), "__annotations__", {}).get("return", ""))
            is_noise = name == "mechanisms" and public.endswith(("_mechanism", "_noise"))
            if is_noise and "Profile" in returns and public not in ALL:
                lacking.add(public)
    assert lacking <= NOT_DESCRIBED.keys()


def test_a_new_mechanism_is_a_kind_of_file_at_once():
    k = Parameter("k", "answers", COUNT, slope=Slope.FALLING, search={"argument": int})
    share = Parameter("share", "of them", PROBABILITY)

    @described("one_of", "One of some answers.", k, share)
    def one_of(*, k, share="1/2"):
        lie = Fraction(1, k + 1)
        return Pair.from_masses([1, 0], [1 - lie, lie]).subsampled(share)

    law = law_of(one_of, MechanismLaw)
    said = "Without ``k``, only the smallest for a target can be asked."
    assert law.__doc__ == f"One of some answers. {said}"
    found = converted({"kind": "one_of", "k": 3}, law)
    assert found.profile("$").delta(0) == Fraction(1, 8) and found.left_out is None
    assert converted({"kind": "one_of", "share": "1/3"}, law).left_out == "k"
    assert "share" in json_schema(law, name="one_of")["$defs"]["OneOf"]["properties"]


def test_events_and_drawn_deployments_are_described():
    known = {about.kind: about for about in map(description_of, described_in(mechanisms))}
    assert {kind for kind, about in known.items() if about.drawn} <= KINDS.keys()
    events = {about.event.name for about in known.values() if about.event}
    assert events == {"GaussianDpEvent", "LaplaceDpEvent", "DiscreteLaplaceDpEvent"}
    assert [name for name, kind in KINDS.items() if kind.is_sampled] == ["gaussian", "laplace"]


def test_pages_are_what_the_tables_say():
    root = Path(__file__).parents[3]
    spec = spec_from_file_location("tables", root / "docs" / "tables.py")
    tables = module_from_spec(spec)
    spec.loader.exec_module(tables)
    for name, made in tables.PAGES.items():
        assert (root / "docs" / name).read_text(encoding="utf-8") == made(), "python docs/tables.py"


WAYS = {"sigma": "6", "noise_multiplier": "3", "sigma_squared": "36", "rho": "1/18"}
"""Noise of σ = 6 for Δ = 2, in four ways."""


@pytest.mark.parametrize("kind", ["gaussian", "discrete_gaussian"])
def test_four_ways_say_one_noise(kind):
    build = getattr(mechanisms, f"{kind}_mechanism")
    found = [build(sensitivity=2, **{name: value}) for name, value in WAYS.items()]
    assert len(set(found)) == 1
    ask = {"delta": [1], "epsilon": ["1e-5"], "relative_width": "1e-6"}
    files = [answers(kind=kind, sensitivity=2, ask=ask, **{x: y}) for x, y in WAYS.items()]
    assert files.count(files[0]) == len(files)
    for two in ({"sigma": 6, "rho": "1/18"}, WAYS):
        with pytest.raises(DomainError, match=r"^sigma=6 and .* are given\. Pass one of"):
            build(**two)
        with pytest.raises(ParseError, match=r"^\$ has both sigma and .*\. Keep one of them\.$"):
            answers(kind=kind, ask=ask, **two)
    with pytest.raises(DomainError, match=r"^no noise is given\. Pass one of sigma, noise_mul"):
        build()
    one = tasks_of(read_problem(json.dumps({"kind": kind, "rho": "1/18", "ask": {"delta": [1]}})))
    assert one[0].deployment.mechanism.parameter == 3.0
