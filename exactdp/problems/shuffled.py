"""Shuffled protocols in a problem file: explicit users, the worst data, or a blanket."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.problems.laws import Law, SideNames, located
from exactdp.problems.randomizers import RandomizerFile, check_matrix, input_count, randomizer_of
from exactdp.problems.strict_json import path_of_key
from exactdp.problems.values import HERE, Copies, Count, Input, Strict
from exactdp.shuffle import ShuffleView, Users, Victim, shuffle_view

__all__ = ["OF_ALL_DATA", "BlanketPairLaw", "Shuffle", "ShuffleWorstCaseLaw"]

_OF_A_VICTIM = SideNames(
    p="what the analyzer sees with the victim's first input",
    q="what it sees with the second",
    neighbors="one user's input is replaced, the other users are the same",
)

OF_ALL_DATA = SideNames(
    p="what the analyzer sees with one input of a user",
    q="what it sees with another",
    neighbors="one user's input is replaced; the worst data of all users, both directions",
)

Inputs = Annotated[
    tuple[Input, Input], Meta(description="Give both inputs of the victim, such as [0, 1].")
]


class VictimUser(Strict, frozen=True, kw_only=True):
    """The user whose input differs: P is the law with the first input, Q with the second."""

    randomizer: str
    inputs: Inputs


class OtherUsers(Strict, frozen=True, kw_only=True):
    """Some of the other users: ``count`` of them with one randomizer and one input."""

    randomizer: str
    input: Input
    count: Count = 1


class Shuffle(Law, frozen=True, kw_only=True, tag="shuffle"):
    """The multiset of all messages of explicit users, one of whom has either of two inputs.

    With ``merge``, a partition of the messages, only the number of messages in each
    part is seen; answers are then bounds for the whole view. Where there are too many
    histograms for exact answers, they are enclosures: of the truth if all others hold one
    input, or two classes of messages are told apart; else between two bounds.
    """

    randomizers: dict[str, RandomizerFile]
    victim: VictimUser
    others: list[OtherUsers] = field(default_factory=list)
    merge: list[list[Input]] | None = None

    def __post_init__(self) -> None:
        for name, content in self.randomizers.items():
            check_matrix(content, path_of_key(".randomizers", name))
        self._check_user(self.victim, ".victim")
        for index, group in enumerate(self.others):
            self._check_user(group, f".others[{index}]")

    def profile(self, path: str) -> PrivacyProfile:
        """Return the profile of the analyzer's view, by enclosures where it is too large."""
        view = self._view(path)
        with located(path):
            return view.at_scale() if view.is_too_large else view

    def part(self, path: str) -> PrivacyProfile:
        """Return the view as it is composed."""
        view = self._view(path)
        with located(path):
            found = view.as_finite()
            return view.at_scale() if found is view and view.is_too_large else found

    def _view(self, path: str) -> ShuffleView:
        """Return the exact view."""
        built = {
            name: randomizer_of(content, path=path_of_key(f"{path}.randomizers", name))
            for name, content in self.randomizers.items()
        }
        victim = Victim(built[self.victim.randomizer], self.victim.inputs)
        others = [Users(built[group.randomizer], group.input, group.count) for group in self.others]
        with located(path):
            return shuffle_view(victim, others, merge=self.merge)

    def sides(self) -> SideNames:
        """Return whose inputs differ."""
        return _OF_A_VICTIM

    def is_lower_bound(self) -> bool:
        """Return whether merging the messages loses something."""
        return self.merge is not None and self._view("$").is_lower_bound

    def _check_user(self, user: VictimUser | OtherUsers, place: str) -> None:
        """Refuse a user of an unknown randomizer, or with an input outside of its range."""
        content = self.randomizers.get(user.randomizer)
        if content is None:
            known = ", ".join(self.randomizers) or "none"
            raise ParseError(
                f'{HERE}{place}.randomizer="{user.randomizer}" is not in randomizers. '
                f"Define it; there is: {known}."
            )
        if isinstance(user, OtherUsers):
            _check_input(user.input, content, f"{place}.input")
        else:
            for index, x in enumerate(user.inputs):
                _check_input(x, content, f"{place}.inputs[{index}]")


class BlanketPairLaw(Law, frozen=True, kw_only=True, tag="blanket_pair"):
    """The victim's message among those of the others that do not depend on their inputs.

    Without ``inputs``, the worst pair of inputs of the randomizer at each epsilon, order or
    alpha. Answers bound those of n users with any inputs: from above, trade_off from below.
    """

    n: Copies
    randomizer: RandomizerFile
    inputs: Annotated[
        tuple[Input, Input] | None,
        Meta(description="Give both inputs of the victim, such as [0, 1]."),
    ] = None

    def __post_init__(self) -> None:
        check_matrix(self.randomizer, ".randomizer")
        for index, x in enumerate(self.inputs or ()):
            _check_input(x, self.randomizer, f".inputs[{index}]")

    def profile(self, path: str) -> PrivacyProfile:
        """Return the victim's message among the blanket messages."""
        from exactdp.shuffle import blanket_pair

        with located(path):
            randomizer = randomizer_of(self.randomizer, path=f"{path}.randomizer")
            return blanket_pair(self.n, randomizer, inputs=self.inputs)

    def sides(self) -> SideNames:
        """Return whose inputs differ."""
        return _OF_A_VICTIM


class ShuffleWorstCaseLaw(Law, frozen=True, kw_only=True, tag="shuffle_worst_case"):
    """The largest of all data of the others and all ordered pairs of the victim's inputs.

    Answers lie between certified ends of different origin, ``lower_by`` and ``upper_by``, and say
    how far these are apart, ``gap``.
    """

    n: Copies
    randomizer: RandomizerFile

    def __post_init__(self) -> None:
        check_matrix(self.randomizer, ".randomizer")

    def profile(self, path: str) -> PrivacyProfile:
        """Return the worst case between its two ends."""
        from exactdp.shuffle import shuffle_worst_case

        with located(path):
            randomizer = randomizer_of(self.randomizer, path=f"{path}.randomizer")
            return shuffle_worst_case(self.n, randomizer)

    def sides(self) -> SideNames:
        """Return whose inputs differ."""
        return OF_ALL_DATA


def _check_input(x: int, content: RandomizerFile, place: str) -> None:
    last = input_count(content) - 1
    if x > last:
        raise ParseError(
            f"{HERE}{place}={x} is outside the alphabet 0..{last} of the randomizer. "
            "Inputs are its row numbers."
        )
