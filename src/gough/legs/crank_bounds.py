"""Bounds of cranks while their platform joints stay in balls: see `gough.legs.leg.Enclosure`.

In cylindrical coordinates (rho, phi, z) of the platform joint about the crank's axis, with the arm's length r and the
rod's l,

    q = phi + branch * acos(C),   C = (rho^2 + z^2 + r^2 - l^2) / (2 r rho)

C grows with z^2; in rho it is monotonic or has its only minimum at rho^2 = z^2 + r^2 - l^2. Ranges of rho, phi and z
therefore give a range of q (the coarse bounds). Where these keep the rod away from a right angle with its foot's path,
the mean value theorem is sharper: per displacement of the joint q changes by at most 1 / (r cos g), the foot by
1 / cos g and the rod's direction by 1 / (l cos g), with g the angle between rod and path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.legs.leg import Enclosure


class Cranks(NamedTuple):
    """Six cranks, with arms perpendicular to the axes."""

    centre: Array
    axis: Array
    arm: Array
    rod: Array
    branch: Array
    middle: Array

    def foot(self, q: Array) -> Array:
        """Feet of the rods (..., 6, 3) at q (..., 6)."""
        angle = q[..., None]
        return np.asarray(self.centre + np.cos(angle) * self.arm + np.sin(angle) * np.cross(self.axis, self.arm))


class _About(NamedTuple):
    """Bounds about q: joint coordinates within `half`, rod directions within `u_shift` of u, feet within `p_shift`."""

    q: Array
    half: Array
    u: Array
    u_shift: Array
    p_shift: Array


def enclosure(cranks: Cranks, b_B: Array, radius: Array) -> Enclosure:
    """Bounds while the platform joints stay within `radius` (..., 1) of b_B (..., 6, 3) [m]."""
    arm, to_joint = (np.linalg.norm(x, axis=-1) for x in (cranks.arm, b_B - cranks.centre))
    radius = np.minimum(radius, to_joint + arm + cranks.rod)  # beyond that no place of the joint closes the leg
    q_centre, low, high, coarse = _coarse(cranks, b_B, radius)
    sharp, is_sharp = _sharp(cranks, b_B, radius, q_centre, coarse)
    q, half, u_shift, p_shift = (
        np.where(is_sharp, getattr(sharp, name), getattr(coarse, name)) for name in ("q", "half", "u_shift", "p_shift")
    )
    first, last = cranks.middle - np.pi, cranks.middle + np.pi
    q = last - np.mod(last - q, 2.0 * np.pi)
    is_cut = (q + half > last) | (q - half <= first)  # the range passes the ends of the angles: all of them
    closes = (low <= 1.0) & (high >= -1.0)  # some C is a cosine
    return Enclosure(
        q_low=np.where(closes, np.where(is_cut, first, q - half), np.inf),
        q_high=np.where(closes, np.where(is_cut, last, q + half), -np.inf),
        u=np.where(is_sharp[..., None], sharp.u, coarse.u),
        u_shift=u_shift,
        p_shift=p_shift,
        is_centred=is_sharp,
    )


def _coarse(cranks: Cranks, b_B: Array, radius: Array) -> tuple[Array, Array, Array, _About]:
    """The centre's q (NaN where the leg is open), lowest and highest C, and bounds from ranges of rho, phi and z."""
    r = np.linalg.norm(cranks.arm, axis=-1)
    d = b_B - cranks.centre
    z = np.abs(np.sum(d * cranks.axis, axis=-1))
    e, f = (np.sum(d * side, axis=-1) / r for side in (cranks.arm, np.cross(cranks.axis, cranks.arm)))
    rho, phi = np.hypot(e, f), np.arctan2(f, e)
    low, high = _cosines(
        cranks, r, (np.maximum(rho - radius, 0.0), rho + radius), np.maximum(z - radius, 0.0), z + radius
    )
    least, most = np.arccos(np.clip(high, -1.0, 1.0)), np.arccos(np.clip(low, -1.0, 1.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        # phi of a ball at distance rho from the axis; any angle where the axis passes through the ball
        swing = np.where(rho > radius, np.arcsin(np.minimum(radius / rho, 1.0)), np.pi)
        q_centre = phi + cranks.branch * np.arccos((rho**2 + z**2 + r**2 - cranks.rod**2) / (2.0 * r * rho))
    q = phi + cranks.branch * (least + most) / 2.0
    half = np.minimum(swing + (most - least) / 2.0, np.pi)
    p_shift = 2.0 * r * np.sin(half / 2.0)  # chord of the foot's arc
    u = (b_B - cranks.foot(q)) / cranks.rod[:, None]
    return q_centre, low, high, _About(q, half, u, (radius + p_shift) / cranks.rod, p_shift)


def _sharp(
    cranks: Cranks, b_B: Array, radius: Array, q_centre: Array, coarse: _About
) -> tuple[_About, NDArray[np.bool_]]:
    """Bounds by the mean value theorem, and where they hold and are better than the coarse ones."""
    r = np.linalg.norm(cranks.arm, axis=-1)
    path = np.cross(cranks.axis, cranks.foot(coarse.q) - cranks.centre) / r[:, None]
    # Smallest cos g over the coarse bounds: rod and path may each turn from the middle.
    cosine = np.abs(np.sum(coarse.u * path, axis=-1)) - coarse.u_shift - 2.0 * np.sin(coarse.half / 2.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        travel = radius / cosine
        is_sharp = (cosine > 0) & np.isfinite(q_centre) & (travel < coarse.p_shift)
    u = (b_B - cranks.foot(q_centre)) / cranks.rod[:, None]
    return _About(q_centre, travel / r, u, travel / cranks.rod, travel), is_sharp


def _cosines(cranks: Cranks, r: Array, rho: tuple[Array, Array], z_low: Array, z_high: Array) -> tuple[Array, Array]:
    """Lowest and highest C (..., 6) over ranges of rho and z; infinite where rho = 0 is among them."""
    k_low, k_high = (z * z + r * r - cranks.rod**2 for z in (z_low, z_high))
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = [
            [np.where(x > 0, (x * x + k) / (2.0 * r * x), sign * np.inf) for x in rho]
            for k, sign in ((k_low, -1.0), (k_high, 1.0))
        ]
    turn = np.sqrt(np.maximum(k_low, 0.0))
    has_minimum = (k_low > 0) & (turn > rho[0]) & (turn < rho[1])
    return np.where(has_minimum, turn / r, np.minimum(*ends[0])), np.maximum(*ends[1])
