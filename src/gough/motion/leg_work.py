"""What each leg does on a path: range, travel, speeds, force and power, and which works hardest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.dynamics.drive_peaks import force_name
from gough.machine import Machine
from gough.present.answer import Field
from gough.present.show import Show, significant
from gough.present.units import force_unit

if TYPE_CHECKING:
    import xarray


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

    def hardest_in_words(self, machine: Machine) -> str:
        """The leg that works hardest, and by what: "2, a travel of 124.4 mm"."""
        k = self.hardest - 1
        if self.rms_power is not None:
            return f"{self.hardest}, {significant(self.rms_power[k])} W in the root mean square"
        return f"{self.hardest}, a travel of {Show(machine).with_unit(self.travel[k], machine.legs.joint_unit)}"

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


def _root_mean_square(t: Array, values: Array) -> Array:
    return np.asarray(np.sqrt(np.trapezoid(values**2, t, axis=0) / (t[-1] - t[0])))
