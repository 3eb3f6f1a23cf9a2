"""Cards: that a deployment is (epsilon, delta)-private, recomputed from what was deployed.

A card says what was deployed, what is claimed, and a grid. Nothing of the grid is believed: laws
are made on it by integers that are rounded to the safe side (``card_laws``). FORMAT.md has the
keys.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from . import card_parts as parts
from . import results, text
from .card_laws import Lattice, Law
from .card_numbers import Fixed
from .results import Accepted, RefusedError, Spend, require

FORMAT, FAMILY = "exactdp-card/1", "exactdp-card/"
MOST_PARTS, MOST_TIMES, MOST_WINDOW = 200, 10**12, 1 << 18
MOST_BITS, MOST_POINTS, MOST_LOSS = 4096, 1 << 17, 2000

ORDERS = {"removed": "with the record beside without it", "added": "without it beside with it"}
NEIGHBORS = {"add_or_remove": "one record is added or removed", "replace": "one record is replaced"}
WORD = (
    "the deployer's word: records are clipped, so that noise is to sensitivity as stated; the "
    "noise is drawn as described, from a source that nobody knows"
)
SAMPLING = "; each step draws each record by itself, with the stated probability (Poisson sampling)"
REACHED = "; some neighbors have the stated pairs of laws, as where they reach the sensitivity"
COMPOSITION = "Zhu, Dong and Wang 2022, Theorem 10 (dominating pairs compose, adaptively)"
SAMPLED = "Zhu, Dong and Wang 2022, Theorem 11 (Poisson samples of dominating pairs)"
GRID = "polygons above and below convex privacy curves (Doroshenko et al. 2022)"
SHIFTS = "shifts of log-concave noise: the largest is the worst"
# Each mechanism: its pair, its keys, and why that is the worst pair.
MECHANISMS: Mapping[str, tuple[Callable[..., parts.Pair], str, str]] = {
    "gaussian": (parts.gaussian, "noise_multiplier", "Balle and Wang 2018, Theorem 8"),
    "laplace": (parts.laplace, "scale", SHIFTS),
    "discrete_laplace": (parts.discrete_laplace, "scale sensitivity", SHIFTS),
    "discrete_gaussian": (parts.discrete_gaussian, "sigma_squared sensitivity", SHIFTS),
    "randomized_response": (parts.randomized_response, "epsilon k", "all inputs are alike"),
    "pair": (parts.listed, "p q", "the listed laws are the worst pair, by the deployer's word"),
    "guarantee": (
        parts.promised,
        "epsilon delta",
        "Kairouz, Oh and Viswanath 2015, Theorem 3.3, and the promise",
    ),
    "zcdp": (
        parts.concentrated,
        "rho",
        "Canonne, Kamath and Steinke 2020, Proposition 12, and the promise",
    ),
}
PROMISES = ("guarantee", "zcdp")
# What adds up in parts that are one pair: normal noise that is not sampled, and zCDP.
JOINED = {
    "gaussian": "normal losses add up, squared means do (Dong, Roth and Su 2019, Corollary 3.3)",
    "zcdp": "rho adds up (Bun and Steinke 2016, Lemma 1.7)",
}
_DECIMAL = re.compile(r"(\d{1,40})(?:\.(\d{1,40}))?(?:e(-?\d{1,3}))?|(\d{1,40})/(\d{1,40})")


def rational(value: Any, what: str) -> Fraction:
    """Return the number that a short decimal or fraction spells, such as 1.83, 1e-5 or 1/100."""
    found = _DECIMAL.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise RefusedError(f"{what} must be a string such as '1.83', '1e-5' or '1/100'")
    whole, after, power, top, bottom = found.groups()
    require(bottom is None or int(bottom), f"{what} has the denominator 0")
    if top is not None:
        return Fraction(int(top), int(bottom))
    scale = Fraction(10) ** (int(power or 0) - len(after or ""))
    return int(whole + (after or "")) * scale


def within(value: Any, what: str, low: int, high: int | None = None) -> Fraction:
    """Return a number above the one, or at most as large as the other, too."""
    found = rational(value, what)
    good = found > low and (high is None or found <= high)
    require(good, f"{what} must be above {low}" + ("" if high is None else f", at most {high}"))
    return found


def integer(value: Any, what: str, low: int, high: int) -> int:
    """Return an integer of a range."""
    require(type(value) is int and low <= value <= high, f"{what} must be from {low} to {high}")
    return int(value)


def parameter(value: Any, key: str) -> Any:
    """Return what a mechanism takes."""
    if key in ("sensitivity", "k"):
        return integer(value, key, 1 + (key == "k"), parts.MOST_ATOMS)
    if key in ("p", "q"):
        return [rational(x, "a mass") for x in text.items(value, key)]
    return rational(value, key) if key in ("epsilon", "delta") else within(value, key, 0)


class Card:
    """A card that was read, and what it shows.

    Attributes:
        rests: What the answer rests on, in the order of use.
    """

    def __init__(self, fields: dict[str, Any], spend: Spend) -> None:
        """Read a card."""
        fields = text.keys(
            fields, "card", "format says epsilon delta neighbors parts grid", "label order"
        )
        require(fields["says"] in ("private", "not private"), "says is private or not private")
        require(fields["neighbors"] in tuple(NEIGHBORS), "neighbors is add_or_remove or replace")
        self.fields, self.above = fields, fields["says"] == "private"
        self.epsilon = rational(fields["epsilon"], "epsilon")
        self.delta = within(fields["delta"], "delta", 0, 1)
        self.orders = list(ORDERS) if self.above else [str(fields.get("order"))]
        require(set(self.orders) <= ORDERS.keys(), "order is removed or added")
        require(self.above != ("order" in fields), "order belongs to what is not private")
        grid = text.keys(fields["grid"], "grid", "step bits points")
        self.step = within(grid["step"], "step", 0, 1)
        bits = integer(grid["bits"], "bits", 32, MOST_BITS)
        points = integer(grid["points"], "points", 16, MOST_POINTS)
        self.parts = [self._read(one) for one in text.items(fields["parts"], "parts")]
        require(len(self.parts) <= MOST_PARTS, f"more than {MOST_PARTS} parts")
        far = self.step * max(max(-one["from"], one["to"]) for one in self.parts)
        require(far <= MOST_LOSS, f"losses beyond {MOST_LOSS} nats")
        steps = sum(one["times"] for one in self.parts).bit_length() + len(self.parts)
        more = 24 + 3 * int(far) // 2 + int(1 / self.step).bit_length() + steps
        cut = int(self.delta * (1 << bits)) // (steps << 23)
        self.f = Fixed(bits + more, spend)
        self.lattice = Lattice(self.f, bits, cut, points, self.above)
        self.rests: dict[str, None] = {}

    def _read(self, value: Any) -> dict[str, Any]:
        kind = value.get("mechanism") if isinstance(value, dict) else None
        require(kind in tuple(MECHANISMS), lambda: f"{text.quoted(kind)} is not a mechanism")
        keys = MECHANISMS[str(kind)][1]
        part = text.keys(value, "a part", f"mechanism {keys} times from to", "sampling_probability")
        share = within(part.get("sampling_probability", "1"), "sampling_probability", 0, 1)
        integer(part["times"], "times", 1, MOST_TIMES)
        low = integer(part["from"], "from", -MOST_WINDOW, MOST_WINDOW)
        integer(part["to"], "to", low + 1, MOST_WINDOW)
        is_alike = share == 1 or self.fields["neighbors"] == "add_or_remove"
        require(is_alike, "Poisson samples have neighbors by add_or_remove")
        require(self.above or kind not in PROMISES, "a promise is not attained by anybody")
        require(kind != "zcdp" or share == 1, "of a sample of zCDP nothing is known here")
        require(kind != "zcdp" or part["to"] == -low, "the window of zCDP is from -to to to")
        return part

    def _pairs(self) -> Iterator[tuple[dict[str, Any], int, parts.Pair]]:
        """Yield the pairs with their copies: what adds up is one."""
        joined = dict.fromkeys(JOINED, Fraction(0))
        for is_last in (False, True):
            for part in self.parts:
                kind, share = part["mechanism"], part.get("sampling_probability", "1")
                make, keys, rests = MECHANISMS[kind]
                given = {key: parameter(part[key], key) for key in keys.split()}
                is_joined = kind in JOINED and rational(share, "") == 1
                if is_joined and not is_last:
                    one = given["rho"] if kind == "zcdp" else given["noise_multiplier"] ** -2
                    joined[kind] += part["times"] * one
                elif is_last and (not is_joined or joined[kind]):
                    self.rests[rests] = None
                    if not is_joined:
                        pair = make(self.f, **given).sampled(self.f, rational(share, ""))
                        yield part, part["times"], pair
                        continue
                    self.rests[JOINED[kind]] = None
                    amount, joined[kind] = joined[kind], Fraction(0)
                    if kind == "gaussian":
                        yield part, 1, parts.normal(self.f, amount)
                    else:
                        yield part, 1, parts.concentrated(self.f, amount, self.step, part["to"])

    def laws(self) -> dict[str, Law]:
        """Return the law of all losses, for each order."""
        laws: dict[str, Law] = {}
        for part, times, pair in self._pairs():
            outcomes = pair.outcomes(self.f, self.step, part["from"], part["to"])
            for order in self.orders:
                one = self.lattice.law(outcomes if order == "removed" else outcomes.reversed())
                more = self.lattice.power(one, times)
                laws[order] = self.lattice.times(laws[order], more) if order in laws else more
        self.rests |= {COMPOSITION: None} if sum(x["times"] for x in self.parts) > 1 else {}
        self.rests |= {SAMPLED: None} if self._is_sampled() else {}
        self.rests[GRID] = None
        return laws

    def _is_sampled(self) -> bool:
        return any("sampling_probability" in part for part in self.parts)

    def divergence(self, law: Law, epsilon: Fraction) -> Fraction:
        """Return a bound of delta at an epsilon: above, or below."""
        return Fraction(self.lattice.divergence(law, epsilon), 1 << self.lattice.bits)

    def statement(self) -> str:
        """Check the claim, and return what was checked."""
        fields, sign, numbers = self.fields, "<=" if self.above else ">=", list[str]()
        for order, law in self.laws().items():
            found = self.divergence(law, self.epsilon)
            numbers.append(f"{order} ({ORDERS[order]}): delta {sign} {_number(found)}")
            good = found <= self.delta if self.above else found > self.delta
            require(good, f"{numbers[-1]} is all that is seen")
        said = "" if self.above else "not "
        claim = f"{said}({fields['epsilon']}, {fields['delta']})-differentially private"
        what = " and ".join(map(_described, self.parts))
        at = f"where {NEIGHBORS[fields['neighbors']]} [at epsilon, {'; '.join(numbers)}]"
        word = WORD + (SAMPLING if self._is_sampled() else "") + ("" if self.above else REACHED)
        return f"{what}: {claim}, {at}; rests on: {', '.join(self.rests)}; {word}"


def _number(x: Fraction) -> str:
    return text.shown_value(x).split(" ")[0]


def _described(part: dict[str, Any]) -> str:
    names = (x for x in part if x not in ("mechanism", "times", "from", "to"))
    inside = ", ".join(f"{x} = {text.shortened(text.shown(part[x]), 200)}" for x in names)
    return f"{part['times']} x {part['mechanism']}({inside})"


def check(fields: dict[str, Any], spend: Spend) -> Accepted:
    """Return that a card is accepted; whatever is wrong with it is a RefusedError."""
    label, most = fields.get("label", ""), results.MAX_LABEL
    short = isinstance(label, str) and len(label) <= most
    require(short, f"label must be a string of at most {most} characters")
    said = Card(fields, spend).statement()
    return Accepted(said, (f"label {text.quoted(label, most)}",) if label else ())
