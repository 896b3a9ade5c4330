"""Compiled motion of the legs' frames, for `gough.dynamics.bodies`."""

from __future__ import annotations

from gough._compile import kernel
from gough.dynamics._motion import accelerating, moving, placed
from gough.dynamics._vectors import times
from gough.legs.leg import Array

FRAME_NUMBERS = 30
"""Per leg: q, q', q''; then of foot p, p', p'', head b, b', b'', direction u, angular velocity and its rate."""


@kernel
def leg_frames_batch(code: int, T: Array, D: Array, X: Array, V: Array, A: Array, out: Array) -> None:
    """Motions (n, 6, FRAME_NUMBERS) of the legs at poses X, under twists V and accelerations A."""
    for k in range(X.shape[0]):
        for i in range(6):
            leg = placed(code, T, D, X[k], i, False)
            motion = moving(leg, V[k])
            acc = accelerating(code, T, i, leg, motion, V[k], A[k])
            row = out[k, i]
            row[0], row[1], row[2] = leg.q, motion.q_t, acc.q_tt
            p_t = times(motion.q_t, leg.p_q)
            for j in range(3):
                row[3 + j], row[6 + j], row[9 + j] = leg.foot[j], p_t[j], acc.p_tt[j]
                row[12 + j], row[15 + j], row[18 + j] = X[k, j, 3] + leg.rho[j], motion.b_t[j], acc.b_tt[j]
                row[21 + j] = leg.u[j]
                row[24 + j], row[27 + j] = motion.w[j], acc.w_t[j]
