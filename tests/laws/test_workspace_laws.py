"""Laws of the workspace on every leg kind: move the world, scale lengths, relabel the legs."""

from dataclasses import fields, replace

import numpy as np
import pytest
from tests.relabelled import relabelled
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits.interval_search import poses_at

ROUND_OFF = 1e-9
"""Relative; of ends found to rounding where a limit is nearly tangent to a column."""
SLIVER = 1e-7
"""Of the machine's size: what a leg that just comes into reach may be allowed before its drive's end stops it."""
KINDS = (*thorough("servo"), "hexaglide", *SKEW)
SAMPLES = 9


@pytest.fixture(params=KINDS, scope="module")
def known(request):
    return gough.load(request.param)


def shape_of(machine, **options):
    """Columns over the machine's own extent, and rays of positions and turns."""
    columns = gough.workspace(machine, samples=SAMPLES, **options)
    return (
        columns,
        gough.workspaces.workspace_rays(machine, level=1),
        gough.workspaces.orientation_workspace(machine, level=1),
    )


def with_vectors(m, changed, **others):
    legs = {f.name: changed(f.name, getattr(m.legs, f.name)) for f in fields(m.legs)}
    return replace(m, legs=replace(m.legs, **legs), **others)


def turned_limits(limits, R):
    cone = limits.base_cone and replace(limits.base_cone, axis=limits.base_cone.axis @ R.T)
    plate = limits.base_plate and replace(limits.base_plate, normal=R @ limits.base_plate.normal)
    return replace(limits, base_cone=cone, base_plate=plate)


def turned(m, R):
    """The machine with its whole world turned by R, without limits that are about the base's own axes."""
    bare = replace(m.limits, box=np.array([[-np.inf, np.inf]] * 3), radius=np.inf, rotation=np.inf)
    D = np.eye(4)
    D[:3, :3] = R

    def moved(name, value):
        return value @ R.T if name.endswith("_B") else value

    there = with_vectors(m, moved, X_home=D @ m.X_home, gravity=R @ m.gravity, limits=turned_limits(bare, R))
    return replace(m, limits=bare), there


def test_a_quarter_turn_of_the_world_turns_the_columns(known):
    m, there = turned(known, np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    before = gough.workspace(m, samples=SAMPLES)
    assert before.count.any()
    # (x, y) goes to (-y, x).
    after = gough.workspace(there, x=-before.y[::-1], y=before.x, z=before.z_range)
    np.testing.assert_array_equal(after.count, before.count[:, ::-1].T)
    size = m.size * ROUND_OFF
    np.testing.assert_allclose(after.lower, before.lower[:, ::-1].T, rtol=0, atol=size)
    np.testing.assert_allclose(after.upper, before.upper[:, ::-1].T, rtol=0, atol=size)


def test_a_turn_of_the_world_turns_the_rays(known):
    """The rays' directions, those of an icosahedron, are the same when x, y and z change places."""
    R = np.roll(np.eye(3), 1, axis=0)
    m, there = turned(known, R)
    places = {
        tuple(np.round(d, 9)): k for k, d in enumerate(gough.workspaces.workspace_rays(m, level=1).directions + 0.0)
    }
    for search, size in ((gough.workspaces.workspace_rays, m.size), (gough.workspaces.orientation_workspace, 1.0)):
        before, after = search(m, level=1), search(there, level=1)
        same = [places[tuple(np.round(R @ d, 9) + 0.0)] for d in before.directions]
        assert before.radius.any()
        np.testing.assert_allclose(after.radius[same], before.radius, rtol=0, atol=ROUND_OFF * size)


@pytest.mark.parametrize("k", [1e-3, 20.0])
def test_scaling_all_lengths_scales_the_workspace(known, k):
    X = known.X_home.copy()
    X[:3, 3] *= k
    X_PT = known.X_PT.copy()
    X_PT[:3, 3] *= k
    old = known.limits
    joints = k if known.legs.joint == "length" else 1.0
    limits = replace(
        old,
        joint_min=old.joint_min * joints,
        joint_max=old.joint_max * joints,
        leg_radius=None if old.leg_radius is None else old.leg_radius * k,
        box=old.box * k,
        radius=old.radius * k,
    )
    larger = with_vectors(
        known,
        lambda name, value: value if name in ("g_B", "n_B", "branch") else k * value,
        X_home=X,
        X_PT=X_PT,
        point_of_interest=k * known.point_of_interest,
        limits=limits,
    )
    columns, rays, turns = shape_of(known)
    low, high = columns.z_range
    there, rays_there, turns_there = shape_of(larger, x=k * columns.x, y=k * columns.y, z=(k * low, k * high))
    np.testing.assert_allclose(there.height, k * columns.height, rtol=0, atol=k * known.size * SLIVER)
    assert there.volume == pytest.approx(k**3 * columns.volume, rel=SLIVER)
    np.testing.assert_allclose(rays_there.radius, k * rays.radius, rtol=0, atol=k * known.size * SLIVER)
    np.testing.assert_allclose(turns_there.radius, turns.radius, rtol=0, atol=SLIVER)


def test_relabelling_the_legs_relabels_what_binds(known):
    order = np.array([3, 0, 5, 1, 4, 2])
    m = relabelled(known, order)
    columns, rays, turns = shape_of(known)
    there, rays_there, turns_there = shape_of(m, x=columns.x, y=columns.y, z=columns.z_range)
    np.testing.assert_array_equal(there.count, columns.count)
    np.testing.assert_allclose(there.ends, columns.ends, rtol=0, atol=known.size * ROUND_OFF)
    np.testing.assert_allclose(rays_there.radius, rays.radius, rtol=0, atol=known.size * ROUND_OFF)
    np.testing.assert_allclose(turns_there.radius, turns.radius, rtol=0, atol=ROUND_OFF)
    ends = gough.margins(
        known, poses_at(known, rays.middle[:3, :3], rays.centre + rays.radius[:, None] * rays.directions)
    )
    for ray, place in enumerate(rays_there.radius_binding):
        kind, _, what = rays_there.names[place].partition(" ")
        if kind == "leg":
            number, _, what = what.partition(" ")
            name = f"leg {order[int(number) - 1] + 1} {what}"
            assert abs(ends.relative[ray, ends.names.index(name)]) < ROUND_OFF
