"""Poses of the drawing from which a fit begins, and what their weight does to the legs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.calibration.legs import LegErrors
from gough.calibration.measurements import Measurements
from gough.calibration.problem import Problem
from gough.calibration.setup import Setup
from gough.calibration.start import started
from gough.machine import Machine

QUICK = 8
"""Steps to a pose where data are judged that may be of another machine."""


def posed(
    legs: LegErrors, setup: Setup, given: Measurements, spread: Array, *, sag: bool = False, is_quick: bool = False
) -> Problem:
    """The problem with poses of the drawing to begin with, and unknown frames and points where these put them."""
    from gough.kinematics.forward import forward_kinematics

    m = legs.machine
    q = given.q if m.encoders is None else m.encoders.coordinates(given.q)
    empty = Problem(legs, setup, given, spread, np.tile(m.X_home, (len(given), 1, 1)), steps=QUICK if is_quick else 30)
    X = empty.solve_poses(np.zeros((6, legs.count)))
    lost = np.isnan(X).any(axis=(1, 2))
    if lost.any() and not is_quick:
        X[lost] = forward_kinematics(m, q[lost], throw=False).matrix
    return replace(empty, setup=started(setup, X, given), X=X, sag=sagging(m, X) if sag else None)


def sagging(machine: Machine, X: Array) -> Array:
    """By how much weight makes the rods longer at poses X (n, 6) [m]."""
    from gough.statics.stiffness import axial_forces, leg_stiffness, screws

    safe = np.where(np.isfinite(X).all(axis=(1, 2), keepdims=True), X, machine.X_home)
    force = axial_forces(machine, safe, np.zeros(6), gravity=True)
    return np.asarray(-force / leg_stiffness(machine, screws(machine, safe)[2]))
