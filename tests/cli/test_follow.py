"""`gough follow`."""

import json

import numpy as np

SWELL = "time,x,y,z,a,b,c\n" + "".join(
    f"{t},{30 * np.sin(t)},0,{60 * np.cos(t)},{2 * np.sin(t)},0,0\n" for t in np.arange(0, 10, 0.5)
)
RUN = ("follow", "pitch-circle", "-", "--sequence", "xyz")


def test_it_says_the_gain_and_what_the_legs_must_do(run):
    ran = run(*RUN, stdin=SWELL)
    assert ran.code == 0
    lines = ran.out.splitlines()
    gain = float(lines[0].removeprefix("Gain: ").rstrip("."))
    assert 0 < gain < 1
    assert "The fastest leg is at 100 % of its top speed." in lines
    assert any(line.startswith("Kept: no limit is crossed anywhere on the path, proven") for line in lines)
    assert any(line.startswith("  6 ") for line in lines), "a row for each leg"


def test_poses_and_legs_are_written(run):
    assert run(*RUN, "--gain", "varying", "--rate", "10", "-o", "legs.csv", stdin=SWELL).out == ""
    table = np.genfromtxt("legs.csv", delimiter=",", names=True)
    assert len(table) == 96
    np.testing.assert_allclose(np.diff(table["time_s"]), 0.1, atol=1e-12)
    assert table["q1_mm"].max() < 226
    assert {"x_mm", "qd6_mm_per_s", "gain", "force1_N", "power6_W"} <= set(table.dtype.names)
    assert np.isfinite(table["force3_N"]).all()
    answer = json.loads(run(*RUN, "--washout", "--breaks", "1,1,0.5,0.5,1", "--json", stdin=SWELL).out)
    assert answer["worst_margin"] >= 0.05 - 1e-9
    assert len(answer["joint_mm"]) == len(answer["time_s"])


def test_what_cannot_be_followed(run):
    assert "at least 8" in run(*RUN, stdin="time,x,y,z\n0,0,0,0\n1,0,0,0\n").complaint
    assert "cutoff: 5 Hz, expected between 0 and 1 Hz" in run(*RUN, "--cutoff", "5", stdin=SWELL).complaint
    assert "give --washout as well" in run(*RUN, "--breaks", "1,1,1,1,1", stdin=SWELL).complaint
    assert "home itself keeps a relative margin of" in run(*RUN, "--reserve", "0.9", stdin=SWELL).complaint
