"""Margins: signed distances of poses to every limit of the machine, and sentences about the limits that bind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.checks.annotations import fitted
from gough.description.geometry import SINGULAR, SINGULAR_AT_HOME, home_side
from gough.errors import InputError
from gough.limits._margins import SHORTEST, allowed_batch, margins_at
from gough.limits.table import TABLES, Column, limit_table, margin_values
from gough.limits.ties import TIE, in_words, legs_in_words, listed, some_of, tied
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices, checked_matrices, not_a_pose
from gough.present.answer import Table
from gough.present.show import Show
from gough.present.units import apart, file_unit, rounded, span_in_words, unit_of
from gough.quantity import derived, of_limits, quantity, result
from gough.results import Result
from gough.stacked import StackedMachine, by_machine
from gough.workers import PARALLEL_FROM, run_batch

SINGULAR_AS_HOME = SINGULAR_AT_HOME.replace("singular", "singular, and the machine is singular", 1)
SINGULAR_POSE = "singular: det J = 0, the legs do not hold the platform in every direction there; move to another pose"
TIGHT = 0.05
"""A relative margin below this makes a warning."""


DECIDED_FROM = PARALLEL_FROM
"""Poses from which on `is_allowed` runs a kernel of its own: for fewer, margins take less time than loading it."""


@result
class Margins(Result):
    """Signed distances to the k limits of a machine: zero on the limit, negative beyond it.

    Attributes
    ----------
    columns : tuple of Column
        The limit of each column.
    machine : Machine

    """

    values: Array = quantity(
        of_limits, "limit",
        doc='Signed distance to each limit: zero on it, negative beyond; NaN where a leg cannot close (its "reach" is '
        "then negative, the missing distance), and for poses that are NaN.",
    )  # fmt: skip
    columns: tuple[Column, ...]
    machine: Machine | StackedMachine

    def __str__(self) -> str:
        if self.values.ndim == 1:
            return self.sentence()
        return f"{int(self.is_allowed.sum())} of {self.is_allowed.size} poses are allowed"

    @property
    def stages(self) -> tuple[Margins, ...]:
        """Margins of each stage: for a machine of one stage this object itself."""
        return (self,)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the limits."""
        return tuple(column.name for column in self.columns)

    @property
    def units(self) -> tuple[str, ...]:
        """SI unit of each column: "m", "rad" or "1"."""
        return tuple(column.unit for column in self.columns)

    @property
    def legs(self) -> tuple[tuple[int, ...], ...]:
        """Legs each limit concerns, counted from 1."""
        return tuple(column.legs for column in self.columns)

    @property
    @derived("1", "limit")
    def relative(self) -> Array:
        """Margins as parts of each limit's scale (half a stroke, the half-angle of a cone, ...): comparable numbers."""
        return np.asarray(self.values / np.array([column.scale for column in self.columns]))

    @property
    @derived("1", is_listed=False)
    def binding_index(self) -> NDArray[np.intp]:
        """Column with the smallest relative margin (...), the first of those that tie."""
        return np.argmax(self.ties, axis=-1)

    @property
    @derived("1")
    def smallest(self) -> Array:
        """Smallest relative margin (...); NaN for a pose that is NaN."""
        return np.asarray(np.fmin.reduce(self.relative, axis=-1))

    @property
    @derived(lambda of: np.array(of.units)[of.binding_index], is_listed=False)
    def worst(self) -> Array:
        """Margin of the binding limit (...), in its own unit; NaN for a pose that is NaN."""
        return np.take_along_axis(self.values, self.binding_index[..., None], axis=-1)[..., 0]

    @property
    @derived("")
    def binding(self) -> str | NDArray[np.str_]:
        """Name of the limit with the smallest relative margin, the first of those that tie; an array of names for a
        batch."""
        names = np.array(self.names)[self.binding_index]
        return str(names) if self.values.ndim == 1 else names

    @property
    @derived("", "limit", is_listed=False)
    def ties(self) -> NDArray[np.bool_]:
        """Whether each limit binds (..., k): its relative margin ties with the smallest (`gough.limits.ties`)."""
        return tied(self.relative)

    @property
    def binding_set(self) -> tuple[str, ...]:
        """Names of all limits of one pose that bind: their relative margin ties with that of `binding`."""
        self._one_pose()
        return tuple(self.names[c] for c in np.flatnonzero(self.ties))

    @property
    def binding_words(self) -> str:
        """The limits of one pose that bind, in words: "leg 3 longest", "all six legs lowest"."""
        return in_words(self.binding_set) or str(self.binding)

    @property
    @derived("")
    def is_allowed(self) -> NDArray[np.bool_]:
        """Whether every limit is kept (...), see `holds`."""
        return np.asarray(self.holds.all(axis=-1))

    @property
    @derived("", "limit", is_listed=False)
    def holds(self) -> NDArray[np.bool_]:
        """Whether each limit is kept (..., k): margins are at least zero within the limit's tolerance of rounding
        (`Column.tolerance`, a part 1e-13 of the machine's coordinates); False where a margin is NaN."""
        return np.asarray(self.values >= -np.array([column.tolerance for column in self.columns]))

    @property
    @derived("", is_listed=False)
    def is_tight(self) -> NDArray[np.bool_]:
        """Whether the binding limit is violated or its relative margin below `TIGHT` (...)."""
        return np.asarray(self.smallest < TIGHT)

    @property
    @derived("")
    def is_singular(self) -> NDArray[np.bool_]:
        """Whether det J = 0 to rounding (...): the legs do not hold such a pose, even if every limit is kept."""
        k = self.names.index("singularity")
        return np.asarray(np.abs(self.values[..., k] + self.columns[k].bound) <= SINGULAR)

    def singular_sentence(self) -> str:
        """Warn if one pose is singular, with a remedy; otherwise empty."""
        self._one_pose()
        if not self.is_singular:
            return ""
        return SINGULAR_AS_HOME if home_side(self.stage) == 0.0 else SINGULAR_POSE

    def sentence(self) -> str:
        """Describe the binding limits of one pose, including ties, in the units of the machine's file."""
        self._one_pose()
        bound = np.flatnonzero(self.ties)
        if not len(bound):
            return "the pose is not a number"
        return limits_sentence(self.stage, [self.columns[c] for c in bound], self.values[bound].tolist())

    def sentences(self) -> list[str]:
        """Describe every limit that one pose violates, a sentence for each, the worst first."""
        self._one_pose()
        # Rounded to the tolerance of ties, so that limits that tie keep their order.
        order = np.argsort(np.round(self.relative / TIE), kind="stable")
        broken = [int(c) for c in order if not self.holds[c] and not np.isnan(self.values[c])]
        return [self.sentence_of(c) for c in broken]

    def sentence_of(self, c: int) -> str:
        """Describe one pose and the limit of column c, e.g. "leg 4 needs 412 mm, allowed 310 to 400 mm"."""
        return limit_sentence(self.stage, self.columns[c], float(self.values[c]))

    def findings(self) -> list[str]:
        """Describe every violated limit of one pose and its singularity; otherwise the limits that bind."""
        singular = self.singular_sentence()
        return [*self.sentences(), *([singular] if singular else [])] or [self.sentence()]

    def refusal(self) -> str:
        """Name the poses that are not allowed, with the reason for the first; empty if all are allowed."""
        is_refused = ~self.is_allowed
        if not is_refused.any():
            return ""
        first = replace(self, values=self.values[is_refused].reshape(-1, len(self.columns))[0])
        which = f"{some_of(is_refused, 'the pose', 'poses')} {'are' if is_refused.ndim else 'is'}"
        return f"{which} not allowed: {(first.sentences() or [first.sentence()])[0]}"

    def table(self, *, refused_only: bool = False) -> Table:
        """Tabulate every limit of one pose, or only violated limits: margin, value, allowed value, verdict.

        Where a leg cannot close, only the margins to the reach are known.
        """
        self._one_pose()
        rows = [
            self._row(c)
            for c, margin in enumerate(self.values)
            if not refused_only or not (self.holds[c] or np.isnan(margin))
        ]
        return Table(("limit", "margin", "unit", "now", "allowed", ""), rows, (1, 3))

    def _shown_table(self) -> Table | None:
        return self.table() if self.values.ndim == 1 else None

    def _row(self, c: int) -> tuple[str, ...]:
        show, column, margin, unit = Show(self.machine), self.columns[c], self.values[c], self.columns[c].unit
        now, allowed = "", ""
        if column.quantity != "reach":  # whose margin is a distance to the reach, not a difference from a bound
            now, bound = show.apart(column.value(margin), column.bound, unit)
            allowed = f"{'at least' if column.is_lower else 'at most'} {bound}"
        verdict = "unknown" if np.isnan(margin) else "" if self.holds[c] else "refused"
        return self.names[c], show.value(margin, unit), unit_of(self.machine.units, unit)[1], now, allowed, verdict

    def of_stage(self, c: int) -> str:
        """Return the prefix with the stage of column c, "stage 2: "; empty for a machine of one stage."""
        return ""

    @property
    def stage(self) -> Machine:
        """The machine, of one stage; of two see `stages`."""
        assert isinstance(self.machine, Machine)
        return self.machine

    def _one_pose(self) -> None:
        if self.values.ndim != 1:
            raise InputError(f"expected a single pose, got margins of {self.values.shape[:-1]} poses; select one")


def limit_sentence(machine: Machine, column: Column, margin: float) -> str:
    """Return sentence about a limit with this margin, e.g. "leg 4 needs 412 mm, allowed 310 to 400 mm"."""
    return _words(machine, column, margin, [column.legs])


def limits_sentence(machine: Machine, columns: Sequence[Column], margins: Sequence[float]) -> str:
    """Return sentence about limits that tie, e.g. "legs 1 and 4 need 412 mm, allowed 310 to 400 mm", or "legs 1-2 and
    3-4 distance 12 mm, allowed at least 10 mm"; limits of one kind share the value of their smallest margin."""
    # Limits are of one kind if their sentences differ in the legs only.
    same: dict[str, tuple[Column, float, list[tuple[int, ...]]]] = {}
    for column, margin in zip(columns, margins, strict=True):
        key = _words(machine, column, 0.0, [(0,) * len(column.legs)])
        _, least, concerned = same.get(key, (column, margin, []))
        same[key] = column, min(least, margin), [*concerned, column.legs]
    # In the middle of a stroke both of its ends tie, and their sentences are the same.
    return "; ".join(dict.fromkeys(_words(machine, *group) for group in same.values()))


def _words(machine: Machine, column: Column, margin: float, concerned: Sequence[tuple[int, ...]]) -> str:
    """Sentence about a limit of one kind and the legs, or pairs of legs, that it concerns."""
    unit = f" {file_unit(machine, column.unit)}".rstrip()
    value = column.value(margin)
    legs = tuple(each[0] for each in concerned if each)
    who, many = legs_in_words(legs) if legs else "", len(legs) > 1
    if column.quantity == "reach":
        return _reach(machine, who, many, value, TIE * column.scale)
    needed, bound = rounded(machine, value, column.unit), rounded(machine, column.bound, column.unit)
    # More digits where the rounded numbers hide that they differ, but not for rounding errors, such as those at a stop.
    if margin < -4.0 * column.tolerance or column.quantity.startswith("worst step"):
        needed, bound = apart(machine, value, column.bound, column.unit)
    if column.quantity == "":
        i = column.legs[0] - 1
        ends = machine.limits.joint_min[i], machine.limits.joint_max[i]
        span = span_in_words(*ends, lambda end: rounded(machine, end, column.unit), unit.strip())
        return f"{who} need{'' if many else 's'} {needed}{unit}, allowed {span}"
    if len(column.legs) > 1:
        who = f"legs {listed('-'.join(map(str, pair)) for pair in concerned)} "
    elif legs and not column.quantity.startswith("tool"):
        who = f"{who}, " if many else f"{who} "
    side = "at least" if column.is_lower else "at most"
    return f"{who}{column.quantity} {needed}{unit}, allowed {side} {bound}{unit}"


def _reach(machine: Machine, who: str, many: bool, value: float, nothing: float) -> str:
    """Sentence about the reach of legs with rods: the distance `value` by which their platform joints may still move
    [m]; at most `nothing` counts as none."""
    if 0 <= value <= nothing:
        return f"{who} are at their reach" if many else f"{who} is at its reach"
    far = f"{rounded(machine, abs(value), 'm')} {machine.units.length}"
    if value < 0:
        joints = "their platform joints are" if many else "its platform joint is"
        return f"{who} cannot close: {joints} {far} out of reach"
    verb, joints = ("close", "their platform joints") if many else ("closes", "its platform joint")
    return f"{who} {verb}; {joints} may move another {far}"


@by_machine
def margins(machine: Machine, X: PoseLike) -> Margins:
    """Compute the signed distance of poses to every limit of a machine: zero on the limit, negative beyond it.

    Joint travel; reach, where a leg of constant length can fail to close; cones of base and platform joints; clearance
    of legs (segments with radius); angle between legs and plates; box, radius, tilt and rotation of the tool; and
    closeness to a singularity: the smallest singular value of the rows [u, (R b - R c) x u / l], with u the rod
    directions, c the mean of the platform joints and l their root mean square distance from it (without unit, the same
    for any choice of frames; Gosselin and Angeles 1990, with the length of Angeles 2014). It carries the sign of the
    determinant relative to home: negative is the far side of a singularity. Where home itself is singular there is no
    far side, and it is not negative anywhere.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.

    Returns
    -------
    Margins
        `values` (..., k) in SI; NaN where a leg cannot close, whose "reach" is then negative, and for poses of NaN.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    if type(machine) is not Machine:
        machine = fitted("machine", machine, "Machine", margins)
    matrices = as_matrices(X)
    table = TABLES.get(machine) or limit_table(machine)
    values, bad = margins_at(table.arrays, matrices.reshape(-1, 4, 4))
    if bad >= 0:
        raise not_a_pose(matrices, bad)
    return Margins(values.reshape(*matrices.shape[:-2], len(table.columns)), table.columns, machine)


@by_machine
def is_allowed(machine: Machine, X: PoseLike) -> NDArray[np.bool_]:
    """Test whether poses keep every limit: `margins(machine, X).is_allowed`, several times faster.

    Quantities with the signs of the margins are evaluated (cosines of angles, the determinant), up to the first limit
    that a pose violates. For few poses the margins are computed: most programs have loaded that kernel.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.

    Returns
    -------
    (...) array of bool
        False for poses that are NaN.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    if type(machine) is not Machine:
        machine = fitted("machine", machine, "Machine", is_allowed)
    matrices = checked_matrices(X)
    return _are_at_least(machine, matrices, -limit_table(machine).arrays.tolerance)


@by_machine
def is_inside(machine: Machine, matrices: Array) -> NDArray[np.bool_]:
    """Test whether poses (..., 4, 4) are inside every limit or on it: for ends of searches.

    Margins are at least zero there, so that the poses stay allowed wherever rounding takes them; the reach of a leg,
    beyond which it has no joint coordinate, exceeds zero by the tolerance.
    """
    arrays = limit_table(machine).arrays
    return _are_at_least(machine, matrices, np.where(arrays.places < SHORTEST, arrays.tolerance, 0.0))


def _are_at_least(machine: Machine, matrices: Array, least: Array) -> NDArray[np.bool_]:
    """Whether the margins of poses (..., 4, 4) are at least `least` (k,), of the size of the tolerance."""
    flat = matrices.reshape(-1, 4, 4)
    if len(flat) < DECIDED_FROM:
        return np.asarray((margin_values(machine, flat) >= least).all(axis=-1)).reshape(matrices.shape[:-2])
    return _decided(machine, flat, least).reshape(matrices.shape[:-2])


def allowed_among_many(machine: Machine, matrices: Array) -> NDArray[np.bool_]:
    """`is_allowed` of checked poses (n, 4, 4) that are one part of many: always by the kernel that only decides."""
    return _decided(machine, matrices, -limit_table(machine).arrays.tolerance)


def _decided(machine: Machine, matrices: Array, least: Array) -> NDArray[np.bool_]:
    limits, allowed = limit_table(machine).arrays, np.empty(len(matrices), dtype=np.bool_)
    by_sign = limits._replace(sign_only=True)
    run_batch(lambda s: allowed_batch(limits, by_sign, least, matrices[s], allowed[s]), len(matrices))
    return allowed
