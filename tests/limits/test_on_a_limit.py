"""Poses exactly on a limit: allowed wherever rounding takes them, in every function and through every file."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import differential_evolution
from scipy.spatial.transform import Rotation
from tests.independent import margins as own
from tests.independent.machine_file import read
from tests.skew import MACHINES, SKEW, SKEW_STACK
from tests.thorough import thorough

import gough
from gough.cli.table import read_table
from gough.limits.table import ROUNDING
from gough.present.write import csv_text

BUILT_IN = Path(gough.__file__).parent / "description" / "machines"
NAMES = sorted(path.stem for path in BUILT_IN.glob("*.toml"))
UNEVEN = str(MACHINES / "uneven-pistons.toml")
FORMULAS = 1e-10
"""Two formulas for the same margin differ by rounding, most where a crank's rod is at its reach; relative."""
COLUMNS = ("x", "y", "z", "qx", "qy", "qz", "qw")
WITHIN_DRIFT = 1e-3
"""Brute force does not come closer to the optimum, in machine sizes."""


def directions(m, count, seed):
    d = np.random.default_rng(seed).normal(size=(count, 6))
    d[:, 3:] /= m.size
    return np.concatenate([d, np.eye(6), -np.eye(6)])


def through_a_file(m, X, tmp_path):
    """Poses (n, 4, 4) written to CSV in the machine's unit, with quaternions, and read again."""
    q = Rotation.from_matrix(X[:, :3, :3]).as_quat()
    text = csv_text(dict(zip(COLUMNS, [*(X[:, :3, 3] / m.units.metres).T, *q.T], strict=True)))
    file = tmp_path / "poses.csv"
    file.write_text(text)
    found = read_table(str(file), dict.fromkeys(COLUMNS[:3], "length") | dict.fromkeys(COLUMNS[3:], "number"), m.units)
    Y = np.tile(np.eye(4), (len(X), 1, 1))
    Y[:, :3, 3] = found.stack(COLUMNS[:3])
    Y[:, :3, :3] = Rotation.from_quat(found.stack(COLUMNS[3:])).as_matrix()
    return Y


def end_poses(X):
    """Of two stages the end platform's."""
    return X if X.ndim == 3 else X[:, 1]


def postures(m, X):
    return gough.stages.resolve_redundancy(m, X, choice="fixed").matrix if m.stage_shape else X


@pytest.mark.parametrize("name", [*NAMES, *SKEW, SKEW_STACK, UNEVEN])
def test_ends_of_travel_are_allowed_once_read_back_and_travel_from_there_goes_back(name, tmp_path):
    m = gough.load(name)
    d = directions(m, 40, 5)
    t = gough.travel(m, d)
    is_end = t.binding_index >= 0
    assert is_end.any()
    at_end = gough.margins(m, t.matrix[is_end])
    assert (at_end.values >= 0).all()
    assert np.abs(at_end.smallest).max() < 1e-12
    Y = through_a_file(m, end_poses(t.matrix[is_end]), tmp_path)
    assert gough.margins(m, postures(m, Y)).is_allowed.all()
    assert gough.limits.is_allowed(m, postures(m, Y)).all()
    back = gough.travel(m, -d[is_end], Y)
    assert back.is_start_allowed.all()
    # As far as to the start, at least: the way there was free.
    assert (back.distance >= (1 - 1e-9) * t.distance[is_end]).all()
    on = gough.travel(m, d[is_end], Y)
    assert on.is_start_allowed.all()
    assert gough.margins(m, on.matrix[on.binding_index >= 0]).is_allowed.all()


@pytest.mark.parametrize("name", [*(name for name in NAMES if name not in ("double-hexapod",)), *SKEW, UNEVEN])
def test_other_formulas_find_the_ends_on_their_limits(name, tmp_path):
    file = name if name.endswith(".toml") else str(BUILT_IN / f"{name}.toml")
    m, there = gough.load(name), read(file)
    t = gough.travel(m, directions(m, 40, 6))
    Y = through_a_file(m, t.matrix[t.binding_index >= 0], tmp_path)
    found = own.margins(there, Y[:, :3, 3], Y[:, :3, :3])
    # Where home is singular there is no far side, and no end there.
    parts = [
        value / scale for what, (value, scale, _) in found.items() if what != "singularity" or name != "singular-home"
    ]
    worst = np.min(np.broadcast_arrays(*[part if part.ndim == 1 else part.min(axis=-1) for part in parts]), axis=0)
    assert np.abs(worst).max() < FORMULAS


def test_paths_along_a_limit_go_on_from_poses_that_were_read_back(tmp_path):
    """On a side of the tool's box, moves parallel to it: the same travel with the margin at zero or rounded below."""
    m = gough.load("hexel")
    box = np.array([[-np.inf, np.inf], [-np.inf, np.inf], [-np.inf, (m.X_home @ m.X_PT)[2, 3] + 0.01]])
    m = replace(m, limits=replace(m.limits, box=box))
    up = gough.travel(m, [0, 0, 1, 0, 0, 0])
    assert up.binding == "tool z max"
    Y = up.matrix.copy()
    wanted = gough.travel(m, [1, 0.3, 0, 0, 0, 0], Y).distance
    for _ in range(8):
        Y[2, 3] = np.nextafter(Y[2, 3], np.inf)
        assert gough.travel(m, [1, 0.3, 0, 0, 0, 0], Y).distance == pytest.approx(wanted, rel=1e-9)
        assert wanted > 0.01 * m.size
    Y[2, 3] += 1e-9 * m.size
    assert not gough.margins(m, Y).is_allowed
    assert gough.travel(m, [1, 0.3, 0, 0, 0, 0], Y).distance == 0


@pytest.mark.parametrize("name", [*thorough(SKEW[0], SKEW[1]), SKEW[2], UNEVEN])
def test_nearest_poses_are_allowed_once_read_back(name, tmp_path):
    m, found = gough.load(name), []
    for d in directions(m, 0, 0)[:3]:
        reach = gough.travel(m, d)
        wanted = np.array(reach.matrix)
        wanted[:3, 3] += 0.1 * m.size * d[:3]
        found.append(gough.nearest_pose(m, wanted).matrix)
    assert (gough.margins(m, np.array(found)).values >= 0).all()
    Y = through_a_file(m, np.array(found), tmp_path)
    assert gough.margins(m, Y).is_allowed.all()
    assert all(gough.nearest_pose(m, X).distance == 0 for X in Y)


def test_a_limit_holds_within_its_tolerance_and_not_beyond():
    """A stroke: joint_max is the length that the pose needs, less some rounding errors or a picometre."""
    m = gough.load("jugglebot")
    X = m.X_home
    there = read(str(BUILT_IN / "jugglebot.toml"))
    length = np.linalg.norm(X[:3, 3] + there.b @ X[:3, :3].T - there.a, axis=1)
    for off, holds in ((0.0, True), (0.5, True), (2.0, False)):
        far = max(m.size, float(np.abs(m.joints_home).max()))
        tight = replace(m, limits=replace(m.limits, joint_max=length - off * ROUNDING * far))
        assert bool(gough.margins(tight, X).is_allowed) is holds
        assert bool(gough.limits.is_allowed(tight, X)) is holds
        assert bool(gough.travel(tight, [0, 0, -1, 0, 0, 0]).distance > 0) is holds
        assert (gough.margins(tight, X).sentences() == []) is holds


@pytest.mark.parametrize("name", [*thorough("hexel"), SKEW[0]])
def test_far_requests_are_answered_as_well_as_brute_force_does(name):
    """A pose far away in some direction: the allowed pose that comes farthest in it, whose turn hardly counts."""
    m, far = gough.load(name), 90.0
    there = read(name if name.endswith(".toml") else str(BUILT_IN / f"{name}.toml"))
    u = np.array([0.6, -0.3, 0.74])
    u /= np.linalg.norm(u)
    wanted = m.X_home.copy()
    wanted[:3, 3] += far * m.size * u
    found = gough.nearest_pose(m, wanted)
    assert np.linalg.norm(found.rotation) <= np.pi
    target = wanted[:3, :3] @ m.point_of_interest + wanted[:3, 3]

    def distance(x):
        turn = Rotation.from_rotvec(x[3:].T)
        R = turn.as_matrix() @ m.X_home[:3, :3]
        point = m.home_point + m.size * x[:3].T
        off = np.linalg.norm(point - target, axis=-1)
        with np.errstate(invalid="ignore"):
            kept = own.allowed(there, point - R @ m.point_of_interest, R)
        return np.where(kept, np.hypot(off, found.length * turn.magnitude()) / m.size - far, 10.0)

    bounds = [(-1, 1)] * 3 + [(-2.5, 2.5)] * 3
    how = {"maxiter": 100, "popsize": 15, "tol": 0.0, "polish": False, "vectorized": True, "updating": "deferred"}
    brute = differential_evolution(distance, bounds, x0=np.zeros(6), rng=1, **how).fun
    assert found.distance / m.size - far <= brute + WITHIN_DRIFT


@pytest.mark.parametrize("name", SKEW)
def test_every_advice_to_back_off_leads_to_an_allowed_pose(name, rng):
    m, tried = gough.load(name), 0
    for d in directions(m, 25, 8):
        X = np.array(gough.travel(m, d).matrix)
        if np.isnan(X).any():
            continue
        X[:3, 3] += rng.uniform(0.0, 1.5) * m.size * d[:3] / max(np.linalg.norm(d[:3]), 1.0)
        words = gough.limits.margin_gradient(m, X).back_off().split()
        if words[:2] != ["back", "off"]:
            continue
        unit = m.units.metres if words[3] == m.units.length else m.units.radians
        size = float(words[2]) * unit * (1 if words[5][0] == "+" else -1)
        axis = ("x", "y", "z", "rx", "ry", "rz").index(words[5][1:])
        Y = X.copy()
        if axis < 3:
            Y[axis, 3] += size
        else:
            R = Rotation.from_rotvec(size * np.eye(3)[axis - 3]).as_matrix()
            point = X[:3, :3] @ m.point_of_interest
            Y[:3, :3], Y[:3, 3] = R @ X[:3, :3], X[:3, 3] + point - R @ point
        assert gough.margins(m, Y).is_allowed
        tried += 1
    assert tried > 3


def test_a_pose_that_is_not_a_number_holds_no_limit():
    found = gough.margins(gough.load("hexel"), np.full((4, 4), np.nan))
    assert not found.holds.any()
    assert not found.is_allowed
