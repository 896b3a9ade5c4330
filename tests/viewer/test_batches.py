"""Solids drawn in batches: made anew when their number changes, and never drawn with buffers that are gone."""

import numpy as np

from gough.viewer.scene.batch import MADE, Batch


def test_another_number_of_solids_is_another_node(view):
    from gough.plot._shapes import Bar

    first, *rest = (Bar(np.zeros(3), np.array([0.0, 0.0, z]), 0.01) for z in (0.1, 0.2, 0.3))
    batch = Batch(view.server.scene, "/some bars", "#123456")
    batch.show([first])
    made = next(MADE) - 1
    batch.show([rest[0]])
    assert next(MADE) == made + 2
    one = view.server.scene.get_handle_by_name(f"/some bars {made}")
    np.testing.assert_allclose(one.batched_scales[0], [0.01, 0.01, 0.2], rtol=1e-6)
    batch.show(rest)
    assert view.server.scene.get_handle_by_name(f"/some bars {made}") is None
    assert view.server.scene.get_handle_by_name(f"/some bars {made + 3}").batched_positions.shape == (2, 3)
    batch.remove()
    assert view.server.scene.get_handle_by_name(f"/some bars {made + 3}") is None
