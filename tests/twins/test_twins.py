"""Each kind of mechanism beside its twin: the truth over all neighbors, by definitions alone.

``looseness.json`` keeps how far the answer's ends are from the truth, where that is more than the
width asked for, at the ε of the default run and of the deep one; none may grow, and what is far has
its reason. ``python -m tests.twins.test_twins --keep [--deep]`` writes it, but for the reasons.
``wrong.json`` lists the cells that are known to be wrong.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path
from zlib import crc32

import mpmath
import pytest

from exactdp.divergences.profile import enclosed
from exactdp.errors import ExactDPError, UndecidedError
from exactdp.numbers import Epsilon
from tests.routes.reals import fraction_of, mpf_of
from tests.twins.cells import CELLS, KINDS, OPERATIONS, sides_of
from tests.twins.definitions import swapped
from tests.twins.games import corners, height, type_two

F = Fraction
KEPT, WRONG = (Path(__file__).parent / f"{name}.json" for name in ("looseness", "wrong"))
ONE, COMPOSED = F(12, 10), F(15, 10)
"""How loose an end may be without a reason: of one release, and of two."""

TINY = F(1, 10**8)
"""What the truth of laws in doubles may be where it is 0."""


def each(question, names):
    """Parametrize a question over cells or kinds; those that are known to be wrong must fail."""
    wrong = read(WRONG).get(question, {})
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=wrong[name]) if name in wrong else ())
        for name in names
    ]


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def width_of(cell):
    return F(1, 100) if cell.step.is_composed else F(1, 10**4)


def ends(found, width):
    if isinstance(found, Epsilon):
        found = found.nats
    found = enclosed(found, width)
    return found.lower, found.upper


BULK = F(3, 2)
ENDS = F(1), F(1, 2), F(4)
"""At 0, below it, and where nothing is left of ordinary noise."""


def gammas(cell, deep):
    """In turn, so that kinds and operations see each: of compositions one, else the bulk, too."""
    every = [BULK, *ENDS]
    if deep:
        return [*every, F(5, 4), F(2), F(3), F(9)]
    turn = crc32(f"{cell.kind}: {cell.operation}".encode())  # whatever other kinds there are
    return [every[turn % 4]] if cell.step.is_composed else [BULK, ENDS[turn % 3]]


def ratios(cell, gamma):
    """The answer's ends over the truth's, checked: the answer contains it."""
    low, high = cell.truth(gamma)
    width = width_of(cell)
    found = cell.profile().delta(Epsilon.log(gamma), relative_width=width)
    lower, upper = ends(found, width)
    assert lower <= high, f"delta(log {gamma}) >= {float(lower)} is above {float(high)}"
    assert upper >= low, f"delta(log {gamma}) <= {float(upper)} is below {float(low)}"
    above = upper / high if high else F(int(upper > 0) + 1)
    below = low / lower if lower else F(1 + int(low > TINY))
    return above, below


def looseness(cell, deep=False):
    found = [ratios(cell, gamma) for gamma in gammas(cell, deep)]
    return [max(1, *(x[i] for x in found)) for i in (0, 1)]


@pytest.fixture
def cell(name, request):
    """A cell by its name."""
    one = CELLS[name]
    if one.operation in one.twin.slow and not request.config.getoption("--deep"):
        pytest.skip("with --deep")
    return one


@pytest.mark.parametrize("name", each("delta", CELLS))
def test_the_answer_contains_the_truth_and_is_no_wider_than_kept(name, cell, request):
    is_deep = request.config.getoption("--deep")
    found, known = looseness(cell, is_deep), read(KEPT).get(name, {})
    for ratio, side in zip(found, SIDES, strict=True):
        most = F(known.get(place(is_deep), {}).get(side, 1))
        assert ratio <= most * (1 + 2 * width_of(cell)), (side, float(ratio))


SIDES = "above", "below"


def place(is_deep):
    """Return where a row keeps what a run finds."""
    return "deep" if is_deep else "default"


HAIR = F(1, 10**12)


def below_and_above(nats, step):
    """Return fractions around e^nats, a hair apart."""
    with mpmath.workdps(40):
        found = fraction_of(mpmath.exp(mpf_of(nats)))
    return found * (1 - step), found * (1 + step)


@pytest.mark.parametrize("name", each("epsilon", CELLS))
def test_the_smallest_epsilon_is_where_the_truth_falls_to_delta(cell, request):
    is_slow = cell.step.is_composed and (cell.twin.slow_epsilon or not cell.is_exact)
    if is_slow and not request.config.getoption("--deep"):
        pytest.skip("with --deep")
    step = max(HAIR if cell.is_exact else F(1, 10**5), F(cell.twin.slack))
    is_deep = request.config.getoption("--deep")
    low, high = cell.truth(BULK)
    targets = {low, (low + high) / 2} if is_deep else {low}
    if not cell.step.is_composed and (is_deep or cell.operation == "alone"):
        whole = cell.truth(F(1))[1]
        targets |= {whole, whole * (1 - F(1, 10**6)), whole * (1 + F(1, 10**6))}
    for target in sorted(x for x in targets if TINY < x < 1):
        try:
            found = cell.profile().epsilon(str(target), relative_width=width_of(cell))
        except UndecidedError:
            low, high = cell.truth(F(10**12))
            if low <= target < high:
                continue  # between bounds: no finite epsilon is proved, and none is excluded
            # The total variation itself, which enclosures do not tell.
            assert target in cell.truth(F(1))
            assert not cell.profile().is_exact
            continue
        if isinstance(found, Epsilon) and found.is_infinite:
            assert cell.truth(F(10**12))[1] > target
            continue
        lower, upper = ends(found, F(1, 10**12))
        if lower > 0:
            assert cell.truth(below_and_above(lower, step)[0])[1] > target, float(target)
        assert cell.truth(below_and_above(upper, step)[1])[0] <= target + TINY, float(target)


def second_moments(pair):
    """Return the sum of p²/q, or None where P has mass that Q lacks; doubles end at 1e-13."""
    cells = list(zip(pair.p, pair.q, strict=True))
    least = 0 if pair.is_exact else 1e-13
    if sum(p for p, q in cells if q <= least) > (0 if pair.is_exact else 1e-6):
        return None
    return float(sum(p * p / q for p, q in cells if q > least))


NO_RENYI = {
    "allocation of noise",
    "dp-sgd of balls and bins",
    "laplace folded",
    "laplace redrawn",
    "samples cut to one",
    "thresholded gaussian",
}
"""Kinds whose Rényi divergences are refused, once or twice: only their δ is known."""


@pytest.mark.parametrize("kind", each("renyi", KINDS))
@pytest.mark.parametrize("times", [1, 2])
def test_renyi_divergences_are_the_largest_of_all_pairs_and_add_up(kind, times, request):
    is_slow = ("twice" if times == 2 else "renyi") in KINDS[kind].slow
    if is_slow and not request.config.getoption("--deep"):
        pytest.skip("asked by the deep run")
    profile = CELLS[f"{kind}: {'twice' if times == 2 else 'alone'}"].profile()
    if KINDS[kind].above is not None:
        return  # the divergence of a bound
    try:
        found = profile.renyi(2)
    except ExactDPError:
        assert kind in NO_RENYI
        return
    moments = [second_moments(pair) for pairs in sides_of(kind).values() for pair in pairs]
    if None in moments:
        assert isinstance(found, Epsilon) and found.is_infinite
        return
    truth = times * mpmath.log(max(moments))
    lower, upper = ends(found, F(1, 10**6))
    slack = 1e-3 + float(F(KINDS[kind].slack))
    assert float(lower) <= truth * (1 + slack) + 1e-9
    assert float(upper) >= truth * (1 - slack) - 1e-9


def largest_loss(kind):
    """Return the largest p/q of all pairs; infinity as None."""
    cells = [
        cell
        for pairs in sides_of(kind).values()
        for pair in pairs
        for cell in zip(pair.p, pair.q, strict=True)
    ]
    return None if any(q == 0 < p for p, q in cells) else max(p / q for p, q in cells if p)


@pytest.mark.parametrize("kind", each("largest loss", KINDS))
@pytest.mark.parametrize("times", [1, 2])
def test_the_largest_loss_is_that_of_a_pair_and_adds_up(kind, times):
    one = CELLS[f"{kind}: {'twice' if times == 2 else 'alone'}"]
    if not one.is_exact or one.twin.above is not None:
        return  # cells of doubles do not tell where a law ends, and a bound is not reached
    found, ratio = one.profile().max_divergence(), largest_loss(kind)
    if ratio is None:
        assert isinstance(found, Epsilon) and found.is_infinite
        return
    truth = times * mpmath.log(mpf_of(ratio))
    assert all(abs(float(end) - truth) <= 1e-6 * truth for end in ends(found, F(1, 10**6)))


@pytest.mark.parametrize("kind", each("trade-off", KINDS))
def test_the_least_error_is_that_of_a_pair_or_of_mixtures_of_them(kind):
    pairs = [pair for pairs in sides_of(kind).values() for pair in pairs]
    if not all(pair.is_exact for pair in pairs):
        return
    mixture = corners(swapped(pairs))
    for level in (F(1, 10), F(1, 2)):
        least = min(type_two(pair, level) for pair in pairs)
        lower, upper = ends(KINDS[kind].make().trade_off(level), F(1, 10**6))
        assert lower <= least and upper >= 1 - height(mixture, level)


def test_what_is_loose_has_a_reason():
    for name, row in read(KEPT).items():
        most = COMPOSED if CELLS[name].step.is_composed else ONE
        found = [F(row[run][side]) for run in ("default", "deep") if run in row for side in SIDES]
        assert row.get("why") if max(found) > most else found, name


def found_of(kind, is_deep):
    """Return how loose the cells of a kind are; in words what fails."""
    found = {}
    for name in (f"{kind}: {operation}" for operation in OPERATIONS):
        one = CELLS[name]
        if is_deep or one.operation not in one.twin.slow:
            try:
                found[name] = looseness(one, is_deep)
            except (AssertionError, ExactDPError) as error:
                found[name] = str(error).splitlines()[0]
    return found


def keep(is_deep):
    """Write how loose each cell is; one that fails is printed, and left out."""
    kept = read(KEPT)
    with ProcessPoolExecutor() as pool:
        for found in pool.map(found_of, KINDS, [is_deep] * len(KINDS)):
            for name, sides in found.items():
                if isinstance(sides, str):
                    print(f"{name}: {sides}", file=sys.stderr, flush=True)
                    continue
                row = {k: v for k, v in kept.get(name, {}).items() if k != place(is_deep)}
                if max(sides) > 1 + 2 * width_of(CELLS[name]):
                    row[place(is_deep)] = dict(
                        zip(SIDES, (f"{float(x):.4f}" for x in sides), strict=True)
                    )
                    print(
                        name, row[place(is_deep)], "" if "why" in row else "no reason", flush=True
                    )
                kept[name] = row
    told = {
        name: dict(sorted(row.items())) for name, row in sorted(kept.items()) if {*row} - {"why"}
    }
    KEPT.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__" and "--keep" in sys.argv:
    keep("--deep" in sys.argv)
