"""What is known of a path: where limits are broken or not proven, how long it takes, which leg works hardest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.drive_peaks import force_name
from gough.limits.table import Column
from gough.machine import Machine
from gough.motion.paths.path import Path
from gough.motion.planned_path import PlannedPath
from gough.motion.timing.timed_path import TimedPath
from gough.present.answer import OF_EACH_LIMIT, Field
from gough.present.units import file_unit, force_unit, in_file_units, percent
from gough.results import Quantities, Result

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class Violation:
    """A part of a path on which a limit is broken, or none is proven to be kept.

    Attributes
    ----------
    start, end : float
        Where it begins and ends, to the tolerance of the check.
    limits : tuple of str
        The limits concerned: those broken, or those whose bounds do not prove them; the first to be broken first.
    legs : tuple of int
        The legs of the first of them, counted from 1; none for the tool's limits and singularities.
    worst : float
        Smallest margin of the first limit that was seen on the stretch, in its SI unit.
    at : float
        Where that is.
    pose : (4, 4) array
        The platform's pose there; with an uncertainty the one near it with that margin.
    sentence : str
        The first limit in words, at its worst.

    """

    start: float
    end: float
    limits: tuple[str, ...]
    legs: tuple[int, ...]
    worst: float
    at: float
    pose: Array
    sentence: str


@dataclass(frozen=True, eq=False)
class PathCheck(Result):
    """What is known of a path and a machine's limits.

    Attributes
    ----------
    verdict : {"kept", "broken", "unproven", "sampled"}
        "kept": no limit is broken anywhere; proven. "broken": `broken` says where. "unproven": nothing broken was met,
        and `unproven` says which parts could not be decided. "sampled": nothing broken was met at the places looked at,
        and nothing is proven between them.
    broken, unproven : tuple of Violation
        In the order of the path.
    least : Array
        Smallest margin (k,) seen of each limit, in SI.
    columns : tuple of Column
        The limits.
    looked : int
        Intervals looked at.
    path : Path
    machine : Machine
    uncertainty : (float, float)
        Largest distance [m] and angle [rad] from the path within which poses were checked.
    confidence : float or None
        Of the ellipsoids of a covariance's errors, within which they were.

    """

    QUANTITIES: ClassVar[Quantities] = {"least": (OF_EACH_LIMIT, "limit"), "looked": "1"}

    verdict: Literal["kept", "broken", "unproven", "sampled"]
    broken: tuple[Violation, ...]
    unproven: tuple[Violation, ...]
    least: Array
    columns: tuple[Column, ...]
    looked: int
    path: Path
    machine: Machine
    uncertainty: tuple[float, float] = (0.0, 0.0)
    confidence: float | None = None

    @property
    def is_kept(self) -> bool:
        """Whether it is proven that every limit is kept."""
        return self.verdict == "kept"

    @property
    def first_crossing(self) -> float | None:
        """Where a limit is first crossed; None if nowhere."""
        return self.broken[0].start if self.broken else None

    @property
    def tightest(self) -> str:
        """Name of the limit that came nearest, measured in its scale."""
        relative = self.least / np.array([column.scale for column in self.columns])
        return self.columns[int(np.nanargmin(relative))].name

    @property
    def _tube(self) -> str:
        """The uncertainty in words."""
        if not any(self.uncertainty):
            return ""
        m, pairs = self.machine, zip(self.uncertainty, ("m", "rad"), strict=True)
        amounts = [f"{float(in_file_units(m, value, unit)):.6g} {file_unit(m, unit)}" for value, unit in pairs]
        if self.confidence is not None:
            return f" or within {percent(self.confidence, 6)} of its errors, at most {' and '.join(amounts)}"
        return f" or within {' and '.join(amounts)} of it"

    def sentence(self) -> str:
        """The verdict in words."""
        if self.verdict == "kept":
            return f"kept: no limit is crossed anywhere on the path{self._tube}, proven over {self.looked} intervals"
        if self.verdict == "sampled":
            return f"sampled: no limit is crossed at {self.looked + 1} places; between them nothing is proven"
        if self.verdict == "unproven":
            first = self.unproven[0]
            more = f", and {len(self.unproven) - 1} more" if len(self.unproven) > 1 else ""
            return (
                f"unproven: from s = {first.start:.9g} to {first.end:.9g} {first.limits[0]} can neither be proven nor "
                f"refuted ({first.sentence}){more}"
            )
        first = self.broken[0]
        more = f"; {len(self.broken)} such stretches in all" if len(self.broken) > 1 else ""
        return f"broken from s = {first.start:.9g} to {first.end:.9g}: {first.sentence}{more}"


LOOKS = 4000
"""Times of the motion looked at for the time it takes with and without a feed."""
SHARED = "feed or head"
"""What holds a motion back that a tool head shares: the tool's feed, or a joint of the head at its top speed."""
UTILISATION_KEPT = 1 + 1e-3
"""Of limits that count as kept: between samples a motion on a limit is there to a small part."""


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

    def fields(self, machine: Machine, under: str = "") -> list[Field]:
        """The same with units and words, and the part of the top speed that is used; `under` is put before the keys."""
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
        "worst_utilisation": "1",
    }

    plan: PlannedPath
    check: PathCheck
    motion: TimedPath | None
    why_not: str
    history: xarray.Dataset | None

    def sentence(self) -> str:
        """Whether the machine can follow, in words."""
        if self.is_feasible:
            return f"feasible: every limit is kept all along, proven over {self.check.looked} intervals"
        if self.is_feasible is None:
            return f"no pose that was computed breaks a limit, but that is no proof: {self.check.sentence()}"
        return "not feasible"

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
        allowed = self.plan.machine.limits.actuator_force
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

    @checks_arguments
    def sentences(self, most: int = 5) -> list[str]:
        """Where limits are broken, or may be, in words, by the lines, segments or rows of the plan."""
        stretches = [*self.check.broken, *self.check.unproven]
        found = []
        for stretch in stretches[:most]:
            first, last = self.plan.number[self.plan.segment_at(np.array([stretch.start, stretch.end]))]
            what = self.plan.counts
            place = f"{what} {first}" if first == last else f"{what}s {first} to {last}"
            unsure = "" if stretch in self.check.broken else "not proven: "
            found.append(f"{place}: {unsure}{stretch.sentence}")
        if len(stretches) > most:
            found.append(f"and {len(stretches) - most} more")
        if self.worst_utilisation > UTILISATION_KEPT:
            found.append(f"{self.worst_limit}: {percent(self.worst_utilisation, 4)} of what is allowed")
        return found


def _root_mean_square(t: Array, values: Array) -> Array:
    return np.asarray(np.sqrt(np.trapezoid(values**2, t, axis=0) / (t[-1] - t[0])))
