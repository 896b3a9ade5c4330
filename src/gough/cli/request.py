"""The request of a command (machine, poses and numbers of its options), and its answer in the requested format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import typer
from numpy.typing import NDArray

from gough.cli import beside
from gough.cli.batch import in_parts
from gough.cli.machine import carrying, load_any, units_of
from gough.cli.numbers import numbers
from gough.cli.output import note
from gough.cli.pose_input import Orientation, PoseOptions, parse_pose, read_poses
from gough.cli.pose_output import pose_fields
from gough.cli.progress import progress, watched
from gough.description.load import one_machine
from gough.errors import InputError
from gough.files import write_whole
from gough.limits.interval_search import poses_at
from gough.machine import Machine
from gough.present.answer import AXES, NETCDF, Answer, Field
from gough.present.fields import columns, document, units
from gough.present.show import Show
from gough.present.units import unit_of
from gough.present.write import csv_text, json_text, netcdf, print_words

if TYPE_CHECKING:
    from gough.stacked import StackedMachine

Array = NDArray[np.float64]
Made = TypeVar("Made")
_MOST = 10_000
"""Positions of a map along an axis."""


class Request:
    """The options that commands share, understood when they are first used."""

    def __init__(self, context: typer.Context, name: str, options: Mapping[str, Any]) -> None:
        self.context, self.name, self.options = context, name, options
        self.si: bool = options.get("si", False)
        self.as_json: bool = options.get("as_json", False)
        self.output: Path | None = options.get("output")

    @cached_property
    def any_machine(self) -> Machine | StackedMachine:
        """The machine, of one stage or two, with its payload, sharing as requested, in its file's units or in SI."""
        given = (self.options.get(name) for name in ("payload", "centre", "inertia"))
        m, share = carrying(load_any(self.name, si=self.si), *given), self.options.get("share")
        if share is not None and len(m.stages) == 1:
            raise InputError(f"--share is for machines of two stages; {m.name!r} has one")
        return m if share is None else replace(m, share=share)

    @cached_property
    def machine(self) -> Machine:
        """One machine, or one stage of two."""
        return one_machine(self.any_machine, self.name)

    @cached_property
    def given(self) -> PoseOptions:
        """The options that describe poses."""
        names = ("at", "angles", "quaternion", "matrix", "sequence", "convention", "csv")
        return PoseOptions(*(self.options.get(name) for name in names))

    @cached_property
    def orientation(self) -> Orientation:
        """What angles mean."""
        return self.given.orientation

    @cached_property
    def X(self) -> Array:
        """Poses, (4, 4) or (n, 4, 4) of a table."""
        return read_poses(self.given, self.any_machine)

    @cached_property
    def postures(self) -> Array:
        """Poses of all platforms: those of one stage, of two (..., 2, 4, 4), shared as the machine's share says."""
        m = self.any_machine
        return poses_at(m, self.X[..., :3, :3], self.X[..., :3, :3] @ m.point_of_interest + self.X[..., :3, 3])

    @property
    def X_one(self) -> Array:
        """The pose (4, 4) whose orientation a search of the workspace keeps."""
        if self.X.ndim != 2:
            raise InputError("a search of the workspace keeps one orientation; give one pose, without --csv")
        return self.X

    @property
    def is_for_people(self) -> bool:
        """Whether people read the answer: of one pose, in a terminal."""
        return not (self.as_json or self.output is not None or self.given.csv is not None)

    def sizes(self, units: Sequence[str]) -> Array:
        """Sizes in SI of the units in which quantities of these SI units are written."""
        return np.array([unit_of(self.any_machine.units, each)[0] for each in units])

    def unit(self, si_unit: str) -> str:
        """Name of the unit in which a quantity of this SI unit is written."""
        return unit_of(self.any_machine.units, si_unit)[1]

    @overload
    def numbers(self, option: str, text: str, counts: Collection[int], unit: str | Sequence[str] = "") -> Array: ...

    @overload
    def numbers(
        self, option: str, text: str | None, counts: Collection[int], unit: str | Sequence[str] = ""
    ) -> Array | None: ...

    def numbers(
        self, option: str, text: str | None, counts: Collection[int], unit: str | Sequence[str] = ""
    ) -> Array | None:
        """The numbers of an option in SI, those of the units given; None if it is not given."""
        if text is None:
            return None
        values, sizes = numbers(option, text, counts), self.sizes([unit] if isinstance(unit, str) else unit)
        return np.asarray(values * (sizes if len(sizes) == 1 else sizes[: len(values)]))

    @overload
    def amount(self, value: float, unit: str) -> float: ...

    @overload
    def amount(self, value: float | None, unit: str) -> float | None: ...

    def amount(self, value: float | None, unit: str) -> float | None:
        """A number of an option in SI."""
        return None if value is None else value * unit_of(self.any_machine.units, unit)[0]

    def pose(self, option: str, text: str | None) -> Array | None:
        """One pose (4, 4) of an option."""
        return None if text is None else parse_pose(option, text, self.orientation, self.any_machine.units)

    def wrench(self, text: str | None) -> Array | None:
        """Wrench [f, m] (6,) [N, N m] from three or six numbers."""
        if text is None:
            return None
        given = numbers("--wrench", text, (3, 6))
        return np.concatenate([given, np.zeros(6 - len(given))])

    def counts_only_with(self, other: str, *names: str) -> None:
        """Refuse options that were typed and count for nothing, since `other` is not."""
        beside.counts_only_with(self.context, other, *names)

    def note(self, message: str) -> None:
        """Write a note beside the answer."""
        note(message)

    def note_poses(self) -> NDArray[np.bool_]:
        """Whether poses keep every limit (...); those that do not are noted."""
        return beside.note_poses(self.any_machine, self.postures)

    def note_stage(self) -> None:
        """Note what the loads of a single stage leave out."""
        beside.note_stage(self.name)

    def note_joints(self, q: Array) -> None:
        """Note joint coordinates (6,) or (n, 6) [SI] beyond the joints' travel."""
        beside.note_joints(self.machine, q)

    def note_speeds(self, time: Array, q: Array) -> None:
        """Note joint histories (n, 6) over times (n,) [s] that are quicker than the joints."""
        beside.note_speeds(self.machine, time, q)

    def note_forces(self, force: Array) -> None:
        """Note actuator forces [N or N m] of all legs beyond what the actuators give, as far as that is known."""
        beside.note_forces(self.any_machine, force)

    def in_parts(self, what: str, function: Callable[[Array], Made], batch: Array, single: int = 2) -> Made:
        """`function` of a batch, part by part, so that progress shows; an array of `single` dimensions is one part."""
        return in_parts(what, function, batch, single)

    def one_by_one(self, what: str, function: Callable[[Array], Made]) -> list[Made]:
        """`function` of each pose (4, 4), with progress shown."""
        poses, answers = self.X.reshape(-1, 4, 4), []
        with progress(what, len(poses)) as advance:
            for pose in poses:
                answers.append(function(pose))
                advance(1)
        return answers

    def progress(self, what: str, total: int | None = None) -> AbstractContextManager[Callable[..., None]]:
        """Show after a second what is done."""
        return progress(what, total)

    def watched(self, what: str, function: Callable[..., Made], *arguments: Any, **options: Any) -> Made:
        """`function(*arguments, **options, progress=...)` with a progress bar."""
        return watched(what, function, *arguments, **options)

    def columns(self, fields: Iterable[Field]) -> dict[str, NDArray[Any]]:
        """Fields as columns in the machine's units."""
        return columns(fields, self.any_machine.units)

    def document(self, fields: Iterable[Field]) -> dict[str, Any]:
        """Fields as keys of JSON in the machine's units."""
        return document(fields, self.any_machine.units)

    def axes(self, units: Sequence[str]) -> list[Field]:
        """The names of the axes and the units along them, for JSON."""
        names = [self.unit(unit) for unit in units]
        return [Field("axes", AXES, is_csv=False), Field("axis_units", names, is_csv=False)]

    @cached_property
    def show(self) -> Show:
        """Writes numbers for people."""
        return Show(self.any_machine)

    def poses(self, X: Array, **titles: Any) -> list[Field]:
        """Poses as fields, with their orientation in the requested form."""
        return pose_fields(X, titles.pop("orientation", self.orientation), self.any_machine.units, **titles)

    def all_poses(self, X: Array, **titles: Any) -> list[Field]:
        """Poses of the (end) platform as fields, of two stages (..., 2, 4, 4) those of the intermediate one too."""
        if not self.any_machine.stage_shape:
            return self.poses(X, **titles)
        return [*self.poses(X[..., 1, :, :], **titles), *self.intermediate(X[..., 0, :, :])]

    def intermediate(self, X: Array) -> list[Field]:
        """Poses of the intermediate platform as fields."""
        return self.poses(X, orientation=Orientation(), key="intermediate.", title="mid_")

    def mapped(self, what: str, make: Callable[..., Made]) -> Made:
        """`make(**places, progress=...)` over the grid of positions that the options lay."""
        given: dict[str, Any] = {"samples": self.options["samples"]}
        for name in "xyz":
            values = self.numbers(f"--{name}", self.options[name], range(1, _MOST), "m")
            if values is not None:
                given[name] = values
        return watched(what, make, **given)

    def write(self, answer: Answer) -> None:
        """Write the answer to the file or to standard output, then the notes on standard error."""
        if self.output is None:
            self.print(answer)
        else:
            self.write_file(answer, as_json=self.as_json)
        for each in answer.notes:
            note(each)
        if answer.code:
            raise typer.Exit(answer.code)

    def print(self, answer: Answer) -> None:
        """Words for people where there are any, else JSON or CSV."""
        if answer.words is not None and self.given.csv is None and not self.as_json:
            print_words(answer.words())
        else:
            sys.stdout.write(self._text(answer, as_json=self.as_json))

    def write_file(self, answer: Answer, *, as_json: bool = False) -> None:
        """JSON, or netCDF for a file name with its ending, or CSV."""
        assert self.output is not None
        if is_netcdf(self.output, as_json=as_json):
            units = self.any_machine.units
            data = columns(answer.fields, units) if answer.data is None else answer.data()
            write_whole(self.output, netcdf(data, self.any_machine.name))
        else:
            write_whole(self.output, self._text(answer, as_json=as_json))

    def draw(self, target: Path | None, make: Callable[[], Any]) -> None:
        """Write the Plotly figure that `make` makes as a page of its own, where one is requested."""
        if target is None:
            return
        from gough.plot._page import page

        with progress("drawing"):
            write_whole(target, page(make()))
        note(f"wrote {target}")

    def _text(self, answer: Answer, *, as_json: bool) -> str:
        m = self.any_machine
        if as_json:
            head = {"machine": m.name, "units": {**units_of(m), **units(answer.fields, m.units), **answer.units}}
            return json_text({**head, **document(answer.fields, m.units)})
        rows = columns(answer.fields, m.units)
        with progress("writing", max(map(len, rows.values()), default=0)) as advance:
            return csv_text(rows, advance)


def is_netcdf(path: Path, *, as_json: bool = False) -> bool:
    """Whether a file's name has an ending of netCDF (`NETCDF`); `InputError` with --json."""
    if path.suffix.lower() not in NETCDF:
        return False
    if as_json:
        raise InputError(
            f"{path} is a name for netCDF ({', '.join(NETCDF)}); --json goes to a file with another ending"
        )
    return True
