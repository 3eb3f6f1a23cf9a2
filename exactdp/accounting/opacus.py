"""An accountant for opacus, whose ε is certified: ``PrivacyEngine(accountant="exactdp")``.

It has what opacus' ``IAccountant`` has, and is one where opacus is installed; without opacus, or
torch, it works alone. A step is one use of the Poisson-subsampled Gaussian mechanism: that of
opacus' own loader. With ``poisson_sampling=False`` opacus keeps the loader that it is given, which
mostly shuffles, and tells no accountant of it: that is :class:`ShuffledAccountant`. Where opacus is
installed, importing this module registers both there by the names "exactdp" and
"exactdp-shuffled", which ``make_private_with_epsilon`` looks for too.
Reference: opacus 1.6, ``opacus/accountants/accountant.py`` and ``registry.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import inf
from typing import Any

from exactdp.accounting.accountants.doubles_out import (
    USUAL_WIDTH,
    Spent,
    at_least_0,
    exactly,
    optional,
)
from exactdp.accounting.composition.compose_parts import compose
from exactdp.accounting.sampling.batches import poisson_subsampled
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.arguments import probability, whole_number
from exactdp.numbers.arguments import relative_width as checked_width

_library = optional("opacus.accountants")
_Interface: Any = getattr(_library, "IAccountant", object)

__all__ = ["Accountant", "ShuffledAccountant"]

_NAME = "exactdp"

_ROUNDED = Fraction(1, 1 << 50)
"""How far a double that stands for 1/T is off it, relatively, also after a multiplication."""

_NOTE = (
    "upper bound: batches in a known order, one Gaussian mechanism an epoch; "
    'dp_sgd(..., batches="shuffled") has a lower bound beside it'
)


class Accountant(_Interface):  # type: ignore[misc] # a base that need not be installed
    """The steps of DP-SGD under add/remove neighbors, and the ε that they certainly keep.

    Attributes:
        history: (noise multiplier, sample rate, steps), as opacus keeps it.
        relative_width: How near to the truth ε is; 1e-4 if not given.
        note: What the last ε is if it is not as near to the truth, else None.

    Example:
        >>> accountant = Accountant()
        >>> for _ in range(1000):
        ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
        >>> len(accountant), 1.828 < accountant.get_epsilon(delta=1e-5) < 1.829
        (1000, True)
    """

    _usual_note: str | None = None
    """What every answer is, if it is a bound."""

    def __init__(self, *, relative_width: RationalLike = USUAL_WIDTH) -> None:
        self.history: list[tuple[float, float, int]] = []
        self.relative_width = checked_width(relative_width)
        self.note: str | None = None

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Take one step into account; both doubles are meant exactly.

        Raises:
            DomainError: If the noise multiplier is negative, or the rate not from 0 to 1.
        """
        _checked(noise_multiplier, sample_rate)
        step = (noise_multiplier, sample_rate)
        if self.history and tuple(self.history[-1][:2]) == step:
            self.history[-1] = (*step, self.history[-1][2] + 1)
        else:
            self.history.append((*step, 1))

    def get_epsilon(self, delta: float, *args: Any, **kwargs: Any) -> float:
        """Return a double that is at least ε(δ), as near as promised or as ``note`` says.

        Infinity without noise.

        What else other accountants take (orders, errors) has no meaning here.
        """
        self.note = None
        used = self._used()
        if any(sigma == 0 for sigma, _, _ in used):
            return inf
        spent = Spent(self._parts(used), relative_width=self.relative_width)
        found, self.note = spent.epsilon(delta), spent.note or self._usual_note
        return found

    def profile(self) -> PrivacyProfile:
        """Return the privacy profile of all steps: for a card, or at other δ.

        Raises:
            DomainError: If no step was taken, or one had no noise.

        Example:
            >>> accountant = Accountant()
            >>> accountant.step(noise_multiplier=2.0, sample_rate=0.5)
            >>> f"{accountant.profile().delta(1):.4f}"
            '0.0002'
        """
        parts = list(self._parts(self._used()))
        if not parts:
            raise DomainError("no step was taken. Train first.")
        return compose(parts)

    def _used(self) -> list[tuple[Fraction, Fraction, int]]:
        return [(*_checked(sigma, rate), steps) for sigma, rate, steps in self.history if rate]

    def _parts(
        self, used: Sequence[tuple[Fraction, Fraction, int]]
    ) -> Iterable[tuple[PrivacyProfile, int]]:
        """Return the (noise multiplier, sample rate, steps) of the history, with their counts."""
        return [
            (poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate), steps)
            for sigma, rate, steps in used
        ]

    def __len__(self) -> int:
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """Return the name of this kind of accounting."""
        return _NAME

    def state_dict(
        self, destination: MutableMapping[str, Any] | None = None
    ) -> MutableMapping[str, Any]:
        """Return the state, in a mapping that is given or a new one: a checkpoint has it.

        Example:
            >>> one, other = Accountant(), Accountant()
            >>> one.step(noise_multiplier=1.0, sample_rate=0.5)
            >>> other.load_state_dict(one.state_dict())
            >>> other.history, one.state_dict()["mechanism"]
            ([(1.0, 0.5, 1)], 'exactdp')
        """
        found = {} if destination is None else destination
        found["history"] = list(self.history)
        found["mechanism"] = self.mechanism()
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take the state of another accountant of this kind; an invalid state changes nothing.

        Raises:
            DomainError: If it is none, or a step in it is none.
        """
        if not isinstance(state_dict, Mapping) or not {"history", "mechanism"} <= {*state_dict}:
            raise DomainError(
                "state_dict lacks history or mechanism. Pass what state_dict() returned."
            )
        if state_dict["mechanism"] != self.mechanism():
            raise DomainError(
                f"state_dict is of the mechanism {state_dict['mechanism']!r}, not "
                f"{self.mechanism()!r}. "
                "Pass what state_dict() of this kind of accountant returned."
            )
        found = []
        for entry in state_dict["history"]:
            if not isinstance(entry, tuple | list) or len(entry) != 3:
                raise DomainError(
                    f"history has {entry!r}. Pass (noise multiplier, sample rate, steps)."
                )
            sigma, rate, steps = entry
            _checked(sigma, rate)
            found.append((sigma, rate, whole_number(steps, name="steps", at_least=0)))
        self.history = found

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """Return the hook that an optimizer calls after each step."""

        def hook(optimizer: Any) -> None:
            self.step(
                noise_multiplier=optimizer.noise_multiplier,
                sample_rate=sample_rate * optimizer.accumulated_iterations,
            )

        return hook


class ShuffledAccountant(Accountant):
    """The steps of DP-SGD with a loader that shuffles: ``poisson_sampling=False``.

    Epochs have 1/sample_rate steps, the first from the first step on, and where the rate changes
    an epoch begins. In each a record is in one batch, at worst one with the least noise; the
    answer is an upper bound, with neighbors of which one adds nothing (see ``epochs``).

    Example:
        Ten epochs of σ = 1, where Poisson samples would have 1.83:

        >>> accountant = ShuffledAccountant()
        >>> for _ in range(1000):
        ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
        >>> 17.85 < accountant.get_epsilon(delta=1e-5) < 17.86, accountant.note.split(":")[0]
        (True, 'upper bound')
    """

    _usual_note = _NOTE

    @classmethod
    def mechanism(cls) -> str:
        """Return the name of this kind of accounting."""
        return f"{_NAME}-shuffled"

    def _parts(
        self, used: Sequence[tuple[Fraction, Fraction, int]]
    ) -> Iterable[tuple[PrivacyProfile, int]]:
        """Return one Gaussian mechanism for each epoch."""
        found: dict[Fraction, int] = {}
        for rate, runs in groupby(used, key=lambda one: one[1]):
            batches = _batches_of(rate)
            for sigma, epochs in _epochs([(sigma, n) for sigma, _, n in runs], batches):
                found[sigma] = found.get(sigma, 0) + epochs
        return [(gaussian_mechanism(sigma=sigma), times) for sigma, times in found.items()]


def _batches_of(rate: Fraction) -> int:
    """Return the number of batches in an epoch of which the rate, a double, is one."""
    batches = round(1 / rate)
    if abs(rate * batches - 1) > _ROUNDED:
        raise DomainError(
            f"sample_rate={Exact(rate):.6g} is not 1/T: an epoch of shuffled batches has T. Pass "
            "1 over the length of the loader, or take no part of an epoch in one step."
        )
    return batches


def _epochs(runs: Iterable[tuple[Fraction, int]], batches: int) -> Iterator[tuple[Fraction, int]]:
    """Yield the least noise of epochs, with their number, of (noise, steps) in order."""
    left, least = 0, Fraction(0)  # of an epoch that has begun
    for sigma, steps in runs:
        taken = min(left, steps)
        if taken:
            left, least = left - taken, min(least, sigma)
            if not left:
                yield least, 1
        full, rest = divmod(steps - taken, batches)
        if full:
            yield sigma, full
        if rest:
            left, least = batches - rest, sigma
    if left:
        yield least, 1


def _checked(noise_multiplier: float, sample_rate: float) -> tuple[Fraction, Fraction]:
    """Return the parameters of a step exactly; refuse those outside their ranges."""
    sigma = at_least_0(noise_multiplier, "noise_multiplier")
    rate = probability(exactly(sample_rate, name="sample_rate"), name="sample_rate")
    return sigma, rate.as_fraction()


if hasattr(_library, "register_accountant"):
    for _kind in (Accountant, ShuffledAccountant):
        _library.register_accountant(_kind.mechanism(), _kind, force=True)
