"""Checks of arguments at a room's door: which error, in whose words, at what price."""

import inspect
import pickle
from importlib import import_module

import pytest

from exactdp.accounting import dp_sgd
from exactdp.divergences import Pair, calibrated
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.mechanisms import (
    laplace_mechanism,
    randomized_response,
    skellam_mechanism,
    smallest_threshold,
)
from exactdp.numbers import Epsilon
from exactdp.numbers.validated import checked_name, validated
from exactdp.shuffle import shuffle_worst_case
from tests.routes.public_names import PUBLIC

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])


@pytest.mark.parametrize(
    "junk", [skellam_mechanism(variance=3), "rr", [[1, 0], [0, 1]], COIN, None, 3]
)
def test_what_is_no_randomizer(junk):
    with pytest.raises(DomainError, match=r"^randomizer=.* is of type .*Pass a Randomizer or "):
        shuffle_worst_case(1000, junk)


def test_what_is_no_noise():
    with pytest.raises(DomainError, match=r"noise='x' is of type str, not AdditiveNoise"):
        smallest_threshold("x", Epsilon.log(3), "1e-6")


def test_every_public_function_and_method_has_checks():
    for name, one in PUBLIC.items():
        if name.startswith("compare.Accountant"):
            continue  # which is built without numbers
        methods = [one] if inspect.isfunction(one) else []
        if inspect.isclass(one):
            methods = [
                getattr(x, "__func__", x)
                for key, x in vars(one).items()
                if not key.startswith("_") and inspect.isfunction(getattr(x, "__func__", x))
            ]
        for method in methods:
            asked = inspect.signature(method).parameters.values()
            named = [x for x in asked if x.kind not in (x.VAR_POSITIONAL, x.VAR_KEYWORD)]
            if len(named) > inspect.isclass(one):
                assert hasattr(method, "is_validated"), (name, method)


def test_the_public_name_is_found_where_it_says_that_it_is():
    room = import_module("exactdp.mechanisms")
    inner = import_module("exactdp.mechanisms.laplace")
    assert laplace_mechanism is room.laplace_mechanism
    assert laplace_mechanism is checked_name(inner.laplace_mechanism, "exactdp.mechanisms")
    for one in (room.laplace_mechanism, inner.laplace_mechanism):
        assert pickle.loads(pickle.dumps(one)) is one
        assert [*inspect.signature(one).parameters] == ["scale", "sensitivity"]
    assert (laplace_mechanism.__name__, laplace_mechanism.__module__) == (
        "laplace_mechanism",
        "exactdp.mechanisms",
    )


def test_inside_of_the_library_a_function_is_called_as_it_stands():
    inner = import_module("exactdp.mechanisms.randomized_response")
    assert randomized_response is not inner.randomized_response
    assert randomized_response.__wrapped__ is inner.randomized_response


def test_an_error_says_the_name_of_the_argument():
    with pytest.raises(DomainError, match=r"^noise_multiplier=0 is not positive"):
        dp_sgd(noise_multiplier=0, sampling_probability="1/2", steps=2)
    with pytest.raises(DomainError, match=r"^sampling_probability=3 is not a probability"):
        dp_sgd(noise_multiplier=1, sampling_probability=3, steps=2)


@validated
def searched(*, relative_width: str | None = None, text: str) -> None:
    """Fail as a search does whose inner question failed."""
    raise (UndecidedError if "reached" in text else TooLargeError)(text)


@pytest.mark.parametrize(
    ("inner", "width", "said"),
    [
        ("relative_width=1/1638400 is not reached.", "1e-1", "relative_width=1e-1 is not reached."),
        (
            "relative_width=1/40 is below it. Ask for 1/9 or wider.",
            "1e-1",
            "relative_width=1e-1 is below it. Ask for a wider one.",
        ),
        (
            "relative_width=1/10 is below it. Ask for 1/9 or wider.",
            "1e-1",
            "relative_width=1e-1 is below it. Ask for 1/9 or wider.",
        ),
        ("relative_width=1/10 is not reached.", None, "the usual relative width is not reached."),
        (
            'It is long. Or pass relative_width="1e-9".',
            None,
            'It is long. Or pass relative_width="1e-9".',
        ),
    ],
)
def test_an_error_speaks_of_the_width_that_was_asked(inner, width, said):
    with pytest.raises((UndecidedError, TooLargeError)) as caught:
        searched(relative_width=width, text=inner)
    assert str(caught.value) == said


def test_a_function_that_returns_no_mechanism():
    with pytest.raises(DomainError):
        calibrated(lambda sigma: sigma, epsilon=Epsilon.log(3), delta="1e-3")
