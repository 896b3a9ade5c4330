"""Numbers, vectors and tables of the schema that several tables share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from typing_extensions import TypeAliasType

LARGEST = 1e18
"""Largest number in a file, in any unit: products of sixteen of them stay within the range of doubles."""

# Named types, not plain aliases: pydantic makes the schema of each once, not at every use, which takes longer.
Number = TypeAliasType("Number", Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)])
Positive = TypeAliasType("Positive", Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False)])
NonNegative = TypeAliasType("NonNegative", Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)])
Three = Field(min_length=3, max_length=3)
Six = Field(min_length=6, max_length=6)
Vector = TypeAliasType("Vector", Annotated[list[Number], Three])
# fmt: off
Sequence = Literal[
    "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ",
    "xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz",
]
# fmt: on


def _no_boolean(value: Any) -> Any:
    """The value, true and false as words: to Python they equal 1 and 0."""
    return str(value).lower() if isinstance(value, bool) else value


Sign = Annotated[Literal[-1, 1], BeforeValidator(_no_boolean)]


def _six_numbers(value: Any) -> Any:
    """One number for all legs becomes six."""
    return [value] * 6 if not isinstance(value, list) else value


def _six_vectors(value: Any) -> Any:
    """One vector for all legs becomes six."""
    return value if isinstance(value, list) and any(isinstance(v, list) for v in value) else [value] * 6


def _per_leg(one: Any, spread: Callable[[Any], Any] = _six_numbers) -> BeforeValidator:
    """Validator that accepts one value for all legs, or six."""
    return BeforeValidator(spread, json_schema_input_type=one | Annotated[list[one], Six])


PerLeg = TypeAliasType("PerLeg", Annotated[list[Number], Six, _per_leg(Number)])
PerLegPositive = TypeAliasType("PerLegPositive", Annotated[list[Positive], Six, _per_leg(Positive)])
PerLegNonNegative = TypeAliasType("PerLegNonNegative", Annotated[list[NonNegative], Six, _per_leg(NonNegative)])
PerLegSign = TypeAliasType("PerLegSign", Annotated[list[Sign], Six, _per_leg(Sign)])
PerLegVector = TypeAliasType("PerLegVector", Annotated[list[Vector], Six, _per_leg(Vector, _six_vectors)])


class Strict(BaseModel):
    """Base of all tables: unknown keys are errors, and so is text in place of a number."""

    # Built with the whole file: built table by table, each is built again as part of those that contain it.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class EncodersModel(Strict):
    """Joint coordinate of a reading r, with d = r - middle: r + zero + gain d + curvature d^2 + a wave each turn."""

    zero: PerLeg = Field(0.0, validate_default=True, description="joint coordinate minus reading, in the middle")
    gain: PerLeg = Field(
        0.0, validate_default=True, description="by how much more the joint moves than is read, no unit"
    )
    curvature: PerLeg = Field(0.0, validate_default=True, description="of the joint coordinate over the reading")
    sine: PerLeg = Field(0.0, validate_default=True, description="wave that returns with each motor turn: its sine")
    cosine: PerLeg = Field(0.0, validate_default=True, description="and its cosine, from the middle")
    middle: PerLeg = Field(0.0, validate_default=True, description="reading from which gain, curvature and wave count")
    period: PerLegPositive | None = Field(None, description="reading of one motor turn; `sine` and `cosine` need it")


class TolerancesModel(Strict):
    """How far parts may be off, one standard deviation; by the groups of parameters that calibration looks for."""

    base_points: Positive | None = Field(
        None, description="each coordinate of the base joints, sliders or crank centres"
    )
    platform_points: Positive | None = Field(None, description="each coordinate of the platform joints")
    rod_lengths: Positive | None = Field(None, description="PUS, RUS: the rods")
    joint_zeros: Positive | None = Field(None, description="the joint coordinate where it is read as zero")
    guides: Positive | None = Field(None, description="PUS: tilt of a guide, about either axis across it")
    axes: Positive | None = Field(None, description="RUS: tilt of a crank's axis, about either axis across it")
    arms: Positive | None = Field(None, description="RUS: length of the crank arms")
    gains: Positive | None = Field(None, description="of the drives, no unit")
    curvatures: Positive | None = Field(None, description="of the drives, per unit of the joint coordinate")
    once_per_turn: Positive | None = Field(None, description="wave of the drives that returns with each motor turn")


class CalibrationModel(Strict):
    """Source of calibrated numbers, as `gough calibrate` writes it."""

    date: str = Field("", description="day of the calibration")
    data: str = Field("", description="file of the measurements")
    sha256: str = Field("", description="hash of that file")
    rows: Annotated[int, Field(ge=0)] = Field(0, description="rows of it that were used")
    rms: NonNegative | None = Field(None, description="root mean square of the legs' residuals")
    before: Annotated[list[NonNegative], Six] | None = Field(None, description="that of each leg with the drawing")
    after: Annotated[list[NonNegative], Six] | None = Field(None, description="that of each leg, calibrated")
    undetermined: list[str] = Field(default_factory=list, description="what the measurements leave open, in sentences")
    covariance: str = Field("", description="netCDF file of the errors' covariance, next to the machine file")


Sizes = Annotated[list[NonNegative], Three]


class CylinderModel(Strict):
    """A cylinder of positions."""

    radius: NonNegative = Field(description="across its axis")
    half_height: NonNegative = Field(description="along its axis, to either side")
    axis: Vector = Field([0.0, 0.0, 1.0], description="its direction in the base, of any length")


class Orientation(Strict):
    """An orientation by its Euler angles."""

    angles: Vector = Field([0.0, 0.0, 0.0], description="about the axes of `sequence`")
    sequence: Sequence = Field(
        "XYZ", description="axes of `angles`, SciPy's spelling: upper case moving, lower case fixed"
    )


class RegionModel(Strict):
    """A region of poses: a shape of positions of a platform point, times a set of orientations."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")] = Field(
        description="lower case, digits, - _; regions of one name are a union"
    )
    position: Vector | None = Field(None, description="middle, of the point in the base; default: where it is at home")
    box: Sizes | None = Field(None, description="half widths along the base's axes")
    ball: NonNegative | None = Field(None, description="radius, instead")
    cylinder: CylinderModel | None = Field(None, description="instead")
    ellipsoid: Sizes | None = Field(None, description="semi-axes along the base's axes, instead")
    tilt: NonNegative | None = Field(
        None, description="half-angle of a cone of the platform's z axis about its direction at `reference`"
    )
    roll: NonNegative | None = Field(
        None, description="of a cone: rotation about that axis, in both senses; default: 0"
    )
    turn: NonNegative | None = Field(None, description="instead: rotation vectors up to this angle, about any axis")
    euler: Sizes | None = Field(None, description="instead: half widths of the angles of `sequence`")
    sequence: Sequence | None = Field(
        None, description="axes of `euler`, SciPy's spelling: upper case moving, lower case fixed"
    )
    about: Vector | None = Field(None, description="the point, in the platform frame; default: the point of interest")
    reference: Orientation | None = Field(
        None, description="orientation from which the others turn; default: that at home"
    )
