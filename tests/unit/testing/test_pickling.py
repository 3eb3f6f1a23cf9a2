"""Public objects go to other processes: profiles, asked before, and the numbers they answer."""

import pickle

import pytest

from exactdp.accounting import (
    compose,
    composed_randomized_response,
    poisson_subsampled,
    sampled,
)
from exactdp.divergences import Pair
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Epsilon, Exact, Real, decimal
from exactdp.shuffle import (
    Users,
    Victim,
    blanket_pair,
    clone_pair,
    shuffle_view,
    shuffle_worst_case,
    stronger_clone_pair,
)
from exactdp.testing import Deployment, Mechanism, ShuffledRandomizedResponse

RR = randomized_response(3, Epsilon.rational("11/10"))
GAUSSIAN, LAPLACE = gaussian_mechanism(sigma=2), laplace_mechanism(scale=3)
SAMPLED = poisson_subsampled(GAUSSIAN, sampling_probability="1/10")
DISCRETE = discrete_gaussian_mechanism(sigma=3)
PROFILES = {
    "gaussian": GAUSSIAN,
    "gaussians": compose([(GAUSSIAN, 3)]),
    "laplace": LAPLACE,
    "laplaces": compose([(LAPLACE, 40)]),
    "discrete Laplace": discrete_laplace_mechanism(scale=3),
    "discrete Laplaces": compose([(discrete_laplace_mechanism(scale=10), 40)]),
    "discrete Gaussian": DISCRETE,
    "discrete Gaussians": compose([(DISCRETE, 5)]),
    "mixed": compose([(GAUSSIAN, 2), (LAPLACE, 1)]),
    "sampled": SAMPLED,
    "replaced": sampled(GAUSSIAN, sampling_probability="1/10", neighbors="substitution"),
    "steps": compose([(SAMPLED, 100)]),
    "steps reversed": compose([(SAMPLED, 100)]).reversed(),
    "randomized responses": composed_randomized_response(Epsilon.log(3), 2000),
    "pair": Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]),
    "view": shuffle_view(Victim(RR), [Users(RR, 2, 4)]),
    "view reversed": shuffle_view(Victim(RR), [Users(RR, 1, 4)]).reversed(),
    "view at scale": shuffle_view(Victim(RR), [Users(RR, 2, 999)]).at_scale(),
    "worst case": shuffle_worst_case(100, RR),
    "clones": clone_pair(1000, Epsilon.rational(1)),
    "stronger clones": stronger_clone_pair(1000, Epsilon.rational(2)),
    "blanket": blanket_pair(100, RR),
}
AT = Epsilon.rational("1/3")


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_profiles_that_were_asked_pickle(profile):
    found = profile.delta(AT, relative_width="1e-2")
    copy = pickle.loads(pickle.dumps(profile))
    assert type(copy) is type(profile) and copy.note == profile.note
    assert copy.delta(AT, relative_width="1e-2") == found


EXACT_OR_REAL = ("gaussian", "laplace", "discrete Gaussian", "pair", "view", "randomized responses")
DIVERGENT = ("discrete Gaussians", "mixed", "sampled", "replaced", "steps")


@pytest.mark.parametrize("name", EXACT_OR_REAL)
def test_numbers_that_a_profile_answers_pickle(name):
    one = PROFILES[name]
    answers = [one.delta(AT), one.renyi(2), one.trade_off("1/7"), one.infinity_mass()]
    answers.append(one.renyi("5/2"))
    for answer in answers:
        copy = pickle.loads(pickle.dumps(answer))
        if isinstance(answer, Exact | Real):
            assert decimal(copy, digits=30) == decimal(answer, digits=30)
        else:
            assert copy == answer


@pytest.mark.parametrize("name", DIVERGENT)
def test_divergences_of_compositions_and_samples_pickle(name):
    found = PROFILES[name].renyi("5/2")
    assert isinstance(found, Real)
    assert decimal(pickle.loads(pickle.dumps(found)), digits=20) == decimal(found, digits=20)


def test_cases_whose_truth_is_known_pickle():
    deployment = Deployment((Mechanism("gaussian", 2.0), Mechanism("laplace", 3.0)), 0.5, 1e-5)
    users = ShuffledRandomizedResponse(1.0, 3, 0.5)
    copy = pickle.loads(pickle.dumps((deployment, deployment.truth, users, users.truth)))
    assert copy[0] == deployment and copy[2] == users
    assert decimal(copy[3], digits=30) == decimal(users.truth, digits=30)
