"""Junk in every public function and class: the library's own errors with a way out, or a value."""

import inspect
import itertools
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import ExactDPError
from tests.unit.test_front_door import JUNK

ROOMS = [
    "exactdp",
    "exactdp.numbers",
    "exactdp.distributions",
    "exactdp.divergences",
    "exactdp.mechanisms",
    "exactdp.accounting",
    "exactdp.shuffle",
    "exactdp.pufferfish",
    "exactdp.problems",
]
ANYTHING = {"Secret"}
"""Classes that hold whatever they are given."""
TOLD = {"exactdp.numbers.refuse_above"}
"""Functions whose messages are made of their arguments."""


def _public():
    """Each function and class once, by the room that names it."""
    found = {}
    for room in ROOMS:
        module = import_module(room)
        for name in module.__all__:
            one = getattr(module, name)
            is_class = inspect.isclass(one)
            if is_class and (issubclass(one, BaseException | Enum) or inspect.isabstract(one)):
                continue
            if (is_class or inspect.isfunction(one)) and inspect.signature(one).parameters:
                found.setdefault(one, f"{room}.{name}")
    return {name: one for one, name in found.items()}


PUBLIC = _public()
DATACLASSES = [name for name, one in PUBLIC.items() if is_dataclass(one)]


def _is_clear(error):
    text = str(error)
    assert "\n" not in text
    assert len(text) < 600
    assert ". " in text  # what is wrong, and the way out
    assert text.rstrip().endswith((".", ")"))


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
    try:
        PUBLIC[name](*args, **kwargs)
    except ExactDPError as error:
        if name not in TOLD:
            _is_clear(error)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_refuses_junk_in_its_own_words(name):
    for i, junk in enumerate(JUNK):
        _call(name, lambda one, junk=junk: (junk,) if one.default is one.empty else None)
        places = itertools.count(i)
        _call(name, lambda _, places=places: (JUNK[next(places) % len(JUNK)],))


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
