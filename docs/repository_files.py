"""Pages of the site that are files of the repository, with links that lead somewhere on the site.

A page whose whole text is ``--8<-- "FILE"`` shows that file. Its links to pages of ``docs/``, and
to files that other pages show, lead to these pages; a link to any other file keeps its words alone.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

_SHOWN = re.compile(r'--8<-- "([\w./-]+)"\s*')
_LINK = re.compile(r"\[([^\]]+)\]\(([\w./-]+\.[a-z]+)(#[\w-]+)?\)")


def on_page_markdown(markdown: str, *, page: Any, files: Any, **_: Any) -> str | None:
    """Return the text of the file that a page shows; None for a page of its own."""
    shown = _SHOWN.fullmatch(markdown)
    if shown is None:
        return None
    pages = {f"docs/{one.src_uri}": one.src_uri for one in files.documentation_pages()}
    for one in files.documentation_pages():
        if other := _SHOWN.fullmatch(one.content_string):
            pages[other[1]] = one.src_uri
    here = posixpath.dirname(page.file.src_uri) or "."

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found.groups()
        leads = posixpath.normpath(posixpath.join(posixpath.dirname(shown[1]), target))
        if leads not in pages:
            return words
        return f"[{words}]({posixpath.relpath(pages[leads], here)}{anchor or ''})"

    return _LINK.sub(link, Path(shown[1]).read_text(encoding="utf-8"))
