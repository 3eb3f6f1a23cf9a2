"""Laws from tables of counts: against counting in plain Python, and every refusal by its line."""

import csv
import io
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, ParseError
from exactdp.pufferfish import law_of_counts

TABLE = """age,visits,people
young,2,1
young,0,6
old,2,4
young,1,3
old,0,1
old,5,0
"""


def by_class(table, value, by, classes, **more):
    return {c: law_of_counts(table, value=value, where={by: c}, **more) for c in classes}


def test_by_hand():
    pooled = law_of_counts(TABLE, value="visits", count="people")
    assert pooled == FinitePmf({0: "7/15", 1: "3/15", 2: "5/15"})
    assert list(pooled.masses) == [0, 1, 2]  # ascending, and nobody visits 5 times
    laws = by_class(TABLE, "visits", "age", ["young", "old"], count="people")
    assert laws["young"] == FinitePmf({0: "3/5", 1: "3/10", 2: "1/10"})
    assert laws["old"] == FinitePmf({2: "4/5", 0: "1/5"})
    # The same classes, as columns of counts.
    wide = "visits,young,old\n0,6,1\n1,3,0\n2,1,4\n"
    for name, law in laws.items():
        assert law_of_counts(wide, value="visits", count=name) == law


def test_each_row_is_a_record_without_counts():
    records = "age,visits\nold,3\nold,3\nyoung,1\nold,-1/2\n"
    assert law_of_counts(records, value="visits") == FinitePmf(
        {3: "1/2", 1: "1/4", Fraction(-1, 2): "1/4"}
    )
    old = law_of_counts(records, value="visits", where={"age": "old"})
    assert old[Fraction(3)] == Fraction(2, 3)


# Spellings of the same values, and cells that must be quoted.
spellings = st.sampled_from(["0", "-2", "1/2", "0.5", ".50", "5e-1", " 7 ", "700e-2", "+7"])
classes = st.sampled_from(["a", "b,c", 'd"e', "f\ng", "ü"])
rows = st.lists(st.tuples(spellings, classes, st.integers(0, 4)), min_size=1, max_size=12)


@given(rows, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=100)
def test_against_a_counter(table, delimiter, line_end):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(["weight", "x", "", "class"])
    counters = {}
    for written, name, count in table:
        writer.writerow([count, written, "not read", name])
        counters.setdefault(name, Counter())[Fraction(written.strip())] += count
    read = {"value": "x", "count": "weight", "delimiter": delimiter}
    for name, counter in counters.items():
        assert_law(counter, text.getvalue(), where={"class": name}, **read)
    assert_law(sum(counters.values(), Counter()), text.getvalue(), **read)


def assert_law(counter, text, **read):
    total = counter.total()
    if total == 0:
        with pytest.raises(ParseError, match="sum to 0"):
            law_of_counts(text, **read)
        return
    expected = {x: Fraction(n, total) for x, n in counter.items() if n}
    assert dict(law_of_counts(text, **read).masses) == expected


def test_a_file_is_read_as_its_text(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_bytes(b"\xef\xbb\xbf" + TABLE.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    expected = law_of_counts(TABLE, value="visits", count="people")
    assert law_of_counts(path, value="visits", count="people") == expected
    # The mark at the very start does not become part of the first name.
    for table in (path, "\ufeff" + TABLE):
        assert law_of_counts(table, value="visits", where={"age": "old"})[5] == Fraction(1, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,n\n1,2\ntwo,3\n", r"^line 3: x='two' is not a number\."),
        ("x,n\n1,2\n\n,3\n", r"^line 4: x='' is not a number\."),
        ("x,n\n1,2\nnan,3\n", r"^line 3: x='nan' is not a number"),
        ("x,n\n1,2\n1/0,3\n", r"^line 3: x='1/0' has denominator zero"),
        ("x,n\n1,-2\n", r"^line 2: n='-2' is not a count\. Give integers of at least 0"),
        ("x,n\n1,1.5\n", r"^line 2: n='1.5' is not a count\."),
        ("x,n\n1,\n", r"^line 2: n='' is not a number"),
        ("x,n\n1,'1000'\n", r"^line 2: n=\"'1000'\" is not a number"),
        ("x,n\n1,1,000\n", r"^line 2: the number of cells is 3, not 2 .* Quote a cell"),
        ("x,n\n1,2\n5\n", r"^line 3: the number of cells is 1, not 2"),
        ('x,n\n1,2\n"3,4\n', r"^line 3: unexpected end of data\. Mend the line\.$"),
        ('x,n\n1,2\n"3"3,4\n', r"^line 3: ',' expected after '\"'\. Mend the line\.$"),
        ("y,n\n1,2\n", r"^line 1: there is no column 'x', only 'y', 'n'\."),
        ("counts.csv", r"^line 1: .* A file is given as a pathlib\.Path"),
        ("x,n,x\n1,2,3\n", r"^line 1: the column 'x' occurs 2 times in 'x', 'n', 'x'\."),
        ("x,n\n1,0\n2,0\n", r"^the table: the counts sum to 0"),
        ("x,n\n", r"^the table: the counts sum to 0"),
        ("", r"^the table is empty\. Begin it with a line of column names\.$"),
        ("\n\n", r"^the table is empty"),
    ],
)
def test_what_does_not_fit_is_refused(text, words, tmp_path):
    with pytest.raises(ParseError, match=words) as raised:
        law_of_counts(text, value="x", count="n")
    assert "\n" not in str(raised.value)

    path = tmp_path / "counts.csv"
    path.write_text(text, newline="")
    with pytest.raises(ParseError) as raised_of_file:
        law_of_counts(path, value="x", count="n")
    # The same words, and the file's name in front.
    rest = str(raised.value).removeprefix("the table")
    comma = ", " if rest == str(raised.value) else ""
    assert str(raised_of_file.value) == f"{path}{comma}{rest}"


def test_classes_that_have_no_law():
    with pytest.raises(ParseError, match=r"^line 3: class is empty\. Name the class of each row"):
        law_of_counts("class,x\na,1\n ,2\n", value="x", where={"class": "a"})
    table = "class,x,n\na,1,1\nb,2,0\n"
    with pytest.raises(ParseError, match=r"^the table has no row with class='c', only 'a', 'b'\."):
        law_of_counts(table, value="x", where={"class": "c"})
    with pytest.raises(ParseError, match=r"^the table: the counts with class='b' sum to 0"):
        law_of_counts(table, value="x", count="n", where={"class": "b"})
    with pytest.raises(ParseError, match=r"the counts with class='a' sum to 0"):
        law_of_counts("class,x\n", value="x", where={"class": "a"})
    # What does not fit is refused in rows of other classes too.
    with pytest.raises(ParseError, match=r"^line 4: x='\?'"):
        law_of_counts(table + "b,?,1", value="x", where={"class": "a"})
    with pytest.raises(DomainError, match=r"the columns 'x', 'x' must differ"):
        law_of_counts(table, value="x", where={"x": "1"})


def test_a_quoted_cell_may_span_lines():
    text = 'class,x\n"a\nb",1\nc,?\n'
    with pytest.raises(ParseError, match=r"^line 4: x='\?'"):
        law_of_counts(text, value="x", where={"class": "a\nb"})


def test_refusals_of_arguments(tmp_path):
    with pytest.raises(DomainError, match=r"the columns 'n', 'n' must differ"):
        law_of_counts(TABLE, value="n", count="n")
    with pytest.raises(DomainError, match=r"delimiter=';;' must be one character"):
        law_of_counts(TABLE, value="visits", delimiter=";;")
    with pytest.raises(DomainError, match=r"is of type bytes\. Give the path"):
        law_of_counts(b"x\n1\n", value="x")
    with pytest.raises(ParseError, match=r"missing\.csv cannot be read: No such file"):
        law_of_counts(tmp_path / "missing.csv", value="x")
    with pytest.raises(ParseError, match=r"cannot be read: "):
        law_of_counts(Path("a\0b"), value="x")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("x\n1\nü\n".encode("latin-1"))
    with pytest.raises(ParseError, match=r"latin\.csv is not text in UTF-8"):
        law_of_counts(latin, value="x")


def test_long_numbers_are_exact_and_messages_short():
    digits = "1" + "0" * 5000 + "1"
    law = law_of_counts(f"x,n\n0,{digits}\n1,1\n", value="x", count="n")
    assert law[1] == Fraction(1, 10**5001 + 2)
    for row in (f"1,-{digits}", f"{digits}x,1", "1" * 200_000 + ",1"):
        with pytest.raises(ParseError, match=r"^line 2: ") as raised:
            law_of_counts(f"x,n\n{row}\n", value="x", count="n")
        assert len(str(raised.value)) < 250
