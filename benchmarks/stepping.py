"""The envelope as the source of hexel computes it: stepping along z until a limit is passed, in plain NumPy.

After De Sapio (1998), appendix A: 5 mm steps for the longest leg, 10 mm for the angle to the plate and the lowest tool.
"""

from __future__ import annotations

import numpy as np


def stepped_envelope(machine, grid):
    """Lower and upper envelope (n, n) of a grid in x and y [m], column by column."""
    a, b = np.asarray(machine.legs.a_B), np.asarray(machine.b_P)
    longest = float(machine.limits.joint_max[0])
    sine = np.sin(machine.limits.base_plate.minimum)
    least = float(machine.limits.box[2, 0])
    lower, upper = np.zeros((len(grid), len(grid))), np.zeros((len(grid), len(grid)))
    for i, x in enumerate(grid):
        for j, y in enumerate(grid):
            z, length = 0.0, np.zeros(6)
            while (length < longest).all():
                z += 0.005
                length = np.linalg.norm(b + [x, y, z] - a, axis=1)
            lower[i, j] = z - 0.005
            z = 1.8
            d = b + [x, y, z] - a
            while (d[:, 2] / np.linalg.norm(d, axis=1) > sine).all() and z > least:
                z -= 0.010
                d = b + [x, y, z] - a
            upper[i, j] = z + 0.010
    return lower, upper
