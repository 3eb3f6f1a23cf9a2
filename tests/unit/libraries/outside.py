"""Promises that fall outside of what the strategies draw in a hundred quick calls, and why."""

_PROGRAM = (
    "a program in a folder, not in an environment; shuffled_randomized_response_deltas draws it"
)
_FORMULA = "a printed formula that needs no library; bound_cases draws what formulas are asked"

OUTSIDE = {
    "apple-shuffling/closed-form-formula": _PROGRAM,
    "apple-shuffling/delta-lower-bound": _PROGRAM,
    "apple-shuffling/delta-range": _PROGRAM,
    "apple-shuffling/delta-upper-bound": _PROGRAM,
    "apple-shuffling/numerical-lower-bound": _PROGRAM,
    "apple-shuffling/numerical-upper-bound": _PROGRAM,
    "balle-shuffling/bounds-of-k-rr": _PROGRAM,
    "balle-shuffling/bounds-of-laplace": "a program in a folder, for reports that are not letters",
    "koskela-shuffling/strong-adversary": _PROGRAM,
    "wang-amplification/delta": _PROGRAM,
    "wang-amplification/lower-bound": _PROGRAM,
    "wang-amplification/upper-bound": _PROGRAM,
    "wang-amplification/upper-bound-of-randomizers": _PROGRAM,
    "cpsgd/theorem-1": _FORMULA,
    "ietf-binomial-dp/draft-formula": _FORMULA,
    "ietf-binomial-dp/quadratic": _FORMULA,
    "ipa/readme-bernoulli-count": _FORMULA,
}
"""What no row has."""
