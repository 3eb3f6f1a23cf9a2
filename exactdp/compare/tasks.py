"""Questions to accountants: a deployment in plain doubles, and one number of it.

A deployment is of steps, mechanisms that are used together, or of users, whose messages are
shuffled. Problem files hold rationals, accountants take doubles. A task has the nearest doubles,
and its truth is the truth for these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from msgspec import UNSET

from exactdp.compare.users import ShuffledUsers, users_of
from exactdp.divergences.questions import Question, question
from exactdp.errors import ParseError
from exactdp.numbers import Exact, Number
from exactdp.numbers.real_functions import nearest_float
from exactdp.problems.composition import Composition
from exactdp.problems.laws import Law
from exactdp.problems.reading import FileQuestion, Problem
from exactdp.problems.sampling import SampledLaw, Sampling
from exactdp.problems.schema import Target
from exactdp.problems.shuffled import Shuffle, ShuffleWorstCaseLaw
from exactdp.problems.values import EpsilonValue, Rational
from exactdp.testing.mechanisms import KINDS, Deployment, Mechanism

__all__ = ["About", "AskedFor", "Task", "tasks_of"]

About = Literal["steps", "users"]
AskedFor = Literal["delta", "epsilon", "parameter"]


@dataclass(frozen=True, slots=True)
class Task:
    """One number of a deployment: δ at its ε, the smallest ε for its δ, or a parameter for both.

    Attributes:
        deployment: The doubles. For a parameter, that of the first mechanism is a placeholder; of
            users none is asked for.
        ask: Which number.
        name: The name of the problem it comes from, "" if it has none.
        file: Where that stands, "" if nowhere.

    Example:
        >>> task = Task(Deployment((Mechanism("gaussian", 1.0),), 0.5, 1e-5), "delta")
        >>> task.at, task.question(0.3).at
        ('epsilon 0.5', Epsilon.rational('1/2'))
    """

    deployment: Deployment | ShuffledUsers
    ask: AskedFor
    name: str = ""
    file: str = ""

    @property
    def about(self) -> About:
        """The mechanism of the deployment."""
        return "users" if isinstance(self.deployment, ShuffledUsers) else "steps"

    @property
    def at(self) -> str:
        """The point at which the number is asked for."""
        case = self.deployment
        both = {"delta": f"epsilon {case.epsilon!r}", "epsilon": f"delta {case.delta!r}"}
        return both.get(self.ask, f"epsilon {case.epsilon!r}, delta {case.delta!r}")

    def question(self, answer: float) -> Question:
        """Return the question whose answer a claim is compared with: with a parameter, its δ."""
        case = self.deployment
        if isinstance(case, Deployment) and self.ask == "parameter":
            return question(case.profile_with(answer), epsilon=case.epsilon)
        if self.ask == "delta":
            return question(case.profile, epsilon=case.epsilon)
        return question(case.profile, delta=case.delta)

    def claim(self, answer: float) -> float:
        """Return the number to compare with the answer: with a parameter, the δ asked for."""
        return self.deployment.delta if self.ask == "parameter" else answer

    def problem(self, answer: float, *, width: str | None = None) -> dict[str, Any] | None:
        """Return the problem file that asks for the truth; None if none does.

        Args:
            answer: With a parameter, which one.
            width: The relative width to ask for; by default that of problem files.

        Example:
            >>> task = Task(Deployment((Mechanism("laplace", 2.0),), 0.5, 1e-5), "delta")
            >>> task.problem(0.0)["scale"], task.problem(0.0)["ask"]["hockey_stick"]
            ({'at_float': '0x1.0000000000000p+1'}, [{'at_float': '0x1.0000000000000p-1'}])
        """
        case = self.deployment
        if isinstance(case, ShuffledUsers):
            law: dict[str, Any] | None = case.problem
        else:
            given = answer if self.ask == "parameter" else case.mechanism.parameter
            law = _composed(replace(case.mechanism, parameter=given), *case.mechanisms[1:])
        if law is None:
            return None
        asked = {"epsilon": [_double(case.delta)]}
        if self.ask != "epsilon":
            asked = {"hockey_stick": [_double(case.epsilon)]}
        wide: dict[str, Any] = {} if width is None else {"relative_width": width}
        return {**law, "ask": {**asked, "direction": "both", **wide}}


def _composed(*mechanisms: Mechanism) -> dict[str, Any] | None:
    """Return the law of mechanisms in a problem file; None if some has no kind there."""
    laws = [_written(one) for one in mechanisms]
    if None in laws:
        return None
    if len(laws) == 1 and mechanisms[0].times == 1:
        return laws[0]
    parts = [{"problem": law, "times": m.times} for law, m in zip(laws, mechanisms, strict=True)]
    return {"kind": "composition", "parts": parts}


def _written(m: Mechanism) -> dict[str, Any] | None:
    if m.k > 2:
        return None
    kind = KINDS[m.kind]
    sampled = (
        {}
        if not m.is_sampled
        else {"sampling": {"sampling_probability": _double(m.sampling_probability)}}
    )
    return {"kind": kind.problem, kind.parameter: _double(m.parameter), **sampled}


def _double(x: float) -> dict[str, str]:
    return {"at_float": x.hex()}


def tasks_of(problem: Problem, *, name: str = "", file: str = "") -> list[Task]:
    """Return the tasks of a problem: its questions that accountants can answer.

    The neighbors add or remove a record, of users they replace one's input; both directions are
    asked.

    Raises:
        ParseError: If it is about something that no accountant is asked about.

    Example:
        >>> from exactdp.problems import read_problem
        >>> [task] = tasks_of(read_problem('''{"kind": "gaussian", "sigma": "0.8",
        ...     "sampling": {"sampling_probability": "0.01"}, "ask": {"epsilon": ["1e-5"]}}'''))
        >>> task.deployment.mechanism == Mechanism("gaussian", 0.8, 0.01), task.at
        (True, 'delta 1e-05')
    """
    case: Deployment | ShuffledUsers
    if isinstance(problem.law, Shuffle | ShuffleWorstCaseLaw):
        case, is_open = users_of(problem.law), False
    else:
        mechanisms, is_open = _mechanisms(problem.law)
        case = Deployment(mechanisms, 0.0, 0.5)
    tasks = (_task(asked, case, is_open=is_open) for asked in problem.questions)
    return [replace(task, name=name, file=file) for task in tasks]


def _task(asked: FileQuestion, case: Deployment | ShuffledUsers, *, is_open: bool) -> Task:
    match asked.value:
        case EpsilonValue() as epsilon if asked.ask in ("delta", "hockey_stick") and not is_open:
            return Task(replace(case, epsilon=nearest_float(epsilon.nats)), "delta")
        case Target(epsilon=epsilon, delta=Rational() as delta) if is_open:
            at, most = nearest_float(epsilon.nats), nearest_float(delta.number)
            return Task(replace(case, epsilon=at, delta=most), "parameter")
        case Rational() as delta if asked.ask == "epsilon" and not is_open:
            return Task(replace(case, delta=nearest_float(delta.number)), "epsilon")
    rule = "sigma or scale, with epsilon and delta" if is_open else "delta or epsilon"
    raise ParseError(f"$.ask.{asked.ask} is not a number of an accountant here. Ask for {rule}.")


def _mechanisms(law: Law) -> tuple[tuple[Mechanism, ...], bool]:
    """Return the mechanisms, and whether the first one's parameter is left out."""
    parts = (
        [(p.problem, p.count) for p in law.parts] if isinstance(law, Composition) else [(law, 1)]
    )
    found = [_mechanism(one, count, f"$.parts[{i}]") for i, (one, count) in enumerate(parts)]
    is_open = [parameter is None for _, parameter, _, _ in found]
    if any(is_open[1:]):
        raise ParseError("$.parts: only the first part may leave out its parameter. Reorder them.")
    made = (Mechanism(kind, parameter or 1.0, rate, n) for kind, parameter, rate, n in found)
    return tuple(made), is_open[0]


def _mechanism(law: Law, times: int, path: str) -> tuple[str, float | None, float, int]:
    """Return the kind, the parameter for sensitivity 1 (None if left out), the rate and times."""
    size = _number(getattr(law, "sensitivity", 1))
    for name, kind in KINDS.items():
        if kind.problem != law.__struct_config__.tag or size is None:
            continue
        value = _parameter(law, kind.parameter)
        sampling, delta = getattr(law, "sampling", UNSET), _number(getattr(law, "delta", 0))
        if kind.is_sampled:
            rate = _rate(sampling, path)
            return name, None if value is None else nearest_float(value / size), rate, times
        if value is not None and size == 1 and delta == 0 and sampling is UNSET:
            return name, nearest_float(value), 1.0, times
    kinds = ", ".join(kind.problem for kind in KINDS.values())
    sampled = " and ".join(name for name, kind in KINDS.items() if kind.is_sampled)
    raise ParseError(
        f"{path} is nothing that accountants are asked about here. Give one of {kinds} (a "
        f"guarantee without delta; noise but {sampled} of sensitivity 1, and not sampled), or "
        "users: shuffle or shuffle_worst_case."
    )


def _rate(sampling: object, path: str) -> float:
    if sampling is UNSET:
        return 1.0
    if isinstance(sampling, Sampling) and not sampling.replaces and sampling.rate is not None:
        return nearest_float(Exact(sampling.rate))
    raise ParseError(
        f"{path}.sampling: accountants are asked about Poisson sampling, a record in or out. "
        'Give {"sampling_probability": ...} alone.'
    )


def _parameter(law: Law, name: str) -> Number | None:
    """Return a parameter of a law, however the file says it; None if it is left out."""
    if isinstance(law, SampledLaw) and law.left_out is None and getattr(law, name) is UNSET:
        found: Number = getattr(law.noise("$"), name)
        return found
    return _number(getattr(law, name))


def _number(value: object) -> Number | None:
    """Return a number of a problem file; None where it is left out, or is not a number."""
    match value:
        case Rational(number=number):
            return number
        case EpsilonValue(nats=nats):
            return nats
        case int():
            return Exact(value)
    return None
