"""Untrusted search: instances to verdicts, and the results that are kept."""

from exactdp.audit.run import (
    ClaimVerdict,
    audit_claim,
    audit_claims,
    certificate_name,
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
    "audit_claims",
    "certificate_name",
    "decide",
    "found_text",
    "inventory_changes",
    "read_inventory",
    "verdicts_document",
    "write_inventory",
    "write_results",
]
