"""Weights of all known bodies of a machine at rest: the actuator forces that balance them, by virtual work.

With c_k(X) the mass centre of a body and dc_k/dX its Jacobian, gravity g requires the actuator forces
f = -J_Vq^T sum_k m_k (dc_k/dX)^T g: linear in g, with the matrix of `weight_per_gravity`. Bodies on a slider or crank
move with its twist. Those on a rod turn with the rod's direction; their rotation about it follows from the universal
joint, whose first axis is fixed to the drive or the base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import inverse_jacobian
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.machine_parts import LegBodies
from gough.poses import PoseLike, checked_matrices, skew
from gough.stacked import AnyMachine


def counted(machine: AnyMachine) -> tuple[str, ...]:
    """Return names of the bodies that weigh: "platform", "payload", "each leg's rod", ...; of two "stage 1:
    platform"."""
    return _of_stages(machine, _counted)


def left_out(machine: AnyMachine) -> tuple[str, ...]:
    """Return names of the bodies that a machine of this kind has and whose masses are not known."""
    return _of_stages(machine, _left_out)


def _of_stages(machine: AnyMachine, names: Callable[[Machine], tuple[str, ...]]) -> tuple[str, ...]:
    """Names of bodies of each stage, with the stage's where there are two."""
    return tuple(machine.by_stage([""] * k + [name]) for k, stage in enumerate(machine.stages) for name in names(stage))


def _counted(machine: Machine) -> tuple[str, ...]:
    alone = (name for name in machine.platform_parts if not name.startswith("platform with"))
    return (*alone, *(f"each leg's {part}" for part in machine.leg_bodies))


def _left_out(machine: Machine) -> tuple[str, ...]:
    is_known = (machine.platform if machine.payload is None else machine.bare_platform) is not None
    platform = () if is_known else ("platform",)
    return (*platform, *(f"each leg's {part}" for part in machine.legs.parts if part not in machine.leg_bodies))


def masses_in_words(machine: AnyMachine) -> str:
    """Find which bodies weigh and which do not, as a sentence without its full stop."""
    return machine.by_stage(_masses_in_words(stage) for stage in machine.stages)


def inertia_in_words(machine: AnyMachine, *, has_drives: bool = True) -> str:
    """`masses_in_words`, and which inertias, friction and rotors are not known and count as zero."""
    return machine.by_stage(_masses_in_words(stage) + _uncounted(stage, has_drives) for stage in machine.stages)


def _uncounted(machine: Machine, has_drives: bool) -> str:
    slides = machine.legs.joint == "length"  # what only slides has no use for an inertia
    inertias = {n: body.inertia for n, body in machine.platform_parts.items() if not n.startswith("platform with")}
    inertias |= {
        f"each leg's {part}": body.inertia
        for part, body in machine.leg_bodies.items()
        if not (slides and machine.legs.attached_to[part] == "carrier")
    }
    points = [name for name, inertia in inertias.items() if not inertia.any()]
    drives, missing = machine.actuators, list[str]()
    if has_drives:
        missing += ["friction"] * (drives.viscous_friction is None and drives.coulomb_friction is None)
        missing += ["rotors"] * (drives.rotor_inertia is None)
    as_points = f"; without inertia, as point masses: {', '.join(points)}" if points else ""
    return as_points + (f"; omitted because unknown: {' and '.join(missing)} of the drives" if missing else "")


def _masses_in_words(machine: Machine) -> str:
    known, missing = _counted(machine), _left_out(machine)
    if not known:
        return "no masses are known, so all weights are zero"
    rest = f"; omitted because their masses are unknown: {', '.join(missing)}" if missing else ""
    return f"included are the masses of {', '.join(known)}{rest}"


def weight_per_gravity(machine: Machine, X: PoseLike) -> Array:
    """Return actuator forces per acceleration of free fall, (..., 6, 3): f = weight_per_gravity @ g balances all known
    bodies.

    [N or N m, per m/s2]; NaN where a leg cannot close or the pose is singular. `InputError` where no mass is known, or
    a leg's part lies off its leg and `legs.joint_axis` is not given.
    """
    if not machine.has_weight:
        raise InputError(
            f"machine {machine.name!r} has no masses (platform.mass, legs.bodies), so gravity loads are unknown"
        )
    matrices = checked_matrices(X)
    moments = platform_moments(machine, matrices)
    along = np.zeros((*matrices.shape[:-2], 6, 3))
    if machine.leg_bodies:
        legs = _Legs.at(machine, matrices)
        for part, body in machine.leg_bodies.items():
            slide, shift = legs.moments(part, body)
            along += slide
            moments = moments + legs.seen_at_platform(shift)
    J_Vq = inverse_jacobian(machine, matrices)
    return np.asarray(-along - np.swapaxes(J_Vq, -1, -2) @ moments)


def platform_moments(machine: Machine, matrices: Array) -> Array:
    """Return moments m (dc/dX)^T of the platform, (..., 6, 3), about its origin: zero without a known mass."""
    found = np.zeros((*matrices.shape[:-2], 6, 3))
    if machine.platform is not None:
        arm = matrices[..., :3, :3] @ machine.platform.mass_centre
        found[..., :3, :] = np.eye(3)
        found[..., 3:, :] = skew(arm)
        found *= machine.platform.mass
    return found


def held_moments(machine: Machine, X: Array) -> tuple[Array, Array]:
    """Return moments m dc/db of the legs' bodies (..., 6, 3, 3), b being the platform joints, and platform and legs
    together.

    The second array (..., 6, 3) maps gravity to the wrench of all weights on the platform, about its origin, the drives
    held: it is m (dc/dX)^T summed over all bodies.
    """
    at_joint, on_platform = np.zeros((*X.shape[:-2], 6, 3, 3)), platform_moments(machine, X)
    if machine.leg_bodies:
        legs = _Legs.at(machine, X)
        for part, body in machine.leg_bodies.items():
            at_joint += legs.moments(part, body)[1]
        on_platform = on_platform + legs.seen_at_platform(at_joint)
    return at_joint, on_platform


def rod_weight_stiffness(machine: Machine, X: Array, gravity: Array) -> Array:
    """Return second derivatives (..., 6, 3, 3) [N/m] of the legs' potential energy by the platform joints, the drives
    held.

    -sum m_k d2(g . c_k)/db2 over the bodies that turn with the rods, gravity (..., 3) in the base frame [m/s2].
    """
    found = np.zeros((*np.broadcast_shapes(X.shape[:-2], gravity.shape[:-1]), 6, 3, 3))
    if machine.leg_bodies:
        legs = _Legs.at(machine, X)
        for part, body in machine.leg_bodies.items():
            if machine.legs.attached_to[part] != "carrier":
                found -= body.mass[:, None, None] * legs.bending(body.mass_centre, gravity)
    return found


def transverse_wrenches(machine: Machine, X: Array) -> Array:
    """Return wrench (..., 6, 3) per gravity on the platform, about its origin, by the legs' weights across their rods.

    Both ends of a rod carry its weight. This is the part across the rod at its platform joint; the part along the rod
    belongs to the axial force (`gough.statics.axial_forces`).
    """
    if not machine.leg_bodies:
        return np.zeros((*X.shape[:-2], 6, 3))
    legs = _Legs.at(machine, X)
    at_joint = sum(legs.moments(part, body)[1] for part, body in machine.leg_bodies.items())
    return legs.seen_at_platform(legs.across @ at_joint)


@dataclass(frozen=True, eq=False)
class _Legs:
    """Six legs at poses: velocities of their bodies' mass centres per rate of drives and of platform joints.

    Attributes
    ----------
    carriers : (..., 6, 4, 4) array
        Frames of what the drives move, `twist` (6, 6) per rate of the joint coordinate q.
    rho, u, e, foot_rate : (..., 6, 3) array
        Platform joints from the platform's origin, rods' directions, first axes of the universal joints, driven points'
        velocities per rate of q.
    length : (..., 6, 1) array
        Of the rods [m].
    across : (..., 6, 3, 3) array
        1 - u u^T.
    turn_b : (..., 6, 3, 3) array
        Angular velocity of the rod per velocity of its platform joint, the driven point held.
    turn_q : (..., 6, 3) array
        The same per rate of q, the platform joint held.
    R : (..., 6, 3, 3) array
        Axes of the leg's parts.

    """

    machine: Machine
    carriers: Array
    twist: Array
    rho: Array
    u: Array
    e: Array
    foot_rate: Array
    length: Array
    across: Array
    turn_b: Array
    turn_q: Array
    R: Array

    @classmethod
    def at(cls, machine: Machine, X: Array) -> _Legs:
        """At poses (..., 4, 4)."""
        q, twist = inverse_kinematics(machine, X), machine.legs.carrier_twist()
        carriers = machine.legs.carriers(q)
        p = machine.legs.driven_points(q)
        rho = machine.b_P @ np.swapaxes(X[..., :3, :3], -1, -2)
        d = rho + X[..., None, :3, 3] - p
        length = np.linalg.norm(d, axis=-1, keepdims=True)
        u = d / length
        across = across_of(u)
        # Velocity of the driven point per rate of q, by the carrier's twist about its own origin.
        foot_rate = twist[:, :3] + np.cross(twist[:, 3:], p - carriers[..., :3, 3])
        e = first_axes(machine, carriers, u)
        y = unit_rows(np.cross(u, e))
        n = np.cross(e, y)  # across both axes of the universal joint: about it the rod cannot turn on its carrier
        slant = np.sum(u * n, axis=-1, keepdims=True)
        # The rod's angular velocity is u x u' + sigma u, with sigma such that it has none along n beyond the carrier's.
        turn = (skew(u) - u[..., :, None] * (np.cross(n, u) / slant)[..., None, :]) @ across
        turn_b = turn / length[..., None]
        spin = u * np.sum(twist[:, 3:] * n, axis=-1, keepdims=True) / slant
        turn_q = spin - (turn_b @ foot_rate[..., None])[..., 0]
        R = np.stack([np.cross(y, u), y, u], axis=-1)  # parts' axes: z along the rod, y the joint's second axis
        return cls(machine, carriers, twist, rho, u, e, foot_rate, length, across, turn_b, turn_q, R)

    def moments(self, part: str, body: LegBodies) -> tuple[Array, Array]:
        """Moments m dc/dq (..., 6, 3), and m (dc/db)^T (..., 6, 3, 3), b being the platform joint."""
        end = self.machine.legs.attached_to[part]
        if end == "carrier":
            arm = (self.carriers[..., :3, :3] @ body.mass_centre[..., None])[..., 0]
            slide = body.mass[:, None] * (self.twist[:, :3] + np.cross(self.twist[:, 3:], arm))
            return slide, np.zeros(self.across.shape)
        if body.mass_centre[:, :2].any() and self.machine.joint_axis is None:
            raise InputError(
                f"machine {self.machine.name!r}: the mass centre of its legs' {part} lies off the leg; its "
                "orientation is needed: specify the first axes of the universal joints, legs.joint_axis"
            )
        r = (self.R @ body.mass_centre[..., None])[..., 0]
        along = np.cross(self.turn_q, r)
        # Velocity of the mass centre: that of the end it is counted from, plus angular velocity x r.
        shift = -skew(r) @ self.turn_b
        if end == "foot":
            along = along + self.foot_rate
        else:
            shift = shift + np.eye(3)
        return body.mass[:, None] * along, body.mass[:, None, None] * np.swapaxes(shift, -1, -2)

    def bending(self, place: Array, g: Array) -> Array:
        """Second derivatives (..., 6, 3, 3) of g . c by the rod d = b - p, for points `place` (6, 3) in its axes."""
        g, u, L = g[..., None, :], self.u, self.length
        found = place[:, 2, None, None] * _bending(g, u, L)
        if not place[:, :2].any():
            return found
        # The second axis y is along n = d x e, the first is y x u.
        y, n = self.R[..., 1], L * np.linalg.norm(np.cross(u, self.e), axis=-1, keepdims=True)
        by_d = -skew(self.e)
        of_y, turn_y, turn_u = np.cross(u, g), across_of(y) @ by_d / n[..., None], self.across / L[..., None]
        product = -np.swapaxes(turn_y, -1, -2) @ skew(g) @ turn_u
        along_y = [np.swapaxes(by_d, -1, -2) @ _bending(a, y, n) @ by_d for a in (of_y, g)]
        along_x = along_y[0] + _bending(np.cross(g, y), u, L) + product + np.swapaxes(product, -1, -2)
        return np.asarray(found + place[:, 0, None, None] * along_x + place[:, 1, None, None] * along_y[1])

    def seen_at_platform(self, at_joint: Array) -> Array:
        """Forces at the platform joints per gravity (..., 6, 3, 3), as a wrench about the origin (..., 6, 3)."""
        moment = skew(self.rho) @ at_joint
        return np.concatenate([at_joint.sum(axis=-3), moment.sum(axis=-3)], axis=-2)


def across_of(u: Array) -> Array:
    """Return projections 1 - u u^T (..., 3, 3) across unit vectors u (..., 3)."""
    return np.asarray(np.eye(3) - u[..., :, None] * u[..., None, :])


def _bending(a: Array, u: Array, length: Array) -> Array:
    """Second derivatives (..., 3, 3) of a . n / |n| by n = length u: -(t u^T + u t^T + (a . u) (1 - u u^T)) / |n|^2.

    t is the part of a across u.
    """
    along = np.sum(a * u, axis=-1, keepdims=True)
    product = (a - along * u)[..., :, None] * u[..., None, :]
    return np.asarray(
        -(product + np.swapaxes(product, -1, -2) + along[..., None] * across_of(u)) / length[..., None] ** 2
    )


def first_axes(machine: Machine, carriers: Array, u: Array) -> Array:
    """Return first axes (..., 6, 3) of the universal joints; some direction across the rod where they are not known."""
    if machine.joint_axis is None:
        return np.asarray(np.eye(3)[np.argmin(np.abs(np.nan_to_num(u)), axis=-1)])
    # The file gives the axes at q = 0, from where carriers take them along.
    at_zero = machine.legs.carriers(np.zeros(6))[..., :3, :3]
    on_carrier = np.swapaxes(at_zero, -1, -2) @ machine.joint_axis[..., None]
    return np.asarray((carriers[..., :3, :3] @ on_carrier)[..., 0])
