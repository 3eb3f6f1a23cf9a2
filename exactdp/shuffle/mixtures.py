"""Old spelling, until the papers are converted: ``exactdp.shuffle.reductions``."""

from exactdp.shuffle.reductions.mixtures import with_leftover

__all__ = ["with_leftover"]
