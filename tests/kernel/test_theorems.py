"""The pages of theorems say what the shipped files prove, word for word."""

import re
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import comb, prod
from pathlib import Path

import pytest

from exactdp.divergences import Pair
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon
from exactdp.shuffle import Users, Victim, shuffle_view

ROOT = Path(__file__).parents[2]
INDEX = (ROOT / "docs" / "theorems.md").read_text("utf-8")
PAGES = {x.stem: x.read_text("utf-8") for x in sorted((ROOT / "docs/theorems").glob("*.md"))}
PAGE = "\n".join(PAGES.values())
FILE = r"^In `(proofs_check/coq/\w+\.v)`"
ENTRY = r"^### (\w+)\n\n(.+?)\n\n```coq\n(.+?)\n```$"
DEFINITION = r"^(?:Definition|Fixpoint|Record|Variables|Hypotheses) .+?\.$(?=\n[A-Z`])"
_SPLIT = re.split(FILE, PAGE, flags=re.M)[1:]
PARTS = list(zip(_SPLIT[::2], _SPLIT[1::2], strict=True))
ENTRIES = [(file, *entry) for file, part in PARTS for entry in re.findall(ENTRY, part, re.M | re.S)]
DEFINITIONS = [(file, x) for file, part in PARTS for x in re.findall(DEFINITION, part, re.M | re.S)]


def test_every_heading_is_a_theorem():
    names = [name for _, name, _, _ in ENTRIES]
    assert names == re.findall(r"^### (.+)$", PAGE, re.M)
    assert len(names) == len(set(names)) > 10


def test_the_index_links_every_page_and_every_theorem():
    linked = re.findall(r"\[`(\w+)`\]\(theorems/([\w-]+)\.md#(\w+)\)", INDEX)
    headings = [
        (x, key, x) for key, page in PAGES.items() for x in re.findall(r"^### (\w+)$", page, re.M)
    ]
    assert sorted(linked) == sorted(headings)
    assert {*re.findall(r"\(theorems/([\w-]+)\.md\)", INDEX)} == PAGES.keys()


@pytest.mark.parametrize(("file", "name", "says", "coq"), ENTRIES, ids=[x[1] for x in ENTRIES])
def test_a_theorem_is_stated_in_its_file_and_proved(file, name, says, coq):
    text = (ROOT / file).read_text("utf-8")
    assert coq.startswith(f"Theorem {name} ") and says.endswith(".")
    assert text.count(f"{coq}\nProof.") == 1
    proof = text.split(f"{coq}\nProof.")[1]
    end = re.search(r"\b(Qed|Admitted|Abort|Defined|Theorem|Lemma)\b", proof)
    assert end is not None and end[1] == "Qed"


def test_every_block_is_a_definition_or_a_theorem():
    shown = "\n".join(x for _, x in DEFINITIONS) + "\n" + "\n".join(x[3] for x in ENTRIES)
    blocks = "\n".join(re.findall(r"```coq\n(.+?)\n```", PAGE, re.S))
    assert sorted(shown.splitlines()) == sorted(blocks.splitlines())


@pytest.mark.parametrize(("file", "coq"), DEFINITIONS, ids=[x[1].split()[1] for x in DEFINITIONS])
def test_a_definition_is_that_of_its_file(file, coq):
    assert (ROOT / file).read_text("utf-8").count(f"{coq}\n") == 1


def declared(text):
    """The variables and hypotheses of the sections of a file that are open where a text ends."""
    sections = []
    found = r"^(Section|End) \w+\.$|^(?:Variables?|Hypothes[ie]s) .+?\.$(?=\n)"
    for line in re.finditer(found, text, re.M | re.S):
        if line[1] == "Section":
            sections.append([])
        elif line[1] == "End":
            sections.pop()
        else:
            sections[-1].append(line[0])
    return [one for section in sections for one in section]


def test_a_theorem_is_printed_with_the_hypotheses_of_its_section():
    sections = 0
    for file, part in PARTS:
        for name, _, coq in re.findall(ENTRY, part, re.M | re.S):
            above = part.split(f"### {name}\n")[0]
            wanted = declared((ROOT / file).read_text("utf-8").split(coq)[0])
            assert all(f"\n{line}\n" in above for line in wanted), name
            sections += bool(wanted)
    assert sections  # amplification_by_swapping


KIND = r"(?:Definition|Fixpoint|Record|Inductive)"
BOUND = (
    r"[({]([\w' ]+?) :(?!=)",
    r"\bfun (.*?)=>",
    r"\b(?:forall|exists) ([\w' ]+?)[,:]",
    r"\blet (.*?):=",
    r"\|([^|]*?)=>",
)
"""Where a statement binds names: `(x y : R)`, `fun x =>`, `forall x,`, `let x :=`, `| x =>`."""


@lru_cache
def words_of(file):
    """The words that a file of the theory, and what it requires, define."""
    text = (ROOT / file).read_text("utf-8")
    required = re.findall(r"^Require Import (.+?)\.$", text, re.M | re.S)
    others = [f"proofs_check/coq/{one}.v" for line in required for one in line.split()]
    own = re.findall(rf"^ *{KIND} (\w+)", text, re.M)
    return frozenset(own).union(*(words_of(one) for one in others if (ROOT / one).exists()))


def words_of_page(key):
    """Return the words that a page defines, or links to where another one does."""
    shown = re.findall(DEFINITION, PAGES[key], re.M | re.S)
    linked = re.findall(r"\[`(\w+)`\]\((\w+)\.md#[\w-]+\)", PAGES[key])
    return {x.split()[1] for x in shown} | {
        word for word, other in linked if re.search(rf"^{KIND} {word}\b", PAGES[other], re.M)
    }


@pytest.mark.parametrize(
    ("file", "coq"), [*DEFINITIONS, *((x[0], x[3]) for x in ENTRIES)], ids=lambda x: x[:40]
)
def test_every_word_of_a_statement_is_defined_on_its_page_or_one_that_it_names(file, coq):
    bound = {*re.match(r"\w+ ([\w' ]*)", coq)[1].split()}
    for pattern in BOUND:
        bound |= {
            x for found in re.findall(pattern, coq, re.S) for x in re.findall(r"[\w']+", found)
        }
    (key,) = (key for key, page in PAGES.items() if f"\n{coq}\n" in page)
    shown = words_of_page(key) | words_of_page("words")
    missing = words_of(file).intersection(re.findall(r"[A-Za-z_][\w']*", coq)) - bound - shown
    assert not missing


CLOSE = ("3/4", "1/4", "0"), ("1/4", "1/2", "1/4")
FAR = ("0", "1/8", "7/8"), ("9/10", "0", "1/10")


def stick(p, q, exp_epsilon):
    return Pair.from_masses(p, q).delta(Epsilon.log(exp_epsilon))


def mixed(rate, p, q):
    return [(1 - rate) * Fraction(x) + rate * Fraction(y) for x, y in zip(p, q, strict=True)]


@pytest.mark.parametrize(("p", "q"), [CLOSE, CLOSE[::-1], FAR, FAR[::-1]])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("e", [Fraction(1), Fraction(6, 5), Fraction(2), Fraction(10)])
def test_the_equations_of_sampling_are_those_of_the_engine(p, q, rate, e):
    factor = 1 + rate * (e - 1)
    assert stick(mixed(rate, p, q), p, factor) == rate * stick(q, p, e)
    left = 1 - factor * (1 - rate)
    removed = left * stick(p, q, factor * rate / left) if left > 0 else 0
    assert stick(p, mixed(rate, p, q), factor) == removed <= rate * stick(p, q, e)
    other = ("1/3", "1/3", "1/3")
    assert stick(mixed(rate, p, q), mixed(rate, p, other), factor) == rate * stick(
        q, mixed(factor / e, p, other), e
    )


def count_mass(a, b, p, q, s):
    """Return the mass that RandomizedResponse.v defines."""
    return sum(
        comb(a, r)
        * p**r
        * (1 - p) ** (a - r)
        * comb(b, s - r)
        * q ** (s - r)
        * (1 - q) ** (b - s + r)
        for r in range(a + 1)
        if 0 <= s - r <= b
    )


@pytest.mark.parametrize("data", [(), (0,), (2, 0, 1), (0, 1, 0, 2)])
@pytest.mark.parametrize("e", [Fraction(1), Fraction(3, 2), Fraction(2)])
def test_the_divergence_of_the_count_is_that_of_the_engine(data, e):
    """`count_divergence` and `count_below_histogram` beside views of all messages."""
    response, a = randomized_response(3, Epsilon.log(3)), data.count(0)
    counts = [
        [count_mass(*users, Fraction(3, 5), Fraction(1, 5), s) for s in range(len(data) + 2)]
        for users in ((a + 1, len(data) - a), (a, len(data) - a + 1))
    ]
    others = [Users(response, i) for i in data]
    for inputs, (p, q) in (((0, 1), counts), ((1, 0), counts[::-1])):
        merged = shuffle_view(Victim(response, inputs), others, merge=[[0], [1, 2]])
        histogram = shuffle_view(Victim(response, inputs), others)
        at = Epsilon.log(e)
        assert stick(p, q, e) == merged.delta(at) <= histogram.delta(at)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("e", [Fraction(3, 2), Fraction(3)])
@pytest.mark.parametrize("at", [Fraction(1), Fraction(2), Fraction(9)])
def test_the_optimal_delta_is_that_of_the_product(n, e, at):
    """`optimal_delta` beside the engine's divergence of n bits, each told with e / (1 + e)."""
    p, q = (
        [
            prod((e if bit == told else 1) / (1 + e) for bit in bits)
            for bits in product((0, 1), repeat=n)
        ]
        for told in (0, 1)
    )
    optimal = sum(comb(n, c) * max(0, e**c - at * e ** (n - c)) for c in range(n + 1))
    assert stick(p, q, at) == optimal / (1 + e) ** n


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("d", [Fraction(0), Fraction(1, 10), Fraction(1)])
@pytest.mark.parametrize("at", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_the_optimal_delta_of_approximate_steps_is_that_of_the_product(n, d, at):
    """`optimal_approximate_composition_attained` beside the divergence of all lists of outcomes."""
    e = Fraction(3)
    one = [(1 - d) * e / (1 + e), (1 - d) / (1 + e), d, Fraction(0)]
    other = [one[1], one[0], one[3], one[2]]
    p, q = ([prod(masses) for masses in product(law, repeat=n)] for law in (one, other))
    optimal = sum(comb(n, c) * max(0, e**c - at * e ** (n - c)) for c in range(n + 1))
    left = (1 - d) ** n
    true = sum(max(0, x - at * y) for x, y in zip(p, q, strict=True))
    assert true == 1 - left + left * optimal / (1 + e) ** n
    assert at < 1 or stick(p, q, at) == true


@pytest.mark.parametrize("m", [0, 1, 2, 3])
@pytest.mark.parametrize("e", [Fraction(1), Fraction(6, 5), Fraction(2)])
def test_sampling_without_replacement_leaves_the_part_m_of_n(m, e):
    """`subset_replaced` for a mechanism that sees the sum of m of three bits."""
    laws = [[Fraction(x) for x in row] for row in (CLOSE[0], CLOSE[1], FAR[0], FAR[1])]
    near = [(i, j) for i, j in product(range(m + 1), repeat=2) if abs(i - j) <= 1]
    d = max(stick(laws[i], laws[j], e) for i, j in near)

    def sampled(data):
        rows = [laws[sum(data[i] for i in places)] for places in combinations(range(3), m)]
        return [sum(column) / len(rows) for column in zip(*rows, strict=True)]

    rate = Fraction(m, 3)
    left = [
        stick(sampled(x), sampled(y), 1 + rate * (e - 1))
        for x, y in product(product((0, 1), repeat=3), repeat=2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    ]
    assert max(left) <= rate * d
    assert m not in (0, 3) or max(left) == rate * d
