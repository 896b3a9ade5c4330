"""Inverse dynamics: the actuator forces of a motion."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.dynamics._equations import inverse_batch
from gough.dynamics.arguments import Batch, gravity_of, six, wrench_at_origin
from gough.dynamics.model import model_of
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices
from gough.stacked import takes_stacks

Array = NDArray[np.float64]


@takes_stacks("gough.stages.dynamics")
@checks_arguments
def inverse_dynamics(
    machine: Machine,
    X: PoseLike,
    V: ArrayLike,
    A: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Actuator forces that move the machine so, by virtual work over all its bodies (Tsai 2000; Sinatra et al. 2009).

    Parameters
    ----------
    machine : Machine
        With the platform's mass; legs without bodies have none. Friction and rotors count where the file gives them.
    X : PoseLike, (..., 4, 4)
    V : (..., 6) array
        Twist of the platform's origin [v, w] in the base frame [m/s, rad/s].
    A : (..., 6) array
        Its rate in time [a, alpha] [m/s2, rad/s2].
    wrench : (..., 6) array, optional
        [f, m] applied to the platform, in the base frame, about its origin or about `point` [N, N m].
    gravity : (..., 3) array, optional
        Acceleration of free fall in the base frame [m/s2]; the machine's own where not given.
    point : (3,) array, optional
        Where the wrench acts, in the platform frame [m].

    Returns
    -------
    (..., 6) array
        Forces [N], or torques of cranks [N m]; positive drives the joint coordinate up. NaN where a leg cannot close or
        the pose is singular. Accuracy: rounding; published cases are met to all digits shown.

    Raises
    ------
    InputError
        The machine has no masses.

    """
    model = model_of(machine)
    F = wrench_at_origin(as_matrices(X), wrench, point)
    batch = Batch(X, V=six("V", V), A=six("A", A), wrench=F, gravity=gravity_of(machine, gravity))
    return batch.run(partial(inverse_batch, model), (6,))[0]
