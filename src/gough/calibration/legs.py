"""Leg equations of imperfect legs, with their derivatives by the errors of each leg.

For every kind | t + R b - p | = L holds with p and L of the true joint coordinate x, and x follows from the reading r
of the joint by the drive's curve,

    x = r + zero + gain d + curvature d^2 + sine sin(w d) + cosine cos(w d),      d = r - middle, w = 2 pi / period

A leg's errors are columns in the order of `LegErrors.names`; all are zero on the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, nearest
from gough.legs import PUS, RUS, UPS, Legs
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.machine_parts import Encoders

GROUPS = {
    "base_points": ("base point {} x", "base point {} y", "base point {} z"),
    "platform_points": ("platform point {} x", "platform point {} y", "platform point {} z"),
    "rod_lengths": ("rod length {}",),
    "joint_zeros": ("zero {}",),
    "guides": ("guide {} first", "guide {} second"),
    "axes": ("axis {} first", "axis {} second"),
    "arms": ("arm {}",),
    "gains": ("gain {}",),
    "curvatures": ("curvature {}",),
    "once_per_turn": ("sine {}", "cosine {}"),
}
"""Groups of errors and the names of the errors of a leg, "{}" being its number. A base point moves the whole drive."""

DRIVE = ("gains", "curvatures", "once_per_turn")
"""Groups of the drive's curve, estimated on request."""
PARTS = ("base_points", "platform_points", "rod_lengths", "guides", "axes", "arms")
"""Groups of the errors of parts; the others are of readings."""
_KIND = {"UPS": (), "PUS": ("rod_lengths", "guides"), "RUS": ("rod_lengths", "axes", "arms")}
DEFAULT = {
    "UPS": ("base_points", "platform_points", "joint_zeros"),
    "PUS": ("base_points", "platform_points", "rod_lengths", "guides"),
    "RUS": ("base_points", "platform_points", "rod_lengths", "joint_zeros", "axes", "arms"),
}
"""Groups estimated by default. Sliders have no zero: it is their base point moved along the guide."""


def groups_of(machine: Machine, chosen: Sequence[str] | None) -> tuple[str, ...]:
    """Return the chosen groups in the order of `GROUPS`, default: all of the leg kind; `InputError` for a group that
    it lacks."""
    kind = machine.legs.kind
    if chosen is None:
        return DEFAULT[kind]
    known = ("base_points", "platform_points", "joint_zeros", *_KIND[kind], *DRIVE)
    for name in chosen:
        if name not in known:
            raise InputError(
                f"parameters: {kind} legs have no {name!r}; expected {', '.join(known)}.{nearest(name, known)}"
            )
    return tuple(name for name in GROUPS if name in chosen)


class Feet(NamedTuple):
    """Driven points p and rod lengths L of all legs, with their derivatives.

    Attributes
    ----------
    p, p_x : (n, 6, 3) array
        Driven points [m], and their derivatives by the true joint coordinate x.
    L : (n or 1, 6) array
        Rod lengths [m].
    L_x : float
        Derivative of L by x: 1 for struts, otherwise 0.
    p_errors : mapping of str to (n, 6, 3, k) array
        Derivatives of p by groups of errors other than the base points [SI].

    """

    p: Array
    p_x: Array
    L: Array
    L_x: float
    p_errors: dict[str, Array]


@dataclass(frozen=True, eq=False)
class LegErrors:
    """The errors of a machine's legs that a calibration estimates.

    Attributes
    ----------
    machine : Machine
        As drawn.
    groups : tuple of str
        Groups of errors that are estimated, of `GROUPS`.
    middle : (6,) array
        Reading at which gain and curvature have no effect, and tilts of guides and axes leave driven points in place:
        the middle of the travel [m or rad].
    period : (6,) array
        Change of the reading in one motor turn [m or rad]; NaN where not known.

    """

    machine: Machine
    groups: tuple[str, ...]
    middle: Array
    period: Array

    @cached_property
    def places(self) -> dict[str, slice]:
        """Columns of each group."""
        found, start = {}, 0
        for name in self.groups:
            found[name] = slice(start, start + len(GROUPS[name]))
            start += len(GROUPS[name])
        return found

    @property
    def count(self) -> int:
        """Number of errors of one leg."""
        return sum(len(GROUPS[name]) for name in self.groups)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all errors, leg by leg."""
        return tuple(text.format(i) for i in range(1, 7) for name in self.groups for text in GROUPS[name])

    @cached_property
    def group_of(self) -> tuple[str, ...]:
        """The group of each error of one leg."""
        return tuple(name for name in self.groups for _ in GROUPS[name])

    def part(self, errors: Array, name: str) -> Array:
        """Return errors (6, k) of a group; zeros where it is not estimated."""
        return errors[:, self.places[name]] if name in self.places else np.zeros((6, len(GROUPS[name])))

    def encoders(self, errors: Array) -> Encoders:
        """Return the drives' curves with errors (6, count) added to the machine's own curves."""
        wave, own = self.part(errors, "once_per_turn"), self.machine.encoders or Encoders()
        return Encoders(
            zero=own.zero + self.part(errors, "joint_zeros")[:, 0],
            gain=own.gain + self.part(errors, "gains")[:, 0],
            curvature=own.curvature + self.part(errors, "curvatures")[:, 0],
            sine=own.sine + wave[:, 0],
            cosine=own.cosine + wave[:, 1],
            middle=self.middle,
            period=self.period,
        )

    def feet(self, errors: Array, r: Array) -> Feet:
        """Return driven points and rod lengths at readings r (n, 6) with errors (6, count)."""
        return _FEET[self.machine.legs.kind](self, errors, self.encoders(errors).coordinates(r))

    def equations(self, errors: Array, X: Array, feet: Feet) -> tuple[Array, Array]:
        """Return residuals (n, 6) of | t + R b - p | - L [m] at poses X (n, 4, 4), and derivatives by twists (n, 6,
        6)."""
        rho, length, u = self._rods(errors, X, feet.p)
        return length - feet.L, _screws(u, rho)

    def derivatives(self, errors: Array, X: Array, r: Array) -> tuple[Array, Array, Array]:
        """Return derivatives of those residuals by twists (n, 6, 6), errors (n, 6, count) and readings (n, 6)."""
        feet = self.feet(errors, r)
        rho, _, u = self._rods(errors, X, feet.p)
        by_errors = np.zeros((*r.shape, self.count))
        # | d | changes by u . dd: d = t + R b - p grows with b and falls with p, and L is subtracted.
        own = {name: -np.einsum("nij,nijk->nik", u, values) for name, values in feet.p_errors.items()}
        own |= {"base_points": -u, "platform_points": u @ X[:, :3, :3], "rod_lengths": np.array(-1.0)}
        by_x = -np.einsum("nij,nij->ni", u, feet.p_x) - feet.L_x
        own |= {name: by_x[..., None] * terms for name, terms in self._by_drive(r).items()}
        for name, place in self.places.items():
            by_errors[..., place] = own[name]
        return _screws(u, rho), by_errors, by_x * self.encoders(errors).rates(r)

    def _rods(self, errors: Array, X: Array, p: Array) -> tuple[Array, Array, Array]:
        """Arms R b of the platform points in base axes, rod lengths |d| and directions u, with d = t + R b - p."""
        rho = (self.machine.b_P + self.part(errors, "platform_points")) @ np.swapaxes(X[:, :3, :3], 1, 2)
        d = rho + X[:, None, :3, 3] - p
        length = np.sqrt(np.einsum("nij,nij->ni", d, d))
        return rho, length, d / length[..., None]

    def _by_drive(self, r: Array) -> dict[str, Array]:
        """Derivatives (n, 6, k) of the joint coordinates x by each group of the drive's errors."""
        d = r - self.middle
        terms = {"joint_zeros": np.ones_like(d)[..., None], "gains": d[..., None], "curvatures": (d * d)[..., None]}
        if "once_per_turn" in self.places:
            angle = 2.0 * np.pi * d / self.period
            terms["once_per_turn"] = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
        return terms

    def machine_with(self, errors: Array) -> Machine:
        """Return the machine with these errors (6, count) in its legs, encoders and joint limits."""
        m, curve = self.machine, self.encoders(errors)
        legs, before = m.legs, m.encoders or Encoders()
        b_P = legs.b_P + self.part(errors, "platform_points")
        moved = self.part(errors, "base_points")
        zero = self.part(errors, "joint_zeros")[:, 0]
        built: Legs
        if isinstance(legs, PUS):
            g = _tilted(legs.g_B, self.part(errors, "guides"))[0]
            rod = legs.rod_length + self.part(errors, "rod_lengths")[:, 0]
            # Zeros of sliders and cranks are built into the geometry, x' = x - zero, and leave the drive's curve.
            curve = replace(curve, zero=curve.zero - zero)
            a = legs.driven_points(self.middle) + moved + (zero - self.middle)[:, None] * g
            built = replace(legs, b_P=b_P, a_B=a, g_B=g, rod_length=rod)
        elif isinstance(legs, RUS):
            n = _tilted(legs.n_B, self.part(errors, "axes"))[0]
            r = _arms(legs, self.part(errors, "arms")[:, 0])
            rod = legs.rod_length + self.part(errors, "rod_lengths")[:, 0]
            curve = replace(curve, zero=curve.zero - zero)
            r = _turned(n, (zero - self.middle)[None], _turned(legs.n_B, self.middle[None], r)[0])[0]
            built = replace(legs, b_P=b_P, c_B=legs.c_B + moved, n_B=n, r_B=r, rod_length=rod)
        else:
            assert isinstance(legs, UPS)
            built = replace(legs, b_P=b_P, a_B=legs.a_B + moved)
        # Joint limits are switches at readings, so their joint coordinates change with the drive's curve.
        low, high = (curve.moved(before, end) for end in (m.limits.joint_min, m.limits.joint_max))
        limits = replace(m.limits, joint_min=low, joint_max=high)
        return replace(m, legs=built, limits=limits, encoders=curve if curve.is_needed else None)


def _tilted(axes: Array, errors: Array) -> tuple[Array, Array]:
    """Unit vectors (6, 3) tilted by errors (6, 2) [rad] across them, and derivatives (6, 3, 2)."""
    B = across(axes)
    # The unit vector u = a / |a| of a = axis + B errors differentiates as (B - u u^T B) / |a|.
    a = axes + np.einsum("ijk,ik->ij", B, errors)
    length = np.linalg.norm(a, axis=1)
    unit = a / length[:, None]
    along = unit[:, :, None] * np.einsum("ij,ijk->ik", unit, B)[:, None]
    return unit, (B - along) / length[:, None, None]


def across(axes: Array) -> Array:
    """Return two unit vectors across each axis, as columns (6, 3, 2)."""
    helper = np.eye(3)[np.argmin(np.abs(axes), axis=1)]  # the coordinate axis that is farthest from parallel
    first = unit_rows(np.cross(axes, helper))
    return np.stack([first, np.cross(axes, first)], axis=-1)


def _arms(legs: RUS, longer: Array) -> Array:
    """Crank arms (6, 3) at x = 0, each longer by (6,) [m]."""
    return np.asarray(legs.r_B + longer[:, None] * unit_rows(legs.r_B))


def _turned(n: Array, x: Array, r: Array) -> Array:
    """Arms (k, 6, 3) turned about axes by angles x (k, 6): Rodrigues' formula."""
    c, s = np.cos(x)[..., None], np.sin(x)[..., None]
    return np.asarray(c * r + s * np.cross(n, r) + (1.0 - c) * np.sum(n * r, axis=-1, keepdims=True) * n)


def _strut_feet(model: LegErrors, errors: Array, x: Array) -> Feet:
    """Struts: p = a, L = x."""
    p = model.machine.legs.driven_points(x) + model.part(errors, "base_points")
    return Feet(p, np.zeros_like(p), x, 1.0, {})


def _slider_feet(model: LegErrors, errors: Array, x: Array) -> Feet:
    """Sliders: p = a + x g, L = l; tilts of the guide leave p in place at `middle`."""
    legs = model.machine.legs
    assert isinstance(legs, PUS)
    g, by_guides = _tilted(legs.g_B, model.part(errors, "guides"))
    far = x - model.middle
    p = legs.driven_points(model.middle) + model.part(errors, "base_points") + far[..., None] * g
    rods = legs.rod_length + model.part(errors, "rod_lengths")[:, 0]
    return Feet(p, np.broadcast_to(g, p.shape), rods, 0.0, {"guides": far[..., None, None] * by_guides})


def _crank_feet(model: LegErrors, errors: Array, x: Array) -> Feet:
    """Cranks: p = c + Rot(n, x) r, L = l; arms have errors along them; tilts of axes leave p in place at `middle`."""
    legs = model.machine.legs
    assert isinstance(legs, RUS)
    n, n_errors = _tilted(legs.n_B, model.part(errors, "axes"))
    r, unit = (
        _turned(legs.n_B, model.middle[None], each)[0]
        for each in (_arms(legs, model.part(errors, "arms")[:, 0]), unit_rows(legs.r_B))
    )
    x = x - model.middle
    arm = _turned(n, x, r)
    # Rodrigues' formula, c r + s n x r + (1 - c) (n . r) n, differentiated by n.
    s, k = np.sin(x)[..., None, None], (1.0 - np.cos(x))[..., None, None]
    n_errors_r = np.einsum("ijk,ij->ik", n_errors, r)
    along = np.sum(n * r, axis=-1)[:, None, None] * n_errors + n[:, :, None] * n_errors_r[:, None]
    p_errors = {
        "arms": _turned(n, x, unit)[..., None],
        "axes": s * np.cross(n_errors, r[:, :, None], axis=1) + k * along,
    }
    rods = legs.rod_length + model.part(errors, "rod_lengths")[:, 0]
    p = legs.c_B + model.part(errors, "base_points") + arm
    return Feet(p, np.cross(np.broadcast_to(n, arm.shape), arm), rods, 0.0, p_errors)


_FEET = {"UPS": _strut_feet, "PUS": _slider_feet, "RUS": _crank_feet}


def _screws(u: Array, rho: Array) -> Array:
    """Rods as screws [u, rho x u] (n, 6, 6), in a third of the time that `numpy.cross` takes."""
    both = np.empty((*u.shape[:-1], 6))  # the derivative of |d| by the twist: u . (v + w x rho)
    both[..., :3] = u
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        both[..., 3 + i] = rho[..., j] * u[..., k] - rho[..., k] * u[..., j]
    return both
