"""The trials of the paper's claims.

Its order: ``section_3``, ``theorem_1``, ``sections_4_and_5``, ``section_5_1_1`` to ``_3``,
``section_5_2_utility``, ``section_5_2_choice``, ``section_6``,
``section_6_2``.
"""
