"""Test files for maintainers: they stand alone, pass beside what is right, and fail elsewhere."""

import subprocess
import sys

import pytest

from exactdp.errors import DomainError
from proofs_check.libraries.ready_tests import libraries_with_tests, ready_tests

RUN = """
import sys, unittest
sys.path.insert(0, {folder!r})
for name in ("exactdp", "proofs_check"):
    sys.modules[name] = None  # nothing of ours
unittest.main("test_numbers")
"""

ACCELERATOR = """
class DPSGDAccountant:
    def __init__(self, *training):
        pass
    def get_epsilon(self, steps, delta):
        {answer}
"""

ADVANTAGE = """
from math import erf, sqrt
class CTDAccountant:
    def get_pld(self):
        return self.history
class PLDConverter:
    def __init__(self, history):
        (self.training,) = history
    def get_advantage(self):
        sigma, rate, steps = self.training
        if rate != 1:
            raise ValueError("no samples here")
        return {factor} * erf(sqrt(steps) / sigma / sqrt(8))
"""


def run(text, folder, module, content):
    """Return what the file's tests say where a module stands for the library."""
    (folder / "test_numbers.py").write_text(text)
    (folder / f"{module}.py").write_text(content)
    call = [sys.executable, "-I", "-c", RUN.format(folder=str(folder))]
    return subprocess.run(call, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        ("return float('inf')", "OK"),
        ("raise ValueError(delta)", "OK (skipped="),
        ("return 0.3607889157", "FAILED (failures="),  # just below, with 300 and 1,000 steps
        ("return float('nan')", "FAILED (failures="),
    ],
)
def test_what_stands_is_compared_with_the_truth(answer, end, tmp_path):
    text = ready_tests("dp-accelerator")
    assert "known_failure" not in text
    said = run(text, tmp_path, "dp_accelerator", ACCELERATOR.format(answer=answer))
    assert end in said.splitlines()[-1]


@pytest.mark.parametrize(
    ("factor", "end"), [("0.9999", "expected failures="), ("1.0001", "unexpected successes=")]
)
def test_what_is_known_to_fall_says_when_it_is_mended(factor, end, tmp_path):
    text = ready_tests("gdpnum")
    said = run(text, tmp_path, "gdpnum", ADVANTAGE.format(factor=factor))
    assert end in said.splitlines()[-1]


def test_every_library_has_a_file_or_a_reason():
    assert {"dp-accounting", "opendp", "gdpnum"} <= set(libraries_with_tests())
    with pytest.raises(DomainError, match="parameters, or several at once, whose truth is asked"):
        ready_tests("diffprivlib")
    with pytest.raises(DomainError, match=r"--for='numpy'.*Give one of .*opendp"):
        ready_tests("numpy")
