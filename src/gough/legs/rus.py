"""RUS: a rod of constant length whose foot turns on a crank; q is the crank angle [rad].

    p(q) = c + Rot(n, q) r        L(q) = l        p' = n x Rot(n, q) r        L' = 0

Servo platforms have six cranks with separate axes; a rotopod has six cranks about one common axis. The part of r along
n does not move: it is added to c, and r below is perpendicular to n. With d = b - c, e = d . r and f = d . (n x r),
closing the rod requires

    e cos q + f sin q = (|d|^2 + |r|^2 - l^2) / 2 = g,    q = atan2(f, e) + branch * acos(g / hypot(e, f))

branch = +1 is the crank ahead of the direction to the platform joint (seen along n), -1 the one behind it.
Angles are within half a turn of the middle of their range, and of home where the range does not have two ends.

Bounds while the platform joints stay in balls (`gough.legs.leg.Enclosure`) use cylindrical coordinates (rho, phi, z) of
the platform joint about the crank's axis:

    q = phi + branch * acos(C),   C = (rho^2 + z^2 + r^2 - l^2) / (2 r rho)

C grows with z^2; in rho it is monotonic or has its only minimum at rho^2 = z^2 + r^2 - l^2. Ranges of rho, phi and z
therefore give a range of q (the coarse bounds). Where these keep the rod away from a right angle with its foot's path,
the mean value theorem is sharper: per displacement of the joint q changes by at most 1 / (r cos g), the foot by
1 / cos g and the rod's direction by 1 / (l cos g), with g the angle between rod and path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import atan2, cos, sin, sqrt
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Four, Three, read_only
from gough.legs.leg import (
    ANCHOR,
    ARM,
    ARM_NORMAL,
    AXIS,
    BRANCH,
    MIDDLE,
    ROD,
    ROUND_OFF,
    Assembled,
    Enclosure,
    Legs,
    PlainFunctions,
    branch_at_home,
    unit_rows,
)

# The functions below are compiled where they are chosen, in `gough.legs._leg_dispatch`: T is the leg table, i the leg.


def inverse(T: Array, i: int, x: float, y: float, z: float) -> float:
    """Crank angle that puts the platform joint at (x, y, z) [m]; NaN where the rod is too short or too long.

    At the turning point rounding of the root's argument is ignored, as for a slider.
    """
    extent = abs(x) + abs(y) + abs(z) + abs(T[ANCHOR, i]) + abs(T[ANCHOR + 1, i]) + abs(T[ANCHOR + 2, i])
    x -= T[ANCHOR, i]
    y -= T[ANCHOR + 1, i]
    z -= T[ANCHOR + 2, i]
    rx, ry, rz = T[ARM, i], T[ARM + 1, i], T[ARM + 2, i]
    e = x * rx + y * ry + z * rz
    f = x * T[ARM_NORMAL, i] + y * T[ARM_NORMAL + 1, i] + z * T[ARM_NORMAL + 2, i]
    rod = T[ROD, i]
    g = 0.5 * (x * x + y * y + z * z + rx * rx + ry * ry + rz * rz - rod * rod)
    square = e * e + f * f - g * g  # negative where no angle solves e cos q + f sin q = g
    size = abs(x) + abs(y) + abs(z) + abs(rx) + abs(ry) + abs(rz) + rod
    # g, a sum of squared lengths, has about `size` times the error of a coordinate, which is a rounding of `extent`.
    rounding = ROUND_OFF * abs(g) * size * (extent + size)
    if -rounding <= square < 0.0:
        square = 0.0
    # acos(g / hypot) as atan2: the cosine loses half its digits where crank and rod are nearly in line.
    q = atan2(f, e) + T[BRANCH, i] * (atan2(sqrt(square), g) if square >= 0.0 else np.nan)
    # Within half a turn of the middle of the range, which is in (-pi, pi) as q is in (-2 pi, 2 pi].
    if q > T[MIDDLE, i] + np.pi:
        q -= 2.0 * np.pi
    elif q <= T[MIDDLE, i] - np.pi:
        q += 2.0 * np.pi
    return q


def driven_point(T: Array, i: int, q: float) -> Four:
    """p(q) and the rod length L(q) [m]."""
    c, s = cos(q), sin(q)
    return (
        T[ANCHOR, i] + c * T[ARM, i] + s * T[ARM_NORMAL, i],
        T[ANCHOR + 1, i] + c * T[ARM + 1, i] + s * T[ARM_NORMAL + 1, i],
        T[ANCHOR + 2, i] + c * T[ARM + 2, i] + s * T[ARM_NORMAL + 2, i],
        T[ROD, i],
    )


def drive(T: Array, i: int, q: float) -> Four:
    """First derivatives p'(q), L'(q)."""
    c, s = cos(q), sin(q)
    return (
        c * T[ARM_NORMAL, i] - s * T[ARM, i],
        c * T[ARM_NORMAL + 1, i] - s * T[ARM + 1, i],
        c * T[ARM_NORMAL + 2, i] - s * T[ARM + 2, i],
        0.0,
    )


def drive_rate(T: Array, i: int, q: float) -> Four:
    """Second derivatives p''(q), L''(q)."""
    c, s = cos(q), sin(q)
    return (
        -c * T[ARM, i] - s * T[ARM_NORMAL, i],
        -c * T[ARM + 1, i] - s * T[ARM_NORMAL + 1, i],
        -c * T[ARM + 2, i] - s * T[ARM_NORMAL + 2, i],
        0.0,
    )


def reach(T: Array, i: int, x: float, y: float, z: float) -> float:
    """Distance of the platform joint to where the rod is too short or too long to reach the crank circle [m]."""
    x -= T[ANCHOR, i]
    y -= T[ANCHOR + 1, i]
    z -= T[ANCHOR + 2, i]
    offset = x * T[AXIS, i] + y * T[AXIS + 1, i] + z * T[AXIS + 2, i]
    radius = sqrt(max(x * x + y * y + z * z - offset * offset, 0.0))
    rx, ry, rz = T[ARM, i], T[ARM + 1, i], T[ARM + 2, i]
    arm = sqrt(rx * rx + ry * ry + rz * rz)
    # Nearest and farthest points of the crank circle from the joint.
    nearest = sqrt(offset * offset + (radius - arm) ** 2)
    farthest = sqrt(offset * offset + (radius + arm) ** 2)
    return min(T[ROD, i] - nearest, farthest - T[ROD, i])


def carried(T: Array, i: int, q: float, x: float, y: float, z: float) -> Three:
    """Direction at joint coordinate q of a vector fixed to the crank: Rot(n, q) times it (Rodrigues)."""
    c, s = cos(q), sin(q)
    nx, ny, nz = T[AXIS, i], T[AXIS + 1, i], T[AXIS + 2, i]
    k = (1.0 - c) * (nx * x + ny * y + nz * z)
    return (
        c * x + s * (ny * z - nz * y) + k * nx,
        c * y + s * (nz * x - nx * z) + k * ny,
        c * z + s * (nx * y - ny * x) + k * nz,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class RUS(Legs):
    """Six rods of constant length on cranks.

    Attributes
    ----------
    c_B : (6, 3) array
        Crank centres in the base frame [m].
    n_B : (6, 3) array
        Unit vectors along the crank axes, in the base frame.
    r_B : (6, 3) array
        Crank arms at q = 0, from the centre to the rod's foot, in the base frame [m].
    rod_length : (6,) array
        [m].
    branch : (6,) array
        +1 or -1, see the module.
    middle : (6,) array
        Middles of the ranges of q, or its values at home, within half a turn of which it is counted [rad].

    """

    c_B: Array
    n_B: Array
    r_B: Array
    rod_length: Array
    branch: Array
    middle: Array = field(default_factory=lambda: np.zeros(6))

    kind: ClassVar[str] = "RUS"
    code: ClassVar[int] = 2
    title: ClassVar[str] = "crank"
    joint: ClassVar[Literal["length", "angle"]] = "angle"
    joint_range: ClassVar[tuple[float, float]] = (-np.pi, np.pi)
    needs: ClassVar[tuple[str, ...]] = ("axis", "arm")
    takes: ClassVar[tuple[str, ...]] = ("rod_length", "branch")
    parts: ClassVar[tuple[str, ...]] = ("crank", "rod")
    attached_to: ClassVar[Mapping[str, Literal["carrier", "foot", "head"]]] = {"crank": "carrier", "rod": "foot"}
    plain: ClassVar[PlainFunctions] = PlainFunctions(inverse, reach, carried)
    feet_may_coincide: ClassVar[bool] = True

    @classmethod
    def assemble(cls, points_B: Array, b_P: Array, b_home: Array, given: Mapping[str, Array]) -> Assembled:
        """See `Legs.assemble`."""
        axis, arm = unit_rows(given["axis"]), given["arm"]
        across = np.linalg.norm(np.cross(axis, arm), axis=1)
        idle = np.flatnonzero(across <= 1e-9 * np.linalg.norm(arm, axis=1))
        if len(idle):
            return None, [
                f"legs.arm: the arm of leg {i + 1} lies along its axis: the crank moves nothing" for i in idle
            ]
        rod = given.get("rod_length", np.linalg.norm(b_home - points_B - arm, axis=1))
        legs = cls(b_P=b_P, c_B=points_B, n_B=axis, r_B=arm, rod_length=rod, branch=np.ones(6))
        branch, problems = branch_at_home(legs, b_home, given.get("branch"))
        return replace(legs, branch=branch), problems

    @cached_property
    def _circle(self) -> tuple[Array, Array]:
        """Centres of the feet's circles and arms perpendicular to the axes, (6, 3) each [m]."""
        along = np.sum(self.r_B * self.n_B, axis=-1, keepdims=True) * self.n_B
        return read_only(self.c_B + along), read_only(self.r_B - along)

    def ranging(self, low: Array, high: Array, b_home: Array) -> RUS:
        """See `Legs.ranging`."""
        with np.errstate(invalid="ignore"):
            middle = low + 0.5 * (high - low)
        if not (is_range := np.isfinite(middle)).all():
            q_home = replace(self, middle=np.zeros(6)).joints_at(b_home)
            middle = np.where(is_range, middle, np.nan_to_num(q_home))
        return self if np.array_equal(middle, self.middle) else replace(self, middle=middle)

    def table(self) -> Array:
        """See `Legs.table`."""
        centre, arm = self._circle
        table = self._blank()
        table[ANCHOR : ANCHOR + 3] = centre.T
        table[AXIS : AXIS + 3] = self.n_B.T
        table[ARM : ARM + 3] = arm.T
        table[ARM_NORMAL : ARM_NORMAL + 3] = np.cross(self.n_B, self.r_B).T
        table[ROD] = self.rod_length
        table[BRANCH], table[MIDDLE] = self.branch, self.middle
        return table

    def rest(self) -> Array:
        """See `Legs.rest`."""
        return np.asarray(self.c_B + self.r_B)

    def rod(self) -> Array | None:
        """See `Legs.rod`."""
        return self.rod_length

    def driven_points(self, q: Array) -> Array:
        """See `Legs.driven_points`."""
        angle = np.asarray(q)[..., None]
        centre, arm = self._circle
        return np.asarray(centre + np.cos(angle) * arm + np.sin(angle) * np.cross(self.n_B, self.r_B))

    def carriers(self, q: Array) -> Array:
        """See `Legs.carriers`: cranks, z along the axis, x along the arm perpendicular to it."""
        angle = np.asarray(q)[..., None]
        arm = unit_rows(self._circle[1])
        normal = np.cross(self.n_B, arm)
        frames = np.broadcast_to(np.eye(4), (*np.shape(q), 4, 4)).copy()
        frames[..., :3, 0] = np.cos(angle) * arm + np.sin(angle) * normal
        frames[..., :3, 1] = np.cos(angle) * normal - np.sin(angle) * arm
        frames[..., :3, 2] = self.n_B
        frames[..., :3, 3] = self.c_B
        return frames

    def carrier_twist(self) -> Array:
        """See `Legs.carrier_twist`."""
        return np.concatenate([np.zeros((6, 3)), self.n_B], axis=1)

    def enclosure(self, b_B: Array, radius: Array) -> Enclosure:
        """See `Legs.enclosure`."""
        return crank_enclosure(self, b_B, radius)


class _About(NamedTuple):
    """Bounds about q: joint coordinates within `half`, rod directions within `u_shift` of u, feet within `p_shift`."""

    q: Array
    half: Array
    u: Array
    u_shift: Array
    p_shift: Array


def crank_enclosure(cranks: RUS, b_B: Array, radius: Array) -> Enclosure:
    """Bounds while the platform joints stay within `radius` (..., 1) of b_B (..., 6, 3) [m]."""
    arm, to_joint = (np.linalg.norm(x, axis=-1) for x in (cranks._circle[1], b_B - cranks._circle[0]))
    radius = np.minimum(radius, to_joint + arm + cranks.rod_length)  # beyond that no place of the joint closes the leg
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


def _coarse(cranks: RUS, b_B: Array, radius: Array) -> tuple[Array, Array, Array, _About]:
    """The centre's q (NaN where the leg is open), lowest and highest C, and bounds from ranges of rho, phi and z."""
    r = np.linalg.norm(cranks._circle[1], axis=-1)
    d = b_B - cranks._circle[0]
    z = np.abs(np.sum(d * cranks.n_B, axis=-1))
    e, f = (np.sum(d * side, axis=-1) / r for side in (cranks._circle[1], np.cross(cranks.n_B, cranks._circle[1])))
    rho, phi = np.hypot(e, f), np.arctan2(f, e)
    low, high = _cosines(
        cranks, r, (np.maximum(rho - radius, 0.0), rho + radius), np.maximum(z - radius, 0.0), z + radius
    )
    least, most = np.arccos(np.clip(high, -1.0, 1.0)), np.arccos(np.clip(low, -1.0, 1.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        # phi of a ball at distance rho from the axis; any angle where the axis passes through the ball
        swing = np.where(rho > radius, np.arcsin(np.minimum(radius / rho, 1.0)), np.pi)
        q_centre = phi + cranks.branch * np.arccos((rho**2 + z**2 + r**2 - cranks.rod_length**2) / (2.0 * r * rho))
    q = phi + cranks.branch * (least + most) / 2.0
    half = np.minimum(swing + (most - least) / 2.0, np.pi)
    p_shift = 2.0 * r * np.sin(half / 2.0)  # chord of the foot's arc
    u = (b_B - cranks.driven_points(q)) / cranks.rod_length[:, None]
    return q_centre, low, high, _About(q, half, u, (radius + p_shift) / cranks.rod_length, p_shift)


def _sharp(cranks: RUS, b_B: Array, radius: Array, q_centre: Array, coarse: _About) -> tuple[_About, NDArray[np.bool_]]:
    """Bounds by the mean value theorem, and where they hold and are better than the coarse ones."""
    r = np.linalg.norm(cranks._circle[1], axis=-1)
    path = np.cross(cranks.n_B, cranks.driven_points(coarse.q) - cranks._circle[0]) / r[:, None]
    # Smallest cos g over the coarse bounds: rod and path may each turn from the middle.
    cosine = np.abs(np.sum(coarse.u * path, axis=-1)) - coarse.u_shift - 2.0 * np.sin(coarse.half / 2.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        travel = radius / cosine
        is_sharp = (cosine > 0) & np.isfinite(q_centre) & (travel < coarse.p_shift)
    u = (b_B - cranks.driven_points(q_centre)) / cranks.rod_length[:, None]
    return _About(q_centre, travel / r, u, travel / cranks.rod_length, travel), is_sharp


def _cosines(cranks: RUS, r: Array, rho: tuple[Array, Array], z_low: Array, z_high: Array) -> tuple[Array, Array]:
    """Lowest and highest C (..., 6) over ranges of rho and z; infinite where rho = 0 is among them."""
    k_low, k_high = (z * z + r * r - cranks.rod_length**2 for z in (z_low, z_high))
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = [
            [np.where(x > 0, (x * x + k) / (2.0 * r * x), sign * np.inf) for x in rho]
            for k, sign in ((k_low, -1.0), (k_high, 1.0))
        ]
    turn = np.sqrt(np.maximum(k_low, 0.0))
    has_minimum = (k_low > 0) & (turn > rho[0]) & (turn < rho[1])
    return np.where(has_minimum, turn / r, np.minimum(*ends[0])), np.maximum(*ends[1])
