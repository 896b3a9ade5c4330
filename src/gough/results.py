"""Result objects: arrays with units. Rendering (`gough.present`) is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Protocol, TypeVar, cast

from gough.quantity import LABELS, TWELVE_LEGS, Quantity

if TYPE_CHECKING:
    import xarray

    from gough.present.answer import Table as Cells

MOST_LINES = 24
"""Largest number of rows that a table's `repr` lists: all built-in machines."""
P = ParamSpec("P")
Row = TypeVar("Row")


class OneLine:
    """Base of what a console shows in one line: the name of the class and `_in_words()`, whatever arrays it has."""

    __slots__ = ()

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        # Dataclasses write one with every array, unless the class has its own.
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        from gough.present.results import in_one_line

        return in_one_line(self, self._in_words())

    def _in_words(self) -> str:
        return str(self)


class Result(OneLine):
    """Base of results: `dataset` has the arrays with their units, `str()` is one sentence, and `repr()` the same behind
    the name of the class; notebooks show a table."""

    __slots__ = ()
    QUANTITIES: ClassVar[Mapping[str, Quantity]] = {}
    """What its fields and properties declare, by name (`gough.quantity`)."""
    ROW: ClassVar[tuple[str, ...]] = ()
    """Quantities in a row of a `Table`; empty for all fields."""
    BATCH: ClassVar[str] = "pose"
    """Name of the leading axes, before a quantity's own."""

    def labels(self, dim: str) -> tuple[str, ...]:
        """Return labels along a dimension of the quantities; none where entries are counted."""
        if dim == "limit":
            return tuple(limit.name for limit in getattr(self, "columns", ()))
        if dim == "leg":
            return TWELVE_LEGS[: 6 * len(getattr(getattr(self, "machine", None), "stages", "1"))]
        return LABELS.get(dim, ())

    @property
    def dataset(self) -> xarray.Dataset:
        """The arrays with units, in SI, and the names of their dimensions, for xarray and netCDF."""
        from gough.present.results import dataset_of

        return dataset_of(self)

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self) -> str:
        """Return the result in one sentence, without a full stop."""
        from gough.present.results import headline

        return headline(self)

    def _repr_html_(self) -> str:
        from gough.present.results import result_html

        return result_html(self)

    def _shown_table(self) -> Cells | None:
        """The table that a notebook shows, where one says more than the list of quantities."""
        return None


class ShowsFacts(OneLine):
    """Base of paths, motions and others that are not results, such as functions: notebooks show their facts."""

    __slots__ = ()

    def facts(self) -> dict[str, str]:
        """Return what it is, by name, in words with units."""
        raise NotImplementedError

    def _in_words(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.facts().items())

    def _repr_html_(self) -> str:
        from gough.present.results import facts_html

        return facts_html(self)


@dataclass(frozen=True, eq=False)
class LabelledArray:
    """An array with names of its dimensions, and attributes such as its unit."""

    dims: tuple[str, ...]
    values: Any
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def to_numpy(self) -> Any:
        """Return the array."""
        return self.values


class Labelled:
    """Contents of an `xarray.Dataset`, for callers that need arrays only: importing xarray takes a second.

    Parameters
    ----------
    variables, coords : mappings of name to what xarray takes: (dimensions, values, attributes)
    attrs : mapping

    """

    def __init__(self, variables: Mapping[str, Any], coords: Mapping[str, Any], attrs: Mapping[str, Any]) -> None:
        self.variables, self.coords, self.attrs = dict(variables), dict(coords), dict(attrs)

    def __contains__(self, name: object) -> bool:
        return name in self.variables or name in self.coords

    def __getitem__(self, name: str) -> LabelledArray:
        entry = self.variables[name] if name in self.variables else self.coords[name]
        dims, *rest = entry if isinstance(entry, tuple) else (name, entry)
        return LabelledArray((dims,) if isinstance(dims, str) else tuple(dims), *rest)

    def to_xarray(self) -> xarray.Dataset:
        """Return the same as a data set."""
        import xarray

        return xarray.Dataset(self.variables, coords=self.coords, attrs=self.attrs)


class DatasetFunction(Protocol[P]):
    """A function that returns an `xarray.Dataset`; its attribute `labelled` returns the same arrays without xarray."""

    labelled: Callable[P, Labelled]

    def __call__(self, *args: P.args, **named: P.kwargs) -> xarray.Dataset:
        """The data set."""
        ...


def returns_dataset(function: Callable[P, Labelled]) -> DatasetFunction[P]:
    """Return the function with its result as an `xarray.Dataset`, and itself as the attribute `labelled`."""

    @wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> xarray.Dataset:
        return function(*given, **named).to_xarray()

    made: Any = call
    made.labelled, made.__signature__ = function, signature(function).replace(return_annotation="xarray.Dataset")
    return cast(DatasetFunction[P], made)


class Table(tuple[Row, ...]):
    """A tuple of results of one kind: `dataset` has an entry for each, `str()` a line, `repr()` the first lines, and
    notebooks show one table in the machine's units."""

    machine: Any = None

    @classmethod
    def of(cls, rows: Iterable[Row], machine: Any = None) -> Table[Row]:
        """Return a table of `rows`, in the units of the file of `machine`, or in SI."""
        table = cls(rows)
        table.machine = machine
        return table

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        more = len(self) - MOST_LINES
        rest = [f"... and {more} more; print() shows all"] if more > 0 else []
        return "\n  ".join([f"Table of {len(self)} rows:", *map(str, self[:MOST_LINES]), *rest])

    @property
    def dataset(self) -> xarray.Dataset:
        """The rows with their units, in SI, along a dimension that the rows' first field names."""
        from gough.present.results import dataset_of_rows

        return dataset_of_rows(self)

    def _repr_html_(self) -> str:
        from gough.present.results import rows_html

        return rows_html(self, self.machine)


class NamedResults(dict[str, Row]):
    """Results of one kind by name: `repr()` has a line for each, and notebooks show one table."""

    def __repr__(self) -> str:
        return "\n  ".join([f"{len(self)} results by name:", *(f"{name}: {row!r}" for name, row in self.items())])

    def _repr_html_(self) -> str:
        from gough.present.results import named_html

        return named_html(self)
