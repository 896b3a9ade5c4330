"""The file that `gough new` writes is a machine, with and without what is switched off in it."""

import re
import tomllib

import numpy as np
import pytest

import gough
from gough.description.build import from_document
from gough.description.parse import BUILT_IN
from gough.description.starter import starter_text

SHORT_WAY = 0.02
"""[m]"""
SMALL_TURN = 0.1
"""[rad]"""
KINDS = ("UPS", "UCU", "SPS", "UPU", "PUS", "PSS", "rails", "RUS", "RSS", "servo")
LEGS = {"rails": "PUS", "servo": "RUS"}
SMALL_WAY, SMALLER_TURN = 0.005, 0.05
"""For hobby servos [m], [rad]."""


def everything(text):
    """The file with all its settings switched on."""
    return re.sub(r"^#(?=[a-z\[])", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("text", [str, everything])
@pytest.mark.parametrize("kind", KINDS)
def test_it_loads_and_home_is_allowed(kind, text):
    document = tomllib.loads(text(starter_text(kind)))
    assert document["legs"]["kind"] == LEGS.get(kind, kind)
    machine = from_document(document, "starter")
    assert gough.margins(machine, machine.home).is_allowed


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_move_both_ways_along_and_about_every_axis(kind):
    machine = from_document(tomllib.loads(starter_text(kind)), "starter")
    both_ways = np.concatenate([np.eye(3), -np.eye(3)])
    way, turn = (SMALL_WAY, SMALLER_TURN) if kind == "servo" else (SHORT_WAY, SMALL_TURN)
    moved = gough.pose_matrix(way * both_ways)
    turned = gough.pose_matrix(np.zeros(3), turn * both_ways, "XYZ")
    assert gough.margins(machine, moved @ machine.X_home).is_allowed.all()
    assert gough.margins(machine, machine.X_home @ turned).is_allowed.all()


SHAFT = np.array([46.39125, 61.44983])
"""Of leg 1 of the built-in servo platform [mm], as its source prints it."""
PRINTED = 1e-5
"""Digits of the source [mm]."""


@pytest.mark.parametrize(
    ("points", "crank", "order"),
    [
        # Leg 1 is the second of the pair at 30 deg, whose horns point at one another.
        ("pitch_circle", {"length": 15, "heading": -90}, [3, 2, 1, 0, 5, 4]),
        ("points", {"length": 15, "headings": [-60, 120, 180, 0, 60, -120]}, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_cranks_by_length_and_heading_are_those_that_a_source_prints(points, crank, order, rng):
    m = gough.load("servo")
    with open(BUILT_IN / "servo.toml", "rb") as file:
        document = tomllib.load(file)
    half = np.degrees(np.arctan2(SHAFT[1], SHAFT[0])) - 30
    circle = {"radius": float(np.hypot(*SHAFT)), "pair_angle": float(2 * half)}
    if points == "pitch_circle":
        document["base"] = {"pitch_circle": circle}
        document["platform"]["points"] = [document["platform"]["points"][leg] for leg in order]
    for key in ("arm", "axis"):
        del document["legs"][key]
    document["legs"] |= {"kind": "RSS", "crank": crank}
    found = from_document(document, "servo")
    q = rng.uniform(-1.5, 1.5, (20, 6))
    expected = m.legs.driven_points(q)[:, order] / 1e-3
    np.testing.assert_allclose(found.legs.driven_points(q[:, order]) / 1e-3, expected, rtol=0, atol=2 * PRINTED)
    assert found.leg_kind == "RSS"
    assert "six RSS legs" in repr(found)


def test_a_turned_pitch_circle_turns_its_cranks(rng):
    document = tomllib.loads(starter_text("RSS"))
    turned = tomllib.loads(starter_text("RSS"))
    for plate in ("base", "platform"):
        turned[plate]["pitch_circle"]["rotation"] = 25
    one, other = (from_document(each, "starter") for each in (document, turned))
    q = rng.uniform(-1, 1, 6)
    R = gough.pose_matrix(np.zeros(3), [0, 0, np.radians(25)], "xyz")[:3, :3]
    np.testing.assert_allclose(other.legs.driven_points(q), one.legs.driven_points(q) @ R.T, rtol=0, atol=1e-12)
    assert (one.legs.driven_points(np.full(6, 0.1)) - one.legs.rest())[:, 2].min() > 0  # positive angles lift the arm
