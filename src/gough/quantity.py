"""Quantities of results, each declared once, at the attribute that holds it; every other form is written from that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from inspect import cleandoc
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, dataclass_transform

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Unit: TypeAlias = "str | Sequence[Any] | Callable[[Any], Any]"
"""SI unit of all numbers of a quantity, of each entry along its last dimension or its last two, or a function of the
result that returns one of these. "1" is a pure number; "" stands for names, words and flags."""

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
LEGS = ("1", "2", "3", "4", "5", "6")
TWELVE_LEGS = (*LEGS, "7", "8", "9", "10", "11", "12")
"""Legs of two stages, those of the lower one first."""
AXES = ("x", "y", "z", "rx", "ry", "rz")
ALONG_AXES = ("m", "m", "m", "rad", "rad", "rad")
"""SI units of displacements along and about the axes."""
SPEEDS = ("m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s")
"""SI units of a twist."""
WRENCH = ("N", "N", "N", "N m", "N m", "N m")
"""SI units of a force and a moment."""
POSE = (*(("1", "1", "1", "m"),) * 3, ("1",) * 4)
"""SI units of the entries of a pose's matrix."""
LABELS = {
    "axis": AXES[:3],
    "twist": AXES,
    "wrench": ("fx", "fy", "fz", "mx", "my", "mz"),
    "leg": LEGS,
    "principal": LEGS[:3],
}
"""Labels along dimensions that have the same ones in all results."""


@dataclass(frozen=True)
class Quantity:
    """Declaration of a quantity.

    Attributes
    ----------
    name : str
        The attribute of the result.
    unit : Unit
    dims : tuple of str
        Names of its own dimensions, which are the last; those before are the result's batch.
    doc : str
        Its definition.
    label : str
        Its name for people where tables have it, the attribute's in words by default.
    symbol, frame : str
        Its symbol; the frame of its components.
    is_headline, is_listed : bool
        Whether it is in the sentence on the result, by default the first one is; whether it is in its table.
    has_platforms : bool
        Whether two stages have poses of both platforms, along a dimension before those of the pose.

    """

    name: str
    unit: Unit
    dims: tuple[str, ...]
    doc: str = ""
    label: str = ""
    symbol: str = ""
    frame: str = ""
    is_headline: bool = False
    is_listed: bool = True
    has_platforms: bool = False

    @property
    def title(self) -> str:
        """Its label, by default its name in words."""
        return self.label or self.name.replace("_", " ")

    def units(self, result: Any) -> NDArray[np.str_]:
        """Return SI units in a result, of a shape that broadcasts to that of the values."""
        import numpy as np  # here: commands are declared with the names above before anything that computes is loaded

        units = np.array(self.unit(result) if callable(self.unit) else self.unit, dtype=str)
        return units.ravel()[0].reshape(()) if units.ndim and (units == units.ravel()[:1]).all() else units

    def of(self, result: Any) -> Variable | None:
        """Return its values in a result, None where it has none."""
        import numpy as np

        value = getattr(result, self.name)
        if value is None:
            return None
        if isinstance(value, tuple | list) and not self.dims:
            value = ", ".join(map(str, value))  # names, as many as there are
        values, dims = np.asarray(value), self.dims
        if self.has_platforms:
            dims = (*dims[:-2], *result.machine.stage_dims, *dims[-2:])
        batch = values.ndim - len(dims)
        leading = [result.BATCH] if batch == 1 else [f"{result.BATCH}_{k + 1}" for k in range(batch)]
        return Variable(self, (*leading, *dims), values, self.units(result))


@dataclass(frozen=True, eq=False)
class Variable:
    """Values of a quantity, the names of all their dimensions, and SI units that broadcast to them."""

    quantity: Quantity
    dims: tuple[str, ...]
    values: NDArray[Any]
    units: NDArray[np.str_]

    def by_unit(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """Yield each unit, with the values that have it."""
        if not self.units.ndim:
            yield str(self.units), self.values
            return
        import numpy as np

        units = np.broadcast_to(self.units, self.values.shape)
        for unit in dict.fromkeys(self.units.ravel().tolist()):
            yield unit, self.values[units == unit]


def quantity(unit: Unit, *dims: str, doc: str, default: Any = MISSING, kw_only: bool = False, **declared: Any) -> Any:
    """Declare a field of a result as a quantity, with the attributes of `Quantity`."""
    metadata = {"quantity": Quantity("", unit, dims, doc, **declared)}
    return field(default=default, kw_only=kw_only, metadata=metadata)


def transform(*dims: str, doc: str, frame: str = "base", default: Any = MISSING, **declared: Any) -> Any:
    """Declare a field of a result as matrices of poses in a frame, as `quantity` does."""
    return quantity(POSE, *dims, "row", "column", doc=doc, frame=frame, default=default, **declared)


def derived(unit: Unit, *dims: str, **declared: Any) -> Callable[[F], F]:
    """Declare a property of a result as a quantity, which its docstring defines; stands below `@property`."""

    def declare(function: F) -> F:
        doc = " ".join(cleandoc(function.__doc__ or "").split())
        function.quantity = Quantity(function.__name__, unit, dims, doc, **declared)  # type: ignore[attr-defined]
        return function

    return declare


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(quantity, transform, field))
def result(cls: type[T] | None = None, /, **options: Any) -> Any:
    """Make a class a frozen dataclass, collect its quantities, and list those of its fields in its docstring.

    Parameters
    ----------
    cls : class
    **options
        Of `dataclasses.dataclass`; arrays have no truth value, so that classes are compared by identity by default.

    Returns
    -------
    class

    """
    if cls is None:
        return lambda cls: result(cls, **options)
    kind: Any = dataclass(frozen=True, **{"eq": False, **options})(cls)
    kind.QUANTITIES = quantities_of(kind)
    entries = [
        _entry(member, kind.QUANTITIES[member.name]) for member in fields(kind) if member.name in kind.QUANTITIES
    ]
    if entries:
        text = cleandoc(cls.__doc__ or "")
        title = "" if "Attributes\n---" in text else "\n\nAttributes\n----------"
        kind.__doc__ = "\n".join([text + title, *entries, ""])
    return kind


def _entry(member: Any, of: Quantity) -> str:
    """A field in the docstring of its class: its shape or type, and its definition with its units."""
    is_scalar = member.type in ("float", "int", "bool", "str")
    kind = member.type if is_scalar else f"``({', '.join(('...', *of.dims))})`` array"
    units = ", ".join(units_in(of.unit))
    suffix = f" [{units}]" if units not in ("", "1") else ""
    doc = fill(f"{of.doc.removesuffix('.')}{suffix}.", 116, initial_indent=4 * " ", subsequent_indent=4 * " ")
    return f"{member.name} : {kind}\n{doc}"


def units_in(unit: Unit) -> list[str]:
    """Return the different units of a declaration; none where they depend on the result."""
    if callable(unit):
        return []
    return [unit] if isinstance(unit, str) else list(dict.fromkeys(name for part in unit for name in units_in(part)))


def quantities_of(cls: type) -> dict[str, Quantity]:
    """Return quantities that a class of results declares: its fields, then its properties, in the order of
    definition."""
    declared = {one.name: replace(one.metadata["quantity"], name=one.name) for one in fields(cls) if one.metadata}
    for base in reversed(cls.__mro__):
        for name, member in vars(base).items():
            function: Any = getattr(member, "fget", None) or getattr(member, "func", None)
            if hasattr(function, "quantity"):
                declared[name] = function.quantity
    return declared


def of_joints(per: str = "") -> Callable[[Any], Any]:
    """Return the unit of the joint coordinates of a result's machine, or of their derivatives: `of_joints("/s")`."""
    return lambda result: of_legs(result.machine, lambda stage: stage.legs.joint_unit + per)


def joint_units(machine: Any) -> tuple[str, ...]:
    """Return the unit of the joint coordinate of each leg."""
    return tuple(stage.legs.joint_unit for stage in machine.stages for _ in range(6))


def drive_force(result: Any) -> str | tuple[str, ...]:
    """Return the unit of the force of the actuators of a result's machine, or of their torque where joints turn."""
    return of_legs(result.machine, lambda stage: "N" if stage.legs.joint == "length" else "N m")


def ratios(over: Sequence[str], under: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the units of a matrix: those of its rows per those of its columns."""
    return tuple(tuple(f"{row}/{column}" for column in under) for row in over)


def of_limits(result: Any) -> tuple[str, ...]:
    """Return the unit of each limit in the `columns` of a result."""
    return tuple(column.unit for column in result.columns)


def of_legs(machine: Any, unit: Callable[[Any], str]) -> str | tuple[str, ...]:
    """Return a unit that depends on the stage: one, or one for each leg where two stages differ."""
    units = tuple(unit(stage) for stage in machine.stages for _ in range(6))
    return units[0] if len(set(units)) == 1 else units
