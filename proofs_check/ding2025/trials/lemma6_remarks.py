"""Section 4.4.1: what is said about the scale of Lemma 6: smaller than 1/ε, at what expense.

``section-4.4.1/without-calculation`` is printed with Lemma 6 where the sentence fits Lemma 5,
so both are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Quantifier, Statement
from exactdp.numbers import Exact, decimal
from exactdp.truth import Truth
from proofs_check.ding2025.laws import bernoulli, law_strategy, point, worst_ratio
from proofs_check.ding2025.tables import TABLE_2, law_of_row
from proofs_check.ding2025.terms import LinePair
from proofs_check.ding2025.trials.lemma5 import one_over_epsilon
from proofs_check.ding2025.trials.lemma6_systems import (
    BASES,
    BINARY,
    Range,
    Rest,
    System,
    exp_epsilon_of,
    growth_relations,
    system_of,
    system_strategy,
    systems,
    written,
)

__all__ = ["TRIALS"]


# --- a smaller value of the scale ------------------------------------------------------------


def _smaller_scale(*, strictly: bool, shrink: Fraction = Fraction(1)) -> Statement:
    """The θ of (21) is at most 1/ε, or smaller: e^{1/θ} >= E, or > E.

    Decided for each range of x: "at most" must hold for all ranges, "smaller" for some. The
    variant asks for e^{1/θ} >= E + (E − 1)/100.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in systems(effort, bases=BASES[:2]):
            if at["p"] != at["q"]:
                yield at

    def holds(at: Instance) -> Outcome:
        system, e = system_of(at), exp_epsilon_of(at)
        least = e if shrink == 1 else e + (e - 1) * (1 - shrink)
        growths = {over: system.growth(over, e) for over in Range}
        if strictly:
            # None is θ = 0, smaller than 1/ε.
            truth = any(g is None or g > least for g in growths.values())
        else:
            truth = all(g is None or g >= least for g in growths.values())

        def certificate() -> Certificate:
            pair, others = written(system)
            conclusion = []
            for over, growth in growths.items():
                if growth is not None:
                    conclusion += growth_relations(
                        system, others, over, exp_epsilon=e, growth=growth
                    )
                    conclusion.append(relation("<=", growth, e))
            return Certificate(
                define=pair.define, hypotheses=[relation(">", e, 1)], conclusion=conclusion
            )

        found = ", ".join(f"{g or 'infinite'} over {over.value}" for over, g in growths.items())
        return Outcome(Truth.of(truth), f"e^eps = {e}, e^(1/theta) by (21) is {found}", certificate)

    def proof() -> Proved | None:
        # ψ is a sum of products of numbers >= 0, over a number > 0: here l = a, h − l = d > 0,
        # 1 − h = b, and sympy's sign calculus decides.
        import sympy

        a, b, r = sympy.symbols("a b r", nonnegative=True)
        d = sympy.symbols("d", positive=True)
        value = ((1 - (1 - b)) * r + a) / d
        if not value.is_nonnegative:
            return None
        return Proved(
            "all p != q, eps > 0, any other users, every range of x",
            "psi(x) >= 0, so e^eps + (e^eps - 1) psi(x) >= e^eps at every x",
        )

    said = not strictly and shrink == 1
    return Statement(
        instances=instances,
        holds=holds,
        strategy=(lambda: system_strategy(bases=BASES).filter(lambda at: at["p"] != at["q"]))
        if said
        else None,
        proof=proof if said else None,
        false_variant=_smaller_scale(strictly=False, shrink=Fraction(99, 100)) if said else None,
    )


# --- what (21) requires to know --------------------------------------------------------------


def _needs_the_rest(over: Range) -> Statement:
    """Two systems that differ in the rest alone have different θ by (21), x over a range.

    For the one pair (s_P, s_Q) of user i, as in the paper's example.

    At p, q and e^ε all rests of the list are compared. Over the whole alphabet the certificate
    shows for each of them that e^{1/θ} is E + (E − 1) l/(h − l), and that ψ does not fall as
    the quotient grows from 0, which is why no other rest differs.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in (("1/4", "1/2"), ("1/5", "9/10"), ("2/3", "1/3")):
            yield Instance.of(p=Fraction(p), q=Fraction(q), exp_epsilon=Fraction(2))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, e = v["p"], v["q"], v["exp_epsilon"]
        low, high = min(p, q), max(p, q)
        alike = [System(p, q, rest) for rest in BINARY]
        found = {str(s.rest): s.growth(over, e) for s in alike}
        growths = [g for g in found.values() if g is not None]
        own = e + (e - 1) * low / (high - low)

        def certificate() -> Certificate:
            relations = []
            define: list[Any] = []
            for k, system in enumerate(alike):
                total = system.rest.total
                others = LinePair.of(total, total, name=f"others{k}")
                define += others.define
                relations += growth_relations(system, others, over, exp_epsilon=e, growth=own)
            slope = (1 - term(high)) / (term(high) - low)
            return Certificate(
                define=define,
                conclusion=[
                    relation("=", own, e + (e - 1) * term(low) / (term(high) - low)),
                    relation(">=", slope, 0),
                    *relations,
                ],
            )

        differ = len(set(growths)) > 1
        lemma_5, _, _ = worst_ratio(bernoulli(p), bernoulli(q), growth=e)
        shown = ", ".join(f"{g} for {rest}" for rest, g in found.items() if g is not None)
        return Outcome(
            Truth.of(differ and lemma_5 <= e),
            f"e^(1/theta) by (21): {shown}" if differ else f"e^(1/theta) is {own} for every rest",
            certificate,
        )

    return Statement(
        instances=instances,
        holds=holds,
        quantifier=Quantifier.ALL if over is Range.ALPHABET else Quantifier.SOME,
    )


# --- "following Lemma 6, without any calculation" ---------------------------------------------

_P, _Q = Fraction(1, 5), Fraction(9, 10)


def _lemma_6_gives_one_over_epsilon() -> Statement:
    """For p = 0.2, q = 0.9 beside Table 2, (21) gives e^{1/θ} = E under some range of x."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for base in BASES:
            yield Instance.of(exp_epsilon=base)

    def holds(at: Instance) -> Outcome:
        e = exp_epsilon_of(at)
        system = System(_P, _Q, Rest(tuple(law_of_row(row) for row in TABLE_2)))
        growths = {r: system.growth(r, e) for r in (Range.SUPPORT, Range.ALPHABET)}

        def certificate() -> Certificate:
            others = _table_2()
            relations = []
            for over, growth in growths.items():
                assert growth is not None  # 15 quotients are finite
                relations += growth_relations(system, others, over, exp_epsilon=e, growth=growth)
                relations.append(relation(">", growth, e))
            return Certificate(define=others.define, conclusion=relations)

        found = ", ".join(
            f"{decimal(Exact(g), digits=6)} over {over.value}"
            for over, g in growths.items()
            if g is not None
        )
        return Outcome(
            Truth.of(any(g == e for g in growths.values())),
            f"e^eps = {e}, e^(1/theta) by (21) is {found}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _table_2() -> LinePair:
    """Return the sum of users 1-3 of Table 2, as a pair of that law with itself."""
    first, second, third = (law_of_row(row) for row in TABLE_2)
    pair = LinePair.of(first, first, name="user1")
    return pair.with_other(second, name="users12").with_other(third, name="users123")


def _beside_table_2(effort: Effort) -> Iterator[Instance]:
    """The system of Table 2, then others: constants are worst."""
    table = Rest(tuple(law_of_row(row) for row in TABLE_2))
    for rest in (table, Rest((point(3),)), *BINARY):
        for base in BASES:
            yield Instance.of(p=_P, q=_Q, others=rest, exp_epsilon=base)


def _beside_any_users() -> Any:
    from hypothesis import strategies as st

    rows = st.lists(law_strategy(range(1, 6)), min_size=3, max_size=3)
    return st.builds(
        lambda laws, base: Instance.of(p=_P, q=_Q, others=Rest(tuple(laws)), exp_epsilon=base),
        rows,
        st.sampled_from(BASES),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/section-4.4.1/smaller-theta": {
        "a": _smaller_scale(strictly=False),
        "b": _smaller_scale(strictly=True),
    },
    "ding2025/section-4.4.1/without-calculation": {
        "a": _lemma_6_gives_one_over_epsilon(),
        "b": one_over_epsilon(_beside_table_2, strategy=_beside_any_users, wrong=(1, 2)),
    },
    "ding2025/section-4.4.1/rest-of-users": {
        "a": _needs_the_rest(Range.ALPHABET),
        "b": _needs_the_rest(Range.SUPPORT),
    },
}
