"""A translucent platform where the machine is not: a refused wish, another assembly mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.machine import Machine
from gough.plot._shapes import Bar
from gough.viewer.appearance import rgb
from gough.viewer.batch import Batch, oriented, quaternions
from gough.viewer.scene import in_platform, legs_at, platform_parts

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]


class Ghost:
    """Platform and rods of a machine at a pose, seen through.

    Parameters
    ----------
    scene : viser.SceneApi
    name : str
        Its node.
    colour : str
        "#rrggbb".
    opacity : float
        0 to 1.
    rods : bool
        Whether it has legs as solids; otherwise as lines.

    """

    def __init__(self, scene: viser.SceneApi, name: str, colour: str, opacity: float, *, rods: bool = True) -> None:
        self._has_rods = rods
        self._scene, self.name, self._colour, self._opacity = scene, name, colour, opacity
        self._machine: Machine | None = None
        self._frame: viser.FrameHandle | None = None
        self.plate: viser.MeshHandle | None = None
        self._rods = Batch(scene, f"{name}/rods", colour, opacity=0.6 * opacity)

    def new_machine(self, machine: Machine) -> None:
        """Be the ghost of another machine, hidden at first."""
        self.remove()
        self._machine = machine

    def show(self, X: Array | None) -> None:
        """Appear at a pose (4, 4), or vanish."""
        if X is None or self._machine is None:
            if self._frame is not None:
                self._frame.visible = False
                self._rods.remove()
            return
        if self._frame is None:
            self._make()
        assert self._frame is not None
        self._frame.wxyz, self._frame.position = quaternions(X[:3, :3]), X[:3, 3]
        self._frame.visible = True
        legs = legs_at(self._machine, X)
        if not self._has_rods:
            ends = [(shape.start, shape.end) for shape in legs.bright if isinstance(shape, Bar)]
            self._scene.add_line_segments(
                f"{self.name}/lines", np.array(ends), rgb(self._colour), thickness=1.0, thickness_units="screen"
            )
            return
        self._rods.show([shape for shape in [*legs.heavy, *legs.bright] if isinstance(shape, Bar)])

    def label(self, text: str) -> None:
        """Write a text on the platform."""
        assert self._machine is not None
        place = self._machine.platform_centre
        self._scene.add_label(f"{self.name}/platform/name", text, position=place, anchor="center-center")

    def remove(self) -> None:
        """Leave the scene."""
        if self._frame is not None:
            self._scene.remove_by_name(self.name)
            self._rods.forget()
            self._frame = self.plate = None

    def _make(self) -> None:
        assert self._machine is not None
        self._frame = self._scene.add_frame(f"{self.name}/platform", show_axes=False)
        solid = oriented(in_platform(self._machine, platform_parts(self._machine))[0])
        self.plate = self._scene.add_mesh_simple(
            f"{self.name}/platform/plate",
            np.asarray(solid.vertices),
            solid.faces,
            color=rgb(self._colour),
            opacity=self._opacity,
            flat_shading=True,
            cast_shadow=False,
        )
