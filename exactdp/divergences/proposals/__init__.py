"""What doubles propose where balls decide: nothing rests on it."""
