"""Limits of actuator forces and of stiffnesses over regions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point
from gough.errors import InputError
from gough.limits.table import Column
from gough.limits.velocity_envelope import inverse_jacobian_at
from gough.machine import Machine
from gough.regions._placing import WIDER
from gough.regions.cells import Cells
from gough.regions.leg_models import LegModels
from gough.regions.quadratic import minimum_over_branches
from gough.regions.requested import RequestedLimit, VectorSet
from gough.regions.shapes import PoseRegion
from gough.regions.taylor import Model
from gough.statics.capacity import actuator_forces
from gough.statics.forces import leg_forces
from gough.statics.stiffness import leg_stiffness, principal_stiffness, stiffness
from gough.statics.weight_models import weights

CORNERS = np.array(list(product((-1.0, 1.0), repeat=6)))


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class ForceLimit(RequestedLimit):
    """Actuator forces that balance given wrenches stay below their limits, in both directions, at every pose.

    Forces are f = C F + h, with C = -J_Vq^T about the point and h those that balance the weights: the largest |f_i|
    over all wrenches is |C_i wrench + h_i| + force |C_i's first three| + moment |C_i's last three|.

    Attributes
    ----------
    force, moment : float
        Amounts in any direction [N] and about any axis [N m], both at a time, on the platform at the point.
    wrench : (6,) or (k, 6) array, optional
        One wrench [f, m] at the point in base axes, or several, to each of which those are added [N, N m].
    gravity : bool or (3,) array
        Whether the weights of all bodies with known masses act too, as in `gough.leg_forces`.
    actuator_force : float or (6,) array, optional
        Limits [N or N m]; the machine's own where not given.
    point : (3,) array, optional
        In the platform frame [m]; default the point of interest.

    """

    force: float = 0.0
    moment: float = 0.0
    wrench: ArrayLike | None = None
    gravity: bool | ArrayLike | None = False
    actuator_force: ArrayLike | None = None
    point: ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.gravity is False:
            _ = self._wrenches
        given_point(self.point, np.zeros(3))

    @cached_property
    def _wrenches(self) -> VectorSet:
        if self.gravity is not False and self.wrench is None and not (self.force or self.moment):
            return VectorSet(np.zeros((1, 6)), 0.0, 0.0)
        return VectorSet.of("wrench", self.wrench, force=self.force, moment=self.moment)

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        leg_forces(machine, machine.X_home, gravity=self.gravity)  # raises for masses that are unknown or not placed
        unit = "N" if machine.legs.joint == "length" else "N m"
        return tuple(
            Column(f"leg {i} force", (i,), unit, float(limit), float(limit), False, "actuator force")
            for i, limit in enumerate(actuator_forces(machine, self.actuator_force), 1)
        )

    def margins(self, machine: Machine, X: Array) -> Array:
        """See `RequestedLimit.margins`: by `gough.leg_forces`."""
        rows = np.swapaxes(inverse_jacobian_at(machine, X, self.point), -1, -2)
        held = leg_forces(machine, X, gravity=self.gravity)
        return actuator_forces(machine, self.actuator_force) - self._wrenches.most(-rows, held)

    def bounds(self, machine: Machine, models: LegModels, region: PoseRegion, cells: Cells) -> tuple[Array, ...]:
        """See `RequestedLimit.bounds`."""
        wrenches, point = self._wrenches, given_point(self.point, machine.point_of_interest)
        # T has twists per rate along the rods: -T F are forces along the rods that balance F, and times the
        # transmission u . p' + L' they are the forces of the drives.
        T = models.twists(point)
        pushes, along = models.along(T, -wrenches.each), None
        if self.gravity is not False:
            own, along = weights(machine, models, point, machine.free_fall(self.gravity))
            pushes = pushes - T.dot(own[:, None])[:, :, None]
        held = pushes * models.transmission[:, :, None]
        if along is not None:
            held = held - along[:, :, None]
        # Both signs of a force are branches; without given wrenches and weights it is zero, and amounts alone count.
        if wrenches.each.any() or along is not None:
            held = Model.joined([held, -held], axis=2)
        lengths = (
            T.chosen(part).longest * most for part, most in ((slice(3), wrenches.first), (slice(3, 6), wrenches.last))
        )
        amounts = sum(lengths, Model.constant(np.zeros(T.value.shape[:2]), T.half))
        most = actuator_forces(machine, self.actuator_force)
        return minimum_over_branches(
            region, cells, -(held + (amounts * models.transmitted)[:, :, None]) + most[:, None]
        )


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class StiffnessLimit(RequestedLimit):
    """The smallest principal stiffnesses (`gough.statics.principal_stiffness`) stay above bounds at every pose.

    Of translation with rotation held, the least eigenvalue of sum k u u^T; of rotation with translation free, the
    inverse of the largest eigenvalue of sum t t^T / k, t the rotation per displacement along a rod with the others
    held. The least eigenvalue is concave in the matrix, the largest convex: over a box in which the matrix is linear
    the extreme value is at a corner.

    Attributes
    ----------
    translation, rotation : float
        Least stiffnesses [N/m], [N m/rad]; 0 is no limit.

    """

    translation: float = 0.0
    rotation: float = 0.0

    def __post_init__(self) -> None:
        for name, bound in (("translation", self.translation), ("rotation", self.rotation)):
            if not 0 <= bound < np.inf:
                raise InputError(f"{name} {bound:g}: expected a finite stiffness of zero or more")
        if not self._bounds:
            raise InputError("give translation [N/m] or rotation [N m/rad] above zero: otherwise there is no limit")

    @property
    def _bounds(self) -> dict[str, float]:
        given = {"translation": self.translation, "rotation": self.rotation}
        return {name: bound for name, bound in given.items() if bound > 0}

    def columns(self, machine: Machine) -> tuple[Column, ...]:
        """See `RequestedLimit.columns`."""
        leg_stiffness(machine, np.ones(6))  # raises for a machine without leg stiffness
        kinds = {"translation": ("N/m", "translational stiffness"), "rotation": ("N m/rad", "rotational stiffness")}
        return tuple(
            Column(f"{name} stiffness", (), kinds[name][0], bound, bound, True, kinds[name][1])
            for name, bound in self._bounds.items()
        )

    def margins(self, machine: Machine, X: Array) -> Array:
        """See `RequestedLimit.margins`: by `gough.stiffness`."""
        found = principal_stiffness(stiffness(machine, X))
        return np.stack([getattr(found, name)[..., 0] - bound for name, bound in self._bounds.items()], axis=-1)

    def bounds(self, machine: Machine, models: LegModels, region: PoseRegion, cells: Cells) -> tuple[Array, ...]:
        """See `RequestedLimit.bounds`."""
        k, found = _leg_stiffness(machine, models), []
        for name, bound in self._bounds.items():
            if name == "translation":
                found.append(_least(_weighted(models.in_base.u, k), cells, bound))
                continue
            # The rotational compliance: its largest eigenvalue is minus the least one of its negative.
            t = models.twists(machine.platform_centre).chosen(slice(3, 6))
            least, gradient = _least(-_weighted(t, k.reciprocal), cells, -1 / bound)
            # Chain rule: d(-1 / x) = dx / x^2.
            least = np.where(least < 0, -1 / least, np.inf)
            found.append((least, gradient * np.where(np.isfinite(least), least, bound)[:, None] ** 2))
        lower = np.stack([least for least, _ in found], axis=1) - list(self._bounds.values())
        return lower, np.stack([gradient for _, gradient in found], axis=1), np.full(lower.shape, -np.inf)


def _leg_stiffness(machine: Machine, models: LegModels) -> Model:
    """Axial stiffness of the legs (n, 6); its inverse is linear in the rods' lengths where the file gives E A."""
    known, rigidity = leg_stiffness(machine, np.ones(6)), machine.actuators.axial_rigidity
    if machine.actuators.stiffness is not None or rigidity is None:
        return Model.constant(np.broadcast_to(known, models.q.value.shape), models.q.half)
    # Compliance L / (E A) plus that of the joints: at unit length `known` has both.
    return (models.length * (1 / rigidity) + (1 / known - 1 / rigidity)).reciprocal


def _weighted(vectors: Model, k: Model) -> Model:
    """Sums over the legs of k v v^T (n, 3, 3), v (n, 6, 3)."""
    return (vectors[:, :, :, None] * vectors[:, :, None] * k[:, :, None, None]).sum(1)


def _least(matrix: Model, cells: Cells, enough: float) -> tuple[Array, Array]:
    """Lower bounds (n,) of the least eigenvalues of symmetric matrices (n, 3, 3), and their gradients (n, 6).

    The nonlinear part of the matrix changes an eigenvalue by at most its norm (Weyl 1912).
    """
    S = np.moveaxis(matrix.gradient, -1, 1)
    remainder = np.linalg.norm(matrix.nonlinear_variation, axis=(1, 2))
    known = np.isfinite(matrix.value).all(axis=(1, 2)) & np.isfinite(S).all(axis=(1, 2, 3)) & np.isfinite(remainder)
    least, gradient = np.full(len(remainder), -np.inf), np.zeros((len(remainder), 6))
    if known.any():
        P, S, half = matrix.value[known], S[known], cells.half[known] * WIDER
        values, V = np.linalg.eigh(P)
        remainder = remainder[known] + 1e-13 * np.abs(values).max(axis=1)
        # First-order perturbation of the least eigenvalue; over the box it estimates what corners would find.
        gradient[known] = np.einsum("ni,njik,nk->nj", V[..., 0], S, V[..., 0])
        hopeful = values[:, 0] - remainder - np.sum(np.abs(gradient[known]) * half, axis=-1)
        least[known] = least_eigenvalues(P, S * half[..., None, None], remainder, hopeful, enough)
    return least, gradient


def least_eigenvalues(P: Array, S: Array, remainder: Array, hopeful: Array, enough: float) -> Array:
    """Lower bounds (n,) of the least eigenvalues of all symmetric P + sum x_j S_j, |x_j| <= 1, with matrices (n, m, m)
    and (n, 6, m, m), less `remainder` (n,).

    The least eigenvalue is concave in the matrix, so that its minimum is at a corner. Corners are evaluated where the
    bound by the parts' sizes is below `enough` and that by the gradient, `hopeful` (n,), is not.
    """
    least = _by_sizes(P, S) - remainder
    at = np.flatnonzero((least <= enough) & (hopeful > enough))
    moving = np.flatnonzero(S.any(axis=(0, 2, 3)))  # coordinates of zero width need no corners
    corners = CORNERS[: 2 ** len(moving), 6 - len(moving) :]
    if len(at):
        placed = np.einsum("cj,njik->ncik", corners, S[at][:, moving])
        lowest = np.linalg.eigvalsh(P[at, None] + placed)[..., 0].min(axis=1)
        least[at] = np.maximum(least[at], lowest - remainder[at])
    return np.asarray(least)


def _by_sizes(P: Array, S: Array) -> Array:
    """Least eigenvalue (n,) of P - sum |S_j|, which is below those of all P + sum x_j S_j with |x_j| <= 1."""
    values, vectors = np.linalg.eigh(S)
    size = (vectors * np.abs(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return np.asarray(np.linalg.eigvalsh(P - size.sum(axis=1))[:, 0])
