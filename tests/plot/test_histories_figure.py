"""Curves over time: what is drawn, and what is refused."""

import numpy as np

from gough import plot

TIME = np.linspace(0, 1, 11)


def test_every_curve_is_drawn_under_its_panels_title():
    figure = plot.histories(TIME, {"angle [rad]": {"a": TIME, "b": 2 * TIME}, "force [N]": {"c": 0 * TIME}})
    assert [trace.name for trace in figure.data] == ["a", "b", "c"]
    assert [note.text for note in figure.layout.annotations] == ["angle [rad]", "force [N]"]
    assert figure.data[2].yaxis == "y2"
    assert figure.data[2].legend == "legend2"
    assert figure.layout.xaxis2.title.text == "time [s]"
    np.testing.assert_array_equal(figure.data[1].y, 2 * TIME)
