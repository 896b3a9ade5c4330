"""`gough playback`."""

import json

import gough

Q = gough.inverse_kinematics(gough.load("hexel"), gough.pose([[0, 0, 0.7], [0, 0.01, 0.71]])) * 1e3
HEADER = "time," + ",".join(f"q{leg}" for leg in range(1, 7))
LEGS = "\n".join([HEADER, *(f"{k}," + ",".join(map(repr, map(float, q))) for k, q in enumerate(Q))]) + "\n"


def test_legs_in_poses_out(run):
    ran = run("playback", "hexel", "-", stdin=LEGS)
    assert ran.code == 0
    first, second = ran.rows
    assert abs(second["y_mm"] - 10) < 1e-9
    assert (second["time_s"], second["status"], second["certified"]) == (1, "near", "yes")
    assert abs(first["z_mm"] - 700) < 1e-9
    answer = json.loads(run("playback", "hexel", "-", "--json", stdin=SI_LEGS).out)
    assert abs(answer["position"][1][2] - 710) < 1e-9


SI_HEADER = "time," + ",".join(f"q{k}_m" for k in range(1, 7))
SI_LEGS = "\n".join([SI_HEADER, *(f"{k}," + ",".join(map(repr, map(float, q / 1e3))) for k, q in enumerate(Q))]) + "\n"


def test_samples_without_a_pose_are_told(run):
    ran = run("playback", "hexel", "-", stdin=LEGS + "2,1,1,1,1,1,9000\n")
    assert ran.code == 1
    assert ran.rows[2]["status"] == "not converged"
    assert "no pose found for 1 of 3 samples" in ran.err


def test_a_file_that_is_no_history(run):
    assert (
        "columns missing: q6; a history is time and q1 to q6"
        in run("playback", "hexel", "-", stdin="time,q1,q2,q3,q4,q5\n0,1,1,1,1,1\n").complaint
    )
    assert "times must increase" in run("playback", "hexel", "-", stdin=LEGS + "1,600,600,600,600,600,600\n").complaint


def test_it_goes_to_netcdf(run):
    import xarray

    assert run("playback", "hexel", "-", "-o", "it.nc", stdin=LEGS).out == ""
    with xarray.open_dataset("it.nc", engine="scipy") as data:
        assert data["pose"].shape == (2, 4, 4)
