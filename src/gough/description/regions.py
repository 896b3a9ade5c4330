"""Regions of poses that a machine file names, in SI."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.description.geometry import NO_LENGTH
from gough.description.problems import Problems
from gough.description.region_schema import RegionModel
from gough.description.schema import MachineFile
from gough.description.units import Units
from gough.machine_parts import NamedRegion, Shape
from gough.poses import pose_matrix

SHAPES: tuple[Shape, ...] = ("box", "ball", "cylinder", "ellipsoid")
TURNS = ("tilt", "turn", "euler")


def check_regions(file: MachineFile, problems: Problems) -> None:
    """Check that each region has one shape of positions, one set of orientations, and angles up to half a turn."""
    for k, model in enumerate(file.regions, 1):
        where = f"regions, region {k}"
        shapes = [key for key in SHAPES if getattr(model, key) is not None]
        turns = [key for key in TURNS if getattr(model, key) is not None]
        if len(shapes) > 1:
            problems.add(where, f"{shapes[0]} and {shapes[1]} are given; a region has one shape of positions")
        if len(turns) > 1:
            problems.add(where, f"{turns[0]} and {turns[1]} are given; a region has one set of orientations")
        if not shapes + turns:
            problems.add(where, f"has no extent; give one of {', '.join(SHAPES)}, or of {', '.join(TURNS)}")
        if model.roll is not None and model.tilt is None:
            problems.add(where, "has a roll without a tilt; roll is the torsion of a cone of orientations")
        if (model.euler is None) != (model.sequence is None):
            problems.add(where, "has one of euler and sequence; a box of angles needs both")
        _check_angles(model, where, file.units, problems)
        if model.cylinder is not None and np.linalg.norm(model.cylinder.axis) <= NO_LENGTH:
            problems.add(where, "the cylinder's axis has length zero, expected its components")


def _check_angles(model: RegionModel, where: str, units: Units, problems: Problems) -> None:
    half_turn = np.pi / units.radians
    for key in ("tilt", "roll", "turn", "euler"):
        most = float(np.max(getattr(model, key) or 0.0))
        if most > half_turn * (1 + 1e-12):  # rounding of half a turn in another unit
            unit = units.angle
            problems.add(where, f"{key} {most:g} {unit} is above half a turn, {half_turn:.6g} {unit}")


def regions_of(file: MachineFile, X_home: Array, point_of_interest: Array) -> tuple[NamedRegion, ...]:
    """The regions, after `check_regions`."""
    return tuple(_region(model, file.units, X_home, point_of_interest) for model in file.regions)


def _region(model: RegionModel, units: Units, X_home: Array, point_of_interest: Array) -> NamedRegion:
    about = point_of_interest if model.about is None else np.array(model.about) * units.metres
    # X is the pose of a frame at the point, with the platform's axes at the reference orientation.
    X = X_home.copy()
    X[:3, 3] += X_home[:3, :3] @ about
    if model.position is not None:
        X[:3, 3] = np.array(model.position) * units.metres
    if model.reference is not None:
        angles = np.array(model.reference.angles) * units.radians
        X[:3, :3] = pose_matrix([0.0, 0.0, 0.0], angles, model.reference.sequence)[:3, :3]
    shape, sizes = _positions(model)
    given: dict[str, Any] = {key: getattr(model, key) for key in ("tilt", "roll", "turn", "euler")}
    turns = {key: np.multiply(value, units.radians) for key, value in given.items() if value is not None}
    return NamedRegion(
        name=model.name,
        shape=shape,
        sizes=np.array(sizes) * units.metres,
        X=X,
        about=about,
        axis=np.array([0.0, 0.0, 1.0] if model.cylinder is None else model.cylinder.axis),
        orientations=turns if model.sequence is None else {**turns, "sequence": model.sequence},
    )


def _positions(model: RegionModel) -> tuple[Shape, list[float]]:
    if model.ball is not None:
        return "ball", [model.ball]
    if model.cylinder is not None:
        return "cylinder", [model.cylinder.radius, model.cylinder.half_height]
    if model.ellipsoid is not None:
        return "ellipsoid", model.ellipsoid
    return "box", [0.0, 0.0, 0.0] if model.box is None else model.box
