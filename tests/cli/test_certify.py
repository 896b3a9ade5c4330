"""gough certify."""

import json

import numpy as np
import pytest

import gough
from gough.regions import box, cylinder


def test_words_tell_the_verdict_and_every_limit(run):
    m = gough.load("jugglebot")
    proof = gough.certify_region(m, box(m.X_home[:3, 3], [0.04, 0.04, 0.03], tilt=np.radians(5), roll=np.radians(3)))
    lines = run("certify", "jugglebot", "--box", "40,40,30", "--cone", "5,3").out.splitlines()
    assert lines[0] == f"P{proof.sentence()[1:]}."
    assert [line.split("  ")[0] for line in lines[3:]] == list(proof.names)


def test_json_has_the_evidence(run):
    m = gough.load("pitch-circle")
    found = json.loads(run("certify", "pitch-circle", "--cylinder", "900,5", "--turn", "2", "--json").out)
    how = {"about": m.point_of_interest, "reference": m.home, "turn": np.radians(2.0)}
    proof = gough.certify_region(m, cylinder(m.home_point, 0.9, 0.005, **how))
    assert (found["verdict"], found["limit"]) == ("refuted", proof.limit)
    sizes = {"m": m.units.metres, "rad": m.units.radians, "1": 1.0}
    upper = np.array(found["upper"]) * [sizes[column.unit] for column in proof.columns]
    np.testing.assert_allclose(upper, proof.upper, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found["region"]["half_widths"], [900, 900, 5], rtol=1e-12)
    assert found["undecided"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give the region"),
        (("--ball", "1", "--box", "1,1,1"), "give one shape"),
        (("--euler", "1,1,1"), "--sequence"),
        (("--box", "1,1"), "--box"),
        (("--ball", "1", "--turn", "200"), "from 0 to pi"),
        (("--ball", "1", "--ignore", "leg 9"), "leg 9"),
    ],
)
def test_a_region_that_is_none_is_refused(run, options, message):
    ran = run("certify", "hexel", *options)
    assert ran.code == 2
    assert message in ran.complaint
