"""Forces and powers of a stated motion with tracking errors of a simple controller, and a path for the machine."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Facts, Folded, Picture, Section, Text, warnings
from gough.datasheet.sheet import Datasheet, Sheet
from gough.dynamics.drive_peaks import force_name, motion_extremes, peak_fields
from gough.dynamics.histories import Whole, motion_forces
from gough.dynamics.plant import instability, settling_pid
from gough.dynamics.simulate import simulate
from gough.errors import NotConvergedError
from gough.limits.ties import TIE
from gough.motion.report import PathReport
from gough.present.answer import Field, of_result
from gough.present.show import fitting, significant
from gough.present.units import force_unit
from gough.quantity import LEGS, of_legs
from gough.stacked import joint_limits
from gough.statics.weights import inertia_in_words

SAMPLES = 401
"""Times at which curves are drawn, closer together towards rest, where Coulomb friction changes steeply."""
PART_OF_TRAVEL = 0.5
"""Stroke of the stated motion, as a part of the travel to the first limit."""
PART_OF_SPEED = 0.5
"""Largest joint speed and acceleration of the stated motion, as a part of those allowed."""
LEAST_STROKE = 1e-9
"""Travel below this part of the machine's size is rounding of no travel."""
WITHOUT_LIMITS = 0.05
"""Stroke where nothing limits the motion, as a part of the machine's size."""
HALF_PERIOD = 1.0
"""Half period where neither speeds nor accelerations are limited [s]."""
QUICKER = 20.0
"""Smallest bandwidth of the controller times the half period [rad]: 3 Hz for a motion of one second."""
RTOL = 1e-9
"""Relative tolerance of the simulation: its errors are far below those of the controller."""
CAPTION = "What the motion needs of each actuator"


def dynamics(sheet: Sheet[Any]) -> Section | None:
    """Return the table of peaks and means, figure of the forces, and tracking errors of a controller on each leg."""
    m = sheet.machine
    if sheet.is_singular or any(stage.platform is None or not stage.leg_bodies for stage in m.stages):
        return None
    motion = stated_motion(sheet)
    if motion is None:
        why = "A limit is reached at home itself, so no motion is stated from there."
        return Section("dynamics", "Forces in motion", [Text(why, is_warning=True)], fields=[Field("motion", why,
            doc="The motion supposed, in words: x(t) = stroke (1 - cos(pi t / time)) / 2 along gravity's "
            "axis, from home, in the sense that goes farther, upward where they tie.")])  # fmt: skip
    data = motion_forces.labelled(m, motion, sample_times(motion))
    words, name = _words(sheet, motion), force_name(m)
    columns = peak_fields(m, data)
    tracking, of_tracking = _tracking(sheet, motion)
    unit, peak = of_legs(m, force_unit), float(data.attrs["peak_force"].max())
    cards = (
        [
            Card(
                f"Largest {name} in motion",
                sheet.show.short(peak, unit),
                unit,
                _short(sheet, motion),
                of=("peak_force",),
            )
        ]
        if isinstance(unit, str)
        else []
    )
    return Section(
        key="dynamics",
        title="Forces in motion",
        blocks=[
            Text(words),
            *_exceeded(data),
            sheet.show.table("leg", sheet.legs, columns, CAPTION),
            _picture(sheet, data),
            *tracking,
        ],
        cards=cards,
        fields=[
            Field("motion", words,
                doc="The motion supposed, in words: x(t) = stroke (1 - cos(pi t / time)) / 2 along gravity's "
                "axis, from home, in the sense that goes farther, upward where they tie."),
            Field("stroke", 2 * motion.amplitude, "m",
                doc="Half the travel to the first limit; 5 % of the machine's size where there is none."),
            Field("time", motion.half_period, "s",
                doc="Time in which the quickest joint reaches half its joint_speed, or half its "
                "joint_acceleration, whichever takes longer; 1 s where neither is given."),
            *columns,
            *of_tracking,
        ],
    )  # fmt: skip


def sample_times(motion: gough.dynamics.CosineMotion) -> NDArray[np.float64]:
    """Return times (n,) [s] at which curves are drawn: Chebyshev points, closer together at both ends."""
    start, end = motion.span
    return start + (end - start) * 0.5 * (1 - np.cos(np.linspace(0, np.pi, SAMPLES)))


def _exceeded(data: Any) -> list[Text]:
    """A warning of the drive limits that the motion exceeds, if any."""
    words = data.attrs["drives_exceeded"]
    return warnings(words and f"The motion needs more of the drives than they allow: {words}")


def stated_motion(sheet: Sheet[Any]) -> gough.dynamics.CosineMotion | None:
    """Return half the travel straight up, or down where it is longer, at half the top speeds; None without travel."""
    m = sheet.machine
    up = gough.dynamics.named_motion(m, "vertical", 1.0).direction
    # Down only if clearly longer: where both are the same to rounding, the choice must not depend on it.
    ends = [float(gough.travel(m, sign * up).distance) for sign in (1.0, -1.0)]
    direction, stroke = (up, ends[0]) if ends[0] >= ends[1] * (1 - TIE) else (-up, ends[1])
    if not stroke > LEAST_STROKE * m.size:
        return None
    # A cosine motion of amplitude a moves by 2 a. Its duration follows from the speeds of a trial.
    stroke = PART_OF_TRAVEL * stroke if np.isfinite(stroke) else WITHOUT_LIMITS * m.size
    trial = gough.dynamics.CosineMotion(m.end_home, direction, 0.5 * stroke, HALF_PERIOD)
    return gough.dynamics.CosineMotion(m.end_home, direction, 0.5 * stroke, HALF_PERIOD * _slower(sheet, trial))


def _slower(sheet: Sheet[Any], trial: gough.dynamics.CosineMotion) -> float:
    """Factor on the time of a motion after which the joints keep half their top speed and acceleration."""
    m = sheet.machine
    found = motion_extremes(m, Whole(m, trial))
    speed, most = (PART_OF_SPEED * joint_limits(m, f"joint_{what}") for what in ("speed", "acceleration"))
    # Stretching time by k divides speeds by k and accelerations by k^2.
    stretch = []
    if np.isfinite(speed).any():
        stretch.append(float((found["joint_rate"].peak / speed).max()))
    if np.isfinite(most).any():
        stretch.append(float(np.sqrt((found["joint_acceleration"].peak / most).max())))
    return max(stretch, default=1.0)


def _short(sheet: Sheet[Any], motion: gough.dynamics.CosineMotion) -> str:
    stroke = 2 * motion.amplitude
    unit = fitting(sheet.machine, stroke, "m")
    return f"{sheet.show.with_unit(stroke, unit, 3)} in {significant(motion.half_period, 3)} s"


def _words(sheet: Sheet[Any], motion: gough.dynamics.CosineMotion) -> str:
    m = sheet.machine
    against = motion.direction[:3] @ m.gravity <= 0
    return (
        f"From home straight {'up' if against else 'down'}, {_short(sheet, motion)}, as the cosine "
        "1 − cos(πt/T) from rest to rest: half the travel, with no joint beyond half its top speed and "
        "acceleration where they are known. By virtual work over all bodies, with friction and rotors as far as the "
        f"machine file has them; {inertia_in_words(m)}. Positive drives the joint coordinate up."
    )


def _picture(sheet: Sheet[Any], data: Any) -> Picture:
    # The two stages may have different units: their peaks are written one by one.
    forces = np.split(data.attrs["peak_force"], len(sheet.machine.stages))
    pairs = zip(forces, sheet.machine.stages, strict=True)
    peak = sheet.machine.by_stage(sheet.show.with_unit(float(f.max()), force_unit(one), 3) for f, one in pairs)
    name = force_name(sheet.machine)
    return Picture(
        figure=plot.leg_histories(sheet.machine, data),
        caption=f"Actuator {name}s and powers over the motion; legs that do the same share a line.",
        description=f"Lines over time; the largest {name} is {peak}.",
    )


def _tracking(sheet: Sheet[Any], motion: gough.dynamics.CosineMotion) -> tuple[list[Block], list[Field]]:
    """The same motion under an independent controller on each leg whose poles at home die out within its time; without
    such a controller, or where the simulation does not converge, words on it alone."""
    m = sheet.machine
    pid, bandwidth, poles = settling_pid(m, motion, QUICKER / motion.half_period, 1 / motion.half_period)
    hertz, slowest = f"{significant(bandwidth / (2 * np.pi), 3)} Hz", float(poles[-1].real)
    fields = [
        Field("bandwidth", bandwidth / (2 * np.pi), "Hz",
            doc="w / (2 pi) of the controller under tracking_error: the smallest of 20, 40, 80, ... / (2 pi "
            "time) at which every pole of the closed loop at home decays by at least 1 / time."),
        Field("time_constant", -1 / slowest, "s",
            doc="-1 / the largest real part of the poles of that closed loop, linearised about rest at home "
            "without Coulomb friction: deviations die out by e within it; negative where they grow. "
            "Above time, and where it is negative, the motion is not simulated."),
    ]  # fmt: skip
    if slowest > -1 / motion.half_period:
        words = instability(m, poles, m.X_home) or f"the slowest pole of the closed loop at home is {slowest:.3g} 1/s"
        whole = (
            f"No PID controller on each leg by itself was found that settles within the motion; with {hertz} {words}."
        )
        return [Text(whole, is_warning=True)], fields
    try:
        how: dict[str, Any] = {"stop_at": ("limits",), "rtol": RTOL, "atol": 1e-3 * RTOL}
        data = simulate.labelled(m, force=pid, duration=motion.half_period, **how)
    except NotConvergedError:
        return [], fields
    parts, cut = np.split(data.attrs["peak_joint_error"], len(m.stages)), data.attrs["saturated"]
    errors, units = [float(part.max()) for part in parts], [stage.legs.joint_unit for stage in m.stages]
    worst, stopped = data.attrs["largest_error"], data.attrs["stopped_by"] and data.attrs["ended"]
    words = (
        f"A PID controller on each leg by itself, {hertz}, that holds the weight but knows nothing of the other legs "
        f"follows this motion. At home deviations die out by e within {significant(-1 / slowest, 3)} s; in motion the "
        f"largest error of a joint is {worst}."
    )
    picture = Picture(
        figure=plot.leg_histories(m, data, ["joint_error", "force", "power"]),
        caption="The same motion simulated under that controller: errors of the joints, forces and powers.",
        description=f"Lines over time; the largest error of a joint is {worst}.",
    )
    part = dict(zip(("speed", "force"), data.attrs["saturated_part"].tolist(), strict=True))
    notes = [*_exceeded(data), *warnings(cut), *warnings(stopped and f"The simulation {stopped}.")]
    return [Text(words), *notes, Folded("Simulation under that controller", [picture])], [
        *fields,
        Field("tracking_stopped", stopped,
            doc="Where and why that simulation ended at a limit of poses; empty: it did not."),
        Field("tracking_saturated", cut,
            doc="Where the controller demands more than the drives' limits; empty: nowhere."),
        Field("tracking_saturated_part", part,
            doc="Part of that motion's time at which the demanded speed (force) of any leg is cut to its limit."),
        Field("tracking_error", np.reshape(errors, m.stage_shape), units,
            doc="Largest |q_ref - q| of any leg, of two stages one number for each, when a PID controller on "
            "each leg drives the motion: bandwidth w; on the mass m that the leg alone moves at home "
            "(diagonal of J_Vq^T M J_Vq) gains m w^2, 2 m w and integral 0.1 m w^3, the weight held "
            "beside, clipped at joint_speed and actuator_force; continuous in time, without delay or "
            "sampling."),
    ]  # fmt: skip


FRAMES = 90
"""Instants of the animation, which then takes a megabyte."""
SHOWN = {"Closest limit": ("closest_limit",), "Duration": ("duration", "times"), "Held back by": ("held_back_by",)}
SHOWN |= {"Roll about the tool": ("roll",)}
"""Keys of the facts by name."""


def path(sheet: Datasheet) -> Section | None:
    """Return the verdict, table of the legs, the tool path and the machine moving along it; None without a path."""
    if (found := sheet.path) is None:
        return None
    sentences = found.sentences()
    blocks: list[Block] = [
        Text(_verdict(found), is_warning=found.is_feasible is False),
        *(Text(sentence, is_warning=True) for sentence in sentences),
        Facts([(name.capitalize(), value) for name, value in found.facts().items() if name != "hardest leg"], SHOWN),
    ]
    work: list[Field] = []
    if found.work is not None and found.is_reachable:
        work = [Field("hardest_leg", found.work.hardest,
            doc="The leg with the largest rms_power; the one with the longest travel where masses are not "
            "known."), *found.work.fields(sheet.machine)]  # fmt: skip
        legs = [f"{leg} (hardest)" if leg == str(found.work.hardest) else leg for leg in LEGS]
        blocks.append(sheet.show.table("leg", legs, work, "What the path needs of each leg"))
    if found.motion is not None:
        blocks += _pictures(sheet, found)
    fields = [*_of_path(found, sentences), *work]
    return Section(key="path", title="Path", blocks=blocks, cards=[_card(found)], fields=fields)


def _source(found: PathReport) -> str:
    return PurePath(found.plan.where).name


def _verdict(found: PathReport) -> str:
    name = _source(found)
    if found.is_feasible:
        return f"The machine can follow {name}: {found.sentence().removeprefix('feasible: ')}."
    if found.is_feasible is None:
        return f"Whether the machine can follow {name}: {found.sentence()}."
    return f"The machine cannot follow {name} as programmed; violations are listed by {found.plan.counts}."


def _pictures(sheet: Datasheet, found: PathReport) -> list[Picture]:
    m, data = sheet.machine, found.history
    return [
        Picture(
            figure=plot.tool_path(m, data),  # type: ignore[arg-type]
            caption="The tool path in the base, seen from above.",
            description="A line in space; rapid moves are thin.",
            is_scene=True,
        ),
        Picture(
            figure=plot.animation(m, data, frames=FRAMES),  # type: ignore[arg-type]
            caption="The machine along the path: play it, or drag the slider. Legs are drawn without their joints.",
            description="The machine at an instant of the path, with curves of its legs over time.",
        ),
    ]


def _card(found: PathReport) -> Card:
    words = {True: "feasible", False: "not feasible", None: "not proven"}[found.is_feasible]
    if found.duration is None:
        return Card("Path", words, detail=_source(found), of=("verdict",))
    return Card(f"Path, {words}", significant(found.duration, 3), "s", _source(found), of=("duration",))


def _of_path(found: PathReport, sentences: list[str]) -> list[Field]:
    fields = [
        Field("source", _source(found), doc="Name of the file."),
        Field("feasible", found.is_feasible,
            doc="Whether every limit is kept along the whole path, proven; null where not proven."),
        Field("verdict", found.check.verdict, doc="The same in words."),
        Field("closest_limit", found.check.tightest,
            doc="The limit whose relative margin (see margins) is least over the path."),
        Field("boxes", found.check.boxes, doc="Intervals of the path that were bounded, or sampled."),
        Field("broken", sentences, doc="Stretches where a limit is broken: line, limit and worst margin."),
        *of_result(found, "duration"),
        *([Field("spindle", found.plan.spindle_record())] if found.plan.spindle else []),
    ]  # fmt: skip
    if found.work is None or not found.is_reachable:
        return fields
    return [*fields, Field("times", found.times,
        doc="No time is spent: there is no motion."), Field("held_back_by", found.binding,
        doc="No limit takes part: there is no time in motion."), *of_result(found, "roll")]  # fmt: skip
