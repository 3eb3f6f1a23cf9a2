"""The matrix mechanism and DP-FTRL: Cx + σ·N(0, I), where a user takes part in some steps.

A workload A = BC is answered by B(Cx + noise). Whoever contributes changes x at some steps, and
Cx by at most the sensitivity of C, which is certified from its entries: so this is a Gaussian
mechanism of that sensitivity. A learner may choose each step in view of all earlier releases if
C is lower triangular and its rows are released one after another: for Gaussian noise the
guarantee is the same. Tree aggregation is the case of a binary tree.

References: C. Li, G. Miklau, M. Hay, A. McGregor and V. Rastogi, The Matrix Mechanism, 2015;
S. Denisov, H. B. McMahan, J. Rush, A. Smith and A. Thakurta, Improved Differential Privacy for
SGD via Optimal Private Linear Operators on Adaptive Streams, NeurIPS 2022; P. Kairouz et al.,
Practical and Private (Deep) Learning without Sampling or Shuffling, ICML 2021.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from exactdp.divergences.description import (
    COUNT,
    SENSITIVITY,
    Parameter,
    Range,
    described,
    same,
)
from exactdp.divergences.families import noise_scale, sensitivity_of
from exactdp.divergences.profile import Named
from exactdp.divergences.worst import Worst
from exactdp.errors import DomainError
from exactdp.mechanisms.aggregation_trees import squared_tree_sensitivity
from exactdp.mechanisms.encoders import MatrixLike
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.mechanisms.participation import certified
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, sqrt
from exactdp.numbers.arguments import NumberLike, number, whole_number
from exactdp.numbers.validated import validated

__all__ = ["MatrixBounds", "MatrixMechanism", "matrix_mechanism", "tree_aggregation"]


@validated
@dataclass(frozen=True, slots=True)
class MatrixMechanism(GaussianMechanism):
    """Noise N(0, σ²) on each row of Cx: a Gaussian mechanism of the sensitivity of C.

    Attributes:
        sigma: σ, the standard deviation of the noise on each row.
        sensitivity: Δ, what a user changes in Cx at most, in Euclidean norm.
        squared: Δ² for contributions of norm at most 1, a point.
        is_adaptive: Whether each step may depend on what was released before it.
    """

    squared: Enclosure
    is_adaptive: bool

    def __post_init__(self) -> None:
        GaussianMechanism.__post_init__(self)
        if self.squared.lower <= 0:
            raise DomainError("squared has an end that is not positive. Give ends above 0.")
        if self.squared.width:
            raise DomainError(
                f"squared has two ends, {self.squared}. Pass one, or call matrix_mechanism, whose "
                "answers are bounds then."
            )

    @property
    def note(self) -> str | None:
        """The uses that are not private; None if nothing is open."""
        if self.is_adaptive:
            return None
        return "The matrix is not lower triangular: no step may depend on earlier releases."

    @property
    def at_least(self) -> MatrixMechanism:
        """The mechanism at the lower end of the sensitivity: itself, as that is known.

        Example:
            >>> matrix_mechanism([[3, 0], [4, 1]], sigma=5).at_least.sensitivity
            Exact('5')
        """
        return self

    @property
    def at_most(self) -> MatrixMechanism:
        """The mechanism at the upper end of the sensitivity: itself, as that is known."""
        return self

    def composed(self, times: int) -> MatrixMechanism:
        """Return one such mechanism with the privacy of ``times`` adaptive uses.

        Example:
            Four trees that all see a user, with σ = 2, are one with σ = 1:

            >>> tree_aggregation(steps=8, sigma=2).composed(4).sigma
            Exact('1')
        """
        times = whole_number(times, name="times", at_least=1)
        return replace(self, sigma=self.sigma / _root(Fraction(times)))


@validated
@dataclass(frozen=True, slots=True)
class MatrixBounds:
    """Noise on each row of Cx, where only ends of the sensitivity of C are known.

    Attributes:
        at_least: The mechanism at the lower end: some user has no better privacy.
        at_most: The mechanism at the upper end.
    """

    at_least: MatrixMechanism
    at_most: MatrixMechanism

    @property
    def squared(self) -> Enclosure:
        """The ends of Δ² for contributions of norm at most 1."""
        return Enclosure(self.at_least.squared.lower, self.at_most.squared.upper)

    @property
    def sensitivity(self) -> Number:
        """The upper end of the sensitivity Δ."""
        return self.at_most.sensitivity

    def composed(self, times: int) -> Worst:
        """Return a mechanism with the privacy of ``times`` adaptive uses."""
        return MatrixBounds(self.at_least.composed(times), self.at_most.composed(times)).worst()

    def worst(self) -> Worst:
        """Return the profile between the mechanisms at both ends."""
        said = (
            "A lower and an upper bound: the squared sensitivity of the matrix is in "
            f"{self.squared}."
        )
        return Worst(
            (Named("the lower end of the sensitivity", self.at_least),),
            (Named("the upper end of the sensitivity", self.at_most),),
            about=self,
            is_symmetric=True,
            left_open=" ".join(x for x in (said, self.at_most.note) if x),
        )


def _first_sigma(epsilon: Epsilon, delta: Exact, **arguments: Any) -> Fraction:
    """Return about the sensitivity, as a first σ."""
    times, apart = arguments["participations"], arguments["separation"]
    if "steps" in arguments:
        squared = squared_tree_sensitivity(
            arguments["steps"], participations=times, separation=apart
        )
    else:
        squared = certified(arguments["matrix"], times, apart)[0]
    return sensitivity_of(epsilon, delta, **arguments) * (isqrt(int(squared.upper)) + 1)


_PARTICIPATION = (
    Parameter("participations", "k, the most steps of a user", COUNT, "steps"),
    Parameter("separation", "b, by which two of these are apart at least", COUNT, "steps"),
)
_OF_STREAMS = (
    "what is released with the steps of the user",
    "the same without them",
    "all steps of one user, or none; both directions agree",
)


@described(
    "matrix_mechanism",
    """Normal noise on each row of a matrix times the steps; users as for tree_aggregation.

    The matrix has a column for each step: its rows, or {"toeplitz": [...], "steps": ...}.
    """,
    Parameter("matrix", "C, a column for each step", Range("rows of rationals", same)),
    noise_scale("sigma", "σ, the standard deviation of the noise", first=_first_sigma),
    SENSITIVITY,
    *_PARTICIPATION,
    sides=_OF_STREAMS,
    is_sampled=False,
)
def matrix_mechanism(
    matrix: MatrixLike,
    *,
    sigma: NumberLike,
    sensitivity: NumberLike = 1,
    participations: int = 1,
    separation: int = 1,
) -> MatrixMechanism | Worst:
    """Return the matrix mechanism Cx + σ·N(0, I), in the worst case of a user's steps.

    Formula:
        Gaussian noise σ on a query of sensitivity Δ·max |Σ_{i in π} C[:, i] u_i|, over patterns
        π of at most k steps, at least b apart, and |u_i| <= 1; of one step, Δ times the largest
        norm of a column.

    Args:
        matrix: C, a column for each step: rows of rationals or doubles, which are meant exactly,
            a numpy array, or a ``banded_toeplitz``. Of A = BC, only C matters for privacy.
        sigma: σ, the standard deviation of the noise on each row of Cx.
        sensitivity: Δ, to what norm a contribution to one step is clipped: neighbors then have
            all steps of one user, or none. If a user is replaced by another, twice that.
        participations: k, the most steps that a user takes part in.
        separation: b: any two of these are at least so many steps apart.

    Returns:
        A profile whose ``sensitivity`` is certified. Where only ends of it are known it lies
        between the mechanisms ``at_least`` and ``at_most``, as its ``note`` says.

    Raises:
        DomainError: If an argument is outside its range.
        TooLargeError: If the matrix has too many entries.

    Source:
        Li et al. 2015. Denisov et al. 2022, Theorem 2.1, for steps that depend on earlier
        releases: C must be lower triangular, or the ``note`` says that it is not.
        Choquette-Choo, McMahan, Rush & Thakurta 2023, for several participations.

    Example:
        The columns of prefix sums of four steps have norms 2, √3, √2 and 1:

        >>> sums = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
        >>> once = matrix_mechanism(sums, sigma=4)
        >>> once.sensitivity, once.renyi(2)  # 2²/4²
        (Exact('2'), Exact('1/4'))
        >>> print(f"{once.epsilon('1e-6'):.4f}")
        [2.2540, 2.2541]
        >>> twice = matrix_mechanism(sums, sigma=4, participations=2, separation=2)
        >>> print(twice.squared.upper)  # of (1, 1, 2, 2)
        10
    """
    squared, is_adaptive = certified(matrix, participations, separation)
    return _mechanism(squared, sigma, sensitivity, is_adaptive=is_adaptive)


@described(
    "tree_aggregation",
    """Normal noise on each node of a binary tree over steps, or of several, one after another.

    A user takes part in at most ``participations`` steps, at least ``separation`` apart, each
    time with a vector of norm ``sensitivity`` at most.
    """,
    noise_scale("sigma", "σ, the standard deviation of the noise", first=_first_sigma),
    SENSITIVITY,
    Parameter("steps", "n, of each tree", Range("integers from 1 on", same), "steps"),
    *_PARTICIPATION,
    sides=_OF_STREAMS,
    is_sampled=False,
)
def tree_aggregation(
    *,
    sigma: NumberLike,
    sensitivity: NumberLike = 1,
    steps: int | Sequence[int],
    participations: int = 1,
    separation: int = 1,
) -> MatrixMechanism | Worst:
    """Return binary tree aggregation, as DP-FTRL uses it: noise on each node of a tree.

    Formula:
        Gaussian noise σ on a query of sensitivity Δ√h, h = ⌊log2 n⌋ + 1 nodes above a step; of
        several steps Δ√(Σ c²), c how many of them a node has below it.

    Args:
        sigma: σ, the standard deviation of the noise on each node.
        sensitivity: Δ, to what norm a contribution to one step is clipped: neighbors then have
            all steps of one user, or none. If a user is replaced by another, twice that.
        steps: n, the number of steps; of trees that are restarted, the steps of each. It is of
            no use to know how the nodes are made into prefix sums.
        participations: k, the most steps that a user takes part in, in all trees together. Once
            in each of m equal trees is a composition of m trees.
        separation: b: any two of these are at least so many steps apart.

    Returns:
        A profile whose ``sensitivity`` is certified, as of :func:`matrix_mechanism`.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Dwork et al. 2010; Chan, Shi & Song 2011; Kairouz et al. 2021, Appendix D.

    Example:
        Eleven nodes of a tree of 1,024 steps hold a user who takes part once:

        >>> once = tree_aggregation(steps=1024, sigma=5)
        >>> print(once.squared.upper)
        11
        >>> print(f"{once.epsilon('1e-6'):.4f}")
        [3.0803, 3.0804]
        >>> epochs = tree_aggregation(steps=1024, sigma=5, participations=4, separation=256)
        >>> print(epochs.squared.upper)  # 4·9 nodes of up to 256, 2·2² + 4²
        60
    """
    squared = squared_tree_sensitivity(steps, participations=participations, separation=separation)
    return _mechanism(squared, sigma, sensitivity, is_adaptive=True)


def _mechanism(
    squared: Enclosure, sigma: NumberLike, sensitivity: NumberLike, *, is_adaptive: bool
) -> MatrixMechanism | Worst:
    noise, clipped = number(sigma, name="sigma"), number(sensitivity, name="sensitivity")
    low, high = (
        MatrixMechanism(noise, clipped * _root(end), Enclosure(end, end), is_adaptive)
        for end in (Fraction(squared.lower), Fraction(squared.upper))
    )
    return MatrixBounds(low, high).worst() if squared.width else high


def _root(square: Fraction) -> Number:
    """Return a square root, exactly if it is rational."""
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top**2 == square.numerator and bottom**2 == square.denominator:
        return Exact(Fraction(top, bottom))
    return sqrt(Exact(square))
