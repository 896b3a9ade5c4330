"""Compiled functions of legs of any kind: the kind's `code` chooses among the functions of the three."""

from __future__ import annotations

from gough._compile import inline
from gough.arrays import Array, Four, Nine, Three
from gough.legs import pus, rus, ups
from gough.legs.leg import PLATFORM

_UPS, _PUS = ups.UPS.code, pus.PUS.code
# The kinds' modules keep plain functions, so that loading a machine imports no compiler; here they become helpers.
_ups_inverse, _pus_inverse, _rus_inverse = inline(ups.inverse), inline(pus.inverse), inline(rus.inverse)
_ups_point, _pus_point, _rus_point = (inline(kind.driven_point) for kind in (ups, pus, rus))
_ups_drive, _pus_drive, _rus_drive = (inline(kind.drive) for kind in (ups, pus, rus))
_ups_rate, _pus_rate, _rus_rate = (inline(kind.drive_rate) for kind in (ups, pus, rus))
_ups_reach, _pus_reach, _rus_reach = (inline(kind.reach) for kind in (ups, pus, rus))
_ups_carried, _pus_carried, _rus_carried = (inline(kind.carried) for kind in (ups, pus, rus))


@inline
def rotated(T: Array, R: Nine, i: int) -> Three:
    """Arm R b of platform joint i, for a rotation row by row: scalars, which LLVM vectorises."""
    b0, b1, b2 = T[PLATFORM, i], T[PLATFORM + 1, i], T[PLATFORM + 2, i]
    return (
        R[0] * b0 + R[1] * b1 + R[2] * b2,
        R[3] * b0 + R[4] * b1 + R[5] * b2,
        R[6] * b0 + R[7] * b1 + R[8] * b2,
    )


@inline
def inverse(code: int, T: Array, i: int, x: float, y: float, z: float) -> float:
    """Joint coordinate of leg i with its platform joint at (x, y, z) in the base frame; NaN where there is none."""
    if code == _UPS:
        return _ups_inverse(T, i, x, y, z)
    if code == _PUS:
        return _pus_inverse(T, i, x, y, z)
    return _rus_inverse(T, i, x, y, z)


@inline
def inverse_six(code: int, T: Array, R: Nine, t: Three, q: Array, k: int) -> None:
    """Joint coordinates q[k] of all legs for the rotation R (row by row) and the position t.

    A loop for each kind, of scalars only, so that LLVM vectorises it over the legs: half the time of a loop over
    `inverse`.
    """
    t0, t1, t2 = t
    if code == _UPS:
        for i in range(6):
            x, y, z = rotated(T, R, i)
            q[k, i] = _ups_inverse(T, i, t0 + x, t1 + y, t2 + z)
    elif code == _PUS:
        for i in range(6):
            x, y, z = rotated(T, R, i)
            q[k, i] = _pus_inverse(T, i, t0 + x, t1 + y, t2 + z)
    else:
        for i in range(6):
            x, y, z = rotated(T, R, i)
            q[k, i] = _rus_inverse(T, i, t0 + x, t1 + y, t2 + z)


@inline
def driven_point(code: int, T: Array, i: int, q: float) -> Four:
    """p(q) and L(q) of leg i."""
    if code == _UPS:
        return _ups_point(T, i, q)
    if code == _PUS:
        return _pus_point(T, i, q)
    return _rus_point(T, i, q)


@inline
def drive(code: int, T: Array, i: int, q: float) -> Four:
    """p'(q) and L'(q) of leg i."""
    if code == _UPS:
        return _ups_drive(T, i, q)
    if code == _PUS:
        return _pus_drive(T, i, q)
    return _rus_drive(T, i, q)


@inline
def drive_rate(code: int, T: Array, i: int, q: float) -> Four:
    """p''(q) and L''(q) of leg i."""
    if code == _UPS:
        return _ups_rate(T, i, q)
    if code == _PUS:
        return _pus_rate(T, i, q)
    return _rus_rate(T, i, q)


@inline
def reach(code: int, T: Array, i: int, x: float, y: float, z: float) -> float:
    """Signed distance of the platform joint of leg i to where the leg cannot close [m]."""
    if code == _UPS:
        return _ups_reach(T, i, x, y, z)
    if code == _PUS:
        return _pus_reach(T, i, x, y, z)
    return _rus_reach(T, i, x, y, z)


@inline
def carried(code: int, T: Array, i: int, q: float, x: float, y: float, z: float) -> Three:
    """Direction (x, y, z), fixed to the part that holds the base joint of leg i, at joint coordinate q."""
    if code == _UPS:
        return _ups_carried(T, i, q, x, y, z)
    if code == _PUS:
        return _pus_carried(T, i, q, x, y, z)
    return _rus_carried(T, i, q, x, y, z)
