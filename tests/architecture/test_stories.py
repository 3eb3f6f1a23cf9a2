"""The table of stories in docs/architecture.md is what is run."""

import pytest

from tests.architecture.stories import STORIES, counted, kept

NEEDS = {"promise": "dp_accounting"}
SLACK = 0.02
"""Python's versions count a few lines of comprehensions otherwise."""


@pytest.mark.parametrize("name", STORIES)
def test_a_story_is_as_long_as_the_page_says(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    asked, found = STORIES[name][0], counted(name)
    for what, count in kept()[asked].items():
        assert abs(found[what] - count) <= max(1, SLACK * count), (
            f"{asked}: {found[what]} {what}, {count} in docs/architecture.md. "
            "Run python tests/architecture/stories.py --keep, and say why it grew."
        )


def test_all_stories_are_in_the_table():
    assert list(kept()) == [asked for asked, _, _ in STORIES.values()]
