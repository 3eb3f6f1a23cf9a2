"""Groups of records: what a mechanism for one says of several."""
