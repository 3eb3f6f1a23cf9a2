"""A density of a stranger, and what is made of it, against mpmath.

Logistic noise of scale 1 and sensitivity a has, under P, the density e^(ℓ/2)/(4 sinh(a/2)) of the
loss ℓ between −a and a, and no atoms.
"""

from dataclasses import dataclass
from itertools import pairwise

import mpmath
import pytest
from flint import acb, arb
from mpmath import mp

from exactdp.numbers import Exact, precision
from exactdp.sums import LossDensity, LossLaw
from exactdp.sums.laws import clouds
from exactdp.sums.laws.transforms import LossTransform

TOP, RATE, RATIO = Exact("3/2"), Exact("1/20"), Exact("4/5")
POINTS = [(0.5, 0.0), (2.25, 7.0), (9.0, 40.0), (-0.4, 3.0)]


@dataclass(frozen=True)
class Logistic(LossDensity):
    """The sum as one would write it, by the formula in the header."""

    top: Exact

    def above(self, t):
        a = self.top.ball(256)
        if t < -a:
            return self.total()
        p = ((a / 2).exp() - (t / 2).exp()) / (2 * (a / 2).sinh())
        q = ((-t / 2).exp() - (-a / 2).exp()) / (2 * (a / 2).sinh())
        return (p, q) if t < a else (arb(0), arb(0))

    def below(self, t):
        p, q = self.above(-t)
        return q, p

    def ends(self):
        return -self.top, self.top

    def log_density(self, loss):
        a = self.top.ball(256)
        return loss / 2 - (4 * (a / 2).sinh()).log()


def _density(loss):
    a = mp.mpf(3) / 2
    return mp.exp(loss / 2) / (4 * mp.sinh(a / 2))


Q = mp.mpf(1) / 20


def _mixed(loss):
    return mp.log(1 - Q + Q * mp.exp(loss))


MADE = {
    "itself": (lambda one: one, lambda s, x: mp.exp(s * x), -1.5),
    "reversed": (lambda one: one.reversed(), lambda s, x: mp.exp(-(1 + s) * x), -1.5),
    "scaled": (lambda one: one.scaled(RATIO), lambda s, x: mp.exp(s * x) * 4 / 5, -1.5),
    "shifted": (
        lambda one: one.shifted(RATIO),
        lambda s, x: mp.exp(s * (x - mp.log(mp.mpf(4) / 5))),
        -1.5,
    ),
    "sampled": (
        lambda one: one.subsampled(RATE),
        lambda s, x: mp.exp((1 + s) * _mixed(x) - x),
        -1.5,
    ),
    "sampled, reversed": (
        lambda one: one.subsampled(RATE).reversed(),
        lambda s, x: mp.exp(-s * _mixed(x) - x),
        -1.5,
    ),
    "reversed, sampled": (
        lambda one: one.reversed().subsampled(RATE),
        lambda s, x: mp.exp((1 + s) * _mixed(-x)),
        -1.5,
    ),
    "scaled, sampled": (
        lambda one: one.scaled(RATIO).subsampled(RATE),
        lambda s, x: mp.exp((1 + s) * _mixed(x) - x) * 4 / 5,
        -1.5,
    ),
    "sampled, mirrored": (
        lambda one: one.subsampled(RATE).positive().mirrored(),
        lambda s, x: mp.exp((1 + s) * _mixed(x) - x) + mp.exp(-s * _mixed(x) - x),
        0,
    ),
    "sampled, shifted, positive": (
        lambda one: one.subsampled(RATE).shifted(RATIO).positive(),
        lambda s, x: mp.exp((1 + s) * _mixed(x) - x - s * mp.log(mp.mpf(4) / 5)),
        mp.log((mp.mpf(4) / 5 - 1 + Q) / Q) if mp.mpf(4) / 5 > 1 - Q else -1.5,
    ),
}


@pytest.mark.parametrize(("tilt", "omega"), POINTS)
@pytest.mark.parametrize("made", MADE)
def test_transforms_are_those_of_the_definition(made, tilt, omega):
    make, weight, low = MADE[made]
    transform = LossTransform.of(LossLaw(density=make(Logistic(TOP))))
    with mpmath.workdps(25):
        s, ends = mp.mpc(tilt, omega), [low + (mp.mpf("1.5") - low) * k / 12 for k in range(13)]
        truth = mp.quad(lambda x: _density(x) * weight(s, x), ends)
    with precision(80):
        found = transform.along(acb(tilt, omega), arb(0), count=1)[0]
        [along] = transform.along(acb(tilt), arb(omega), count=2)[1:]
        size = float(transform.real(arb(tilt)))
        for one in (found, along):
            assert float(one.rad()) < 1e-15 * size
            off = abs(one - acb(mp.nstr(truth.real, 25), mp.nstr(truth.imag, 25)))
            assert float(off.upper()) < 1e-15 * size


@pytest.mark.parametrize("made", MADE)
def test_tails_are_those_of_the_definition(made):
    """E_P e^(0·L) above a loss, and E_P e^(−L) for Q: the same integrals cut at it."""
    make, weight, low = MADE[made]
    density = make(Logistic(TOP))
    with precision(80):
        top = float(density.ends()[1].ball(53))
        whole, mirrored = density.total(), made == "sampled, mirrored"
        for share in (0.1, 0.5, 0.9):
            t = share * top if "mirrored" in made or "positive" in made else (2 * share - 1) * top
            for found, s in zip(density.above(arb(t)), (0, -1), strict=True):
                with mpmath.workdps(20):
                    truth = mp.quad(
                        lambda x, s=s, t=t: _density(x) * _part(made, weight, s, x, t),
                        _pieces(made, low, t),
                    )
                assert abs(float(found) - truth) < 1e-12
            if not mirrored:
                p, q = density.below(arb(t))
                above = density.above(arb(t))
                assert (p + above[0]).overlaps(whole[0]) and (q + above[1]).overlaps(whole[1])


def _loss_of(made, x):
    if made == "reversed":
        return -x
    if made == "reversed, sampled":
        return _mixed(-x)
    if made == "sampled, reversed":
        return -_mixed(x)
    base = _mixed(x) if "sampled" in made else x
    return base - mp.log(mp.mpf(4) / 5) if "shifted" in made else base


def _part(made, weight, s, x, t):
    if made == "sampled, mirrored":  # the half with positive losses, above t > 0
        return mp.exp((1 + s) * _mixed(x) - x) if _mixed(x) > t else 0
    return weight(s, x) if _loss_of(made, x) > t else 0


def _pieces(made, low, t):
    """The ends, and where the loss is t."""
    ends = [mp.mpf(low), mp.mpf("1.5")]
    try:
        x = mp.findroot(lambda x: _loss_of(made, x) - t, (low, 1.5), solver="anderson", tol=1e-18)
    except ValueError:
        return ends
    return sorted([*ends, min(max(x, ends[0]), ends[1])])


@pytest.mark.parametrize("tilt", [-0.4, 0.5, 6.0])
@pytest.mark.parametrize("rate", [None, "1/20"])
def test_the_variation_along_a_path_is_never_less(tilt, rate):
    density = Logistic(TOP) if rate is None else Logistic(TOP).subsampled(Exact(rate))

    def tilted(x):
        if rate is None:
            return _density(x) * mp.exp(tilt * x)
        image = _mixed(x)
        slope = Q * mp.exp(x - image)
        return _density(x) * mp.exp((1 + tilt) * image - x) / slope

    values = [tilted(mp.mpf(i) / 200) for i in range(-300, 301)]
    truth = values[0] + values[-1] + sum(abs(b - a) for a, b in pairwise(values))
    with precision(64):
        found = density.transform.variation(arb(tilt))
        assert float(truth) <= float(found.upper()) < 12 * float(truth)


def test_a_density_without_a_formula_has_tails_alone():
    class Tails(Logistic):
        def log_density(self, loss):
            return None

    one = Tails(TOP)
    assert one.transform is None and one.subsampled(RATE).transform is None
    assert LossTransform.of(LossLaw(density=one)) is None


def test_the_positive_losses_of_a_sample_begin_at_loss_0():
    half = Logistic(TOP).subsampled(RATE).positive()
    with precision(64):
        p, q = half.total()
        assert float((p - q).mid()) == pytest.approx(float(LossLaw(density=half).total_variation()))
        assert half.below(arb(0))[0].overlaps(arb(0))
    low, high = half.ends()
    assert low == Exact(0)
    assert abs(high.ball(64) - (1 - RATE + RATE * Exact.exp("3/2")).ball(64).log()) < arb(1e-15)


@pytest.mark.parametrize(
    ("ratio", "ends"),
    [
        (Exact("1/10"), (mp.log(10) - 1.5, mp.log(10) + 1.5)),  # all losses are positive
        (Exact(1), (0, 1.5)),
        (Exact(3), (0, 1.5 - mp.log(3))),
        (Exact(10), (0, 0)),  # none is
    ],
)
def test_positive_losses_lie_between_their_ends(ratio, ends):
    half = Logistic(TOP).shifted(ratio).positive()
    with precision(64):
        found = [end.ball(64) for end in half.ends()]
        assert all(abs(x - arb(str(y))) < 1e-9 for x, y in zip(found, ends, strict=True))
        assert found[0] <= found[1] and half.above(found[1] + arb(2) ** -40) == (0, 0)
        assert half.total()[0].overlaps(half.above(found[0] - arb(2) ** -40)[0])
    low, high = half.mirrored().ends()
    assert low.ball(64).overlaps(-high.ball(64))


def test_a_path_above_all_its_losses_is_empty():
    path = Logistic(TOP).path()
    with precision(64):
        assert path.above(arb(2)).low == path.high
        assert path.above(arb(-2)).low == path.low


@pytest.mark.parametrize("bits", [-12, -4, 2, 8])
def test_a_coarse_rule_says_how_coarse_it_is(monkeypatch, bits):
    monkeypatch.setattr(clouds, "_SIZES", 1)
    density = Logistic(TOP).subsampled(RATE).transform
    with precision(80):
        exact = density.along(acb(2, 1), arb(9), count=4)
        coarse = density.cloud(arb(2), arb(30), accuracy_bits=bits)
        found = coarse.along(acb(2, 1), arb(9), count=4)
        assert all(one.overlaps(truth) for one, truth in zip(found, exact, strict=True))
        assert max(float(one.rad()) for one in found) < 64 * 2.0**-bits
