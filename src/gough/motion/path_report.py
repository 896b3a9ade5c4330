"""A path's report: can it be followed, how long does it take, which leg works hardest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.motion.check import CONFIDENCE, check_path
from gough.motion.histories import check_samples, path_history
from gough.motion.path_check import PathCheck
from gough.motion.planned_path import PlannedPath, time_path
from gough.motion.timing.timed_path import TimedPath
from gough.motion.uncertainty import UncertaintyLike
from gough.results import Quantities, Result

if TYPE_CHECKING:
    import xarray

Progress = Callable[[str, int, int], None] | None

SAMPLES = 2001
"""Times of a history."""
LOOKS = 4000
"""Times of the motion looked at for the time it takes with and without a feed."""
SHARED = "feed or head"
"""What holds a motion back that a tool head shares: the tool's feed, or a joint of the head at its top speed."""
SHARE_KEPT = 1 + 1e-3
"""Shares of limits that count as kept: between samples a motion on a limit is there to a small part."""


@dataclass(frozen=True, eq=False)
class LegWork:
    """What each leg does on a path, (6,) each, in SI.

    Attributes
    ----------
    lowest, highest : joint coordinate [m or rad].
    travel : its accumulated travel, back and forth [m or rad].
    peak_rate, rms_rate, peak_acceleration : of the joint.
    peak_force, rms_power : of the actuator [N or N m, W]; None for machines without masses.
    hardest : the leg that works hardest, counted from 1: by the mean square of its power where masses are known,
        otherwise by its travel.

    """

    lowest: Array
    highest: Array
    travel: Array
    peak_rate: Array
    rms_rate: Array
    peak_acceleration: Array
    peak_force: Array | None
    rms_power: Array | None

    @property
    def hardest(self) -> int:  # noqa: D102
        return int(np.argmax(self.travel if self.rms_power is None else self.rms_power)) + 1

    @classmethod
    def of(cls, data: xarray.Dataset) -> LegWork:
        """From a history."""
        t = data["time"].to_numpy()
        q, rate = data["joint"].to_numpy(), data["joint_rate"].to_numpy()
        force = np.abs(data["force"].to_numpy()).max(axis=0) if "force" in data else None
        return cls(
            lowest=q.min(axis=0),
            highest=q.max(axis=0),
            travel=np.abs(np.diff(q, axis=0)).sum(axis=0),
            peak_rate=np.abs(rate).max(axis=0),
            rms_rate=_root_mean_square(t, rate),
            peak_acceleration=np.abs(data["joint_acceleration"].to_numpy()).max(axis=0),
            peak_force=force,
            rms_power=_root_mean_square(t, data["power"].to_numpy()) if "power" in data else None,
        )


@dataclass(frozen=True, eq=False)
class PathReport(Result):
    """A path judged and carried out.

    Attributes
    ----------
    plan : PlannedPath
    check : PathCheck
        Of the geometry, against every limit of poses.
    motion : TimedPath or None
        None where the legs cannot follow; `why_not` says why.
    why_not : str
    history : xarray.Dataset or None
        Of the motion.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "worst_share": "1",
    }

    plan: PlannedPath
    check: PathCheck
    motion: TimedPath | None
    why_not: str
    history: xarray.Dataset | None

    def __str__(self) -> str:
        return self.check.sentence()

    @property
    def is_feasible(self) -> bool | None:
        """Whether the machine can follow; None where that is not proven."""
        if self.check.broken or self.motion is None or self.worst_share > SHARE_KEPT:
            return False
        return True if self.check.is_kept else None

    @cached_property
    def work(self) -> LegWork | None:
        """What the legs do."""
        return None if self.history is None else LegWork.of(self.history)

    @cached_property
    def _shares(self) -> tuple[float, str]:
        if self.motion is None or not self.motion.limits.names:
            return self._force_beside_head
        share = self.motion.shares()["share"]
        return max((float(share.max()), str(share.max("time").idxmax())), self._force_beside_head)

    @property
    def _force_beside_head(self) -> tuple[float, str]:
        """The same of the forces under a head that moves, which timing takes as fixed."""
        allowed = self.plan.machine.limits.actuator_force
        if self.plan.head is None or self.history is None or "force" not in self.history or allowed is None:
            return 0.0, ""
        share = np.abs(self.history["force"].to_numpy()).max(axis=0) / allowed
        return float(share.max()), f"leg {int(np.argmax(share)) + 1} force"

    @property
    def worst_share(self) -> float:
        """Largest part of a speed, acceleration or force limit that is taken: above 1 where times are too short."""
        return self._shares[0]

    @property
    def worst_limit(self) -> str:
        """Which limit that is."""
        return self._shares[1]

    @cached_property
    def times(self) -> dict[str, float]:
        """Time spent with the plan's feeds, in rapid moves, and at rest [s]."""
        if self.motion is None:
            return {}
        segment = self.plan.segment_at(self.motion.parameter(self.motion.moving_times(LOOKS)))
        rest = float(np.diff(self.motion.rests).sum())
        moving = self.motion.duration - rest
        rapid = float(self.plan.is_rapid[segment].mean()) * moving
        return {"feed": moving - rapid, "rapid": rapid, "rest": rest}

    @cached_property
    def binding(self) -> dict[str, float]:
        """What holds the motion back, and for which part of its moving time, the longest first."""
        found: dict[str, float] = {}
        for name, part in ({} if self.motion is None else self.motion.binding()).items():
            of_tool = self.plan.tool is not None and name.endswith("feed")
            key = SHARED if of_tool else name
            found[key] = found.get(key, 0.0) + part
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @checks_arguments
    def sentences(self, what: str, most: int = 5) -> list[str]:
        """Where limits are broken, or may be, in words; `what` is what the plan's numbers count ("line")."""
        stretches = [*self.check.broken, *self.check.unproven]
        found = []
        for stretch in stretches[:most]:
            first, last = self.plan.number[self.plan.segment_at(np.array([stretch.start, stretch.end]))]
            place = f"{what} {first}" if first == last else f"{what}s {first} to {last}"
            unsure = "" if stretch in self.check.broken else "not proven: "
            found.append(f"{place}: {unsure}{stretch.sentence}")
        if len(stretches) > most:
            found.append(f"and {len(stretches) - most} more")
        if self.worst_share > SHARE_KEPT:
            found.append(f"{self.worst_limit}: {100 * self.worst_share:.4g} % of what is allowed")
        return found


@checks_arguments
def path_report(
    plan: PlannedPath | TimedPath,
    *,
    samples: int = SAMPLES,
    uncertainty: UncertaintyLike | None = None,
    confidence: float = CONFIDENCE,
    progress: Progress = None,
    **timing: Any,
) -> PathReport:
    """Judge a path, time it and carry it out.

    Parameters
    ----------
    plan : PlannedPath or TimedPath
        A plan is given its times by `gough.motion.time_path`, or a plan that has times already.
    samples : int
        Times of the history, at least 2.
    uncertainty, confidence
        Of the poses, see `gough.motion.check_path`: the limits are checked of all poses so near the path.
    progress : callable, optional
        Called with what is done, how much of it, and how much there is.
    **timing
        As in `gough.motion.time_path`.

    Returns
    -------
    PathReport
        A path that cannot be timed has no motion and no history; `why_not` says why.

    Raises
    ------
    InputError
        Fewer than 2 samples, or a motion whose path is no plan.

    """

    def report(what: str) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, total: progress(what, done, total)

    check_samples(samples)
    motion = plan if isinstance(plan, TimedPath) else None
    path = plan.path if isinstance(plan, TimedPath) else plan
    if not isinstance(path, PlannedPath):
        raise InputError("plan: the motion's path is no plan; gough.motion.check_path checks any path")
    check = check_path(path.machine, path, uncertainty=uncertainty, confidence=confidence, progress=report("checking"))
    why_not = ""
    if motion is None:
        try:
            motion = time_path(path, progress=report("timing"), **timing)
        except InputError as error:
            why_not = str(error)
    history = None if motion is None else path_history(motion, samples=samples)
    return PathReport(path, check, motion, why_not, history)


def _root_mean_square(t: Array, values: Array) -> Array:
    return np.asarray(np.sqrt(np.trapezoid(values**2, t, axis=0) / (t[-1] - t[0])))
