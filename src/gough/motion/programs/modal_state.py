"""What a part program has said so far and still holds: units, plane, distances, feed, where the tool is."""

from __future__ import annotations

from dataclasses import dataclass, field

from gough.motion.programs.arcs import PLANES, Plane
from gough.motion.programs.moves import UPRIGHT, Point, Tilt

MILLIMETRE, INCH = 1e-3, 0.0254
MODES = {
    "motion": ("G0", "G1", "G2", "G3", "G80"),
    "plane": ("G17", "G18", "G19"),
    "units": ("G20", "G21"),
    "distance": ("G90", "G91"),
    "arc distance": ("G90.1", "G91.1"),
    "feed": ("G93", "G94"),
    "path": ("G61", "G61.1", "G64"),
    "once": ("G4", "G28"),
}
"""Codes that are carried out, by the group of which a block has one at most."""
GROUP = {code: group for group, codes in MODES.items() for code in codes}
ACCEPTED = {
    **dict.fromkeys(("M3", "M4", "M5"), "spindle"),
    **dict.fromkeys(("M7", "M8", "M9"), "coolant"),
    **dict.fromkeys(("M48", "M49"), "overrides"),
    **dict.fromkeys(("G40", "G49", "G69", "G98", "G99"), "nothing to cancel"),
    "G43": "the tip is the machine's tool frame",
    "G54": "the work frame",
}
"""Codes that are no motion here, and why."""
STOPS = ("M0", "M1", "M6", "M60")
ENDS = ("M2", "M30")
WITHOUT_MOTION = "NST"
"""Letters that are read and do nothing."""


@dataclass
class State:
    """Modal state of the reader, in SI; as a program without any mode begins.

    Attributes
    ----------
    at, tilt : the tool tip's position [m] and orientation, as programmed.
    reached : the same, as moved: an arc's end may differ within its tolerance.
    home, home_tilt : where G28 goes.
    motion : code of the motion mode, "" for none.
    unit : size of the length unit [m].
    plane : of arcs.
    is_incremental, is_arc_absolute : G91, G90.1.
    is_inverse_time : G93.
    feed : the F word as given, or None.
    blend : as in `Move`.

    """

    at: Point
    home: Point
    reached: Point
    tilt: Tilt = UPRIGHT
    home_tilt: Tilt = UPRIGHT
    motion: str = ""
    unit: float = MILLIMETRE
    plane: Plane = field(default=PLANES["G17"])
    is_incremental: bool = False
    is_arc_absolute: bool = False
    is_inverse_time: bool = False
    feed: float | None = None
    blend: float | None = None

    @classmethod
    def beginning(cls, start: Point) -> State:
        """With the tool at home, upright."""
        return cls(at=start, home=start, reached=start)

    def set(self, code: str) -> None:
        """A modal code other than those of path control, which have numbers with them."""
        group = GROUP[code]
        if group == "motion":
            self.motion = "" if code == "G80" else code
        elif group == "plane":
            self.plane = PLANES[code]
        elif group == "units":
            self.unit = INCH if code == "G20" else MILLIMETRE
        elif group == "distance":
            self.is_incremental = code == "G91"
        elif group == "arc distance":
            self.is_arc_absolute = code == "G90.1"
        elif group == "feed":
            self.is_inverse_time = code == "G93"
            self.feed = None
