"""`gough margins`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array
    from gough.limits.margins import Margins
    from gough.machine import DisplayUnits


def margins(
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
    """Signed distance of poses to every limit.

    Of one pose given by options, of many in a CSV file, or of home.
    Negative is beyond the limit. One pose is told in words and a table,
    many as CSV, a column for each limit.
    """
    from gough.cli.batch import in_parts, joined
    from gough.cli.machine import load_machine, units_of
    from gough.cli.output import emit
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.limits.margins import Margins
    from gough.limits.margins import margins as margins_of

    m = load_machine(machine, si=si)
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m)
    parts = in_parts("margins", lambda part: margins_of(m, part), X, 2)
    found = Margins(joined([part.values for part in parts]), parts[0].columns, m)
    if X.ndim == 2 and not as_json and output is None:
        _tell(found, X)
        return
    columns, document = _answer(found, m.units)
    if X.ndim == 2 and as_json:
        document |= {"is_singular": found.is_singular, **_advised(found, X)}
    emit(columns, {"machine": m.name, "units": units_of(m), **document}, as_json=as_json, output=output)


def _answer(found: Margins, units: DisplayUnits) -> tuple[dict[str, Any], dict[str, Any]]:
    """The margins as CSV columns and as keys for JSON, in the machine's units."""
    import numpy as np

    limits = [
        {"name": column.name, "legs": list(column.legs), "unit": _unit(column.unit, units)} for column in found.columns
    ]
    values = found.values / np.array([_size(column.unit, units) for column in found.columns])
    columns: dict[str, Any] = {"is_allowed": found.is_allowed, "binding": found.binding}
    for k, limit in enumerate(limits):
        suffix = "" if limit["unit"] == "1" else f"_{limit['unit']}"
        columns[f"{limit['name']}{suffix}".replace(" ", "_").replace("-", "_")] = values[..., k]
    document = {
        "is_allowed": found.is_allowed,
        "binding": found.binding,
        "limits": limits,
        "margins": values,
    }
    if found.values.ndim == 1:
        document["binding_set"] = list(found.binding_set)
        singular = [found.singular_sentence()] if found.is_singular else []
        document["sentences"] = [*found.sentences(), *singular] or [found.sentence()]
    return columns, document


def _advised(found: Margins, X: Array) -> dict[str, Any]:
    """What to do about one pose, and how each margin changes with it, for JSON."""
    import numpy as np

    from gough.limits.gradient import AXES, margin_gradient

    units = found.machine.units
    gradient = margin_gradient(found.machine, X)
    size = np.array([_size(column.unit, units) for column in found.columns])
    step = np.array([units.metres] * 3 + [units.radians] * 3)
    return {"advice": gradient.back_off(), "axes": AXES, "gradients": gradient.values * step / size[:, None]}


def _tell(found: Margins, X: Array) -> None:
    """One pose, for people: what is wrong or nearest to it, what to do about it, then every limit."""
    from gough.cli.output import print_table
    from gough.limits.gradient import TIGHT, margin_gradient

    units = found.machine.units
    broken, singular = found.sentences(), found.singular_sentence()
    kept = "Every limit is kept, but the pose is singular:" if singular else "Allowed. Nearest to its limit:"
    print("Not allowed:" if broken else kept)
    for sentence in [*broken, singular] if singular else broken or [found.sentence()]:
        print(f"  {sentence}")
    if broken or (not singular and float(found.relative[found.binding_index]) < TIGHT):
        advice = margin_gradient(found.machine, X).back_off().removeprefix("every limit is kept; ")
        print(f"  {advice}{', or see gough nearest' if broken else ''}")
    rows = [
        (column.name, f"{value / _size(column.unit, units):.6g}", _unit(column.unit, units))
        for column, value in zip(found.columns, found.values.tolist(), strict=True)
    ]
    print_table(("limit", "margin", "unit"), rows, numeric=(1,))


def _unit(unit: str, units: DisplayUnits) -> str:
    return {"m": units.length, "rad": units.angle}.get(unit, unit)


def _size(unit: str, units: DisplayUnits) -> float:
    return {"m": units.metres, "rad": units.radians}.get(unit, 1.0)
