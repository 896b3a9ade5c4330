"""`shooting`: multipliers of a whole step, such that its end meets the constraints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np

from gough.arrays import Array
from gough.errors import NotConvergedError, RedundantConstraintsError
from gough.multibody._dense import saddle_equations
from gough.multibody.integrate import Explicit, Instant, Projection, rk4_step, stepped, unpacked
from gough.multibody.system import State, System

MOST = 40
"""Most iterations of a step."""
WITHIN = 1e-13
"""End-of-step constraints within this count as met, part of the system's size (and per step, of velocities)."""

Shape = Literal["constant", "linear"]
UPPER = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])
"""Elements 11, 12, 13, 22, 23, 33 of a symmetric matrix."""


class Shooting:
    """Shooting, which Dumitriu 2017 names: guess multipliers, integrate over the step, correct what is missed.

    With multipliers p held over a step h, its end misses the constraints by Phi; the next guess is

        p - 2 / h^2 (Phi_q M^-1 Phi_q^T)^-1 Phi

    with the matrix of the start of the step. "constant" multipliers, the paper's, can meet the positions only; "linear"
    ones over the step meet positions and velocities. Needs the inverse of every Poinsot matrix.
    """

    name: ClassVar[str] = "shooting"

    def __init__(self, system: System, shape: Shape = "linear") -> None:
        if system.redundancy.count:
            raise RedundantConstraintsError(
                f"{system.redundancy.sentence()} Shooting cannot choose among them; use another solver"
            )
        self.system, self.shape = system, shape
        self.explicit = Explicit(system, self.name)
        self.scale = WITHIN * max(1.0, system.size)
        size = 6 * len(system.bodies) + len(system.rows)
        self.guess = np.zeros((2, size))

    def step(self, time: float, y: Array, h: float) -> Array:
        """The packed state after a step h [s]; its multipliers at both ends of it stay in `guess` (2, 6 n + m).

        Raises
        ------
        NotConvergedError
            When the iteration stops short of the constraints; a smaller step converges.

        """
        correction = self._correction(time, y)
        missed = np.inf
        for _ in range(MOST):
            end = self._integrated(time, y, h)
            phi, rate = self._residuals(end)
            before, missed = missed, float(max(np.abs(phi).max(), np.abs(rate).max() * h * (self.shape == "linear")))
            if missed <= self.scale or (missed < 1e3 * self.scale and missed > 0.5 * before):
                return end
            if not missed < 1e3:
                break
            u, w = correction @ phi / h**2, correction @ rate / h
            if self.shape == "constant":
                self.guess -= 2.0 * u
            else:
                self.guess += np.stack([2.0 * w - 6.0 * u, 6.0 * u - 4.0 * w])
        raise NotConvergedError(
            f"shooting at {time:.6g} s misses the constraints by {missed:.3g} after {h:.3g} s; take smaller steps",
            missed,
        )

    def run(self, start: State, times: Array, step: float) -> Iterator[Instant]:
        """States at `times`, by steps of about `step` [s]."""
        return stepped(self.step, start, times, step, Projection(self.system, is_on=False))

    def _integrated(self, time: float, y: Array, h: float) -> Array:
        """End of the step under the guessed multipliers."""
        n = len(self.system.bodies)

        def rates(instant: float, y: Array) -> Array:
            part = (instant - time) / h
            p = (1.0 - part) * self.guess[0] + part * self.guess[1]
            Lambda = np.zeros((n, 3, 3))
            Lambda[:, UPPER[0], UPPER[1]] = Lambda[:, UPPER[1], UPPER[0]] = p[: 6 * n].reshape(n, 6)
            Z, V = unpacked(y)
            return np.concatenate(
                [V[:-1].ravel(), self.explicit.accelerations(instant, Z, V, Lambda, p[6 * n :]).ravel()]
            )

        return rk4_step(rates, time, y, h)

    def _residuals(self, y: Array) -> tuple[Array, Array]:
        """Phi and Phi' of all constraints (6 n + m,): (R^T R - I) / 2 on the diagonal, R^T R beside it, then joints."""
        Z, V = unpacked(y)
        R, Rd = Z[:-1, :, 1:], V[:-1, :, 1:]
        square = np.swapaxes(R, 1, 2) @ R - np.eye(3)
        rate = np.swapaxes(R, 1, 2) @ Rd
        rate = rate + np.swapaxes(rate, 1, 2)
        half = np.array([0.5, 1.0, 1.0, 0.5, 1.0, 0.5])
        phi, joint_rate = self.system.constraints(Z, V)
        return (
            np.concatenate([(square[:, UPPER[0], UPPER[1]] * half).ravel(), phi]),
            np.concatenate([(rate[:, UPPER[0], UPPER[1]] * half).ravel(), joint_rate]),
        )

    def _correction(self, time: float, y: Array) -> Array:
        """(Phi_q M^-1 Phi_q^T)^-1 at the start of a step."""
        s = self.system
        Z, V = unpacked(y)
        n = len(s.bodies)
        K, _ = saddle_equations(Z, V, np.zeros_like(Z), s.tables)
        rows = K[12 * n :, : 12 * n]
        weighted = np.einsum("kbri,bij->kbrj", rows.reshape(-1, n, 3, 4), self.explicit.inverse)
        return np.linalg.inv(weighted.reshape(len(rows), -1) @ rows.T)
