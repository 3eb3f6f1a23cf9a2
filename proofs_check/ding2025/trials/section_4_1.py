"""Sections 4.1 and 4.2: secrets about the value that a user reports (Theorems 1 and 2)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Statement
from exactdp.claims.forms import Relation, Said, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, term, total
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.answers import given_absence, given_value, perhaps_absent
from proofs_check.ding2025.law import Law, bernoulli, fractions, law, point, whole
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.quantities import (
    Values,
    distance,
    one_sided_of_values,
    output_of_value,
    power,
    power_of_size,
    surely,
    worst_of_values,
)
from proofs_check.ding2025.systems import (
    GROWTHS,
    KINDS,
    OTHER_LAWS,
    System,
    drawn_systems,
    everywhere,
    systems,
)
from proofs_check.ding2025.trials.section_3 import answers, drawn_answers
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

LAWS = (bernoulli("1/2"), OTHER_LAWS[2], point(1))


def less_far(V: System, secrets: Sequence[Values]) -> Any:
    """Return one less than the largest |a_i − b_i|."""
    return int(distance(V, secrets)) - 1


def attains(
    V: System, secrets: Sequence[Values], growth: Fraction, d: Callable[..., Any] = distance
) -> Relation:
    """Noise of scale max |a_i − b_i| / ε attains ε: e^{1/θ} = g, e^ε = g^{max |a_i − b_i|}."""
    return at_most(worst_of_values(V, secrets, growth), power(growth, d(V, secrets)))


@st.composite
def drawn(draw: st.DrawFn, *, with_absence: bool) -> dict[str, Any]:
    """Draw a system, two secrets for each user, and e^{1/θ}."""
    system, secrets = draw(drawn_systems()), []
    for _ in system.laws:
        a = draw(st.integers(-4, 6))
        secrets.append((a, 0 if with_absence else a + draw(st.sampled_from([1, -1, 2, -3, 5]))))
    return {"V": system, "secrets": tuple(secrets), "growth": draw(st.sampled_from(GROWTHS))}


SECRETS = objects("a_i and b_i of each user", coq=("nat -> R * R", "", ""))
ABSENCE = objects(
    "a_i of each user, and b_i = 0: absent",
    coq=("nat -> R * R", "(forall i, snd ({0} i) = 0)", ""),
)


def theorem_1(*choices: Values, with_absence: bool) -> Statement:
    """Return Theorem 1, or with absence Theorem 2, over these values."""
    return for_all(
        everywhere(
            cases(
                _start=(0, 1),
                V=lambda: systems(LAWS),
                secrets=lambda _start, V: [choices[_start : _start + len(V.laws)]],
                growth=lambda _start: [GROWTHS[_start]],
            ),
            secrets=ABSENCE if with_absence else SECRETS,
        ).drawn(partial(drawn, with_absence=with_absence)),
        attains,
        wrong=partial(attains, d=less_far),
        proof=theorem("ding2025_theorem_2" if with_absence else "ding2025_theorem_1"),
    )


TRIALS["ding2025/theorem-1"] = theorem_1((5, 6), (0, 1), (2, 0), (-1, 2), with_absence=False)


@quantity(
    "mean (fun t => noise {3} ({5} - t - {1}) * "
    "(Rpower {3} (Rabs ({5} - t - {1}) - Rabs ({5} - t - {0})) - {4})) {2}"
)
def factored(a: int, b: int, others: Law, growth: Fraction, exp_epsilon: Fraction, y: int) -> Term:
    """Return ∫ e^{−|y−t−b|/θ} (e^{(|y−t−b| − |y−t−a|)/θ} − e^ε) Pr(t)dt."""
    g, distances = term(growth), [(abs(y - t - a), abs(y - t - b), m) for t, m in others.masses]
    inner = [
        g ** -whole(far) * (g ** whole(far - near) - exp_epsilon) * m for near, far, m in distances
    ]
    return total(inner)


@quantity("mean (fun t => noise {3} ({5} - t - {1}) * (Rpower {3} (Rabs ({0} - {1})) - {4})) {2}")
def bounded(a: int, b: int, others: Law, growth: Fraction, exp_epsilon: Fraction, y: int) -> Term:
    """Return ∫ e^{−|y−t−b|/θ} (e^{|a−b|/θ} − e^ε) Pr(t)dt."""
    g, factor = term(growth), term(growth) ** whole(abs(a - b)) - exp_epsilon
    return total([g ** -whole(abs(y - t - b)) * factor * m for t, m in others.masses])


def display(
    a: int,
    b: int,
    others: Law,
    growth: Fraction,
    exp_epsilon: Fraction,
    y: int,
    w: Fraction,
    sign: int = 1,
) -> list[Relation]:
    """w (f_a − e^ε f_b) = w ∫ ... <= w ∫ ... = (e^{sign |a−b|/θ} − e^ε) w f_b, at every y."""
    at, own = (a, b, others, growth, exp_epsilon, y), term(w)
    f, g = (output_of_value(value, others, growth, y) for value in (a, b))
    size = power_of_size(growth, a - b) if sign == 1 else term(growth) ** -whole(abs(a - b))
    return [
        equal(own * (f - exp_epsilon * g), own * factored(*at)),
        at_most(own * factored(*at), own * bounded(*at)),
        equal(own * bounded(*at), (size - exp_epsilon) * (own * g)),
    ]


def displays(*values: Values) -> Any:
    """Return the cases of a display."""
    over = cases(
        **{"a b": values},
        others=OTHER_LAWS,
        growth=[Fraction(2)],
        exp_epsilon=fractions("2 11/10"),
        y=range(-6, 8),
        w=[Fraction(2, 3)],
    )
    b = reals() if any(b for _, b in values) else reals(0, 0)
    return everywhere(over, a=reals(), b=b).drawn(
        lambda: {
            "a": st.integers(-4, 4),
            "b": st.integers(-4, 4) if any(b for _, b in values) else st.just(0),
            "others": st.sampled_from(OTHER_LAWS),
            "growth": st.sampled_from(GROWTHS),
            "exp_epsilon": st.sampled_from(GROWTHS),
            "y": st.integers(-9, 9),
            "w": st.sampled_from(fractions("0 1/3 1")),
        }
    )


TRIALS["ding2025/theorem-1/proof/inequality"] = for_all(
    displays((1, 0), (0, 2), (3, 2)),
    display,
    wrong=partial(display, sign=-1),
    proof=theorem("ding2025_display"),
)


def minimal(
    V: System, secrets: Sequence[Values], growth: Fraction, d: Callable[..., Any] = distance
) -> Relation:
    """sup over y and i of f_a / f_b is e^{max |a_i − b_i|/θ}: θ >= the maximum/ε is needed."""
    return equal(one_sided_of_values(V, secrets, growth), power(growth, d(V, secrets)))


TRIALS["ding2025/theorem-1/proof/minimal"] = for_all(
    everywhere(
        cases(
            secrets=(((2, 1),), ((0, 3),), ((1, 0), (5, 3)), ((-1, 1), (4, 3))),
            V=lambda secrets: [v for v in systems(LAWS) if len(v.laws) == len(secrets)],
            growth=[Fraction(2)],
        ),
        secrets=SECRETS,
    ).drawn(partial(drawn, with_absence=False)),
    minimal,
    wrong=partial(minimal, d=less_far),
    proof=theorem("ding2025_minimal"),
)


def presence_is_ignored(
    V: System, secrets: Sequence[Values], growth: Fraction, of: Any = worst_of_values
) -> Relation:
    """The ratio of (1) on pairs of S_{a,b} is the same for all ζ, of both models of presence."""
    return equal(of(V, secrets, growth), of(surely(V), secrets, growth))


def of_some_laws(V: System, secrets: Sequence[Values], growth: Fraction) -> Term:
    """Return the largest ratio of (1) over (s_P, s_{(a_i + b_i)/2}), P uniform on a_i and b_i."""
    laws = [(law({a: "1/2", b: "1/2"}), point((a + b) // 2)) for a, b in secrets]
    return V.worst_ratio(laws, growth)


TRIALS["ding2025/section-4.1/presence"] = for_all(
    everywhere(
        cases(
            V=lambda: systems(LAWS),
            secrets=lambda V: [((2, 0), (-1, 3))[: len(V.laws)]],
            growth=[Fraction(3)],
        ),
        secrets=SECRETS,
    ).drawn(partial(drawn, with_absence=False)),
    presence_is_ignored,
    wrong=partial(presence_is_ignored, of=of_some_laws),
    proof=theorem("ding2025_presence"),
)


TRIALS["ding2025/theorem-2"] = theorem_1((5, 0), (1, 0), (2, 0), (-1, 0), with_absence=True)


def printed_display(
    a: int, b: int, others: Law, growth: Fraction, exp_epsilon: Fraction, sign: int = -1
) -> Said:
    """f_a − e^ε f_b = Σ ... <= Σ N(y−t−b)(e^{sign |a−b|/θ} − e^ε) Pr(t) = (...) f_b, for all y."""
    pair, gamma = LinePair.of(point(a), point(b), name="own").beside(others), exp_epsilon
    factor = term(growth) ** (sign * abs(a - b)) - gamma
    claimed = []
    for y in range(int(pair.points[0]) - 2, int(pair.points[-1]) + 3):
        f, g = (pair.density(side, y, growth, Fraction(1)) for side in ("p", "q"))
        distances = [(whole(abs(y - t - a)), whole(abs(y - t - b)), m) for t, m in others.masses]
        inner = [growth**-far * (growth ** (far - near) - gamma) * m for near, far, m in distances]
        claimed += [equal(f - gamma * g, total(inner)), at_most(f - gamma * g, factor * g)]
    return Said(claimed)


TRIALS["ding2025/theorem-2/proof/inequality"] = for_all(
    everywhere(
        cases(
            **{"a b": ((1, 0), (-2, 0))},
            others=OTHER_LAWS,
            growth=[Fraction(2)],
            exp_epsilon=fractions("2 11/10"),
        ),
        b=integers(0, 0),
    ),
    printed_display,
    falls=Falls.MISPRINT,
)

TRIALS["ding2025/repair/theorem-2-proof"] = for_all(
    displays((1, 0), (-2, 0)),
    display,
    wrong=partial(display, sign=-1),
    proof=theorem("ding2025_repair_theorem_2_proof"),
)


def absent_is_zero(V: System, i: int, x: Fraction, reported: int = 0) -> Relation:
    """The law of X given absence is that given the report 0."""
    return equal(given_absence(V, i, x), given_value(V, i, reported, x))


def absent_is_zero_for_separable(a: int, c: int, growth: Fraction) -> Relation:
    """User 1 alone, f_1(t) = t + c: the ratio on (s_a, s_⊥) is at most that on (s_a, s_0)."""
    missing = LinePair.of(point(a + c), point(0), name="absent")
    zero = LinePair.of(point(a + c), point(c), name="zero")
    return at_most(missing.worst_ratio(growth), zero.worst_ratio(growth))


TRIALS["ding2025/remark-1"] = {
    "a": for_all(
        cases(
            V=[
                System((bernoulli("1/2"), law), (Fraction(2, 3), Fraction(zeta)))
                for law, zeta in product((*LAWS, OTHER_LAWS[3]), ("1", "1/2", "0"))
            ],
            i=[0],
            x=answers,
        )
        .within(V=KINDS["V"], i=perhaps_absent(reports_zero=True), x=reals())
        .drawn(
            lambda: (
                drawn_answers(Fraction(2, 5))
                .filter(lambda at: at["V"].laws[at["i"]][0] > 0)
                .map(lambda at: {x: at[x] for x in ("V", "i", "x")})
            )
        ),
        absent_is_zero,
        wrong=partial(absent_is_zero, reported=1),
        proof=theorem("ding2025_remark_1"),
    ),
    "b": for_all(
        cases(a=[1], **{"f_1 c": [("t + 0", 0), ("t + 1", 1)]}, growth=[Fraction(2)]),
        absent_is_zero_for_separable,
        falls=Falls.REMARK,
    ),
}
