"""The trials of the paper's claims.

Its order: ``section_1``, ``section_2``, ``closeness``, ``section_3``, ``theorem_6``,
``section_4``, ``theorem_7_bounds``, ``theorem_8``, ``theorem_8_steps``, ``theorem_7``,
``section_4_remark``, ``section_4_1``.
"""
