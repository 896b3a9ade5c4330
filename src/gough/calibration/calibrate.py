"""Calibration: the geometry of a machine as it was built, from measurements of its platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Bools
from gough.calibration.bad_data import BETTER, check_columns, check_fit, check_readings, check_setup, parts_of
from gough.calibration.measurements import Measurements, measurements
from gough.calibration.outliers import best_fit
from gough.calibration.result import Calibration
from gough.calibration.screening import misfit, screened
from gough.calibration.setup import PARTS, Setup
from gough.calibration.spreads import assumed_noise, leg_errors, spreads
from gough.calibration.start import initial_problems, nominal_setup, with_places
from gough.calibration.threads import in_one_thread
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike


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
    scale: float | None = 1.0,
    noise: Mapping[str, float] | None = None,
    tolerances: Mapping[str, float] | None = None,
    sag: bool = False,
    as_read: bool = False,
) -> Calibration:
    """Estimate the geometric errors of a machine's legs from measurements, and what the measurements leave
    undetermined.

    Least squares of all residuals, each weighted by its noise, and of the errors in their spreads; poses follow from
    the readings by forward kinematics, differentiated implicitly. Unspecified noise is estimated with them
    (Foerstner 1979). Outliers are named and left out.

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
        Groups of errors to estimate (`gough.calibration.GROUPS`); default those of the leg kind.
    device, target : PoseLike, (4, 4), optional
        The base in the device's frame, the target in the platform; default: estimated.
    points, wire_points, fixed_points : (k, 3) array, optional
        Targets and ends of wires on the platform, in its frame, and ends on the base, in its; estimated where not
        given [m].
    scale : float, optional
        Ratio of measured to true lengths, one of the device's errors; None: estimated.
    noise : mapping of str to float, optional
        Standard deviation of "joints" [m or rad], "positions", "distances" [m], "rotations", "angles" [rad]; what is
        not given is estimated.
    tolerances : mapping of str to float, optional
        Standard deviation of the errors of a group before measuring [SI], instead of the machine file's.
    sag : bool
        Whether the legs deform under the machine's weight, by its masses and stiffness.
    as_read : bool
        Whether to accept data that look misread or inconsistent with the machine; `Calibration.doubts` lists them.

    Returns
    -------
    Calibration
        The calibrated machine, its errors with their covariance [SI], residuals of the legs (n, 6) [m], and the
        combinations of errors that are not determined.

    Raises
    ------
    InputError, ShapeError, PoseError
        Arrays of another shape; nothing measured; measurements that no such machine gives (legs swapped, another unit).

    """
    given = measurements(
        q, poses=poses, positions=positions, angles=angles, distances=distances,
        relative=relative, relative_to=relative_to, sessions=sessions,
    )  # fmt: skip
    used = given.is_measured
    if not used.any():
        raise InputError("no measurements: no row has six joint readings together with a measurement")
    given, noise = given.rows(used), noise or {}
    given.check_sizes(machine)
    check_columns(machine, given)
    parts = (device, target, points, wire_points, fixed_points, scale)
    setup = nominal_setup(machine, given, dict(zip(PARTS, parts, strict=True)))
    stated = {**machine.tolerances, **(tolerances or {})}
    levels, unknown = assumed_noise(machine, noise)

    def solved(given: Measurements, setup: Setup, part: Bools | None = None) -> Calibration:
        """The calibration from the measurements as they are, or read otherwise; begun from `part` of the rows."""
        legs = leg_errors(machine, given.q, parameters)
        spread = spreads(legs, given.q, stated)
        starts = initial_problems(legs, setup, given, spread, sag=sag)
        placed = [one for each in starts for one in with_places(replace(each, stated=frozenset(stated)))]
        if part is None:
            begun = [screened(each) for each in placed]
        else:
            of_part, place = initial_problems(legs, setup, given.rows(part), spread), min(placed, key=misfit)
            begun = [(replace(place, setup=screened(each)[0].setup), part) for each in of_part]
        problem, fit, keep = best_fit(begun, levels, unknown)
        return Calibration.of(problem, fit, keep, np.flatnonzero(used), noise_given=sorted(noise))

    found = solved(given, setup)
    alternatives = () if as_read else check_readings(found, setup, solved)
    if found.doubts and not alternatives:
        # Where most rows of a part of the session are wrong, the fit that begins from the others leaves these out.
        # Rows on either side of a jump are good: they stay together where the jump shows among them.
        among = (solved(given, setup, part) for part in parts_of(given, found))
        better = (one for one in among if not one.faults and one.rms * BETTER < found.rms)
        found = next((one for one in better if not (found.shift and one.shift)), found)
        if found.faults and not as_read:
            alternatives = check_setup(found, setup, solved)
    if not as_read:
        check_fit(found)
    return replace(found, alternatives=alternatives) if alternatives else found
