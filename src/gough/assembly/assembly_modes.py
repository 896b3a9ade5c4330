"""Assembly modes: every pose of the platform that fits given joint coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Bools, Progress, read_only
from gough.assembly.families import normalised
from gough.assembly.real_poses import (
    apart,
    fits,
    leg_gradients,
    mode_dexterity,
    moves_freely,
    polish,
    real_singular_poses,
)
from gough.assembly.solve import Solutions, all_solutions
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.kinematics.certificate import Certificate, certify_pose
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.margins import is_allowed, margins
from gough.machine import Machine
from gough.present.answer import Field
from gough.present.units import with_unit
from gough.quantity import derived, of_joints, quantity, result, transform
from gough.results import Result

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform


NEARLY_REAL = 1e-5
"""Imaginary parts below this, of a solution of length one, may be rounding: refinement decides whether it is real."""
POLISHED = 1e-4
"""Largest displacement of a real pose by refinement, in machine sizes."""
FITS = 1e-13
"""Largest leg error of a regular pose, in machine sizes."""
SAME_POSE, SAME_SINGULAR = 1e-7, 1e-4
"""Poses closer than this are equal, in machine sizes and rad; singular ones have errors of sqrt(rounding)."""
SAME_RANK = 1e-6
"""Differences of distances from home and of poses' entries that do not count for their order: rounding."""
SAME_JOINTS = 1e-6
"""Largest error of inverse kinematics' joint coordinates for a leg on its own branch, in machine sizes or rad."""
CHUNK = 64
"""Joint vectors between two reports of progress."""
SELF_MOTION = (
    "the machine has a self-motion at these joint coordinates: the platform moves freely from some poses with every "
    "drive held, through poses without number, of which a few are given, of side 0, and none is counted"
)
AMBIGUOUS = "several modes are allowed: after power-up, joint coordinates alone do not determine the pose"
NOT_ALL = "two independent runs did not agree: there may be more poses than these"


@result
class AssemblyModes(Result):
    """The k poses that fit one vector of joint coordinates, the one nearest to home first.

    Attributes
    ----------
    certificate : Certificate
        Proven bounds of each pose's error.
    machine : Machine

    """

    q: Array = quantity(of_joints(), "leg", doc="The joint coordinates.")
    matrix: Array = transform("mode", doc="Poses of the platform in the base.")
    residual: Array = quantity("m", "mode", doc="Largest error of the six leg equations.")
    conditioning: Array = quantity(
        "1", "mode",
        doc="Dexterity at q, smallest over largest singular value as in `gough.singularity.conditioning`, on the "
        "branches on which the legs are there: 0 at a singularity, where modes meet, and where a joint is at a "
        "turning point.",
    )  # fmt: skip
    side: NDArray[np.int64] = quantity(
        "1", "mode",
        doc="Sign of the determinant of the rows [u, R b x u] (of J_qV for struts), 0 where the pose is singular; a "
        "motion between modes of different sign meets a singularity.",
    )  # fmt: skip
    within_limits: Bools = quantity("", "mode", doc="Whether the machine allows the pose, on its legs' own branch.")
    is_singular: Bools = quantity("", "mode", doc="A multiple solution, or a pose of a self-motion.")
    moves_freely: Bools = quantity(
        "", "mode",
        doc="A pose of a self-motion: the platform can move from there with its joints held. Of the infinitely many, "
        "those are given to which least squares from the complex solutions converges.",
    )  # fmt: skip
    certificate: Certificate
    finite_count: int = quantity(
        "1",
        doc="Finite complex solutions found, counted with multiplicity. Of machines close to a family with fewer "
        "solutions, some with translations of hundreds of machine sizes, never real, may be missing.",
    )  # fmt: skip
    complete: bool = quantity(
        "",
        doc="Whether there is evidence that no pose is missing: 40 distinct solutions, or two runs from different "
        "start systems that agree on all that may be real.",
    )  # fmt: skip
    machine: Machine

    def __len__(self) -> int:
        return len(self.matrix)

    def sentence(self) -> str:
        """Return the number of poses, the number of allowed poses, and whether the list is complete."""
        real, sure = self.is_counted.sum(), "these are all" if self.complete else "there may be more"
        allowed, alone = (self.within_limits & self.is_counted).sum(), " isolated" * bool(self.moves_freely.any())
        return f"{real}{alone} real of {self.finite_count} finite complex poses, {allowed} of them allowed; {sure}"

    def warnings(self) -> list[str]:
        """Return warnings about a self-motion, several allowed poses, and poses that may be missing."""
        said = {
            SELF_MOTION: self.moves_freely.any(),
            AMBIGUOUS: (self.within_limits & self.is_counted).sum() > 1,
            NOT_ALL: not self.complete,
        }
        return [words for words, is_so in said.items() if is_so]

    @property
    @derived("", "mode", is_listed=False)
    def is_counted(self) -> Bools:
        """Which poses are counted (k,): those of a self-motion are infinitely many."""
        return ~self.moves_freely

    @cached_property
    @derived("", "mode", is_listed=False)
    def on_own_branch(self) -> Bools:
        """Modes (k,) in which every leg is on the branch for which it is built; a leg never changes its branch."""
        return _on_own_branch(self.machine, self.q, self.matrix)

    @property
    @derived("", "mode", is_listed=False)
    def sides(self) -> NDArray[np.str_]:
        """`side` as a sign (k,): "+", "−" or "0"."""
        return np.array(["0", "+", "−"])[self.side]

    @property
    @derived("", "mode", is_listed=False)
    def verdicts(self) -> NDArray[np.str_]:
        """Whether the machine allows each pose, in words (k,)."""
        return np.where(self.within_limits, "allowed", "outside limits")

    @property
    @derived("", "mode", is_listed=False)
    def proofs(self) -> NDArray[np.str_]:
        """Status of each pose in words (k,): "proven", "not proven", "singular" or "moves freely"."""
        singular = np.where(self.moves_freely, "moves freely", "singular")
        return np.where(self.is_singular, singular, np.where(self.certified, "proven", "not proven"))

    def columns(self) -> list[Field]:
        """Return the columns of a table with a row for each pose."""
        return [
            Field("", self.sides, head="side", is_json=False),
            Field("modes.conditioning", self.conditioning, head="conditioning", digits=3, is_json=False),
            Field("", self.proofs, head="pose", is_json=False),
            Field("", self.verdicts, head="limits", is_json=False),
        ]

    @property
    @derived("", "mode", is_listed=False)
    def certified(self) -> Bools:
        """Whether each pose is proven, (k,): see `certificate` for the bounds of its error and its uniqueness."""
        return self.certificate.proven

    @property
    def pose(self) -> RigidTransform:
        """The poses as SciPy's type."""
        from scipy.spatial.transform import RigidTransform

        return RigidTransform.from_matrix(self.matrix)


@checks_arguments
def assembly_modes(
    machine: Machine, q: ArrayLike, *, progress: Progress = None
) -> AssemblyModes | tuple[AssemblyModes, ...]:
    """Compute every pose with joint coordinates q, for any leg kind and any machine, special geometry or not.

    With the driven points p(q) held, every leg equation is a distance: seven quadrics in the dual quaternion of the
    pose (Husty 1996), solved by homotopy (Morgan and Sommese 1989; `gough.assembly.solve`). Real solutions are refined
    to rounding and, if regular, proven.

    Parameters
    ----------
    machine : Machine
    q : (6,) or (n, 6) array
        Joint coordinates [m, or rad for cranks].
    progress : callable, optional
        Called with (done, total) joint vectors from time to time.

    Returns
    -------
    AssemblyModes, or a tuple of n of them
        Without poses where none fits; `complete` states whether some may be missing.

    Raises
    ------
    InputError
        For joint coordinates that are not numbers, or lengths that are not positive.

    """
    joints = of_shape("joint coordinates", q, "(6,) or (n, 6)")
    _check(machine, joints.reshape(-1, 6))
    if joints.ndim == 1:
        return _modes(machine, joints)
    found: list[AssemblyModes] = []
    for each in joints:
        found.append(_modes(machine, each))
        if progress is not None:
            progress(len(found), len(joints))
    return tuple(found)


def _check(machine: Machine, joints: Array) -> None:
    low, _ = machine.legs.joint_range
    bad = ~np.isfinite(joints) | ((joints <= low) if machine.legs.rod() is None else False)
    if bad.any():
        row, leg = np.argwhere(bad)[0]
        value = with_unit(machine, joints[row, leg], machine.legs.joint_unit)
        raise InputError(f"joint values {row + 1}: leg {leg + 1} cannot be {value}, expected a finite positive length")


def _modes(machine: Machine, q: Array) -> AssemblyModes:
    """All modes of one vector of joint coordinates."""
    q = read_only(np.ascontiguousarray(q)[:])  # a read-only view whatever q was: one array type, one compilation
    rod = machine.legs.rod()
    frames = normalised(machine.legs.driven_points(q), machine.b_P, q if rod is None else rod)
    found = all_solutions(frames)
    X, residual, is_singular = _real_poses(machine, q, found, frames.pose)
    order = _order(machine, X)
    X, residual, is_singular = X[order], residual[order], is_singular[order]
    side = np.sign(np.linalg.det(leg_gradients(machine, q, X))).astype(np.int64)
    free = np.zeros(len(X), dtype=bool)
    free[is_singular] = moves_freely(machine, q, X[is_singular])
    return AssemblyModes(
        q=q.copy(),
        matrix=X,
        residual=residual,
        conditioning=mode_dexterity(machine, q, X),
        side=np.where(is_singular, 0, side),
        within_limits=_within_limits(machine, q, X, is_singular),
        is_singular=is_singular,
        moves_freely=free,
        certificate=certify_pose(machine, np.broadcast_to(q, (len(X), 6)), X),
        finite_count=len(found.regular) + int(found.multiplicity.sum()),
        complete=found.complete,
        machine=machine,
    )


def _real_poses(
    machine: Machine, q: Array, found: Solutions, pose: Callable[[NDArray[np.complex128]], Array]
) -> tuple[Array, Array, Bools]:
    """Real solutions: poses (k, 4, 4), leg errors, whether singular."""
    # Regular ones: nearly real, refined by Newton's method, which must neither fail nor lead elsewhere.
    x = _real_phase(found.regular)
    X = np.ascontiguousarray(pose(x[np.abs(x.imag).max(axis=1) < NEARLY_REAL]))
    rough, residual = X.copy(), np.empty(len(X))
    polish(machine.legs.code, machine.table, q, X, residual)
    keep = fits(machine, q, X, residual, FITS) & (apart(machine, rough, X) <= POLISHED)
    keep[keep] = _first_of_each(machine, X[keep], SAME_POSE)
    X, residual = X[keep], residual[keep]
    if not len(found.singular):
        return X, residual, np.zeros(len(X), dtype=bool)
    # Singular ones: least squares from the real part, since Newton's method does not converge there.
    Y, missed = real_singular_poses(machine, q, pose(_real_phase(found.singular)))
    both = np.concatenate([X, Y])
    new = _first_of_each(machine, both, SAME_SINGULAR)[len(X) :]
    X, residual = np.concatenate([X, Y[new]]), np.concatenate([residual, missed[new]])
    return X, residual, np.arange(len(X)) >= len(X) - int(new.sum())


def _real_phase(x: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Dual quaternions (n, 8) times the phase that makes their largest element real."""
    largest = np.take_along_axis(x, np.abs(x).argmax(axis=1)[:, None], axis=1)
    return x * (np.abs(largest) / largest)


def _first_of_each(machine: Machine, X: Array, within: float) -> Bools:
    """Which of the poses (k, 4, 4) equal none before them: close to a double solution two may be refined to one."""
    same = apart(machine, X[:, None], X[None]) < within
    return np.asarray(same.argmax(axis=1) == np.arange(len(X)) if len(X) else np.empty(0, bool))


def _order(machine: Machine, X: Array) -> NDArray[np.intp]:
    """Order of poses (k, 4, 4), the nearest to home first; equally near ones, as mirror images are, by their entries.

    Distance is the shift of the platform's centre in machine sizes plus the rotation [rad].
    """
    home, centre = machine.X_home, np.array([*machine.platform_centre, 1.0])
    shift = ((X - home) @ centre)[:, :3] / machine.size
    cosine = 0.5 * ((X[:, :3, :3] * home[:3, :3]).sum(axis=(1, 2)) - 1.0)
    distance = np.linalg.norm(shift, axis=1) + np.arccos(np.clip(cosine, -1.0, 1.0))
    keys = np.column_stack([distance, shift, X[:, :3, :3].reshape(-1, 9)])
    return np.lexsort(np.rint(keys / SAME_RANK).T[::-1])


def _joint_size(machine: Machine) -> float:
    """Scale of joint coordinates: the machine's size [m], or 1 rad."""
    return machine.size if machine.legs.joint == "length" else 1.0


def _within_limits(machine: Machine, q: Array, X: Array, is_singular: Bools) -> Bools:
    """Whether poses (k, 4, 4) are within limits, and their joint coordinates on the legs' own branch."""
    if not len(X):
        return np.empty(0, bool)
    allowed = _on_own_branch(machine, q, X) & is_allowed(machine, X)
    if is_singular.any():
        # Rounding decides on which side of the singularity such a pose is: it counts as on it.
        found = margins(machine, X[is_singular])
        k = found.names.index("singularity")
        values = np.where(np.arange(len(found.names)) == k, -found.columns[k].bound, found.values)
        allowed[is_singular] = _on_own_branch(machine, q, X[is_singular]) & replace(found, values=values).is_allowed
    return np.asarray(allowed)


def _on_own_branch(machine: Machine, q: Array, X: Array) -> Bools:
    """Whether inverse kinematics, which takes the branch for which each leg is built, gives q at poses (k, 4, 4)."""
    off = inverse_kinematics(machine, X) - q
    low, high = machine.legs.joint_range
    if np.isfinite(high - low):  # cranks: angles differ by whole turns
        off -= (high - low) * np.rint(off / (high - low))
    return np.asarray(np.abs(np.nan_to_num(off, nan=np.inf)).max(axis=1) <= SAME_JOINTS * _joint_size(machine))
