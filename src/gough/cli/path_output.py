"""What a path asks of a machine, written out: the answer for people and programs, the legs over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.cli.dataset import counted, titled
from gough.cli.machine import units_of
from gough.cli.output import csv_text, is_netcdf, json_text, print_table
from gough.cli.pose_input import Orientation
from gough.cli.pose_output import pose_columns, pose_values
from gough.files import write_whole
from gough.machine import Machine
from gough.motion.path_report import LegWork, PathReport

if TYPE_CHECKING:
    from gough.cli.path_input import ReadPath

Array = NDArray[np.float64]

SHORT = {"joint": "q", "joint_rate": "qd", "joint_acceleration": "qdd", "force": "force", "power": "power"}
"""Quantities of the legs, and what their columns are called."""
TOLD = 4
"""Limits named that hold the motion back."""


def write_path(found: PathReport, read: ReadPath, machine: Machine, orientation: Orientation, output: Path) -> None:
    """The history of the legs: netCDF where the file's name ends in .nc, else CSV."""
    from gough.errors import InputError

    data = found.history
    if data is None:
        raise InputError(f"--output: there is no motion to write: {found.why_not}")
    if is_netcdf(output):
        flags = {name: ("time", data[name].to_numpy().astype("i1")) for name in ("allowed", "is_rapid")}
        write_whole(output, bytes(data.drop_vars(list(flags)).assign(flags).to_netcdf(engine="scipy")))
        return
    units = machine.units
    columns: dict[str, Any] = {"time_s": data["time"].to_numpy(), read.counts: data["number"].to_numpy()}
    columns |= pose_columns(pose_values(data["pose"].to_numpy(), orientation, units), units)
    columns |= {
        f"tip_{axis}_{units.length}": data["tip"].to_numpy()[:, k] / units.metres for k, axis in enumerate("xyz")
    }
    for name, short in SHORT.items():
        if name in data:
            size, unit = counted(data[name].attrs["units"], units)
            columns |= {titled(f"{short}{i + 1}", unit): data[name].to_numpy()[:, i] / size for i in range(6)}
    if "head_joint" in data and machine.head is not None:
        for k, (joint, unit) in enumerate(zip(machine.head.moving, machine.head.units, strict=True)):
            size, name = counted(unit, units)
            columns[titled(f"head_{joint.name}".replace(" ", "_"), name)] = data["head_joint"].to_numpy()[:, k] / size
    columns["margin"] = data["margin"].to_numpy()
    write_whole(output, csv_text(columns))


def tell_path(found: PathReport, read: ReadPath, machine: Machine, *, as_json: bool) -> None:
    """The answer: as JSON, or in words and a table."""
    if as_json:
        print(json_text(_document(found, read, machine)), end="")
        return
    for fact in read.facts:
        print(f"{fact}.")
    print(verdict(found, read))
    for sentence in found.sentences(read.counts):
        print(f"  {sentence}")
    if found.motion is None:
        print(f"It cannot be timed: {found.why_not}")
        return
    times = ", ".join(f"{seconds:.4g} s {what}" for what, seconds in found.times.items() if seconds > 0)
    print(f"It takes {found.motion.duration:.4g} s: {times}.")
    binding = [f"{name} {100 * part:.3g} %" for name, part in list(found.motion.binding().items())[:TOLD]]
    print(f"Held back by: {', '.join(binding)} of the time.")
    low, high = np.rad2deg(found.plan.roll)
    if low != high or low != 0:
        print(f"Roll about the tool: {low:.4g} deg" + (f" to {high:.4g} deg." if high != low else " throughout."))
    _print_legs(found, machine)


def verdict(found: PathReport, read: ReadPath) -> str:
    """Whether the machine can follow, in a sentence."""
    if found.is_feasible:
        return f"Feasible: every limit is kept all along, proven over {found.check.looked} intervals."
    if found.is_feasible is None:
        return f"Nothing speaks against it, but it is not proven: {found.check.sentence()}."
    return "Not feasible:" if found.sentences(read.counts) else "Not feasible."


def _print_legs(found: PathReport, machine: Machine) -> None:
    work, scale, unit = found.work, machine.joint_scale, machine.joint_unit
    if work is None:
        return
    header = ["leg", f"lowest [{unit}]", f"highest [{unit}]", f"travel [{unit}]", f"peak rate [{unit}/s]"]
    columns = [value / scale for value in (work.lowest, work.highest, work.travel, work.peak_rate)]
    if machine.limits.joint_speed is not None:
        header.append("of top speed [%]")
        columns.append(100 * work.peak_rate / machine.limits.joint_speed)
    header.append(f"peak acceleration [{unit}/s2]")
    columns.append(work.peak_acceleration / scale)
    if work.peak_force is not None and work.rms_power is not None:
        header += [f"peak force [{'N' if machine.legs.joint == 'length' else 'N m'}]", "RMS power [W]"]
        columns += [work.peak_force, work.rms_power]
    rows = [[str(i + 1), *(f"{column[i]:.6g}" for column in columns)] for i in range(6)]
    print_table(header, rows, numeric=range(len(header)))
    k = work.hardest - 1
    why = f"a travel of {work.travel[k] / scale:.4g} {unit}"
    if work.rms_power is not None:
        why = f"{work.rms_power[k]:.4g} W in the root mean square"
    print(f"Leg {work.hardest} works hardest: {why}.")


def _document(found: PathReport, read: ReadPath, machine: Machine) -> dict[str, Any]:
    motion, work = found.motion, found.work
    document: dict[str, Any] = {
        "machine": machine.name,
        "units": units_of(machine),
        "source": found.plan.where,
        "feasible": found.is_feasible,
        "verdict": found.check.verdict,
        "intervals": found.check.looked,
        "tightest": found.check.tightest,
        "stretches": _stretches(found, read.counts),
        "roll_deg": np.rad2deg(found.plan.roll),
        "duration_s": None if motion is None else motion.duration,
    }
    if motion is None or work is None:
        return {**document, "why_not": found.why_not}
    return {
        **document,
        "times_s": found.times,
        "held_back_by": motion.binding(),
        "worst_share": found.worst_share,
        "worst_limit": found.worst_limit,
        "hardest_leg": work.hardest,
        "legs": _legs(work, machine.joint_scale),
    }


def _stretches(found: PathReport, counts: str) -> list[dict[str, Any]]:
    """Where limits are broken or not proven."""
    stretches = [("broken", each) for each in found.check.broken] + [
        ("unproven", each) for each in found.check.unproven
    ]
    number = found.plan.number
    return [
        {
            "verdict": verdict,
            f"first_{counts}": int(number[found.plan.segment_at(stretch.start)]),
            f"last_{counts}": int(number[found.plan.segment_at(stretch.end)]),
            "limits": list(stretch.limits),
            "sentence": stretch.sentence,
        }
        for verdict, stretch in stretches
    ]


def _legs(work: LegWork, scale: float) -> dict[str, Any]:
    """What the legs do, six numbers each."""
    return {
        "lowest": work.lowest / scale,
        "highest": work.highest / scale,
        "travel": work.travel / scale,
        "peak_rate": work.peak_rate / scale,
        "rms_rate": work.rms_rate / scale,
        "peak_acceleration": work.peak_acceleration / scale,
        "peak_force": work.peak_force,
        "rms_power_W": work.rms_power,
    }
