"""Views of any number of users by enclosures: exactly one law, a sum of scores, or between ends."""
