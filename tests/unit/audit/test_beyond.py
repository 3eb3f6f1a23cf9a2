"""A search keeps the failure that tells most, as simple as it can be."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from exactdp.audit import ClaimVerdict, audit_claim
from exactdp.audit.beyond import failure_beyond
from exactdp.claims import Claim, Effort, Instance, Outcome, Source, Statement
from exactdp.truth import Truth


def of(*, fails: Any, tells: Any = None, draws: int = 200) -> Statement:
    return Statement(
        instances=lambda effort: [Instance.of(n=0, m=0)],
        holds=lambda at: Outcome(Truth.of(not fails(at["n"])), f"n = {at['n']}"),
        strategy=lambda: st.builds(
            lambda n, m: Instance.of(n=n, m=m), st.integers(0, 100), st.integers(0, 9)
        ),
        draws=draws,
        tells=tells,
    )


def kept(statement: Statement, **more: Any) -> Instance | None:
    return failure_beyond(statement, Effort.DEFAULT, statement.holds, **more)


def test_the_failure_that_tells_most_is_kept_and_shrunk() -> None:
    """Of n above 10 the largest tells most; m tells nothing, so it is shrunk to 0."""
    drawn: list[int] = []

    def fails(n: int) -> bool:
        drawn.append(n)
        return n > 10

    found = kept(of(fails=fails, tells=lambda at, outcome: (3, float(at["n"]))))
    assert found is not None
    assert found["n"] == max(drawn) > 50
    assert found["m"] == 0


def test_an_ordinary_failure_comes_before_a_larger_one() -> None:
    def tells(at: Instance, outcome: Outcome) -> tuple[int, float]:
        return (3 if at["n"] < 40 else 2), float(at["n"])  # type: ignore[operator,arg-type]

    found = kept(of(fails=lambda n: n > 10, tells=tells))
    assert found is not None and 10 < found["n"] < 40  # type: ignore[operator]


def test_where_nothing_is_said_the_first_failure_is_shrunk() -> None:
    assert kept(of(fails=lambda n: n > 10)) == Instance.of(n=11, m=0)
    assert kept(of(fails=lambda n: False, tells=lambda at, outcome: (1, 0.0))) is None


def test_of_a_library_it_is_said_how_many_deployments_were_tried_and_how_long() -> None:
    one = Claim("libraries/mine/one", "s", Source("libraries", "x"), {"": of(fails=lambda n: 0)})
    assert audit_claim(one).tried == ""
    about = Claim("a/b", "s", Source("x", "y"), dict(one.readings), about="mine==1.0")
    tried = ClaimVerdict(about, audit_claim(one).readings, 12.3).tried
    assert tried == "tried: 201 deployments in 12 s"
    assert audit_claim(about).tried == ""  # it is absent
