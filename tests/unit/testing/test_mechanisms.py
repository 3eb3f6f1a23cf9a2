"""The table of kinds: what a test calls a mechanism, a problem file asks about, and tasks read."""

import json
from fractions import Fraction

import pytest

from exactdp.compare.tasks import Task, tasks_of
from exactdp.errors import ParseError
from exactdp.problems import read_problem
from exactdp.testing.mechanisms import KINDS, Deployment, Mechanism
from tests.commands import answers

EACH = pytest.mark.parametrize("kind", KINDS)


@EACH
def test_a_task_is_its_own_problem_file(kind):
    mechanism = Mechanism(kind, 0.7, sampling_probability=0.5 if KINDS[kind].is_sampled else 1.0)
    task = Task(Deployment((mechanism,), 0.25, 0.5), "delta")
    (again,) = tasks_of(read_problem(json.dumps(task.problem(0.0))))
    assert again == task


@EACH
def test_the_truth_of_a_kind_is_the_answer_to_its_problem_file(kind):
    task = Task(Deployment((Mechanism(kind, 0.7),), 0.25, 0.5), "delta")
    (answer,) = answers(**task.problem(0.0))
    truth = task.question(0.0).answer(Fraction(1, 10**12))
    assert Fraction(answer.lower) <= truth.upper and truth.lower <= Fraction(answer.upper)
    assert 0 < truth.lower <= truth.upper <= truth.lower * (1 + Fraction(1, 10**12))


@EACH
def test_what_is_left_out_of_a_problem_file_is_a_parameter_or_refused(kind):
    row = KINDS[kind]
    ask = {row.parameter: [{"epsilon": {"rational": "1"}, "delta": "1e-5"}]}
    problem = json.dumps({"kind": row.problem, "ask": ask})
    if not row.is_sampled:
        with pytest.raises(ParseError):
            tasks_of(read_problem(problem))
        return
    (task,) = tasks_of(read_problem(problem))
    assert (task.ask, task.deployment.mechanism.kind) == ("parameter", kind)
