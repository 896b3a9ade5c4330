"""The linear map between small displacements of a point of interest and of the joints.

Source: "HexaPod: Kinematics" (engineering-fundamentals page of a precision-engineering supplier): s = T^-1 dM with
dM = [dx, dy, dz, dRx, dRy, dRz] of the point M and Q = Rx Ry Rz. The page builds T^-1 from finite differences; here it
is the exact derivative, with the page's form next to it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, numbers, of_shape
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics, postures
from gough.kinematics.rates import end_jacobian, inverse_jacobian
from gough.poses import PoseLike, one_pose, rotation_matrix, skew
from gough.present.answer import Field, Table
from gough.present.show import Show
from gough.quantity import ALONG_AXES, TWELVE_LEGS, derived, joint_units, quantity, ratios, result, transform
from gough.results import Result
from gough.stacked import AnyMachine

HEADS = ("dx", "dy", "dz", "dRx", "dRy", "dRz")
"""Displacements of the point of interest."""


@result
class LinearMap(Result):
    """Joint displacements = T_inv @ [dx, dy, dz, dRx, dRy, dRz], near one pose.

    Attributes
    ----------
    machine : Machine

    """

    T_inv: Array = quantity(
        lambda of: ratios(joint_units(of.machine), ALONG_AXES), "leg", "twist", frame="base",
        doc="Joint displacements to first order, dq = T_inv dx, for displacements dx of the point of interest along, "
        "and turns about, the base axes: the exact derivative.",
    )  # fmt: skip
    machine: AnyMachine
    X: Array = transform(label="pose", doc="Pose of the (end) platform at which the map is taken.")
    point: Array = quantity(
        "m", "axis", label="point of interest in the platform", frame="platform", doc="The point of interest M."
    )

    def sentence(self) -> str:
        """Describe where the map is valid and whether it is invertible, in the units of the machine's file."""
        place = Show(self.machine).point(self.X[:3, :3] @ self.point + self.X[:3, 3])
        inverse = "without an inverse: the pose is singular" if np.isnan(self.T).any() else "with its inverse"
        return f"Linear map of displacements of the point of interest at {place} to those of the joints, {inverse}"

    def tables(self) -> list[Table]:
        """Tabulate T^-1, a table for each stage, in the units of the machine's file."""
        show, machine, tables = Show(self.machine), self.machine, []
        for k, (stage, rows) in enumerate(zip(machine.stages, np.split(self.T_inv, len(machine.stages)), strict=True)):
            units = [f"{stage.legs.joint_unit}/{si}" for si in ALONG_AXES]
            of_stage = "".join(f", {dim} {k + 1}" for dim in machine.stage_dims)
            caption = f"Joint displacement per displacement of the point of interest{of_stage}"
            legs = TWELVE_LEGS[6 * k : 6 * k + 6]
            tables.append(show.table("leg", legs, [Field("T_inv", rows, units, HEADS, head="{}")], caption))
        return tables

    @cached_property
    @derived(lambda of: ratios(ALONG_AXES, joint_units(of.machine)), "twist", "leg", frame="base")
    def T(self) -> Array:
        """Displacement of the point of interest per joint displacement (6, 6), the inverse; NaN at a singular pose."""
        if np.linalg.cond(self.T_inv) > 1 / np.finfo(float).eps:
            return np.full(self.T_inv.T.shape, np.nan)
        J = inverse_jacobian(self.machine, postures(self.machine, self.X))[-6:]
        T = J.copy()
        T[:3] -= skew(self.X[:3, :3] @ self.point) @ J[3:]  # J has twists of the origin, v_M = v - r x w with r = R M
        return T

    @checks_arguments
    def displaced(self, displacements: ArrayLike) -> Array:
        """Compute poses (..., 4, 4) after a shift dx, dy, dz of M and a rotation Q = Rx Ry Rz about it, in base
        axes."""
        d = of_shape("displacements", displacements, "(..., 6)")
        R = rotation_matrix(d[..., 3:], "XYZ") @ self.X[:3, :3]
        poses = np.zeros((*d.shape[:-1], 4, 4))
        poses[..., :3, :3] = R
        M = self.X[:3, :3] @ self.point + self.X[:3, 3]
        poses[..., :3, 3] = M + d[..., :3] - R @ self.point
        poses[..., 3, 3] = 1.0
        return poses

    @checks_arguments
    def joint_displacements(self, displacements: ArrayLike) -> Array:
        """Compute the exact joint displacements (..., n) of displacements (..., 6), by inverse kinematics; NaN out of
        reach."""
        after, before = (postures(self.machine, X) for X in (self.displaced(displacements), self.X))
        return np.asarray(inverse_kinematics(self.machine, after) - inverse_kinematics(self.machine, before))

    @checks_arguments
    def finite_difference(self, step_length: float, step_angle: float) -> Array:
        """Compute T^-1 (n, 6) by forward differences: columns s(dM) / dM for one displacement at a time, steps [m,
        rad].

        Its error is half the second derivative times the step, to first order. `InputError` for steps not above zero.
        """
        if not (step_length > 0 and step_angle > 0):
            raise InputError(f"steps {step_length:g} m and {step_angle:g} rad: expected both above zero")
        steps = np.array([step_length] * 3 + [step_angle] * 3)
        return np.asarray((self.joint_displacements(np.diag(steps)) / steps[:, None]).T)

    @checks_arguments
    def error(self, displacements: ArrayLike) -> Array:
        """Compute exact minus linear joint displacements (..., n) of displacements (..., 6) [m or rad]."""
        d = numbers("displacements", displacements)
        return np.asarray(self.joint_displacements(d) - d @ self.T_inv.T)


@checks_arguments
def linear_map(machine: AnyMachine, X: PoseLike | None = None, point: ArrayLike | None = None) -> LinearMap:
    """Compute the linear map of small displacements at a pose.

    T^-1 = ds / d[dx, dy, dz, dRx, dRy, dRz] at zero displacement of M (by definition, that of "HexaPod: Kinematics").

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (4, 4), optional
        Pose of the (end) platform; default: home.
    point : (3,) array, optional
        Point of interest M in the (end) platform's frame [m]; default: the machine's.

    Returns
    -------
    LinearMap
        `T_inv` (6, 6): joint displacements [m or rad] = T_inv dM, displacements dM [m, rad] of the point of interest.

    Raises
    ------
    ShapeError
        More than one pose, or a point that is not (3,).

    """
    pose = one_pose(X, machine.end_home, "pose")
    M = given_point(point, machine.point_of_interest)
    J = end_jacobian(machine, pose)
    T_inv = J.copy()
    T_inv[:, 3:] += J[:, :3] @ skew(pose[:3, :3] @ M)  # J is per twist of the origin, v = v_M + r x w with r = R M
    return LinearMap(T_inv, machine, pose, M)
