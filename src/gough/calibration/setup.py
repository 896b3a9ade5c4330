"""How a measurement is set up: frames of device and target, measured points, and the predictions that follow.

With C the base's pose in the device's frame and D the target's pose in the platform, a measured pose is C X D, a
position C X p with p a point of the platform, a distance | X p - f | with f a point fixed to the base; the device
multiplies all lengths by its scale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.measurements import Measurements
from gough.displacements import rotation_vectors, rotations
from gough.poses import SMALL, left_jacobian, skew

PARTS = ("device", "target", "points", "wire_points", "fixed_points", "scale")
"""Frames, points and the scale of a setup: each is given or estimated."""
LENGTHS = ("positions", "distances")
"""Kinds of measurements that are lengths."""


class Block(NamedTuple):
    """Residuals of one kind of measurement, predicted minus measured, with their derivatives.

    Attributes
    ----------
    at, other : (k,) array of int
        Samples of the rows, and the samples that they are relative to, None where measurements are absolute.
    r : (k, m) array
        Residuals [m or rad], 0 where nothing was measured; the derivatives are 0 there too.
    by_X, by_other : (k, m, 6) array
        Derivatives by the twists of the platform at the samples `at` and `other`.
    by_setup : (k, m, f) array
        Derivatives by the setup's unknowns.
    kinds : tuple of str
        Kind of measurement of each of the m columns, as in `NOISE`.
    is_there : (k, m) array of bool
        What was measured.

    """

    at: NDArray[np.int64]
    other: NDArray[np.int64] | None
    r: Array
    by_X: Array
    by_other: Array | None
    by_setup: Array
    kinds: tuple[str, ...]
    is_there: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Setup:
    """Frames and points of a measurement.

    Attributes
    ----------
    device : (sessions, 4, 4) array
        Base in the device's frame, C.
    target : (4, 4) array
        Target in the platform frame, D.
    points : (k, 3) array
        Targets of positions in the platform frame [m].
    wire_points, fixed_points : (k, 3) array
        Ends of the distances, in the platform frame and in the base frame [m].
    known : frozenset of str
        Those of `PARTS` that are given and not estimated.
    scale : float
        Ratio of measured to true lengths.

    """

    device: Array
    target: Array
    points: Array
    wire_points: Array
    fixed_points: Array
    known: frozenset[str]
    scale: float = 1.0

    def places(self, given: Measurements) -> dict[str, slice]:
        """Return columns of the unknowns of each part that is estimated."""
        uses_device = given.poses is not None or given.positions is not None or given.angles is not None
        uses_target = given.poses is not None or given.angles is not None or given.relative is not None
        wires = 3 * given.wires
        counts = (6 * len(self.device) * uses_device, 6 * uses_target, 3 * given.targets, wires, wires)
        found, start = {}, 0
        for name, count in zip(PARTS, (*counts, int(given.has_lengths)), strict=True):
            if count and name not in self.known:
                found[name] = slice(start, start + count)
                start += count
        return found

    def moved(self, step: Array, given: Measurements) -> Setup:
        """Return the setup with its unknowns changed by `step`.

        The device's frames move by [v, w] in the device's axes, the target's by v in the platform's axes and w in its
        own, points by v.
        """
        parts: dict[str, Any] = {}
        for name, place in self.places(given).items():
            d = step[place]
            if name == "device":
                v, w = np.split(d.reshape(-1, 6), 2, axis=1)
                parts[name] = self.device.copy()
                parts[name][:, :3, :3] = rotations(w) @ self.device[:, :3, :3]
                parts[name][:, :3, 3] += v
            elif name == "target":
                parts[name] = self.target.copy()
                parts[name][:3, :3] = self.target[:3, :3] @ rotations(d[3:])
                parts[name][:3, 3] += d[:3]
            elif name == "scale":
                parts[name] = self.scale + float(d[0])
            else:
                parts[name] = getattr(self, name) + d.reshape(-1, 3)
        return replace(self, **parts)

    def blocks(self, X: Array, given: Measurements, step: Array) -> list[Block]:
        """Return residuals at poses X (n, 4, 4) and their derivatives, one block for each kind of measurement.

        `step` has the unknowns' values, from where they began to this setup: rotation vectors are differentiated there.
        """
        place = self.places(given)
        by_C, by_D = np.zeros((len(X), 6, len(step))), np.zeros((6, len(step)))
        if "device" in place:
            for s, J in enumerate(left_jacobian(step[place["device"]].reshape(-1, 6)[:, 3:])):
                at, first = given.session == s, place["device"].start + 6 * s
                by_C[at, :3, first : first + 3] = np.eye(3)
                by_C[at, 3:, first + 3 : first + 6] = J
        if "target" in place:
            first = place["target"].start
            by_D[:3, first : first + 3] = np.eye(3)
            # exp(w) multiplies from the right, so the right Jacobian counts: that of the left at -w.
            by_D[3:, first + 3 : first + 6] = left_jacobian(-step[first + 3 : first + 6])
        predicted = _Predictions(self, X, given, place, by_C, by_D)
        kinds = ("poses", "positions", "angles", "distances", "relative")
        measured = {kind: getattr(given, kind) for kind in kinds}
        return [getattr(predicted, kind)(values) for kind, values in measured.items() if values is not None]


@dataclass(frozen=True, eq=False)
class _Predictions:
    """Predicted measurements at poses X (n, 4, 4) and their derivatives, a method for each kind.

    `by_C` (n, 6, f) and `by_D` (6, f) are the twists of the device's and of the target's frame by the unknowns: v and w
    in the device's axes; v in the platform's axes, w in the target's.
    """

    setup: Setup
    X: Array
    given: Measurements
    place: dict[str, slice]
    by_C: Array
    by_D: Array

    def _frames(self) -> tuple[Array, ...]:
        """R_C, t_C, R, t, R_D and t_D: the device's frame at each sample, the platform's pose, the target's frame."""
        C, D = self.setup.device[self.given.session], self.setup.target
        return C[:, :3, :3], C[:, :3, 3], self.X[:, :3, :3], self.X[:, :3, 3], D[:3, :3], D[:3, 3]

    def _block(self, r: Array, by_X: Array, by_setup: Array, kinds: tuple[str, ...], there: NDArray[np.bool_]) -> Block:
        mask = there.astype(float)[..., None]
        return Block(np.arange(len(r)), None, np.where(there, r, 0.0), by_X * mask, None, by_setup * mask, kinds, there)

    def _scaled(self, block: Block, lengths: Array) -> Block:
        """The block by a device of this scale; `lengths` (k, ...) are those predicted, in its first columns."""
        scale, count = self.setup.scale, len(lengths[0].ravel()) if len(lengths) else 0
        true = np.zeros(block.r.shape)
        true[:, :count] = lengths.reshape(len(true), count)
        true[~block.is_there] = 0.0
        size = np.where(np.isin(block.kinds, LENGTHS), scale, 1.0)[:, None]
        by_setup = block.by_setup * size
        if "scale" in self.place:
            by_setup[..., self.place["scale"].start] = true
        by_other = None if block.by_other is None else block.by_other * size
        r = block.r + (scale - 1.0) * true
        return block._replace(r=r, by_X=block.by_X * size, by_other=by_other, by_setup=by_setup)

    def poses(self, measured: Array) -> Block:
        R_C, t_C, R, t, R_D, t_D = self._frames()
        arm, R_CP = R @ t_D, R_C @ R
        place = np.einsum("nij,nj->ni", R_C, arm + t) + t_C
        there = np.asarray(np.isfinite(measured).all(axis=(1, 2)))
        M = np.where(there[:, None, None], measured, np.eye(4))
        # The rotation's residual is log(R_CT R_M^T); d log(R) = J^-1 w for a rotation of R by w.
        turn = rotation_vectors(R_CP @ R_D @ np.swapaxes(M[:, :3, :3], 1, 2))
        by_log = _inverse_left_jacobian(turn)
        by_X, by_setup = np.zeros((len(R), 6, 6)), np.empty((len(R), 6, self.by_D.shape[1]))
        by_X[:, :3], by_X[:, 3:, 3:] = R_C @ _lever(arm), by_log @ R_C
        by_setup[:, :3] = _lever(place - t_C) @ self.by_C + R_CP @ self.by_D[:3]
        by_setup[:, 3:] = by_log @ (self.by_C[:, 3:] + R_CP @ R_D @ self.by_D[3:])
        r = np.concatenate([place - M[:, :3, 3], turn], axis=1)
        kinds = ("positions",) * 3 + ("rotations",) * 3
        block = self._block(r, by_X, by_setup, kinds, np.broadcast_to(there[:, None], r.shape))
        return self._scaled(block, place)

    def positions(self, measured: Array) -> Block:
        R_C, t_C, R, t, *_ = self._frames()
        arm = self.setup.points @ np.swapaxes(R, 1, 2)
        place = (arm + t[:, None]) @ np.swapaxes(R_C, 1, 2)
        n, k = measured.shape[:2]
        by_X = (R_C[:, None] @ _lever(arm)).reshape(n, 3 * k, 6)
        by_setup = (_lever(place) @ self.by_C[:, None]).reshape(n, 3 * k, -1)
        if "points" in self.place:
            for j in range(k):
                first = self.place["points"].start + 3 * j
                by_setup[:, 3 * j : 3 * j + 3, first : first + 3] = R_C @ R
        there = np.isfinite(measured)
        place = place + t_C[:, None]
        r = (place - np.where(there, measured, 0.0)).reshape(n, 3 * k)
        block = self._block(r, by_X, by_setup, ("positions",) * (3 * k), there.reshape(n, 3 * k))
        return self._scaled(block, place)

    def angles(self, measured: Array) -> Block:
        R_C, _, R, _, R_D, _ = self._frames()
        axes = R_C @ R @ R_D
        rise = axes[:, 2, :2]  # z components of the target's x and y axes
        by_turn = np.stack([axes[:, 1, :2], -axes[:, 0, :2], np.zeros_like(rise)], axis=-1)  # (w x a)_z = by_turn . w
        by_turn /= np.sqrt(1.0 - rise**2)[..., None]  # derivative of arcsin
        by_X = np.concatenate([np.zeros_like(by_turn), by_turn @ R_C], axis=-1)
        by_setup = by_turn @ (self.by_C[:, 3:] + axes @ self.by_D[3:])
        there = np.isfinite(measured)
        r = np.arcsin(rise) - np.where(there, measured, 0.0)
        return self._block(r, by_X, by_setup, ("angles",) * 2, there)

    def distances(self, measured: Array) -> Block:
        _, _, R, t, *_ = self._frames()
        arm = self.setup.wire_points @ np.swapaxes(R, 1, 2)
        d = arm + t[:, None] - self.setup.fixed_points
        length = np.linalg.norm(d, axis=-1)
        u = d / length[..., None]
        n, k = measured.shape
        by_X = np.concatenate([u, np.cross(arm, u)], axis=-1)
        by_setup = np.zeros((n, k, self.by_D.shape[1]))
        for name, by_point in (("wire_points", u @ R), ("fixed_points", -u)):
            if name in self.place:
                for j in range(k):
                    first = self.place[name].start + 3 * j
                    by_setup[:, j, first : first + 3] = by_point[:, j]
        there = np.isfinite(measured)
        r = length - np.where(there, measured, 0.0)
        return self._scaled(self._block(r, by_X, by_setup, ("distances",) * k, there), length)

    def relative(self, measured: Array) -> Block:
        """Poses of the target relative to those at another sample, (Y D)^-1 X D."""
        to = self.given.relative_to
        assert to is not None
        at = np.flatnonzero(np.isfinite(measured).all(axis=(1, 2)) & (to >= 0))
        X, Y, M = self.X[at], self.X[to[at]], measured[at]
        R_D, t_D = self.setup.target[:3, :3], self.setup.target[:3, 3]
        arm_X, arm_Y = X[:, :3, :3] @ t_D, Y[:, :3, :3] @ t_D
        S_t = np.swapaxes(Y[:, :3, :3] @ R_D, 1, 2)
        gap = (arm_X + X[:, :3, 3]) - (arm_Y + Y[:, :3, 3])
        shift = np.einsum("nij,nj->ni", S_t, gap)
        R_YX = S_t @ X[:, :3, :3] @ R_D
        turn = rotation_vectors(R_YX @ np.swapaxes(M[:, :3, :3], 1, 2))
        by_log = _inverse_left_jacobian(turn)
        by_X, by_Y = np.zeros((len(at), 6, 6)), np.zeros((len(at), 6, 6))
        by_X[:, :3], by_X[:, 3:, 3:] = S_t @ _lever(arm_X), by_log @ S_t
        # A rotation of Y turns the frame in which the gap is seen, hence the lever to the other target.
        by_Y[:, :3], by_Y[:, 3:, 3:] = -S_t @ _lever(arm_Y + gap), -by_log @ S_t
        by_shift = S_t @ (X[:, :3, :3] - Y[:, :3, :3]) @ self.by_D[:3] + skew(shift) @ self.by_D[3:]
        by_setup = np.concatenate([by_shift, by_log @ (R_YX - np.eye(3)) @ self.by_D[3:]], axis=1)
        r = np.concatenate([shift - M[:, :3, 3], turn], axis=1)
        kinds = ("positions",) * 3 + ("rotations",) * 3
        return self._scaled(Block(at, to[at], r, by_X, by_Y, by_setup, kinds, np.ones(r.shape, dtype=bool)), shift)


def _lever(arm: Array) -> Array:
    """[I, -[arm]x] (..., 3, 6): velocity of a point at `arm` (..., 3) from a body's origin by the body's twist."""
    return np.concatenate([np.broadcast_to(np.eye(3), (*arm.shape, 3)), -skew(arm)], axis=-1)


def _inverse_left_jacobian(w: Array) -> Array:
    """J^-1 (..., 3, 3) of rotation vectors w (..., 3): log(exp(d) exp(w)) = w + J^-1 d to first order."""
    K, angle = skew(w), np.linalg.norm(w, axis=-1)[..., None, None]
    is_small = angle < SMALL
    safe = np.where(is_small, 1.0, angle)
    second = np.where(is_small, 1.0 / 12.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(safe / 2.0)))
    return np.asarray(np.eye(3) - 0.5 * K + second * K @ K)
