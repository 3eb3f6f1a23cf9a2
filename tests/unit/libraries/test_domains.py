"""Each promise says where it is searched: ordinary deployments first, then to its ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from exactdp.audit.sizes import is_ordinary
from exactdp.claims import Cases, Claim, Instance, Open, Statement
from proofs_check.libraries import PAPER
from proofs_check.libraries.promises import Promise

CLAIMS = [claim for claim in PAPER.claims() if claim.about is not None]
DRAWN = settings(
    max_examples=10,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],  # the simplest comes first
    suppress_health_check=list(HealthCheck),
)


def over(statement: Statement | Open) -> Cases:
    """Return the deployments of a promise, which need no library."""
    assert isinstance(statement, Statement)
    holds: Any = statement.holds
    promise = holds.args[0] if hasattr(holds, "args") else holds.__self__
    found: Cases = promise.over
    return found


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.id.partition("/")[2] for claim in CLAIMS])
def test_a_promise_is_searched_from_ordinary_deployments_on(claim: Claim) -> None:
    for statement in claim.readings.values():
        assert isinstance(statement, Statement)
        assert statement.strategy is not None, "it has a list alone"
        holds: Any = statement.holds
        if isinstance(getattr(holds, "args", [None])[0], Promise):
            assert statement.tells is not None
    drawn: list[Instance] = []

    def is_last(at: Instance) -> bool:
        drawn.append(at)
        return False

    with pytest.raises(NoSuchExample):
        find(over(statement).drawn_instances(), is_last, settings=DRAWN)
    # Several are drawn, and more than one of their fields varies, or the only one.
    fields = {name: {one.mapping().get(name) for one in drawn} for name, _ in drawn[0].values}
    varying = {name: drawn[0].mapping()[name] for name, values in fields.items() if len(values) > 1}
    assert len(varying) >= min(2, len(fields)), fields
    assert is_ordinary(varying), drawn[0]
