"""`gough capacity`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array
    from gough.machine import Machine

Force = Annotated[
    float | None,
    typer.Option(metavar="F", help="Largest force (torque of a crank) of every actuator, instead of the machine's."),
]
Centre = Annotated[
    str | None,
    typer.Option(metavar="X,Y,Z", help="Mass centre of the payload in the platform frame; default: point of interest."),
]

KINDS: tuple[Literal["force", "moment"], ...] = ("force", "moment")


def capacity(
    machine: options.Machine,
    force: Force = None,
    centre: Centre = None,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    csv: options.Csv = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Payloads, forces and moments it can carry.

    The payload with the platform horizontal, on its side and in any
    mounting; the largest force along and moment about each axis, and in
    every direction, beside the weights of platform and legs as far as
    their masses are known. At one pose, at many in a CSV file, or at home.
    """
    from gough.cli.beside import note_poses, note_stage
    from gough.cli.machine import load_machine, units_of
    from gough.cli.numbers import numbers
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.statics.weights import masses_in_words

    m = load_machine(machine, si=si)
    note_stage(machine)
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    where = None if centre is None else numbers("--centre", centre, (3,)) * m.units.metres
    found = [_found(m, pose, where, force) for pose in X.reshape(-1, 4, 4)]
    weights, allowed = masses_in_words(m), note_poses(m, X)
    if X.ndim == 2 and not as_json and output is None:
        _tell(found[0])
        print(f"{weights[0].upper()}{weights[1:]}.")
        return
    document = found[0] if X.ndim == 2 else {"poses": found}
    units = {**units_of(m), "payload": "kg", "force": "N", "moment": "N m"}
    emit(
        _columns(found),
        {"machine": m.name, "units": units, **document, "weights": weights, "is_allowed": allowed},
        as_json=as_json,
        output=output,
    )


def _found(machine: Machine, X: Array, centre: Array | None, force: float | None) -> dict[str, Any]:
    """Payloads by mounting, loads by axis, loads that every direction allows, at one pose."""
    from gough.statics.capacity import capacity_table, guaranteed_load
    from gough.statics.payload_table import payload_table
    from gough.statics.weights import has_weight

    own = has_weight(machine)
    payloads = payload_table(machine, X, mass_centre=centre, actuator_force=force)
    loads = capacity_table(machine, X, gravity=own, actuator_force=force)
    return {
        "payload": {
            row.mounting: {"mass": row.mass, "leg": row.leg, "legs": row.legs, "gravity": row.gravity}
            for row in payloads
        },
        "load": {
            row.axis: {
                "plus": row.plus,
                "plus_leg": row.plus_leg,
                "plus_legs": row.plus_legs,
                "minus": row.minus,
                "minus_leg": row.minus_leg,
                "minus_legs": row.minus_legs,
            }
            for row in loads
        },
        "every_direction": {
            kind: float(guaranteed_load(machine, X, kind, gravity=own, actuator_force=force)) for kind in KINDS
        },
    }


def _columns(found: list[dict[str, Any]]) -> dict[str, Any]:
    import numpy as np

    columns = {
        f"payload_{name.replace(' ', '_')}_kg": np.array([one["payload"][name]["mass"] for one in found])
        for name in found[0]["payload"]
    }
    for axis in found[0]["load"]:
        unit = "N" if axis.startswith("f") else "N_m"
        for name, side in (("", "plus"), ("minus_", "minus")):
            columns[f"{name}{axis}_{unit}"] = np.array([one["load"][axis][side] for one in found])
    for what, unit in (("force", "N"), ("moment", "N_m")):
        columns[f"every_{what}_{unit}"] = np.array([one["every_direction"][what] for one in found])
    return columns


def _tell(found: dict[str, Any]) -> None:
    """One pose, for people."""
    from gough.cli.output import print_table
    from gough.limits.ties import legs_in_words

    rows = []
    for name, row in found["payload"].items():
        g = ", ".join(f"{round(value, 3) + 0.0:.3f}" for value in row["gravity"])
        rows.append((name, f"{row['mass']:.5g}", legs_in_words(row["legs"]), f"({g})"))
    print_table(("mounting", "payload [kg]", "ended by", "gravity along"), rows, numeric=(1,))
    print()
    loads = []
    for axis, row in found["load"].items():
        unit = "N" if axis.startswith("f") else "N m"
        ends = (legs_in_words(row[side]) for side in ("minus_legs", "plus_legs"))
        loads.append((axis, f"{row['minus']:.5g}", f"{row['plus']:.5g}", unit, *ends))
    every = found["every_direction"]
    for name, kind, unit in (("every direction", "force", "N"), ("every axis", "moment", "N m")):
        loads.append((name, f"{every[kind]:.5g}", f"{every[kind]:.5g}", unit, "", ""))
    header = ("force or moment", "minus", "plus", "unit", "minus ended by", "plus ended by")
    print_table(header, loads, numeric=(1, 2))
