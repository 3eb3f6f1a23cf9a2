"""An accountant for dp-accounting: ``Accountant()`` where ``PLDAccountant()`` was.

It is a ``PrivacyAccountant``, and takes the events of Gaussian and Laplace noise, on Poisson
samples or not, and their compositions. Needs dp-accounting (pip install dp-accounting).
Reference: dp-accounting 0.6, ``privacy_accountant.py`` and ``dp_event.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from exactdp.accounting.sampling import poisson_subsampled
from exactdp.accounting.spent import Spent, exactly, optional
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.mechanisms.laplace import laplace_mechanism
from exactdp.numbers import RationalLike
from exactdp.numbers.arguments import relative_width as checked_width

_library = optional("dp_accounting")
_Interface: Any = getattr(_library, "PrivacyAccountant", object)

__all__ = ["Accountant"]


class Accountant(_Interface):  # type: ignore[misc] # a base that need not be installed
    """The events composed so far, and the ε and δ that they certainly keep.

    The doubles of an event are meant exactly; answers are doubles, rounded up, as near to the
    truth as promised or as ``note`` says. The relations are those in which a record is in
    or out (``ADD_OR_REMOVE_ONE``), or is replaced with a special one (``REPLACE_SPECIAL``).

    Attributes:
        relative_width: How near to the truth an answer is; 1e-4 if not given.
        note: What the last answer is if it is not as near to the truth, else None.
    """

    def __init__(
        self, neighboring_relation: Any = None, *, relative_width: RationalLike | None = None
    ) -> None:
        if _library is None:
            raise ImportError("dp_accounting is missing. Run: pip install dp-accounting")
        relations = _library.NeighboringRelation
        given = neighboring_relation or relations.ADD_OR_REMOVE_ONE
        if given not in (relations.ADD_OR_REMOVE_ONE, relations.REPLACE_SPECIAL):
            raise DomainError(
                f"neighboring_relation={given} is not supported. "
                "Pass ADD_OR_REMOVE_ONE or REPLACE_SPECIAL."
            )
        super().__init__(given)
        self.relative_width = None if relative_width is None else checked_width(relative_width)
        self._parts: list[tuple[PrivacyProfile, int]] = []
        self._is_private = True
        self.note: str | None = None

    # The library calls this method so, with a Boolean in third place.
    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:  # noqa: FBT001
        """Return None, or why an event is not supported; what is not is never composed."""
        match event:
            case _library.NoOpDpEvent():
                return None
            case _library.NonPrivateDpEvent():
                return self._exposed(count, composed=do_compose)
            case _library.SelfComposedDpEvent():
                return self._maybe_compose(event.event, event.count * count, do_compose)
            case _library.ComposedDpEvent():
                for part in event.events:
                    refused = self._maybe_compose(part, count, do_compose)
                    if refused is not None:
                        return refused
                return None
            case _library.PoissonSampledDpEvent():
                noise, rate = event.event, event.sampling_probability
            case _:
                noise, rate = event, 1
        if not isinstance(noise, _library.GaussianDpEvent | _library.LaplaceDpEvent):
            return self._refused(event, "Only Gaussian and Laplace noise, also Poisson sampled.")
        if rate and not noise.noise_multiplier:
            return self._exposed(count, composed=do_compose)
        try:
            part = _profile(noise, rate)
        except DomainError as error:
            return self._refused(event, str(error))
        if do_compose and count:
            self._parts.append((part, count))
        return None

    def _exposed(self, count: int, *, composed: bool) -> None:
        if composed and count:
            self._is_private = False

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
        if not self._is_private:
            return exposed
        spent = Spent(self._parts, relative_width=self.relative_width)
        found, self.note = question(spent), spent.note
        return found


def _profile(noise: Any, rate: float) -> PrivacyProfile:
    scale = exactly(noise.noise_multiplier, name="noise_multiplier")
    if isinstance(noise, _library.GaussianDpEvent):
        mechanism: PrivacyProfile = gaussian_mechanism(sigma=scale or 1)
    else:
        mechanism = laplace_mechanism(scale=scale or 1)
    return poisson_subsampled(mechanism, rate=exactly(rate, name="sampling_probability"))
