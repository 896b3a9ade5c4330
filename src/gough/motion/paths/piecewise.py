"""Paths one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.motion.paths.path import Path, Rates, States, piece_of
from gough.motion.paths.segment_path import SegmentPath
from gough.motion.paths.segments import together

Array = NDArray[np.float64]

GAP, TWIST = 1e-8, 1e-8
"""Paths meet where the poses differ by less [m, rad]."""


class PiecewisePath(Path):
    """Paths of any kind one after the other; made by `concatenate`."""

    def __init__(self, parts: Sequence[Path]) -> None:
        self.parts = tuple(parts)
        lengths = [part.span[1] - part.span[0] for part in parts]
        self.joints = np.concatenate([[0.0], np.cumsum(lengths)])
        moved = [part.knots - part.span[0] + begin for part, begin in zip(parts, self.joints, strict=False)]
        self.knots = np.concatenate([*(knots[:-1] for knots in moved), self.joints[-1:]])
        inner = [part.breaks - part.span[0] + begin for part, begin in zip(parts, self.joints, strict=False)]
        self.breaks = np.sort(np.concatenate([*inner, self.joints[1:-1]]))

    def part_at(self, s: Array, before: bool = False) -> NDArray[np.intp]:
        """Index of the part at parameters (n,)."""
        return piece_of(self.joints, s, before)

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        which = self.part_at(s, before)
        X, V, A = np.empty((len(s), 4, 4)), np.empty((len(s), 6)), np.empty((len(s), 6))
        for k in np.unique(which):
            part, here = self.parts[k], which == k
            X[here], V[here], A[here] = part(self._own(k, s[here]), before=before)
        return X, V, A

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        which = self.part_at((low + high) / 2)
        bounds = np.empty((4, len(low)))
        for k in np.unique(which):
            here = which == k
            found = self.parts[k].rates(self._own(k, low[here]), self._own(k, high[here]))
            if found is None:
                return None
            bounds[:, here] = found
        return Rates(*bounds)

    def _own(self, k: int, s: Array) -> Array:
        """The parameters that part k counts itself."""
        return np.clip(s - self.joints[k] + self.parts[k].span[0], *self.parts[k].span)


@checks_arguments
def concatenate(
    paths: Sequence[Path], *, blend: ArrayLike = 0.0, blend_angle: ArrayLike | None = None
) -> SegmentPath | PiecewisePath:
    """Paths one after the other, in the same frame.

    Parameters
    ----------
    paths : sequence of Path
        Each begins where the last ended.
    blend, blend_angle : float or array
        Tolerances of rounded corners [m, rad], as in `SegmentPath`; for lines and arcs.

    Returns
    -------
    SegmentPath or PiecewisePath
        A `SegmentPath` where all are lines and arcs without blends of their own.

    Raises
    ------
    InputError
        Two that do not meet, or blends between paths that are not lines and arcs.

    """
    if not paths:
        raise InputError("paths: there is none")
    for k, (one, two) in enumerate(pairwise(paths), 1):
        _check_meeting(k, one.end, two.start)
    chains = [path for path in paths if isinstance(path, SegmentPath) and not path.reach.any()]
    if len(chains) == len(paths):
        return SegmentPath(together([chain.segments for chain in chains]), blend, blend_angle)
    if np.any(blend) or np.any(blend_angle or 0.0):
        raise InputError("blend: only corners between lines and arcs are rounded, given without blends of their own")
    return PiecewisePath(paths)


def _check_meeting(k: int, end: Array, start: Array) -> None:
    gap = float(np.linalg.norm(start[:3, 3] - end[:3, 3]))
    turn = float(np.linalg.norm(start[:3, :3] - end[:3, :3]) / np.sqrt(2))
    if gap > GAP or turn > TWIST:
        raise InputError(f"path {k + 1} begins {gap:.3g} m and {turn:.3g} rad away from where path {k} ends")
