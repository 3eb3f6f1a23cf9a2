"""An accountant for dp-accounting: ``Accountant()`` where ``PLDAccountant()`` was.

It is a ``PrivacyAccountant``. Which events it takes, and what its answer to each is, stands in the
table of ``events``. Needs dp-accounting (pip install dp-accounting).
Reference: dp-accounting 0.6, ``privacy_accountant.py`` and ``dp_event.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

from exactdp.accounting.accountants.doubles_out import USUAL_WIDTH, Spent, optional
from exactdp.accounting.accountants.events import EVENTS, Accounted, kind_of, leaves
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import RationalLike
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.arguments import whole_number

_library = optional("dp_accounting")
_Interface: Any = getattr(_library, "PrivacyAccountant", object)

__all__ = ["Accountant"]


class Accountant(_Interface):  # type: ignore[misc] # a base that need not be installed
    """The events composed so far, and the ε and δ that they certainly keep.

    The doubles of an event are meant exactly; answers are doubles, rounded up, as near to the
    truth as promised or as ``note`` says. What is too large to compute is not an error.

    Attributes:
        relative_width: How near to the truth an answer is; 1e-4 if not given.
        note: What the last answer is if it is not as near to the truth, else None.
    """

    def __init__(
        self, neighboring_relation: Any = None, *, relative_width: RationalLike = USUAL_WIDTH
    ) -> None:
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
        self._found: dict[str, Accounted] = {}
        self._uses: dict[str, int] = {}
        self.note: str | None = None

    # The library calls this method so, with a Boolean in third place.
    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:  # noqa: FBT001
        """Return None, or why an event is not supported; an unsupported one is never composed."""
        relation, one = self.neighboring_relation.name, event
        used: dict[str, int] = {}
        try:
            for one, times in leaves(event, whole_number(count, name="count", at_least=0)):
                kind, key = kind_of(one), repr(one)
                if kind not in EVENTS:
                    return self._refused(one, f"{kind} is not known.")
                rule = EVENTS[kind]
                if rule.known is None:
                    return self._refused(one, f"{kind} is not answered: {rule.says}.")
                if relation not in rule.relations:
                    known = " or ".join(rule.relations)
                    return self._refused(one, f"{kind} is answered for {known}, not {relation}.")
                if key not in self._found:
                    self._found[key] = rule.known(one, relation)
                used[key] = used.get(key, 0) + times
        except (DomainError, TooLargeError, UndecidedError) as error:
            return self._refused(one, str(error))
        for key, times in used.items():
            if do_compose and times:
                self._uses[key] = self._uses.get(key, 0) + times
        return None

    def _refused(self, event: Any, why: str) -> Any:
        return self.CompositionErrorDetails(invalid_event=event, error_message=why)

    def get_epsilon(self, target_delta: float) -> float:
        """Return a double that is at least ε(δ)."""
        return self._answer(lambda spent: spent.epsilon(target_delta), inf)

    def get_delta(self, target_epsilon: float) -> float:
        """Return a double that is at least δ(ε)."""
        return self._answer(lambda spent: spent.delta(target_epsilon), 1)

    def _answer(self, question: Callable[[Spent], float], exposed: float) -> float:
        self.note = None
        used = [(self._found[key], times) for key, times in self._uses.items()]
        if any(one.is_exposed for one, _ in used):
            return exposed
        parts: list[tuple[PrivacyProfile, int]] = [
            (one.profile, one.times * times) for one, times in used if one.profile is not None
        ]
        spent = Spent(
            parts,
            xi=sum((one.xi * times for one, times in used), Fraction(0)),
            rho=sum((one.rho * times for one, times in used), Fraction(0)),
            relative_width=self.relative_width,
        )
        found = question(spent)
        notes = dict.fromkeys(note for note in (spent.note, *(one.note for one, _ in used)) if note)
        self.note = "; ".join(notes) or None
        return found
