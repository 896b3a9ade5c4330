"""The largest region of a given shape in which every limit is kept, proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.regions.certificate import MOST_BOXES, certify_region
from gough.regions.proof import RegionProof
from gough.regions.shapes import Region
from gough.results import Quantities, Result

MOST_SCALES = 100
"""That are tried towards one boundary."""
LARGEST = 1e6
"""Scale beyond which nothing is tried, and below one over which neither."""


@dataclass(frozen=True, eq=False)
class LargestRegion(Result):
    """How far a region can be scaled about its centre.

    Attributes
    ----------
    scale : float
        The largest factor found for which the region is proven; 0 where none is.
    refuted : float
        The smallest factor found for which it is refuted; inf where none is.
    region : PoseRegion or RegionUnion
        The region at `scale`.
    proof, refutation : RegionProof or None
        Of the two factors.
    machine : Machine

    """

    QUANTITIES: ClassVar[Quantities] = {"scale": "1", "refuted": "1"}

    scale: float
    refuted: float
    region: Region
    proof: RegionProof | None
    refutation: RegionProof | None
    machine: Machine

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self) -> str:
        """Both factors, and the limit that ends the larger one."""
        if self.proof is None:
            return f"no size of the region is proven; refuted from {self.refuted:.6g} times its size"
        end = "" if self.refutation is None else f"; {self.refuted:.6g} times is too large ({self.refutation.limit})"
        return f"proven at {self.scale:.6g} times its size{end}"


@checks_arguments
def largest_region(
    machine: Machine,
    region: Region,
    *,
    scaled: Literal["all", "positions", "orientations"] = "all",
    rtol: float = 1e-3,
    ignore: tuple[str, ...] = (),
    max_boxes: int = MOST_BOXES,
) -> LargestRegion:
    """The largest scale of a region, about its centre, at which every pose of it keeps every limit.

    By doubling and bisection: regions of one centre and shape are within one another, so that what is proven at one
    scale is at every smaller one, and what is refuted is at every larger one. Half widths of zero stay.

    Parameters
    ----------
    machine : Machine
    region : PoseRegion or RegionUnion
        Its centre and shape; of a union each part is scaled about its own centre.
    scaled : {"all", "positions", "orientations"}
        What is scaled; the rest stays as it is, for trade-offs of travel against tilt.
    rtol : float
        Relative distance of the two factors at which the search ends.
    ignore : tuple of str
        Names of limits that do not count.
    max_boxes : int
        Of each proof.

    Returns
    -------
    LargestRegion
        `scale` is proven and `refuted` is refuted; farther apart than `rtol` where proofs between them are undecided.

    Raises
    ------
    InputError
        `rtol` out of range; a region without extent.

    """
    if not 1e-12 <= rtol < 1:
        raise InputError(f"rtol {rtol:g}: expected a relative distance from 1e-12 to 1")
    if not any(part.half.any() for part in region.regions):
        raise InputError("the region has no extent: it is one pose, and has no scale")
    tried: dict[float, RegionProof] = {}

    def verdict(scale: float) -> str:
        tried[scale] = certify_region(machine, region.scaled(scale, scaled), ignore=ignore, max_boxes=max_boxes)
        return tried[scale].verdict

    low, end = _boundary(lambda scale: verdict(scale) == "proven", 0.0, np.inf, rtol)
    high = end if np.isinf(end) or tried[end].verdict == "refuted" else np.inf
    if np.isinf(high):
        _, high = _boundary(lambda scale: verdict(scale) != "refuted", low, np.inf, rtol)
    return LargestRegion(low, high, region.scaled(low, scaled), tried.get(low), tried.get(high), machine)


def _boundary(holds: Callable[[float], bool], low: float, high: float, rtol: float) -> tuple[float, float]:
    """Scales for which something holds and holds no more, relatively `rtol` apart; 0 and infinity where there is none.

    From 1 by factors of two towards the boundary, then by bisection.
    """
    for _ in range(MOST_SCALES):
        if low > LARGEST or high < 1 / LARGEST or high - low <= rtol * high < np.inf:
            break
        scale = 1.0 if np.isinf(high) and low == 0 else 2 * low if np.isinf(high) else (low + high) / 2
        low, high = (scale, high) if holds(scale) else (low, scale)
    return low, high
