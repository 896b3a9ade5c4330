"""The singular surface of a strut machine at fixed orientation: a cubic in the platform's position.

With the rows [d_i, R b_i x d_i], d_i = t + R b_i - a_i, the determinant is a polynomial of degree three in t (Mayer
St-Onge and Gosselin 2000): its twenty coefficients determine all singular positions of an orientation.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb
from operator import itemgetter

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
from gough.singularity.exact_roots import first_root

EXPONENTS = np.array([e for e in product(range(4), repeat=3) if sum(e) <= 3])
"""Exponents of x, y, z of the twenty monomials, (20, 3)."""
NEAREST = 8
"""Most directions along which the first root is computed exactly."""
ALIGNED = 1e-8
"""Components of unit vectors below this may be rounding errors: the vector without them is tried too."""
TOGETHER = 1e-4
"""Three roots within this, in machine sizes, may be one threefold root, which rounding splits by about 1e-16^(1/3)."""
DESCENTS, LONGEST = 30, 0.5
"""Most steps of Newton's method, and the longest as a part of the first guess's distance."""
FAR = 1e12
"""Roots farther away, in machine sizes, are at infinity: the cubic has a lower degree along the line."""
TINY = 1e-300
CUBIC = 3
"""Degree along a line."""
AT_INFINITY = 1e-15
"""Reciprocals of roots below this are rounding: the degree is lower."""
_distance = itemgetter(0)
"""Distance of a pair (distance, direction)."""


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
    a_B: Array = quantity("m", "leg", "axis", frame="base", is_listed=False, doc="Base joint points.")
    rho_B: Array = quantity(
        "m", "leg", "axis", frame="base", is_listed=False, doc="Platform joint points seen from the platform's origin."
    )

    @property
    @derived("1", "term", "axis", frame="base")
    def exponents(self) -> Ints:
        """Exponents of x, y, z in each monomial."""
        return EXPONENTS

    def sentence(self) -> str:
        """What kind of surface it is."""
        return "a cubic in the position, of twenty coefficients"

    def __call__(self, positions: ArrayLike) -> Array:
        """Determinant over length^9 at positions (..., 3) [m]."""
        x = (numbers("positions", positions) - self.centre) / self.length
        return np.asarray(monomials(x) @ self.coefficients)

    @checks_arguments
    def gradient(self, positions: ArrayLike) -> Array:
        """Its gradient (..., 3) [1/m]."""
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
        """Intersections of a straight line with the surface: real s of start + s direction, ascending, at most three
        [m].

        The direction is scaled to length one; a line inside the surface gives none.
        """
        origin, d = line(start, direction)
        span = 2 * self.length * d
        values = self(origin + (_expansions()[0][:, None] - 0.5) * span)
        if np.abs(values).max() <= 1e-15 * np.abs(self.coefficients).max():
            return np.empty(0)
        roots = 2.0 * _line_roots(values[None])[0] - 1.0
        roots = roots[np.abs(roots) < FAR]
        middle = roots.mean() if len(roots) else np.nan
        middle = roots.mean()
        if len(roots) == 3 and np.abs(roots - middle).max() < TOGETHER * (1 + np.abs(middle)):
            return np.array([middle.real * self.length])  # the mean of a split threefold root is accurate
        real = np.sort(roots[np.abs(roots.imag) < 1e-9 * (1 + np.abs(roots))].real)
        return np.asarray(real * self.length)

    def sided(self, positions: Array) -> Array:
        """The determinant (n,) [1] at positions (n, 3) [m], by elimination: its sign is right near multiple roots too,
        where the sum of monomials cancels."""
        d = (positions[:, None] + self.rho_B - self.a_B) / self.length
        return np.asarray(np.linalg.det(np.concatenate([d, np.cross(self.rho_B / self.length, d)], axis=-1)))

    def first(self, position: Array, direction: Array) -> float:
        """Distance [m] from a position (3,) to the surface along a direction (3,) of any length, in exact arithmetic
        and rounded up; infinite where the ray does not meet it."""
        length = float(np.linalg.norm(direction))
        return first_root(self.a_B, self.rho_B, position, direction / length, self.length)

    @checks_arguments
    def nearest(self, position: ArrayLike) -> tuple[float, Array]:
        """Distance of a position from the surface [m] and the nearest point found (3,), by local searches from many
        rays.

        The distance is that of a point on the surface, in exact arithmetic: the true one is at most this. A multiple
        sheet of a cubic is a plane, where the gradient is zero; its derivatives along the ray then have the normal.
        """
        # Candidates: rays in all directions, local minima from the nearest hits, and rays along normals there.
        origin = numbers("position", position)
        hits = sorted(self._met(origin, sphere(96)), key=_distance)
        guesses = [origin + s * d for s, d in hits[:4]]
        guesses += [self._descended(origin, guess) for guess in guesses]
        directions = [n for guess in guesses for n in self._normals(origin, guess)]
        near = sorted([*self._met(origin, np.array(directions).reshape(-1, 3)), *hits[:2]], key=_distance)
        best, where = np.inf, np.full(3, np.nan)
        # Threefold roots in doubles have relative errors of 1e-5: every hit within 1e-4 of the first may be the
        # nearest.
        for _, d in [hit for hit in near if hit[0] <= near[0][0] * (1 + 1e-4)][:NEAREST]:
            found = self.first(origin, d)
            if found < best:
                best, where = found, origin + found * d / np.linalg.norm(d)
        return best, where

    def _met(self, origin: Array, directions: Array) -> list[tuple[float, Array]]:
        """Distance of the surface along each line through origin, and the direction (3,) of its nearer side."""
        _, first = np.unique(directions.round(12), axis=0, return_index=True)
        meets = [(self.along(origin, d), d) for d in directions[first]]
        return [(float(np.abs(s).min()), d * np.copysign(1.0, s[np.argmin(np.abs(s))])) for s, d in meets if len(s)]

    def _descended(self, origin: Array, guess: Array) -> Array:
        """A nearest point p of the surface f = 0 by Newton's method on p - o + k grad f = 0, f = 0, with the Lagrange
        multiplier k, then by feet of perpendiculars."""
        point, k, ahead = guess, np.zeros(1), self.length * np.eye(3)
        farthest = LONGEST * float(np.linalg.norm(guess - origin))
        for _ in range(DESCENTS):
            gradient = self.length * self.gradient(point)
            # The Hessian by central differences of the gradient, exact for a cubic.
            hessian = self.length * (self.gradient(point + ahead) - self.gradient(point - ahead)) / 2
            matrix = np.block([[np.eye(3) + k * hessian, gradient[:, None]], [gradient[None], np.zeros((1, 1))]])
            away = np.append((origin - point) / self.length, -float(self(point)))
            step, k = np.split(np.linalg.lstsq(matrix, away, rcond=None)[0] * [*[self.length] * 3, 1.0], [3])
            # Damped: no step longer than a part of the first distance.
            size = float(np.linalg.norm(step))
            point = point + step * min(1.0, farthest / max(size, TINY))
            if not size > 1e-12 * self.length:
                break
        return self._foot(origin, point)

    def _normals(self, origin: Array, point: Array) -> list[Array]:
        """Directions (3,) from origin to try for a nearest point close to `point`: towards it, and along the gradients
        of the determinant and of its first two derivatives along the ray, by differences that are exact for a cubic."""
        ray = point - origin
        size = float(np.linalg.norm(ray))
        if not (np.isfinite(size) and size > 0):
            return []
        h = self.length * ray / size
        below, here, above = self.gradient(np.stack([point - h, point, point + h]))
        normals = [here, above - below, above - 2 * here + below]
        units = [ray / size, *(n / np.linalg.norm(n) for n in normals if np.linalg.norm(n) > 0)]
        return [*units, *(np.where(np.abs(n) < ALIGNED, 0.0, n) for n in units)]

    def _foot(self, origin: Array, point: Array) -> Array:
        """The foot of the perpendicular from origin, to rounding, from a point near it: alternately onto the tangent
        plane and back to the surface; converges where the surface curves less than the sphere about the origin."""
        for _ in range(40):
            slope = self.gradient(point)
            on_plane = origin + slope * (slope @ (point - origin)) / np.maximum(slope @ slope, TINY)
            slope = self.gradient(on_plane)
            step, point = point, on_plane - slope * float(self(on_plane)) / np.maximum(slope @ slope, TINY)
            if not np.linalg.norm(point - step) > 1e-15 * self.length:
                break
        return np.asarray(point)

    @checks_arguments
    def bounds(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, Array]:
        """Bounds of the determinant over boxes (..., 3) [m]: the least and greatest Bernstein coefficient of each.

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
        """Whether boxes about centres (n, 3) with half-sides (3,) [m] are proven free of singularities (n,)."""
        low, high = self.bounds(centres - half, centres + half)
        return np.asarray((low > 0) | (high < 0))


def monomials(x: Array, exponents: NDArray[np.int64] = EXPONENTS) -> Array:
    """Monomials (..., 20) of x (..., 3), one for each row of `exponents`."""
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
    """Directions spread evenly (a Fibonacci spiral), (count, 3)."""
    k = np.arange(count) + 0.5
    z = 1 - 2 * k / count
    angle = np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def determinant(machine: Machine, X: PoseLike) -> Array:
    """Determinant of the rows [d_i, R b_i x d_i] (...) [m^9] of a strut machine, about the platform's origin."""
    matrices = checked_matrices(X)
    rho = machine.b_P @ np.swapaxes(matrices[..., :3, :3], -1, -2)
    d = rho + matrices[..., None, :3, 3] - machine.legs.rest()
    return np.asarray(np.linalg.det(np.concatenate([d, np.cross(rho, d)], axis=-1)))


@checks_arguments
def singularity_cubic(machine: Machine, orientation: PoseLike | None = None) -> SingularityCubic:
    """The singular surface of a strut machine at one orientation.

    det [d_i, R b_i x d_i] = 0, a cubic in the position (Mayer St-Onge and Gosselin 2000).

    Parameters
    ----------
    machine : Machine
        With legs whose driven points do not move; for sliders and cranks the surface is no cubic.
    orientation : PoseLike, optional
        A pose whose rotation is meant; home where none is given.

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
            f"machine {machine.name!r}: the singular surface of {machine.leg_kind} legs is no cubic, see gough.margins"
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
    rho_B = machine.b_P @ X[:3, :3].T
    return SingularityCubic(
        np.asarray(coefficients, dtype=float), centre, length, X[:3, :3], machine.legs.rest(), rho_B
    )


def _line_roots(values: Array) -> Array:
    """Complex roots (n, 3) of cubics with values (n, 4) at Chebyshev's points of [0, 1]; NaN of the cubic zero."""
    nodes, coefficients = _expansions()
    # With s = node + 1 / y the value at the largest node becomes the leading coefficient.
    largest = np.abs(values).argmax(axis=1)
    expanded = np.einsum("nij,nj->ni", coefficients[largest], values)
    y = _roots(expanded[:, ::-1])
    return np.asarray(nodes[largest, None] + 1.0 / np.where(np.abs(y) < AT_INFINITY, AT_INFINITY, y))


def _roots(coefficients: Array) -> Array:
    """Complex roots (n, k) of polynomials (n, k + 1), the constant first: eigenvalues of companion matrices."""
    leading = coefficients[:, -1:]
    degree = coefficients.shape[1] - 1
    companion = np.zeros((len(coefficients), degree, degree))
    companion[:, 1:, :-1] = np.eye(degree - 1)
    companion[:, :, -1] = -coefficients[:, :-1] / np.where(leading == 0.0, 1.0, leading)
    return np.where(leading == 0.0, np.nan, np.linalg.eigvals(companion).astype(complex))


@cache
def _expansions() -> tuple[Array, Array]:
    """Chebyshev's points (4,) of [0, 1], and the matrices (4, 4, 4) from values there to a cubic's Taylor coefficients
    about each of them."""
    nodes = 0.5 + 0.5 * np.polynomial.chebyshev.chebpts1(CUBIC + 1)
    powers = [np.linalg.inv(np.vander(nodes - node, increasing=True)) for node in nodes]
    return nodes, np.array(powers)
