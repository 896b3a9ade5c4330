"""Motions of files in the viewer: their forces are those under the load that stands beside them."""

import numpy as np
import pytest
from tests.viewer.conftest import until

import gough
from gough.viewer.applied_forces import ForceInputs

pytest.importorskip("viser", reason="viser is not installed")
INERTIAL = 0.02
"""Of forces at 10 mm/s, as part of the largest: all but the weight."""


@pytest.fixture
def sinatra_view(tmp_path):
    from gough.cli.clip_input import read_clip
    from gough.viewer.access import Fence
    from gough.viewer.server import start_server, stop_server
    from gough.viewer.view import View

    server = start_server()
    view = View(server, gough.load("sinatra2009"), read_clip=read_clip, fence=Fence([tmp_path]))
    yield view
    view.stop()
    stop_server(server)


def test_a_payload_typed_after_a_path_was_opened_counts_in_its_forces(sinatra_view, tmp_path):
    view, m = sinatra_view, gough.load("sinatra2009")
    program = tmp_path / "part.ngc"
    program.write_text("G1 X20 F600\n")
    view.files.open_motion(program)
    assert until(lambda: view.state.clip is not None)
    bare = view.state.clip
    inputs = ForceInputs(mass=40.0, centre=(0.05, 0.0, 0.1), inertia=(1.0, 1.0, 1.0))
    view.carry(inputs)
    assert until(lambda: view.state.clip is not bare)
    clip, applied = view.state.clip, view.state.applied
    assert "Hardest leg" in clip.note
    assert clip.note != bare.note
    # In the middle of a slow move: statics of the machine with that payload.
    carrying = m.with_payload(applied.mass, applied.mass_centre, applied.inertia)
    heavy, light = (np.abs(each.force[len(each.force) // 2]).max() for each in (clip, bare))
    assert heavy > 2 * light
    middle = len(clip.X) // 2
    still = gough.inverse_dynamics(carrying, clip.X[middle], np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(clip.force[middle], still, rtol=0, atol=INERTIAL * np.abs(still).max())
