"""Calibrations repeated with fresh noise: do intervals cover the truth, and do estimates reach the Cramer-Rao bound?"""

from dataclasses import replace

import numpy as np
from tests.calibration.built import KINDS, MICRON, Built

import gough
from gough.calibration.fit import fitted

JOINTS, POSITIONS, ROTATIONS = 10 * MICRON, 5 * MICRON, 10e-6
NOISE = {"joints": JOINTS, "positions": POSITIONS, "rotations": ROTATIONS}
NORMAL_95 = 1.959963984540054


class Repeats:
    """Estimates of the same machine from the same poses, readings and measurements with fresh noise each time."""

    def __init__(self, kind, count, seed=0, n=40):
        self.rng = np.random.default_rng(seed)
        self.built = Built(gough.load(KINDS[kind]), self.rng, n=n, reach=0.1, turn=0.3, off=0.05)
        clean = gough.calibrate(
            self.built.drawn, self.built.q, self.built.X, noise=NOISE, device=np.eye(4), target=np.eye(4)
        )
        self.problem, self.start = clean.problem, clean.fit
        self.truth = self.built.errors / self.problem.spread
        self.found = np.array([self.once() for _ in range(count)])
        self.deviation = clean.deviations / self.problem.spread

    def once(self):
        """Errors in their spreads, from one set of noise."""
        given, rng, n = self.problem.given, self.rng, len(self.problem.given)
        X = given.poses.copy()
        X[:, :3, :3] = gough.displacements.rotations(ROTATIONS * rng.normal(size=(n, 3))) @ X[:, :3, :3]
        X[:, :3, 3] += POSITIONS * rng.normal(size=(n, 3))
        noisy = replace(given, q=given.q + JOINTS * rng.normal(size=(n, 6)), poses=X)
        problem = replace(self.problem, given=noisy, X=self.problem.X.copy())
        return fitted(problem, self.start.noise, [], self.start.x).x[: len(self.truth)]

    @property
    def coverage(self):
        """Part of all 95 % intervals that have the truth in them."""
        return float((np.abs(self.found - self.truth) <= NORMAL_95 * self.deviation).mean())

    @property
    def efficiency(self):
        """Root mean square of the errors over the Cramer-Rao bound, over all combinations that are determined."""
        J = self.start.J[:, : len(self.truth)]
        whitened = np.linalg.qr(J, mode="r") @ (self.found - self.truth).T
        return float(np.sqrt(np.mean(whitened**2)))
