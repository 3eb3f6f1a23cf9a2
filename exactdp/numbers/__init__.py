"""Exact numbers, computable reals, and how they leave the library.

The only package that sets precision. See ``exact`` for the ordered field, ``reals``
for everything else, ``rounding`` for decimals, doubles and enclosures.
"""

from exactdp.numbers.balls import precision, working_bits
from exactdp.numbers.compare import (
    certainly_below,
    certainly_not_below,
    decided_below,
    decided_order,
    is_below,
    is_log_below,
    is_ratio_above,
)
from exactdp.numbers.epsilon import Epsilon, EpsilonLike
from exactdp.numbers.exact import Exact, ExactLike
from exactdp.numbers.limits import count_text, refuse_above
from exactdp.numbers.reals import (
    Number,
    Real,
    RealLike,
    cos,
    exp,
    log,
    normal_cdf,
    normal_pdf,
    normal_score,
    pi,
    power_of_kept,
    sqrt,
)
from exactdp.numbers.rounding import (
    Enclosure,
    Rounding,
    decimal,
    enclosure,
    exact_text,
    float_above,
    float_below,
    rational_text,
)
from exactdp.numbers.text import RationalLike, fmpq_of, fraction_of, rational, short
from exactdp.numbers.validated import checked_door as _checked_door

__all__ = [
    "Enclosure",
    "Epsilon",
    "EpsilonLike",
    "Exact",
    "ExactLike",
    "Number",
    "RationalLike",
    "Real",
    "RealLike",
    "Rounding",
    "certainly_below",
    "certainly_not_below",
    "cos",
    "count_text",
    "decided_below",
    "decided_order",
    "decimal",
    "enclosure",
    "exact_text",
    "exp",
    "float_above",
    "float_below",
    "fmpq_of",
    "fraction_of",
    "is_below",
    "is_log_below",
    "is_ratio_above",
    "log",
    "normal_cdf",
    "normal_pdf",
    "normal_score",
    "pi",
    "power_of_kept",
    "precision",
    "rational",
    "rational_text",
    "refuse_above",
    "short",
    "sqrt",
    "working_bits",
]

_checked_door(globals())
