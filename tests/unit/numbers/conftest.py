"""Every test of this room also checks that it leaves FLINT's precision alone."""

import pytest


@pytest.fixture(autouse=True)
def always(precision_is_left_alone):
    """Of every test here."""
