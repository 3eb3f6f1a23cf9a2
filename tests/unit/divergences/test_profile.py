"""What comes with the noun, for every kind of profile."""

import pytest

from exactdp.accounting import compose, composed_randomized_response
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.divergences.display import InNotebook
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Enclosure, Epsilon
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
def test_a_bare_number_is_no_epsilon(profile):
    for wrong in ("2", 2, 0.5):
        with pytest.raises(DomainError, match="Epsilon"):
            profile.delta(wrong)


def test_a_plot_has_a_line_for_each_profile():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = PROFILES["gaussian"].plot([Epsilon.rational(x) for x in (0, 1, 2)])
    PROFILES["laplace"].plot([Epsilon.rational(x) for x in (0, "1/2")], axes=axes)
    assert [len(line.get_xdata()) for line in axes.lines] == [3, 2]
    assert axes.get_yscale() == "log"


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
