"""How wrong the poses of a calibrated machine may still be, from the covariance that was written beside its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gough.arrays import Array
from gough.calibration.choose import ExpectedAccuracy
from gough.calibration.legs import LegErrors
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.encoders import Encoders
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, skew


@checks_arguments
def remaining_error(machine: Machine, X: PoseLike) -> ExpectedAccuracy:
    """Standard deviation of the poses that a calibrated machine reaches, up to where its base and platform frames are.

    Errors of the legs move a pose by V = -E_X^-1 E_e e; what base and platform could do together as rigid bodies, which
    depends on where their frames are put, is taken off by least squares over the poses given.

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
        A machine without a covariance beside its file.
    ShapeError
        One pose, or poses of another shape.

    """
    matrices = of_shape("poses", checked_matrices(X), "(n, 4, 4)")
    groups, covariance = _covariance(machine)
    q = inverse_kinematics(machine, matrices)
    closed = np.isfinite(q).all(axis=1)
    has = machine.encoders or Encoders()
    legs = LegErrors(machine, groups, has.middle, has.period)
    E_X, E_errors, _ = legs.derivatives(np.zeros((6, legs.count)), matrices[closed], has.readings(q[closed]))
    size = machine.characteristic_length
    moved = (-np.linalg.inv(E_X)[..., None] * E_errors[:, None]).reshape(-1, 6, 6 * legs.count)
    moved[:, 3:] *= size
    left = _without_frames(moved, matrices[closed], size)
    variance = np.full((len(matrices), 6), np.nan)
    variance[closed] = np.maximum(np.einsum("kip,pq,kiq->ki", left, covariance, left), 0.0)
    position, rotation = np.sqrt(variance[:, :3].sum(axis=1)), np.sqrt(variance[:, 3:].sum(axis=1)) / size
    return ExpectedAccuracy(position, rotation, len(covariance), len(covariance))


def has_covariance(machine: Machine) -> bool:
    """Whether the covariance of a calibrated machine lies beside its file."""
    file = machine.calibration.get("covariance", "")
    return bool(file) and Path(file).is_file()


def _covariance(machine: Machine) -> tuple[tuple[str, ...], Array]:
    """Groups of errors and their covariance, of the netCDF file that the machine's file names."""
    import xarray

    if not has_covariance(machine):
        raise InputError(
            f"machine {machine.name!r} has no covariance beside its file; gough calibrate --save writes both, "
            "keep them in one folder"
        )
    data = xarray.load_dataset(machine.calibration["covariance"], engine="scipy")
    return tuple(str(data.attrs["groups"]).split(",")), np.asarray(data["covariance"].to_numpy(), dtype=float)


def _without_frames(moved: Array, X: Array, size: float) -> Array:
    """Displacements (k, 6, p) without what displacements of the base and of the platform explain over all poses."""
    k = len(X)
    S = np.zeros((k, 6, 12))
    S[:, :3, :3], S[:, :3, 3:6] = np.eye(3), -skew(X[:, :3, 3]) / size
    S[:, 3:, 3:6] = np.eye(3)
    S[:, :3, 6:9], S[:, 3:, 9:] = X[:, :3, :3], X[:, :3, :3]
    U, s, _ = np.linalg.svd(S.reshape(6 * k, 12), full_matrices=False)
    Q = U[:, s > 1e-9 * s[0]]
    flat = moved.reshape(6 * k, -1)
    return np.asarray((flat - Q @ (Q.T @ flat)).reshape(moved.shape))
