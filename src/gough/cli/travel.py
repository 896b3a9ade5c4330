"""`gough travel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array, Orientation
    from gough.limits.travel import Travel
    from gough.machine import DisplayUnits, Machine

Along = Annotated[
    str | None,
    typer.Option(
        metavar="DIRECTION",
        help="An axis: x, -y, rz ...; or VX,VY,VZ or VX,VY,VZ,WX,WY,WZ. Without it: all axes, both ways.",
    ),
]

AXES = ("x", "y", "z", "rx", "ry", "rz")


def travel(
    machine: options.Machine,
    along: Along = None,
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
    """How far it can go, and which limit ends it.

    Of the point of interest, from one pose given by options, from many in
    a CSV file, or from home.
    With --along the answer also has the pose where it ends; without it
    there is a table of all axes, both ways. A distance is inf (null in
    JSON) where no limit ends it.
    """
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses

    given = PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv)
    m = load_machine(machine, si=si)
    direction = None if along is None else parse_direction(along, m.units)
    X = read_poses(given, m)
    if X.ndim == 2 and not as_json and output is None:
        _tell(m, X, direction)
        return
    if direction is None:
        columns, document = _all_axes(m, X)
    else:
        columns, document = _one_direction(m, X, direction, given.orientation)
    emit(columns, {"machine": m.name, "units": units_of(m), **document}, as_json=as_json, output=output)


def parse_direction(text: str, units: DisplayUnits) -> Array:
    """Direction [v, w] in SI from "-x", "rz", "1,0,0" or six numbers."""
    import numpy as np

    from gough.cli.numbers import numbers
    from gough.errors import InputError, nearest

    sign, axis = (-1.0, text[1:]) if text[:1] == "-" else (1.0, text.removeprefix("+"))
    values = np.zeros(6)
    if axis in AXES:
        values[AXES.index(axis)] = sign
        return values
    if axis.isalpha():
        raise InputError(f"--along: no axis {text!r}, expected one of {', '.join(AXES)}.{nearest(axis, AXES)}")
    given = numbers("--along", text, (3, 6))
    values[: len(given)] = given / (np.abs(given).max() or 1.0)  # only the direction counts
    values[3:] *= units.radians / units.metres  # angle per length, both in the file's units
    return values


def _travels(machine: Machine, directions: Array, X: Array) -> list[Travel]:
    """Travels along directions (k, 6) or (6,) from poses (4, 4) or (n, 4, 4)."""
    from gough.cli.batch import in_parts
    from gough.limits.travel import travel as travel_of

    many = directions.ndim == 2
    return in_parts(
        "travel", lambda part: travel_of(machine, directions, part[..., None, :, :] if many else part), X, 2
    )


def _tell(machine: Machine, X: Array, direction: Array | None) -> None:
    """One start, for people."""
    from gough.cli.output import print_table
    from gough.limits.margins import margins
    from gough.limits.travel import travel_table

    if direction is not None:
        print(_travels(machine, direction, X)[0].sentence())
        return
    broken = margins(machine, X).sentences()
    if broken:
        print("The start is not allowed, so there is no travel from it:")
        for sentence in broken:
            print(f"  {sentence}")
        return
    rows = []
    for row in travel_table(machine, X):
        scale, unit = _counted(row.axis, machine.units)
        sides = (f"{row.minus / scale:.6g}", row.minus_words, f"{row.plus / scale:+.6g}", row.plus_words)
        rows.append((row.axis, sides[0], sides[2], unit, sides[1], sides[3]))
    print_table(("axis", "minus", "plus", "unit", "minus ends at", "plus ends at"), rows, numeric=(1, 2))


def _all_axes(machine: Machine, X: Array) -> tuple[dict[str, Any], dict[str, Any]]:
    """CSV columns, and keys for JSON: signed distances both ways with their limits, arrays (..., 6)."""
    import numpy as np

    from gough.cli.batch import joined

    found = _travels(machine, np.concatenate([-np.eye(6), np.eye(6)]), X)
    distance = joined([part.distance for part in found])
    limit = joined([np.asarray(part.binding) for part in found])
    sets, allowed = joined([part.words() for part in found]), joined([part.is_start_allowed for part in found])
    counted = [_counted(axis, machine.units) for axis in AXES]
    scale = np.array([size for size, _ in counted])
    document = {
        "axes": AXES,
        "axis_units": [unit for _, unit in counted],
        "minus": -distance[..., :6] / scale,
        "plus": distance[..., 6:] / scale,
        "minus_limit": limit[..., :6],
        "plus_limit": limit[..., 6:],
        "minus_limits": sets[..., :6],
        "plus_limits": sets[..., 6:],
        "start_allowed": allowed[..., 0],
    }
    columns: dict[str, Any] = {"start_allowed": allowed[..., 0]}
    for k, (axis, (_, unit)) in enumerate(zip(AXES, counted, strict=True)):
        for side in ("minus", "plus"):
            columns[f"{axis}_{side}_{unit}"] = document[side][..., k]
            columns[f"{axis}_{side}_limit"] = document[f"{side}_limit"][..., k]
    return columns, document


def _one_direction(
    machine: Machine, X: Array, direction: Array, orientation: Orientation
) -> tuple[dict[str, Any], dict[str, Any]]:
    """CSV columns, and keys for JSON: the distance, the limit and the pose where it ends."""
    import numpy as np

    from gough.cli.batch import joined
    from gough.cli.pose_output import pose_columns, pose_values

    found = _travels(machine, direction, X)
    scale, unit = _counted("x" if direction[:3].any() else "rx", machine.units)
    distance = joined([part.distance for part in found]) / scale
    limit = joined([np.asarray(part.binding) for part in found])
    end = pose_values(joined([part.matrix for part in found]), orientation, machine.units)
    limits, allowed = joined([part.words() for part in found]), joined([part.is_start_allowed for part in found])
    columns = {f"distance_{unit}": distance, "limit": limit, **pose_columns(end, machine.units)}
    columns["start_allowed"] = allowed
    document = {"distance": distance, "distance_unit": unit, "limit": limit, "limits": limits, "end": end}
    return columns, {**document, "start_allowed": allowed}


def _counted(axis: str, units: DisplayUnits) -> tuple[float, str]:
    """Size in SI and name of the unit in which travel along an axis is counted."""
    return (units.radians, units.angle) if axis.startswith("r") else (units.metres, units.length)
