"""`gough check`."""

from __future__ import annotations

from gough.cli import options


def check(machine: options.Machine) -> None:
    """Say what a machine file means, or everything that is wrong with it."""
    import gough
    from gough.description.describe import describe

    for section in describe(gough.load(machine)):
        print(section)
