"""From a number on the wrong side to the most ordinary deployment where it still is.

Each step makes one thing simpler and asks again: fewer mechanisms, fewer copies, no sampling, a
parameter of 1, fewer users and inputs, rounder numbers, a δ nearer to 1e-5. It ends when no step
keeps the fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from exactdp.compare.findings import Finding, answers
from exactdp.compare.users import ShuffledUsers
from exactdp.testing.deciding import Judgment
from exactdp.testing.mechanisms import Deployment, Mechanism

__all__ = ["minimized", "simpler", "with_smallest"]

_MOST_CASES = 200
"""The deployments that are asked before the descent ends with the simplest so far: some minutes."""


def minimized(
    finding: Finding, *, pythons: Mapping[str, str] | None = None, limit: float = 60
) -> Finding:
    """Return a finding of the same kind, at the simplest deployment that the descent reaches.

    A fault beyond rounding stays one beyond rounding.

    Args:
        finding: A number on the wrong side.
        pythons: The interpreters, as for :func:`~exactdp.compare.findings.compare`.
        limit: The seconds that a call may take.
    """
    one = finding.accountant
    with one.session(pythons, limit=limit) as session:
        tried = {finding.task.deployment}
        is_simpler = True
        while is_simpler and len(tried) <= _MOST_CASES:
            is_simpler = False
            for case in simpler(finding.task.deployment):
                if case in tried or len(tried) > _MOST_CASES:
                    continue
                tried.add(case)
                task = replace(finding.task, deployment=case, name="")
                for found in answers(session, one, task):
                    if found.side is finding.side and _is_as_wrong(found, finding):
                        finding, is_simpler = found, True
                if is_simpler:
                    break
    return finding


def with_smallest(
    finding: Finding, *, pythons: Mapping[str, str] | None = None, limit: float = 60
) -> Finding:
    """Return a finding that knows its smallest; itself if it is on the right side."""
    if not finding.standing.is_wrong:
        return finding
    return replace(finding, smallest=minimized(finding, pythons=pythons, limit=limit))


def simpler(case: Deployment | ShuffledUsers) -> Iterator[Deployment | ShuffledUsers]:
    """Yield deployments that are simpler in one thing, the boldest first.

    Example:
        >>> case = Deployment((Mechanism("laplace", 1.0, 1.0, 3),), 0.5, 1e-5)
        >>> [(c.mechanism.times, c.epsilon) for c in simpler(case)]
        [(1, 0.5), (2, 0.5), (3, 1.0)]
    """
    yield from _simpler_users(case) if isinstance(case, ShuffledUsers) else _simpler_steps(case)
    for epsilon in _rounder(case.epsilon, 1.0):
        yield replace(case, epsilon=epsilon)
    for delta in _rounder(case.delta, 1e-5):
        if 0 < delta < 1:
            yield replace(case, delta=delta)


def _simpler_steps(case: Deployment) -> Iterator[Deployment]:
    for i, one in enumerate(case.mechanisms):
        others = case.mechanisms[:i], case.mechanisms[i + 1 :]
        if len(case.mechanisms) > 1:
            yield replace(case, mechanisms=others[0] + others[1])
        for changed in _simpler_mechanisms(one):
            yield replace(case, mechanisms=(*others[0], changed, *others[1]))


def _simpler_users(case: ShuffledUsers) -> Iterator[ShuffledUsers]:
    held = case.others
    if held is not None and len(held) > 1:
        for x, _ in held:
            yield replace(case, others=((x, case.n - 1),))
    for n in _fewer(case.n):
        if held is None or len(held) == 1:
            others = None if held is None else ((held[0][0], n - 1),) * (n > 1)
            yield replace(case, n=n, others=others)
    used = max([*case.inputs, *(x for x, _ in held or ())]) + 1
    for k in _fewer(case.k):
        if k >= max(used, case.size, 2):
            yield replace(case, k=k)
    for epsilon0 in _rounder(case.epsilon0, 1.0):
        yield replace(case, epsilon0=epsilon0)


def _simpler_mechanisms(one: Mechanism) -> Iterator[Mechanism]:
    for times in _fewer(one.times):
        yield replace(one, times=times)
    if one.is_sampled:
        yield replace(one, sampling_probability=1.0)
    for parameter in _rounder(one.parameter, 1.0):
        yield replace(one, parameter=parameter)


def _fewer(count: int) -> list[int]:
    """Return smaller counts, at least 1, the boldest first."""
    smaller = dict.fromkeys((1, math.isqrt(count), count // 2, count - 1))
    return [one for one in smaller if 0 < one < count]


def _rounder(number: float, ordinary: float) -> Iterator[float]:
    """Yield the ordinary number, numbers between, and this one with fewer digits."""
    if number == ordinary:
        return
    yield ordinary
    if number > 0 and not 0.1 < number / ordinary < 10:
        yield float(f"{math.sqrt(number) * math.sqrt(ordinary):.0e}")
    for digits in (0, 1, 2):
        rounded = float(f"{number:.{digits}e}")
        if rounded != number:
            yield rounded


def _is_as_wrong(found: Finding, before: Finding) -> bool:
    return found.standing is before.standing or found.standing is Judgment.WRONG
