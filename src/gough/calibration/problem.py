"""The least-squares problem of a calibration: residuals of all measurements and their exact derivatives.

The pose of a sample follows from its joint readings and the leg errors by forward kinematics, solved in each evaluation
and differentiated implicitly. Along the leg equations E(X, errors) = 0 errors cause the twist V with
E_X V = -E_errors, so that a measurement h(X) has the derivative -h_X E_X^-1 E_errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.prior import Prior
from gough.calibration.rigid import placed, rigid_motions
from gough.calibration.setup import Block, Setup
from gough.displacements import displaced

_CLOSE = 1e-13
"""Tolerance of the leg equations, in machine sizes."""
_NEAR = 1e-8
"""Residual of them from which one more Newton step reaches rounding, in machine sizes."""
_TURN = 0.5
"""Largest rotation of a Newton step [rad]."""
FAR = 1.0
"""Residual of a measurement at a sample without a pose, in machine sizes or [rad]."""
LOOSE = 1e-3
"""Smallest weight that holds estimated frames and points where they began, per machine size: for full rank."""


class Rows(NamedTuple):
    """Residuals of samples with their derivatives.

    Attributes
    ----------
    at, other : (k,) array of int
        Samples of the rows, and the samples that they are relative to, None where measurements are absolute.
    r : (k, m) array
        Residuals [m or rad].
    J : (k, m, errors and setup) array
        Derivatives by all unknowns.
    by_legs : (k, m, 6) array
        Derivatives by the residuals of the leg equations, G = -h_X E_X^-1.
    rate : (k, 6) array
        Derivatives of the leg equations by the readings.
    by_other_joints : (k, m, 6) array or None
        Derivatives by the readings at the samples `other`.
    kinds : tuple of str
        Kind of measurement of each column.
    is_there : (k, m) array of bool
        What was measured.
    turns : (k,) array
        Variance of the platform's rotation by readings of unit variance [rad2].

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
    turns: Array


@dataclass(frozen=True, eq=False)
class Problem:
    """Errors of the legs and unknowns of the setup against measurements.

    Attributes
    ----------
    spread : (errors,) array
        Standard deviations of the errors before measuring [SI]; the unknowns x are errors over spreads.
    X : (n, 4, 4) array
        Start of the next forward kinematics: overwritten by every evaluation with the poses found.
    sag : (n, 6) array or None
        Extension of the rods under weight [m].
    weight : (n,) array or None
        Factor of the residuals of each sample.
    steps : int
        Maximum number of Newton steps to a pose.
    stated : frozenset of str
        Groups of errors whose tolerance is stated; the other spreads are assumed.
    places : mapping of str to (4, 4) array
        Where base and platform lie in frames that are known, as the drawing moved by these, by groups of their points.

    """

    legs: LegErrors
    setup: Setup
    given: Measurements
    spread: Array
    X: Array
    sag: Array | None = None
    weight: Array | None = None
    steps: int = 30
    stated: frozenset[str] = frozenset()
    places: Mapping[str, Array] = field(default_factory=dict)

    @property
    def assumed(self) -> list[NDArray[np.int64]]:
        """Unknowns of each group of errors whose spread is assumed; then rows of the prior, of each part's motions."""
        groups, start = np.array(self.legs.group_of * 6), self.errors_count + self.setup_count
        found = [np.flatnonzero(groups == name) for name in self.legs.groups if name not in self.stated]
        for each in self.motions.values():
            found.append(np.arange(start, start + len(each)))
            start += len(each)
        return found

    @property
    def motions(self) -> dict[str, Array]:
        """Motions (6, errors) of base and platform as one body whose spread is assumed, by the groups of their points.

        They are those in a frame that is known: in a frame that is estimated they are not determined.
        """
        held = {"base_points": {"device", "fixed_points"}, "platform_points": {"target", "points", "wire_points"}}
        of_stated = np.isin(np.array(self.legs.group_of * 6), list(self.stated))
        found = {}
        for name in held:
            motions = rigid_motions(self.legs, self.spread, name, self.places.get(name))
            if self.setup.known & held[name] and len(motions) and not motions[:, of_stated].any():
                found[name] = motions
        return found

    @property
    def expected(self) -> Array:
        """Errors (6, count) of the drawing with its base and platform where they lie in known frames [SI]."""
        moved = [placed(self.legs, name, T) for name, T in self.places.items()]
        return np.sum(moved, axis=0) if moved else np.zeros((6, self.legs.count))

    @property
    def drawn(self) -> LegErrors:
        """Legs of the drawing without errors, its base and platform where they lie in known frames."""
        return replace(self.legs, machine=self.legs.machine_with(self.expected), groups=())

    @property
    def errors_count(self) -> int:
        """Number of errors of all legs."""
        return 6 * self.legs.count

    @property
    def setup_count(self) -> int:
        """Number of unknowns of the setup."""
        return max((place.stop for place in self.setup.places(self.given).values()), default=0)

    @property
    def prior(self) -> tuple[Prior, Array]:
        """Weights of the unknowns before measuring, and where they are expected (p,).

        Errors are expected as drawn, frames and points where they begin.
        """
        weight = np.append(np.ones(self.errors_count), np.full(self.setup_count, LOOSE))
        motions = np.concatenate([np.zeros((0, self.errors_count)), *self.motions.values()])
        motions = np.pad(motions, ((0, 0), (0, self.setup_count)))
        expected = np.append(self.expected.ravel() / self.spread, np.zeros(self.setup_count))
        return Prior(weight, motions, np.ones(len(motions))), expected

    def faked(self, rows: Sequence[Rows], weights: Sequence[Array], joints: float) -> Array:
        """Return information (setup,) on frames and points that noise of the readings seems to have.

        Poses of one orientation do not determine a point on the platform, but their derivatives have the noise of the
        readings in them, which looks like orientations that differ.
        """
        found = np.zeros(self.setup_count)
        for each, W in zip(rows, weights, strict=True):
            by = W @ each.J[..., self.errors_count :]
            found += joints**2 * each.turns @ (by**2).sum(axis=1)
        places = self.setup.places(self.given)
        if self.given.angles is None and "target" in places:  # poses show the target's rotation, whatever the noise
            found[places["target"]][3:] = 0.0
        for name in {"device", "fixed_points", "scale"} & set(places):
            found[places[name]] = 0.0
        # A rotation vector moves a point by its part across, two thirds of its square for any direction.
        return 2.0 / 3.0 * self.by_triples(found)

    def by_triples(self, values: Array) -> Array:
        """Return values (setup,) averaged over the axes of each point and of each rotation, so that axes do not
        matter."""
        found = values.copy()
        for place in self.setup.places(self.given).values():
            axes = values[place].reshape(-1, min(3, place.stop - place.start))
            found[place] = np.repeat(axes.mean(axis=1), axes.shape[1])
        return found

    def errors(self, x: Array) -> Array:
        """Return errors (6, count) of the legs [SI] at the unknowns x."""
        return np.asarray((x[: self.errors_count] * self.spread).reshape(6, -1))

    @property
    def setup_scale(self) -> Array:
        """Units of the setup's unknowns: machine sizes for lengths, radians for angles, one for the scale."""
        found = np.full(self.setup_count, self.legs.machine.size)
        for name, place in self.setup.places(self.given).items():
            if name in ("device", "target"):
                found[place].reshape(-1, 6)[:, 3:] = 1.0
            elif name == "scale":
                found[place] = 1.0
        return found

    def setup_at(self, x: Array) -> Setup:
        """Return the setup with its unknowns at x."""
        return self.setup.moved(x[self.errors_count :] * self.setup_scale, self.given)

    def solve_poses(self, errors: Array) -> Array:
        """Return poses (n, 4, 4) at the readings, by Newton's method from the poses found last; NaN where it fails."""
        X = np.where(np.isfinite(self.X).all(axis=(1, 2), keepdims=True), self.X, self.legs.machine.X_home)
        close, feet = _CLOSE * self.legs.machine.size, self.legs.feet(errors, self.given.q)
        for _ in range(self.steps):
            e, E_X = self.legs.equations(errors, X, feet)
            e = e if self.sag is None else e - self.sag
            off = np.abs(e).max(axis=1)
            if not (off > close).any():
                return X
            step = _solved(E_X, -e[..., None])[..., 0]  # a twist of each platform, all samples at once
            turn = np.linalg.norm(step[:, 3:], axis=1)
            X = displaced(X, step * np.minimum(1.0, _TURN / np.maximum(turn, 1e-12))[:, None])
            if (off < _NEAR * self.legs.machine.size).all() and (turn < 1.0).all():
                return X  # Newton's method converges quadratically: the next residual is rounding
        X[~(off < 1e6 * close)] = np.nan  # without convergence, residuals below 1e-7 machine sizes are accepted
        return X

    def rows(self, x: Array) -> list[Rows]:
        """Return residuals and derivatives at x: all absolute measurements together, then relative ones."""
        errors = self.errors(x)
        X = self.solve_poses(errors)
        lost = np.asarray(np.isnan(X).any(axis=(1, 2)))
        self.X[:] = X  # where the next evaluation begins: one Newton step is then often enough
        X = np.where(lost[:, None, None], self.legs.machine.X_home, X)  # finite, and masked in `_rows`
        E_X, E_errors, rate = self.legs.derivatives(errors, X, self.given.q)
        # V = -E_X^-1 E_errors errors: the inverse is formed once, and applied to each measurement's rows.
        by_legs = -_solved(E_X, np.broadcast_to(np.eye(6), E_X.shape))
        E_errors = E_errors * self.spread.reshape(6, -1)
        far = FAR * np.array([self.legs.machine.size, 1.0])
        scale = self.setup_scale
        blocks = self.setup_at(x).blocks(X, self.given, x[self.errors_count :] * scale)
        blocks = [block._replace(by_setup=block.by_setup * scale) for block in blocks]
        absolute = [block for block in blocks if block.other is None]
        joined = [_side_by_side(absolute)] if absolute else []
        joined += [block for block in blocks if block.other is not None]
        turns = ((by_legs[:, 3:] * rate[:, None]) ** 2).sum(axis=(1, 2))
        return [_rows(block, by_legs, E_errors, rate, lost, far, turns) for block in joined]


def is_rotation(kinds: tuple[str, ...]) -> NDArray[np.bool_]:
    """Find which columns are angles [rad]; the others are lengths [m]."""
    return np.isin(kinds, ("rotations", "angles"))


def full(rows: Sequence[Rows], values: Array) -> Iterator[tuple[Rows, Array]]:
    """Yield blocks of rows, each with its part of `values` (N, ...) as (k, m, ...): zeros where nothing was measured.

    `values` has an entry for each number measured, in the order of the rows, as whitened residuals have.
    """
    start = 0
    for each in rows:
        count = int(each.is_there.sum())
        found = np.zeros((*each.is_there.shape, *values.shape[1:]))
        found[each.is_there] = values[start : start + count]
        start += count
        yield each, found


def rms(values: Array) -> float:
    """Return the root mean square of the finite values of an array; NaN without any."""
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else np.nan


def rms_of(rows: Sequence[Rows], legs: Array, size: float) -> float:
    """Return the root mean square of the legs' residuals (n, 6) [m].

    Where no row has all of a pose, that of the measurements' residuals, rotations as displacements at the
    characteristic length `size` [m].
    """
    if np.isfinite(legs).any():
        return rms(legs)
    parts = [(each.r * np.where(is_rotation(each.kinds), size, 1.0))[each.is_there] for each in rows]
    return rms(np.concatenate(parts))


def leg_residuals(rows: Sequence[Rows], n: int) -> Array:
    """Return the measured minus the modelled rod lengths (n, 6) [m]; NaN where a pose is incomplete."""
    found = np.full((n, 6), np.nan)
    for each in rows:
        if each.by_other_joints is not None:
            continue
        enough = np.flatnonzero(each.is_there.sum(axis=1) >= 6)  # a pose needs six numbers
        if not len(enough):
            continue
        # r = G dL in the least squares, by the SVD; G without full rank determines no pose.
        U, s, Vt = np.linalg.svd(each.by_legs[enough], full_matrices=False)
        sound = s[:, -1] > 1e-6 * s[:, 0]
        along = np.einsum("kji,kj->ki", U[sound], each.r[enough[sound]]) / s[sound]
        found[each.at[enough[sound]]] = np.einsum("kji,kj->ki", Vt[sound], along)
    return found


def _solved(A: Array, b: Array) -> Array:
    """A^-1 b of batches; the pseudoinverse where a matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(A) @ b)


def _side_by_side(blocks: list[Block]) -> Block:
    """Blocks of the same samples as one."""
    names = ("r", "by_X", "by_setup", "is_there")
    parts = {name: np.concatenate([getattr(block, name) for block in blocks], axis=1) for name in names}
    return blocks[0]._replace(**parts, kinds=tuple(kind for block in blocks for kind in block.kinds))


def _rows(
    block: Block, by_legs: Array, E_errors: Array, rate: Array, lost: NDArray[np.bool_], far: Array, turns: Array
) -> Rows:
    """The block with derivatives by the leg errors and by the readings, through the poses.

    Measurements at a `lost` sample, without a pose, have the residual `far`, so that the solver never steps there, and
    such a row is left out as an outlier if it is lost from the start.
    """
    gone = lost[block.at] if block.other is None else lost[block.at] | lost[block.other]
    mask = (block.is_there & ~gone[:, None]).astype(float)[..., None]  # derivatives of what is missing are 0
    k, m, setup = block.by_setup.shape
    G = block.by_X @ by_legs[block.at] * mask
    count = E_errors.shape[2]
    J = np.empty((k, m, 6 * count + setup))
    # Each leg equation has errors of its own leg only, so G E_errors is a product by column, not by matrix.
    by_errors = J[..., : 6 * count].reshape(k, m, 6, count)
    np.multiply(G[..., None], E_errors[block.at][:, None], out=by_errors)
    np.multiply(block.by_setup, mask, out=J[..., 6 * count :])
    by_other_joints = None
    if block.other is not None:
        assert block.by_other is not None
        G_other = block.by_other @ by_legs[block.other] * mask
        by_errors += G_other[..., None] * E_errors[block.other][:, None]
        by_other_joints = G_other * rate[block.other][:, None]
    r = np.where(gone[:, None] & block.is_there, far[is_rotation(block.kinds).astype(int)], block.r)
    turns = turns[block.at] if block.other is None else turns[block.at] + turns[block.other]
    return Rows(block.at, block.other, r, J, G, rate[block.at], by_other_joints, block.kinds, block.is_there, turns)
