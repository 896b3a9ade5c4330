"""Conditioning of poses: condition number, dexterity, manipulability and distance to a singularity.

A characteristic length l makes rotations comparable with translations: the Jacobian is that of [v, l w] of the platform
joints' centre, so that all its singular values have one unit.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.kinematics.rates import least_jacobian
from gough.limits.interval_search import reach_box
from gough.limits.margins import margins
from gough.limits.velocity_envelope import moved_to
from gough.poses import PoseLike, checked_matrices, one_pose
from gough.quantity import derived, quantity, result
from gough.results import Labelled, Result, returns_dataset
from gough.stacked import AnyMachine
from gough.workspaces.position_maps import Grid, Variables, map_over_positions, of_positions
from gough.workspaces.quadrature import Uncertain, mean_over_positions

SINGULAR = 1e-9
"""A pose is singular to rounding if its smallest singular value is below this part of the largest."""

CHARACTERISTIC = "Characteristic length l: root mean square distance of the platform joints from their mean."


@result
class Conditioning(Result):
    """Conditioning of poses (...).

    Attributes
    ----------
    machine : Machine

    """

    singular_values: Array = quantity(
        lambda of: of.units.get("singular_values", "1"), "mode",
        doc="Singular values of the Jacobian J_qV from [v, l w] of the platform joints' centre c to joint rates, "
        "descending: rows [u, R(b - c) x u / l] over u . p' + L' (1 for struts); NaN where a leg cannot close.",
    )  # fmt: skip
    distance: Array = quantity(
        "1", label="distance to a singularity", is_headline=True,
        doc="Smallest singular value of the six rows [u, R(b - c) x u / l], whatever drives them: the distance to a "
        "singularity as in `gough.margins`, without its sign.",
    )  # fmt: skip
    length: float = quantity("m", label="characteristic length", doc=CHARACTERISTIC)
    machine: AnyMachine

    @property
    def units(self) -> dict[str, str]:
        """Units of quantities that are not pure numbers: those of cranks, whose joint coordinates are angles."""
        if self.machine.stages[0].legs.joint == "length":
            return {}
        return {"manipulability": "(m/rad)^6", "singular_values": "rad/m"}

    @property
    @derived("", is_listed=False)
    def is_singular(self) -> NDArray[np.bool_]:
        """Whether the pose is singular: the legs do not hold the platform in every direction (...)."""
        return np.asarray(self.dexterity == 0.0)

    @property
    @derived("1", label="condition number", is_headline=True)
    def condition_number(self) -> Array:
        """Largest over smallest singular value (...), at least 1; infinite at a singular pose."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1.0 / self.dexterity)

    @property
    @derived("1", label="dexterity")
    def dexterity(self) -> Array:
        """One over the condition number (...), 0 to 1: the local conditioning index (Gosselin and Angeles 1991)."""
        return dexterity_of(self.singular_values)

    @property
    @derived(lambda of: of.units.get("manipulability", "1"), label="manipulability")
    def manipulability(self) -> Array:
        """One over the product of the singular values (...) [1, or (m/rad)^6]: |det| of the inverse matrix, from joint
        rates to [v, l w] (Yoshikawa 1985)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.is_singular, 0.0, 1.0 / self.singular_values.prod(axis=-1))


def dexterity_of(singular_values: Array) -> Array:
    """Return the smallest over largest singular value (...) of (..., 6), descending; 0 where singular to rounding."""
    largest, smallest = singular_values[..., 0], singular_values[..., -1]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(smallest <= SINGULAR * largest, 0.0, smallest / largest))


def scaled_singular_values(J: Array, length: float) -> Array:
    """Return singular values (..., 6), descending, of J diag(1, 1 / length), for Jacobians (..., 6, 6) from the twist
    of the platform joints' centre to joint rates; NaN where one is not finite."""
    scaled = J / np.repeat([1.0, length], 3)  # from [v, l w] instead of [v, w]
    values = np.full(J.shape[:-1], np.nan)
    is_known = np.isfinite(J).all(axis=(-1, -2))
    values[is_known] = np.linalg.svd(scaled[is_known], compute_uv=False)
    return values


@checks_arguments
def conditioning(machine: AnyMachine, X: PoseLike, *, length: float | None = None) -> Conditioning:
    """Compute the conditioning at poses.

    Singular values of J_qV diag(1, 1 / l) about the platform joints' centre (Salisbury and Craig 1982; the length l as
    in Angeles 2014).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    length : float, optional
        Characteristic length [m]; default the machine's, the root mean square distance of the platform joints from
        their centre.

    Returns
    -------
    Conditioning
        Its arrays (...) are NaN where a leg cannot close.

    Raises
    ------
    InputError
        A length that is not above zero; stages of which one has lengths and the other angles for joints.

    """
    weight = machine.characteristic_length if length is None else float(length)
    if not (np.isfinite(weight) and weight > 0):
        raise InputError(f"length {weight:g} m: expected a length above zero")
    matrices = checked_matrices(X)
    J = moved_to(least_jacobian(machine, matrices), machine.end_pose(matrices), machine.stages[-1].platform_centre)
    values = scaled_singular_values(J, weight)
    parts = margins(machine, matrices).stages
    # The last margin is that of the singularity: signed singular value less its bound.
    signed = [
        part.values[..., -1] + stage.limits.singular_value for part, stage in zip(parts, machine.stages, strict=True)
    ]
    return Conditioning(values, np.abs(signed).min(axis=0), weight, machine)


@returns_dataset
@checks_arguments
def conditioning_map(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    length: float | None = None,
    **grid: Unpack[Grid],
) -> Labelled:
    """Compute the conditioning over a grid of positions of the point of interest at one orientation.

    Parameters
    ----------
    machine : Machine
    length : see `conditioning`.
    orientation, **grid : see `gough.workspaces.map_over_positions`.

    Returns
    -------
    xarray.Dataset
        Over x, y, z, NaN where not allowed: `distance_to_singularity`, `condition_number`, `dexterity`,
        `manipulability`, and `singular_values` over `value`. Attributes: `characteristic_length_m`, and
        `global_conditioning_index`, the mean dexterity over the allowed positions between the axes' ends, or of the
        slice (Gosselin and Angeles 1991), by columns with exact ends and not from the grid, with its estimated error
        `global_conditioning_index_error`; NaN for a single position.

    """

    def of_poses(poses: Array) -> Variables:
        found = conditioning(machine, poses, length=length)
        inverse, unit = (found.units.get(name, "1") for name in ("manipulability", "singular_values"))
        return {
            "distance_to_singularity": of_positions(found.distance, "1", "smallest singular value of the rods"),
            "condition_number": of_positions(found.condition_number, "1", "condition number"),
            "dexterity": of_positions(found.dexterity, "1", "one over the condition number"),
            "manipulability": of_positions(found.manipulability, inverse, "manipulability"),
            "singular_values": of_positions(found.singular_values, unit, "singular values, falling", "value"),
        }

    found = map_over_positions.labelled(machine, of_poses, orientation, **grid)
    mean = _mean_dexterity(machine, orientation, found, length, is_z_given=grid.get("z") is not None)
    found.attrs.update(
        characteristic_length_m=machine.characteristic_length if length is None else float(length),
        global_conditioning_index=mean.value,
        global_conditioning_index_error=mean.error,
    )
    return found


def _mean_dexterity(
    machine: AnyMachine, orientation: PoseLike | None, found: Labelled, length: float | None, *, is_z_given: bool
) -> Uncertain:
    """Mean over the box of the map's axes; where z is not given, over all heights that the legs can reach."""
    X = one_pose(orientation, machine.end_home)
    low, high = (np.array([float(found[axis].values[k]) for axis in "xyz"]) for k in (0, -1))
    if not is_z_given:
        low[2], high[2] = (corner[2] for corner in reach_box(machine, X[:3, :3]))
    if not (high > low).any() or not found["is_allowed"].values.any():
        return Uncertain(np.nan, np.nan)
    return mean_over_positions(
        machine, X[:3, :3], low, high, lambda poses: conditioning(machine, poses, length=length).dexterity
    )
