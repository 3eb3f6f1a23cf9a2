"""The noun is thin: what follows from δ is written once, and profiles say only what they know."""

from exactdp.accounting import CertifiedPLD
from exactdp.divergences import PrivacyProfile, Worst
from exactdp.problems import solve

FINAL = ("epsilon", "renyi", "trade_off", "both_directions")


def kinds(of=PrivacyProfile):
    """All subclasses that are loaded."""
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def others(name, room="exactdp"):
    """The profiles of a room with an answer of their own."""
    found = (kind for kind in kinds() if kind.__module__.startswith(room))
    return {kind.__name__ for kind in found if name in vars(kind)}


def test_questions_are_answered_in_one_place():
    assert {CertifiedPLD, Worst} <= set(kinds()) and callable(solve)  # all rooms are loaded
    assert {name: others(name) for name in FINAL} == {name: set() for name in FINAL}


def test_a_second_answer_is_seen():
    class Own(PrivacyProfile):
        def epsilon(self, delta, *, relative_width=None):
            return delta

    assert "Own" in others("epsilon", room=__name__)
    assert len(others("_delta_within")) > 3
