"""The least-squares problem of a calibration: residuals of all measurements and their exact derivatives.

The pose of a sample is the one that its joint readings and the errors looked for give: forward kinematics, solved
within, differentiated implicitly. With the leg equations e(X, errors) = 0 a twist follows from errors by
E_X V = -E_errors, so that every measurement h(X) differentiates as -h_X E_X^-1 E_errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.setup import Block, Setup
from gough.displacements import displaced

_CLOSE = 1e-13
"""Part of the machine's size by which leg equations may be off."""
_NEAR = 1e-8
"""Part of it from which one more step of Newton's method reaches rounding."""
_TURN = 0.5
"""Largest turn of a step [rad]."""
FAR = 1.0
"""Residual of what was measured where the machine has no pose, in sizes of the machine, or [rad]."""
LOOSE = 1e-3
"""Weight of frames and points looked for against where they were first seen, per machine size: none to speak of."""


class Rows(NamedTuple):
    """Residuals of samples (k, m), derivatives J (k, m, errors and setup), and those by leg equations.

    `by_legs` (k, m, 6) is by the leg equations' residuals, `rate` (k, 6) theirs by the readings; the others are those
    of the sample it is relative to.
    """

    at: NDArray[np.int64]
    other: NDArray[np.int64] | None
    r: Array
    J: Array
    by_legs: Array
    rate: Array
    by_other_joints: Array | None
    kinds: tuple[str, ...]
    is_there: NDArray[np.bool_]

    @property
    def by_joints(self) -> Array:
        """Derivatives (k, m, 6) by the readings."""
        return self.by_legs * self.rate[:, None]


@dataclass(frozen=True, eq=False)
class Problem:
    """Errors of legs and unknowns of the setup against measurements; X remembers the poses it found last.

    Attributes
    ----------
    spread : (errors,) array
        In which the unknowns count the errors [SI].
    X : (n, 4, 4) array
        Poses from which the search for poses begins.
    sag : (n, 6) array or None
        By how much weight makes the rods longer [m].
    weight : (n,) array or None
        Of each sample, by which its residuals are multiplied.
    steps : int
        Most steps to a pose.

    """

    legs: LegErrors
    setup: Setup
    given: Measurements
    spread: Array
    X: Array
    sag: Array | None = None
    weight: Array | None = None
    steps: int = 30

    @property
    def errors_count(self) -> int:
        """Errors of all legs."""
        return 6 * self.legs.count

    @property
    def setup_count(self) -> int:
        """Unknowns of the setup."""
        return sum(count for _, count in self.setup.unknowns(self.given))

    def errors(self, x: Array) -> Array:
        """Errors (6, count) of the legs [SI]; x counts them in their spreads."""
        return np.asarray((x[: self.errors_count] * self.spread).reshape(6, -1))

    @property
    def setup_scale(self) -> Array:
        """In which the unknowns count frames and points: lengths in sizes of the machine, angles in radians."""
        size = self.legs.machine.size
        parts = [np.ones(0)]
        for name, count in self.setup.unknowns(self.given):
            own = [size] * 3 + [1.0] * 3 if name in ("device", "target") else [size] * 3
            parts.append(np.tile(own, count // len(own)))
        return np.concatenate(parts)

    def setup_at(self, x: Array) -> Setup:
        """The setup with its unknowns at x."""
        return self.setup.moved(x[self.errors_count :] * self.setup_scale, self.given)

    def solve_poses(self, errors: Array) -> Array:
        """Poses (n, 4, 4) with the readings, by Newton's method from the poses found last; NaN where it fails."""
        X = np.where(np.isfinite(self.X).all(axis=(1, 2), keepdims=True), self.X, self.legs.machine.X_home)
        close, feet = _CLOSE * self.legs.machine.size, self.legs.feet(errors, self.given.q)
        for _ in range(self.steps):
            e, E_X = self._equations(errors, X, feet)
            off = np.abs(e).max(axis=1)
            if not (off > close).any():
                return X
            step = _solved(E_X, -e[..., None])[..., 0]
            turn = np.linalg.norm(step[:, 3:], axis=1)
            X = displaced(X, step * np.minimum(1.0, _TURN / np.maximum(turn, 1e-12))[:, None])
            if (off < _NEAR * self.legs.machine.size).all() and (turn < 1.0).all():
                return X  # the step was quadratically small already
        X[~(off < 1e6 * close)] = np.nan
        return X

    def _equations(self, errors: Array, X: Array, feet: tuple[Array, Array]) -> tuple[Array, Array]:
        e, E_X = self.legs.equations(errors, X, feet)
        return (e if self.sag is None else e - self.sag), E_X

    def rows(self, x: Array) -> list[Rows]:
        """All residuals and derivatives at x, samples without a pose as if nothing was measured there."""
        errors = self.errors(x)
        X = self.solve_poses(errors)
        lost = np.asarray(np.isnan(X).any(axis=(1, 2)))
        self.X[:] = X
        X = np.where(lost[:, None, None], self.legs.machine.X_home, X)
        E_X, E_errors, rate = self.legs.derivatives(errors, X, self.given.q)
        by_e = -_solved(E_X, np.broadcast_to(np.eye(6), E_X.shape))
        E_errors = E_errors * self.spread.reshape(6, -1)
        scale = self.setup_scale
        blocks = self.setup_at(x).blocks(X, self.given, x[self.errors_count :] * scale)
        far = FAR * np.array([self.legs.machine.size, 1.0])
        blocks = [block._replace(by_setup=block.by_setup * scale) for block in blocks]
        whole = [block for block in blocks if block.other is None]
        found = [_of_errors(_joined(whole), by_e, E_errors, rate, lost, far)] if whole else []
        return found + [
            _of_errors(block, by_e, E_errors, rate, lost, far) for block in blocks if block.other is not None
        ]


def _solved(A: Array, b: Array) -> Array:
    """A^-1 b of batches; matrices that are singular give zeros."""
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(A) @ b)


def _joined(blocks: list[Block]) -> Block:
    """Blocks of the same samples side by side."""
    r, by_X, by_setup, there = (
        np.concatenate([getattr(block, name) for block in blocks], axis=1)
        for name in ("r", "by_X", "by_setup", "is_there")
    )
    kinds = tuple(kind for block in blocks for kind in block.kinds)
    return Block(blocks[0].at, None, r, by_X, None, by_setup, kinds, there)


def _of_errors(block: Block, by_e: Array, E_errors: Array, rate: Array, lost: NDArray[np.bool_], far: Array) -> Rows:
    """Derivatives of a block by the errors of legs and by the readings, through the poses.

    What was measured at a sample without a pose is far off, in units of one: no step of the solver goes there, and
    a row that is there from the beginning is found among the outliers.
    """
    gone = lost[block.at] if block.other is None else lost[block.at] | lost[block.other]
    turns = np.isin(block.kinds, ("rotations", "angles"))
    mask = (block.is_there & ~gone[:, None]).astype(float)[..., None]
    k, m, setup = block.by_setup.shape
    G = block.by_X @ by_e[block.at] * mask
    count = E_errors.shape[2]
    J = np.empty((k, m, 6 * count + setup))
    by_errors = J[..., : 6 * count].reshape(k, m, 6, count)
    np.multiply(G[..., None], E_errors[block.at][:, None], out=by_errors)
    np.multiply(block.by_setup, mask, out=J[..., 6 * count :])
    other = None
    if block.other is not None:
        assert block.by_other is not None
        G_other = block.by_other @ by_e[block.other] * mask
        by_errors += G_other[..., None] * E_errors[block.other][:, None]
        other = G_other * rate[block.other][:, None]
    r = np.where(gone[:, None] & block.is_there, far[turns.astype(int)], block.r)
    return Rows(block.at, block.other, r, J, G, rate[block.at], other, block.kinds, block.is_there)
