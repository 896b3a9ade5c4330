"""Report on a path: feasibility, duration, binding limits, and the work of each leg."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.drive_peaks import force_name
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.check import CONFIDENCE, PathCheck, Violation, check_path
from gough.motion.planned_path import PlannedPath, check_samples, path_history, time_path
from gough.motion.timed_path import NAMED, TimedPath
from gough.motion.uncertainty import UncertaintyLike
from gough.present.answer import Field, sentence
from gough.present.show import Show, counted, plain, significant
from gough.present.units import force_unit, percent
from gough.results import Quantities, Result

if TYPE_CHECKING:
    import xarray

SAMPLES = 2001
"""Times of a history."""
MOVING_SAMPLES = 4000
"""Samples of the moving time, for the time spent with feeds and in rapid moves."""
SHARED = "feed or head"
"""Binding limit of a motion shared with a tool head: the tool's feed, or the top speed of a head joint."""
UTILISATION_KEPT = 1 + 1e-3
"""Utilisation up to which a limit counts as kept: a motion on a limit overshoots it slightly between samples."""


@dataclass(frozen=True, eq=False)
class LegWork:
    """Work of each leg on a path, (6,) each, in SI.

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

    def hardest_in_words(self, machine: Machine) -> str:
        """The leg that works hardest, and by what: "2, a travel of 124.4 mm"."""
        k = self.hardest - 1
        if self.rms_power is not None:
            return f"{self.hardest}, {significant(self.rms_power[k])} W in the root mean square"
        return f"{self.hardest}, a travel of {Show(machine).with_unit(self.travel[k], machine.legs.joint_unit)}"

    def fields(self, machine: Machine, under: str = "") -> list[Field]:
        """Fields with units and headings, and the used part of the top speed; `under` is a prefix of the keys."""
        q, top = machine.legs.joint_unit, machine.limits.joint_speed
        used = None if top is None else self.peak_rate / top
        fields = [
            Field(f"{under}lowest", self.lowest, q, head="lowest"),
            Field(f"{under}highest", self.highest, q, head="highest"),
            Field(f"{under}travel", self.travel, q, head="travel"),
            Field(f"{under}peak_rate", self.peak_rate, f"{q}/s", head="peak rate"),
            Field(f"{under}rms_rate", self.rms_rate, f"{q}/s"),
            Field(f"{under}of_top_speed", used, head="of top speed", shown="%", digits=3),
            Field(f"{under}peak_acceleration", self.peak_acceleration, f"{q}/s2", head="peak acceleration"),
            Field(f"{under}peak_force", self.peak_force, force_unit(machine), head=f"peak {force_name(machine)}"),
            Field(f"{under}rms_power", self.rms_power, "W", head="RMS power"),
        ]
        return [each if each.value is not None else replace(each, head="") for each in fields]

    @classmethod
    def of(cls, data: xarray.Dataset) -> LegWork:
        """From a history."""
        t, q, rate = (data[name].to_numpy() for name in ("time", "joint", "joint_rate"))

        def root_mean_square(values: Array) -> Array:
            return np.asarray(np.sqrt(np.trapezoid(values**2, t, axis=0) / (t[-1] - t[0])))

        return cls(
            lowest=q.min(axis=0),
            highest=q.max(axis=0),
            travel=np.abs(np.diff(q, axis=0)).sum(axis=0),
            peak_rate=np.abs(rate).max(axis=0),
            rms_rate=root_mean_square(rate),
            peak_acceleration=np.abs(data["joint_acceleration"].to_numpy()).max(axis=0),
            peak_force=np.abs(data["force"].to_numpy()).max(axis=0) if "force" in data else None,
            rms_power=root_mean_square(data["power"].to_numpy()) if "power" in data else None,
        )


@dataclass(frozen=True, eq=False)
class PathReport(Result):
    """Check, motion and history of a planned path.

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
        """Whether the machine can follow the path; None where that is not proven."""
        if self.check.broken or self.motion is None or self.worst_utilisation > UTILISATION_KEPT:
            return False
        return True if self.check.is_kept else None

    @cached_property
    def work(self) -> LegWork | None:
        """Work of the legs."""
        return None if self.history is None else LegWork.of(self.history)

    @cached_property
    def _utilisation(self) -> tuple[float, str]:
        """Largest utilisation and the name of its limit."""
        # Limits of the timing, at default samples of the motion, and forces with the moving head.
        if self.motion is None or not self.motion.limits.names:
            return self._force_with_head
        used = self.motion.limit_utilisation()["utilisation"]
        return max((float(used.max()), str(used.max("time").idxmax().item())), self._force_with_head)

    @property
    def _force_with_head(self) -> tuple[float, str]:
        """The same of the actuator forces with a moving head, whose inertial forces the timing neglects."""
        allowed = self.machine.limits.actuator_force
        if self.plan.head is None or self.history is None or "force" not in self.history or allowed is None:
            return 0.0, ""
        used = np.abs(self.history["force"].to_numpy()).max(axis=0) / allowed
        return float(used.max()), f"leg {int(np.argmax(used)) + 1} force"

    @property
    def worst_utilisation(self) -> float:
        """Largest utilisation of a speed, acceleration or force limit: above 1 where times are too short."""
        return self._utilisation[0]

    @property
    def worst_limit(self) -> str:
        """Name of the limit with the largest utilisation."""
        return self._utilisation[1]

    @cached_property
    def times(self) -> dict[str, float]:
        """Time spent with the plan's feeds, in rapid moves, and at rest [s]."""
        if self.motion is None:
            return {}
        segment = self.plan.segment_at(self.motion.parameter(self.motion.moving_times(MOVING_SAMPLES)))
        rest = float(np.diff(self.motion.rests).sum())
        moving = self.motion.duration - rest
        rapid = float(self.plan.is_rapid[segment].mean()) * moving
        return {"feed": moving - rapid, "rapid": rapid, "rest": rest}

    @cached_property
    def binding(self) -> dict[str, float]:
        """Binding limits, each with the part of the moving time for which it binds, the largest first."""
        found: dict[str, float] = {}
        for name, part in ({} if self.motion is None else self.motion.binding()).items():
            # With a moving head the platform's feeds represent the tool's feed and the head's top speeds.
            of_tool = self.plan.tool is not None and name.endswith("feed")
            key = SHARED if of_tool else name
            found[key] = found.get(key, 0.0) + part
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def sentence(self) -> str:
        """The feasibility in words."""
        if self.is_feasible:
            return f"feasible: every limit is kept all along, proven over {counted(self.check.looked, 'interval')}"
        if self.is_feasible is None:
            return f"no pose that was computed breaks a limit, but that is no proof: {self.check.sentence()}"
        return "not feasible"

    @checks_arguments
    def sentences(self, most: int = 5) -> list[str]:
        """Where limits are broken or undecided, by lines, segments or rows of the plan; and why it has no times."""
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
        """Lines of text: the sentence, and below it, indented, where and why not."""
        words, places = sentence(self.sentence()), self.sentences()
        first = f"{words[:-1]}:" if self.is_feasible is False and places else words
        return [first, *(f"  {each}" for each in places)]

    def facts(self) -> dict[str, str]:
        """In words the duration, the binding limits, the roll about the tool, the limit with the smallest margin, and
        the leg that works hardest."""
        found: dict[str, str] = {}
        if self.motion is not None:
            times = ", ".join(f"{plain(seconds, 4)} s {what}" for what, seconds in self.times.items() if seconds > 0)
            found["duration"] = f"{plain(self.motion.duration, 4)} s: {times}"
            binding = list(self.binding.items())[:NAMED]
            found["held back by"] = ", ".join(f"{name} ({percent(part, 3)} of the time)" for name, part in binding)
        if any(self.roll):
            low, high = (Show(self.machine).with_unit(angle, "rad") for angle in self.roll)
            found["roll about the tool"] = low if low == high else f"{low} to {high}"
        if self.plan.spindle:
            found["tool"] = self.plan.spindle
        found["closest limit"] = self.check.tightest
        if self.work is not None:
            found["hardest leg"] = self.work.hardest_in_words(self.machine)
        return found

    @property
    def stretches(self) -> list[dict[str, Any]]:
        """Where limits are broken or undecided, as records for JSON."""
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
        """First and last line, segment or row of a violation."""
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
    """Check a path, time it, and compute the motion's history.

    Parameters
    ----------
    plan : PlannedPath or TimedPath
        A plan is timed by `gough.motion.time_path`; or a plan that has times already.
    samples : int
        Times of the history, at least 2.
    uncertainty, confidence
        Of the poses, see `gough.motion.check_path`: the limits are checked for all poses so near the path.
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
    if history is not None and path.spindle:
        history.attrs |= {"spindle": path.spindle_side, "tool": path.spindle}
    return PathReport(path, check, motion, why_not, history)
