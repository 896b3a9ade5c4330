"""netCDF files, saved views, loads, cameras and requests for memory that others damaged or typed: a sentence each."""

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
import xarray

import gough
from gough.calibration.legs import GROUPS
from gough.calibration.remaining import pose_covariance, remaining_error
from gough.calibration.result import geometry
from gough.cli import main
from gough.errors import InputError
from gough.machine_parts import Encoders
from gough.present.read import read_netcdf
from gough.present.write import netcdf
from gough.viewer.clips import clip_of_data
from gough.viewer.saved_view import from_document

NAMES = ("base_points", "platform_points", "joint_zeros")
SIZE = 6 * sum(len(GROUPS[name]) for name in NAMES)
WHOLE = np.diag(np.linspace(1e-12, 1e-10, SIZE))
SKEWED = WHOLE + np.eye(SIZE, k=1) * 1e-11
MOVED = gough.load("hexel").legs.a_B + 1e-6 * np.eye(6, 3)
GROUP_NAMES = ",".join(NAMES)


def covariance(S=WHOLE, groups=GROUP_NAMES, name="covariance", machine="hexel", **change):
    attributes = {} if groups is None else {"groups": groups}
    numbers = ("leg", "number"), geometry(replace(gough.load(machine), **change))
    data = {name: (("row", "column")[: S.ndim], S), "geometry": numbers}
    drawn = gough.load(machine)
    data["middle"] = ("leg", gough.inverse_kinematics(drawn, drawn.X_home))
    return netcdf(xarray.Dataset(data, attrs=attributes))


DAMAGED = {
    "empty": b"",
    "garbage": b"CDF\x01" + b"\xff" * 200,
    "text": b"name = 1\n",
    "cut": covariance()[:-1000],
    "no groups": covariance(groups=None),
    "unknown groups": covariance(groups="base_points,springs"),
    "groups of other legs": covariance(groups="base_points,arms"),
    "groups twice": covariance(groups="base_points,base_points"),
    "other size": covariance(WHOLE[:5, :5]),
    "one axis": covariance(WHOLE[0]),
    "no variable": covariance(name="other"),
    "not finite": covariance(np.where(WHOLE > 5e-11, np.nan, WHOLE)),
    "not symmetric": covariance(SKEWED),
    "negative": covariance(-WHOLE),
    "of another machine": covariance(machine="linuxcnc"),
    "of another kind of legs": covariance(machine="hexaglide"),
    "of other encoders": covariance(encoders=Encoders(zero=1e-6 * np.eye(6)[2])),
    "of one point moved by a micrometre": covariance(legs=replace(gough.load("hexel").legs, a_B=MOVED)),
}


def calibrated(tmp_path, content):
    (tmp_path / "c.nc").write_bytes(content)
    return replace(gough.load("hexel"), calibration={"covariance": str(tmp_path / "c.nc")})


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_covariance_is_refused(tmp_path, kind):
    machine = calibrated(tmp_path, DAMAGED[kind])
    for function in (pose_covariance, remaining_error):
        with pytest.raises(InputError, match=r"c\.nc|parameters: UPS legs have no"):
            function(machine, machine.X_home[None])


def test_a_whole_covariance_is_read(tmp_path):
    machine = calibrated(tmp_path, covariance())
    assert np.isfinite(pose_covariance(machine, machine.X_home[None])).all()


@pytest.fixture(scope="module")
def history():
    m = gough.load("dumitriu2017")
    return m, gough.dynamics.motion_forces(
        m, gough.dynamics.named_motion(m, "vertical", 1e-3), np.linspace(0.0, 1.0, 5)
    )


def test_no_flipped_byte_of_a_header_is_more_than_a_sentence(tmp_path, history):
    m, data = history
    content, file = netcdf(data), tmp_path / "h.nc"
    rng = np.random.default_rng(1)
    for at in [*range(0, 64), *rng.integers(64, 900, 60)]:
        file.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        with suppress(InputError):
            clip_of_data(m, "h.nc", read_netcdf(file))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (lambda data: data.drop_vars("pose"), "expected a history with time and pose"),
        (lambda data: data.isel(time=[0]), "fewer than two"),
        (lambda data: data.isel(time=[1, 0, 2]), "each above the one before"),
        (lambda data: data.assign_coords(time=data["time"] * np.nan), "expected finite times"),
        (lambda data: data.isel(leg=slice(3)), "force: expected shape"),
        (lambda data: data.assign(pose=2.0 * data["pose"]), "last row"),
    ],
)
def test_histories_that_cannot_be_played(history, changed, told):
    m, data = history
    with pytest.raises(InputError, match=told):
        clip_of_data(m, "h.nc", changed(data))


VIEW = {"gough_view": 1, "machine": "hexel", "poses": [np.eye(4).tolist()]}
FAR = np.eye(4)
FAR[0, 3] = 1e300


@pytest.mark.parametrize(
    "changed",
    [
        {"load": {"mass": [-5.0]}},
        {"load": {"mass": [1e308]}},
        {"load": {"inertia": [1.0, -1.0, 1.0]}},
        {"load": {"force": [1e308, 0.0, 0.0]}},
        {"camera": {"up_direction": [0.0, 0.0, 0.0]}},
        {"camera": {"up_direction": [0.0, 0.0, 1e-320]}},
        {"camera": {"position": [1.0, 2.0, 3.0], "look_at": [1.0, 2.0, 3.0]}},
        {"camera": {"position": [1e308, 0.0, 0.0]}},
        {"poses": [FAR.tolist()]},
    ],
)
def test_views_that_the_page_could_not_show(changed):
    assert from_document(json.dumps(VIEW), "v.json").machine == "hexel"
    with pytest.raises(InputError, match=r"v\.json is not a view"):
        from_document(json.dumps({**VIEW, **changed}), "v.json")


@pytest.mark.parametrize(
    "line",
    [
        "stiffness rubin-m2 --map --samples 3000 -o o.nc",
        "modes hexel --map --samples 1000 -o o.nc",
        "velocity hexel --map --samples 1000000000 -o o.nc",
        "frequencies dumitriu2017 --payload 1 --centre 0,0,0 --inertia 1e308,1e308,1e308",
    ],
)
def test_what_no_memory_and_no_double_holds_is_refused_at_once(tmp_path, monkeypatch, capsys, line):
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert err.startswith("error: ")
    assert not list(tmp_path.iterdir())


def test_a_lack_of_memory_is_told(monkeypatch, capsys):
    def hungry(*_, **__):
        raise MemoryError("Unable to allocate 201. GiB")

    monkeypatch.setattr("gough.cli.limits._travel", hungry)
    assert main(["travel", "hexel", "--along", "x"]) == 2
    assert capsys.readouterr().err.startswith("error: not enough memory (Unable to allocate 201. GiB)")
