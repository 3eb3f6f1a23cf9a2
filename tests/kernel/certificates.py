"""Certificates for the kernel's tests, in few words."""

import json
from typing import Any

LOGISTIC = ["div", ["exp", "0x1"], ["add", ["exp", "0x1"], "0x1"]]


def stated(*conclusion: Any, **more: Any) -> bytes:
    """Return the bytes of a certificate."""
    outer = {"format": "exactdp-certificate/1", "claim": "test", "conclusion": list(conclusion)}
    return json.dumps(outer | more).encode()


def view(matrix: Any, count: int) -> dict[str, Any]:
    """Return a shuffled view of a victim and count others with input 0."""
    return {
        "kind": "shuffle",
        "randomizers": {"R": matrix},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
        "others": [{"randomizer": "R", "input": 0, "count": count}],
    }
