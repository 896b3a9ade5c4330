"""Parts of a machine besides its legs: rigid bodies, limits, actuators, encoders, named regions, units of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, MachinePart
from gough.checks.numbers import of_shape
from gough.errors import InputError, NotConvergedError, ShapeError

STANDARD_GRAVITY = (0.0, 0.0, -9.80665)
"""Standard acceleration of free fall, along -z of the base [m/s2]."""
LARGEST = 1e30
"""Largest mass, distance and inertia of a payload [SI]: products of two of them stay far from overflow."""
ROUND_OFF = 1e-9
"""Tolerance on the conditions of an inertia tensor, relative to its largest entry."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Body(MachinePart):
    """A rigid body.

    Attributes
    ----------
    mass : float
        [kg].
    mass_centre : (3,) array
        In the body's frame [m].
    inertia : (3, 3) array
        About the mass centre, in the axes of the body's frame [kg m2].

    """

    mass: float
    mass_centre: Array
    inertia: Array

    def seen_from(self, X: Array) -> Body:
        """Return the body in another frame, in which its own has the pose X (4, 4)."""
        R = X[:3, :3]
        return Body(mass=self.mass, mass_centre=R @ self.mass_centre + X[:3, 3], inertia=R @ self.inertia @ R.T)


@dataclass(frozen=True, eq=False, kw_only=True)
class LegBodies(MachinePart):
    """A part that every leg has: `part[i]` is that of leg i as a `Body`.

    Attributes
    ----------
    mass : (6,) array
        [kg].
    mass_centre : (6, 3) array
        In the part's frame [m].
    inertia : (6, 3, 3) array
        About the mass centre, in the axes of the part's frame [kg m2].

    """

    mass: Array
    mass_centre: Array
    inertia: Array

    @classmethod
    def of(cls, bodies: LegBodies | Body | Sequence[Body]) -> LegBodies:
        """Build from six bodies, or from one body for all legs."""
        if isinstance(bodies, LegBodies):
            return bodies
        six = [bodies] * 6 if isinstance(bodies, Body) else list(bodies)
        if len(six) != 6:
            raise ShapeError.expected("bodies of a leg's part", "one, or six: one for each leg", (len(six),))
        return cls(**{key: np.array([getattr(body, key) for body in six]) for key in Body.__dataclass_fields__})

    def __getitem__(self, i: int) -> Body:
        return Body(mass=float(self.mass[i]), mass_centre=self.mass_centre[i], inertia=self.inertia[i])

    def __iter__(self) -> Iterator[Body]:
        return (self[i] for i in range(6))

    @property
    def is_shared(self) -> bool:
        """Whether all six are the same."""
        return all((values == values[0]).all() for values in (self.mass, self.mass_centre, self.inertia))


def steiner(mass: float | Array, arm: Array) -> Array:
    """Return Steiner's term m (|r|^2 1 - r r^T) (..., 3, 3) of masses m (...) at arms r (..., 3) [m]."""
    square = np.sum(arm * arm, axis=-1)[..., None, None] * np.eye(3)
    return np.asarray(np.asarray(mass)[..., None, None] * (square - arm[..., :, None] * arm[..., None, :]))


def joined(bodies: Iterable[Body]) -> Body:
    """Return bodies given in one frame as one body, by Steiner's theorem about their common mass centre."""
    parts = list(bodies)
    mass = sum(part.mass for part in parts)
    moment = sum((part.mass * part.mass_centre for part in parts), np.zeros(3))
    centre = moment / mass if mass > 0 else np.zeros(3)
    inertia = sum((part.inertia + steiner(part.mass, part.mass_centre - centre) for part in parts), np.zeros((3, 3)))
    return Body(mass=float(mass), mass_centre=centre, inertia=inertia)


def rigid_body(mass: float, centre: ArrayLike, inertia: ArrayLike | None = None) -> Body:
    """Return a checked body: mass [kg], mass centre (3,) [m], inertia about it (3, 3) [kg m2] or None for a point mass.

    Raises
    ------
    InputError
        A number is not finite, the mass is below zero, or the inertia is not symmetric with principal moments of which
        each is at most the sum of the other two.

    """
    m, c = float(of_shape("payload mass", mass, "()")), of_shape("payload centre", centre, "(3,)").copy()
    J = np.zeros((3, 3)) if inertia is None else of_shape("payload inertia", inertia, "(3, 3)").copy()
    if not (np.abs([m, *c, *J.ravel()]) <= LARGEST).all():
        raise InputError(
            f"payload: mass, centre and inertia must be finite numbers of at most {LARGEST:g} kg, m, kg m2"
        )
    if m < 0:
        raise InputError(f"payload mass: {m:.6g} kg, expected 0 or more")
    moments, slack = np.linalg.eigvalsh((J + J.T) / 2), ROUND_OFF * float(np.abs(J).max())
    if np.abs(J - J.T).max() > slack or moments[0] < -slack or moments[2] > moments[0] + moments[1] + slack:
        raise InputError(
            f"payload inertia: no body has the moments {moments.round(9).tolist()} kg m2; expected a "
            "symmetric tensor whose every moment is at most the sum of the other two"
        )
    if m == 0 and np.abs(J).max() > 0:
        raise InputError("payload: inertia requires a mass")
    return Body(mass=m, mass_centre=c, inertia=(J + J.T) / 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class Cone(MachinePart):
    """Range of a joint's swing: per leg the axis (6, 3) of a cone and its half-angle (6,) [rad].

    The axis is the direction of the leg, from the base joint to the platform joint, with the joint straight: in the
    base frame for base joints (turning with the crank that holds it, given at q = 0), in the platform frame for
    platform joints.
    """

    axis: Array
    half_angle: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class PlateAngle(MachinePart):
    """Smallest angles between the legs and a plate.

    Attributes
    ----------
    normal : (3,) array
        Unit normal of the plate on the side where the legs are, in the frame of its body.
    minimum : (6,) array
        Of each leg [rad].

    """

    normal: Array
    minimum: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits(MachinePart):
    """Limits of poses and drives. Absent ones are None, or infinite where a leg has one side only.

    Attributes
    ----------
    joint_min, joint_max : (6,) array
        Joint travel [m or rad].
    joint_speed, joint_acceleration, actuator_force : (6,) array or None
        Of each joint [m/s or rad/s and so on; N or N m].
    base_cone, platform_cone : Cone or None
    base_plate, platform_plate : PlateAngle or None
    leg_radius : (6,) array or None
        Radius of the legs for clearance [m].
    box : (3, 2) array
        Lowest and highest x, y, z of the tool's origin in the base frame [m].
    radius : float
        Largest horizontal distance (across the base's z axis) of the tool's origin from its home [m].
    tilt : float
        Largest angle between the tool's z axis and its direction at home [rad].
    rotation : float
        Largest rotation from home about the base's z axis, the twist of swing and twist [rad].
    singular_value : float
        Smallest allowed distance to a singularity, see `gough.margins`.

    """

    joint_min: Array = field(default_factory=lambda: np.full(6, -np.inf))
    joint_max: Array = field(default_factory=lambda: np.full(6, np.inf))
    joint_speed: Array | None = None
    joint_acceleration: Array | None = None
    actuator_force: Array | None = None
    base_cone: Cone | None = None
    platform_cone: Cone | None = None
    base_plate: PlateAngle | None = None
    platform_plate: PlateAngle | None = None
    leg_radius: Array | None = None
    box: Array = field(default_factory=lambda: np.array([[-np.inf, np.inf]] * 3))
    radius: float = np.inf
    tilt: float = np.inf
    rotation: float = np.inf
    singular_value: float = 0.0

    @property
    def strokes(self) -> Limits:
        """The joint travel alone."""
        return Limits(joint_min=self.joint_min, joint_max=self.joint_max)


@dataclass(frozen=True, eq=False, kw_only=True)
class Actuators(MachinePart):
    """Properties of drives and struts; None where unknown. Per leg (6,), SI.

    Attributes
    ----------
    resolution : smallest step of the joint coordinate [m or rad].
    stiffness : axial stiffness of a leg where it is given as a number [N/m].
    axial_rigidity : E A of a strut whose stiffness is E A / length [N].
    base_joint_stiffness, platform_joint_stiffness : in series with the strut [N/m].
    viscous_friction : [N s/m or N m s/rad].
    coulomb_friction : [N or N m].
    rotor_inertia : [kg m2].
    transmission : motor angle per unit of the joint coordinate [rad/m or rad/rad].

    """

    resolution: Array | None = None
    stiffness: Array | None = None
    axial_rigidity: Array | None = None
    base_joint_stiffness: Array | None = None
    platform_joint_stiffness: Array | None = None
    viscous_friction: Array | None = None
    coulomb_friction: Array | None = None
    rotor_inertia: Array | None = None
    transmission: Array | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Encoders(MachinePart):
    """Joint coordinate q of each leg as a function of what its controller reads or commands, r:

        q = r + zero + gain d + curvature d^2 + sine sin(w d) + cosine cos(w d),    d = r - middle, w = 2 pi / period

    Attributes
    ----------
    zero, gain, curvature, sine, cosine : (6,) array
        [m or rad; 1; 1/m or 1/rad; m or rad twice]
    middle : (6,) array
        Reading at which gain and curvature contribute nothing [m or rad].
    period : (6,) array
        Of the error that repeats with every motor turn [m or rad]; NaN where there is none.

    """

    zero: Array = field(default_factory=lambda: np.zeros(6))
    gain: Array = field(default_factory=lambda: np.zeros(6))
    curvature: Array = field(default_factory=lambda: np.zeros(6))
    sine: Array = field(default_factory=lambda: np.zeros(6))
    cosine: Array = field(default_factory=lambda: np.zeros(6))
    middle: Array = field(default_factory=lambda: np.zeros(6))
    period: Array = field(default_factory=lambda: np.full(6, np.nan))

    @property
    def is_needed(self) -> bool:
        """Whether a reading differs from the joint coordinate at all."""
        return any(np.any(part) for part in (self.zero, self.gain, self.curvature, self.sine, self.cosine))

    @property
    def _has_wave(self) -> bool:
        return bool(self.sine.any() or self.cosine.any())

    def _angle(self, d: Array) -> Array:
        return np.where(np.isfinite(self.period), 2.0 * np.pi * d / self.period, 0.0)

    def coordinates(self, readings: ArrayLike) -> Array:
        """Return joint coordinates (..., 6) [m or rad] of readings (..., 6); NaN stays."""
        r = np.asarray(readings, dtype=float)
        d = r - self.middle
        q = r + self.zero + self.gain * d + self.curvature * d * d
        if self._has_wave:
            angle = self._angle(d)
            q = q + self.sine * np.sin(angle) + self.cosine * np.cos(angle)
        return np.asarray(q)

    def rates(self, readings: ArrayLike) -> Array:
        """Return derivatives (..., 6) of the joint coordinates by the readings."""
        d = np.asarray(readings, dtype=float) - self.middle
        rate = 1.0 + self.gain + 2.0 * self.curvature * d
        if self._has_wave:
            angle, w = self._angle(d), np.where(np.isfinite(self.period), 2.0 * np.pi / self.period, 0.0)
            rate = rate + w * (self.sine * np.cos(angle) - self.cosine * np.sin(angle))
        return np.asarray(rate)

    def readings(self, coordinates: ArrayLike) -> Array:
        """Return readings (..., 6) of joint coordinates (..., 6) [m or rad], by Newton's method; NaN stays."""
        q = np.asarray(coordinates, dtype=float)
        r = q - self.zero
        # Not SciPy's `find_root`: it wants a bracket, and commands for one pose would import scipy.optimize, 0.3 s.
        for _ in range(50):
            step = (self.coordinates(r) - q) / self.rates(r)
            r = r - step
            # Rounding of every term counts: r may be tiny beside q and zero. NaN steps count as converged.
            if not np.any(np.abs(step) > 4.0 * np.finfo(float).eps * (np.abs(r) + np.abs(q) + np.abs(self.zero))):
                return np.asarray(r)
        raise NotConvergedError("encoders: no reading found for these joint coordinates; check gain and curvature")

    def moved(self, before: Encoders, ends: Array) -> Array:
        """Return ends of travel (6,) [m or rad], from those of `before` at the same readings; infinite ones stay."""
        there = np.isfinite(ends)
        readings = before.readings(np.where(there, ends, before.middle))
        return np.where(there, self.coordinates(readings), ends)


Shape = Literal["box", "ball", "cylinder", "ellipsoid"]


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedRegion(MachinePart):
    """A region of poses from a machine file, numbers only; several of one name are a union.

    `gough.regions.named_regions` makes a region of it.

    Attributes
    ----------
    name : str
    shape : str
        Of the positions: "box", "ball", "cylinder" or "ellipsoid".
    sizes : (n,) array
        Its half widths (3,), radius (1,), radius and half height (2,), or semi-axes (3,) [m].
    axis : (3,) array
        Of a cylinder, in the base.
    X : (4, 4) array
        Position of the point in the base, and orientation from which the others turn.
    about : (3,) array
        The point, in the platform frame [m].
    orientations : mapping
        Keywords of `gough.regions.box`: `tilt` and `roll`, `turn`, or `euler` and `sequence` [rad].

    """

    name: str
    shape: Shape
    sizes: Array
    X: Array
    about: Array
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    orientations: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class DisplayUnits:
    """Units of the machine's file, for output: names, and sizes in SI; of stiffness "" where the file gives none."""

    length: str = "m"
    angle: str = "rad"
    metres: float = 1.0
    radians: float = 1.0
    stiffness: str = ""
