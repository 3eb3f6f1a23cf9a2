"""The trials of the paper's claims.

Its order: ``abstract``, ``section_3``, ``table_ii_references``, ``table_ii``, ``section_4``,
``section_5a``, ``equation_10``, ``section_5c``, ``table_iv``, ``appendix_a``.
"""
