"""`gough forces`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array
    from gough.machine import Machine

NoWeight = Annotated[
    bool, typer.Option("--no-weight", help="Leave the machine's own weight out, of platform and legs.")
]


def forces(
    machine: options.Machine,
    wrench: options.Wrench = None,
    no_weight: NoWeight = False,
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
    """What the actuators hold at rest.

    Under --wrench and the weights of platform and legs, as far as their
    masses are known. At one pose given by options, at many in a CSV file,
    or at home. Positive drives the joint coordinate up; a rod's force, at
    its platform joint, is positive if it pushes.
    """
    from gough.cli.beside import note_forces, note_poses, note_stage
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.cli.wrench import force_unit, read_wrench
    from gough.statics.weights import masses_in_words

    m = load_machine(machine, si=si)
    note_stage(machine)
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    found = _forces(m, X, read_wrench(wrench), weighs=not no_weight)
    allowed = note_poses(m, X)
    note_forces(m, found["actuator_force"])
    weights = "the machine's own weights are left out" if no_weight else masses_in_words(m)
    if X.ndim == 2 and not as_json and output is None:
        _tell(m, found)
        print(f"{weights[0].upper()}{weights[1:]}.")
        return
    unit = force_unit(m.legs.joint)
    document = {"machine": m.name, "units": {**units_of(m), "actuator_force": unit, "axial_force": "N"}, **found}
    document |= {"weights": weights, "is_allowed": allowed}
    emit(_columns(found, unit), document, as_json=as_json, output=output)


def _forces(machine: Machine, X: Array, wrench: Array | None, *, weighs: bool) -> dict[str, Any]:
    """Actuator forces, rod forces, and the part of the actuators' own that is used."""
    import numpy as np

    from gough.errors import InputError
    from gough.statics.capacity import at_origin
    from gough.statics.forces import leg_forces
    from gough.statics.stiffness import axial_forces
    from gough.statics.weights import has_weight

    weighs = weighs and has_weight(machine)
    if wrench is None and not weighs:
        raise InputError(f"machine {machine.name!r} carries nothing: give --wrench, or masses in its file")
    load = np.zeros(6) if wrench is None else at_origin(machine, X, wrench)
    actuator = leg_forces(machine, X, load, gravity=weighs)
    axial = axial_forces(machine, X, load, gravity=weighs)
    found = {"wrench_at_origin": load, "actuator_force": actuator, "axial_force": axial}
    if machine.limits.actuator_force is not None:
        found["used"] = np.abs(actuator) / machine.limits.actuator_force
    return found


def _columns(found: dict[str, Any], unit: str) -> dict[str, Any]:
    from gough.cli.dataset import titled

    columns = {titled(f"actuator_{i + 1}", unit): found["actuator_force"][..., i] for i in range(6)}
    columns |= {f"rod_{i + 1}_N": found["axial_force"][..., i] for i in range(6)}
    if "used" in found:
        columns |= {f"used_{i + 1}": found["used"][..., i] for i in range(6)}
    return columns


def _tell(machine: Machine, found: dict[str, Any]) -> None:
    """One pose, for people."""
    from gough.cli.output import print_table
    from gough.cli.wrench import force_unit

    unit = force_unit(machine.legs.joint)
    header = ["leg", f"actuator [{unit}]", "rod [N]"] + (["used [%]"] if "used" in found else [])
    rows = []
    for i in range(6):
        row = [str(i + 1), f"{found['actuator_force'][i]:.6g}", f"{found['axial_force'][i]:.6g}"]
        rows.append(row + ([f"{100 * found['used'][i]:.3g}"] if "used" in found else []))
    print_table(header, rows, numeric=range(4))
