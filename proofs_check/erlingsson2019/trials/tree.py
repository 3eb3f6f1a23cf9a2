"""Section 3: the dyadic tree and the cover of [1, t]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.truth import Truth
from proofs_check.erlingsson2019.tree import (
    ancestors,
    cover_from_binary,
    is_partition,
    level_size,
    levels,
    log2_of,
    nodes,
    reachable_covers,
)

__all__ = ["TRIALS"]


def _numbers(*relations: Any) -> Callable[[], Certificate]:
    return lambda: Certificate(conclusion=list(relations))


def _depths(*, first: int = 0) -> Callable[[Effort], Iterator[Instance]]:
    def instances(effort: Effort) -> Iterator[Instance]:
        for depth in range(first, 6 if effort is Effort.DEFAULT else 9):
            yield Instance.of(d=2**depth)

    return instances


def _equal(
    count: Callable[[int], int],
    printed: Callable[[int], int],
    *,
    what: str,
    first: int = 0,
    proof: str | None = None,
    false_variant: Statement | None = None,
) -> Statement:
    """A count that the paper states for every d = 2^L."""

    def holds(at: Instance) -> Outcome:
        d = int(str(at["d"]))
        true, claimed = count(d), printed(d)
        return Outcome(
            Truth.of(true == claimed),
            f"{what}: {true}, printed {claimed}",
            _numbers(relation("!=", true, claimed)),
        )

    return Statement(
        instances=_depths(first=first),
        holds=holds,
        complete=proof,
        false_variant=false_variant,
    )


def _level_sizes(*, shift: int = 0) -> Statement:
    def holds(at: Instance) -> Outcome:
        d = int(str(at["d"]))
        sizes = {h: sum(1 for v in nodes(d) if v.level == h) for h in levels(d)}
        wrong = [h for h in sizes if sizes[h] * 2 ** (h - 1 + shift) != d]
        agree = all(level_size(h, d=d) == sizes[h] for h in sizes)
        return Outcome(Truth.of(not wrong and agree), f"sizes {sizes}")

    return Statement(
        instances=_depths(),
        holds=holds,
        complete="d = 1, 2, ..., 32 (a level halves the one below)",
        false_variant=_level_sizes(shift=1) if shift == 0 else None,
    )


def _cover(
    check: Callable[[int, int], bool], *, first: int, domain: str, wrong: Statement | None
) -> Statement:
    """A property of the cover C of [1, t], for every t in [d]."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for depth in range(first, 5 if effort is Effort.DEFAULT else 8):
            for t in range(1, 2**depth + 1):
                yield Instance.of(d=2**depth, t=t)

    def holds(at: Instance) -> Outcome:
        d, t = int(str(at["d"])), int(str(at["t"]))
        size = len(cover_from_binary(t))
        return Outcome(
            Truth.of(check(d, t)),
            f"|C| = {size}, log2 d = {log2_of(d)}",
            _numbers(relation(">", size, log2_of(d)))
            if size > log2_of(d)
            else _numbers(relation("!=", size, log2_of(d))),
        )

    return Statement(instances=instances, holds=holds, complete=domain, false_variant=wrong)


def _unique(d: int, t: int) -> bool:
    reachable, _ = reachable_covers(t)
    return reachable == frozenset({cover_from_binary(t)})


_C_SIZE_ALL = _cover(
    lambda d, t: len(cover_from_binary(t)) <= log2_of(d), first=0, domain="", wrong=None
)
_C_SMALLER = _cover(
    lambda d, t: len(cover_from_binary(t)) < log2_of(d), first=1, domain="", wrong=None
)


def _level_probability() -> Statement:
    """A level is h* with probability 1/log2 d (h* is uniform on log2 d + 1 levels)."""
    return _equal(
        lambda d: len(levels(d)), log2_of, what="the number of levels h* is drawn from", first=1
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/section-3/nodes-per-change": {
        "": _equal(lambda d: len(ancestors(1, d=d)), log2_of, what="nodes that a change affects")
    },
    "erlingsson2019/section-3/tree-size": {
        "": _equal(lambda d: len(nodes(d)), lambda d: 2 * d, what="nodes")
    },
    "erlingsson2019/section-3/level-size": {"": _level_sizes()},
    "erlingsson2019/theorem-6/proof/C-unique": {
        "": _cover(
            _unique,
            first=0,
            domain="all t <= d <= 16, every order of selection explored",
            wrong=_C_SIZE_ALL,
        )
    },
    "erlingsson2019/theorem-6/proof/C-size": {
        "a": _cover(
            lambda d, t: len(cover_from_binary(t)) <= log2_of(d),
            first=1,
            domain="d = 2, ..., 16 (|C| is the number of ones of t <= 2^L)",
            wrong=_C_SMALLER,
        ),
        "b": _C_SIZE_ALL,
    },
    "erlingsson2019/theorem-6/proof/C-partition": {
        "": _cover(
            lambda d, t: is_partition(cover_from_binary(t), t=t),
            first=0,
            domain="all t <= d <= 16",
            wrong=_cover(
                lambda d, t: is_partition(cover_from_binary(t), t=t + 1),
                first=0,
                domain="",
                wrong=None,
            ),
        )
    },
    "erlingsson2019/theorem-6/proof/nodes-added": {
        "": _cover(
            lambda d, t: len(cover_from_binary(t)) == log2_of(d), first=1, domain="", wrong=None
        )
    },
    "erlingsson2019/theorem-6/proof/level-probability": {"": _level_probability()},
}
