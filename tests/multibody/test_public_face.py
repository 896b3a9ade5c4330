"""The public face of `gough.multibody` is true, and what its page says runs."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

from gough import multibody

SOURCE = ast.parse(Path(multibody.__file__).read_text("utf-8"))
PAGE = (Path(__file__).parent.parent.parent / "docs" / "multibody.md").read_text("utf-8")


def test_every_name_is_where_the_table_says_and_type_checkers_see_the_same():
    block = next(node for node in SOURCE.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: node.module for node in imports for alias in node.names}
    assert seen == {name: f"gough.multibody.{home}" for name, home in multibody._HOME.items()}
    for name, module in seen.items():
        assert getattr(multibody, name) is getattr(importlib.import_module(module), name)
    assert set(dir(multibody)) == set(multibody.__all__)


@pytest.mark.parametrize("name", [name for name in multibody.__all__ if callable(getattr(multibody, name))])
def test_names_have_a_docstring_of_their_own(name):
    text = inspect.getdoc(getattr(multibody, name))
    assert text
    assert not text.startswith(f"{name}("), "this is what dataclasses write themselves"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(AttributeError, match=r"has no attribute 'Hinge'; it has .*Revolute"):
        _ = multibody.Hinge


def test_the_block_of_its_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    block = re.search(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)[1]
    exec(compile(block, "multibody.md", "exec"), {})
    assert (tmp_path / "motion.nc").stat().st_size > 10_000
    assert "differential=156, orthogonality=78, joints=72, freedom=6" in capsys.readouterr().out


def test_every_solver_and_joint_is_on_its_page():
    for name in [*multibody.SOLVERS, "shooting"]:
        assert f"| `{name}` |" in PAGE
    for cls in (multibody.Spherical, multibody.Universal, multibody.InLine, multibody.Distance, multibody.Fixed):
        assert f"| `{cls.__name__}` |" in PAGE
