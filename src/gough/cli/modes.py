"""`gough modes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.assembly.assembly_modes import AssemblyModes
    from gough.cli.pose_input import Array, Orientation
    from gough.machine import Machine

Joints = Annotated[
    str | None,
    typer.Option(metavar="Q1,...,Q6", help="Joint coordinates; without them those of the pose given, or of home."),
]
CsvOfJoints = Annotated[
    str | None, typer.Option("--csv", metavar="FILE", help="Joint coordinates from columns q1 to q6; - reads a pipe.")
]
Map = Annotated[bool, typer.Option("--map", help="How many modes are allowed, over the positions of the workspace.")]

Between = Annotated[
    str | None,
    typer.Option(metavar="I,J", help="A path of poses from mode I to mode J, and where it meets singularities."),
]


def modes(
    context: typer.Context,
    machine: options.Machine,
    joints: Joints = None,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    csv: CsvOfJoints = None,
    between: Between = None,
    as_map: Map = False,
    samples: options.Samples = 7,
    x: options.GridX = None,
    y: options.GridY = None,
    z: options.GridZ = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """All poses with the same joint coordinates.

    The nearest to home comes first. Two allowed modes mean that joint
    coordinates alone, as after power-up, do not tell the pose. A change of
    side (the sign of det J) between two modes means a singularity between
    them.
    """
    from functools import partial

    from gough.assembly.mode_count_map import assembly_mode_count_map
    from gough.cli.beside import counts_only_with
    from gough.cli.dataset import Grid, mapped, one_orientation, write_dataset
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.errors import InputError

    if not as_map:
        counts_only_with(context, "--map", "x", "y", "z", "samples")
    m = load_machine(machine, si=si)
    given = PoseOptions(at, angles, quaternion, matrix, sequence, convention, None)
    if (joints is not None or csv is not None) and (as_map or any((at, angles, quaternion, matrix))):
        raise InputError("give joint coordinates with --joints or --csv, or a pose, or --map; one of them")
    if between is not None and (csv is not None or as_map):
        raise InputError("--between is for the modes of one pose or one --joints, not for --csv or --map")
    if as_map:
        make = partial(assembly_mode_count_map, m, one_orientation(read_poses(given, m)))
        write_dataset(mapped("assembly modes", make, m, Grid(x, y, z, samples)), m, as_json=as_json, output=output)
        return
    found = _found(m, _joints(m, joints, csv, given))
    if between is not None:
        from gough.cli.mode_path import write_path

        write_path(m, found[0], between, given.orientation, as_json=as_json, output=output)
        return
    if csv is None and not as_json and output is None:
        _tell(m, found[0], given.orientation)
        return
    documents = [_document(m, each, given.orientation) for each in found]
    document = documents[0] if csv is None else {"rows": documents}
    columns = _columns(m, found, given.orientation)
    emit(columns, {"machine": m.name, "units": units_of(m), **document}, as_json=as_json, output=output)


def _joints(machine: Machine, joints: str | None, csv: str | None, given: Any) -> Array:
    """Joint coordinates (n, 6) [SI]."""
    import numpy as np

    from gough.cli.forward import read_joints
    from gough.cli.pose_input import read_poses
    from gough.errors import InputError
    from gough.kinematics.inverse import inverse_kinematics

    if joints is not None or csv is not None:
        return np.atleast_2d(read_joints(machine, joints, csv))
    q = inverse_kinematics(machine, read_poses(given, machine))
    if not np.isfinite(q).all():
        raise InputError("a leg cannot close at this pose; gough margins says by how much")
    return np.atleast_2d(q)


def _found(machine: Machine, q: Array) -> tuple[AssemblyModes, ...]:
    from gough.assembly.assembly_modes import assembly_modes
    from gough.cli.progress import watched

    found = watched("assembly modes", assembly_modes, machine, q)
    assert isinstance(found, tuple)
    return found


def _document(machine: Machine, found: AssemblyModes, orientation: Orientation) -> dict[str, Any]:
    from gough.cli.pose_output import pose_values

    return {
        "joints": found.q / machine.joint_scale,
        **pose_values(found.matrix, orientation, machine.units),
        "residual": found.residual / machine.units.metres,
        "side": found.side,
        "conditioning": found.conditioning,
        "within_limits": found.within_limits,
        "certified": found.certified,
        "singular": found.is_singular,
        "moves_freely": found.moves_freely,
        "finite_count": found.finite_count,
        "complete": found.complete,
    }


def _columns(machine: Machine, found: tuple[AssemblyModes, ...], orientation: Orientation) -> dict[str, Any]:
    """One row for each mode of each vector of joint coordinates, numbered by `row` and `mode`."""
    import numpy as np

    from gough.cli.pose_output import pose_columns, pose_values

    X = np.concatenate([each.matrix for each in found])

    def joined(name: str) -> Array:
        return np.concatenate([getattr(each, name) for each in found])

    return {
        "row": np.repeat(np.arange(1, len(found) + 1), [len(each) for each in found]),
        "mode": np.concatenate([np.arange(1, len(each) + 1) for each in found]),
        **pose_columns(pose_values(X, orientation, machine.units), machine.units),
        f"residual_{machine.units.length}": joined("residual") / machine.units.metres,
        "side": joined("side"),
        "conditioning": joined("conditioning"),
        "within_limits": joined("within_limits"),
        "certified": joined("certified"),
        "complete": np.repeat([each.complete for each in found], [len(each) for each in found]),
    }


def _tell(machine: Machine, found: AssemblyModes, orientation: Orientation) -> None:
    """The modes of one vector of joint coordinates, for people."""
    import numpy as np

    from gough.cli.output import print_table
    from gough.cli.pose_output import pose_columns, pose_values

    values = pose_columns(pose_values(found.matrix, orientation, machine.units), machine.units)
    rows = []
    for k in range(len(found)):
        numbers = [f"{column[k] + 0.0:.6g}" for column in (np.round(each, 9) for each in values.values())]
        words = [_verdict(found, k), "allowed" if found.within_limits[k] else "outside limits"]
        rows.append((str(k + 1), *numbers, f"{found.side[k]:+d}", f"{found.conditioning[k]:.3g}", *words))
    heads = ("mode", *values, "side", "conditioning", "pose", "limits")
    print_table(heads, rows, numeric=tuple(range(len(values) + 3)))
    sure = "all there are" if found.complete else "there may be more: no two runs agreed"
    if found.moves_freely.any():
        print("poses that move freely are points of self-motions: the legs do not hold the platform there")
    print(f"{len(found)} real of {found.finite_count} finite complex poses; {sure}")
    allowed = int(found.within_limits.sum())
    if allowed > 1:
        print(f"{allowed} of them are allowed: joint coordinates alone do not tell in which the machine is")


def _verdict(found: AssemblyModes, k: int) -> str:
    if found.is_singular[k]:
        return "moves freely" if found.moves_freely[k] else "singular"
    return "proven" if found.certified[k] else "not proven"
