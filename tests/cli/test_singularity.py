"""gough singularity, conditioning, nearest, and the advice of gough margins."""

import json

import numpy as np
import pytest
import xarray

import gough
from gough.limits.ties import in_words

PRINTED = 1e-12
WHOLE = 1e-9  # a bound that is whole but for rounding errors is printed as it is
MM, DEG = 1e-3, np.pi / 180


def answer(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_singularity_tells_surface_distance_line_and_verdict(run):
    m = gough.load("hexel")
    lines = run("singularity", "hexel", "--along", "z").out.splitlines()
    assert [line.split()[0] for line in lines] == ["surface", "distance", "along", "workspace"]
    assert lines[0].split(maxsplit=1)[1] == str(gough.singularity.singular_surface(m))
    near = gough.singularity.singular_distance(m)
    _, low, _, high, *_ = lines[1].split()  # rounded outwards
    assert -WHOLE < near.lower / MM - float(low) < 0.01 > float(high) - near.upper / MM > -WHOLE
    assert lines[1].removeprefix("distance   ") == str(near)
    (met,) = gough.singularity.singularity_cubic(m).along(m.X_home[:3, 3], [0, 0, 1])
    assert lines[2].split()[1:] == [f"{met / MM:+.2f}", "mm"]
    assert lines[3].split(maxsplit=1)[1] == gough.singularity.free_of_singularities(m).sentence()


def test_the_coefficients_are_those_of_the_library(run):
    m = gough.load("linuxcnc")
    X = gough.pose_matrix(np.array([1, 2, 20.5]) * m.units.metres, np.deg2rad([5, -3, 2]), "xyz")
    pose = ("--at", "1,2,20.5,5,-3,2", "--sequence", "xyz")
    c = gough.singularity.singularity_cubic(m, X)
    found = answer(run("singularity", "linuxcnc", *pose, "--json"))
    np.testing.assert_allclose(found["cubic"]["coefficients"], c.coefficients, rtol=PRINTED)
    np.testing.assert_allclose(np.array(found["cubic"]["centre"]) * m.units.metres, c.centre)
    assert found["workspace"]["verdict"] == "proven"
    assert run("singularity", "linuxcnc", *pose, "-o", "cubic.csv").code == 0
    with open("cubic.csv") as file:
        rows = [[float(cell) for cell in line.split(",")] for line in file.read().splitlines()[1:]]
    np.testing.assert_allclose([row[3] for row in rows], c.coefficients, rtol=PRINTED)


def test_a_file_for_netcdf_has_the_surface_as_triangles(run):
    assert run("singularity", "tsai2000", "-o", "surface.nc").code == 0
    with xarray.open_dataset("surface.nc", engine="scipy") as found:
        c = gough.singularity.singularity_cubic(gough.load("tsai2000"))
        assert np.abs(c(found["vertices"].values)).max() < 1e-12
        assert found["triangles"].values.max() == found.sizes["vertex"] - 1
        np.testing.assert_allclose(found["coefficients"], c.coefficients)
        assert all(found[name].attrs["units"] for name in ("coefficients", "exponents", "centre", "length"))
        assert found["verdict"].item() == "refuted"


def test_legs_without_coefficients_say_so(run):
    complaint = run("singularity", "servo", "-o", "servo.csv").complaint
    assert "RUS legs has no coefficients" in complaint
    found = answer(run("singularity", "servo", "--json"))
    assert found["cubic"] is None
    assert "bounded by what RUS legs can do" in gough.singularity.singular_surface(gough.load("servo")).sentence()
    assert found["distance"]["upper"] is None
    assert found["workspace"]["verdict"] == "proven"


def test_a_file_of_what_is_crossed_has_the_witness_and_the_path_there(run):
    assert run("singularity", "singular-home", "--boxes", "200", "-o", "crossed.nc").code == 0
    m = gough.load("singular-home")
    with xarray.open_dataset("crossed.nc", engine="scipy") as found:
        assert found["verdict"].item() == "refuted"
        X, R = found["witness"].values, found["R"].values
        np.testing.assert_array_equal(X[:3, :3], R)
        np.testing.assert_allclose(found["witness_point"], X[:3, :3] @ m.point_of_interest + X[:3, 3], rtol=1e-15)
        np.testing.assert_allclose(found["path"].values[0], m.home_point, atol=1e-15)


def test_without_a_region_the_surface_is_shown_round_the_point_of_interest(run, free_machine):
    free_machine.write_text("point_of_interest = [0.3, -0.2, 0.4]\n" + free_machine.read_text())
    assert run("singularity", free_machine, "-o", "surface.nc").code == 0
    m = gough.load(str(free_machine))
    with xarray.open_dataset("surface.nc", engine="scipy") as found:
        off = found["vertices"].values - (m.X_home[:3, 3] + m.point_of_interest)
    assert np.abs(off).max() <= 0.5 * m.size + 1e-9
    assert np.abs(off).max() > 0.4 * m.size


def test_a_workspace_without_an_end_is_told(run, free_machine):
    lines = run("singularity", free_machine).out.splitlines()
    assert "specify low and high" in lines[-1]
    assert "expected x, -y" in run("singularity", free_machine, "--along", "rz").complaint


def test_nearest_writes_the_pose_as_it_was_asked(run):
    m = gough.load("hexel")
    wanted = gough.pose_matrix([0.3, 0.25, 1.12], [0, 12 * DEG, 0], "XYZ")
    n = gough.nearest_pose(m, wanted)
    pose = ("--at", "300,250,1120,0,12,0", "--convention", "pi")
    found = answer(run("nearest", "hexel", *pose, "--json"))
    np.testing.assert_allclose(np.array(found["pose"]["position"]) * MM, n.matrix[:3, 3])
    assert found["distance"] * MM == pytest.approx(n.distance)
    assert found["length"] * MM == pytest.approx(m.characteristic_length)
    assert found["active_limits"] == list(n.active_limits)
    back = gough.from_convention("pi", n.matrix[:3, 3], found["pose"]["angles"])
    np.testing.assert_allclose(back.as_matrix(), n.matrix, atol=1e-6)  # where a distance is least, to its root
    told = run("nearest", "hexel", *pose).out
    assert any(line.startswith("angles") and line.endswith(" deg") for line in told.splitlines())
    assert "a radian weighs as much as 173.2 mm" in told
    assert in_words(n.active_limits) in told


def test_nearest_of_many_is_a_table_of_allowed_poses(run):
    ran = run("nearest", "hexel", "--csv", "-", "--length", "50", stdin="x,y,z\n0,0,800\n0,0,1250\n")
    assert [row["distance_mm"] == 0 for row in ran.rows] == [True, False]
    margins = run("margins", "hexel", "--csv", "-", stdin=ran.out)
    assert [row["is_allowed"] for row in margins.rows] == ["yes", "yes"]
    assert "weight above zero" in run("nearest", "hexel", "--at", "0,0,1250", "--length", "0").complaint
    assert run("nearest", "hexel").out == "The pose itself is allowed.\n"


def test_margins_advise_at_refused_and_tight_poses(run):
    m = gough.load("hexel")
    refused = gough.limits.margin_gradient(m, gough.pose([0, 0, 1.25]))
    assert refused.back_off() == "back off 27.6 mm in -z"
    assert f"  {refused.back_off()}; the nearest allowed pose is" in run("margins", "hexel", "--at", "0,0,1250").out
    found = answer(run("margins", "hexel", "--at", "0,0,1250", "--json"))
    assert found["advice"] == refused.back_off()
    longest = refused.margins.names.index("leg 6 longest")
    size = np.array([1] * 3 + [DEG / MM] * 3)
    np.testing.assert_allclose(found["gradients"][longest], refused.values[longest] * size, rtol=1e-9)
    assert "another 2.41 mm in +z reaches one, -z leads away" in run("margins", "hexel", "--at", "0,0,1220").out
    assert "back off" not in run("margins", "hexel").out


def test_conditioning_at_poses_and_over_the_workspace(run):
    m = gough.load("servo")
    at = gough.singularity.conditioning(m, m.home)
    found = answer(run("conditioning", "servo", "--json"))
    assert found["condition_number"] == pytest.approx(float(at.condition_number))
    assert found["length"] * MM == pytest.approx(m.characteristic_length)
    assert f"{float(at.condition_number):.4g}" in run("conditioning", "servo").out
    rows = run("conditioning", "servo", "--csv", "-", "--length", "40", stdin="x,y,z\n0,0,133\n5,0,133\n").rows
    other = gough.singularity.conditioning(m, gough.pose([[0, 0, 0.133], [0.005, 0, 0.133]]), length=0.04)
    np.testing.assert_allclose([row["dexterity"] for row in rows], other.dexterity, rtol=PRINTED)
    assert run("conditioning", "servo", "--map", "--samples", "3", "-o", "map.nc").code == 0
    with xarray.open_dataset("map.nc", engine="scipy") as on_disk:
        np.testing.assert_allclose(on_disk["dexterity"], gough.singularity.conditioning_map(m, samples=3)["dexterity"])


def test_the_quaternion_of_the_nearest_pose_has_no_unit(run):
    lines = run("nearest", "nasa-msfc", "--at", "0,0,400").out.splitlines()
    quaternion = next(line for line in lines if line.startswith("quaternion"))
    assert len(quaternion.removeprefix("quaternion x, y, z, w").split()) == 4
