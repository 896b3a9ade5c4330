"""Remaining pose error of a calibrated machine, from the covariance of its leg errors."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.choose import ExpectedAccuracy
from gough.calibration.legs import GROUPS, LegErrors, groups_of
from gough.calibration.result import Calibration, geometry
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displaced
from gough.errors import InputError, one_line
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.machine_parts import Encoders
from gough.poses import PoseLike, checked_matrices, skew
from gough.present.read import read_netcdf, variable

ROUND_OFF = 1e-9
"""Asymmetry of a covariance by rounding, relative to its largest entry."""
SAME = 1e-9
"""Difference of the numbers of a leg that rounding in a machine file leaves, in machine sizes."""
SPAN = 0.05 * np.array(list(product((-1.0, 1.0), repeat=6)))
"""Displacements from home over which frames of base and platform are fitted, in machine sizes and [2 rad]."""


@checks_arguments
def remaining_error(machine: Machine, X: PoseLike) -> ExpectedAccuracy:
    """Compute the standard deviation of the poses of a calibrated machine, excluding errors of its base and platform
    frames.

    Errors e of the legs move a pose by V = -E_X^-1 E_e e (by definition: the derivative of the leg equations
    E(X, e) = 0). Displacements of base and platform as rigid bodies only
    change where their frames are: they are fitted by least squares over the poses given and subtracted.

    Parameters
    ----------
    machine : Machine
        Of a file that `gough.calibration.write` wrote, loaded from there.
    X : PoseLike, (n, 4, 4)
        Poses of the platform in the base.

    Returns
    -------
    ExpectedAccuracy
        [m, rad]; NaN where a leg cannot close.

    Raises
    ------
    InputError
        A machine without a covariance next to its file, or with that of another machine.
    ShapeError
        One pose, or poses of another shape.

    """
    matrices, size = of_shape("poses", checked_matrices(X), "(n, 4, 4)"), machine.characteristic_length
    legs, covariance = _written(machine)
    moved, closed = _moved(legs, matrices)
    frames = _frames(matrices[closed], size)
    left = moved - frames @ _fitted_frames(frames, moved)
    variance = np.full((len(matrices), 6), np.nan)
    variance[closed] = np.maximum(np.einsum("kip,pq,kiq->ki", left, covariance, left), 0.0)
    position, rotation = np.sqrt(variance[:, :3].sum(axis=1)), np.sqrt(variance[:, 3:].sum(axis=1)) / size
    return ExpectedAccuracy(position, rotation, len(covariance), len(covariance), machine)


@checks_arguments
def pose_covariance(calibrated: Calibration | Machine, X: PoseLike) -> Array:
    """Compute the covariance of the pose errors of a calibrated machine, for tubes of `gough.motion.check_path`.

    Of displacements [v, w] of the point of interest in base axes, by definition J S J^T of the errors' covariance S. As
    in `remaining_error`, but the frames of base and platform are fitted over poses about home, displaced by a twentieth
    of the machine's size and a tenth of a radian along and about every axis, so that the covariance at a pose does not
    depend on the other poses given.

    Parameters
    ----------
    calibrated : Calibration or Machine
        What `gough.calibrate` found; or a machine of a file that `gough.calibration.write` wrote.
    X : PoseLike, (n, 4, 4)
        Poses of the platform in the base.

    Returns
    -------
    (n, 6, 6) array
        [m2, m rad, rad2]; NaN where a leg cannot close.

    Raises
    ------
    InputError
        A machine without a covariance next to its file, or with that of another machine.
    ShapeError
        One pose, or poses of another shape.

    """
    matrices = of_shape("poses", checked_matrices(X), "(n, 4, 4)")
    if isinstance(calibrated, Machine):
        machine = calibrated
        legs, covariance = _written(machine)
    else:
        machine, covariance = calibrated.machine, calibrated.covariance
        legs = replace(calibrated.problem.legs, machine=machine)
    size = machine.characteristic_length
    about = displaced(machine.X_home, SPAN * [*[machine.size] * 3, 2.0, 2.0, 2.0])
    near, closed = _moved(legs, about)
    fitted = _fitted_frames(_frames(about[closed], size), near)
    moved, closed = _moved(legs, matrices)
    left = moved - _frames(matrices[closed], size) @ fitted
    left[:, 3:] /= size
    # From the platform's origin to the point of interest: v' = v + w x (R p).
    left[:, :3] -= skew(matrices[closed, :3, :3] @ machine.point_of_interest) @ left[:, 3:]
    found = np.full((len(matrices), 6, 6), np.nan)
    found[closed] = left @ covariance @ np.swapaxes(left, 1, 2)
    return (found + np.swapaxes(found, 1, 2)) / 2  # symmetric to the last digit


def _moved(legs: LegErrors, X: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Displacements [v, l w] (k, 6, p) by leg errors at those poses of (n, 4, 4) where all legs close, and these (n,).

    Rotations are multiplied by the characteristic length l.
    """
    machine, encoders = legs.machine, legs.machine.encoders or Encoders()
    q = inverse_kinematics(machine, X)
    closed = np.asarray(np.isfinite(q).all(axis=1))
    E_X, E_errors, _ = legs.derivatives(np.zeros((6, legs.count)), X[closed], encoders.readings(q[closed]))
    # Each leg equation has errors of its own leg only, so the product with E_errors is one of columns.
    moved = (-np.linalg.inv(E_X)[..., None] * E_errors[:, None]).reshape(-1, 6, 6 * legs.count)
    moved[:, 3:] *= machine.characteristic_length
    return moved, closed


def has_covariance(machine: Machine) -> bool:
    """Test whether the covariance of a calibrated machine lies next to its file."""
    file = machine.calibration.get("covariance", "")
    return bool(file) and Path(file).is_file()


def _written(machine: Machine) -> tuple[LegErrors, Array]:
    """The errors of the legs and their covariance, from the netCDF file that the machine's file names."""
    if not has_covariance(machine):
        raise InputError(
            f"machine {machine.name!r} has no covariance file next to its machine file; gough calibrate --save "
            "writes both, keep them in one folder"
        )
    file = str(machine.calibration["covariance"])
    data = read_netcdf(file)
    groups = tuple(str(data.attrs.get("groups", "")).split(","))
    if set(groups) - set(GROUPS) or groups_of(machine, groups) != groups:
        raise InputError(
            one_line(f"{file}: {', '.join(groups)!r} are not groups of errors as a calibration writes them")
        )
    size = 6 * sum(len(GROUPS[name]) for name in groups)
    S = variable(data, "covariance", f"({size}, {size}), one row for each error", file)
    if not np.isfinite(S).all() or np.abs(S - S.T).max() > ROUND_OFF * np.abs(S).max() or (np.diag(S) < 0).any():
        raise InputError(f"{file}: covariance, expected a symmetric matrix of finite numbers with variances above zero")
    own = geometry(machine)
    off = np.abs(variable(data, "geometry", f"({', '.join(map(str, own.shape))})", file) - own)
    if not off.max() <= SAME * machine.size:
        leg = int(np.argmax(np.where(np.isfinite(off), off, np.inf).max(axis=1))) + 1
        raise InputError(
            f"{file} is the covariance of a different machine: leg {leg} is not that of {machine.name!r}; gough "
            "calibrate --save writes a machine file and its covariance together, so keep both, or calibrate again"
        )
    middle = variable(data, "middle", "(6,), one for each leg", file)
    return LegErrors(machine, groups, middle, (machine.encoders or Encoders()).period), S


def _fitted_frames(frames: Array, moved: Array) -> Array:
    """Displacements (12, p) of base and platform that explain the poses' displacements (k, 6, p) best."""
    # A pseudoinverse: at one pose alone base and platform do the same.
    return np.asarray(np.linalg.pinv(frames.reshape(-1, 12), rcond=1e-9) @ moved.reshape(6 * len(moved), -1))


def _frames(X: Array, size: float) -> Array:
    """Displacements [v, l w] of poses (k, 6, 12) by those of the base and of the platform as rigid bodies."""
    S = np.zeros((len(X), 6, 12))
    # The base's twist moves a platform at t by v + w x t; the platform's own, in its axes, by R v and R w.
    S[:, :3, :3], S[:, :3, 3:6] = np.eye(3), -skew(X[:, :3, 3]) / size
    S[:, 3:, 3:6] = np.eye(3)
    S[:, :3, 6:9], S[:, 3:, 9:] = X[:, :3, :3], X[:, :3, :3]
    return S
