"""Guarantees as profiles, and the best guarantee that a profile keeps."""
