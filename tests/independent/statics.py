"""Stiffness with the drives held, payloads and loads within the actuators' forces."""

import numpy as np
from scipy.optimize import brentq, linprog
from tests.independent.dynamics import holding_forces, weight_per_gravity
from tests.independent.kinematics import jacobian, legs, screws


def leg_stiffness(m, t, R):
    """Axial stiffness of each leg [N/m], joints in series; None where the file does not say."""
    k = m.actuators.get("stiffness")
    if k is None:
        if not {"modulus", "area"} <= set(m.actuators):
            return None
        k = m.actuators["modulus"] * m.actuators["area"] / legs(m, t, R)[3]
    joints = [m.actuators[f"{side}_joint_stiffness"] for side in ("base", "platform")
              if f"{side}_joint_stiffness" in m.actuators]  # fmt: skip
    return 1 / (1 / k + sum(1 / c for c in joints))


def stiffness(m, t, R, point):
    """K = sum k s s^T about the point, s = [u, r x u]."""
    S = screws(m, t, R, point)
    return np.einsum("...k,...ki,...kj->...ij", leg_stiffness(m, t, R), S, S)


def principal_stiffnesses(K):
    """Of translation with rotation held, and of rotation with the platform free to translate."""
    A, B, D = K[..., :3, :3], K[..., :3, 3:], K[..., 3:, 3:]
    free = D - np.swapaxes(B, -1, -2) @ np.linalg.solve(A, B)
    return np.linalg.eigvalsh(A), np.linalg.eigvalsh(free)


def largest_load(m, wrench):
    """Largest multiple of a wrench at the point of interest that the actuators hold beside the machine's own weight."""
    J, top, held = jacobian(m, m.t0, m.R0, m.poi), m.actuators["actuator_force"], holding_forces(m)
    force = np.linalg.norm(wrench[:3]) > 0
    scale = top.max() * np.linalg.norm(J[:, :3] if force else J[:, 3:])
    # unknown: forces f over those that hold the weight, as parts of their limits, and the load as a part of the scale;
    # J^T f + load wrench = 0
    balance = np.column_stack([J.T * top, scale * np.asarray(wrench)]) / np.linalg.norm(J, axis=0)[:, None] / top.max()
    cost = np.append(np.zeros(6), -1)
    bounds = [*zip(-1 - held / top, 1 - held / top, strict=True), (0, None)]
    found = linprog(cost, A_eq=balance, b_eq=np.zeros(6), bounds=bounds, method="highs-ds")
    return found.x[6] * scale


def load_in_every_direction(m):
    """The force, and the moment, that the actuators balance whatever its direction: distance to the nearest plane."""
    F = np.linalg.inv(jacobian(m, m.t0, m.R0, m.poi)).T
    top = m.actuators["actuator_force"] - np.abs(holding_forces(m))  # what the machine's own weight leaves
    return np.min(top / np.linalg.norm(F[:, :3], axis=1)), np.min(top / np.linalg.norm(F[:, 3:], axis=1))


def felt_under(m, mass, direction, leg):
    """Force of a leg under a payload, gravity along a direction in the base's axes, and the largest of its actuator."""
    F = np.linalg.inv(jacobian(m, m.t0, m.R0, m.poi)).T
    force = (weight_per_gravity(m) - mass * F[:, :3])[leg] @ direction * np.linalg.norm(m.g)
    return np.abs(force), m.actuators["actuator_force"][leg]


def payloads(m):
    """Mounting -> largest mass with its centre in the point of interest, beside all that the machine weighs."""
    top, strength = m.actuators["actuator_force"], np.linalg.norm(m.g)
    own = weight_per_gravity(m)  # (6, 3): forces that hold the machine under a unit of gravity along x, y, z
    F = np.linalg.inv(jacobian(m, m.t0, m.R0, m.poi)).T
    load = -F[:, :3]  # the same of a unit mass
    z = m.R0[:, 2]
    across = np.eye(3) - np.outer(z, z)

    def share(mass, mounting):
        f = (own + mass * load) * strength
        felt = {"upright": np.abs(f @ z), "hanging": np.abs(f @ z), "any": np.linalg.norm(f, axis=1)}
        felt["on its side"] = np.linalg.norm(f @ across, axis=1)
        return np.max(felt[mounting] / top) - 1

    most = 10 * np.max(top) / strength / np.min(np.linalg.norm(load, axis=1))
    found = {}
    for mounting in ("upright", "hanging", "on its side", "any"):
        is_held = share(0.0, mounting) < 0
        found[mounting] = brentq(share, 0, most, args=(mounting,), xtol=1e-14 * most) if is_held else 0.0
    return found
