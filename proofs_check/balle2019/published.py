"""The bounds that the paper publishes, as people run them.

The closed forms take the blanket's mass and the bounds on L of one of three randomizers, as the
authors' code does: of any ε0-private one e^-ε0 <= γ <= 1, of k-ary response and of the Laplace
mechanism their own.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from exactdp.bounds import BoundedNumber, PublishedBound, asked_between, one_number
from exactdp.claims.domains import Domain
from exactdp.claims.forms import below
from exactdp.claims.kinds import Numbers, integers, reals
from exactdp.claims.terms import formula
from exactdp.divergences.profile import enclosed
from exactdp.divergences.questions import Question
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.shuffle import Hidden, HiddenVictim, Named
from exactdp.side import Side
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.stable import bennett_stably, hoeffding_stably
from proofs_check.lemmas.targets import (
    OF_K_ARY,
    OF_SHUFFLED,
    k_ary,
    k_ary_at,
    shuffled,
    shuffled_at,
)

MANY = 10**6
"""The messages of a randomizer whose blanket is almost as small as e^-ε0."""

WIDTH = Fraction(1, 1000)

STEPS = 64
"""The mass of a blanket is found up to a factor 2^(1/4), over 2^16."""


def smallest_blanket(epsilon0: Fraction) -> BoundedNumber:
    """Return the smallest blanket of an ε0-private randomizer.

    Above: K inputs, K messages, each input's own message e^-ε0 times as likely as the others; as K
    grows its blanket falls to e^-ε0. Below: the decomposition.
    """
    x = Exact.exp(epsilon0)
    words = f"{MANY} messages, an input's own one less likely"
    found = ((words, MANY / (x * (MANY - 1) + 1)),)
    return BoundedNumber((("every row is at least e^−ε0 times another", 1 / x),), found)


def k_ary_blanket(k: int, epsilon0: Fraction) -> BoundedNumber:
    """Return the sum of the least masses of k messages."""
    x = Exact.exp(epsilon0)
    least = (1 - x / (x + k - 1)) / (k - 1)
    return one_number("the least masses of k messages", k * least)


def laplace_blanket(epsilon0: Fraction) -> BoundedNumber:
    """Return the overlap of the densities at the ends of [0, 1]: two tails beyond 1/2."""
    tail = Exact.exp(-epsilon0 / 2) / 2
    return one_number("the overlap of the densities at 0 and 1", 2 * tail)


def shuffled_laplace(n: int, epsilon0: Fraction, epsilon: Fraction) -> BoundedNumber:
    """Return δ of n users of the Laplace mechanism.

    Below: whether a report is above 1/2, all others at 0. Above: as for any randomizer.
    """
    tail = Exact.exp(-epsilon0 / 2) / 2
    rows = [(1 - tail, tail, 1 - tail), (tail, 1 - tail, tail)]
    seen = Named("which reports are above 1/2, all others at 0", HiddenVictim(n, Hidden.of(rows)))
    _, above = shuffled(n, epsilon0)
    there = Epsilon.rational(epsilon)
    return asked_between([seen], above, lambda one: Question(one.profile, there))


def k_ary_gamma(k: int, n: int, epsilon: Fraction, delta: Fraction) -> BoundedNumber:
    """Return the smallest blanket of k-ary response that is (ε, δ)-private, from both sides.

    Of masses on a grid: the largest that shows more in a view, the smallest that is proved enough.
    More blanket is post-processing.
    """
    there, allowed = Epsilon.rational(epsilon), Exact(delta)

    def profiles(gamma: Fraction) -> tuple[tuple[Named, ...], tuple[Named, ...]]:
        return k_ary(n, k, Epsilon.log(1 + k * (1 - gamma) / gamma))

    def delta_of(one: Named) -> Enclosure:
        return enclosed(one.profile.delta(there, relative_width=WIDTH), WIDTH)

    def is_enough(gamma: Fraction) -> bool:
        return any(delta_of(one).upper <= allowed.as_fraction() for one in profiles(gamma)[1])

    def is_too_little(gamma: Fraction) -> bool:
        return any(delta_of(one).lower > allowed.as_fraction() for one in profiles(gamma)[0])

    def first(test: Callable[[Fraction], bool]) -> int:
        """Return the first step of the grid, from all blanket down, that fails the test."""
        low, high = 0, STEPS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if test(mass(middle)) else (low, middle)
        return high

    def mass(step: int) -> Fraction:
        return Fraction(round(2**40 * 2 ** (-step / 4)), 2**40)

    enough = mass(first(is_enough) - 1)
    step = first(lambda gamma: not is_too_little(gamma))
    little = mass(step) if is_too_little(mass(step)) else Fraction(0)
    return BoundedNumber(
        (("a view with less blanket shows more", Exact(little)),),
        (("so much blanket is proved to be enough", Exact(enough)),),
    )


def generic(f: Any, x: Any, e: Any) -> dict[str, Any]:
    """Return gamma and the bounds on L of any randomizer; x = e^eps0, e = e^eps."""
    at = {"exp_epsilon": e, "exp_epsilon0": x}
    moment = x * (e**2 + 1) - 2 / x * e / x**2
    return {
        "gamma": 1 / x,
        "width": bounds.generic_range(f, gamma=1, **at),
        "maximum": bounds.generic_maximum(f, gamma=1, **at),
        "second_moment": moment,
    }


def laplace(f: Any, root: Any, e: Any) -> dict[str, Any]:
    """Return the same of the Laplace mechanism; root = e^(eps0/2)."""
    at = {"exp_epsilon": e, "root": root}
    return {
        "gamma": 1 / root,
        "width": bounds.laplace_range(f, **at),
        "maximum": bounds.laplace_maximum(f, **at),
        "second_moment": bounds.laplace_second_moment(f, **at),
    }


def response(f: Any, x: Any, e: Any, k: Any) -> dict[str, Any]:
    """Return the same of k-ary response."""
    gamma = k / (x + k - 1)
    at = {"k": k, "exp_epsilon": e, "gamma": gamma}
    return {
        "gamma": gamma,
        "width": bounds.k_rr_range(f, **at),
        "maximum": bounds.k_rr_maximum(f, **at),
        "second_moment": bounds.k_rr_second_moment(f, **at),
    }


def known(f: Any, of: str, epsilon0: Any, epsilon: Any, k: Any) -> dict[str, Any]:
    """Return the known bounds of L, by the randomizer's name."""
    e = f.exp(epsilon)
    if of == "laplace":
        return laplace(f, f.exp(epsilon0 / 2), e)
    if of == "generic":
        return generic(f, f.exp(epsilon0), e)
    return response(f, f.exp(epsilon0), e, k)


def hoeffding(f: Any, *, n: int, epsilon: Any, gamma: Any, width: Any) -> Any:
    """Return delta by Hoeffding's inequality, as it is printed."""
    return bounds.hoeffding(f, n=n, exp_epsilon=f.exp(epsilon), gamma=gamma, width=width)


def by_hoeffding(
    f: Any, form: Any, of: str, *, n: int, epsilon0: Any, epsilon: Any, k: Any = None
) -> Any:
    """Return delta by Hoeffding's inequality."""
    at = known(f, of, epsilon0, epsilon, k)
    return form(f, n=n, epsilon=epsilon, gamma=at["gamma"], width=at["width"])


def by_bennett(
    f: Any, form: Any, of: str, *, n: int, epsilon0: Any, epsilon: Any, k: Any = None
) -> Any:
    """Return delta by Bennett's inequality."""
    at = known(f, of, epsilon0, epsilon, k)
    del at["width"]
    return form(f, n=n, epsilon=epsilon, **at)


def closed(
    name: str, method: Callable[..., Any], form: Any, of: str, stable: Any = None
) -> PublishedBound:
    """Return a closed form of a kind of randomizer."""
    kinds: dict[str, Numbers] = {"n": integers(1)}
    if of == "k-rr":
        kinds["k"] = integers(2)
    kinds |= {
        "epsilon0": reals(above=0),
        "epsilon": reals(above=0, below=lambda epsilon0: epsilon0),
    }
    words = {
        "generic": OF_SHUFFLED,
        "k-rr": OF_K_ARY,
        "laplace": "n shuffled users of the Laplace mechanism on [0, 1], of scale 1/ε0",
    }
    truths = {
        "generic": shuffled_at("epsilon"), "k-rr": k_ary_at("epsilon"), "laplace": shuffled_laplace,
    }  # fmt: skip

    return PublishedBound(
        f"balle2019/{name}#{of}",
        lambda f, **at: method(f, form, of, **at),
        Domain(kinds),
        bounds="delta",
        of=words[of],
        truth=truths[of],
        stable=None if stable is None else lambda f, **at: stable(f, of, **at),
        counts=("n",),
        units={"k": "values"},
    )


BOUNDS = [
    PublishedBound(
        "balle2019/blanket",
        lambda f, *, epsilon0: f.exp(-epsilon0),
        Domain({"epsilon0": reals(0)}),
        bounds="blanket mass",
        of="any ε0-private randomizer",
        truth=smallest_blanket,
        side=Side.LOWER,
    ),
    PublishedBound(
        "balle2019/blanket/k-rr",
        lambda f, *, k, epsilon0: k / (f.exp(epsilon0) + k - 1),
        Domain({"k": integers(2), "epsilon0": reals(0)}),
        bounds="blanket mass",
        of="k-ary randomized response",
        truth=k_ary_blanket,
        side=Side.LOWER,
        units={"k": "values"},
    ),
    PublishedBound(
        "balle2019/blanket/laplace",
        lambda f, *, epsilon0: f.exp(-epsilon0 / 2),
        Domain({"epsilon0": reals(0)}),
        bounds="blanket mass",
        of="the Laplace mechanism on [0, 1], of scale 1/ε0",
        truth=laplace_blanket,
        side=Side.LOWER,
    ),
    *(
        closed("hoeffding", by_hoeffding, hoeffding, of, hoeffding_stably)
        for of in ("generic", "k-rr", "laplace")
    ),
    *(
        closed("bennett", by_bennett, bounds.bennett_closed, of, bennett_stably)
        for of in ("generic", "k-rr", "laplace")
    ),
    PublishedBound(
        "balle2019/k-rr",
        bounds.k_rr_gamma,
        Domain(
            {
                "k": integers(2),
                "n": integers(2),
                "epsilon": reals(above=0, most=1),
                "delta": reals(above=0, most=1),
            },
            (
                lambda k, n, epsilon, delta: below(
                    formula(bounds.k_rr_gamma, k=k, n=n, epsilon=epsilon, delta=delta), 1
                ),
            ),
        ),
        bounds="blanket mass",
        of="k-ary randomized response that is (ε, δ)-private for n shuffled users",
        truth=k_ary_gamma,
        units={"k": "values"},
    ),
]
