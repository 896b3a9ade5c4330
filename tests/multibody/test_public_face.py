"""What the page of `gough.multibody` says runs and names everything."""

import re
from pathlib import Path

PAGE = (Path(__file__).parent.parent.parent / "docs" / "multibody.md").read_text("utf-8")


def test_the_block_of_its_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    block = re.search(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)[1]
    exec(compile(block, "multibody.md", "exec"), {})
    assert (tmp_path / "motion.nc").stat().st_size > 10_000
    assert "differential=156, orthogonality=78, joints=72, freedom=6" in capsys.readouterr().out
