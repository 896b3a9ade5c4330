"""The lowest value that a search finds over a workspace, against other searches and other grids."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, root
from tests.independent.machine_file import from_document
from tests.independent.margins import margins
from tests.laws.test_crank_zero_laws import restated
from tests.skew import SKEW_OF_KIND
from tests.thorough import thorough

import gough
from gough.description.write import toml
from gough.limits.interval_search import poses_at
from gough.workspaces.descent import Descent, on_columns
from gough.workspaces.minimum import REACH_MARGIN

SAME = 1e-6  # relative: searches by differences that end at the same place


def slowest(machine, motion, samples):
    margin = 0.0 if machine.legs.rod() is None else REACH_MARGIN
    return gough.workspaces.slowest_pose(machine, motion=motion, samples=samples, reach_margin=margin)


@pytest.mark.parametrize(
    ("name", "motion"),
    [*thorough(("linapod", "translation"), (SKEW_OF_KIND["RUS"], "translation")), (SKEW_OF_KIND["PUS"], "rotation")],
    ids=lambda name: Path(name).stem,
)
def test_the_slowest_pose_is_the_same_whatever_the_grid(name, motion):
    m = gough.load(name)
    values = [slowest(m, motion, samples).value for samples in (5, 9)]
    assert values[1] == pytest.approx(values[0], rel=SAME)


def test_no_random_place_is_slower_where_a_search_from_one_start_ends_in_another_valley(rng):
    """From the lowest place of the grid alone, 5 % too fast."""
    m = gough.load("hexaglide")
    ends = gough.workspace(m, samples=9).extent
    X = poses_at(m, m.X_home[:3, :3], rng.uniform(ends.low, ends.high, size=(20000, 3)))
    found = gough.margins(m, X)
    reach = found.relative[:, [name.endswith("reach") for name in found.names]].min(axis=1)
    X = X[found.is_allowed & (reach >= REACH_MARGIN)]
    assert slowest(m, "rotation", 5).value <= gough.velocity_envelope(m, X).guaranteed("rotation").min()


@pytest.mark.parametrize("name", ["servo", "hexaglide"])
def test_at_the_end_of_the_reach_it_is_zero_and_some_direction_stands_still(name):
    """There the rod is square to the path of its foot, whose rate for any twist that needs it has no end."""
    m = gough.load(name)
    found = gough.workspaces.slowest_pose(m, samples=9)
    assert found.value == 0.0
    assert found.active_limits[0].endswith("reach")
    at_end = gough.margins(m, found.matrix)
    assert abs(at_end.values[at_end.names.index(found.active_limits[0])]) < 1e-9 * m.size
    assert (
        gough.velocity_envelope(m, found.matrix).guaranteed("translation") < 1e-3 * slowest(m, "translation", 9).value
    )


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_places_on_columns_are_allowed_and_reach_both_ends(kind):
    m = gough.load(SKEW_OF_KIND[kind])
    w = gough.workspace(m, samples=5)
    axes = tuple(np.linspace(*ends, 3) for ends in (w.x[[0, -1]], w.y[[0, -1]], w.z_range))
    search = Descent(m, lambda X: np.zeros(len(X)), m.X_home[:3, :3], 0.0, axes, np.zeros(3, dtype=bool))
    margins = gough.margins(m, search.poses(on_columns(search))).smallest
    assert margins.min() > -1e-6
    assert margins.min() < 1e-4


AT_REACH = 1e-14
"""Distance from the end of reach [m] at which an edge of two of them is walked."""


@pytest.mark.parametrize("turns", [np.zeros(6), *thorough(np.array([0.3, -1.0, 2.0, 0.7, -0.4, 1.5]))])
def test_the_lowest_frequency_is_that_of_the_corner_of_its_limits(turns, tmp_path):
    """Cranks askew whose ranges have no ends: lowest where two legs end their reach and a cone does. The corner, from
    the second reader's margins: a zero of the cone's along the edge of both ends of reach, to which it is like a
    root."""
    document = restated("none", turns)[1]
    path = tmp_path / "m.toml"
    path.write_text(toml(document), "utf-8")
    m, same = gough.load(path), from_document(document)
    found = gough.dynamics.lowest_frequency(m, samples=9)
    assert found.active_limits == ("leg 4 reach", "leg 5 reach", "leg 3 base cone")

    def values(p):
        of = margins(same, p - same.R0 @ same.poi, same.R0)
        return np.array([of[name][0] for name in found.active_limits])

    def on_edge(x):
        p = found.position.copy()
        p[0] = x
        p[1:] = root(lambda rest: 1e3 * (values(np.array([x, *rest]))[:2] - AT_REACH), p[1:], tol=1e-15).x
        return p

    x = found.position[0]
    corner = on_edge(brentq(lambda x: values(on_edge(x))[2], x - 1e-6, x + 1e-6, xtol=1e-15))
    X = m.X_home.copy()
    X[:3, 3] = corner - X[:3, :3] @ m.point_of_interest
    assert found.value == pytest.approx(gough.natural_frequencies(m, X).frequency[0], rel=SAME)
    np.testing.assert_allclose(found.position, corner, atol=1e-10)
