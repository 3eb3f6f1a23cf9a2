"""Targets of calibrators: an ε and a δ that do not depend on each other, the ends first.

A deployment's ε is where it has about its δ; a calibrator is asked for noise at any two numbers:
ε = 0, δ far above or below what is ordinary.
"""

from __future__ import annotations

from exactdp.errors import DomainError
from exactdp.numbers.renamed import renamed
from exactdp.testing.cases import LEVELS, Ends
from exactdp.testing.later import st
from exactdp.testing.mechanisms import KINDS, Deployment, Mechanism
from exactdp.testing.ranges import doubles, least_and_largest, whole_numbers

__all__ = ["targets"]


@renamed
@st.composite
def targets(
    draw: st.DrawFn,
    *kinds: str,
    epsilons: Ends = ("1e-4", "1e3"),
    deltas: Ends = ("1e-300", "0.5"),
    zeros: tuple[str, ...] = ("epsilon",),
    sampling_probabilities: Ends | None = None,
    times: tuple[int, int] = (1, 1),
) -> Deployment:
    """Draw deployments whose parameter is to be found: an ε and a δ, each drawn for itself.

    ``case.profile_with(answer)`` is the truth for what a calibrator returned; the case's own
    parameter is 1. Shrinks to ε = 1 and δ = 1e-5.

    Args:
        draw: Supplied by hypothesis.
        kinds: Some of :data:`KINDS`; by default those of noise.
        epsilons: The least and the largest ε above 0.
        deltas: The least and the largest δ above 0, at most 1.
        zeros: What may be 0, too: "epsilon", "delta" (pure privacy), both (not at once) or neither.
        sampling_probabilities: The least and the largest for Poisson samples; by default records
            are not sampled.
        times: The least and the largest number of copies.

    Example:
        >>> from hypothesis import find
        >>> case = find(targets("gaussian"), lambda case: case.epsilon == 0)
        >>> case.epsilon, case.delta, case.profile_with(2.0).sensitivity
        (0.0, 1e-05, Exact('1'))
    """
    lowest, highest = least_and_largest(epsilons, name="epsilons")
    smallest, largest = least_and_largest(deltas, name="deltas", most=1.0)
    unknown = [one for one in zeros if one not in ("epsilon", "delta")]
    if unknown:
        raise DomainError(f"zeros={zeros} names {unknown[0]}. Name epsilon, delta, both or none.")
    shares = sampling_probabilities
    if shares is not None:
        shares = least_and_largest(shares, name="sampling_probabilities", most=1.0)
    allowed = kinds or tuple(name for name in KINDS if name != "randomized_response")
    kind = draw(st.sampled_from(allowed))
    share = 1.0 if shares is None else draw(doubles(*shares))
    copies = draw(whole_numbers(times, name="times"))
    epsilon = draw(doubles(lowest, highest))
    delta = draw(doubles(smallest, largest, ordinary=1e-5))
    zero = draw(st.sampled_from(["", *zeros, ""]))
    if zero == "epsilon":
        epsilon = 0.0
    if zero == "delta":
        delta = 0.0
    one = Mechanism(kind, 1.0, share, copies)
    return Deployment((one,), epsilon, delta, alpha=draw(st.sampled_from(LEVELS)))
