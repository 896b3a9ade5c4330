"""The page in headless Chromium: it moves the machine, tells what it knows, and is silent otherwise."""

import numpy as np
import pytest

import gough

SHOWN = 0.006
"""Numbers beside sliders are rounded to 0.01 mm."""
CHANGED = 40
"""Of 255: a pixel that differs by so much shows something else."""


def leg_values(window):
    shown = window.values()
    return np.array([shown[f"leg {i} [mm]"] for i in range(1, 7)])


def test_a_slider_moves_the_platform_and_the_legs_follow_by_inverse_kinematics(at_home, window):
    before = window.picture()
    window.type("x [mm]", 80)
    window.type("U [deg]", 10)
    machine = at_home.mover.machine
    X = machine.X_home.copy()
    X[:3, :3] = gough.pose([0, 0, 0], [10], "X", degrees=True).as_matrix()[:3, :3] @ X[:3, :3]
    X[0, 3] += 0.08
    q = gough.inverse_kinematics(machine, X) * 1e3
    assert window.until(lambda: np.abs(leg_values(window) - q).max() <= SHOWN)
    changed = np.abs(window.picture() - before).max(axis=-1) > CHANGED
    assert 0.01 < changed.mean() < 0.5


def test_leg_sliders_move_it_by_forward_kinematics(at_home, window):
    window.type("leg 2 [mm]", 600)
    q = np.array([586.82, 600, *[586.82] * 4])
    assert window.until(lambda: np.abs(leg_values(window) - q).max() < 0.02)
    X = gough.forward_kinematics(at_home.mover.machine, at_home.mover.q, near=at_home.mover.machine.X_home)
    assert window.until(lambda: abs(window.values()["x [mm]"] - 1e3 * X.matrix[0, 3]) <= SHOWN)


def test_an_unreachable_pose_says_why_where_it_stops_and_offers_the_nearest(at_home, window):
    window.type("z [mm]", 470)
    window.see("Refused:")
    sentence = gough.margins(at_home.mover.machine, at_home.mover.refusal.wanted).sentences()[0]
    window.see(sentence)
    window.see("then leg")
    window.see("Nearest allowed pose")
    window.press("Go to the nearest allowed pose")
    window.see("Allowed.")
    assert at_home.mover.margins.is_allowed


def test_keys_take_steps_and_home_undoes_them(at_home, window):
    window.page.mouse.click(420, 700)
    for key in ("l", "l", "i", "Shift+O"):
        window.page.keyboard.press(key)
    assert window.until(lambda: window.values()["x [mm]"] == 10 and window.values()["W [deg]"] == 1)
    assert window.values()["y [mm]"] == 5
    window.page.keyboard.press("h")
    assert window.until(lambda: window.values()["x [mm]"] == 0 and window.values()["W [deg]"] == 0)


def test_two_windows_show_one_machine(at_home, window, open_window):
    other = open_window()
    other.type("y [mm]", 33)
    assert window.until(lambda: window.values()["y [mm]"] == 33)
    window.type("y [mm]", -12)
    assert window.until(lambda: other.values()["y [mm]"] == -12)
    other.page.close()
    window.type("y [mm]", 5)
    assert window.until(lambda: at_home.mover.X[1, 3] == pytest.approx(0.005))
    assert other.complaints == []


def test_the_page_is_silent_and_asks_nobody_else(window):
    assert window.complaints == []
    own = window.page.url.rstrip("/")
    assert [url for url in window.asked if not url.startswith((own, f"blob:{own}", "data:"))] == []
