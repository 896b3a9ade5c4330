"""Calibration: the machine as it was built, from measurements of its platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.calibration.bad_data import check_columns, check_fit, check_start
from gough.calibration.measurements import Measurements, measurements
from gough.calibration.outliers import robust
from gough.calibration.pose import posed
from gough.calibration.result import Calibration
from gough.calibration.screening import screened
from gough.calibration.setup import Setup
from gough.calibration.spreads import assumed_noise, leg_errors, spreads
from gough.calibration.threads import in_one_thread
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices

KNOWN = ("device", "target", "points", "wire_points", "fixed_points")
"""Frames and points of the setup, that may be given."""


@in_one_thread
@checks_arguments
def calibrate(
    machine: Machine,
    q: ArrayLike,
    poses: PoseLike | None = None,
    positions: ArrayLike | None = None,
    distances: ArrayLike | None = None,
    *,
    angles: ArrayLike | None = None,
    relative: PoseLike | None = None,
    relative_to: ArrayLike | None = None,
    sessions: ArrayLike | None = None,
    parameters: Sequence[str] | None = None,
    device: PoseLike | None = None,
    target: PoseLike | None = None,
    points: ArrayLike | None = None,
    wire_points: ArrayLike | None = None,
    fixed_points: ArrayLike | None = None,
    noise: Mapping[str, float] | None = None,
    tolerances: Mapping[str, float] | None = None,
    sag: bool = False,
) -> Calibration:
    """The machine as it was built: errors of its legs that explain measurements best, and what these leave open.

    Least squares of all residuals, each weighted by its noise, and of the errors in their spreads; poses follow from
    the readings by forward kinematics, differentiated implicitly. Rows that do not belong are named and left out.

    Parameters
    ----------
    machine : Machine
        As drawn, or as calibrated before.
    q : (n, 6) array
        Readings of the joints [m, or rad for cranks].
    poses : PoseLike, (n, 4, 4), optional
        Of the target in the measuring device's frame; NaN where missing, as everywhere.
    positions : (n, 3) or (n, k, 3) array, optional
        Of one or k targets in that frame [m]; single coordinates beside NaN.
    distances : (n,) or (n, k) array, optional
        From point k of the platform to point k of the base [m].
    angles : (n, 2) array, optional
        By which the target's x and y axes rise above the device's xy plane [rad]: two levels.
    relative : PoseLike, (n, 4, 4), optional
        Poses of the target in its own frame at sample `relative_to`.
    relative_to : (n,) array of int, optional
        Default the sample before; -1 is none.
    sessions : (n,) array, optional
        Labels; the device has a frame of its own in each session.
    parameters : sequence of str, optional
        Groups of errors to look for (`gough.calibration.GROUPS`); default what the leg kind needs.
    device, target : PoseLike, (4, 4), optional
        The base in the device's frame, the target in the platform; looked for where not given.
    points, wire_points, fixed_points : (k, 3) array, optional
        Targets and ends of wires on the platform, in its frame, and ends on the base, in its; looked for where not
        given [m].
    noise : mapping of str to float, optional
        Standard deviation of "joints" [m or rad], "positions", "distances" [m], "rotations", "angles" [rad]; what is
        not given is estimated.
    tolerances : mapping of str to float, optional
        How far errors of a group may be off, one standard deviation [SI]; over those of the machine's file.
    sag : bool
        Whether the legs give under the machine's weight, by its masses and stiffness.

    Returns
    -------
    Calibration
        The calibrated machine, its errors with their covariance [SI], residuals of the legs (n, 6) [m], and what is not
        determined, in words.

    Raises
    ------
    InputError, ShapeError, PoseError
        Arrays of another shape; nothing measured; measurements that no such machine gives (legs swapped, another unit).

    """
    given = measurements(
        q, poses=poses, positions=positions, angles=angles, distances=distances,
        relative=relative, relative_to=relative_to, sessions=sessions,
    )  # fmt: skip
    known = dict(zip(KNOWN, (device, target, points, wire_points, fixed_points), strict=True))
    return _calibrated(machine, given, known, parameters, noise or {}, tolerances or {}, sag)


def _calibrated(
    machine: Machine, given: Measurements, known: Mapping[str, Any], parameters: Sequence[str] | None,
    noise: Mapping[str, float], tolerances: Mapping[str, float], sag: bool,
) -> Calibration:  # fmt: skip
    """The calibration from checked measurements."""
    used = given.is_measured
    if not used.any():
        raise InputError("nothing is measured: no row has six joint readings and a measurement beside them")
    given = given.rows(used)
    check_columns(machine, given)
    setup = first_setup(machine, given, known)
    legs = leg_errors(machine, given.q, parameters)
    spread = spreads(legs, given.q, {**machine.tolerances, **tolerances})
    problem, plausible = screened(posed(legs, setup, given, spread, sag=sag))
    check_start(problem, setup)
    levels, unknown = assumed_noise(machine, noise)
    fit, keep = robust(problem, levels, unknown, plausible)
    found = Calibration.of(problem, fit, keep, np.flatnonzero(used), noise_given=sorted(noise))
    check_fit(problem, found.x, found.rms)
    return found


def first_setup(machine: Machine, given: Measurements, known: Mapping[str, Any]) -> Setup:
    """The setup as given, unit frames and the platform's and base's middle where not."""
    sessions = int(given.session.max()) + 1
    frames = {}
    for name in ("device", "target"):
        matrix = of_shape(name, np.eye(4) if known[name] is None else as_matrices(known[name]), "(4, 4)")
        frames[name] = matrix
    middle = machine.platform_centre
    counts = {
        "points": (given.targets, middle),
        "wire_points": (given.wires, middle),
        "fixed_points": (given.wires, np.zeros(3)),
    }
    places = {}
    for name, (count, default) in counts.items():
        if known[name] is None:
            places[name] = np.tile(default, (count, 1))
            continue
        values = of_shape(name, np.atleast_2d(numbers(name, known[name])), f"({count}, 3)")
        places[name] = values
    device = np.tile(frames["device"], (sessions, 1, 1))
    is_known = frozenset(name for name, value in known.items() if value is not None)
    return Setup(device, frames["target"], known=is_known, **places)
