"""`gough inverse`."""

from __future__ import annotations

from gough.cli import options


def inverse(
    machine: options.Machine,
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
    """Joint coordinates of poses.

    Of one pose given by options, of many in a CSV file, or of home. A leg
    that cannot close has none: nan, or null in JSON.
    """
    import numpy as np

    from gough.cli.batch import in_parts, joined
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit, note
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.kinematics.inverse import inverse_kinematics

    m = load_machine(machine, si=si)
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    parts = in_parts("inverse kinematics", lambda part: inverse_kinematics(m, part), X, 2)
    q = joined(parts) / m.joint_scale
    columns = {f"q{leg}_{m.joint_unit}": q[..., leg - 1] for leg in range(1, 7)}
    document = {"machine": m.name, "units": units_of(m), "joints": q}
    emit(columns, document, as_json=as_json, output=output)
    open_rows = np.isnan(np.atleast_2d(q)).any(axis=1)
    if open_rows.any():
        which = "this pose" if q.ndim == 1 else f"{open_rows.sum()} of {len(q)} poses"
        note(f"a leg cannot close at {which}: its joint coordinate is nan; gough margins says by how much")
