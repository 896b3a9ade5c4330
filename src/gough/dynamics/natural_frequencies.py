"""Natural frequencies and mode shapes of the platforms on elastic legs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced
from gough.dynamics.equations import mass_matrix
from gough.errors import InputError
from gough.limits.ties import some_of
from gough.poses import PoseLike, checked_matrices, cross
from gough.present.answer import Field, Table, of_result
from gough.present.show import Show
from gough.quantity import AXES, derived, quantity, result, transform
from gough.results import Labelled, Result, returns_dataset
from gough.stacked import AnyMachine
from gough.statics.stiffness import platform_stiffness
from gough.workspaces.minimum import SearchGrid, WorkspaceMinimum, workspace_minimum
from gough.workspaces.position_maps import Grid, map_over_positions

if TYPE_CHECKING:
    from gough.dynamics.motions import SplineMotion

FRAMES_PER_PERIOD = 24
"""Frames of one period of an animated mode."""
ZERO_FREQUENCY = 1e-13
"""Threshold of squared frequencies that count as zero, as a part of the largest."""
ZERO_EIGENVALUE = 1e-12
"""Threshold of eigenvalues that count as zero, as a part of the largest: motions without inertia or stiffness."""
EQUAL_FREQUENCIES = 1e-6
"""Relative difference of frequencies that count as equal: of one mode with several shapes."""
SHOWN_DISPLACEMENT = 0.05
"""Largest displacement of a platform joint in an animated mode, as a part of the machine's size."""
ZERO_MODE_PERIOD = 3.0
"""Period of an animated mode of zero frequency [s]."""
SHAPE = (*["1/sqrt(kg)"] * 3, *["rad/(m sqrt(kg))"] * 3)
"""SI units of the components of a platform's twist in a mode shape."""


@result
class NaturalFrequencies(Result):
    """Small oscillations of the platform with held drives.

    Attributes
    ----------
    machine : Machine

    """

    frequency: Array = quantity(
        "Hz",
        "mode",
        label="frequency",
        doc="Natural frequencies f of K s = (2 pi f)^2 M s, ascending, with locked drives: legs rotate about their "
        "base joints and deflect along their length; K as in `gough.stiffness` about the platform's origin, M from the "
        "kinetic energy of platform, head and legs. NaN for unstable modes, for motions without inertia, and where a "
        "leg cannot close.",
    )
    square: Array = quantity(
        "1/s2", "mode",
        doc="Squared angular frequencies, ascending: negative for modes that are unstable under the load, which grow "
        "by e in 1/sqrt(-square).",
    )  # fmt: skip
    shape: Array = quantity(
        lambda of: [[unit] for unit in SHAPE * len(of.machine.stages)], "twist", "mode", frame="base",
        doc="Mode shapes as columns, twists [v, w] of the platform's origin, scaled so that shape^T M shape = 1.",
    )  # fmt: skip
    X: Array = transform(has_platforms=True, doc="Poses of the platform.")
    machine: AnyMachine

    @property
    @derived("", is_listed=False)
    def is_stable(self) -> NDArray[np.bool_]:
        """Whether no mode grows (...): no squared frequency is negative; False where none is known."""
        least = np.fmin.reduce(self.square, axis=-1)
        return np.asarray(least >= 0.0)

    def table(self) -> Table:
        """Tabulate the modes of one pose: frequencies, and the main motion of each."""
        if self.frequency.ndim != 1:
            raise InputError(f"expected a single pose, got {self.frequency.shape[:-1]} poses; select one")
        modes = [str(k + 1) for k in range(len(self.frequency))]
        columns = [*of_result(self, "frequency", labels=()), *self.swings]
        return Show(self.machine).table("mode", modes, columns)

    def _shown_table(self) -> Table | None:
        return self.table() if self.frequency.ndim == 1 else None

    @property
    def swings(self) -> list[Field]:
        """Energy shares as fields for output: a column for each motion of each platform."""
        motions = self.machine.by_platform(AXES)
        return of_result(self, ("energy_shares", "share"), labels=motions, head="{}", shown="%")

    @property
    @derived("1", "mode", "motion", frame="base")
    def energy_shares(self) -> Array:
        """Shares of the platform's kinetic energy in each mode (..., 6 modes, 6 motions).

        Those of translation of the mass centre along, and of rotation about, the axes of the base; payload included.
        Shapes of modes of equal frequency are not unique: for these it is their mean.
        """
        bodies = [stage.platform for stage in self.machine.stages if stage.platform is not None]
        mass, c, J = (np.array([getattr(body, name) for body in bodies]) for name in ("mass", "mass_centre", "inertia"))
        # Twists of the platforms' origins in each mode, (..., mode, platform, 6); then velocities of the mass centres.
        V, R = self._twists(np.swapaxes(self.shape, -1, -2)), self._poses[..., :3, :3]
        w, arm = V[..., 3:], (R @ c[..., None])[..., None, :, :, 0]
        v = V[..., :3] + cross(w, arm)
        spin = ((R @ J @ np.swapaxes(R, -1, -2))[..., None, :, :, :] @ w[..., None])[..., 0]
        energy = np.concatenate([mass[:, None] * v**2, w * spin], axis=-1).reshape(self.shape.shape)
        shares = energy / energy.sum(axis=-1, keepdims=True)
        f = self.frequency
        # Means over modes of equal frequency; NaN frequencies equal themselves only.
        same = np.abs(f[..., :, None] - f[..., None, :]) <= EQUAL_FREQUENCIES * np.abs(f[..., :, None])
        mean = same @ np.where(np.isfinite(shares), shares, 0.0) / np.maximum(same.sum(axis=-1, keepdims=True), 1)
        return np.where(np.isfinite(f)[..., None], mean, np.nan)

    def missing(self) -> str:
        """Explain missing frequencies and their possible causes; empty if all exist."""
        known = np.isfinite(self.frequency)
        is_missing = np.asarray(~known.all(axis=-1))
        if not is_missing.any():
            return ""
        slowest, fastest = known[..., 0][is_missing], known[..., -1][is_missing]
        causes = {
            "a leg cannot close, or some motion has neither inertia nor a positive stiffness": ~slowest & ~fastest,
            "some motion has no inertia (point masses: specify inertias)": slowest & ~fastest,
        }
        # Where no mode is known, a negative square says why.
        falls = self.square.min(axis=-1, where=np.isfinite(self.square), initial=0.0)
        if (falls < 0.0).any():
            growth = Show(self.machine).with_unit(1.0 / np.sqrt(-float(falls.min())), "s", 3)
            unstable = some_of(falls < 0.0, "this pose is", "poses are")
            return (
                f"unstable: {unstable} no stable equilibrium under the load: the platform leaves it, and the "
                f"displacement grows by a factor of e in {growth}"
            )
        found = ", or ".join(cause for cause, is_there in causes.items() if is_there.any())
        how_many = f"{(~known).sum()} of {known.size} frequencies do" if known.ndim == 1 else "a frequency does"
        return f"{how_many} not exist at {some_of(is_missing, 'this pose', 'poses')}: {found}"

    @property
    def _poses(self) -> Array:
        """Poses with an axis for the platforms (..., s, 4, 4), also for one stage."""
        return self.X.reshape(*self.frequency.shape[:-1], -1, 4, 4)

    def _twists(self, values: Array) -> Array:
        """Twists (..., s, 6) from concatenated ones (..., 6 s)."""
        return values.reshape(*values.shape[:-1], -1, 6)

    @checks_arguments
    def animation(self, mode: int, *, frames: int = FRAMES_PER_PERIOD, amplitude: float = SHOWN_DISPLACEMENT) -> Array:
        """Compute poses (frames, ..., 4, 4) of one period of a mode, magnified.

        Parameters
        ----------
        mode : int
            0 is the slowest, the last one the fastest.
        frames : int
        amplitude : float
            Largest displacement of a platform joint, as a part of the machine's size.

        """
        count = self.frequency.shape[-1]
        if not 0 <= mode < count:
            raise InputError(f"mode: {mode} is not one of the modes 0 to {count - 1}")
        twist, X = self._twists(self.shape[..., mode]), self._poses
        rho = np.stack([stage.b_P for stage in self.machine.stages]) @ np.swapaxes(X[..., :3, :3], -1, -2)
        moved = np.linalg.norm(twist[..., None, :3] + cross(twist[..., None, 3:], rho), axis=-1).max(axis=(-1, -2))
        # A shape has no amplitude of its own: the largest displacement of a platform joint becomes the given one.
        twist = twist * (amplitude * self.machine.size / moved)[..., None, None]
        steps = np.sin(2 * np.pi * np.arange(frames) / frames).reshape(-1, *[1] * twist.ndim) * twist
        return displaced(X, steps).reshape(frames, *self.X.shape)

    @checks_arguments
    def motion(
        self, mode: int, *, frames: int = FRAMES_PER_PERIOD, amplitude: float = SHOWN_DISPLACEMENT
    ) -> SplineMotion:
        """Return one period of a mode at one pose as a motion, magnified, see `animation`.

        The period is `ZERO_MODE_PERIOD` for a frequency of zero. `InputError` for several poses, and where the mode has
        no frequency.
        """
        from gough.dynamics.motions import SplineMotion

        poses = self.animation(mode, frames=frames, amplitude=amplitude)
        frequency = self.frequency[..., mode]
        if frequency.ndim:
            raise InputError(f"expected a single pose, got {frequency.shape} poses; select one")
        if not np.isfinite(frequency):
            raise InputError(f"mode {mode}, counted from 0, is not an oscillatory mode: {self.missing()}")
        period = 1.0 / float(frequency) if frequency > 0 else ZERO_MODE_PERIOD
        # The first pose, repeated, closes the period.
        return SplineMotion(np.linspace(0.0, period, frames + 1), np.concatenate([poses, poses[:1]]))


@checks_arguments
def natural_frequencies(
    machine: AnyMachine,
    X: PoseLike,
    *,
    point: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = False,
) -> NaturalFrequencies:
    """Compute natural frequencies and mode shapes: K shape = (2 pi f)^2 M shape (Rao 2017).

    The drives are held and the legs yield along their length: M is `gough.dynamics.mass_matrix` with held drives, K is
    `gough.stiffness`. Damping is neglected.

    Parameters
    ----------
    machine : Machine
        With masses, and with a stiffness of its legs.
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    point, wrench, gravity
        The load under which the platform swings, see `gough.stiffness`: K is then the second derivative of the whole
        potential energy, of the springs, the applied force and, with gravity, all weights. Of a moment that keeps its
        direction, which has no potential, the symmetric part counts.

    Returns
    -------
    NaturalFrequencies
        NaN where a leg cannot close or no forces balance the load, for modes that are unstable under it, which come
        first, and for those of motions without inertia, which come last; all NaN where some motion has no inertia and
        the stiffness is not positive definite. 0 Hz for a mode without stiffness.

    """
    matrices = checked_matrices(X)
    K = platform_stiffness(machine, matrices, point=point, wrench=wrench, gravity=gravity)
    M = mass_matrix(machine, matrices, drives="held")
    K = 0.5 * (K + np.swapaxes(K, -1, -2))
    # M = L L^T makes the pencil a symmetric eigenvalue problem, L^-1 K L^-T y = (2 pi f)^2 y, with shapes L^-T y.
    (K, M), unit = np.broadcast_arrays(K, M), np.eye(K.shape[-1])
    usable = (np.isfinite(K) & np.isfinite(M)).all(axis=(-1, -2), keepdims=True)
    is_closed, usable = usable, usable & _is_positive(np.where(usable, M, unit))
    inverse = np.linalg.inv(np.linalg.cholesky(np.where(usable, M, unit)))
    square, vectors = np.linalg.eigh(inverse @ np.where(usable, K, unit) @ np.swapaxes(inverse, -1, -2))
    # At a singular pose a mode has no stiffness: its square is rounding of either sign.
    square = np.where(np.abs(square) <= ZERO_FREQUENCY * np.abs(square).max(axis=-1, keepdims=True), 0.0, square)
    square = np.where(usable[..., 0], square, np.nan)
    shape = np.where(usable, np.swapaxes(inverse, -1, -2) @ vectors, np.nan)
    for k in np.argwhere((is_closed & ~usable)[..., 0, 0]):
        square[(*k,)], shape[(*k,)] = _without_inertia(K[(*k,)], M[(*k,)])
    with np.errstate(invalid="ignore"):
        frequency = np.sqrt(square) / (2 * np.pi)
    where = (*K.shape[:-2], *machine.stage_shape, 4, 4)
    return NaturalFrequencies(frequency, square, shape, np.broadcast_to(matrices, where).copy(), machine)


def _without_inertia(K: Array, M: Array) -> tuple[Array, Array]:
    """Squared frequencies (n,) and shapes (n, n) where some motion has no inertia: its modes are infinitely fast, NaN.

    The other modes are those of M shape = K shape / (2 pi f)^2, whose eigenvalues are zero for motions without inertia.
    They follow the others as the stiffness says, which must be positive definite; all NaN where it is not.
    """
    found, shape = np.full(len(K), np.nan), np.full(K.shape, np.nan)
    if not _is_positive(K)[0, 0]:
        return found, shape
    inverse = np.linalg.inv(np.linalg.cholesky(K))
    square, vectors = np.linalg.eigh(inverse @ M @ inverse.T)  # 1 / (2 pi f)^2: the slowest mode is the last
    square, vectors = square[::-1], vectors[:, ::-1]
    has_inertia = square > ZERO_EIGENVALUE * square[0]
    root = np.sqrt(square[has_inertia])
    found[has_inertia] = 1 / square[has_inertia]
    shape[:, has_inertia] = inverse.T @ vectors[:, has_inertia] / root
    return found, shape


def _is_positive(M: Array) -> NDArray[np.bool_]:
    """Whether symmetric matrices are positive definite beyond rounding (..., 1, 1)."""
    # Scaled to a unit diagonal, so that the result does not depend on the unit of length.
    scale = np.sqrt(np.maximum(np.diagonal(M, axis1=-2, axis2=-1), 1e-300))
    smallest = np.linalg.eigvalsh(M / (scale[..., :, None] * scale[..., None, :]))[..., :1, None]
    return np.asarray(smallest > ZERO_EIGENVALUE)


@returns_dataset
@checks_arguments
def frequency_map(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    **grid: Unpack[Grid],
) -> Labelled:
    """Compute natural frequencies over the workspace.

    Parameters
    ----------
    machine : Machine
        With masses and leg stiffnesses.
    orientation, **grid : see `gough.workspaces.map_over_positions`.

    Returns
    -------
    xarray.Dataset
        `frequency` (x, y, z, mode) and `lowest_frequency` (x, y, z) [Hz], NaN at poses that are not allowed; the
        attribute `lowest_frequency_hz` is the smallest of all.

    """

    def of_poses(X: Array) -> dict[str, tuple[tuple[str, ...], Array, dict[str, str]]]:
        found = natural_frequencies(machine, X).frequency
        return {
            "frequency": (("mode",), found, {"units": "Hz"}),
            "lowest_frequency": ((), found[..., 0], {"units": "Hz"}),
        }

    data = map_over_positions.labelled(machine, of_poses, orientation, **grid)
    data.attrs["lowest_frequency_hz"] = float(np.fmin.reduce(data["lowest_frequency"].to_numpy(), axis=None))
    return data


@checks_arguments
def lowest_frequency(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    **grid: Unpack[SearchGrid],
) -> WorkspaceMinimum:
    """Find the allowed pose with the lowest natural frequency of the workspace.

    The search is that of `gough.workspaces.workspace_minimum` (Audet and Dennis 2006, and quadratic programming), the
    quantity the first of `natural_frequencies` (Rao 2017).

    Parameters
    ----------
    machine : Machine
        With masses and leg stiffnesses.
    orientation, **grid : see `gough.workspaces.workspace_minimum`.

    Returns
    -------
    WorkspaceMinimum
        Its value is the frequency [Hz].

    Raises
    ------
    InputError
        The machine lacks masses or stiffnesses, or the grid has no allowed pose.

    """
    natural_frequencies(machine, machine.X_home)  # raises for a machine without masses or stiffness before the search
    return workspace_minimum(
        machine,
        lambda poses: natural_frequencies(machine, poses).frequency[..., 0],
        orientation,
        unit="Hz",
        **grid,
    )
