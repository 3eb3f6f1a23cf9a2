"""Sums on a lattice of equally spaced losses: powers of laws, exactly or between two.

``atoms`` multiplies laws that lie on a lattice. All other losses are put between two laws on one
lattice: ``polygons`` cut a law into cells, whose first knots ``placing`` chooses, with ``lowering``
and ``hulls`` for the law below; ``fourier``, ``products`` and ``tilted`` compute the powers;
``guides``, ``cells`` and ``plans`` choose lines and cells; ``levels`` divide a sum of several
scales (``remainders`` bound parts that hardly matter); ``crossings`` look for an ε. The class that
others use is in ``powers``. Many thresholds of one sum of copies are answered by ``repeated``, in
doubles by ``windows``.

*Why the masses are doubles.* Masses as integers, rounded up in the law above and down in the law
below, need no tilt and no error analysis: a sum is a product of polynomials over Z. Measured with
4,000 equal cells, and a coarser lattice for large losses, for an ε of both directions: a relative
width of 5e-6 for 8 steps of σ = 1 at a rate of .1, and of 1e-5 for 128 steps of σ = 4 at .001, in
the time that is taken here, or half of it; but 2e-4 in 4 s for 35 Laplace losses of five scales,
for which 3e-5 takes .4 s here, and 2e-2 in 6 s for 1,024 steps of σ = .8 at .0001, for which 5e-5
takes 3 s here. What decides are knots at the ends of losses and at their means, cells that are
halved where they matter for one threshold, and levels. Integers would need all of these too, and
then .4 s for a square of 2^17 masses of 110 bits, where a transform of 2^18 doubles takes .01 s.

*Why the tails are balls, one by one.* Of 24 random deployments of DP-SGD all tails and cells
together take a fifth of the time of an ε to a width of 1e-2, and a third to 1e-4: what evaluates
them in arrays, however quickly, would gain no more.
"""
