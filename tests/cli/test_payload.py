"""--payload in the commands that have it: as if the machine's file had platform and payload as one body."""

import json

import numpy as np
import pytest

import gough
from gough.description.parse import BUILT_IN
from gough.errors import InputError

ROUND_OFF = 1e-9
MM = 1e-3
MASS, CENTRE, INERTIA = 11.0, np.array([12.0, -7.0, 240.0]), np.array([0.21, 0.18, 0.30, 0.01, -0.02, 0.015])
"""[kg], [mm], [kg m2: xx, yy, zz, xy, xz, yz]."""
GIVEN = ("--payload", str(MASS), "--centre", "12,-7,240")
TURNING = ("--inertia", ",".join(map(str, INERTIA)))
OWN = """\
mass = 4.2
mass_centre = [0, 0, 200]
inertia = { xx = 14e3, yy = 14e3, zz = 27e3 }
"""
COMMANDS = {
    "forces": ("--wrench", "5,6,-7", "--at", "3,-2,5"),
    "capacity": (),
    "dynamics": ("--motion", "horizontal", "--amplitude", "4", "--samples", "7"),
    "stiffness": ("--loaded", "--wrench", "10,0,-50"),
    "frequencies": ("--loaded", "--at", "3,-2,5"),
}


def matrix(xx, yy, zz, xy, xz, yz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def composite_text(inertia):
    """The built-in file with the platform's body and the payload as one, by the parallel-axis theorem."""
    text = (BUILT_IN / "pitch-circle.toml").read_text()
    assert OWN in text
    bodies = ((4.2, np.array([0, 0, 0.2]), 1e-6 * np.diag([14e3, 14e3, 27e3])), (MASS, CENTRE * MM, matrix(*inertia)))
    mass = sum(m for m, _, _ in bodies)
    centre = sum(m * c for m, c, _ in bodies) / mass
    J = sum(j + m * ((c - centre) @ (c - centre) * np.eye(3) - np.outer(c - centre, c - centre)) for m, c, j in bodies)
    J = 1e6 * J
    elements = {"xx": J[0, 0], "yy": J[1, 1], "zz": J[2, 2], "xy": J[0, 1], "xz": J[0, 2], "yz": J[1, 2]}
    table = ", ".join(f"{key} = {value!r}" for key, value in ((k, float(v)) for k, v in elements.items()))
    return text.replace(OWN, f"mass = {mass!r}\nmass_centre = {(1e3 * centre).tolist()}\ninertia = {{ {table} }}\n")


def numbers(found):
    """All numbers of an answer by their place, without words."""
    if isinstance(found, dict):
        return {f"{key}.{k}": v for key, value in found.items() for k, v in numbers(value).items()}
    if isinstance(found, list):
        return {f"{i}.{k}": v for i, value in enumerate(found) for k, v in numbers(value).items()}
    return {"": float(found)} if isinstance(found, (int, float)) and found is not None else {}


def answer(run, command, machine, *more):
    ran = run(command, machine, *COMMANDS[command], *more, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    # Mode shapes have either sign.
    return {k: abs(v) if k.startswith("shape") else v for k, v in numbers(found).items()}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "capacity"])
def test_a_payload_is_as_the_composite_body_in_the_file(run, tmp_path, command):
    turns = command == "frequencies"
    (tmp_path / "composite.toml").write_text(composite_text(INERTIA if turns else 0 * INERTIA))
    carried = answer(run, command, "pitch-circle", *GIVEN, *(TURNING if turns else ()))
    written = answer(run, command, "composite.toml")
    bare = answer(run, command, "pitch-circle")
    assert carried.keys() == written.keys()
    scale = {key.split(".")[0]: 0.0 for key in written}
    for key, value in written.items():
        scale[key.split(".")[0]] = max(scale[key.split(".")[0]], abs(value))
    rtol = 1e-6 if turns else ROUND_OFF
    for key, value in written.items():
        assert carried[key] == pytest.approx(value, rel=rtol, abs=rtol * scale[key.split(".")[0]]), key
    changed = [k for k in bare if k in written and abs(bare[k] - written[k]) > 1e-3 * scale[k.split(".")[0]]]
    assert changed, "the payload changes nothing"


def test_the_words_say_what_is_carried(run):
    told = run("forces", "hexel", "--payload", "10", "--centre", "0,0,50").out
    assert "Included are the masses of payload; omitted because their masses are unknown: platform, " in told
    assert "platform, payload, each leg's cylinder" in run("forces", "pitch-circle", *GIVEN).out
    weight = sum(
        float(f)
        for f in json.loads(run("forces", "hexel", "--payload", "10", "--centre", "0,0,50", "--json").out)[
            "actuator_force"
        ]
    )
    m = gough.load("hexel")
    u = m.b_home - m.legs.rest()
    lift = u[:, 2] / np.linalg.norm(u, axis=1)
    assert weight * lift.mean() == pytest.approx(-10 * 9.80665, rel=1e-6)  # six like legs that pull: it hangs


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--payload", "3"), "--payload: specify --centre X,Y,Z too"),
        (("--centre", "1,2,3"), "--centre requires --payload KG"),
        (("--payload", "-3", "--centre", "1,2,3"), "payload mass: -3 kg, expected 0 or more"),
        (("--payload", "3", "--centre", "1,2"), "--centre: 2 numbers"),
        (("--payload", "3", "--centre", "1,2,3", "--no-weight"), "--no-weight and --payload are mutually exclusive"),
    ],
)
def test_payloads_that_cannot_be_are_refused(run, options, words):
    assert words in run("forces", "pitch-circle", *options).complaint


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--inertia", "1,2,3"), "--inertia requires --payload KG"),
        (("--payload", "3", "--centre", "1,2,3", "--inertia", "1,2"), "--inertia: 2 numbers"),
        (("--payload", "3", "--centre", "1,2,3", "--inertia", "1,1,3"), "no body has the moments"),
    ],
)
def test_inertias_that_cannot_be_are_refused(run, options, words):
    assert words in run("frequencies", "pitch-circle", *options).complaint


def test_a_mass_that_is_no_number_is_refused_by_its_name():
    with pytest.raises(InputError, match=r"payload mass: expected real numbers, got '7 kg'"):
        gough.load("hexel").with_payload("7 kg", [0, 0, 0])


def test_a_payload_counts_in_the_stiffness_under_load_only(run):
    assert "--payload requires --loaded" in run("stiffness", "pitch-circle", *GIVEN).complaint


def test_frequencies_of_many_poses_of_the_workspace_and_of_its_softest_place(run, tmp_path):
    m = gough.load("pitch-circle").with_payload(MASS, CENTRE * MM, matrix(*INERTIA))
    expected = gough.natural_frequencies(m, gough.pose([[0, 0, 0], [1e-3, 0, 0]])).frequency
    rows = run("frequencies", "pitch-circle", *GIVEN, *TURNING, "--csv", "-", stdin="x,y,z\n0,0,0\n1,0,0\n").rows
    np.testing.assert_allclose([[row[f"frequency_{k}_Hz"] for k in range(1, 7)] for row in rows], expected, rtol=1e-12)
    mapped = run("frequencies", "pitch-circle", *GIVEN, *TURNING, "--map", "--samples", "2").rows
    grid = gough.dynamics.frequency_map(m, samples=2)["lowest_frequency"].to_numpy().ravel()
    np.testing.assert_allclose([row["lowest_frequency_Hz"] for row in mapped], grid, rtol=1e-12)
    least = json.loads(run("frequencies", "pitch-circle", *GIVEN, *TURNING, "--lowest", "--samples", "5", "--json").out)
    assert least["frequency"]["lowest"] <= expected[:, 0].min() + ROUND_OFF
    assert "has no masses" in run("frequencies", "hexel").complaint


def test_figures_are_pages(run, tmp_path):
    command = ("dynamics", "pitch-circle", "--motion", "horizontal", "--amplitude", "4")
    assert run(*command, "--figure", "loads.html").code == 0
    page = (tmp_path / "loads.html").read_text()
    for title in ("force [N]", "power [W]", "joint rate [mm", "joint coordinate [mm]"):
        assert title in page
    assert "specify a name that ends in .html" in run(*command, "--figure", "loads.png").complaint


def test_a_point_mass_alone_does_not_tell_how_a_platform_turns():
    """With a moment of inertia the same platform moves."""
    m = gough.load("hexel")
    with pytest.raises(InputError, match="some motion of the platform has no inertia"):
        gough.simulate(m.with_payload(2.0, [0, 0, 0.05]), duration=0.001)
    gough.simulate(m.with_payload(2.0, [0, 0, 0.05], np.diag([0.01] * 3)), duration=0.001)


def test_under_the_wrench_the_displacement_is_that_of_the_wrench(run):
    load = ("stiffness", "hexel", "--loaded", "--wrench", "0,0,1000")
    light, heavy = (run(*load, "--payload", mass, "--centre", "0,0,0.05").out for mass in ("1e-6", "100"))
    lines = [next(line.split() for line in text.splitlines() if line.startswith("dz ")) for text in (light, heavy)]
    assert float(lines[0][1]) == pytest.approx(float(lines[1][1]), rel=1e-2)
    assert "the displacement is due to the wrench alone" in heavy.lower()


def test_stiffness_under_load_names_the_masses_that_it_counts(run):
    load = ("stiffness", "pitch-circle", "--loaded", *GIVEN)
    words = "the masses of platform, payload, each leg's cylinder, each leg's piston"
    assert f"Included are {words}." in run(*load).out
    assert words in json.loads(run(*load, "--json").out)["weights"]
    assert "masses" not in run("stiffness", "pitch-circle").out
