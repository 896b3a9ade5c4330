"""The thirteen solids of a hexapod, from a machine: the one place where this package knows hexapods.

Solids 2 i - 1 and 2 i are the two parts of leg i, solid 13 the platform (Dumitriu 2017, section 2):

    strut          base  universal  lower part  cylindrical  upper part  universal   platform
                   base  universal  lower part  prismatic    upper part  spherical   platform
    driven foot    base  prismatic or revolute  slider or crank  universal  rod  spherical   platform

Each way 12 joint rows for a leg: with 6 orthogonality conditions for a solid, 156 differential equations and 78 + 72
constraints. Parts that move as one are one solid; parts the machine gives no mass are solids without mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough import machine as gough_machine
from gough.errors import InputError
from gough.machine import Machine
from gough.multibody.bodies import GROUND, Body
from gough.multibody.joints import Cylindrical, Joint, Prismatic, Revolute, Spherical, Universal
from gough.multibody.joints.joint import across
from gough.multibody.loads import Force, Load, Magnitude, Torque
from gough.multibody.system import System
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]
Struts = Literal["UCU", "UPS"]

ALONG = 1e-6
"""Sine of the angle between a leg and the first axis of its universal joint at which the leg's frame is lost."""
PLATFORM = "platform"
"""Name of the platform's solid."""


class Leg(NamedTuple):
    """One leg as it stands: its solids, its joints, its drive."""

    bodies: tuple[Body, Body]
    joints: tuple[Joint, Joint, Joint]
    drive: Load


def hexapod(
    machine: Machine,
    pose: PoseLike | None = None,
    forces: Sequence[Magnitude] | None = None,
    *,
    struts: Struts = "UCU",
    loads: Sequence[Load] = (),
) -> System:
    """A machine as a system of thirteen solids, in SI.

    Joints are called "base 1", "leg 1" and "platform 1" and so on, the drives "drive 1" and so on: a force along each
    strut or guide, a torque about each crank's axis. Friction and rotors are no part of it.

    Parameters
    ----------
    machine : Machine
        With a platform mass.
    pose : PoseLike, optional
        Where the platform stands at the start; home by default.
    forces : six numbers or functions of time, optional
        Forces [N] or torques [N m] of the drives, + where they drive their joint coordinate up. Default: none.
    struts : "UCU" or "UPS"
        Joints of legs that extend. "UCU" is Dumitriu's: a cylindrical joint and a universal joint at the platform.
        "UPS" keeps both parts from turning against one another, and has a ball joint at the platform: then both turn
        with the universal joint at the base, as the frames of a machine file's parts say. Rods that end in a slider or
        crank always have a universal joint there and a ball joint at the platform.
    loads : sequence of Load
        More loads; the platform is the solid "platform".

    """
    if machine.platform is None:
        raise InputError(f"machine {machine.name!r} has no platform mass; give platform.mass and its inertia")
    if struts not in ("UCU", "UPS"):
        raise InputError(f"struts are 'UCU' or 'UPS', not {struts!r}")
    X = checked_matrices(machine.X_home if pose is None else pose)
    b_B = machine.b_P @ X[:3, :3].T + X[:3, 3]
    q = machine.legs.joints_at(b_B)
    if not np.isfinite(q).all():
        closed = ", ".join(str(i + 1) for i in np.flatnonzero(~np.isfinite(q)))
        raise InputError(f"machine {machine.name!r}: leg {closed} cannot close at this pose")
    magnitudes = [0.0] * 6 if forces is None else list(forces)
    if len(magnitudes) != 6:
        raise InputError(f"forces: expected six, got {len(magnitudes)}")
    legs = [_leg(machine, i, q, b_B[i], magnitudes[i], struts) for i in range(6)]
    platform = Body.in_frame(PLATFORM, X, *_mass(machine.platform))
    return System(
        [body for leg in legs for body in leg.bodies] + [platform],
        [joint for leg in legs for joint in leg.joints],
        [leg.drive for leg in legs] + list(loads),
        machine.gravity,
    )


def _leg(machine: Machine, i: int, q: Array, b_B: Array, force: Magnitude, struts: Struts) -> Leg:
    """Leg i at joint coordinates q (6,), its platform joint at b_B."""
    p_B = machine.legs.driven_points(q)[i]
    first = _first_axis(machine, i, q, b_B - p_B)
    z = (b_B - p_B) / np.linalg.norm(b_B - p_B)
    y = np.cross(z, first)
    if np.linalg.norm(y) < ALONG:
        raise InputError(
            f"machine {machine.name!r}: the first axis of the universal joint of leg {i + 1} lies along it"
        )
    y /= np.linalg.norm(y)
    axes = np.stack([np.cross(y, z), y, z], axis=1)
    if "carrier" in machine.legs.held_by.values():
        return _driven_foot(machine, i, q, axes, first, p_B, b_B, force)
    return _strut(machine, i, axes, first, p_B, b_B, force, struts)


def _first_axis(machine: Machine, i: int, q: Array, d_B: Array) -> Array:
    """First axis of the lower universal joint as it stands; where the machine has none, one across the leg."""
    if machine.joint_axis is None:
        return across(d_B / np.linalg.norm(d_B))[0]
    return np.array(machine.legs.plain.carried(machine.table, i, q[i], *machine.joint_axis[i]))


def _strut(
    machine: Machine, i: int, axes: Array, first: Array, p_B: Array, b_B: Array, force: Magnitude, struts: Struts
) -> Leg:
    """Universal, cylindrical, universal (2017, eqs. 9-11); or universal, prismatic, spherical."""
    x, y, z = axes.T
    lower, upper = _merged(machine, "foot", i, axes, p_B), _merged(machine, "head", i, axes, b_B)
    sliding = Cylindrical if struts == "UCU" else Prismatic
    if struts == "UCU":
        top: Joint = Universal(upper.name, PLATFORM, b_B, y, x, name=f"platform {i + 1}")
    else:
        top = Spherical(upper.name, PLATFORM, b_B, name=f"platform {i + 1}")
    joints = (
        Universal(GROUND, lower.name, p_B, first, y, name=f"base {i + 1}"),
        sliding(lower.name, upper.name, b_B, z, name=f"leg {i + 1}"),
        top,
    )
    drive = Force(
        upper.name,
        b_B,
        z,
        against=lower.name,
        carried_by=lower.name,
        magnitude=force,
        name=f"drive {i + 1}",
    )
    return Leg((lower, upper), joints, drive)


def _driven_foot(
    machine: Machine, i: int, q: Array, axes: Array, first: Array, p_B: Array, b_B: Array, force: Magnitude
) -> Leg:
    """Prismatic or revolute, universal, spherical."""
    twist, frame = machine.legs.carrier_twist()[i], machine.legs.carriers(q)[i]
    lower = _merged(machine, "carrier", i, frame[:3, :3], frame[:3, 3])
    upper = _merged(machine, "foot", i, axes, p_B)
    turns = bool(twist[3:].any())
    axis = twist[3:] if turns else twist[:3]
    hinge = Revolute if turns else Prismatic
    joints = (
        hinge(GROUND, lower.name, frame[:3, 3], axis, name=f"base {i + 1}"),
        Universal(lower.name, upper.name, p_B, first, axes[:, 1], name=f"leg {i + 1}"),
        Spherical(upper.name, PLATFORM, b_B, name=f"platform {i + 1}"),
    )
    name = f"drive {i + 1}"
    if turns:
        return Leg((lower, upper), joints, Torque(lower.name, axis, magnitude=force, name=name))
    return Leg((lower, upper), joints, Force(lower.name, frame[:3, 3], axis, magnitude=force, name=name))


def _merged(machine: Machine, end: str, i: int, axes: Array, origin: Array) -> Body:
    """All parts of leg i that move with `end` as one solid, their frame as it stands."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = axes, origin
    parts = [part for part in machine.legs.parts if machine.legs.held_by[part] == end]
    bodies = [machine.leg_bodies[part] for part in parts if part in machine.leg_bodies]
    mass = sum(body.mass for body in bodies)
    centre = sum((body.mass * body.mass_centre for body in bodies), np.zeros(3)) / (mass or 1.0)
    inertia = np.zeros((3, 3))
    for body in bodies:
        r = body.mass_centre - centre
        inertia += body.inertia + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Body.in_frame(f"{parts[-1]} {i + 1}", X, mass, centre, inertia)


def _mass(body: gough_machine.Body) -> tuple[float, Array, Array]:
    return body.mass, body.mass_centre, body.inertia
