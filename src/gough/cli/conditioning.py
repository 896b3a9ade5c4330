"""`gough conditioning`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.dataset import Grid
    from gough.cli.pose_input import Array
    from gough.machine import Machine
    from gough.singularity.conditioning import Conditioning

Length = Annotated[
    float | None,
    typer.Option(
        metavar="LENGTH", help="Characteristic length that weighs turns; default: the radius of the platform's joints."
    ),
]


def conditioning(
    context: typer.Context,
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
    """Condition, dexterity, distance to a singularity.

    At one pose given by options, at many in a CSV file, or at home. With
    --map over the positions of the workspace.
    """
    from gough.cli.beside import counts_only_with
    from gough.cli.dataset import Grid
    from gough.cli.machine import load_machine
    from gough.cli.pose_input import PoseOptions, read_poses

    if not as_map:
        counts_only_with(context, "--map", "x", "y", "z", "samples")
    m = load_machine(machine, si=si)
    weight = None if length is None else length * m.units.metres
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    if as_map:
        _map(m, X, weight, Grid(x, y, z, samples), as_json=as_json, output=output)
    else:
        _at_poses(m, X, weight, as_json=as_json, output=output)


def _map(machine: Machine, X: Array, length: float | None, grid: Grid, *, as_json: bool, output: Path | None) -> None:
    from functools import partial

    from gough.cli.dataset import mapped, one_orientation, write_dataset
    from gough.singularity.conditioning import conditioning_map

    make = partial(conditioning_map, machine, one_orientation(X), length=length)
    write_dataset(mapped("conditioning map", make, machine, grid), machine, as_json=as_json, output=output)


def _at_poses(machine: Machine, X: Array, length: float | None, *, as_json: bool, output: Path | None) -> None:
    from gough.cli.beside import note_poses
    from gough.cli.machine import units_of
    from gough.cli.output import emit
    from gough.singularity.conditioning import conditioning as conditioning_of

    found, allowed = conditioning_of(machine, X, length=length), note_poses(machine, X)
    if X.ndim == 2 and not as_json and output is None:
        _tell(machine, found)
        return
    values, size = {**_values(found), "is_allowed": allowed}, machine.units.metres
    document = {"machine": machine.name, "units": units_of(machine), **values, "length": found.length / size}
    columns = {name: value for name, value in values.items() if name != "singular_values"}
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
