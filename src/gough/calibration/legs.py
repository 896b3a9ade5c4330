"""Driven points and rod lengths of imperfect legs, with their derivatives by what may be wrong with each leg.

For every kind | t + R b - p | = L holds with p and L of the true joint coordinate x, and x follows from the reading r
of the joint by the drive's curve,

    x = r + zero + gain d + curvature d^2 + sine sin(w d) + cosine cos(w d),      d = r - middle, w = 2 pi / period

A leg's errors are columns in the order of `LegErrors.names`; all are zero on the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.calibration.groups import DRIVE as DRIVE
from gough.calibration.groups import GROUPS as GROUPS
from gough.calibration.groups import groups_of as groups_of
from gough.legs import PUS, RUS, UPS, Legs
from gough.legs.leg import unit_rows
from gough.machine import Machine
from gough.machine_parts import Encoders


class Foot(NamedTuple):
    """Driven points (n, 6, 3), their derivatives and the rods' by joint coordinate, and by errors (n, 6, 3, k) [SI]."""

    p: Array
    p_x: Array
    L_x: float
    p_errors: dict[str, Array]


@dataclass(frozen=True, eq=False)
class LegErrors:
    """The errors of a machine's legs that a calibration looks for.

    Attributes
    ----------
    machine : Machine
        As drawn.
    groups : tuple of str
        Of `GROUPS`.
    middle : (6,) array
        Reading about which gain and curvature turn, the middle of the travel [m or rad].
    period : (6,) array
        Readings of one motor turn [m or rad]; NaN where not known.

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
        """Errors of one leg."""
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
        """Errors (6, k) of a group; zeros where it is not looked for."""
        return errors[:, self.places[name]] if name in self.places else np.zeros((6, len(GROUPS[name])))

    def encoders(self, errors: Array) -> Encoders:
        """The drives' curves with errors (6, count), added to those that the machine has already."""
        wave, has = self.part(errors, "once_per_turn"), self.machine.encoders or Encoders()
        return Encoders(
            zero=has.zero + self.part(errors, "joint_zeros")[:, 0],
            gain=has.gain + self.part(errors, "gains")[:, 0],
            curvature=has.curvature + self.part(errors, "curvatures")[:, 0],
            sine=has.sine + wave[:, 0],
            cosine=has.cosine + wave[:, 1],
            middle=self.middle,
            period=self.period,
        )

    def feet(self, errors: Array, r: Array) -> tuple[Array, Array]:
        """Driven points (n, 6, 3) and rod lengths (n or 1, 6) [m] at readings r (n, 6) with errors (6, count)."""
        return _FEET[self.machine.legs.kind].points(self, errors, self.encoders(errors).coordinates(r))

    def equations(self, errors: Array, X: Array, feet: tuple[Array, Array]) -> tuple[Array, Array]:
        """Residuals (n, 6) of | t + R b - p | - L [m], and their derivatives by twists (n, 6, 6).

        Parameters
        ----------
        errors : (6, count) array
        X : (n, 4, 4) array
            Poses of the platform in the base.
        feet : (n, 6, 3) and (n, 6) arrays
            Driven points and rod lengths, of `feet`.

        """
        p, L = feet
        rho, length, u = self._rods(errors, X, p)
        return length - L, _wrenches(u, rho)

    def derivatives(self, errors: Array, X: Array, r: Array) -> tuple[Array, Array, Array]:
        """Derivatives of those residuals by twists (n, 6, 6), errors (n, 6, count) and readings (n, 6)."""
        curve = self.encoders(errors)
        foot = _FEET[self.machine.legs.kind].derivatives(self, errors, curve.coordinates(r))
        rho, _, u = self._rods(errors, X, foot.p)
        by_errors = np.zeros((*r.shape, self.count))
        for name, values in foot.p_errors.items():
            by_errors[..., self.places[name]] = -np.einsum("nij,nijk->nik", u, values)
        for name, place in self.places.items():
            if name == "base_points":
                by_errors[..., place] = -u
            elif name == "platform_points":
                by_errors[..., place] = u @ X[:, :3, :3]
            elif name == "rod_lengths":
                by_errors[..., place] = -1.0
        by_x = -np.einsum("nij,nij->ni", u, foot.p_x) - foot.L_x
        for name, terms in self._by_drive(r).items():
            by_errors[..., self.places[name]] = by_x[..., None] * terms
        return _wrenches(u, rho), by_errors, by_x * curve.rates(r)

    def _rods(self, errors: Array, X: Array, p: Array) -> tuple[Array, Array, Array]:
        """Platform points from the platform's origin (n, 6, 3), lengths (n, 6) and directions (n, 6, 3) of the rods."""
        rho = (self.machine.b_P + self.part(errors, "platform_points")) @ np.swapaxes(X[:, :3, :3], 1, 2)
        d = rho + X[:, None, :3, 3] - p
        length = np.sqrt(np.einsum("nij,nij->ni", d, d))
        return rho, length, d / length[..., None]

    def _by_drive(self, r: Array) -> dict[str, Array]:
        """Derivatives (n, 6, k) of the joint coordinates by the errors of each group of the drive."""
        d = r - self.middle
        terms = {"joint_zeros": np.ones_like(d)[..., None], "gains": d[..., None], "curvatures": (d * d)[..., None]}
        if "once_per_turn" in self.places:
            angle = 2.0 * np.pi * d / self.period
            terms["once_per_turn"] = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
        return {name: terms[name] for name in terms if name in self.places}

    def machine_with(self, errors: Array) -> Machine:
        """The machine with these errors (6, count) built in."""
        m, curve = self.machine, self.encoders(errors)
        legs, before = m.legs, m.encoders or Encoders()
        b_P = legs.b_P + self.part(errors, "platform_points")
        moved = self.part(errors, "base_points")
        zero = self.part(errors, "joint_zeros")[:, 0]
        built: Legs
        if isinstance(legs, PUS):
            g = _tilted(legs.g_B, self.part(errors, "guides"))[0]
            rod = legs.rod_length + self.part(errors, "rod_lengths")[:, 0]
            curve = replace(curve, zero=curve.zero - zero)
            built = replace(legs, b_P=b_P, a_B=legs.a_B + moved + zero[:, None] * g, g_B=g, rod_length=rod)
        elif isinstance(legs, RUS):
            n = _tilted(legs.n_B, self.part(errors, "axes"))[0]
            r = _arms(legs, self.part(errors, "arms")[:, 0])
            rod = legs.rod_length + self.part(errors, "rod_lengths")[:, 0]
            curve = replace(curve, zero=curve.zero - zero)
            r = _turned(n, zero[None], r)[0]
            built = replace(legs, b_P=b_P, c_B=legs.c_B + moved, n_B=n, r_B=r, rod_length=rod)
        else:
            assert isinstance(legs, UPS)
            built = replace(legs, b_P=b_P, a_B=legs.a_B + moved)
        low, high = (curve.moved(before, end) for end in (m.limits.joint_min, m.limits.joint_max))
        limits = replace(m.limits, joint_min=low, joint_max=high)
        return replace(m, legs=built, limits=limits, encoders=curve if curve.is_needed else None)


def _tilted(axes: Array, errors: Array) -> tuple[Array, Array]:
    """Unit vectors (6, 3) tilted by errors (6, 2) [rad] across them, and derivatives (6, 3, 2)."""
    beside = across(axes)
    moved = axes + np.einsum("ijk,ik->ij", beside, errors)
    length = np.linalg.norm(moved, axis=1)
    unit = moved / length[:, None]
    along = unit[:, :, None] * np.einsum("ij,ijk->ik", unit, beside)[:, None]
    return unit, (beside - along) / length[:, None, None]


def across(axes: Array) -> Array:
    """Two unit vectors across each axis, as columns (6, 3, 2)."""
    helper = np.eye(3)[np.argmin(np.abs(axes), axis=1)]
    first = unit_rows(np.cross(axes, helper))
    return np.stack([first, np.cross(axes, first)], axis=-1)


def _arms(legs: RUS, longer: Array) -> Array:
    return np.asarray(legs.r_B + longer[:, None] * unit_rows(legs.r_B))


def _turned(n: Array, x: Array, r: Array) -> Array:
    """Arms (k, 6, 3) turned about axes by angles x (k, 6): Rodrigues' formula."""
    c, s = np.cos(x)[..., None], np.sin(x)[..., None]
    return np.asarray(c * r + s * np.cross(n, r) + (1.0 - c) * np.sum(n * r, axis=-1, keepdims=True) * n)


class _Struts:
    """p = a, L = x."""

    @staticmethod
    def points(model: LegErrors, errors: Array, x: Array) -> tuple[Array, Array]:
        return model.machine.legs.driven_points(x) + model.part(errors, "base_points"), x

    @classmethod
    def derivatives(cls, model: LegErrors, errors: Array, x: Array) -> Foot:
        p = cls.points(model, errors, x)[0]
        return Foot(p, np.zeros_like(p), 1.0, {})


class _Sliders:
    """p = a + x g, L = l."""

    @staticmethod
    def points(model: LegErrors, errors: Array, x: Array) -> tuple[Array, Array]:
        legs = model.machine.legs
        assert isinstance(legs, PUS)
        g = _tilted(legs.g_B, model.part(errors, "guides"))[0]
        rods = legs.rod_length + model.part(errors, "rod_lengths")[:, 0]
        return legs.a_B + model.part(errors, "base_points") + x[..., None] * g, rods

    @classmethod
    def derivatives(cls, model: LegErrors, errors: Array, x: Array) -> Foot:
        p = cls.points(model, errors, x)[0]
        g, g_errors = _tilted(model.machine.legs.g_B, model.part(errors, "guides"))  # type: ignore[attr-defined]
        by = {"guides": x[..., None, None] * g_errors} if "guides" in model.places else {}
        return Foot(p, np.broadcast_to(g, p.shape), 0.0, by)


class _Cranks:
    """p = c + Rot(n, x) r, L = l; the arm's error is along it, the axis tilts with the arm where it is."""

    @staticmethod
    def points(model: LegErrors, errors: Array, x: Array) -> tuple[Array, Array]:
        legs = model.machine.legs
        assert isinstance(legs, RUS)
        n = _tilted(legs.n_B, model.part(errors, "axes"))[0]
        rods = legs.rod_length + model.part(errors, "rod_lengths")[:, 0]
        arms = _arms(legs, model.part(errors, "arms")[:, 0])
        return legs.c_B + model.part(errors, "base_points") + _turned(n, x, arms), rods

    @classmethod
    def derivatives(cls, model: LegErrors, errors: Array, x: Array) -> Foot:
        legs = model.machine.legs
        assert isinstance(legs, RUS)
        n, n_errors = _tilted(legs.n_B, model.part(errors, "axes"))
        r = _arms(legs, model.part(errors, "arms")[:, 0])
        arm = _turned(n, x, r)
        by = {}
        if "arms" in model.places:
            by["arms"] = _turned(n, x, unit_rows(legs.r_B))[..., None]
        if "axes" in model.places:
            s, k = np.sin(x)[..., None, None], (1.0 - np.cos(x))[..., None, None]
            beside = np.einsum("ijk,ij->ik", n_errors, r)
            along = np.sum(n * r, axis=-1)[:, None, None] * n_errors + n[:, :, None] * beside[:, None]
            by["axes"] = s * np.cross(n_errors, r[:, :, None], axis=1) + k * along
        p = legs.c_B + model.part(errors, "base_points") + arm
        return Foot(p, np.cross(np.broadcast_to(n, arm.shape), arm), 0.0, by)


_FEET: dict[str, type[_Struts] | type[_Sliders] | type[_Cranks]] = {"UPS": _Struts, "PUS": _Sliders, "RUS": _Cranks}


def _wrenches(u: Array, rho: Array) -> Array:
    """[u, rho x u] (n, 6, 6); a third of the time that `numpy.cross` takes."""
    both = np.empty((*u.shape[:-1], 6))
    both[..., :3] = u
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        both[..., 3 + i] = rho[..., j] * u[..., k] - rho[..., k] * u[..., j]
    return both
