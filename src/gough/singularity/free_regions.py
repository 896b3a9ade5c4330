"""Whether a workspace at fixed orientation is free of singularities: proven, refuted by a pose, or undecided."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.interval_search import poses_at, reach_box
from gough.machine import Machine
from gough.poses import PoseLike, one_pose
from gough.present.show import plain
from gough.present.units import bound_in_words, file_unit, in_file_units, percent
from gough.quantity import derived, quantity, result, transform
from gough.regions.boxes import Boxes, halve_open
from gough.regions.proof import Verdict, WithVerdict
from gough.results import Result
from gough.singularity.search import (
    Leaf,
    Search,
    begin,
    bounded,
    find_crossing,
    keep_undecided,
    only_homes_part,
    smallest_found,
)
from gough.workspaces.workspace import Workspace

MOST_BOXES = 150_000
"""Most boxes, after which the remaining ones are left undecided."""


@result
class SingularityFreeProof(WithVerdict, Result):
    """Proof that a workspace at one orientation is free of singularities, or a singular pose in it, or neither.

    Attributes
    ----------
    machine : Machine

    """

    verdict: Verdict = quantity(
        "", is_listed=False,
        doc='"proven": no pose there is singular. "refuted": `witness` is singular and keeps every other limit. '
        '"undecided": neither, before the number of boxes ran out.',
    )  # fmt: skip
    part: Literal['all', 'home'] = quantity(
        "", is_listed=False,
        doc='What the verdict covers: "all" that the limits allow, or the connected component that contains "home".',
    )  # fmt: skip
    bound: float = quantity(
        "1",
        doc='No pose has a smaller singular value, as `gough.margins` counts it; 0 unless the verdict is "proven", inf '
        "where no pose is allowed.",
    )  # fmt: skip
    smallest: float = quantity(
        "1",
        doc="The smallest found at an allowed pose, by descent from centres of boxes; inf where no pose was allowed.",
    )  # fmt: skip
    witness: Array | None = transform(doc="A singular pose that keeps every other limit.")
    path: Array | None = quantity(
        "m", "place", "axis", frame="base",
        doc="Positions of the point of interest from home to the witness; straight segments between them keep every "
        "other limit.",
    )  # fmt: skip
    undecided_volume: float = quantity("m3", doc="Volume of the undecided boxes.")
    cover_volume: float = quantity("m3", doc="Volume of all boxes of the cover.")
    boxes: int = quantity("1", doc="Number of boxes that were bounded.")
    low: Array = quantity(
        "m", "box", "axis", frame="base",
        doc="Lowest corners of the cover: boxes that contain every position of the point of interest that the limits "
        "allow in that part.",
    )  # fmt: skip
    high: Array = quantity("m", "box", "axis", frame="base", doc="Their highest corners.")
    lower: Array = quantity("1", "box", doc="Lower bound of the singular value in each of them; 0 where undecided.")
    R: Array = quantity("1", "axis", "other_axis", frame="base", doc="The orientation.")
    machine: Machine

    @property
    @derived("m", "axis", frame="base")
    def witness_point(self) -> Array | None:
        """Position (3,) of the point of interest at the witness [m]; None where there is none."""
        if self.witness is None:
            return None
        return np.asarray(self.witness[:3, :3] @ self.machine.point_of_interest + self.witness[:3, 3])

    def sentence(self) -> str:
        """Describe the verdict, in the units of the machine's file."""
        machine, point = self.machine, self.witness_point
        if point is not None:
            shown = in_file_units(machine, np.round(point / machine.size, 12) * machine.size + 0.0, "m")
            place = f"({', '.join(map(plain, shown))}) {file_unit(machine, 'm')}"
            return f"refuted: singular at {place}, where every other limit is kept{self._how_reached()}"
        if not len(self.low):
            return "proven: no position is allowed at this orientation"
        if self.is_proven:
            what = "the limits allow" if self.part == "all" else "the limits allow and that is connected with home"
            found = f", and at most {bound_in_words(self.smallest, is_upper=True)}, found"
            found *= bool(np.isfinite(self.smallest))
            bound = bound_in_words(self.bound)
            return f"proven: the smallest singular value of all that {what} is at least {bound}{found}"
        volume = f"{plain(in_file_units(machine, self.undecided_volume, 'm3'), 3)} {file_unit(machine, 'm')}³"
        share = percent(self.undecided_volume / self.cover_volume, 2)
        return f"undecided: boxes of {volume}, {share} of the cover, are left after {self.boxes} that were looked at"

    def _how_reached(self) -> str:
        if self.path is None:
            return "; no path there from home was found"
        pieces = len(self.path) - 1
        if pieces == 0:
            return "; that is home"
        return (
            f"; {'the straight path' if pieces == 1 else f'a path of {pieces} straight segments'} from home leads there"
        )


@checks_arguments
def free_of_singularities(
    machine: Machine,
    where: Workspace | PoseLike | None = None,
    *,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    within_limits: bool = True,
    ignore: tuple[str, ...] = (),
    rtol: float = 0.5,
    max_boxes: int = MOST_BOXES,
    progress: Progress = None,
) -> SingularityFreeProof:
    """Prove that the allowed positions at one orientation are free of singularities, with a bound.

    The limit "singularity" itself is ignored: the question is whether the others exclude singular poses. Boxes cover
    the whole region, also between the columns of a workspace's grid, and are halved (Merlet 2006, Parallel Robots;
    `gough.singularity.search`). Where a singular pose
    lies in another connected component than home, and the boxes prove it, the verdict is about home's component.

    Parameters
    ----------
    machine : Machine
    where : Workspace or PoseLike, optional
        A workspace: its orientation, the region of its columns, the limits it ignores. A pose: its orientation. Home
        where not given.
    low, high : (3,) array, optional
        Corners of a box for the point of interest [m]; default: the reach of the legs.
    within_limits : bool
        False: the whole box, which must then be given, whatever the limits.
    ignore : tuple of str
        Names of further limits to leave out.
    rtol : float
        Part of the smallest singular value found that the bound must reach, in (0, 1).
    max_boxes : int
        Most boxes, after which the remaining ones are left undecided.
    progress : callable, optional
        Called with the number of boxes bounded and `max_boxes`.

    Returns
    -------
    SingularityFreeProof
        A proof holds in floating point too.

    Raises
    ------
    InputError
        The region is unbounded or empty.

    """
    if not 0 < rtol < 1:
        raise InputError(f"rtol {rtol:g}: expected a number between 0 and 1")
    if isinstance(where, Workspace):
        R, ignore = where.R, (*ignore, *where.ignore)
    else:
        X = one_pose(where, machine.X_home)
        R = X[:3, :3]
    region = _region(machine, R, where if isinstance(where, Workspace) else None, low, high, within_limits)
    search = begin(machine, R, within_limits, ignore, rtol, max_boxes, region)
    boxes = Boxes.of(*region)
    undecided = Leaf(boxes, np.zeros(len(boxes)), np.full(len(boxes), np.inf))

    def decide(boxes: Boxes) -> Leaf:
        leaf = bounded(search, boxes)
        find_crossing(search, leaf)
        if progress is not None:
            progress(search.count, max_boxes)
        return keep_undecided(search, leaf)

    if not search.is_answered and len(boxes) <= max_boxes:
        halved, is_over = lambda rest: rest.boxes.halved(), lambda _: search.is_answered
        undecided = halve_open(boxes, decide, halved, max_boxes, 8, is_over)
    search.leaves.append(undecided)
    return _proof(search)


def _region(
    machine: Machine,
    R: Array,
    found: Workspace | None,
    low: ArrayLike | None,
    high: ArrayLike | None,
    within_limits: bool,
) -> tuple[Array, Array]:
    """Corners (3,) of the region for the point of interest [m]."""
    a, b = reach_box(machine, R) if within_limits else (np.full(3, -np.inf), np.full(3, np.inf))
    if found is not None:
        a[:2], b[:2] = np.maximum(a[:2], [found.x[0], found.y[0]]), np.minimum(b[:2], [found.x[-1], found.y[-1]])
        # The workspace's z range shows where columns end at it, with no limit binding.
        ends = np.where(found.binding == -1, found.ends, np.nan)
        a[2] = np.fmax.reduce([a[2], np.fmin.reduce(ends[..., 0], axis=None)])
        b[2] = np.fmin.reduce([b[2], np.fmax.reduce(ends[..., 1], axis=None)])
    for given, corner, narrower in ((low, a, np.maximum), (high, b, np.minimum)):
        if given is not None:
            wanted = np.asarray(given, dtype=float)
            if wanted.shape != (3,) or not np.isfinite(wanted).all():
                raise InputError(f"low and high: expected three finite numbers [m] each, got {wanted.tolist()}")
            corner[:] = narrower(corner, wanted)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError("the region is unbounded, or the legs have no largest length; specify low and high [m]")
    if not (a < b).all():
        raise InputError(f"no region: from {np.round(a, 6).tolist()} to {np.round(b, 6).tolist()} m is empty")
    return a, b


def _proof(search: Search) -> SingularityFreeProof:
    """The result from the leaves of the search."""
    if search.path is None and any((leaf.lower == 0).any() for leaf in search.leaves):
        rest = only_homes_part(search, search.leaves.pop())  # replaces the list: append to the new one
        search.leaves.append(rest)
    leaves = search.leaves
    lower = np.concatenate([leaf.lower for leaf in leaves])
    centres = np.concatenate([leaf.boxes.centres for leaf in leaves])
    half = np.concatenate([np.broadcast_to(leaf.boxes.half, leaf.boxes.centres.shape) for leaf in leaves])
    volumes = 8 * half.prod(axis=1)
    is_crossed = search.witness is not None
    verdict: Verdict = "refuted" if is_crossed else "undecided" if (lower == 0).any() else "proven"
    return SingularityFreeProof(
        verdict=verdict,
        part=search.part,
        bound=float(lower.min(initial=np.inf)) if verdict == "proven" else 0.0,
        smallest=0.0 if is_crossed else smallest_found(search),
        witness=None if search.witness is None else poses_at(search.machine, search.R, search.witness),
        path=search.path,
        undecided_volume=float(volumes[lower == 0].sum()),
        cover_volume=float(volumes.sum()),
        boxes=search.count,
        low=centres - half,
        high=centres + half,
        lower=lower,
        R=search.R,
        machine=search.machine,
    )
