"""Weights of platform and legs over boxes of poses: Taylor models of the quantities of `gough.statics.weights`."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.body import LegBodies
from gough.machine import Machine
from gough.regions.leg_models import LegModels
from gough.regions.taylor import Model
from gough.statics.weights import first_axes


def weights(machine: Machine, models: LegModels, point: Array, g: Array) -> tuple[Model, Model]:
    """Wrenches (n, 6) on the platform about one of its points (3,), and forces (n, 6) along the joint coordinates, of
    all bodies with known masses under the acceleration of free fall g (3,)."""
    n, half = len(models.motion.X), models.motion.half
    force, moment = (Model.constant(np.zeros((n, 3)), half) for _ in range(2))
    along = Model.constant(np.zeros((n, 6)), half)
    body, fall = machine.platform, models.constants(g[None])
    if body is not None:
        force = force + fall[:, 0] * body.mass
        moment = moment + models.arms(body.mass_centre[None] - point)[:, 0].cross(fall[:, 0] * body.mass)
    for part, bodies in machine.leg_bodies.items():
        slide, at_joint = _leg_part(machine, models, part, bodies, g, fall)
        along = along + slide
        if at_joint is not None:
            force, moment = force + at_joint.sum(1), moment + models.moments(point, at_joint).sum(1)
    return Model.joined([force, moment], axis=1), along


def _leg_part(
    machine: Machine, models: LegModels, part: str, body: LegBodies, g: Array, fall: Model
) -> tuple[Model, Model | None]:
    """Forces along the joint coordinates (n, 6), and on the platform joints (n, 6, 3) if there are any.

    With r the arm of the mass centre and the moment m = r x g, the transpose of the matrix from velocities of the
    platform joint to angular velocities of the rod (`gough.statics.weights`) maps m to

        (1 - u u^T) (m x u - (n x u) (u . m) / (u . n)) / L
    """
    end, twist, carriers = machine.legs.attached_to[part], machine.legs.carrier_twist(), machine.legs.carriers
    if end == "carrier":
        R = carriers(models.q_centre)[..., :3, :3]
        arm = models.carried((R @ body.mass_centre[..., None])[..., 0])
        return (arm.cross(g).dot(twist[:, 3:]) + twist[:, :3] @ g) * body.mass, None
    # Rotation about the rod matters only for mass centres off the rod: for others x is across u, and `spin` is zero.
    u, across_rod, spin = models.u, bool(body.mass_centre[:, :2].any()), None
    r = u * body.mass_centre[:, 2:]
    if across_rod:
        e = models.fixed(models.carried(first_axes(machine, carriers(models.q_centre), models.in_base.u.value)))
        y_axis = u.cross(e).unit
        r = r + y_axis.cross(u) * body.mass_centre[:, :1] + y_axis * body.mass_centre[:, 1:2]
    x = r.cross(fall)
    # x is the moment m: forces at the platform joint with the same power.
    pull = -u.cross(x)
    if across_rod:
        n = e.cross(y_axis)
        spin = u.dot(x) * u.dot(n).reciprocal
        pull = pull - n.cross(u) * spin.column
    pull = (pull - u * u.dot(pull).column) * models.length.reciprocal.column
    slide = -models.foot_rate.dot(pull)
    if spin is not None:
        slide = slide + spin * n.dot(models.constants(twist[:, 3:]))
    # Bodies counted from the driven point weigh there, others at the platform joint.
    if end == "foot":
        return (slide + models.foot_rate.dot(fall)) * body.mass, pull * body.mass[:, None]
    return slide * body.mass, (pull + fall) * body.mass[:, None]
