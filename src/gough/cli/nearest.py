"""`gough nearest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array, Orientation
    from gough.limits.nearest import NearestPose
    from gough.machine import Machine

Length = Annotated[
    float | None,
    typer.Option(metavar="LENGTH", help="A turn of one radian weighs as much as this; default: the platform's radius."),
]


def nearest(
    machine: options.Machine,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    csv: options.Csv = None,
    length: Length = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """The nearest allowed pose, and the limits that hold it.

    The least of sqrt(shift^2 + (length * turn)^2), shift being that of the
    point of interest. The answer is written as the question was: angles
    with --sequence or --convention, otherwise a quaternion.
    """
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses

    given = PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv)
    m = load_machine(machine, si=si)
    X = read_poses(given, m)
    found = _found(m, X, None if length is None else length * m.units.metres)
    if X.ndim == 2 and not as_json and output is None:
        _tell(m, found[0], given.orientation)
        return
    columns, document = _answer(m, found, X, given.orientation)
    emit(columns, {"machine": m.name, "units": units_of(m), **document}, as_json=as_json, output=output)


def _found(machine: Machine, X: Array, length: float | None) -> list[NearestPose]:
    from gough.cli.progress import progress
    from gough.limits.nearest import nearest_pose

    poses = X.reshape(-1, 4, 4)
    answers = []
    with progress("nearest allowed pose", len(poses)) as advance:
        for pose in poses:
            answers.append(nearest_pose(machine, pose, length=length))
            advance(1)
    return answers


def _answer(
    machine: Machine, found: list[NearestPose], X: Array, orientation: Orientation
) -> tuple[dict[str, Any], dict[str, Any]]:
    """CSV columns, and keys for JSON, in the machine's units; the keys of one pose have no leading axis."""
    import numpy as np

    from gough.cli.pose_output import pose_columns, pose_values

    units = machine.units
    pose = pose_values(np.stack([each.matrix for each in found]), orientation, units)
    distance = np.array([each.distance for each in found]) / units.metres
    shift = np.stack([each.translation for each in found]) / units.metres
    turn = np.stack([each.rotation for each in found]) / units.radians
    held = [list(each.active_limits) for each in found]
    columns: dict[str, Any] = {
        **pose_columns(pose, units),
        f"distance_{units.length}": distance,
        **{f"shift_{axis}_{units.length}": shift[:, k] for k, axis in enumerate("xyz")},
        **{f"turn_{axis}_{units.angle}": turn[:, k] for k, axis in enumerate("xyz")},
        "limit": ["; ".join(names) for names in held],
    }
    document: dict[str, Any] = {
        "pose": pose,
        "distance": distance,
        "translation": shift,
        "rotation": turn,
        "active_limits": held,
    }
    if X.ndim == 2:
        document = {key: value[0] for key, value in document.items() if key != "pose"}
        document["pose"] = {key: value[0] for key, value in pose.items()}
    return columns, {**document, "length": found[0].length / units.metres}


def _tell(machine: Machine, found: NearestPose, orientation: Orientation) -> None:
    """One pose, for people."""
    import numpy as np

    from gough.cli.pose_output import pose_values
    from gough.limits.ties import in_words

    u = machine.units
    if found.distance == 0:
        print("The pose is allowed itself.")
        return
    shown = pose_values(found.matrix, orientation, u)
    names = {"position": f"position {u.length}", "angles": f"angles {u.angle}", "quaternion": "quaternion x, y, z, w"}
    for key, values in shown.items():
        print(f"{names[key]:<22} {', '.join(f'{value + 0.0:.6g}' for value in np.round(values, 9))}")
    moved, turned = np.linalg.norm(found.translation) / u.metres, np.linalg.norm(found.rotation) / u.radians
    print(f"{'gives up':<22} {moved:.4g} {u.length} and {turned:.4g} {u.angle}")
    print(f"{'held by':<22} {in_words(found.active_limits) or 'no limit'}")
    weight = f"a radian weighs as much as {found.length / u.metres:.4g} {u.length}"
    print(f"{'distance':<22} {found.distance / u.metres:.4g} {u.length}, where {weight}")
