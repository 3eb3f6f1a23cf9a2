"""δ of a sum of independent privacy losses, by inverting the Laplace transform of its law.

``transforms`` has M(s) = E e^(sL) of one loss in balls, for complex s, from its ``densities``
and ``clouds`` of points; ``envelopes`` bounds it far from the real line; ``contours``
integrates M^n along the vertical line through the saddle point; ``moments`` needs M at one
real point, for a Rényi divergence. There is no grid of losses, so the cost hardly depends on
the number of losses or on the width that is asked for.
"""

from exactdp.inversion.contours import Inversion
from exactdp.inversion.moments import renyi_of_sum
from exactdp.inversion.transforms import LossTransform

__all__ = ["Inversion", "LossTransform", "renyi_of_sum"]
