"""Problems to answers.

Definitions: :func:`solve`.
"""

from __future__ import annotations

from exactdp.errors import DomainError, TooLargeError
from exactdp.problems.answers import Answers
from exactdp.problems.certified_answers import certified_answers
from exactdp.problems.exact_answers import exact_answers
from exactdp.problems.exact_laws import Law
from exactdp.problems.law_schema import Composition
from exactdp.problems.laws import composition_on_grid, law_of
from exactdp.problems.reading import Problem

__all__ = ["MAX_DIGITS", "solve"]

MAX_DIGITS = 100_000


def solve(problem: Problem, *, digits: int = 17) -> Answers:
    """Return the answer to each question of a problem, in the file's order.

    Args:
        problem: What ``read_problem`` returned.
        digits: The significant digits of the decimals, 1 to 100,000.

    Returns:
        Exact answers, correctly rounded decimals and enclosures; of laws at scale, and of
        compositions that are too large to be exact, enclosures. With direction
        "both", each is the worse of (P, Q) and (Q, P): the larger, and for
        trade_off the smaller. The smallest epsilon for a delta is at least 0.

    Raises:
        DomainError: If digits is out of range, or a question has no answer.
        TooLargeError: If the exact law, or an answer, is too large.
        UndecidedError: If a computable real cannot be rounded within the budget.

    Example:
        >>> from exactdp.problems import read_problem
        >>> problem = read_problem('''{"kind": "finite_pair", "p": ["3/4", "1/4"],
        ...     "q": ["1/4", "3/4"], "ask": {"epsilon": [0], "hockey_stick": [{"log": 2}]}}''')
        >>> [(a.ask, a.exact, a.decimal) for a in solve(problem, digits=4).answers]
        [('epsilon', None, '1.099'), ('hockey_stick', '1/4', '0.2500')]
    """
    if not 1 <= digits <= MAX_DIGITS:
        raise DomainError(f"digits={digits} is out of range. Give a number from 1 to {MAX_DIGITS}.")
    law = law_of(problem.law)
    if isinstance(law, Law):
        try:
            return Answers(answers=exact_answers(problem, law, digits=digits))
        except TooLargeError:
            if not isinstance(problem.law, Composition):
                raise
            law = composition_on_grid(problem.law)
    return Answers(answers=certified_answers(problem, law, digits=digits))
