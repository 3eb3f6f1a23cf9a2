"""Names of public arguments and methods that have changed, in one table.

What was called by an old name is still answered through the version that a row names, and a
DeprecationWarning says the new name. ``docs/renamed.md`` is made from the table. Problem files of
all versions are read, without a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar
from warnings import warn

from exactdp.errors import DomainError

__all__ = ["RENAMED", "Renamed", "current_name", "current_names", "renamed"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Renamed:
    """An old name of an argument, of a method, or of a function, and the new one.

    Attributes:
        owner: The function or class whose it is; of a function, its package.
        before: The old name.
        now: The new name.
        until: The last version that knows the old one.
    """

    owner: str
    before: str
    now: str
    until: str = "0.3"

    def warn(self, stacklevel: int) -> None:
        """Warn the caller who used the old name."""
        said = f"{self.before} of {self.owner} is now {self.now}"
        text = f"{said}. The old name works through {self.until}."
        warn(text, DeprecationWarning, stacklevel=stacklevel)


RENAMED = (
    Renamed("accounting", "dp_sgd_sigma", "dp_sgd_noise_multiplier"),
    Renamed("dp_sgd", "sigma", "noise_multiplier"),
    Renamed("dp_sgd", "rate", "sampling_probability"),
    Renamed("dp_sgd_noise_multiplier", "rate", "sampling_probability"),
    Renamed("sampled", "rate", "sampling_probability"),
    Renamed("poisson_subsampled", "rate", "sampling_probability"),
    Renamed("cut_poisson_sampled", "rate", "sampling_probability"),
    Renamed("PoissonSubsampled", "rate", "sampling_probability"),
    Renamed("Mechanism", "rate", "sampling_probability"),
    Renamed("deployments", "rates", "sampling_probabilities"),
    Renamed("targets", "rates", "sampling_probabilities"),
    Renamed("PartitionSelection", "profile()", "the selection itself, which is a profile"),
)
"""All names that have changed and are still known."""


def renamed(function: F) -> F:
    """Return a function, or a class, that knows the old names of its arguments, and warns.

    Example:
        >>> def poisson_subsampled(*, sampling_probability):
        ...     return sampling_probability
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as seen:
        ...     warnings.simplefilter("always")
        ...     renamed(poisson_subsampled)(rate=3)
        3
        >>> print(seen[0].message)
        rate of poisson_subsampled is now sampling_probability. The old name works through 0.3.
    """
    if isinstance(function, type):  # a class is called by the names of its fields
        build = function.__init__  # type: ignore[misc]

        @wraps(build)
        def built(self: Any, *args: Any, **kwargs: Any) -> None:
            build(self, *args, **current_names(function, kwargs, stacklevel=4))

        function.__init__ = built  # type: ignore[misc]
        return function

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the call, not what translates it
        return function(*args, **current_names(function, kwargs, stacklevel=4))

    return call  # type: ignore[return-value]


def current_name(room: str, name: str, *, stacklevel: int = 3) -> str | None:
    """Return the new name of a function that a package had by another, with a warning; else None.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as seen:
        ...     warnings.simplefilter("always")
        ...     current_name("exactdp.accounting", "dp_sgd_sigma")
        'dp_sgd_noise_multiplier'
        >>> print(seen[0].message)
        dp_sgd_sigma of accounting is now dp_sgd_noise_multiplier. The old name works through 0.3.
    """
    for one in RENAMED:
        if one.before == name and f"exactdp.{one.owner}" == room:
            one.warn(stacklevel)
            return one.now
    return None


def current_names(
    function: Callable[..., Any], arguments: Mapping[str, Any], *, stacklevel: int = 3
) -> dict[str, Any]:
    """Return arguments of a function by their new names, with a warning for each old one.

    Raises:
        DomainError: If one is given by both names.

    Example:
        >>> def dp_sgd(*, noise_multiplier):
        ...     return noise_multiplier
        >>> current_names(dp_sgd, {"noise_multiplier": 2, "steps": 5})
        {'noise_multiplier': 2, 'steps': 5}
    """
    found = dict(arguments)
    for one in RENAMED:
        if one.before in found and one.owner == function.__name__:
            if one.now in found:
                raise DomainError(f"{one.before} is the old name of {one.now}. Pass {one.now}.")
            one.warn(stacklevel)
            found = {one.now if x == one.before else x: y for x, y in found.items()}
    return found
