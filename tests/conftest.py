"""Fixtures shared by all tests: one machine of each leg kind, machines without symmetry, and headless Chromium."""

import gc
import os
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is there: its threads wait for one another, busily

import numpy as np
import pytest
from hypothesis import settings
from tests.skew import SKEW, SKEW_OF_KIND, SKEW_STACK

import gough
from gough.cli import progress
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


def pytest_make_parametrize_id(val):
    """Machine files of the tests by their names, whatever the folder."""
    return Path(val).stem if isinstance(val, str) and val in (*SKEW, SKEW_STACK) else None


def pytest_configure(config):
    """Draw the same examples in every run, keep none in the checkout, and share bytecode among processes.

    The checkout may be read-only. Where Python is told to write no bytecode, each of a hundred processes compiles the
    sources of all it imports, a tenth of the whole run: workers and what they start share a folder of it instead.
    """
    settings.register_profile("same", database=None, derandomize=True)
    settings.load_profile("same")
    if config.getoption("numprocesses", None) and os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        folder = TemporaryDirectory(prefix="gough-bytecode-", ignore_cleanup_errors=True)
        config.add_cleanup(folder.cleanup)
        os.environ["PYTHONPYCACHEPREFIX"] = folder.name


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave pages in a browser to the thorough run.

    Files that draw pages take longest: short ones come after them, so that no worker waits at the end.
    """
    last = {"kinematics", "laws", "legs", "motion", "plot", "references", "stages", Path(__file__).parent.name}
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.thorough)
    items.sort(key=lambda item: item.path.parent.name in last)


def pytest_collection_finish():
    """What was collected stays to the end: the garbage collector need not look at it again and again."""
    gc.freeze()


@pytest.fixture(params=("hexel", *SKEW), scope="session")
def machine(request):
    return gough.load(request.param)


@pytest.fixture(scope="session", autouse=True)
def _quiet_progress():
    """Commands run in this process show no progress, however slow the machine and however much is compiled."""
    progress.LOG_PATIENCE = 3600.0


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, drawing by software; one for all pages, as Playwright runs once in a process."""
    chromium = shutil.which("chromium")
    if chromium is None or find_spec("playwright") is None:
        without("chromium" if chromium is None else "playwright")
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


def without(name):
    """Pass over a test for want of something: but in continuous integration that is a failure."""
    if os.environ.get("CI", "") not in ("", "0", "false"):
        pytest.fail(f"{name} is not installed, and pages are tested wherever CI is set")
    pytest.skip(f"{name} is not installed")


def random_body(rng, mass, length):
    points = rng.normal(size=(8, 3)) * length / 4
    inertia = mass / 8 * sum(r @ r * np.eye(3) - np.outer(r, r) for r in points)
    return Body(mass=mass, mass_centre=rng.uniform(-0.3, 0.3, 3) * length, inertia=inertia)


def machine_without_symmetry(kind, rng):
    """A machine of a leg kind: uneven bodies, other ones in each leg, skew axes and gravity; no friction, no rotors."""
    m = gough.load(SKEW_OF_KIND[kind])
    return replace(
        m,
        platform=random_body(rng, 2.0, m.size / 2),
        leg_bodies={
            part: [random_body(rng, rng.uniform(0.2, 0.6), m.size / 3) for _ in range(6)] for part in m.legs.parts
        },
        actuators=Actuators(),
        gravity=rng.normal(size=3) * 10,
    )


@pytest.fixture(scope="session", name="random_machine")
def give_random_machine():
    return machine_without_symmetry
