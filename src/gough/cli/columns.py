"""Names of columns: of poses, joints and times, other spellings of them, and columns of answers that may lie beside."""

from __future__ import annotations

import re
from collections.abc import Collection

from gough.errors import nearest

POSITION = ("x", "y", "z")
ANGLES = ("a", "b", "c")
ROLL_PITCH_YAW = ("roll", "pitch", "yaw")
ABOUT_AXES = ("rx", "ry", "rz")
UVW = ("u", "v", "w")
QUATERNION = ("qx", "qy", "qz", "qw")
AXIS = ("i", "j", "k")
MATRIX = tuple(f"m{row}{column}" for row in range(4) for column in range(4))
TIME = {"time": "time"}

DIMENSIONS = {
    **dict.fromkeys(POSITION, "length"),
    **dict.fromkeys(ANGLES + ROLL_PITCH_YAW + ABOUT_AXES + UVW, "angle"),
    **dict.fromkeys(QUATERNION + MATRIX, "number"),
    **dict.fromkeys(("m03", "m13", "m23"), "length"),
}
"""Columns of poses, each with its dimension."""
_SPELLINGS = {
    **dict(zip(("tx", "ty", "tz"), POSITION, strict=True)),
    **dict(zip(("surge", "sway", "heave"), POSITION, strict=True)),
    "t": "time",
}
"""Other names of columns whose meaning does not depend on a convention."""
_BESIDE = re.compile(
    "id|index|name|label|comment|note|no|nr|number|sample|row|line|segment|time|"
    "residual|iterations|status|certified|error|distance|limit|start|shift|turn|mid|margin|converged|"
    "kinetic|potential|energy|gain|uncompensated|remaining|tip|allowed|binding|"
    r"(qd|qdd|force|power|error)\d+|(x|y|z|rx|ry|rz)_(minus|plus)"
)
"""Columns that may lie beside those that are read: identifiers, and quantities that commands write."""
_JOINT = re.compile(r"([qr])\d+")
_TITLE = re.compile(r"([^\s_\[(/]+)(?:_(.+)|\s*\[(.*)\]|\s*\((.*)\)|\s*/\s*(.+)|\s+(.+))?", re.DOTALL)


def parsed_title(title: str) -> tuple[str, str]:
    """Name and unit of a column's title: "x_mm", "X [mm]", "x (mm)", "x/mm" and "x mm" are ("x", "mm")."""
    match = _TITLE.fullmatch(title.strip())
    if match is None:
        return title.strip().casefold(), ""
    name, *units = match.groups()
    name = name.casefold()
    return _SPELLINGS.get(name, name), next((unit.strip() for unit in units if unit is not None), "")


def lies_beside(title: str, name: str, wanted: Collection[str]) -> bool:
    """Whether a column that is not among those wanted is known, so that it can be left unread."""
    joint = _JOINT.fullmatch(name)
    if joint is not None:  # a seventh leg is a mistake where joints are read, and lies beside where poses are
        return f"{joint[1]}1" not in wanted
    sided = "_".join(title.strip().casefold().split("_")[:2])
    return name in DIMENSIONS or any(_BESIDE.fullmatch(each) for each in (name, sided))


def hint(name: str, known: Collection[str]) -> str:
    """A sentence on what an unknown column may be meant for."""
    if name in ("heel", "trim", "heading") and "roll" in known:
        return " Angles are roll, pitch, yaw, positive by the right hand about x, y, z."
    return nearest(name, known)
