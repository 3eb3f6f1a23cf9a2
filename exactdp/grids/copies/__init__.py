"""The sum of many independent copies of a finite variable, on grids."""
