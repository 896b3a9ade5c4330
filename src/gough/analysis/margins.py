"""Margins: how far a pose is from every limit of the machine, and which one it breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough._compile import PARALLEL_FROM, run_batch
from gough.analysis._margins import margins_batch
from gough.analysis.limits import Column, limit_table
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Margins:
    """Signed distances to the k limits of a machine: zero on the limit, negative beyond it.

    Attributes
    ----------
    values : (..., k) array
        In SI [m, rad, or without unit], see `units`; NaN where a leg cannot close (its "reach" is then negative and
        says by how much), and for poses that are NaN.
    columns : tuple of Column
        What each column is.
    machine : Machine

    """

    values: Array
    columns: tuple[Column, ...]
    machine: Machine

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
    def relative(self) -> Array:
        """Margins as parts of each limit's scale (half a stroke, the half-angle of a cone, ...): comparable numbers."""
        return np.asarray(self.values / np.array([column.scale for column in self.columns]))

    @property
    def binding_index(self) -> NDArray[np.intp]:
        """Column with the smallest relative margin (...)."""
        return np.argmin(np.where(np.isnan(self.values), np.inf, self.relative), axis=-1)

    @property
    def worst(self) -> Array:
        """Margin of the binding limit (...), in its own unit; NaN for a pose that is NaN."""
        return np.take_along_axis(self.values, self.binding_index[..., None], axis=-1)[..., 0]

    @property
    def binding(self) -> str | NDArray[np.str_]:
        """Name of the limit with the smallest relative margin; an array of names for a batch."""
        names = np.array(self.names)[self.binding_index]
        return str(names) if self.values.ndim == 1 else names

    @property
    def is_allowed(self) -> NDArray[np.bool_]:
        """Whether every limit is kept (...)."""
        return np.asarray((self.values >= 0).all(axis=-1))

    def sentence(self) -> str:
        """The binding limit of one pose in words, in the units of the machine's file."""
        self._one_pose()
        return self._sentence(int(self.binding_index))

    def sentences(self) -> list[str]:
        """One sentence for every limit that one pose breaks; the worst first."""
        self._one_pose()
        order = np.argsort(self.relative)
        return [self._sentence(int(c)) for c in order if not self.values[c] >= 0 and not np.isnan(self.values[c])]

    def _one_pose(self) -> None:
        if self.values.ndim != 1:
            raise InputError(
                f"sentences are for one pose, these are margins of {self.values.shape[:-1]} poses; take one"
            )

    def _sentence(self, c: int) -> str:
        column, margin = self.columns[c], float(self.values[c])
        if np.isnan(margin):
            return "the pose is not a number"
        return limit_sentence(self.machine, column, margin)


def limit_sentence(machine: Machine, column: Column, margin: float) -> str:
    """What a limit says of a pose with this margin, e.g. "leg 4 needs 412 mm, allowed 310 to 400 mm"."""
    scale, unit = {
        "m": (machine.units.metres, f" {machine.units.length}"),
        "rad": (machine.units.radians, f" {machine.units.angle}"),
        "1": (1.0, ""),
    }[column.unit]
    value = (column.bound + margin if column.is_lower else column.bound - margin) / scale
    if column.quantity == "reach":
        if margin < 0:
            return f"leg {column.legs[0]} cannot close: its platform joint is {-value:.6g}{unit} out of reach"
        return f"leg {column.legs[0]} closes; its platform joint may move another {value:.6g}{unit}"
    if column.quantity == "":
        i = column.legs[0] - 1
        low, high = machine.limits.joint_min[i] / scale, machine.limits.joint_max[i] / scale
        span = (
            f"{low:.6g} to {high:.6g}"
            if np.isfinite([low, high]).all()
            else f"{'above' if column.is_lower else 'up to'} {column.bound / scale:.6g}"
        )
        return f"leg {column.legs[0]} needs {value:.6g}{unit}, allowed {span}{unit}"
    who = (
        ""
        if not column.legs or column.quantity.startswith("tool")
        else f"leg{'s' if len(column.legs) > 1 else ''} {'-'.join(map(str, column.legs))} "
    )
    side = "at least" if column.is_lower else "at most"
    return f"{who}{column.quantity} {value:.6g}{unit}, allowed {side} {column.bound / scale:.6g}{unit}"


def margins(machine: Machine, X: PoseLike) -> Margins:
    """Signed distance of poses to every limit the machine has.

    Joint travel; reach, where a leg of constant length can fail to close; cones of base and platform joints; clearance
    of legs (segments with radius); angle between legs and plates; box, radius, tilt and rotation of the tool; and
    closeness to a singularity: the smallest singular value of the rows [u, (R b - R c) x u / l], with u the rod
    directions, c the mean of the platform joints and l their root mean square distance from it (without unit, the
    same for any choice of frames). It carries the sign of the determinant relative to home: negative is the far side
    of a singularity.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)

    Returns
    -------
    Margins

    """
    matrices = checked_matrices(X)
    flat = matrices.reshape(-1, 4, 4)
    table = limit_table(machine)
    values = np.empty((len(flat), len(table.columns)))
    code, legs = machine.legs.code, machine.table
    if len(flat) < PARALLEL_FROM:
        margins_batch(code, legs, flat, table.arrays, values)
    else:
        run_batch(lambda s: margins_batch(code, legs, flat[s], table.arrays, values[s]), len(flat))
    return Margins(values.reshape(*matrices.shape[:-2], len(table.columns)), table.columns, machine)
