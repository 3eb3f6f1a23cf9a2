"""One file a library: what to write to ask it. None imports its library."""
