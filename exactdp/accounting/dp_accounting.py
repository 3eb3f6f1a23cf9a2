"""Accountants for dp-accounting: ``Accountant()`` where ``PLDAccountant()`` was.

Both are its ``PrivacyAccountant``. Which events they take, and what the answer to each is, stands
in the table of ``events``. Needs dp-accounting (pip install dp-accounting).
Reference: dp-accounting 0.6, ``privacy_accountant.py``, ``dp_event.py``,
``pld/pld_privacy_accountant.py`` and ``rdp/rdp_privacy_accountant.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import inf, isinf
from typing import Any

import numpy

from exactdp.accounting.accountants.accounted import Accounted, UnansweredError, Used
from exactdp.accounting.accountants.doubles_out import USUAL_WIDTH, Spent, optional
from exactdp.accounting.accountants.error_rates import ErrorRates
from exactdp.accounting.accountants.events import known_of, leaves
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.divergences.fallbacks import upper_end
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Exact, RationalLike, float_above
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.effort import NO_ANSWER, first_answer

_library = optional("dp_accounting")
_Interface: Any = getattr(_library, "PrivacyAccountant", object)

__all__ = ["Accountant", "RdpAccountant"]

_RATES = [10 ** (k / 4 - 12) for k in range(47)] + [1 / 2]
"""The false positive rates of an estimate of μ where none are given."""

_ORDERS = [1 + k / 10 for k in range(1, 100)] + [*range(11, 64)] + [2**k for k in range(7, 11)]
"""The orders of Rényi divergences where none are given, as in the library."""

_LEAST, _NARROW = 1 + Fraction(1, 1 << 40), Fraction(1, 10**12)
"""An order that stands for 1 and below, as divergences grow; the width of a divergence."""


class Accountant(_Interface):  # type: ignore[misc] # a base that need not be installed
    """The events composed so far, and the ε and δ that they certainly keep.

    The doubles of an event are meant exactly; answers are doubles, rounded up, as near to the
    truth as promised or as ``note`` says. What is too large to compute is not an error.

    Attributes:
        relative_width: How near to the truth an answer is; 1e-4 if not given.
        note: What the last answer is if it is not as near to the truth, else None.
    """

    def __init__(
        self,
        neighboring_relation: Any = None,
        value_discretization_interval: float | None = None,
        *,
        relative_width: RationalLike = USUAL_WIDTH,
    ) -> None:
        """Take the library's arguments: an interval is not needed, as no loss is rounded to one."""
        if _library is None:
            raise ImportError("dp_accounting is missing. Run: pip install dp-accounting")
        relations = _library.NeighboringRelation
        given = neighboring_relation or relations.ADD_OR_REMOVE_ONE
        if not isinstance(given, relations):
            names = ", ".join(one.name for one in relations)
            raise DomainError(
                f"neighboring_relation={given!r} is not known. Pass a NeighboringRelation: {names}."
            )
        super().__init__(given)
        self.relative_width = checked_width(relative_width)
        self._found: dict[Any, Accounted] = {}
        self._uses: dict[Any, int] = {}
        self.note: str | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for neighbors by {self.neighboring_relation.name}>"

    def supports(self, event: Any) -> bool:
        """Return whether an event has an answer; False also where a parameter is out of range."""
        try:
            found: bool = super().supports(event)
        except DomainError:
            return False
        return found

    # The library calls this method so, with a Boolean in third place.
    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:  # noqa: FBT001
        """Return None, or why an event is not supported; an unsupported one is never composed.

        Raises:
            DomainError: If a parameter, or the count, is out of its range: it is a ValueError.
        """
        relation, one = self.neighboring_relation.name, event
        used: dict[Any, int] = {}
        try:
            for one, times in leaves(event, whole_number(count, name="count", at_least=0)):
                key = _key(one)
                if key not in self._found:
                    self._found[key] = known_of(one, relation)
                used[key] = used.get(key, 0) + times
        except (UnansweredError, TooLargeError, UndecidedError) as error:
            return self.CompositionErrorDetails(invalid_event=one, error_message=str(error))
        for key, times in used.items():
            if do_compose and times:
                self._uses[key] = self._uses.get(key, 0) + times
        return None

    def get_epsilon(self, target_delta: float) -> float:
        """Return a double that is at least ε(δ)."""
        found: float = self._answer(lambda spent: spent.epsilon(target_delta), inf)
        return found

    def get_delta(self, target_epsilon: float) -> float:
        """Return a double that is at least δ(ε); of an infinite ε the mass of infinite losses."""
        found: float = self._answer(lambda spent: spent.delta(target_epsilon), 1)
        return found

    def get_true_positive_rates(self, false_positive_rates: Any, deltas: Any = None) -> Any:
        """Return doubles that no test's true positive rate exceeds, at false positive rates.

        Args:
            false_positive_rates: A number from 0 to 1, or an array of them.
            deltas: Not needed: the ε of each bound is sought.

        Source:
            dp-accounting at b5b0286, ``PLDAccountant.get_true_positive_rates``.
        """

        def rates(spent: Spent) -> Any:
            bounds = ErrorRates(spent)
            if numpy.ndim(false_positive_rates) == 0:
                return bounds.true_positive_rate(false_positive_rates)
            found = [bounds.true_positive_rate(x) for x in false_positive_rates]
            return numpy.array(found)

        return self._answer(rates, numpy.ones_like(false_positive_rates, dtype=float)[()])

    def get_gdp_parameter_estimate(
        self, false_positive_rates: Sequence[float] | None = None, deltas: Any = None
    ) -> float:
        """Return a μ of Gaussian DP that holds at false positive rates, and little above the least.

        Where losses are infinite more often than the least rate, infinity.

        Args:
            false_positive_rates: Numbers above 0 and below 1; 48 from 1e-12 to 0.5 if left out.
            deltas: Not needed.

        Source:
            dp-accounting at b5b0286, ``PLDAccountant.get_gdp_parameter_estimate``.
        """
        rates = _RATES if false_positive_rates is None else [*false_positive_rates]
        found: float = self._answer(lambda spent: ErrorRates(spent).gdp(rates), inf)
        return found

    @property
    def _used(self) -> Used:
        return Used([(self._found[key], times) for key, times in self._uses.items()])

    def _answer(self, question: Callable[[Spent], Any], exposed: Any) -> Any:
        self.note = None
        used = self._used
        if used.is_exposed:
            return exposed
        spent = used.spent(self.relative_width)
        found, other = question(spent), used.by_curves()
        if other.parts != used.parts:  # two upper bounds, neither the less everywhere
            again = other.spent(self.relative_width)
            if numpy.all((less := question(again)) < found):
                found, spent = less, again
        self.note = "; ".join(dict.fromkeys(x for x in (spent.note, *used.notes) if x)) or None
        return found


class RdpAccountant(Accountant):
    """A drop-in for ``RdpAccountant``, which has Rényi divergences of some orders, too.

    ε and δ do not come from these orders: they are as near to the truth as those of ``Accountant``.
    """

    def __init__(
        self,
        orders: Sequence[float] | None = None,
        neighboring_relation: Any = None,
        *,
        relative_width: RationalLike = USUAL_WIDTH,
    ) -> None:
        super().__init__(neighboring_relation, relative_width=relative_width)
        self._given = numpy.array(_ORDERS if orders is None else orders, dtype="float64").tolist()

    @property
    def orders(self) -> Any:
        """The orders, an array."""
        return numpy.array(self._given)

    @property
    def rdp(self) -> Any:
        """Doubles that are at least the Rényi divergences of the orders, an array.

        The larger of both orders of neighbors, at most that of any larger order.
        """
        used = self._used
        if used.is_exposed:
            return numpy.full(len(self._given), inf)
        bounds = used.by_curves().bounds()
        if bounds.infinity_mass() != Exact(0):
            return numpy.full(len(self._given), inf)
        top = upper_end(bounds.max_divergence(), _NARROW)
        least = inf if top is None else float_above(Exact(top))
        found = [inf] * len(self._given)
        for i in sorted(range(len(found)), key=self._given.__getitem__, reverse=True):
            found[i] = least = min(least, _divergence(bounds, self._given[i]))
        return numpy.array(found)


def _divergence(bounds: MomentBounds, order: float) -> float:
    """Return a double above D_a, of orders up to 1 that of a little more; or infinity."""
    if isinf(order):
        return inf
    at = max(_LEAST, Fraction(order))
    ask = partial(bounds.renyi_bound, at, width=_NARROW)
    found = first_answer(ask, lambda: None, refusals=NO_ANSWER)
    return inf if found is None else float_above(Exact(found))


def _key(event: Any) -> Any:
    """Return the numbers of an event, whole: as text numpy's arrays are shortened."""
    fields = getattr(type(event), "__attrs_attrs__", None)
    if fields is not None:
        return type(event).__name__, *(_key(getattr(event, one.name)) for one in fields)
    if isinstance(event, Sequence | numpy.ndarray) and not isinstance(event, str):
        return tuple(map(_key, event))
    return repr(event)
