"""Verdicts for readers: one HTML page, or Markdown, from the folder that an audit wrote."""

from exactdp.report.evidence import Certificate, Sides, sides
from exactdp.report.markdown import MARK, markdown
from exactdp.report.page import HEAD, html
from exactdp.report.reading import Claim, Paper, Reading, changes, read_baseline, read_results

__all__ = [
    "HEAD",
    "MARK",
    "Certificate",
    "Claim",
    "Paper",
    "Reading",
    "Sides",
    "changes",
    "html",
    "markdown",
    "read_baseline",
    "read_results",
    "sides",
]
