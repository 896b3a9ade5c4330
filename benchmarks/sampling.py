"""Random poses of any machine: turned up to so many degrees, or anywhere inside its limits."""

from __future__ import annotations

import numpy as np

import gough

OF_THE_TRAVEL = 0.8
"""Translations are drawn within this part of the travel from home."""


def displaced_poses(machine, point, shifts, turns, degrees):
    """Home with a platform point moved by shifts (n, 3) [m] and turned by Rx Ry Rz about it."""
    home = machine.X_home
    turn = gough.pose_matrix(np.zeros_like(shifts), turns, "XYZ", degrees=degrees)[:, :3, :3]
    X = gough.pose_matrix(np.zeros_like(shifts))
    X[:, :3, :3] = turn @ home[:3, :3]
    X[:, :3, 3] = home[:3, :3] @ point + home[:3, 3] + shifts - X[:, :3, :3] @ point
    return X


def travel_box(machine):
    """Lowest and highest displacement (6,) along and about each axis from home; an endless one is cut off."""
    table = gough.travel_table(machine)
    low = np.array([row.minus for row in table])
    high = np.array([row.plus for row in table])
    end = np.array([0.5 * machine.size] * 3 + [np.pi] * 3)
    return np.where(np.isfinite(low), low, -end), np.where(np.isfinite(high), high, end)


def turned_poses(machine, rng, count, degrees):
    """Translations inside the travel that are allowed by themselves, and three Euler angles up to
    `degrees` about the centre of the platform's joints."""
    low, high = travel_box(machine)
    shifts = OF_THE_TRAVEL * rng.uniform(low[:3], high[:3], (8 * count, 3))
    centre = machine.platform_centre
    straight = displaced_poses(machine, centre, shifts, np.zeros_like(shifts), False)
    shifts = shifts[gough.limits.is_allowed(machine, straight)][:count]
    X = displaced_poses(machine, centre, shifts, rng.uniform(-degrees, degrees, (len(shifts), 3)), True)
    return X[np.isfinite(gough.inverse_kinematics(machine, X)).all(axis=1)]


def allowed_poses(machine, rng, count, tries=200):
    """Poses inside all limits, drawn from the box of the travels along and about each axis."""
    low, high = travel_box(machine)
    found = []
    total = 0
    for _ in range(tries):
        d = rng.uniform(low, high, (20000, 6))
        X = displaced_poses(machine, machine.point_of_interest, d[:, :3], d[:, 3:], False)
        X = X[gough.limits.is_allowed(machine, X)]
        found.append(X)
        total += len(X)
        if total >= count:
            break
    return np.concatenate(found)[:count]
