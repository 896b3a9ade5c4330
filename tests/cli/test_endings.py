"""Names of files for -o: an ending says the format, and one that the command does not write is refused at once."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

import gough
from gough.cli import app
from gough.datasheet import pages
from gough.errors import InputError

OTHER = {
    "report": ("file.json", "file.csv", "file"),
    "mjcf": ("file.json", "file.pdf"),
    "volume": ("file.csv", "file.pdf"),
}
ARGUMENTS = {
    "calibrate": ("x.csv",), "choose": ("--count", "8"), "follow": ("x.csv",), "path": ("x.ngc",),
    "playback": ("x.csv",), "certify": (),
}  # fmt: skip


def commands_with_output():
    found = app.command()
    inner = {**found.commands, **found.commands["export"].commands}
    return [name for name, one in inner.items() if any("-o" in each.opts for each in one.params)]


@pytest.mark.parametrize("name", commands_with_output())
def test_a_wrong_ending_is_refused_before_anything_is_computed(run, tmp_path, name):
    words = ("export", "mjcf") if name == "mjcf" else (name,)
    for file in OTHER.get(name, ("file.pdf", "file.html", "file.txt", "file")):
        told = run(*words, "hexel", *ARGUMENTS.get(name, ()), "-o", file).complaint
        assert "specify a name that ends in ." in told
    assert list(tmp_path.iterdir()) == []


def test_the_way_to_the_numbers_of_a_report_is_told(run):
    told = run("report", "hexel", "-o", "r.json", "--json").complaint
    assert "gough report hexel --json > FILE.json" in told


@pytest.mark.parametrize("name", ["travel", "inverse", "margins"])
def test_json_and_a_name_for_another_format_contradict(run, name):
    assert "leave --json out" in run(name, "hexel", "--json", "-o", "x.csv").complaint
    ran = run(name, "hexel", "-o", "x.JSON")
    assert ran.code == 0
    with open("x.JSON") as file:
        assert json.load(file)["machine"] == "hexel"


def test_other_files_have_their_endings_too(run):
    assert "ends in .toml" in run("new", "machine.pdf").complaint
    assert ".ngc" in run("path", "hexel", "x.ngc", "--strut-program", "struts.csv").complaint
    assert ".toml" in run("calibrate", "hexel", "x.csv", "--save", "calibrated.json").complaint


def test_without_a_browser_a_pdf_is_refused_in_a_sentence(run, monkeypatch, tmp_path):
    monkeypatch.setattr(pages.shutil, "which", lambda name: None)
    assert "a PDF needs Chromium or Chrome" in run("report", "hexel", "-o", "r.pdf").complaint
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_fails_is_named(monkeypatch):
    monkeypatch.setattr(pages.shutil, "which", lambda name: f"/nowhere/{name}")
    with pytest.raises(InputError, match="/nowhere/chromium did not print the page"):
        pages.printed("<p>page</p>")


@pytest.mark.thorough
@pytest.mark.skipif(not any(map(shutil.which, pages.BROWSERS)), reason="no browser that prints")
def test_a_page_is_printed():
    try:
        content = pages.printed("<!doctype html><title>Page</title><p>A page</p>")
    except InputError:
        pytest.skip("the browser cannot run here")
    assert content.startswith(b"%PDF-")


@pytest.mark.thorough
def test_a_report_prints_its_own_page(monkeypatch, tmp_path):
    """The bytes of the browser are the file; the page is given to it whole, and nothing is left behind."""
    printed = []

    def browser(words, **how):
        page = words[-1].removeprefix("file://")
        with open(page, encoding="utf-8") as file:
            printed.append(file.read())
        target = next(word.partition("=")[2] for word in words if word.startswith("--print-to-pdf="))
        with open(target, "wb") as file:
            file.write(b"%PDF-1.4 printed")
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(pages.shutil, "which", lambda name: name)
    monkeypatch.setattr(pages.subprocess, "run", browser)
    made = gough.report(gough.load("hexel"), summary=True, processes=1)
    made.write(tmp_path / "hexel.pdf")
    assert (tmp_path / "hexel.pdf").read_bytes() == b"%PDF-1.4 printed"
    assert printed == [made.html()]
