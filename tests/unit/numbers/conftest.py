"""Every test of this room also checks that it leaves FLINT's precision alone."""

import flint
import pytest


@pytest.fixture(autouse=True)
def _precision_is_left_alone():
    before = flint.ctx.prec
    yield
    assert flint.ctx.prec == before
