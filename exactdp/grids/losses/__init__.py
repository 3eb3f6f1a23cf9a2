"""The sum of independent privacy losses, on grids."""
