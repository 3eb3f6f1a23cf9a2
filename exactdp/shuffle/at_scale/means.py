r"""Rényi divergences of a victim among many, by the central moments of two means.

As in ``exactdp.shuffle.at_scale.hiding``, with X = p_Y/m_Y and Y = q_Y/m_Y of n independent
messages (both 0 with probability 1 − s) and A, B their means, H_γ = Σ max(0, p_y − γ·q_y) + E
max(0, A − γ·B), the sum over the messages with m_y = 0. Every divergence is an integral of H_γ, so

    E_Q (P/Q)^a = Σ p_y^a·q_y^(1−a) + E A^a·B^(1−a).

Let α = E A, β = E B, A = α(1 + u), B = β(1 + v), T = |u| + |v|. Then E A^a B^(1−a) is α^a β^(1−a)
times the mean of g = (1 + u)^a (1 + v)^(1−a), whose power series has the coefficients
b_jk = C(a, j)·C(1−a, k). Its terms of total degree below J have exact means, from the power
series of E e^(xu + yv), an n-th power. The rest is small: for every ρ < 1, J even,

    |E g − Σ_{j+k<J} b_jk E u^j v^k| <= E T^J/ρ^J · ((1 − ρ)^(−c) + (1 + ρ)·r),

c = max(a, |1 − a|), r = 1 for a < 1, else (β/α·max p_y/q_y)^a. Proof. As |C(a, j)| is at most
C(a + j − 1, j), the sum of all |b_jk|·|u|^j·|v|^k with T = ρ is at most
(1 − |u|)^(−a)·(1 − |v|)^(−|1−a|) <= (1 − ρ)^(−c). For T <= ρ, what g has from degree J on is at
most (T/ρ)^J of that; for T > ρ so are the terms below J. And g <= (1 + v)r <= (1 + T)r <=
(T/ρ)^J (1 + ρ)r there for a > 1, as A/B is at most the largest ratio, and for a < 1, as g <=
a(1 + u) + (1 − a)(1 + v) <= 1 + T. By Minkowski, E T^J <= ((E u^J)^(1/J) + (E v^J)^(1/J))^J.

Where n is too small for that, and the histograms of the messages are few, the mean is their sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice

from flint import arb, arb_poly

from exactdp.distributions.polynomials import histogram_count
from exactdp.numbers import Enclosure, Exact, fmpq_of, precision
from exactdp.numbers.balls import endpoints, working_bits
from exactdp.numbers.limits import MAX_CASES, effort_of_today

__all__ = ["renyi_by_moments"]

_DEGREES = (8, 16, 32, 64, 128)
"""The degrees J that are tried in turn; the bound of the header needs an even one."""

_RADII = 16
"""The ρ that are tried are the multiples of 1/16: the bound holds at each, the least is taken."""

_BITS = 192
"""Bits of the balls, beyond those that n, the order and the width take."""

Message = tuple[Exact, Exact, Exact]
"""(p_y, q_y, m_y) of a message."""


def renyi_by_moments(
    messages: Sequence[Message], n: int, *, order: Fraction, relative_width: Fraction
) -> Enclosure | None:
    """Return an enclosure of D_a of a victim among n − 1 others; None if it would take long.

    Args:
        messages: The victim's two masses of each message, and that of every other; where
            q_y = 0, p_y = 0 too if a > 1.
        n: The number of users, the victim included.
        order: a, above 0 and not 1.
        relative_width: (upper − lower) is at most this times the lower end.

    Example:
        A million users of a coin, the others on the second input: R is a mean of n copies of 3
        and 1/3, of variance 4/3, so E R² = 1 + 4/(3n).

        >>> q, t = Exact("1/4"), Exact("3/4")
        >>> found = renyi_by_moments([(t, q, q), (q, t, t)], 10**6, order=Fraction(2),
        ...     relative_width=Fraction(1, 10**15))
        >>> print(f"{found:.15e}")
        [1.333332444445234e-06, 1.333332444445235e-06]
    """
    if all(p == q for p, q, _ in messages):
        return Enclosure(Fraction(0), Fraction(0))
    size = n.bit_length() + order.numerator.bit_length() + order.denominator.bit_length()
    bits = _BITS + 4 * size + relative_width.denominator.bit_length()
    with precision(bits):
        means = _Means(messages, n, order)
        before = None
        for degree in _DEGREES:
            excess, error = means.excess(degree)
            found = (excess + arb(0, error.upper())).log1p() / fmpq_of(order - 1)
            if found.is_finite():
                lower, upper = endpoints(found)
                if lower > 0 and upper - lower <= relative_width * lower:
                    return Enclosure(lower, upper)
            if before is not None and degree > 4 * order and error > before:
                break
            before = error
        if histogram_count(n, len(means.letters)) > MAX_CASES.now:
            return None
    for _ in range(effort_of_today().tries):
        with precision(bits):
            means = _Means(messages, n, order)
            found = means.excess_by_histograms().log1p() / fmpq_of(order - 1)
            lower, upper = endpoints(found) if found.is_finite() else (Fraction(0), Fraction(1))
        if lower > 0 and upper - lower <= relative_width * lower:
            return Enclosure(lower, upper)
        bits *= 2
    return None


class _Means:
    """E_Q (P/Q)^a − 1 up to a degree."""

    def __init__(self, messages: Sequence[Message], n: int, order: Fraction) -> None:
        bits = working_bits()
        self.a, self.b = arb(fmpq_of(order)), arb(fmpq_of(1 - order))
        shared = [message for message in messages if message[2] != 0]
        alpha, beta = (sum((message[i] for message in shared), Exact(0)) for i in (0, 1))
        alone = [(p.ball(bits), q.ball(bits)) for p, q, m in messages if m == 0 != p and q != 0]
        self.weight = alpha.ball(bits) ** self.a * beta.ball(bits) ** self.b
        self.known = self.weight - 1 + sum((p**self.a * q**self.b for p, q in alone), arb(0))
        if alpha == 0 or beta == 0:  # others hide nothing of one input: all is known
            shared = []
        letters = [(p / (m * alpha) - 1, q / (m * beta) - 1, m) for p, q, m in shared]
        nothing = 1 - sum((m for *_, m in shared), Exact(0))
        if nothing != 0:
            letters.append((Exact(-1), Exact(-1), nothing))
        self.n = n
        self.letters = [(x.ball(bits), y.ball(bits), m.ball(bits)) for x, y, m in letters]
        self.series = _series(self.letters, n)
        self.terms = [next(self.series), next(self.series)]
        self.largest = arb(1)
        if order > 1 and shared:
            top = max(p / q for p, q, _ in shared if p != 0)
            self.largest = (top * beta / alpha).ball(bits) ** self.a

    def excess(self, degree: int) -> tuple[arb, arb]:
        """Return E_Q (P/Q)^a − 1 from the terms below a degree, and a bound of the error."""
        self.terms += islice(self.series, degree + 1 - len(self.terms))
        first, second = (_falling(base, degree) for base in (self.a, self.b))
        total = arb(0)
        for i in range(2, degree):
            total += sum(
                (first[i - k] * second[k] * e for k, e in enumerate(self.terms[i])), arb(0)
            )
        last, factorial = self.terms[degree], arb(degree).gamma() * degree
        powers = [(last[k] * factorial).upper() for k in (0, degree)]
        root = sum((power.root(degree) for power in powers if power > 0), arb(0))
        power = max(self.a, -self.b)
        error = min(
            (root / rho) ** degree * ((1 - rho) ** -power + (1 + rho) * self.largest)
            for rho in (arb(i) / _RADII for i in range(1, _RADII))
        )
        return self.known + self.weight * total, self.weight * error

    def excess_by_histograms(self) -> arb:
        """Return the same as :meth:`excess`, none of the terms left out."""
        kept = [(arb(0), arb(0), arb(self.n + 1).gamma(), self.n)]
        for i, (x, y, m) in enumerate(self.letters, 1):
            masses = [arb(1)]
            for k in range(1, self.n + 1):
                masses.append(masses[-1] * m / k)
            up, across = (1 + x) / self.n, (1 + y) / self.n
            kept = [
                (a + k * up, b + k * across, mass * masses[k], left - k)
                for a, b, mass, left in kept
                for k in range(left if i == len(self.letters) else 0, left + 1)
            ]
        total = sum(
            (mass * (a / b) ** self.a * b for a, b, mass, _ in kept if a != 0 and b != 0), arb(0)
        )
        return self.known + self.weight * (total - 1)


def _series(letters: list[tuple[arb, arb, arb]], n: int) -> Iterator[arb_poly]:
    """Yield the terms of E e^(xu + yv) of total degree 0, 1, ... as polynomials in y/x.

    From i·F_i = Σ_l (n·l − (i − l)) f_l F_{i−l} for F = f^n, f that of one message.
    """
    lines = [(arb_poly([x / n, y / n]), mass) for x, y, mass in letters]
    powers = [arb_poly([mass]) * line for line, mass in lines]
    one, all_of_them = [arb_poly([1]), arb_poly([])], [arb_poly([1]), arb_poly([])]
    yield from all_of_them
    while True:
        i = len(one)
        powers = [
            power * line * (1 / arb(i)) for power, (line, _) in zip(powers, lines, strict=True)
        ]
        one.append(sum(powers, arb_poly([])))
        found = sum(
            (one[k] * all_of_them[i - k] * (n * k - (i - k)) for k in range(2, i + 1)), arb_poly([])
        )
        all_of_them.append(found * (1 / arb(i)))
        yield all_of_them[i]


def _falling(base: arb, count: int) -> list[arb]:
    """Return base·(base − 1)···(base − k + 1) for k below a count."""
    found = [arb(1)]
    for k in range(count - 1):
        found.append(found[-1] * (base - k))
    return found
