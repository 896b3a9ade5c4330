"""Ground with a grid in the machine's units, light, and the initial camera."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.arrays import Array
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._bodies import plates
from gough.plot._legs import Drawing, draw_legs
from gough.plot._scene import up, view_direction
from gough.plot._solids import Solid
from gough.present.units import in_file_units, to_si
from gough.viewer.scene.batch import quaternions, rgb

if TYPE_CHECKING:
    import viser


FIELD = np.deg2rad(38.0)
"""Vertical field of view of the initial camera [rad]."""
ABOVE = 0.6
"""Height of the machine above the middle of an upright window, as a part of half the window's height."""
ROOM = 1.5
"""Radius that the initial camera takes in, in radii of the machine."""
GAP_UNDER, GAP_BELOW = 0.004, 0.09
"""Gap between the ground and a base that rests on it, close enough for its shadow to touch it, and below the lowest
point of a machine whose platform hangs; as parts of the machine's size."""


class Ground:
    """The ground under the machine, level by gravity, with a grid, and the initial camera.

    Parameters
    ----------
    server : viser.ViserServer
    machine : Machine
        The first stage: positions are in its base, and the grid is in its units.
    points : (n, 3) array
        Points of all stages [m].

    """

    def __init__(self, server: viser.ViserServer, machine: Machine, points: Array) -> None:
        self.machine, self.upward = machine, up(machine)
        self.target = 0.5 * (points.min(axis=0) + points.max(axis=0))
        self.radius = float(np.linalg.norm(points - self.target, axis=1).max())
        self.eye = self.target + ROOM * self.radius / np.sin(FIELD / 2) * view_axes(machine)[2]
        gap = GAP_BELOW if is_hung(machine) else GAP_UNDER
        self._lay(server.scene, float((points @ self.upward).min()), gap)

    def _lay(self, scene: viser.SceneApi, low: float, gap: float) -> None:
        size, step = 2 * self.radius, grid_step(self.machine, 2 * self.radius)
        scene.set_up_direction(self.upward)
        side = 2 * step * ceil(1.5 * size / (2 * step))
        height = low - gap * size
        position = self.target + (height - float(self.target @ self.upward)) * self.upward
        wxyz = quaternions(_upright(self.upward))
        self._fine = scene.add_grid(
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
            fade_distance=12 * size,
            wxyz=wxyz,
            position=position,
        )
        self._plain = scene.add_line_segments(
            "/lines on the ground",
            _lattice(side, step),
            rgb("#ccd3dc"),
            thickness=1.0,
            thickness_units="screen",
            wxyz=wxyz,
            position=position,
            visible=False,
        )

    def show(self, *, is_fine: bool) -> None:
        """Show a surface with a grid that receives shadows, or lines only."""
        self._fine.visible, self._plain.visible = is_fine, not is_fine

    def aim(self, server: viser.ViserServer) -> None:
        """Aim the camera of windows to come, and of those that are open."""
        camera = server.initial_camera
        camera.up, camera.look_at, camera.position = self.upward, self.target, self.eye
        camera.fov = float(FIELD)
        # Machines from millimetres to tens of metres: clipping planes in proportion, or depths lose their precision.
        camera.near, camera.far = 0.01 * self.radius, 100.0 * self.radius
        for client in server.get_clients().values():
            self.aim_client(client)

    def aim_client(self, client: viser.ClientHandle) -> None:
        """Aim one window's camera; an upright window, whose lower part the panel covers, has the machine above it."""
        width, height = client.camera.image_width, client.camera.image_height
        aspect = width / height if min(width, height) > 0 else 1.0  # a hidden window has no size
        if aspect >= 1:
            aim(client, self.eye, self.target, self.upward)
            return
        # Farther off by the aspect, so that the machine's width fits; then the camera turns down, which moves the
        # machine up the picture by `ABOVE` of its half height.
        offset, slope = (self.eye - self.target) / aspect, np.tan(FIELD / 2)
        distance = float(np.linalg.norm(offset))
        ahead = -offset / distance
        upright = self.upward - (self.upward @ ahead) * ahead
        down = ABOVE * slope * distance * upright / np.linalg.norm(upright)
        aim(client, self.target + offset, self.target - down, self.upward)


def aim(client: viser.ClientHandle, eye: Array, target: Array, upward: Array) -> None:
    """Turn one window's camera."""
    with client.atomic():
        client.camera.up_direction = upward
        client.camera.position = eye
        client.camera.look_at = target


def is_hung(machine: Machine) -> bool:
    """Test whether the platform hangs below its base."""
    return float((machine.b_home.mean(axis=0) - machine.legs.rest().mean(axis=0)) @ up(machine)) < 0


def view_axes(machine: Machine) -> Array:
    """Return axes of the initial camera as rows (3, 3), in the base: to the right, up, and towards the camera."""
    upward = up(machine)
    towards = view_direction(upward, 0.22 if is_hung(machine) else 0.42)
    right = np.cross(upward, towards)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def light(scene: viser.SceneApi, *, shadows: bool) -> None:
    """Light the scene from above: with shadows and reflections, or plain, several times faster in software."""
    scene.configure_environment_map("studio" if shadows else None, environment_intensity=0.12)
    scene.configure_default_lights(True, cast_shadow=shadows)
    scene.add_light_hemisphere(
        "/sky", sky_color=(255, 255, 255), ground_color=(168, 174, 184), intensity=1.1, visible=not shadows
    )


def grid_step(machine: Machine, size: float) -> float:
    """Return the side of a cell of the ground's grid [m]: a round number of the file's unit, about a tenth of the
    size."""
    cell = float(in_file_units(machine, 0.1 * size, "m"))
    power = 10.0 ** floor(log10(cell))
    return float(to_si(machine, next(k for k in (1, 2, 5, 10) if k * power >= 0.99 * cell) * power, "m"))


def _lattice(side: float, step: float) -> Array:
    """Lines (n, 2, 3) of a square grid round the origin."""
    count = round(side / step)
    at = step * (np.arange(count + 1) - count / 2)
    flat = np.zeros(len(at))
    along = [np.stack([at, flat + end, flat], axis=1) for end in (-side / 2, side / 2)]
    across = [line[:, [1, 0, 2]] for line in along]
    return np.concatenate([np.stack(along, axis=1), np.stack(across, axis=1)])


def joint_points(machine: Machine) -> Array:
    """Return joint points at home, the base plate's rim, and the tool's tip if it is not far off, (n, 3) [m]."""
    base = [part.vertices for part in plates_at_home(machine)[0]]
    points = np.concatenate([machine.legs.rest(), machine.b_home, *base])
    tip = (machine.X_home @ machine.X_PT)[:3, 3]
    return np.vstack([points, tip]) if np.linalg.norm(tip - machine.b_home.mean(axis=0)) < machine.size else points


def drawing_at_home(machine: Machine) -> Drawing:
    """Return the legs at home with the parts that carry them."""
    return draw_legs(machine, gough.inverse_kinematics(machine, machine.X_home), machine.X_home)


def plates_at_home(machine: Machine) -> tuple[list[Solid], list[Solid]]:
    """Return plate and posts of the base and of the platform, at home in the base frame."""
    return plates(machine, drawing_at_home(machine), machine.b_home, machine.X_home)


def _upright(upward: Array) -> Array:
    """Axes (3, 3) whose z is up and whose x lies along the base's x, or along its y where x is nearly upright."""
    ahead = np.eye(3)[0] if abs(upward[0]) < 0.9 else np.eye(3)[1]
    ahead = ahead - (ahead @ upward) * upward
    ahead /= np.linalg.norm(ahead)
    return np.stack([ahead, np.cross(upward, ahead), upward], axis=1)
