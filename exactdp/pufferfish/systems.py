"""Multi-user systems: the law of the query answer under each secret.

Users report independently; user j is present with probability ζ_j and then reports a value
of law P_j. The query answer X is the sum of the reports of those who are present. A secret of
user i fixes what user i adds: a value a (s_a), a draw of a law P (s_P), or nothing, which
adds 0 (s_⊥). Under every secret X is that report plus the independent sum of the others.

The print of (7)-(9) leaves open how the others' presence enters, so it is a parameter,
:class:`Others`. Its factor Π_{j≠i} ζ_j is common to both secrets of a pair; it cancels in
the ratio of (1) where it is not 0.

References: N. Ding et al., Multi-user Pufferfish Privacy, 2025, Section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Exact, RationalLike, fraction_of, rational
from exactdp.numbers.arguments import probability
from exactdp.numbers.validated import validated
from exactdp.pufferfish.line import atoms, sum_of_independent

__all__ = ["MultiUserSystem", "Others", "Secret", "User"]


class Others(Enum):
    """The part that the other users' presence has in the law given a secret of user i.

    ``ALL_PRESENT``: conditioned on all others being present: f(D_{-i}) is the sum of all
    D_j, j ≠ i; with the factor Π ζ_j put back these are (7)-(9) as printed.
    ``PRESENT_AT_RANDOM``: conditioned on the secret alone; user j adds D_j with
    probability ζ_j and 0 otherwise.
    """

    ALL_PRESENT = "all_present"
    PRESENT_AT_RANDOM = "present_at_random"


@validated
@dataclass(frozen=True, slots=True)
class User:
    """One user: the law of a report, and the probability of being present.

    Attributes:
        law: The law P_j of the report if present, on rational points.
        presence: ζ_j, from 0 to 1.

    Raises:
        DomainError: If presence is not a probability, or an outcome is not a rational number.

    Example:
        >>> User(FinitePmf({1: "1/2", 2: "1/2"}), presence="1/3").contribution[0]
        Exact('2/3')
    """

    law: FinitePmf[Fraction]
    presence: Exact

    def __init__(self, law: FinitePmf[Any], presence: Exact | RationalLike = 1) -> None:
        object.__setattr__(self, "law", FinitePmf(atoms(law)))
        object.__setattr__(self, "presence", probability(presence, name="presence"))

    @property
    def contribution(self) -> FinitePmf[Fraction]:
        """The law of the user's contribution to the sum: 0 when absent."""
        absent = FinitePmf.point(Fraction(0))
        return FinitePmf.mixture([1 - self.presence, self.presence], [absent, self.law])


@validated
@dataclass(frozen=True, slots=True)
class Secret:
    """A secret about one user, as the law of the user's contribution to the sum.

    Example:
        >>> Secret.value(3).own, Secret.absent().own
        (FinitePmf({Fraction(3, 1): 1}), FinitePmf({Fraction(0, 1): 1}))
    """

    own: FinitePmf[Fraction]

    @classmethod
    def value(cls, a: RationalLike) -> Secret:
        """Return s_a: the user is present and reports a."""
        return cls(FinitePmf.point(fraction_of(rational(a, name="a"))))

    @classmethod
    def absent(cls) -> Secret:
        """Return s_⊥: the user is absent, and adds nothing."""
        return cls(FinitePmf.point(Fraction(0)))

    @classmethod
    def follows(cls, law: FinitePmf[Any]) -> Secret:
        """Return s_P: the user is present and reports a draw of P."""
        return cls(FinitePmf(atoms(law)))


@validated
@dataclass(frozen=True, slots=True)
class MultiUserSystem:
    """Independent users whose reports are summed.

    Attributes:
        users: The users, at least one; a secret replaces what one of them reports.
        others: How the presence of the others enters.

    Raises:
        DomainError: If there is no user.

    Example:
        User 1 beside a coin flipper who is always there:

        >>> coin = FinitePmf({0: "1/2", 1: "1/2"})
        >>> system = MultiUserSystem((User(coin), User(coin)))
        >>> first, second = system.pair(1, Secret.value(2), Secret.absent())
        >>> first, second == coin
        (FinitePmf({Fraction(2, 1): 1/2, Fraction(3, 1): 1/2}), True)
    """

    users: Sequence[User]
    others: Others = Others.ALL_PRESENT

    def __post_init__(self) -> None:
        object.__setattr__(self, "users", tuple(self.users))
        if not self.users:
            raise DomainError("users is empty. Give at least one user.")

    def law_given(self, i: int, secret: Secret) -> FinitePmf[Fraction]:
        """Return the law of the query answer given a secret of user i, of total mass 1.

        Formula:
            P(X = x | s) = Σ_t Pr(own = t) Pr(f(D_{-i}) = x − t).

        Raises:
            DomainError: If i is not an index of a user, or the system conditions on the presence
                of all others and one of them is never there.

        Source:
            Ding et al. 2025, (7), (8), (9), without their common factor Π_{j≠i} ζ_j.
        """
        if not isinstance(i, int) or not 0 <= i < len(self.users):
            raise DomainError(
                f"i={i!r} is not the index of one of {len(self.users)} users, from 0 on. "
                "Pass a smaller one."
            )
        rest = [user for j, user in enumerate(self.users) if j != i]
        if self.others is Others.PRESENT_AT_RANDOM:
            return sum_of_independent([secret.own, *(user.contribution for user in rest)])
        if any(user.presence == 0 for user in rest):
            raise DomainError(
                f"some user other than {i} has presence 0, so all others are present with "
                "probability 0. Use Others.PRESENT_AT_RANDOM, or leave that user out."
            )
        return sum_of_independent([secret.own, *(user.law for user in rest)])

    def pair(
        self, i: int, first: Secret, second: Secret
    ) -> tuple[FinitePmf[Fraction], FinitePmf[Fraction]]:
        """Return :meth:`law_given` two secrets of user i."""
        return self.law_given(i, first), self.law_given(i, second)
