"""gough machines, check, schema and new: what there is, and what a file says."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.skew import SKEW, SKEW_STACK

import gough

COMMANDS = ("machines", "check", "schema", "new", "inverse", "forward", "margins", "travel", "report")


def test_machines_lists_name_kind_and_title(run):
    known = gough.machines()
    lines = run("machines").out.splitlines()
    assert lines[0].split() == ["name", "legs", "title"]
    for line, machine in zip(lines[2:], known, strict=True):
        for text in (machine.name, machine.kind, machine.title):
            assert text
            assert text in line
    answer = json.loads(run("machines", "--json").out)
    assert [row["name"] for row in answer] == [machine.name for machine in known]
    assert set(answer[0]) == {"name", "kind", "stages", "title", "source"}


@pytest.mark.parametrize("name", [*(machine.name for machine in gough.machines()), *SKEW, SKEW_STACK])
def test_check_says_what_every_machine_means(run, name):
    ran = run("check", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(Path(name).stem)
    answer = json.loads(run("check", name, "--json").out)
    assert answer["name"] == Path(name).stem
    for section in answer["sections"]:
        assert section["title"] in ran.out


def test_check_speaks_the_units_of_the_file(run):
    out = run("check", "hexel").out
    assert "[mm]" in out
    assert "400.68" in out
    assert "e-1" not in out, "round-off is shown as zero"


def test_check_lists_every_problem_not_the_first_only(run, tmp_path):
    text = run("new", "mine.toml") and tmp_path.joinpath("mine.toml").read_text()
    text = text.replace('length = "mm"', 'length = "mmm"').replace("[home]", '[home]\nsequence = "abc"')
    tmp_path.joinpath("mine.toml").write_text(text)
    ran = run("check", "mine.toml")
    assert ran.code == 2
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("error: mine.toml: ") for line in lines)
    assert "units.length: 'mmm' is not known" in lines[0]
    assert "home.sequence" in lines[1]


def test_schema_is_a_json_schema_that_knows_the_keys(run):
    schema = json.loads(run("schema").out)
    assert {"name", "base", "platform", "legs", "units", "limits"} <= set(schema["properties"])
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("kind", ["UPS", "UCU", "UPU", "PUS", "RUS"])
def test_new_writes_a_file_that_is_a_machine(run, tmp_path, kind):
    ran = run("new", "mine.toml", "--kind", kind)
    assert ran.code == 0
    assert "gough check mine.toml" in ran.out
    assert run("check", "mine.toml").code == 0
    machine = gough.load(tmp_path / "mine.toml")
    assert machine.legs.kind == ("UPS" if kind in ("UCU", "UPU") else kind)
    assert tmp_path.joinpath("mine.toml").read_text().count("\n# ") > 5, "it is commented"


def test_new_without_a_name_writes_machine_toml(run, tmp_path):
    run("new")
    assert [path.name for path in tmp_path.iterdir()] == ["machine.toml"]


def test_new_overwrites_only_when_forced(run, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("my work")
    assert "mine.toml exists" in run("new", "mine.toml").complaint
    assert file.read_text() == "my work"
    assert run("new", "mine.toml", "--force").code == 0
    assert file.read_text() != "my work"


def test_version_and_help(run):
    assert run("--version").out == f"gough {gough.__version__}\n"
    for arguments in ([], ["--help"], ["-h"]):
        ran = run(*arguments)
        assert ran.code == 0
        for command in COMMANDS:
            assert f"\n  {command} " in ran.out
        commands = ran.out.partition("Commands:")[2]
        assert "..." not in commands, "every command's help fits its line"


def test_the_command_line_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "gough", "--version"], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"gough {gough.__version__}\n", "")
