"""The request of a command: its options in SI, notes on them, and the answer in the requested format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import typer
from numpy.typing import NDArray

from gough._compile import compile_kernels
from gough.arrays import Array, Bools
from gough.cli.inputs import Inputs
from gough.cli.options import TABLES, Options
from gough.cli.pose_input import Orientation
from gough.cli.progress import progress, watched
from gough.cli.table import MANY, note
from gough.cli.table_files import ANGLES, POSITION, QUATERNION
from gough.description.parse import split_stage
from gough.displacements import quaternions_of
from gough.errors import InputError
from gough.files import check_ending, write_whole
from gough.frames.conventions import to_convention
from gough.limits.ties import DRIVE_ROUNDING, some_of
from gough.machine import DisplayUnits
from gough.poses import euler_angles
from gough.present.answer import JSON, NETCDF, Answer, Field, Table, json_keys
from gough.present.fields import columns, map_answer, with_units
from gough.present.show import Show, plain
from gough.present.units import with_unit
from gough.present.write import csv_text, json_text, netcdf, print_words
from gough.quantity import AXES, LEGS

if TYPE_CHECKING:
    from gough.limits.table import Column

Result = TypeVar("Result")

PART = 32768
"""Rows in a part."""


def in_parts(what: str, function: Callable[[Array], Result], batch: Array, single: int = 2) -> Result:
    """`function` of a batch, part by part, as one array or result; an array of `single` dimensions is not a batch."""
    if batch.ndim == single:
        with progress(what):
            return function(batch)
    answers, counts = [], []
    with progress(what, len(batch)) as advance:
        for start in range(0, len(batch), PART):
            part = batch[start : start + PART]
            answers.append(function(part))
            counts.append(len(part))
            advance(len(part))
    return answers[0] if len(answers) == 1 else _joined(answers, counts)


def _joined(parts: Sequence[Any], counts: Sequence[int]) -> Any:
    """Arrays as one; or dataclasses as one, whose arrays with as many rows as their part of the batch are joined."""
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    values = {each.name: [getattr(part, each.name) for part in parts] for each in fields(first)}
    rows = {
        name: np.concatenate(arrays)
        for name, arrays in values.items()
        if all(isinstance(one, np.ndarray) and one.shape[:1] == (n,) for one, n in zip(arrays, counts, strict=True))
    }
    return replace(first, **rows)


TURNED = "platform in the base"


def pose_fields(
    X: Array,
    orientation: Orientation,
    units: DisplayUnits,
    *,
    key: str = "",
    title: str = "",
    is_csv: bool = True,
    is_json: bool = True,
) -> list[Field]:
    """Return the position and orientation of poses (..., 4, 4); NaN where a pose is NaN.

    The orientation is "angles" if a sequence or convention is given, otherwise "quaternion". `key` and `title` are put
    before the keys and titles of the fields; columns of CSV or keys of JSON may be left out.
    """
    title = f"{title}{{}}"
    how: dict[str, Any] = {"title": title, "head": title, "is_csv": is_csv, "is_json": is_json}
    position = Field(f"{key}position", X[..., :3, 3], "m", POSITION, frame="base", **how)
    if orientation.is_given:
        return [position, Field(f"{key}angles", _angles(X, orientation), "rad", ANGLES, frame=TURNED, **how)]
    quaternions = np.where(_is_known(X)[..., None], quaternions_of(X[..., :3, :3]), np.nan)
    return [position, Field(f"{key}quaternion", quaternions, "1", QUATERNION, digits=6, frame=TURNED, **how)]


def _angles(X: Array, orientation: Orientation) -> Array:
    known = _is_known(X)
    angles = np.full((*X.shape[:-2], 3), np.nan)
    if orientation.convention is not None:
        angles[known] = to_convention(orientation.convention, X[known], degrees=False)[1]
    elif orientation.sequence is not None:
        angles[known] = euler_angles(X[known], orientation.sequence)
    return angles


def _is_known(X: Array) -> Bools:
    return np.asarray(np.isfinite(X).all(axis=(-1, -2)))


Made = TypeVar("Made")
NEAR_LOCK = 10.0
"""Ratio of the angles' rates to the angular velocity from which gimbal lock is noted: 8 degrees from it."""
PRINTING = ("path",)
"""Commands that print their numbers with --json beside what they write to a file."""


class Request(Inputs):
    """State of a command: its options in SI, progress, notes, and its result in the requested format."""

    def __init__(self, context: typer.Context, name: str, options: Options, endings: Sequence[str] = TABLES) -> None:
        if options.output is not None and options.output.suffix.lower() == JSON:
            options = replace(options, as_json=True)
        super().__init__(name, options)
        self.context = context
        self._check_output(endings)

    def _check_output(self, endings: Sequence[str]) -> None:
        """Refuse a name for -o whose ending says another format than those of the command, or than --json."""
        output = self.options.output
        if output is None:
            return
        check_ending(output, endings)
        is_other = self.options.as_json and output.suffix.lower() != JSON
        if is_other and self.context.command.name not in PRINTING:
            is_netcdf = output.suffix.lower() in NETCDF
            raise InputError(
                f"{output} is a name for {'netCDF' if is_netcdf else 'another format'}; --json goes to a name that "
                f"ends in {JSON}: specify that, or leave --json out"
            )

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
        """Return the names and units of the axes, for JSON."""
        return json_keys(axes=AXES, axis_units=[self.unit(each) for each in si_units])

    def limits(self, columns: Sequence[Column], under: str = "") -> list[Field]:
        """Return the limit of each margin, for JSON."""
        rows = [{"name": each.name, "legs": list(each.legs), "unit": self.unit(each.unit)} for each in columns]
        return json_keys(under, limits=rows)

    def poses(self, X: Array, *, as_intermediate: bool = False, **how: Any) -> list[Field]:
        """Return poses as fields, with their orientation in the requested form; an intermediate platform's as
        quaternions."""
        units = self.any_machine.units
        if as_intermediate:
            return pose_fields(X, Orientation(), units, key="intermediate.", title="mid_")
        return pose_fields(X, self.orientation, units, **how)

    def all_poses(self, X: Array, **how: Any) -> list[Field]:
        """Return poses of the (end) platform as fields, of two stages (..., 2, 4, 4) those of the intermediate one
        too."""
        *below, end = self.any_machine.poses_of_platforms(X)
        return [*self.poses(end, **how), *(field for each in below for field in self.poses(each, as_intermediate=True))]

    def joints(self, q: Array) -> list[Field]:
        """Return joint coordinates (..., 6), and what the controller reads there where the machine's file has
        encoders."""
        encoders, unit = self.machine.encoders, self.machine.legs.joint_unit
        own = [Field("joints", q, unit, LEGS, "q{}")]
        return own if encoders is None else [*own, Field("readings", encoders.readings(q), unit, LEGS, "r{}")]

    def passive_joints(self, X: Array, V: Array | None = None, A: Array | None = None) -> list[Field]:
        """Return angles of the universal and ball joints from home; with twists V also their rates, with accelerations
        A also the accelerations of the universal joints."""
        from gough.dynamics.passive_joints import passive_joints

        found = passive_joints(self.any_machine, X, V, A)
        orders: list[tuple[str, str, Array, Array | None]] = [("", "rad", found.universal, found.ball_angle)]
        if V is not None:
            orders.append(("_rate", "rad/s", found.universal_rate, found.ball_speed))
        if A is not None:
            orders.append(("_acceleration", "rad/s2", found.universal_acceleration, None))
        return [
            Field(f"passive.{joint}{order}", values, unit, self.legs, f"{joint}{order}_{{}}")
            for order, unit, universal, ball in orders
            for joint, values in (("first", universal[..., 0]), ("second", universal[..., 1]), ("ball", ball))
            if values is not None
        ]

    def head(self, joints: Array) -> list[Field]:
        """Return coordinates (..., n) of the joints of the tool head."""
        from gough.motion.heads.kinematics import head_of

        head = head_of(self.machine)
        return [Field("head", joints, head.units, [joint.name for joint in head.moving])]

    def leg_table(self, fields: Sequence[Field]) -> Table:
        """Return a row for each leg, with its stage where there are two."""
        numbers = [str(1 + k // 6) for k in range(len(self.legs))]
        stages = [Field("", numbers, head=stage) for stage in self.any_machine.stage_dims]
        return self.show.table("leg", self.legs, [*stages, *fields])

    def refuse_grid(self, option: str = "") -> None:
        """Refuse the options of a grid where neither --map nor another option that uses one is given."""
        if not (self.options.as_map or self._typed([option])):
            self.counts_only_with(f"--map or --{option}" if option else "--map", "x", "y", "z", "samples")

    def over_grid(self, what: str, make: Callable[..., Made], *more: Any, **how: Any) -> Made:
        """`make(machine, pose, *more, ..., progress=...)` over the grid of positions of the options."""
        compile_kernels()
        how["samples"] = self.options.samples
        for name in "xyz":
            values = self.numbers(f"--{name}", getattr(self.options, name), MANY, "m")
            if values is not None:
                how[name] = values
        return self.watched(what, make, self.any_machine, self.X_one, *more, **how)

    def map(self, what: str, make: Callable[..., Any], **how: Any) -> Answer:
        """Return a map over positions as the answer."""
        return map_answer(self.over_grid(what, make, **how))

    def note_poses(self) -> NDArray[np.bool_]:
        """Test whether the poses keep every limit (...); a note states how many do not, with the reason for the
        first."""
        from gough.limits.margins import margins

        found = margins(self.any_machine, self.postures)
        if refusal := found.refusal():
            note(refusal)
        return found.is_allowed

    def note_stage(self) -> None:
        """Note which loads are left out where the machine is a single stage of two."""
        # "NAME:1" is a stage of a machine, unless a file has that name.
        stage = None if Path(self.name).is_file() else split_stage(self.name)[1]
        if stage == 1:
            note("lower stage only: the weight of the upper stage is not included")
        elif stage == 2:
            note("upper stage only: gravity is as in its own file, regardless of the tilt of the lower stage")

    def note_lock(self) -> None:
        """Note that poses are in gimbal lock, or so near that the angles' rates are large."""
        maps = self.euler_rates
        if maps is not None and (maps.amplification > NEAR_LOCK).any():
            note(maps.sentence())

    def note_joints(self, q: Array) -> None:
        """Note joint coordinates (6,) or (n, 6) [SI] beyond the joints' travel."""
        from gough.kinematics.inverse import inverse_kinematics

        machine = self.machine
        low, high = machine.limits.joint_min, machine.limits.joint_max
        with np.errstate(invalid="ignore"):  # NaN, where a leg cannot close, is not beyond
            beyond = (q < low) | (q > high)
        if not beyond.any():
            return
        *row, i = np.argwhere(beyond)[0]
        value = q[(*row, i)]
        side, end = ("at least", low[i]) if value < low[i] else ("at most", high[i])
        which = some_of(np.asarray(beyond.any(axis=-1)), "joints", "rows of joints")
        at, allowed = (with_unit(machine, each, machine.legs.joint_unit) for each in (value, end))
        moved = q + inverse_kinematics(machine, machine.X_home)
        is_change = q.ndim > 1 and beyond.any(axis=-1).all() and ((moved >= low) & (moved <= high)).all()
        changes = "; they look like changes from home: as such all are within" if is_change else ""
        note(f"{which} are beyond their travel: leg {i + 1} at {at}, allowed {side} {allowed}{changes}")

    def note_forces(self, force: Array) -> None:
        """Note actuator forces (..., 6), of two stages (..., 12) [N or N m], beyond those of the actuators."""
        from gough.statics.capacity import excess_force

        if said := excess_force(self.any_machine, force):
            note(said)

    def note_speeds(self, time: Array, q: Array) -> None:
        """Note the legs of joint histories (n, 6) over times (n,) [s], linear from sample to sample, whose speeds are
        above the limits, each at its fastest."""
        machine, most, fast = self.machine, self.machine.limits.joint_speed, []
        if most is None or len(time) < 2:
            return
        used, unit = np.abs(np.diff(q, axis=0) / np.diff(time)[:, None]) / most, f"{machine.legs.joint_unit}/s"
        for i in np.flatnonzero(used.max(axis=0) > 1.0 + DRIVE_ROUNDING).tolist():
            k = int(used[:, i].argmax())
            speed, allowed = (with_unit(machine, rate, unit, 4) for rate in (most[i] * used[k, i], most[i]))
            fast.append(f"leg {i + 1} at {speed} after {plain(time[k], 4)} s, allowed {allowed}")
        if fast:
            note(f"joint speed limits are exceeded: {'; '.join(fast)}")

    def counts_only_with(self, other: str, *parameters: str) -> None:
        """Refuse options that were typed on this command line and have no effect without `other`."""
        for option in self._typed(parameters):
            raise InputError(f"{option} requires {other}")

    def at_most_one(self, *groups: str) -> None:
        """Refuse options of more than one of these groups (names separated by blanks) on this command line."""
        typed = [option for group in groups for option in self._typed(group.split())[:1]]
        if len(typed) > 1:
            raise InputError(f"{typed[0]} and {typed[1]} are mutually exclusive")

    def _typed(self, parameters: Collection[str]) -> list[str]:
        """Those of the options that were typed on this command line; a default counts for none."""
        sources = ((each, self.context.get_parameter_source(each.name or "")) for each in self.context.command.params)
        typed = (each for each, source in sources if source is not None and source.name == "COMMANDLINE")
        return [each.opts[0] for each in typed if each.name in parameters]

    def _with_times(self, answer: Answer) -> Answer:
        """The answer with the times of the table that was read, where it has a row for each of its rows."""
        rows = [np.atleast_1d(np.asarray(each.value, dtype=object)) for each in answer.fields if each.is_csv][:1]
        if self.time is None or not rows or len(rows[0]) != len(self.time):
            return answer
        return replace(answer, fields=[Field("time", self.time, "s"), *answer.fields])

    def write(self, answer: Answer) -> None:
        """Write the answer to the file or to standard output, then the notes on standard error."""
        answer = self._with_times(answer)
        if self.options.output is None:
            self.print(answer)
        else:  # words are for the terminal only
            self.write_file(answer, as_json=self.options.as_json)
        for each in answer.notes:
            note(each)
        if answer.code:
            raise typer.Exit(answer.code)

    def write_at_poses(
        self,
        at_poses: Callable[[], Answer],
        over_map: Callable[[], Answer] | None = None,
        lowest: Callable[[], Answer] | None = None,
        option: str = "",
        *,
        is_column: bool = False,
    ) -> None:
        """Write an analysis at the poses, with whether these keep every limit, a column of CSV too if `is_column`; with
        --map over a grid of positions, and with another option its lowest value in the workspace."""
        if over_map is not None:
            self.refuse_grid(option)
        if over_map is not None and self.options.as_map:
            self.write(over_map())
        elif lowest is not None and self._typed([option]):
            self.write(lowest())
        else:
            answer = at_poses()
            allowed = Field("is_allowed", self.note_poses(), is_csv=is_column)
            self.write(replace(answer, fields=[*answer.fields, allowed]))

    def print(self, answer: Answer) -> None:
        """Print sentences and tables if there are any, else JSON or CSV."""
        if answer.words is not None and self.options.csv is None and not self.options.as_json:
            print_words(answer.words())
        else:
            sys.stdout.write(self._text(answer, as_json=self.options.as_json))

    def write_file(self, answer: Answer, *, as_json: bool = False) -> None:
        """Write JSON, netCDF or CSV, depending on the ending of the file name."""
        path = self.options.output
        assert path is not None
        if path.suffix.lower() not in NETCDF:
            write_whole(path, self._text(answer, as_json=as_json))
            return
        m = self.any_machine
        data = columns(answer.fields, m.units) if answer.data is None else answer.data()
        write_whole(path, netcdf(data, m.name))

    def draw(self, make: Callable[[], Any]) -> None:
        """Write the Plotly figure that `make` makes as a page of its own, where --figure requests one."""
        if self.options.figure is None:
            return
        from gough.plot._style import page

        with self.progress("drawing"):
            write_whole(self.options.figure, page(make()))
        note(f"wrote {self.options.figure}")

    def _text(self, answer: Answer, *, as_json: bool) -> str:
        m = self.any_machine
        if as_json:
            return json_text({"machine": m.name, **with_units(m, answer.fields, m.units, answer.units)})
        rows = columns(answer.fields, m.units)
        with self.progress("writing", max(map(len, rows.values()), default=0)) as advance:
            return csv_text(rows, advance)
