"""Report on a path: feasibility, duration, binding limits, and the work of each leg."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.drive_peaks import drive_peaks, force_name, peak_unit, unresolved
from gough.dynamics.extremes import TOLERANCE, Extremes
from gough.errors import InputError
from gough.limits.ties import listed, tied
from gough.machine import Machine
from gough.motion.check import CONFIDENCE, BrokenLimit, PathCheck, Violation, check_path
from gough.motion.planned_path import PlannedPath, check_samples, path_extremes, path_history, time_path
from gough.motion.timed_path import NAMED, Profile, TimedPath, binding_shares
from gough.motion.uncertainty import UncertaintyLike
from gough.present.answer import Field, sentence
from gough.present.show import Show, counted, plain, significant
from gough.present.units import force_unit, percent
from gough.quantity import derived, quantity, result
from gough.results import Result

if TYPE_CHECKING:
    import xarray

REPORT_TIMES = 2001
"""Times of a history."""
STATED = 1e-3
"""Tolerance of the timing above which the answer states it."""
MOST_UNPROVEN = 5
"""Largest number of undecided stretches that are listed."""
SHARED = "feed or head"
"""Binding limit of a motion shared with a tool head: the tool's feed, or the top speed of a head joint."""
UTILISATION_KEPT = 1 + 1e-3
"""Utilisation up to which a limit counts as kept: a motion timed onto a limit overshoots it slightly between the places
of its schedule."""


@dataclass(frozen=True, eq=False)
class DriveUse:
    """Largest utilisation of a limit of speed, acceleration, force or feed on a motion.

    Attributes
    ----------
    name : str
    used : float
        Largest value over limit.
    time : float
        Of that value [s].
    peak, limit : float or None
        Value and limit [SI unit of `unit`]; None of feeds, whose limit changes.
    unit : str

    """

    name: str
    used: float
    time: float
    peak: float | None = None
    limit: float | None = None
    unit: str = ""

    def sentence(self, machine: Machine) -> str:
        """Return the utilisation in words, with the time."""
        when, used = f"at {plain(self.time, 6)} s", percent(self.used, 4)
        if self.peak is None or self.limit is None:
            return f"{self.name} {used} of what is allowed, {when}"
        peak, limit = (Show(machine).with_unit(value, self.unit, 4) for value in (self.peak, self.limit))
        return f"{self.name} {peak} {when}, allowed {limit}: {used} of what is allowed"


@dataclass(frozen=True, eq=False)
class LegWork:
    """Work of each leg on a path, (6,) each, in SI.

    Attributes
    ----------
    lowest, highest : joint coordinate [m or rad].
    travel : its accumulated travel, back and forth [m or rad].
    peak_rate, rms_rate, peak_acceleration : of the joint; no acceleration, None, where the speed jumps.
    peak_force, rms_power : of the actuator [N or N m, W]; None for machines without masses, and where the speed jumps.
    hardest : the leg that works hardest, counted from 1: by the mean square of its power where masses are known,
        otherwise by its travel.

    """

    lowest: Array
    highest: Array
    travel: Array
    peak_rate: Array
    rms_rate: Array
    peak_acceleration: Array | None
    peak_force: Array | None
    rms_power: Array | None

    @property
    def hardest(self) -> int:  # noqa: D102
        return int(np.argmax(self.travel if self.rms_power is None else self.rms_power)) + 1

    def hardest_in_words(self, machine: Machine) -> str:
        """Return the leg that works hardest, and by what: "2, a travel of 124.4 mm"."""
        k = self.hardest - 1
        if self.rms_power is not None:
            return f"{self.hardest}, {significant(self.rms_power[k])} W in the root mean square"
        return f"{self.hardest}, a travel of {Show(machine).with_unit(self.travel[k], machine.legs.joint_unit)}"

    def fields(self, machine: Machine, under: str = "") -> list[Field]:
        """Return fields with units and headings, and the used part of the top speed; `under` is a prefix of the
        keys."""
        q, top = machine.legs.joint_unit, machine.limits.joint_speed
        used = None if top is None else self.peak_rate / top
        fields = [
            Field(f"{under}lowest", self.lowest, q, head="lowest",
                doc="Lowest joint coordinate of each leg on the path."),
            Field(f"{under}highest", self.highest, q, head="highest",
                doc="Highest joint coordinate of each leg on the path."),
            Field(f"{under}travel", self.travel, q, head="travel", doc="Integral of |dq| over the path, of each leg."),
            Field(f"{under}peak_rate", self.peak_rate, f"{q}/s", head="peak rate", doc="Largest |dq/dt| of each leg."),
            Field(f"{under}rms_rate", self.rms_rate, f"{q}/s",
                doc="Root mean square over the duration of dq/dt of each leg."),
            Field(f"{under}of_top_speed", used, head="of top speed", shown="%", digits=3,
                doc="peak_rate over the machine file's joint_speed, of each leg; null without it."),
            Field(f"{under}peak_acceleration", self.peak_acceleration, f"{q}/s2", head="peak acceleration",
                doc="Largest |d2q/dt2| of each leg."),
            Field(f"{under}peak_force", self.peak_force, force_unit(machine), head=f"peak {force_name(machine)}",
                doc="Largest actuator force of each leg on the path, without sign: inverse dynamics with all "
                "known masses; null without them."),
            Field(f"{under}rms_power", self.rms_power, "W", head="RMS power",
                doc="Root mean square over the duration of actuator force times joint rate, of each leg; "
                "null without masses."),
        ]  # fmt: skip
        return [each if each.value is not None else replace(each, head="") for each in fields]

    @classmethod
    def of(cls, found: Mapping[str, Extremes], *, has_jumps: bool = False) -> LegWork:
        """Compute from the extremes of a motion, whose speed may jump."""
        joint, rate = found["joint"], found["joint_rate"]
        has_forces = "force" in found and not has_jumps
        return cls(
            lowest=joint.lowest,
            highest=joint.highest,
            travel=rate.path,
            peak_rate=rate.peak,
            rms_rate=rate.rms,
            peak_acceleration=None if has_jumps else found["joint_acceleration"].peak,
            peak_force=found["force"].peak if has_forces else None,
            rms_power=found["power"].rms if has_forces else None,
        )


@result
class PathReport(Result):
    """Check, motion and history of a planned path.

    Attributes
    ----------
    plan : PlannedPath
    check : PathCheck
        Of the geometry, against every limit of poses.
    motion : TimedPath or None
        None where the legs cannot follow; `why_not` has the reason.
    history : xarray.Dataset or None
        Of the motion.
    extremes : dict of str to Extremes, or None
        Of joints, actuators and feeds over the motion, see `gough.motion.planned_path.path_extremes`.

    """

    plan: PlannedPath
    check: PathCheck
    motion: TimedPath | None
    why_not: str = quantity("", is_listed=False, doc="Why the legs cannot follow; empty where they can.")
    history: xarray.Dataset | None
    extremes: Mapping[str, Extremes] | None = None

    @property
    def machine(self) -> Machine:
        """Of the plan."""
        return self.plan.machine

    @property
    @derived("s")
    def duration(self) -> float | None:
        """Time of the whole path, rests included [s]: along each piece the speed is, from rest to rest, the largest
        that keeps every limit of joint speed, joint acceleration and feed (Pham and Pham 2018; docs/motion.md), or that
        of the times given. None where there is no motion, and where a pose of the path breaks a limit."""
        return None if self.motion is None or not self.is_reachable else self.motion.duration

    @property
    @derived("rad", "end")
    def roll(self) -> tuple[float, float]:
        """Lowest and highest roll about the tool that was chosen where it was free [rad]."""
        return self.plan.roll

    @property
    @derived("")
    def is_feasible(self) -> bool | None:
        """Whether the machine can follow the path; None where that is not proven."""
        if self.check.broken or self.motion is None or self.exceeded:
            return False
        is_known = self.work is not None and not self.unresolved
        return True if self.check.is_proven and is_known else None

    @cached_property
    def work(self) -> LegWork | None:
        """Work of the legs; None where there is no motion, or a leg cannot close on it."""
        if self.extremes is None or any(each.undefined is not None for each in self.extremes.values()):
            return None
        return LegWork.of(self.extremes, has_jumps=self.has_jumps)

    @property
    @derived("", is_listed=False)
    def has_jumps(self) -> bool:
        """Whether the speed jumps within: nothing limits accelerations or forces, so that they have no peaks."""
        if self.motion is None or not isinstance(self.motion.schedule, Profile):
            return False
        limits = self.motion.limits
        return limits.acceleration is None and limits.force is None and self.motion.schedule.has_jumps

    @property
    def unresolved(self) -> str:
        """Sentence on the quantities whose extremes are not resolved; empty for none."""
        return "" if self.extremes is None else unresolved(self.extremes)

    @cached_property
    def uses(self) -> tuple[DriveUse, ...]:
        """Largest utilisation of every limit of the motion; of none where a leg cannot close."""
        return tuple(self._uses()) if self.work is not None else ()

    def _uses(self) -> Iterator[DriveUse]:
        assert self.motion is not None
        assert self.extremes is not None
        limits, machine = self.motion.limits, self.machine
        own = replace(
            machine.limits,
            joint_speed=limits.speed,
            joint_acceleration=limits.acceleration,
            actuator_force=limits.force if self.plan.head is None else machine.limits.actuator_force,
        )
        for part in drive_peaks(replace(machine, limits=own), self.extremes):
            if part.used is None or part.limit is None:
                continue
            unit = peak_unit(machine, part.quantity)
            for k in range(6):
                numbers = float(part.used[k]), float(part.time[k]), float(part.peak[k]), float(part.limit[k])
                yield DriveUse(f"leg {k + 1} {part.quantity}", *numbers, unit)
        if "feeds" in self.extremes:
            feeds = self.extremes["feeds"]
            names = [name for name in limits.names if name.endswith("feed")]
            for name, used, time in zip(names, feeds.peak.tolist(), feeds.when.tolist(), strict=True):
                yield DriveUse(name, used, time)
        if limits.jerk is not None:
            jerk, unit = self.extremes["joint_jerk"], f"{machine.legs.joint_unit}/s3"
            for k, (peak, limit) in enumerate(zip(jerk.peak.tolist(), limits.jerk.tolist(), strict=True)):
                yield DriveUse(f"leg {k + 1} jerk", peak / limit, float(jerk.when[k]), peak, limit, unit)

    @property
    def exceeded(self) -> list[DriveUse]:
        """Limits of the motion that are exceeded, by their times."""
        return sorted((use for use in self.uses if use.used > UTILISATION_KEPT), key=lambda use: use.time)

    @cached_property
    def _worst(self) -> DriveUse | None:
        """The first of those whose utilisation ties with the largest."""
        if not self.uses:
            return None
        return self.uses[int(np.argmax(tied([-use.used for use in self.uses])))]

    @property
    @derived("1")
    def worst_utilisation(self) -> float:
        """Largest utilisation of a speed, acceleration, force or feed limit: above 1 where times are too short."""
        return 0.0 if self._worst is None else max(use.used for use in self.uses)

    @property
    def worst_limit(self) -> str:
        """Name of the limit with the largest utilisation; of limits that tie the first."""
        return "" if self._worst is None else self._worst.name

    @cached_property
    def times(self) -> dict[str, float]:
        """Time spent with the plan's feeds, in rapid moves, and at rest [s]."""
        if self.motion is None:
            return {}
        begin, end = self.motion.span
        ends = np.concatenate([[begin], self.motion.when(self.plan.begins[1:]), [end]])
        rests = self.motion.rests
        # Time at rest before an instant: rises over the rests only.
        rested = np.insert(np.repeat(np.cumsum(np.diff(rests)), 2)[:-1], 0, 0.0)
        moving = np.diff(ends - (np.interp(ends, rests.ravel(), rested) if len(rests) else 0.0))
        rapid = float(moving[self.plan.is_rapid].sum())
        return {"feed": float(moving.sum()) - rapid, "rapid": rapid, "rest": float(np.diff(rests).sum())}

    @cached_property
    def binding(self) -> dict[str, float]:
        """Binding limits, each with the part of the moving time for which it binds, the largest first."""
        found: dict[str, float] = {}
        shares = {} if self.motion is None else binding_shares(self.motion.limits, self.extremes or {})
        for name, part in shares.items():
            # With a moving head the platform's feeds represent the tool's feed and the head's top speeds.
            of_tool = self.plan.tool is not None and name.endswith("feed")
            key = SHARED if of_tool else name
            found[key] = found.get(key, 0.0) + part
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def sentence(self) -> str:
        """Describe the feasibility in words."""
        if self.is_feasible:
            proven = f"proven over {counted(self.check.boxes, 'interval')}"
            kinds = list(dict.fromkeys(use.name.split(" ", 2)[-1] for use in self.uses))
            drives = f" for poses, found to {TOLERANCE:g} between all knots for {listed(kinds)}" if kinds else ""
            return f"feasible: every limit is kept along the whole path, {proven}{drives}{self._unknown}"
        if self.is_feasible is None:
            why = self.unresolved or self.check.sentence()
            return f"no computed pose violates a limit, but this is not a proof: {why}"
        return "not feasible"

    @property
    def _unknown(self) -> str:
        """Words on limits of forces that cannot be compared with forces."""
        is_known = self.machine.platform is not None or self.machine.limits.actuator_force is None
        return "" if is_known else f"; the {force_name(self.machine)}s, which are limited, are not known without masses"

    def sentences(self) -> list[str]:
        """Describe every broken limit at its worst, by lines, segments or rows of the plan; where limits are undecided;
        and why there are no times."""
        limits = self.check.broken_limits
        broken = [f"{self._place(each.stretches)}: {each.sentence}{self._at(each)}" for each in limits]
        unsure = [f"{self._place([each])}: not proven: {each.sentence}" for each in self.check.undecided]
        if len(unsure) > MOST_UNPROVEN:
            unsure[MOST_UNPROVEN:] = [f"and {len(unsure) - MOST_UNPROVEN} more"]
        drives = [f"{self._place_at(use.time)}: {use.sentence(self.machine)}" for use in self.exceeded]
        why = [] if self.motion is not None else [f"it cannot be timed: {self.why_not}"]
        return [*broken, *unsure, *drives, *why]

    def _place(self, stretches: Sequence[Violation]) -> str:
        """Lines, segments or rows of the first of some stretches, and the number of the others."""
        first, last = self._numbers(stretches[0])
        what, more = self.plan.counts, len(stretches) - 1
        place = f"{what} {first}" if first == last else f"{what}s {first} to {last}"
        return f"{place} and {counted(more, 'more stretch', 'more stretches')}" if more else place

    def _place_at(self, time: float) -> str:
        assert self.motion is not None
        return f"{self.plan.counts} {self.plan.number[self.plan.segment_at(self.motion.parameter(time))]}"

    def _at(self, limit: BrokenLimit) -> str:
        """Place and time of the smallest margin of a broken limit, where they say more than its stretch."""
        if self.motion is None:
            first, last = self._numbers(limit.stretches[0])
            if first == last and len(limit.stretches) == 1:
                return ""
            return f", worst in {self.plan.counts} {self.plan.number[self.plan.segment_at(limit.at)]}"
        time = float(self.motion.when(np.array([limit.at]))[0])
        return f", worst at {plain(time, 6)} s in {self._place_at(time)}"

    def verdict(self) -> list[str]:
        """Format lines of text: the verdict, and indented below it the violations and their causes."""
        words, places = sentence(self.sentence()), self.sentences()
        first = f"{words[:-1]}:" if self.is_feasible is False and places else words
        return [first, *(f"  {each}" for each in places)]

    def facts(self) -> dict[str, str]:
        """In words the duration, the binding limits, the roll about the tool, the limit with the smallest margin, and
        the leg that works hardest."""
        found: dict[str, str] = {}
        if self.duration is not None:
            times = ", ".join(f"{plain(seconds, 4)} s {what}" for what, seconds in self.times.items() if seconds > 0)
            found["duration"] = f"{plain(self.duration, 4)} s: {times}"
            binding = list(self.binding.items())[:NAMED]
            found["held back by"] = ", ".join(f"{name} ({percent(part, 3)} of the time)" for name, part in binding)
            within = None if self.motion is None else self.motion.within
            if within is not None and within > STATED:
                found["timing"] = f"within {percent(within, 2)} of the limits that bind"
        if self.has_jumps:
            found["accelerations"] = "not limited, so that the speed jumps; limit them for peaks of them and of forces"
        if any(self.roll):
            low, high = (Show(self.machine).with_unit(angle, "rad") for angle in self.roll)
            found["roll about the tool"] = low if low == high else f"{low} to {high}"
        if self.plan.spindle:
            found["tool"] = self.plan.spindle
        found["closest limit"] = self.check.tightest
        if self.work is not None and self.is_reachable:
            found["hardest leg"] = self.work.hardest_in_words(self.machine)
        return found

    @property
    @derived("", is_listed=False)
    def is_reachable(self) -> bool:
        """Whether no pose of the path is known to break a limit: times and forces elsewhere have no meaning."""
        return not self.check.broken

    @property
    def broken_limits(self) -> list[dict[str, Any]]:
        """Every broken limit at its worst, as records for JSON: its name, the line, segment or row, the time in s
        (null where there are no times), and a sentence."""
        key, found = self.plan.counts, []
        for each in self.check.broken_limits:
            time = None if self.motion is None else float(self.motion.when(np.array([each.at]))[0])
            number = int(self.plan.number[self.plan.segment_at(each.at)])
            found.append({"limit": each.name, key: number, "time_s": time, "sentence": each.sentence})
        for use in self.exceeded:
            assert self.motion is not None
            number = int(self.plan.number[self.plan.segment_at(self.motion.parameter(use.time))])
            sentence = use.sentence(self.machine)
            found.append({"limit": use.name, key: number, "time_s": use.time, "sentence": sentence})
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
            for verdict, stretches in (("refuted", self.check.broken), ("undecided", self.check.undecided))
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
    samples: int = REPORT_TIMES,
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
        A path that cannot be timed has no motion and no history; `why_not` has the reason.

    Raises
    ------
    InputError
        Fewer than 2 samples, or a motion whose path is not a plan.

    """

    def report(what: str) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, total: progress(what, done, total)

    check_samples(samples)
    motion = plan if isinstance(plan, TimedPath) else None
    path = plan.path if isinstance(plan, TimedPath) else plan
    if not isinstance(path, PlannedPath):
        raise InputError("plan: the motion's path is not a plan; use gough.motion.check_path for other paths")
    check = check_path(path.machine, path, uncertainty=uncertainty, confidence=confidence, progress=report("checking"))
    why_not = ""
    if motion is None:
        try:
            motion = time_path(path, progress=report("timing"), **timing)
        except InputError as error:
            why_not = str(error)
    if motion is None:
        return PathReport(path, check, None, why_not, None)
    history = path_history(motion, samples=samples)
    if path.spindle:
        history.attrs |= {"spindle": path.spindle_side, "tool": path.spindle}
    return PathReport(path, check, motion, why_not, history, path_extremes(motion))
