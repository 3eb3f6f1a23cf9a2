"""Groups of records: bounds for several records from a mechanism for one."""
