"""`gough accuracy`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array
    from gough.machine import Machine

Step = Annotated[
    float | None,
    typer.Option(metavar="STEP", help="Smallest step of every joint, instead of the machine's resolution."),
]
Tolerance = Annotated[
    float,
    typer.Option(metavar="LENGTH", help="Error of each of the 42 geometric parameters, in the file's unit of length."),
]
Parameters = Annotated[bool, typer.Option("--parameters", help="What each of the 42 parameters does, one in a row.")]

AXES = ("x", "y", "z", "rx", "ry", "rz")
COUNTED = 5
"""Parameters told to people: those that move the platform most."""


def accuracy(
    machine: options.Machine,
    step: Step = None,
    tolerance: Tolerance = 1.0,
    parameters: Parameters = False,
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
    """Resolution, and what errors of the geometry do.

    At one pose given by options, at many in a CSV file, or at home, for
    the point of interest: worst case, and root of the sum of squares, of
    one step of every joint, and of errors of the joint points and rods.
    """
    from gough.cli.beside import note_poses
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses

    m = load_machine(machine, si=si)
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    found = _found(m, X, step, tolerance)
    found["is_allowed"] = note_poses(m, X)
    if parameters:
        _one_pose(X)
        columns: dict[str, Any] = _parameter_columns(m, found)
    elif X.ndim == 2 and not as_json and output is None:
        _tell(m, found)
        return
    else:
        columns = _columns(m, found)
    emit(columns, {"machine": m.name, "units": units_of(m), **found}, as_json=as_json, output=output)


def _one_pose(X: Array) -> None:
    from gough.errors import InputError

    if X.ndim != 2:
        raise InputError("--parameters is for one pose; give it by options, without --csv")


def _found(machine: Machine, X: Array, step: float | None, tolerance: float) -> dict[str, Any]:
    """Resolution where joint steps are known, error budget and sensitivity, in the machine's units."""
    import numpy as np

    from gough.accuracy.accuracy import PARAMETERS, parameter_sensitivity, pose_error, resolution
    from gough.errors import InputError

    if not (tolerance > 0 and np.isfinite(tolerance)) or not (step is None or (step > 0 and np.isfinite(step))):
        raise InputError("--step and --tolerance: expected lengths above zero")
    u = machine.units
    size = np.array([u.metres] * 3 + [u.radians] * 3)
    found: dict[str, Any] = {"axes": AXES, "axis_units": [u.length] * 3 + [u.angle] * 3}
    if step is not None or machine.actuators.resolution is not None:
        r = resolution(machine, X, joint_step=None if step is None else step * machine.joint_scale)
        found["resolution"] = {
            "worst_case": r.worst_case / size,
            "rms": r.rms / size,
            "worst_translation": r.worst_translation / u.metres,
            "worst_rotation": r.worst_rotation / u.radians,
            "rms_translation": r.rms_translation / u.metres,
            "rms_rotation": r.rms_rotation / u.radians,
        }
    budget = pose_error(machine, X, tolerance * u.metres)
    found["tolerance"] = tolerance
    found["error"] = {"worst_case": budget.worst_case / size, "rms": budget.rms / size}
    found["parameters"] = PARAMETERS
    found["sensitivity"] = parameter_sensitivity(machine, X) * u.metres / size[:, None]
    return found


def _columns(machine: Machine, found: dict[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for what in ("resolution", "error"):
        for kind in ("worst_case", "rms"):
            for k, (axis, unit) in enumerate(zip(AXES, found["axis_units"], strict=True)):
                if what in found:
                    columns[f"{what}_{kind}_{axis}_{unit}"] = found[what][kind][..., k]
    return columns


def _parameter_columns(machine: Machine, found: dict[str, Any]) -> dict[str, Any]:
    """One row for each parameter: what an error of one unit of length does."""
    import numpy as np

    length, sensitivity = machine.units.length, found["sensitivity"]
    columns: dict[str, Any] = {"parameter": np.array([name.replace(" ", "_") for name in found["parameters"]])}
    for k, (axis, unit) in enumerate(zip(AXES, found["axis_units"], strict=True)):
        columns[f"{axis}_{unit}_per_{length}"] = sensitivity[k]
    return columns


def _tell(machine: Machine, found: dict[str, Any]) -> None:
    """One pose, for people."""
    import numpy as np

    from gough.cli.output import note, print_table

    length = machine.units.length
    header = ["axis", "unit"]
    cells = [[axis, unit] for axis, unit in zip(AXES, found["axis_units"], strict=True)]
    if "resolution" in found:
        header += ["step, worst case", "step, RMS"]
    header += [f"error of {found['tolerance']:g} {length}, worst case", "error, RMS"]
    for what in ("resolution", "error"):
        for kind in ("worst_case", "rms"):
            for k, row in enumerate(cells):
                if what in found:
                    row.append(f"{found[what][kind][k]:.4g}")
    print_table(header, cells, numeric=range(2, 6))
    if "resolution" in found:
        steps, u = found["resolution"], machine.units
        for name, unit in (("translation", u.length), ("rotation", u.angle)):
            worst, rms = steps[f"worst_{name}"], steps[f"rms_{name}"]
            print(f"Over three axes a step is a {name} of {worst:.4g} {unit} at worst, {rms:.4g} {unit} RMS.")
    moved = np.linalg.norm(found["sensitivity"][:3], axis=0)
    rows = [(found["parameters"][k], f"{moved[k]:.4g}") for k in np.argsort(-moved)[:COUNTED]]
    print()
    print_table(("parameters that move it most", f"{length} per {length}"), rows, numeric=(1,))
    if "resolution" not in found:
        note("the machine's file has no resolution (actuators.resolution); --step gives the joints' smallest step")
