"""Contents of a machine file in its own units, section by section: plain data for terminal and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from pydantic import BaseModel

from gough.arrays import Array
from gough.description.geometry import SINGULAR_AT_HOME, home_side
from gough.description.schema import MachineFile, Pose
from gough.description.units import INERTIA, unit_of
from gough.machine import Body, Machine

Cell = str | float | tuple[float, ...] | None
"""Text, a number, six numbers that differ between legs, or nothing."""


@dataclass(frozen=True)
class ContentsTable:
    """A table of a machine file's contents.

    Attributes
    ----------
    title : str
    columns : tuple of str
        Headings, with the unit in brackets where a whole column has one.
    rows : tuple of tuples of Cell
        Numbers are in the file's units.

    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Description:
    """Contents of a machine file: `sections`, and `notes` on what a reader might not expect, one sentence each."""

    name: str
    title: str
    sections: tuple[ContentsTable, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the same as plain dictionaries, for JSON."""
        return asdict(self)


def describe(machine: Machine, file: MachineFile) -> Description:
    """Return the contents of a machine file, from the values of `gough.loading.load_with_files`; no empty sections."""
    q_home = machine.legs.joints_at(machine.b_home)
    sections = (
        _machine(machine, file),
        _legs(machine, q_home),
        _points(machine, q_home),
        _frames(machine, file),
        _head(machine, file),
        _keys("Limits", {"limits": file.limits}, file, machine),
        _keys("Drives and struts", {"actuators": file.actuators}, file, machine),
        _keys(
            "Calibration", {key: getattr(file, key) for key in ("encoders", "tolerances", "calibration")}, file, machine
        ),
        _keys("Regions", {f"regions {k}": region for k, region in enumerate(file.regions, 1)}, file, machine),
        _bodies(machine, file),
    )
    return Description(
        name=machine.name,
        title=machine.title,
        sections=tuple(section for section in sections if section.rows),
        notes=tuple(_notes(machine, file)),
    )


def _machine(machine: Machine, file: MachineFile) -> ContentsTable:
    declared = file.units.model_dump(exclude_unset=True)
    gravity = f"{_listed(machine.gravity)} m/s2"
    rows: list[tuple[Cell, ...]] = [
        ("legs", f"{file.legs.kind}, {machine.legs.title}"),
        ("joint coordinate", f"{machine.legs.joint} in {machine.displayed_joint_unit}"),
        ("units", ", ".join(f"{name} {unit}" for name, unit in declared.items()) or "SI"),
        ("gravity", gravity if file.gravity else f"{gravity} (default)"),
        ("source", machine.source or "not given"),
    ]
    if file.published:
        rows.append(("published figures", ", ".join(file.published)))
    return ContentsTable("Machine", ("what", "value"), tuple(rows))


def _legs(machine: Machine, q_home: Array) -> ContentsTable:
    scale, unit = machine.displayed_joint_size, machine.displayed_joint_unit
    low, high = machine.limits.joint_min, machine.limits.joint_max
    columns = ["leg", "at home", "lowest", "highest", "down from home", "up from home"]
    values = [q_home, low, high, low - q_home, high - q_home]
    rows: list[list[Cell]] = [[i + 1, *(_finite(v[i] / scale) for v in values)] for i in range(6)]
    columns = ["leg", *(f"{name} [{unit}]" for name in columns[1:])]
    rod = machine.legs.rod()
    if rod is not None:
        columns.append(f"rod length [{machine.units.length}]")
        for i in range(6):
            rows[i].append(float(rod[i] / machine.units.metres))
    return ContentsTable("Legs: the joint coordinate", tuple(columns), tuple(map(tuple, rows)))


def _points(machine: Machine, q_home: Array) -> ContentsTable:
    unit, scale = machine.units.length, machine.units.metres
    feet = machine.legs.driven_points(q_home)
    rows = tuple((i + 1, *_numbers(feet[i] / scale), *_numbers(machine.b_P[i] / scale)) for i in range(6))
    columns = ("leg", *(f"{side} {axis} [{unit}]" for side in ("base", "platform") for axis in "xyz"))
    return ContentsTable("Joints: on the base side at home, on the platform in its own frame", columns, rows)


def _frames(machine: Machine, file: MachineFile) -> ContentsTable:
    length, angle = machine.units.length, machine.units.angle
    rows: list[tuple[Cell, ...]] = []
    if file.home is None:
        rows.append(("home in the base", *_numbers(machine.X_home[:3, 3] / machine.units.metres), 0.0, 0.0, 0.0, "XYZ"))
    for name, pose in (("home in the base", file.home), ("tool in the platform", file.tool)):
        if isinstance(pose, Pose):
            rows.append((name, *pose.translation, *pose.angles, pose.sequence))
    interest = _numbers(machine.point_of_interest / machine.units.metres)
    rows.append(("point of interest in the platform", *interest, None, None, None, None))
    columns = [f"{axis} [{length}]" for axis in "xyz"] + [f"angle {n} [{angle}]" for n in (1, 2, 3)]
    return ContentsTable("Frames", ("frame", *columns, "sequence"), tuple(rows))


def _head(machine: Machine, file: MachineFile) -> ContentsTable:
    """Joints of the head, each in its own unit."""
    length, angle = machine.units.length, machine.units.angle
    parameters = (f"a [{length}]", f"alpha [{angle}]", f"d [{length}]", f"theta [{angle}]")
    columns = ("joint", "kind", *parameters, "lowest", "highest", f"top speed per {file.units.time}", "unit")
    if file.head is None:
        return ContentsTable("Tool head", columns, ())
    rows: list[tuple[Cell, ...]] = []
    for k, joint in enumerate(file.head.joints):
        unit = "" if joint.kind == "fixed" else file.units.of_joint(joint.measures)[1]
        given = joint.a, joint.alpha, joint.d, joint.theta, joint.min, joint.max, joint.speed
        rows.append((joint.name or str(k + 1), joint.kind, *given, unit))
    return ContentsTable(f"Tool head: Denavit-Hartenberg parameters, {file.head.convention}", columns, tuple(rows))


def _keys(title: str, tables: Mapping[str, BaseModel | None], file: MachineFile, machine: Machine) -> ContentsTable:
    """The keys given in tables of the file, by the names of the tables."""
    rows = [row for name, table in tables.items() if table is not None for row in _given(table, name, file, machine)]
    return ContentsTable(title, ("key", "value", "unit", "meaning"), tuple(rows))


def _given(model: BaseModel, prefix: str, file: MachineFile, machine: Machine) -> Iterator[tuple[Cell, ...]]:
    """A row for every key given in a table of the file and in the tables inside it."""
    for key, field in type(model).model_fields.items():
        value = getattr(model, key)
        if value is None or key not in model.model_fields_set:  # defaults are not contents of the file
            continue
        if isinstance(value, BaseModel):
            yield from _given(value, f"{prefix}.{key}", file, machine)
        else:
            unit = unit_of(key, file.units, machine.legs.joint)
            yield f"{prefix}.{key}", _shared(value), unit, field.description or ""


def _bodies(machine: Machine, file: MachineFile) -> ContentsTable:
    bodies = {**machine.platform_parts, **machine.leg_parts}
    units = file.units
    columns = ["body", f"mass [{units.mass}]", *(f"mass centre {axis} [{units.length}]" for axis in "xyz")]
    columns += [f"{key} about it [{units.inertia}]" for key in ("xx", "yy", "zz")]

    def row(name: str, body: Body) -> tuple[Cell, ...]:
        moments = _numbers(np.diag(body.inertia) / INERTIA[units.inertia])
        return name, body.mass / units.kilograms, *_numbers(body.mass_centre / units.metres), *moments

    return ContentsTable("Bodies", tuple(columns), tuple(row(name, body) for name, body in bodies.items()))


def _notes(machine: Machine, file: MachineFile) -> Iterator[str]:
    low, high = machine.limits.joint_min, machine.limits.joint_max
    if home_side(machine) == 0.0:
        yield SINGULAR_AT_HOME
    if file.home is None:
        place = _listed(machine.X_home[:3, 3] / machine.units.metres)
        yield f"the file gives no home; taken to be at {place} {machine.units.length}, not turned"
    for side, ends in (("lowest", low), ("highest", high)):
        if np.isinf(ends).any():
            yield f"the file gives no {side} joint coordinate, so the joint travel is not limited on that side"
    pairs = [f"{i}-{j}" for i, j in unchecked_pairs(machine)]
    if pairs:
        yield (
            f"the clearance of the legs {', '.join(pairs)} cannot be checked: "
            "their joints are closer than their radii allow"
        )
    if machine.leg_bodies and machine.platform is None:
        yield "the legs have masses, the platform has none"
    if machine.head is not None:
        if machine.head.carrier is None and any(joint.body is not None for joint in machine.head.joints):
            yield "the head has masses, the platform has none"
        for joint, unit in zip(machine.head.moving, machine.head.units, strict=True):
            if not np.isfinite([joint.minimum, joint.maximum]).all():
                where = "half a turn in either sense" if unit == "rad" else "the machine's size in either sense"
                yield f"the head's joint {joint.name} is not limited on both sides; searches look {where}"
    missing = [part for part in machine.legs.parts if part not in machine.leg_bodies]
    if machine.leg_bodies and missing:
        yield f"no mass is given for {' and '.join(missing)}"


def unchecked_pairs(machine: Machine) -> list[tuple[int, int]]:
    """Return pairs of legs, counted from 1, whose joints on one side, at home, are closer than the sum of their
    radii."""
    radius = machine.limits.leg_radius
    if radius is None:
        return []
    feet, b_P = machine.joints_home[:6], machine.b_P
    return [
        (i + 1, j + 1)
        for i, j in combinations(range(6), 2)
        if min(np.linalg.norm(feet[i] - feet[j]), np.linalg.norm(b_P[i] - b_P[j])) <= radius[i] + radius[j]
    ]


def _shared(value: Any) -> Cell:
    """A single value where all legs share it; vectors as text."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value if isinstance(value, str) else float(value)
    if all(isinstance(item, str) for item in value):
        return "; ".join(value)
    if all(isinstance(item, Sequence) for item in value):
        texts = [_listed(item) for item in value]
        return texts[0] if len(set(texts)) == 1 else "; ".join(texts)
    return float(value[0]) if len(set(value)) == 1 else tuple(float(item) for item in value)


def _listed(values: Iterable[float]) -> str:
    return f"({', '.join(f'{x:.6g}' for x in values)})"


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in values)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
