"""What the page of `gough.multibody` says runs and names everything."""

import re
from pathlib import Path

from gough import multibody

PAGE = (Path(__file__).parent.parent.parent / "docs" / "multibody.md").read_text("utf-8")


def test_the_block_of_its_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    block = re.search(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)[1]
    exec(compile(block, "multibody.md", "exec"), {})
    assert (tmp_path / "motion.nc").stat().st_size > 10_000
    assert "differential=156, orthogonality=78, joints=72, freedom=6" in capsys.readouterr().out


def test_every_solver_and_joint_is_on_its_page():
    for name in [*multibody.SOLVERS, "shooting"]:
        assert f"| `{name}` |" in PAGE
    public = {name: getattr(multibody, name) for name in multibody.__all__}
    joints = [name for name, each in public.items() if isinstance(each, type) and issubclass(each, multibody.Joint)]
    assert len(joints) > 8
    for name in set(joints) - {"Joint"}:
        assert f"| `{name}` |" in PAGE
