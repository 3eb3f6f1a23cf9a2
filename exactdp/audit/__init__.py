"""Untrusted search: instances to verdicts, and the results that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
    from exactdp.audit.claim_verdict import ClaimVerdict, certificate_name
    from exactdp.audit.history import since, table
    from exactdp.audit.inventory import (
        folder_to_keep,
        inventory_changes,
        inventory_of,
        read_inventory,
        renew_doubles,
        write_inventory,
    )
    from exactdp.audit.kept import kept_evidence
    from exactdp.audit.labels import Label, read_label
    from exactdp.audit.records import doubles_of, facts_of, verdicts_document
    from exactdp.audit.run import audit_claim, audit_claims, write_results
    from exactdp.audit.trial import decide, found_text

__all__ = [
    "ClaimVerdict",
    "Label",
    "audit_claim",
    "audit_claims",
    "certificate_name",
    "decide",
    "doubles_of",
    "facts_of",
    "folder_to_keep",
    "found_text",
    "inventory_changes",
    "inventory_of",
    "kept_evidence",
    "read_inventory",
    "read_label",
    "renew_doubles",
    "since",
    "table",
    "verdicts_document",
    "write_inventory",
    "write_results",
]

_lazy_door(
    globals(),
    {
        "claim_verdict": "ClaimVerdict certificate_name",
        "history": "since table",
        "inventory": "folder_to_keep inventory_changes inventory_of read_inventory renew_doubles "
        "write_inventory",
        "kept": "kept_evidence",
        "labels": "Label read_label",
        "records": "doubles_of facts_of verdicts_document",
        "run": "audit_claim audit_claims write_results",
        "trial": "decide found_text",
    },
)
