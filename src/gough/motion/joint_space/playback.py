"""Playback: from histories of the legs, measured or commanded, to the platform's motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, ShapeError
from gough.kinematics.certificate import certify_pose
from gough.kinematics.forward import Status
from gough.kinematics.solver import ForwardSolver
from gough.machine import Machine
from gough.poses import PoseLike

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]

CHUNK = 4096
"""Samples between two reports of progress."""


@checks_arguments
def playback(
    machine: Machine,
    time: ArrayLike,
    joints: ArrayLike,
    *,
    start: PoseLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> xarray.Dataset:
    """The platform's motion under histories of the legs, with the evidence for every sample.

    Each pose goes on from the last good one (`gough.ForwardSolver`): it is the one the machine is in if its legs go
    straight from sample to sample. A sample that leads through a singularity is flagged, its pose is one of another
    assembly mode, and the next samples go on from the last good pose before it.

    Parameters
    ----------
    machine : Machine
    time : (k,) array
        Increasing [s].
    joints : (k, 6) array
        Joint coordinates [m, or rad for cranks]; NaN where a sample is missing.
    start : PoseLike, optional
        Where the platform is at first, roughly; home if none is given.
    progress : callable, optional
        Called with how many samples are done and how many there are.

    Returns
    -------
    xarray.Dataset
        Over `time` [s]: pose (NaN where none was found), joint as given, residual [m], iterations, status (see
        `gough.kinematics.Status`), certified with the proven error_position [m] and error_rotation [rad] (NaN where
        not), mode_change.

    """
    t, q = _checked(time, joints)
    solver = ForwardSolver(machine, start)
    parts = []
    for first in range(0, len(q), CHUNK):
        parts.append(solver.follow(q[first : first + CHUNK]))
        if progress is not None:
            progress(min(first + CHUNK, len(q)), len(q))
    X, residual, steps, status = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("matrix", "residual", "iterations", "status")
    )
    return _dataset(machine, t, q, X, {"residual": residual, "iterations": steps, "status": status})


def _checked(time: ArrayLike, joints: ArrayLike) -> tuple[Array, Array]:
    t, q = np.asarray(time, dtype=float), np.ascontiguousarray(joints, dtype=float)
    if t.ndim != 1 or len(t) == 0:
        raise ShapeError.expected("time", "(k,) with at least one sample", t.shape)
    if q.shape != (len(t), 6):
        raise ShapeError.expected("joints", f"({len(t)}, 6)", q.shape)
    back = np.flatnonzero(~(np.diff(t) > 0))
    if len(back):
        k = int(back[0])
        raise InputError(f"time: {t[k + 1]:g} s comes after {t[k]:g} s (sample {k + 2}); times must increase")
    return t, q


def _dataset(machine: Machine, t: Array, q: Array, X: Array, evidence: dict[str, NDArray[Any]]) -> xarray.Dataset:
    import xarray

    status = evidence["status"]
    proof = certify_pose(machine, q, X)
    words = " ".join(state.name.lower() for state in Status)
    return xarray.Dataset(
        {
            "pose": (("time", "row", "column"), X, {"units": "1, m", "long_name": "platform in the base"}),
            "joint": (("time", "leg"), q, {"units": machine.legs.joint_unit}),
            "residual": ("time", evidence["residual"], {"units": "m"}),
            "iterations": ("time", evidence["iterations"]),
            "status": ("time", status, {"flag_values": [int(s) for s in Status], "flag_meanings": words}),
            "certified": ("time", proof.proven),
            "error_position": ("time", np.where(proof.proven, proof.position_error, np.nan), {"units": "m"}),
            "error_rotation": ("time", np.where(proof.proven, proof.rotation_error, np.nan), {"units": "rad"}),
            "mode_change": ("time", status == Status.OTHER_MODE),
        },
        coords={"time": ("time", t, {"units": "s"}), "leg": np.arange(1, 7)},
        attrs={"machine": machine.name},
    )
