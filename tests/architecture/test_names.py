"""A public name has one meaning: no two modules of exactdp define it."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TWICE = {
    "Accountant": "in the place of that of dp_accounting, of opacus; what compare asks",
    "compare": "the command, and what it runs",
    "main": "of the command, and of the script that starts it",
    "solve": "the command, and what it runs",
}
"""Name -> why it stands in several files: one meaning. The list only shrinks."""


def defined(module):
    """What a module lists in ``__all__`` and defines itself; constants in capitals apart."""
    listed, own = [], set()
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            own.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        own |= {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Assign) and ast.unparse(targets[0]) == "__all__":
            listed = ast.literal_eval(node.value)
    return {name for name in listed if name in own and not name.isupper()}


def defined_twice(modules):
    """Name -> the modules that define it, if these are several."""
    found = defaultdict(list)
    for place, module in modules.items():
        for name in defined(module):
            found[name].append(place)
    return {name: places for name, places in found.items() if len(places) > 1}


def test_a_public_name_has_one_meaning():
    files = (ROOT / "exactdp").rglob("*.py")
    found = defined_twice({str(path): ast.parse(path.read_text("utf-8")) for path in files})
    assert {name: places for name, places in found.items() if name not in TWICE} == {}


def test_a_second_meaning_is_found():
    texts = {
        "a": "__all__ = ['MAX', 'Law', 'f', 'g']\nMAX = 1\nLaw = int\ndef f(): ...",
        "b": "__all__ = ['MAX', 'Law', 'f', 'g']\nMAX = 2\nclass Law: ...\ndef g(): ...",
        "front": "from a import Law, f\n__all__ = ['Law', 'f']",
    }
    modules = {place: ast.parse(text) for place, text in texts.items()}
    assert defined_twice(modules) == {"Law": ["a", "b"]}


CORE = "numbers distributions sums divergences mechanisms shuffle accounting pufferfish"


def test_a_file_of_the_core_has_a_name_of_its_own():
    places = defaultdict(list)
    for room in (ROOT / "exactdp" / name for name in CORE.split()):
        for path in room.rglob("[a-z]*.py"):
            places[path.name].append(path)
    assert len(places) > 200
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
