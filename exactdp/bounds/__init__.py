"""Published bounds as people run them: formula, double and truth, side by side.

    >>> from exactdp.bounds import published
    >>> bound = published("feldman2021/theorem-3.1")
    >>> found = bound(n=10**6, epsilon0=1, delta="1e-9")
    >>> found.double, found.safe_double, found.below_truth
    (0.028266958095845028, 0.028266958095845028, None)

A paper keeps its bounds beside its catalog, in ``published.py``.
"""

from exactdp.bounds.answers import BoundAnswer
from exactdp.bounds.bound import PublishedBound
from exactdp.bounds.cases import BoundCase, bound_cases
from exactdp.bounds.papers import bounds_of, published
from exactdp.bounds.targets import BoundedNumber, asked_between, one_number
from exactdp.numbers.validated import checked_door as _checked_door

__all__ = [
    "BoundAnswer",
    "BoundCase",
    "BoundedNumber",
    "PublishedBound",
    "asked_between",
    "bound_cases",
    "bounds_of",
    "one_number",
    "published",
]

_checked_door(globals())
