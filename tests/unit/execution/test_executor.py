"""What a person sees while a calculation runs in a process of its own."""

import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="needs a terminal of its own")
def test_a_terminal_shows_that_a_calculation_goes_on():
    import pty

    program = "from exactdp.execution import Limits, alone\nimport time\n"
    program += "alone(time.sleep, 0.5, limits=Limits(seconds=9))"
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", program], stderr=theirs, check=True)
    os.close(theirs)
    assert "calculating, at most 9 s" in os.read(ours, 10**5).decode()
    os.close(ours)
