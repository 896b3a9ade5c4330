"""What a machine file may say, as pydantic models. `gough schema` prints them as JSON Schema.

Numbers are in the file's units here; `gough.description.build` turns them into SI.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gough.description.units import Units

Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]

def _six_numbers(value: Any) -> Any:
    """One number for all legs stands for six."""
    return [value] * 6 if not isinstance(value, list) else value


def _six_vectors(value: Any) -> Any:
    """One vector for all legs stands for six."""
    return [value] * 6 if not (isinstance(value, list) and value and isinstance(value[0], list)) else value


Sign = Literal[-1, 1]
Six = Field(min_length=6, max_length=6)
PerLeg = Annotated[list[Number], Six, BeforeValidator(_six_numbers, json_schema_input_type=Number | list[Number])]
PerLegPositive = Annotated[
    list[Positive], Six, BeforeValidator(_six_numbers, json_schema_input_type=Positive | list[Positive])
]
PerLegNonNegative = Annotated[
    list[NonNegative], Six, BeforeValidator(_six_numbers, json_schema_input_type=NonNegative | list[NonNegative])
]
PerLegSign = Annotated[list[Sign], Six, BeforeValidator(_six_numbers, json_schema_input_type=Sign | list[Sign])]
PerLegVector = Annotated[
    list[Vector], Six, BeforeValidator(_six_vectors, json_schema_input_type=Vector | list[Vector])
]


class Strict(BaseModel):
    """Base: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PitchCircle(Strict):
    """Six joints in three pairs on a circle: at 270, 30 and 150 degrees, minus and plus half the angle of a pair."""

    radius: Positive
    pair_angle: Number = Field(description="angle between the two hinges of a pair, seen from the centre")
    height: Number = Field(0.0, description="z of the circle")
    rotation: Number = Field(0.0, description="turn of all six about z")


class Joints(Strict):
    """Joint points of one plate: explicit points, or a pitch circle."""

    points: list[Vector] | None = Field(None, description="six points, or fewer with `of_leg`")
    of_leg: Annotated[list[int], Six] | None = Field(
        None, description="for legs that share joints: which of the points (1 is the first) each leg ends on"
    )
    pitch_circle: PitchCircle | None = None


class Base(Joints):
    """The base side. For PUS the points are the sliders at zero, for RUS the crank centres."""


class Inertia(Strict):
    """Inertia matrix by its elements, about the mass centre."""

    xx: NonNegative
    yy: NonNegative
    zz: NonNegative
    xy: Number = 0.0
    xz: Number = 0.0
    yz: Number = 0.0


class BodyModel(Strict):
    """A rigid body."""

    mass: NonNegative
    mass_centre: Vector = Field([0.0, 0.0, 0.0], description="in the body's frame")
    inertia: Inertia | None = Field(None, description="in the body's axes")
    inertia_about: Literal["mass_centre", "origin"] = Field("mass_centre", description="point `inertia` is about")


class Platform(Joints):
    """The platform: joint points in its frame, and its body."""

    mass: NonNegative | None = None
    mass_centre: Vector = [0.0, 0.0, 0.0]
    inertia: Inertia | None = None
    inertia_about: Literal["mass_centre", "origin"] = "mass_centre"


class LegsModel(Strict):
    """The six legs. A value that all legs share is written once, otherwise as a list of six."""

    kind: Literal["UPS", "UCU", "PUS", "RUS"] = "UPS"
    guide: PerLegVector | None = Field(None, description="PUS: direction of positive travel along the guide")
    axis: PerLegVector | None = Field(None, description="RUS: axis of the crank, positive turns by the right hand")
    arm: Annotated[list[Vector], Six] | None = Field(
        None, description="RUS: crank arm from its centre to the rod's foot at q = 0"
    )
    rod_length: PerLegPositive | None = Field(None, description="PUS, RUS: length of the rod; default: as at home with q = 0")
    branch: PerLegSign | None = Field(None, description="PUS, RUS: which of the two solutions; default: the one at home")
    joint_axis: PerLegVector | None = Field(None, description="first axis of the universal joint on the base side")
    bodies: dict[str, BodyModel] = Field(default_factory=dict, description="parts every leg has, by name")


class Home(Strict):
    """A pose by its translation and Euler angles."""

    translation: Vector = [0.0, 0.0, 0.0]
    angles: Vector = [0.0, 0.0, 0.0]
    sequence: Annotated[str, Field(pattern="^([xyz]{3}|[XYZ]{3})$")] = Field(
        "XYZ", description="axes of `angles`, SciPy's spelling: upper case moving, lower case fixed"
    )


class ConeModel(Strict):
    """Cone in which joints let the legs point."""

    half_angle: PerLegPositive
    axis: PerLegVector | None = Field(None, description="default: the leg's direction at home")


class Box(Strict):
    """Lowest and highest coordinate of the tool, each side optional."""

    x_min: Number | None = None
    x_max: Number | None = None
    y_min: Number | None = None
    y_max: Number | None = None
    z_min: Number | None = None
    z_max: Number | None = None


class LimitsModel(Strict):
    """What a pose must keep."""

    joint_min: PerLeg | None = None
    joint_max: PerLeg | None = None
    joint_speed: PerLegPositive | None = None
    joint_acceleration: PerLegPositive | None = None
    actuator_force: PerLegPositive | None = Field(None, description="force, or torque of a crank")
    base_cone: ConeModel | None = None
    platform_cone: ConeModel | None = None
    leg_radius: PerLegPositive | None = Field(None, description="for the clearance between legs")
    base_plate_angle: Positive | None = Field(None, description="smallest angle between a leg and the base's plate")
    platform_plate_angle: Positive | None = None
    box: Box = Field(default_factory=Box)
    radius: Positive | None = Field(None, description="largest distance of the tool from the base's z axis")
    tilt: Positive | None = Field(None, description="largest angle between the tool's z axis and the base's")
    rotation: Positive | None = Field(None, description="largest rotation of the tool about the base's z axis")
    singular_value: NonNegative | None = Field(None, description="smallest distance to a singularity, without unit")


class ActuatorsModel(Strict):
    """What is known of drives and struts."""

    resolution: PerLegPositive | None = Field(None, description="smallest step of the joint coordinate")
    stiffness: PerLegPositive | None = Field(None, description="axial stiffness of a leg; or `modulus` and `area`")
    modulus: Positive | None = None
    area: PerLegPositive | None = None
    base_joint_stiffness: PerLegPositive | None = None
    platform_joint_stiffness: PerLegPositive | None = None
    viscous_friction: PerLegNonNegative | None = Field(None, description="force (torque) per joint speed, SI units")
    coulomb_friction: PerLegNonNegative | None = None
    rotor_inertia: PerLegNonNegative | None = None
    screw_lead: PerLegPositive | None = Field(None, description="length per motor turn")
    gear_ratio: PerLegPositive | None = Field(None, description="motor turns per crank turn")


class MachineFile(Strict):
    """A hexapod."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", description="short name: lower case, digits, - _ .")]
    title: str = ""
    source: str = Field("", description="where the numbers come from")
    notes: str = ""
    units: Units = Field(default_factory=Units)
    base: Base
    platform: Platform
    legs: LegsModel = Field(default_factory=LegsModel)
    home: Home | None = Field(None, description="default: straight above the base, see docs/machine-files.md")
    tool: Home | None = Field(None, description="pose of the tool frame in the platform frame")
    point_of_interest: Vector | None = Field(None, description="pivot of displacements, in the platform frame; default: the tool")
    limits: LimitsModel = Field(default_factory=LimitsModel)
    actuators: ActuatorsModel = Field(default_factory=ActuatorsModel)
    gravity: Vector | None = Field(None, description="acceleration of free fall in the base frame [m/s2]")
    published: dict[str, Any] = Field(default_factory=dict, description="figures the source prints")
