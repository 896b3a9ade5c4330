"""A path judged, timed and carried out: how long it takes, what holds it back, which leg works hardest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.check import CONFIDENCE, check_path
from gough.motion.leg_work import LegWork
from gough.motion.path_check import PathCheck, Violation
from gough.motion.planned_path import PlannedPath, check_samples, path_history, time_path
from gough.motion.timed_path import TimedPath
from gough.motion.uncertainty import UncertaintyLike
from gough.present.answer import sentence
from gough.present.show import Show, plain
from gough.present.units import percent
from gough.results import Quantities, Result

if TYPE_CHECKING:
    import xarray

SAMPLES = 2001
"""Times of a history."""
LOOKS = 4000
"""Times of the motion looked at for the time it takes with and without a feed."""
SHARED = "feed or head"
"""What holds a motion back that a tool head shares: the tool's feed, or a joint of the head at its top speed."""
UTILISATION_KEPT = 1 + 1e-3
"""Of limits that count as kept: between samples a motion on a limit is there to a small part."""
NAMED = 4
"""Limits named that hold the motion back."""


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
        "duration": "s",
        "roll": ("rad", "end"),
        "worst_utilisation": "1",
    }

    plan: PlannedPath
    check: PathCheck
    motion: TimedPath | None
    why_not: str
    history: xarray.Dataset | None

    @property
    def machine(self) -> Machine:
        """Of the plan."""
        return self.plan.machine

    @property
    def duration(self) -> float | None:
        """[s]; None where there is no motion."""
        return None if self.motion is None else self.motion.duration

    @property
    def roll(self) -> tuple[float, float]:
        """Lowest and highest roll about the tool that was chosen where it was free [rad]."""
        return self.plan.roll

    @property
    def is_feasible(self) -> bool | None:
        """Whether the machine can follow; None where that is not proven."""
        if self.check.broken or self.motion is None or self.worst_utilisation > UTILISATION_KEPT:
            return False
        return True if self.check.is_kept else None

    @cached_property
    def work(self) -> LegWork | None:
        """What the legs do."""
        return None if self.history is None else LegWork.of(self.history)

    @cached_property
    def _utilisation(self) -> tuple[float, str]:
        if self.motion is None or not self.motion.limits.names:
            return self._force_beside_head
        used = self.motion.limit_utilisation()["utilisation"]
        return max((float(used.max()), str(used.max("time").idxmax().item())), self._force_beside_head)

    @property
    def _force_beside_head(self) -> tuple[float, str]:
        """The same of the forces under a head that moves, which timing takes as fixed."""
        allowed = self.machine.limits.actuator_force
        if self.plan.head is None or self.history is None or "force" not in self.history or allowed is None:
            return 0.0, ""
        used = np.abs(self.history["force"].to_numpy()).max(axis=0) / allowed
        return float(used.max()), f"leg {int(np.argmax(used)) + 1} force"

    @property
    def worst_utilisation(self) -> float:
        """Largest part of a speed, acceleration or force limit that is taken: above 1 where times are too short."""
        return self._utilisation[0]

    @property
    def worst_limit(self) -> str:
        """Which limit that is."""
        return self._utilisation[1]

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

    def sentence(self) -> str:
        """Whether the machine can follow, in words."""
        if self.is_feasible:
            return f"feasible: every limit is kept all along, proven over {self.check.looked} intervals"
        if self.is_feasible is None:
            return f"no pose that was computed breaks a limit, but that is no proof: {self.check.sentence()}"
        return "not feasible"

    @checks_arguments
    def sentences(self, most: int = 5) -> list[str]:
        """Where limits are broken, or may be, by the lines, segments or rows of the plan; and why it has no times."""
        stretches = [*self.check.broken, *self.check.unproven]
        found = []
        for stretch in stretches[:most]:
            first, last = self._numbers(stretch)
            what = self.plan.counts
            place = f"{what} {first}" if first == last else f"{what}s {first} to {last}"
            unsure = "" if stretch in self.check.broken else "not proven: "
            found.append(f"{place}: {unsure}{stretch.sentence}")
        if len(stretches) > most:
            found.append(f"and {len(stretches) - most} more")
        if self.worst_utilisation > UTILISATION_KEPT:
            found.append(f"{self.worst_limit}: {percent(self.worst_utilisation, 4)} of what is allowed")
        return found if self.motion is not None else [*found, f"it cannot be timed: {self.why_not}"]

    def verdict(self) -> list[str]:
        """Lines for people: the sentence, and below it, indented, where and why not."""
        words, places = sentence(self.sentence()), self.sentences()
        first = f"{words[:-1]}:" if self.is_feasible is False and places else words
        return [first, *(f"  {each}" for each in places)]

    def facts(self) -> dict[str, str]:
        """In words how long it takes, what holds it back, the roll about the tool, the limit that is nearest, and the
        leg that works hardest."""
        found: dict[str, str] = {}
        if self.motion is not None:
            times = ", ".join(f"{plain(seconds, 4)} s {what}" for what, seconds in self.times.items() if seconds > 0)
            found["duration"] = f"{plain(self.motion.duration, 4)} s: {times}"
            binding = list(self.binding.items())[:NAMED]
            found["held back by"] = ", ".join(f"{name} ({percent(part, 3)} of the time)" for name, part in binding)
        if any(self.roll):
            low, high = (Show(self.machine).with_unit(angle, "rad") for angle in self.roll)
            found["roll about the tool"] = low if low == high else f"{low} to {high}"
        found["closest limit"] = self.check.tightest
        if self.work is not None:
            found["hardest leg"] = self.work.hardest_in_words(self.machine)
        return found

    @property
    def stretches(self) -> list[dict[str, Any]]:
        """Where limits are broken or left open, as JSON has them."""
        return [
            {
                "verdict": verdict,
                f"first_{self.plan.counts}": first,
                f"last_{self.plan.counts}": last,
                "limits": list(stretch.limits),
                "sentence": stretch.sentence,
            }
            for verdict, stretches in (("broken", self.check.broken), ("unproven", self.check.unproven))
            for stretch in stretches
            for first, last in [self._numbers(stretch)]
        ]

    def _numbers(self, stretch: Violation) -> tuple[int, int]:
        """Line, segment or row in which it begins, and that in which it ends."""
        first, last = self.plan.number[self.plan.segment_at([stretch.start, stretch.end])].tolist()
        return first, last


@checks_arguments
def path_report(
    plan: PlannedPath | TimedPath,
    *,
    samples: int = SAMPLES,
    uncertainty: UncertaintyLike | None = None,
    confidence: float = CONFIDENCE,
    progress: Callable[[str, int, int], None] | None = None,
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
