"""Fixtures shared by all tests: one machine of each leg kind, machines without symmetry, and headless Chromium."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_OF_KIND, SKEW_STACK

import gough
from gough.machine import Actuators, Body

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
ONE_OF_EACH_KIND = ("hexel", "sinatra2009", "servo")


def pytest_make_parametrize_id(val):
    """Machine files of the tests by their names, whatever the folder."""
    return Path(val).stem if isinstance(val, str) and val in (*SKEW, SKEW_STACK) else None


def pytest_collection_modifyitems(items):
    """Files that draw pages take a minute: short ones come after them, so that no worker waits at the end."""
    last = {"kinematics", "laws", "legs", "motion", "plot", "references", "stages", Path(__file__).parent.name}
    items.sort(key=lambda item: item.path.parent.name in last)


@pytest.fixture(params=(*ONE_OF_EACH_KIND, *SKEW), scope="session")
def machine(request):
    return gough.load(request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, drawing by software; one for all pages, as Playwright runs once in a process."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


def random_body(rng, mass, length):
    points = rng.normal(size=(8, 3)) * length / 4
    inertia = mass / 8 * sum(r @ r * np.eye(3) - np.outer(r, r) for r in points)
    return Body(mass=mass, mass_centre=rng.uniform(-0.3, 0.3, 3) * length, inertia=inertia)


def machine_without_symmetry(kind, rng):
    """A machine of a leg kind with uneven bodies, skew joint axes, gravity askew; no friction, no rotors."""
    m = gough.load(SKEW_OF_KIND[kind])
    return replace(
        m,
        platform=random_body(rng, 2.0, m.size / 2),
        leg_bodies={part: random_body(rng, rng.uniform(0.2, 0.6), m.size / 3) for part in m.legs.parts},
        actuators=Actuators(),
        gravity=rng.normal(size=3) * 10,
    )


@pytest.fixture(scope="session", name="random_machine")
def give_random_machine():
    return machine_without_symmetry
