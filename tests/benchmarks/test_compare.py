"""The processor time that a comparison adds to ten accountants of one DP-SGD problem.

The accountants are stubs that compute for a known time, so that no library is needed. All that
the command's own process does before it starts the first of them is added; so is what it does
after it began, where that is more than theirs: on two processors both run side by side.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ACCOUNTANTS, SECONDS = 10, 0.3

STUBS = "\n".join(
    f"def answer{i}(mechanisms, *, delta):\n"
    "    end = time.process_time() + SECONDS\n"
    "    while time.process_time() < end: pass\n"
    "    return 2.0\n"
    for i in range(ACCOUNTANTS)
)

RUN = """
import json, resource, subprocess, sys, time
started, popen = [], subprocess.Popen
def noted(*arguments, **options):
    started.append(time.process_time())
    return popen(*arguments, **options)
subprocess.Popen = noted
from exactdp.cli.app import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = children.ru_utime + children.ru_stime
    print(json.dumps([started[0], time.process_time(), used]), file=sys.stderr)
    sys.exit(ended.code)
"""

PROBLEM = {
    "kind": "composition",
    "parts": [
        {
            "problem": {"kind": "gaussian", "sigma": "1", "sampling": {"poisson": "0.01"}},
            "times": 1000,
        }
    ],
    "ask": {"epsilon": ["1e-5"]},
}


def test_ten_accountants(tmp_path):
    (tmp_path / "stubs.py").write_text(f"import time\nSECONDS = {SECONDS}\n{STUBS}")
    (tmp_path / "problem.json").write_text(json.dumps(PROBLEM))
    asked = [text for i in range(ACCOUNTANTS) for text in ("--with", f"stubs:answer{i}")]
    paths = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", RUN, "compare", "problem.json", *asked, "--format", "json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(json.loads(run.stdout)["findings"]) == ACCOUNTANTS
    before, own, theirs = json.loads(run.stderr)
    added = before + max(0.0, own - before - theirs)
    print(f"before the first {before:.2f} s, own {own:.2f} s, theirs {theirs:.2f} s: {added:.2f} s")
    assert theirs > ACCOUNTANTS * SECONDS
    assert added < 1
