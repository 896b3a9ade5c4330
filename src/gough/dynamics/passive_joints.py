"""Angles, rates and accelerations of the joints that no drive moves: universal joints and ball joints of the legs.

The universal joint at a leg's foot turns by phi_1 about its first axis e, which is fixed to the base, slider or crank
(angular velocity w_part), and by phi_2 about its second axis y, which is normal to e and to the leg; the ball joint
turns the platform against the leg. With the leg's angular velocity w_leg and the platform's w::

    w_leg - w_part       = phi_1' e + phi_2' y
    (w_leg - w_part)'    = phi_1'' e + phi_2'' y + phi_1' w_part x e + phi_2' (w_part + phi_1' e) x y
    ball                 = R_leg^T (w - w_leg),   its rate R_leg^T (w' - w_leg' - w_leg x (w - w_leg))

Of a strut between two universal joints the ball is three joints: the piston turns by psi in its cylinder, about u along
the leg; the upper universal joint by theta_1 about its axis g on the piston, along u x f, and by theta_2 about its axis
f on the platform::

    w - w_leg  = psi' u + theta_1' g + theta_2' f
    (w - w_leg)' = psi'' u + theta_1'' g + theta_2'' f
                   + psi' w_leg x u + theta_1' (w_leg + psi' u) x g + theta_2' w x f
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import finite, six
from gough.description.geometry import rod_directions
from gough.displacements import rotation_angles
from gough.dynamics._equations import FRAME_NUMBERS, leg_frames_batch
from gough.dynamics.bodies import first_axes, leg_axes
from gough.dynamics.model import PoseBatch, kinematic_table
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, cross
from gough.quantity import derived, of_joints, quantity, result
from gough.results import Result
from gough.stacked import AnyMachine, by_machine

ALONG = np.radians(1.0)
"""Least angle at home between a leg and the first axis of its universal joint, as in machine files [rad]."""


@result
class PassiveJoints(Result):
    """Motion in the joints of the legs at poses (...), zero at home.

    Attributes
    ----------
    machine : Machine

    """

    universal: Array = quantity(
        "rad", "leg", "joint_axis", is_headline=True,
        doc="Angles of the universal joint at the foot: about its first axis, by the right hand, and about its second "
        "one, along u x e with u along the leg, positive where the leg nears the first axis.",
    )  # fmt: skip
    universal_rate: Array = quantity("rad/s", "leg", "joint_axis", doc="Rates of these angles.")
    universal_acceleration: Array = quantity("rad/s2", "leg", "joint_axis", doc="Second derivatives of these angles.")
    ball: Array = quantity(
        "1", "leg", "row", "column", frame="leg",
        doc="Rotation of the platform against the leg since home, in axes of the leg: z along it, y along the second "
        "axis.",
    )  # fmt: skip
    ball_rate: Array = quantity(
        "rad/s", "leg", "axis", frame="leg", doc="Angular velocity of the platform against the leg."
    )
    ball_acceleration: Array = quantity(
        "rad/s2", "leg", "axis", frame="leg", doc="Rate of that angular velocity as the leg sees it."
    )
    joint: Array = quantity(of_joints(), "leg", doc="Joint coordinates, which the drives move.")
    joint_rate: Array = quantity(of_joints("/s"), "leg", doc="Rates of the joint coordinates.")
    joint_acceleration: Array = quantity(of_joints("/s2"), "leg", doc="Second derivatives of the joint coordinates.")
    machine: AnyMachine
    upper: Array | None = quantity(
        "rad", "leg", "joint_axis", default=None,
        doc="With `platform_axis`, angles of the upper universal joint, of the platform against the piston: about its "
        "axis on the piston, along u x f with f its axis on the platform, and about f.",
    )  # fmt: skip
    upper_rate: Array | None = quantity("rad/s", "leg", "joint_axis", default=None, doc="Rates of these angles.")
    upper_acceleration: Array | None = quantity(
        "rad/s2", "leg", "joint_axis", default=None, doc="Second derivatives of these angles."
    )
    piston: Array | None = quantity(
        "rad", "leg", default=None, doc="With `platform_axis`, angle of the piston in its cylinder, about u."
    )
    piston_rate: Array | None = quantity("rad/s", "leg", default=None, doc="Rate of that angle.")
    piston_acceleration: Array | None = quantity("rad/s2", "leg", default=None, doc="Second derivative of that angle.")

    @property
    @derived("rad", "leg", is_headline=True)
    def ball_angle(self) -> Array:
        """Angle of the ball joint's rotation since home (..., 6) [rad]."""
        return rotation_angles(self.ball)

    @property
    @derived("rad/s", "leg")
    def ball_speed(self) -> Array:
        """Magnitude of the ball joint's angular velocity (..., 6) [rad/s]."""
        return np.asarray(np.linalg.norm(self.ball_rate, axis=-1))


@by_machine
@checks_arguments
def passive_joints(
    machine: Machine,
    X: PoseLike,
    V: ArrayLike | None = None,
    A: ArrayLike | None = None,
    *,
    joint_axis: ArrayLike | None = None,
    platform_axis: ArrayLike | None = None,
) -> PassiveJoints:
    """Compute angles, rates and accelerations of the universal and ball joints (Sinatra, Xi, Staicu 2009, eqs. 7-16).

    Rates per unit rate of a drive (eq. 15) are those with V a column of `gough.kinematics.inverse_jacobian`. Of struts
    between two universal joints (UCU) what counts as the ball joint is the upper universal joint with the turn of the
    piston in its cylinder; `platform_axis` separates them. Where the foot is a ball joint (SPS, PSS, RSS) a leg may
    turn about itself, and its angles are those with the axes assumed. Masses are not needed.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    V, A : (..., 6) array, optional
        Twist and acceleration of the platform's origin, in the base frame [m/s, rad/s; m/s2, rad/s2]; zero by default.
    joint_axis : (6, 3) array, optional
        Directions of the first axes, in the base frame, on cranks at q = 0; by default the axes in the machine file.
    platform_axis : (6, 3) array, optional
        Directions of the axes of upper universal joints that are fixed to the platform, in the platform frame; of
        struts only.

    Returns
    -------
    PassiveJoints
        Values for all legs; NaN where a leg cannot close, and for the angles of a leg that lies along its first axis.

    Raises
    ------
    InputError
        The machine's file has no `legs.joint_axis` and none are passed; an axis of no length, or along its leg at home;
        `platform_axis` of legs that are not struts.

    """
    machine = _with_axes(machine, joint_axis)
    batch = PoseBatch(X, V=six("V", np.zeros(6) if V is None else V), A=six("A", np.zeros(6) if A is None else A))
    D = kinematic_table(machine)
    kernel = partial(leg_frames_batch, machine.legs.code, machine.table, D, False)
    legs = batch.run(kernel, (6, FRAME_NUMBERS))[0]
    home = PoseBatch(machine.X_home, V=np.zeros(6), A=np.zeros(6)).run(kernel, (6, FRAME_NUMBERS))[0]
    universal, to_leg_home = _angles(machine, home, None)
    y_home = _times(np.swapaxes(machine.legs.carriers(home[:, 0])[..., :3, :3], -1, -2), to_leg_home[..., 1, :])
    angles, to_leg = _angles(machine, legs, y_home)
    rates, accelerations = _universal_rates(machine, legs, to_leg[..., 1, :])
    X_now = batch.flat.reshape(*batch.shape, 1, 4, 4)
    w, w_t = legs[..., 24:27], legs[..., 27:30]
    platform_w, platform_w_t = (values.reshape(*batch.shape, 1, 6)[..., 3:] for values in batch.beside)
    upper = {}
    if platform_axis is not None:
        f_P = _platform_axes(machine, platform_axis)
        at_home = _upper_axes(f_P, to_leg_home, machine.X_home[:3, :3])
        axes = _upper_axes(f_P, to_leg, X_now[..., :3, :3])
        upper = _upper_angles(f_P, axes, at_home) | _upper_rates(axes, (w, w_t), (platform_w, platform_w_t))
    return PassiveJoints(
        universal=angles - universal,
        universal_rate=rates,
        universal_acceleration=accelerations,
        ball=to_leg @ X_now[..., :3, :3] @ np.swapaxes(to_leg_home @ machine.X_home[:3, :3], -1, -2),
        ball_rate=_times(to_leg, platform_w - w),
        ball_acceleration=_times(to_leg, platform_w_t - w_t - cross(w, platform_w - w)),
        joint=legs[..., 0],
        joint_rate=legs[..., 1],
        joint_acceleration=legs[..., 2],
        machine=machine,
        **upper,
    )


def _universal_rates(machine: Machine, legs: Array, y: Array) -> tuple[Array, Array]:
    """Rates and accelerations of the angles (..., 6, 2) from columns of `leg_frames_batch` and the second axes y."""
    q, q_t, q_tt = legs[..., 0], legs[..., 1, None], legs[..., 2, None]
    w, w_t = legs[..., 24:27], legs[..., 27:30]
    e, n = first_axes(machine, q), machine.legs.carrier_twist()[:, 3:]
    w_part = q_t * n
    rates = np.stack([_dot(w - w_part, e), _dot(w - w_part, y)], axis=-1)
    first, second = rates[..., :1], rates[..., 1:]
    carried = first * cross(w_part, e) + second * cross(w_part + first * e, y)
    change = w_t - q_tt * n - carried
    return rates, np.stack([_dot(change, e), _dot(change, y)], axis=-1)


def _with_axes(machine: Machine, joint_axis: ArrayLike | None) -> Machine:
    """The machine with the first axes of its universal joints."""
    if joint_axis is None:
        if machine.joint_axis is None:
            raise InputError(
                f"machine {machine.name!r}: the first axes of its universal joints are unknown, so its joint angles "
                "are undefined; specify legs.joint_axis in its file, or pass joint_axis (6, 3)"
            )
        return machine
    machine = replace(machine, joint_axis=_unit_axes("joint_axis", joint_axis))
    q = machine.legs.joints_at(machine.b_P @ machine.X_home[:3, :3].T + machine.X_home[:3, 3])
    rods = rod_directions(machine.legs, machine.X_home, q)
    _check_across("joint_axis", np.linalg.norm(cross(rods, first_axes(machine, q)), axis=-1))
    return machine


def _unit_axes(name: str, axes: ArrayLike) -> Array:
    """Unit vectors (6, 3) along directions."""
    axes = finite(name, axes, "(6, 3)")
    length = np.linalg.norm(axes, axis=-1, keepdims=True)
    if not (length > 0).all():
        raise InputError(f"{name}: leg {1 + int(np.argmin(length))} has a direction of no length")
    return np.asarray(axes / length)


def _check_across(name: str, sine: Array) -> None:
    """Raise `InputError` where an axis lies along its leg at home, from the sines (6,) of the angles between them."""
    if (sine < np.sin(ALONG)).any():
        raise InputError(
            f"{name}: leg {1 + int(np.argmin(sine))} points along it at home, where the joint is locked; the axis of a "
            "universal joint is perpendicular to the leg"
        )


def _platform_axes(machine: Machine, platform_axis: ArrayLike) -> Array:
    """Unit vectors (6, 3) of the axes of the upper universal joints on the platform, checked."""
    if "carrier" in machine.legs.attached_to.values():
        raise InputError(
            f"machine {machine.name!r}: its {machine.legs.kind} legs have ball joints at the platform; leave "
            "platform_axis out, which is for struts between two universal joints"
        )
    f_P = _unit_axes("platform_axis", platform_axis)
    q = machine.legs.joints_at(machine.b_P @ machine.X_home[:3, :3].T + machine.X_home[:3, 3])
    u_P = rod_directions(machine.legs, machine.X_home, q) @ machine.X_home[:3, :3]
    _check_across("platform_axis", np.linalg.norm(cross(u_P, f_P), axis=-1))
    return f_P


def _upper_axes(f_P: Array, to_leg: Array, R: Array) -> tuple[Array, ...]:
    """Axes of the piston, u and g, and of the platform, f (..., 6, 3); g in axes of the leg and of the platform."""
    u, f = to_leg[..., 2, :], _times(R, f_P)
    g = cross(u, f)
    with np.errstate(invalid="ignore"):  # a leg along f has no g
        g = g / np.linalg.norm(g, axis=-1, keepdims=True)
    return u, g, f, _times(to_leg, g), _times(np.swapaxes(R, -1, -2), g)


def _upper_angles(f_P: Array, axes: tuple[Array, ...], at_home: tuple[Array, ...]) -> dict[str, Array]:
    """Angles of the piston in its cylinder and of the upper universal joint, from home."""

    def tilt(u: Array, f: Array) -> Array:
        return np.asarray(-np.arctan2(_dot(f, u), np.linalg.norm(cross(u, f), axis=-1)))

    def about(axis: Array, start: Array, end: Array) -> Array:
        return np.asarray(np.arctan2(_dot(cross(np.broadcast_to(start, end.shape), end), axis), _dot(start, end)))

    (u, _, f, g_leg, g_P), (u_h, _, f_h, g_leg_h, g_P_h) = axes, at_home
    angles = [tilt(u, f) - tilt(u_h, f_h), -about(f_P, g_P_h, g_P)]
    return {"piston": about(np.array([0, 0, 1.0]), g_leg_h, g_leg), "upper": np.stack(angles, axis=-1)}


def _upper_rates(
    axes: tuple[Array, ...], of_leg: tuple[Array, Array], of_platform: tuple[Array, Array]
) -> dict[str, Array]:
    """Rates and accelerations of these angles, from angular velocities and accelerations of leg and platform."""
    u, g, f, *_ = axes
    (w_leg, w_leg_t), (w, w_t) = of_leg, of_platform

    def components(v: Array) -> tuple[Array, Array]:
        """Of v = psi u + theta_1 g + theta_2 f, where g is normal to u and f."""
        along, about, cosine = _dot(v, u), _dot(v, f), _dot(u, f)
        square = 1 - cosine**2
        theta = np.stack([_dot(v, g), (about - cosine * along) / square], axis=-1)
        return np.asarray((along - cosine * about) / square), theta

    turn, rates = components(w - w_leg)
    psi, first, second = turn[..., None], rates[..., :1], rates[..., 1:]
    carried = psi * cross(w_leg, u) + first * cross(w_leg + psi * u, g) + second * cross(w, f)
    turning, accelerations = components(w_t - w_leg_t - carried)
    return {
        "piston_rate": turn,
        "piston_acceleration": turning,
        "upper_rate": rates,
        "upper_acceleration": accelerations,
    }


def _angles(machine: Machine, legs: Array, y_home: Array | None) -> tuple[Array, Array]:
    """Angles (..., 6, 2) of the universal joints, and rotations (..., 6, 3, 3) from base axes to leg axes.

    The first angle is that of the second axis about the first, from `y_home` on the part that holds the joint (zero
    without); the second that of the leg with the plane across the first axis.
    """
    q, u = legs[..., 0], legs[..., 21:24]
    with np.errstate(invalid="ignore"):  # a leg along its first axis has no second one
        to_leg = np.swapaxes(leg_axes(machine, q, u), -1, -2)
    e, C = first_axes(machine, q), np.swapaxes(machine.legs.carriers(q)[..., :3, :3], -1, -2)
    second = np.arctan2(_dot(e, u), np.linalg.norm(cross(u, e), axis=-1))
    first = np.zeros_like(second)
    if y_home is not None:
        y, axis = _times(C, to_leg[..., 1, :]), _times(C, e)
        first = np.arctan2(_dot(cross(np.broadcast_to(y_home, y.shape), y), axis), _dot(y_home, y))
    return np.stack([first, second], axis=-1), to_leg


def _dot(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=-1))


def _times(matrix: Array, vectors: Array) -> Array:
    return np.asarray((matrix @ vectors[..., None])[..., 0])
