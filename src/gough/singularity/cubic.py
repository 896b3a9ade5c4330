"""The singular surface of a strut machine at fixed orientation: a cubic in the platform's position.

With the rows [d_i, R b_i x d_i], d_i = t + R b_i - a_i, the determinant is a polynomial of degree three in t (Mayer
St-Onge and Gosselin 2000): its twenty coefficients determine all singular positions of an orientation.
"""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, one_pose
from gough.quantity import derived, quantity, result
from gough.results import Result

EXPONENTS = np.array([e for e in product(range(4), repeat=3) if sum(e) <= 3])
"""Exponents of x, y, z of the twenty monomials, (20, 3)."""
TOGETHER = 1e-4
"""Three roots within this, in machine sizes, may be one threefold root, which rounding splits by about 1e-16^(1/3)."""
AT_INFINITY = 1e-15
"""Highest coefficients below this part of the largest are rounding: the cubic has a lower degree along the line."""


@result
class SingularityCubic(Result):
    """det [d_i, R b_i x d_i] as a polynomial in the position of the platform's origin, at one orientation."""

    coefficients: Array = quantity(
        "1", "term",
        label="det [d, R b x d] / length^9, in powers of (position of the platform's origin - centre) / length",
        doc="Coefficients of the monomials of `exponents` in (t - centre) / length, for the determinant over length^9.",
    )  # fmt: skip
    centre: Array = quantity("m", "axis", frame="base", doc="Origin of the monomials.")
    length: float = quantity("m", doc="The machine's size.")
    R: Array = quantity("1", "axis", "other_axis", frame="base", is_listed=False, doc="The orientation.")

    @property
    @derived("1", "term", "axis", frame="base")
    def exponents(self) -> Ints:
        """Exponents of x, y, z in each monomial."""
        return EXPONENTS

    def sentence(self) -> str:
        """Classify the surface in words."""
        return "a cubic in the position, of twenty coefficients"

    def __call__(self, positions: ArrayLike) -> Array:
        """Determinant over length^9 at positions (..., 3) [m]."""
        x = (numbers("positions", positions) - self.centre) / self.length
        return np.asarray(monomials(x) @ self.coefficients)

    @checks_arguments
    def gradient(self, positions: ArrayLike) -> Array:
        """Compute the gradient (..., 3) [1/m]."""
        x = (numbers("positions", positions) - self.centre) / self.length
        # d/dx x^a y^b z^c = a x^(a-1) y^b z^c; where a = 0 the coefficient vanishes, whatever the power.
        parts = []
        for axis in range(3):
            lowered = EXPONENTS.copy()
            lowered[:, axis] = np.maximum(lowered[:, axis] - 1, 0)
            parts.append(monomials(x, lowered) @ (self.coefficients * EXPONENTS[:, axis]))
        return np.stack(parts, axis=-1) / self.length

    @checks_arguments
    def along(self, start: ArrayLike, direction: ArrayLike) -> Array:
        """Compute the intersections of a straight line with the surface: real s of start + s direction, ascending, at
        most three [m].

        The direction is scaled to length one; a line inside the surface gives none.
        """
        origin, d = line(start, direction)
        along = np.polynomial.Chebyshev.interpolate(
            lambda s: self(origin + s[..., None] * d), 3, [-self.length, self.length]
        )
        size = np.abs(along.coef).max()
        if size <= 1e-15 * np.abs(self.coefficients).max():
            return np.empty(0)
        roots = np.asarray(along.trim(AT_INFINITY * size).roots(), dtype=complex) / self.length
        if len(roots) == 3 and np.abs(roots - roots.mean()).max() < TOGETHER * (1 + np.abs(roots.mean())):
            return np.array([roots.mean().real * self.length])  # the mean of a split threefold root is accurate
        real = np.sort(roots[np.abs(roots.imag) < 1e-9 * (1 + np.abs(roots))].real)
        return np.asarray(real * self.length)

    def bounds(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, Array]:
        """Bound the determinant over boxes (..., 3) [m] by the least and greatest Bernstein coefficient of each.

        They enclose the cubic's range (Farouki 2012), so a positive lower bound proves a box free of singularities.
        """
        a = (numbers("low", low) - self.centre) / self.length
        b = (numbers("high", high) - self.centre) / self.length
        tensor = np.zeros((4, 4, 4))
        tensor[tuple(EXPONENTS.T)] = self.coefficients
        x, y, z = (_to_bernstein(a[..., axis], b[..., axis]) for axis in range(3))
        # One change of basis per axis: monomials to Bernstein polynomials on the box.
        found = np.einsum("...ax,xyz->...ayz", x, tensor)
        found = np.einsum("...cz,...abz->...abc", z, np.einsum("...by,...ayz->...abz", y, found))
        # Bound of the rounding errors of the sums, and of coefficients with the absolute error of the largest one.
        reach = np.maximum(np.abs(a), np.abs(b))
        size = monomials(reach).sum(axis=-1) * np.abs(self.coefficients).max()
        rounding = 256 * np.finfo(float).eps * size
        return found.min(axis=(-3, -2, -1)) - rounding, found.max(axis=(-3, -2, -1)) + rounding

    def excludes(self, centres: Array, half: Array) -> NDArray[np.bool_]:
        """Return whether boxes about centres (n, 3) with half-sides (3,) [m] are proven regular (n,)."""
        low, high = self.bounds(centres - half, centres + half)
        return np.asarray((low > 0) | (high < 0))


def monomials(x: Array, exponents: NDArray[np.int64] = EXPONENTS) -> Array:
    """Return monomials (..., 20) of x (..., 3), one for each row of `exponents`."""
    powers = np.stack([np.ones_like(x), x, x * x, x * x * x], axis=-1)
    first, second, third = exponents.T
    return np.asarray(powers[..., 0, first] * powers[..., 1, second] * powers[..., 2, third])


def _to_bernstein(a: Array, b: Array) -> Array:
    """Matrices (..., 4, 4) from monomial coefficients in x to Bernstein coefficients of degree 3 on [a, b]."""
    shift = np.zeros((*np.shape(a), 4, 4))
    # x = a + (b - a) u expands to powers of u in 0 to 1, u^j = sum over i of C(i, j) / C(3, j) times Bernstein i.
    for k in range(4):
        for j in range(k + 1):
            shift[..., j, k] = comb(k, j) * a ** (k - j) * (b - a) ** j
    basis = np.array([[comb(i, j) / comb(3, j) if j <= i else 0.0 for j in range(4)] for i in range(4)])
    return np.asarray(basis @ shift)


def line(start: ArrayLike, direction: ArrayLike) -> tuple[Array, Array]:
    """Start and direction (3,) of a line, the direction scaled to length one."""
    origin, d = numbers("start", start), numbers("direction", direction)
    if origin.shape != (3,) or d.shape != (3,) or not np.linalg.norm(d) > 0:
        raise InputError("along: expected a start and a direction of three numbers, the direction not zero")
    return origin, d / np.linalg.norm(d)


def sphere(count: int) -> Array:
    """Return directions spread evenly (a Fibonacci spiral), (count, 3)."""
    k = np.arange(count) + 0.5
    z = 1 - 2 * k / count
    angle = np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def determinant(machine: Machine, X: PoseLike) -> Array:
    """Return the determinant of the rows [d_i, R b_i x d_i] (...) [m^9] of a strut machine, about the platform's
    origin."""
    matrices = checked_matrices(X)
    rho = machine.b_P @ np.swapaxes(matrices[..., :3, :3], -1, -2)
    d = rho + matrices[..., None, :3, 3] - machine.legs.rest()
    return np.asarray(np.linalg.det(np.concatenate([d, np.cross(rho, d)], axis=-1)))


@checks_arguments
def singularity_cubic(machine: Machine, orientation: PoseLike | None = None) -> SingularityCubic:
    """Compute the singular surface of a strut machine at one orientation.

    det [d_i, R b_i x d_i] = 0, a cubic in the position (Mayer St-Onge and Gosselin 2000).

    Parameters
    ----------
    machine : Machine
        With legs whose driven points do not move; for sliders and cranks the surface is not a cubic.
    orientation : PoseLike, optional
        Pose that sets the orientation; default: home.

    Returns
    -------
    SingularityCubic
        Its coefficients agree with determinants anywhere within a few machine sizes to 1e-12 of the largest.

    Raises
    ------
    InputError
        For legs that are not struts.

    """
    if machine.legs.rod() is not None:
        raise InputError(
            f"machine {machine.name!r}: the singular surface of {machine.leg_kind} legs is not a cubic; "
            "use gough.singularity.singular_surface"
        )
    X = one_pose(orientation, machine.X_home)
    centre, length = machine.X_home[:3, 3].copy(), machine.size
    nodes = np.polynomial.chebyshev.chebpts1(4)
    grid = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    poses = np.broadcast_to(X, (len(grid), 4, 4)).copy()
    poses[:, :3, 3] = centre + length * grid
    values = determinant(machine, poses) / length**9
    # 64 samples for 20 unknowns: the determinant is a cubic, so that the fit's residual is rounding.
    coefficients, *_ = np.linalg.lstsq(monomials(grid), values, rcond=None)
    return SingularityCubic(np.asarray(coefficients, dtype=float), centre, length, X[:3, :3])
