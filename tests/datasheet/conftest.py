"""Datasheets, computed once."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module

import numpy as np
import plotly.graph_objects as go
import pytest

import gough
from gough.datasheet.build import build
from gough.datasheet.sheet import Datasheet

WHEN = datetime(2026, 1, 31, 12, 30, tzinfo=UTC)
KEPT = ("corners", "workspace", "workspace_mesh", "orientations", "dexterous")


@pytest.fixture(scope="session")
def hexel_sheet():
    sheet = Datasheet(gough.load("hexel"), "gough report hexel", WHEN)
    for name in KEPT:  # now, before a test makes datasheets coarse
        getattr(sheet, name)
    return sheet


@pytest.fixture(scope="session")
def hexel_report(hexel_sheet):
    return build(hexel_sheet)


@pytest.fixture(scope="session")
def hexel_page(hexel_report):
    return hexel_report.html()


@pytest.fixture(scope="session")
def sheet_like_hexel(hexel_sheet):
    """Make the datasheet of hexel with other texts or drives; its corners and workspace, which take seconds, stay."""

    def make(**changes):
        sheet = Datasheet(replace(hexel_sheet.machine, **changes), "", WHEN)
        for name in KEPT:
            setattr(sheet, name, getattr(hexel_sheet, name))
        return sheet

    return make


@pytest.fixture
def coarse(monkeypatch):
    """Datasheets that look at fewer places, for tests to which it is no matter how closely."""
    for name, few in {"GRID": 4, "MOST_BOXES": 4000, "WORKSPACE_SAMPLES": 9, "CONE_SAMPLES": 5}.items():
        monkeypatch.setattr(f"gough.datasheet.sheet.{name}", few)
    monkeypatch.setattr("gough.workspaces.extent.STARTS", 1)
    monkeypatch.setattr(gough.workspaces.Workspace, "SHARE_BLOCKS", 2)
    monkeypatch.setattr(import_module("gough.datasheet.sections.motion"), "RTOL", 1e-6)
    turns = partial(gough.workspaces.orientation_workspace, level=2)
    monkeypatch.setattr(gough.workspaces, "orientation_workspace", turns)
    for name, few in {"STEPS": (45.0,), "SCANS": (7,), "CLIMBS": 1, "FINE": 1e-3}.items():
        monkeypatch.setattr(import_module("gough.regions.corners"), name, few)


def lowest_of_grid(search, on_grid):
    """In place of a search for the lowest value: that of the grid."""
    k = np.nanargmin(on_grid)
    return search.grid[k], float(on_grid[k])


@pytest.fixture
def no_search(monkeypatch):
    """Datasheets with the lowest values of their grids, for tests to which it is no matter where those are."""
    monkeypatch.setattr("gough.workspaces.minimum.lowest_found", lowest_of_grid)


@pytest.fixture
def no_figures(monkeypatch):
    """Datasheets whose figures stay empty, for tests of their numbers."""
    for name in gough.plot.__all__:
        monkeypatch.setattr(gough.plot, name, lambda *_, **__: go.Figure())
