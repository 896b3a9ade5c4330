"""What a command answers, stated once: fields with their SI units, and what people read of them.

Columns of CSV, keys of JSON, variables of netCDF and the tables in a terminal all come from here. Nothing is imported
that computes: commands are declared with these names before anything is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import xarray

LEGS = ("1", "2", "3", "4", "5", "6")
TWELVE_LEGS = (*LEGS, "7", "8", "9", "10", "11", "12")
"""Of two stages, the lower one first."""
AXES = ("x", "y", "z", "rx", "ry", "rz")
ALONG_AXES = ("m", "m", "m", "rad", "rad", "rad")
"""SI units of displacements along and about the axes."""
SPEEDS = ("m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s")
"""SI units of a twist."""
WRENCH = ("N", "N", "N", "N m", "N m", "N m")
"""SI units of a force and a moment."""
MOTIONS: tuple[Literal["translation"], Literal["rotation"]] = ("translation", "rotation")
OF_EACH_LIMIT = "m, rad or 1, of each limit"
"""Declared unit of results that have a value for each limit: that of its column."""

NETCDF = (".nc", ".nc3", ".cdf")
"""Endings of files that are written as netCDF."""


@dataclass(frozen=True)
class Field:
    """A quantity of an answer.

    Attributes
    ----------
    key : str
        Name in JSON; "end.position" is `position` within `end`, and "{}.minus" is `minus` within each label.
    value : array or anything
        In SI, with a leading axis where there are many poses, and the last axis along `labels` if there are any.
    unit : str or sequence of str
        SI unit, one for each label where they differ; lengths and angles are written in the machine file's units.
    labels : sequence of str
        One column of CSV each.
    title : str
        Of the columns, "{}" being the label; the key, and the label where there are any, if not given.
    head : str
        Over its column in a table for people; a field without is in none.
    digits, row_digits, shown : int, sequence of int or None, str or sequence of str
        Significant digits, those of each row where rows differ, and unit there, where they are not those of
        `gough.present.show.Show`.
    is_signed : bool
        Whether positive numbers have their sign there.
    is_csv, is_json : bool
        Whether it is a column of CSV, a key of JSON.
    is_unit_in_key : bool
        Whether the key ends with the unit, as titles of columns do.
    unit_key : str
        Key beside it in JSON that names the unit.

    """

    key: str
    value: Any
    unit: str | Sequence[str] = ""
    labels: Sequence[str] = ()
    title: str = ""
    head: str = ""
    digits: int | None = None
    row_digits: Sequence[int | None] = ()
    shown: str | Sequence[str] = ""
    is_signed: bool = False
    is_csv: bool = True
    is_json: bool = True
    is_unit_in_key: bool = False
    unit_key: str = ""


class Column(NamedTuple):
    """Head of a table's column."""

    title: str
    unit: str
    is_number: bool


LABELS = {"axis": AXES[:3], "twist": AXES, "leg": LEGS, "leg_of_both": TWELVE_LEGS, "principal": ("1", "2", "3")}
"""Of the last dimension of a result's quantity, one for each column of CSV."""


def of_result(result: Any, names: str, under: str = "", of: str = "", **how: Any) -> list[Field]:
    """Attributes of a result as fields, with the units, labels and long names that its class declares.

    `names` are separated by blanks, "name:key" where the key of JSON is another; `under` is put before the keys, `of`
    and a comma before the long names, and `how` are arguments of `Field` that hold for all of them.
    """
    found = []
    for name, _, key in (each.partition(":") for each in names.split()):
        declared = result.quantities.get(name, "")
        unit, *dims = (declared,) if isinstance(declared, str) else declared
        labels = result.names if dims == ["limit"] else LABELS.get(dims[-1], ()) if dims else ()
        head = ", ".join(filter(None, (of, result.NAMES.get(name, ""))))
        given = {"unit": _si(result, unit), "labels": labels, "head": head, **how}
        found.append(Field(f"{under}{key or name}", value_of(result, name), **given))
    return found


def _si(result: Any, unit: str) -> str | Sequence[str]:
    """A declared unit as one of fields: of three axes each, of each joint, of each limit, or one."""
    if unit.startswith("m|rad"):
        return tuple(unit.replace("m|rad", one) for one in ALONG_AXES)
    if unit in ("q", "q/s", "q/s2"):
        from gough.present.units import of_legs

        return of_legs(result.machine, lambda stage: unit.replace("q", stage.legs.joint_unit))
    if unit == OF_EACH_LIMIT:
        return tuple(column.unit for column in result.columns)
    return "" if unit == "1" else unit


def of_rows(rows: Sequence[Any], label: str, names: str, under: str = "", **how: Any) -> list[Field]:
    """Attributes of the rows of a table as fields with an entry for each row, labelled by the attribute `label`.

    The keys are `under`, with "{}" for the label, and a name; otherwise as `of_result`.
    """
    labels = [getattr(row, label) for row in rows]
    of_each = [of_result(row, names, under, **how) for row in rows]
    found = []
    for parts in zip(*of_each, strict=True):
        units = [part.unit for part in parts]
        unit = units[0] if len(set(units)) == 1 else units
        found.append(replace(parts[0], value=[part.value for part in parts], unit=unit, labels=labels))
    return found


def json_of(result: Any, names: str, under: str = "", **how: Any) -> list[Field]:
    """The same as keys of JSON alone."""
    return of_result(result, names, under, is_csv=False, **how)


def value_of(result: Any, name: str) -> Any:
    """What a result has under a declared name: an attribute, or what the method before a dot returns."""
    name, _, argument = name.partition(".")
    return getattr(result, name)(argument) if argument else getattr(result, name)


def json_keys(prefix: str = "", unit: str | Sequence[str] = "", /, **values: Any) -> list[Field]:
    """Fields that are keys of JSON alone, all with one SI unit."""
    return [Field(f"{prefix}{name}", value, unit, is_csv=False) for name, value in values.items()]


def csv_columns(unit: str | Sequence[str] = "", /, **values: Any) -> list[Field]:
    """Fields that are columns of CSV alone, all with one SI unit."""
    return [Field(name, value, unit, is_json=False) for name, value in values.items()]


def sentence(words: str) -> str:
    """Words with a capital and a stop."""
    return f"{words[:1].upper()}{words[1:]}."


def aligned(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Lines of what and how much, the second in a column of its own."""
    pairs = list(pairs)
    width = max(len(what) for what, _ in pairs)
    return [f"{what:<{width}}  {much}".rstrip() for what, much in pairs]


@dataclass(frozen=True)
class Table:
    """Ready-made cells for people; `numeric` columns are set flush right: those of numbers if not given."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Collection[int] | None = None
    caption: str = ""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Heads "speed [mm/s]" apart."""
        parts = (head.removesuffix("]").partition(" [") for head in self.header)
        return tuple(Column(title, unit, k in (self.numeric or ())) for k, (title, _, unit) in enumerate(parts))


Words: TypeAlias = Iterable[str | Table]


@dataclass(frozen=True, eq=False)
class Answer:
    """Everything a command answers.

    Attributes
    ----------
    fields : sequence of Field
    words : function
        Makes what people read of a single pose: sentences and tables. CSV is written where there are none.
    units : mapping
        Units of keys beyond length, angle and joint, for JSON, where fields do not say them: a name, one for each entry
        of the last axis, or of the first where those have names of their own; "A, B; C, D" for blocks of columns; rows.
    data : function, optional
        Makes what netCDF holds, in SI, instead of the columns of CSV.
    notes : sequence of str
        Told beside the answer, after it.
    code : int
        Exit code.

    """

    fields: Sequence[Field] = ()
    words: Callable[[], Words] | None = None
    units: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    data: Callable[[], xarray.Dataset] | None = None
    notes: Sequence[str] = ()
    code: int = 0
