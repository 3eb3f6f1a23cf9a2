"""Packages that load where they are first used: most questions need none of numpy.

Example:
    >>> int(np.arange(3).sum())
    3
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Later", "NDArray", "np"]


class Later:
    """A stand-in for a package, which loads at the first use of one of its names.

    Args:
        name: Its name.
    """

    def __init__(self, name: str) -> None:
        self._package = name

    def __getattr__(self, name: str) -> Any:
        found = vars(self)[name] = getattr(import_module(self._package), name)
        return found


class _OfNumpy(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, np.ndarray)


class _Array(metaclass=_OfNumpy):
    """The type of numpy's arrays in annotations."""

    def __class_getitem__(cls, _: object) -> type:
        return cls


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = Later("numpy")

    NDArray = _Array
