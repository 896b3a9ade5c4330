"""Trade-off of travel against orientation: the largest region of positions for each of several angles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.regions.certificate import MOST_BOXES
from gough.regions.largest import LargestRegion, largest_region
from gough.regions.requested import RequestedLimit
from gough.regions.shapes import PoseRegion


@checks_arguments
def travel_tradeoff(
    machine: Machine,
    region: PoseRegion,
    angles: ArrayLike,
    *,
    place: Literal["given", "best"] = "given",
    rtol: float = 1e-3,
    ignore: tuple[str, ...] = (),
    also: Sequence[RequestedLimit] | RequestedLimit = (),
    max_boxes: int = MOST_BOXES,
) -> tuple[LargestRegion, ...]:
    """The largest positions of a region, in proportion, for each of several angles of its orientations.

    Parameters
    ----------
    machine : Machine
    region : PoseRegion
        Its shape of positions is scaled, and its orientations as one, so that the largest half-angle is each angle.
    angles : (n,) array
        [rad].
    place, rtol, ignore, also, max_boxes
        As of `gough.largest_region`.

    Returns
    -------
    tuple of LargestRegion
        One for each angle; `.region.half[:3]` are the half widths there [m].

    Raises
    ------
    InputError
        The region has no extent of positions or of orientations, or an angle is out of range.

    """
    widest = float(region.half[3:].max())
    if not (widest > 0 and region.half[:3].any()):
        raise InputError("a trade-off needs a region of positions and of orientations, such as a box with a tilt")
    found = []
    for angle in np.atleast_1d(np.asarray(angles, dtype=float)).ravel():
        if not 0 <= angle <= np.pi:
            raise InputError(f"angle {angle:g} rad: expected an angle from 0 to pi")
        turned = region.scaled(float(angle) / widest, "orientations")
        how: dict[str, Any] = {"place": place, "rtol": rtol, "ignore": ignore, "also": also, "max_boxes": max_boxes}
        found.append(largest_region(machine, turned, scaled="positions", **how))
    return tuple(found)
