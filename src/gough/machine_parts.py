"""What a machine has besides legs and bodies: limits, actuators, the units of its file."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gough.arrays import Array
from gough.read_only import ReadOnly


@dataclass(frozen=True, eq=False, kw_only=True)
class Cone(ReadOnly):
    """Cone in which a joint lets its leg point: per leg an axis (6, 3) and a half-angle (6,) [rad].

    The axis is the direction of the leg, from the base joint to the platform joint, with the joint straight: in the
    base frame for base joints (turning with the crank that holds it, given at q = 0), in the platform frame for
    platform joints.
    """

    axis: Array
    half_angle: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class PlateAngle(ReadOnly):
    """Smallest angle between every leg and a plate.

    Attributes
    ----------
    normal : (3,) array
        Unit normal of the plate on the side where the legs are, in the frame of its body.
    minimum : float
        [rad].

    """

    normal: Array
    minimum: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits(ReadOnly):
    """What a pose must keep. Absent limits are None, or infinite where a leg has one side only.

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Actuators(ReadOnly):
    """What is known of the drives and struts; None where it is not. Per leg (6,), SI.

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
class DisplayUnits:
    """The units of the machine's file, for those who write answers out: name and size in SI."""

    length: str = "m"
    angle: str = "rad"
    metres: float = 1.0
    radians: float = 1.0
