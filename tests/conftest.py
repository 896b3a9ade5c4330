"""Fixtures shared by all tests: one machine of each leg kind, and headless Chromium."""

import shutil

import numpy as np
import pytest

import gough

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
ONE_OF_EACH_KIND = ("hexel", "sinatra2009", "servo")


@pytest.fixture(params=ONE_OF_EACH_KIND, scope="session")
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
