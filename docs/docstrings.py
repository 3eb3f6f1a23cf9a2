"""Docstrings as the reference shows them: an extension of griffe, named in mkdocs.yml."""

import re
from typing import Any

import griffe

FORMULA = re.compile(r"^( *)Formula:\n((?:\1 +\S.*\n|\n)+)", re.MULTILINE)
ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?([\w.]+)`")


def as_markdown(text: str) -> str:
    """Return a docstring in which formulas, examples and roles are what Markdown knows."""
    text = ROLE.sub(lambda match: f"`{match[1].removeprefix('exactdp.')}`", text)
    text, *examples = re.split(r"^Examples?:$", text, maxsplit=1, flags=re.MULTILINE)
    text = FORMULA.sub(_in_a_block, text + "\n").replace("][", "]\\[")  # no link is meant
    return "Examples:".join([text, *examples])


def _in_a_block(match: re.Match[str]) -> str:
    indent, body = match.groups()
    inner = indent + 4 * " "
    return f"{indent}Formula:\n{inner}```text\n{body.rstrip()}\n{inner}```\n\n"


class AsMarkdown(griffe.Extension):
    """Changes every docstring before it is parsed."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
