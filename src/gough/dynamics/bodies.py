"""Poses and motions of all bodies of the legs, from the motion of the platform."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import six
from gough.dynamics._equations import FRAME_NUMBERS, leg_frames_batch
from gough.dynamics.model import Drives, PoseBatch, model_of
from gough.machine import Machine
from gough.machine_parts import Body, LegBodies, joined
from gough.poses import PoseLike, cross
from gough.quantity import quantity, result, transform
from gough.results import NamedResults, Result
from gough.stacked import by_machine


@result
class BodyMotion(Result):
    """Motion of one part of each of the six legs, in the base frame.

    Without `legs.joint_axis` in the machine's file the parts that turn with the leg are assumed not to turn about it:
    `is_assumed` says so, and their angular velocity and acceleration have no such component.
    """

    mass: Array = quantity("kg", "leg", is_headline=True, doc="Mass of the part.")
    matrix: Array = transform(
        "leg",
        doc="Pose of the part's frame (see `docs/machine-files.md`). For round parts without known joint axes x and y "
        "are any directions across the leg.",
    )  # fmt: skip
    mass_centre: Array = quantity("m", "leg", "axis", frame="base", doc="Position of the mass centre.")
    velocity: Array = quantity("m/s", "leg", "axis", frame="base", is_headline=True, doc="Velocity of the mass centre.")
    acceleration: Array = quantity("m/s2", "leg", "axis", frame="base", doc="Acceleration of the mass centre.")
    angular_velocity: Array = quantity("rad/s", "leg", "axis", frame="base", doc="Angular velocity of the part.")
    angular_acceleration: Array = quantity(
        "rad/s2", "leg", "axis", frame="base", doc="Angular acceleration of the part."
    )
    is_assumed: bool = quantity(
        "", default=False,
        doc="Whether the turn about the leg is assumed to be none, since the axes of its universal joint are not "
        "known.",
    )  # fmt: skip

    def sentence(self) -> str:
        """Return the range of the numbers, and the assumption made without joint axes, in one sentence."""
        return super().sentence() + ("; assumed: no turn about the leg, as no joint_axis is known" * self.is_assumed)


@by_machine
@checks_arguments
def body_motions(
    machine: Machine,
    X: PoseLike,
    V: ArrayLike | None = None,
    A: ArrayLike | None = None,
    *,
    drives: Drives = "free",
) -> NamedResults[BodyMotion]:
    """Compute position, velocity and acceleration of every body of the legs (Sinatra, Xi, Staicu 2009, eqs. 9-18).

    Parts that turn with a leg turn about it as its universal joint makes them. Without `legs.joint_axis` in the
    machine's file that is not known: they are assumed to be free about the leg and not to turn about it, as the rods of
    a model without Hooke joints.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    V, A : (..., 6) array, optional
        Twist and acceleration of the platform's origin, in the base frame [m/s, rad/s; m/s2, rad/s2]; zero by default.
    drives : "free" or "held"
        With held drives the legs yield along their length only, see `gough.dynamics.mass_matrix`.

    Returns
    -------
    NamedResults of BodyMotion
        By part name; NaN where a leg cannot close.

    """
    model = model_of(machine)
    batch = PoseBatch(X, V=six("V", np.zeros(6) if V is None else V), A=six("A", np.zeros(6) if A is None else A))
    legs = batch.run(partial(leg_frames_batch, model.code, model.T, model.D, drives == "held"), (6, FRAME_NUMBERS))[0]
    found: NamedResults[BodyMotion] = NamedResults()
    for part, body in machine.leg_bodies.items():
        end = machine.legs.attached_to[part]
        found[part] = _on_carrier(machine, body, legs) if end == "carrier" else _on_leg(machine, body, legs, end)
    return found


@by_machine
def first_moment(machine: Machine, X: Array) -> tuple[float, Array]:
    """Return the mass of platforms and legs [kg], and mass times mass centre (..., 3) in the base [kg m], at their
    poses."""
    model_of(machine)  # raises where the platform's mass is not known
    assert machine.platform is not None
    mass = machine.platform.mass
    moment = mass * (X[..., :3, 3] + X[..., :3, :3] @ machine.platform.mass_centre)
    for part in body_motions(machine, X).values() if machine.leg_bodies else ():
        mass += float(part.mass.sum())
        moment = moment + part.mass @ part.mass_centre
    return mass, np.asarray(moment)


def locked(machine: Machine, X: Array) -> Body:
    """Return the platform and legs as one body in the base frame, with all joints locked at the pose X (4, 4).

    Raises
    ------
    InputError
        The platform's mass is not known.

    """
    model_of(machine)
    assert machine.platform is not None
    parts = [machine.platform.seen_from(X)]
    for name, motion in body_motions(machine, X).items() if machine.leg_bodies else ():
        parts += [body.seen_from(X) for body, X in zip(machine.leg_bodies[name], motion.matrix, strict=True)]
    return joined(parts)


def _on_leg(machine: Machine, body: LegBodies, legs: Array, end: str) -> BodyMotion:
    """Motion of a part that turns with the leg, fixed to its foot or to its head."""
    # Columns of `leg_frames_batch`.
    place, velocity, acceleration = (legs[..., k : k + 3] for k in ((3, 6, 9) if end == "foot" else (12, 15, 18)))
    matrix = _frames(leg_axes(machine, legs[..., 0], legs[..., 21:24]), place)
    moved = _moved(body, matrix, velocity, acceleration, legs[..., 24:27], legs[..., 27:30])
    return replace(moved, is_assumed=machine.joint_axis is None)


def _on_carrier(machine: Machine, body: LegBodies, legs: Array) -> BodyMotion:
    """Motion of a part fixed to the slider or crank, whose frame has a constant twist per rate of q."""
    twist = machine.legs.carrier_twist()
    q_t, q_tt = legs[..., 1, None], legs[..., 2, None]
    v, w = twist[:, :3], twist[:, 3:]
    return _moved(body, machine.legs.carriers(legs[..., 0]), q_t * v, q_tt * v, q_t * w, q_tt * w)


def _moved(body: LegBodies, matrix: Array, v: Array, a: Array, w: Array, w_t: Array) -> BodyMotion:
    """Motion of a body whose frame's origin has the velocity v and the acceleration a."""
    arm = (matrix[..., :3, :3] @ body.mass_centre[..., None])[..., 0]
    swing = cross(w_t, arm) + cross(w, cross(w, arm))
    return BodyMotion(body.mass, matrix, matrix[..., :3, 3] + arm, v + cross(w, arm), a + swing, w, w_t)


def leg_axes(machine: Machine, q: Array, u: Array) -> Array:
    """Return rotations (..., 6, 3, 3) of the leg frames: z along u, y along the second axis of the universal joint.

    Without a known first axis, x and y are any directions across the leg.
    """
    if machine.joint_axis is None:
        e = np.eye(3)[np.argmin(np.abs(np.nan_to_num(u)), axis=-1)]
    else:
        e = first_axes(machine, q)
    y = cross(u, e)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.stack([cross(y, u), y, u], axis=-1)


def first_axes(machine: Machine, q: Array) -> Array:
    """Return first axes (..., 6, 3) of the universal joints, which a machine's file gives at q = 0: they turn with
    cranks."""
    at_zero = (
        np.swapaxes(machine.legs.carriers(np.zeros(6))[..., :3, :3], -1, -2) @ np.asarray(machine.joint_axis)[..., None]
    )
    return np.asarray((machine.legs.carriers(q)[..., :3, :3] @ at_zero)[..., 0])


def _frames(R: Array, place: Array) -> Array:
    frames = np.zeros((*place.shape[:-1], 4, 4))
    frames[..., :3, :3], frames[..., :3, 3], frames[..., 3, 3] = R, place, 1.0
    return frames
