"""Where drives of rods are over boxes of poses, as Taylor models of second order.

With d from a guide or a crank's centre to the platform joint, and s = +-1 the branch,

    slider   q = g . d + s sqrt(l^2 - |d|^2 + (g . d)^2)
    crank    (cos q, sin q) = ((e, f) g + (-f, e) s sqrt(e^2 + f^2 - g^2)) / (e^2 + f^2)

with e = d . r, f = d . (n x r), g = (|d|^2 + |r|^2 - l^2) / 2. Near the end of a rod's reach nothing is known, and what
is linear in `gough.regions.rod_joints` has the smaller rest.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.legs.leg import ARM, ARM_NORMAL, AXIS, BRANCH, ROD
from gough.regions.taylor import Model


def slider(T: Array, d: Model) -> Model:
    """Joint coordinates (n, 6) with vectors d (n, 6, 3) in the base's axes."""
    along = d.dot(T[AXIS : AXIS + 3].T)
    return along + (along * along - d.dot(d) + T[ROD] ** 2).root * T[BRANCH]


def crank(T: Array, d: Model, q: Array) -> tuple[Model, Model]:
    """Sines and cosines (n, 6) of how far cranks are from q (n, 6)."""
    e, f = (d.dot(T[first : first + 3].T) for first in (ARM, ARM_NORMAL))
    g = (d.dot(d) + (np.sum(T[ARM : ARM + 3] ** 2, axis=0) - T[ROD] ** 2)) * 0.5
    square = e * e + f * f
    across, per = (square - g * g).root * T[BRANCH], square.reciprocal
    cosine, sine = (e * g - f * across) * per, (f * g + e * across) * per
    return sine * np.cos(q) - cosine * np.sin(q), cosine * np.cos(q) + sine * np.sin(q)


def better(first: Model, second: Model) -> Model:
    """Of two models of the same quantities the one of the smaller rest, each of them."""
    which = first.rest <= second.rest
    value, rest = (np.where(which, *both) for both in ((first.value, second.value), (first.rest, second.rest)))
    slope = np.where(which[..., None], first.slope, second.slope)
    return Model(value, slope, np.where(which[..., None, None], first.curve, second.curve), rest, first.half)
