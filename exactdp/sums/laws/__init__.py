"""The law of one privacy loss: its atoms, its tails, and its Laplace transform.

``losses`` has the law, ``tails`` the part without atoms; ``transforms`` M(s) = E e^(sL) in
balls, for complex s, from its ``densities`` and ``clouds`` of points (``subsampled``,
``replaced``); ``portions`` are the parts between two losses; ``moments`` needs M at one real
point, for a Rényi divergence.
"""
