"""Claims and certificates in Coq: the exporters, and the theorems that proofs cite.

``statements`` writes a claim's relation, ``values`` data and ``terms`` a certificate's terms;
``certificates`` are files that Coq checks, ``claims_in_numbers`` proofs by interval arithmetic,
``meanings`` the comparison of a quantity's two meanings at ``instances`` that tell them apart;
``theorems`` are the grounds of proofs that the shipped theory states.
"""

__all__: list[str] = []
