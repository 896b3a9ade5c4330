"""Resolution, and what an error of each geometric parameter does: the leg equations solved anew, moved both ways."""

from dataclasses import replace

import numpy as np
from scipy.optimize import root
from scipy.spatial.transform import Rotation
from tests.independent.kinematics import characteristic_length, driven_points, joint_coordinates, platform_joints

STEP = 1e-4  # of the characteristic length; errors of central differences are of its square


def solved(m, q):
    """Where the platform is with joint coordinates q: displacement of the point of interest and rotation vector."""
    length = characteristic_length(m)
    rod = q if m.kind == "UPS" else m.L

    def errors(x):
        D = Rotation.from_rotvec(x[3:]).as_matrix()
        arm = m.R0 @ m.poi
        t, R = m.t0 + arm + x[:3] * length - D @ arm, D @ m.R0
        d = platform_joints(m, t, R) - driven_points(m, q)
        return (np.linalg.norm(d, axis=1) - rod) / length

    found = root(errors, np.zeros(6), method="hybr", options={"xtol": 1e-15})
    return found.x * np.repeat([length, 1], 3)


def sensitivity(m):
    """d(position of the point of interest, rotation) / d(parameter), (6, 42) [m/m; rad/m].

    Parameters: x, y, z of base points 1 to 6, of platform points 1 to 6, and rod lengths (of struts: an offset).
    """
    q, h = joint_coordinates(m, m.t0, m.R0), STEP * characteristic_length(m)
    columns = []
    for which in ("a", "b"):
        for k in range(18):
            step = np.zeros(18)
            step[k] = h
            plus, minus = (
                solved(replace(m, **{which: getattr(m, which) + s * step.reshape(6, 3)}), q) for s in (1, -1)
            )
            columns.append((plus - minus) / (2 * h))
    for i in range(6):
        step = h * np.eye(6)[i]
        if m.kind == "UPS":
            plus, minus = solved(m, q + step), solved(m, q - step)
        else:
            plus, minus = (solved(replace(m, L=m.L + s * step), q) for s in (1, -1))
        columns.append((plus - minus) / (2 * h))
    return np.array(columns).T


def joint_sensitivity(m):
    """d(position of the point of interest, rotation) / d(joint coordinate), (6, 6)."""
    q = joint_coordinates(m, m.t0, m.R0)
    h = STEP * (1.0 if m.kind == "RUS" else characteristic_length(m))
    return np.array([(solved(m, q + h * e) - solved(m, q - h * e)) / (2 * h) for e in np.eye(6)]).T


def worst_and_rms(sensitivities, errors):
    """Per row: all errors with their worst signs; root of the sum of their squares."""
    parts = sensitivities * errors
    return np.abs(parts).sum(axis=1), np.sqrt((parts**2).sum(axis=1))
