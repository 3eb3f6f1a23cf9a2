"""Junk in every public function and class: the library's own errors with a way out, or a value."""

import contextlib
import inspect
import itertools
from dataclasses import MISSING, fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.divergences import Pair, PrivacyProfile
from exactdp.errors import ExactDPError
from exactdp.mechanisms import laplace_mechanism, randomized_response
from exactdp.numbers import Epsilon, sqrt
from tests.routes.good_calls import arguments_of
from tests.routes.public_names import BUILT, PUBLIC, RECORDS
from tests.unit.test_front_door import JUNK

ANYTHING = {"Secret"}
"""Classes that hold whatever they are given."""
TOLD = {"numbers.refuse_above", "numbers.decided_below", "numbers.decided_order"}
"""Functions whose messages are made of their arguments."""
SPOILED = [
    *JUNK,
    Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]),
    randomized_response(2, Epsilon.log(3)),
    laplace_mechanism(scale=1),
    Epsilon.infinity(),
    sqrt(2),
    [[1, 0], [0, 1]],
    lambda x: x,
]
DATACLASSES = [name for name in sorted(PUBLIC.keys() - RECORDS) if is_dataclass(PUBLIC[name])]


def _is_clear(error):
    text = str(error)
    assert "\n" not in text
    assert len(text) < 600
    assert ". " in text  # what is wrong, and the way out
    assert text.rstrip().endswith((".", ")"))


def _answered(name, args, kwargs):
    """Return what a call says: a value, or None where it is refused in the library's words."""
    try:
        return PUBLIC[name](*args, **kwargs)
    except ExactDPError as error:
        if name not in TOLD:
            _is_clear(error)
    except AssertionError:
        if not name.startswith("testing.assert_"):
            raise
    return None


def _call(name, chosen):
    """Call a public name; ``chosen`` says what each parameter is given, None for nothing."""
    args, kwargs = [], {}
    for one in inspect.signature(PUBLIC[name]).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        given = chosen(one)
        if given is None:
            continue
        if one.kind is one.KEYWORD_ONLY or one.default is not one.empty:
            kwargs[one.name] = given[0]
        else:
            args.append(given[0])
    _answered(name, args, kwargs)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_refuses_junk_in_its_own_words(name):
    for i, junk in enumerate(JUNK):
        _call(name, lambda one, junk=junk: (junk,) if one.default is one.empty else None)
        places = itertools.count(i)
        _call(name, lambda _, places=places: (JUNK[next(places) % len(JUNK)],))


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - BUILT))
def test_one_argument_that_is_junk_beside_good_ones(name):
    good = arguments_of(name)
    PUBLIC[name](**good)
    for one in inspect.signature(PUBLIC[name]).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        takes_functions = "Call" in str(one.annotation) or "Values" in str(one.annotation)
        for junk in SPOILED:
            if takes_functions and callable(junk):
                continue  # what a function of the caller's raises is the caller's
            found = _answered(name, [], good | {one.name: junk})
            if isinstance(found, PrivacyProfile) and not isinstance(junk, PrivacyProfile):
                with contextlib.suppress(ExactDPError):
                    found.delta(Epsilon.log(2), relative_width="1/4")


def test_a_wrong_number_of_arguments_is_an_error_of_python():
    for call in (lambda: laplace_mechanism(1), lambda: randomized_response(2), lambda: sqrt(1, 2)):
        with pytest.raises(TypeError, match="argument"):
            call()


@given(data=st.data())
def test_and_any_mixture_of_it(data):
    def chosen(one):
        if one.default is not one.empty and not data.draw(st.booleans()):
            return None
        return (data.draw(st.sampled_from(JUNK), label=one.name),)

    _call(data.draw(st.sampled_from(sorted(PUBLIC))), chosen)


@pytest.mark.parametrize("name", DATACLASSES)
def test_what_is_built_is_valid(name):
    """An object of another type is refused in each field, whatever the others are."""
    kind = PUBLIC[name]
    asked = [f.name for f in fields(kind) if f.init and f.default is MISSING]
    asked = [one for one in asked if one in inspect.signature(kind).parameters]
    if not asked or kind.__name__ in ANYTHING:
        pytest.skip("nothing is asked for")
    with pytest.raises(ExactDPError) as caught:
        kind(**{one: object() for one in asked})
    _is_clear(caught.value)


def test_what_is_public_is_seen():
    assert len(PUBLIC) > 150
    assert len(DATACLASSES) > 40
