"""Commands run in this process."""

import io
from dataclasses import dataclass

import pytest

from gough.cli import main


@dataclass
class Ran:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def rows(self):
        """CSV on standard output: a list of dictionaries, numbers where they are numbers."""
        header, *lines = self.out.splitlines()
        return [dict(zip(header.split(","), map(number, line.split(",")), strict=True)) for line in lines]

    @property
    def complaint(self):
        """The sentence of a command that was refused; fails if it was not, or if anything else was said."""
        assert self.code == 2
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        return self.err.removeprefix("error: ").rstrip("\n")


FREE_MACHINE = """\
name = "free"
[base]
points = [[1, 0, 0], [0.5, 0.9, 0], [-0.5, 0.9, 0], [-1, 0, 0], [-0.5, -0.9, 0], [0.5, -0.9, 0]]
[platform]
points = [[0.4, 0.5, 0], [0.3, 0.6, 0], [-0.6, 0.1, 0], [-0.6, -0.1, 0], [0.3, -0.6, 0], [0.4, -0.5, 0]]
[home]
translation = [0, 0, 0.7]
"""


@pytest.fixture
def free_machine(tmp_path):
    """A machine file in metres with two flat plates and no limits."""
    path = tmp_path / "free.toml"
    path.write_text(FREE_MACHINE)
    return path


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder; `stdin` is what it reads from standard input."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments, stdin=None):
        if stdin is not None:
            content = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        code = main([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return run_command
