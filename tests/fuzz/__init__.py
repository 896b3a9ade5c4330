"""Random input of every kind that Gough reads: `python -m tests.fuzz 100000 --seed 1`."""
