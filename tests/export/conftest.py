"""Commands run in this process."""

from types import SimpleNamespace

import pytest

from gough.cli import main


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments):
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err, complaint=err if code == 2 else "")

    return run_command
