"""Machine files of changed machines: the original document with the machine's present geometry and encoders."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.description.build import from_document
from gough.description.geometry import pose_table
from gough.description.parse import machine_text, parse
from gough.description.units import Units, size_of
from gough.errors import InputError
from gough.legs import PUS, RUS
from gough.machine import Machine


def written(machine: Machine, like: str | Path, **tables: Any) -> str:
    """Return the text of a machine file with the geometry, travel and encoders of `machine`, all else as in the file
    `like`.

    Parameters
    ----------
    machine : Machine
        A changed version of the machine of `like`.
    like : str or Path
        A built-in name or the path of a file of one machine.
    **tables
        Keys and tables that replace those of the file.

    Raises
    ------
    InputError
        For a machine of two stages.

    """
    where, text = machine_text(like)
    document = parse(text, where)
    if "stages" in document:
        raise InputError(f"{where} has two stages; calibrate each stage by its own file")
    before = from_document(document, where)
    units = Units.model_validate(document.get("units", {}))
    _write_joints(document, machine, before, units)
    _write_legs(document, machine, units)
    _write_travel(document, machine, units)
    if "home" not in document:
        document["home"] = pose_table(machine.X_home, units)
    document |= {key: value for key, value in tables.items() if value is not None}
    found = toml(document)
    from_document(tomllib.loads(found), "the machine file to be written")  # raises rather than write a wrong file
    return found


def _write_joints(document: dict[str, Any], machine: Machine, before: Machine, units: Units) -> None:
    """Points of both plates, where they differ from the file's."""
    for plate, now, then in (("base", _base(machine), _base(before)), ("platform", machine.b_P, before.b_P)):
        if not np.array_equal(now, then):
            own = {key: value for key, value in document[plate].items() if key not in ("pitch_circle", "of_leg")}
            document[plate] = own | {"points": _listed(now / units.metres)}


def _base(machine: Machine) -> Array:
    legs = machine.legs
    return legs.c_B if isinstance(legs, RUS) else legs.a_B  # type: ignore[attr-defined]


def _write_legs(document: dict[str, Any], machine: Machine, units: Units) -> None:
    """Directions, arms and rods of the legs, and the encoders."""
    legs, table = machine.legs, dict(document.get("legs", {}))
    if isinstance(legs, PUS):
        table |= {"guide": _listed(legs.g_B), "rod_length": _listed(legs.rod_length / units.metres)}
    elif isinstance(legs, RUS):
        table.pop("crank", None)
        table |= {"axis": _listed(legs.n_B), "arm": _listed(legs.r_B / units.metres)}
        table["rod_length"] = _listed(legs.rod_length / units.metres)
    if isinstance(legs, PUS | RUS):
        table["branch"] = [int(sign) for sign in legs.branch]
        document["legs"] = table
    document.pop("encoders", None)
    if machine.encoders is not None:
        given = {
            key: getattr(machine.encoders, key)
            for key in ("zero", "gain", "curvature", "sine", "cosine", "middle", "period")
        }
        kept = {key: value for key, value in given.items() if np.isfinite(value).all() and value.any()}
        document["encoders"] = {key: _listed(v / size_of(key, units, legs.joint)) for key, v in kept.items()}


def _write_travel(document: dict[str, Any], machine: Machine, units: Units) -> None:
    """Ends of travel as joint coordinates, which depend on home and encoders."""
    size = units.of_joint(machine.legs.joint)[0]
    table = {key: v for key, v in document.get("limits", {}).items() if not key.startswith(("travel_", "joint_m"))}
    for key in ("joint_min", "joint_max"):
        ends = getattr(machine.limits, key)
        if np.isfinite(ends).all():
            table[key] = _listed(ends / size)
    document["limits"] = table


def _listed(values: Array) -> list[Any]:
    return (np.asarray(values) + 0.0).tolist()  # adding zero turns -0 into 0


def toml(document: Mapping[str, Any]) -> str:
    """Return TOML text of plain values: numbers, text, lists and tables."""
    return "\n".join(_lines(document, "")) + "\n"


def _lines(table: Mapping[str, Any], prefix: str) -> Iterable[str]:
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    arrays = {key: value for key, value in table.items() if _is_tables(value)}
    own = {key: value for key, value in table.items() if key not in inner and key not in arrays}
    for key, value in own.items():
        yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        yield from ("", f"[{prefix}{_key(key)}]", *_lines(value, f"{prefix}{_key(key)}."))
    for key, values in arrays.items():
        for value in values:
            yield from ("", f"[[{prefix}{_key(key)}]]", *_lines(value, f"{prefix}{_key(key)}."))


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(key: str) -> str:
    plain = key.replace("-", "").replace("_", "").isalnum() and key.isascii()
    return key if plain else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        texts = [_value(item) for item in value]
        deep = any(isinstance(item, list) for item in value)
        return "[\n" + "".join(f"  {text},\n" for text in texts) + "]" if deep else f"[{', '.join(texts)}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(k)} = {_value(v)}' for k, v in value.items())} }}"
    return repr(value) if isinstance(value, int | float) else str(value)


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def _text(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(c, c if c.isprintable() else f"\\u{ord(c):04x}") for c in text) + '"'
