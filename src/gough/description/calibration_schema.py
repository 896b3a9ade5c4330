"""Tables of machine files for calibration: encoders, tolerances, and the record of the calibration."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gough.description.values import NonNegative, PerLeg, PerLegPositive, Positive, Six, Strict


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
    """Where calibrated numbers come from, as `gough calibrate` writes it."""

    date: str = Field("", description="day of the calibration")
    data: str = Field("", description="file of the measurements")
    sha256: str = Field("", description="hash of that file")
    rows: Annotated[int, Field(ge=0)] = Field(0, description="rows of it that were used")
    rms: NonNegative | None = Field(None, description="root mean square of the legs' residuals")
    before: Annotated[list[NonNegative], Six] | None = Field(None, description="that of each leg with the drawing")
    after: Annotated[list[NonNegative], Six] | None = Field(None, description="that of each leg, calibrated")
    undetermined: list[str] = Field(default_factory=list, description="what the measurements leave open, in sentences")
    covariance: str = Field("", description="netCDF file of the errors' covariance, beside the machine file")
