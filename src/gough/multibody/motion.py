"""Result of a simulation: states over time, and accelerations, multipliers, reactions and energy from them."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point
from gough.multibody._equations import rows_of
from gough.multibody.solvers import Solution, Solver
from gough.multibody.system import State, System
from gough.poses import cross
from gough.quantity import quantity, result
from gough.results import Result

if TYPE_CHECKING:
    import xarray


POSITIONS = (("1", "1", "1", "m"),) * 3
VELOCITIES = (("1/s", "1/s", "1/s", "m/s"),) * 3
"""SI units of the entries of [T* | R] and of its derivative."""


@result(repr=False)
class Motion(Result):
    """Motion of a system over time, in inertial axes and SI.

    Attributes
    ----------
    system : System
    solver : Solver
        Solves for accelerations and multipliers of the states on first use.

    """

    system: System
    solver: Solver
    time: Array = quantity("s", "time", doc="Times.")
    Z: Array = quantity(
        POSITIONS, "time", "solid", "axis", "column", frame="inertial", doc="[T* | R] of each solid; the ground last."
    )
    V: Array = quantity(VELOCITIES, "time", "solid", "axis", "column", frame="inertial", doc="Time derivative of it.")

    def __str__(self) -> str:
        return f"{len(self.system.bodies)} solids over {self.time[-1] - self.time[0]:.4g} s, at {len(self.time)} times"

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"<Motion of {self.system!r}: {len(self)} times from {self.time[0]:g} to {self.time[-1]:g} s>"

    @property
    def end(self) -> State:
        """The last state."""
        return State(self.Z[-1], self.V[-1])

    @cached_property
    def solution(self) -> Solution:
        """Accelerations (k, n, 3, 4), Lambda of each solid (k, n, 3, 3), multipliers of the joints' rows (k, m)."""
        found = [self.solver.solve(float(t), Z, V) for t, Z, V in zip(self.time, self.Z, self.V, strict=True)]
        return Solution(*(np.array([getattr(one, part.name) for one in found]) for part in fields(Solution)))

    def orthogonality(self, body: str) -> Array:
        """Return Lambda of a solid (k, 3, 3) [N m] (2016, eq. 9)."""
        return self.solution.orthogonality[:, self.system.index(body)]

    def multipliers(self, joint: str) -> Array:
        """Return the multipliers of a joint's rows (k, rows), + on its first solid; see `System.row_names` for their
        meaning."""
        return self.solution.multipliers[:, self.system.row_slices[self.system.joint_index(joint)]]

    def rotation(self, body: str) -> Array:
        """Return R of a solid (k, 3, 3): its rotation since the start."""
        return self.Z[:, self.system.index(body), :, 1:]

    @checks_arguments
    def position(self, body: str, point: ArrayLike | None = None) -> Array:
        """Compute the position of a point of a solid (k, 3) [m]; `point` is its initial position, by default the
        frame's origin."""
        return self._at_point(self.Z, body, point)

    @checks_arguments
    def velocity(self, body: str, point: ArrayLike | None = None) -> Array:
        """Compute the velocity of that point (k, 3) [m/s]: V = T' + R' OM0 (2016, eq. 5)."""
        return self._at_point(self.V, body, point)

    @checks_arguments
    def acceleration(self, body: str, point: ArrayLike | None = None) -> Array:
        """Compute the acceleration of that point (k, 3) [m/s2]."""
        return self._at_point(self.solution.acceleration, body, point)

    def angular_velocity(self, body: str) -> Array:
        """Compute [w]x = R' R^T (2016, eq. 6), as vectors (k, 3) [rad/s]."""
        b = self.system.index(body)
        return _axial(self.V[:, b, :, 1:] @ np.swapaxes(self.Z[:, b, :, 1:], 1, 2)) / 2

    def pose(self, body: str) -> Array:
        """Return the pose of a solid's frame (k, 4, 4)."""
        frame = np.asarray(self.system.bodies[self.system.index(body)].frame)
        X = np.zeros((len(self), 4, 4))
        X[:, :3, :3] = self.rotation(body) @ frame[:3, :3]
        X[:, :3, 3], X[:, 3, 3] = self.position(body), 1.0
        return X

    def reaction(self, joint: str) -> Array:
        """Compute the wrench [f, m] (k, 6) of a joint on its second solid, m about the joint's centre [N, N m].

        Its efforts are X = Lambda dPhi/dT, Y = Lambda dPhi/dR (2016, eq. 14); the moment is the axial vector of
        Y R^T - R Y^T, moved to the joint's centre. NaN where no rigid model determines it.
        """
        s = self.system
        j = s.joint_index(joint)
        part, body = s.row_slices[j], s.index(s.joints[j].second)
        tables, multipliers = s.tables_of(part), self.solution.multipliers[:, part]
        J = np.array([rows_of(Z, V, tables)[2][:, 1] for Z, V in zip(self.Z, self.V, strict=True)])
        E, R = np.einsum("kr,krij->kij", multipliers, J), self.Z[:, body, :, 1:]
        force, arm = E[:, :, 0], R @ s.joints[j].centre  # the efforts refer to the point T*, `arm` away from the joint
        moment = _axial(E[:, :, 1:] @ np.swapaxes(R, 1, 2)) - cross(arm, force)
        return np.concatenate([force, moment], axis=1)

    def energy(self) -> Array:
        """Compute kinetic and potential energy (k,) [J]."""
        return np.array([self.system.energy(Z, V) for Z, V in zip(self.Z, self.V, strict=True)])

    def residuals(self) -> tuple[Array, Array]:
        """Compute the largest residual of all constraints (k,) and of their rates (k,), joints and orthogonality."""
        positions, rates = [], []
        for Z, V in zip(self.Z, self.V, strict=True):
            phi, rate = self.system.constraints(Z, V)
            # R^T R - I and its rate R^T R' + (R^T R')^T.
            R, Rd = Z[:-1, :, 1:], V[:-1, :, 1:]
            off = np.swapaxes(R, 1, 2) @ R - np.eye(3)
            turn = np.swapaxes(R, 1, 2) @ Rd
            positions.append(max(np.abs(phi).max(initial=0.0), np.abs(off).max()))
            rates.append(max(np.abs(rate).max(initial=0.0), np.abs(turn + np.swapaxes(turn, 1, 2)).max()))
        return np.array(positions), np.array(rates)

    @property
    def dataset(self) -> xarray.Dataset:
        """Poses, velocities, reactions and energy over time, with units."""
        import xarray

        s = self.system
        names, joints = s.names, s.joint_names
        twist = np.stack([np.concatenate([self.velocity(b), self.angular_velocity(b)], axis=1) for b in names], axis=1)
        pose = np.stack([self.pose(b) for b in names], axis=1)
        wrench = np.stack([self.reaction(j) for j in joints], axis=1) if joints else np.zeros((len(self), 0, 6))
        return xarray.Dataset(
            {
                "pose": (("time", "body", "row", "column"), pose, {"units": "1, m"}),
                "twist": (("time", "body", "component"), twist, {"units": "m/s, rad/s"}),
                "reaction": (("time", "joint", "component"), wrench, {"units": "N, N m"}),
                "energy": ("time", self.energy(), {"units": "J"}),
            },
            coords={
                "time": ("time", self.time, {"units": "s"}),
                "body": names,
                "joint": joints,
                "component": ["x", "y", "z", "about x", "about y", "about z"],
            },
        )

    def _at_point(self, values: Array, body: str, point: ArrayLike | None) -> Array:
        b = self.system.index(body)
        origin = given_point(point, self.system.bodies[b].origin)
        return np.asarray(values[:, b] @ np.array([1.0, *origin]))


def _axial(A: Array) -> Array:
    """Axial vectors (..., 3) of A - A^T, of matrices (..., 3, 3)."""
    S = A - np.swapaxes(A, -1, -2)
    return np.stack([S[..., 2, 1], S[..., 0, 2], S[..., 1, 0]], axis=-1)
