"""The methods of every kind of profile."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from exactdp.accounting import compose, composed_randomized_response
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.divergences.display import InNotebook, curve
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import DomainError, ParseError, UndecidedError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure, log, sqrt
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale
from exactdp.shuffle import Users, Victim, blanket_pair, clone_pair, shuffle_view

RR = randomized_response(3, Epsilon.log(4))
LOPSIDED = Pair.from_masses(["1/2", "1/4", "1/4", 0], ["1/8", "3/8", "3/8", "1/8"])

PROFILES = {
    "finite pair": LOPSIDED,
    "losses": LOPSIDED.losses(),
    "view": shuffle_view(Victim(RR), [Users(RR, 1, 3)]),
    "counts": clone_pair(50, Epsilon.log(3)),
    "blanket": blanket_pair(12, RR),
    "gaussian": gaussian_mechanism(sigma=2),
    "laplace": laplace_mechanism(scale=1),
    "discrete laplace": discrete_laplace_mechanism(rate=Epsilon.rational("1/2")),
    "discrete gaussian": discrete_gaussian_mechanism(sigma_squared=4),
    "randomized response composed": composed_randomized_response(Epsilon.rational("1/10"), 30),
    "composition": compose([(laplace_mechanism(scale=3), 2), (LOPSIDED, 1)]),
    "mixture": LaplaceMixturePair(
        FinitePmf({0: "1/2", 3: "1/2"}), FinitePmf({0: "1/4", 1: "3/4"}), LaplaceScale.rational(2)
    ),
}
ALL = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
WIDTH = "1e-2"


def delta(profile, epsilon):
    return enclosed(profile.delta(epsilon, relative_width=WIDTH), WIDTH)


@ALL
def test_delta_falls_and_both_directions_are_the_larger(profile):
    assert isinstance(profile, PrivacyProfile)
    small, large = Epsilon.rational("1/8"), Epsilon.rational("1/2")
    here, there = delta(profile, small), delta(profile, large)
    assert 0 <= there.lower <= here.upper <= 1
    both, back = profile.both_directions(), profile.reversed()
    other = delta(back, small)
    found = delta(both, small)
    assert found.lower == max(here.lower, other.lower)
    assert found.upper == max(here.upper, other.upper)


@ALL
def test_epsilon_inverts_delta(profile):
    target = delta(profile, Epsilon.rational("1/8")).lower / 2
    found = profile.epsilon(target, relative_width=WIDTH)
    assert isinstance(found, Enclosure)
    assert found.upper - found.lower <= found.lower / 100
    assert delta(profile, Epsilon.rational(found.upper)).lower <= target
    assert delta(profile, Epsilon.rational(found.lower)).upper >= target


@ALL
def test_familiar_names_and_a_notebook(profile):
    at = Epsilon.rational("1/4")
    named = profile.get_delta_for_epsilon(at, relative_width=WIDTH)
    assert named == profile.delta(at, relative_width=WIDTH)
    table = profile._repr_html_()
    assert table.startswith("<table>") and table.count("<tr>") == 7
    printed = profile._repr_latex_()
    assert printed.startswith("$$") and printed.count(r"\\") == 8
    for _, shown in profile.table()[2]:
        assert f"<td>{shown}</td>" in table and shown in printed


@ALL
def test_a_bare_number_is_an_epsilon_in_nats(profile):
    known = profile.delta(Epsilon.rational("1/2"), relative_width="1e-3")
    for number in ("1/2", 0.5, np.float32(0.5), Fraction(1, 2), Decimal("0.5"), Exact("1/2")):
        found = profile.delta(number, relative_width=0.001)
        assert found.lower <= known.upper
        assert known.lower <= found.upper
    for wrong in (None, True, "a half", math.nan, math.inf, [1]):
        with pytest.raises((DomainError, ParseError), match=r"^epsilon"):
            profile.delta(wrong)


@ALL
@pytest.mark.parametrize("at", [sqrt(2) / 8, "sqrt(2)/8", Exact.exp(-1), "log(sqrt(2))"])
def test_an_epsilon_that_is_not_exact_is_between_fractions(profile, at):
    nats = {"sqrt(2)/8": sqrt(2) / 8, "log(sqrt(2))": log(sqrt(2))}.get(at, at)
    near = enclosure(nats, relative_bits=20)
    above, below = (delta(profile, Epsilon.rational(x)) for x in (near.lower, near.upper))
    found = profile.delta(at, relative_width=WIDTH)
    assert below.lower <= found.upper and found.lower <= above.upper
    assert found.width <= 2 * Fraction(WIDTH) * found.upper


def test_a_plot_has_a_line_for_each_profile():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = PROFILES["gaussian"].plot([Epsilon.rational(x) for x in (0, 1, 2)])
    PROFILES["laplace"].plot([Epsilon.rational(x) for x in (0, "1/2")], axes=axes)
    assert [len(line.get_xdata()) for line in axes.lines] == [3, 2]
    assert axes.get_yscale() == "log"


def test_a_plot_says_whose_curves_it_has_and_where_a_claim_is():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    at = [Epsilon.rational(x) for x in (0, 1, 2)]
    axes = PROFILES["gaussian"].plot(at)
    laplace = laplace_mechanism(scale=1)  # δ = 1 − e^((ε − 1)/2), and 0 from ε = 1 on
    laplace.plot(at, label="_mine $x", axes=axes, claim=(Epsilon.rational("1/2"), "1/100"))
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[0].startswith("Gaussian mechanism (sigma ")
    assert texts[1].endswith("_mine \\$x") and texts[2] == "claim (0.5, 0.01)"
    assert axes.get_title() == "Privacy profile: the least δ at each ε"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("ε (nats)", "δ, logarithmic scale")
    *_, second, claim = axes.lines
    assert [float(x[0]) for x in claim.get_data()] == [0.5, 0.01]
    assert float(second.get_ydata()[0]) == pytest.approx(1 - math.exp(-0.5), rel=1e-3)


def test_a_plot_has_a_gap_where_a_value_is_not_found_and_an_error_where_none_is():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    def above_one(level):
        if level < Exact("1/2"):
            raise UndecidedError("not found here.")
        return Enclosure(Fraction(1, 4), Fraction(1, 3))

    at = [Exact(x) for x in (0, "3/4", 1)]
    axes = curve(above_one, at, "x", "y", label="one", title="T")
    y = axes.lines[0].get_ydata()
    assert math.isnan(y[0]) and [y[1], y[2]] == [1 / 3 + 2**-54] * 2
    with pytest.raises(UndecidedError, match="not found here"):
        curve(above_one, at[:1], "x", "y", label="one", title="T")


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ((Epsilon.rational(1), 0), "above 0 and below 1"),
        ((Epsilon.rational(1), 1.5), "above 0 and below 1"),
        ((-1, "1/2"), "negative"),
        ("1,1", "not a pair"),
    ],
)
def test_a_claim_that_is_no_point_is_refused(claim, message):
    with pytest.raises(DomainError, match=message):
        PROFILES["laplace"].plot([Epsilon.rational(1)], claim=claim)
    with pytest.raises(DomainError, match="trade-off"):
        PROFILES["laplace"].plot(trade_off=True, claim=(Epsilon.rational(1), "1/2"))


def test_an_enclosure_is_shown_by_its_common_digits():
    found = Enclosure(Fraction("4.37717807"), Fraction("4.37717954"))
    assert found._repr_html_() == "4.37717[807, 954]"
    assert Enclosure(Fraction(1, 4), Fraction(1, 4))._repr_html_().startswith("0.25")
    assert Enclosure(Fraction(-1), Fraction(1))._repr_html_() == "[-1.00, 1.00]"


def test_a_plot_of_a_trade_off_has_its_ends_and_its_names():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = PROFILES["laplace"].plot(trade_off=True)
    (line,) = axes.lines
    (x, y) = line.get_data()
    assert (x[0], y[0], x[-1], y[-1]) == (0, 1, 1, 0) and len(x) == 33
    assert (axes.get_xlabel(), axes.get_yscale()) == ("α", "linear")
    assert all(y[i] >= y[i + 1] and y[i] + x[i] <= 1.001 for i in range(32))


def test_what_a_file_brings_into_a_notebook_is_shown_as_text():
    class Named(InNotebook):
        def table(self):
            return "a<b", ["x_1"], [["50%"], ["<script>"]]

    assert "<script>" not in Named()._repr_html_() and "a&lt;b" in Named()._repr_html_()
    assert r"\text{x\_1}" in Named()._repr_latex_() and r"50\%" in Named()._repr_latex_()
