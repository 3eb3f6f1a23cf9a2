"""Section 3: Lemma 1, the variation property, and the parameters of Theorem 1."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

from exactdp.audit.algebra import follows
from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, above, at_least, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, shuffle_pair
from exactdp.claims.proofs import proof
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, term
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_value
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import (
    NEAR,
    Row,
    positive_laws,
    ratio,
    variation,
)
from proofs_check.lemmas.quantities import (
    EVENT,
    LAW,
    SAME,
    left_over,
    part,
    probability,
    share_of,
    total_mass,
)
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.trials.views import HALF, ONE, dominated, reduction_counts

TRIALS: Trials = {}

Bits = tuple[int, ...]


def chain(s: int, exp_epsilon: Fraction, delta: Fraction) -> Sequence[Row]:
    """Return laws that attain the sum of the e^(i ε) δ: x_i = e^ε x_(i+1) + δ."""
    masses = [Fraction(0)]
    for _ in range(s):
        masses.append(exp_epsilon * masses[-1] + delta)
    return tuple((x, 1 - x) for x in reversed(masses))


@quantity("hockey_stick same ({0} (fst {1})) ({0} (snd {1})) ({2} ^ {3:nat})", name="D")
def output_apart(protocol: Sequence[Row], data: Sequence[Bits], exp_epsilon: Any, s: int) -> Term:
    """D_{e^(s ε)} of a protocol on bits, whose output has the law number (sum of the bits)."""
    pair = [protocol[sum(bits)] for bits in data]
    return hockey_stick(finite_pair(*pair), exp_epsilon**s)


def needed(laws: Sequence[Row], exp_epsilon: Any) -> Any:
    """Return the least δ of the protocol with these laws: neighbors have neighboring sums."""
    ways = [(u, v) for one in pairwise(laws) for u, v in (one, one[::-1])]
    return max(
        sum((max(a - exp_epsilon * b, 0) for a, b in zip(u, v, strict=True)), Fraction(0))
        for u, v in ways
    )


def drawn_protocols(n: int, exp_epsilon: Fraction, delta: Fraction) -> st.SearchStrategy[Any]:
    """Draw laws, and mix them with the uniform one until they are (ε, δ)-private."""

    def mixed_in(laws: Sequence[Row]) -> Sequence[Row]:
        least = needed(laws, exp_epsilon)
        share = min(ONE, delta / least) if least else ONE
        return tuple(tuple(share * m + (1 - share) / 3 for m in law) for law in laws)

    return st.tuples(*[probability_vectors(size=3)] * (n + 1)).map(mixed_in)


PROTOCOL = objects(
    "an (ε, δ)-private protocol of n users",
    drawn_protocols,
    written=lambda protocol: (
        f"(fun data => {coq_value('nat -> law A', protocol)} "
        "(fold_left (fun i v => i + Nat.min v 1)%nat data 0%nat))"
    ),
    condition=lambda exp_epsilon, delta, protocol: needed(protocol, exp_epsilon) <= delta,
    coq=(
        "list X -> law A",
        "private_protocol same n exp_epsilon delta {0}",
        f"{SAME} {{X : Type}}",
    ),
)
DATA = objects(
    "data that differ in at most s entries",
    lambda n, s: st.integers(0, min(n, s)).map(lambda i: ((0,) * n, (1,) * i + (0,) * (n - i))),
    condition=lambda s, data: sum(x != y for x, y in zip(*data, strict=True)) <= s,
    coq=("list X * list X", "length (fst {0}) = n /\\ differ s (fst {0}) (snd {0})", ""),
)


def lemma_1(
    n: int, exp_epsilon: Any, delta: Any, s: Any, protocol: Any, data: Any, growth: int = 1
) -> Relation:
    """D_{e^(s ε)} of the outputs is at most s e^(s ε) δ (or, false, s δ)."""
    bound = term(s) * exp_epsilon**s * delta if growth else s * term(delta)
    return at_most(output_apart(protocol, data, exp_epsilon, s), bound)


TRIALS["wang2024/lemma-1"] = for_all(
    cases(
        n=(1, 2, 3),
        exp_epsilon=(ONE, Fraction(3, 2), Fraction(2)),
        delta=(Fraction(1, 30), Fraction(1, 100)),
        protocol=lambda n, exp_epsilon, delta: [chain(n, exp_epsilon, delta)],
        s=lambda n: [n],
        data=lambda n: [((0,) * n, (1,) * n), ((1,) * n, (0,) * n)],
    ).within(
        n=integers(1, draws=2),
        exp_epsilon=reals(1),
        delta=reals(0),
        s=integers(1, draws=2),
        protocol=PROTOCOL,
        data=DATA,
    ),
    lemma_1,
    wrong=partial(lemma_1, growth=0),
    proof=theorem("wang2024_lemma_1"),
)


def properties(
    victim: Sequence[Row], ratios: Iterable[Sequence[Row]], *, p: Any, beta: Any, q: Any
) -> list[Relation]:
    """Return the (p, β)-variation of the victim's two rows; the q-ratio of pairs of rows."""
    ways = [finite_pair(*victim), finite_pair(*victim[::-1])]
    return [
        *(equal(hockey_stick(way, p), 0) for way in ways),
        *(at_most(hockey_stick(way, 1), beta) for way in ways),
        *(equal(hockey_stick(finite_pair(*pair), q), 0) for pair in ratios),
    ]


def of_first_user(R_1: Sequence[Row], R_2: Sequence[Row]) -> dict[str, Fraction]:
    """Return p and β of R_1's two rows, and q for R_2's rows against them."""
    p, q = max(ratio(R_1, R_1), Fraction(2)), max(ratio(R_2, R_1), ONE)
    return {"p": p, "beta": variation(*R_1), "q": q}


def pair_is_defined(R_1: Sequence[Row], R_2: Sequence[Row]) -> bool:
    """Return whether C has a probability."""
    return bool(bounds.letters_probability(None, **of_first_user(R_1, R_2)) <= 1)


def first_users_property(R_1: Sequence[Row], R_2: Sequence[Row]) -> Said:
    """The variation property of user 1 is all that is known; the victim is user 2."""
    at = of_first_user(R_1, R_2)
    view = shuffle_pair([*R_2, R_1[0]], inputs=(0, 1), others=[(2, 1)])
    return Said(
        dominated(named("view", view), named("counts", reduction_counts(2, **at))),
        properties(R_1, product(R_2, R_1), **at),
    )


def mixed_rows(p: Any, V: Any, W: Any, S: Any, more: int = 1) -> list[Relation]:
    """Return (3), (4) of two laws of ratios up to p, at each event (or, false, with 2α)."""
    alpha = share_of(p, V, W) if more == 1 else more * share_of(p, V, W)
    letters = part(V, W), part(W, V)
    laws = (*letters, left_over(p * alpha, alpha, V, *letters))
    one, two, rest = (probability(law, S) for law in laws)
    own = 1 - alpha - p * alpha
    return [
        *(at_least(chance, 0) for chance in (one, two, rest, own)),
        *(equal(total_mass(law), 1) for law in laws),
        equal(probability(V, S), p * alpha * one + alpha * two + own * rest),
        equal(probability(W, S), alpha * one + p * alpha * two + own * rest),
    ]


COIN, BIASED = (HALF, HALF), (Fraction(2, 3), Fraction(1, 3))
RESPONSES = [(COIN, COIN), (BIASED, BIASED[::-1])]

TRIALS["wang2024/section-3.3/variation-property"] = {
    "a": for_all(
        cases(v=(2,), R_1=RESPONSES, R_2=[*RESPONSES, ((ONE, ONE - 1), (ONE - 1, ONE))]).where(
            pair_is_defined
        ),
        first_users_property,
        falls=Falls.MISPRINT,
    ),
    # (3), (4): pα Q^0 + α Q^1 and α Q^0 + pα Q^1 leave one law of weight 1 - α - pα.
    "b": for_all(
        cases(
            _rows=[(v, w) for v, w in product(positive_laws(5), repeat=2) if v != w],
            p=lambda _rows: [max(ratio(_rows[:1], _rows[1:]), ratio(_rows[1:], _rows[:1]))],
            V=lambda _rows: _rows[:1],
            W=lambda _rows: _rows[1:],
            S=((0,), (1,), (0, 2)),
        ).within(p=reals(above=1), V=LAW, W=NEAR, S=EVENT),
        mixed_rows,
        wrong=partial(mixed_rows, more=2),
        proof=theorem("wang2024_variation_property"),
    ),
}


P_BETA: dict[str, Any] = {
    "p": (Fraction(2), Fraction(3), Fraction(3, 2), Fraction(10)),
    "_part": (ONE, HALF, Fraction(1, 4), Fraction(0)),
    "beta": lambda p, _part: [_part * (p - 1) / (p + 1)],
}

VARIATION = {"p": reals(above=1), "beta": reals(0, lambda p: (p - 1) / (p + 1))}
"""What p and β may be."""


def letters_share(p: Any, beta: Any, q: Any, gamma: Fraction = ONE) -> Said:
    """C's success probability, times γ in the proof of Theorem 2, is one."""
    p, beta, q = term(p), term(beta), term(q)
    share = gamma * bounds.letters_probability(None, p=p, beta=beta, q=q)
    asked = [above(p, 1), at_most(beta, (p - 1) / (p + 1)), at_least(q, 1), at_most(gamma, 1)]
    return at_most(share, 1).given(asked)


TRIALS["wang2024/theorem-1/parameters"] = for_all(
    cases(**P_BETA, q=(ONE, Fraction(2), Fraction(5, 4))).within(**VARIATION, q=reals(1)),
    letters_share,
    falls=Falls.REMARK,
)


def all_probabilities(p: Fraction, beta: Fraction, q: Fraction) -> list[Relation]:
    """The three parameters of Theorem 1 are in [0, 1]."""
    values = [
        bounds.letters_probability(None, p=p, beta=beta, q=q),
        bounds.first_probability(None, p=p, beta=beta),
        bounds.second_probability(None, p=p, beta=beta),
    ]
    return [relation for x in values for relation in (at_least(x, 0), at_most(x, 1))]


# The claim's remark: it makes no probability of the three, and stands beside them.
OTHERS_RATIO = follows(
    "q w >= u and q w >= v at each message of another user, summed where u >= v and where "
    "u < v, of masses a and b under the victim's rows there: q >= 1 + β",
    "W_1 W_2 q U V",
    lambda W_1, W_2, q, U, V: q * (W_1 + W_2) - (U + V),
    lambda W_1, W_2, q, U, V: [(1, q * W_1 - U), (1, q * W_2 - V)],
)

TRIALS["wang2024/repair/theorem-1/parameters"] = for_all(
    cases(**P_BETA, q=lambda beta: (1 + beta, 1 + beta + HALF)).within(
        **VARIATION, q=reals(lambda beta: 1 + beta)
    ),
    all_probabilities,
    wrong=for_all(cases(**P_BETA, q=lambda beta: [1 + beta / 4]), all_probabilities),
    proof=lambda claim: proof(OTHERS_RATIO, *in_numbers()(claim).steps),
)


def second_letter(p: Fraction, beta: Fraction, *, also: bool = False) -> Said:
    """P(Δ_2 = 1), where Δ_1 = 0 and (``also``) where it is 1, is α = β/(p-1), and one is 0."""
    at = {"p": term(p), "beta": term(beta)}
    first, second = bounds.first_probability(None, **at), bounds.second_probability(None, **at)
    both = first * second if also else term(0)
    return Said(
        [equal((1 - first) * second + both, term(beta) / (term(p) - 1))] + [equal(both, 0)] * also,
        [above(p, 1), at_most(beta, (term(p) - 1) / (term(p) + 1))],
    )


TRIALS["wang2024/theorem-1/Delta_2"] = {
    "a": for_all(
        cases(**P_BETA).within(**VARIATION),
        partial(second_letter, also=True),
        falls=Falls.MISPRINT,
    ),
    "b": for_all(
        cases(**P_BETA).within(**VARIATION),
        second_letter,
        wrong=partial(second_letter, also=True),
        proof=in_numbers(),
    ),
}
