"""Limits of actuator forces and of stiffnesses over regions, with the weights of platform and legs as functions of
the pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point
from gough.errors import InputError
from gough.limits.quantities import Limited
from gough.limits.rods import Pose, Quantity, Rods, cross, dot
from gough.limits.table import Column, limit_table
from gough.limits.velocity_envelope import inverse_jacobian_at
from gough.machine import Machine
from gough.machine_parts import LegBodies
from gough.regions.requested import RequestedLimit, VectorSet
from gough.regions.singularity import positive_definite, twists
from gough.statics.capacity import actuator_forces, leg_forces
from gough.statics.stiffness import leg_stiffness, principal_stiffness, stiffness


def weights(machine: Machine, rods: Rods, pose: Pose, point: Array, g: Array) -> tuple[Quantity, Quantity]:
    """Return wrench (6, n) on the platform about one of its points (3,), and forces (6, n) along the joint coordinates,
    of all bodies with known masses under the acceleration of free fall g (3,); `rods` are all legs (6, n)."""
    body, fall = machine.platform, g[:, None, None]
    parts: list[tuple[Quantity, Quantity]] = []
    if body is not None:
        down = body.mass * g[:, None]
        parts.append((down, cross(pose.turned((body.mass_centre - point)[:, None]), down)))
    along: Quantity = 0.0 * rods.length
    arms = pose.spread().turned(rods.b_P - point[:, None, None])
    for part, bodies in machine.leg_bodies.items():
        slide, at_joint = _leg_part(machine, rods, part, bodies, fall)
        along = along + slide
        if at_joint is not None:
            parts.append((at_joint.sum(1), cross(arms, at_joint).sum(1)))
    nothing = 0.0 * pose.p
    force, moment = (sum((each[k] for each in parts), nothing) for k in (0, 1))
    return np.concatenate([force, moment]), along


def _leg_part(
    machine: Machine, rods: Rods, part: str, body: LegBodies, fall: Array
) -> tuple[Quantity, Quantity | None]:
    """Forces along the joint coordinates (6, n), and on the platform joints (3, 6, n) if there are any.

    With r the arm of the mass centre and the moment m = r x g, the transpose of the matrix from velocities of the
    platform joint to angular velocities of the rod (`gough.statics.weights`) maps m to

        (1 - u u^T) (m x u - (n x u) (u . m) / (u . n)) / L
    """
    legs, mass = machine.legs, body.mass[:, None]
    end, twist, at_zero = legs.attached_to[part], legs.carrier_twist().T[..., None], legs.carriers(np.zeros(6))
    if end == "carrier":
        arm = rods.carried((at_zero[:, :3, :3] @ body.mass_centre[..., None])[..., 0].T[..., None])
        return (dot(cross(arm, fall), twist[3:]) + dot(twist[:3], fall)) * mass, None
    per_length, centre = rods.per_length, body.mass_centre.T[..., None]
    u = rods.d * per_length
    # Rotation about the rod matters only for mass centres off the rod: for others x is across u, and `spin` is zero.
    across_rod = bool(body.mass_centre[:, :2].any())
    r = u * centre[2]
    if across_rod:
        e = rods.carried(np.asarray(machine.joint_axis).T[..., None])
        y = cross(u, e)
        y = y / np.sqrt(dot(y, y))
        n = cross(e, y)
        r = r + cross(y, u) * centre[0] + y * centre[1]
    x = cross(r, fall)
    # x is the moment m: forces at the platform joint with the same power.
    pull = cross(x, u)
    spin: Quantity = 0.0
    if across_rod:
        spin = dot(u, x) / dot(u, n)
        pull = pull - cross(n, u) * spin
    pull = (pull - u * dot(u, pull)) * per_length
    slide = 0.0 * rods.length - dot(rods.foot_rate, pull)
    if across_rod:
        slide = slide + spin * dot(n, twist[3:])
    # Bodies counted from the driven point weigh there, others at the platform joint.
    if end == "foot":
        return (slide + dot(rods.foot_rate, fall)) * mass, pull * mass
    return slide * mass, (pull + fall) * mass


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class ForceLimit(RequestedLimit):
    """Actuator forces that balance specified wrenches stay below their limits, in both directions, at every pose.

    Forces are f = C F + h, with C = -J_Vq^T about the point and h those that balance the weights: the largest |f_i|
    over all wrenches is |C_i wrench + h_i| + force |C_i's first three| + moment |C_i's last three|.

    Attributes
    ----------
    force, moment : float
        Amounts in any direction [N] and about any axis [N m], both at a time, on the platform at the point.
    wrench : (6,) or (k, 6) array, optional
        One wrench [f, m] at the point in base axes, or several, to each of which those are added [N, N m].
    gravity : bool or (3,) array
        Whether the weights of all bodies with known masses act too, as in `gough.leg_forces`.
    actuator_force : float or (6,) array, optional
        Limits [N or N m]; default: the machine's value.
    point : (3,) array, optional
        In the platform frame [m]; default the point of interest.

    """

    force: float = 0.0
    moment: float = 0.0
    wrench: ArrayLike | None = None
    gravity: bool | ArrayLike | None = False
    actuator_force: ArrayLike | None = None
    point: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.gravity is False:
            _ = self._wrenches
        given_point(self.point, np.zeros(3))

    @cached_property
    def _wrenches(self) -> VectorSet:
        if self.gravity is not False and self.wrench is None and not (self.force or self.moment):
            return VectorSet(np.zeros((1, 6)), 0.0, 0.0)
        return VectorSet.of("wrench", self.wrench, force=self.force, moment=self.moment)

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        leg_forces(machine, machine.X_home, gravity=self.gravity)  # raises for masses that are unknown or not placed
        unit = "N" if machine.legs.joint == "length" else "N m"
        return tuple(
            Column(f"leg {i} force", (i,), unit, float(limit), float(limit), False, "actuator force")
            for i, limit in enumerate(actuator_forces(machine, self.actuator_force), 1)
        )

    def margins(self, machine: Machine, X: Array) -> Array:
        """See `RequestedLimit.margins`: by `gough.leg_forces`."""
        rows = np.swapaxes(inverse_jacobian_at(machine, X, self.point), -1, -2)
        held = leg_forces(machine, X, gravity=self.gravity)
        return actuator_forces(machine, self.actuator_force) - self._wrenches.most(-rows, held)

    def quantities(self, machine: Machine, i: Ints, pose: Pose) -> Iterator[Limited]:
        """See `RequestedLimit.quantities`: the limit minus the largest force, of either sign."""
        wrenches, point = self._wrenches, given_point(self.point, machine.point_of_interest)
        # Columns of J_Vq: twists per rate along the rods, times the transmission u . p' + L'.
        rods, T = twists(limit_table(machine).arrays, pose, point)
        T = T * rods.transmission
        spare = actuator_forces(machine, self.actuator_force)[:, None] - wrenches.amounts(T)
        held = None
        if self.gravity is not False:
            wrench, along = weights(machine, rods, pose, point, machine.free_fall(self.gravity))
            held = (T * wrench[:, None]).sum(0) + along
        for each in wrenches.products(T, held):
            for leg in range(6):
                yield Limited(leg, (spare - each)[leg], lambda v: v, 0.0)


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class StiffnessLimit(RequestedLimit):
    """The smallest principal stiffnesses (`gough.statics.principal_stiffness`) stay above bounds at every pose.

    Of translation with rotation held, the least eigenvalue of sum k u u^T; of rotation with translation free, the
    inverse of the largest eigenvalue of sum t t^T / k, t the rotation per displacement along a rod with the others
    held.

    Attributes
    ----------
    translation, rotation : float
        Least stiffnesses [N/m], [N m/rad]; 0 for no limit.

    """

    translation: float = 0.0
    rotation: float = 0.0

    def __post_init__(self) -> None:
        for name, bound in (("translation", self.translation), ("rotation", self.rotation)):
            if not 0 <= bound < np.inf:
                raise InputError(f"{name} {bound:g}: expected a finite stiffness of zero or more")
        if not self._bounds:
            raise InputError("specify translation [N/m] or rotation [N m/rad] above zero: otherwise the limit is empty")

    @property
    def _bounds(self) -> dict[str, float]:
        given = {"translation": self.translation, "rotation": self.rotation}
        return {name: bound for name, bound in given.items() if bound > 0}

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        leg_stiffness(machine, np.ones(6))  # raises for a machine without leg stiffness
        kinds = {"translation": ("N/m", "translational stiffness"), "rotation": ("N m/rad", "rotational stiffness")}
        return tuple(
            Column(f"{name} stiffness", (), kinds[name][0], bound, bound, True, kinds[name][1])
            for name, bound in self._bounds.items()
        )

    def margins(self, machine: Machine, X: Array) -> Array:
        """See `RequestedLimit.margins`: by `gough.stiffness`."""
        found = principal_stiffness(stiffness(machine, X))
        return np.stack([getattr(found, name)[..., 0] - bound for name, bound in self._bounds.items()], axis=-1)

    def quantities(self, machine: Machine, i: Ints, pose: Pose) -> Iterator[Limited]:
        """See `RequestedLimit.quantities`: definite matrices, of stiffness and of compliance."""
        rods, T = twists(limit_table(machine).arrays, pose, machine.platform_centre)
        k, per_length, eye = _leg_stiffness(machine, rods), rods.per_length, np.eye(3)[..., None]
        for place, (name, bound) in enumerate(self._bounds.items()):
            if name == "translation":
                yield positive_definite(place, _weighted(rods.d * per_length, k) - bound * eye, lambda v: v)
            else:
                matrix = eye * (1 / bound) - _weighted(T[3:] * rods.length, 1.0 / k)
                yield positive_definite(place, matrix, partial(_stiffness_margin, bound))


def _stiffness_margin(bound: float, v: Array) -> Array:
    """Margin of the stiffness 1 / (1 / bound - v), or a lower bound of it."""
    with np.errstate(divide="ignore"):
        return np.where(v < 1 / bound, 1 / np.maximum(1 / bound - v, 1e-300) - bound, np.inf)


def _leg_stiffness(machine: Machine, rods: Rods) -> Quantity:
    """Axial stiffness of the legs (6, n); its inverse is linear in the rods' lengths where the file gives E A."""
    known, rigidity = leg_stiffness(machine, np.ones(6))[:, None], machine.actuators.axial_rigidity
    if machine.actuators.stiffness is not None or rigidity is None:
        return known + np.zeros(rods.pose.p.shape[-1:])
    # Compliance L / (E A) plus that of the joints: at unit length `known` has both.
    return 1.0 / ((rods.length - 1.0) * (1 / rigidity[:, None]) + 1 / known)


def _weighted(vectors: Quantity, k: Quantity) -> Quantity:
    """Sums over the legs of k v v^T (3, 3, n), of vectors (3, 6, n)."""
    return (vectors[:, None] * (vectors * k)[None]).sum(2)
