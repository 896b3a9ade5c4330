"""Tables of machine files that name regions of poses."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gough.description.values import NonNegative, Sequence, Strict, Three, Vector

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
