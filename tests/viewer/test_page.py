"""The page in headless Chromium: it moves the machine, tells what it knows, and is silent otherwise."""

import re
from importlib import resources

import numpy as np
import pytest

import gough
from gough import motion
from gough.viewer.scene.overlays import TOOL_PATH

SHOWN = 0.006
"""Numbers beside sliders are rounded to 0.01 mm."""
HALF_A_LABEL = 6
"""Half the height of a number at a chart's axis [px]."""
CHANGED = 40
"""Of 255: a pixel that differs by so much shows something else."""


def leg_values(window):
    shown = window.values()
    return np.array([shown[f"leg {i} [mm]"] for i in range(1, 7)])


def test_a_slider_moves_the_platform_and_the_legs_follow_by_inverse_kinematics(at_home, window):
    before = window.picture()
    window.type("x [mm]", 80)
    window.type("U [deg]", 10)
    machine = at_home.stage.machine
    X = machine.X_home.copy()
    X[:3, :3] = gough.pose([0, 0, 0], [10], "X", degrees=True).as_matrix()[:3, :3] @ X[:3, :3]
    X[0, 3] += 0.08
    q = gough.inverse_kinematics(machine, X) * 1e3
    assert window.until(lambda: np.abs(leg_values(window) - q).max() <= SHOWN)
    changed = np.abs(window.picture() - before).max(axis=-1) > CHANGED
    assert 0.01 < changed.mean() < 0.5


@pytest.mark.thorough
def test_leg_sliders_move_it_by_forward_kinematics(at_home, window):
    window.type("leg 2 [mm]", 600)
    q = np.array([586.82, 600, *[586.82] * 4])
    assert window.until(lambda: at_home.stage.q[1] == pytest.approx(0.6))
    assert window.until(lambda: np.abs(leg_values(window) - q).max() < 0.02)
    X = gough.forward_kinematics(at_home.stage.machine, at_home.stage.q, near=at_home.stage.machine.X_home)
    assert window.until(lambda: abs(window.values()["x [mm]"] - 1e3 * X.matrix[0, 3]) <= SHOWN)


def test_an_unreachable_pose_says_why_where_it_stops_and_offers_the_nearest(at_home, window):
    window.type("z [mm]", 470)
    window.see("Refused:")
    sentence = gough.margins(at_home.stage.machine, at_home.stage.refusal.wanted).sentences()[0]
    window.see(sentence)
    window.see("stopped by ")
    window.see("Nearest allowed pose")
    window.press("Go to the nearest")
    window.see("Allowed.")
    assert at_home.stage.margins.is_allowed


@pytest.mark.thorough
def test_keys_take_steps_and_home_undoes_them(at_home, window):
    window.page.mouse.click(400, 600)
    for key in ("l", "l", "i", "Shift+O"):
        window.page.keyboard.press(key)
    assert window.until(lambda: window.values()["x [mm]"] == 10 and window.values()["W [deg]"] == 1)
    assert window.values()["y [mm]"] == 5
    window.page.keyboard.press("h")
    assert window.until(lambda: window.values()["x [mm]"] == 0 and window.values()["W [deg]"] == 0)


@pytest.mark.thorough
def test_an_overlay_comes_in_the_background_and_goes(at_home, window):
    window.tab("Overlays")
    before = window.picture()
    window.tick("workspace")
    assert window.until(lambda: "workspace" in at_home.state.results)
    assert window.until(lambda: np.abs(window.picture() - before).max(axis=-1).mean() > 3)
    window.tick("workspace")
    assert window.until(lambda: "workspace" not in at_home.state.results)


@pytest.mark.thorough
def test_all_assembly_modes_are_shown_and_one_can_go_there(at_home, window):
    window.tab("Overlays")
    window.tick("assembly modes")
    found = gough.assembly_modes(at_home.stage.machine, at_home.stage.q)
    window.see(f"{len(found)} assembly modes with these leg values")
    window.press("2")
    assert window.until(lambda: np.allclose(at_home.stage.X, found.matrix[1], atol=1e-9))
    window.see("Not allowed:" if not found.within_limits[1] else "Allowed.")
    window.tick("assembly modes")


def test_a_motion_plays_pauses_and_scrubs(at_home, window):
    window.tab("Play")
    window.choose("motion", "vertical, out and back")
    assert window.until(lambda: at_home.state.clip is not None)
    clip = at_home.state.clip
    window.press("Play")
    assert window.until(lambda: abs(at_home.stage.X[2, 3] - clip.X[0, 2, 3]) > 0.01)
    window.press("Pause")
    window.page.get_by_role("button", name="Play", exact=True).wait_for()
    still = at_home.stage.X.copy()
    window.page.wait_for_timeout(200)
    np.testing.assert_array_equal(at_home.stage.X, still)
    window.type("time [s]", 3)
    assert window.until(lambda: np.allclose(at_home.stage.X, clip.pose_at(3.0)))
    assert window.page.locator(".u-over canvas, .uplot canvas").count() >= 2
    for over in window.page.locator(".uplot:visible .u-over").all():  # whose upper end may be a tick with its label
        plot = over.locator("xpath=..").bounding_box()
        assert over.bounding_box()["y"] >= plot["y"] + HALF_A_LABEL
    widths = "[...document.querySelectorAll('.mantine-ScrollArea-viewport')].map((e) => [e.scrollWidth, e.clientWidth])"
    assert all(inner <= outer for inner, outer in window.page.evaluate(widths))  # nothing is cut off beside a chart
    window.choose("motion", "–")


@pytest.mark.thorough
def test_a_part_program_is_timed_and_played_with_its_trace_or_says_what_is_wrong(at_home, window, tmp_path):
    file = tmp_path / "part.ngc"
    window.tab("File")
    file.write_text("G1 X20 F600\nG1 X20 Y\n")
    window.write("motion file", file)
    window.press("Open this motion")
    with pytest.raises(gough.errors.InputError) as told:
        motion.programs.read_program(file, motion.programs.program_start(at_home.stage.machine))
    window.see(str(told.value))
    file.write_text("G1 X20 F1200\nG1 Y20\nG0 X0 Y0\n")
    window.press("Open this motion")
    assert window.until(lambda: at_home.state.clip is not None)
    window.tab("Play")
    window.see(re.compile("^Feasible: every limit is kept"))
    assert window.page.get_by_label("motion", exact=True).first.input_value() == file.name
    window.press("Play")
    assert window.until(lambda: np.ptp([at_home.stage.X, at_home.stage.machine.X_home], axis=0).max() > 1e-3)
    tip = at_home.stage.machine.X_PT[:3, 3] + at_home.stage.machine.X_home[:3, 3]
    paths = (
        at_home.server.scene.get_handle_by_name(f"{TOOL_PATH}/0").points,
        at_home.state.clip.tip[~at_home.state.clip.is_rapid],
    )
    for path in paths:
        assert np.abs(path - tip).max() == pytest.approx(0.02, rel=0.02)
    window.choose("motion", "vertical, out and back")

    def is_upright():
        path = at_home.server.scene.get_handle_by_name(f"{TOOL_PATH}/0")
        return path is not None and np.ptp(path.points[..., :2], axis=(0, 1)).max() < 1e-6

    assert window.until(is_upright)


@pytest.mark.thorough
def test_machine_files_open_tell_what_is_wrong_and_are_read_again_when_saved(at_home, window, tmp_path):
    hexel = (resources.files("gough.description") / "machines" / "hexel.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(hexel.replace('name = "hexel"', 'name = "mine"'))
    window.tab("File")
    window.write("path", tmp_path / "not-there.toml")
    window.press("Open this path")
    window.see("error: cannot read the machine file")
    assert at_home.stage.machine.name == "hexel"
    window.write("path", file)
    window.press("Open this path")
    assert window.until(lambda: at_home.stage.machine.name == "mine")
    X = gough.frames.displaced(at_home.stage.machine, gough.pose([0.02, 0.01, 0])).as_matrix()
    at_home.move("test", lambda stage: stage.to(X))
    assert window.until(lambda: np.array_equal(at_home.stage.X, X))
    file.write_text(file.read_text().replace("joint_max = 970", "joint_max = 600"))
    assert window.until(lambda: at_home.stage.machine.limits.joint_max[0] == pytest.approx(0.6))
    np.testing.assert_allclose(at_home.stage.X, X)
    file.write_text("name = 3")
    with pytest.raises(gough.errors.MachineFileError) as told:
        gough.load(file)
    window.see(told.value.problems[0])
    assert at_home.stage.machine.name == "mine"
    at_home.files.open("hexel")
    assert window.until(lambda: at_home.stage.machine.name == "hexel")


@pytest.mark.thorough
def test_a_link_restores_a_view_and_two_windows_show_one_machine(at_home, window, open_window):
    X = gough.frames.displaced(at_home.stage.machine, gough.pose([0.03, 0, 0])).as_matrix()
    at_home.move("test", lambda stage: stage.to(X))
    assert window.until(lambda: at_home.stage.X is not None and np.array_equal(at_home.stage.X, X))
    link = at_home.saved().link()
    window.press("Home")
    assert window.until(lambda: np.array_equal(at_home.stage.X, at_home.stage.machine.X_home))
    other = open_window(link)
    assert window.until(lambda: window.values()["x [mm]"] == 30)
    other.type("y [mm]", 33)
    assert window.until(lambda: window.values()["y [mm]"] == 33)
    window.type("y [mm]", -12)
    assert window.until(lambda: other.values()["y [mm]"] == -12)
    other.page.close()
    window.type("y [mm]", 5)
    assert window.until(lambda: at_home.stage.X[1, 3] == pytest.approx(0.005))
    assert other.complaints == []


def test_the_page_is_silent_and_asks_nobody_else(window):
    assert window.complaints == []
    own = window.page.url.partition("?")[0]
    assert [url for url in window.asked if not url.startswith((own, f"blob:{own}", "data:"))] == []
