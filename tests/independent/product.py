"""The product's side, and the only file here that imports it: the numbers that `gough` prints with --json."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from importlib import resources
from pathlib import Path
from unittest import mock

import plotly.graph_objects as go


def built_in():
    """The built-in machine files of one stage."""
    folder = Path(str(resources.files("gough.description") / "machines"))
    return [path for path in sorted(folder.glob("*.toml")) if "[[stages]]" not in path.read_text("utf-8")]


def numbers(path, sections=None):
    """What `gough report FILE --json` prints; of the named sections only, where any are named. Figures stay empty."""
    import gough
    from gough.datasheet.build import build
    from gough.datasheet.sections import SECTIONS
    from gough.datasheet.sheet import Datasheet

    assert {*(sections or ())} <= {what for what, _ in SECTIONS}
    wanted = tuple((what, make) for what, make in SECTIONS if sections is None or what in sections)
    figures = {name: lambda *_, **__: go.Figure() for name in gough.plot.__all__}
    with mock.patch.multiple("gough.plot", **figures), mock.patch("gough.datasheet.build.SECTIONS", wanted):
        return build(Datasheet(gough.load(path))).numbers()


def printed(*arguments):
    """What a command prints with --json, or None where it refuses the machine, in SI."""
    from gough.cli import main

    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = main([*map(str, arguments), "--si", "--json"])
    return json.loads(out.getvalue()) if code == 0 else None


def under_load(path, wrench=None, payload=None):
    """Stiffness and natural frequencies under all weights, a payload (mass, centre [m], inertia) and a wrench.

    An empty dictionary where the machine has no masses or stiffnesses.
    """
    options, turning = [], []
    if payload is not None:
        mass, centre, inertia = payload
        options, turning = ["--payload", mass, "--centre", _commas(centre)], ["--inertia", _commas(inertia)]
    applied = [] if wrench is None else ["--wrench", _commas(wrench)]
    found = {
        "loaded_stiffness": printed("stiffness", path, "--loaded", *options, *applied),
        "loaded_modes": printed("frequencies", path, "--loaded", *options, *turning),
    }
    return {key: numbers for key, numbers in found.items() if numbers is not None}


def _commas(values):
    return ",".join(map(repr, values))
