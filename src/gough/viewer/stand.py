"""Where the machine stands: ground with a grid in the machine's units, light, and the first look at it."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.machine import Machine
from gough.plot import _style as style
from gough.plot.machine_figure import up
from gough.viewer.batch import quaternions
from gough.viewer.look import rgb

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]

FIELD = np.deg2rad(38.0)
"""Vertical field of view of the first look [rad]."""


def grid_step(machine: Machine) -> float:
    """Side of a cell of the ground's grid [m]: a round number of the file's unit, about a tenth of the machine."""
    cell = 0.1 * machine.size / machine.units.metres
    power = 10.0 ** floor(log10(cell))
    return float(next(k for k in (1, 2, 5, 10) if k * power >= 0.99 * cell) * power * machine.units.metres)


def lay_ground(scene: viser.SceneApi, machine: Machine) -> None:
    """Upright by gravity, lit, with a grid under everything the machine reaches at home."""
    upward, step = up(machine), grid_step(machine)
    points = joint_points(machine)
    scene.set_up_direction(upward)
    side = 2 * step * ceil(1.6 * machine.size / (2 * step))
    low = float((points @ upward).min()) - 0.09 * machine.size
    centre = points.mean(axis=0)
    scene.add_grid(
        "/ground",
        side,
        side,
        plane="xy",
        cell_size=step,
        cell_color=rgb("#dfe4ea"),
        section_size=5 * step,
        section_color=rgb(style.BAR),
        cell_thickness=0.8,
        section_thickness=1.2,
        plane_color=rgb("#f4f6f8"),
        plane_opacity=0.6,
        shadow_opacity=0.2,
        fade_distance=12 * machine.size,
        wxyz=quaternions(_upright(upward)),
        position=centre + (low - float(centre @ upward)) * upward,
    )


def light(scene: viser.SceneApi, *, shadows: bool) -> None:
    """Light from above: with shadows and a studio's reflections, or plain, which a computer without a graphics card
    draws several times quicker."""
    scene.configure_environment_map("studio" if shadows else None, environment_intensity=0.12)
    scene.configure_default_lights(True, cast_shadow=shadows)
    scene.add_light_hemisphere(
        "/sky", sky_color=(255, 255, 255), ground_color=(168, 174, 184), intensity=1.1, visible=not shadows
    )


def look_at(server: viser.ViserServer, machine: Machine) -> None:
    """Aim the first look of every window at the machine."""
    position, target, upward = first_look(machine)
    camera = server.initial_camera
    camera.up, camera.look_at, camera.position = upward, target, position
    camera.fov = float(FIELD)
    camera.near, camera.far = 0.01 * machine.size, 60.0 * machine.size


def first_look(machine: Machine) -> tuple[Array, Array, Array]:
    """Eye, point looked at and up direction, each (3,) [m], that show the whole machine."""
    upward, points = up(machine), joint_points(machine)
    is_hung = float((machine.b_home.mean(axis=0) - machine.legs.rest().mean(axis=0)) @ upward) < 0
    target = 0.5 * (points.min(axis=0) + points.max(axis=0))
    radius = float(np.linalg.norm(points - target, axis=1).max())
    direction = style.view_direction(upward, 0.22 if is_hung else 0.42)
    return target + 1.35 * radius / np.sin(FIELD / 2) * direction, target, upward


def joint_points(machine: Machine) -> Array:
    """Joint points at home, and where the tool is if not far off, (n, 3) [m]."""
    points = np.concatenate([machine.legs.rest(), machine.b_home])
    tip = (machine.X_home @ machine.X_PT)[:3, 3]
    return np.vstack([points, tip]) if np.linalg.norm(tip - machine.b_home.mean(axis=0)) < machine.size else points


def _upright(upward: Array) -> Array:
    """Axes (3, 3) whose z is up and whose x lies along the base's x or y."""
    ahead = np.eye(3)[0] if abs(upward[0]) < 0.9 else np.eye(3)[1]
    ahead = ahead - (ahead @ upward) * upward
    ahead /= np.linalg.norm(ahead)
    return np.stack([ahead, np.cross(upward, ahead), upward], axis=1)
