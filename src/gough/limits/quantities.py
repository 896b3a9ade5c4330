"""Every limited quantity of a pose, once: a function that is not negative where its limit is kept.

The functions are written with NumPy's arithmetic alone: at poses they take arrays, over boxes of poses Taylor models
(`gough.regions.models`), whose lower bounds prove limits. Each is smooth and cheap and has the sign of a margin of
`gough.margins`, from which a monotonic function, `Limited.margin`, takes it back to that margin: squares instead of
lengths, scalar products instead of angles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools
from gough.legs.leg import MIDDLE
from gough.legs.pus import PUS
from gough.legs.rus import RUS
from gough.legs.ups import UPS
from gough.limits import _margins as layout
from gough.limits._margins import LimitArrays
from gough.limits.rods import Pose, Quantity, Rods, dot

HALF = 0.5
"""Part of a limit's tolerance that a quantity uses: the rest covers the nonlinearity between both."""


class Limited(NamedTuple):
    """A limited quantity.

    `place`: its place in the layout of all margins, of the first leg where every leg has one. `value` (n,): not
    negative where the limit is kept. `margin`: the margin (n,) of a value, or a lower bound of it from one of the
    value [SI]. `per_margin` (n,): lower bound of |value| / |margin| near zero, for the limit's tolerance. `most`: a
    quantity that is negative only where the limit is broken, where that does not hold for `value`. `is_exact`: whether
    there is one of both, of limits that are not those of legs and tool, which have one always.
    """

    place: int
    value: Quantity
    margin: Callable[[Array], Array]
    per_margin: Array | float = HALF
    most: Callable[[], Quantity] | None = None
    is_exact: bool = False


def bounds_of(size: Quantity) -> tuple[Array, Array]:
    """Return the smallest and largest values over boxes (n,) of a nonnegative quantity; at poses both are its value."""
    if not hasattr(size, "change"):
        return size, size
    with np.errstate(invalid="ignore"):
        low, high = size.value - size.change, size.value + size.change
    return np.maximum(np.nan_to_num(low, nan=0.0), 0.0), np.nan_to_num(high, nan=np.inf)


def per_size(v: Array, least: Array, largest: Array) -> Array:
    """Lower bound (n,) of v over a size."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(v == 0, 0.0, v / np.where(v > 0, largest, least))


def strokes(limits: LimitArrays, rods: Rods) -> Iterator[Limited]:
    """Yield joint travel.

    By the closure |b - p(q)|^2 - L^2 at the ends of travel, which needs no root: positive where a strut is longer, and
    for a rod beyond its end on the branch's side, if its derivative times the branch is positive. Elsewhere by q.
    """
    for place, row, sign in ((layout.SHORTEST, layout.LOW, -1.0), (layout.LONGEST, layout.HIGH, 1.0)):
        end = limits.L[row, rods.i]
        finite = np.isfinite(end)
        end = np.where(finite, end, 0.0)
        if rods.code == UPS.code:
            yield _stroke(place, end, sign, rods)
        elif not hasattr(rods.e, "value"):
            yield Limited(place, (end - rods.q) * sign, lambda v: v)
        else:
            yield _travel(place, end, sign, finite, rods)


def _stroke(place: int, end: Array, sign: float, rods: Rods) -> Limited:
    """A strut's length above or below an end, by its square."""
    least = np.maximum(end, 0.0)
    scale = np.where(least > 0, 2.0 * least, 1.0)
    value = (rods.square * (1 / scale) - least * (least / scale)) * -sign
    return Limited(place, value, lambda v: sign * (end - _root(least**2 - sign * scale * v)))


def _travel(place: int, end: Array, sign: float, finite: Bools, rods: Rods) -> Limited:
    """A rod's joint coordinate above or below an end, over boxes.

    With F the closure at the end and s the branch, q is on the end's inside where s F has the right sign, if the end is
    on the branch's side of the platform joint, s F' > 0. Where it is not, q is inside of itself: unless a crank's angle
    jumps by a whole turn between, so that either sign proves the limit if it does not (`_has_no_jump`).
    """
    closure, slope = rods.closure(end)
    s, is_crank = rods.branch, rods.code == RUS.code
    across, beyond = slope * s, closure * (sign * s)
    with np.errstate(all="ignore"):
        size = np.sqrt(rods.polar.value + rods.polar.change) if is_crank else rods.rod
        is_real, no_jump = _has_no_jump(end, sign, closure, size, rods)
        by_closure = ~finite | is_real & (across.value - across.change > 0) | no_jump[0]
        better = -across.value / across.change > beyond.value / beyond.change
        by_side = finite & no_jump[1] & (better | ~by_closure)
    value = np.where(by_side, across * -1.0, beyond) if by_side.any() else beyond
    is_clear = by_closure | by_side
    if not is_clear.all():
        value = np.where(is_clear, value, (end - rods.q) * sign)

    def margin(v: Array) -> Array:
        if is_crank:
            # Of the angle by chords; below zero no more than that it is within half a turn of the middle.
            known = np.where(by_side, v / (2 * size), 2 * np.arcsin(np.clip(v / (4 * size), -1.0, 1.0)))
            known = np.where(v >= 0, known, (end - rods.T[MIDDLE, rods.i]) * sign - np.pi)
        else:
            known = np.where(by_side, v / 2, _slider_margin(v, across, sign * s < 0))
        return np.where(is_clear, known, v)

    return Limited(place, value, margin, np.where(is_clear, 0.0, HALF), lambda: (end - rods.q) * sign)


def _slider_margin(v: Array, across: Quantity, inner: Bools) -> Array:
    """Lower bound of a slider's margin: with a the distance from the foot of the perpendicular to the end,
    a - sqrt(a^2 - v) or, at the inner end, sqrt(a^2 + v) - a, at the ends of the range of a."""
    found = np.where(v >= 0, np.inf, -_root(-v))
    for a in ((across.value - across.change) / 2, (across.value + across.change) / 2):
        at = np.where(inner, _root(a * a + v) - a, a - _root(a * a - v))
        found = np.where((v >= 0) & (a < (across.value + across.change) / 2), found, np.minimum(found, at))
    return found


def _has_no_jump(
    end: Array, sign: float, closure: Quantity, size: Array, rods: Rods
) -> tuple[Bools, tuple[Bools, Bools]]:
    """Whether an end counts; and whether the closure alone, and the end's side alone, prove travel over boxes.

    A crank's angle q is counted within half a turn of the middle of its range, H from the end. With t the angle from
    the end to the platform joint, P = 2 h cos(end) + 2 f sin(end) = 2 size cos(t): at an end that the branch turns away
    from, q stays within half a turn of it where k > 0, and for its side where P > 0 too; at one that it turns to, if
    t > pi - H.
    """
    inner = sign * rods.branch < 0
    if rods.code != RUS.code:
        return np.ones(end.shape, dtype=bool), (inner, inner)
    H = (end - rods.T[MIDDLE, rods.i]) * sign
    P = rods.k * 2.0 - closure
    is_short = inner & (rods.k.value - rods.k.change > 0)
    is_far = ~inner & (P.value + P.change + 2 * size * np.cos(np.clip(H, 0.0, np.pi)) < 0)
    is_real = H >= 0
    side = is_short & (P.value - P.change > 0) | is_far
    return is_real, (is_real & (is_short | is_far), is_real & side)


def _root(square: Array) -> Array:
    return np.sqrt(np.maximum(square, 0.0))


def reach(rods: Rods) -> Iterator[Limited]:
    """Reach of rods: of cranks to the nearest and the farthest point of the circle of the foot."""
    rod = rods.rod
    if rods.code == PUS.code:
        yield Limited(layout.REACH, rods.w * (0.5 / rod), lambda v: rod - _root(rod**2 - 2 * rod * v))
    if rods.code == RUS.code:
        across, per = np.sqrt(rods.polar), 1 / rod
        yield Limited(layout.REACH, (across - rods.k) * per, lambda v: rod - _root(rod**2 - 2 * rod * v))
        yield Limited(layout.REACH, (across + rods.k) * per, lambda v: _root(rod**2 + 2 * rod * v) - rod)


def directions(limits: LimitArrays, rods: Rods) -> Iterator[Limited]:
    """Yield cones of joints and angles to plates, by the scalar product of the rod with an axis."""
    L, G, i = limits.L, limits.G, rods.i
    ends = bounds_of(rods.length)

    def by_cosine(place: int, along: Quantity, angle: Array, most: Array, spare: Array) -> Limited:
        """D . a - |d| cos(angle), with the margin most - spare less the angle between d and a."""
        cosine = np.cos(angle)

        def margin(v: Array) -> Array:
            return most - _angle(cosine + per_size(v, *ends)) - spare

        return Limited(place, along - rods.length * cosine, margin, HALF * np.sin(angle) * ends[0])

    for place, axis, row, along in (
        (layout.BASE_CONE, layout.BASE_AXIS, layout.BASE_HALF, rods.along_carrier),
        (layout.PLATFORM_CONE, layout.PLATFORM_AXIS, layout.PLATFORM_HALF, rods.along_platform),
    ):
        if limits.wanted[place]:
            half = L[row, i]
            yield by_cosine(place, along(L[axis : axis + 3, i]), np.minimum(half, np.pi), half, np.zeros(i.shape))
    for place, first, row, along in (
        (layout.BASE_PLATE, layout.BASE_NORMAL, layout.BASE_MIN, rods.along_base),
        (layout.PLATFORM_PLATE, layout.PLATFORM_NORMAL, layout.PLATFORM_MIN, rods.along_platform),
    ):
        if limits.wanted[place]:
            normal, least = np.multiply.outer(G[first : first + 3], np.ones(i.shape)), L[row, i]
            angle = np.pi / 2 - np.maximum(least, -np.pi / 2)
            yield by_cosine(place, along(normal), angle, np.full(i.shape, np.pi / 2), least)


def _angle(cosine: Array) -> Array:
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def leg_limits(limits: LimitArrays, rods: Rods) -> Iterator[Limited]:
    """Yield limits of legs."""
    yield from reach(rods)
    if limits.wanted[layout.SHORTEST] or limits.wanted[layout.LONGEST]:
        yield from strokes(limits, rods)
    yield from directions(limits, rods)


def tool_limits(limits: LimitArrays, pose: Pose) -> Iterator[Limited]:
    """Yield limits of the tool's position and orientation."""
    G, wanted = limits.G, limits.wanted

    def vector(first: int) -> Array:
        return G[first : first + 3, None]

    if wanted[layout.BOX : layout.TILT].any():
        tool = pose.p + pose.turned(vector(layout.TOOL) - pose.about[:, None])
        for k in range(6):
            if wanted[layout.BOX + k]:
                side, sign = G[layout.BOX_SIDES + k], 1.0 if k % 2 == 0 else -1.0
                yield Limited(layout.BOX + k, (tool[k // 2] - side) * sign, lambda v: v)
        if wanted[layout.RADIUS]:
            radius = G[layout.RADIUS_MAX]
            scale = 2 * radius if radius > 0 else 1.0
            x, y = tool[0] - G[layout.TOOL_HOME], tool[1] - G[layout.TOOL_HOME + 1]
            value = radius * (radius / scale) - (x * x + y * y) * (1 / scale)
            yield Limited(layout.RADIUS, value, lambda v: radius - _root(radius**2 - scale * v))
    if wanted[layout.TILT]:
        tilt = G[layout.TILT_MAX]
        angle = min(tilt, np.pi)
        value = dot(pose.turned(vector(layout.TOOL_AXIS)), vector(layout.TOOL_AXIS_HOME)) - np.cos(angle)
        yield Limited(layout.TILT, value, lambda v: tilt - _angle(np.cos(angle) + v), HALF * np.sin(angle))
    if wanted[layout.ROTATION]:
        yield from _twist(G, pose)


def _twist(G: Array, pose: Pose) -> Iterator[Limited]:
    """The twist about z in both senses: with w and z of the quaternion from home, |z| <= tan(limit / 2) w."""
    home, most = G[layout.R_HOME : layout.R_HOME + 9].reshape(3, 3), G[layout.ROTATION_MAX]
    half = min(most, np.pi) / 2

    def element(a: int, b: int) -> Quantity:
        return (pose.R[a] * home[b][:, None]).sum(0)

    w, z = element(0, 0) + element(1, 1) + element(2, 2) + 1.0, element(1, 0) - element(0, 1)

    def margin(v: Array) -> Array:
        # With |(w, z)| = size the value is size sin(limit / 2 - twist / 2); the size is 4 at the most.
        at_poses = isinstance(w, np.ndarray)
        size = np.hypot(w, z) if at_poses else np.full(np.shape(v), 4.0)
        sine = np.clip(v / np.where(size > 0, size, np.inf), -1.0, 1.0)
        return most - 2 * half + np.where((v < 0) & (not at_poses), -np.pi, 2 * np.arcsin(sine))

    for sign in (1.0, -1.0):
        yield Limited(layout.ROTATION, w * np.sin(half) - z * (sign * np.cos(half)), margin, 0.0)


def all_legs(limits: LimitArrays, pose: Pose) -> Rods:
    """Return the rods of all legs (6, n)."""
    return Rods(limits.code, limits.T, np.arange(6)[:, None], pose.spread())


def jacobian(limits: LimitArrays, rods: Rods) -> Quantity:
    """Return rows (6, 6, n) of the unscaled Jacobian, [u, (R b - R c) x u / l], times the lengths of all rods; c is the
    joints' centre, l their characteristic length."""
    centre = limits.G[layout.CENTRE : layout.CENTRE + 3]
    arms = (rods.b_P - centre[:, None, None]) * (1 / limits.G[layout.LENGTH])
    return np.concatenate([rods.d, rods.moment(arms)]).swapaxes(0, 1)
