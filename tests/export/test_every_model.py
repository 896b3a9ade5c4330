"""Every machine file is exported, loaded by MuJoCo, held and moved as Gough moves it; or refused in a sentence."""

from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from tests.export.test_mjcf import AGREES, STIFFER, STILL, model_of, some_poses
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.export.mjcf import mjcf
from gough.machine import Actuators, Limits

HERE = Path(__file__).parents[1]
BUILT_IN = Path(str(resources.files("gough.description") / "machines"))
FILES = sorted(path for folder in (BUILT_IN, HERE) for path in folder.rglob("*.toml"))
IS_EXPORTED = {
    "cranks-at-180", "cranks-turned-zero", "dehaeze", "dumitriu2017", "hexaglide", "hexel-head", "park-rounded",
    "pitch-circle", "positioner", "rotopod", "servo", "sinatra2009", "skew-cranks", "skew-sliders", "skew-struts",
    "soft-tall", "soft-tall-shifted", "tsai2000",
}  # fmt: skip
QUICK = ("dehaeze", "hexaglide", "skew-cranks")
HOLDS = 1e-4
"""Of the machine's size, where servos let it sag while MuJoCo's soft loops settle: most where legs have no mass."""
PUSH = 0.005
"""Of the forces that hold the weight, relative."""
SOFT = {False: 1e-7, True: 1e-5}
"""Of the machine's size, by which MuJoCo's loops give way in `TIME`: more where they close on light legs."""
LIGHT = {False: 0.0, True: 0.02}
"""Of the way, by the nominal inertia of parts of legs without a mass, 1e-4 of the platform's for each."""
TIME = 0.2
"""Of each simulation [s]."""


def machine_files(names, *, quick=QUICK):
    """Files of these machines; all but a few left to the thorough run."""
    chosen = [path for path in FILES if path.stem in names]
    few = [path for path in chosen if path.stem in quick]
    return pytest.mark.parametrize(
        "path", [*few, *thorough(*[path for path in chosen if path not in few][::3])], ids=lambda path: path.stem
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_machine_is_exported_or_refused_in_a_sentence(path, run):
    for servos in ([], ["--servos"]):
        ran = run("export", "mjcf", str(path), "-o", "model.xml", *servos)
        assert ran.code == (0 if path.stem in IS_EXPORTED else 2)
        assert Path("model.xml").is_file() == (ran.code == 0)
        if ran.code:
            assert ran.complaint.count("\n") == 1


@machine_files(IS_EXPORTED)
def test_mujoco_holds_it_at_rest_by_the_forces_of_inverse_dynamics(path):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = replace(gough.load(str(path)), limits=Limits())  # home is beyond a limit of one, by rounding
    model, data = model_of(mujoco, mjcf(m))
    model.opt.tolerance, model.opt.iterations = 0, 500
    model.body_invweight0[:] *= STIFFER
    np.testing.assert_allclose(data.ctrl, gough.inverse_dynamics(m, m.home, STILL, STILL), rtol=1e-12)
    mujoco.mj_forward(model, data)
    fall = np.linalg.norm(m.gravity)
    assert np.abs(data.qacc[:3]).max() < AGREES * fall
    assert np.abs(data.qacc[3:6]).max() < AGREES * fall / m.size


@pytest.mark.parametrize("name", SKEW)
def test_light_parts_keep_their_weight(name):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = gough.load(name)
    bodies = {part: replace(each, mass=each.mass * 1e-4 / each.mass.max()) for part, each in m.leg_bodies.items()}
    m = replace(m, limits=Limits(), leg_bodies=bodies, platform=replace(m.platform, mass=2.0))
    model, data = model_of(mujoco, mjcf(m))
    assert model.body_mass[2:].min() == pytest.approx(2e-4)
    model.opt.tolerance, model.opt.iterations = 0, 500
    model.body_invweight0[:] *= STIFFER
    mujoco.mj_forward(model, data)
    assert np.abs(data.qacc[:3]).max() < AGREES * np.linalg.norm(m.gravity)


@machine_files(IS_EXPORTED)
@pytest.mark.parametrize("is_light", [False, True], ids=["as it is", "legs without masses"])
def test_servos_hold_it(path, is_light, rng):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = gough.load(str(path))
    if is_light:
        m = replace(m, leg_bodies={}, actuators=Actuators(), limits=Limits())
    for X in (m.X_home, *some_poses(m, rng, 1 if is_light else 0)):
        model, data = model_of(mujoco, mjcf(m, X, has_servos=True))
        for _ in range(round(TIME / model.opt.timestep)):
            mujoco.mj_step(model, data)
            assert np.abs(data.qpos[:3] - X[:3, 3]).max() < HOLDS * m.size


@machine_files(IS_EXPORTED)
@pytest.mark.parametrize("is_light", [False, True], ids=["as it is", "legs without masses"])
def test_mujoco_moves_it_under_forces_as_gough_does(path, is_light, rng):
    """Without friction at rest, which MuJoCo alone has."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = replace(gough.load(str(path)), limits=Limits())
    m = replace(m, actuators=replace(m.actuators, coulomb_friction=None))
    m = replace(m, leg_bodies={}) if is_light else m
    is_light = set(m.legs.parts) != set(m.leg_bodies)
    force = gough.inverse_dynamics(m, m.home, STILL, STILL) * (1 + PUSH * rng.normal(size=6))
    end = gough.simulate(m, m.home, STILL, force, TIME, times=[TIME]).pose.to_numpy()[-1]
    model, data = model_of(mujoco, mjcf(m))
    data.ctrl[:] = force
    for _ in range(round(TIME / model.opt.timestep)):
        mujoco.mj_step(model, data)
    off = np.linalg.norm(data.body("platform").xpos - end[:3, 3])
    moved = np.linalg.norm(end[:3, 3] - m.X_home[:3, 3])
    assert moved > 1e-5 * m.size
    assert off < SOFT[is_light] * m.size + LIGHT[is_light] * moved
