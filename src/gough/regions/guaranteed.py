"""Guaranteed region for the headline of a datasheet: a box of positions, with rotations about any axis, proven."""

from __future__ import annotations

from math import floor, log10

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.travel import travel_table
from gough.machine import Machine
from gough.present.show import fitting
from gough.present.units import file_unit, rounded, unit_of
from gough.quantity import quantity, result
from gough.regions.constructors import box
from gough.regions.proof import RegionProof, certify_region
from gough.regions.shapes import PoseRegion
from gough.results import Result

DIGITS = 2
"""Significant digits of half widths and angle, in the units of the machine's file."""
CLOSE = 1 / 64
"""Relative tolerance of the smallest share that is refuted."""
STEPS = (0.99, 0.95, 0.88, 0.8, 0.65, 0.5, 0.3, 0.1)
"""Parts of that share for which a proof is tried, from the largest on."""
HALVINGS = 14
"""Most bisections of that share: none below a ten-thousandth is tried."""
MOST_BOXES = 400
"""Boxes in the proof of one share: some ten milliseconds of work."""
FEW_BOXES = 1
"""Boxes where only a refutation is wanted: it comes with the first, or late."""
SPARE = 1e-9
"""Part of the last digit that is added before rounding towards zero, so that a number of two digits stays itself."""


@result
class GuaranteedRegion(Result):
    """A box of positions of the point of interest about home, with rotations about any axis, in which every limit is
    kept.

    Attributes
    ----------
    proof, refutation : RegionProof or None
        Of the region, and of the larger one, as far as there is one.
    machine : Machine

    """

    half_widths: Array = quantity(
        "m", "axis", frame="base",
        doc="Half sides along the base's axes of the box of positions of the point of interest, about that at home: "
        "`share` times the travel that both senses along each axis have, rounded towards zero to two digits in the "
        "units of the machine's file.",
    )  # fmt: skip
    turn: float = quantity(
        "rad",
        doc="Largest angle of the rotation vector, of any axis, from home's orientation: `share` times the travel that "
        "both senses about the three axes have, the least of the three, rounded so too.",
    )  # fmt: skip
    share: float = quantity(
        "1",
        doc="The part of the travel along and about single axes that this is, before half widths and angle are "
        "rounded towards zero to two digits in the units of the machine's file; 0 where nothing was proven.",
    )  # fmt: skip
    refuted: float = quantity(
        "1", doc="The smallest share found at which the region breaks a limit; inf if there is none."
    )
    proof: RegionProof | None
    refutation: RegionProof | None
    machine: Machine

    def sentence(self) -> str:
        """Format the headline, in the units of the machine's file."""
        if self.proof is None:
            return "no region in proportion to the travel was proven"
        turned = f" with ±{self.turn_in_words()} about any axis" if self.turn else ""
        singular = ", but singular" * self.proof.is_singular
        return f"anywhere in ±{self.half_widths_in_words(' x ±')}{turned}: proven{singular}"

    def half_widths_in_words(self, between: str = " / ") -> str:
        """Format the half widths with their unit."""
        m, unit = self.machine, fitting(self.machine, self.half_widths, "m")
        return f"{between.join(rounded(m, float(half), unit) for half in self.half_widths)} {file_unit(m, unit)}"

    def turn_in_words(self) -> str:
        """Format the angle with its unit."""
        unit = fitting(self.machine, self.turn, "rad")
        return f"{rounded(self.machine, self.turn, unit)} {file_unit(self.machine, unit)}"


@checks_arguments
def guaranteed_region(machine: Machine, *, max_boxes: int = MOST_BOXES) -> GuaranteedRegion:
    """Compute a proven region about home for a datasheet's headline, in all six coordinates at the same time.

    By definition every pose of it keeps every limit, proven as in `certify_region`. A box of positions of the point of
    interest, times all rotation vectors up to an angle. Its half widths are one share of the travel from home along x,
    y and z, its angle the same share of the smallest travel about them; a travel is the shorter one of both senses. An
    axis without an end takes the shortest travel of its kind. The share is the largest that is found proven. Half
    widths and angle are rounded towards zero to two digits in the units of the machine's file, and the region of the
    rounded numbers is certified.

    Parameters
    ----------
    machine : Machine
    max_boxes : int
        Most boxes of each proof: more come nearer to the largest share.

    Returns
    -------
    GuaranteedRegion
        Without a proof if home breaks a limit, no travel has an end, or nothing was proven.

    Raises
    ------
    InputError
        `max_boxes` below one.

    """
    if max_boxes < 1:
        raise InputError(f"max_boxes {max_boxes}: expected one box or more")
    reach = _reach(machine)
    if not reach.any():
        return GuaranteedRegion(np.zeros(3), 0.0, 0.0, np.inf, None, None, machine)
    # Refutations are quick and bound the share from above; proofs are tried a little below the smallest refuted share.
    refuted, refutation = _refuted(machine, reach)
    for step in STEPS:
        share = step * min(refuted, 1.0)
        half = _towards_zero(machine, share * reach)
        proof = certify_region(machine, _region(machine, half), max_boxes=max_boxes) if half.any() else None
        if proof is not None and proof.is_proven:
            return GuaranteedRegion(half[:3], float(half[3]), share, refuted, proof, refutation, machine)
    return GuaranteedRegion(np.zeros(3), 0.0, 0.0, refuted, None, refutation, machine)


def _reach(machine: Machine) -> Array:
    """Travel (4,) in both senses along x, y and z [m], and about any of them [rad]; zeros where none has an end."""
    both = np.array([min(-row.minus, row.plus) for row in travel_table(machine)])
    along, about = both[:3], both[3:]
    if not np.isfinite(along).any():
        return np.zeros(4)
    along = np.where(np.isfinite(along), along, along[np.isfinite(along)].min())
    return np.append(along, min(float(about.min()), np.pi))


def _region(machine: Machine, half: Array) -> PoseRegion:
    return box(
        machine.home_point, half[:3], turn=float(half[3]), about=machine.point_of_interest, reference=machine.X_home
    )


def _refuted(machine: Machine, reach: Array) -> tuple[float, RegionProof | None]:
    """The smallest share found at which a limit is broken, with its refutation; infinite if none up to 1 is refuted."""
    low, high, refutation = 0.0, 2.0, None
    for _ in range(HALVINGS):
        if low >= 1.0 or high - low <= CLOSE * high:
            break
        share = (low + high) / 2
        found = certify_region(machine, _region(machine, share * reach), max_boxes=FEW_BOXES)
        if found.verdict == "refuted":
            high, refutation = share, found
        else:
            low = share
    return np.inf if refutation is None else high, refutation


def _towards_zero(machine: Machine, half: Array) -> Array:
    """Half widths and angle (4,) rounded towards zero to two digits in the units of the machine's file."""
    rounded_down = np.zeros(4)
    for k, unit in enumerate(("m", "m", "m", "rad")):
        size = unit_of(machine.units, unit)[0]
        value = float(half[k] / size)
        if value > 0.0:
            power = floor(log10(value)) - DIGITS + 1
            # By way of text: the number nearest to the decimals, which a product with a power of ten may miss.
            rounded_down[k] = float(f"{floor(value * 10.0**-power + SPARE)}e{power}") * size
    return rounded_down
