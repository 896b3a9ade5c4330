"""Where the platform is: what it is asked for, what it does, and why it goes no farther."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

import gough
from gough.machine import Machine

Array = NDArray[np.float64]

HALVINGS = 30
"""Of the way of the legs to where a limit stops them."""


@dataclass(frozen=True, eq=False)
class Refusal:
    """Why the platform is not where it was asked to be.

    Attributes
    ----------
    wanted : (4, 4) array or None
        The pose asked for; None where joint values fit no pose.
    reasons : tuple of str
        What is wrong with it, the worst first.
    stop : str
        How far it went, and what ended it.

    """

    wanted: Array | None
    reasons: tuple[str, ...]
    stop: str


class Mover:
    """One machine and its pose: takes wishes, keeps the limits, remembers why it stopped.

    Parameters
    ----------
    machine : Machine
    X : (4, 4) array, optional
        Where it starts; home if not given.

    Attributes
    ----------
    X : (4, 4) array
        The pose that is shown.
    q : (6,) array
        Its joint coordinates [m or rad], NaN where a leg cannot close.
    margins : Margins
        Of that pose.
    refusal : Refusal or None
        Why that is not what was asked for.
    keeps_limits : bool
        Whether it stops at limits; without, it goes wherever it is asked to go.

    """

    def __init__(self, machine: Machine, X: ArrayLike | None = None) -> None:
        self.machine = machine
        self.keeps_limits = True
        self.refusal: Refusal | None = None
        self._solver = gough.ForwardSolver(machine)
        self._inside: Array | None = None
        self._show(machine.X_home.copy())
        if X is not None:
            self.to(X)

    def _show(self, X: Array) -> None:
        self.X = X
        self.q = gough.inverse_kinematics(self.machine, X)
        self.margins = gough.margins(self.machine, X)
        if self.margins.is_allowed:
            self._inside = X

    def home(self) -> None:
        """Go home, allowed or not."""
        self.assemble(self.machine.X_home)

    def assemble(self, X: ArrayLike) -> None:
        """Put the machine together at a pose, such as another assembly mode, allowed or not."""
        self._inside, self.refusal = None, None
        self._show(np.array(X, dtype=float))

    def turn_head(self, joints: ArrayLike) -> None:
        """Hold the tool head at other joint coordinates (n,) [rad or m]; the platform stays."""
        self.machine = self.machine.with_head(joints)
        self.margins = gough.margins(self.machine, self.X)

    def stay(self) -> None:
        """Take the pose that is shown for what was asked."""
        self.refusal = None
        self._show(self.X)

    def to(self, X: ArrayLike) -> None:
        """Go to a pose, or towards it from the last allowed wish until a limit stops it."""
        wanted = np.array(X, dtype=float)
        found = gough.margins(self.machine, wanted)
        if found.is_allowed or self._inside is None or not self.keeps_limits:
            self.refusal = None if found.is_allowed else Refusal(wanted, tuple(found.sentences()), "")
            self._show(wanted)
            return
        way = gough.travel(self.machine, self._direction(self._inside, wanted), self._inside)
        inside = self._inside
        self.refusal = Refusal(wanted, tuple(found.sentences()), way.sentence())
        self._show(way.matrix if np.isfinite(way.matrix).all() else inside)
        self._inside = inside  # the way from here, not from the limit: the stop then slides along it

    def to_joints(self, q: ArrayLike) -> None:
        """Move the legs to joint values [m or rad], or towards them until a limit or a singularity stops them."""
        joints = np.array(q, dtype=float)
        start = self.X if self._inside is None or self.refusal is None else self._inside
        X = self._followed(start, joints)
        if X is not None and gough.margins(self.machine, X).is_allowed:
            self.refusal = None
            self._show(X)
            return
        reasons = self._no_pose() if X is None else tuple(gough.margins(self.machine, X).sentences())
        if X is not None and not self.keeps_limits:
            self.refusal = Refusal(X, reasons, "")
            self._show(X)
            return
        self._stop_legs(start, joints, Refusal(X, reasons, "the legs stop there"))

    def _stop_legs(self, start: Array, joints: Array, refusal: Refusal) -> None:
        """Show the last pose on the legs' straight way that keeps all limits."""
        begin = gough.inverse_kinematics(self.machine, start)
        low, high, last = 0.0, 1.0, start
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            X = self._followed(start, begin + middle * (joints - begin))
            if X is not None and gough.margins(self.machine, X).is_allowed:
                low, last = middle, X
            else:
                high = middle
        self.refusal = refusal
        inside = self._inside
        self._show(last)
        self._inside = inside

    def _followed(self, start: Array, q: Array) -> Array | None:
        """Pose after the legs went straight from `start` to q; None where they cannot."""
        self._solver.reset(start)
        status = self._solver(q)
        return self._solver.matrix.copy() if status == gough.kinematics.Status.NEAR else None

    def _no_pose(self) -> tuple[str, ...]:
        """Why the solver found no way."""
        if self._solver.residual < 1e-9 * self.machine.size:
            return ("a singularity bars the way of the legs to these values: only another assembly mode has them",)
        return ("no pose has these leg values",)

    def _direction(self, start: Array, end: Array) -> Array:
        """Displacement [v, w] of the point of interest from one pose to another, as `gough.travel` takes it."""
        from scipy.spatial.transform import Rotation

        turn = Rotation.from_matrix(end[:3, :3] @ start[:3, :3].T).as_rotvec()
        M = np.append(self.machine.point_of_interest, 1.0)
        return np.concatenate([((end - start) @ M)[:3], turn])
