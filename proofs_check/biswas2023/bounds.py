"""The formulas of the paper, each written once.

A formula takes x = e^eps0 and works in whatever x is: numbers and balls give its value,
a term gives the statement that the engine and the kernel evaluate. The integers n, k and
n_x0 stay Python integers; in a term s may be the index of a sum.

Notation: a = n_x0 is the number of other users who hold x_0; b = n - 1 - a the
number of those who do not. S(i, j)(s) = sum_r C(a, r) C(b + i, s - j - r) kappa1^r,
C(u, v) = 0 unless 0 <= v <= u. With w = z/(x + k - 2), the generating function of
S(i, j) is w^j (1 + kappa1 w)^a (1 + w)^(b + i) (binomial theorem, Cauchy product).
Where k and n_x0 are variables, sums and kappa3 are what ``RandomizedResponse.v`` calls them.

Source: Biswas, Jung, Palamidessi 2023, (3)-(6), Theorem IV.1, (11)-(15).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import comb
from operator import add
from typing import Any

from exactdp.claims import Term, function, named, positive_part, sum_over, total
from exactdp.claims.quantities import quantity

_SHORT = 20
"""A sum of no more terms is written out; a longer one is the format's own sum."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The integers of one dataset: k values, n users, n_x0 = a of the others hold x_0."""

    k: int
    n: int
    n_x0: int

    @property
    def b(self) -> int:
        """The number of other users who do not hold x_0."""
        return self.n - 1 - self.n_x0

    @property
    def plainest(self) -> tuple[tuple[int, int], ...]:
        """The data of the others, (value, how many), where those without x_0 hold x_1."""
        return (0, self.n_x0), (1, self.b)

    @property
    def is_open(self) -> bool:
        """True if they are variables."""
        return isinstance(self.k, Term)


def choose(u: int, v: Any) -> Any:
    """Return C(u, v), which is 0 unless 0 <= v <= u."""
    if isinstance(v, Term):
        return function("binomial", u, v)
    return comb(u, v) if 0 <= v <= u else 0


def chosen(a: int, b: int, s: Any) -> tuple[Any, Any]:
    """Return the first and the last r where C(a, r) C(b, s - r) is not 0."""
    if isinstance(s, Term):
        return function("max", 0, s - b), function("min", a, s)
    return max(0, s - b), min(a, s)


def summed(x: Any, name: str, ends: tuple[Any, Any], body: Callable[[Any], Any]) -> Any:
    """Return the sum of body(i) for i from one end to the other."""
    first, last = ends
    if isinstance(last, Term) or (isinstance(x, Term) and last - first >= _SHORT):
        return sum_over(name, first, last, body)
    parts = [body(i) for i in range(first, last + 1)]
    return total(parts) if isinstance(x, Term) else sum(parts, x * 0)


def short(x: Any, name: str, value: Any) -> Any:
    """Return a value; as a term, under a name where x has one, so that it is computed once."""
    return named(name, value) if isinstance(x, Term) and x.head == "named" else value


def kappa1(x: Any, k: int) -> Any:
    """Return (3): x (x + k - 2) / (k - 1)."""
    return short(x, "kappa1", x * (x + (k - 2)) / (k - 1))


def kappa2(x: Any, k: int) -> Any:
    """Return (4): (k - 1) / (x + k - 2)."""
    return short(x, "kappa2", (k - 1) / (x + (k - 2)))


def kappa3(x: Any, c: Counts, s: Any) -> Any:
    """Return (5): (k - 1)^n_x0 (x + k - 2)^(n - n_x0 - s) / (x + k - 1)^n."""
    of_count = _kappa3 if c.is_open else _kappa3.compute
    return of_count(c.k, x, c.n_x0, c.b, s)


@quantity("(kappa3 {0:nat} {1} {2:nat} {3:nat} {4:nat})", name="kappa3")
def _kappa3(k: int, x: Any, a: int, b: int, s: Any) -> Any:
    return (k - 1) ** a * (x + (k - 2)) ** (b + 1 - s) / (x + (k - 1)) ** (a + b + 1)


def _gap(x: Any, k: int) -> Any:
    return short(x, "gap", x - kappa2(x, k))


def inner_sum(x: Any, c: Counts, s: Any, *, i: int, j: int, weight: int = 0) -> Any:
    """Return sum_r (s - r)^weight C(a, r) C(b + i, s - j - r) kappa1^r, weight 0 or 1."""
    first, others = kappa1(x, c.k), c.b + i if i else c.b
    if c.is_open and not weight:
        return _paper_sum(first, c.n_x0, others, j, s)
    return _paper_sum.compute(first, c.n_x0, others, j, s, weight)


@quantity("(paper_sum {0} {1:nat} {2:nat} {3:nat} {4:nat})", name="S")
def _paper_sum(first: Any, a: int, u: int, j: int, s: Any, weight: int = 0) -> Any:
    left = s - j if j else s

    def part(r: Any) -> Any:
        product = choose(a, r) * choose(u, left - r) * first**r
        return (s - r) * product if weight else product

    return summed(first, "r", chosen(a, u, left), part)


@dataclass(frozen=True, slots=True)
class Bracket:
    """A mass in the form kappa3 * sum of coefficient(x, k) * S(i, j).

    ``parts`` holds (coefficient, i, j); its generating function, divided by the
    factor common to all masses of the count, is sum of coefficient * w^j (1 + w)^i.
    """

    parts: tuple[tuple[Callable[[Any, int], Any], int, int], ...]

    def mass(self, x: Any, c: Counts, s: Any) -> Any:
        """Return the mass at s."""
        parts = (part(x, c.k) * inner_sum(x, c, s, i=i, j=j) for part, i, j in self.parts)
        return kappa3(x, c, s) * reduce(add, parts)


def _one(x: Any, k: int) -> Any:
    return 1


def _x(x: Any, k: int) -> Any:
    return x


# (11) and the two lines after it, for P(M_x0(x_0) = s).
equation_11 = Bracket(((_x, 0, 1), (kappa2, 0, 0)))
line_1 = Bracket(((kappa2, 0, 1), (kappa2, 0, 0), (lambda x, k: _gap(x, k) * x, 0, 1)))
line_2 = Bracket(((kappa2, 1, 0), (_gap, 0, 1)))

# The display before (13), and (13), for P(M_x0(x_1) = s).
equation_13_second_display = Bracket(((_one, 0, 1), (_one, 0, 0)))
equation_13 = Bracket(((_one, 1, 0),))


def line_3(x: Any, c: Counts, s: Any, *, r: int) -> Any:
    """Return the third line after (11) with the value r of its free variable."""
    full = inner_sum(x, c, s, i=1, j=0)
    return kappa3(x, c, s) * (
        kappa2(x, c.k) * full + _gap(x, c.k) * (s - r) / (c.n - c.n_x0) * full
    )


def equation_12(x: Any, c: Counts, s: Any) -> Any:
    """Return (12): kappa3 / (n - n_x0) * sum_r mu(s, r) tau_r (Definition IV.2)."""
    of_count = _paper_mass if c.is_open else _paper_mass.compute
    return of_count(c.k, x, c.n_x0, c.b, s)


@quantity("(paper_mass {0:nat} {1} {2:nat} {3:nat} {4:nat})", name="(12)")
def _paper_mass(k: int, x: Any, a: int, b: int, s: Any) -> Any:
    m, first = b + 1, kappa1(x, k)
    fixed, gap = kappa2(x, k) * m, _gap(x, k)

    def part(r: Any) -> Any:
        return choose(a, r) * choose(m, s - r) * first**r * (fixed + gap * (s - r))

    return kappa3(x, Counts(k, a + m, a), s) / m * summed(x, "r", chosen(a, m, s), part)


def equation_13_first_display(x: Any, c: Counts, s: int) -> Any:
    """Return the first display for P(M_x0(x_1) = s), as printed."""
    k, n, a, b = c.k, c.n, c.n_x0, c.b
    y, t = x + (k - 1), x + (k - 2)

    def part(upper: int, shift: int) -> Any:
        def at(r: Any) -> Any:
            product = choose(a, r) * choose(b, s - shift - r)
            return product * (x / (k - 1)) ** r * (k - 1) ** a * t ** (n - a - shift - s + r)

        return summed(x, "r", (0, upper), at) / y ** (n - 1)

    return part(s - 1, 0) / y + t / y * part(s, 1)


def exp_privacy_loss_printed(x: Any, c: Counts, s: Any) -> Any:
    """Return e^(v_s) of Theorem IV.1, the last form of (15), as printed."""
    top = inner_sum(x, c, s, i=0, j=1, weight=1)
    return kappa2(x, c.k) + _gap(x, c.k) / (c.n - c.n_x0) * top / inner_sum(x, c, s, i=1, j=0)


def exp_privacy_loss_form_1(x: Any, c: Counts, s: Any) -> Any:
    """Return e^(v_s) by the first form of (15)."""
    up, stay = inner_sum(x, c, s, i=0, j=1), inner_sum(x, c, s, i=0, j=0)
    return (x * up + kappa2(x, c.k) * stay) / (up + stay)


def exp_privacy_loss_form_2(x: Any, c: Counts, s: Any) -> Any:
    """Return e^(v_s) by the second form of (15)."""
    up = inner_sum(x, c, s, i=0, j=1)
    return kappa2(x, c.k) + _gap(x, c.k) * up / inner_sum(x, c, s, i=1, j=0)


def delta_hat(
    x: Any,
    c: Counts,
    exp_epsilon: Any,
    exp_loss: Callable[[Any, Counts, Any], Any] = exp_privacy_loss_printed,
) -> Any:
    """Return (6): the sum over s with v_s > eps of (1 - e^(eps - v_s)) times (12).

    The indicator is the positive part: 1 - e^(eps - v) > 0 exactly if v > eps.
    """

    def part(s: Any) -> Any:
        return positive_part(1 - exp_epsilon / exp_loss(x, c, s)) * equation_12(x, c, s)

    return summed(x, "s", (0, c.n), part)


@quantity("(printed_delta_hat {0:nat} {1} {2:nat} {3:nat} {4})", name="(6)")
def printed_delta_hat(k: int, x: Any, a: int, b: int, exp_epsilon: Any) -> Any:
    """Return (6) with the printed v_s."""
    return delta_hat(x, Counts(k, a + b + 1, a), exp_epsilon)


@quantity("(delta_hat {0:nat} {1} {2:nat} {3:nat} {4})", name="(6)")
def mended_delta_hat(k: int, x: Any, a: int, b: int, exp_epsilon: Any) -> Any:
    """Return (6) with the second form of (15) for v_s."""
    return delta_hat(x, Counts(k, a + b + 1, a), exp_epsilon, exp_privacy_loss_form_2)
