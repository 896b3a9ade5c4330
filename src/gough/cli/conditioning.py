"""`gough conditioning`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.analysis.conditioning import Conditioning
    from gough.machine import Machine

Length = Annotated[
    float | None,
    typer.Option(
        metavar="LENGTH", help="Characteristic length that weighs turns; default: the radius of the platform's joints."
    ),
]


def conditioning(
    machine: options.Machine,
    length: Length = None,
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
    """Condition number, dexterity, manipulability, distance to a singularity.

    At one pose given by options, at many in a CSV file, or at home. With
    --map over the positions of the workspace.
    """
    from functools import partial

    from gough.analysis.conditioning import conditioning as conditioning_of
    from gough.analysis.conditioning import conditioning_map
    from gough.cli.dataset import Grid, mapped, one_orientation, write_dataset
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses

    m = load_machine(machine, si=si)
    weight = None if length is None else length * m.units.metres
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    if as_map:
        make = partial(conditioning_map, m, one_orientation(X), length=weight)
        found_map = mapped("conditioning map", make, m, Grid(x, y, z, samples))
        write_dataset(found_map, m, as_json=as_json, output=output)
        return
    found = conditioning_of(m, X, length=weight)
    if X.ndim == 2 and not as_json and output is None:
        _tell(m, found)
        return
    document = {"machine": m.name, "units": units_of(m), **_values(found), "length": found.length / m.units.metres}
    columns = {name: value for name, value in _values(found).items() if name != "singular_values"}
    columns |= {f"singular_value_{k + 1}": found.singular_values[..., k] for k in range(6)}
    emit(columns, document, as_json=as_json, output=output)


def _values(found: Conditioning) -> dict[str, Any]:
    return {
        "condition_number": found.condition_number,
        "dexterity": found.dexterity,
        "manipulability": found.manipulability,
        "distance_to_singularity": found.distance,
        "singular_values": found.singular_values,
    }


def _tell(machine: Machine, found: Conditioning) -> None:
    """One pose, for people."""
    from gough.cli.output import print_table

    unit = "" if machine.legs.joint == "length" else "rad/m"
    rows = [
        ("condition number", f"{float(found.condition_number):.6g}", ""),
        ("dexterity", f"{float(found.dexterity):.6g}", ""),
        ("manipulability", f"{float(found.manipulability):.6g}", "" if not unit else "(m/rad)^6"),
        ("distance to a singularity", f"{float(found.distance):.6g}", ""),
        *((f"singular value {k + 1}", f"{value:.6g}", unit) for k, value in enumerate(found.singular_values.tolist())),
        ("characteristic length", f"{found.length / machine.units.metres:.6g}", machine.units.length),
    ]
    print_table(("what", "how much", "unit"), rows, numeric=(1,))
