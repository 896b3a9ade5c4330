"""`gough inverse` and `gough forward` for machines of two stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import gough
from gough.cli.joint_input import read_joints
from gough.cli.progress import progress
from gough.present.answer import Answer, Field
from gough.stages.redundancy import resolve_redundancy

if TYPE_CHECKING:
    from gough.cli.request import Request
    from gough.stacked import StackedMachine
    from gough.stages.redundancy import Choice

Array = NDArray[np.float64]
LEGS = tuple(str(leg) for leg in range(1, 13))
BESIDE = ("mid", "margin")
"""What `gough inverse` writes beside the joints."""


def stacked_inverse(request: Request, machine: StackedMachine, choice: Choice) -> Answer:
    """Twelve joint coordinates of poses of the end platform, and where the intermediate platform is then."""
    X = request.X
    with progress("inverse kinematics", max(1, X[..., 0, 0].size)) as advance:
        found = resolve_redundancy(machine, X, choice, progress=lambda k, n: advance(1))
    broken = ~found.is_allowed
    which = "this pose is" if X.ndim == 2 else f"{broken.sum()} of {len(X)} poses are"
    note = f"{which} not allowed with this choice: the smallest margin of both stages is negative"
    fields = [
        Field("choice", choice, is_csv=False),
        Field("joints", found.joints, _units(machine), LEGS, "q{}"),
        *request.intermediate(found.matrix[..., 0, :, :]),
        Field("margin", found.margin),
    ]
    return Answer(fields, notes=[note] if broken.any() else [])


def stacked_forward(request: Request, machine: StackedMachine, joints: str | None, *, as_matrix: bool) -> Answer:
    """Poses of the end platform with twelve joint coordinates."""
    q = read_joints(machine, joints, request.given.csv, BESIDE)
    with progress("forward kinematics"):
        found = gough.forward_kinematics(machine, q, throw=q.ndim == 1)
    missing = int((~found.converged).sum())
    fields = [
        *request.all_poses(found.matrix, as_matrix=as_matrix),
        Field("residual", found.residual, "m"),
        Field("iterations", found.iterations),
        Field("converged", found.converged),
    ]
    return Answer(
        fields, notes=[f"no poses of both platforms found for {missing} rows"] if missing else [], code=int(missing > 0)
    )


def _units(machine: StackedMachine) -> list[str]:
    """SI unit of each joint coordinate."""
    return [stage.legs.joint_unit for stage in machine.stages for _ in range(6)]
