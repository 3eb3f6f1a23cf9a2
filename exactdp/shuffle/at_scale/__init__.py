"""Views of any number of users by enclosures: exactly one law, a sum of scores, or between ends.

Whoever loads this room opens the door of ``exactdp.shuffle.views`` to it.
"""

from exactdp.shuffle.at_scale.views import view_at_scale

__all__ = ["view_at_scale"]
