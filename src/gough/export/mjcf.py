"""MuJoCo models (MJCF): legs as trees of bodies from the base, closed on the platform by `connect` constraints.

Each leg is a slider or crank, where it has one, a body at the driven point that turns with the leg, and the upper part
of a strut. The model is written at its start pose: there all passive joints are at zero, and the joints of the drives
are at their coordinate q.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.bodies import leg_axes
from gough.dynamics.equations import check_moves, forward_dynamics, inverse_dynamics, mass_matrix
from gough.errors import InputError, printable
from gough.export._elements import (
    LEG,
    Element,
    added,
    draw_base,
    draw_carrier,
    draw_ring,
    draw_room,
    in_units_that_mujoco_takes,
    thickness,
)
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import inverse_jacobian
from gough.machine import Body, Machine
from gough.machine_parts import joined
from gough.poses import PoseLike, one_pose

TIMESTEP = 5e-4
"""Step of the simulation [s]."""
SOLVER_REFERENCE = "0.001 1"
SOLVER_IMPEDANCE = "0.9999 0.9999 0.001 0.5 2"
"""The stiffest loops that MuJoCo allows: a time constant of twice the step, critical damping, hardly any softness."""
SERVO = 100.0
"""Largest bandwidth of position servos [rad/s], a twentieth of what the step resolves."""
FASTEST = 1.0
"""Largest pole of the servos that act together, times the step: where joints together move less inertia than each of
them alone, the bandwidth is lower. RK4 is stable up to 2.78."""
NOMINAL = 1e-4
"""Mass of a part of unknown mass, as a part of the platform's: MuJoCo moves nothing without mass, and its loops become
soft where the bodies that they close are much lighter than others. Such parts keep their weight, or none."""
THIN = 1e-9
"""Smallest moment of inertia of a part, relative to its largest one: rods may have none about their axis."""
LIGHT = 1e-12
"""Smallest moment of inertia of a part, as a part of the platform's mass times the machine's size squared."""
POINT = 1e-5
"""Smallest radius of gyration of a part, as a part of the machine's size: parts may be points."""


class Start(NamedTuple):
    """Configuration of the model: pose, joint coordinates, driven points, leg frames, leg lengths."""

    X: Array
    q: Array
    foot: Array
    R: Array
    length: Array


class Gains(NamedTuple):
    """Stiffness (6,) [N/m or N m/rad] and damping (6,) of position servos."""

    kp: Array
    kv: Array


@checks_arguments
def mjcf(machine: Machine, X: PoseLike | None = None, *, has_servos: bool = False) -> str:
    """Write a MuJoCo model of the machine, with closed loops.

    Parameters
    ----------
    machine : Machine
        With the platform's mass. Parts of legs that are lighter than 1e-4 of it, or whose mass is not known, get that
        mass, but no weight with it.
    X : PoseLike, optional
        One pose, where the model starts; default: home.
    has_servos : bool
        Whether the actuators are position servos, which hold the machine and follow joint coordinates, instead of
        motors: critically damped with the inertia that each joint moves at the start, of at most `SERVO` rad/s.

    Returns
    -------
    str
        XML. Bodies `platform`, `leg1_slider` and so on; the drives' joints and motors are called `q1` to `q6`; the
        keyframe `start` holds the weight there. SI units; of machines so small or so large that MuJoCo would
        refuse their inertias or forces, lengths and masses are in other units, which the comment on top states.

    Raises
    ------
    InputError
        No platform mass, a pose at which a leg cannot close, or some motion has no inertia, as for `gough.simulate`.

    """
    start = _start(machine, X)
    root = Element("mujoco", model=machine.name)
    added(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false", balanceinertia="false")
    added(root, "option", gravity=machine.gravity, timestep=TIMESTEP, integrator="RK4", tolerance=1e-12)
    defaults = added(root, "default")
    added(defaults, "geom", type="capsule", contype="0", conaffinity="0", rgba=LEG)
    added(defaults, "equality", solref=SOLVER_REFERENCE, solimp=SOLVER_IMPEDANCE)
    draw_room(root)
    world = added(root, "worldbody")
    added(world, "light", pos=machine.X_home[:3, 3] - 2 * machine.size * _down(machine), dir=_down(machine))
    draw_base(world, machine)
    _add_platform(world, machine, start.X)
    still = np.zeros(6)
    # NaN at a singular pose, where no forces hold the weight.
    hold = np.nan_to_num(inverse_dynamics(machine, start.X, still, still))
    gains = _servo_gains(machine, start.X) if has_servos else None
    equality, actuator = Element("equality"), Element("actuator")
    for i in range(6):
        tip, at = _add_leg(world, machine, start, i)
        added(equality, "connect", name=f"loop{i + 1}", body1=tip, body2="platform", anchor=at)
        force = machine.limits.actuator_force
        span = None if force is None else [-force[i], force[i]]
        both = {"name": f"q{i + 1}", "joint": f"q{i + 1}"}
        if gains is None:
            added(actuator, "motor", **both, gear="1", ctrlrange=span)
        else:
            added(actuator, "position", **both, kp=gains.kp[i], kv=gains.kv[i], forcerange=span)
    root.extend([equality, actuator])
    keys = added(root, "keyframe")
    control = hold if gains is None else start.q + hold / gains.kp
    added(keys, "key", name="start", qpos=_positions(machine, start), ctrl=control)
    units = in_units_that_mujoco_takes(root, machine)
    ElementTree.indent(root)
    # XML allows neither two hyphens nor control characters within comments.
    comment = re.sub("-(?=-)", "- ", printable(_comment(machine, units, has_servos=has_servos)))
    return f"<!--\n{comment}\n-->\n" + ElementTree.tostring(root, encoding="unicode") + "\n"


def _start(machine: Machine, X: PoseLike | None) -> Start:
    pose = one_pose(X, machine.X_home, "X")
    if machine.platform is None or not machine.platform.mass > 0:
        raise InputError(f"machine {machine.name!r} has no platform mass (platform.mass), which MuJoCo needs")
    q = inverse_kinematics(machine, pose)
    if not np.isfinite(q).all():
        i = int(np.argmin(np.isfinite(q)))
        raise InputError(f"leg {i + 1} cannot close at the start pose; see gough.margins")
    check_moves(machine, pose, forward_dynamics(machine, pose, np.zeros(6), np.zeros(6)))
    # d = t + R b - p(q), along the rod.
    foot = machine.legs.driven_points(q)
    d = machine.b_P @ pose[:3, :3].T + pose[:3, 3] - foot
    length = np.linalg.norm(d, axis=1)
    return Start(pose, q, foot, leg_axes(machine, q, d / length[:, None]), length)


def _down(machine: Machine) -> Array:
    pull = float(np.linalg.norm(machine.gravity))
    return machine.gravity / pull if pull > 0 else np.array([0.0, 0.0, -1.0])


def _add_platform(world: Element, machine: Machine, X: Array) -> None:
    assert machine.platform is not None
    body = added(world, "body", name="platform", pos=X[:3, 3], quat=_quaternion(X[:3, :3]))
    added(body, "freejoint", name="platform")
    _add_inertia(body, machine, [machine.platform])
    draw_ring(body, machine.b_P, thickness(machine))
    size = 0.01 * machine.size
    added(body, "site", name="tool", pos=machine.X_PT[:3, 3], quat=_quaternion(machine.X_PT[:3, :3]), size=size)


def _add_leg(world: Element, machine: Machine, start: Start, i: int) -> tuple[str, Array]:
    """Add one leg; returns the body that is connected to the platform, and the point in its frame."""
    legs, twist = machine.legs, machine.legs.carrier_twist()[i]
    parent, origin, turn = world, np.zeros(3), np.eye(3)
    if twist.any():
        # Slider or crank: a body at the carrier's frame, with a joint along or about the carrier's twist, one part of
        # which, linear or angular, is zero.
        frame = legs.carriers(start.q)[i]
        parent = added(
            world, "body", name=_named(machine, "carrier", i), pos=frame[:3, 3], quat=_quaternion(frame[:3, :3])
        )
        _add_drive(
            parent,
            machine,
            start,
            i,
            frame[:3, :3].T @ (twist[:3] + twist[3:]),
            "hinge" if twist[3:].any() else "slide",
        )
        _add_inertia(parent, machine, _parts(machine, "carrier", i))
        origin, turn = frame[:3, 3], frame[:3, :3]
        draw_carrier(parent, turn.T @ (start.foot[i] - origin), thickness(machine)[i])
    # The body at the driven point, whose z axis is along the rod; in the frame of its parent.
    R = turn.T @ start.R[i]
    foot = added(
        parent, "body", name=_named(machine, "foot", i), pos=turn.T @ (start.foot[i] - origin), quat=_quaternion(R)
    )
    _add_universal(foot, machine, start, i)
    _add_inertia(foot, machine, _parts(machine, "foot", i))
    radius, length = thickness(machine)[i], start.length[i]
    if legs.rod() is not None:
        added(foot, "geom", fromto=[0, 0, 0, 0, 0, length], size=radius)
        return _named(machine, "foot", i), np.array([0.0, 0.0, length])
    # A strut: its upper part has its origin at the platform joint and slides along z; the parts overlap as drawn.
    added(foot, "geom", fromto=[0, 0, 0, 0, 0, 0.55 * length], size=radius)
    head = added(foot, "body", name=_named(machine, "head", i), pos=[0, 0, length])
    _add_drive(head, machine, start, i, np.array([0.0, 0.0, 1.0]), "slide")
    _add_inertia(head, machine, _parts(machine, "head", i))
    added(head, "geom", fromto=[0, 0, -0.55 * length, 0, 0, 0], size=0.6 * radius)
    return _named(machine, "head", i), np.zeros(3)


def _parts(machine: Machine, end: str, i: int) -> list[Body]:
    return [bodies[i] for part, bodies in machine.leg_bodies.items() if machine.legs.attached_to[part] == end]


def _named(machine: Machine, end: str, i: int) -> str:
    """Name of a body, after the last of the leg's parts at this end: leg3_rod."""
    parts = [part for part in machine.legs.parts if machine.legs.attached_to[part] == end]
    return f"leg{i + 1}_{parts[-1]}"


def _add_drive(body: Element, machine: Machine, start: Start, i: int, axis: Array, kind: str) -> None:
    """Add the driven joint, with the drive's friction and rotor."""
    low, high = machine.limits.joint_min[i], machine.limits.joint_max[i]
    drives = machine.actuators
    # Inertia of the rotor as seen by the joint: the square of the transmission [rad/m or 1] times its own.
    rotor = None
    if drives.rotor_inertia is not None:
        rotor = drives.rotor_inertia[i] * (1.0 if drives.transmission is None else drives.transmission[i]) ** 2
    added(
        body,
        "joint",
        name=f"q{i + 1}",
        type=kind,
        axis=axis,
        ref=start.q[i],  # the joint's value at the start pose, so that it is q everywhere
        range=[low, high] if np.isfinite([low, high]).all() else None,
        damping=None if drives.viscous_friction is None else drives.viscous_friction[i],
        frictionloss=None if drives.coulomb_friction is None else drives.coulomb_friction[i],
        armature=rotor,
    )


def _add_universal(body: Element, machine: Machine, start: Start, i: int) -> None:
    """Add the joint at the leg's foot: two hinges, or a ball where their axes are unknown and inertia needs them."""
    name = f"leg{i + 1}"
    if _has_balls(machine):
        added(body, "joint", name=f"{name}_ball", type="ball")
        return
    first = np.array([1.0, 0.0, 0.0])
    if machine.joint_axis is not None:
        # The joint's first axis is given in the base with drives at zero; it turns with the crank that carries it.
        twist = machine.legs.carriers(start.q)[i, :3, :3] @ machine.legs.carriers(np.zeros(6))[i, :3, :3].T
        first = start.R[i].T @ twist @ machine.joint_axis[i]
    added(body, "joint", name=f"{name}_first", type="hinge", axis=first)
    added(body, "joint", name=f"{name}_second", type="hinge", axis=[0, 1, 0])


def _has_balls(machine: Machine) -> bool:
    """Whether legs are free to turn about their axes and have a moment of inertia about these."""
    turning = (bodies for part, bodies in machine.leg_bodies.items() if machine.legs.attached_to[part] != "carrier")
    return machine.joint_axis is None and any((bodies.inertia[:, 2, 2] > 0).any() for bodies in turning)


def _add_inertia(element: Element, machine: Machine, bodies: list[Body]) -> None:
    """Add the inertia of all bodies together, about their common mass centre."""
    assert machine.platform is not None
    whole, least = joined(bodies), NOMINAL * machine.platform.mass
    if whole.mass < least:
        size = 0.1 * machine.size
        element.set("gravcomp", f"{1 - whole.mass / least:.15g}")
        added(element, "inertial", pos=whole.mass_centre, mass=least, diaginertia=[least * size**2] * 3)
        return
    # MuJoCo needs positive definite inertias that no rounding makes indefinite.
    floor = max(
        THIN * float(np.linalg.eigvalsh(whole.inertia)[-1]),
        whole.mass * (POINT * machine.size) ** 2,
        LIGHT * machine.platform.mass * machine.size**2,
    )
    J = whole.inertia + floor * np.eye(3)
    products = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    added(element, "inertial", pos=whole.mass_centre, mass=whole.mass, fullinertia=products)


def _positions(machine: Machine, start: Start) -> Array:
    """MuJoCo's qpos at the start: the platform's pose, then each leg's joints in the order of its bodies."""
    passive = [1.0, 0.0, 0.0, 0.0] if _has_balls(machine) else [0.0, 0.0]
    is_strut = machine.legs.rod() is None
    # MuJoCo orders qpos by the tree of bodies: a strut's drive follows its passive joints, other drives precede theirs.
    legs = [[*passive, q] if is_strut else [q, *passive] for q in start.q]
    return np.array([*start.X[:3, 3], *_quaternion(start.X[:3, :3]), *np.ravel(legs)])


def _quaternion(R: Array) -> Array:
    """Unit quaternion (w, x, y, z) of a rotation, MuJoCo's order."""
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(R).as_quat(canonical=True), 1)


def _servo_gains(machine: Machine, X: Array) -> Gains:
    """Gains of servos that give the inertia m of each joint the poles -w, -w of their bandwidth: m (s + w)^2."""
    J_Vq = inverse_jacobian(machine, X)
    M = J_Vq.T @ mass_matrix(machine, X) @ J_Vq
    mass = np.diag(M)
    if not np.isfinite(M).all():
        raise InputError("position servos need a start pose that is not singular; leave them out, or start elsewhere")
    # Along the motion of least inertia the poles are those of M x'' + 2 s D x' + s^2 D x = 0, about 2 s times the
    # largest eigenvalue of M^-1 D, D being the diagonal of M.
    scale = 1 / np.sqrt(mass)
    most = 1 / np.linalg.eigvalsh(M * scale * scale[:, None])[0]
    bandwidth = min(SERVO, FASTEST / (2 * most * TIMESTEP))
    return Gains(bandwidth**2 * mass, 2 * bandwidth * mass)


def _comment(machine: Machine, units: str, *, has_servos: bool) -> str:
    lines = [
        f"{machine.title or machine.name}. Made by Gough from the machine file of {machine.name!r}.",
        f"Source of its numbers: {machine.source or 'not given'}.",
        f"{units} {'Position servos hold' if has_servos else 'Motors act on'} the joints q1 to q6; positive drives the "
        "joint coordinate up.",
    ]
    missing = [part for part in machine.legs.parts if part not in machine.leg_bodies]
    if missing:
        lines.append(
            f"No mass is known of {', '.join(missing)}: nominal {NOMINAL:g} of the platform's, without weight, where "
            "MuJoCo needs one."
        )
    return "\n".join(lines)
