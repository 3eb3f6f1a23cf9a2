"""Laws that every shuffled protocol obeys."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.divergences import total_variation
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import Users, Victim, shuffle_view, worst_case
from exactdp.testing import epsilons, fractions, local_randomizers, stochastic_matrices

law = settings(max_examples=60)

gammas = fractions(Fraction(1, 6), 5, max_denominator=6)
groups = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=2)


@st.composite
def protocols(draw, *, messages=3):
    """A randomizer for the victim, another for others, and the others' inputs."""
    matrices = stochastic_matrices(rows=2, columns=messages, max_weight=4)
    return draw(matrices), draw(matrices), draw(groups)


def view_of(protocol, *, inputs=(0, 1), more=()):
    first, second, others = protocol
    victim = Randomizer.from_matrix(first)
    randomizer = Randomizer.from_matrix(second)
    users = [Users(randomizer, x, count) for x, count in others]
    return shuffle_view(Victim(victim, inputs), [*users, *more])


@law
@given(protocols(), stochastic_matrices(rows=3, columns=3, max_weight=3), gammas)
def test_processing_every_message_lowers_every_divergence(protocol, channel, gamma):
    first, second, others = protocol
    after = tuple(Randomizer.from_matrix(m).post_process(channel).rows for m in (first, second))
    before, processed = view_of(protocol), view_of((*after, others))
    for question in (
        lambda view: view.delta(Epsilon.log(gamma)),
        lambda view: total_variation(view.pair),
        lambda view: view.pair.max_divergence(),
    ):
        assert question(processed) <= question(before)


@law
@given(protocols(), stochastic_matrices(rows=1, columns=3), st.integers(1, 3), gammas)
def test_more_users_never_increase_the_divergence(protocol, row, count, gamma):
    more = [Users(Randomizer.from_matrix(row), 0, count)]
    larger, smaller = view_of(protocol, more=more), view_of(protocol)
    assert larger.delta(Epsilon.log(gamma)) <= smaller.delta(Epsilon.log(gamma))
    assert larger.pair.max_divergence() <= smaller.pair.max_divergence()


@law
@given(protocols(), gammas)
def test_a_view_is_no_worse_than_the_victim_s_own_message(protocol, gamma):
    alone = view_of((protocol[0], protocol[1], []))
    assert view_of(protocol).delta(Epsilon.log(gamma)) <= alone.delta(Epsilon.log(gamma))


@law
@given(protocols(), protocols(), gammas)
def test_divergences_are_convex_in_the_victim_s_randomizer(one, two, gamma):
    second, others = one[1:]
    mixed = tuple(
        tuple((a + b) / 2 for a, b in zip(r, s, strict=True))
        for r, s in zip(one[0], two[0], strict=True)
    )
    values = [
        view_of((matrix, second, others)).delta(Epsilon.log(gamma))
        for matrix in (one[0], two[0], mixed)
    ]
    assert 2 * values[2] <= values[0] + values[1]


@law
@given(
    st.integers(2, 4),
    epsilons(max_parameter=3),
    epsilons(max_parameter=3),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=2),
    gammas,
)
def test_randomized_response_is_monotone_in_epsilon0(k, a, b, others, gamma):
    weak, strong = sorted([a, b])
    values = []
    for epsilon0 in (weak, strong):
        rr = randomized_response(k, epsilon0)
        view = shuffle_view(Victim(rr), [Users(rr, x, count) for x, count in others])
        values.append(view.delta(Epsilon.log(gamma)))
    assert values[0] <= values[1]


@law
@given(local_randomizers(rows=2, columns=3, max_ratio=Fraction(3)), st.integers(1, 4), gammas)
def test_an_ldp_randomizer_stays_as_private_when_shuffled(matrix, n, gamma):
    randomizer = Randomizer.from_matrix(matrix)
    assert randomizer.ldp_epsilon() <= Epsilon.log(3)
    found = worst_case([(randomizer, n)], Epsilon(Exact(max(gamma, 3))))
    assert found.value == 0
    assert worst_case([(randomizer, n)], Epsilon.log(gamma)).value <= 1


@law
@given(protocols(), epsilons(max_parameter=2))
def test_both_routes_agree_at_every_epsilon(protocol, epsilon):
    view = view_of(protocol)
    swapped = view_of(protocol, inputs=(1, 0))
    p, q = view.pair, swapped.pair
    assert [(b, a) for a, b in p.masses()] == q.masses() or dict(
        zip(p.outcomes, p.masses(), strict=True)
    ) == {h: (b, a) for h, (a, b) in zip(q.outcomes, q.masses(), strict=True)}
    value = view.delta(epsilon)
    assert value == sum((max(Exact(0), a - epsilon.exp * b) for a, b in p.masses()), Exact(0))
