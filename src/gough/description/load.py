"""Machine files and built-in machines by name -> `Machine`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from gough.description.build import build
from gough.description.problems import sentences
from gough.description.schema import MachineFile
from gough.errors import MachineFileError, ShapeError, UnknownMachineError, nearest
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices

_BUILT_IN = resources.files("gough.description") / "machines"


@dataclass(frozen=True)
class MachineInfo:
    """A built-in machine, as `gough machines` lists it."""

    name: str
    title: str
    kind: str
    source: str


def machine_names() -> list[str]:
    """Names of the built-in machines."""
    return sorted(entry.name.removesuffix(".toml") for entry in _BUILT_IN.iterdir() if entry.name.endswith(".toml"))


def machines() -> list[MachineInfo]:
    """The built-in machines with their leg kind and source."""
    listed = []
    for name in machine_names():
        document = tomllib.loads((_BUILT_IN / f"{name}.toml").read_text("utf-8"))
        kind = document.get("legs", {}).get("kind", "UPS")
        listed.append(MachineInfo(name, document.get("title", ""), kind, document.get("source", "")))
    return listed


def machine_text(machine: str | Path) -> tuple[str, str]:
    """Where a machine is described and the text there, for a built-in name or a path to a .toml file."""
    name = str(machine)
    if name in machine_names():
        return f"{name} (built in)", (_BUILT_IN / f"{name}.toml").read_text("utf-8")
    path = Path(machine)
    if path.suffix != ".toml" and not path.is_file():
        raise UnknownMachineError(
            f"no machine {name!r}: expected a path to a .toml file or one of {', '.join(machine_names())}."
            f"{nearest(name, machine_names())}"
        )
    try:
        return name, path.read_text("utf-8")
    except UnicodeDecodeError:
        raise MachineFileError(name, ["is not a text file in UTF-8"]) from None
    except OSError as error:
        raise UnknownMachineError(f"cannot read the machine file {name}: {error.strerror}") from None


def load(machine: str | Path) -> Machine:
    """Machine by built-in name or path of a machine file.

    Raises
    ------
    UnknownMachineError
        Neither a built-in name nor a readable file.
    MachineFileError
        The file does not describe a machine; its `problems` list everything that is wrong.

    """
    where, text = machine_text(machine)
    return from_document(parse(text, where), where)


def parse(text: str, where: str) -> dict[str, Any]:
    """TOML text as plain values."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MachineFileError(where, [f"is not valid TOML: {error}"]) from None


def from_document(document: dict[str, Any], where: str) -> Machine:
    """Machine from the values of a machine file; `where` names it in errors."""
    try:
        file = MachineFile.model_validate(document)
    except ValidationError as error:
        raise MachineFileError(where, sentences(error, document, MachineFile)) from None
    machine, problems = build(file)
    if machine is None:
        raise MachineFileError(where, problems)
    return machine


def from_points(
    base: ArrayLike,
    platform: ArrayLike,
    *,
    name: str = "from-points",
    home: PoseLike | None = None,
    joint_min: ArrayLike | None = None,
    joint_max: ArrayLike | None = None,
    **keys: Any,
) -> Machine:
    """Machine with six extending struts between two sets of points, without a file.

    Parameters
    ----------
    base, platform : (6, 3) array
        Joint points, each in its own frame [m]. Legs may share a joint, not both.
    name : str
        Lower case.
    home : PoseLike, optional
        Home pose; without one, see `gough.description.build.default_home`.
    joint_min, joint_max : float or (6,) array, optional
        Shortest and longest legs [m].
    **keys
        Any other table or key of a machine file, in SI: `limits={"joint_speed": 0.1}`, `actuators={...}`,
        `platform_body={"mass": 3.0, ...}`, `bodies={"cylinder": {...}, ...}`, `gravity=[0, 0, -9.81]`, `tool={...}`.

    Raises
    ------
    ShapeError, MachineFileError
        As `load`.

    """
    points_B, b_P = np.asarray(base, dtype=float), np.asarray(platform, dtype=float)
    for what, points in (("base", points_B), ("platform", b_P)):
        if points.shape != (6, 3):
            raise ShapeError.expected(f"{what} points", "(6, 3)", points.shape)
    limits = dict(keys.pop("limits", {}))
    for key, value in (("joint_min", joint_min), ("joint_max", joint_max)):
        if value is not None:
            limits[key] = np.asarray(value, dtype=float).tolist()
    document: dict[str, Any] = {
        "name": name,
        "base": _joints(points_B),
        "platform": {**_joints(b_P), **keys.pop("platform_body", {})},
        "legs": {"bodies": keys.pop("bodies", {})},
        "limits": limits,
        **keys,
    }
    if home is not None:
        document["home"] = _home(as_matrices(home))
    return from_document(document, "from_points")


def _joints(points: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Joint table with shared points given once."""
    unique, of_leg = np.unique(points, axis=0, return_inverse=True)
    return {"points": unique.tolist(), "of_leg": (of_leg.ravel() + 1).tolist()}


def _home(X: np.ndarray[Any, Any]) -> dict[str, Any]:
    from gough.poses import euler_angles

    return {"translation": X[:3, 3].tolist(), "angles": euler_angles(X, "XYZ").tolist(), "sequence": "XYZ"}
