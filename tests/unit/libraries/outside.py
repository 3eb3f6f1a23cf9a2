"""Promises that fall outside of what the strategies draw in a hundred quick calls, and why."""

_PROGRAM = (
    "a program in a folder, not in an environment; shuffled_randomized_response_deltas draws it"
)
_FORMULA = "a printed formula that needs no library; bound_cases draws what formulas are asked"
_SLOW = "no row yet: calls take seconds; its trial (proofs_check/libraries) finds it"
_EVENTS = "no row yet: events, requests and errors of its own; its trial draws them"
_NOISE = "the noise of an FFT: in some hundreds of examples, not each; its trial finds it"
_SEVERAL = "no row yet: several numbers, or distances and steps of their own; its trial draws them"
_LAST_BIT = "no row yet: noise on integers that is too little by the last bit; its trial finds it"

OUTSIDE = {
    "apple-shuffling/closed-form-formula": _PROGRAM,
    "apple-shuffling/delta-lower-bound": _PROGRAM,
    "apple-shuffling/delta-range": _PROGRAM,
    "apple-shuffling/delta-upper-bound": _PROGRAM,
    "apple-shuffling/numerical-lower-bound": _PROGRAM,
    "apple-shuffling/numerical-upper-bound": _PROGRAM,
    "balle-shuffling/bounds-of-k-rr": _PROGRAM,
    "koskela-shuffling/strong-adversary": _PROGRAM,
    "wang-amplification/upper-bound-of-randomizers": _PROGRAM,
    "cpsgd/theorem-1": _FORMULA,
    "ietf-binomial-dp/draft-formula": _FORMULA,
    "ietf-binomial-dp/quadratic": _FORMULA,
    "ipa/readme-bernoulli-count": _FORMULA,
    "dp-accounting/pld-pessimistic-delta": _SLOW,
    "dp-accounting/pld-pessimistic-epsilon": _SLOW,
    "gdpnum/mu": _SLOW,
    "gdpnum/mu-sampled": _SLOW,
    "gdpnum/advantage": _SLOW,
    "gdpnum/advantage-sampled": _SLOW,
    "opacus/prv": _SLOW,
    "random-allocation/lower-bound": _SLOW,
    "random-allocation/delta-bounds": _SLOW,
    "riskcal/operating-points": _SLOW,
    "riskcal/operating-points-sampled": _SLOW,
    "riskcal/advantage-calibration": _SLOW,
    "riskcal/error-rates-calibration": _SLOW,
    "autodp/compose-afa-delta": _EVENTS,
    "autodp/compose-afa-epsilon": _EVENTS,
    "autodp/mechanism-approxdp": _EVENTS,
    "dp-accounting/pld-accountant-randomized-response": _EVENTS,
    "dp-accounting/pld-grid": _EVENTS,
    "dp-accounting/pld-range": _NOISE,
    "prv-accountant/pure-dp-epsilon-lower-end": _NOISE,
    "dp-accounting/rdp-replace-one-gaussian": _EVENTS,
    "dp-accounting/rdp-replace-one-laplace": _EVENTS,
    "prv-accountant/gaussian-delta-lower-end": _EVENTS,
    "prv-accountant/gaussian-delta-upper-end": _EVENTS,
    "prv-accountant/gaussian-epsilon-lower-end": _EVENTS,
    "prv-accountant/pure-dp-long": _EVENTS,
    "diffprivlib/budget-accountant": _SEVERAL,
    "diffprivlib/geometric": _LAST_BIT,
    "diffprivlib/geometric-folded": _LAST_BIT,
    "diffprivlib/geometric-truncated": _LAST_BIT,
    "opendp/amplification-map-of-several-records": _SEVERAL,
    "python-dp/partition-selection-gaussian": _SEVERAL,
    "python-dp/partition-selection-laplace": _SEVERAL,
    "python-dp/partition-selection-truncated-geometric": _SEVERAL,
    "smartnoise-sql/odometer-heterogeneous": _SEVERAL,
    "smartnoise-sql/odometer-homogeneous": _SEVERAL,
    "smartnoise-sql/threshold-laplace": _SEVERAL,
    "pfl/gaussian-single-iteration": _EVENTS,
    "pfl/accountants": _SLOW,
    "pfl/accountants-prv": _SLOW,
    "pfl/accountants-prv-laplace": _EVENTS,
    "tensorflow-privacy/gdp-poisson": _EVENTS,
    "pipeline-dp/budget-sensitivity": _EVENTS,
    "pipeline-dp/budget-pure": _EVENTS,
    "pipeline-dp/budget-pure-sensitivity": _EVENTS,
    "pipeline-dp/budget-generic": _EVENTS,
    "pipeline-dp/budget-truncated-geometric": _EVENTS,
    "pipeline-dp/thresholding": _EVENTS,
    "jax-privacy/fixed-batches": _EVENTS,
}
"""What no row has."""
