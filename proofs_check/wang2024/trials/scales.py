"""The scale of the experiments: the values of the paper's formulas there.

For each m the λ_k are those of the constraint (7), certified, to four decimals, rounded
down. Errors are expected values, exact for these parameters: the MSE bound of Section
5.2, and the mean squared error against the population law W or against the frequencies
in the users' data. Both depend on W through Q = Σ_j w_j² alone, affinely, and
s²/d <= Q <= s; what holds at both ends holds for every W.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from exactdp.numbers import Epsilon, Exact, decimal
from proofs_check.wang2024.parameters import Setting, is_admissible, largest_rate, objective
from proofs_check.wang2024.protocol import Parameters, dot

LEVELS = tuple(map(Fraction, ("1/2", "1", "2")))

SHARES = {
    name: tuple(Fraction(part, 4) for part in parts)
    for name, parts in {"S_1": (1, 2, 1), "S_2": (2, 1, 1), "S_3": (1, 1, 2)}.items()
}

GRID = (
    *(Fraction(i, 20) for i in (2, 3, 4, 5, 6, 8, 10, 12, 14, 16)),
    *(Fraction(i, 4) for i in (4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40)),
)
"""The m that are tried, from 0.1 to 10.0 as in Section 6.1."""


UNIT = Fraction(1, 10**4)
"""The λ_k are multiples of it: a search by halves ends there, on the admissible side."""


@dataclass(frozen=True, slots=True)
class Study:
    """A domain, the items a user, the users: δ = 0.01/n."""

    d: int
    s: int
    n: int

    def __str__(self) -> str:
        return f"(d={self.d}, s={self.s}, n={self.n})"


@dataclass(frozen=True, slots=True)
class Measure:
    """An error: the bound (q is None), or an expected error at Σ_j w_j² = q."""

    kind: str
    q: Fraction | None = None

    def __str__(self) -> str:
        return self.kind if self.q is None else f"{self.kind} error at Q={self.q}"


MSNBC = {n: Study(17, 4, n) for n in (5000, 50_000)}
SYNTHETIC = {(s, n): Study(128, s, n) for s in (4, 8) for n in (5000, 50_000)}
STUDIES = (*MSNBC.values(), *SYNTHETIC.values())


def measures(study: Study) -> list[Measure]:
    """Return the bound and the expected errors: for MSNBC, of unknown W, at both ends of Q."""
    even = Fraction(study.s**2, study.d)
    ends = [even, Fraction(study.s)] if study in MSNBC.values() else [even]
    return [
        Measure("bound"),
        *(Measure(kind, q) for kind in ("population", "empirical") for q in ends),
    ]


def setting_of(study: Study) -> Setting:
    """Return the setting of (6), (7)."""
    return Setting(n=study.n, d=study.d, s=study.s, delta=Fraction(1, 100 * study.n))


@cache
def rates(study: Study, m: Fraction) -> tuple[Fraction, ...]:
    """Return the λ_k of (6), (7)."""
    setting = setting_of(study)

    def rounded(level: Epsilon) -> Fraction:
        found = largest_rate(setting, m=m, epsilon=level, digits=4)
        top = found.upper // UNIT * UNIT
        fits = top <= found.lower or is_admissible(setting, m=m, rate=top, epsilon=level)
        return top if fits else found.lower // UNIT * UNIT

    return tuple(rounded(Epsilon.rational(level)) for level in LEVELS)


@lru_cache(maxsize=1 << 14)
def error(study: Study, shares: str, m: Fraction, measure: Measure) -> Fraction:
    """Return the error at m: of the three measures, for users split as S_1, S_2 or S_3."""
    d, s, n = study.d, study.s, study.n
    counts = [share * n for share in SHARES[shares]]
    sampled = rates(study, m)
    if measure.q is None:
        return objective(n=n, s=s, m=m, rates=sampled, counts=counts)
    total = dot(counts, sampled)
    p = Parameters(m, sampled)
    share = p.slot_rate / d
    value = d * n * p.slots * share * (1 - share) / total**2
    # Item j of one user adds a z_j - b x_j, z_j if it is sent (population: b w_j is a constant).
    a, b = 1 / total, Fraction(measure.kind == "empirical", n)
    for c, rate in zip(counts, sampled, strict=True):
        square = rate * a**2 - 2 * rate * a * b + b**2
        value += c * (s * square - measure.q * (rate * a - b) ** 2)
    return value


def least(study: Study, shares: str, measure: Measure) -> tuple[Fraction, Fraction]:
    """Return the m of the grid with the least error, and that error."""
    return min(((m, error(study, shares, m, measure)) for m in GRID), key=lambda pair: pair[::-1])


def shown(value: Fraction, digits: int = 3) -> str:
    """Return a few digits of a value."""
    return decimal(Exact(value), digits=digits)
