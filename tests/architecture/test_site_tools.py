"""What the site is built with: drawings of machine files' keys, cards of machines, published figures, dead links."""

import ast
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def site_folder(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])


def test_every_length_angle_and_direction_of_a_machine_file_is_drawn():
    from _site import machine_keys

    drawn = {key for drawing in machine_keys.DRAWINGS.values() for key in drawing.keys}
    fields = {path: machine_keys.is_geometric(path, field, inner) for path, field, inner in machine_keys.every_key()}
    assert drawn <= set(fields), "a drawing shows a key that is gone"
    assert {path for path, is_geometric in fields.items() if is_geometric} <= drawn | set(machine_keys.NOT_DRAWN)
    assert fields["limits.tilt"]
    assert not fields["name"]


def test_every_key_has_its_row_and_every_drawing_its_place():
    from _site import machine_keys

    text = machine_keys.page()
    for path, _, _ in machine_keys.every_key():
        assert f"| `{path.rpartition('.')[2]}` |" in text, path
    for name in machine_keys.DRAWINGS:
        assert text.count(f"_generated/{name}.svg") == 1
    assert "| any |" not in text.replace("| `published` | any |", "")


def test_published_figures_name_tests_that_are_there():
    text = (ROOT / "docs" / "_site" / "evidence.py").read_text("utf-8")
    named = [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("tests/")
        and "::" in node.value
    ]
    assert len(named) > 15
    for each in named:
        path, _, test = each.partition("::")
        assert f"def {test}(" in (ROOT / path).read_text("utf-8"), each


def test_a_dead_link_a_dead_anchor_and_another_host_are_found(tmp_path):
    check = runpy.run_path(str(ROOT / "scripts" / "check_site.py"))
    (tmp_path / "other.html").write_text('<h1 id="here">x</h1>')
    (tmp_path / "index.html").write_text(
        '<script src="https://cdn.example/x.js"></script><a href="other.html#here">good</a><a href="gone.html">a</a>'
        '<a href="other.html#gone">b</a><a href="https://example.org">outside</a><a href="#top">top</a>'
    )
    found = sorted(check["dead_links"](tmp_path))
    assert [line.partition(" ")[2] for line in found] == [
        "loads https://cdn.example/x.js",
        "no anchor for other.html#gone",
        "no file for gone.html",
    ]
