"""Workspaces known by rays from a middle, with exact ends: positions from a point, or rotations from an orientation."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.interval_search import icosphere, limits_for_search
from gough.present.answer import Field, csv_columns
from gough.present.results import headline
from gough.present.show import Show
from gough.quantity import derived, quantity, result, transform
from gough.stacked import AnyMachine
from gough.workspaces.body import Body
from gough.workspaces.extent import Extent
from gough.workspaces.limit_mesh import mesh_of_rays
from gough.workspaces.mesh import RANGE, Mesh, solid_angles
from gough.workspaces.quadrature import BLOCKS, STEP, Uncertain, shares_of, slopes_of
from gough.workspaces.ray_extent import RaysFromMiddle

if TYPE_CHECKING:
    pass
from numpy.typing import ArrayLike

from gough.checks.numbers import of_shape
from gough.limits.interval_search import find_intervals, limit_names, poses_at, twists_along
from gough.poses import PoseLike, checked_matrices, one_pose
from gough.workspaces.ray_extent import longest

CELLS, FEWEST = 1.25, 8
"""Cells of the mesh across the workspace: about as many as rays of a sphere of level 0, and at least so many."""
GRAZING = 1e-2
"""Smallest cosine between a ray and the boundary's normal that counts, so that no grazing ray dominates."""


@result
class RayWorkspace(Body):
    """Allowed intervals along rays from a middle in all directions.

    Attributes
    ----------
    machine : Machine
    ignore : tuple of str
        Limits that did not count.

    """

    BATCH: ClassVar[str] = "middle"
    NOTHING: ClassVar[str] = "the pose in the middle is not allowed (gough margins says why)"

    middle: Array = transform(has_platforms=True, is_listed=False, doc="Poses from which the rays start.")
    centre: Array = quantity("m", "axis", frame="base", is_listed=False, doc="Position of the point of interest there.")
    directions: Array = quantity(
        "1", "ray", "axis", frame="base",
        doc="Unit vectors in base axes, of an icosphere of `level` subdivisions (`gough.limits.interval_search`).",
    )  # fmt: skip
    ends: Array = quantity(
        attrgetter("unit"), "ray", "interval", "end",
        doc="Where each of the up to k intervals of a ray begins and ends, along it or about it; NaN beyond `count`.",
    )  # fmt: skip
    binding: Ints = quantity(
        "1", "ray", "interval", "end", is_listed=False,
        doc="Index in `names` of the limit that binds at that end; -1 at the middle and where the ray ended first.",
    )  # fmt: skip
    count: Ints = quantity("1", "ray", doc="Number of intervals of each ray.")
    names: tuple[str, ...] = quantity("", "limit", is_listed=False, doc="Names of the limits.")
    is_rotation: bool = quantity(
        "", is_listed=False,
        doc="Whether the rays are rotation vectors s w: the orientation is exp(s w) of the middle's, s up to pi, so "
        "that the rays meet every orientation once.",
    )  # fmt: skip
    level: int = quantity("1", is_listed=False, doc="How often the triangles of the sphere are cut.")
    machine: AnyMachine
    ignore: tuple[str, ...]

    @property
    def unit(self) -> str:
        """SI unit along the rays."""
        return "rad" if self.is_rotation else "m"

    def rows(self) -> list[Field]:
        """Return the intervals as fields, with a row for each; an interval begins at the middle or at a limit."""
        (n,), ends, limits = self.intervals
        return [
            Field("", self.directions[n], "", ("x", "y", "z"), "d{}", is_json=False),
            *csv_columns(self.unit, **{"from": ends[:, 0]}, to=ends[:, 1]),
            *csv_columns(from_limit=np.where(ends[:, 0] == 0.0, "middle", limits[:, 0]), to_limit=limits[:, 1]),
        ]

    @property
    @derived("", is_listed=False)
    def is_empty(self) -> bool:
        """Whether no middle is allowed: the star-shaped part is then empty, even if rays are allowed farther out."""
        return not self.radius.any()

    def facts(self) -> dict[str, str]:
        """Return the volume; for rotations the share of all orientations; the number of rays with a second allowed
        interval."""
        found = super().facts()
        if self.is_rotation:
            share = Show(self.machine).uncertain(float(self.share), float(self.share_error), "%")
            found["share"] = f"{share} of all orientations"
        if self.has_more.any():
            several = f"{int(self.has_more.sum())} of {len(self.directions)}"
            found["rays"] = f"{several} are allowed again farther out: the table is about the near part"
        return found

    def sentence(self) -> str:
        """Describe the workspace, or why it is empty; for several middles, the smallest and the largest volume."""
        return headline(self) if self._leading else super().sentence()

    @property
    def _leading(self) -> tuple[int, ...]:
        """Leading shape of the middles."""
        return self.count.shape[:-1]

    @property
    def from_middle(self) -> RaysFromMiddle:
        """Rays from the middle, for searches between those known."""
        return self._rays()

    def _rays(self, index: tuple[int, ...] | int = ()) -> RaysFromMiddle:
        """Rays from one of the middles."""
        if self.radius[index].ndim != 1:
            raise InputError(f"expected a single middle, got {self._leading}: pass the index")
        if not self.radius[index].any():
            raise InputError(f"{self.NOTHING}: the boundary is empty")
        arrays = limits_for_search(self.machine, self.ignore)
        return RaysFromMiddle(self.machine, arrays, self.middle[index], self.centre[index], self.is_rotation)

    @cached_property
    def extent(self) -> Extent:
        """Extent of the star-shaped part along the axes: positions of the point of interest, or components of rotation
        vectors, with a relative accuracy of about 1e-5."""
        return self.from_middle.extent(self.radius[:, None] * self.directions)

    @cached_property
    def boundary_share(self) -> dict[str, Uncertain]:
        """Part of the boundary of the star-shaped part on which each limit binds, the largest first.

        A ray of length r, direction d and solid angle dW represents the area r^2 dW / |n . d| of a boundary with normal
        n. The error is that of as many random rays, from random blocks: an overestimate for evenly spread rays.
        """
        m, rays, area = self.machine, self.from_middle, np.zeros(len(self.radius))
        seen = np.flatnonzero(self.radius > 0)
        r, d = self.radius[seen], self.directions[seen]
        h = STEP * (1.0 if self.is_rotation else m.size)
        # Normals by differences at six poses about each end.
        near = (r[:, None] * d)[:, None] + h * np.concatenate([np.eye(3), -np.eye(3)])
        n = slopes_of(m, rays.poses(near.reshape(-1, 3)), self.radius_binding[seen], d)
        area[seen] = _weights(self.level)[seen] * r**2 / np.maximum(np.abs((n * d).sum(axis=1)), GRAZING)
        areas = np.zeros((BLOCKS, len(self.names) + 1))
        np.add.at(areas, (np.random.default_rng(0).permutation(len(area)) % BLOCKS, self.radius_binding + 1), area)
        return shares_of(areas, (RANGE, *self.names))

    @property
    @derived(attrgetter("unit"), "ray", is_listed=False)
    def radius(self) -> Array:
        """Length of each ray's first interval from the middle (..., n) [m or rad], the star-shaped part's radius; 0
        where the middle itself is not allowed."""
        starts = self.ends[..., 0, 0] == 0.0
        return np.where(starts, self.ends[..., 0, 1], 0.0)

    @property
    @derived("1", "ray", is_listed=False)
    def radius_binding(self) -> Ints:
        """Column that binds at the end of the star-shaped part (..., n); -1 where the ray ends first."""
        return np.where(self.ends[..., 0, 0] == 0.0, self.binding[..., 0, 1], -1)

    @property
    @derived("", "ray", is_listed=False)
    def has_more(self) -> NDArray[np.bool_]:
        """Whether rays are allowed again farther out (..., n): `ends` has those intervals, the surface does not."""
        return np.asarray(self.count > (self.ends[..., 0, 0] == 0.0))

    @property
    @derived(lambda of: f"{of.unit}3", is_headline=True)
    def volume(self) -> float | Array:
        """Volume of the intervals of all rays (...) [m3 or rad3]."""
        return _number(4.0 * np.pi * self._mean(self._cones))

    @property
    @derived(lambda of: f"{of.unit}3")
    def volume_error(self) -> float | Array:
        """Its estimated error (...), see `_error`."""
        return _number(4.0 * np.pi * self._error(self._cones))

    @property
    def _cones(self) -> Array:
        """Volume of the intervals of each ray, per solid angle (..., n)."""
        inner, outer = np.moveaxis(np.nan_to_num(self.ends), -1, 0)
        return np.asarray(((outer**3 - inner**3) / 3.0).sum(axis=-1))

    @property
    def share(self) -> float | Array:
        """Share of all orientations that is allowed (...), by the invariant (Haar) measure of rotations."""
        return _number(self._mean(self._measures))

    @property
    def share_error(self) -> float | Array:
        """Its estimated error (...), see `_error`."""
        return _number(self._error(self._measures))

    @property
    def _measures(self) -> Array:
        """Share of the rotations about each ray's axis that is allowed (..., n)."""
        if not self.is_rotation:
            raise InputError("expected rays of rotations, got positions")
        inner, outer = np.moveaxis(np.nan_to_num(self.ends), -1, 0)
        # The invariant measure at angle s is proportional to (1 - cos s) ds dW; its integral over s is s - sin s.
        return np.asarray((outer - np.sin(outer) - inner + np.sin(inner)).sum(axis=-1) / np.pi)

    def _mean(self, values: Array, level: int | None = None) -> Array:
        """Mean over the sphere of values at the directions (..., n)."""
        weights = _weights(self.level if level is None else level) / (4.0 * np.pi)
        return np.asarray(values[..., : len(weights)] @ weights)

    def _error(self, values: Array) -> Array:
        """Estimated error of the mean (...): its change from the next coarser sphere, or a quarter of the change before
        that if it is larger, as one change may be small by chance."""
        means = [self._mean(values, level) for level in range(max(0, self.level - 2), self.level + 1)]
        if len(means) == 1:
            return means[0]
        changes = np.abs(np.diff(means, axis=0))
        return np.asarray(changes[-1] if len(means) == 2 else np.maximum(changes[1], changes[0] / 4.0))

    @checks_arguments
    def mesh(self, index: tuple[int, ...] | int = (), progress: Progress = None) -> Mesh:
        """Return the boundary of the part around the middle as a closed mesh, sharp where limits meet: of positions of
        the point of interest, or of rotation vectors. `index` chooses one of several middles.

        What is connected with the star-shaped part belongs to it, also where no ray from the middle reaches; of
        rotations within half a turn.
        """
        rays = self._rays(index)
        cells = max(FEWEST, round(CELLS * 2**self.level))
        ends = self.radius[index][:, None] * self.directions
        mesh = mesh_of_rays(ends, rays.reach, rays.levels, self.names, cells, progress)
        return mesh if self.is_rotation else replace(mesh, vertices=mesh.vertices + self.centre[index])


def _weights(level: int) -> Array:
    """Solid angle (n,) of each direction of a sphere: a third of that of each of its triangles."""
    directions, faces = icosphere(level)
    angles = np.repeat(solid_angles(directions[faces]) / 3.0, 3)
    return np.asarray(np.bincount(faces.ravel(), angles, len(directions)), dtype=np.float64)


def _number(values: Array) -> float | Array:
    return float(values) if np.ndim(values) == 0 else values


FINEST = 7
"""Level of the finest sphere: 163,842 rays."""


@checks_arguments
def workspace_rays(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    centre: ArrayLike | None = None,
    level: int = 4,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> RayWorkspace:
    """Compute the reach of the point of interest along rays from a centre, at one orientation or at several.

    The end of a ray is the largest distance up to which every limit is kept (by definition, as in `gough.travel`).

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, (..., 4, 4), optional
        Poses that set the orientations; default: home.
    centre : (3,) array, optional
        Position of the point of interest from which the rays go [m]; default: its position at home.
    level : int
        Fineness: there are 10 * 4^level + 2 rays.
    ignore : tuple of str
        Names of limits to leave out.
    progress : callable, optional
        Called with the number of rays done and of all.

    Returns
    -------
    RayWorkspace
        With all intervals of every ray, to rounding; its `mesh()` is the boundary of the part around the centre.

    Raises
    ------
    InputError
        A level outside 0 to 7, a centre that is not finite, or a limit to ignore that the machine does not have.

    """
    X = machine.end_home if orientation is None else checked_matrices(orientation)
    place = _position(machine, centre, "centre")
    R = np.ascontiguousarray(X[..., :3, :3])
    middle = poses_at(machine, R, np.broadcast_to(place, (*R.shape[:-2], 3)))
    lengths = np.array([longest(machine, one, place) for one in R.reshape(-1, 3, 3)])
    return _ray_workspace(machine, middle, place, level, lengths, ignore, progress, is_rotation=False)


@checks_arguments
def orientation_workspace(
    machine: AnyMachine,
    position: ArrayLike | None = None,
    *,
    reference: PoseLike | None = None,
    level: int = 4,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> RayWorkspace:
    """Compute how far the platform can rotate about the point of interest at a fixed position (Bonev and Ryu 2001).

    An orientation is written as exp(s w) R_reference, a turn by the angle s about the axis w in base axes: its rotation
    vector s w. Rays with s from 0 to pi along all axes meet every orientation once.

    Parameters
    ----------
    machine : Machine
    position : (..., 3) array, optional
        Position of the point of interest [m]; default: its position at home.
    reference : PoseLike, optional
        Pose that sets the middle orientation; default: home.
    level : int
        Fineness: there are 10 * 4^level + 2 rays.
    ignore : tuple of str
        Names of limits to leave out.
    progress : callable, optional
        Called with the number of rays done and of all.

    Returns
    -------
    RayWorkspace
        In rotation vectors [rad], with the part of all orientations that is allowed (`share`). Ends are exact to
        rounding.

    Raises
    ------
    InputError
        A level outside 0 to 7, a position that is not finite, or a limit to ignore that the machine does not have.

    """
    X = one_pose(reference, machine.end_home, "reference")
    place = _position(machine, position, "position", many=True)
    R = np.broadcast_to(X[:3, :3], (*place.shape[:-1], 3, 3))
    middle = poses_at(machine, R, place)
    lengths = np.full(R[..., 0, 0].size, np.pi)
    return _ray_workspace(machine, middle, place, level, lengths, ignore, progress, is_rotation=True)


def _position(machine: AnyMachine, given: ArrayLike | None, name: str, *, many: bool = False) -> Array:
    place = machine.home_point if given is None else of_shape(name, given, "(..., 3)" if many else "(3,)")
    if not np.isfinite(place).all():
        raise InputError(f"{name} {place.tolist()}: expected finite numbers [m]")
    return place


def _ray_workspace(
    machine: AnyMachine,
    middle: Array,
    centre: Array,
    level: int,
    lengths: Array,
    ignore: tuple[str, ...],
    progress: Progress,
    *,
    is_rotation: bool,
) -> RayWorkspace:
    """Rays of lengths (n,) from all n middles (..., 4, 4)."""
    if not 0 <= level <= FINEST:
        raise InputError(f"level {level}: expected 0 to {FINEST}; each level has four times as many rays")
    rays = icosphere(level).directions
    pose = (*machine.stage_shape, 4, 4)
    leading = middle.shape[: -len(pose)]
    twists = np.tile(twists_along(rays, is_rotation=is_rotation), (len(lengths), 1))
    starts = np.repeat(middle.reshape(-1, *pose), len(rays), axis=0)
    arrays = limits_for_search(machine, ignore)
    found = find_intervals(machine, arrays, starts, twists, np.repeat(lengths, len(rays)), progress)
    shape = (*leading, len(rays))
    return RayWorkspace(
        middle=middle,
        centre=np.broadcast_to(centre, (*leading, 3)).copy(),
        directions=rays,
        ends=found.ends.reshape(*shape, *found.ends.shape[1:]),
        binding=found.binding.reshape(*shape, *found.binding.shape[1:]),
        count=found.count.reshape(shape),
        names=limit_names(machine, ignore),
        is_rotation=is_rotation,
        level=level,
        machine=machine,
        ignore=ignore,
    )
