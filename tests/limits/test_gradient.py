"""Gradients of margins: analytic where there is a formula, simple differences for all, and advice that works."""

from dataclasses import replace

import numpy as np
import pytest
from tests.poses import displaced
from tests.skew import SKEW, SKEW_STACK

import gough
from gough import stages
from gough.limits.gradient import AXES


@pytest.mark.parametrize("name", SKEW)
def test_every_margin_moves_as_its_gradient_says(name):
    m = gough.load(name)
    X = m.X_home @ gough.pose_matrix(m.size * np.array([0.03, 0.05, 0.02]), [0.05, 0.1, -0.08], "XYZ")
    G = gough.limits.margin_gradient(m, X)
    assert len(G.margins.names) > 20
    d = np.array([0.3, -0.5, 0.4, 0.6, 0.2, -0.3])
    h = 1e-6
    ahead, behind = displaced(X, h * d, m.point_of_interest), displaced(X, -h * d, m.point_of_interest)
    change = (gough.margins(m, ahead).values - gough.margins(m, behind).values) / (2 * h)
    # Straight joints and repeated singular values have kinks; this pose is far from home, where they are.
    np.testing.assert_allclose(G.values @ d, change, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("name", "share"), [("double-hexapod", 0.3), (SKEW_STACK, 0.6)])
def test_margins_of_two_stages_change_as_the_end_platform_moves_with_their_share(name, share):
    m = replace(gough.load(name), share=share)
    shift = np.array([0.02, 0.03, 0.01]) * m.size
    X = m.end_home @ gough.pose_matrix(shift if name == "double-hexapod" else 0.1 * shift, [0.02, 0.04, -0.03], "XYZ")
    G = gough.limits.margin_gradient(m, X)
    d = np.array([0.3, -0.5, 0.4, 0.6, 0.2, -0.3])
    h = 1e-6
    ends = np.stack([displaced(X, h * d, m.point_of_interest), displaced(X, -h * d, m.point_of_interest)])
    ahead, behind = gough.margins(m, stages.resolve_redundancy(m, ends).matrix).values
    np.testing.assert_allclose(G.values @ d, (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-7)
    assert np.abs(G.values[: len(G.values) // 2]).max() > 0.1 < np.abs(G.values[len(G.values) // 2 :]).max()


def test_backing_off_as_advised_restores_the_limit_to_first_order():
    m = gough.load("hexel")
    end = gough.travel(m, [1, 0.4, 0, 0, 0, 0])
    X = np.array(end.matrix)
    X[:3, 3] += 1e-4 * np.array([1, 0.4, 0]) / np.linalg.norm([1, 0.4, 0])
    G = gough.limits.margin_gradient(m, X)
    before = float(G.margins.worst)
    words = G.back_off().split()
    assert words[:2] == ["back", "off"]
    way = float(words[2]) * (1e-3 if words[3] == "mm" else np.pi / 180) * (1 if words[5][0] == "+" else -1)
    d = np.zeros(6)
    d[AXES.index(words[5][1:])] = way
    after = gough.margins(m, displaced(X, d, m.point_of_interest))
    left = after.values[after.names.index(G.margins.binding)]
    assert before < 0
    assert abs(left) < 0.02 * abs(before)
