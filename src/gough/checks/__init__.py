"""Arguments of public functions, checked against their annotations."""
