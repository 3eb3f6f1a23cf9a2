"""DP-SGD: its steps, its batches, and the noise that it takes."""
