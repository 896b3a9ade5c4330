"""Choice of the poses to measure, and the expected accuracy of a calibration from them, before measuring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.calibration.exchange import chosen, nearest_neighbours
from gough.calibration.identifiability import information
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.noise import whiteners
from gough.calibration.problem import Problem, Rows, is_rotation
from gough.calibration.setup import Setup
from gough.calibration.spreads import assumed_noise, leg_errors, spreads
from gough.calibration.threads import in_one_thread
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.displacements import displaced
from gough.errors import InputError
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.margins import is_allowed
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.present.units import with_unit
from gough.quantity import derived, quantity, result
from gough.results import Result

UNKNOWN = 1.0
"""Prior weight of frames and points, per machine size and [rad]: less would cost digits."""
REGION = 200
"""Maximum number of poses of the region at which the error is averaged."""
DRAWN = 4000
FAR, TURN = 0.15, 0.3
"""Largest displacement from home of poses of joints without limits, in machine sizes and [rad]."""


@result
class ExpectedAccuracy(Result):
    """Expected accuracy of a machine calibrated from measurements at some poses, one standard deviation.

    Attributes
    ----------
    machine : Machine

    """

    position: Array = quantity(
        "m", "place",
        doc="Error of the positions that the calibrated machine reaches, as the device sees them: root of the sum of "
        "squares over all axes, at the poses of the region, at most 200 of them in even steps; from "
        "`remaining_error` at all poses given. NaN of what is not measured.",
    )  # fmt: skip
    rotation: Array = quantity("rad", "place", doc="The same of rotations.")
    determined: int = quantity("1", doc="Combinations of errors that the measurements determine, of `combinations`.")
    combinations: int = quantity("1", doc="All combinations of errors.")
    machine: Machine

    def sentence(self) -> str:
        """Return the errors of position and rotation, where they are measured, and the number of determined
        combinations."""
        errors = ((self.rms_position, "m", "position"), (self.rms_rotation, "rad", "rotation"))
        parts = [f"{with_unit(self.machine, v, unit, 3)} in {what}" for v, unit, what in errors if not np.isnan(v)]
        of_all = f"{self.determined} of {self.combinations} combinations of errors are determined"
        return f"{' and '.join(parts)}, RMS; {of_all}"

    @property
    @derived("m")
    def rms_position(self) -> float:
        """Root mean square of the positions' errors over the region [m]."""
        return float(np.sqrt(np.mean(self.position**2)))

    @property
    @derived("rad")
    def rms_rotation(self) -> float:
        """Root mean square of the rotations' errors over the region [rad]."""
        return float(np.sqrt(np.mean(self.rotation**2)))


@in_one_thread
@checks_arguments
def choose_poses(
    machine: Machine,
    candidates: PoseLike,
    count: int,
    *,
    measured: str = "poses",
    criterion: str = "I",
    region: PoseLike | None = None,
    field: ArrayLike | None = None,
    parameters: Sequence[str] | None = None,
    points: ArrayLike | None = None,
    noise: Mapping[str, float] | None = None,
) -> Ints:
    """Choose the best poses to measure for the nominal geometry: greedy choice, then exchange (Fedorov 1972).

    Parameters
    ----------
    machine : Machine
    candidates : PoseLike, (n, 4, 4)
        Of the platform in the base, such as `random_poses(machine)`; those beyond the machine's limits or the device's
        field are left out.
    count : int
        Poses to choose.
    measured : str
        What is measured there: "poses", "positions" (of `points`) or "angles".
    criterion : str
        "I": least mean square error of the poses of the region; "D": smallest volume of the errors' covariance.
    region : PoseLike, (k, 4, 4), optional
        Where the machine is used; default the candidates allowed.
    field : (3, 2) array, optional
        Lowest and highest x, y, z of the platform's origin that the device sees [m].
    parameters : sequence of str, optional
        Groups of errors, as for `gough.calibrate`.
    points : (k, 3) array, optional
        Targets, in the platform frame [m]; default one at the point of interest.
    noise : mapping of str to float, optional
        As for `gough.calibrate`.

    Returns
    -------
    (count,) array of int
        Indices of the candidates chosen, in an order that keeps the joints' travel short.

    Raises
    ------
    InputError
        Fewer candidates are allowed than poses wanted.

    """
    if criterion not in ("I", "D"):
        raise InputError(f"criterion: expected 'I' or 'D', got {criterion!r}")
    X, q, allowed = _usable(machine, candidates, field)
    if not 1 <= count <= len(allowed):
        raise InputError(
            f"{count} poses requested, but only {len(allowed)} of {len(X)} candidates are within the machine's limits"
            f"{' and the field' if field is not None else ''}; pass more candidates"
        )
    X, q = X[allowed], q[allowed]
    legs = leg_errors(machine, q, parameters)
    rows, prior, levels = _rows(legs, X, q, measured, points, noise or {})
    # Goals of criterion I: what is measured, over the region, in metres.
    goal = None
    if criterion == "I":
        goal = _in_metres(machine, _rows(legs, *_sampled(machine, X, q, region), measured, points, {})[0])
    picks = chosen(whiteners([rows], levels)[0] @ rows.J, prior, count, goal)
    return np.asarray(allowed[picks[nearest_neighbours(q[picks])]])


@checks_arguments
def expected_accuracy(
    machine: Machine,
    poses: PoseLike,
    *,
    measured: str = "poses",
    region: PoseLike | None = None,
    parameters: Sequence[str] | None = None,
    points: ArrayLike | None = None,
    noise: Mapping[str, float] | None = None,
) -> ExpectedAccuracy:
    """Compute the expected accuracy of poses after a calibration from measurements at some poses, for the nominal
    geometry.

    G (A^T A + P)^-1 G^T: the covariance of weighted least squares with derivatives A and prior P, propagated to the
    poses with derivatives G (by definition, to first order).

    Parameters
    ----------
    machine : Machine
    poses : PoseLike, (n, 4, 4)
        Poses to be measured.
    measured, region, parameters, points, noise : see `choose_poses`
        Default of the region: `poses`; points [m].

    Returns
    -------
    ExpectedAccuracy
        Errors of position [m] and rotation [rad] at poses of the region, one standard deviation.

    Raises
    ------
    InputError
        A pose at which a leg cannot close.

    """
    X, q, reached = _usable(machine, poses, None, is_free=True)
    if len(reached) < len(X):
        raise InputError(f"pose {int(np.setdiff1d(np.arange(len(X)), reached)[0]) + 1} cannot be reached by the legs")
    legs = leg_errors(machine, q, parameters)
    rows, prior, levels = _rows(legs, X, q, measured, points, noise or {})
    A = (whiteners([rows], levels)[0] @ rows.J).reshape(-1, len(prior))
    seen = _rows(legs, *_sampled(machine, X, q, region), measured, points, {})[0]
    goal, errors, size = _in_metres(machine, seen), 6 * legs.count, machine.characteristic_length
    known = information(A, np.diag(prior[:errors]))
    # Covariance of what is measured, G (A^T A + prior)^-1 G^T: its diagonal.
    after = np.einsum("kip,pq,kiq->ki", goal, np.linalg.inv(A.T @ A + np.diag(prior)), goal)
    place = np.array([kind == "positions" for kind in rows.kinds])
    return ExpectedAccuracy(
        np.sqrt(after[:, place].sum(axis=1)) if place.any() else np.full(len(goal), np.nan),
        np.sqrt(after[:, ~place].sum(axis=1)) / size if not place.all() else np.full(len(goal), np.nan),
        int(known.is_determined.sum()),
        errors,
        machine,
    )


def _usable(machine: Machine, X: PoseLike, field: ArrayLike | None, is_free: bool = False) -> tuple[Array, Array, Ints]:
    """Poses, their joint readings, and the indices of those reached, allowed (unless `is_free`) and in the field."""
    matrices = of_shape("poses", checked_matrices(X), "(n, 4, 4)")
    q = inverse_kinematics(machine, matrices)
    usable = np.isfinite(q).all(axis=1)
    if not is_free:
        usable &= is_allowed(machine, matrices)
    if field is not None:
        box = of_shape("field", field, "(3, 2)")
        place = matrices[:, :3, 3]
        usable &= ((place >= box[:, 0]) & (place <= box[:, 1])).all(axis=1)
    readings = q if machine.encoders is None else machine.encoders.readings(q)
    return matrices, readings, np.flatnonzero(usable)


def _rows(
    legs: LegErrors, X: Array, q: Array, measured: str, points: ArrayLike | None, noise: Mapping[str, float]
) -> tuple[Rows, Array, dict[str, float]]:
    """Derivatives of the measurements by errors and unknown frames, the prior information (p,), and the noise."""
    machine, targets = legs.machine, np.zeros((0, 3))
    if measured == "poses":
        given = Measurements(q, poses=X)
    elif measured == "positions":
        targets = np.atleast_2d(machine.point_of_interest if points is None else numbers("points", points))
        given = Measurements(q, positions=np.einsum("nij,kj->nki", X[:, :3, :3], targets) + X[:, None, :3, 3])
    elif measured == "angles":
        given = Measurements(q, angles=np.zeros((len(X), 2)))
    else:
        raise InputError(f"measured: expected 'poses', 'positions' or 'angles', got {measured!r}")
    # Only derivatives are used: poses and positions are those of the drawing in its own frames, angles are zeros.
    setup = Setup(np.eye(4)[None], np.eye(4), targets, np.zeros((0, 3)), np.zeros((0, 3)), frozenset({"scale"}))
    problem = Problem(legs, setup, given, spreads(legs, q, machine.tolerances), X.copy())
    levels, _ = assumed_noise(machine, noise)
    prior = np.concatenate([np.ones(problem.errors_count), np.full(problem.setup_count, UNKNOWN)])
    return problem.rows(np.zeros(len(prior)))[0], prior, levels


def _sampled(machine: Machine, X: Array, q: Array, region: PoseLike | None) -> tuple[Array, Array]:
    """At most `REGION` poses of the region, in even steps, and their readings."""
    if region is not None:
        X, q, kept = _usable(machine, region, None, is_free=True)
        X, q = X[kept], q[kept]
    at = np.unique(np.linspace(0, len(X) - 1, min(REGION, len(X))).astype(int))
    return X[at], q[at]


def _in_metres(machine: Machine, rows: Rows) -> Array:
    """Derivatives (n, m, p) of the measurements, rotations as displacements at the characteristic length [m]."""
    return rows.J * np.where(is_rotation(rows.kinds), machine.characteristic_length, 1.0)[:, None]


@checks_arguments
def random_poses(machine: Machine, count: int = DRAWN, seed: int = 0) -> Array:
    """Draw random allowed poses of the whole workspace.

    Parameters
    ----------
    machine : Machine
    count : int
        Number of random joint coordinates between their limits; of poses about home where joints have none.
    seed : int

    Returns
    -------
    (n, 4, 4) array
        Poses that keep every limit.

    Raises
    ------
    InputError
        No pose keeps every limit.

    """
    rng = np.random.default_rng(seed)
    low, high = machine.limits.joint_min, machine.limits.joint_max
    if np.isfinite(low).all() and np.isfinite(high).all():
        found = forward_kinematics(machine, rng.uniform(low, high, (count, 6)), throw=False)
        X = found.matrix[found.is_near]  # in home's assembly mode
    else:
        d = rng.uniform(-1.0, 1.0, (count, 6)) * np.array([FAR * machine.size] * 3 + [TURN] * 3)
        X = displaced(np.tile(machine.X_home, (count, 1, 1)), d)
    X = X[is_allowed(machine, X)]
    if not len(X):
        raise InputError("no random pose is allowed; pass candidates")
    return np.asarray(X)
