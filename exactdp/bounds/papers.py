"""The bounds of installed papers, by name.

A paper's package keeps its bounds in a module ``published``, as a sequence ``BOUNDS``.

Definitions: :func:`published`, :func:`bounds_of`, :func:`readable_bounds`.
"""

from __future__ import annotations

import copyreg
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any

from exactdp.bounds.bound import PublishedBound
from exactdp.claims.catalog import GROUP
from exactdp.errors import TRIALS_NEED, DomainError, ExactDPError, ParseError, what_happened

__all__ = ["bounds_of", "papers_with_bounds", "published", "readable_bounds"]

_NEAR = 8
"""The names that are told, of those that go on where an unknown one ends."""

MODULE = "published"
"""The module beside a paper's catalog that has its bounds."""


@lru_cache(maxsize=32)
def bounds_of(paper: str) -> tuple[PublishedBound, ...]:
    """Return the published bounds of an installed paper, in its order; none if it keeps none.

    Raises:
        DomainError: If the paper is not installed.
        ParseError: If its module cannot be read, or two bounds have one name.
    """
    found = list(entry_points(group=GROUP, name=paper))
    if not found:
        keys = ", ".join(papers_with_bounds())
        raise DomainError(f"paper={paper!r} is not installed. With bounds: {keys}.")
    module = f"{found[0].module}.{MODULE}"
    try:
        if find_spec(module) is None:
            return ()
        bounds = tuple(import_module(module).BOUNDS)
    except (Exception, SystemExit) as error:  # whatever the code of others raises
        if isinstance(error, ModuleNotFoundError) and error.name in TRIALS_NEED:
            raise
        raise ParseError(f"{module} could not be read: {what_happened(error)}. Mend it.") from error
    names = [bound.claim for bound in bounds]
    if len(set(names)) != len(names):
        raise ParseError(f"two bounds of {paper} have one name. Add #name to one of them.")
    return bounds


def papers_with_bounds() -> list[str]:
    """Return the keys of the installed papers that keep bounds."""
    entries = sorted({(e.name, e.module) for e in entry_points(group=GROUP)})
    return [name for name, package in entries if _may_have_bounds(package)]


def _may_have_bounds(package: str) -> bool:
    """Return whether a package has the module, or cannot be imported: then reading it says so."""
    try:
        return find_spec(f"{package}.{MODULE}") is not None
    except (Exception, SystemExit):  # whatever the code of others raises
        return True


def readable_bounds(
    papers: Sequence[str],
) -> tuple[dict[str, tuple[PublishedBound, ...]], list[str]]:
    """Return the bounds of each paper that can be read, and the errors of the others."""
    found, wrong = dict[str, tuple[PublishedBound, ...]](), list[str]()
    for key in papers:
        try:
            found[key] = bounds_of(key)
        except ParseError as error:
            wrong.append(str(error))
    return found, wrong


def published(name: str) -> PublishedBound:
    """Return a published bound by its name, such as ``feldman2021/theorem-3.1``.

    Raises:
        DomainError: If there is none; the message has the name that looks most like it.

    Example:
        >>> published("feldman2021/theorem-3.11")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: bound='feldman2021/theorem-3.11' is unknown. Near: \
feldman2021/theorem-3.1. See `exactdp bounds`.
    """
    paper = name.partition("/")[0]
    if entry_points(group=GROUP, name=paper):  # no other paper is read for it
        for bound in bounds_of(paper):
            if bound.claim == name:
                return bound
    readable, _ = readable_bounds(papers_with_bounds())
    every = [bound.claim for bounds in readable.values() for bound in bounds]
    near = [one for one in every if one.startswith(name)][:_NEAR]
    near = near or get_close_matches(name, every, n=1, cutoff=0.5)
    hint = f"Near: {', '.join(near)}. " if near else ""
    raise DomainError(f"bound={name!r} is unknown. {hint}See `exactdp bounds`.")


def _by_name(bound: PublishedBound) -> str | tuple[Any, ...]:
    """Return how a bound is pickled: by its name, if an installed paper publishes it."""
    with suppress(ExactDPError):
        if published(bound.claim) is bound:
            return published, (bound.claim,)
    return object.__reduce_ex__(bound, 2)


copyreg.pickle(PublishedBound, _by_name)
