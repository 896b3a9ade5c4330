"""Forces and powers of a stated motion, and how well a simple controller follows it, where bodies' masses are known."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Column, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.dynamics.histories import drive_peaks, saturated_part, unit_of_peak
from gough.errors import NotConvergedError
from gough.present.show import jsonable, significant
from gough.statics.weights import masses_in_words

PART_OF_TRAVEL = 0.5
"""Part of the travel to the first limit that the stated motion takes."""
PART_OF_SPEED = 0.5
"""And so quickly that no joint exceeds this part of its top speed, nor of its top acceleration."""
LEAST_STROKE = 1e-9
"""Of the machine's size: travel below it is none, to rounding."""
WITHOUT_LIMITS = 0.05
"""Of the machine's size: the stroke where nothing limits the motion."""
HALF_PERIOD = 1.0
"""[s], where neither speeds nor accelerations are limited."""
QUICKER = 20.0
"""Bandwidth of the controller, times the half period [rad]: 3 Hz for a motion of one second."""
RTOL = 1e-6
"""Of the simulation: its errors stay far below those of the controller."""


def dynamics(sheet: Datasheet) -> Section | None:
    """Table of peaks and means, figure of the forces; tracking error of a controller on each leg."""
    m = sheet.machine
    if m.platform is None or not m.leg_bodies or sheet.is_singular:
        return None
    motion = stated_motion(sheet)
    if motion is None:
        why = "A limit is reached at home itself, so no motion is stated from there."
        return Section("dynamics", "Forces in motion", [Text(why, is_warning=True)], numbers={"motion": why})
    data = gough.dynamics.motion_loads(m, motion)
    words = _words(sheet, motion)
    blocks: list[Block] = [Text(words), *_warnings(data), _table(sheet, data), _picture(sheet, data)]
    numbers = {key: jsonable(data.attrs[key]) for key in ("peak_force", "rms_force", "peak_power", "rms_power")}
    tracked = _tracking(sheet, motion)
    if tracked is not None:
        blocks += tracked[0]
        numbers |= tracked[1]
    unit = data["force"].attrs["units"]
    peak = significant(float(data.attrs["peak_force"].max()), 3)
    return Section(
        key="dynamics",
        title="Forces in motion",
        blocks=blocks,
        cards=[Card(f"Largest {_force_name(sheet)} in motion", peak, unit, _short(sheet, motion))],
        numbers={
            "motion": words,
            "stroke": jsonable(2 * motion.amplitude),
            "stroke_unit": "m",
            "time": motion.half_period,
            "unit": unit,
            "power_unit": "W",
            **_used(data),
            **_peaks(sheet, data),
            **numbers,
        },
    )


def _warnings(data: Any) -> list[Block]:
    """Drive limits that the motion exceeds, if any."""
    words = data.attrs["drives_exceeded"]
    return [Text(f"The motion needs more of the drives than they allow: {words}.", is_warning=True)] if words else []


def _used(data: Any) -> dict[str, Any]:
    """Parts of the drives' limits that a history uses, for programs."""
    return {name: jsonable(value) for name, value in data.attrs.items() if name.startswith("used_")}


def _peaks(sheet: Datasheet, data: Any) -> dict[str, Any]:
    """Peak rates and accelerations of the joints, for programs."""
    numbers: dict[str, Any] = {}
    for drive in drive_peaks(sheet.machine, data):
        if drive.quantity != "force":
            per = "s" if drive.quantity == "speed" else "s2"
            numbers[f"peak_{drive.quantity}"] = jsonable(drive.peak)
            numbers[f"peak_{drive.quantity}_unit"] = f"{sheet.machine.legs.joint_unit}/{per}"
    return numbers


def stated_motion(sheet: Datasheet) -> gough.dynamics.CosineMotion | None:
    """Straight up or down, whichever goes farther, half the travel, half as quick; None without travel."""
    m = sheet.machine
    up = gough.dynamics.named_motion(m, "vertical", 1.0).direction
    ends = [float(gough.travel(m, sign * up).distance) for sign in (1.0, -1.0)]
    direction, stroke = (up, ends[0]) if ends[0] >= ends[1] else (-up, ends[1])
    if not stroke > LEAST_STROKE * m.size:
        return None
    stroke = PART_OF_TRAVEL * stroke if np.isfinite(stroke) else WITHOUT_LIMITS * m.size
    trial = gough.dynamics.CosineMotion(m.home, direction, 0.5 * stroke, HALF_PERIOD)
    return gough.dynamics.CosineMotion(m.home, direction, 0.5 * stroke, HALF_PERIOD * _slower(sheet, trial))


def _slower(sheet: Datasheet, trial: gough.dynamics.CosineMotion) -> float:
    """By what to stretch a motion's time so that the joints keep half their top speed and acceleration."""
    m = sheet.machine
    X, V, A = trial(np.linspace(*trial.span, 101))
    stretch = [1.0] if m.limits.joint_speed is None and m.limits.joint_acceleration is None else []
    if m.limits.joint_speed is not None:
        rate = np.abs(gough.joint_rates(m, X, V)).max(axis=0) / (PART_OF_SPEED * m.limits.joint_speed)
        stretch.append(float(rate.max()))
    if m.limits.joint_acceleration is not None:
        bend = np.abs(gough.kinematics.joint_accelerations(m, X, V, A)).max(axis=0)
        stretch.append(float(np.sqrt((bend / (PART_OF_SPEED * m.limits.joint_acceleration)).max())))
    return max(stretch)


def _force_name(sheet: Datasheet) -> str:
    return "force" if sheet.machine.legs.joint == "length" else "torque"


def _short(sheet: Datasheet, motion: gough.dynamics.CosineMotion) -> str:
    stroke = sheet.show.short(2 * motion.amplitude, "m")
    return f"{stroke} {sheet.show.unit('m')} in {significant(motion.half_period, 3)} s"


def _words(sheet: Datasheet, motion: gough.dynamics.CosineMotion) -> str:
    m = sheet.machine
    against = motion.direction[:3] @ m.gravity <= 0
    return (
        f"From home straight {'up' if against else 'down'}, {_short(sheet, motion)}, as the cosine "
        "1 − cos(πt/T) from rest to rest: half the travel, with no joint beyond half its top speed and "
        "acceleration where they are known. By virtual work over all bodies, with friction and rotors as far as the "
        f"machine file gives them; {masses_in_words(m)}. Positive drives the joint coordinate up."
    )


def _table(sheet: Datasheet, data: Any) -> Table:
    unit = data["force"].attrs["units"]
    name = _force_name(sheet)
    columns = [Column("leg", is_number=False), Column(f"peak {name}", unit), Column(f"RMS {name}", unit)]
    columns += [Column("peak power", "W"), Column("RMS power", "W")]
    found = [data.attrs[key] for key in ("peak_force", "rms_force", "peak_power", "rms_power")]
    rows = [[str(i + 1), *(significant(float(values[i])) for values in found)] for i in range(6)]
    for drive in drive_peaks(sheet.machine, data):
        if drive.quantity != "force":
            size, unit = unit_of_peak(sheet.machine, drive.quantity)
            columns.append(Column(f"peak {drive.quantity}", unit.replace("s2", "s²")))
            for i, row in enumerate(rows):
                row.append(significant(float(drive.peak[i] / size)))
        if drive.used is not None:
            columns.append(Column(f"{name if drive.quantity == 'force' else drive.quantity} used", "%"))
            for i, row in enumerate(rows):
                row.append(significant(100 * float(drive.used[i]), 3))
    return Table("What the motion needs of each actuator", columns, rows)


def _picture(sheet: Datasheet, data: Any) -> Picture:
    peak = significant(float(data.attrs["peak_force"].max()), 3)
    name = _force_name(sheet)
    return Picture(
        figure=plot.leg_histories(sheet.machine, data),
        caption=f"Actuator {name}s and powers over the motion; legs that do the same share a line.",
        description=f"Lines over time; the largest {name} is {peak} {data['force'].attrs['units']}.",
    )


def _tracking(sheet: Datasheet, motion: gough.dynamics.CosineMotion) -> tuple[list[Block], dict[str, Any]] | None:
    """The same motion under a controller on each leg by itself; None where that cannot be simulated."""
    m, show = sheet.machine, sheet.show
    bandwidth = QUICKER / motion.half_period
    try:
        pid = gough.dynamics.LegPID.tuned(m, motion, bandwidth, holds_weight=True)
        data = gough.simulate(m, m.home, np.zeros(6), pid, motion.half_period, stop_at=(), rtol=RTOL, atol=1e-3 * RTOL)
    except NotConvergedError:
        return None
    si, error = m.legs.joint_unit, np.abs(data["joint_error"].to_numpy()).max()
    worst = f"{significant(show.in_units(error, si), 3)} {show.unit(si)}"
    words = (
        f"A PID controller on each leg by itself, {significant(bandwidth / (2 * np.pi), 3)} Hz, that holds the "
        f"weight but knows nothing of the other legs follows this motion to {worst} at worst."
    )
    picture = Picture(
        figure=plot.leg_histories(m, data, ["joint_error", "force", "power"]),
        caption="The same motion simulated under that controller: errors of the joints, forces and powers.",
        description=f"Lines over time; the largest error of a joint is {worst}.",
    )
    cut = data.attrs["saturated"]
    blocks: list[Block] = [Text(words), *_warnings(data)]
    blocks += [Text(f"{cut[0].upper()}{cut[1:]}.", is_warning=True)] if cut else []
    return [*blocks, picture], {
        "bandwidth": bandwidth / (2 * np.pi),
        "bandwidth_unit": "Hz",
        "tracking_saturated": cut,
        "tracking_saturated_part": {
            name: saturated_part(data["time"].to_numpy(), data[f"{name}_saturated"].to_numpy())
            for name in ("speed", "force")
        },
        "tracking_error": jsonable(error),
        "tracking_error_unit": si,
    }
