"""Applied forces, and conditioning, forces, stiffness, speed and natural frequencies under it, as fields."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import gough
from gough.arrays import Array
from gough.errors import GoughError
from gough.machine import Body, Machine
from gough.machine_parts import rigid_body
from gough.present.answer import Field, of_result
from gough.present.show import metric
from gough.present.units import in_file_units
from gough.stacked import AnyMachine
from gough.statics.stiffness import stiffness_along


@dataclass(frozen=True, eq=False)
class AppliedForces:
    """Payload and applied wrench of the platform, and the direction of the stiffness that is shown.

    Attributes
    ----------
    mass : float
        Of the payload [kg].
    mass_centre : (3,) array
        Mass centre of the payload, in the platform frame [m].
    inertia : (3, 3) array
        Inertia of the payload about that centre, in the platform's axes [kg m2].
    wrench : (6,) array
        Applied at the point of interest, in the base frame [N, N m].
    direction : (3,) array
        Direction of the stiffness, in the base frame.
    above : Body or None
        The upper stage of two on the platform, with its payload and its drives held, in the platform frame.
    gravity : (3,) array or None
        Acceleration of free fall in the base frame, where it differs from that of the machine's file [m/s2].

    """

    mass: float = 0.0
    mass_centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    wrench: Array = field(default_factory=lambda: np.zeros(6))
    direction: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    above: Body | None = None
    gravity: Array | None = None

    @property
    def key(self) -> bytes:
        """A key that equal ones share."""
        numbers = [np.array([self.mass]), self.mass_centre, self.inertia.ravel(), self.wrench, self.direction]
        if self.above is not None:
            numbers += [np.array([self.above.mass]), self.above.mass_centre, self.above.inertia.ravel()]
        return np.concatenate(numbers if self.gravity is None else [*numbers, self.gravity]).tobytes()


LARGEST = 1e12
"""Largest number that inputs of loads take [SI, lengths in the file's unit]."""
NO_FORCES = AppliedForces()
"""No payload, no force, no moment."""


class ForceInputs(NamedTuple):
    """Payload, force and moment as they are given on the page, for the end platform.

    Mass [kg], mass centre in the file's unit of length, moments of inertia xx, yy, zz and products xy, xz, yz [kg m2]
    of the payload; force [N] and moment [N m]; direction of the stiffness.
    """

    mass: float = 0.0
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)
    products: tuple[float, float, float] = (0.0, 0.0, 0.0)
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def check(self) -> None:
        """Raise `ValueError` for numbers that the inputs of the page cannot hold."""
        if not (np.abs(np.hstack(self)) <= LARGEST).all() or min(self.mass, *self.inertia) < 0:
            raise ValueError(f"loads are at most {LARGEST:g}, masses and moments of inertia at least zero")

    @classmethod
    def of(cls, machine: AnyMachine) -> ForceInputs:
        """Return the payload that a machine carries."""
        body = machine.stages[-1].payload
        if body is None:
            return NOTHING
        J, (x, y, z) = body.inertia.tolist(), in_file_units(machine, body.mass_centre, "m").tolist()
        return cls(body.mass, (x, y, z), (J[0][0], J[1][1], J[2][2]), (J[0][1], J[0][2], J[1][2]))

    @property
    def tensor(self) -> Array:
        """Inertia matrix (3, 3) [kg m2]; positive products of the inputs are its entries, without a change of sign."""
        xy, xz, yz = self.products
        return np.diag(self.inertia) + np.array([[0.0, xy, xz], [xy, 0.0, yz], [xz, yz, 0.0]])


NOTHING = ForceInputs()


def carrying(machine: Machine, applied: AppliedForces) -> Machine:
    """Return the machine with payload and upper stage on its platform; a platform of unknown mass counts as
    massless."""
    equipped = machine if applied.gravity is None else replace(machine, gravity=applied.gravity)
    inertia = applied.inertia if applied.mass > 0.0 else None
    bodies = [rigid_body(applied.mass, applied.mass_centre, inertia)] + (
        [applied.above] if applied.above is not None else []
    )
    for body in bodies:
        equipped = equipped.with_payload(body.mass, body.mass_centre, body.inertia)
    return equipped


def carrying_in_dynamics(machine: Machine, applied: AppliedForces) -> Machine:
    """Return the same for dynamics, which needs the platform's mass: the machine itself where that is not known."""
    return machine if machine.platform is None else carrying(machine, applied)


def forces(machine: Machine, X: Array, applied: AppliedForces) -> Array:
    """Return actuator forces (6,) [N or N m] that balance the applied wrench and the weights of payload and known
    bodies."""
    equipped = carrying(machine, applied)
    return gough.leg_forces(equipped, X, _applied(machine, X, applied), gravity=equipped.has_weight)


def natural_frequencies(machine: Machine, X: Array, applied: AppliedForces) -> gough.dynamics.NaturalFrequencies:
    """Return the natural frequencies under the same forces; without them where there is no balance."""
    equipped = carrying_in_dynamics(machine, applied)
    found = gough.natural_frequencies(
        equipped, X, point=machine.point_of_interest, wrench=applied.wrench, gravity=equipped.has_weight
    )
    return gough.natural_frequencies(equipped, X) if np.isnan(found.square).all() else found


def _applied(machine: Machine, X: Array, applied: AppliedForces) -> Array:
    """The applied wrench about the platform's origin: its moment gains R_BP p x f from the point of interest p."""
    arm = np.cross(X[:3, :3] @ machine.point_of_interest, applied.wrench[:3])
    return applied.wrench + np.concatenate([np.zeros(3), arm])


def facts_of(machine: Machine, X: Array, applied: AppliedForces) -> list[Field]:
    """Return numbers at one pose, as far as the machine's file has the data for them."""
    found: list[Field] = []
    for part in (_conditioning, _speed, _stiffness, _frequency):
        with suppress(GoughError):
            found += part(machine, X, applied)
    return found


def _conditioning(machine: Machine, X: Array, applied: AppliedForces) -> list[Field]:
    found = gough.singularity.conditioning(machine, X)
    return [*of_result(found, "condition_number"), *of_result(found, "dexterity", "distance", digits=3)]


def _speed(machine: Machine, X: Array, applied: AppliedForces) -> list[Field]:
    if machine.limits.joint_speed is None:
        return []
    envelope = gough.velocity_envelope(machine, X)
    return [
        *of_result(envelope, ("guaranteed_translation", "every_direction"), head="speed in every direction"),
        *of_result(envelope, ("fastest_translation", "top_speed"), head="top speed"),
    ]


def _stiffness(machine: Machine, X: Array, applied: AppliedForces) -> list[Field]:
    K = _stiffness_matrix(machine, X, applied)
    found = gough.statics.principal_stiffness(K)
    unstable = (found.translation < 0).any() or (found.rotation < 0).any()
    return [
        *([Field("equilibrium", "unstable under this load", head="equilibrium")] if unstable else []),
        _stiffness_field(machine, "stiffness", stiffness_along(K, applied.direction), "stiffness along the direction"),
        _stiffness_field(machine, "principal_stiffness", found.translation[[0, -1]], "principal, rotation held"),
    ]


def _stiffness_field(machine: Machine, key: str, value: ArrayLike, head: str) -> Field:
    """In the file's unit, or the metric one that suits its largest number."""
    return Field(key, value, "N/m", head=head, digits=3, shown=metric(np.ravel(value), "N/m", machine.units)[1])


def _frequency(machine: Machine, X: Array, applied: AppliedForces) -> list[Field]:
    if machine.platform is None:
        return []
    found = natural_frequencies(machine, X, applied)
    return [Field("frequency", found.frequency[:3], "Hz", head="lowest natural frequencies", digits=3)]


def principal_stiffness(machine: Machine, X: Array, applied: AppliedForces) -> gough.statics.PrincipalStiffness:
    """Return principal stiffness at the point of interest under these forces, with the geometric stiffness of all of
    them."""
    return gough.statics.principal_stiffness(_stiffness_matrix(machine, X, applied))


def _stiffness_matrix(machine: Machine, X: Array, applied: AppliedForces) -> Array:
    """Stiffness (6, 6) at the point of interest under these forces; without them where there is no balance."""
    equipped, point = carrying(machine, applied), machine.point_of_interest
    K = gough.stiffness(equipped, X, point=point, wrench=applied.wrench, gravity=equipped.has_weight)
    return K if np.isfinite(K).all() else gough.stiffness(machine, X, point=point)
