"""Forward dynamics: how the platform accelerates under actuator forces."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics._equations import forward_batch
from gough.dynamics.arguments import Batch, gravity_of, six, wrench_at_origin
from gough.dynamics.model import model_of
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices
from gough.stacked import takes_stacks

Array = NDArray[np.float64]


@takes_stacks("gough.stages.dynamics")
@checks_arguments
def forward_dynamics(
    machine: Machine,
    X: PoseLike,
    V: ArrayLike,
    force: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Acceleration of the platform under actuator forces: M A = J_qV^T (f - load along q) + F - B.

    Parameters
    ----------
    machine, X, V, wrench, gravity, point
        As in `gough.inverse_dynamics`.
    force : (..., 6) array
        Actuator forces [N], or torques of cranks [N m]; positive drives the joint coordinate up.

    Returns
    -------
    (..., 6) array
        [a, alpha], the rate in time of [v, w], in the base frame [m/s2, rad/s2]. NaN where a leg cannot close and where
        some motion has no inertia (a platform that is a point, on legs without mass).

    Raises
    ------
    InputError
        The machine has no masses.

    """
    model = model_of(machine)
    F = wrench_at_origin(as_matrices(X), wrench, point)
    batch = Batch(X, V=six("V", V), force=six("force", force), wrench=F, gravity=gravity_of(machine, gravity))
    return batch.run(partial(forward_batch, model), (6,))[0]
