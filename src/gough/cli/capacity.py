"""`gough capacity`."""

from __future__ import annotations

from typing import Any, Literal

from typer import Option

import gough
from gough.cli.command import Array, Request, command
from gough.present.answer import Answer, Field, Table, Words, csv_columns, json_keys, sentence

KINDS: tuple[tuple[Literal["force", "moment"], str, str], ...] = (
    ("force", "N", "every direction"),
    ("moment", "N m", "every axis"),
)
SIDES = {"plus": "", "minus": "minus_"}


@command("pose", "share", "force", "csv", "output")
def capacity(
    request: Request,
    centre: str | None = Option(
        None, metavar="X,Y,Z", help="Mass centre of the payload in the platform frame; default: point of interest."
    ),
) -> Answer:
    """Payloads, forces and moments it can carry.

    The payload with the platform horizontal, on its side and in any
    mounting; the largest force along and moment about each axis, and in
    every direction, beside the weights of platform and legs as far as
    their masses are known. At one pose, at many in a CSV file, or at home.
    """
    from gough.limits.interval_search import postures
    from gough.statics.weights import masses_in_words

    where = request.numbers("--centre", centre, (3,), "m")
    request.note_stage()
    found = request.one_by_one("capacity", lambda X: _found(request, postures(request.any_machine, X), where))
    weights = masses_in_words(request.any_machine)
    keys = found[0] if request.X.ndim == 2 else {"poses": found}
    units = {f"payload.{name}.mass": "kg" for name in found[0]["payload"]}
    units |= {f"load.{axis}.{side}": _unit(axis) for axis in found[0]["load"] for side in SIDES}
    units |= {f"every_direction.{kind}": unit for kind, unit, _ in KINDS}
    fields = [*_columns(found), *json_keys(**keys, weights=weights, is_allowed=request.note_poses())]

    def words() -> Words:
        yield from _tables(found[0], len(request.legs))
        yield sentence(weights)

    return Answer(fields, words, units)


def _found(request: Request, X: Array, centre: Array | None) -> dict[str, Any]:
    """Payloads by mounting, loads by axis, loads that every direction allows, at one pose."""
    m, force = request.any_machine, request.options.force
    own = m.has_weight
    payloads = gough.statics.payload_table(m, X, mass_centre=centre, actuator_force=force)
    loads = gough.statics.capacity_table(m, X, gravity=own, actuator_force=force)
    return {
        "payload": {row.mounting: _without(row, "mounting") for row in payloads},
        "load": {row.axis: _without(row, "axis") for row in loads},
        "every_direction": {
            kind: float(gough.statics.guaranteed_load(m, X, kind, gravity=own, actuator_force=force))
            for kind, _, _ in KINDS
        },
    }


def _without(row: Any, name: str) -> dict[str, Any]:
    return {key: value for key, value in vars(row).items() if key != name}


def _columns(found: list[dict[str, Any]]) -> list[Field]:
    masses = {f"payload_{name}": [one["payload"][name]["mass"] for one in found] for name in found[0]["payload"]}
    columns = csv_columns("kg", **masses)
    for axis in found[0]["load"]:
        for side, prefix in SIDES.items():
            columns += csv_columns(_unit(axis), **{f"{prefix}{axis}": [one["load"][axis][side] for one in found]})
    for kind, unit, _ in KINDS:
        columns += csv_columns(unit, **{f"every_{kind}": [one["every_direction"][kind] for one in found]})
    return columns


def _unit(axis: str) -> str:
    return "N" if axis.startswith("f") else "N m"


def _tables(found: dict[str, Any], of: int) -> Words:
    from gough.limits.ties import legs_in_words
    from gough.present.show import significant

    rows = []
    for name, row in found["payload"].items():
        g = ", ".join(f"{round(value, 3) + 0.0:.3f}" for value in row["gravity"])
        rows.append((name, significant(row["mass"]), legs_in_words(row["legs"], of), f"({g})"))
    yield Table(("mounting", "payload [kg]", "ended by", "gravity along"), rows)
    loads = []
    for axis, row in found["load"].items():
        ends = (legs_in_words(row[f"{side}_legs"], of) for side in ("minus", "plus"))
        loads.append((axis, significant(row["minus"]), significant(row["plus"]), _unit(axis), *ends))
    for kind, unit, what in KINDS:
        most = significant(found["every_direction"][kind])
        loads.append((what, most, most, unit, "", ""))
    yield ""
    yield Table(("force or moment", "minus", "plus", "unit", "minus ended by", "plus ended by"), loads)
