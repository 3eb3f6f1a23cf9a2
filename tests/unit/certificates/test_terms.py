"""What the writer writes, read by the kernel."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.certificates import (
    Certificate,
    finite_pair,
    hockey_stick,
    ldp_ratio,
    positive_part,
    ref,
    relation,
    shuffle_pair,
    term,
    write_atomically,
)
from exactdp.numbers import Exact
from proofs_check.kernel import Accepted, Rejected, check


def answer(*conclusion, **kwargs):
    return check(Certificate(conclusion=list(conclusion), **kwargs).to_bytes(claim="test"))


def test_numbers_are_hexadecimal_and_exact():
    assert term(Fraction(-3, 4)).json == "-0x3/0x4"
    assert term(255).json == "0xff"
    assert isinstance(answer(relation("=", Fraction(1, 3), term(1) / 3)), Accepted)
    assert isinstance(answer(relation("=", Fraction(1, 3), Fraction(1, 4))), Rejected)


@pytest.mark.parametrize(
    "number", [Exact.exp(2), Exact.exp("-1/2"), (Exact.exp("1/2") - 1) / (Exact.exp(1) + 3)]
)
def test_numbers_of_the_field_reach_the_kernel(number):
    near = Fraction(number.ball(200).mid().fmpq().p.__int__(), int(number.ball(200).mid().fmpq().q))
    gap = Fraction(1, 10**20)
    assert isinstance(
        answer(relation("<", number, near + gap), relation(">", number, near - gap)), Accepted
    )


def test_operators_write_operations():
    x = ref("x")
    value = 1 - positive_part(x**2 - 3) / (2 * x + -x)
    document = Certificate(
        define=[("x", term(2))], conclusion=[relation("=", value, Fraction(1, 2))]
    )
    assert isinstance(check(document.to_bytes(claim="test")), Accepted)


def test_pairs_and_views():
    pair = finite_pair([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
    assert isinstance(answer(relation("=", hockey_stick(pair, 2), Fraction(1, 4))), Accepted)
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    assert isinstance(answer(relation("=", ldp_ratio(rows), 3)), Accepted)
    view = shuffle_pair(rows, inputs=(0, 1), others=[(1, 1), (0, 0)])
    # (3/4 - 2/4) * 1/4 for both sending 0; nothing elsewhere.
    assert isinstance(answer(relation("=", hockey_stick(view, 2), Fraction(1, 16))), Accepted)


def test_documents_are_deterministic_and_carry_the_labels():
    certificate = Certificate(conclusion=[relation("<", 1, 2)])
    content = certificate.to_bytes(claim="p/c", reading="a")
    assert content == certificate.to_bytes(claim="p/c", reading="a")
    assert json.loads(content)["reading"] == "a"


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    target = tmp_path / "file.json"
    write_atomically(target, b"old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(target, b"new")
    assert [p.name for p in Path(tmp_path).iterdir()] == ["file.json"]
    assert target.read_bytes() == b"old"
