"""Redundancy resolution: the intermediate pose of least cost or greatest margin.

The smallest margin is the minimum of many functions, one of them a smallest singular value, so it is nonsmooth and has
local maxima. A random search with shrinking steps improves several distinct postures at once. Linear programs in a
trust region then improve the best of them, with gradients of all margins at several points of the region (gradient
sampling, after Burke, Lewis and Overton 2005), so that kinks near the current point are taken into account.

The six free coordinates are the pose of the intermediate platform. The choices are

    "fixed"            as a share of the end platform's displacement from home: X_BI = exp(share log D) X_BI,home with
                       D = X_BP X_BP,home^-1, so that both stages perform parts of one screw motion
    "margin"           the largest smallest relative margin of both stages (`gough.margins`)
    "force"            the least norm of the twelve actuator forces at rest, within all limits
    "relative force"   the same with each force as a part of its actuator's limit
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.displacements import displaced, displacement
from gough.errors import InputError, ShapeError
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.climb import last_inside
from gough.limits.margins import Margins, margins
from gough.poses import PoseLike, checked_matrices
from gough.quantity import derived, of_joints, quantity, result, transform
from gough.results import Result
from gough.stacked import StackedMachine
from gough.stages.dynamics import wrenches
from gough.stages.frames import shared
from gough.stages.statics import held_forces
from gough.statics.capacity import known_forces

SHARES = np.linspace(0.0, 1.0, 11)
"""Shares of the displacement about which initial postures are sampled."""
SPREADS = (0.3, 0.1, 0.03)
"""Standard deviations of the samples about them, as parts of the lower stage's size."""
SAMPLES_PER_SPREAD = 500
"""Number of samples of each standard deviation."""
FINE = 1e-6
"""Step of central differences, as a part of the size."""
UNREACHABLE = -1e3
"""Relative margin in place of NaN, where a leg cannot close."""


@dataclass(frozen=True, eq=False)
class Posture:
    """Poses of both platforms (2, 4, 4), their smallest relative margin, and the value of the objective."""

    X: Array
    margin: float
    value: float


class PostureSearch:
    """Postures for one pose of the end platform.

    Coordinates x (6,) of a posture are the displacement of the intermediate platform from its pose at the share 0.5:
    translation of its origin in base axes, and rotation vector times a length [m].

    Parameters
    ----------
    machine : StackedMachine
    X : (4, 4) array
        The end platform in the base.
    starts : sequence of (4, 4) arrays
        Further initial poses of the intermediate platform.

    """

    def __init__(self, machine: StackedMachine, X: Array, starts: Sequence[Array] = ()) -> None:
        self.machine, self.X = machine, X
        self.size, self.length = machine.lower.size, machine.lower.characteristic_length
        self.rng = np.random.default_rng(12)  # fixed: the same pose has the same result
        self.is_known = bool(np.isfinite(X).all())
        if self.is_known:
            known = shared(machine, X, SHARES)[:, 0]
            self.centre = known[len(SHARES) // 2]
            self.known = np.stack([self.coordinates(X_BI) for X_BI in [*starts, *known]])

    def postures(self, x: Array) -> Array:
        """Return poses of both platforms (n, 2, 4, 4) with coordinates x (n, 6)."""
        found = np.empty((len(x), 2, 4, 4))
        found[:, 0], found[:, 1] = displaced(self.centre, x / np.repeat([1.0, self.length], 3)), self.X
        return found

    def coordinates(self, X_BI: Array) -> Array:
        """Return the inverse of `postures`."""
        return displacement(self.centre, X_BI) * np.repeat([1.0, self.length], 3)

    def relative(self, x: Array) -> Array:
        """Return relative margins (n, k) at coordinates x (n, 6)."""
        return np.nan_to_num(margins(self.machine, self.postures(x)).relative, nan=UNREACHABLE)

    def smallest(self, x: Array) -> Array:
        """Return the smallest relative margins (n,) at coordinates x (n, 6)."""
        return np.asarray(self.relative(x).min(axis=1))

    def candidates(self) -> tuple[Array, Array]:
        """Return coordinates (n, 6) of initial samples and their smallest margins (n,), in descending order."""
        about = [self.known]
        for spread in SPREADS:
            x = self.known[self.rng.integers(len(self.known), size=SAMPLES_PER_SPREAD)]
            about.append(x + spread * self.size * self.rng.normal(size=(SAMPLES_PER_SPREAD, 6)) / np.sqrt(6))
        x = np.concatenate(about)
        least = self.smallest(x)
        order = np.argsort(-least)
        return x[order], least[order]

    def apart(self, x: Array, count: int, distance: float) -> Array:
        """Return the first `count` of points (n, 6) whose mutual distances exceed a part of the size."""
        chosen: list[Array] = []
        for point in x:
            if all(np.linalg.norm(point - other) > distance * self.size for other in chosen):
                chosen.append(point)
            if len(chosen) == count:
                break
        return np.array(chosen)

    def gradients(self, of: Callable[[Array], Array], x: Array) -> Array:
        """Return gradients (n, k, 6) of a function of points x (n, 6) with k values, by central differences."""
        h = FINE * self.size * np.eye(6)
        ends = np.concatenate([(x[:, None] + h).reshape(-1, 6), (x[:, None] - h).reshape(-1, 6)])
        plus, minus = of(ends).reshape(2, len(x), 6, -1)
        return np.asarray(np.swapaxes(plus - minus, 1, 2) / (2 * FINE * self.size))

    def posture(self, x: Array, value: float | None = None) -> Posture:
        """Return the posture at x (6,); without a `value` the objective is its smallest margin."""
        margin = float(self.smallest(x[None])[0])
        return Posture(self.postures(x[None])[0], margin, margin if value is None else value)


def no_posture(margin: float = np.nan) -> Posture:
    """NaN posture, with the largest smallest margin that was found."""
    return Posture(np.full((2, 4, 4), np.nan), margin, np.nan)


CLIMBED, APART = 16, 0.1
"""Postures of the random search, and their smallest mutual distance, as a part of the size."""
CLIMBS, TRIES, SHRINK = 60, 48, 0.8
"""Rounds of the random search, trial steps per round, and factor of their length after a round without gain."""
REFINED, REFINED_APART = 4, 0.02
"""Postures refined by linear programs, and their smallest mutual distance."""
GRADIENT_SAMPLES = 6
"""Random points of a trust region at which gradients are taken, besides its centre."""
LINEAR_PROGRAMS, LEAST_TRUST = 100, 1e-7
"""Most linear programs, and smallest radius of the trust region, as a part of the size."""


def max_margin(search: PostureSearch) -> Posture:
    """Return the posture with the largest smallest margin, which may be negative; NaN for a NaN pose."""
    if not search.is_known:
        return no_posture()
    x, _ = search.candidates()
    climbed, _ = _climb(search, search.apart(x, CLIMBED, APART))
    ends = [_refine(search, start) for start in search.apart(climbed, REFINED, REFINED_APART)]
    return search.posture(max(ends, key=lambda end: end[1])[0])


def _climb(search: PostureSearch, x: Array) -> tuple[Array, Array]:
    """Points (n, 6) after the random search and their values, the best first."""
    value, spread, row = search.smallest(x), np.full(len(x), APART), np.arange(len(x))
    for _ in range(CLIMBS):
        steps = search.rng.normal(size=(len(x), TRIES, 6)) / np.sqrt(6)
        tried = x[:, None] + search.size * spread[:, None, None] * steps
        found = search.smallest(tried.reshape(-1, 6)).reshape(len(x), TRIES)
        best = found.argmax(axis=1)
        gains = found[row, best] > value
        x = np.where(gains[:, None], tried[row, best], x)
        value = np.where(gains, found[row, best], value)
        spread = np.where(gains, spread, SHRINK * spread)
    order = np.argsort(-value)
    return x[order], value[order]


def _refine(search: PostureSearch, x: Array) -> tuple[Array, float]:
    """A local maximum near x, and its value."""
    value, trust = float(search.smallest(x[None])[0]), REFINED_APART * search.size
    for _ in range(LINEAR_PROGRAMS):
        if trust < LEAST_TRUST * search.size:
            break
        step, promised = _program(search, x, value, trust)
        tried = x + step
        reached = float(search.smallest(tried[None])[0])
        # A step that gains half of the predicted increase shows a good linear model: a larger region.
        if reached > value:
            trust *= 2.0 if reached - value > 0.5 * promised else 0.7
            x, value = tried, reached
        else:
            trust *= 0.3
    return x, value


def _program(search: PostureSearch, x: Array, value: float, trust: float) -> tuple[Array, float]:
    """Step (6,) within the trust region that maximises the minimum of all linearised margins, and its increase."""
    from scipy.optimize import linprog

    offsets = np.concatenate([np.zeros((1, 6)), trust * search.rng.uniform(-1, 1, (GRADIENT_SAMPLES, 6))])
    gradients = search.gradients(search.relative, x + offsets)
    at_x = search.relative(x + offsets) - np.einsum("nki,ni->nk", gradients, offsets)
    variation = trust * np.abs(gradients).sum(axis=2)
    counts = at_x - variation < (at_x + variation).min()  # the others exceed the minimum in the whole region
    # Variables (step / trust, gain t): maximise t with value + t <= at_x + gradient . step for all linear models.
    A = np.column_stack([-trust * gradients[counts], np.ones(counts.sum())])
    bounds = [(-1.0, 1.0)] * 6 + [(None, None)]
    found = linprog(-np.eye(7)[6], A, at_x[counts] - value, bounds=bounds)
    return (np.zeros(6), 0.0) if found.x is None else (trust * found.x[:6], float(found.x[6]))


Cost = Callable[[Array], Array]
"""Cost (n,), above zero, of postures (n, 2, 4, 4)."""

COST_STARTS = 4
"""Initial allowed postures, those of lowest cost that are `APART`."""
QUADRATIC_PROGRAMS, LEAST_GAIN = 40, 1e-8
"""Most steps from one start; smallest trust radius, as a part of the size, and smallest gain, as a part of the cost."""


def min_cost(search: PostureSearch, cost: Cost) -> Posture:
    """Return the allowed posture with the lowest cost, by sequential quadratic programming from several starts.

    NaN where none is allowed, with the largest smallest margin that was found.
    """
    if not search.is_known:
        return no_posture()
    x, margin = search.candidates()
    allowed = x[margin >= 0]
    if not len(allowed):
        # No sample is allowed: the posture of largest margin is, or none is known.
        best = max_margin(search)
        if not best.margin >= 0:
            return no_posture(best.margin)
        allowed = search.coordinates(best.X[0])[None]

    def value(points: Array) -> Array:
        return np.nan_to_num(cost(search.postures(points)), nan=np.inf)

    starts = search.apart(allowed[np.argsort(value(allowed))], COST_STARTS, APART)
    ends = [_lowered(search, start, value) for start in starts]
    end, lowest = min(ends, key=lambda found: found[1])
    return search.posture(end, lowest)


def _lowered(search: PostureSearch, x: Array, value: Cost) -> tuple[Array, float]:
    """A local minimum near the allowed x: steps in a trust region that shrinks when they no longer gain."""
    trust, best = 0.1 * search.size, float(value(x[None])[0])
    for _ in range(QUADRATIC_PROGRAMS):
        if trust < LEAST_GAIN * search.size:
            break
        tried = _step(search, x, trust, value)
        reached = float(value(tried[None])[0])
        # Without a gain above LEAST_GAIN x counts as a minimum at this scale: the region shrinks.
        trust *= 1.0 if best - reached > LEAST_GAIN * best else 0.1
        if reached < best:
            x, best = tried, reached
    return x, best


def _step(search: PostureSearch, x: Array, trust: float, value: Cost) -> Array:
    from scipy.optimize import minimize

    # Steps are in units of the trust radius and costs in units of the current one, so that tolerances are relative.
    unit = float(value(x[None])[0])
    found = minimize(
        lambda z: float(value((x + trust * z)[None])[0]) / unit,
        np.zeros(6),
        jac=lambda z: trust * search.gradients(value, (x + trust * z)[None])[0, 0] / unit,
        bounds=[(-1.0, 1.0)] * 6,
        constraints={
            "type": "ineq",
            "fun": lambda z: search.relative((x + trust * z)[None])[0],
            "jac": lambda z: trust * search.gradients(search.relative, (x + trust * z)[None])[0],
        },
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 40},
    )
    # SLSQP may end slightly beyond a limit: back along the step to the last allowed point.
    return last_inside(lambda point: bool(search.smallest(point[None])[0] >= 0), x, x + trust * np.asarray(found.x))


Choice: TypeAlias = Literal["fixed", "margin", "force", "relative force"]


@result
class StackedInverse(Result):
    """Joint coordinates with the postures they belong to; arrays have the leading axes of X.

    Attributes
    ----------
    machine : StackedMachine

    """

    matrix: Array = transform(
        has_platforms=True,
        doc="Poses of both platforms in the base, the intermediate one first; NaN where no posture was found.",
    )  # fmt: skip
    joints: Array = quantity(
        of_joints(), "leg", doc="Joint coordinates, the lower stage's first; NaN where a leg cannot close."
    )
    margin: Array = quantity(
        "1", is_headline=True,
        doc="Smallest relative margin of both stages; negative where a limit is violated, and then the largest that "
        "was found.",
    )  # fmt: skip
    value: Array = quantity(
        lambda of: "N" if of.choice == "force" else "1",
        doc="Value of the choice: share, smallest margin, norm of the forces or of their utilisations.",
    )  # fmt: skip
    choice: Choice = quantity("", is_listed=False, doc="What chose the postures.")
    machine: StackedMachine

    @property
    def margins(self) -> Margins:
        """All margins of both stages."""
        return margins(self.machine, self.matrix)

    @property
    @derived("", is_listed=False)
    def is_allowed(self) -> NDArray[np.bool_]:
        """Whether all limits of both stages are satisfied (...)."""
        return self.margins.is_allowed


@checks_arguments
def resolve_redundancy(
    machine: StackedMachine,
    X: PoseLike,
    choice: Choice = "fixed",
    *,
    share: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = True,
    near: PoseLike | None = None,
    progress: Progress = None,
) -> StackedInverse:
    """Compute joint coordinates for poses of the end platform; the six redundant coordinates follow from a choice.

    "fixed": X_BI is home displaced by a share of the screw that displaces the end platform (by definition). The
    searches evaluate some thousand postures about shares of the displacement, then improve several distinct ones
    (`max_margin`, `min_cost`). Margins have local maxima: a better posture that these starts miss may exist. In a batch
    each pose also starts from the result of the one before it.

    Parameters
    ----------
    machine : StackedMachine
    X : PoseLike, (..., 4, 4)
        Poses of the end platform in the base of the lower stage.
    choice : "fixed", "margin", "force" or "relative force"
        See `gough.stages.redundancy`. A search takes about half a second per pose, "fixed" far less.
    share : (...) array, optional
        "fixed": the lower stage's part of the displacement, 0 to 1; default: the machine's own `share`. The
        screw of half a revolution is not unique.
    wrench : (6,) or (2, 6) array, optional
        Forces: [f, m] on the end platform, or on both, about their origins, in base axes [N, N m].
    gravity : bool or (3,) array
        Forces: as in `gough.stages.force_balance`.
    near : PoseLike, (4, 4), optional
        A further start of searches, a pose of the intermediate platform; NaN counts as none.
    progress : callable, optional
        Called with the number of poses done and their total number.

    Returns
    -------
    StackedInverse
        For an unreachable pose the margin is negative, or joints are NaN where a leg cannot close; with the choices of
        forces, poses and joints without an allowed posture are NaN.

    Raises
    ------
    InputError
        An unknown choice, a share beyond 0 to 1, a load that is not finite, or forces without a common norm.

    """
    poses = checked_matrices(X)
    if choice == "fixed":
        return _fixed(machine, poses, np.asarray(machine.share if share is None else share, dtype=float))
    start = None
    if near is not None:
        start = of_shape("near", checked_matrices(near), "(4, 4), one pose of the intermediate platform")
    start = None if start is None or not np.isfinite(start).all() else start
    cost = None if choice == "margin" else _norm(machine, choice, wrench, gravity)
    flat = poses.reshape(-1, 4, 4)
    found: list[Posture] = []
    for k, pose in enumerate(flat):
        search = PostureSearch(machine, pose, [] if start is None else [start])
        found.append(max_margin(search) if cost is None else min_cost(search, cost))
        # The next pose of a path is near this one, and so is its posture.
        if np.isfinite(found[-1].X).all():
            start = found[-1].X[0]
        if progress is not None:
            progress(k + 1, len(flat))
    shape = poses.shape[:-2]
    both = np.array([posture.X for posture in found]).reshape(*shape, 2, 4, 4)
    margin, value = (np.array([getattr(posture, key) for posture in found]) for key in ("margin", "value"))
    joints = inverse_kinematics(machine, both)
    return StackedInverse(both, joints, margin.reshape(shape), value.reshape(shape), choice, machine)


def _fixed(machine: StackedMachine, X: Array, share: Array) -> StackedInverse:
    if not ((share >= 0) & (share <= 1)).all():
        raise InputError(f"share: expected parts of the displacement from 0 to 1, got {np.array2string(share)}")
    both = shared(machine, X, share)
    value = np.broadcast_to(share, both.shape[:-3]).copy()
    joints = inverse_kinematics(machine, both)
    return StackedInverse(both, joints, margins(machine, both).smallest, value, "fixed", machine)


def _norm(
    machine: StackedMachine, choice: Choice, wrench: ArrayLike | None, gravity: bool | ArrayLike | None
) -> Callable[[Array], Array]:
    """Norm (n,) of the twelve forces at postures (n, 2, 4, 4)."""
    scale = np.ones(12)
    if choice == "relative force":
        largest = known_forces(machine)
        if largest is None:
            raise InputError(
                f"machine {machine.name!r}: specify limits.actuator_force in both stages, or use the choice 'force'"
            )
        scale = largest
    if choice == "force" and len({stage.legs.joint for stage in machine.stages}) > 1:
        raise InputError(
            f"machine {machine.name!r}: forces of one stage and torques of the other have no common norm; use the "
            "choice 'relative force'"
        )

    applied = wrenches(machine.X_home, wrench)  # about the platforms' origins: the same at all poses
    if applied.shape != (12,):
        raise ShapeError.expected("wrench", "(6,) or (2, 6), one for all poses", np.asarray(wrench).shape)
    for name, numbers in (("wrench", applied), ("gravity", np.asarray(gravity, dtype=float))):
        if not np.isfinite(numbers).all():
            raise InputError(f"{name}: expected finite numbers, got {np.array2string(numbers)}")

    def norm(X: Array) -> Array:
        return np.asarray(np.linalg.norm(held_forces(machine, X, applied, gravity) / scale, axis=-1))

    return norm
