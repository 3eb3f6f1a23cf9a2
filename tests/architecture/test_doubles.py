"""The doubles on which answers rest, and their bounds: every array of the engine is listed here."""

import ast

import pytest

from tests.architecture.test_sources import ROOT, sources

ROOMS = (
    "numbers",
    "distributions",
    "sums",
    "divergences",
    "mechanisms",
    "accounting",
    "shuffle",
    "pufferfish",
)
TRUSTED = {
    "sums/laws/clouds.py": "a complex product of doubles by 3·2^−53 of itself",
    "sums/doubles.py": "Such a step errs by at most 5u(|a| + |b| + |ab|), and 8u of them are",
    "sums/lines/envelopes.py": "added up in doubles, and taken ``SAFE`` times as large",
    "sums/lines/factors.py": "in doubles with one bound of the errors a run",
    "sums/lattices/adaptive.py": "by at most 8u of themselves a stage, and 16u are taken",
    "sums/lattices/fourier.py": "|fl(X_k) − X_k| <= ε Σ|x_n|",
    "sums/lattices/products.py": "products of complex doubles err by less than 3u of their modulus",
    "sums/lines/smoothed.py": "all sums are in doubles with bounds of their errors (``doubles``)",
    "sums/lattices/windows.py": "errs by less than 2(k + 1)u of itself",
    "sums/lines/together.py": "what is not worked out, counts as an error: the",
    "sums/lines/turns.py": "errs by at most 32u(d + 1)·m|θ| and m·2^−95",
    "sums/counting/suffixes.py": "A sum of k masses errs by k + 8 times u of itself",
    "sums/lattices/tilted.py": "err by 24u: it errs by 30u at most",
    "sums/laws/transforms.py": "in doubles, and a bound of their errors",
    "sums/counting/scored.py": "A mass times γ errs in doubles by at most 16u of itself",
    "sums/counting/histograms.py": "is off by 4u of itself, and a sum of H <= 2^22 terms",
    "sums/counting/floats.py": "v the unit roundoff of doubles and u that of the long type",
}
"""By file, where its bound is stated: the enclosures of these hold if that does."""

PLANNED = {
    "shuffle/rate_proposals.py": "nothing rests on them",
    "sums/lattices/cells.py": "nothing rests on it",
    "sums/lattices/guides.py": "nothing rests on it",
    "sums/lattices/lowering.py": "nothing rests on it",
    "sums/lattices/plans.py": "nothing rests on it but the width",
    "sums/lattices/polygons.py": "nothing rests on the choice",
}
"""What these choose in doubles, balls decide."""

IN_BALLS = {
    "sums/counting/counted.py": "rounding: in the balls",
    "sums/lattices/atoms.py": "Rounding is in the balls",
}
"""Arrays of balls, and indices; which coefficients are dropped, what is ``lost`` counts."""

IN_INTEGERS = {
    "mechanisms/encoders.py": "of numpy's arrays as Python's",
    "mechanisms/participation.py": "so words of 64 bits hold them",
}
"""Arrays of integers, and arrays that are taken apart at once."""

PASSED_ON = {
    "accounting/dp_accounting.py": "Both are its ``PrivacyAccountant``",
    "numbers/later.py": "Packages that load where they are first used",
}
"""No arithmetic: arrays of another library's interface, and the stand-in for numpy."""

LISTED = TRUSTED | PLANNED | IN_BALLS | IN_INTEGERS | PASSED_ON


def _text(path):
    return " ".join(path.read_text(encoding="utf-8").split())


def _has_arrays(path):
    """Return whether a file has numpy: as an import, or as the stand-in that loads it later."""
    return any(
        isinstance(node, ast.ImportFrom | ast.Import)
        and any(one.name in ("numpy", "np") for one in node.names)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def test_every_file_with_arrays_is_listed():
    found = {
        str(path.relative_to(ROOT / "exactdp"))
        for path in sources(*(f"exactdp/{room}" for room in ROOMS))
        if _has_arrays(path)
    }
    assert found == {*LISTED}


@pytest.mark.parametrize(("name", "words"), [*LISTED.items()])
def test_the_bound_stands_where_it_is_said_to_stand(name, words):
    assert words in _text(ROOT / "exactdp" / name)
