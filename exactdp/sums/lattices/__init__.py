"""Sums on a lattice of equally spaced losses: powers of laws, exactly or between two.

``atoms`` multiplies laws that lie on a lattice, ``grids`` those that are spread on one. Else
losses lie between two on one lattice: ``polygons`` cut a law into cells that ``placing``
chooses, with ``lowering`` and ``hulls`` for the law below; ``fourier``, ``products`` and
``tilted`` have the powers; ``guides``, ``cells`` and ``plans`` choose lines and cells,
``levels`` divide a sum of several scales (``remainders`` bound what cannot matter),
``crossings`` look for an ε, ``powers`` has all of that.
"""
