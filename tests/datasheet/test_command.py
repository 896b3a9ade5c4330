"""`gough report` on the command line."""

import json
import re

import pytest

import gough
from gough.cli import STOPPED, main
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sheet import Datasheet
from gough.errors import InputError
from gough.motion import PathReport

SUMMARIZED = ("machine at home", "travel", "margins", "legs", "conditioning")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys, hexel_sheet):
    """Run the command in an empty folder; the corners and the workspace, which take seconds, are known."""
    for name in ("corners", "workspace", "workspace_mesh", "orientations", "dexterous"):
        monkeypatch.setattr(Datasheet, name, getattr(hexel_sheet, name))
    monkeypatch.chdir(tmp_path)

    def run_report(*arguments):
        code = main(["report", *map(str, arguments)])
        return (code, *capsys.readouterr())

    return run_report


@pytest.fixture
def few_sections(monkeypatch):
    """Those that the terminal's summary needs, for what does not depend on the others."""
    few = tuple(pair for pair in SECTIONS if pair[0] in SUMMARIZED)
    assert len(few) == len(SUMMARIZED)
    monkeypatch.setattr("gough.datasheet.build.SECTIONS", few)


@pytest.mark.usefixtures("few_sections")
def test_the_terminal_shows_the_summary(run, hexel_sheet):
    _, out, _ = run("hexel", "-o", "sheet.html")
    for row in hexel_sheet.travel:
        scale = 1e3 if not row.axis.startswith("r") else 180 / 3.141592653589793
        line = re.search(rf"^{row.axis} +([-+.0-9]+) +([-+.0-9]+) +(mm|deg) .*$", out, re.MULTILINE)
        assert [float(line[1]), float(line[2])] == pytest.approx([row.minus * scale, row.plus * scale], abs=6e-3)
        assert row.minus_words in line[0]
        assert row.plus_words in line[0]
    assert hexel_sheet.margins.sentence() in out
    assert "586.8" in out
    assert re.search(r"Condition number +2\.57", out)


@pytest.mark.usefixtures("no_figures")
def test_json_gives_the_numbers_of_the_page(run, tmp_path, hexel_report):
    code, out, _ = run("hexel", "--json", "-o", "sheet.html")
    document = json.loads(out)
    assert code == 0
    assert document["page"] == "sheet.html"
    assert (tmp_path / "sheet.html").is_file()
    expected = json.loads(json.dumps(hexel_report.numbers(hexel_report.sheet.machine.units)))
    assert document["travel"] == expected["travel"]
    assert document["legs"] == expected["legs"]
    assert set(document) == {*expected, "page"}


def test_ctrl_c_leaves_nothing_behind(run, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("gough.datasheet.build.SECTIONS", (("margins", stopped),))
    code, out, err = run("hexel")
    assert (code, out, err) == (STOPPED, "", "stopped\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.usefixtures("coarse", "no_figures")
def test_a_report_in_python_is_that_of_the_command(tmp_path):
    heard = []
    found = gough.report(
        gough.load("linapod"), processes=1, progress=lambda what, done, total: heard.append((done, total))
    )
    found.write(tmp_path / "page.html")
    assert str(found) == f"Datasheet of linapod: {len(found.sections)} sections"
    assert "</html>" in (tmp_path / "page.html").read_text("utf-8")
    assert heard == [(k, len(heard)) for k in range(len(heard))]
    with pytest.raises(InputError, match="a path requires a single machine"):
        gough.report(gough.load("double-hexapod"), path=object.__new__(PathReport))


@pytest.mark.parametrize("output", ["missing/page.html", "folder.html"])
def test_an_output_that_cannot_be_written_is_one_sentence(run, tmp_path, monkeypatch, output):
    def never(*_):
        raise AssertionError("computed before the output was looked at")

    monkeypatch.setattr("gough.datasheet.build.build", never)
    (tmp_path / "folder.html").mkdir()
    code, out, err = run("hexel", "-o", output)
    assert code == 2
    assert out == ""
    assert re.fullmatch(rf"error: cannot write {re.escape(output)}: .*; .*\n", err)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.html"]
