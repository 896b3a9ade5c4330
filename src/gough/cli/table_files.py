"""Tables in files: CSV as people and spreadsheets write it, and JSON and netCDF as Gough does, as titled columns."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, nearest
from gough.files import DATA, read_bounded
from gough.present.read import netcdf_of
from gough.present.units import titled

if TYPE_CHECKING:
    import xarray

POSITION = ("x", "y", "z")
ANGLES = ("a", "b", "c")
ROLL_PITCH_YAW = ("roll", "pitch", "yaw")
ABOUT_AXES = ("rx", "ry", "rz")
UVW = ("u", "v", "w")
QUATERNION = ("qx", "qy", "qz", "qw")
AXIS = ("i", "j", "k")
MATRIX = tuple(f"m{row}{column}" for row in range(4) for column in range(4))
TIME = {"time": "time"}

DIMENSIONS = {
    **dict.fromkeys(POSITION, "length"),
    **dict.fromkeys(ANGLES + ROLL_PITCH_YAW + ABOUT_AXES + UVW, "angle"),
    **dict.fromkeys(QUATERNION + MATRIX, "number"),
    **dict.fromkeys(("m03", "m13", "m23"), "length"),
}
"""Columns of poses, each with its dimension."""
_SPELLINGS = {
    **dict(zip(("tx", "ty", "tz"), POSITION, strict=True)),
    **dict(zip(("surge", "sway", "heave"), POSITION, strict=True)),
    "t": "time",
}
"""Other names of columns whose meaning does not depend on a convention."""
_BESIDE = re.compile(
    "id|index|name|label|comment|note|no|nr|number|sample|row|line|segment|time|"
    "residual|iterations|status|certified|error|distance|limit|start|shift|turn|mid|margin|converged|"
    "kinetic|potential|energy|gain|uncompensated|remaining|tip|allowed|binding|"
    r"(qd|qdd|force|power|error)\d+|(x|y|z|rx|ry|rz)_(minus|plus)"
)
"""Columns that may lie next to those that are read: identifiers, and quantities that commands write."""
_JOINT = re.compile(r"([qr])\d+")
_TITLE = re.compile(r"([^\s_\[(/]+)(?:_(.+)|\s*\[(.*)\]|\s*\((.*)\)|\s*/\s*(.+)|\s+(.+))?", re.DOTALL)


def parsed_title(title: str) -> tuple[str, str]:
    """Split a column's title into name and unit: "x_mm", "X [mm]", "x (mm)", "x/mm" and "x mm" are ("x", "mm")."""
    match = _TITLE.fullmatch(title.strip())
    if match is None:
        return title.strip().casefold(), ""
    name, *units = match.groups()
    name = name.casefold()
    return _SPELLINGS.get(name, name), next((unit.strip() for unit in units if unit is not None), "")


def lies_beside(title: str, name: str, wanted: Collection[str]) -> bool:
    """Test whether a column that is not among those wanted is known, so that it can be left unread."""
    joint = _JOINT.fullmatch(name)
    if joint is not None:  # a seventh leg is a mistake where joints are read, and lies beside where poses are
        return f"{joint[1]}1" not in wanted
    sided = "_".join(title.strip().casefold().split("_")[:2])
    return name in DIMENSIONS or any(_BESIDE.fullmatch(each) for each in (name, sided))


def hint(name: str, known: Collection[str]) -> str:
    """Return a sentence on what an unknown column may be meant for."""
    if name in ("heel", "trim", "heading") and "roll" in known:
        return " Angles are roll, pitch, yaw, positive by the right hand about x, y, z."
    return nearest(name, known)


SIGNATURES = (b"CDF", b"\x89HDF")
"""First bytes of netCDF files; other files named .nc are part programs."""
COMMENTS = ("#", "%", "//")
"""Marks of lines that are comments."""
STANDARD_INPUT = "standard input"
_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_QUOTED = re.compile('"[^"]*"')


@dataclass(frozen=True, eq=False)
class RawTable:
    """Titled columns, before names and units are looked at.

    Attributes
    ----------
    where : str
        Name of the table in errors.
    titles : sequence of str
        Of the columns, where there is a header.
    cells : sequence of rows of str, or (n, k) array
        Texts of CSV, numbers of JSON and netCDF.
    lines : sequence of int
        Place of each row in the file.
    header : int
        Place of the header, 0 where there is none.
    remark : sequence of str
        Cells of the comment above a table without a header, which may be its titles.
    has_decimal_commas : bool

    """

    where: str
    titles: Sequence[str]
    cells: Sequence[Sequence[str]] | Array
    lines: Sequence[int]
    header: int = 0
    remark: Sequence[str] = ()
    has_decimal_commas: bool = False


def read_file(source: str) -> RawTable:
    """Return the table in a file, or in standard input where `source` is "-"; its first bytes decide the format."""
    where = STANDARD_INPUT if source == "-" else source
    # Unbuffered: a process cannot end while a thread waits with the lock of a buffer.
    standard = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    content = read_bounded(standard if source == "-" else source, DATA, where)
    if content.startswith(SIGNATURES):
        return _numeric(where, netcdf_columns(netcdf_of(content, where)))
    try:
        text = content.decode("utf-8-sig")  # without the byte order mark of spreadsheets
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not a text file in UTF-8 (byte {error.start})") from None
    if text.lstrip()[:1] in ("{", "[") and (document := _document(text)) is not None:
        return _numeric(where, json_columns(document))
    return _csv_table(text, where)


def is_netcdf(file: str) -> bool:
    """Test whether a file is netCDF, by its first bytes."""
    if file == "-" or not Path(file).is_file():
        return False
    with Path(file).open("rb") as content:
        return content.read(4).startswith(SIGNATURES)


def _numeric(where: str, columns: Mapping[str, Any]) -> RawTable:
    """Columns of numbers by their titles."""
    if not columns or len({len(each) for each in columns.values()}) != 1:
        raise InputError(f"{where} has no columns of numbers of one length")
    cells = np.stack(list(columns.values()), axis=-1)
    return RawTable(where, list(columns), cells, range(1, 1 + len(cells)))


def netcdf_columns(data: xarray.Dataset) -> dict[str, Array]:
    """Return columns of a data set: of poses, joints and times over time, in SI; or its columns along rows, as of
    CSV."""
    found: dict[str, Array] = {}
    pose = next((name for name in ("pose", "matrix") if name in data), None)
    if pose is None and "joint" not in data:
        variables = {str(name): data[name] for name in data.variables}
        return {name: one.to_numpy().astype(float) for name, one in variables.items() if _is_column(one)}
    if "time" in data:
        found["time_s"] = data["time"].to_numpy().astype(float)
    if pose is not None:
        X = data[pose].to_numpy().astype(float)
        X = X[:, -1] if X.ndim == 4 else X  # of two platforms the upper one's
        if X.ndim != 3 or X.shape[1:] != (4, 4):
            raise InputError(f"{pose}: expected poses (n, 4, 4) in the data set, got {X.shape}")
        found |= _columns(MATRIX, X.reshape(-1, 16), _matrix_units("m"))
    for name, letter in (("joint", "q"), ("reading", "r")):
        if name in data:
            values, units = data[name].to_numpy().astype(float), str(data[name].attrs.get("units", "m")).split(" or ")
            names = [f"{letter}{k}" for k in range(1, 1 + values.shape[1])]
            found |= _columns(names, values, [units[k // 6 % len(units)] for k in range(len(names))])
    return found


def _is_column(variable: Any) -> bool:
    return variable.ndim == 1 and variable.dtype.kind in "fiu"


def _columns(names: Sequence[str], values: Array, units: Sequence[str]) -> dict[str, Array]:
    return {titled(name, unit): values[:, k] for k, (name, unit) in enumerate(zip(names, units, strict=True))}


def _matrix_units(length: str) -> list[str]:
    return [length if name in ("m03", "m13", "m23") else "" for name in MATRIX]


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_KEYS: dict[str, Callable[[int], Sequence[str]]] = {
    "position": lambda count: POSITION,
    "quaternion": lambda count: QUATERNION,
    "angles": lambda count: ANGLES,
    "matrix": lambda count: MATRIX,
    **dict.fromkeys(("joints", "joint"), lambda count: [f"q{k}" for k in range(1, 1 + count)]),
    **dict.fromkeys(("readings", "reading"), lambda count: [f"r{k}" for k in range(1, 1 + count)]),
    "time": lambda count: ("time",),
}
"""Keys of answers in JSON, and the names of their columns."""


def json_columns(document: Any) -> dict[str, Array]:
    """Return columns of an answer in JSON, with its units; or of records or columns with titles as in CSV."""
    if isinstance(document, list):
        rows = [row for row in document if isinstance(row, dict)]
        return {str(title): _floats([row.get(title) for row in rows]) for title in (rows[0] if rows else ())}
    units = document.get("units")
    if not isinstance(units, dict):
        return {str(title): _floats(np.ravel(column)) for title, column in document.items()}
    found: dict[str, Array] = {}
    for key, value in _entries(document):
        name, _, unit = key.rpartition(".")[2].partition("_")
        if name not in _KEYS or (unit and not _is_unit(unit)):
            continue
        width = {"matrix": 16, "time": 1}.get(name, np.shape(value)[-1])
        table = _floats(value)
        if table.ndim > 3 or not width or table.size % width:
            continue
        table, names = table.reshape(-1, width), _KEYS[name](width)
        own = unit or units.get(key, "")
        given = _matrix_units(units.get("length", "m")) if name == "matrix" else own
        found |= _columns(names, table, [given] * width if isinstance(given, str) else list(given))
    return found


def _is_unit(text: str) -> bool:
    from gough.description.units import ANGLE, LENGTH, TIME

    return text in {**ANGLE, **LENGTH, **TIME}


def _entries(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Keys and lists: of the answer itself, and under "pose." or "end." of the pose in it or at the end of a travel."""
    for outer in ("", "pose.", "end."):
        inner = document.get(outer[:-1], {}) if outer else document
        if isinstance(inner, dict):
            yield from ((f"{outer}{key}", value) for key, value in inner.items() if isinstance(value, list))


def _floats(values: Any) -> Array:
    """Numbers; NaN for null."""
    try:
        return np.asarray(np.array(values, dtype=object), dtype=float)
    except (ValueError, TypeError):
        return np.empty(0)


def _csv_table(text: str, where: str) -> RawTable:
    """Rows of CSV without comments and empty lines, with the delimiter of the first one."""
    kept: list[str] = []
    numbers: list[int] = []
    remark = ""
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if line.lstrip().startswith(COMMENTS):
            remark = remark if kept else line.strip().lstrip("#%/ ")
        elif line.strip(' \t,;"'):
            kept.append(line)
            numbers.append(number)
    if not kept:
        raise InputError(f"{where} is empty, expected a header row that names columns")
    delimiter = _delimiter(kept[0])
    rows, lines = _split(kept, numbers, delimiter, where)
    has_header = not all(map(_NUMBER.fullmatch, rows[0]))
    titles = rows[0] if has_header else ()
    above = [] if has_header or not remark else _split([remark], [0], delimiter, where)[0][0]
    body = rows[has_header:]
    commas = delimiter in ";\t" and any("," in cell and _NUMBER.fullmatch(cell) for row in body for cell in row)
    return RawTable(where, titles, body, lines[has_header:], lines[0] * has_header, above, commas)


def _delimiter(line: str) -> str:
    """The delimiter of a line, quoted cells apart: a semicolon, a tab, a comma, or blanks."""
    bare = _QUOTED.sub("", line)
    return next((mark for mark in ";\t," if mark in bare), " ")


def _split(
    kept: Sequence[str], numbers: Sequence[int], delimiter: str, where: str
) -> tuple[list[list[str]], list[int]]:
    """Rows of cells, and the lines on which they end."""
    if delimiter == " " and any(" " in line.strip() for line in kept[:1]):
        # A unit in brackets belongs to the name before it.
        return [re.sub(r"\s+(?=[\[(])", "", line).split() for line in kept], list(numbers)
    reader = csv.reader((f"{line}\n" for line in kept), delimiter="," if delimiter == " " else delimiter,
                        skipinitialspace=True)  # fmt: skip
    rows, lines = [], []
    try:
        for row in reader:
            rows.append(row)
            lines.append(numbers[reader.line_num - 1])
    except csv.Error as error:
        raise InputError(f"{where} is not a CSV file: {error}") from None
    if len(rows[0]) > 1 and all(row and not row[-1].strip() for row in rows):  # a delimiter at the end of every line
        rows = [row[:-1] for row in rows]
    return rows, lines
