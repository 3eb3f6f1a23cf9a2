"""On small random certificates the kernel and the second evaluator never differ."""

from collections import Counter

from tests.kernel.drawn import OPERATIONS, drawn
from tests.kernel.mutations import FALSE, LOST, compared


def heads(value: object) -> set[str]:
    if isinstance(value, dict):
        return heads([*value.values()])
    found = set().union(*map(heads, value)) if isinstance(value, list) else set()
    return (
        found | {x for x in value[:1] if isinstance(x, str)} if isinstance(value, list) else found
    )


def test_the_kernel_and_the_second_checker_agree_on_drawn_certificates(request) -> None:
    """Two opposite certificates a seed: what is accepted is true, what is true is not false."""
    counts: Counter[str] = Counter()
    for seed in range(20_000 if request.config.getoption("--deep") else 150):
        for certificate in drawn(seed):
            found = compared(certificate)
            assert found not in (FALSE, LOST), (seed, certificate)
            counts[found] += 1
    print(dict(counts))
    assert min(counts["true accepted"], counts["false refused"]) > counts.total() // 4
    assert counts["undefined refused"] > counts.total() // 20
    assert counts["true, not accepted"] < counts.total() // 20


def test_every_operation_is_drawn() -> None:
    assert set().union(*(heads(drawn(seed)[0]) for seed in range(150))) >= set(OPERATIONS)
