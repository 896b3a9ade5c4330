"""Joint coordinates of sliders and cranks over boxes of poses, as Taylor models of second order.

With d from a guide or a crank's centre to the platform joint, a the guide's direction, r the crank's arm at q = 0, n
its axis, l the rod's length and s = +-1 the branch,

    slider   q = a . d + s sqrt(l^2 - |d|^2 + (a . d)^2)
    crank    (cos q, sin q) = ((e, f) g + (-f, e) s sqrt(e^2 + f^2 - g^2)) / (e^2 + f^2)

with e = d . r, f = d . (n x r), g = (|d|^2 + |r|^2 - l^2) / 2. Poses at which a rod cannot close are not covered.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.legs.leg import ARM, ARM_NORMAL, AXIS, BRANCH, MIDDLE, ROD
from gough.regions._taylor import ROUND
from gough.regions.cells import Cells, minimum_over_groups
from gough.regions.motions import Motion
from gough.regions.taylor import Model


def rows_of(T: Array, first: int) -> Array:
    """Vectors (..., k, 3) in the three rows from `first` on of a table of legs (ROWS, ..., k)."""
    return np.moveaxis(T[first : first + 3], 0, -1)


def slider_square(T: Array, d: Model, square: Model) -> Model:
    """Radicand (n, k) of the slider's root, from d (n, k, 3) in the base's axes and |d|^2: positive within the
    reach."""
    along = d.dot(rows_of(T, AXIS))
    return along * along - square + T[ROD] ** 2


def slider(T: Array, d: Model, square: Model, motion: Motion) -> Model:
    """Joint coordinates (n, k) of sliders."""
    return d.dot(rows_of(T, AXIS)) + _root(slider_square(T, d, square), motion) * T[BRANCH]


def circle_squares(T: Array, d: Model, square: Model) -> tuple[Model, Model]:
    """2 r rho and m = |d|^2 + r^2 - l^2 (n, k), rho the length of d across the crank's axis: rods close where
    2 r rho >= |m| (`gough.regions.rod_joints`)."""
    r, along = np.linalg.norm(T[ARM : ARM + 3], axis=0), d.dot(rows_of(T, AXIS))
    return (square - along * along).root * (2 * r), square + (r**2 - T[ROD] ** 2)


def _root(square: Model, motion: Motion) -> Model:
    """Roots (n, k) of radicands, over the poses of box and region at which the rods close."""
    return square.root_if_any(np.maximum(np.nan_to_num(least_in_region(square, motion)), 0.0))


def least_in_region(square: Model, motion: Motion) -> Array:
    """Lower bounds (n, k) of radicands over box and region; NaN where none is known.

    Where the region does not fill a box, the minimum over the region may be far above that over the box, which makes
    the chord of the root much closer.
    """
    linear = minimum_over_groups(motion.region, Cells(motion.centre, motion.half), square.gradient)
    return square.value + linear - square.nonlinear_variation - 2 * ROUND * square.size


def crank(T: Array, d: Model, square: Model, motion: Motion) -> tuple[Array, Model, Model]:
    """Angles q_c (n, k) of cranks at the boxes' centres, and models of the sine and the cosine of q - q_c.

    Where a leg is open at the centre, q_c is the angle at which it is nearest to closing.
    """
    # The crank is then seen in axes turned to q_c: `along` and `across` are e and f there, so that q - q_c is small.
    g = (square + (np.sum(T[ARM : ARM + 3] ** 2, axis=0) - T[ROD] ** 2)) * 0.5
    e, f = (np.sum(d.value * rows_of(T, first), axis=-1) for first in (ARM, ARM_NORMAL))
    q = np.arctan2(f, e) + T[BRANCH] * np.arccos(np.clip(g.value / np.hypot(e, f), -1.0, 1.0))
    q = q - 2 * np.pi * np.round((q - T[MIDDLE]) / (2 * np.pi))
    along, across = (d.dot(arm) for arm in arms_at(T, q))
    polar = along * along + across * across
    root, per = _root(polar - g * g, motion) * T[BRANCH], polar.reciprocal
    return q, (across * g + along * root) * per, (along * g - across * root) * per


def arms_at(T: Array, q: Array) -> tuple[Array, Array]:
    """Crank arms (n, k, 3) at joint coordinates (n, k), and the same a quarter turn on."""
    arm, normal = rows_of(T, ARM), rows_of(T, ARM_NORMAL)
    cosine, sine = np.cos(q)[..., None], np.sin(q)[..., None]
    return cosine * arm + sine * normal, cosine * normal - sine * arm
