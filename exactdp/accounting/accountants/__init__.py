"""Shared parts of the accountants that have the names of other libraries."""
