"""Curves over time: what is drawn, and what is refused."""

import numpy as np
import pytest
from tests.drawn import assert_there

from gough import plot
from gough.errors import InputError, ShapeError
from gough.plot._page import legend_height

TIME = np.linspace(0, 1, 11)


def test_every_curve_is_drawn_under_its_panels_title():
    figure = plot.histories(TIME, {"angle [rad]": {"a": TIME, "b": 2 * TIME}, "force [N]": {"c": 0 * TIME}})
    assert [trace.name for trace in figure.data] == ["a", "b", "c"]
    assert [note.text for note in figure.layout.annotations] == ["angle [rad]", "force [N]"]
    assert figure.data[2].yaxis == "y2"
    assert figure.data[2].legend == "legend2"
    assert figure.layout.xaxis2.title.text == "time [s]"
    np.testing.assert_array_equal(figure.data[1].y, 2 * TIME)


def test_curves_that_lie_on_others_are_dashed():
    panel = {"one": TIME, "same": TIME + 1e-9, "other": TIME**2}
    figure = plot.histories(TIME, {"x": panel})
    assert [trace.line.dash for trace in figure.data] == ["solid", "dash", "solid"]


def test_on_logarithmic_axes_small_values_lie_apart():
    panel = {"small": np.full(11, 1e-9), "smaller": np.full(11, 1e-12), "one": np.ones(11)}
    figure = plot.histories(TIME, {"x": panel}, logarithmic=True)
    assert {trace.line.dash for trace in figure.data} == {"solid"}
    assert figure.layout.yaxis.type == "log"


def test_curves_of_another_length_are_refused():
    with pytest.raises(ShapeError, match=r"x: one: expected shape \(11,\), got \(3,\)"):
        plot.histories(TIME, {"x": {"one": [1, 2, 3]}})


def test_a_figure_without_panels_is_refused():
    with pytest.raises(InputError, match="no panel to draw"):
        plot.histories(TIME, {})


def test_legends_are_above_their_panels_in_a_narrow_window():
    """Beside them they would take half of a phone's width; one that says what the last one said is left out."""
    pair = {"held": TIME, "moved": 2 * TIME}
    figure = plot.histories(TIME, {"x": pair, "y": pair, "z": {"held": TIME, "moved": TIME}})
    narrow = figure.layout.meta["narrow"]
    assert [narrow[f"legend{key}.visible"] for key in ("", "2", "3")] == [True, False, True]
    ends = np.ravel([narrow[f"yaxis{key}.domain"] for key in ("3", "2", "")])
    assert (np.diff(ends) > 0).all()
    assert ends[0] == 0
    for k, key in enumerate(("", "2", "3")):
        top = narrow[f"yaxis{key}.domain"][1]
        assert narrow[f"legend{key}.y"] == top
        room = (narrow[f"annotations[{k}].y"] - top) * narrow["height"]
        assert (room > 15) == narrow[f"legend{key}.visible"], "the title is above the legend"
        assert narrow[f"legend{key}.orientation"] == "h"
    assert_there(figure)


def test_longer_legends_have_more_rows():
    assert legend_height(["leg 1", "leg 2"]) < legend_height([f"leg {k}" for k in range(1, 7)])
    assert legend_height(["a", "b", "c", "d"]) < legend_height([name + " of a longer name" for name in "abcd"])
    assert legend_height(["a"], 11) < legend_height(["a"], 13)
