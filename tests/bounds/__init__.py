"""Attacks on every bound: thousands of places inside its domain, and descent from the worst of them.

    python -m tests.bounds 100000                   each bound on each machine, so many tries
    python -m tests.bounds 100000 paths journeys    these bounds alone; it prints how closely bounds are reached

A bound claims that some quantities stay below `most` wherever in a cube [-1, 1]^d of its domain they are looked at.
The domain's size, from a millionth of the machine to more than its half, and its place are drawn at random.
"""
