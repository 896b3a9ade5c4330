"""Groups of leg errors that a calibration can estimate, by leg kind."""

from __future__ import annotations

from collections.abc import Sequence

from gough.errors import InputError, nearest
from gough.machine import Machine

GROUPS = {
    "base_points": ("base point {} x", "base point {} y", "base point {} z"),
    "platform_points": ("platform point {} x", "platform point {} y", "platform point {} z"),
    "rod_lengths": ("rod length {}",),
    "joint_zeros": ("zero {}",),
    "guides": ("guide {} first", "guide {} second"),
    "axes": ("axis {} first", "axis {} second"),
    "arms": ("arm {}",),
    "gains": ("gain {}",),
    "curvatures": ("curvature {}",),
    "once_per_turn": ("sine {}", "cosine {}"),
}
"""Groups of errors and the names of the errors of a leg, "{}" being its number. A base point moves the whole drive."""

DRIVE = ("gains", "curvatures", "once_per_turn")
"""Groups of the drive's curve, estimated on request."""
PARTS = ("base_points", "platform_points", "rod_lengths", "guides", "axes", "arms")
"""Groups of the errors of parts; the others are of readings."""
_KIND = {"UPS": (), "PUS": ("rod_lengths", "guides"), "RUS": ("rod_lengths", "axes", "arms")}
DEFAULT = {
    "UPS": ("base_points", "platform_points", "joint_zeros"),
    "PUS": ("base_points", "platform_points", "rod_lengths", "guides"),
    "RUS": ("base_points", "platform_points", "rod_lengths", "joint_zeros", "axes", "arms"),
}
"""Groups estimated by default. Sliders have no zero: it is their base point moved along the guide."""


def groups_of(machine: Machine, chosen: Sequence[str] | None) -> tuple[str, ...]:
    """The chosen groups in the order of `GROUPS`, by default those of the leg kind; `InputError` for one it lacks."""
    kind = machine.legs.kind
    if chosen is None:
        return DEFAULT[kind]
    known = ("base_points", "platform_points", "joint_zeros", *_KIND[kind], *DRIVE)
    for name in chosen:
        if name not in known:
            raise InputError(
                f"parameters: {kind} legs have no {name!r}, expected some of {', '.join(known)}.{nearest(name, known)}"
            )
    return tuple(name for name in GROUPS if name in chosen)
