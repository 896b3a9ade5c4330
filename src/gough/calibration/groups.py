"""Groups of errors that a calibration looks for, by leg kind."""

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
"""Groups of parameters, and the names of a leg's: "{}" is its number. The base points are the whole drive, moved."""

DRIVE = ("gains", "curvatures", "once_per_turn")
_KIND = {"UPS": (), "PUS": ("rod_lengths", "guides"), "RUS": ("rod_lengths", "axes", "arms")}
DEFAULT = {
    "UPS": ("base_points", "platform_points", "joint_zeros"),
    "PUS": ("base_points", "platform_points", "rod_lengths", "guides"),
    "RUS": ("base_points", "platform_points", "rod_lengths", "joint_zeros", "axes", "arms"),
}
"""Groups that a kind needs: a slider's zero is its base point moved along the guide."""


def groups_of(machine: Machine, chosen: Sequence[str] | None) -> tuple[str, ...]:
    """The chosen groups in their order, or those that the leg kind needs; `InputError` for one it has not."""
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
