"""Arguments of another type than their annotation are refused in one line, wherever they fail.

An annotation says already what a public function takes. :func:`validated` reads it where a call has
failed, which costs a good call nothing, and where an object is built, so that it is valid from
then on. :func:`checked_door` puts it on all that a package names in its ``__all__``: on functions
as the package hands them out (inside the library they are called as they stand in their files), and
on the public methods of classes.
"""

from __future__ import annotations

import re
import typing
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, lru_cache, wraps
from importlib import import_module
from inspect import CO_VARARGS, unwrap
from itertools import islice
from math import isfinite
from numbers import Integral, Rational
from numbers import Real as RealNumber
from types import FunctionType, NoneType, UnionType
from typing import Any, TypeVar, cast

from exactdp.errors import DomainError, ExactDPError, TooLargeError, UndecidedError

__all__ = ["checked_door", "checked_name", "validated"]

T = TypeVar("T")
_LONGEST, _FIRST, _NAMED = 60, 16, 8
"""Characters of a value, elements of one that are looked at, and values of a Literal named."""
_FEW = 3
"""Types or values that an error names one by one, at most."""
_WIDTH = re.compile(r"relative_width=(\d+(?:[./]\d+)*(?:e-?\d+)?)")
_WIDER = re.compile(r"Ask for \d\S* or wider")
"""What an error says of a width, and the advice that it gives then."""
_MARK = "is_validated"
"""The attribute of a function whose arguments are looked at."""
READERS: dict[type, Callable[[Any, str], Any]] = {}
"""What reads a number, with its name, as one of a type: :mod:`exactdp.numbers.arguments` says."""
WRITERS: dict[type, Callable[[Any], str]] = {}
"""The functions that write a field of a type: of rationals, the same file says it."""
_AS_THEY_ARE = Enum, BaseException
_NUMBERS = {int: Integral, Fraction: Rational, float: RealNumber}
"""The types that are taken for a type of Python's: also numpy's, but not bool."""


def validated(kind: T) -> T:
    """Return a function, or a class, that names an argument of another type than its annotation.

    If a function fails with an error that is not the library's, its arguments are looked at: one of
    another type than its annotation is the reason; if it is a number that the annotation admits, it
    is called again with that. If there is none, the error is ours, and stays.
    The arguments of a dataclass are looked at before an object is built; of long arguments, the
    first elements are. A class says in its attribute ``way_out`` how objects of it are made.

    Example:
        >>> @validated
        ... def twice(count: int) -> int:
        ...     return 2 * count.numerator
        >>> twice("many")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: count='many' is of type str, not int. Pass an int.
        >>> twice(4)
        8
    """
    if isinstance(kind, type):
        build = kind.__init__  # type: ignore[misc]
        if not is_dataclass(kind):
            kind.__init__ = validated(build)  # type: ignore[misc]
            return kind

        @wraps(build)
        def built(self: Any, *args: Any, **kwargs: Any) -> None:
            args, kwargs = _as_annotated(build, (self, *args), kwargs, _FIRST)
            build(*args, **kwargs)

        vars(built)[_MARK] = True
        kind.__init__ = built  # type: ignore[method-assign]
        if hasattr(vars(kind).get("__repr__"), "__wrapped__"):  # as a dataclass makes it
            kind.__repr__ = _with_fields  # type: ignore[method-assign]
        return kind

    has_width = "relative_width" in getattr(kind, "__annotations__", ())

    @wraps(kind)  # type: ignore[arg-type]
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the call, not what checks it
        try:
            return kind(*args, **kwargs)  # type: ignore[operator]
        except (TooLargeError, UndecidedError) as error:
            if has_width:
                _say_own_width(error, kwargs.get("relative_width"))
            raise
        except (ExactDPError, AssertionError):  # an answer; what a test is told is not junk
            raise
        except Exception:
            given = _as_annotated(kind, args, kwargs)
            if given[1] is kwargs:
                raise
        return kind(*given[0], **given[1])  # type: ignore[operator]

    vars(call)[_MARK] = True
    return call  # type: ignore[return-value]


def _with_fields(self: Any) -> str:
    """Return the call that makes a dataclass, with its rationals as they were written."""
    held = ((one.name, getattr(self, one.name)) for one in fields(self) if one.repr)
    inside = ", ".join(f"{name}={_written(value)}" for name, value in held)
    return f"{type(self).__qualname__}({inside})"


def _written(value: object) -> str:
    if type(value) is tuple:
        return f"({', '.join(map(_written, value))}{',' * (len(value) == 1)})"
    return WRITERS.get(type(value), repr)(value)


def checked_door(room: dict[str, Any]) -> None:
    """Put checks on the functions and classes that a package names; the last line of its file.

    Args:
        room: The package's ``globals()``.
    """
    for name in room["__all__"]:
        room[name] = checked_name(room[name], room["__name__"])


@cache
def checked_name(one: Any, room: str) -> Any:
    """Return a public function of a package with checks; a class is given them in its methods.

    A function that has none is wrapped, and says that it is the package's: two objects, each found
    where it says that it is, as pickle wants them. What is not a function or class stays.
    """
    if isinstance(one, type):
        for kind in one.__mro__:
            if kind.__module__.startswith("exactdp.") and not issubclass(kind, _AS_THEY_ARE):
                _check_methods(cast("Any", kind))
        return one
    if not isinstance(unwrap(one), FunctionType) or hasattr(one, _MARK):
        return one
    found = validated(one)
    found.__module__ = room
    return found


@cache
def _check_methods(kind: type) -> None:
    for name, one in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        method = one.__func__ if isinstance(one, classmethod | staticmethod) else one
        if not isinstance(method, FunctionType) or hasattr(method, _MARK):
            continue
        if method.__code__.co_argcount + method.__code__.co_kwonlyargcount < 1 + (method is one):
            continue
        found = validated(method)
        setattr(kind, name, found if method is one else type(one)(found))


def _say_own_width(error: ExactDPError, width: Any) -> None:
    """Let an error speak of the width that was asked, where a search asked narrower ones."""
    if len(error.args) != 1 or "relative_width=" not in (text := str(error)) or "..." in text:
        return  # what is too long to be shown was asked as it is
    asked = "the usual relative width" if width is None else f"relative_width={_shown(str(width))}"
    asked = asked.replace("'", "")
    said = _WIDTH.sub(asked, text)
    if not all(_are_equal(width, inner[1]) for inner in _WIDTH.finditer(text)):
        said = _WIDER.sub("Ask for a wider one", said)
    error.args = (said,)


def _are_equal(width: Any, text: str) -> bool:
    """Return whether a width is the number that a text says, written as it may be."""
    with suppress(ValueError, ZeroDivisionError):
        return Fraction(str(width)) == Fraction(text)
    return False


def _refuse(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    most: int | None = None,
) -> None:
    """Raise DomainError for the first argument of another type than its annotation."""
    for other in _others(function, args, kwargs, most):
        raise _refusal(*other) from None


def _refusal(name: str, value: Any, hint: Any) -> DomainError:
    name, value, hint = _innermost(name, value, hint)
    return DomainError(
        f"{name}={_shown(value)} is of type {type(value).__name__}, not {_name(hint)}. "
        f"{_way_out(hint, value)}"
    )


def _others(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], most: int | None
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the arguments of another type than their annotation, with it."""
    code, hints = unwrap(function).__code__, _hints(function)
    names = code.co_varnames[: code.co_argcount]
    if code.co_flags & CO_VARARGS:
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        names += (rest,) * (len(args) - len(names))
    for name, value in (*zip(names, args, strict=False), *kwargs.items()):
        hint = hints.get(name, Any)
        if not _is_of(value, hint, most):
            yield name, value, hint


def _as_annotated(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], most: int | None = None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments, with numbers of other types as the annotations have them.

    Raises:
        DomainError: If one is of another type, and not a number that they admit.
    """
    others = list(_others(function, args, kwargs, most))
    if not others:
        return args, kwargs
    code, found = unwrap(function).__code__, {}
    for name, value, hint in others:
        found[name] = None if code.co_flags & CO_VARARGS else _number_as(hint, value, name)
        if found[name] is None:
            raise _refusal(name, value, hint)
    given = tuple(found.get(name, x) for name, x in zip(code.co_varnames, args, strict=False))
    return given, {name: found.get(name, x) for name, x in kwargs.items()}


def _number_as(hint: Any, value: Any, name: str) -> Any:
    """Return a number as it is annotated: a whole, a rational or an exact one, or an epsilon.

    So are those in a sequence; None if one is not a number.
    """
    kinds = typing.get_args(hint) if isinstance(hint, UnionType) else (hint,)
    for kind, read in READERS.items():
        if kind in kinds and not isinstance(value, bool):
            try:
                found = read(value, name)
            except ExactDPError:
                if isinstance(value, RealNumber) and not isfinite(cast("float", value)):
                    raise
                return None
            return found if _is_of(found, hint, None) else None
    for kind in kinds:
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if not (isinstance(value, list | tuple) and inner and origin in (tuple, Sequence)):
            continue
        each = inner if origin is tuple and inner[-1] is not ... else inner[:1] * len(value)
        if len(each) == len(value):
            named = (
                (f"{name}[{i}]", *both) for i, both in enumerate(zip(value, each, strict=True))
            )
            taken = [x if _is_of(x, one, None) else _number_as(one, x, n) for n, x, one in named]
            return None if any(x is None for x in taken) else tuple(taken)
    return None


@lru_cache(maxsize=1024)
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function, without those that only a type checker can read."""
    here = vars(import_module(function.__module__))
    owner = here.get(function.__qualname__.partition(".")[0])
    # Annotations of inherited fields are written in the modules of their classes.
    bases = owner.__mro__ if isinstance(owner, type) else ()
    names = ChainMap(here, *(vars(import_module(base.__module__)) for base in bases))
    hints = {}
    for name, text in function.__annotations__.items():
        with suppress(NameError):
            hints[name] = eval(text, here, names) if isinstance(text, str) else text
    return hints


def _is_of(value: object, hint: Any, most: int | None) -> bool:
    """Return whether a value is of an annotated type, with its elements; True if unsure."""
    if type(value) is hint or hint in (Any, object):
        return True
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return any(_is_of(value, one, most) for one in inner)
    if origin is typing.Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if origin is tuple and inner and inner[-1] is not ...:
        return (
            isinstance(value, tuple | list)
            and len(value) == len(inner)
            and all(_is_of(one, kind, most) for one, kind in zip(value, inner, strict=True))
        )
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _is_of(key, inner[0], most) and _is_of(one, inner[1], most)
            for key, one in islice(value.items(), most)
        )
    if isinstance(origin, type) and inner and origin is not type:
        if not isinstance(value, (tuple, list) if origin is tuple else origin):
            return False
        if isinstance(value, str | bytes):
            return inner[0] is str
        is_held = isinstance(value, Iterable) and not isinstance(value, Iterator)
        is_held &= origin.__module__ in ("builtins", "collections.abc")
        count = most if isinstance(value, Collection) else _FIRST
        return not is_held or all(
            _is_of(one, inner[0], most) for one in islice(cast("Iterable[Any]", value), count)
        )
    if hint in (None, NoneType):
        return value is None
    if not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        return True
    if hint in _NUMBERS:
        return isinstance(value, _NUMBERS[hint]) and not isinstance(value, bool)
    return isinstance(value, hint)


def _innermost(name: str, value: Any, hint: Any) -> tuple[str, Any, Any]:
    """Return the wrong element of a sequence, with its place; without one, the value itself."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if not isinstance(origin, type) or not inner or not isinstance(value, list | tuple):
        return name, value, hint
    if not isinstance(value, origin) or (origin is tuple and inner[-1] is not ...):
        return name, value, hint
    i = next(i for i, one in enumerate(value) if not _is_of(one, inner[0], None))
    return _innermost(f"{name}[{i}]", value[i], inner[0])


def _shown(value: object) -> str:
    is_long = isinstance(value, int) and value.bit_length() > _LONGEST
    text = hex(value) if is_long else repr(value)  # type: ignore[arg-type]
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _name(hint: Any) -> str:
    """Return the name of an annotated type for readers."""
    inner = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, UnionType):
        return " or ".join(dict.fromkeys(map(_name, inner)))
    if typing.get_origin(hint) is typing.Literal:
        return f"one of {', '.join(map(repr, inner[:_NAMED]))}{', ...' * (len(inner) > _NAMED)}"
    if hint in (None, NoneType):
        return "None"
    name = getattr(hint, "__name__", str(hint))
    return f"{name} of {_name(inner[0])}" if inner and inner[0] is not ... else name


def _way_out(hint: Any, value: object) -> str:
    """Return the sentence that names a value to pass for an annotation."""
    for one in (hint, *typing.get_args(hint)):
        if text := getattr(one, "way_out", None):
            return str(text(value) if callable(text) else text)
    if isinstance(value, float) and _is_of(Fraction(1, 2), hint, None):
        return f'Pass "{value}", or Fraction({float(value)!r}) if you mean that double.'
    if typing.get_origin(hint) is typing.Literal:
        return "Pass such a text."
    kinds = typing.get_args(hint)
    if len(kinds) > _FEW or any(typing.get_origin(one) is typing.Literal for one in kinds):
        return "Pass one of these."
    name = _name(hint)
    return f"Pass {'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}."
