"""The product's side, and the only file here that imports it: the numbers of `gough report --json`."""

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

    wanted = tuple((what, make) for what, make in SECTIONS if sections is None or what in sections)
    figures = {name: lambda *_, **__: go.Figure() for name in gough.plot.__all__}
    with mock.patch.multiple("gough.plot", **figures), mock.patch("gough.datasheet.build.SECTIONS", wanted):
        return build(Datasheet(gough.load(path))).numbers()
