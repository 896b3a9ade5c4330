"""Machine files of two stages -> `StackedMachine`: two machines and the mount of the upper one on the lower."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from gough.description.build import flowing, machine_of
from gough.description.check import checked, checked_stack
from gough.description.home import pose_of
from gough.description.parse import machine_text, parse
from gough.description.problems import Problems, sentences, shown
from gough.description.schema import OF_A_STAGE, MachineFile, Pose, StackFile
from gough.errors import InputError, MachineFileError

if TYPE_CHECKING:
    from gough.stacked import StackedMachine


def stack_of(document: Mapping[str, Any], where: str, folder: Path) -> tuple[StackedMachine, list[MachineFile]]:
    """The machine that a parsed document with `stages` describes, and the checked values of each stage, in its units.

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
        raise InputError(f"{machine!r} has stages itself; name a single machine, or one of its stages' files")
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
    """Leg kinds of a document with `stages`, such as "UPS on PUS"."""
    file = checked_stack(document, "")
    kinds = [
        _stage_document(file, k, stage, folder).get("legs", {}).get("kind", "UPS")
        for k, stage in enumerate(file.stages, 1)
    ]
    return " on ".join(reversed(kinds))
