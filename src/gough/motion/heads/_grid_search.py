"""The search behind `place_tool`: all configurations that hold the tool, and their margins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from gough.arrays import Array, Ints
from gough.machine import Machine
from gough.motion.heads.kinematics import head_margins, head_of
from gough.poses import inverse_matrices

FREE = 10.0
"""Relative margin of a limit that does not exist at a pose: more than any that holds."""
STEP = 1e-6
"""Of central differences, in halves of a coordinate's range."""
TRUST = 0.15
"""First trust region, in halves of a coordinate's range: about the spacing of the first look."""
FINEST = 1e-8
"""A search ends when its trust region is smaller."""
STEPS = 400
"""Of one climb: trust regions tried."""
ITERATIONS = 20
"""Of sequential quadratic programming in one trust region."""


@dataclass(frozen=True, eq=False)
class ToolSearch:
    """All configurations that hold the tool: the coordinates z (n,) or (n + 1,) are the head's joints and, where the
    tool may roll about its axis, the roll; each from -1 to 1 over its range.

    Attributes
    ----------
    machine : Machine
    target : (4, 4) array
        Pose of the tip at roll zero.
    has_roll : bool
        Whether the tool may turn about its z axis.

    """

    machine: Machine
    target: Array
    has_roll: bool
    middle: Array = field(init=False)
    half: Array = field(init=False)

    def __post_init__(self) -> None:
        head = head_of(self.machine)
        reach = np.array([np.pi if unit == "rad" else self.machine.size for unit in head.units])
        low = np.where(np.isfinite(head.joint_min), head.joint_min, np.fmin(head.q, head.joint_max) - reach)
        high = np.where(np.isfinite(head.joint_max), head.joint_max, np.fmax(head.q, head.joint_min) + reach)
        if self.has_roll:
            low, high = np.append(low, -np.pi), np.append(high, np.pi)
        object.__setattr__(self, "middle", (low + high) / 2)
        object.__setattr__(self, "half", (high - low) / 2)

    @property
    def count(self) -> int:
        """How many coordinates z has."""
        return len(self.half)

    def inside(self, z: Array) -> Array:
        """The coordinates drawn into their ranges, but for the roll, which goes round."""
        n = self.count - self.has_roll
        return np.concatenate([np.clip(z[:n], -1.0, 1.0), z[n:]])

    def from_joints(self, joints: Array, roll: float = 0.0) -> Array:
        """Coordinates z of joint coordinates of the head."""
        values = np.append(joints, roll) if self.has_roll else joints
        return np.clip((values - self.middle) / self.half, -1.0, 1.0)

    def split(self, z: Array) -> tuple[Array, Array]:
        """Head joints (..., n) and roll (...) of coordinates z."""
        values = self.middle + self.half * z
        return (values[..., :-1], values[..., -1]) if self.has_roll else (values, np.zeros(values.shape[:-1]))

    def tips(self, roll: Array) -> Array:
        """Poses (..., 4, 4) of the tip, rolled about its z axis."""
        X = np.broadcast_to(self.target, (*roll.shape, 4, 4)).copy()
        cosine, sine = np.cos(roll)[..., None], np.sin(roll)[..., None]
        x, y = self.target[:3, 0], self.target[:3, 1]
        X[..., :3, 0], X[..., :3, 1] = cosine * x + sine * y, cosine * y - sine * x
        return X

    def poses(self, z: Array) -> Array:
        """Poses (..., 4, 4) of the platform."""
        joints, roll = self.split(z)
        tips = self.tips(roll) if self.has_roll else self.target
        return np.asarray(tips @ inverse_matrices(head_of(self.machine).tip(joints)))

    def relative(self, z: Array) -> Array:
        """Relative margins (k, c) of all limits at coordinates z (k, count): the platform's, then the head's."""
        found = head_margins(self.machine, self.poses(z), self.split(z)[0]).relative
        return np.nan_to_num(found, nan=FREE, posinf=FREE)

    def slopes(self, z: Array) -> Array:
        """Derivatives (c, count) of the relative margins at coordinates z (count,)."""
        steps = STEP * np.eye(self.count)
        both = self.relative(np.concatenate([z + steps, z - steps]))
        return ((both[: self.count] - both[self.count :]) / (2 * STEP)).T

    def look(self, count: int) -> tuple[Array, Array]:
        """Points spread evenly over all of z (Sobol's sequence) and their smallest relative margins."""
        from scipy.stats.qmc import Sobol

        z = 2.0 * Sobol(self.count, scramble=False).random(count) - 1.0
        return z, self.relative(z).min(axis=-1)

    def climb(self, z: Array, low: Array | float = -1.0, high: Array | float = 1.0) -> tuple[Array, float]:
        """Best point near z between bounds, and its smallest relative margin: max t with every margin >= t.

        Sequential quadratic programming in a trust region about the best point so far, which is halved where it
        finds nothing better.
        """
        value, trust = float(self.relative(z[None]).min()), TRUST
        for _ in range(STEPS):
            if trust <= FINEST:
                break
            tried = self._best_within(z, np.maximum(low, z - trust), np.minimum(high, z + trust))
            found = float(self.relative(tried[None]).min())
            if found > value + 1e-12:
                gain, z, value = found - value, tried, found
                trust *= 1.0 if gain > 0.01 * trust else 0.25
            else:
                trust *= 0.1
        return z, value

    def _best_within(self, z: Array, low: Array, high: Array) -> Array:
        """Where the smallest relative margin is largest between bounds around z, by sequential programming."""
        from scipy.optimize import minimize

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
                "jac": lambda y: np.concatenate([self.slopes(y[:-1])[near], -ones], axis=1),
            },
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": ITERATIONS},
        )
        return np.clip(found.x[:-1], low, high)


POINTS = {1: 49, 2: 25, 3: 13, 4: 7}
"""Of the grid along each coordinate, by how many there are; five where there are more."""
SOFT = 0.05
"""A relative margin smaller by so much costs e times as much: the smallest counts, the others hardly."""
MOVE = 0.03
"""Price of a move by one cell, squared: found to halve the legs' forces on a cone for a hundredth of the margin."""


def plan(searches: Sequence[ToolSearch], step: Array, progress: Callable[[int], None]) -> tuple[Array, Array]:
    """Coordinates z (k, count) along k poses of the tool, and the size of a cell (count,).

    Over the knots of the path, so far apart that every coordinate may move by a cell between them, the sum of
    exp(-margin / 0.05) and of the moves is made smallest (dynamic programming); between knots it goes straight.
    """
    first = searches[0]
    n = POINTS.get(first.count, 5)
    axes = [np.linspace(-1.0, 1.0, n) for _ in range(first.count)]
    if first.has_roll:
        axes[-1] = np.linspace(-1.0, 1.0, n, endpoint=False)
    cell = np.array([axis[1] - axis[0] for axis in axes])
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    stride = max(1, int(np.ceil((cell / np.maximum(step, 1e-3)).max())))
    knots = sorted({*range(0, len(searches), stride), len(searches) - 1})
    shifts = np.array(list(product((-1, 0, 1), repeat=first.count)))
    cost, came = np.zeros(grid.shape[:-1]), []
    for j, k in enumerate(knots):
        if j:
            cost, best = _moved(cost, shifts, periodic=first.has_roll)
            came.append(best)
        cost = cost + np.exp(-searches[k].relative(grid.reshape(-1, first.count)).min(axis=-1) / SOFT).reshape(
            cost.shape
        )
        progress(k)
    return _traced(cost, came, shifts, axes, cell, knots, len(searches)), cell


def _moved(cost: Array, shifts: Ints, *, periodic: bool) -> tuple[Array, Ints]:
    """Least cost after one move to a neighbour, and which of the shifts led there."""
    widths = [(1, 1)] * cost.ndim
    padded = np.pad(cost, widths, constant_values=np.inf)
    if periodic:
        padded[..., 0], padded[..., -1] = padded[..., -2], padded[..., 1]
    n = np.array(cost.shape)
    reached = [
        padded[tuple(slice(1 - s, 1 - s + m) for s, m in zip(shift, n, strict=True))] + MOVE * float(shift @ shift)
        for shift in shifts
    ]
    best = np.argmin(reached, axis=0)
    return np.min(reached, axis=0), best


def _traced(
    cost: Array, came: list[Ints], shifts: Ints, axes: list[Array], cell: Array, knots: list[int], count: int
) -> Array:
    """The cheapest path back from the last knot, straight between knots; the roll continues past its ends."""
    place = np.array(np.unravel_index(int(np.argmin(cost)), cost.shape))
    start = np.array([axis[i] for axis, i in zip(axes, place, strict=True)])
    z = [start]
    for best in reversed(came):
        shift = shifts[best[tuple(place)]]
        place = (place - shift) % np.array(cost.shape)
        z.append(z[-1] - shift * cell)
    z.reverse()
    return np.stack([np.interp(np.arange(count), knots, column) for column in np.array(z).T], axis=1)
