"""The request of a command (machine, poses and numbers of its options), and its answer in the requested format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from gough.arrays import Array as Array
from gough.cli.batch import in_parts
from gough.cli.beside import Notes, note
from gough.cli.options import Options
from gough.cli.pose_input import Orientation
from gough.cli.pose_output import pose_fields
from gough.cli.progress import progress, watched
from gough.cli.table import MANY
from gough.errors import InputError
from gough.files import write_whole
from gough.machine import Machine
from gough.present.answer import AXES, NETCDF, Answer, Field, Table, json_keys
from gough.present.fields import columns, document, map_answer, units
from gough.present.show import Show
from gough.present.write import csv_text, json_text, netcdf, print_words

if TYPE_CHECKING:
    from gough.limits.table import Column

Made = TypeVar("Made")


class Request(Notes):
    """What a command works with: its options understood, progress shown, its answer written."""

    def __init__(self, context: typer.Context, name: str, options: Options) -> None:
        super().__init__(name, options)
        self.context = context

    note, progress, watched = staticmethod(note), staticmethod(progress), staticmethod(watched)
    in_parts = staticmethod(in_parts)

    def one_by_one(self, what: str, function: Callable[[Array], Made]) -> list[Made]:
        """`function` of each pose (4, 4), with progress shown."""
        poses, answers = self.X.reshape(-1, 4, 4), []
        with self.progress(what, len(poses)) as advance:
            for pose in poses:
                answers.append(function(pose))
                advance(1)
        return answers

    @cached_property
    def show(self) -> Show:
        """Writes numbers for people."""
        return Show(self.any_machine)

    def axes(self, si_units: Sequence[str]) -> list[Field]:
        """The names of the axes and the units along them, for JSON."""
        return json_keys(axes=AXES, axis_units=[self.unit(each) for each in si_units])

    def limits(self, columns: Sequence[Column], under: str = "") -> list[Field]:
        """The limits behind a margin each, for JSON."""
        rows = [{"name": each.name, "legs": list(each.legs), "unit": self.unit(each.unit)} for each in columns]
        return json_keys(under, limits=rows)

    def poses(self, X: Array, *, as_intermediate: bool = False, **how: Any) -> list[Field]:
        """Poses as fields, with their orientation in the requested form; those of an intermediate platform as such."""
        units = self.any_machine.units
        if as_intermediate:
            return pose_fields(X, Orientation(), units, key="intermediate.", title="mid_")
        return pose_fields(X, self.orientation, units, as_matrix=self.options.as_matrix, **how)

    def all_poses(self, X: Array, **how: Any) -> list[Field]:
        """Poses of the (end) platform as fields, of two stages (..., 2, 4, 4) those of the intermediate one too."""
        *below, end = self.any_machine.poses_of_platforms(X)
        return [*self.poses(end, **how), *(field for each in below for field in self.poses(each, as_intermediate=True))]

    def head(self, joints: Array) -> list[Field]:
        """Coordinates (..., n) of the joints of the tool head."""
        from gough.motion.heads.kinematics import head_of

        head = head_of(self.machine)
        return [Field("head", joints, head.units, [joint.name for joint in head.moving])]

    def leg_table(self, fields: Sequence[Field]) -> Table:
        """A row for each leg, which says its stage where there are two."""
        numbers = [str(1 + k // 6) for k in range(len(self.legs))]
        stages = [Field("", numbers, head=stage) for stage in self.any_machine.stage_dims]
        return self.show.table("leg", self.legs, [*stages, *fields])

    def refuse_grid(self, or_with: str = "", is_given: bool = False) -> None:
        """Refuse the options of a grid where neither --map nor another option that lays one is given."""
        if not (self.options.as_map or is_given):
            self.counts_only_with(f"--map or {or_with}" if or_with else "--map", "x", "y", "z", "samples")

    def mapped(self, what: str, make: Callable[..., Made], *arguments: Any, **how: Any) -> Made:
        """`make(machine, *arguments, X, ..., progress=...)` over the grid of positions that the options lay."""
        how["samples"] = self.options.samples
        for name in "xyz":
            values = self.numbers(f"--{name}", getattr(self.options, name), MANY, "m")
            if values is not None:
                how[name] = values
        return self.watched(what, make, *arguments, **how)

    def map(self, what: str, make: Callable[..., Any], *arguments: Any, **how: Any) -> Answer:
        """A map over positions as the answer."""
        return map_answer(self.mapped(what, make, *arguments, **how), self.any_machine.units)

    def write(self, answer: Answer) -> None:
        """Write the answer to the file or to standard output, then the notes on standard error."""
        if self.options.output is None:
            self.print(answer)
        else:
            self.write_file(answer, as_json=self.options.as_json)
        for each in answer.notes:
            note(each)
        if answer.code:
            raise typer.Exit(answer.code)

    def print(self, answer: Answer) -> None:
        """Words for people where there are any, else JSON or CSV."""
        if answer.words is not None and self.options.csv is None and not self.options.as_json:
            print_words(answer.words())
        else:
            sys.stdout.write(self._text(answer, as_json=self.options.as_json))

    def write_file(self, answer: Answer, *, as_json: bool = False) -> None:
        """JSON, or netCDF for a file name with its ending, or CSV."""
        path = self.options.output
        assert path is not None
        if path.suffix.lower() not in NETCDF:
            write_whole(path, self._text(answer, as_json=as_json))
            return
        if as_json:
            raise InputError(
                f"{path} is a name for netCDF ({', '.join(NETCDF)}); --json goes to a file with another ending"
            )
        m = self.any_machine
        data = columns(answer.fields, m.units) if answer.data is None else answer.data()
        write_whole(path, netcdf(data, m.name))

    def draw(self, make: Callable[[], Any]) -> None:
        """Write the Plotly figure that `make` makes as a page of its own, where --figure requests one."""
        if self.options.figure is None:
            return
        from gough.plot._page import page

        with self.progress("drawing"):
            write_whole(self.options.figure, page(make()))
        note(f"wrote {self.options.figure}")

    def _text(self, answer: Answer, *, as_json: bool) -> str:
        m = self.any_machine
        if as_json:
            own = {"length": m.units.length, "angle": m.units.angle, **self._joint_units()}
            head = {"machine": m.name, "units": {**own, **units(answer.fields, m.units), **answer.units}}
            return json_text({**head, **document(answer.fields, m.units)})
        rows = columns(answer.fields, m.units)
        with self.progress("writing", max(map(len, rows.values()), default=0)) as advance:
            return csv_text(rows, advance)

    def _joint_units(self) -> dict[str, Any]:
        m = self.any_machine
        if isinstance(m, Machine):
            return {"joint": m.displayed_joint_unit}
        return {"joints": [self.unit(one.legs.joint_unit) for one in m.stages for _ in range(6)]}
