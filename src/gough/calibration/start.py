"""Initial values of a fit: poses of the drawing, and frames and points in closed form from these and the measurements.

With C the base in the device's frame, X the platform's pose and D the target in the platform, a measured pose is
M = C X D.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.problem import Problem
from gough.calibration.rigid import PARTS
from gough.calibration.screening import misfit, screened
from gough.calibration.setup import Setup
from gough.checks.numbers import numbers, of_shape
from gough.displacements import rotation_vectors
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import as_matrices

QUICK = 8
"""Maximum number of Newton steps to a pose where data are tested that may be of another machine."""
MOST_SCALE = 2.0
"""Largest scale of a device, and largest inverse."""
_AROUND = [v for v in product((0, 1, -1), repeat=3) if any(v)]
"""Directions at most 28 degrees from any other."""
_TURNED = 0.01
"""Root mean square rotation of the samples [rad] below which they do not determine the target's origin at first."""
_FLAT = 0.05
"""Root mean square distance of points from a plane, as part of their extent, below which distances from these do not
determine the side on which another point lies; and singular value of axes that span less than space."""
_SIDES = 6
"""Largest number of points whose sides are combined freely; the sides of more points change together."""


def nominal_setup(machine: Machine, given: Measurements, known: Mapping[str, Any]) -> Setup:
    """Return the setup as given; otherwise unit frames, points at the middle of platform and base, and a scale of
    one."""
    frames = {
        name: of_shape(name, np.eye(4) if known[name] is None else as_matrices(known[name]), "(4, 4)")
        for name in ("device", "target")
    }
    middle = machine.platform_centre
    points = {}
    for name, count, default in (
        ("points", given.targets, middle),
        ("wire_points", given.wires, middle),
        ("fixed_points", given.wires, np.zeros(3)),
    ):
        values = np.tile(default, (count, 1)) if known[name] is None else np.atleast_2d(numbers(name, known[name]))
        points[name] = of_shape(name, values, f"({count}, 3)")
    device = np.tile(frames["device"], (int(given.session.max()) + 1, 1, 1))
    is_known = frozenset(name for name, value in known.items() if value is not None)
    return Setup(device, frames["target"], known=is_known, scale=_scale(known["scale"]), **points)


def _scale(given: float | None) -> float:
    """A device's scale as given, otherwise 1; `InputError` for what can only be another unit."""
    if given is not None and not 1.0 / MOST_SCALE <= given <= MOST_SCALE:
        raise InputError(
            f"scale: {given:g}, expected a number from {1.0 / MOST_SCALE:g} to {MOST_SCALE:g}, or None to estimate "
            "it; convert lengths to one unit first"
        )
    return 1.0 if given is None else float(given)


def initial_problems(
    legs: LegErrors, setup: Setup, given: Measurements, spread: Array, *, sag: bool = False, is_quick: bool = False
) -> list[Problem]:
    """Return problems at the drawing's poses, with the unknown frames and points that may follow from them.

    Where closed formulas leave a choice, of the side on which a point lies or of a direction up or down, there is a
    problem for each: the drawing's errors may hide the difference, which the fits show.
    """
    from gough.kinematics.forward import forward_kinematics

    m = legs.machine
    q = given.q if m.encoders is None else m.encoders.coordinates(given.q)
    empty = Problem(legs, setup, given, spread, np.tile(m.X_home, (len(given), 1, 1)), steps=QUICK if is_quick else 30)
    X = empty.solve_poses(np.zeros((6, legs.count)))
    lost = np.isnan(X).any(axis=(1, 2))
    if lost.any() and not is_quick:
        X[lost] = forward_kinematics(m, q[lost], throw=False).matrix
    extension = extension_by_weight(m, X) if sag else None
    return [replace(empty, setup=each, X=X.copy(), sag=extension) for each in initial_setups(setup, X, given)]


def initial_problem(
    legs: LegErrors, setup: Setup, given: Measurements, spread: Array, *, sag: bool = False, is_quick: bool = False
) -> Problem:
    """Return the initial problem that fits the nominal geometry best, see `initial_problems`."""
    return min(initial_problems(legs, setup, given, spread, sag=sag, is_quick=is_quick), key=misfit)


def with_places(problem: Problem) -> list[Problem]:
    """Return the problem with base and platform where the measurements may show them, in frames that are known.

    Errors of parts are small, but a known frame may be turned from the drawing's: rigid motions are not small errors.
    """
    seen = problem.given.poses if problem.given.poses is not None else problem.given.positions
    if seen is None or np.isfinite(seen).all(axis=tuple(range(1, seen.ndim))).sum() < 3:
        return [problem]  # no row shows a frame
    free = frozenset(PARTS[name] for name in problem.motions)
    setup = replace(problem.setup, known=problem.setup.known - free)
    free &= set(setup.places(problem.given))
    if not free:
        return [problem]
    found = []
    for each in initial_setups(setup, problem.X, problem.given):
        seen_in = screened(replace(problem, setup=each))[0].setup
        base, platform = (
            np.linalg.inv(setup.device[0]) @ seen_in.device[0],
            setup.target @ np.linalg.inv(seen_in.target),
        )
        places = {name: base if PARTS[name] == "device" else platform for name in PARTS if PARTS[name] in free}
        found.append(replace(problem, X=base @ problem.X @ np.linalg.inv(platform), places=places))
    return found


def extension_by_weight(machine: Machine, X: Array) -> Array:
    """Return the extension of the rods under the machine's weight at poses X (n, 6) [m]."""
    from gough.statics.stiffness import axial_forces, leg_stiffness, screws

    safe = np.where(np.isfinite(X).all(axis=(1, 2), keepdims=True), X, machine.X_home)
    force = axial_forces(machine, safe, np.zeros(6), gravity=True)  # positive where a rod pushes and is shortened
    return np.asarray(-force / leg_stiffness(machine, screws(machine, safe)[2]))


def initial_setups(setup: Setup, X: Array, given: Measurements) -> list[Setup]:
    """Return the setup with its unknown frames and points from the drawing's poses X (n, 4, 4), all that may be."""
    X = np.where(np.isfinite(X), X, np.nan)
    if given.poses is not None:
        setup = _from_poses(setup, X, given)
    elif given.relative is not None and "target" not in setup.known:
        setup = _from_relative(setup, X, given)
    if given.positions is not None:
        setup = _from_positions(setup, X, given)
    found = [setup]
    if given.angles is not None and given.poses is None:
        found = _from_angles(setup, X, given)
    if given.distances is not None and not {"fixed_points", "wire_points"} <= setup.known:
        found = [one for each in found for one in _from_distances(each, X, given)]
    return found


def best_rotation(a: Array, b: Array) -> Array:
    """Return the rotation R with b = R a in the least squares, for vectors (n, 3) (Kabsch 1976)."""
    U, _, Vt = np.linalg.svd(b.T @ a)
    # The determinant excludes reflections.
    return np.asarray(U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt)


def _from_poses(setup: Setup, X: Array, given: Measurements) -> Setup:
    """Unknown frames of device and target from M = C X D: the rotations that fit best, then the origins.

    The target's rotation follows from rotations between samples (Park and Martin 1994), or from the device's that
    positions show: neither is determined by every set of poses.
    """
    assert given.poses is not None
    there = np.asarray(np.isfinite(given.poses).all(axis=(1, 2)) & np.isfinite(X).all(axis=(1, 2)))
    if not there.any():
        return setup
    X, M, session = X[there], given.poses[there], given.session[there]
    if "target" in setup.known:
        turns = [setup.target[:3, :3]]
    elif "device" in setup.known:
        turns = [_mean_rotation(X, setup.device[session], M)]
    else:
        by_positions = _device_by_positions(X, M[:, :3, 3], session, setup.device)
        turns = [_target_rotation(X, M, session), _mean_rotation(X, by_positions[session], M)]
    found = [_with_origins(_with_rotations(setup, R_D, X, M, session), X, M, session) for R_D in turns]
    return min(found, key=lambda one: _misfit(one, X, M, session))


def _misfit(setup: Setup, X: Array, M: Array, session: NDArray[np.int64]) -> float:
    """Median distance of measured positions from those of the frames [m]."""
    seen = setup.device[session] @ X @ setup.target
    return float(np.median(np.linalg.norm(seen[:, :3, 3] - M[:, :3, 3], axis=1)))


def _mean_rotation(X: Array, C: Array, M: Array) -> Array:
    """Rotation of the target in the platform with R_M = R_C R R_D, for known frames C (n, 4, 4) of the device."""
    R = np.swapaxes(C[:, :3, :3] @ X[:, :3, :3], 1, 2) @ M[:, :3, :3]
    return best_rotation(np.tile(np.eye(3), (len(R), 1)), np.swapaxes(R, 1, 2).reshape(-1, 3))


def _device_by_positions(X: Array, t_M: Array, session: NDArray[np.int64], device: Array) -> Array:
    """Frames of the device, their rotations from t_M = R_C (R t_D + t) + t_C with R t_D taken to be constant."""
    device = device.copy()
    for s in np.unique(session):
        t, seen = X[session == s, :3, 3], t_M[session == s]
        device[s, :3, :3] = best_rotation(t - t.mean(axis=0), seen - seen.mean(axis=0))
    return device


def _with_rotations(setup: Setup, R_D: Array, X: Array, M: Array, session: NDArray[np.int64]) -> Setup:
    """The setup with the target's rotation R_D, and those of the device, unless known, that take R R_D to R_M."""
    target, device = setup.target.copy(), setup.device.copy()
    target[:3, :3] = R_D
    R_XD = X[:, :3, :3] @ R_D
    for s in np.unique(session) if "device" not in setup.known else ():
        columns = (np.swapaxes(R[session == s], 1, 2).reshape(-1, 3) for R in (R_XD, M[:, :3, :3]))
        device[s, :3, :3] = best_rotation(*columns)
    return replace(setup, target=target, device=device)


def _with_origins(setup: Setup, X: Array, M: Array, session: NDArray[np.int64]) -> Setup:
    """Unknown origins of target and devices from M = C X D with the rotations given: t_M = R_C (R t_D + t) + t_C."""
    C, target, device = setup.device[session], setup.target.copy(), setup.device.copy()
    moved = np.einsum("nji,nj->ni", C[:, :3, :3], M[:, :3, 3]) - X[:, :3, 3]  # R t_D + R_C^T t_C
    R = X[:, :3, :3]
    if "device" in setup.known:
        moved = moved - np.einsum("nji,nj->ni", C[:, :3, :3], C[:, :3, 3])
    else:  # without its mean, a session's positions do not depend on t_C
        R, moved = _centred(R, session), _centred(moved, session)
    if "target" not in setup.known:
        # The singular value over all samples is the part of R that varies: below `_TURNED` t_D is held.
        off = moved - R @ target[:3, 3]
        U, values, Vt = np.linalg.svd(R.reshape(-1, 3), full_matrices=False)
        enough = values > _TURNED * np.sqrt(len(R))
        target[:3, 3] += (U.T @ off.ravel() / np.where(enough, values, np.inf)) @ Vt
    if "device" not in setup.known:
        at = X[:, :3, :3] @ target[:3, 3] + X[:, :3, 3]
        off = M[:, :3, 3] - np.einsum("nij,nj->ni", C[:, :3, :3], at)
        for s in np.unique(session):
            device[s, :3, 3] = off[session == s].mean(axis=0)
    return replace(setup, target=target, device=device)


def _centred(values: Array, session: NDArray[np.int64]) -> Array:
    """Values (n, ...) without the mean of their session."""
    found = values.copy()
    for s in np.unique(session):
        found[session == s] -= values[session == s].mean(axis=0)
    return found


def _target_rotation(X: Array, M: Array, session: NDArray[np.int64]) -> Array:
    """Rotation of the target in the platform, from rotations between samples half a session apart.

    Between two samples C cancels: R_X'^T R_X = R_D R_M'^T R_M R_D^T, so R_D takes the one rotation vector to the other.
    """
    a, b = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for s in np.unique(session):
        at = np.flatnonzero(session == s)
        other = np.roll(at, len(at) // 2)  # far apart in a program of poses, so that rotations between are large
        a.append(rotation_vectors(np.swapaxes(X[other, :3, :3], 1, 2) @ X[at, :3, :3]))
        b.append(rotation_vectors(np.swapaxes(M[other, :3, :3], 1, 2) @ M[at, :3, :3]))
    return best_rotation(np.concatenate(b), np.concatenate(a))


def _from_relative(setup: Setup, X: Array, given: Measurements) -> Setup:
    """The target's frame D from A D = D M, with A the platform's motion between samples and M the target's.

    Park and Martin 1994.
    """
    assert given.relative is not None
    assert given.relative_to is not None
    M, to = given.relative, given.relative_to
    A = np.linalg.inv(np.where(np.isfinite(X[to]), X[to], np.eye(4))) @ X
    there = (to >= 0) & np.isfinite(M).all(axis=(1, 2)) & np.isfinite(X).all(axis=(1, 2)) & np.isfinite(X[to, 0, 0])
    if not there.any():
        return setup
    A, M = A[there], M[there]
    # With small rotations t_A = R_D t_M; otherwise rotation vectors differ by R_D.
    turns = [rotation_vectors(one[:, :3, :3]) for one in (M, A)]
    found = [_relative_target(R_D, A, M) for R_D in (best_rotation(*turns), best_rotation(M[:, :3, 3], A[:, :3, 3]))]
    return replace(setup, target=min(found, key=lambda D: float(np.median(np.abs(A @ D - D @ M)[:, :3, 3]))))


def _relative_target(R_D: Array, A: Array, M: Array) -> Array:
    """The target's frame with rotation R_D from positions of A D = D M: (R_A - I) t_D = R_D t_M - t_A."""
    target = np.eye(4)
    target[:3, :3] = R_D
    b = M[:, :3, 3] @ R_D.T - A[:, :3, 3]
    target[:3, 3] = np.linalg.lstsq((A[:, :3, :3] - np.eye(3)).reshape(-1, 3), b.ravel(), rcond=1e-3)[0]
    return target


def _from_positions(setup: Setup, X: Array, given: Measurements) -> Setup:
    """The device's frame and the targets' points from z = C X p, alternately; frames that poses gave stay."""
    assert given.positions is not None
    z, session = given.positions, given.session
    seen = np.asarray(np.isfinite(z).all(axis=2) & np.asarray(np.isfinite(X).all(axis=(1, 2)))[:, None])
    points, device = setup.points.copy(), setup.device.copy()
    fixed = "device" in setup.known or given.poses is not None
    # With both unknown, frames by Kabsch's method and points by means are found in turn, which reduces the squares.
    for _ in range(1 if fixed or "points" in setup.known else 30):
        place = np.einsum("nij,kj->nki", X[:, :3, :3], points) + X[:, None, :3, 3]
        for s in range(len(device)):
            at = seen & (session == s)[:, None]
            if not fixed and at.sum() >= 3:
                p, w = place[at], z[at]
                R = best_rotation(p - p.mean(axis=0), w - w.mean(axis=0))
                device[s, :3, :3], device[s, :3, 3] = R, w.mean(axis=0) - R @ p.mean(axis=0)
        if "points" not in setup.known:
            C = device[session]  # p = X^-1 C^-1 z, averaged over the samples
            back = np.einsum("nji,nkj->nki", C[:, :3, :3], z - C[:, None, :3, 3])
            local = np.einsum("nji,nkj->nki", X[:, :3, :3], back - X[:, None, :3, 3])
            points = np.stack(
                [local[seen[:, k], k].mean(axis=0) if seen[:, k].any() else points[k] for k in range(len(points))]
            )
    return replace(setup, points=points, device=device)


def _from_angles(setup: Setup, X: Array, given: Measurements) -> list[Setup]:
    """The target's rotation and the vertical from levels: sines are the components of the device's z in the target.

    A unit vector of which two components are known points to one side or the other. Where nothing else shows the
    vertical in the base nor the target's rotation, directions all around are tried.
    """
    assert given.angles is not None
    there = np.isfinite(given.angles).all(axis=1) & np.isfinite(X).all(axis=(1, 2))
    if not there.any():
        return [setup]
    R, session, sines = X[there, :3, :3], given.session[there], np.sin(given.angles[there])
    shows_vertical = "device" in setup.known or given.positions is not None
    if "target" in setup.known or given.relative is not None:
        return [setup] if shows_vertical else _verticals(setup, R @ setup.target[:3, :3], session, sines)
    devices = [setup.device]
    if not shows_vertical:
        devices = [np.tile(_to_vertical(np.array(v, dtype=float)), (len(setup.device), 1, 1)) for v in _AROUND]
    found, rest = [], np.sqrt(np.maximum(1.0 - (sines**2).sum(axis=1), 0.0))
    for device in devices:
        z = (device[session, :3, :3] @ R)[:, 2]
        for up in (1.0, -1.0):
            target = setup.target.copy()
            target[:3, :3] = best_rotation(np.column_stack([sines, up * rest]), z)
            found.append(replace(setup, device=device, target=target))
    return found


def _verticals(setup: Setup, axes: Array, session: NDArray[np.int64], sines: Array) -> list[Setup]:
    """Devices whose z, v in the base, has components a . v = `sines` (n, 2) along the first two axes a (n, 3, 3)."""
    found = []
    for side in (1.0, -1.0):
        device = setup.device.copy()
        for s in np.unique(session):
            at = session == s
            a, b = np.swapaxes(axes[at, :, :2], 1, 2).reshape(-1, 3), sines[at].ravel()
            _, values, Vt = np.linalg.svd(a, full_matrices=False)
            spanned = Vt[values > _FLAT * values[0]]
            v = np.linalg.lstsq(a @ spanned.T, b, rcond=None)[0] @ spanned
            if len(spanned) == 2:
                v = v + side * np.sqrt(max(1.0 - v @ v, 0.0)) * np.cross(*spanned)
            device[s] = _to_vertical(v)
        found.append(replace(setup, device=device))
    return found


def _to_vertical(v: Array) -> Array:
    """A frame whose z axis has the direction v in the base: the smallest rotation that takes v to z."""
    found, z = np.eye(4), np.array([0.0, 0.0, 1.0])
    found[:3, :3] = best_rotation(np.stack([v, np.cross(v, z)]), np.stack([z * np.linalg.norm(v), np.cross(v, z)]))
    return found


def _from_distances(setup: Setup, X: Array, given: Measurements) -> list[Setup]:
    """Unknown ends of wires by multilateration from their other ends: fixed points where neither is known."""
    assert given.distances is not None
    R, t, name = X[:, :3, :3], X[:, None, :3, 3], "fixed_points"
    seen = np.einsum("nij,kj->nki", R, setup.wire_points) + t
    if name in setup.known:
        seen, name = np.einsum("nji,nkj->nki", R, setup.fixed_points - t), "wire_points"
    points, sides = getattr(setup, name), []
    for k in range(given.wires):
        at = np.isfinite(given.distances[:, k]) & np.isfinite(seen[:, k]).all(axis=1)
        # A point and its square are four unknowns.
        sides.append(_multilaterated(seen[at, k], given.distances[at, k]) if at.sum() >= 4 else [points[k]])
    are_together = sum(len(each) > 1 for each in sides) > _SIDES
    combined = [[each[side % len(each)] for each in sides] for side in (0, 1)] if are_together else product(*sides)
    if name == "wire_points":
        return [replace(setup, wire_points=np.array(each)) for each in combined]
    return [replace(setup, fixed_points=np.array(each)) for each in combined]


def _multilaterated(p: Array, distances: Array) -> list[Array]:
    """Points f at distances d (n,) from p (n, 3): d^2 - |p|^2 = -2 p . f + |f|^2 is linear in f and |f|^2.

    Two, on either side, where p are almost in a plane.
    """
    middle = p.mean(axis=0)
    p, squares = p - middle, distances**2 - ((p - middle) ** 2).sum(axis=1)
    _, values, Vt = np.linalg.svd(p, full_matrices=False)
    spanned = Vt[values > _FLAT * values[0]]
    A = np.column_stack([-2.0 * p @ spanned.T, np.ones(len(p))])
    *f, square = np.linalg.lstsq(A, squares, rcond=None)[0]
    along = middle + f @ spanned
    if len(spanned) == 3:
        return [along]
    rest = np.sqrt(max(square - np.sum(np.square(f)), 0.0)) * Vt[2]
    return [along + rest, along - rest]
