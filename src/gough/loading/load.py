"""Names of built-in machines, machine files and joint points -> `Machine`: parse, check, build."""

from __future__ import annotations

import os.path
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.description.build import from_document, machine_of
from gough.description.check import checked
from gough.description.home import pose_table
from gough.description.parse import BUILT_IN, machine_names, machine_text, parse, split_stage
from gough.description.schema import MachineFile
from gough.description.units import Units
from gough.description.words import LIKE, leg_kind_of, template_name
from gough.errors import StagesError, UnknownMachineError
from gough.loading.stack import kinds_of, stack_of
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.quantity import quantity, result
from gough.results import Result, Table
from gough.stacked import StackedMachine


@result(eq=True)
class MachineInfo(Result):
    """A built-in machine, as `gough.machines` lists it."""

    name: str = quantity("", label="machine", doc="Name of the machine.")
    title: str = quantity("", doc="Title of the machine.")
    kind: str = quantity("", doc="Kind of its legs.")
    source: str = quantity("", doc="Source of its numbers.")
    stages: int = quantity("1", default=1, doc="Number of its stages.")

    def __str__(self) -> str:
        return f"{self.name}: {self.title} ({self.kind})"


@checks_arguments
def machines(word: str | None = None, *, stages: int | None = None) -> Table[MachineInfo]:
    """The built-in machines with their leg kind and source: all, or those that match a word or a number of stages.

    Parameters
    ----------
    word : str, optional
        Part of a name, title or source, a kind of legs, or a common name of such machines ("Stewart", "RSS").
    stages : int, optional
        Number of stages.

    Returns
    -------
    Table of MachineInfo
        By name; empty where no machine matches.

    Raises
    ------
    InputError
        `stages` is no integer.

    """
    listed = [_info(name) for name in machine_names()]
    found = [info for info in listed if stages is None or info.stages == stages]
    if word is None:
        return Table.of(found)
    # A kind itself: those of it, and where none is built in those whose legs move as its legs do.
    of_kind = [info for info in found if leg_kind_of(word) in info.kind.split(" on ")]
    return Table.of(of_kind or [info for info in found if _matches(info, word)])


def _matches(info: MachineInfo, word: str) -> bool:
    texts = (info.name, info.kind, info.title, info.source)
    if any(word.casefold() in text.casefold() for text in texts):
        return True
    template = template_name(word)
    return template is not None and bool({*LIKE[template]} & {*info.kind.split(" on ")})


def _info(name: str) -> MachineInfo:
    document = tomllib.loads((BUILT_IN / f"{name}.toml").read_text("utf-8"))
    title, source = document.get("title", ""), document.get("source", "")
    if "stages" in document:
        return MachineInfo(name, title, kinds_of(document, Path()), source, len(document["stages"]))
    return MachineInfo(name, title, document.get("legs", {}).get("kind", "UPS"), source)


@checks_arguments
def load(machine: str | Path) -> Machine | Any:
    """Machine by built-in name or path of a machine file.

    A file of two stages gives a `gough.stacked.StackedMachine`; its name or path with ":1" or ":2" behind gives one
    stage of it as a machine of its own. (To type checkers that is `Any`, so that the usual case needs no narrowing.)

    Parameters
    ----------
    machine : str or Path
        A built-in name (`gough.machines`), or the path of a `.toml` file.

    Returns
    -------
    Machine or StackedMachine
        Frozen, in SI, whatever the units of the file.

    Raises
    ------
    UnknownMachineError
        Neither a built-in name nor a readable file.
    MachineFileError
        The file does not describe a machine; `problems` lists every error.

    """
    return load_with_files(machine)[0]


def load_with_files(machine: str | Path) -> tuple[Machine | StackedMachine, list[MachineFile]]:
    """As `load`, with the checked values of the file of each stage, in its units."""
    name, number = (machine, None) if os.path.isfile(machine) else split_stage(str(machine))
    where, text = machine_text(name)
    document = parse(text, where)
    if "stages" not in document:
        if number is not None:
            raise UnknownMachineError(f"machine {str(name)!r} has one stage: name it without :{number}")
        file = checked(document, where)
        return _with_covariance(machine_of(file, where), Path(name)), [file]
    stacked, files = stack_of(document, where, Path(name).parent)
    if number is None:
        return stacked, files
    if not 1 <= number <= len(files):
        raise UnknownMachineError(
            f"machine {str(name)!r} has {len(files)} stages, :1 the lower one; there is no :{number}"
        )
    return stacked.stages[number - 1], [files[number - 1]]


def _with_covariance(machine: Machine, path: Path) -> Machine:
    """The machine with the full path of its covariance, which its file names relative to itself."""
    beside = machine.calibration.get("covariance")
    if not beside:
        return machine
    return replace(machine, calibration={**machine.calibration, "covariance": str((path.parent / beside).resolve())})


def one_machine(machine: Machine | StackedMachine, name: str | Path) -> Machine:
    """The machine if it has a single stage, else `StagesError`; `name` is what it was loaded by."""
    if isinstance(machine, StackedMachine):
        raise StagesError(f"machine {machine.name!r} has two stages, and this is for one: take {name}:1 or {name}:2")
    return machine


@checks_arguments
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
        Home pose; without one, see `gough.description.home.default_home`.
    joint_min, joint_max : float or (6,) array, optional
        Shortest and longest legs [m].
    **keys
        Any other table or key of a machine file, in SI, arrays where it has lists: `limits={"joint_speed": 0.1}`,
        `actuators={...}`, `platform_body={"mass": 3.0, ...}`, `bodies={"cylinder": {...}, ...}`,
        `gravity=[0, 0, -9.81]`, `tool={...}`.

    Returns
    -------
    Machine
        Frozen, in SI.

    Raises
    ------
    ShapeError, MachineFileError
        As `load`.

    """
    points_B, b_P = of_shape("base points", base, "(6, 3)"), of_shape("platform points", platform, "(6, 3)")
    ends = {"joint_min": joint_min, "joint_max": joint_max}
    document: dict[str, Any] = {
        "name": name,
        "base": _joints(points_B),
        "platform": {**_joints(b_P), **keys.pop("platform_body", {})},
        "legs": {"bodies": keys.pop("bodies", {})},
        "limits": {**keys.pop("limits", {}), **{key: np.asarray(q) for key, q in ends.items() if q is not None}},
        **keys,
    }
    if home is not None:
        document["home"] = pose_table(of_shape("home", checked_matrices(home), "(4, 4)"), Units())
    return from_document(_plain(document), "from_points")


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as those of Python, at all depths, as in a parsed file."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _joints(points: Array) -> dict[str, Any]:
    """Table of joint points in the order of the legs; points that legs share are given once, with `of_leg`."""
    _, first, group = np.unique(points, axis=0, return_index=True, return_inverse=True)
    if len(first) == len(points):
        return {"points": points}
    # `np.unique` sorts points; `rank` is the place of each among the points by their first leg.
    rank = np.argsort(np.argsort(first))
    return {"points": points[np.sort(first)], "of_leg": rank[group.ravel()] + 1}
