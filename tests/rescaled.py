"""The same machine in other units, and with lengths, masses and times scaled: what tells the dimension of a number.

Whatever is written of both must differ by the powers of the scales that its unit has, once each number is times its
unit: a wrong unit, a factor left out and a dimension that is another do not.
"""

import json
import tomllib
from pathlib import Path

import numpy as np
from tests.rendered import unit_of

from gough.description import units
from gough.loading import machine_text

SCALES = {"m": 10.0, "rad": 1.0, "s": 100.0, "kg": 1e4}
"""Of lengths, times and masses. Powers of ten: what is rounded to one digit stays so."""
SAME, ENDS = 0.02, 0.05
"""Part of the largest number of many: of searches that end somewhere else, and of meshes with other corners."""
MANY = 100
"""Numbers of which it is no matter how often each comes."""
LENGTH, ANGLE = "mm", "deg"
"""The other units."""
SI = {
    "length": "m",
    "angle": "rad",
    "mass": "kg",
    "time": "s",
    "force": "N",
    "torque": "N m",
    "inertia": "kg m2",
    "stiffness": "N/m",
    "pressure": "N/m2",
    "area": "m2",
}
"""Units of each kind of a machine file."""


def as_toml(document):
    """A document as TOML, tables within one line."""

    def inline(value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {inline(part)}" for key, part in value.items()) + "}"
        return f"[{', '.join(map(inline, value))}]" if isinstance(value, list) else json.dumps(value)

    return "\n".join(f"{key} = {inline(value)}" for key, value in document.items())


def scale(dimension):
    """By what a quantity grows, of powers of m, rad, s and kg."""
    return float(np.prod([factor**power for factor, power in zip(SCALES.values(), dimension, strict=True)]))


def si(name):
    """The unit in SI of a unit of a machine file."""
    tables = {kind: getattr(units, kind.upper()) for kind in SI}
    named = {each: SI[kind] for kind, table in tables.items() for each in table}
    over, _, below = name.partition("/")
    if name in named or not below:
        return named.get(name, name or "1")
    return f"{named.get(over, over)}/{named.get(below.rstrip('2'), below.rstrip('2'))}{'2' * below.endswith('2')}"


def pair(name, folder, without=()):
    """Files of a machine and of the same one scaled, with lengths and angles in other units; some keys left out."""
    document = tomllib.loads(machine_text(name)[1])
    for path in without:
        *tables, key = path.split(".")
        table = document
        for each in tables:
            table = table[each]
        table.pop(key)
    paths = folder / "own" / f"{document['name']}.toml", folder / "scaled" / f"{document['name']}.toml"
    for path, one in zip(paths, (document, rescaled(document)), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_toml(one), "utf-8")
    return paths


def pair_of_stacks(name, folder):
    """As `pair`, of a stack whose stages are files beside it."""
    document = tomllib.loads(Path(name).read_text("utf-8"))
    for stage in document["stages"]:
        pair(Path(name).parent / stage["machine"], folder)
    return pair(name, folder)


def rescaled(document):
    """The document of the scaled machine."""
    own = units.Units(**document.get("units", {}))
    other = own.model_copy(update={"length": LENGTH, "angle": ANGLE})
    joint = "angle" if document.get("legs", {}).get("kind") == "RUS" else "length"

    def walk(value, key, joint):
        if isinstance(value, dict):
            joint = {"revolute": "angle", "prismatic": "length"}.get(value.get("kind"), joint)
            return {name: walk(part, name, joint) for name, part in value.items()}
        if isinstance(value, list):
            return [walk(part, key, joint) for part in value]
        if isinstance(value, bool | str) or units.unit_of(key, own, joint) == "":
            return value
        dimension = unit_of(si(units.unit_of(key, own, joint))).dimension
        is_own = units.unit_of(key, own, joint).split("/")[0] in (own.length, own.angle)
        conversion = 1.0
        if is_own:
            conversion = (own.metres / other.metres) ** dimension[0] * (own.radians / other.radians) ** dimension[1]
        return value * scale(dimension) * conversion

    found = {key: walk(value, key, joint) for key, value in document.items() if key != "units"}
    return {**found, "units": other.model_dump()}


def rescaled_numbers(text, names, own):
    """Numbers with commas, in the units of these names or in an own unit, as they are for the scaled machine."""
    size = {"length": own.metres, "angle": own.radians}
    si_names, other = {"length": "m", "angle": "rad"}, {"length": LENGTH, "angle": ANGLE}
    found = []
    for number, name in zip(text.split(","), names, strict=True):
        words = [si_names.get(word, word) for word in name.split("/")]
        factor = scale(unit_of("/".join(words)).dimension)
        first = name.split("/")[0]
        factor *= size[first] / unit_of(other[first]).size if first in size else 1.0
        found.append(repr(float(number) * factor))
    return ",".join(found)


def is_scaled(values, unit, others, other_unit):
    """Whether numbers in a unit, and those of the scaled machine in its unit, are one quantity of the units' dimension;
    in any order, and their ends alone where there are not as many."""
    here, there = (None if name is None else unit_of(name) for name in (unit, other_unit))
    if here is None or there is None or here.dimension != there.dimension:
        return False
    expected, found = np.sort(values) * here.size * scale(here.dimension), np.sort(others) * there.size
    if len(expected) != len(found):
        if not (len(expected) and len(found)):
            return False
        ends = np.array([(each.min(), each.max()) for each in (expected, found)])
        return bool(np.abs(ends[0] - ends[1]).max() < ENDS * np.abs(ends).max())
    within = SAME * np.abs(found).max(initial=0.0)
    if np.abs(expected - found).max(initial=0.0) <= within:
        return True
    apart = np.abs(np.unique(expected)[:, None] - np.unique(found))  # flat sides are cut into other triangles
    return bool(len(found) > MANY and max(apart.min(axis=0).max(), apart.min(axis=1).max()) <= within)
