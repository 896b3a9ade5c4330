"""Singular poses of struts along straight translations and along rotations about a fixed axis: roots of polynomials.

With the rows [d_i, r_i x d_i], d_i = p + r_i - a_i, about a point p of the platform, the determinant along a straight
translation is a polynomial of degree three in the position (Mayer St-Onge and Gosselin 2000). Along a rotation of the
arms r_i about an axis through p it is a trigonometric polynomial of degree three: of the six columns, in the complex
coordinates across the axis, two hold exp(i angle), two exp(-i angle), one both, and none is of higher degree. With the
tangent t of half the angle it is a polynomial of degree six over (1 + t^2)^3.

Both are sampled at as many places as they have coefficients. The place where the polynomial is largest is sent to
infinity, which makes the leading coefficient the largest sample: the degree never falls, and multiple roots at infinity
do no harm.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import Polynomial

from gough.arrays import Array
from gough.machine import Machine

CUBIC, TURNING = 3, 6
"""Degrees along a translation and along a rotation."""
AT_INFINITY = 1e-15
"""Reciprocals of roots below this are rounding: the degree is lower."""


def singular_roots(machine: Machine, starts: Array, directions: Array, lengths: Array) -> Array:
    """Where paths of strut machines may become singular: s (n, 6) in [0, length], ascending, infinite beyond the last.

    The paths begin at poses (n, 4, 4) along directions [v, w] (n, 6) of the point of interest and have lengths (n,).
    Rows are NaN where the determinant is no such polynomial: screw displacements, and legs that are not struts. The
    real parts of complex roots are places, too: rounding may make two of two roots that nearly coincide.
    """
    places = np.full((len(starts), TURNING), np.nan)
    if machine.legs.rod() is not None:
        return places
    moves, turns = directions[:, :3].any(axis=1), directions[:, 3:].any(axis=1)
    for is_kind, degree in ((~turns, CUBIC), (turns & ~moves, TURNING)):
        rows = np.flatnonzero(is_kind & np.isfinite(starts).all(axis=(1, 2)) & np.isfinite(lengths))
        if len(rows):
            places[rows] = np.inf
            of_path = starts[rows], directions[rows], lengths[rows]
            places[rows, :degree] = _cubic(machine, *of_path) if degree == CUBIC else _turning(machine, *of_path)
    return places


def stops_between(roots: Array, nearest: Array) -> Array:
    """Stops (n, 12), ascending, between which a path is singular once at most: just beyond each of its roots (n, 6), by
    `nearest` (n,) or half the gap to the next one, and halfway between two."""
    ahead = np.concatenate([roots[:, 1:], np.full((len(roots), 1), np.inf)], axis=1)
    with np.errstate(invalid="ignore"):
        half = 0.5 * (ahead - roots)
        stops = np.concatenate([roots + np.minimum(half, nearest[:, None]), roots + half], axis=1)
    known = ~np.isnan(roots[:, :1])
    return np.where(known, np.sort(np.where(np.isnan(stops), np.inf, stops), axis=1), np.nan)


def line_roots(values: Array) -> Array:
    """Complex roots (n, 3) of cubics with values (n, 4) at Chebyshev's points of [0, 1]; NaN of the cubic zero."""
    nodes, coefficients = expansions()
    # With s = node + 1 / y the value at the largest node becomes the leading coefficient.
    largest = np.abs(values).argmax(axis=1)
    expanded = np.einsum("nij,nj->ni", coefficients[largest], values)
    y = _roots(expanded[:, ::-1])
    return np.asarray(nodes[largest, None] + 1.0 / np.where(np.abs(y) < AT_INFINITY, AT_INFINITY, y))


def _cubic(machine: Machine, starts: Array, directions: Array, lengths: Array) -> Array:
    """Roots (n, 3) along straight translations."""
    nodes, _ = expansions()
    shift = (nodes * lengths[:, None])[..., None] * directions[:, None, :3]
    r = (machine.b_P - machine.point_of_interest) @ np.swapaxes(starts[:, :3, :3], 1, 2)
    point = starts[:, :3, :3] @ machine.point_of_interest + starts[:, :3, 3]
    values = _determinants(machine, r[:, None], point[:, None] + shift)
    return _within(line_roots(values).real * lengths[:, None], lengths)


def _turning(machine: Machine, starts: Array, directions: Array, lengths: Array) -> Array:
    """Roots (n, 6) along rotations about fixed axes through the point of interest."""
    speed = np.linalg.norm(directions[:, 3:], axis=1)
    count = TURNING + 1
    samples = 2.0 * np.pi * np.arange(count) / count
    # Arms turned about the axis (Rodrigues).
    r = (machine.b_P - machine.point_of_interest) @ np.swapaxes(starts[:, :3, :3], 1, 2)
    axis = (directions[:, 3:] / speed[:, None])[:, None]
    across = np.cross(axis, r)
    sine, cosine = np.sin(samples)[:, None, None], np.cos(samples)[:, None, None]
    r = r[:, None] + sine * across[:, None] + (1.0 - cosine) * np.cross(axis, across)[:, None]
    point = starts[:, :3, :3] @ machine.point_of_interest + starts[:, :3, 3]
    values = _determinants(machine, r, point[:, None])
    # The largest sample is sent half a turn away, where the tangent is infinite.
    largest = np.abs(values).argmax(axis=1)
    rolled = np.take_along_axis(values, (largest[:, None] + np.arange(count)) % count, axis=1)
    # With the angle x from there, exp(i x) = -(1 + i t) / (1 - i t) for t = tan(x / 2 - pi / 2).
    t = _roots(rolled @ _half_tangents())
    with np.errstate(invalid="ignore"):
        angle = np.pi + samples[largest, None] + 2.0 * np.arctan(t).real
    return _within(np.mod(angle, 2.0 * np.pi) / speed[:, None], lengths)


def _determinants(machine: Machine, r: Array, point: Array) -> Array:
    """Determinants (n, k) of the rows [d, r x d] over the machine's size, about the point of interest at (n, k, 3).

    The arms r (n, k or 1, 6, 3) lead from there to the platform joints [m].
    """
    d = (r + point[..., None, :] - machine.legs.rest()) / machine.size
    return np.asarray(np.linalg.det(np.concatenate([d, np.cross(r / machine.size, d)], axis=-1)))


def _roots(coefficients: Array) -> Array:
    """Complex roots (n, k) of polynomials (n, k + 1), the constant first: eigenvalues of companion matrices."""
    leading = coefficients[:, -1:]
    degree = coefficients.shape[1] - 1
    companion = np.zeros((len(coefficients), degree, degree))
    companion[:, 1:, :-1] = np.eye(degree - 1)
    companion[:, :, -1] = -coefficients[:, :-1] / np.where(leading == 0.0, 1.0, leading)
    return np.where(leading == 0.0, np.nan, np.linalg.eigvals(companion).astype(complex))


def _within(places: Array, lengths: Array) -> Array:
    """The places (n, k) in [0, length], ascending, infinite instead of the others."""
    is_there = (places >= 0.0) & (places <= lengths[:, None])
    return np.sort(np.where(is_there, places, np.inf), axis=1)


@cache
def expansions() -> tuple[Array, Array]:
    """Chebyshev's points (4,) of [0, 1], and the matrices (4, 4, 4) from values there to a cubic's Taylor coefficients
    about each of them."""
    nodes = 0.5 + 0.5 * np.polynomial.chebyshev.chebpts1(CUBIC + 1)
    powers = [np.linalg.inv(np.vander(nodes - node, increasing=True)) for node in nodes]
    return nodes, np.array(powers)


@cache
def _half_tangents() -> Array:
    """Matrix (7, 7) from samples of a trigonometric polynomial of degree three, over a turn, to coefficients in t."""
    count, half = TURNING + 1, TURNING // 2
    orders = range(-half, half + 1)
    harmonics = np.exp(-2j * np.pi * np.outer(np.arange(count), orders) / count) / count
    # exp(i k x) (1 + t^2)^3 = (-1)^k (1 + i t)^(3 + k) (1 - i t)^(3 - k)
    basis = [(-1) ** k * (Polynomial([1, 1j]) ** (half + k) * Polynomial([1, -1j]) ** (half - k)).coef for k in orders]
    return np.asarray((harmonics @ np.array(basis)).real)
