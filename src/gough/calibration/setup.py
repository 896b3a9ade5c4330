"""How the measuring device and its targets are set up: frames and points, known or looked for, and what is predicted.

A device's frame C is the base's pose in it, a target's frame D its pose in the platform: poses are C X D, positions
C X p of the platform's points p, distances those from X p to fixed points f of the base.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.measurements import Measurements
from gough.calibration.rotations import inverse_left_jacobian, rotation_vectors, rotations
from gough.poses import left_jacobian, skew


class Block(NamedTuple):
    """Predictions minus measurements of one kind at the samples `at`, missing ones 0 with derivatives of 0.

    `r` (k, m) [m or rad], by the twist of the sample's platform `by_X` (k, m, 6), of the sample it is relative to
    `by_other` (k, m, 6) or None, by the unknowns of the setup (k, m, f); `kinds` (m,) names each column's noise, and
    `is_there` (k, m) says what was measured.
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
    """Frames and points of a measurement; `known` names those that are given and stay.

    Attributes
    ----------
    device : (sessions, 4, 4) array
        The base's pose in the device's frame.
    target : (4, 4) array
        The target's pose in the platform.
    points : (k, 3) array
        Places of position targets in the platform frame [m].
    wire_points, fixed_points : (k, 3) array
        Ends of the distances, in the platform and in the base frame [m].
    known : frozenset of str

    """

    device: Array
    target: Array
    points: Array
    wire_points: Array
    fixed_points: Array
    known: frozenset[str]

    def unknowns(self, given: Measurements) -> list[tuple[str, int]]:
        """Name and count of what is looked for, in the order of the columns."""
        uses_device = given.poses is not None or given.positions is not None or given.angles is not None
        uses_target = given.poses is not None or given.angles is not None or given.relative is not None
        found = [
            ("device", 6 * len(self.device) if uses_device else 0),
            ("target", 6 if uses_target else 0),
            ("points", 3 * given.targets),
            ("wire_points", 3 * given.wires),
            ("fixed_points", 3 * given.wires),
        ]
        return [(name, count) for name, count in found if count and name not in self.known]

    def moved(self, step: Array, given: Measurements) -> Setup:
        """The setup with its unknowns moved: frames by [v, w] in the device's and target's axes, points by v."""
        parts, start = {}, 0
        for name, count in self.unknowns(given):
            d = step[start : start + count]
            start += count
            if name == "device":
                v, w = np.split(d.reshape(-1, 6), 2, axis=1)
                frames = self.device.copy()
                frames[:, :3, :3] = rotations(w) @ frames[:, :3, :3]
                frames[:, :3, 3] += v
                parts["device"] = frames
            elif name == "target":
                frame = self.target.copy()
                frame[:3, :3] = frame[:3, :3] @ rotations(d[3:])
                frame[:3, 3] += d[:3]
                parts["target"] = frame
            else:
                parts[name] = getattr(self, name) + d.reshape(-1, 3)
        return replace(self, **parts)  # type: ignore[arg-type]

    def blocks(self, X: Array, given: Measurements, step: Array) -> list[Block]:
        """Predictions minus measurements at poses X (n, 4, 4), and derivatives; this setup is the one moved by `step`.

        `step` counts from where the unknowns began, which says how their rotation vectors differentiate.
        """
        found = []
        places, start = {}, 0
        for name, count in self.unknowns(given):
            places[name] = slice(start, start + count)
            start += count
        view = _View(self, X, given, places, start, step)
        if given.poses is not None:
            found.append(view.poses(given.poses))
        if given.positions is not None:
            found.append(view.positions(given.positions))
        if given.angles is not None:
            found.append(view.angles(given.angles))
        if given.distances is not None:
            found.append(view.distances(given.distances))
        if given.relative is not None:
            found.append(view.relative(given.relative))
        return found


@dataclass(frozen=True, eq=False)
class _View:
    """The setup at given poses, with the places of its unknowns among the columns."""

    setup: Setup
    X: Array
    given: Measurements
    place: dict[str, slice]
    count: int
    step: Array

    def _device(self) -> tuple[Array, Array]:
        C = self.setup.device[self.given.session]
        return C[:, :3, :3], C[:, :3, 3]

    def _block(self, r: Array, by_X: Array, by_setup: Array, kinds: tuple[str, ...], there: NDArray[np.bool_]) -> Block:
        mask = there.astype(float)
        return Block(
            np.arange(len(r)), None, np.where(there, r, 0.0), by_X * mask[..., None], None,
            by_setup * mask[..., None], kinds, there,
        )  # fmt: skip

    def _by_device(self, columns: Array, points: Array | None) -> None:
        """Derivatives of points (n, k, 3) in the device's frame, or of rotations, by the device's frames."""
        if "device" not in self.place:
            return
        first = self.place["device"].start
        for s in range(len(self.setup.device)):
            at = self.given.session == s
            w = self.step[first + 6 * s + 3 : first + 6 * s + 6]
            J = left_jacobian(w)
            v_place, w_place = slice(first + 6 * s, first + 6 * s + 3), slice(first + 6 * s + 3, first + 6 * s + 6)
            if points is None:
                columns[at, :, w_place] = J
                continue
            columns[at, :, v_place] = np.eye(3)
            columns[at, :, w_place] = -skew(points[at] - self.setup.device[s, :3, 3]) @ J

    def poses(self, measured: Array) -> Block:
        R_C, t_C = self._device()
        R, t = self.X[:, :3, :3], self.X[:, :3, 3]
        R_D, t_D = self.setup.target[:3, :3], self.setup.target[:3, 3]
        arm, R_CX = R @ t_D, R_C @ R
        place = np.einsum("nij,nj->ni", R_C, arm + t) + t_C
        there = np.asarray(np.isfinite(measured).all(axis=(1, 2)))
        safe = np.where(there[:, None, None], measured, np.eye(4))
        turn = rotation_vectors(R_CX @ R_D @ np.swapaxes(safe[:, :3, :3], 1, 2))
        by_log = inverse_left_jacobian(turn)
        n = len(self.X)
        by_X, by_setup = np.zeros((n, 6, 6)), np.zeros((n, 6, self.count))
        by_X[:, :3, :3], by_X[:, :3, 3:] = R_C, -R_C @ skew(arm)
        by_X[:, 3:, 3:] = by_log @ R_C
        self._by_device(by_setup[:, :3], place)
        self._by_device(by_setup[:, 3:], None)
        if "target" in self.place:
            first = self.place["target"].start
            by_setup[:, :3, first : first + 3] = R_CX
            J = left_jacobian(-self.step[first + 3 : first + 6])
            by_setup[:, 3:, first + 3 : first + 6] = R_CX @ R_D @ J
        by_setup[:, 3:] = by_log @ by_setup[:, 3:]
        r = np.concatenate([place - safe[:, :3, 3], turn], axis=1)
        kinds = ("positions",) * 3 + ("rotations",) * 3
        return self._block(r, by_X, by_setup, kinds, np.broadcast_to(there[:, None], r.shape))

    def positions(self, measured: Array) -> Block:
        R_C, t_C = self._device()
        R, t = self.X[:, :3, :3], self.X[:, :3, 3]
        arm = self.setup.points @ np.swapaxes(R, 1, 2)
        place = (arm + t[:, None]) @ np.swapaxes(R_C, 1, 2) + t_C[:, None]
        n, k = measured.shape[:2]
        by_X, by_setup = np.zeros((n, k, 3, 6)), np.zeros((n, k, 3, self.count))
        by_X[..., :3], by_X[..., 3:] = R_C[:, None], -R_C[:, None] @ skew(arm)
        for j in range(k):
            self._by_device(by_setup[:, j], place[:, j])
            if "points" in self.place:
                first = self.place["points"].start + 3 * j
                by_setup[:, j, :, first : first + 3] = R_C @ R
        there = np.isfinite(measured)
        r = place - np.where(there, measured, 0.0)
        return self._block(
            r.reshape(n, 3 * k), by_X.reshape(n, 3 * k, 6), by_setup.reshape(n, 3 * k, self.count),
            ("positions",) * (3 * k), there.reshape(n, 3 * k),
        )  # fmt: skip

    def angles(self, measured: Array) -> Block:
        R_C, _ = self._device()
        axes = R_C @ self.X[:, :3, :3] @ self.setup.target[:3, :3]
        n = len(measured)
        by_X, by_setup = np.zeros((n, 2, 6)), np.zeros((n, 2, self.count))
        rise = axes[:, 2, :2]
        slope = 1.0 / np.sqrt(1.0 - rise**2)
        by_turn = np.stack([axes[:, 1, :2], -axes[:, 0, :2], np.zeros((n, 2))], axis=-1)  # (w x a)_z = by_turn . w
        by_X[..., 3:] = by_turn @ R_C
        columns = np.zeros((n, 3, self.count))
        self._by_device(columns, None)
        by_setup += by_turn @ columns
        if "target" in self.place:
            first = self.place["target"].start
            J = left_jacobian(-self.step[first + 3 : first + 6])
            by_setup[:, :, first + 3 : first + 6] += by_turn @ axes @ J
        there = np.isfinite(measured)
        r = np.arcsin(rise) - np.where(there, measured, 0.0)
        return self._block(r, by_X * slope[..., None], by_setup * slope[..., None], ("angles",) * 2, there)

    def distances(self, measured: Array) -> Block:
        R, t = self.X[:, :3, :3], self.X[:, :3, 3]
        arm = self.setup.wire_points @ np.swapaxes(R, 1, 2)
        d = arm + t[:, None] - self.setup.fixed_points
        length = np.linalg.norm(d, axis=-1)
        u = d / length[..., None]
        n, k = measured.shape
        by_X = np.concatenate([u, np.cross(arm, u)], axis=-1)
        by_setup = np.zeros((n, k, self.count))
        for j in range(k):
            if "wire_points" in self.place:
                first = self.place["wire_points"].start + 3 * j
                by_setup[:, j, first : first + 3] = (u[:, j, None] @ R)[:, 0]
            if "fixed_points" in self.place:
                first = self.place["fixed_points"].start + 3 * j
                by_setup[:, j, first : first + 3] = -u[:, j]
        there = np.isfinite(measured)
        return self._block(length - np.where(there, measured, 0.0), by_X, by_setup, ("distances",) * k, there)

    def relative(self, measured: Array) -> Block:
        to = self.given.relative_to
        assert to is not None
        at = np.flatnonzero(np.isfinite(measured).all(axis=(1, 2)) & (to >= 0))
        X, Y, M = self.X[at], self.X[to[at]], measured[at]
        R_D, t_D = self.setup.target[:3, :3], self.setup.target[:3, 3]
        R, S = X[:, :3, :3] @ R_D, Y[:, :3, :3] @ R_D
        S_t = np.swapaxes(S, 1, 2)
        arm_X, arm_Y = X[:, :3, :3] @ t_D, Y[:, :3, :3] @ t_D
        gap = (arm_X + X[:, :3, 3]) - (arm_Y + Y[:, :3, 3])
        turn = rotation_vectors(S_t @ R @ np.swapaxes(M[:, :3, :3], 1, 2))
        by_log = inverse_left_jacobian(turn)
        n = len(at)
        by_X, by_Y, by_setup = np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), np.zeros((n, 6, self.count))
        by_X[:, :3, :3], by_X[:, :3, 3:] = S_t, -S_t @ skew(arm_X)
        by_X[:, 3:, 3:] = by_log @ S_t
        by_Y[:, :3, :3], by_Y[:, :3, 3:] = -S_t, S_t @ (skew(arm_Y) + skew(gap))
        by_Y[:, 3:, 3:] = -by_log @ S_t
        if "target" in self.place:
            first = self.place["target"].start
            J = left_jacobian(-self.step[first + 3 : first + 6])
            local = np.einsum("nij,nj->ni", S_t, gap)
            by_setup[:, :3, first : first + 3] = S_t @ (X[:, :3, :3] - Y[:, :3, :3])
            by_setup[:, :3, first + 3 : first + 6] = skew(local) @ J
            by_setup[:, 3:, first + 3 : first + 6] = by_log @ (S_t @ R - np.eye(3)) @ J
        r = np.concatenate([np.einsum("nij,nj->ni", S_t, gap) - M[:, :3, 3], turn], axis=1)
        kinds = ("positions",) * 3 + ("rotations",) * 3
        return Block(at, to[at], r, by_X, by_Y, by_setup, kinds, np.ones((n, 6), dtype=bool))
