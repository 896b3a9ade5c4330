"""Joints, one file each. A new one states its rows; all else follows from them (`gough.multibody.joints.joint`)."""

from gough.multibody.joints.cylindrical import Cylindrical
from gough.multibody.joints.distance import Distance
from gough.multibody.joints.fixed import Fixed
from gough.multibody.joints.in_line import InLine
from gough.multibody.joints.joint import Joint, Row
from gough.multibody.joints.prismatic import Prismatic
from gough.multibody.joints.revolute import Revolute
from gough.multibody.joints.spherical import Spherical
from gough.multibody.joints.universal import Universal

__all__ = [
    "Cylindrical",
    "Distance",
    "Fixed",
    "InLine",
    "Joint",
    "Prismatic",
    "Revolute",
    "Row",
    "Spherical",
    "Universal",
]
