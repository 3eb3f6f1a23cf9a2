"""Verdicts for readers: one HTML page, or Markdown, from the folder that an audit wrote."""

from exactdp.report.evidence import Between, KeptCertificate
from exactdp.report.looseness import Setting
from exactdp.report.markdown import MARK, markdown
from exactdp.report.page import HEAD, html
from exactdp.report.reading import (
    Reading,
    ReportedClaim,
    ReportedPaper,
    changes,
    read_baseline,
    read_results,
)

__all__ = [
    "HEAD",
    "MARK",
    "Between",
    "KeptCertificate",
    "Reading",
    "ReportedClaim",
    "ReportedPaper",
    "Setting",
    "changes",
    "html",
    "markdown",
    "read_baseline",
    "read_results",
]
