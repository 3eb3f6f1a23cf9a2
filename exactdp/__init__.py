"""exactdp: exact verification of differential privacy."""
