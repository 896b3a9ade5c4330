"""Ready-made systems: hexapods, stacks of hexapods, the double pendulum.

Solids 2 i - 1 and 2 i are the two parts of leg i, solid 13 the platform (Dumitriu 2017, section 2):

    strut          base  universal  lower part  cylindrical  upper part  universal   platform
                   base  universal  lower part  prismatic    upper part  spherical   platform
    driven foot    base  prismatic or revolute  slider or crank  universal  rod  spherical   platform

A leg has 12 joint rows in each form: with 6 orthogonality conditions for a solid, 156 differential equations and 78 +
72 constraints. Parts fixed to one another are one solid; parts without a mass in the machine are massless solids.

`stacked` builds hexapods on one another: two have 26 solids, 312 differential equations and 156 + 144 constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.machine_parts import joined
from gough.multibody.bodies import GROUND, Body, Force, ForceElement, Magnitude, Torque
from gough.multibody.joints import Cylindrical, Joint, Prismatic, Revolute, Spherical, Universal, across
from gough.multibody.system import System
from gough.poses import PoseLike, checked_matrices

Struts = Literal["UCU", "UPS", "UCU-printed"]

SMALLEST_JOINT_SINE = 1e-6
"""Sine of the angle between a leg and the first axis of its universal joint below which its frame is undefined."""
PLATFORM = "platform"
"""Name of the platform's solid."""


class BuiltStage(NamedTuple):
    """One hexapod of the system: its machine, base pose, and names of solids."""

    machine: Machine
    X_OB: Array
    """Pose of its base in the inertial frame (4, 4)."""
    base: str
    """Name of the solid that carries its base joints."""
    platform: str
    """Name of its platform."""
    legs_below: int
    """Number of legs of the stages below."""
    struts: Struts

    def point(self, p_B: Array) -> Array:
        """Return a point of the base frame, in the inertial frame."""
        return np.asarray(self.X_OB[:3, :3] @ p_B + self.X_OB[:3, 3])

    def direction(self, d_B: Array) -> Array:
        """Return a direction of the base frame, in the inertial frame."""
        return np.asarray(self.X_OB[:3, :3] @ d_B)

    def number(self, i: int) -> int:
        """Return the number of leg i in names, counted through all stages."""
        return self.legs_below + i + 1


Leg = tuple[tuple[Body, Body], tuple[Joint, Joint, Joint], ForceElement]
"""Solids, joints and drive of a leg."""


@checks_arguments
def hexapod(
    machine: Machine,
    pose: PoseLike | None = None,
    forces: Sequence[Magnitude] | None = None,
    *,
    struts: Struts = "UCU",
    force_elements: Sequence[ForceElement] = (),
) -> System:
    """Build a machine as a system of thirteen solids, in SI.

    Joints are named "base 1", "leg 1" and "platform 1" and so on, drives "drive 1" and so on: a force along each strut
    or guide, a torque about each crank's axis. Friction and rotors are not included.

    Parameters
    ----------
    machine : Machine
        With a platform mass.
    pose : PoseLike, optional
        Pose of the platform at the start; home by default.
    forces : six numbers or functions of time, optional
        Forces [N] or torques [N m] of the drives, + where they drive their joint coordinate up. Default: none.
    struts : "UCU", "UPS" or "UCU-printed"
        Joints of legs that extend. "UCU" is Dumitriu's: a cylindrical joint and a universal joint at the platform.
        "UCU-printed" has its constraints as 2017 prints them in (10) and (11), exact near the start only, and its
        efforts (12) and (13), where drives act on the upper parts alone. "UPS" has a prismatic joint and a ball joint
        at the platform: both parts turn with the universal joint at the base, as the part frames of machine files
        assume. Rods on a slider or crank always have a universal joint there and a ball joint at the platform.
    force_elements : sequence of ForceElement
        Further forces, torques and springs; the platform is the solid "platform".

    Returns
    -------
    System
        Thirteen solids, at rest at the start.

    Raises
    ------
    InputError
        The machine has no masses, or a leg cannot close at the pose.

    """
    stage = BuiltStage(machine, np.eye(4), GROUND, PLATFORM, 0, struts)
    X = checked_matrices(machine.X_home if pose is None else pose)
    return _system([stage], [X], forces, force_elements)


@checks_arguments
def stacked(
    machines: Sequence[Machine],
    poses: Sequence[PoseLike] | None = None,
    forces: Sequence[Magnitude] | None = None,
    *,
    mounts: Sequence[PoseLike] | None = None,
    struts: Struts = "UCU",
    force_elements: Sequence[ForceElement] = (),
) -> System:
    """Build stacked hexapods, each base on the platform below, such as the double hexapod of Dumitriu 2017.

    Platforms are named "stage 1", "stage 2" and so on; legs are numbered through, so the second stage has "base 7" to
    "base 12" and "drive 7" to "drive 12". Gravity is that of the lowest machine.

    Parameters
    ----------
    machines : sequence of Machine
        From the lowest up; each with a platform mass.
    poses : sequence of PoseLike, optional
        Of each platform in its own base at the start; home by default.
    forces : six numbers or functions of time for each machine, optional
        As for `hexapod`, in the order of the machines.
    mounts : sequence of PoseLike, optional
        Pose of the base of each machine but the lowest in the platform below it; default: the two frames coincide.
    struts, force_elements
        As for `hexapod`.

    Returns
    -------
    System
        Thirteen solids for each machine, at rest at the start.

    Raises
    ------
    InputError
        No machine, a wrong number of poses or mounts, a machine without masses, or a leg that cannot close.

    """
    if not machines:
        raise InputError("a stack needs at least one machine")
    X_BP = [checked_matrices(X) for X in ([m.X_home for m in machines] if poses is None else poses)]
    X_PB = [checked_matrices(X) for X in ([np.eye(4)] * (len(machines) - 1) if mounts is None else mounts)]
    if len(X_BP) != len(machines) or len(X_PB) != len(machines) - 1:
        raise InputError(f"{len(machines)} machines need as many poses and one mount less")
    stages: list[BuiltStage] = []
    X, base = np.eye(4), GROUND
    for k, machine in enumerate(machines):
        stages.append(BuiltStage(machine, X, base, f"stage {k + 1}", 6 * k, struts))
        # Base of the next stage: X_OB' = X_OB X_BP X_PB.
        X, base = X @ X_BP[k] @ (X_PB[k] if k < len(X_PB) else np.eye(4)), f"stage {k + 1}"
    return _system(stages, X_BP, forces, force_elements)


def _system(
    stages: Sequence[BuiltStage],
    X_BP: Sequence[Array],
    forces: Sequence[Magnitude] | None,
    force_elements: Sequence[ForceElement],
) -> System:
    """System of all stages, each platform at its pose X_BP in its own base."""
    magnitudes = [0.0] * 6 * len(stages) if forces is None else list(forces)
    if len(magnitudes) != 6 * len(stages):
        raise ShapeError.expected("forces", f"({6 * len(stages)},)", (len(magnitudes),))
    bodies: list[Body] = []
    joints: list[Joint] = []
    drives: list[ForceElement] = []
    for stage, X in zip(stages, X_BP, strict=True):
        machine, plate = stage.machine, stage.machine.platform
        if plate is None:
            raise InputError(f"machine {machine.name!r} has no platform mass; specify platform.mass and its inertia")
        for solids, links, drive in _legs(stage, X, magnitudes[stage.legs_below : stage.legs_below + 6]):
            bodies += solids
            joints += links
            drives.append(drive)
        X_OP = stage.X_OB @ X
        bodies.append(Body.in_frame(stage.platform, X_OP, plate.mass, plate.mass_centre, plate.inertia))
    return System(bodies, joints, [*drives, *force_elements], stages[0].machine.gravity)


def _legs(stage: BuiltStage, X: Array, forces: Sequence[Magnitude]) -> list[Leg]:
    """The six legs of a stage, its platform at pose X in its base."""
    machine = stage.machine
    b_B = machine.b_P @ X[:3, :3].T + X[:3, 3]
    q = machine.legs.joints_at(b_B)
    if not np.isfinite(q).all():
        open_legs = ", ".join(str(i + 1) for i in np.flatnonzero(~np.isfinite(q)))
        raise InputError(f"machine {machine.name!r}: leg {open_legs} cannot close at this pose")
    has_carrier = "carrier" in machine.legs.attached_to.values()
    return [(_driven_foot if has_carrier else _strut)(stage, i, q, b_B[i], forces[i]) for i in range(6)]


def _leg_axes(stage: BuiltStage, i: int, q: Array, d_B: Array) -> tuple[Array, Array]:
    """Axes of the leg frame as columns, and the first axis of the lower universal joint, both in the base frame.

    Without joint axes in the machine the first axis is any direction across the leg.
    """
    machine = stage.machine
    z = d_B / np.linalg.norm(d_B)
    first = across(z)[0]
    if machine.joint_axis is not None:
        # The file gives the axis at q = 0; on a crank it turns with the crank.
        first = np.array(machine.legs.plain.carried(machine.table, i, q[i], *machine.joint_axis[i]))
    y = np.cross(z, first)
    if np.linalg.norm(y) < SMALLEST_JOINT_SINE:
        raise InputError(
            f"machine {machine.name!r}: the first axis of the universal joint of leg {i + 1} lies along it"
        )
    y /= np.linalg.norm(y)  # the second axis of the joint, normal to the first and to the leg
    return np.stack([np.cross(y, z), y, z], axis=1), first


def _strut(stage: BuiltStage, i: int, q: Array, b_B: Array, force: Magnitude) -> Leg:
    """Universal, cylindrical, universal (2017, eqs. 9-11); or universal, prismatic, spherical."""
    p_B = stage.machine.legs.driven_points(q)[i]
    axes, first = _leg_axes(stage, i, q, b_B - p_B)
    x, y, z = (stage.direction(axis) for axis in axes.T)
    p, b, k = stage.point(p_B), stage.point(b_B), stage.number(i)
    lower, upper = _merged(stage, "foot", i, axes, p_B), _merged(stage, "head", i, axes, b_B)
    # The first axis of the lower joint is fixed to the base, the second (y) to the lower part.
    base = Universal(stage.base, lower.name, p, stage.direction(first), y, name=f"base {k}")
    is_printed = stage.struts == "UCU-printed"
    sliding: Joint = Cylindrical(lower.name, upper.name, b, z, as_printed=is_printed, name=f"leg {k}")
    top: Joint = Universal(upper.name, stage.platform, b, y, x, as_printed=is_printed, name=f"platform {k}")
    if stage.struts == "UPS":
        sliding = Prismatic(lower.name, upper.name, b, z, name=f"leg {k}")
        top = Spherical(upper.name, stage.platform, b, name=f"platform {k}")
    against = stage.base if is_printed else lower.name
    drive = Force(upper.name, b, z, against=against, carried_by=lower.name, magnitude=force, name=f"drive {k}")
    return (lower, upper), (base, sliding, top), drive


def _driven_foot(stage: BuiltStage, i: int, q: Array, b_B: Array, force: Magnitude) -> Leg:
    """Prismatic or revolute, universal, spherical."""
    legs = stage.machine.legs
    p_B = legs.driven_points(q)[i]
    axes, first = _leg_axes(stage, i, q, b_B - p_B)
    twist, frame = legs.carrier_twist()[i], legs.carriers(q)[i]
    lower = _merged(stage, "carrier", i, frame[:3, :3], frame[:3, 3])
    upper = _merged(stage, "foot", i, axes, p_B)
    turns = bool(twist[3:].any())  # the carrier's twist per q: a crank rotates, a slider translates
    hinge = Revolute if turns else Prismatic
    axis, foot, k = stage.direction(twist[3:] if turns else twist[:3]), stage.point(frame[:3, 3]), stage.number(i)
    joints = (
        hinge(stage.base, lower.name, foot, axis, name=f"base {k}"),
        Universal(
            lower.name,
            upper.name,
            stage.point(p_B),
            stage.direction(first),
            stage.direction(axes[:, 1]),
            name=f"leg {k}",
        ),
        Spherical(upper.name, stage.platform, stage.point(b_B), name=f"platform {k}"),
    )
    name = f"drive {k}"
    drive: ForceElement = Force(
        lower.name, foot, axis, against=stage.base, carried_by=stage.base, magnitude=force, name=name
    )
    if turns:
        drive = Torque(lower.name, axis, against=stage.base, carried_by=stage.base, magnitude=force, name=name)
    return (lower, upper), joints, drive


def _merged(stage: BuiltStage, end: str, i: int, axes: Array, origin: Array) -> Body:
    """One solid of all parts of leg i that move with `end`; its frame has these axes and origin in the base."""
    machine = stage.machine
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = axes, origin
    parts = [part for part in machine.legs.parts if machine.legs.attached_to[part] == end]
    whole = joined(machine.leg_bodies[part][i] for part in parts if part in machine.leg_bodies)
    name = f"{parts[-1]} {stage.number(i)}"
    return Body.in_frame(name, stage.X_OB @ X, whole.mass, whole.mass_centre, whole.inertia)


MASS, LENGTH, WIDTH, DEPTH = 0.108, 0.2, 0.02, 0.01
"""m [kg], l, a, b [m] of each bar (2016, section 6)."""
GRAVITY = 9.81
"""[m/s2]"""


@checks_arguments
def double_pendulum(phi: float = np.pi / 9, psi: float = np.pi / 18) -> System:
    """Build two bars on ball joints, x downwards, in the plane of x and y (2016, section 4).

    Parameters
    ----------
    phi, psi : float
        Angles of "bar 1" and "bar 2" from x at the start [rad]; the paper's are 20 and 10 degrees.

    Returns
    -------
    System
        At rest at the start.

    Raises
    ------
    InputError
        Angles that are not numbers.

    """
    along = np.array([np.cos(phi), np.sin(phi), 0.0])
    bars = [_bar("bar 1", np.zeros(3), phi), _bar("bar 2", LENGTH * along, psi)]
    joints = [
        Spherical("ground", "bar 1", np.zeros(3), name="O"),
        Spherical("bar 1", "bar 2", LENGTH * along, name="H"),
    ]
    return System(bars, joints, gravity=[GRAVITY, 0.0, 0.0])


def _bar(name: str, start: Array, angle: float) -> Body:
    """A homogeneous bar; K_G of 2016, eq. (15)."""
    x, y = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
    z = np.array([0.0, 0.0, 1.0])
    K = MASS / 12 * (LENGTH**2 * np.outer(x, x) + WIDTH**2 * np.outer(y, y) + DEPTH**2 * np.outer(z, z))
    return Body.from_poinsot(name, MASS, start + LENGTH / 2 * x, K)
