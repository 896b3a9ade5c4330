"""The figure of assembly modes draws each where it is."""

import numpy as np

import gough


def test_modes_are_drawn_where_they_are_the_nearest_first():
    m = gough.load("hexel")
    modes = gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
    figure = gough.plot.assembly_modes(m, modes)
    rods = [trace for trace in figure.data if trace.type == "scatter3d" and trace.mode == "lines"]
    assert len(rods) == 6, "of sixteen"
    for X, trace in zip(modes.matrix, rods, strict=False):
        points = np.stack([trace.x, trace.y, trace.z], axis=1).astype(float) * m.units.metres
        np.testing.assert_allclose(points[0::3], m.legs.driven_points(modes.q), atol=1e-12)
        np.testing.assert_allclose(points[1::3], m.b_P @ X[:3, :3].T + X[:3, 3], atol=1e-12)
        length = np.linalg.norm(points[1::3] - points[0::3], axis=1)
        np.testing.assert_allclose(length, modes.q, atol=1e-9)
    titles = [note.text for note in figure.layout.annotations]
    assert titles[0] == "mode 1, side +<br>allowed"
    assert titles[1] == "mode 2, side −<br>outside limits"
    assert figure.layout.scene6.xaxis.title.text == "x [mm]"
    assert figure.layout.scene.xaxis.range == figure.layout.scene6.xaxis.range, "one scale"
