"""A second evaluator of cards, written from FORMAT.md, with numpy's floating point.

It shares no code and no method with the kernel: the loss of a step has a distribution function,
losses are put on a fine lattice, all up or all down, and laws are multiplied by Fourier transforms.
So delta is between two sums, but for ``NOISE``. What it does not know it leaves open.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from tests.kernel.second_checker import Judgment

NOISE = 1e-11
CELLS = 1 << 15
MOST_TIMES, MOST_USERS, MOST_OUTCOMES = 64, 40, 4000
MOST_RUN = 4
REACH = 400  # nats
ORDERS = ("removed", "added")
PARAMETERS = {
    "gaussian": {"noise_multiplier"},
    "laplace": {"scale"},
    "discrete_laplace": {"scale", "sensitivity"},
    "discrete_gaussian": {"sigma_squared", "sensitivity"},
    "randomized_response": {"epsilon", "k"},
    "pair": {"p", "q"},
    "guarantee": {"epsilon", "delta"},
    "zcdp": {"rho"},
    "shuffled": {"users", "epsilon"},
    "shuffled_randomized_response": {"users", "epsilon", "k"},
}
MOVED = {"laplace": "scale", "discrete_laplace": "sensitivity", "discrete_gaussian": "sensitivity"}

Array = Any
Laws = Callable[[Array], tuple[Array, Array]]


def ndtr(x: Array) -> Array:
    """Return the normal distribution function."""
    return np.vectorize(math.erfc)(-x / math.sqrt(2)) / 2


class OpenError(Exception):
    """This evaluator does not know."""


def demand(condition: object) -> None:
    """Refuse what has no meaning."""
    if not condition:
        raise ValueError


def number(value: Any) -> float:
    """Return the number that a string spells."""
    demand(isinstance(value, str) and not value.startswith("-"))
    return float(Fraction(value))


def whole(value: Any) -> int:
    """Return an integer above 0."""
    demand(type(value) is int and value > 0)
    return int(value)


def judged(card: dict[str, Any]) -> Judgment:
    """Return whether what a card says is true."""
    try:
        return _judged(card)
    except OpenError:
        return Judgment.OPEN
    except (ValueError, KeyError, TypeError, ArithmeticError):
        return Judgment.UNDEFINED


def _judged(card: dict[str, Any]) -> Judgment:
    keys = {"format", "says", "epsilon", "delta", "neighbors", "parts", "grid"}
    demand(keys <= card.keys() <= keys | {"label", "order", "group"})
    demand(card["format"] == "exactdp-card/1" and card["neighbors"] in ("add_or_remove", "replace"))
    demand(card["says"] in ("private", "not private") and card["parts"])
    is_above = card["says"] == "private"
    demand(is_above != ("order" in card))
    orders = ORDERS if is_above else (card["order"],)
    demand(set(orders) <= set(ORDERS))
    epsilon, delta, group = (
        number(card["epsilon"]),
        number(card["delta"]),
        whole(card.get("group", 1)),
    )
    parts = [_part(part, card["neighbors"], group) for part in card["parts"]]
    if not is_above:
        demand(all(part["is_reached"] for part in parts))
    found = [_between(parts, epsilon, order) for order in orders]
    if is_above and all(high <= delta for _, high in found):
        return Judgment.TRUE
    if any(low > delta for low, _ in found):
        return Judgment.FALSE if is_above else Judgment.TRUE
    if not is_above and all(high <= delta for _, high in found):
        return Judgment.FALSE
    return Judgment.OPEN


def _part(part: dict[str, Any], neighbors: str, group: int) -> dict[str, Any]:
    kind, optional = part["mechanism"], {"sampling_probability", "batch_fraction"}
    keys = {"mechanism", "times", "from", "to"} | PARAMETERS[kind]
    run = whole(part.get("one_of", 1))
    if "one_of" in part:
        keys |= {"one_of", "ratio_step", "ratios"}
        demand(run == 1 or (kind == "gaussian" and neighbors == "add_or_remove"))
    demand(keys <= part.keys() <= keys | optional)
    share, batch = (number(part.get(x, "1")) for x in ("sampling_probability", "batch_fraction"))
    demand(0 < share <= 1 and 0 < batch <= 1)
    demand(share == 1 or neighbors == "add_or_remove")
    demand(batch == 1 or neighbors == "replace")
    demand(kind != "zcdp" or min(share, batch) == 1)
    demand("users" not in part or neighbors == "replace")
    is_moved = kind in (*MOVED, "gaussian", "zcdp") and min(share, batch) == run == 1
    if group > 1 and not is_moved:
        raise OpenError
    is_reached = "users" not in part and kind not in ("guarantee", "zcdp") and batch == run == 1
    given = {key: part[key] for key in PARAMETERS[kind]}
    given["group"] = group
    given |= {"kind": kind, "times": whole(part["times"]), "share": share, "batch": batch}
    given["run"] = run
    return given | {"is_reached": is_reached}


def _between(parts: list[dict[str, Any]], epsilon: float, order: str) -> tuple[float, float]:
    """Return the two ends of delta."""
    times = sum(part["times"] for part in parts)
    if times > MOST_TIMES:
        raise OpenError
    if any(part["kind"] == "zcdp" for part in parts):
        if len({part["kind"] for part in parts}) > 1:
            raise OpenError
        rho = sum(number(x["rho"]) * x["times"] * x["group"] ** 2 for x in parts)
        a = 1 + np.geomspace(1e-4, 1e4, 20000)
        logs = (a - 1) * (a * rho - epsilon) + a * np.log1p(-1 / a) - np.log(a - 1)
        # A grid of orders has about the least of all, up to rounding: what is below is not known.
        least = float(np.exp(min(0.0, logs.min())))
        return least * (1 - 1e-6), least * (1 + 1e-6)
    laws = [(_loss(part), part) for part in parts]
    far = sum(part["times"] * reach for (_, reach), part in laws) + 1
    if far > REACH:
        raise OpenError
    h = 2 * far / CELLS
    ends = []
    for up in (False, True):
        transform, finite = np.ones(CELLS + 1, complex), 1.0
        for (law, _), part in laws:
            masses, over = _on_lattice(law, part, order, h)
            # A cell ends at the loss that its mass has if losses are put up.
            places = np.arange(CELLS) - CELLS // 2 + up
            around = np.zeros(2 * CELLS)
            np.add.at(around, places % (2 * CELLS), masses)
            transform = transform * np.fft.rfft(around) ** part["times"]
            finite *= (1 - over) ** part["times"]
        infinite = 1 - finite
        total = np.fft.irfft(transform, 2 * CELLS)
        losses = np.fft.fftfreq(2 * CELLS, 1 / (2 * CELLS)) * h
        sticks = np.maximum(0, -np.expm1(np.minimum(0, epsilon - losses)))
        ends.append(infinite + float((np.maximum(0, total) * sticks).sum()))
    # A mean of ratios is known up to their places.
    near = 1e-3 * any(part["run"] > 1 for part in parts)
    return max(0.0, ends[0] * (1 - near) - NOISE), ends[1] * (1 + near) + NOISE


def _on_lattice(law: Laws, part: dict[str, Any], order: str, h: float) -> tuple[Array, float]:
    """Return the masses of losses in cells, and that of infinite ones."""
    x = (np.arange(CELLS + 1) - CELLS // 2) * h
    share = min(part["share"], part["batch"])

    def sampled(at: Array) -> tuple[Array, Array]:
        """Return the masses under P and Q of losses up to some."""
        ratio = (np.exp(at) - 1 + share) / share
        p, q = law(np.log(np.maximum(ratio, 1e-300)))
        p, q = np.where(ratio > 0, p, 0), np.where(ratio > 0, q, 0)
        return share * p + (1 - share) * q, q

    if part["batch"] < 1:
        if part["kind"] == "pair":
            raise OpenError
        # At g >= 1 the curve is that of the sample; below, its mirror image: so are the losses.
        p, middle = sampled(x)[0], CELLS // 2
        masses, over = np.diff(p), 1 - p[-1]
        masses[:middle] = (masses * np.exp(-(x[:-1] + x[1:]) / 2))[middle:][::-1]
        masses[middle - 1] += max(0.0, 1 - over - masses.sum())
        return masses, max(0.0, over)
    p = sampled(x)[0] if order == "removed" else 1 - sampled(-x - 1e-12)[1]
    masses = np.diff(p)
    masses[0] += p[0]
    return masses, max(0.0, 1 - p[-1])


def _loss(part: dict[str, Any]) -> tuple[Laws, float]:
    """Return the masses under P and Q of losses up to some, and how far losses reach."""
    kind, group = part["kind"], part["group"]
    if part["run"] > 1:
        return _mean_of_ratios(part["run"], 1 / number(part["noise_multiplier"]))
    if kind == "gaussian":
        s = group / number(part["noise_multiplier"])
        return lambda x: (ndtr(x / s - s / 2), ndtr(x / s + s / 2)), s * s / 2 + 8 * s
    if kind == "laplace":
        r = group / number(part["scale"])

        def law(x: Array) -> tuple[Array, Array]:
            inside = np.clip(x, -r, r)
            p = np.where(x < -r, 0, np.where(x >= r, 1, np.exp((inside - r) / 2) / 2))
            q = np.where(x < -r, 0, np.where(x >= r, 1, 1 - np.exp(-(inside + r) / 2) / 2))
            return p, q

        return law, r
    rows = [(p, q) for p, q in _outcomes(part) if p > 0 or q > 0]
    if len(rows) > MOST_OUTCOMES:
        raise OpenError
    losses = np.array(
        [math.inf if q == 0 else -math.inf if p == 0 else math.log(p / q) for p, q in rows]
    )
    place = np.argsort(losses)
    sums = [np.concatenate(([0.0], np.cumsum(np.array(x)[place]))) for x in zip(*rows, strict=True)]

    def found(x: Array) -> tuple[Array, Array]:
        i = np.searchsorted(losses[place], x + 1e-12, side="right")
        return sums[0][i], sums[1][i]

    finite = losses[np.isfinite(losses)]
    return found, float(np.abs(finite).max()) if len(finite) else 0.0


def _mean_of_ratios(run: int, s: float) -> tuple[Laws, float]:
    """Return the law of losses where one step of some has N(s, 1), and all others N(0, 1)."""
    if run > MOST_RUN or s > 1:
        raise OpenError
    places = np.arange(1 << 16) * (math.exp(s * 7.5) / (1 << 16))
    edges = np.append(places[:1], (places[1:] + places[:-1]) / 2)
    with np.errstate(divide="ignore"):
        at = np.log(edges) / s + s / 2
    masses = np.diff(np.append(np.where(edges > 0, ndtr(at), 0), 1))
    total = np.fft.irfft(np.fft.rfft(masses, len(places) * run) ** run, len(places) * run)
    means = np.arange(len(total)) * places[1] / run
    with np.errstate(divide="ignore"):
        losses = np.log(means)
    sums = [np.append(0, np.cumsum(np.maximum(0, x))) for x in (total * means, total)]

    def found(x: Array) -> tuple[Array, Array]:
        i = np.searchsorted(losses, x + 1e-12, side="right")
        return sums[0][i], sums[1][i]

    return found, 7.5 * s + s * s


def _outcomes(part: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the masses of a pair of finite laws, or of all but 1e-15 of them."""
    kind, group = part["kind"], part["group"]
    if kind == "pair":
        p, q = ([Fraction(x) for x in part[side]] for side in "pq")
        demand(sum(p) == sum(q) == 1 and len(p) == len(q) and min(*p, *q) >= 0)
        return [(float(x), float(y)) for x, y in zip(p, q, strict=True)]
    if kind in ("discrete_laplace", "discrete_gaussian"):
        move = whole(part["sensitivity"]) * group
        if kind == "discrete_laplace":
            rate = 1 / number(part["scale"])
            far, weight = int(40 / rate) + move + 1, lambda k: math.exp(-rate * abs(k))
        else:
            square = number(part["sigma_squared"])
            far, weight = (
                int(9 * math.sqrt(square)) + move + 2,
                lambda k: math.exp(-k * k / 2 / square),
            )
        if far > MOST_OUTCOMES:
            raise OpenError
        total = sum(weight(k) for k in range(-far, far + 1))
        places = range(-far, far - move + 1)
        return [(weight(k) / total, weight(k + move) / total) for k in places]
    e = math.exp(number(part["epsilon"]))
    if kind == "guarantee":
        d, o = number(part["delta"]), 1 / (e + 1)
        demand(d <= 1)
        return [(d, 0), ((1 - d) * e * o, (1 - d) * o), ((1 - d) * o, (1 - d) * e * o), (0, d)]
    k = whole(part.get("k", 2))
    demand(k > 1)
    if kind == "randomized_response":
        o = 1 / (e + k - 1)
        return [(e * o, o), (o, e * o), ((k - 2) * o, (k - 2) * o)]
    n = whole(part["users"])
    demand(e > 1)
    if n > (MOST_USERS if k == 2 else 14):
        raise OpenError
    if kind == "shuffled":
        victim, others = [(e / (e + 1), 1 / (e + 1)), (1 / (e + 1), e / (e + 1))], [0.5 / e] * 2
    else:
        o = 1 / (e + k - 1)
        victim, others = [(e * o, o), (o, e * o), ((k - 2) * o,) * 2], [o, o, (k - 2) * o]
    return _shuffle(n, victim, others)


def _shuffle(
    n: int, victim: list[tuple[float, float]], others: list[float]
) -> list[tuple[float, float]]:
    """Return the laws of counts: of those of the others, and of the victim's message."""
    law = {(0,) * len(others): 1.0}
    for _ in range(n - 1):
        more: dict[tuple[int, ...], float] = {}
        for counts, mass in law.items():
            more[counts] = more.get(counts, 0) + mass * (1 - sum(others))
            for i, weight in enumerate(others):
                key = (*counts[:i], counts[i] + 1, *counts[i + 1 :])
                more[key] = more.get(key, 0) + mass * weight
        law = more
    found: dict[tuple[int, ...], list[float]] = {}
    for counts, mass in law.items():
        for i, masses in enumerate(victim):
            key = (*counts[:i], counts[i] + 1, *counts[i + 1 :])
            both = found.setdefault(key, [0.0, 0.0])
            both[0] += mass * masses[0]
            both[1] += mass * masses[1]
    return [(p, q) for p, q in found.values()]
