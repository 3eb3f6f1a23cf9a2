"""Quantities of the claims about any randomizers, at an instance and in Coq (``Measures.v``).

Definitions: the kinds :data:`MESSAGES`, :data:`VICTIM`, :data:`OTHER_LAWS` and :data:`BLANKET`; the
quantities :func:`apart_of_laws`, :func:`blanketed_apart`, :func:`four_apart` and
:func:`four_apart_of_laws`; and :func:`with_slots`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactdp.claims.kinds import integers, objects
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, term
from exactdp.testing import local_randomizers, probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import Row, among, variation
from proofs_check.wang2024.trials.views import ONE

__all__ = [
    "BLANKET",
    "MESSAGES",
    "OTHER_LAWS",
    "VICTIM",
    "apart_of_laws",
    "blanketed_apart",
    "four_apart",
    "four_apart_of_laws",
    "with_slots",
]

MESSAGES = integers(1)


def _within(one: Row, two: Row, factor: Any) -> bool:
    """Return whether the masses of the first law are at most so many times those of the second."""
    return all(u <= factor * v for u, v in zip(one, two, strict=True))


VICTIM = objects(
    "the victim's two laws, of ratios up to p",
    lambda k, p: local_randomizers(rows=2, columns=k, max_ratio=p, resolution=2),
    condition=lambda p, victim: (
        _within(victim[0], victim[1], p) and _within(victim[1], victim[0], p)
    ),
    coq=(
        "law nat * law nat",
        "is_law (fst {0}) /\\ is_law (snd {0}) /\\ within Nat.eq_dec p (fst {0}) (snd {0}) "
        "/\\ within Nat.eq_dec p (snd {0}) (fst {0})",
        "",
    ),
)


def _covering(victim: Sequence[Row], q: Fraction) -> st.SearchStrategy[Any]:
    """Draw a law that the victim's two are at most q times of; none for a small q."""
    least = [max(u, v) / q for u, v in zip(*victim, strict=True)]
    rest = 1 - sum(least, Fraction(0))
    if rest < 0:
        return st.nothing()
    law = probability_vectors(size=len(least), max_weight=3)
    return law.map(lambda w: tuple(x + rest * y for x, y in zip(least, w, strict=True)))


def _covers(law: Row, victim: Sequence[Row], q: Any) -> bool:
    return all(_within(row, law, q) for row in victim)


_COVERS = (
    "is_law {0} /\\ within Nat.eq_dec q (fst victim) {0} /\\ within Nat.eq_dec q (snd victim) {0}"
)
OTHER_LAWS = objects(
    "the other users' laws, which the victim's are at most q times of",
    lambda victim, q: st.just(()) | st.tuples(_covering(victim, q)),
    condition=lambda victim, q, others: all(_covers(law, victim, q) for law in others),
    coq=("list (law nat)", f"Forall (fun w => {_COVERS.format('w')}) {{0}}", ""),
)
BLANKET = objects(
    "the law of a blanket message, which the victim's are at most q times of",
    _covering,
    condition=lambda victim, q, blanket: _covers(blanket, victim, q),
    coq=("law nat", _COVERS, ""),
)


@quantity(
    "{0} counts same_counts (view {1:nat} (fst {2} :: {3})) (view {1:nat} (snd {2} :: {3}))",
    name="D",
)
def apart_of_laws(D: Any, k: int, victim: Sequence[Row], others: Sequence[Row]) -> Term:
    """D of the shuffled messages."""
    rows, users = [*victim, *others], [(2 + i, 1) for i in range(len(others))]
    return hockey_stick(named("view", shuffle_pair(rows, inputs=(0, 1), others=users)), D)


@quantity(
    "{0} counts same_counts (F_rb {1:nat} {4:nat} {5} {3} (fst {2})) "
    "(F_rb {1:nat} {4:nat} {5} {3} (snd {2}))",
    name="D",
)
def blanketed_apart(
    D: Any, k: int, victim: Sequence[Row], blanket: Row, n: int, gamma: Any
) -> Term:
    """D of procedure F_rb for two inputs."""
    return hockey_stick(named("view", with_slots(victim, blanket, n, gamma)), D)


def with_slots(victim: Sequence[Row], blanket: Row, n: int, gamma: Any) -> Term:
    """Return the view of a victim and of n slots, each of which sends with probability γ."""
    none = Fraction(0)
    rows = [*([*row, none] for row in victim), [*(gamma * mass for mass in blanket), 1 - gamma]]
    return among(rows, n)


@quantity(
    "four_apart {0} {1} (total_variation Nat.eq_dec (fst {3}) (snd {3})) {2} {5} {4:nat}",
    name="D_four",
)
def four_apart(D: Any, p: Any, q: Any, victim: Sequence[Row], n: int, gamma: Any) -> Term:
    """D of the counts of both letters, of the rest, and of the others' leftovers, of n others."""
    beta, none = variation(*victim), Fraction(0)
    first = p * beta / (p - 1)
    rest = 1 - first - first / p
    other = [gamma * share for share in (first / q, first / q, rest / q, 1 - (1 + beta) / q)]
    rows = [
        [first, first / p, rest, none, none],
        [first / p, first, rest, none, none],
        [*other, 1 - gamma] if n else [none, none, none, none, ONE],
    ]
    return hockey_stick(named("four", among(rows, n)), D)


@quantity(
    "four_apart {0} {1} (total_variation Nat.eq_dec (fst {3}) (snd {3})) {2} 1 (length {4})",
    name="D_four",
)
def four_apart_of_laws(
    D: Any, p: Any, q: Any, victim: Sequence[Row], others: Sequence[Row]
) -> Term:
    """Return the same beside these others, who all send."""
    return term(four_apart(D, p, q, victim, len(others), ONE))
