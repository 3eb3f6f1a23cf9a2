"""Sums on a lattice of equally spaced losses: powers of laws, exactly or between two.

``atoms`` multiplies laws that lie on a lattice. All other losses are put between two laws on one
lattice: ``polygons`` cut a law into cells, whose first knots ``placing`` chooses, with ``lowering``
and ``hulls`` for the law below; ``fourier``, ``products`` and ``tilted`` compute the powers;
``guides``, ``cells`` and ``plans`` choose lines and cells; ``levels`` divide a sum of several
scales (``remainders`` bound parts that hardly matter); ``crossings`` look for an ε. The class that
others use is in ``powers``. Many thresholds of one sum of copies are answered by ``repeated``, in
doubles by ``windows``.
"""
