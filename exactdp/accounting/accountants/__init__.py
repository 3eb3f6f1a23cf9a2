"""What accountants with the names of other libraries share."""
