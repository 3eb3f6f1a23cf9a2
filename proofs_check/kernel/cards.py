"""Cards: proofs that a deployment is (epsilon, delta)-private, recomputed from its description.

A card says what was deployed, what is claimed, and a grid. Nothing of the grid is believed: laws
are made on it by integers that are rounded to the safe side (``card_laws``). FORMAT.md has the
keys.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from . import card_curves as curves_of
from . import card_parts as parts
from . import results, text
from .card_laws import Lattice, Law, power
from .card_numbers import Fixed
from .results import Accepted, RefusedError, Spend, require

FORMAT, FAMILY = "exactdp-card/1", "exactdp-card/"
MOST_PARTS, MOST_TIMES, MOST_WINDOW = 200, 10**12, 1 << 18
MOST_BITS, MOST_POINTS, MOST_LOSS = 4096, 1 << 17, 2000
MOST_USERS, MOST_GROUP, MOST_RUN = 10**6, 1000, 10**6

ORDERS = {"removed": "with the record beside without it", "added": "without it beside with it"}
NEIGHBORS = {"add_or_remove": "one record is added or removed", "replace": "one record is replaced"}
GROUPS = {"add_or_remove": "{0} records are added, or {0} removed", "replace": "{0} are replaced"}
WORD = (
    "the deployer's word: records are clipped, so that noise is to sensitivity as stated; the "
    "noise is drawn as described, from a source that nobody knows"
)
REACHED = "; some neighbors have the stated pairs of laws, as where they reach the sensitivity"
STOPS = "; so it is of a run that stops early, whatever it stops for"
COMPOSITION = "Zhu, Dong and Wang 2022, Theorem 10 (dominating pairs compose, adaptively)"
GRID = "polygons above and below convex privacy curves (Doroshenko et al. 2022)"
LARGEST = "largest losses add up (Dwork and Roth 2014, Corollary 3.15)"
CHAINS = "chains of neighbors (Dong, Roth and Su 2022, Theorem 2.14)"
MOVES = "shifts of noise, and roots of rho, add up (Bun and Steinke 2016, Proposition 1.9)"
# How a record is in a step: who its neighbors are, the theorem, and the deployer's word.
SAMPLES = {
    "sampling_probability": (
        "Poisson samples have neighbors by add_or_remove",
        "Zhu, Dong and Wang 2022, Theorem 11 (Poisson samples of dominating pairs)",
        "; each step draws each record by itself, with the stated probability (Poisson sampling)",
    ),
    "batch_fraction": (
        "batches of a fixed size have neighbors by replace",
        "Zhu, Dong and Wang 2022, Proposition 30 (batches without replacement)",
        "; each step draws that fraction of the records, all choices equally likely",
    ),
    "one_of": (
        "records in one of some steps have neighbors by add_or_remove",
        "Feldman and Shenfeld 2025 (one step of t sees the record: a mean of ratios)",
        "; in each run of so many steps each record is in one, drawn for it by itself, all alike",
    ),
}
WINDOW = ("mechanism", "times", "from", "to", "ratio_step", "ratios")  # what is not said
NORMAL = "Balle and Wang 2018, Theorem 8"
SHARES = ("sampling_probability", "batch_fraction")
SHIFTS = "shifts of log-concave noise: the largest is the worst"
LISTED = "the listed laws are the worst pair, by the deployer's word"
GUARANTEE = "Kairouz, Oh and Viswanath 2015, Theorem 3.3, and the promise"
ZCDP = "Canonne, Kamath and Steinke 2020, Proposition 12, and the promise"
CLONES = "Feldman, McMillan and Talwar 2021, Theorem 3.1 (clones), and the promise of each user"
BLANKET = "Balle, Bell, Gascon and Nissim 2019, Lemma 5.3 (the privacy blanket)"
BY_SIZE, CHAINED = ("sensitivity", 1), ("", 0)
# Each mechanism: its pair, its keys, why that is the worst pair, and what a group of records moves,
# by which power of its size.
MECHANISMS: Mapping[str, tuple[Callable[..., Any], str, str, tuple[str, int]]] = {
    "gaussian": (parts.gaussian, "noise_multiplier", NORMAL, ("noise_multiplier", 2)),
    "laplace": (parts.laplace, "scale", SHIFTS, ("scale", -1)),
    "discrete_laplace": (parts.discrete_laplace, "scale sensitivity", SHIFTS, BY_SIZE),
    "discrete_gaussian": (parts.discrete_gaussian, "sigma_squared sensitivity", SHIFTS, BY_SIZE),
    "randomized_response": (parts.randomized, "epsilon k", "all inputs are alike", CHAINED),
    "pair": (parts.listed, "p q", LISTED, CHAINED),
    "guarantee": (parts.randomized, "epsilon delta", GUARANTEE, CHAINED),
    "zcdp": (curves_of.concentrated, "rho", ZCDP, ("rho", 2)),
    "shuffled": (parts.shuffled, "users epsilon", CLONES, CHAINED),
    "shuffled_randomized_response": (parts.shuffled, "users epsilon k", BLANKET, CHAINED),
}
PROMISES = ("guarantee", "zcdp", "shuffled", "shuffled_randomized_response")
# What adds up in parts that are one pair: normal noise that is not sampled, and zCDP.
JOINED = {
    "gaussian": "normal losses add up, squared means do (Dong, Roth and Su 2019, Corollary 3.3)",
    "zcdp": "rho adds up (Bun and Steinke 2016, Lemma 1.7)",
}
_DECIMAL = re.compile(r"(\d{1,40})(?:\.(\d{1,40}))?(?:e(-?\d{1,3}))?|(\d{1,40})/(\d{1,40})")


def rational(value: Any, what: str) -> Fraction:
    """Return the number that a short decimal or fraction spells, such as 1.83, 1e-5 or 1/100."""
    found = _DECIMAL.fullmatch(value) if isinstance(value, str) and value.isascii() else None
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
    """Return a parameter of a mechanism; of normal noise the square of its shift."""
    if key in ("sensitivity", "k", "users"):
        most = MOST_USERS if key == "users" else parts.MOST_ATOMS
        return integer(value, key, 1 + (key == "k"), most)
    if key in ("p", "q"):
        return [rational(x, "a mass") for x in text.items(value, key)]
    if key in ("epsilon", "delta"):
        return rational(value, key)
    return within(value, key, 0) ** (-2 if key == "noise_multiplier" else 1)


class Card:
    """A card that was read, and the claim that it shows.

    Attributes:
        rests: What the answer rests on, in the order of use.
    """

    def __init__(self, fields: dict[str, Any], spend: Spend) -> None:
        """Read a card."""
        keys = "format says epsilon delta neighbors parts grid"
        fields = text.keys(fields, "card", keys, "label order group")
        require(fields["says"] in ("private", "not private"), "says is private or not private")
        require(fields["neighbors"] in tuple(NEIGHBORS), "neighbors is add_or_remove or replace")
        self.fields, self.above = fields, fields["says"] == "private"
        self.epsilon, self.delta = (rational(fields[x], x) for x in ("epsilon", "delta"))
        require(self.delta <= 1, "delta must be at most 1")
        self.group = integer(fields.get("group", 1), "group", 1, MOST_GROUP)
        self.orders = list(ORDERS) if self.above else [str(fields.get("order"))]
        require(set(self.orders) <= ORDERS.keys(), "order is removed or added")
        require(self.above != ("order" in fields), "order belongs to what is not private")
        grid = text.keys(fields["grid"], "grid", "step bits points")
        self.step = within(grid["step"], "step", 0, 1)
        bits = integer(grid["bits"], "bits", 32, MOST_BITS)
        points = integer(grid["points"], "points", 16, MOST_POINTS)
        self.rests: dict[str, None] = {}
        self.parts = [self._read(one) for one in text.items(fields["parts"], "parts")]
        require(len(self.parts) <= MOST_PARTS, f"more than {MOST_PARTS} parts")
        far = self.step * max(max(-one["from"], one["to"]) for one in self.parts)
        require(far <= MOST_LOSS, f"losses beyond {MOST_LOSS} nats")
        steps = sum(one["times"] for one in self.parts).bit_length() + len(self.parts)
        more = 32 + 3 * int(far) // 2 + 3 * int(1 / self.step).bit_length() + steps
        self.f = Fixed(bits + more, spend, int(self.delta * (1 << bits + more)) // (steps << 23))
        self.lattice = Lattice(self.f, bits, points, self.above)

    def _read(self, value: Any) -> dict[str, Any]:
        """Return a part, with its hypotheses as ``given``, and the group that is left to it."""
        kind = str(value.get("mechanism")) if isinstance(value, dict) else ""
        require(kind in MECHANISMS, lambda: f"{text.quoted(kind)} is not a mechanism")
        _, keys, rests, (key, power) = MECHANISMS[kind]
        names = " ".join((keys, *(WINDOW[-2:] if "one_of" in value else ())))
        part = text.keys(value, "a part", f"mechanism {names} times from to", " ".join(SAMPLES))
        given = {key: parameter(part[key], key) for key in keys.split()}
        run = integer(part.get("one_of", 1), "one_of", 1, MOST_RUN)
        require(run == 1 or kind == "gaussian", "one step of some is known of gaussian noise only")
        integer(part["times"], "times", 1, MOST_TIMES)
        low = integer(part["from"], "from", -MOST_WINDOW, MOST_WINDOW)
        integer(part["to"], "to", low + 1, MOST_WINDOW)
        shares = {x: within(part.get(x, "1"), x, 0, 1) for x in SHARES}
        share, group, by = min(shares.values()), self.group, self.fields["neighbors"]
        is_batch = shares["batch_fraction"] < 1
        for x in (x for x, one in (shares | {"one_of": 1 / run}).items() if one < 1):
            require(SAMPLES[x][0].endswith(by), SAMPLES[x][0])
            self.rests[SAMPLES[x][1]] = None
        require(kind != "zcdp" or share == 1, "of a sample of zCDP nothing is known here")
        require("users" not in part or by == "replace", "of one user the report is replaced")
        self.rests[rests] = None
        is_one = share == run == 1
        if group > 1 and is_one and key:
            given[key] *= Fraction(group) ** power if power != 1 else group
            group, self.rests[MOVES] = 1, None
        self.rests |= {CHAINS: None} if group > 1 else {}
        is_pair = kind not in PROMISES and not is_batch and group == run == 1
        require(self.above or is_pair, "a promise is not attained by anybody")
        good = part["to"] == -low or not (kind == "zcdp" or is_batch)
        require(good, "the window of zCDP, and of batches, is from -to to to")
        more: dict[str, Any] = {"given": given, "share": share, "group": group, "batch": is_batch}
        if run > 1:
            spread = within(part["ratio_step"], "ratio_step", 0, 1), part["ratios"]
            more["spread"] = (spread[0], integer(spread[1], "ratios", 1, MOST_POINTS))
        return part | more | {"sum": kind in JOINED and is_one, "run": run}

    def _alike(self) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield parts with their copies; parts that add up are one."""
        for kind, rests in JOINED.items():
            found = [part for part in self.parts if part["sum"] and part["mechanism"] == kind]
            if found:
                self.rests[rests] = None
                [key] = found[0]["given"]
                total = sum(part["times"] * part["given"][key] for part in found)
                yield found[0] | {"given": {key: total}}, 1
        yield from ((part, part["times"]) for part in self.parts if not part["sum"])

    def _step(self, part: dict[str, Any]) -> dict[str, Law]:
        """Return the law of one step of a part, for each order."""
        f, h, low, high, given = self.f, self.step, part["from"], part["to"], part["given"]
        make, is_batch, curves = MECHANISMS[part["mechanism"]][0], part["batch"], dict[str, Any]()
        if part["mechanism"] == "zcdp":
            halves = [make(f, given["rho"], h, high + 1)]
        else:
            # The neighbors of a batch are in either order in each of its steps; all pairs but those
            # with masses are alike in both.
            turned = [{"p": given["q"], "q": given["p"]}] if is_batch and "p" in given else []
            tails = [make(f, **x) for x in [given, *turned]]
            if part["run"] > 1:
                tails = [parts.allocated(f, tails[0], part["run"], *part["spread"])]
            half, knots = h, range(0 if is_batch else low, high + 1)
            if not self.above:
                half, knots = h / 2, range(2 * low + 1, 2 * high)
            steps = [parts.step(f, parts.sampled(f, x, part["share"]), half, knots) for x in tails]
            if not is_batch and part["group"] == 1:
                at = {"removed": low, "added": -high}
                return {x: self.lattice.law(h, at[x], steps[0][x], f.one) for x in self.orders}
            curves = {x: [f.less(*y)[1] for y in z] for x, z in steps[0].items()}
            halves = [[f.less(*y)[1] for y in one["removed"]] for one in steps]
        if is_batch or not curves:
            both = curves_of.mirrored(f, h, [*map(max, zip(*halves, strict=True))])
            curves = dict.fromkeys(ORDERS, both)
        grouped = partial(curves_of.grouped, f, h, size=part["group"])
        return {
            x: self.lattice.over(h, at, grouped(at, curves[x]), f.one)
            for x, at in (("removed", low), ("added", -high))
        }

    def laws(self) -> dict[str, Law]:
        """Return the law of all losses, for each order."""
        laws = dict[str, Law]()
        for part, times in self._alike():
            for order, one in self._step(part).items():
                more = power(self.lattice.times, one, times)
                laws[order] = self.lattice.times(laws[order], more) if order in laws else more
        self.rests |= {COMPOSITION: None} if sum(x["times"] for x in self.parts) > 1 else {}
        self.rests[GRID] = None
        return laws

    def divergence(self, law: Law, epsilon: Fraction) -> Fraction:
        """Return a bound of delta at an epsilon: above, or below."""
        return Fraction(max(0, self.lattice.divergence(law, epsilon)), 1 << self.lattice.bits)

    def largest(self) -> Fraction:
        """Return the largest loss, in both orders."""
        self.rests[LARGEST] = None
        return sum(
            (
                part["times"] * part["group"] * curves_of.largest(self.f, **part)
                for part in self.parts
            ),
            Fraction(0),
        )

    def _shown(self) -> Iterator[str]:
        """Check the claim, and yield the lines to print."""
        if self.above and not self.delta:
            most = self.largest()
            said = f"in both orders no loss is above {_number(most)}"
            require(most <= self.epsilon, f"{said} is all that is seen")
            yield said
            return
        sign = "<=" if self.above else ">="
        for order, law in self.laws().items():
            found = self.divergence(law, self.epsilon)
            said = f"{order} ({ORDERS[order]}): delta {sign} {_number(found)}"
            good = found <= self.delta if self.above else found > self.delta
            require(good, f"{said} is all that is seen")
            yield said

    def statement(self) -> str:
        """Check the claim, and return the checked relation."""
        fields, numbers = self.fields, "; ".join(self._shown())
        said = "" if self.above else "not "
        claim = f"{said}({fields['epsilon']}, {fields['delta']})-differentially private"
        what = " and ".join(map(_described, text.items(fields["parts"], "parts")))
        who = (GROUPS if self.group > 1 else NEIGHBORS)[fields["neighbors"]].format(self.group)
        words = (word for key, (_, _, word) in SAMPLES.items() if any(key in x for x in self.parts))
        word = "".join((WORD, *words, STOPS if self.above else REACHED))
        at = f"where {who} [at epsilon, {numbers}]"
        return f"{what}: {claim}, {at}; rests on: {', '.join(self.rests)}; {word}"


def _number(x: Fraction) -> str:
    return text.shown_value(x).split(" ")[0]


def _described(part: dict[str, Any]) -> str:
    names = (x for x in part if x not in WINDOW)
    inside = ", ".join(f"{x} = {text.shortened(text.shown(part[x]), 200)}" for x in names)
    return f"{part['times']} x {part['mechanism']}({inside})"


def check(fields: dict[str, Any], spend: Spend) -> Accepted:
    """Return that a card is accepted; any fault in it is a RefusedError."""
    label, said = text.label(fields.get("label", ""), "label"), Card(fields, spend).statement()
    return Accepted(said, (f"label {text.quoted(label, results.MAX_LABEL)}",) if label else ())
