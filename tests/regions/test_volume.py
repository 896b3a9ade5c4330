"""The six-dimensional volume: its measure, its interval, its proven bounds, and a second route to it."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom
from tests import volume
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.displacements import rotations
from gough.limits.interval_search import limit_names, poses_at
from gough.regions import ball, box
from gough.regions.cells import Cells, density, density_bounds, is_within, measure_bounds, meets
from gough.regions.paving import Paving
from gough.regions.volume import CONFIDENCE, QUANTILE, Line, allowed_at, binomial_interval

ROTATIONS = 8 * np.pi**2
"""Measure of all rotations [rad3]."""
ALL = {
    "rotation vectors": ({"turn": np.pi}, ROTATIONS),
    "cone": ({"tilt": np.pi, "roll": np.pi}, ROTATIONS),
    "XYZ": ({"euler": [[-np.pi, np.pi], [-np.pi / 2, np.pi / 2], [-np.pi, np.pi]], "sequence": "XYZ"}, ROTATIONS),
    "zxz": ({"euler": [[0, 2 * np.pi], [0, np.pi], [0, 2 * np.pi]], "sequence": "zxz"}, ROTATIONS),
    "half a cone": ({"tilt": np.pi / 3, "roll": 0.5}, 2 * np.pi * (1 - 0.5) * 2 * 0.5),
    "a ball": ({"turn": 1.2}, 4 * np.pi * 2 * (1.2 - np.sin(1.2))),
}
"""Orientations, and their measure [rad3]: of all, 8 pi^2; of a cone, solid angle times torsion; of a ball, the integral
of 4 pi t^2 (sin(t / 2) / (t / 2))^2."""


def grid(region, n):
    """The box about a region's orientations, cut into n^3 boxes, at all its positions."""
    ends = np.linspace(region.centre[3:] - region.half[3:], region.centre[3:] + region.half[3:], n + 1, axis=1)
    middles = np.stack(np.meshgrid(*((e[1:] + e[:-1]) / 2 for e in ends), indexing="ij"), axis=-1).reshape(-1, 3)
    centre = np.column_stack([np.tile(region.centre[:3], (n**3, 1)), middles])
    cells = Cells(centre, np.tile(np.concatenate([region.half[:3], region.half[3:] / n]), (n**3, 1)))
    return cells.chosen(meets(region, cells))


@pytest.mark.parametrize(("how", "whole"), ALL.values(), ids=ALL)
def test_boxes_bound_the_measure_of_all_orientations(how, whole):
    region = box([0, 0, 1], [1.0, 0.5, 2.0], **how)
    cells = grid(region, 40)
    low, high = measure_bounds(region, cells)
    exact = whole * 8 * np.prod(region.half[:3])
    assert low.sum() < exact < high.sum()
    assert high.sum() - low.sum() < 0.35 * exact
    assert np.sum(np.prod(2 * cells.half, axis=1) * density(region, cells.centre)) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("how", [how for how, _ in ALL.values()], ids=ALL)
def test_densities_are_within_their_bounds_and_poses_where_their_coordinates_say(how):
    region = box([0, 0, 1], [1.0, 0.5, 2.0], **how, about=[0.1, 0.2, -0.3], reference=rotations(np.array([0.3, 1, 2])))
    cells, rng = grid(region, 7), np.random.default_rng(0)
    z = cells.centre + cells.half * rng.uniform(-1, 1, (len(cells), 6))
    low, high = density_bounds(region, cells)
    inside = density(region, z) > 0
    assert inside[is_within(region, cells)].all()
    assert ((low * (1 - 1e-12) <= density(region, z)) & (density(region, z) <= high * (1 + 1e-12))).all()
    m = gough.load(SKEW[0])
    counted = np.ones(len(limit_names(m, ())), dtype=bool)
    line = Line.of(m, region, counted, cells, 0)
    z = z[inside] * 0.1 + [0, 0, 0, 0, np.pi / 2 if how.get("sequence") == "zxz" else 0, 0]
    np.testing.assert_array_equal(allowed_at(line, z), gough.limits.is_allowed(m, region.poses(z)))


def only_the_tool(tilt, rotation, sides):
    """A machine whose tool alone is limited."""
    angle = np.radians([0, 30, 120, 150, 240, 270])
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    ends = {f"{axis}_{end}": sign * side for axis, side in zip("xyz", sides, strict=True)
            for end, sign in (("min", -1), ("max", 1))}  # fmt: skip
    limits = {"box": ends, "tilt": tilt, "rotation": rotation}
    return gough.from_points(ring, 0.5 * ring, home=gough.pose([0, 0, 0.03]), limits=limits)


def test_the_volume_of_a_machine_whose_tool_alone_is_limited_is_a_product():
    """A box, times the solid angle of a cone, times the torsion on either side."""
    tilt, rotation, sides = 0.6, 0.4, (0.1, 0.2, 0.05)
    exact = 8 * np.prod(sides) * 2 * np.pi * (1 - np.cos(tilt)) * 2 * rotation
    found = gough.workspace_volume_6d(only_the_tool(tilt, rotation, sides), ignore=("singularity",), processes=1)
    assert found.low < exact < found.high
    assert found.lower < exact < found.upper
    assert found.high - found.low < 0.0101 * exact


@pytest.mark.thorough
def test_the_volume_is_that_of_exact_workspaces_over_orientations():
    """Gauss's rule along the angle, and the 14 directions of a cube's faces and corners: of degree five."""
    m, turn = gough.load("jugglebot"), 0.2
    region = ball(m.X_home[:3, 3], 10.0, turn=turn, reference=m.home)
    d = np.array([v for v in np.ndindex(3, 3, 3) if (np.array(v) != 1).sum() in (1, 3)]) - 1.0
    kind = np.sum(d != 0, axis=1)
    weight = np.where(kind == 1, 1 / 15, 3 / 40)
    d /= np.sqrt(kind)[:, None]
    u, w = np.polynomial.legendre.leggauss(2)
    total = 0.0
    for t, along in zip(0.5 * turn * (1 + u), 0.5 * turn * w, strict=True):
        R = rotations(t * d) @ m.X_home[:3, :3]
        volumes = [gough.workspace(m, poses_at(m, one, np.zeros(3)), samples=9).volume for one in R]
        total += along * 4 * np.pi * (2 * np.sin(t / 2)) ** 2 * float(weight @ volumes)
    found = gough.workspace_volume_6d(m, region, rtol=0.004, processes=1)
    assert found.volume == pytest.approx(total, rel=0.008)


def test_the_interval_of_a_chance_is_exact():
    low, high = binomial_interval(7, 100)
    tail = (1 - CONFIDENCE) / 2
    assert binom.sf(6, 100, low) == pytest.approx(tail)
    assert binom.cdf(7, 100, high) == pytest.approx(tail)
    assert binomial_interval(0, 100) == (0.0, pytest.approx(1 - tail**0.01))
    assert binomial_interval(100, 100) == (pytest.approx(tail**0.01), 1.0)
    assert pytest.approx(ndtri(1 - tail), rel=1e-4) == QUANTILE


@pytest.mark.thorough
def test_results_are_the_same_to_the_bit_with_any_number_of_processes():
    m = gough.load(SKEW[0])
    found = [gough.workspace_volume_6d(m, rtol=0.1, max_boxes=40_000, processes=n) for n in (1, 2)]
    for one, other in pairwise(found):
        assert (one.volume, one.low, one.high, one.hits) == (other.volume, other.low, other.high, other.hits)
        np.testing.assert_array_equal(one.paving.status, other.paving.status)
    assert gough.workspace_volume_6d(m, rtol=0.1, max_boxes=40_000, seed=1, processes=1).hits != found[0].hits


@pytest.mark.parametrize("machine", [SKEW[2], *thorough(*SKEW[:2], "singular-home")])
def test_no_pose_contradicts_a_paving(machine):
    wrong, proven = volume.contradictions(gough.load(machine), poses=3_000, boxes=8_000)
    assert wrong == 0
    assert proven > 100 or machine == "singular-home", "no box near the limits is proven: the attack saw none"


def test_pavings_are_saved_and_read(tmp_path):
    import xarray

    m = gough.load(SKEW[2])
    region = ball(m.X_home[:3, 3], 0.002 * m.size, turn=0.003, reference=m.home, name="a ball")
    paving = gough.workspace_volume_6d(m, region, max_boxes=5000, ignore=("singularity",), rtol=0.1).paving
    paving.dataset.to_netcdf(tmp_path / "paving.nc")
    with xarray.open_dataset(tmp_path / "paving.nc") as data:
        read = Paving.of(data)
    X = region.scaled(1.2).sample(500)
    np.testing.assert_array_equal(read.contains(X), paving.contains(X))
    pictures = [trace for trace in gough.plot.workspace(m, result=read).data if trace.type == "heatmap"]
    assert len(pictures) == 6
    assert {(trace.zmin, trace.zmax, float(np.nanmax(trace.z))) for trace in pictures} == {(0.0, 1.0, 1.0)}
    assert (read.bounds, read.ignored, read.machine_name) == (paving.bounds, ("singularity",), m.name)
    assert read.region.name == "a ball"
    assert set(np.unique(paving.contains(X))) >= {-1}
    assert (paving.contains(np.full((2, 4, 4), np.nan)) == -1).all()
    with pytest.raises(gough.errors.InputError, match="is not a paving"):
        Paving.of(data.drop_vars("status"))
