"""Weights of platform and legs as functions of the pose: the quantities of `gough.statics.weights`, for models too."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.limits.rods import Pose, Quantity, Rods, cross, dot
from gough.machine import Machine
from gough.machine_parts import LegBodies


def weights(machine: Machine, rods: Rods, pose: Pose, point: Array, g: Array) -> tuple[Quantity, Quantity]:
    """Wrench (6, n) on the platform about one of its points (3,), and forces (6, n) along the joint coordinates, of all
    bodies with known masses under the acceleration of free fall g (3,); `rods` are all legs (6, n)."""
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
