"""Placement of the tool: platform pose and head joints that bring its tip to a pose, or to a point and an axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, of_shape
from gough.displacements import rotations
from gough.errors import InputError
from gough.limits.margins import Margins, margins
from gough.machine import Machine
from gough.motion.heads.kinematics import GRAZING, head_margins, head_of, unit_axis
from gough.poses import PoseLike, inverse_matrices, one_pose
from gough.quantity import derived, quantity, result, transform
from gough.results import Result

SAMPLED_CONFIGURATIONS = 2048
"""Configurations sampled before the best are refined."""
REFINED_CONFIGURATIONS = 4
"""Number of best samples that are refined."""
APART = 0.3
"""Smallest distance of these from one another, in halves of a coordinate's range."""
FREE = 10.0
"""Relative margin of a limit that does not exist at a pose: larger than any real one."""
DIFFERENCE_STEP = 1e-6
"""Step of central differences, in halves of a coordinate's range."""
TRUST = 0.15
"""Initial trust region, in halves of a coordinate's range: about the spacing of the samples."""
FINEST = 1e-8
"""Trust region below which a search ends."""
MOST_REGIONS = 400
"""Largest number of trust regions in one search."""
ITERATIONS = 20
"""Iterations of sequential quadratic programming in one trust region."""
TIED, DIGITS = 1e-9, 6
"""Smallest margins that differ by less tie; digits of coordinates, in halves of their ranges, that tell ends apart."""


@result
class ToolPlacement(Result):
    """Configuration of platform and head that holds the tool.

    Attributes
    ----------
    limits : Margins
        Margins to all limits of platform and head (`gough.motion.heads.head_margins`).

    """

    matrix: Array = transform(doc="Pose of the platform in the base.")
    joints: Array = quantity(
        lambda of: head_of(of.limits.machine).units, "joint", doc="Coordinates of the joints of the head."
    )
    tip: Array = transform(doc="Pose of the tip in the base.")
    limits: Margins

    @property
    @derived("1")
    def margin(self) -> float:
        """Smallest relative margin over the platform's limits and the head's; negative: the tool cannot be held."""
        return float(np.nanmin(self.limits.relative))

    @property
    @derived("")
    def is_allowed(self) -> bool:
        """Whether every limit of platform and head is kept."""
        return bool(self.limits.is_allowed)

    @property
    def binding(self) -> str:
        """Name of the limit with the smallest relative margin."""
        return str(self.limits.binding)

    def sentence(self) -> str:
        """Describe the binding limit in words, e.g. "leg 4 needs 1002 mm, allowed up to 970 mm"."""
        return self.limits.sentence()


@checks_arguments
def place_tool(
    machine: Machine,
    tip: PoseLike | None = None,
    *,
    point: ArrayLike | None = None,
    axis: ArrayLike | None = None,
    joints: ArrayLike | None = None,
) -> ToolPlacement:
    """Find the platform pose and head joints that hold the tool with the largest margin to all limits.

    A given pose of the tool leaves the head's joints free, a given point and axis also the roll about the axis: the
    platform follows in closed form, X_BP = X_BT X_PT(q)^-1. Of all these configurations the smallest relative margin,
    over the limits of the platform and of the head, is maximised: 2048 samples (Sobol's sequence) and the head's
    present joints are evaluated, and the four best of them, apart from one another, refined by sequential quadratic
    programming. Of several that tie, such as both settings of a head with a swivel below its tilt, the one nearest to
    the present joints counts, in halves of their ranges. A better one between the samples may exist.

    Parameters
    ----------
    machine : Machine
        With a head.
    tip : PoseLike, (4, 4), optional
        The tool's pose in the base; or
    point, axis : (3,) arrays, optional
        its tip [m] and the direction of its z axis, in the base frame.
    joints : (n,) array, optional
        Hold the head there [rad or m]; only the roll is then chosen.

    Returns
    -------
    ToolPlacement
        Where no configuration keeps all limits, `is_allowed` is False and `sentence()` names the binding limit of the
        best one; the head itself is always within its limits unless `joints` say otherwise.

    Raises
    ------
    InputError
        The machine has no head; neither a pose nor a point and an axis are given, or both.

    """
    if (tip is None) == (point is None) or (point is None) != (axis is None):
        raise InputError("pass the tool's pose as `tip`, or its `point` and `axis`")
    if tip is not None:
        search = ToolSearch(machine, one_pose(tip, name="tip"), has_roll=False)
    else:
        X = np.eye(4)
        X[:3, 3], z = given_point(point, X[:3, 3]), of_shape("axis", unit_axis(axis), "(3,)")  # type: ignore[arg-type]
        X[:3, :3] = turned_onto(home_rotation(machine), z)
        search = ToolSearch(machine, X, has_roll=True)
    if joints is not None:
        return _held(search, head_of(machine).checked(joints))
    z = best_configuration(search)
    q, roll = search.split(z)
    return _placement(search, q, search.tips(roll), search.poses(z))


def home_rotation(machine: Machine) -> Array:
    """Return orientation (3, 3) of the tip with the machine at home: the reference of roll zero."""
    return np.asarray((machine.X_home @ head_of(machine).tip())[:3, :3])


def turned_onto(R: Array, z: Array) -> Array:
    """Return R (3, 3) after the smallest rotation of its z axis to the unit vector z; half a turn is about its x
    axis."""
    across = np.cross(R[:, 2], z)
    sine = float(np.linalg.norm(across))
    axis = across / sine if sine > GRAZING else R[:, 0]
    return rotations(np.arctan2(sine, R[:, 2] @ z) * axis) @ R


def best_configuration(search: ToolSearch) -> Array:
    """Return coordinates of the best configuration found, from samples and the head's present joints."""
    from scipy.stats.qmc import Sobol

    samples = 2.0 * Sobol(search.count, scramble=False).random(SAMPLED_CONFIGURATIONS) - 1.0
    z = np.concatenate([search.from_joints(head_of(search.machine).q)[None], samples])
    value = search.relative(z).min(axis=-1)
    # The best samples apart from one another, so that searches start on different local maxima.
    chosen: list[Array] = []
    for k in np.argsort(-value, kind="stable"):
        if all(np.abs(z[k] - other).max() > APART for other in chosen):
            chosen.append(z[k])
        if len(chosen) == REFINED_CONFIGURATIONS:
            break
    ends, n = [search.climb(start) for start in chosen], search.count - search.has_roll
    most = max(value for _, value in ends)

    def order(end: Array) -> tuple[float, ...]:
        return tuple(np.round([np.linalg.norm((end - z[0])[:n]), *end], DIGITS))

    return min((end for end, value in ends if value >= most - TIED), key=order)


def _placement(search: ToolSearch, joints: Array, tip: Array, X: Array) -> ToolPlacement:
    return ToolPlacement(X, joints, tip, head_margins(search.machine, X, joints))


def _held(search: ToolSearch, joints: Array) -> ToolPlacement:
    """The best roll with the head held: sampled over a whole turn, then by zooming in on the best sample."""
    X_TP = inverse_matrices(head_of(search.machine).tip(joints))
    roll, width = 0.0, np.pi
    while search.has_roll and width > 1e-12:
        tried = roll + np.linspace(-width, width, 129)
        relative = margins(search.machine, search.tips(tried) @ X_TP).relative
        roll = float(tried[np.argmax(np.nan_to_num(relative, nan=np.inf).min(axis=-1))])
        width /= 16 if width > 1.0 else 32
    tip = search.tips(np.array(roll))
    return _placement(search, joints, tip, tip @ X_TP)


class ToolSearch:
    """Maximisation of the smallest relative margin over all configurations that hold the tool.

    The coordinates z (n,) or (n + 1,) are the head's joints and, where the tool may roll about its axis, the roll;
    each scaled to -1 to 1 over its range.

    Attributes
    ----------
    machine : Machine
    target : (4, 4) array
        Pose of the tip at roll zero.
    has_roll : bool
        Whether the tool may turn about its z axis.
    middle, half : (n,) or (n + 1,) array
        Of the coordinates' ranges [rad or m].

    """

    def __init__(self, machine: Machine, target: Array, has_roll: bool) -> None:
        self.machine, self.target, self.has_roll = machine, target, has_roll
        head = head_of(machine)
        # A joint without limits is searched within half a turn, or the machine's size, of its present coordinate.
        reach = np.array([np.pi if unit == "rad" else machine.size for unit in head.units])
        low = np.where(np.isfinite(head.joint_min), head.joint_min, np.fmin(head.q, head.joint_max) - reach)
        high = np.where(np.isfinite(head.joint_max), head.joint_max, np.fmax(head.q, head.joint_min) + reach)
        if has_roll:
            low, high = np.append(low, -np.pi), np.append(high, np.pi)
        self.middle, self.half = (low + high) / 2, (high - low) / 2
        self.count = len(self.half)

    def inside(self, z: Array) -> Array:
        """Return the coordinates clipped to their ranges, except the roll, which is periodic."""
        n = self.count - self.has_roll
        return np.concatenate([np.clip(z[:n], -1.0, 1.0), z[n:]])

    def from_joints(self, joints: Array, roll: float = 0.0) -> Array:
        """Return coordinates z of joint coordinates of the head."""
        values = np.append(joints, roll) if self.has_roll else joints
        return np.clip((values - self.middle) / self.half, -1.0, 1.0)

    def split(self, z: Array) -> tuple[Array, Array]:
        """Return the head joints (..., n) and roll (...) of coordinates z."""
        values = self.middle + self.half * z
        return (values[..., :-1], values[..., -1]) if self.has_roll else (values, np.zeros(values.shape[:-1]))

    def tips(self, roll: Array) -> Array:
        """Return poses (..., 4, 4) of the tip, rolled about its z axis."""
        X = np.broadcast_to(self.target, (*roll.shape, 4, 4)).copy()
        cosine, sine = np.cos(roll)[..., None], np.sin(roll)[..., None]
        x, y = self.target[:3, 0], self.target[:3, 1]
        X[..., :3, 0], X[..., :3, 1] = cosine * x + sine * y, cosine * y - sine * x
        return X

    def poses(self, z: Array) -> Array:
        """Return poses (..., 4, 4) of the platform."""
        joints, roll = self.split(z)
        tips = self.tips(roll) if self.has_roll else self.target
        return np.asarray(tips @ inverse_matrices(head_of(self.machine).tip(joints)))

    def relative(self, z: Array) -> Array:
        """Return relative margins (k, c) of all limits at coordinates z (k, count): the platform's, then the head's."""
        found = head_margins(self.machine, self.poses(z), self.split(z)[0]).relative
        return np.nan_to_num(found, nan=FREE, posinf=FREE)

    def gradients(self, z: Array) -> Array:
        """Return gradients (c, count) of the relative margins at coordinates z (count,)."""
        steps = DIFFERENCE_STEP * np.eye(self.count)
        both = self.relative(np.concatenate([z + steps, z - steps]))
        return ((both[: self.count] - both[self.count :]) / (2 * DIFFERENCE_STEP)).T

    def climb(self, z: Array, low: Array | float = -1.0, high: Array | float = 1.0) -> tuple[Array, float]:
        """Return local maximum near z within [low, high], and its smallest relative margin: max t with every margin >=
        t.

        Sequential quadratic programming in a trust region about the best point so far, which shrinks where the gain is
        small. The smallest margin has kinks: unrestricted, SLSQP may leave the region where its models hold.
        """
        value, trust = float(self.relative(z[None]).min()), TRUST
        for _ in range(MOST_REGIONS):
            if trust <= FINEST:
                break
            tried = self._best_within(z, np.maximum(low, z - trust), np.minimum(high, z + trust))
            found = float(self.relative(tried[None]).min())
            # The region stays while the gain is comparable to its size, and shrinks faster where nothing is gained.
            if found > value + 1e-12:
                gain, z, value = found - value, tried, found
                trust *= 1.0 if gain > 0.01 * trust else 0.25
            else:
                trust *= 0.1
        return z, value

    def _best_within(self, z: Array, low: Array, high: Array) -> Array:
        """Coordinates in [low, high] around z with the largest smallest relative margin, by SLSQP."""
        from scipy.optimize import minimize

        # Only margins that may become the smallest within the trust region are constraints.
        # Variables y = (z, t): maximise t with margin(z) - t >= 0.
        start = self.relative(z[None])[0]
        near = start <= start.min() + 4.0 * float(np.max(high - low))
        ones = np.ones((int(near.sum()), 1))
        descent = np.append(np.zeros(self.count), -1.0)
        found = minimize(
            lambda y: -y[-1],
            np.append(z, start.min()),
            jac=lambda y: descent,
            bounds=[*zip(low, high, strict=True), (None, None)],
            constraints={
                "type": "ineq",
                "fun": lambda y: self.relative(y[None, :-1])[0][near] - y[-1],
                "jac": lambda y: np.concatenate([self.gradients(y[:-1])[near], -ones], axis=1),
            },
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": ITERATIONS},
        )
        return np.clip(found.x[:-1], low, high)
