"""Machines of one stage or two, from built-in names, machine files or joint points: parse, check, build.

A file of two stages describes two machines and the mount of the upper one on the lower. `describe_file` lists the
contents of a file as `gough check` shows them.
"""

from __future__ import annotations

import os.path
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.description.build import flowing, from_document, machine_of
from gough.description.describe_machine import Cell, ContentsTable, Description, describe
from gough.description.geometry import pose_of, pose_table
from gough.description.parse import BUILT_IN, machine_names, machine_text, parse, split_stage
from gough.description.problems import Problems, checked, checked_stack, sentences, shown
from gough.description.schema import OF_A_STAGE, MachineFile, Pose, StackFile
from gough.description.starter import LIKE, leg_kind_of, template_name
from gough.description.units import Units
from gough.errors import InputError, MachineFileError, StagesError, UnknownMachineError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, euler_angles
from gough.quantity import quantity, result
from gough.results import Result, Table
from gough.stacked import StackedMachine

if TYPE_CHECKING:
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
    """List the built-in machines with leg kind and source: all, or only matches of a word or a number of stages.

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
        `stages` is not an integer.

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
    """Load a machine by built-in name or by the path of a machine file.

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
    """Load as `load` does, and return also the checked values of the file of each stage, in its units."""
    name, number = (machine, None) if os.path.isfile(machine) else split_stage(str(machine))
    where, text = machine_text(name)
    document = parse(text, where)
    if "stages" not in document:
        if number is not None:
            raise UnknownMachineError(f"machine {str(name)!r} has one stage: omit :{number}")
        file = checked(document, where)
        return _with_covariance(machine_of(file, where), Path(name)), [file]
    stacked, files = stack_of(document, where, Path(name).parent)
    if number is None:
        return stacked, files
    if not 1 <= number <= len(files):
        raise UnknownMachineError(
            f"machine {str(name)!r} has {len(files)} stages, with :1 the lower; :{number} does not exist"
        )
    return stacked.stages[number - 1], [files[number - 1]]


def _with_covariance(machine: Machine, path: Path) -> Machine:
    """The machine with the full path of its covariance, which its file names relative to itself."""
    beside = machine.calibration.get("covariance")
    if not beside:
        return machine
    return replace(machine, calibration={**machine.calibration, "covariance": str((path.parent / beside).resolve())})


def one_machine(machine: Machine | StackedMachine, name: str | Path) -> Machine:
    """Return the machine if it has a single stage, else `StagesError`; `name` is what it was loaded by."""
    if isinstance(machine, StackedMachine):
        raise StagesError(
            f"machine {machine.name!r} has two stages, expected a single machine: use {name}:1 or {name}:2"
        )
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
    """Build a machine with six extending struts between two sets of points, without a file.

    Parameters
    ----------
    base, platform : (6, 3) array
        Joint points, each in its own frame [m]. Legs may share a joint, not both.
    name : str
        Lower case.
    home : PoseLike, optional
        Home pose; without one, see `gough.description.geometry.default_home`.
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


def stack_of(document: Mapping[str, Any], where: str, folder: Path) -> tuple[StackedMachine, list[MachineFile]]:
    """Return the machine that a parsed document with `stages` describes, and the checked values of each stage, in its
    units.

    `where` names the file in errors; paths of files in the stages are relative to `folder`.
    """
    from gough.stages.implementations import StackedMachine

    file = checked_stack(document, where)
    problems, machines, files = Problems(), [], []
    # Problems of both stages are collected before anything is raised.
    for k, stage in enumerate(file.stages, 1):
        try:
            said = checked(_stage_document(file, k, stage, folder), f"{where}, stage {k}")
            machine = machine_of(said, f"{where}, stage {k}")
            # A stage without a name of its own has the one by which it is taken.
            machines.append(machine if "name" in stage else replace(machine, name=f"{file.name}:{k}"))
            files.append(said)
        except MachineFileError as error:
            problems.extend(f"stage {k}: {problem}" for problem in error.problems)
        except InputError as error:
            problems.add(f"stage {k}: machine", str(error))
    mount = _mount(file, problems)
    if problems:
        raise MachineFileError(where, problems)
    stacked = StackedMachine(
        name=file.name,
        stages=(machines[0], machines[1]),
        X_IU=pose_of(mount, file.units),
        share=file.share,
        title=file.title,
        source=file.source,
        notes=flowing(file.notes),
        published=file.published,
        units=file.units.for_display,
    )
    return stacked, files


def _stage_document(file: StackFile, k: int, stage: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """All keys of stage k: its own ones override those of the machine that it names."""
    own = {key: value for key, value in stage.items() if key not in OF_A_STAGE}
    own.setdefault("name", f"{file.name}-{k}")
    if "machine" not in stage:
        return {"source": file.source, **own}
    named = _named(stage["machine"], folder)
    named.pop("published", None)  # figures of that machine, not of one with other masses or on another
    return _merged(named, own)


def _named(machine: Any, folder: Path) -> dict[str, Any]:
    """Document of the machine that a stage names."""
    if not isinstance(machine, str):
        raise InputError(f"{shown(machine)}, expected the name of a built-in machine or of a machine file")
    where, text = machine_text(folder / machine if machine.endswith(".toml") else machine)
    document = parse(text, where)
    if "stages" in document:
        raise InputError(f"{machine!r} is a stack; specify a single machine, or the file of one of its stages")
    return document


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of both, with those of `over` overriding; tables are merged key by key."""
    found = dict(under)
    for key, value in over.items():
        below = found.get(key)
        found[key] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return found


def _mount(file: StackFile, problems: Problems) -> Pose | None:
    """Mount of the upper stage; the lower one has none."""
    if "mount" in file.stages[0]:
        problems.add("stage 1: mount", "the lower stage is on the ground; a mount belongs to the upper stage")
    said = file.stages[1].get("mount")
    if said is None:
        return None
    if not isinstance(said, dict):
        problems.add("stage 2: mount", f"{shown(said)}, expected a table with translation and angles")
        return None
    try:
        return Pose.model_validate(said)
    except ValidationError as error:
        problems.extend(f"stage 2: mount.{sentence}" for sentence in sentences(error, said, Pose))
        return None


def kinds_of(document: Mapping[str, Any], folder: Path) -> str:
    """Return the leg kinds of a document with `stages`, such as "UPS on PUS"."""
    file = checked_stack(document, "")
    kinds = [
        _stage_document(file, k, stage, folder).get("legs", {}).get("kind", "UPS")
        for k, stage in enumerate(file.stages, 1)
    ]
    return " on ".join(reversed(kinds))


NAMES = ("lower", "upper")


def describe_file(machine: str | Path) -> Description:
    """Describe a built-in name or a path, see `describe_machine.describe`; raises the errors of `gough.load`."""
    found, files = load_with_files(machine)
    return _describe_stack(found, files) if isinstance(found, StackedMachine) else describe(found, files[0])


def _describe_stack(machine: StackedMachine, files: Sequence[MachineFile]) -> Description:
    """The whole, then each stage by itself, from the values of `load_with_files`."""
    parts = [describe(stage, file) for stage, file in zip(machine.stages, files, strict=True)]
    sections = [_whole(machine), _frames(machine)]
    notes = []
    for k, part in enumerate(parts, 1):
        sections += (
            replace(section, title=f"Stage {k}: {section.title[0].lower()}{section.title[1:]}")
            for section in part.sections
        )
        notes += [f"stage {k}: {note}" for note in part.notes]
    pull, other = machine.lower.gravity, machine.upper.gravity
    if files[1].gravity is not None and (pull != other).any():
        notes.append("stage 2 gives a gravity of its own; the whole machine takes that of stage 1")
    return Description(machine.name, machine.title, tuple(sections), tuple(notes))


def _whole(machine: StackedMachine) -> ContentsTable:
    rows: list[tuple[Cell, ...]] = [
        (f"stage {k}, {name}", f"{stage.name}, {stage.leg_kind} legs")
        for k, (name, stage) in enumerate(zip(NAMES, machine.stages, strict=True), 1)
    ]
    rows += [
        ("joint coordinates", f"{machine.n}, the lower stage first"),
        ("units of mount and poses", f"{machine.units.length}, {machine.units.angle}"),
        ("source", machine.source or "not given"),
    ]
    return ContentsTable("Machine of two stages", ("what", "value"), tuple(rows))


def _frames(machine: StackedMachine) -> ContentsTable:
    units = machine.units
    rows: list[tuple[Cell, ...]] = []
    for name, X in (
        ("intermediate platform at home, in the base", machine.lower.X_home),
        ("upper base in the intermediate platform", machine.X_IU),
        ("end platform at home, in the base", machine.X_home[1]),
    ):
        angles = euler_angles(X, "XYZ") / units.radians + 0.0  # turns -0 into 0
        rows.append((name, *map(float, X[:3, 3] / units.metres), *map(float, angles), "XYZ"))
    columns = [f"{axis} [{units.length}]" for axis in "xyz"] + [f"angle {n} [{units.angle}]" for n in (1, 2, 3)]
    return ContentsTable("Frames of the whole", ("frame", *columns, "sequence"), tuple(rows))
