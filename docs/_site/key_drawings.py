"""Which drawing shows which keys of a machine file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from _site.body_shapes import head, leg_parts
from _site.calibration_shapes import encoder, tolerances
from _site.drawings import frames
from _site.key_shapes import (
    branches,
    clearance,
    cones,
    crank_arms,
    pitch_circle,
    pivot,
    plate_angles,
    strokes,
    tool_limits,
)
from _site.region_shapes import region


@dataclass(frozen=True)
class KeyDrawing:
    """A drawing and the keys that it shows, as dotted paths of the schema."""

    draw: Callable[[], str]
    keys: tuple[str, ...]
    alt: str


def both(*keys: str) -> tuple[str, ...]:
    return tuple(f"{side}.{each}" for side in ("base", "platform") for each in keys)


def cone_keys(*keys: str) -> tuple[str, ...]:
    return tuple(f"limits.{side}_cone.{each}" for side in ("base", "platform") for each in keys)


POSES = tuple(
    f"{name}.{part}" for name in ("home", "tool", "head.mount", "head.tool") for part in ("translation", "angles")
)
BOX = tuple(f"limits.box.{axis}_{side}" for axis in "xyz" for side in ("min", "max"))
ROW = tuple(f"head.joints.{each}" for each in ("a", "alpha", "d", "theta", "min", "max", "home"))
CIRCLE = tuple(f"pitch_circle.{each}" for each in ("radius", "pair_angle", "height", "rotation"))

ENCODER = tuple(f"encoders.{each}" for each in ("zero", "sine", "cosine", "middle", "period"))
PARTS = ("base_points", "platform_points", "rod_lengths", "joint_zeros", "guides", "axes", "arms", "once_per_turn")
TOLERANCES = tuple(f"tolerances.{each}" for each in PARTS)

SHAPES = ("position", "box", "ball", "ellipsoid", "cylinder.radius", "cylinder.half_height", "cylinder.axis")
TURNS = ("tilt", "roll", "turn", "euler", "about", "reference.angles")
REGION = tuple(f"regions.{each}" for each in (*SHAPES, *TURNS))

DRAWINGS = {
    "key-pitch-circle": KeyDrawing(pitch_circle, both("points", *CIRCLE), "Pitch circle, pairs, rotation and height"),
    "frames": KeyDrawing(frames, POSES, "Base, platform and tool frame"),
    "key-strokes": KeyDrawing(
        strokes,
        tuple(f"limits.{s}" for s in ("joint_min", "joint_max", "travel_min", "travel_max")),
        "Strokes of a leg",
    ),
    "key-branches": KeyDrawing(branches, ("legs.guide", "legs.rod_length"), "Two solutions of sliders and cranks"),
    "key-crank-arms": KeyDrawing(
        crank_arms,
        ("legs.axis", "legs.arm", "legs.crank.length", "legs.crank.heading", "legs.crank.headings"),
        "Crank arms by heading, and by axis and arm",
    ),
    "key-leg-parts": KeyDrawing(
        leg_parts,
        ("legs.joint_axis", "legs.bodies.mass_centre", "platform.mass_centre", "head.joints.body.mass_centre"),
        "Frames and mass centres of cylinder and piston",
    ),
    "key-cones": KeyDrawing(cones, cone_keys("half_angle", "axis"), "Cones of base and platform joints"),
    "key-plate-angles": KeyDrawing(
        plate_angles, ("limits.base_plate_angle", "limits.platform_plate_angle"), "Angles between a leg and the plates"
    ),
    "key-clearance": KeyDrawing(clearance, ("limits.leg_radius",), "Two legs with their radii"),
    "key-tool-limits": KeyDrawing(
        tool_limits,
        (*BOX, "limits.radius", "limits.tilt", "limits.rotation"),
        "Box, radius, tilt and rotation of the tool",
    ),
    "key-pivot": KeyDrawing(pivot, ("point_of_interest",), "The point of interest as a pivot"),
    "key-encoder": KeyDrawing(encoder, ENCODER, "Reading and joint coordinate"),
    "key-tolerances": KeyDrawing(tolerances, TOLERANCES, "Parts that may be off, leg by leg"),
    "key-region": KeyDrawing(region, REGION, "Regions of poses"),
    "key-head": KeyDrawing(head, ROW, "Rows of a tool head"),
}
"""Name of the file -> drawing."""
