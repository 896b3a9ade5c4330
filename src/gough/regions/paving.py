"""Pavings: boxes of a region's coordinates that are proven to hold allowed poses only, or none."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints, ReadOnly
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.poses import PoseLike, checked_matrices
from gough.present.units import bound_in_words
from gough.quantity import derived, quantity, result
from gough.regions.cells import Cells, joined, measure_bounds
from gough.regions.shapes import ON_BOUNDARY, PoseRegion
from gough.results import Result

if TYPE_CHECKING:
    import xarray

INNER, UNKNOWN, OUTER = 1, 0, -1
"""Status of a box, proven: all its poses that are in the region are allowed; unknown; none of them is."""
Bytes = NDArray[np.int8]


@result
class Paving(ReadOnly, Result):
    """Binary tree of boxes that cover a region, each halved from a larger one, with their status. Six bytes a box.

    Attributes
    ----------
    region : PoseRegion
        The region that is covered; the first box is its bounding box.
    machine_name : str
    ignored : tuple of str
        Limits that do not count.

    """

    region: PoseRegion
    status: Bytes = quantity(
        "1", "box", label="status of the boxes",
        doc="1: every pose that box and region have in common keeps every limit, proven. -1: none does. 0: unknown, "
        "or halved.",
    )  # fmt: skip
    axis: Bytes = quantity(
        "1", "box", is_listed=False, doc="The coordinate along which a box is halved; -1 where it is not."
    )
    child: NDArray[np.int32] = quantity(
        "1", "box", is_listed=False, doc="Number of the lower half; the upper one follows it."
    )
    machine_name: str = ""
    ignored: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.status)

    def sentence(self) -> str:
        """State the bounds, and the numbers of boxes within and undecided."""
        low, high = self.bounds
        leaves = self.axis < 0
        counts = [int(np.sum(leaves & (self.status == status))) for status in (INNER, UNKNOWN)]
        ends = f"{bound_in_words(low)} to {bound_in_words(high, is_upper=True)}"
        return f"{ends} m3 rad3, proven; {counts[0]} boxes within and {counts[1]} unknown"

    def cells(self, *statuses: int) -> Cells:
        """Return the boxes that are not halved and have one of these statuses, in a fixed order."""
        return self._leaves(*statuses)[1]

    def _leaves(self, *statuses: int) -> tuple[Ints, Cells]:
        """Numbers of the boxes that are not halved and have one of these statuses, and the boxes, level by level."""
        found, is_wanted = [(_NO_NUMBERS, _NONE)], (self.axis < 0) & np.isin(self.status, statuses)
        numbers, cells = np.zeros(1, dtype=np.int64), Cells(self.region.centre[None], self.region.half[None])
        while len(numbers):
            axes, chosen = self.axis[numbers], is_wanted[numbers]
            found.append((numbers[chosen], cells.chosen(chosen)))
            is_halved = axes >= 0
            cells = halved(cells.chosen(is_halved), axes[is_halved])
            numbers = (self.child[numbers[is_halved], None] + np.arange(2)).reshape(-1)  # the order of `halved`
        return np.concatenate([each for each, _ in found]), joined([each for _, each in found])

    @cached_property
    @derived("m3 rad3", "bound", label="proven bounds of the measure")
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of the measure of all allowed poses of the region [m3 rad3], proven."""
        numbers, cells = self._leaves(INNER, UNKNOWN)
        low, high = measure_bounds(self.region, cells)
        return float(low[self.status[numbers] == INNER].sum()), float(high.sum())

    @checks_arguments
    def contains(self, X: PoseLike) -> Bytes:
        """Classify poses (..., 4, 4) by their proven status.

        Parameters
        ----------
        X : PoseLike, (..., 4, 4)

        Returns
        -------
        (...) array of int8
            1: in the region, and every limit is kept. -1: not in the region, or a limit is broken; NaN too. 0: unknown,
            the box of the pose is undecided.

        Raises
        ------
        ShapeError, PoseError
            An array of another shape; a matrix that is not a pose.

        """
        matrices = checked_matrices(X)
        flat, region = matrices.reshape(-1, 4, 4), self.region
        found = np.full(len(flat), OUTER, dtype=np.int8)
        # Several coordinates may give one orientation: the pose is in the region if any of them is.
        for z in region.coordinates(flat):
            excess = region.excess(z)
            near = excess <= ON_BOUNDARY
            status = self._status(z[near])
            # Within rounding of the boundary the pose may be outside of the region, where nothing is proven.
            status[(excess[near] > 0) & (status == INNER)] = UNKNOWN
            found[near] = np.maximum(found[near], status)
        return found.reshape(matrices.shape[:-2])

    def _status(self, z: Array) -> Bytes:
        """Status (n,) of the boxes that hold coordinates (n, 6), by descent in the tree."""
        numbers: Ints = np.zeros(len(z), dtype=np.int64)
        centre, half = (np.tile(side, (len(z), 1)) for side in (self.region.centre, self.region.half))
        rows = np.arange(len(z))
        while (rows := rows[self.axis[numbers[rows]] >= 0]).size:
            axes = self.axis[numbers[rows]]
            half[rows, axes] /= 2
            is_upper = z[rows, axes] > centre[rows, axes]  # on the common face either half's status holds
            centre[rows, axes] += np.where(is_upper, half[rows, axes], -half[rows, axes])
            numbers[rows] = self.child[numbers[rows]] + is_upper
        return self.status[numbers]

    @property
    def dataset(self) -> xarray.Dataset:
        """The paving as an `xarray.Dataset`, for netCDF files; `Paving.of` reads it."""
        import xarray

        region = self.region
        return xarray.Dataset(
            {
                "status": ("box", self.status, {"units": "1"}),
                "halved_along": ("box", self.axis, {"units": "1"}),
                "lower_half": ("box", self.child, {"units": "1"}),
                "centre": ("coordinate", region.centre, {"units": "m, then rad"}),
                "half_width": ("coordinate", region.half, {"units": "m, then rad"}),
                "about": ("axis", region.about, {"units": "m"}),
                "directions": (("row", "column"), region.directions, {"units": "1"}),
                "reference": (("row", "column"), region.reference, {"units": "1"}),
            },
            attrs={
                "machine": self.machine_name,
                "ignored": "; ".join(self.ignored),
                "chart": region.chart,
                "groups": "; ".join(" ".join(map(str, group)) for group in region.groups),
                "region": region.name,
            },
        )

    @classmethod
    def of(cls, dataset: xarray.Dataset) -> Paving:
        """Restore the paving from a data set that `dataset` made, such as `xarray.open_dataset(file)`."""
        attrs = dataset.attrs

        def values(name: str, kind: Any) -> NDArray[Any]:
            return np.asarray(dataset[name].to_numpy(), dtype=kind)

        try:
            region = PoseRegion(
                centre=values("centre", float),
                half=values("half_width", float),
                groups=tuple(tuple(map(int, group.split())) for group in attrs["groups"].split(";")),
                chart=attrs["chart"],
                about=values("about", float),
                directions=values("directions", float),
                reference=values("reference", float),
                name=attrs["region"],
            )
            tree = (values("status", np.int8), values("halved_along", np.int8), values("lower_half", np.int32))
            ignored = tuple(filter(None, attrs["ignored"].split("; ")))
            return cls(region, *tree, machine_name=attrs["machine"], ignored=ignored)
        except (KeyError, ValueError) as error:
            raise InputError(f"the data set is not a paving: {error}") from error


_NONE, _NO_NUMBERS = Cells(np.empty((0, 6)), np.empty((0, 6))), np.zeros(0, dtype=np.int64)


def halved(cells: Cells, axes: NDArray[Any]) -> Cells:
    """Return both halves of each box along an axis, the lower one first."""
    rows = np.arange(len(cells))
    half, offset = cells.half.copy(), np.zeros_like(cells.half)
    half[rows, axes] /= 2
    offset[rows, axes] = half[rows, axes]
    centre = np.stack([cells.centre - offset, cells.centre + offset], axis=1)
    return Cells(centre.reshape(-1, 6), np.repeat(half, 2, axis=0))
