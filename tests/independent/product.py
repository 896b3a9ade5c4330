"""The product's side, and the only file here that imports it: the numbers of `gough report --json`."""

from importlib import resources
from pathlib import Path


def built_in():
    """The built-in machine files of one stage."""
    folder = Path(str(resources.files("gough.description") / "machines"))
    return [path for path in sorted(folder.glob("*.toml")) if "[[stages]]" not in path.read_text("utf-8")]


def numbers(path, sections=None):
    """What `gough report FILE --json` prints; of the named sections only, where any are named."""
    import gough
    from gough.report.datasheet import Datasheet
    from gough.report.sections import SECTIONS

    sheet = Datasheet(gough.load(path))
    found = [make(sheet) for what, make in SECTIONS if sections is None or what in sections]
    return {section.key: section.numbers for section in found if section is not None}
