"""Andrews' squeezing mechanism: seven bodies in a plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.multibody.bodies import Body, Spring, Torque
from gough.multibody.joints import InLine, Joint, Revolute
from gough.multibody.system import System

Array = NDArray[np.float64]

START = (
    -0.0617138900142764496,
    0.0,
    0.455279819163070380,
    0.222668390165885885,
    0.487364979543842550,
    -0.222668390165885885,
    1.23054744454982119,
)
"""beta, Theta, gamma, Phi, delta, Omega, epsilon at the start [rad]."""
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), np.array([0.014, 0.072, 0])
STIFFNESS, FREE_LENGTH, TORQUE = 4530.0, 0.07785, 0.033
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421


@checks_arguments
def andrews(*, closing_hinges: bool = False) -> System:
    """Seven bodies K1 to K7 driven by a torque on K1 against a spring on K3 (Hairer and Wanner 1996, section VII.7;
    Mazzia and Magherini 2008, problem "Andrews").

    Parameters
    ----------
    closing_hinges : bool
        Hinges everywhere: three loops say three times each that they are planar, nine rows are redundant and are left
        out. By default every loop is closed by an in-line joint across the plane, and nothing is redundant.

    """
    points = _points(np.array(START))
    joints = _tree(points)
    closing = [("K2", "K3"), ("K2", "K4"), ("K2", "K6")]
    for first, second in closing:
        joint: type[Revolute] | type[InLine] = Revolute if closing_hinges else InLine
        joints.append(joint(first, second, points["E"], [0, 0, 1], name=f"E {first} {second}"))
    force_elements = [
        Torque("K1", [0, 0, 1], magnitude=TORQUE, name="drive"),
        Spring("K3", points["D"], C, stiffness=STIFFNESS, length=FREE_LENGTH),
    ]
    bodies = [_body(k, points[f"G{k + 1}"]) for k in range(7)]
    return System(bodies, joints, force_elements, gravity=[0, 0, 0], drop_redundant=closing_hinges)


@checks_arguments
def andrews_angles(rotations: ArrayLike) -> Array:
    """The seven angles (k, 7) [rad] of rotations (k, 7, 3, 3) of K1 to K7 over time, followed through full turns."""
    R = np.asarray(rotations)
    turns = np.unwrap(np.arctan2(R[..., 1, 0], R[..., 0, 0]), axis=0)
    k1, k2, k3, k4, k5, k6, k7 = turns.T
    return np.stack([k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7], axis=1) + START


def _tree(points: dict[str, Array]) -> list[Joint]:
    """Hinges that hang all bodies on the ground without a loop."""
    hinges = [
        ("ground", "K1", "O"),
        ("K1", "K2", "F"),
        ("ground", "K3", "B"),
        ("ground", "K5", "A"),
        ("K5", "K4", "G"),
        ("ground", "K7", "A"),
        ("K7", "K6", "H"),
    ]
    return [Revolute(i, j, points[p], [0, 0, 1], name=f"{p} {i} {j}") for i, j, p in hinges]


def _points(q: Array) -> dict[str, Array]:
    """Joints and mass centres by the seven angles (Hairer and Wanner 1996, fig. 7.1 and eq. 7.6)."""
    beta, Theta, gamma, Phi, delta, Omega, epsilon = q

    def along(angle: float) -> Array:
        return np.array([np.cos(angle), np.sin(angle), 0.0])

    def across(angle: float) -> Array:
        return np.array([np.sin(angle), -np.cos(angle), 0.0])

    F = RR * along(beta)
    G, H = A + ZT * along(delta), A + U * across(epsilon)
    return {
        "O": np.zeros(3),
        "A": A,
        "B": B,
        "F": F,
        "E": F - D * along(beta + Theta),
        "D": B + SC * across(gamma) + SD * along(gamma),
        "G": G,
        "H": H,
        "G1": RA * along(beta),
        "G2": F - DA * along(beta + Theta),
        "G3": B + SA * across(gamma) + SB * along(gamma),
        "G4": G + (E - EA) * across(Phi + delta),
        "G5": A + TA * along(delta) - TB * across(delta),
        "G6": H + (ZF - FA) * along(Omega + epsilon),
        "G7": A + UA * across(epsilon) - UB * along(epsilon),
    }


def _body(k: int, centre: Array) -> Body:
    """Body k + 1 with its inertia about z, as a thin plate in the plane."""
    return Body.from_poinsot(f"K{k + 1}", MASSES[k], centre, np.diag([0.5, 0.5, 0.0]) * INERTIAS[k])
