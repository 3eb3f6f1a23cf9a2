"""Writes certificates in the kernel's format; checks nothing itself."""

from exactdp.certificates.certificate import (
    FORMAT,
    Certificate,
    Relation,
    relation,
    write_atomically,
)
from exactdp.certificates.terms import (
    Scalar,
    Term,
    event,
    finite_pair,
    function,
    hockey_stick,
    ldp_ratio,
    mass,
    positive_part,
    ref,
    shuffle_pair,
    term,
)

__all__ = [
    "FORMAT",
    "Certificate",
    "Relation",
    "Scalar",
    "Term",
    "event",
    "finite_pair",
    "function",
    "hockey_stick",
    "ldp_ratio",
    "mass",
    "positive_part",
    "ref",
    "relation",
    "shuffle_pair",
    "term",
    "write_atomically",
]
