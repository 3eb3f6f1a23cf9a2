"""Papers on trial, one folder each, and the kernel that checks their certificates."""
