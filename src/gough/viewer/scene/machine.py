"""Machines in the scene: plates, legs, tool, frames, numbers; they are moved by sending poses, never shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.arrays import Array
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._bodies import head_shapes, plates, tool
from gough.plot._legs import Drawing, Moving, mounts, move_legs
from gough.plot._solids import Solid, joined
from gough.plot.machine_figures import frames_shown
from gough.poses import inverse_matrices
from gough.viewer.scene.batch import MovingSolid, SolidBatch, leg_margins, margin_colour, quaternions, rim
from gough.viewer.scene.ground import Ground, drawing_at_home, joint_points, light
from gough.viewer.stage import Stage
from gough.viewer.store import MODES, State

if TYPE_CHECKING:
    import viser


MOVING = {"heavy": style.BASE, "bright": style.PISTON, "joints": style.CYLINDER, "forks": style.BASE}
"""Moving parts of the legs and their colours: lighter than in figures, as the lamps leave sides in shadow."""
TIGHT_FROM = 0.1
"""Relative margin below which a leg has the colour of its margin."""
ACTIVE = "/active"
"""Node in the base of the active stage, the parent of gizmo, ghosts and overlays."""
HEAD = {"links": style.PISTON, "elbows": style.PISTON, "joints": style.BASE}
"""Parts of a tool head and their colours."""
SEEN_THROUGH = 0.4
"""Opacity of the platform while an overlay or the path of the tool may lie within it."""
AXIS = 0.14
"""Length of a frame's axes, as a part of the machine's size."""


class MachineScene:
    """One machine at one pose.

    Parameters
    ----------
    scene : viser.SceneApi
    machine : Machine
    root : str
        Node above all others: solids, which are batches placed in the world, and what is placed in the base by its
        node (frames, numbers).

    """

    def __init__(self, scene: viser.SceneApi, machine: Machine, root: str) -> None:
        self.machine, self._scene = machine, scene
        self._base, self._solids = f"{root}/machine", f"{root}/solids"
        self._node = scene.add_frame(self._base, show_axes=False)
        self._batches = {name: SolidBatch(scene, f"{self._solids}/{name}", colour) for name, colour in MOVING.items()}
        self._platform = scene.add_frame(f"{self._base}/platform", show_axes=False)
        drawing = drawing_at_home(machine)
        self._fixed = self._make_base(drawing)
        self._bodies = self._make_bodies(drawing)
        self._head = {name: SolidBatch(scene, f"{self._solids}/head {name}", colour) for name, colour in HEAD.items()}
        self._frames = self._make_frames()
        self._numbers = [
            scene.add_label(
                f"{self._base}/number {i + 1}", str(i + 1), position=drawing.numbers[i], anchor="center-center"
            )
            for i in range(6)
        ]
        self._number_positions = drawing.numbers
        self._shown: tuple[Stage, bytes] | None = None

    def show(self, stage: Stage, X_WB: Array) -> None:
        """Move the machine, whose base is at a pose (4, 4) in the world.

        Legs that cannot close have no rods; those near their limits have the colour of their margin.
        """
        # Stages are values: the same object at the same base needs no messages.
        shown = (stage, X_WB.tobytes())
        if shown == self._shown:
            return
        self._shown, X = shown, stage.X
        drawing = move_legs(self.machine, stage.q, X)
        self._node.wxyz, self._node.position = quaternions(X_WB[:3, :3]), X_WB[:3, 3]
        self._platform.wxyz, self._platform.position = quaternions(X[:3, :3]), X[:3, 3]
        for body in self._fixed:
            body.move(X_WB)
        for body in self._bodies:
            body.move(X_WB @ X)
        self._show_head(stage, X_WB)
        for name, batch in self._batches.items():
            batch.show(getattr(drawing, name), X_WB)
        self._number_positions = drawing.numbers
        self._place_numbers()
        relative = leg_margins(stage.margins).tolist()
        colours = [MOVING["heavy"] if r >= TIGHT_FROM else margin_colour(r) for r in relative]
        self._batches["heavy"].colour(colours)

    def _show_head(self, stage: Stage, X_WB: Array) -> None:
        """Move the tool head."""
        if stage.machine.head is not None:
            shapes = head_shapes(stage.machine, stage.machine.head, stage.X)
            links = [*shapes.links, *shapes.spindle]
            for name, parts in (("links", links), ("elbows", shapes.elbows), ("joints", shapes.joints)):
                self._head[name].show(parts, X_WB)

    def show_frames(self, wanted: bool) -> None:
        """Draw or hide the frames of base, platform and tool with their names."""
        for node in self._frames:
            node.visible = wanted

    def see_through(self, wanted: bool) -> None:
        """Draw the platform's plate translucent, so that overlays are seen within it and behind it, or opaque."""
        opaque, seen_through = self._bodies[:2]
        opaque.node.visible, seen_through.node.visible = not wanted, wanted

    def show_edges(self, wanted: bool) -> None:
        """Draw or hide the plates' edges: software draws lines slowly."""
        for body in (*self._fixed, *self._bodies):
            body.show_edges(wanted)

    def show_numbers(self, wanted: bool) -> None:
        """Draw or hide the legs' numbers."""
        for label in self._numbers:
            label.visible = wanted
        self._place_numbers()

    def _place_numbers(self) -> None:
        # Hidden numbers are not moved, which would cost messages; they are placed when they are shown again.
        for label, position in zip(self._numbers, self._number_positions, strict=True):
            if label.visible:
                label.position = position

    def _make_base(self, drawing: Drawing) -> list[MovingSolid]:
        """Base plate, guides and shafts, which move with the base."""
        base, _ = plates(self.machine, drawing, self.machine.b_home, self.machine.X_home)
        solid = joined([*base, *mounts(self.machine)[0]])
        made = [MovingSolid(self._scene, f"{self._solids}/base", solid, style.BASE, rim=rim(base[0]))]
        if drawing.guides:
            guides, smooth = joined([shape.solid() for shape in drawing.guides]), drawing.has_round_guides
            made.append(MovingSolid(self._scene, f"{self._solids}/guides", guides, style.GUIDE, smooth=smooth))
        return made

    def _make_bodies(self, drawing: Drawing) -> list[MovingSolid]:
        """The platform's plate, opaque and translucent, and its tool, which move with the platform."""
        home, b_home = self.machine.X_home, self.machine.b_home
        plate = in_platform(self.machine, plates(self.machine, drawing, b_home, home)[1])
        solid, name = joined([*plate, *mounts(self.machine)[1]]), f"{self._solids}/platform"
        made = [
            MovingSolid(self._scene, f"{name} plate", solid, style.ACCENT, rim=rim(plate[0])),
            MovingSolid(self._scene, f"{name} plate seen through", solid, style.ACCENT, opacity=SEEN_THROUGH),
        ]
        made[1].node.visible = False
        spindle = [] if self.machine.head is not None else tool(self.machine, home, b_home)
        if spindle:
            shown = joined(in_platform(self.machine, spindle))
            made.append(MovingSolid(self._scene, f"{name} tool", shown, style.PISTON, smooth=True))
        return made

    def _make_frames(self) -> list[viser.FrameHandle]:
        """Axes and names of the frames B, P and, where it differs, T; hidden at first."""
        made: list[viser.FrameHandle] = []
        home = self.machine.X_home
        length = AXIS * self.machine.size
        for name, X in frames_shown(self.machine, home).items():
            # P and T are placed in the node of the platform, which moves them.
            local = X if name == "B" else inverse_matrices(home) @ X
            node = f"{self._base}/{'' if name == 'B' else 'platform/'}frame {name}"
            made.append(
                self._scene.add_frame(
                    node,
                    axes_length=length,
                    axes_radius=0.035 * length,
                    origin_radius=0.07 * length,
                    wxyz=quaternions(local[:3, :3]),
                    position=local[:3, 3],
                    visible=False,
                )
            )
            self._scene.add_label(f"{node}/name", name, position=(0, 0, 1.15 * length), anchor="center-center")
        return made


class MachinesScene:
    """All stages of a state, and the ground under them.

    Parameters
    ----------
    server : viser.ViserServer

    """

    def __init__(self, server: viser.ViserServer) -> None:
        self._server, self._scene = server, server.scene
        self._active = self._scene.add_frame(ACTIVE, show_axes=False)
        self._roots: list[viser.FrameHandle] = []
        self._machines: list[MachineScene] = []
        self._machine: object = None
        self._ground: Ground | None = None
        self._is_fine: bool | None = None
        self._active_base = np.eye(4)

    def show(self, state: State) -> None:
        """Show a state."""
        if state.machine is not self._machine:
            self._make(state)
        X = state.bases[state.active]
        if not np.array_equal(X, self._active_base):
            self._active_base = X
            self._active.wxyz, self._active.position = quaternions(X[:3, :3]), X[:3, 3]
        for drawing, stage, X_WB in zip(self._machines, state.stages, state.bases, strict=True):
            drawing.show(stage, X_WB)
            drawing.show_edges(state.shadows)
            drawing.see_through(
                bool(state.overlays - {MODES}) or (state.clip is not None and state.clip.tip is not None)
            )
            drawing.show_frames(state.frames)
            drawing.show_numbers(state.numbers and MODES not in state.overlays)
        if state.shadows is not self._is_fine:
            self._is_fine = state.shadows
            light(self._scene, shadows=state.shadows)
            if self._ground is not None:
                self._ground.show(is_fine=state.shadows)

    def aim(self, client: viser.ClientHandle | None = None) -> None:
        """Aim the camera of one window, or of all, once the machine is drawn; not while messages are held back."""
        ground = self._ground
        if ground is not None and client is not None:
            ground.aim_client(client)
        elif ground is not None:
            ground.aim(self._server)

    def _make(self, state: State) -> None:
        """Replace the drawn machine by another one."""
        for node in self._roots:
            node.remove()
        self._machine, models = state.machine, state.machine.stages
        self._roots = [self._scene.add_frame(f"/stage {k + 1}", show_axes=False) for k in range(len(models))]
        self._machines = [MachineScene(self._scene, model, f"/stage {k + 1}") for k, model in enumerate(models)]
        points = [joint_points(model) @ X[:3, :3].T + X[:3, 3] for model, X in zip(models, state.bases, strict=True)]
        self._ground = Ground(self._server, models[0], np.concatenate(points))
        self._is_fine = None


def legs_at(machine: Machine, X: Array) -> Moving:
    """Return the moving parts of the legs at a pose (4, 4)."""
    return move_legs(machine, gough.inverse_kinematics(machine, X), X)


def in_platform(machine: Machine, parts: list[Solid]) -> list[Solid]:
    """Return solids that are given at home in the base frame, in the platform frame."""
    X = inverse_matrices(machine.X_home)
    return [Solid(part.vertices @ X[:3, :3].T + X[:3, 3], part.faces, part.label) for part in parts]
