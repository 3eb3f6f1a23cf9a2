"""Section IV-A and Table II: which parameters give the cells for our δ, and the truth."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp.audit.algebra import identity
from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Effort, Outcome
from exactdp.claims.forms import (
    Never,
    Relation,
    Trials,
    above,
    at_most,
    below,
    decided,
    for_all,
    some,
)
from exactdp.claims.kinds import objects
from exactdp.claims.laws import hockey_stick
from exactdp.claims.proofs import proof, words
from exactdp.claims.terms import Term, function, named, positive_part, total
from exactdp.claims.values import value
from exactdp.claims.verdicts import Beside, Falls
from exactdp.numbers import Epsilon, Exact, certainly_below
from exactdp.shuffle import stronger_clone_pair
from exactdp.truth import Truth
from proofs_check.biswas2023.bounds import Counts, equation_12, exp_privacy_loss_printed
from proofs_check.biswas2023.cells import cell_holds
from proofs_check.biswas2023.evaluation import (
    agrees,
    count_delta,
    printed_delta,
    printed_delta_estimates,
    shown,
)
from proofs_check.biswas2023.excluded import Part, exp_epsilon_term, largest_terms, least, most
from proofs_check.biswas2023.protocol import count_pair, exp_epsilon0_term, private
from proofs_check.biswas2023.tables import TABLE_II, TABLE_II_EPSILON0, TABLE_II_EPSILONS, Cell

TRIALS: Trials = {}


@lru_cache(maxsize=4)
def candidates(n: int, effort: Effort) -> list[dict[str, int]]:
    """Return the parameters (k, n_x0) for which (6) comes nearest the cells of Table II."""
    targets = [math.log10(cell.value) for cell in TABLE_II[n]["ours"]]
    thresholds = [math.exp(e) for e in TABLE_II_EPSILONS]
    found = []
    for k, n_x0 in _grid(n, effort):
        c = Counts(k, n, n_x0)
        logs = printed_delta_estimates(math.exp(TABLE_II_EPSILON0), c, thresholds)
        distance = max(abs(a - b) for a, b in zip(logs, targets, strict=True))
        found.append((distance, k, n_x0))
    found.sort()
    return [{"k": k, "n_x0": n_x0, "searched": len(found)} for _, k, n_x0 in found[:3]]


def _grid(n: int, effort: Effort) -> Iterator[tuple[int, int]]:
    """Return the parameters searched: all n_x0 for small k, for n = 100 also for some large k."""
    deep = effort is Effort.DEEP
    if n == 100:
        ks = [*range(2, 31), 40, 50, 64, 100, 1000]
        yield from ((k, held) for k in (range(2, 201) if deep else ks) for held in range(n))
    else:
        yield from ((k, held) for k in (range(2, 31) if deep else (2, 3)) for held in range(n))


@lru_cache(maxsize=16)
def is_our_column(n: int, k: int, n_x0: int, searched: int) -> Outcome:
    """All cells of the column are (6) at these parameters."""
    epsilon0, c = TABLE_II_EPSILON0, Counts(k, n, n_x0)
    values = [printed_delta(epsilon0, c, e) for e in TABLE_II_EPSILONS]
    column = list(zip(TABLE_II_EPSILONS, TABLE_II[n]["ours"], values, strict=True))
    text = ", ".join(map(shown, values))
    return decided(
        all(agrees(cell, value) for _, cell, value in column),
        f"the nearest found is k={k}, n_x0={n_x0} (of {searched} searched), where (6) is {text}",
        shown=lambda: [x for e, cell, _ in column for x in cell_holds(epsilon0, c, e, cell)],
        beside=[
            Beside(cell.text, shown(value), at=f"k={k}, n_x0={n_x0}, epsilon={e}")
            for e, cell, value in column
        ],
    )


def parameters(found: Callable[[Effort], list[Any]], **axes: Any) -> Cases:
    """Return the finding of a search, ``_at`` with k and n_x0, then other axes."""
    return cases(
        _at=lambda: found(Effort.DEFAULT),
        k=lambda _at: [_at["k"]],
        n_x0=lambda _at: [_at["n_x0"]],
        **axes,
    ).deep(_at=lambda: found(Effort.DEEP))


def behind_the_column(n: int) -> Cases:
    """Return the cells at the parameters that reproduce the column."""

    def found(effort: Effort) -> list[dict[str, Any]]:
        near = candidates(n, effort)
        return [at for at in near if is_our_column(n, **at).truth.is_certain][:1]

    cells = list(zip(TABLE_II_EPSILONS, TABLE_II[n]["ours"], strict=True))
    return parameters(
        found, _cell=cells, epsilon=lambda _cell: [_cell[0]], cell=lambda _cell: [_cell[1].text]
    )


def our_cell_is_tight(n: int, k: int, n_x0: int, epsilon: Fraction, cell: str) -> Outcome:
    """The cell is the tight delta of M."""
    return at_least_the_count(TABLE_II_EPSILON0, Counts(k, n, n_x0), epsilon, Cell(cell))


def at_least_the_count(epsilon0: Fraction, c: Counts, epsilon: Fraction, cell: Cell) -> Outcome:
    """A cell for the tight delta, to one unit, is at least the delta of the count of x_0."""
    x, bound = exp_epsilon0_term(Exact.exp(epsilon0)), cell.value + cell.unit
    least = count_delta(epsilon0, c, epsilon)
    return decided(
        Truth.FALSE if certainly_below(Exact(bound), least) else Truth.UNKNOWN,
        f"printed {cell.text}, but the count of x_0 alone has delta {shown(least)}",
        claimed=lambda: [
            at_most(hockey_stick(count_pair(x, c.k, c.plainest), Exact.exp(epsilon)), bound)
        ],
        given=lambda: private(x, c.k),
        precision_bits=256,
        beside=[Beside(cell.text, shown(least), ">=")],
    )


OURS = for_all(behind_the_column(100), partial(our_cell_is_tight, 100), falls=Falls.RESULT)
"""Reading (b) of the column for n = 100."""


def below_references(
    n: int, epsilon: Fraction, columns: Sequence[str] = ("ref-10", "ref-11", "ref-12")
) -> Outcome:
    """The tight delta, for any k and data, is below all columns of Table II for the others."""
    index = TABLE_II_EPSILONS.index(epsilon)
    smallest = min(TABLE_II[n][c][index].value for c in columns)
    letters = stronger_clone_pair(n, Epsilon.rational(TABLE_II_EPSILON0))
    most = letters.delta(Epsilon.rational(epsilon), relative_width="1e-6").upper
    least = count_delta(TABLE_II_EPSILON0, Counts(2, n, 0), epsilon)
    return decided(
        most < smallest,
        f"tight: at least {shown(least)} (k = 2), at most {shown(Exact(most))} for all k",
        slack=smallest / most,
    )


AT_MOST_TWO_LETTERS = proof(
    identity(
        "R(z) of k-RR is at least (R(x_0) + R(x_1))/(x + 1): equal at x_0 and x_1 if z is neither, "
        "more by (x - 1)/((x + 1)(x + k - 1)) at any other y, and still more at z",
        "x k",
        lambda x, k: (1 / (x + k - 1), (x / (x + k - 1) + 1 / (x + k - 1)) / (x + 1)),
        lambda x, k: (
            1 / (x + k - 1) - (x - 1) / ((x + 1) * (x + k - 1)),
            2 / (x + k - 1) / (x + 1),
        ),
    ),
    words(
        "so (x R(x_0) - R(x_1))/(x - 1) and (x R(x_1) - R(x_0))/(x - 1), of which the victim sends "
        "the first with x/(x + 1) or 1/(x + 1), are each sent by every other with 1/(x + 1) at "
        "least; the counts of these two letters, leftovers of known origin apart, make the "
        "histogram by post-processing: the upper ends above"
    ),
)


TRIALS["biswas2023/section-I-A/contribution-2"] = {
    "a": for_all(
        cases(n=(100, 1000), epsilon=TABLE_II_EPSILONS).within(
            n=objects("100 or 1000", condition=lambda n: n in TABLE_II),
            epsilon=objects(
                "one of Table II", condition=lambda epsilon: epsilon in TABLE_II_EPSILONS
            ),
        ),
        below_references,
        wrong=partial(below_references, columns=["ours"]),
        proof=AT_MOST_TWO_LETTERS,
    ),
    "b": OURS,
}


def nearest(n: int) -> Cases:
    """Return the nearest parameters that the search finds."""
    return parameters(partial(candidates, n), searched=lambda _at: [_at["searched"]])


TRIALS["biswas2023/table-II/n=100/ours"] = {
    "a": some(nearest(100), partial(is_our_column, 100)),
    "b": OURS,
}


def column_is_tight(n: int, k: int) -> Outcome:
    """The first and the last cell are tight deltas of M, for any k up to this or from it on.

    Up to k, whatever n_x0: let those who do not hold x_0 hold x_1. A smaller alphabet shows
    more (decreasing-in-k, c), further users show less, and n - 1 who hold x_0 beside n - 1
    who hold x_1 are more users than these: the first cell is at least the delta of their count.
    From k on: the last cell is at most :func:`chernoff`.
    """
    first, *_, last = TABLE_II[n]["ours"]
    e, f = TABLE_II_EPSILONS[0], TABLE_II_EPSILONS[-1]
    least = count_delta(TABLE_II_EPSILON0, Counts(k, 2 * n - 1, n - 1), e)
    most, gain = chernoff(n, k, f)
    too_low = certainly_below(Exact(first.value + first.unit), least)
    too_high = below(most, last.value - last.unit).holds() and above(gain, 0).holds()
    x = exp_epsilon0_term(Exact.exp(TABLE_II_EPSILON0))
    return decided(
        Truth.FALSE if too_low and too_high else Truth.UNKNOWN,
        f"for every n_x0: at eps = {e} delta is at least {shown(least)} for k <= {k}, printed "
        f"{first.text}; at eps = {f} at most {shown(value(most))} for k >= {k}, printed "
        f"{last.text} (in the certificate the first for k = {k} and n_x0 = 0, n - 1)",
        claimed=Never(
            lambda: [
                *(
                    above(
                        hockey_stick(count_pair(x, k, Counts(k, n, held).plainest), Exact.exp(e)),
                        first.value + first.unit,
                    )
                    for held in (0, n - 1)
                ),
                below(most, last.value - last.unit),
                above(gain, 0),
            ]
        ),
        given=lambda: private(x, k),
        precision_bits=256,
    )


def chernoff(n: int, k: int, epsilon: Fraction) -> tuple[Term, Term]:
    """Return a bound on delta(eps) for all data, and a number that is positive if it falls with k.

    By the privacy blanket delta <= E[(Z_1 + ... + Z_n)^+]/n, where Z is x - g, 1 - g x and
    1 - g for x_0, x_1 and each of the k - 2 others, with q = 1/(x + k - 1) each, and 0 else;
    and u^+ <= e^(t u - 1)/t. q falls with k and k q grows.
    """
    t = Fraction(5)
    x, g = function("exp", TABLE_II_EPSILON0), function("exp", epsilon)
    q = named("q", 1 / (x + (k - 1)))
    rest = named("rest", function("exp", t * (1 - g)))
    gain = function("exp", t * (x - g)) + function("exp", t * (1 - g * x)) - 2 * rest
    moment = 1 + q * gain + k * q * (rest - 1)
    return moment**n / (n * t * function("exp", 1)), gain


BELOW = (
    (Part(5, None, 0, 999), -1),
    (Part(4, 4, 0, 998), -1),
    (Part(3, 3, 0, 960), 0),
    (Part(2, 2, 0, 16), -1),
)
"""For n = 1000: where (6) is below a cell of the column, the first one or the last, by ``most``."""

EXACTLY_BELOW = ((Part(4, 4, 999, 999), -1), (Part(2, 2, 17, 36), -1))
"""Where it is below the cell by its value."""

ABOVE = ((Part(3, 3, 961, 999), -1), (Part(2, 2, 37, 999), 0))
"""Where it is above the cell, by the eight largest of its terms."""

TERMS, FEWER = 8, 2
"""So many; fewer are often enough, and sooner computed."""


def are_below(n: int) -> list[Relation]:
    """Return that (6) is below a cell, at both ends of each part of :data:`BELOW`."""
    return [
        below(bound, cell.value - cell.unit)
        for part, i in BELOW
        for cell in [TABLE_II[n]["ours"][i]]
        for bound in most(TABLE_II_EPSILON0, n, part, TABLE_II_EPSILONS[i])
    ]


def is_below_a_cell(n: int, part: Part, i: int) -> bool:
    """Return whether (6) is certainly below the cell at all parameters of a part."""
    cell = TABLE_II[n]["ours"][i]
    return all(
        certainly_below(
            printed_delta(TABLE_II_EPSILON0, Counts(part.k, n, held), TABLE_II_EPSILONS[i]),
            Exact(cell.value - cell.unit),
        )
        for held in range(part.first, part.last + 1)
    )


def is_above_a_cell(n: int, part: Part, i: int) -> bool:
    """Return whether (6) is certainly above the cell at all parameters of a part."""
    cell = TABLE_II[n]["ours"][i]
    return all(
        any(
            least(TABLE_II_EPSILON0, Counts(part.k, n, held), TABLE_II_EPSILONS[i], terms=terms)
            > cell.value + cell.unit
            for terms in (FEWER, TERMS)
        )
        for held in range(part.first, part.last + 1)
    )


def some_terms(n: int, k: int, n_x0: int, i: int) -> Term:
    """Return some of the terms of (6), those that ``least`` adds up."""
    x, c = exp_epsilon0_term(Exact.exp(TABLE_II_EPSILON0)), Counts(k, n, n_x0)
    e = exp_epsilon_term(TABLE_II_EPSILONS[i])
    parts = (
        positive_part(1 - e / exp_privacy_loss_printed(x, c, s)) * equation_12(x, c, s)
        for s in largest_terms(TABLE_II_EPSILON0, c, TABLE_II_EPSILONS[i], TERMS)
    )
    return total(list(parts))


def is_some_column(n: int) -> Outcome:
    """For some k and n_x0 all cells of the column are (6)."""
    is_none = (
        all(relation.holds() for relation in are_below(n))
        and all(is_below_a_cell(n, *part) for part in EXACTLY_BELOW)
        and all(is_above_a_cell(n, *part) for part in ABOVE)
    )
    near = candidates(n, Effort.DEFAULT)[0]
    found = is_our_column(n, **near)
    first = TABLE_II[n]["ours"][0]
    parts = (
        f"{part}: too {side} at eps = {TABLE_II_EPSILONS[i]}"
        for side, parts in (("small", (*BELOW, *EXACTLY_BELOW)), ("large", ABOVE))
        for part, i in parts
    )
    return decided(
        Truth.FALSE if is_none else found.truth,
        f"{found.found}; (6) is not the column for {'; '.join(parts)} (the bounds, and some terms "
        "at the nearest, are in the certificate)",
        claimed=Never(
            lambda: [
                above(some_terms(n, near["k"], near["n_x0"], 0), first.value + first.unit),
                *are_below(n),
            ]
        ),
        precision_bits=256,
        beside=found.beside,
    )


TRIALS["biswas2023/table-II/n=1000/ours"] = {
    "a": for_all(cases(n=(1000,)), is_some_column, falls=Falls.RESULT),
    "b": for_all(cases(k=(10,)), partial(column_is_tight, 1000), falls=Falls.RESULT),
}
