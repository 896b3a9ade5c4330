"""The answer of a command: fields with their SI units, and the sentences and tables that people read.

Columns of CSV, keys of JSON, variables of netCDF and the tables in a terminal all follow from the fields. Nothing is
imported that computes: commands are declared with these names before anything is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import xarray

MOTIONS: tuple[Literal["translation"], Literal["rotation"]] = ("translation", "rotation")
JSON, NETCDF = ".json", (".nc", ".nc3", ".cdf")
"""Endings of files that are written as JSON and as netCDF."""


@dataclass(frozen=True)
class Field:
    """A quantity of an answer.

    Attributes
    ----------
    key : str
        Name in JSON; "end.position" is `position` within `end`, and "{}.minus" is `minus` within each label.
    value : array or anything
        In SI, with a leading axis for many poses, and the last axis along `labels` if there are any. For JSON also a
        list of records, each a list of fields.
    unit : str or sequence of str
        SI unit, one for each entry of the last axis where they differ, or of the last two; lengths and angles are
        written in the machine file's units.
    labels : sequence of str
        Entries of the last axis, each a column of CSV.
    title : str
        Title of the columns, "{}" for the label; if not given the key, and the label where there are any.
    head : str
        Head of the column in a table for people, and its label in a list of facts; a field without one is in neither.
    digits, row_digits, shown : int, sequence of int or None, str or sequence of str
        For people: significant digits, those of each row where rows differ, and the unit; by default the rules of
        `gough.present.show.Show`.
    is_signed, is_promised : bool
        For people: whether positive numbers have a sign; whether it is guaranteed, and rounded towards zero.
    is_csv, is_json : bool
        Whether it is a column of CSV, a key of JSON.
    frame : str
        Frame of its components, in whose axes they are and from whose origin positions are.
    doc : str
        Its definition.
    of : tuple of str
        For people: keys of the numbers that it shows, where it is none itself.

    """

    key: str
    value: Any
    unit: str | Sequence[Any] = ""
    labels: Sequence[str] = ()
    title: str = ""
    head: str = ""
    digits: int | None = None
    row_digits: Sequence[int | None] = ()
    shown: str | Sequence[str] = ""
    is_signed: bool = False
    is_promised: bool = False
    is_csv: bool = True
    is_json: bool = True
    frame: str = ""
    doc: str = ""
    of: tuple[str, ...] = ()

    @property
    def shows(self) -> tuple[str, ...]:
        """Keys of the numbers that it shows to people."""
        return self.of or (self.key,)


class Column(NamedTuple):
    """A column of a table: title, unit, and whether it holds numbers."""

    title: str
    unit: str
    is_number: bool


def of_result(result: Any, *names: str | tuple[str, str], under: str = "", of: str = "", **how: Any) -> list[Field]:
    """Return attributes of a result as fields, with the units, labels and names for people that its class declares.

    A pair is an attribute and its key of JSON, where that differs; without names they are all quantities that its class
    lists. `under` is put before the keys, `of` and a comma before the names for people, and `how` are arguments of
    `Field` for all of them.
    """
    found = []
    names = names or tuple(name for name, each in result.QUANTITIES.items() if each.is_listed)
    for name, key in ((each, each) if isinstance(each, str) else each for each in names):
        declared = result.QUANTITIES.get(name)
        given: dict[str, Any] = {"head": of}
        if declared is not None:
            units, labels = declared.units(result).tolist(), result.labels(declared.dims[-1]) if declared.dims else ()
            given = {"labels": labels, "head": ", ".join(filter(None, (of, declared.label)))}
            given |= {"frame": declared.frame, "doc": declared.doc}
            given["unit"] = units if isinstance(units, list) else "" if units == "1" else units
        found.append(Field(f"{under}{key}", getattr(result, name), **{**given, **how}))
    return found


def of_rows(rows: Sequence[Any], label: str, *names: str | tuple[str, str], under: str = "", **how: Any) -> list[Field]:
    """Return attributes of the rows of a table as fields with an entry for each row, labelled by the attribute `label`.

    The keys are `under`, with "{}" for the label, and a name; otherwise as `of_result`.
    """
    labels = [getattr(row, label) for row in rows]
    of_each = [of_result(row, *names, under=under, **{"head": "", **how}) for row in rows]
    found = []
    for parts in zip(*of_each, strict=True):
        units = [part.unit for part in parts]
        unit = units[0] if len(set(map(str, units))) == 1 else units
        found.append(replace(parts[0], value=[part.value for part in parts], unit=unit, labels=labels))
    return found


def json_of(result: Any, *names: str | tuple[str, str], under: str = "", **how: Any) -> list[Field]:
    """Return fields as of `of_result` that are keys of JSON only."""
    return of_result(result, *names, under=under, is_csv=False, **how)


def json_keys(prefix: str = "", unit: str | Sequence[Any] = "", frame: str = "", /, **values: Any) -> list[Field]:
    """Return fields that are keys of JSON only, all with one SI unit and one frame."""
    return [Field(f"{prefix}{name}", value, unit, is_csv=False, frame=frame) for name, value in values.items()]


def csv_columns(unit: str | Sequence[str] = "", /, **values: Any) -> list[Field]:
    """Return fields that are columns of CSV only, all with one SI unit."""
    return [Field(name, value, unit, is_json=False) for name, value in values.items()]


def sentence(words: str) -> str:
    """Return words as a sentence: a capital first, a full stop last."""
    return f"{words[:1].upper()}{words[1:]}."


def aligned(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return lines of names and values in two columns."""
    pairs = list(pairs)
    width = max(len(what) for what, _ in pairs)
    return [f"{what:<{width}}  {much}".rstrip() for what, much in pairs]


@dataclass(frozen=True)
class Table:
    """Cells for people; the columns `numeric`, by default those that hold numbers, are right-aligned, and `keys` has
    the keys of the numbers in each column, by title."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Collection[int] | None = None
    caption: str = ""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Title and unit of heads such as "speed [mm/s]"."""
        parts = (head.removesuffix("]").partition(" [") for head in self.header)
        return tuple(Column(title, unit, k in (self.numeric or ())) for k, (title, _, unit) in enumerate(parts))


Words: TypeAlias = Iterable[str | Table]


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a command.

    Attributes
    ----------
    fields : sequence of Field
    words : function
        Makes the sentences and tables that people read for a single pose; without it CSV is written.
    units : mapping
        For JSON, units of keys that fields do not state.
    data : function, optional
        Makes the dataset for netCDF, in SI; without it netCDF holds the columns of CSV.
    notes : sequence of str
        Sentences printed after the answer, on the standard error stream.
    code : int
        Exit code.

    """

    fields: Sequence[Field] = ()
    words: Callable[[], Words] | None = None
    units: Mapping[str, Any] = field(default_factory=dict)
    data: Callable[[], xarray.Dataset] | None = None
    notes: Sequence[str] = ()
    code: int = 0
