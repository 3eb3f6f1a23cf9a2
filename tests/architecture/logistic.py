"""Logistic noise: a mechanism as somebody adds one, which the library does not have."""

from flint import acb

from exactdp.divergences.description import POSITIVE, SENSITIVITY, Event, checked, described
from exactdp.divergences.families import noise_scale, pure_scale
from exactdp.mechanisms.log_concave import LogConcaveNoise, log_concave_mechanism
from exactdp.numbers import working_bits

__all__ = ["logistic_mechanism"]


@described(
    "logistic",
    "Logistic noise.",
    noise_scale("spread", "s, of a tail 1/(1 + e^(x/s))", POSITIVE, known=pure_scale),
    SENSITIVITY,
    goes_into=frozenset({"thresholds", "allocations"}),
    event=Event("LogisticDpEvent", {"spread": "noise_multiplier"}),
    drawn="spread",
    is_drawn_sampled=True,
)
def logistic_mechanism(*, spread, sensitivity=1) -> LogConcaveNoise:
    """Return logistic noise of a spread s: of density e^(−x/s)/(s(1 + e^(−x/s))²).

    Example:
        At ε = 0 it has tanh(Δ/(4s)):

        >>> from exactdp.numbers import decimal
        >>> decimal(logistic_mechanism(spread=1).delta(0), digits=6)
        '0.244919'
    """
    given = checked(logistic_mechanism, spread=spread, sensitivity=sensitivity)
    scale = given["spread"]

    def logistic(x):
        y = x / acb(scale.ball(working_bits()))
        return -y - 2 * (1 + (-y).exp()).log()

    return log_concave_mechanism(logistic, steepest=1 / scale, sensitivity=given["sensitivity"])
