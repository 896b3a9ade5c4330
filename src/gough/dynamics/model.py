"""Arguments of the kernels: tables of masses, inertias and friction, batches, wrenches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.numbers import given_point, of_shape, six
from gough.dynamics import _leg_forces as layout
from gough.dynamics._equations import PLATFORM_NUMBERS, state_rate
from gough.dynamics._leg_forces import Model
from gough.errors import InputError
from gough.machine import Machine
from gough.machine_parts import Body, LegBodies, steiner
from gough.poses import PoseLike, checked_matrices, common_shape, cross, wrench_at
from gough.stacked import by_machine
from gough.workers import PARALLEL_FROM, run_batch


def refuse_point_alone(wrench: object, point: object) -> None:
    """`InputError` for a point without a wrench that acts there."""
    if wrench is None and point is not None:
        raise InputError("point: requires a wrench")


def wrench_at_origin(X: Array, wrench: ArrayLike | None, point: ArrayLike | None) -> Array:
    """Return the applied wrench (..., 6) about the platform's origin, given about a point of the platform (in its
    frame)."""
    refuse_point_alone(wrench, point)
    if wrench is None:
        return np.zeros(6)
    F = six("wrench", wrench)
    if point is None:
        return F
    p = of_shape("point", point, "(..., 3)")
    common_shape("poses, wrench and point", X.shape[:-2], F.shape[:-1], p.shape[:-1])
    arm = (X[..., :3, :3] @ p[..., None])[..., 0]
    return wrench_at(F, -arm)


ForceOf = Callable[[float, Array, Array], ArrayLike]
"""Six numbers from time [s], pose (4, 4) and twist (6,): forces or a wrench."""
Drives: TypeAlias = Literal["free", "held"]
"""Whether the drives move, or are held so that the legs yield along their length only."""


class PoseBatch:
    """Poses and the vectors that belong to them, broadcast against one another and flattened.

    For a machine of stages, `stage_shape` is that of the poses of all platforms, (..., 2, 4, 4); vectors of all
    platforms are concatenated: twists (..., 12).
    """

    def __init__(self, X: PoseLike, stage_shape: tuple[int, ...] = (), **beside: Array) -> None:
        self.X, each = checked_matrices(X), (*stage_shape, 4, 4)
        shapes = [values.shape[:-1] for values in beside.values()]
        self.shape = common_shape(f"poses, {', '.join(beside)}", self.X.shape[: -len(each)], *shapes)
        self.flat = np.broadcast_to(self.X, (*self.shape, *each)).copy().reshape(-1, *each)
        self.beside = [
            np.broadcast_to(values, (*self.shape, values.shape[-1])).copy().reshape(-1, values.shape[-1])
            for values in beside.values()
        ]

    def run(self, kernel: Callable[..., None], *outputs: tuple[int, ...]) -> list[Array]:
        """Return outputs of `kernel`, of the given trailing shapes; it is called with slices of the batch and the
        outputs."""
        found = [np.empty((len(self.flat), *shape)) for shape in outputs]
        arrays = [self.flat, *self.beside, *found]
        if len(self.flat) < PARALLEL_FROM:  # small batches: handing out slices costs more than the kernel
            kernel(*arrays)
        else:
            run_batch(lambda s: kernel(*(array[s] for array in arrays)), len(self.flat))
        return [values.reshape((*self.shape, *shape)) for values, shape in zip(found, outputs, strict=True)]


class AppliedWrench:
    """Applied wrench over time, about the platform's origin."""

    def __init__(
        self, stage_shape: tuple[int, ...], wrench: ArrayLike | ForceOf | None, point: ArrayLike | None
    ) -> None:
        refuse_point_alone(wrench, point)
        self.shape = (*stage_shape, 6)
        self.given = function_of("wrench", np.zeros(6) if wrench is None else wrench, (6,), self.shape)
        self.point = None if point is None else given_point(point, np.zeros(3))
        self.is_constant = not callable(wrench) and point is None

    def __call__(self, t: float, X: Array, V: Array) -> Array:
        """Wrench (6,) about the platform's origin; of stages (2, 6)."""
        # One wrench for two stages acts on the end platform.
        given = self.given(t, X, V).reshape(-1, 6)
        F = np.zeros(self.shape).reshape(-1, 6)
        F[-len(given) :] = given
        if self.point is not None:
            F[-1] = wrench_at(F[-1], -(X.reshape(-1, 4, 4)[-1, :3, :3] @ self.point))
        return F.reshape(self.shape)


def function_of(
    name: str, given: ArrayLike | ForceOf, *shapes: tuple[int, ...]
) -> Callable[[float, Array, Array], Array]:
    """Return the function of time, pose and twist whose values have one of the shapes: the given one, or a constant."""
    if callable(given):
        function = given
        return lambda t, X, V: _checked(name, function(t, X, V), shapes)
    constant = _checked(name, given, shapes)
    return lambda t, X, V: constant


def _checked(name: str, values: ArrayLike, shapes: tuple[tuple[int, ...], ...]) -> Array:
    return of_shape(name, values, " or ".join(map(str, dict.fromkeys(shapes)))).copy()


SLIP_SPEED = 1e-3
"""Speed at which Coulomb friction reaches 76 % (tanh 1) of its value: of the machine's size per second, or rad/s."""
ROUND = 1e-9
"""Tolerance of rotational symmetry of a body's inertia about z, as a part of its largest element."""

_models: WeakKeyDictionary[Machine, dict[bool, Model]] = WeakKeyDictionary()
"""Models that were built, with friction and without."""


def model_of(machine: Machine, *, has_friction: bool = True) -> Model:
    """Return tables of the machine, built once; `InputError` where it has no platform mass."""
    known = _models.setdefault(machine, {})
    if has_friction not in known:
        known[has_friction] = _build(machine, has_friction)
    return known[has_friction]


@by_machine
def state_rate_of(machine: Machine) -> Callable[[Array, Array, Array, Array, Array], float | None]:
    """Return the function of a state y, forces f, wrench F and gravity that writes the rate dy
    (`_equations.state_rate`)."""
    return partial(state_rate, model_of(machine))


def _build(machine: Machine, has_friction: bool) -> Model:
    if machine.platform is None:
        raise InputError(
            f"machine {machine.name!r} has no masses, so its dynamics are unknown: specify platform.mass with "
            "mass_centre and inertia, a payload, and legs.bodies where the legs' own masses count"
        )
    D = kinematic_table(machine)
    _write_carriers(machine, D)
    _write_drives(machine, D, has_friction)
    is_round = _write_leg_bodies(machine, D)
    plate = machine.platform
    P = np.empty(PLATFORM_NUMBERS)
    P[0], P[1:4], P[4:10] = plate.mass, plate.mass * plate.mass_centre, _elements(_about_origin(plate))
    return Model(machine.legs.code, machine.table, D, P, is_round)


def kinematic_table(machine: Machine) -> Array:
    """Return the dynamics table of a machine without masses: what turns with its drives, and the axes of its joints."""
    D = np.zeros((layout.DYNAMICS_ROWS, 6))
    D[layout.TURN : layout.TURN + 3] = machine.legs.carrier_twist()[:, 3:].T
    if machine.joint_axis is not None:
        D[layout.AXIS : layout.AXIS + 3] = machine.joint_axis.T
    return D


def _about_origin(body: Body | LegBodies) -> Array:
    """Inertia (..., 3, 3) of bodies about their frames' origins, in their axes [kg m2]."""
    return body.inertia + steiner(body.mass, body.mass_centre)


def _elements(J: Array) -> Array:
    """Elements xx, yy, zz, xy, xz, yz (6, ...) of tensors (..., 3, 3)."""
    return np.moveaxis(J[..., [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], -1, 0)


def _write_carriers(machine: Machine, D: Array) -> None:
    """Sliders or cranks, which move with the drives: inertia along q, and mass about the driven point at q = 0."""
    legs, tensor = machine.legs, np.zeros((6, 3, 3))
    twist, frames = legs.carrier_twist(), legs.carriers(np.zeros(6))
    for part, body in machine.leg_bodies.items():
        if legs.attached_to[part] != "carrier":
            continue
        # Inertia along q from the kinetic energy at q' = 1; it is the same at every q.
        R = frames[:, :3, :3]
        centre = (R @ body.mass_centre[..., None])[..., 0]
        velocity = twist[:, :3] + cross(twist[:, 3:], centre)
        turning = np.einsum("ijk,ij->ik", R, twist[:, 3:])
        D[layout.INERTIA] += body.mass * np.sum(velocity**2, axis=1)
        D[layout.INERTIA] += np.einsum("ij,ijk,ik->i", turning, body.inertia, turning)
        arm = frames[:, :3, 3] + centre - legs.rest()
        D[layout.CARRIER_MASS] += body.mass
        D[layout.CARRIER_MOMENT : layout.CARRIER_MOMENT + 3] += body.mass * arm.T
        tensor += R @ body.inertia @ np.swapaxes(R, -1, -2) + steiner(body.mass, arm)
    D[layout.CARRIER_TENSOR : layout.CARRIER_TENSOR + 6] = _elements(tensor)


def _write_drives(machine: Machine, D: Array, has_friction: bool) -> None:
    """Friction, and rotors, whose inertia is reflected through screw or gear by the ratio squared."""
    drives = machine.actuators
    if drives.rotor_inertia is not None:
        D[layout.ROTOR] = drives.rotor_inertia * (1.0 if drives.transmission is None else drives.transmission) ** 2
        D[layout.INERTIA] += D[layout.ROTOR]
    D[layout.SLIP] = SLIP_SPEED * (machine.size if machine.legs.joint == "length" else 1.0)
    if has_friction and drives.viscous_friction is not None:
        D[layout.VISCOUS] = drives.viscous_friction
    if has_friction and drives.coulomb_friction is not None:
        D[layout.COULOMB] = drives.coulomb_friction


def _write_leg_bodies(machine: Machine, D: Array) -> bool:
    """Bodies that turn with the leg's direction; whether they are all axisymmetric."""
    J = np.zeros((6, 3, 3))
    for part, body in machine.leg_bodies.items():
        end = machine.legs.attached_to[part]
        if end == "carrier":
            continue
        mass, moment = (
            (layout.FOOT_MASS, layout.FOOT_MOMENT) if end == "foot" else (layout.HEAD_MASS, layout.HEAD_MOMENT)
        )
        D[mass] += body.mass
        D[moment : moment + 3] += body.mass * body.mass_centre.T
        J += _about_origin(body)
    xx, yy, zz, xy, xz, yz = tensor = _elements(J)
    D[layout.ROUND_TENSOR], D[layout.ROUND_TENSOR + 1] = 0.5 * (xx + yy), zz
    D[layout.TENSOR : layout.TENSOR + 6] = tensor
    moments = D[[layout.FOOT_MOMENT, layout.FOOT_MOMENT + 1, layout.HEAD_MOMENT, layout.HEAD_MOMENT + 1]]
    # Round about the leg: mass centres on its axis, J diagonal with equal x and y. Its rotation then has no effect.
    uneven = np.abs([xx - yy, xy, xz, yz]).max(axis=0)
    is_round = not moments.any() and bool((uneven <= ROUND * np.abs(tensor).max(axis=0)).all())
    if not is_round and machine.joint_axis is None:
        raise InputError(
            f"machine {machine.name!r}: its legs' parts are not axisymmetric, so their orientation is "
            "needed; specify the first axes of the universal joints, legs.joint_axis"
        )
    return is_round
