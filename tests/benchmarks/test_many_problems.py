"""The overhead of a run of many small problems: 2 ms each at most."""

import json
import resource

from exactdp.cli.fixtures import _answered
from exactdp.execution import Store, side_by_side
from exactdp.problems.fixtures import read_problem_set

COUNT = 10_000


def seconds():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def test_ten_thousand_problems(tmp_path):
    epsilons = [{"rational": f"1/{i}"} for i in range(1, COUNT + 1)]
    problem = {"kind": "guarantee", "epsilon": epsilons, "ask": {"hockey_stick": [{"log": 1}]}}
    began = seconds()
    entries = read_problem_set(json.dumps(problem))
    read = seconds()
    alone = [_answered(entry) for entry in entries]
    looped = seconds()
    found = side_by_side(_answered, entries, workers=1, store=Store(tmp_path / "store"))
    done = seconds()
    assert found == alone and len(found) == COUNT
    overhead = (read - began) + (done - looped) - (looped - read)
    print(f"{1000 * overhead / COUNT:.2f} ms each, of {1000 * (done - looped) / COUNT:.2f} ms")
    assert overhead < 2e-3 * COUNT
