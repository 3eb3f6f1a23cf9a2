"""The law of one privacy loss: its atoms, its tails, and its Laplace transform.

``losses`` has the law, ``density`` the part without atoms and what is made of it; ``transforms``
M(s) = E e^(sL) in balls, for complex s, from ``clouds`` of points, along ``paths`` where a
mechanism has no better way, ``moved`` where the part is; ``portions`` are the parts between two
losses; ``moments`` needs M at one real point, for a Rényi divergence.
"""
