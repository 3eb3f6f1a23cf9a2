"""Habits of our texts that readers stumble over, counted: each has a bar, which only goes down."""

import ast
import re
import tomllib
from functools import lru_cache

import pytest

from tests.architecture.test_sources import ROOT, name_of, sources
from tests.architecture.trees import tree

BARS = tomllib.loads((ROOT / "tests" / "architecture" / "english.toml").read_text("utf-8"))
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")

SENTENCE = re.compile(r".*?[.?](?=\s|$)", re.DOTALL)
VERBLESS = re.compile(
    r"(?:The|An?|What|Why|Whether|Of|At|One|All|No|Each|Some|Both|Its|Itself|Always|Never|Those|"
    r"That|Every|See)\b|[^A-Z]"
)
"""How a text begins that does not say what a function does: with a noun, a symbol or an adverb."""
HEADLESS = re.compile(
    r"(?:Whether|Why|How|Where|That|Those|These|The same|Itself|Never|Always|As|Of|In|None|Over|"
    r"1|0|What)\b|[^\w`(−]|.{1,3}$"
)
"""How a text on a module, a class or an attribute begins that is a fragment: it names nothing."""
NO = re.compile(r"(?<!\bthere )\b(?:is|are) no (?!more\b|longer\b|other\b|farther\b|larger\b)")


@lru_cache(maxsize=1)
def documented(module):
    """Return each module, class and function that has a docstring, with its first sentence."""
    sentences = []
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            if text:
                paragraph = " ".join(text.partition("\n\n")[0].split())
                found = SENTENCE.match(paragraph)
                sentences.append((node, found[0] if found else paragraph))
    return sentences


def is_function(node):
    """Whether a node is a function that is not read as an attribute."""
    decorators = [ast.unparse(one) for one in getattr(node, "decorator_list", ())]
    return isinstance(node, ast.FunctionDef) and not any("property" in x for x in decorators)


def messages(module):
    """Yield the texts that are printed or raised: strings that do not stand alone."""
    alone = {id(one.value) for one in ast.walk(module) if isinstance(one, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def first_sentences_with_what(module):
    return [text for _, text in documented(module) if re.search(r"\bwhat(ever)?\b", text, re.I)]


def functions_without_a_verb(module):
    return [text for node, text in documented(module) if is_function(node) and VERBLESS.match(text)]


def fragments(module):
    return [
        text for node, text in documented(module) if not is_function(node) and HEADLESS.match(text)
    ]


def messages_with_is_no(module):
    return [text for text in messages(module) if NO.search(text)]


COUNTS = (first_sentences_with_what, fragments, functions_without_a_verb, messages_with_is_no)


@pytest.mark.parametrize("folder", ["exactdp", "proofs_check", "tests"])
def test_a_habit_is_no_more_frequent_than_its_bar(folder):
    found = {habit.__name__: [] for habit in COUNTS}
    for path in sources(folder):
        for habit in COUNTS:
            found[habit.__name__] += [f"{name_of(path)}: {x}" for x in habit(tree(path))]
    more = {name: texts for name, texts in found.items() if len(texts) > BARS[folder].get(name, 0)}
    assert more == {}


def test_words_of_ours_are_few():
    table = PAGE.partition("## Words of ours")[2].partition("\n## ")[0]
    entries = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]
    words = [word for entry in entries for word in re.split(", | or ", entry)]
    assert 0 < len(words) <= BARS["words_of_ours"]


SHORT = '''
def f():
    """{text}"""
    raise ValueError("x is no number")

class A:
    """{named}"""
'''


def test_each_habit_is_seen():
    module = ast.parse(SHORT.format(text="The sum of what is left.", named="Whether it is."))
    assert [len(habit(module)) for habit in COUNTS] == [1, 1, 1, 1]
    good = SHORT.format(text="Return the sum.", named="A sum.").replace("is no", "is not a")
    assert [len(habit(ast.parse(good))) for habit in COUNTS] == [0, 0, 0, 0]
    assert not functions_without_a_verb(
        ast.parse("class A:\n    @property\n    def f(self): '''a.'''")
    )
