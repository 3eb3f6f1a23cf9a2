"""Untrusted search: instances to verdicts, and the results that are kept."""

from exactdp.audit.labels import Label, read_label
from exactdp.audit.run import (
    ClaimVerdict,
    audit_claim,
    audit_claims,
    certificate_name,
    folder_to_keep,
    inventory_changes,
    read_inventory,
    verdicts_document,
    write_inventory,
    write_results,
)
from exactdp.audit.trial import decide, found_text

__all__ = [
    "ClaimVerdict",
    "Label",
    "audit_claim",
    "audit_claims",
    "certificate_name",
    "decide",
    "folder_to_keep",
    "found_text",
    "inventory_changes",
    "read_inventory",
    "read_label",
    "verdicts_document",
    "write_inventory",
    "write_results",
]
