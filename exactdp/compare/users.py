"""Shuffled users as programs are asked about them: plain doubles, and the truth for these.

Definitions: :class:`ShuffledUsers`, :func:`users_of`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from sys import float_info
from typing import Any

from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError, ParseError
from exactdp.numbers.real_functions import nearest_float
from exactdp.numbers.validated import validated
from exactdp.problems.randomizers import RandomizerFile
from exactdp.problems.reading import problem_of
from exactdp.problems.shuffled import Shuffle, ShuffleWorstCaseLaw

__all__ = ["ShuffledUsers", "users_of"]

_SIZES = {"subset_selection": "size", "local_hashing": "buckets"}
"""The name of the number that a randomizer takes beside k and ε0, in problem files."""


@validated
@dataclass(frozen=True)
class ShuffledUsers:
    """n users of one local randomizer, shuffled, and an ε and a δ to ask about: plain doubles.

    Neighbors replace one user's input; the truths are the larger of both directions.

    Attributes:
        mechanism: The randomizer, by its name in problem files.
        epsilon0: Its local ε, in nats.
        k: The number of its inputs.
        n: The number of users, the victim included.
        epsilon: ε in nats: where to ask for δ.
        delta: δ, above 0 and below 1: for which to ask for the smallest ε.
        size: The size of the sets of subset selection, or the buckets of local hashing; else 0.
        inputs: The victim's two inputs; no matter with the worst data.
        others: The inputs of the others, each with a count; None for the worst data, which is
            what a bound for all data should not be below.

    Raises:
        ParseError: If no problem file says such a thing; the message names the place there.

    Example:
        >>> case = ShuffledUsers("randomized_response", 1.0, 3, 100, 0.25, 1e-5)
        >>> print(case)
        100 x randomized_response(1.0), k 3; the worst data
        >>> case.problem["randomizer"]["epsilon"]
        {'at_float': '0x1.0000000000000p+0'}
    """

    mechanism: str
    epsilon0: float
    k: int
    n: int
    epsilon: float
    delta: float
    size: int = 0
    inputs: tuple[int, int] = (0, 1)
    others: tuple[tuple[int, int], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("epsilon0", "epsilon", "delta"):
            if not abs(getattr(self, name)) <= float_info.max:
                raise DomainError(f"{name} must be a finite double. Pass one.")
        self._law()

    @property
    def problem(self) -> dict[str, Any]:
        """The problem file about them, without its question."""
        more = {_SIZES[self.mechanism]: self.size} if self.mechanism in _SIZES else {}
        epsilon0 = {"at_float": float(self.epsilon0).hex()}
        randomizer = {"mechanism": self.mechanism, "k": self.k, "epsilon": epsilon0, **more}
        if self.others is None:
            return {"kind": "shuffle_worst_case", "n": self.n, "randomizer": randomizer}
        return {
            "kind": "shuffle",
            "randomizers": {"R": randomizer},
            "victim": {"randomizer": "R", "inputs": list(self.inputs)},
            "others": [{"randomizer": "R", "input": x, "count": c} for x, c in self.others],
        }

    @cached_property
    def profile(self) -> PrivacyProfile:
        """The analyzer's view, of these data or of the worst."""
        return self._law().profile("$").both_directions()

    @property
    def kinds(self) -> tuple[str]:
        """The randomizer's name alone."""
        return (self.mechanism,)

    @property
    def arguments(self) -> dict[str, Any]:
        """The users as a function of one's own gets them."""
        return {k: v for k, v in asdict(self).items() if k not in ("epsilon", "delta")}

    def __str__(self) -> str:
        more = f", {_SIZES[self.mechanism]} {self.size}" if self.mechanism in _SIZES else ""
        data = "the worst data"
        if self.others is not None:
            held = ", ".join(f"{count} x {x}" for x, count in self.others) or "no others"
            data = f"victim {self.inputs[0]} or {self.inputs[1]} among {held}"
        return f"{self.n} x {self.mechanism}({self.epsilon0!r}), k {self.k}{more}; {data}"

    def _law(self) -> Shuffle | ShuffleWorstCaseLaw:
        law = problem_of({**self.problem, "ask": {"max_divergence": True}}).law
        assert isinstance(law, Shuffle | ShuffleWorstCaseLaw)
        return law


def users_of(law: Shuffle | ShuffleWorstCaseLaw) -> ShuffledUsers:
    """Return the users of a problem file, at the double nearest to their ε0; ε and δ are left open.

    Raises:
        ParseError: If it is about users that no program is asked about.

    Example:
        >>> from exactdp.problems import read_problem
        >>> law = read_problem('''{"kind": "shuffle_worst_case", "n": 100, "randomizer":
        ...     {"mechanism": "local_hashing", "k": 8, "buckets": 3, "epsilon": {"log": "2"}},
        ...     "ask": {"epsilon": ["1e-5"]}}''').law
        >>> print(users_of(law))
        100 x local_hashing(0.6931471805599453), k 8, buckets 3; the worst data
    """
    if isinstance(law, ShuffleWorstCaseLaw):
        return _users(law.randomizer, "$.randomizer", law.n)
    if law.merge is not None:
        raise ParseError("$.merge: programs are asked about all messages. Leave it out.")
    victim = law.randomizers[law.victim.randomizer]
    for i, group in enumerate(law.others):
        if law.randomizers[group.randomizer] != victim:
            raise ParseError(
                f"$.others[{i}].randomizer: programs are asked about users who all have one "
                "randomizer. Give the victim's."
            )
    others = tuple((group.input, group.count) for group in law.others)
    n = 1 + sum(count for _, count in others)
    return _users(victim, "$.randomizers", n, inputs=law.victim.inputs, others=others)


def _users(randomizer: RandomizerFile, path: str, n: int, **data: Any) -> ShuffledUsers:
    epsilon = getattr(randomizer, "epsilon", None)
    if isinstance(randomizer, list) or epsilon is None:
        raise ParseError(
            f"{path}: programs know randomizers by their names and local epsilons, not their "
            'matrices. Give a {"mechanism": ...} of an epsilon.'
        )
    name = str(randomizer.__struct_config__.tag)
    size = getattr(randomizer, _SIZES.get(name, ""), 0)
    epsilon0 = nearest_float(epsilon.value.nats)
    return ShuffledUsers(name, epsilon0, randomizer.k, n, 0.0, 0.5, size, **data)
