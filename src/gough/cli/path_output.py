"""What a path needs of a machine: the answer for people and programs, the legs over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.command import Request
from gough.cli.histories import OF_LEGS, with_readings
from gough.machine import Machine
from gough.motion.path_report import LegWork, PathReport
from gough.present.answer import LEGS, Answer, Field, Words
from gough.present.fields import variables
from gough.present.units import force_unit

if TYPE_CHECKING:
    from gough.cli.path_input import ReadPath

NAMED = 4
"""Limits named that hold the motion back."""


def history(request: Request, found: PathReport, read: ReadPath) -> Answer:
    """The history of the legs."""
    assert found.history is not None
    data, head = with_readings(found.history, request.machine), request.machine.head
    fields = [
        *variables(data, {"time": ""}),
        Field(read.counts, data["number"].to_numpy()),
        *request.poses(data["pose"].to_numpy()),
        *variables(data, {"tip": "tip_{}"}),
        *variables(data, OF_LEGS, is_unit_in_key=True),
    ]
    if "head_joint" in data and head is not None:
        names = [joint.name for joint in head.moving]
        fields.append(Field("head", data["head_joint"].to_numpy(), head.units, names))
    fields.append(Field("margin", data["margin"].to_numpy()))
    flags = {name: ("time", data[name].to_numpy().astype("i1")) for name in ("allowed", "is_rapid")}
    return Answer(fields, data=lambda: data.drop_vars(list(flags)).assign(flags))


def path_answer(request: Request, found: PathReport, read: ReadPath, machine: Machine) -> Answer:
    """Whether the machine can follow, how quickly, and what the legs do; `machine` has the limits that count."""
    return Answer(
        [replace(each, is_csv=False) for each in _fields(found, read, machine)],
        lambda: _words(request, found, read, machine),
    )


def _words(request: Request, found: PathReport, read: ReadPath, machine: Machine) -> Words:
    yield from (f"{fact}." for fact in read.facts)
    yield verdict(found, read)
    yield from (f"  {sentence}" for sentence in found.sentences(read.counts))
    if found.motion is None:
        yield f"It cannot be timed: {found.why_not}"
        return
    times = ", ".join(f"{seconds:.4g} s {what}" for what, seconds in found.times.items() if seconds > 0)
    yield f"It takes {found.motion.duration:.4g} s: {times}."
    binding = [f"{name} {100 * part:.3g} %" for name, part in list(found.binding.items())[:NAMED]]
    yield f"Held back by: {', '.join(binding)} of the time."
    low, high = np.rad2deg(found.plan.roll)
    if low != high or low != 0:
        yield f"Roll about the tool: {low:.4g} deg" + (f" to {high:.4g} deg." if high != low else " throughout.")
    if found.work is not None:
        yield request.show.table("leg", LEGS, _legs(found.work, machine, key=""))
        yield _hardest(request, found.work)


def verdict(found: PathReport, read: ReadPath) -> str:
    """Whether the machine can follow, in a sentence."""
    if found.is_feasible:
        return f"Feasible: every limit is kept all along, proven over {found.check.looked} intervals."
    if found.is_feasible is None:
        return f"No pose that was computed breaks a limit, but that is no proof: {found.check.sentence()}."
    return "Not feasible:" if found.sentences(read.counts) else "Not feasible."


def _hardest(request: Request, work: LegWork) -> str:
    k = work.hardest - 1
    why = f"a travel of {request.show.with_unit(work.travel[k], request.machine.legs.joint_unit)}"
    if work.rms_power is not None:
        why = f"{work.rms_power[k]:.4g} W in the root mean square"
    return f"Leg {work.hardest} works hardest: {why}."


def _legs(work: LegWork, machine: Machine, key: str = "legs.") -> list[Field]:
    """What the legs do, six numbers each; those with a head are shown in the terminal."""
    q = machine.legs.joint_unit
    fields = [
        Field(f"{key}lowest", work.lowest, q, head="lowest"),
        Field(f"{key}highest", work.highest, q, head="highest"),
        Field(f"{key}travel", work.travel, q, head="travel"),
        Field(f"{key}peak_rate", work.peak_rate, f"{q}/s", head="peak rate"),
        Field(f"{key}rms_rate", work.rms_rate, f"{q}/s"),
    ]
    if machine.limits.joint_speed is not None:
        used = work.peak_rate / machine.limits.joint_speed
        fields.append(Field("", used, head="of top speed", shown="%", is_json=False))
    fields.append(Field(f"{key}peak_acceleration", work.peak_acceleration, f"{q}/s2", head="peak acceleration"))
    is_known = work.peak_force is not None and work.rms_power is not None
    return [
        *fields,
        Field(f"{key}peak_force", work.peak_force, force_unit(machine), head="peak force" if is_known else ""),
        Field(f"{key}rms_power_W", work.rms_power, "W", head="RMS power" if is_known else ""),
    ]


def _fields(found: PathReport, read: ReadPath, machine: Machine) -> Iterable[Field]:
    motion, work = found.motion, found.work
    yield Field("source", found.plan.where)
    yield Field("feasible", found.is_feasible)
    yield Field("verdict", found.check.verdict)
    yield Field("intervals", found.check.looked)
    yield Field("tightest", found.check.tightest)
    yield Field("stretches", _stretches(found, read.counts))
    yield Field("roll_deg", np.rad2deg(found.plan.roll))
    yield Field("duration_s", None if motion is None else motion.duration)
    if motion is None or work is None:
        yield Field("why_not", found.why_not)
        return
    yield Field("times_s", found.times)
    yield Field("held_back_by", found.binding)
    yield Field("worst_share", found.worst_share)
    yield Field("worst_limit", found.worst_limit)
    yield Field("hardest_leg", work.hardest)
    yield from _legs(work, machine)


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
