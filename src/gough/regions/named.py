"""Regions from the table `[[regions]]` of a machine file."""

from __future__ import annotations

from typing import Any

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.machine_parts import NamedRegion
from gough.regions.constructors import SIZES, region_of, union
from gough.regions.shapes import PoseRegion, Region


@checks_arguments
def named_regions(machine: Machine) -> dict[str, Region]:
    """The regions that the machine's file names under `[[regions]]`, by name; those of one name as a union.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    dict of str to PoseRegion or RegionUnion
        Empty where the file names none.

    Raises
    ------
    InputError
        A region of `machine.regions` that is no region, such as one with an angle above half a turn.

    """
    parts: dict[str, list[PoseRegion]] = {}
    for given in machine.regions:
        parts.setdefault(given.name, []).append(_region(given))
    return {name: found[0] if len(found) == 1 else union(*found, name=name) for name, found in parts.items()}


def _region(given: NamedRegion) -> PoseRegion:
    if given.shape not in SIZES:
        raise InputError(f"region {given.name!r}: shape {given.shape!r}, expected box, ball, cylinder or ellipsoid")
    turns: dict[str, Any] = {
        key: value if isinstance(value, str) else value.tolist() if value.ndim else float(value)
        for key, value in given.orientations.items()
    }
    how: dict[str, Any] = {**turns, "about": given.about, "reference": given.X, "name": given.name}
    return region_of(given.shape, given.X[:3, 3], given.sizes, given.axis, **how)
