"""Shooting: multipliers over a step such that its end satisfies the constraints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np

from gough.arrays import Array
from gough.errors import NotConvergedError, RedundantConstraintsError
from gough.multibody._dense import saddle_equations
from gough.multibody.integrate import Instant, explicit_rates, rk4_step, stepped, unpacked
from gough.multibody.system import State, System

MOST = 40
"""Most iterations of a step."""
WITHIN = 1e-13
"""Tolerance of constraints at the end of a step, as a part of the system's size; of rates times the step."""

Shape = Literal["constant", "linear"]
UPPER = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])
"""Elements 11, 12, 13, 22, 23, 33 of a symmetric matrix."""


class Shooting:
    """Shooting, as named by Dumitriu 2017: integrate over the step with guessed multipliers, correct them, repeat.

    Constant multipliers p over a step h leave the residual Phi of the constraints at its end; the next guess is

        p - 2 / h^2 (Phi_q M^-1 Phi_q^T)^-1 Phi

    with the matrix of the start of the step. "constant" multipliers, as in the paper, satisfy the positions only;
    multipliers "linear" over the step satisfy positions and velocities. Needs regular Poinsot matrices.
    """

    name: ClassVar[str] = "shooting"

    def __init__(self, system: System, shape: Shape = "linear") -> None:
        if system.redundancy.count:
            raise RedundantConstraintsError(
                f"{system.redundancy.sentence()} Shooting cannot choose among them; use another solver"
            )
        self.system, self.shape = system, shape
        self.explicit = explicit_rates(system, self.name)
        self.inverse = np.linalg.inv(system.masses)
        self.scale = WITHIN * max(1.0, system.size)
        self.guess = np.zeros((2, 6 * len(system.bodies) + len(system.rows)))

    def step(self, time: float, y: Array, h: float) -> Array:
        """The packed state after a step h [s]; `guess` (2, 6 n + m) has the multipliers at both of its ends.

        Raises
        ------
        NotConvergedError
            The iteration does not reach the constraints; a smaller step converges.

        """
        correction = self._correction(time, y)
        missed = np.inf
        for _ in range(MOST):
            end = self._integrated(time, y, h)
            phi, rate = self._residuals(end)
            before, missed = missed, float(max(np.abs(phi).max(), np.abs(rate).max() * h * (self.shape == "linear")))
            # Near the tolerance a residual that no longer halves is rounding.
            if missed <= self.scale or (missed < 1e3 * self.scale and missed > 0.5 * before):
                return end
            if not missed < 1e3:  # diverges, or NaN
                break
            u, w = correction @ phi / h**2, correction @ rate / h
            if self.shape == "constant":
                self.guess -= 2.0 * u
            else:
                # A change p_0 + (p_1 - p_0) t / h of the multipliers changes Phi by h^2 (p_0 / 3 + p_1 / 6) and Phi' by
                # h (p_0 + p_1) / 2, both times Phi_q M^-1 Phi_q^T; solved for the p that cancel Phi and Phi'.
                self.guess += np.stack([2.0 * w - 6.0 * u, 6.0 * u - 4.0 * w])
        raise NotConvergedError(
            f"shooting at {time:.6g} s misses the constraints by {missed:.3g} after {h:.3g} s; take smaller steps",
            missed,
        )

    def run(self, start: State, times: Array, step: float) -> Iterator[Instant]:
        """States at `times`, by steps of at most `step` [s]; not projected."""
        return stepped(self.step, start, times, step, lambda time, state: state)

    def _integrated(self, time: float, y: Array, h: float) -> Array:
        """Packed state at the end of the step under the guessed multipliers."""
        n = len(self.system.bodies)

        def rates(instant: float, y: Array) -> Array:
            part = (instant - time) / h
            p = (1.0 - part) * self.guess[0] + part * self.guess[1]
            Lambda = np.zeros((n, 3, 3))
            Lambda[:, UPPER[0], UPPER[1]] = Lambda[:, UPPER[1], UPPER[0]] = p[: 6 * n].reshape(n, 6)
            return self.explicit(instant, y, Lambda, p[6 * n :])

        return rk4_step(rates, time, y, h)

    def _residuals(self, y: Array) -> tuple[Array, Array]:
        """Phi and Phi' of all constraints (6 n + m,): of each solid the elements of R^T R - I, halved on the diagonal,
        then the joint rows."""
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
        # Phi_q are the lower left rows of the saddle matrix; M is block diagonal, one (4, 4) block for each row of Z.
        K, _ = saddle_equations(Z, V, np.zeros_like(Z), s.tables)
        rows = K[12 * n :, : 12 * n]
        weighted = np.einsum("kbri,bij->kbrj", rows.reshape(-1, n, 3, 4), self.inverse)
        return np.linalg.inv(weighted.reshape(len(rows), -1) @ rows.T)
