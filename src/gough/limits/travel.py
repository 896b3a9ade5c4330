"""Travel: how far the platform can move along a direction until a limit binds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from itertools import compress
from operator import attrgetter
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.limits._paths import EULER, TWIST, Path
from gough.limits._travel import OUT_OF_STEPS, travel_batch
from gough.limits.interval_search import limits_for_search, search_of
from gough.limits.margins import Margins, limits_sentence, margins
from gough.limits.table import Column, lever, limit_table, path_speed
from gough.limits.ties import TIE, in_words, tied
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, common_shape
from gough.present.answer import Field, of_rows
from gough.present.show import NO_LIMIT, fitting
from gough.present.units import file_unit, rounded
from gough.quantity import AXES, derived, quantity, result, transform
from gough.results import Result, Table
from gough.stacked import AnyMachine, by_machine
from gough.workers import run_batch

FARTHEST = 10.0
"""A travel without a limit while a platform joint moves this many machine sizes counts as unlimited."""
NONE = "none"
"""Name of the binding limit where none ends the travel."""
NOT_SEARCHED = "not searched farther"
"""The same where the search ran out of steps."""


@result
class Travel(Result):
    """Travel along directions (...)."""

    distance: Array = quantity(
        lambda of: np.where(of.is_rotation, "rad", "m"), is_headline=True,
        doc="Travel along the direction scaled to length one; inf where no limit ends it before a platform joint has "
        "moved ten machine sizes, or within half a turn; 0 where the start already violates one (see "
        "`is_start_allowed`), NaN from a start that is NaN. The pose there is the last allowed one to rounding.",
    )  # fmt: skip
    binding_index: NDArray[np.int64] = quantity(
        "1", is_listed=False,
        doc="Number of the limit in `columns` that ends it, any of those that tie, -1 for none; -2 where the search "
        "ran out of steps, as it may with legs hundreds of times shorter than the machine: everything up to "
        "`distance` is allowed, and it is unknown what is beyond.",
    )  # fmt: skip
    matrix: Array = transform(has_platforms=True, doc="Pose at the end; NaN where no limit ends the travel.")
    columns: tuple[Column, ...]
    machine: AnyMachine
    is_rotation: NDArray[np.bool_] = quantity("", is_listed=False, doc="Whether the displacement is a pure rotation.")

    def __str__(self) -> str:
        return self.sentence() if self.distance.ndim == 0 else super().sentence()

    @property
    @derived("")
    def binding(self) -> str | NDArray[np.str_]:
        """Name of the limit that ends it, the first of those that tie, "none" where none does; an array of names for a
        batch."""
        bound = tied(np.where(self.ties, self.end_margins.relative, np.nan))
        index = np.where(bound.any(axis=-1), bound.argmax(axis=-1), self.binding_index)
        names = np.array([*(column.name for column in self.columns), NOT_SEARCHED, NONE])[index]
        return str(names) if names.ndim == 0 else names

    @property
    @derived("", "limit", is_listed=False)
    def ties(self) -> NDArray[np.bool_]:
        """Whether each limit ends it (..., k): its relative margin ties with zero at the end.

        From a start that violates limits already: the limits that it violates.
        """
        found = self.end_margins
        index = np.asarray(self.binding_index)[..., None]
        bound = np.arange(len(self.columns)) == index
        at_end = np.nan_to_num(found.relative, nan=np.inf) <= TIE
        # Where home is singular the limit "singularity" ends no travel.
        counted = np.isfinite(limits_for_search(self.machine).per_scale)
        return np.asarray((index >= 0) & (bound | (at_end & counted)))

    @cached_property
    def end_margins(self) -> Margins:
        """Margins (..., k) at its end; at the start if that is not allowed."""
        return margins(self.machine, self.matrix)

    @property
    @derived("")
    def is_start_allowed(self) -> NDArray[np.bool_]:
        """Whether the start is allowed (...), which distinguishes the two reasons for a travel of 0."""
        return np.asarray((self.distance != 0.0) | self.end_margins.is_allowed) & ~np.isnan(self.distance)

    @property
    def binding_set(self) -> tuple[str, ...]:
        """Names of all limits that end one travel together; empty if none does."""
        self._one()
        return tuple(self.columns[c].name for c in np.flatnonzero(self.ties))

    @property
    def binding_sets(self) -> list[tuple[str, ...]]:
        """`binding_set` of every travel (...), one after the other."""
        names = [column.name for column in self.columns]
        return [tuple(compress(names, row)) for row in self.ties.reshape(-1, len(names))]

    @property
    def binding_words(self) -> str:
        """The limits that end one travel, in words: "leg 3 longest", "all six legs lowest", "none"."""
        self._one()
        return str(self.words())

    def words(self) -> NDArray[np.str_]:
        """Return `binding_words` of every travel (...)."""
        # Each set is put into words once.
        names = [column.name for column in self.columns]
        sets, which = np.unique(self.ties.reshape(-1, len(names)), axis=0, return_inverse=True)
        words = np.array([in_words(compress(names, row)) or NONE for row in sets], dtype=str)
        found = words[which.reshape(self.distance.shape)]
        return np.where(np.asarray(self.binding_index) == OUT_OF_STEPS, NOT_SEARCHED, found)

    def _one(self) -> None:
        if self.distance.ndim:
            raise InputError(f"expected a single direction, got shape {self.distance.shape}")

    def sentence(self) -> str:
        """Describe one travel in words, in the units of the machine's file."""
        self._one()
        si_unit = "rad" if self.is_rotation else "m"
        far = f"{rounded(self.machine, float(self.distance), si_unit)} {file_unit(self.machine, si_unit)}"
        if self.binding_index == OUT_OF_STEPS:
            return f"at least {far}: the search for its end ran out of steps there"
        if self.binding_index < 0:
            return "no limit ends it" if np.isinf(self.distance) else "the start is not a number"
        if not self.is_start_allowed:
            return f"the start is not allowed: {'; '.join(self.end_margins.sentences())}"
        tables = [limit_table(stage).columns for stage in self.machine.stages]
        bound = np.split(self.ties, np.cumsum([len(columns) for columns in tables])[:-1])
        held = [list(compress(columns, row)) for columns, row in zip(tables, bound, strict=True)]
        words = (limits_sentence(m, own, [0.0] * len(own)) for m, own in zip(self.machine.stages, held, strict=True))
        return f"{far}, then {self.machine.by_stage(words)}"


@result(eq=True)
class TravelRow(Result):
    """Travel along one axis in both directions, signed [m or rad], with the limits that end it: one, and all that
    tie."""

    ROW: ClassVar[tuple[str, ...]] = ("axis", "minus", "minus_words", "plus", "plus_words")

    axis: str = quantity("", doc="Axis of the travel.")
    minus: float = quantity(
        attrgetter("unit"),
        doc="From home along, or turning about, this one axis of the base until the first limit is met; the other five "
        "displacements of the point of interest stay zero; negative, infinite where no limit ends it.",
    )  # fmt: skip
    plus: float = quantity(attrgetter("unit"), doc="The same in the opposite sense, positive.")
    minus_binding: str = quantity("", doc="The limit whose relative margin is smallest just beyond the end.")
    plus_binding: str = quantity("", doc="The same for plus.")
    machine: AnyMachine = field(compare=False, repr=False)
    minus_set: tuple[str, ...] = quantity(
        "", default=(),
        doc="All limits met there together: their relative margins there are below 1e-5. From a singular home no "
        "singularity ends a travel.",
    )  # fmt: skip
    plus_set: tuple[str, ...] = quantity("", default=(), doc="The same for plus.")

    @property
    def unit(self) -> str:
        """SI unit of the travel."""
        return "rad" if self.axis.startswith("r") else "m"

    def sentence(self) -> str:
        """Describe both ends, in the unit of the machine's file."""
        minus, plus = (rounded(self.machine, end, self.unit) for end in (self.minus, self.plus))
        return f"{self.axis}: {minus} to {plus} {file_unit(self.machine, self.unit)}"

    @property
    @derived("", label="ended by", is_listed=False)
    def minus_words(self) -> str:
        """The limits that end it in the negative direction, in words."""
        return in_words(self.minus_set) or self.minus_binding

    @property
    @derived("", label="ended by", is_listed=False)
    def plus_words(self) -> str:
        """The limits that end it in the positive direction, in words."""
        return in_words(self.plus_set) or self.plus_binding


def fitting_unit(rows: Sequence[TravelRow], si_unit: str) -> str:
    """Return the unit in which people read the travel along, or about, all axes (`gough.present.show.fitting`)."""
    ends = [(row.minus, row.plus) for row in rows if row.unit == si_unit]
    return fitting(rows[0].machine, ends, si_unit)


def travel_fields(rows: Sequence[TravelRow]) -> list[Field]:
    """Return rows of a table of travel as keys of JSON, and as columns for people."""
    fields, words = [], []
    shown = [fitting_unit(rows, row.unit) for row in rows]
    for side in ("minus", "plus"):
        fields += of_rows(rows, "axis", side, under="{}.", head=side, is_signed=True, shown=shown)
        fields += of_rows(rows, "axis", f"{side}_binding", (f"{side}_set", f"{side}_binding_set"), under="{}.")
        ends = [NO_LIMIT if np.isinf(getattr(row, side)) else getattr(row, f"{side}_words") for row in rows]
        words.append(Field("", ends, head=f"ended by ({side})", is_json=False))
    return [*fields, *words]


@checks_arguments
def travel(machine: AnyMachine, direction: ArrayLike, start: PoseLike | None = None, *, euler: bool = False) -> Travel:
    """Compute how far the platform can move along 6-D directions until a limit binds.

    The platform's point of interest moves straight along v while the platform turns about it at the constant rate w,
    both in base axes: at s, the point has moved by s v and the orientation is exp(s w) R_start. The travel is the
    largest s up to which every margin is kept (by definition; found by root finding, `gough.limits._walk`).

    Parameters
    ----------
    machine : Machine
    direction : (..., 6) array
        [v, w], scaled so that |v| = 1 [m per m, rad per m], or |w| = 1 where v = 0.
    start : PoseLike, optional
        One pose or one for each direction; default: home.
    euler : bool
        Interpret w as rates of the angles of R = Rx Ry Rz, in base axes, instead of a constant angular velocity.

    Returns
    -------
    Travel
        Exact to rounding (1e-12 of the machine's size); see `gough.limits._walk` for grazing contacts that it may miss.

    Raises
    ------
    InputError
        A direction of length zero or with a NaN.

    """
    d = of_shape("direction", direction, "(..., 6)")
    v, w = np.linalg.norm(d[..., :3], axis=-1), np.linalg.norm(d[..., 3:], axis=-1)
    length = np.where(v > 0, v, w)
    if not (np.isfinite(d).all() and (length > 0).all()):
        raise InputError("direction: expected finite numbers [vx, vy, vz, wx, wy, wz] that are not all zero")
    matrices = machine.end_home if start is None else checked_matrices(start)
    leading = common_shape("start and direction", matrices.shape[:-2], d.shape[:-1])
    starts = np.broadcast_to(matrices, (*leading, 4, 4)).copy().reshape(-1, 4, 4)
    unit = np.broadcast_to(d / length[..., None], (*leading, 6)).copy().reshape(-1, 6)
    distance, binding, ends = travel_ends(machine, starts, unit, EULER if euler else TWIST)
    return Travel(
        distance.reshape(leading),
        binding.reshape(leading),
        ends.reshape(*leading, *machine.stage_shape, 4, 4),
        limit_table(machine).columns,
        machine,
        np.broadcast_to(v == 0, leading).copy(),
    )


@by_machine
def travel_ends(machine: Machine, starts: Array, unit: Array, path: int) -> tuple[Array, NDArray[np.int64], Array]:
    """Return travel (n,) from starts (n, 4, 4) along directions (n, 6), the columns that end it, and the poses
    there."""
    moves, turns = np.linalg.norm(unit[:, :3], axis=1), np.linalg.norm(unit[:, 3:], axis=1)
    swings = turns * lever(machine, starts, unit, euler=path == EULER)
    # The path ends after ten machine sizes or half a turn, or once the lever's end has moved ten machine sizes.
    with np.errstate(divide="ignore"):
        wanted = np.minimum(FARTHEST * machine.size / moves, np.pi / turns)
        farthest = np.minimum(wanted, FARTHEST * machine.size / swings)
    speed = path_speed(machine, starts, unit, euler=path == EULER)
    limits = limits_for_search(machine)
    distance, binding = np.empty(len(unit)), np.empty(len(unit), np.int64)
    ends = np.full((len(unit), 4, 4), np.nan)

    def solve(s: slice) -> None:
        paths = Path(path, starts[s], machine.point_of_interest, unit[s])
        travel_batch(search_of(limits), paths, farthest[s], speed[s], distance[s], binding[s], ends[s])

    run_batch(solve, len(unit), from_count=16)
    if path == EULER:  # its lever is only an upper bound: the joints need not have moved as far, and a limit may follow
        is_cut = np.isinf(distance) & (farthest < wanted)
        distance[is_cut], binding[is_cut] = farthest[is_cut], OUT_OF_STEPS
    return distance, binding, ends


@checks_arguments
def travel_table(machine: AnyMachine, start: PoseLike | None = None) -> Table[TravelRow]:
    """Compute the travel along and about each base axis at the point of interest, in both directions.

    Parameters
    ----------
    machine : Machine
    start : PoseLike, (4, 4), optional
        Default: home.

    Returns
    -------
    Table of TravelRow
        x, y, z [m], then rx, ry, rz [rad]; infinite where no limit ends it, 0 where the start is not allowed, NaN from
        a start of NaN.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    table = travel(machine, np.concatenate([np.eye(6), -np.eye(6)]), start)
    far, names, sets = table.distance, np.asarray(table.binding), table.binding_sets
    rows = (
        TravelRow(
            axis, -float(far[6 + k]), float(far[k]), str(names[6 + k]), str(names[k]), machine, sets[6 + k], sets[k]
        )
        for k, axis in enumerate(AXES)
    )
    return Table.of(rows, machine)
