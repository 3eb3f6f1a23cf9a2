"""dp-accounting: privacy-loss distributions (both estimates), Rényi DP, Gaussian calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant
from exactdp.side import Side

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment, Mechanism

__all__ = ["ACCOUNTANTS"]

_PLD = {
    "gaussian": "pld.from_gaussian_mechanism({0!r}{1}{2})",
    "laplace": "pld.from_laplace_mechanism({0!r}{1}{2})",
    "discrete_gaussian": "pld.from_discrete_gaussian_mechanism({0!r}{2})",
    "discrete_laplace": "pld.from_discrete_laplace_mechanism({3!r}{2})",
    "randomized_response": (
        "pld.from_randomized_response({4} / ({4} - 1 + math.exp({0!r})), {4}{2})"
    ),
}
_EVENTS = {
    "gaussian": "dp_event.GaussianDpEvent({0!r})",
    "laplace": "dp_event.LaplaceDpEvent({0!r})",
    "randomized_response": (
        "dp_event.RandomizedResponseDpEvent({1} / ({1} - 1 + math.exp({0!r})), {1})"
    ),
}


def _distribution(case: Deployment, estimate: str) -> str:
    parts = []
    for m in case.mechanisms:
        sampling = "" if not m.is_sampled else f", sampling_prob={m.sampling_probability!r}"
        one = _PLD[m.kind].format(m.parameter, sampling, estimate, 1 / m.parameter, m.k)
        parts.append(one if m.times == 1 else f"{one}.self_compose({m.times})")
    first, *others = parts
    return first + "".join(f".compose({one})" for one in others)


def _of_distribution(name: str, side: Side, estimate: str) -> Accountant:
    return Accountant(
        f"dp-accounting/{name}",
        "dp-accounting",
        "import math; from dp_accounting.pld import privacy_loss_distribution as pld",
        {
            "delta": lambda case: (
                f"{_distribution(case, estimate)}.get_delta_for_epsilon({case.epsilon!r})"
            ),
            "epsilon": lambda case: (
                f"{_distribution(case, estimate)}.get_epsilon_for_delta({case.delta!r})"
            ),
        },
        (side,),
        converts=("discrete_laplace", "randomized_response"),
    )


def _event(m: Mechanism) -> str | None:
    if m.kind not in _EVENTS or (m.is_sampled and m.kind != "gaussian"):
        return None
    event = _EVENTS[m.kind].format(m.parameter, m.k)
    return (
        event
        if not m.is_sampled
        else f"dp_event.PoissonSampledDpEvent({m.sampling_probability!r}, {event})"
    )


def _renyi_epsilon(case: Deployment) -> str | None:
    events = [_event(m) for m in case.mechanisms]
    if None in events:
        return None
    composed = "".join(
        f".compose({event}, {m.times})" for event, m in zip(events, case.mechanisms, strict=True)
    )
    # An answer is replaced; it is an error to ask about one that is added or removed.
    are_answers = all(m.kind == "randomized_response" for m in case.mechanisms)
    relation = "neighboring_relation=Neighbors.REPLACE_ONE" if are_answers else ""
    return f"rdp.RdpAccountant({relation}){composed}.get_epsilon({case.delta!r})"


def _is_one_gaussian(case: Deployment) -> bool:
    m = case.mechanism
    return len(case.mechanisms) == 1 and m.kind == "gaussian" and m.is_one_release


ACCOUNTANTS = [
    _of_distribution("pld", Side.UPPER, ""),
    _of_distribution("pld-optimistic", Side.LOWER, ", pessimistic_estimate=False"),
    Accountant(
        "dp-accounting/rdp",
        "dp-accounting",
        "import math; from dp_accounting import dp_event, rdp; "
        "from dp_accounting.privacy_accountant import NeighboringRelation as Neighbors",
        {"epsilon": _renyi_epsilon},
        converts=("randomized_response",),
    ),
    Accountant(
        "dp-accounting/gaussian",
        "dp-accounting",
        "from dp_accounting import gaussian_mechanism as gaussian",
        {
            "epsilon": lambda case: (
                f"gaussian.get_epsilon_gaussian({case.mechanism.parameter!r}, {case.delta!r})"
                if _is_one_gaussian(case)
                else None
            ),
            "parameter": lambda case: (
                f"gaussian.get_sigma_gaussian({case.epsilon!r}, {case.delta!r})"
                if _is_one_gaussian(case)
                else None
            ),
        },
    ),
]
