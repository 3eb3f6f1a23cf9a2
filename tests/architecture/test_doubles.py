"""Where answers rest on doubles, and on which bound: every array of the engine is listed here."""

import ast

import pytest

from tests.architecture.test_sources import ROOT, sources

ROOMS = (
    "numbers",
    "distributions",
    "inversion",
    "divergences",
    "mechanisms",
    "accounting",
    "shuffle",
    "pufferfish",
)
TRUSTED = {
    "inversion/clouds.py": "a complex product of doubles by 3·2^−53 of itself",
    "inversion/doubles.py": "Such a step errs by at most 5u(|a| + |b| + |ab|), and 8u of them are",
    "inversion/envelopes.py": "More than what the doubles that add up bounds may lose.",
    "inversion/factors.py": "in doubles with one bound of the errors a run",
    "inversion/fourier.py": "|fl(X_k) − X_k| <= ε Σ|x_n|",
    "inversion/halves.py": "each sum errs by at most (m + 16n)u of itself",
    "inversion/products.py": "products of complex doubles err by less than 3u of their modulus",
    "inversion/smoothed.py": "all sums are in doubles with bounds of their errors (``doubles``)",
    "inversion/tilted.py": "err by 24u: it errs by 30u at most",
    "inversion/transforms.py": "in doubles, and a bound of their errors",
    "shuffle/counts/floats.py": "v the unit roundoff of doubles and u that of the long type",
}
"""By file, where its bound is stated: the enclosures of these hold if that does."""

PLANNED = {
    "inversion/cells.py": "nothing rests on it",
    "inversion/guides.py": "nothing rests on it",
    "inversion/lowering.py": "nothing rests on it",
    "inversion/plans.py": "nothing rests on it but the width",
    "inversion/polygons.py": "nothing rests on the choice",
}
"""What these choose in doubles, balls decide."""

IN_BALLS = {
    "inversion/counted.py": "rounding: in the balls",
    "inversion/lattices.py": "Rounding is in the balls",
}
"""Arrays of balls, and indices; which coefficients are dropped, what is ``lost`` counts."""


def _text(path):
    return " ".join(path.read_text(encoding="utf-8").split())


def _has_arrays(path):
    return any(
        isinstance(node, ast.Import) and any(name.name == "numpy" for name in node.names)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def test_every_file_with_arrays_is_listed():
    found = {
        str(path.relative_to(ROOT / "exactdp"))
        for path in sources(*(f"exactdp/{room}" for room in ROOMS))
        if _has_arrays(path)
    }
    assert found == {*TRUSTED, *PLANNED, *IN_BALLS}


@pytest.mark.parametrize(("name", "words"), [*TRUSTED.items(), *PLANNED.items(), *IN_BALLS.items()])
def test_the_bound_stands_where_it_is_said_to_stand(name, words):
    assert words in _text(ROOT / "exactdp" / name)
