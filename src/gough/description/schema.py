"""Schema of machine files.

`gough.description.build` converts the values to SI.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from gough.description.schema_parts import (
    CalibrationModel,
    EncodersModel,
    NonNegative,
    Number,
    PerLeg,
    PerLegNonNegative,
    PerLegPositive,
    PerLegSign,
    PerLegVector,
    Positive,
    RegionModel,
    Sequence,
    Six,
    Strict,
    TolerancesModel,
    Vector,
)
from gough.description.units import Units


class PitchCircle(Strict):
    """Six joints in three pairs on a circle: at 270, 30 and 150 degrees, minus and plus half the angle of a pair."""

    radius: Positive = Field(description="of the pitch circle")
    pair_angle: Number = Field(description="angle between the two joints of a pair, seen from the centre")
    height: Number = Field(0.0, description="z of the circle")
    rotation: Number = Field(0.0, description="rotation of all six about z")


class Joints(Strict):
    """Joint points of one plate: explicit points, or a pitch circle."""

    points: list[Vector] | None = Field(None, description="six points, or fewer with `of_leg`")
    of_leg: Annotated[list[Annotated[int, Field(ge=1)]], Six] | None = Field(
        None, description="for legs that share joints: the point (1 is the first) at which each leg ends"
    )
    pitch_circle: PitchCircle | None = Field(None, description="instead of `points`")


class Base(Joints):
    """The base side. For PUS the points are the sliders at zero, for RUS the crank centres."""


class Inertia(Strict):
    """Inertia matrix by its elements: moments xx, yy, zz, and the off-diagonal elements of the matrix."""

    xx: NonNegative = Field(description="moment of inertia about the x axis")
    yy: NonNegative = Field(description="moment of inertia about the y axis")
    zz: NonNegative = Field(description="moment of inertia about the z axis")
    xy: Number = Field(0.0, description="element of the matrix: minus the integral of x y dm")
    xz: Number = Field(0.0, description="element of the matrix: minus the integral of x z dm")
    yz: Number = Field(0.0, description="element of the matrix: minus the integral of y z dm")


class BodyModel(Strict):
    """A rigid body."""

    mass: NonNegative = Field(description="of the part")
    mass_centre: Vector = Field([0.0, 0.0, 0.0], description="in the body's frame")
    inertia: Inertia | None = Field(None, description="in the body's axes; default: a point mass")
    inertia_about: Literal["mass_centre", "origin"] = Field("mass_centre", description="reference point of `inertia`")


class LegInertia(Strict):
    """Inertia matrix of a leg's part by its elements, each one number or six."""

    # Defaults are validated where one number must become six.

    xx: PerLegNonNegative = Field(description="moment of inertia about the x axis")
    yy: PerLegNonNegative = Field(description="moment of inertia about the y axis")
    zz: PerLegNonNegative = Field(description="moment of inertia about the z axis")
    xy: PerLeg = Field(0.0, validate_default=True, description="element of the matrix: minus the integral of x y dm")
    xz: PerLeg = Field(0.0, validate_default=True, description="element of the matrix: minus the integral of x z dm")
    yz: PerLeg = Field(0.0, validate_default=True, description="element of the matrix: minus the integral of y z dm")


class LegBody(Strict):
    """A part of every leg; values are per leg: one for all legs, or a list of six."""

    mass: PerLegNonNegative = Field(description="of the part")
    mass_centre: PerLegVector = Field([0.0, 0.0, 0.0], validate_default=True, description="in the part's frame")
    inertia: LegInertia | None = Field(None, description="in the part's axes; default: a point mass")
    inertia_about: Literal["mass_centre", "origin"] = Field("mass_centre", description="reference point of `inertia`")

    def of_leg(self, i: int) -> BodyModel:
        """Return the body of leg i, counted from 0."""
        inertia = None
        if self.inertia is not None:
            inertia = Inertia(**{key: values[i] for key, values in self.inertia})
        return BodyModel(
            mass=self.mass[i], mass_centre=self.mass_centre[i], inertia=inertia, inertia_about=self.inertia_about
        )


class Platform(Joints):
    """The platform: joint points in its frame, and its body."""

    mass: NonNegative | None = Field(None, description="of the platform with everything fixed to it")
    mass_centre: Vector | None = Field(None, description="in the platform frame; default: its origin")
    inertia: Inertia | None = Field(None, description="in the platform's axes; default: a point mass")
    inertia_about: Literal["mass_centre", "origin"] = Field("mass_centre", description="reference point of `inertia`")


class CrankModel(Strict):
    """Cranks whose arms are horizontal at zero and rise with positive angles."""

    length: PerLegPositive = Field(description="of the arm, from the crank's centre to the rod's foot")
    heading: Number | None = Field(
        None,
        description="of the arms at zero, from the outward direction of each pair of a `pitch_circle`: away from its "
        "middle; the first leg of a pair by minus, the second by plus",
    )
    headings: Annotated[list[Number], Six] | None = Field(
        None, description="instead of `heading`: of each arm at zero, from the x axis, counterclockwise seen from above"
    )


class LegsModel(Strict):
    """The six legs. Values are per leg: one for all legs, or a list of six."""

    kind: Literal["UPS", "UCU", "SPS", "UPU", "PUS", "PSS", "RUS", "RSS"] = Field(
        "UPS", description="extending strut (UPS, UCU, SPS, UPU), slider on a guide (PUS, PSS), crank (RUS, RSS)"
    )
    guide: PerLegVector | None = Field(None, description="PUS: direction of positive travel along the guide")
    axis: PerLegVector | None = Field(None, description="RUS: axis of the crank, right-hand rule")
    arm: Annotated[list[Vector], Six] | None = Field(
        None, description="RUS: crank arm from its centre to the rod's foot, with the crank at zero"
    )
    crank: CrankModel | None = Field(None, description="RUS: instead of `axis` and `arm`, by length and heading")
    rod_length: PerLegPositive | None = Field(
        None, description="PUS, RUS: length of the rod; default: the joint is at zero at home"
    )
    branch: PerLegSign | None = Field(
        None, description="PUS, RUS: which of the two solutions; default: the solution closer to zero at home"
    )
    joint_axis: PerLegVector | None = Field(None, description="first axis of the universal joint on the base side")
    bodies: dict[str, LegBody] = Field(default_factory=dict, description="parts of every leg, by name")


class Pose(Strict):
    """A pose by its translation and Euler angles."""

    translation: Vector = Field([0.0, 0.0, 0.0], description="of the frame's origin")
    angles: Vector = Field([0.0, 0.0, 0.0], description="about the axes of `sequence`")
    sequence: Sequence = Field(
        "XYZ", description="axes of `angles`, in SciPy's notation: upper case moving, lower case fixed"
    )


class ToolModel(Pose):
    """The tool's frame in the platform, and the side of it on which the spindle is."""

    side: Literal["+z", "-z"] | None = Field(
        None, description="side of the spindle along z of the tool frame, for part programs; default: the joints' side"
    )


class HeadJointModel(Strict):
    """One row of Denavit-Hartenberg parameters: a joint and the link it moves."""

    name: str = Field(
        "",
        pattern=r"^[\w(][\w ()./-]{0,39}$",
        description="name of the joint: letters, digits, - _ . / ( ), default: its number",
    )
    kind: Literal["revolute", "prismatic", "fixed"] = Field(
        "revolute", description="what the coordinate is added to: theta (revolute), d (prismatic), nothing (fixed)"
    )
    a: Number = Field(0.0, description="length of the link, along x")
    alpha: Number = Field(0.0, description="twist of the link, about x")
    d: Number = Field(0.0, description="offset along z")
    theta: Number = Field(0.0, description="angle about z")
    min: Number | None = Field(None, description="lowest coordinate")
    max: Number | None = Field(None, description="highest coordinate")
    home: Number = Field(0.0, description="coordinate at home")
    speed: Positive | None = Field(None, description="top speed")
    body: BodyModel | None = Field(None, description="the link it moves, in the link's frame")

    @property
    def measures(self) -> Literal["length", "angle"]:
        """Kind of its coordinate."""
        return "length" if self.kind == "prismatic" else "angle"


class HeadModel(Strict):
    """An articulated tool head: serial joints on the platform."""

    convention: Literal["standard", "modified"] = Field(
        description="meaning of the rows: Denavit and Hartenberg (standard) or Craig (modified)"
    )
    mount: Pose | None = Field(None, description="frame 0 of the head in the platform; default: the platform frame")
    joints: list[HeadJointModel] = Field(description="from the platform outwards")
    tool: Pose | None = Field(None, description="the tool's tip in the last link's frame; default: that frame")


class ConeModel(Strict):
    """Cone of leg directions that a joint allows."""

    half_angle: PerLegPositive = Field(description="largest angle between the leg and the cone's axis")
    axis: PerLegVector | None = Field(
        None, description="direction of the leg with the joint straight; default: its direction at home"
    )


class Box(Strict):
    """Lowest and highest coordinate of the tool in the base frame, each side optional."""

    x_min: Number | None = Field(None, description="lowest x")
    x_max: Number | None = Field(None, description="highest x")
    y_min: Number | None = Field(None, description="lowest y")
    y_max: Number | None = Field(None, description="highest y")
    z_min: Number | None = Field(None, description="lowest z")
    z_max: Number | None = Field(None, description="highest z")


class LimitsModel(Strict):
    """Limits of poses and drives."""

    joint_min: PerLeg | None = Field(None, description="shortest leg, lowest slider or crank")
    joint_max: PerLeg | None = Field(None, description="longest leg, highest slider or crank")
    travel_min: PerLeg | None = Field(None, description="instead of `joint_min`: relative to home")
    travel_max: PerLeg | None = Field(None, description="instead of `joint_max`: relative to home")
    joint_speed: PerLegPositive | None = Field(None, description="top speed of the joint coordinate")
    joint_acceleration: PerLegPositive | None = Field(None, description="top acceleration of the joint coordinate")
    actuator_force: PerLegPositive | None = Field(None, description="top force, or torque of a crank")
    base_cone: ConeModel | None = Field(None, description="base joints; axes in the base frame")
    platform_cone: ConeModel | None = Field(None, description="platform joints; axes in the platform frame")
    leg_radius: PerLegPositive | None = Field(None, description="for the clearance between legs")
    base_plate_angle: PerLegPositive | None = Field(
        None, description="smallest angle between a leg and the base's plate"
    )
    platform_plate_angle: PerLegPositive | None = Field(
        None, description="smallest angle between a leg and the platform's plate"
    )
    box: Box = Field(default_factory=Box, description="bounds of the tool's origin")
    radius: Positive | None = Field(None, description="largest horizontal distance of the tool from its home")
    tilt: Positive | None = Field(None, description="largest angle between the tool's z axis and its direction at home")
    rotation: Positive | None = Field(
        None, description="largest rotation of the tool from home about the base's z axis"
    )
    singular_value: NonNegative | None = Field(None, description="smallest distance to a singularity, dimensionless")


class ActuatorsModel(Strict):
    """Drives and struts."""

    resolution: PerLegPositive | None = Field(None, description="smallest step of the joint coordinate")
    stiffness: PerLegPositive | None = Field(None, description="axial stiffness of a leg; or `modulus` and `area`")
    modulus: PerLegPositive | None = Field(None, description="elastic modulus of the struts, with `area`")
    area: PerLegPositive | None = Field(None, description="cross-section of a strut, with `modulus`")
    base_joint_stiffness: PerLegPositive | None = Field(None, description="in series with the strut, along the leg")
    platform_joint_stiffness: PerLegPositive | None = Field(None, description="as `base_joint_stiffness`")
    viscous_friction: PerLegNonNegative | None = Field(None, description="force (torque) per joint speed, SI units")
    coulomb_friction: PerLegNonNegative | None = Field(None, description="force (torque) that opposes motion")
    rotor_inertia: PerLegNonNegative | None = Field(None, description="of the motor, about its own axis")
    screw_lead: PerLegPositive | None = Field(None, description="UPS, PUS: length per motor revolution")
    gear_ratio: PerLegPositive | None = Field(None, description="RUS: motor revolutions per crank revolution")


class Named(Strict):
    """Keys of every machine file."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", description="short name: lower case, digits, - _ .")]
    title: str = Field("", description="short description of the machine")
    source: str = Field("", description="where the numbers come from")
    notes: str = Field("", description="remarks for readers of the numbers")


class MachineFile(Named):
    """A hexapod."""

    units: Units = Field(default_factory=Units, description="of all numbers in the file")
    base: Base = Field(description="fixed joints")
    platform: Platform = Field(description="moving joints, and the platform's body")
    legs: LegsModel = Field(default_factory=LegsModel, description="kind and parameters of the six legs")
    home: Pose | None = Field(None, description="of the platform in the base; default: straight above the base")
    tool: ToolModel | None = Field(None, description="of the tool in the platform; default: the platform frame")
    head: HeadModel | None = Field(None, description="serial joints on the platform that carry the tool")
    point_of_interest: Vector | None = Field(
        None, description="pivot of displacements, in the platform frame; default: the tool"
    )
    limits: LimitsModel = Field(default_factory=LimitsModel, description="limits of poses and drives")
    actuators: ActuatorsModel = Field(default_factory=ActuatorsModel, description="drives and struts")
    encoders: EncodersModel | None = Field(
        None, description="readings of the controller, if they are not the joint coordinates"
    )
    tolerances: TolerancesModel = Field(
        default_factory=TolerancesModel, description="expected errors of parts, one standard deviation"
    )
    calibration: CalibrationModel | None = Field(None, description="where calibrated numbers come from")
    regions: list[RegionModel] = Field([], description="regions of poses, which reports and `gough certify` prove")
    gravity: Vector | None = Field(
        None, description="acceleration of free fall in the base frame [m/s2]; default: 9.80665 along -z"
    )
    published: dict[str, Any] = Field(default_factory=dict, description="figures printed in the source")


STAGES = 2
"""Number of stages of a machine that has stages."""
OF_A_STAGE = ("machine", "mount")
"""Keys of a stage besides those of a machine file."""


class StackFile(Named):
    """A two-stage machine; each stage is validated as a machine."""

    units: Units = Field(
        default_factory=Units, description="of `mount`, and of the whole machine's poses; each stage has its own"
    )
    stages: list[dict[str, Any]] = Field(description="two, the lower one first")
    share: float = Field(0.5, ge=0, le=1, description="the lower stage's part of displacements of the end platform")
    published: dict[str, Any] = Field(default_factory=dict, description="figures printed in the source")


# Every key of a machine file, none of them required, since the named machine may give it.
_KEYS: dict[str, Any] = {
    "machine": (str | None, Field(None, description="name or file; the stage's other keys replace those of it")),
    "mount": (Pose | None, Field(None, description="upper stage: its base frame in the platform of the lower one")),
} | {
    key: (known.annotation, Field(None, description=known.description))
    for key, known in MachineFile.model_fields.items()
}
Stage = create_model("Stage", __base__=Strict, **_KEYS)
"""A stage for editors: a machine by name or file, keys of a machine file, or both."""


class StackSchema(StackFile):
    """A machine of two stages, for editors."""

    stages: list[Stage] = Field(min_length=STAGES, max_length=STAGES, description="two, the lower one first")  # type: ignore[assignment]


def json_schema() -> dict[str, Any]:
    """Return JSON Schema (draft 2020-12) of machine files: of one machine, or of two stages."""
    single, stack = MachineFile.model_json_schema(), StackSchema.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **single,
        "$defs": single["$defs"] | stack["$defs"],
        "properties": single["properties"] | {"stages": stack["properties"]["stages"]},
        "required": ["name"],
        "anyOf": [{"required": ["base", "platform"]}, {"required": ["stages"]}],
    }
