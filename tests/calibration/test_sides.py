"""Choices of a side or a direction in the start of frames: the fits make them, not the drawing."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibration.truth import Session
from tests.thorough import thorough

import gough
from gough.calibration.fit import fitted
from gough.calibration.outliers import with_rows
from gough.calibration.threads import in_one_thread

POINT = np.array([0.05, 0.02, 0.03])
BEGUN = np.array(
    [[1.0, 0.3, 0.1], [-0.3, 1.2, 0.2], [0.2, 0.1, 1.4], [0.9, -0.8, 0.5], [-0.7, -0.6, 0.3], [0.1, 0.5, -0.8]]
)
ENDS = np.array(
    [[0.05, 0.02, 0.03], [-0.1, 0.05, 0.04], [0.02, -0.12, 0], [0.1, 0.1, 0.02], [-0.08, -0.07, 0.05], [0, 0, -0.05]]
)
"""Of wires in the base and on the platform [m]."""
SAME = 1e-4
"""Relative difference of the noise of two fits that end in the same minimum."""


def measured(session, what, C, D):
    """Keywords of `calibrate` for exact measurements, with true frames and points."""
    X = session.X
    M, seen = C @ X @ D, X[:, :3, :3] @ POINT + X[:, :3, 3]
    ends = np.einsum("nij,kj->nki", X[:, :3, :3], ENDS) + X[:, None, :3, 3]
    before = M[[0, *range(len(M) - 1)]]
    data = {
        "levels": {"angles": np.arcsin(M[:, 2, :2])},
        "target": {"positions": seen @ C[:3, :3].T + C[:3, 3]},
        "wires": {"distances": np.linalg.norm(ends - BEGUN, axis=2), "wire_points": ENDS, "fixed_points": BEGUN},
        "wires from known points": {"distances": np.linalg.norm(ends - BEGUN, axis=2), "wire_points": ENDS},
        "wires to known points": {"distances": np.linalg.norm(ends - BEGUN, axis=2), "fixed_points": BEGUN},
        "poses": {"poses": M},
        "known target": {"target": D},
        "relative": {"relative": np.linalg.inv(before) @ M},
    }
    truth = {"device": C[None], "target": D, "points": POINT[None], "wire_points": ENDS, "fixed_points": BEGUN}
    return {key: value for part in what for key, value in data[part].items()}, truth


def turned(seed):
    """Frames of the device and the target: this turned by any rotation, the device too but for seeds from 10 on."""
    C, D = np.tile(np.eye(4), (2, 1, 1))
    C[:3, :3], D[:3, :3] = (Rotation.random(random_state=k).as_matrix() for k in (seed + 100, seed % 10))
    if seed >= 10:
        C[:3, :3] = np.eye(3)
    C[:3, 3], D[:3, 3] = [1.0, -0.5, 0.3], POINT
    return C, D


def from_truth(found, truth):
    """The fit of the same rows that starts with true frames and points."""
    setup = found.problem.setup
    known = {name: truth[name] for name in setup.places(found.given) if name in truth}
    problem = replace(found.problem, setup=replace(setup, **known), X=found.problem.X.copy())
    return in_one_thread(fitted)(with_rows(problem, found.kept), found.noise, list(found.noise))


LEVELS, WIRES = ("levels", "target"), ("levels", "wires", "known target")
CASES = [
    *(("RUS", 1e-3, LEVELS, 17), ("UPS", 1e-3, LEVELS, 7), ("UPS", 0.15, WIRES, 7), ("PUS", 1e-3, WIRES, 2)),
    *thorough(
        *((kind, turn, LEVELS, seed) for kind in ("UPS", "PUS", "RUS") for turn in (1e-3, 0.15) for seed in range(20)),
        *((kind, turn, WIRES, seed) for kind in ("UPS", "PUS", "RUS") for turn in (1e-3, 0.15) for seed in range(4)),
        *(("PUS", turn, ("levels", "wires"), seed) for turn in (1e-3, 0.15) for seed in range(2)),
        *(("PUS", turn, ("levels", "relative"), seed) for turn in (1e-3, 0.15) for seed in range(2)),
        *(("PUS", turn, ("poses",), seed) for turn in (1e-3, 0.15) for seed in range(4)),
        *(("PUS", turn, ("relative",), seed) for turn in (1e-3, 0.15) for seed in range(4)),
        *(("UPS", turn, ("target",), seed) for turn in (1e-3, 0.15) for seed in range(4)),
    ),
]


@pytest.mark.parametrize(("kind", "turn", "what", "seed"), CASES)
def test_a_fit_ends_where_one_from_the_true_frames_ends(kind, turn, what, seed):
    """Device and target turned by any rotations, upside down too."""
    session = Session(kind, 71, turn, frames=False)
    given, truth = measured(session, what, *turned(seed))
    found = gough.calibrate(session.drawn, session.q, **given)
    true = from_truth(found, truth)
    assert found.noise["joints"] < (1.0 + SAME) * true.noise["joints"]
    assert found.fit.has_converged
    assert not session.is_worse(found.machine)


def test_points_that_positions_in_a_plane_leave_on_either_side_are_found_by_the_fit():
    """Fixed points above and below the plane; each side fits the drawing, the wrong ones with more noise."""
    session = Session("UPS", 71, 1e-4, frames=False)
    session.X[:, 2, 3] = session.drawn.X_home[2, 3]
    q = session.truth.read(session.X) + session.s * np.random.default_rng(0).normal(size=session.q.shape)
    given, truth = measured(session, ("target", "wires from known points"), np.eye(4), np.eye(4))
    found = gough.calibrate(session.drawn, q, distances=given["distances"], wire_points=ENDS)
    true = from_truth(found, truth)
    assert found.noise["joints"] < (1.0 + SAME) * true.noise["joints"]
