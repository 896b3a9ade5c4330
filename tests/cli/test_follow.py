"""`gough follow`."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray

import gough

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
    assert any(line.startswith("Proven: no limit of poses is crossed anywhere on the path") for line in lines)
    assert any(line.split()[:1] == ["6"] for line in lines), "a row for each leg"
    ran = run("follow", "hexel", *RUN[2:], stdin=SWELL)
    assert "travel [mm]" in ran.out, "without masses the legs' work as of gough path"
    assert ran.err == "note: machine 'hexel' has no masses, so the forces are not known\n"


@pytest.mark.thorough
def test_it_says_where_coming_in_holds_the_gain_back(run):
    vessel = str(Path(__file__).parents[2] / "examples" / "data" / "vessel_motion.csv")
    how = ("--compensate", "--cutoff", "1", "--axes", "z,rx,ry", "--mount", "4,0,2.5", "--sequence", "xyz")
    gains, held = [], []
    for fade in ("2", "6"):
        first, _, fastest, *_ = run("follow", "nasa-msfc", vessel, *how, "--fade", fade).out.splitlines()
        gains.append(float(first.removeprefix("Gain: ").rstrip(".")))
        held.append("while it comes in from home or goes back: a longer fade allows more" in fastest)
    assert held == [True, False]
    assert gains[1] > 1.05 * gains[0]


def test_a_ship_rolls_about_its_own_bow(run):
    """A mount to port goes up and down, whatever the ship's heading: it is along the record's axes unless asked."""
    t = np.arange(0, 10, 0.5)

    def held(heading, *more):
        rows = (f"{s},0,0,0,{3 * np.sin(s)},0,{heading}\n" for s in t)
        table = "time,x,y,z,roll,pitch,yaw\n" + "".join(rows)
        ran = run("follow", "pitch-circle", "-", "--compensate", "--mount", "0,1000,0", "--json", *more, stdin=table)
        return np.array(json.loads(ran.out)["rms_uncompensated"]), ran.err

    north, said = held(0)
    assert said == ""
    east, said = held(90)
    assert "note: at the record's mean what moves is turned by 90.0 deg from the record's axes" in said
    assert east[2] < 0.1 * north[2]
    east, said = held(90, "--own-axes")
    np.testing.assert_allclose(east, north, rtol=1e-6, atol=1e-9)
    assert said == ""


def test_poses_and_legs_are_written(run):
    assert run(*RUN, "--gain", "varying", "--rate", "10", "-o", "legs.csv", stdin=SWELL).out == ""
    table = np.genfromtxt("legs.csv", delimiter=",", names=True)
    assert len(table) == 96
    np.testing.assert_allclose(np.diff(table["time_s"]), 0.1, atol=1e-12)
    assert table["q1_mm"].max() < 226
    assert {"x_mm", "qd6_mm_per_s", "gain", "force1_N", "power6_W"} <= set(table.dtype.names)
    assert np.isfinite(table["force3_N"]).all()
    answer = json.loads(run(*RUN, "--washout", "--json", stdin=SWELL).out)
    assert answer["worst_margin"] >= 0.05 - 1e-9
    assert len(answer["joint"]) == len(answer["time"])
    run(*RUN, "--gain", "varying", "--rate", "10", "-o", "legs.nc", stdin=SWELL)
    with xarray.open_dataset("legs.nc") as data:
        np.testing.assert_allclose(data["gain"], table["gain"], atol=1e-12)
        np.testing.assert_allclose(data["joint"][:, 5] * 1e3, table["q6_mm"], rtol=1e-12)


def test_what_cannot_be_followed(run):
    assert "at least 8" in run(*RUN, stdin="time,x,y,z\n0,0,0,0\n1,0,0,0\n").complaint
    assert "and 1 Hz, half of the" in run(*RUN, "--cutoff", "5", stdin=SWELL).complaint


def test_columns_of_a_ship_are_read_as_they_are_named(run):
    """Roll about x first, yaw about z last, all axes fixed; others may not be said to be that."""
    table = "x,y,z,roll_deg,pitch_deg,yaw_deg\n1,2,790,3,-2,5\n"
    X = gough.pose_matrix([0.001, 0.002, 0.79], np.radians([3, -2, 5]), "xyz")
    Rx, Ry, Rz = (
        np.array(R)
        for R in (gough.pose_matrix([0, 0, 0], np.radians([a]), k)[:3, :3] for a, k in ((3, "x"), (-2, "y"), (5, "z")))
    )
    np.testing.assert_allclose(X[:3, :3], Rz @ Ry @ Rx, atol=1e-15)
    row = run("inverse", "hexel", "--csv", "-", stdin=table).rows[0]
    q = gough.inverse_kinematics(gough.load("hexel"), X) / 1e-3
    np.testing.assert_allclose([row[f"q{k}_mm"] for k in range(1, 7)], q, rtol=1e-12)
    refused = run("inverse", "hexel", "--csv", "-", "--sequence", "XYZ", stdin=table).complaint
    assert "columns roll, pitch, yaw mean R = Rz(yaw) Ry(pitch) Rx(roll), sequence xyz, not XYZ" in refused
    assert run("inverse", "hexel", "--csv", "-", "--sequence", "xyz", stdin=table).rows[0] == row
    less = run("inverse", "hexel", "--csv", "-", stdin="x,y,z,roll_deg,pitch_deg\n1,2,790,3,-2\n")
    assert "no columns yaw; these angles are set to zero" in less.err
    assert less.out == run("inverse", "hexel", "--csv", "-", stdin="x,y,z,roll_deg,pitch_deg,yaw\n1,2,790,3,-2,0\n").out
    assert (
        "given twice"
        in run("inverse", "hexel", "--csv", "-", stdin="x,y,z,roll,pitch,yaw,a\n0,0,790,0,0,0,0\n").complaint
    )
    others = run("inverse", "hexel", "--csv", "-", stdin="x,y,z,rx,ry,rz\n0,0,790,0,0,0\n").complaint
    assert "angles rx, ry, rz mean nothing alone" in others
    said = run("inverse", "hexel", "--at", "0,0,790", "--angles", "1,2,3", "--sequence", "rpy").complaint
    assert "roll, pitch, yaw, R = Rz(yaw) Ry(pitch) Rx(roll), are 'xyz'" in said
    assert "are 'ZYX'" in run("inverse", "hexel", "--at", "0,0,790", "--angles", "1,2,3", "--sequence", "ypr").complaint
