"""One machine, or the two stages of a double hexapod: each with its mover and its drawing, one of them in hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.dynamics.bodies import locked
from gough.errors import InputError
from gough.limits.margins import Margins
from gough.machine import Body, Machine
from gough.stacked import StackedMachine
from gough.viewer.bars import leg_margins
from gough.viewer.batch import quaternions
from gough.viewer.ground import Ground, joint_points
from gough.viewer.parts import ACTIVE
from gough.viewer.pose_controller import Mover
from gough.viewer.scene import MachineScene

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]


class Stack:
    """Stages from the ground up.

    Parameters
    ----------
    server : viser.ViserServer
    machine : Machine or StackedMachine
    poses : sequence of (4, 4) arrays
        Of each stage's platform in its base; home where there is none.

    Attributes
    ----------
    movers : list of Mover
    place : int
        Which stage is in hand, from 0.

    """

    def __init__(
        self, server: viser.ViserServer, machine: Machine | StackedMachine, poses: Sequence[ArrayLike] = ()
    ) -> None:
        self.machine, self._scene = machine, server.scene
        stages = machine.stages
        given = [*poses, *[None] * len(stages)]
        self.movers = [Mover(stage, X) for stage, X in zip(stages, given, strict=False)]
        self.place = len(stages) - 1
        there = server.scene.get_handle_by_name(ACTIVE)
        self._active = there or server.scene.add_frame(ACTIVE, show_axes=False)
        self._roots = [server.scene.add_frame(f"/stage {k + 1}", show_axes=False) for k in range(len(stages))]
        self._drawings = [
            MachineScene(server.scene, stage, f"/stage {k + 1}/machine") for k, stage in enumerate(stages)
        ]
        self._drawn: list[Margins | None] = [None] * len(stages)
        self._placed = np.full((len(stages) + 1, 4, 4), np.nan)
        self.ground = Ground(server, stages[0], self.points())
        self.show()

    @property
    def mover(self) -> Mover:
        """Of the stage in hand."""
        return self.movers[self.place]

    @property
    def poses(self) -> list[Array]:
        """Of each stage's platform in its base."""
        return [mover.X for mover in self.movers]

    @property
    def end(self) -> Array:
        """Pose (4, 4) of the last platform in the first base."""
        return np.asarray(self.bases()[-1] @ self.movers[-1].X)

    @property
    def above(self) -> Body | None:
        """The upper stage as one body on the lower one's platform, where the lower is in hand and masses are known."""
        if not (isinstance(self.machine, StackedMachine) and self.has_stage_above):
            return None
        upper = self.movers[1]
        try:
            return locked(upper.machine, upper.X).seen_from(self.machine.X_IU)
        except InputError:
            return None

    @property
    def has_stage_above(self) -> bool:
        """Whether another stage stands on the one in hand."""
        return self.place + 1 < len(self.movers)

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall in the base of the stage in hand [m/s2]."""
        return np.asarray(self.machine.gravity @ self.bases()[self.place][:3, :3])

    def go(self, poses: Sequence[ArrayLike]) -> None:
        """Go to a pose of each stage's platform in its base, by way of home."""
        for mover, X in zip(self.movers, poses, strict=False):
            mover.home()
            mover.to(X)

    def bases(self) -> list[Array]:
        """Pose of each stage's base in the first one's."""
        found = [np.eye(4)]
        if isinstance(self.machine, StackedMachine):
            found.append(self.movers[0].X @ self.machine.X_IU)
        return found

    def points(self) -> Array:
        """Joint points of all stages in the first base (n, 3) [m]."""
        return np.concatenate(
            [
                joint_points(mover.machine) @ X[:3, :3].T + X[:3, 3]
                for mover, X in zip(self.movers, self.bases(), strict=True)
            ]
        )

    def show(self) -> None:
        """Draw all stages where they are, legs near their limits in colour."""
        bases = self.bases()
        nodes = [*self._roots, self._active]
        for k, (node, X) in enumerate(zip(nodes, [*bases, bases[self.place]], strict=True)):
            if not np.array_equal(X, self._placed[k]):
                node.wxyz, node.position = quaternions(X[:3, :3]), X[:3, 3]
                self._placed[k] = X
        for k, (drawing, mover) in enumerate(zip(self._drawings, self.movers, strict=True)):
            if drawing.machine is not mover.machine:
                drawing.show_head(mover.machine)
            if self._drawn[k] is not mover.margins:  # which come anew with every pose
                drawing.show(mover.X)
                drawing.colour_legs(leg_margins(mover.margins))
                self._drawn[k] = mover.margins

    def show_numbers(self, wanted: bool) -> None:
        """Draw the legs' numbers, or hide them."""
        for drawing in self._drawings:
            drawing.show_numbers(wanted)

    def dress(self, *, frames: bool, numbers: bool, fine: bool) -> None:
        """Draw frames, the legs' numbers and edges, or leave them out."""
        self.ground.dress(fine=fine)
        for drawing in self._drawings:
            drawing.show_edges(fine)
            drawing.show_frames(frames)
        self.show_numbers(numbers)

    def remove(self) -> None:
        """Take the drawings off the scene."""
        for node in self._roots:
            node.remove()
