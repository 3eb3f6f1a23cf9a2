"""Theorem 3, the privacy of Algorithm 2: its guarantee, its proof, its tightness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

from hypothesis import strategies as st

from exactdp.certificates import (
    Certificate,
    Term,
    hockey_stick,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.numbers import Exact, decimal
from exactdp.shuffle import MultisetLaw, union_of
from exactdp.truth import Truth
from proofs_check.wang2024.protocol import Parameters, blanket_slot, protocol_view
from proofs_check.wang2024.trials.definitions import is_chain_step
from proofs_check.wang2024.trials.lemma2 import contents, victims
from proofs_check.wang2024.trials.pairs import (
    compared,
    poisson_pair,
    poisson_term,
    single,
    uniform_row,
)

__all__ = ["TRIALS"]

ONE, HALF = Fraction(1), Fraction(1, 2)
GAMMAS = (ONE, Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3))

Others = Sequence[tuple[tuple[int, ...], Fraction]]


def _view_delta(v: Mapping[str, Any], exp_epsilon: Fraction) -> Exact:
    """Return D of the messages of Algorithm 2, for the two sets of the victim."""
    parameters = Parameters(v["m"], (v["rate"],))
    others: Others = v.get("others", ())
    view = protocol_view(
        *v["sets"],
        d=v["d"],
        rate=v["rate"],
        blankets=(len(others) + 1) * parameters.slots,
        slot_rate=parameters.slot_rate,
        others=others,
    )
    return view.hockey_stick_divergence(exp_epsilon=exp_epsilon)


def _pair_delta(
    v: Mapping[str, Any], exp_epsilon: Fraction, *, extra: int = 0, rate: Fraction | None = None
) -> Exact:
    """Return D of P, Q with p = ∞, β = λ, q = dλ/γ, of size n⌈m⌉ + extra."""
    slots = ceil(v["m"])
    size = (len(v.get("others", ())) + 1) * slots + extra
    own = v["rate"] if rate is None else rate
    pair = poisson_pair(size, d=v["d"], rate=own, gamma=v["m"] / slots)
    return hockey_stick_divergence(pair.pair(), exp_epsilon=exp_epsilon)


# --- the size parameter ----------------------------------------------------------------------


def _combination(*, size_is_product: bool) -> Statement:
    """The size parameter is the number of blanket slots, by reading (b) users·⌈m⌉.

    By reading (a) users = size·⌈m⌉. The number of slots is the largest number of blanket
    messages in the law of what Algorithm 2 sends.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for users, m in product(
            (1, 2, 3, 4), (HALF, ONE, Fraction(3, 2), Fraction(2), Fraction(3))
        ):
            if size_is_product or users % ceil(m) == 0:
                yield Instance.of(users=users, m=m)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        users, parameters = v["users"], Parameters(v["m"], (ONE,))
        slot = blanket_slot(d=2, rate=parameters.slot_rate)
        sent = union_of([MultisetLaw.point((0, 0)), *[slot] * (users * parameters.slots)])
        slots = parameters.slots
        size = users * slots if size_is_product else users // slots
        return Outcome(
            Truth.of(size == sent.most_messages),
            f"{sent.most_messages} slots, size parameter {size}",
            lambda: Certificate(
                hypotheses=[relation("=", users, term(size) * slots)],
                conclusion=[relation("!=", size, term(users) * slots)],
            ),
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=_size_proof if size_is_product else None,
        false_variant=_combination(size_is_product=False) if size_is_product else None,
    )


def _size_proof() -> Proved | None:
    return Proved(
        "all n and m > 0 (whether Lemma 3 then bounds the view is the claim lemma-3)",
        "lines 13-16 run for each of n' users and each a in [⌈m⌉], with probability γ = m/⌈m⌉: "
        "F_rb and H have n slots, and n = n'⌈m⌉ of them stand in Algorithm 2",
    )


# --- the group of virtual users ----------------------------------------------------------------


def _group_step(*, group_delta: bool = True) -> Statement:
    """δ' is that of one item (procedure H), which is exact; the false variant claims δ' for s."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for (d, s), m, rate, e in product(
            ((2, 1), (4, 2), (6, 3)), (ONE, Fraction(3, 2)), (HALF, Fraction(1, 5)), GAMMAS
        ):
            for sets in victims(d, s):
                yield Instance.of(d=d, m=m, sets=sets, rate=rate, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        e, s = v["exp_epsilon"], len(v["sets"][0])
        one = _view_delta({**v, "sets": ((0,), (1,))}, e)
        true = _view_delta(v, e**s)
        return compared(true, s * e**s * one if group_delta else one)

    def proof() -> Proved | None:
        if not is_chain_step():
            return None
        return Proved(
            "all s, d >= s, ε' >= 0, δ' and data",
            "from x_i to x'_i items are exchanged one by one, those of x_i outside x'_i for those "
            "of x'_i outside x_i, at most s times and through sets of s items; each exchange is "
            "(ε', δ') by Lemma 2 (all other messages are independent of it), and Lemma 1 composes",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if group_delta else None,
        false_variant=_group_step(group_delta=False) if group_delta else None,
    )


# --- Theorem 3 -------------------------------------------------------------------------------


def _algorithm_2(effort: Effort) -> Iterator[Instance]:
    """Yield settings with q = dλ >= 1, small ones first: one item, then two, then three."""
    rates = (HALF, Fraction(1, 4), ONE, Fraction(3, 4), Fraction(1, 8))
    for (d, s), m in product(((3, 1), (4, 1), (4, 2), (8, 2)), (ONE, Fraction(2), HALF)):
        for sets, rate, e in product(victims(d, s), rates, GAMMAS):
            if d * rate >= 1:
                yield Instance.of(d=d, m=m, sets=sets, rate=rate, exp_epsilon=e, others=())
    for d, m, rate, e in product((3, 6), (ONE, HALF), rates, GAMMAS):
        for held in contents(d, 1)[:3]:
            if d * rate >= 1:
                others = ((held, rate),)
                sets = ((0,), (1,))
                yield Instance.of(d=d, m=m, sets=sets, rate=rate, exp_epsilon=e, others=others)


def _theorem_3() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        e, s = v["exp_epsilon"], len(v["sets"][0])
        bound = s * e**s * _pair_delta(v, e)
        # The kernel's users send one message each, so that its evidence is about one item.
        certificate = (lambda: _one_item(v)) if s == 1 else None
        return compared(_view_delta(v, e**s), bound, certificate)

    return Statement(instances=_algorithm_2, holds=holds)


def _one_item(v: Mapping[str, Any]) -> Certificate:
    """With δ' = D_{e^ε'} of the pair, D_{e^ε'} of the messages exceeds e^ε' δ'."""
    e, slots, d, rate = v["exp_epsilon"], ceil(v["m"]), v["d"], v["rate"]
    number = (len(v["others"]) + 1) * slots
    counts = poisson_term(number, d=d, rate=rate, gamma=v["m"] / slots)
    return Certificate(
        define=[("view", _view_term(v)), ("counts", counts)],
        hypotheses=[relation(">=", term(d) * rate, 1), relation(">=", e, 1)],
        conclusion=[
            relation(">", hockey_stick(ref("view"), e), e * hockey_stick(ref("counts"), e))
        ],
    )


def _view_term(v: Mapping[str, Any]) -> Term:
    """Return the view for the kernel, one item a user; the last letter is nothing."""
    d, slots, others = v["d"], ceil(v["m"]), v["others"]
    rows = [single(x, d=d, rate=v["rate"]) for (x,) in v["sets"]]
    rows.append(uniform_row(d=d, gamma=v["m"] / slots))
    rows += [single(x, d=d, rate=rate) for (x,), rate in others]
    users = [(2, (len(others) + 1) * slots), *((3 + i, 1) for i in range(len(others)))]
    return shuffle_pair(rows, inputs=(0, 1), others=users)


def _repaired(*, printed: bool = False) -> Statement:
    """δ' >= λ D_{e^ε'} at β = 1 and size n⌈m⌉ + 1; then (s ε', δ' Σ_{i<s} e^{i ε'}).

    The false variant has the printed pair, with β = λ, of this size.
    """

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        e, s, rate = v["exp_epsilon"], len(v["sets"][0]), v["rate"]
        told = _pair_delta(v, e, extra=1, rate=rate if printed else ONE)
        delta = told if printed else rate * told
        return compared(_view_delta(v, e**s), delta * sum((e**i for i in range(s)), Fraction(0)))

    def proof() -> Proved | None:
        if not is_chain_step():
            return None
        return Proved(
            "all n, d >= 2, s, m > 0, levels, data, ε' >= 0",
            "x_i becomes x'_i by at most s exchanges of one item. At each, all other messages but "
            "the blanket's may be left out (Lemma 2); D_{e^ε'} is then at most λ D_{e^ε'}(P‖Q), "
            "β = 1, n⌈m⌉ trials (repair of Lemma 3: the coin of the item is told). A chain of "
            "exchanges adds up to δ' (1 + e^ε' + ... + e^((s-1)ε'))",
        )

    def strategy() -> st.SearchStrategy[Instance]:
        return st.builds(
            lambda d, s, m, rate, e: Instance.of(
                d=d, m=m, sets=victims(d, s)[-1], rate=rate, exp_epsilon=e, others=()
            ),
            st.integers(3, 5),
            st.integers(1, 2),
            st.sampled_from([ONE, HALF, Fraction(3, 2)]),
            st.fractions(0, 1, max_denominator=9),
            st.fractions(1, 4, max_denominator=5),
        )

    return Statement(
        instances=_algorithm_2,
        holds=holds,
        strategy=None if printed else strategy,
        proof=None if printed else proof,
        false_variant=None if printed else _repaired(printed=True),
    )


# --- tightness -------------------------------------------------------------------------------


def _tight() -> Statement:
    """The conclusion at s = 1 is attained: one user, all pairs of its items, n = 1."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for d, m, rate, e in product((2, 3), (ONE, Fraction(2)), (ONE, HALF), GAMMAS[1:]):
            yield Instance.of(d=d, m=m, rate=rate, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, e = v["d"], v["exp_epsilon"]
        neighbors = [((x,), (y,)) for x, y in product(range(d), repeat=2) if x != y]
        true = max(_view_delta({**v, "sets": sets}, e) for sets in neighbors)
        bound = e * _pair_delta(v, e)

        def certificate() -> Certificate:
            counts = poisson_term(ceil(v["m"]), d=d, rate=v["rate"], gamma=v["m"] / ceil(v["m"]))
            claimed = e * hockey_stick(counts, e)
            views = [_view_term({**v, "sets": sets, "others": ()}) for sets in neighbors]
            return Certificate(
                conclusion=[relation("<", hockey_stick(view, e), claimed) for view in views]
            )

        return Outcome(
            Truth.of(true == bound),
            f"the largest divergence is {decimal(true, digits=6)}, claimed "
            f"{decimal(bound, digits=6)}",
            certificate
            if true < bound
            else lambda: _one_item({**v, "sets": neighbors[0], "others": ()}),
        )

    return Statement(instances=instances, holds=holds)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/section-5.1.2/combination": {
        "a": _combination(size_is_product=False),
        "b": _combination(size_is_product=True),
    },
    "wang2024/section-5.1.3/group-step": {"": _group_step()},
    "wang2024/theorem-3": {"": _theorem_3()},
    "wang2024/repair/theorem-3": {"": _repaired()},
    "wang2024/section-5.1.3/tight-s=1": {"": _tight()},
}
