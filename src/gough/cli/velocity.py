"""`gough velocity`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.dataset import Grid
    from gough.cli.pose_input import Array
    from gough.limits.velocity_envelope import VelocityEnvelope
    from gough.machine import Machine

Along = Annotated[
    str | None,
    typer.Option(metavar="DIRECTION", help="Top speed along this: x, -ry ...; or VX,VY,VZ or VX,VY,VZ,WX,WY,WZ."),
]
Twist = Annotated[
    str | None,
    typer.Option(metavar="VX,...,WZ", help="Joint rates that this motion of the point of interest needs."),
]
Slowest = Annotated[bool, typer.Option("--slowest", help="Search the workspace for the lowest speed in all ways.")]

AXES = ("x", "y", "z", "rx", "ry", "rz")
MOTIONS: tuple[tuple[Literal["translation", "rotation"], str], ...] = (("translation", "x"), ("rotation", "rx"))


@dataclass(frozen=True)
class _Asked:
    """What is asked of the poses."""

    along: str | None
    twist: str | None
    slowest: bool
    as_map: bool
    grid: Grid
    as_json: bool
    output: Path | None


def velocity(
    context: typer.Context,
    machine: options.Machine,
    along: Along = None,
    twist: Twist = None,
    slowest: Slowest = False,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    csv: options.Csv = None,
    as_map: options.Map = False,
    samples: options.Samples = 15,
    x: options.GridX = None,
    y: options.GridY = None,
    z: options.GridZ = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Top speeds when each joint keeps its own.

    Of the point of interest: along and about each axis alone, in every
    direction, and in the fastest one. At one pose given by options, at
    many in a CSV file, or at home.
    With --map over the positions of the workspace.
    """
    from gough.cli.beside import counts_only_with
    from gough.cli.dataset import Grid
    from gough.cli.machine import load_machine
    from gough.cli.pose_input import PoseOptions, read_poses

    if not (as_map or slowest):
        counts_only_with(context, "--map or --slowest", "x", "y", "z", "samples")
    m = load_machine(machine, si=si)
    asked = _Asked(along, twist, slowest, as_map, Grid(x, y, z, samples), as_json, output)
    _answer(m, read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m), asked)


def _answer(machine: Machine, X: Array, asked: _Asked) -> None:
    from gough.cli.beside import note_poses
    from gough.cli.machine import units_of
    from gough.cli.output import emit
    from gough.cli.travel import parse_direction
    from gough.errors import InputError
    from gough.limits.velocity_envelope import velocity_envelope

    if sum([asked.along is not None, asked.twist is not None, asked.slowest, asked.as_map]) > 1:
        raise InputError("--along, --twist, --slowest and --map are separate questions; ask one")
    if asked.slowest or asked.as_map:
        (_slowest if asked.slowest else _map)(machine, X, asked)
        return
    e, allowed = velocity_envelope(machine, X), note_poses(machine, X)
    if asked.twist is not None:
        columns, document = _rates(machine, e, asked.twist)
    elif asked.along is not None:
        columns, document = _one_direction(machine, e, parse_direction(asked.along, machine.units))
    elif X.ndim == 2 and not asked.as_json and asked.output is None:
        _tell(machine, e)
        return
    else:
        columns, document = _all_directions(machine, e)
    document = {"machine": machine.name, "units": units_of(machine), **document, "is_allowed": allowed}
    emit(columns, document, as_json=asked.as_json, output=asked.output)


def speed_units(machine: Machine, axis: str) -> tuple[float, str]:
    """Size in SI and name of the unit of a speed along (x ...) or about (rx ...) an axis."""
    u = machine.units
    return (u.radians, f"{u.angle}/s") if axis.startswith("r") else (u.metres, f"{u.length}/s")


def _all_directions(machine: Machine, e: VelocityEnvelope) -> tuple[dict[str, Any], dict[str, Any]]:
    """Top speed of each axis alone, of every direction and of the fastest one, with the legs that set them."""
    import numpy as np

    from gough.cli.dataset import titled

    counted = [speed_units(machine, axis) for axis in AXES]
    size = np.array([one for one, _ in counted])
    top = np.stack([e.speed(axis) for axis in np.eye(6)], axis=-1) / size
    leg = np.stack([e.limiting_leg(axis) for axis in np.eye(6)], axis=-1)
    document: dict[str, Any] = {"axes": AXES, "axis_units": [unit for _, unit in counted], "top_speed": top, "leg": leg}
    columns = {
        titled(f"top_{axis}", unit): top[..., k] for k, (axis, (_, unit)) in enumerate(zip(AXES, counted, strict=True))
    }
    for motion, (scale, unit) in (("translation", counted[0]), ("rotation", counted[3])):
        for name, values in (("every_direction", e.guaranteed(motion)), ("fastest", e.fastest(motion))):  # type: ignore[arg-type]
            document.setdefault(name, {})[motion] = values / scale
            columns[titled(f"{name}_{motion}", unit)] = values / scale
    if e.J_qV.ndim == 2 and np.isfinite(top).all():
        document["legs"] = [e.limiting_legs(axis) for axis in np.eye(6)]
        document["vertices"] = {motion: e.vertices(motion) / speed_units(machine, axis)[0] for motion, axis in MOTIONS}
    return columns, document


def _one_direction(machine: Machine, e: VelocityEnvelope, d: Array) -> tuple[dict[str, Any], dict[str, Any]]:
    from gough.cli.dataset import titled

    scale, unit = speed_units(machine, "x" if d[:3].any() else "rx")
    speed, leg = e.speed(d) / scale, e.limiting_leg(d)
    return {titled("top_speed", unit): speed, "leg": leg}, {"top_speed": speed, "speed_unit": unit, "leg": leg}


def _rates(machine: Machine, e: VelocityEnvelope, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rates of the joints for a twist, and the part of their speed that they use."""
    from gough.cli.dataset import titled
    from gough.cli.numbers import numbers

    u = machine.units
    V = numbers("--twist", text, (6,)) * ([u.metres] * 3 + [u.radians] * 3)
    rates = e.joint_rates(V) / machine.joint_scale
    used = abs(rates) * machine.joint_scale / e.joint_speed
    unit = f"{machine.joint_unit}/s"
    columns = {titled(f"q{i + 1}", unit): rates[..., i] for i in range(6)}
    columns |= {f"used_q{i + 1}": used[..., i] for i in range(6)}
    document = {"joint_rates": rates, "rate_unit": unit, "used": used, "is_possible": (used <= 1).all(axis=-1)}
    return columns | {"is_possible": document["is_possible"]}, document


def _tell(machine: Machine, e: VelocityEnvelope) -> None:
    """One pose, for people."""
    import numpy as np

    from gough.cli.output import print_table
    from gough.limits.ties import legs_in_words

    rows = []
    for axis, d in zip(AXES, np.eye(6), strict=True):
        scale, unit = speed_units(machine, axis)
        rows.append((axis, f"{float(e.speed(d)) / scale:.6g}", unit, legs_in_words(e.limiting_legs(d))))
    for motion, axis in MOTIONS:
        scale, unit = speed_units(machine, axis)
        which = "direction" if motion == "translation" else "axis"
        rows.append((f"every {which}", f"{float(e.guaranteed(motion)) / scale:.6g}", unit, ""))
        rows.append((f"fastest {which}", f"{float(e.fastest(motion)) / scale:.6g}", unit, ""))
    print_table(("along or about", "top speed", "unit", "set by"), rows, numeric=(1,))


def _map(machine: Machine, X: Array, asked: _Asked) -> None:
    from functools import partial

    from gough.cli.dataset import mapped, one_orientation, write_dataset
    from gough.workspaces.velocity_map import velocity_map

    X = one_orientation(X)
    found = mapped("velocity map", partial(velocity_map, machine, X), machine, asked.grid)
    write_dataset(found, machine, as_json=asked.as_json, output=asked.output)


def _slowest(machine: Machine, X: Array, asked: _Asked) -> None:
    from functools import partial

    from gough.cli.dataset import mapped, one_orientation
    from gough.cli.lowest import Found, tell_lowest
    from gough.workspaces.minimum import REACH_MARGIN, slowest_pose

    X = one_orientation(X)
    answers: dict[str, Found] = {}
    for motion, axis in MOTIONS:
        for margin in (0.0,) if machine.legs.rod() is None else (0.0, REACH_MARGIN):
            name = motion if margin == 0 else f"{motion}, {100 * margin:g} % of the rod from its reach"
            find = partial(slowest_pose, machine, X, motion, reach_margin=margin)
            answers[name] = (mapped(f"slowest {motion}", find, machine, asked.grid), *speed_units(machine, axis))
    tell_lowest(machine, answers, as_json=asked.as_json, output=asked.output)
