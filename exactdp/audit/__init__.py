"""Untrusted search: instances to verdicts, and the results that are kept."""

from exactdp.audit.run import (
    ClaimVerdict,
    audit_claim,
    found_text,
    inventory_changes,
    read_inventory,
    verdicts_document,
    write_inventory,
    write_results,
)
from exactdp.audit.trial import decide

__all__ = [
    "ClaimVerdict",
    "audit_claim",
    "decide",
    "found_text",
    "inventory_changes",
    "read_inventory",
    "verdicts_document",
    "write_inventory",
    "write_results",
]
