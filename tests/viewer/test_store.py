"""The viewer's state: what changes keep and what they leave behind; views that know nothing but the state."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.viewer.conftest import until

import gough
from gough.viewer.clips import named_clip
from gough.viewer.panels.player import advanced, begun, toggled
from gough.viewer.store import PLAYER, Store, initial

VIEWER = Path(gough.__file__).parent / "viewer"
MAY_IMPORT = {
    "store": set(),
    "stage": set(),
    "scheduler": set(),
    "scene": {"scene"},
    "panels": {"scene", "panels.panel", "panels.move", "panels.player"},
}
"""Of the scene, the panels and the view. What a panel may import of panels are functions and inputs, no other panel."""


@pytest.fixture(scope="module")
def state():
    return initial("hexel", gough.load("hexel"))


@pytest.fixture(scope="module")
def clip(state):
    return named_clip(state.model, "motion vertical", "vertical", state.stage.X)


def lifted(stage):
    X = stage.machine.X_home.copy()
    X[2, 3] += 0.05
    return stage.to(X)


def test_playback_goes_on_until_somebody_moves_the_machine(state, clip):
    playing = toggled(begun(state, clip))
    later = advanced(playing, 0.5)
    assert (later.is_playing, later.time, later.hand) == (True, 0.5, PLAYER)
    np.testing.assert_array_equal(later.stage.X, clip.pose_at(0.5))
    assert not later.moved(lifted(later.stage), "sliders").is_playing
    assert not toggled(later).is_playing
    assert toggled(later).time == 0.5


def test_another_machine_keeps_settings_and_leaves_motion_and_pose_behind(state, clip):
    before = replace(begun(state, clip), frames=True, convention="hexel", remembered=(clip.X[0],))
    before = before.with_forces(before.force_inputs._replace(mass=3.0)).moved(lifted(before.stage), "sliders")
    machine = gough.load("pitch-circle")
    after = before.opened("pitch-circle", machine)
    assert (after.frames, after.convention, after.force_inputs.mass) == (True, "hexel", 3.0)
    assert (after.clip, after.motion, after.remembered, after.is_playing, after.hand) == (None, None, (), False, "")
    np.testing.assert_array_equal(after.stage.X, machine.X_home)
    np.testing.assert_allclose(after.applied.mass_centre, machine.point_of_interest, atol=1e-6 * machine.units.metres)
    kept = before.opened("hexel", gough.load("hexel"), [stage.X for stage in before.stages])
    np.testing.assert_array_equal(kept.stage.X, before.stage.X)


def test_a_load_changes_the_motion_that_is_shown(state):
    def recipe(load):
        return named_clip(state.model, "motion vertical", "vertical", state.stage.X, load)

    before = state.with_clip(recipe(state.applied), recipe)
    after = before.with_forces(before.force_inputs._replace(mass=5.0))
    assert after.clip is not before.clip
    assert after.clip.duration == before.clip.duration
    from_file = state.with_clip(before.clip)
    assert from_file.with_forces(after.force_inputs).clip is before.clip


def test_a_followed_state_is_shown_after_the_last_change(state):
    errors, shown = [], []
    store = Store(state, errors.append)
    try:
        store.follow("test", lambda now: shown.append(now.speed), 0.02)
        for speed in (1.5, 2.0, 2.5):
            store.put(speed=speed)
        store.update("broken", lambda state: 1 / 0)
        assert until(lambda: bool(shown) and shown[-1] == 2.5)
        assert until(lambda: [type(error) for error in errors] == [ZeroDivisionError])
        assert store.state.speed == 2.5
    finally:
        store.stop()


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_views_know_the_state_and_no_other_view(room):
    """So that a slider's effect is followed through the store, and each view is read alone."""
    files = [VIEWER / f"{room}.py"] if (VIEWER / f"{room}.py").is_file() else list((VIEWER / room).glob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            name = getattr(node, "module", None) or ""
            if isinstance(node, ast.ImportFrom) and name.startswith("gough.viewer."):
                module = name.removeprefix("gough.viewer.")
                is_view = module.split(".")[0] in ("scene", "panels", "view")
                assert not is_view or {module, module.split(".")[0]} & MAY_IMPORT[room], f"{file.name}: {name}"
