"""Long runs: many independent jobs side by side, with progress."""

from exactdp.execution.executor import side_by_side

__all__ = ["side_by_side"]
