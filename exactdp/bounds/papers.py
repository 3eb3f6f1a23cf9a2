"""The bounds of installed papers, by name.

A paper's package keeps its bounds in a module ``published``, as a sequence ``BOUNDS``.

Definitions: :func:`published`, :func:`bounds_of`.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec

from exactdp.bounds.bound import PublishedBound
from exactdp.claims.catalog import GROUP
from exactdp.errors import DomainError

__all__ = ["bounds_of", "published"]

_NEAR = 8
"""The names that are told, of those that go on where an unknown one ends."""

MODULE = "published"
"""The module beside a paper's catalog that has its bounds."""


@lru_cache(maxsize=32)
def bounds_of(paper: str) -> tuple[PublishedBound, ...]:
    """Return the published bounds of an installed paper, in its order; none if it keeps none.

    Raises:
        DomainError: If the paper is not installed, or two bounds have one name.
    """
    found = list(entry_points(group=GROUP, name=paper))
    if not found:
        keys = ", ".join(papers_with_bounds())
        raise DomainError(f"paper={paper!r} is not installed. With bounds: {keys}.")
    package = found[0].module
    if find_spec(f"{package}.{MODULE}") is None:
        return ()
    bounds = tuple(import_module(f"{package}.{MODULE}").BOUNDS)
    names = [bound.claim for bound in bounds]
    if len(set(names)) != len(names):
        raise DomainError(f"two bounds of {paper} have one name. Add #name to one of them.")
    return bounds


def papers_with_bounds() -> list[str]:
    """Return the keys of the installed papers that keep bounds."""
    entries = sorted({(e.name, e.module) for e in entry_points(group=GROUP)})
    return [name for name, package in entries if find_spec(f"{package}.{MODULE}") is not None]


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
    every = [bound.claim for key in papers_with_bounds() for bound in bounds_of(key)]
    near = [one for one in every if one.startswith(name)][:_NEAR]
    near = near or get_close_matches(name, every, n=1, cutoff=0.5)
    hint = f"Near: {', '.join(near)}. " if near else ""
    raise DomainError(f"bound={name!r} is unknown. {hint}See `exactdp bounds`.")
