"""De Sapio's programs for the Hexel (appendices B to D of his report of 1998), written afresh in NumPy.

Six coordinates x, y, z [mm] and alpha, beta, gamma [rad] of the tool; R = Ry(beta) Rx(alpha) Rz(gamma). Lengths in mm,
forces in N and moments in N mm, as the appendices have them: area [m2] times modulus [N/m2] is a force. Nothing here
comes from Gough.
"""

import numpy as np

BALLS = np.array([[86.6, 150, -305.1], [-173.2, 0, -305.1], [86.6, -150, -305.1]])[[0, 0, 1, 1, 2, 2]]
"""Ball joints of the six struts, in the tool's axes [mm]."""
FEET = np.array(
    [[400.68, 122, 0], [-94.7, 408, 0], [-306, 286, 0], [-306, -286, 0], [-94.7, -408, 0], [400.7, -122, 0]]
)
"""Joints of the base [mm]."""
AREA, MODULUS = 0.00042333, 203.25e9
"""Cross-section [m2] and elastic modulus [N/m2] of a strut."""
TOP_SPEED = 25.0
"""Of a strut [mm/s]."""


def _factors(angles):
    """Ry(beta), Rx(alpha), Rz(gamma) and the derivative of each by its own angle."""
    (sa, sb, sc), (ca, cb, cc) = np.sin(angles), np.cos(angles)
    Ry = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    Rx = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    Rz = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    dRy = np.array([[-sb, 0, cb], [0, 0, 0], [-cb, 0, -sb]])
    dRx = np.array([[0, 0, 0], [0, -sa, -ca], [0, ca, -sa]])
    dRz = np.array([[-sc, -cc, 0], [cc, -sc, 0], [0, 0, 0]])
    return Ry, Rx, Rz, dRy, dRx, dRz


def struts(p):
    """Vectors of the struts from foot to ball joint (6, 3) [mm] at the coordinates p (6,)."""
    Ry, Rx, Rz, *_ = _factors(p[3:])
    return p[:3] + BALLS @ (Ry @ Rx @ Rz).T - FEET


def lengths(p):
    """Lengths of the struts (6,) [mm]."""
    return np.linalg.norm(struts(p), axis=1)


def inverse_jacobian(p):
    """J (6, 6): rates of the struts per rate of each coordinate [1, mm/rad]."""
    Ry, Rx, Rz, dRy, dRx, dRz = _factors(p[3:])
    along = struts(p) / lengths(p)[:, None]
    by_angle = [Ry @ dRx @ Rz, dRy @ Rx @ Rz, Ry @ Rx @ dRz]
    return np.column_stack([along, *((along * (BALLS @ dR.T)).sum(axis=1) for dR in by_angle)])


def top_speed(p, direction):
    """Speed along a unit direction of the tool, without rates of angles, at which a strut first runs at its top speed
    (appendix B) [mm/s]."""
    return TOP_SPEED / np.abs(inverse_jacobian(p)[:, :3] @ direction).max()


def stiffness(p):
    """Kc = J^T Ks J (6, 6) of the six coordinates (appendix C) [N/mm, N/rad; N mm/mm, N mm/rad]."""
    J = inverse_jacobian(p)
    return J.T @ np.diag(AREA * MODULUS / lengths(p)) @ J


def strut_forces(p, load):
    """Forces J^-T F (6,), tension positive [N], of a load conjugate to the coordinates [N, N mm] (appendix C)."""
    return np.linalg.solve(inverse_jacobian(p).T, load)


def displacement(p, load):
    """Kc^-1 F (6,): displacement of the tool and changes of the angles [mm, rad] (appendix C prints 1000 times it)."""
    return np.linalg.solve(stiffness(p), load)


def forward(p, displacements, increments=50):
    """Coordinates (6,) after displacements of the struts (6,) [mm] in increments, one Newton step each (appendix D)."""
    start = lengths(p)
    for k in range(1, increments + 1):
        p = p + np.linalg.solve(inverse_jacobian(p), start + k / increments * displacements - lengths(p))
    return p


LONGEST, SMALLEST_SINE, LOWEST_TOOL = 970.0, 0.55, 454.0
"""Longest strut [mm], smallest sine of its angle to the upper plate, least z of the tool [mm] (appendix A)."""
GRID = 25.0 * np.arange(-24, 25)
"""Columns of appendix A along x and y [mm]."""


def _over_grid(z, angles):
    """Vectors of the struts (49, 49, 6, 3) above every column of the grid, the tool at heights z (49, 49)."""
    Ry, Rx, Rz, *_ = _factors(angles)
    tools = np.stack([*np.broadcast_arrays(GRID[:, None], GRID), z], axis=-1)
    return tools[:, :, None] + BALLS @ (Ry @ Rx @ Rz).T - FEET


def lower_envelope(angles):
    """Last z (49, 49) [mm], in steps of 5 mm from 0, at which all struts are shorter than the longest."""
    z, is_inside = np.zeros((49, 49)), np.ones((49, 49), bool)
    while is_inside.any():
        z[is_inside] += 5
        is_inside = (np.linalg.norm(_over_grid(z, angles), axis=-1) < LONGEST).all(axis=-1)
    return z - 5


def upper_envelope(angles):
    """Last z (49, 49) [mm], in steps of 10 mm from 1800, at which no strut hits the plate and the tool is below 454."""
    z = np.full((49, 49), 1800.0)
    while True:
        d = _over_grid(z, angles)
        is_inside = (d[..., 2] / np.linalg.norm(d, axis=-1) > SMALLEST_SINE).all(axis=-1) & (z > LOWEST_TOOL)
        if not is_inside.any():
            return z + 10
        z[is_inside] -= 10


def unit_vectors():
    """The grid of directions of appendix B (61, 121, 3), as it names its two angles."""
    j, i = np.pi * np.arange(61)[:, None] / 60, np.pi * np.arange(121) / 60
    return np.stack([np.cos(i) * np.cos(j), np.cos(i) * np.sin(j), np.sin(i) + 0 * j], axis=-1)


HEAD = ((0.0, 0.0, 125.1), (120.0, -np.pi / 2, 0.0), (-120.0, np.pi / 2, 180.0))
"""Rows of table 1: link length [mm], link twist [rad], joint offset [mm]; the joint angles are theta_1, theta_2, 0."""
BALL_PLATE = np.array([0, 0, -305.1])
"""Origin of the frame {*} in the plane of the ball joints, axes parallel, in the axes of the fixed tool [mm]."""


def head(theta_1, theta_2):
    """Transform from {*} to the tool of the head by the modified Denavit-Hartenberg matrices (4, 4) [mm]."""
    T = np.eye(4)
    for (a, alpha, d), theta in zip(HEAD, (theta_1, theta_2, 0.0), strict=True):
        (s, sa), (c, ca) = np.sin([theta, alpha]), np.cos([theta, alpha])
        T = T @ np.array([[c, -s, 0, a], [s * ca, c * ca, -sa, -sa * d], [s * sa, c * sa, ca, ca * d], [0, 0, 0, 1]])
    return T


def balls_in_tool(theta_1, theta_2):
    """Ball joints of the six struts in the axes of the head's tool (6, 3) [mm]."""
    in_star = np.column_stack([BALLS - BALL_PLATE, np.ones(6)])
    return (in_star @ np.linalg.inv(head(theta_1, theta_2)).T)[:, :3]
