"""gough certify."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.datasheet.sections.travel import regions
from gough.datasheet.sheet import Datasheet
from gough.description.parse import machine_text
from gough.description.write import written
from gough.regions import ball, box, cylinder
from gough.viewer.scene.overlays import Words, named_regions, outline


def test_words_tell_the_verdict_and_every_limit(run):
    m = gough.load("jugglebot")
    proof = gough.certify_region(m, box(m.X_home[:3, 3], [0.04, 0.04, 0.03], tilt=np.radians(5), roll=np.radians(3)))
    lines = run("certify", "jugglebot", "--box", "40,40,30", "--cone", "5,3").out.splitlines()
    assert lines[0] == f"P{proof.sentence()[1:]}."
    assert [line.split("  ")[0] for line in lines[3:]] == list(proof.names)


def test_json_has_the_evidence(run):
    m = gough.load("pitch-circle")
    found = json.loads(run("certify", "pitch-circle", "--box", "900,900,5", "--turn", "2", "--json").out)
    how = {"about": m.point_of_interest, "reference": m.home, "turn": np.radians(2.0)}
    proof = gough.certify_region(m, box(m.home_point, [0.9, 0.9, 0.005], **how))
    assert (found["verdict"], found["limit"]) == ("refuted", proof.limit)
    sizes = {"m": m.units.metres, "rad": m.units.radians, "1": 1.0}
    upper = np.array(found["upper"]) * [sizes[column.unit] for column in proof.columns]
    np.testing.assert_allclose(upper, proof.upper, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found["region"]["half_widths"], [900, 900, 5], rtol=1e-12)
    assert found["undecided"] == 0


REGIONS = """
[[regions]]
name = "bed"
box = [60, 50, 30]
tilt = 5

[[regions]]
name = "low"
position = [150, 0, 600]
cylinder = { radius = 20, half_height = 10, axis = [1, 0, 1] }
turn = 4
about = [0, 0, 10]

[[regions]]
name = "bed"
ball = 30
euler = [3, 4, 5]
sequence = "ZYX"
reference = { angles = [0, 0, 10] }
"""


@pytest.fixture
def with_regions(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(machine_text("jugglebot")[1] + REGIONS, "utf-8")
    return path


def test_regions_of_the_file_are_proven_and_mean_what_it_says(run, with_regions):
    m, deg = gough.load(with_regions), np.radians(1)
    home = m.X_home[:3, 3]
    first = box(home, [0.06, 0.05, 0.03], tilt=5 * deg, reference=m.home)
    turned = {"euler": [3 * deg, 4 * deg, 5 * deg], "sequence": "ZYX"}
    second = ball(home, 0.03, **turned, reference=gough.pose([0, 0, 0], [0, 0, 10 * deg], "XYZ"))
    low = cylinder([0.15, 0, 0.6], 0.02, 0.01, [1, 0, 1], turn=4 * deg, about=[0, 0, 0.01], reference=m.home)
    named = gough.regions.named_regions(m)
    assert list(named) == ["bed", "low"]
    for own, parts in ((named["bed"], [first, second]), (named["low"], [low])):
        for part, other in zip(own.regions, parts, strict=True):
            assert part.contains(other.sample(50)).all()
            assert other.contains(part.sample(50)).all()
    words = run("certify", str(with_regions)).out.splitlines()
    assert [line.split()[0:2] for line in words[:2]] == [["bed:", "proven:"], ["low:", "refuted:"]]
    found = json.loads(run("certify", str(with_regions), "--region", "low", "--json").out)["regions"]
    assert list(found) == ["low"]
    assert found["low"]["limit"] == gough.certify_region(m, low).limit


def test_regions_outlive_writing_and_are_drawn(with_regions, tmp_path):
    m = gough.load(with_regions)
    again = tmp_path / "again.toml"
    again.write_text(written(m, with_regions), "utf-8")
    for one, other in zip(m.regions, gough.load(again).regions, strict=True):
        assert (one.name, one.shape) == (other.name, other.shape)
        np.testing.assert_array_equal(one.X, other.X)
        np.testing.assert_array_equal(one.sizes, other.sizes)
    parts = [part for region in gough.regions.named_regions(m).values() for part in region.regions]
    for part in parts:
        corners = outline(part, 0.0).vertices
        assert part.contains(gough.pose(corners - part.about)).all() or part.half[3:].any()
        offsets = (corners - part.centre[:3]) @ part.directions
        np.testing.assert_allclose(np.abs(offsets).max(axis=0), part.half[:3], rtol=0.02)
    words = [piece.text for piece in named_regions(m, m.X_home, lambda *_: None) if isinstance(piece, Words)]
    assert words == ["bed proven", "low refuted"]


def test_the_datasheet_has_a_row_for_each_region(with_regions):
    section = regions(Datasheet(gough.load(with_regions)))
    assert [row[:2] for row in section.blocks[-1].rows] == [["bed", "proven"], ["low", "refuted"]]
    low = section.numbers["named"]["low"]
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.from_quat(low["witness"]["quaternion"]).as_matrix(), low["witness"]["position"]
    margins = gough.margins(gough.load(with_regions), X)
    assert margins.values[margins.names.index(low["limit"])] == pytest.approx(low["found"])
    assert low["proven"] <= low["found"] < 0


def test_sizes_are_those_of_the_library(run):
    m = gough.load("jugglebot")
    region = box(m.home_point, [0.04, 0.04, 0.03], tilt=np.radians(5), about=m.point_of_interest, reference=m.home)
    shape = ("certify", "jugglebot", "--box", "40,40,30", "--cone", "5", "--trade-off", "0,10")
    rows, lines = json.loads(run(*shape, "--json").out), run(*shape).out.splitlines()
    level, tilted = gough.regions.travel_tradeoff(m, region, np.radians([0.0, 10.0]))
    np.testing.assert_allclose(rows["half_widths"], 1e3 * np.array([level.region.half[:3], tilted.region.half[:3]]))
    np.testing.assert_allclose(rows["angles"], [0, 10], atol=1e-12)
    assert tilted.region.half[0] < level.region.half[0]
    np.testing.assert_allclose(rows["positions"], 1e3 * np.array([level.position, tilted.position]))
    assert rows["limit"] == [each.refutation.limit for each in (level, tilted)]
    assert rows["verdict"] == ["proven", "proven"]
    assert level.angle == 0
    assert float(lines[-1].split()[1]) == pytest.approx(1e3 * tilted.half_widths[0], abs=0.01)
    assert lines[-1].endswith(tilted.limit)
    assert gough.limits.is_allowed(m, tilted.region.sample(2000)).all()


def test_all_digits_of_a_turn_count(run):
    ran = run("certify", "hexel", "--box", "1,1,1", "--turn", "0.123456789", "--json")
    assert json.loads(ran.out)["region"]["half_angles"] == pytest.approx([0.123456789] * 3, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "specify the region"),
        (("--box", "1,1"), "--box"),
        (("--box", "1,1,1", "--turn", "200"), "from 0 to 180"),
        (("--box", "1,1,1", "--turn", "-1.5"), "--turn -1.5: expected amounts from 0"),
        (("--box", "1,1,1", "--cone", ""), "--cone: 0 numbers"),
        (("--box", "1,2,-1"), "--box 1,2,-1: expected amounts of zero or more"),
        (("--box", "1,1,1", "--resolution", ""), "--resolution: 0 numbers"),
        (("--box", "1,1,1", "--ignore", "leg 9"), "leg 9"),
        (("--trade-off", "1"), "specify the region"),
        (("--box", "1,1,1", "--turn", "1", "--trade-off", "0,x"), "--trade-off: 'x' is not a number (position 2 of 2"),
        (("--box", "1,1,1", "--turn", "1", "--trade-off", ""), "--trade-off: 0 numbers in '', expected 1 or more"),
        (("--box", "1,1,1", "--trade-off", "0,1"), "of orientations"),
        (("--box", "1,1,1", "--region", "bed"), "cannot be combined with another region"),
    ],
)
def test_a_region_that_is_none_is_refused(run, options, message):
    ran = run("certify", "hexel", *options)
    assert ran.code == 2
    assert message in ran.complaint


def test_limits_on_request_are_those_of_the_library(run):
    m = gough.load("hexel")
    how = {"about": m.point_of_interest, "reference": m.home, "turn": np.radians(2.0)}
    region = box(m.home_point, [0.01] * 3, **how)
    given = ["--any-twist", "4,2", "--any-wrench", "500,50", "--force", "2000", "--stiffness", "10,1"]
    given += ["--payload", "30", "--centre", "1,2,3"]
    found = json.loads(run("certify", "hexel", "--box", "10,10,10", "--turn", "2", *given, "--json").out)
    m = m.with_payload(30, [0.001, 0.002, 0.003])
    also = [
        gough.regions.SpeedLimit(translation=0.004, rotation=np.radians(2.0)),
        gough.statics.ForceLimit(force=500.0, moment=50.0, gravity=True, actuator_force=2000.0),
        gough.statics.StiffnessLimit(translation=1e7, rotation=1e3),
    ]
    proof = gough.certify_region(m, region, also=also)
    assert found["verdict"] == proof.verdict == "proven"
    names = [limit["name"] for limit in found["limits"]]
    assert names == list(proof.names)
    sizes = {"m/s": m.units.metres, "m": m.units.metres, "rad": m.units.radians}
    upper = np.array(found["upper"]) * [sizes.get(column.unit, 1.0) for column in proof.columns]
    np.testing.assert_allclose(upper, proof.upper, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--force", "1"], "--force requires --any-wrench or --payload"),
        (["--any-twist", "-1"], "zero or more"),
        (["--any-wrench", "0"], "above zero"),
        (["--stiffness", "x"], "--stiffness"),
    ],
)
def test_limits_on_request_that_mean_nothing_are_refused(run, options, message):
    ran = run("certify", "hexel", "--box", "1,1,1", *options)
    assert ran.code == 2
    assert message in ran.complaint


def test_a_resolution_is_that_of_the_steps_in_the_file(run):
    m = gough.load("hexaglide")
    how = {"about": m.point_of_interest, "reference": m.home, "turn": np.radians(1.0)}
    limit = gough.accuracy.ResolutionLimit(translation=2e-5, rotation=np.radians(0.01))
    proof = gough.certify_region(m, box(m.home_point, [0.001] * 3, **how), also=[limit])
    shape = ("--box", "1,1,1", "--turn", "1", "--resolution", "0.02,0.01")
    found = json.loads(run("certify", "hexaglide", *shape, "--json").out)
    assert found["verdict"] == proof.verdict
    assert [limit["name"] for limit in found["limits"]] == list(proof.names)
