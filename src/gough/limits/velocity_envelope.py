"""Velocity envelope: speeds of the tool in every direction under the speed limits of the joints.

The set of twists with |J_qV V| <= qd_max is a polytope between six pairs of parallel planes. De Sapio (1998, velocity
envelopes) samples it along unit directions; here the value along a direction, the vertices and the largest inscribed
sphere are exact.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, numbers, of_each_joint, of_shape
from gough.errors import InputError, ShapeError
from gough.kinematics.rates import end_jacobian, inverse_jacobian, solve_or_nan
from gough.limits.ties import legs_in_words, tied_legs
from gough.poses import PoseLike, as_matrices, checked_matrices, skew
from gough.present.answer import Field
from gough.quantity import ALONG_AXES, AXES, SPEEDS, derived, joint_units, of_joints, quantity, ratios, result
from gough.results import Result
from gough.stacked import AnyMachine

Motion = Literal["translation", "rotation", "twist"]

_SIGNS = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
"""Signs of three joints' rates, up to a common sign."""
FREE = 1e-12
"""Singular values below this part of the largest element are zero to rounding."""
COLUMNS: dict[str, slice] = {"translation": slice(0, 3), "rotation": slice(3, 6), "twist": slice(0, 6)}


@result
class VelocityEnvelope(Result):
    """Twists the joints can follow at poses (...).

    Attributes
    ----------
    machine : Machine

    """

    J_qV: Array = quantity(
        lambda of: ratios(joint_units(of.machine), ALONG_AXES), "leg", "twist", frame="base",
        doc="Jacobian from the twist [v, w] of `point` to joint rates.",
    )  # fmt: skip
    joint_speed: Array = quantity(of_joints("/s"), "leg", doc="Speed limits of the joints.")
    machine: AnyMachine

    @property
    @derived(SPEEDS, "twist", frame="base", label="top speed")
    def top_speed(self) -> Array:
        """Speed (..., 6) of the point along each axis without turning [m/s], and of the platform about each axis with
        the point at rest [rad/s], at which the first joint reaches its joint_speed; infinite where no joint moves."""
        return np.stack([self.speed(axis) for axis in np.eye(6)], axis=-1)

    @property
    @derived("m/s", is_headline=True)
    def guaranteed_translation(self) -> Array:
        """Largest speed of the point, without turning, that every direction allows: min of joint_speed / |row of J_qV,
        first three|."""
        return self.guaranteed("translation")

    @property
    @derived("rad/s", is_headline=True)
    def guaranteed_rotation(self) -> Array:
        """Largest turning speed about the point that every axis allows: min of joint_speed / |row of J_qV, last
        three|."""
        return self.guaranteed("rotation")

    @property
    @derived("m/s")
    def fastest_translation(self) -> Array:
        """Largest speed of the point, without turning, that any direction allows: the farthest vertex of
        {v: |J_qV v| <= joint_speed}."""
        return self.fastest("translation")

    @property
    @derived("rad/s")
    def fastest_rotation(self) -> Array:
        """Largest turning speed about the point that any axis allows: the farthest vertex of the same."""
        return self.fastest("rotation")

    @property
    @derived("1", "twist", frame="base", is_listed=False)
    def leg(self) -> NDArray[np.intp]:
        """The leg (..., 6), counted from 1, that sets each `top_speed`; see `legs` for all that do."""
        return np.stack([self.limiting_leg(axis) for axis in np.eye(6)], axis=-1)

    @property
    def legs(self) -> list[tuple[int, ...]]:
        """All legs that set each `top_speed` at one pose, counted from 1."""
        return [self.limiting_legs(axis) for axis in np.eye(6)]

    @property
    def set_by(self) -> list[str]:
        """The legs of `legs` in words: "legs 1 and 4"."""
        return [legs_in_words(each, len(self.joint_speed)) for each in self.legs]

    def rows(self) -> tuple[list[str], list[Field]]:
        """Tabulate one pose's speeds as rows of a table: labels of the directions, and fields of speeds and of the legs
        that set them."""
        labels = [*AXES, "every direction", "fastest direction", "every axis", "fastest axis"]
        ends = [speed(motion) for motion in ("translation", "rotation") for speed in (self.guaranteed, self.fastest)]
        units = [*SPEEDS, "m/s", "m/s", "rad/s", "rad/s"]
        speeds = Field("", [*self.top_speed, *ends], units, head="top speed")
        return labels, [speeds, Field("", [*self.set_by, *[""] * len(ends)], head="set by")]

    @checks_arguments
    def speed(self, directions: ArrayLike) -> Array:
        """Compute the top speed along directions, scaled so that |v| = 1, or |w| = 1 for pure rotations.

        Parameters
        ----------
        directions : (..., 3) or (..., 6) array
            Of the translation, or [v, w]; broadcasts against the poses.

        Returns
        -------
        (...) array
            [m/s], or [rad/s] for pure rotations.

        """
        d = numbers("directions", directions)
        if d.shape[-1:] == (3,):
            d = np.concatenate([d, np.zeros_like(d)], axis=-1)
        if d.shape[-1:] != (6,):
            raise ShapeError.expected("directions", "(..., 3) or (..., 6)", d.shape)
        moves, turns = np.linalg.norm(d[..., :3], axis=-1), np.linalg.norm(d[..., 3:], axis=-1)
        length = np.where(moves > 0, moves, turns)
        if not (np.isfinite(d).all() and (length > 0).all()):
            raise InputError("directions: expected finite numbers that are not all zero")
        rates = np.abs(self.joint_rates(d / length[..., None]))
        # The joint that is fastest relative to its limit determines the speed.
        with np.errstate(divide="ignore"):
            return np.asarray((self.joint_speed / rates).min(axis=-1))

    @checks_arguments
    def limiting_leg(self, directions: ArrayLike) -> NDArray[np.intp]:
        """Find the leg (counted from 1) that reaches its speed limit first along directions [v, w] (..., 6)."""
        return 1 + np.argmax(self.used(directions), axis=-1)

    def limiting_legs(self, direction: ArrayLike) -> tuple[int, ...]:
        """Find all legs (counted from 1) that reach their speed limits together, along one [v, w] (6,) at one pose."""
        rates = np.abs(self.joint_rates(direction))
        if rates.ndim != 1:
            raise ShapeError.expected("direction", "(6,), one at one pose", np.shape(direction))
        with np.errstate(divide="ignore"):
            return tied_legs(self.joint_speed / rates)

    @checks_arguments
    def guaranteed(self, motion: Motion = "translation", *, length: float | None = None) -> Array:
        """Compute the speed available in every direction: radius of the largest inscribed sphere (...), [m/s] or
        [rad/s].

        The sphere about the origin touches the nearest plane: min over legs of qd_max / |row|.

        Parameters
        ----------
        motion : {"translation", "rotation", "twist"}
            With w = 0; with v = 0; or any combination, with the speed sqrt(|v|^2 + (length |w|)^2) [m/s].
        length : float
            Weight of rotation in a combination [m per rad].

        """
        rows = self.J_qV[..., COLUMNS[motion]]
        if motion == "twist":
            if length is None or not (np.isfinite(length) and length > 0):
                raise InputError(f"length {length}: a mix of translation and rotation needs a weight above zero [m]")
            rows = rows / np.array([1.0, 1.0, 1.0, length, length, length])
        return np.asarray(ball_of_each_joint(rows, self.joint_speed).min(axis=-1))

    @checks_arguments
    def fastest(self, motion: Literal["translation", "rotation"] = "translation") -> Array:
        """Compute the top speed along the fastest direction (...) [m/s] or [rad/s]: the farthest vertex; infinite if
        singular.

        At a vertex three joints are at their limits: 20 choices (220 of twelve) with 4 combinations of signs each, of
        which those count that the other joints allow.
        """
        rows = self.J_qV[..., COLUMNS[motion]] / self.joint_speed[:, None]
        best = np.zeros(rows.shape[:-2])
        for chosen in combinations(range(len(self.joint_speed)), 3):
            corners = solve_or_nan(rows[..., list(chosen), :], _SIGNS)
            # A corner of three planes is a vertex if no other joint exceeds its limit there.
            is_inside = (np.abs(rows @ corners) <= 1 + 1e-9).all(axis=-2)
            lengths = np.where(is_inside, np.linalg.norm(corners, axis=-2), 0.0)
            best = np.maximum(best, lengths.max(axis=-1))
        best = np.where(has_no_end(rows) | (best == 0), np.inf, best)
        return np.where(np.isfinite(rows).all(axis=(-1, -2)), best, np.nan)

    @checks_arguments
    def joint_rates(self, V: ArrayLike) -> Array:
        """Compute the joint rates (..., 6) [m/s or rad/s] for twists [v, w] (..., 6) of the point."""
        twist = of_shape("V", V, "(..., 6)")
        return np.asarray((self.J_qV @ twist[..., None])[..., 0])

    def used(self, V: ArrayLike) -> Array:
        """Compute the utilisation (..., 6) of the joints' speed limits for twists [v, w] (..., 6); twists above 1 are
        not possible."""
        return np.asarray(np.abs(self.joint_rates(V)) / self.joint_speed)

    @checks_arguments
    def vertices(self, motion: Motion = "translation") -> Array:
        """Compute the vertices of the polytope at one pose: (n, 3) for translation (w = 0) or rotation (v = 0), (64, 6)
        for all.

        Raises
        ------
        InputError
            At more than one pose, or where the polytope is unbounded (a singular pose).

        """
        if self.J_qV.ndim != 2:
            raise InputError(f"expected a single pose, got poses of shape {self.J_qV.shape[:-2]}")
        rows = self.J_qV[:, COLUMNS[motion]] / self.joint_speed[:, None]
        if not np.isfinite(rows).all() or has_no_end(rows):
            raise InputError(f"at a singular pose some {motion} needs no joint speed: the envelope is unbounded")
        if motion == "twist" and len(rows) > 6:
            # Translation and rotation in comparable units for the hull code.
            scale = np.linalg.norm(rows, axis=0)
            return polytope_vertices(rows / scale) / scale
        if motion == "twist":
            corners = np.array(list(product((-1.0, 1.0), repeat=6)))
            return np.linalg.solve(rows, corners.T).T
        return polytope_vertices(rows)


def ball_of_each_joint(rows: Array, joint_speed: Array) -> Array:
    """Return radii (..., 6) of the largest balls within |row v| <= joint_speed of each joint, rows (..., 6, n)."""
    with np.errstate(divide="ignore"):
        return np.asarray(joint_speed / np.linalg.norm(rows, axis=-1))


def has_no_end(rows: Array) -> NDArray[np.bool_]:
    """Test whether |rows x| <= 1, rows (..., 6, n), is unbounded to rounding (...); False where not finite."""
    known = np.asarray(np.isfinite(rows).all(axis=(-1, -2)))
    values = np.linalg.svd(np.where(known[..., None, None], rows, 0.0), compute_uv=False)
    return np.asarray((values[..., -1] < FREE * np.abs(rows).max(axis=(-1, -2))) & known)


def polytope_vertices(rows: Array, offset: Array | None = None) -> Array:
    """Return vertices (n, d) of |rows x + offset| <= 1, rows (m, d) of like magnitude, offset (m,) within 1."""
    from scipy.spatial import HalfspaceIntersection, QhullError

    size = np.linalg.norm(rows, axis=1).max()
    # Half-spaces |row . x| <= 1 on both sides, about the interior point 0, with rows of order one for Qhull.
    planes = np.concatenate([rows, -rows]) / size
    room = np.ones(len(planes)) if offset is None else np.concatenate([1.0 - offset, 1.0 + offset])
    try:
        found = HalfspaceIntersection(np.column_stack([planes, -room]), np.zeros(rows.shape[1])).intersections
    except QhullError:
        raise InputError("the envelope is too narrow in a direction for its vertices; choose a closer point") from None
    found = found[np.isfinite(found).all(axis=1)]
    # Where more planes meet than there are dimensions, Qhull returns the same vertex several times.
    order = np.lexsort(np.round(found / np.abs(found).max(), 9).T)
    found = found[order]
    keep = np.ones(len(found), dtype=bool)
    keep[1:] = np.linalg.norm(np.diff(found, axis=0), axis=1) > 1e-9 * np.abs(found).max()
    return np.asarray(found[keep] / size)


@checks_arguments
def velocity_envelope(
    machine: AnyMachine, X: PoseLike, *, joint_speed: ArrayLike | None = None, point: ArrayLike | None = None
) -> VelocityEnvelope:
    """Compute the set of twists of a platform point that keep every joint within its speed limit.

    The polytope |J_qV V| <= qd_max (De Sapio 1998, "Velocity Envelopes").

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the (end) platform.
    joint_speed : float or (6,) array, optional
        Limits [m/s or rad/s]; default: the machine's value.
    point : (3,) array, optional
        Platform point whose velocity it is, in the platform frame [m]; default the point of interest.

    Returns
    -------
    VelocityEnvelope
        Its arrays are NaN where a leg cannot close.

    Raises
    ------
    InputError
        The machine has no joint speed limits and none are passed, or one is not above zero.

    """
    known = [stage.limits.joint_speed for stage in machine.stages if stage.limits.joint_speed is not None]
    if joint_speed is None and len(known) < len(machine.stages):
        raise InputError(f"machine {machine.name!r} has no joint speed limits: specify limits.joint_speed")
    limits = np.concatenate(known) if joint_speed is None else joint_speed
    speeds = of_each_joint("joint_speed", limits, 6 * len(machine.stages))
    return VelocityEnvelope(jacobian_at(machine, X, point), speeds, machine)


def jacobian_at(machine: AnyMachine, X: PoseLike, point: ArrayLike | None = None) -> Array:
    """Return J_qV (..., 6, 6) for the twist of a platform point (platform frame [m]; default the point of interest).

    With r = R point, the origin moves with v - w x r = v + [r]x w: J_point = J [[1, [r]x], [0, 1]].
    """
    p, poses = given_point(point, machine.point_of_interest), checked_matrices(X)
    return moved_to(end_jacobian(machine, poses), poses, p)


def moved_to(J: Array, X: Array, point: Array) -> Array:
    """Return Jacobians of a platform point (3,) from those (..., 6, 6) of the platform's origin at poses (..., 4,
    4)."""
    moved = J.copy()
    moved[..., 3:] += J[..., :3] @ skew(X[..., :3, :3] @ point)
    return moved


def inverse_jacobian_at(machine: AnyMachine, X: PoseLike, point: ArrayLike | None = None) -> Array:
    """Return J_Vq (..., 6, 6) from joint rates to the twist of a platform point, see `jacobian_at`; NaN at a singular
    pose."""
    J = inverse_jacobian(machine, X)[..., -6:, :]
    p = given_point(point, machine.point_of_interest)
    r = machine.end_pose(as_matrices(X))[..., :3, :3] @ p
    # v_point = v + w x r = v - [r]x w.
    moved = J.copy()
    moved[..., :3, :] -= skew(r) @ J[..., 3:, :]
    return moved
