"""The examples of docs/cli.md print what the page says."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
NUMBER = re.compile(r"((?<![\w.])[+-]?\d+\.?\d*(?:e[+-]?\d+)?(?!\w))")
ROUND_OFF = 1e-9
"""Of the page's numbers: the last digits differ from one processor to another."""
COMMANDS = {"machines", "check", "new", "schema", "report", "inverse", "forward", "modes", "margins", "travel"}
COMMANDS |= {"dynamics", "simulate", "export"}
COMMANDS |= {"velocity", "stiffness", "forces", "accuracy", "capacity"}
COMMANDS |= {"nearest", "singularity", "conditioning"}
COMMANDS |= {"view", "workspace", "playback", "follow", "place", "path"}


def blocks():
    """The console blocks: lists of (command, lines it prints)."""
    found = []
    for text in re.findall(r"```console\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
        found.append([(part.splitlines()[0], part.splitlines()[1:]) for part in parts])
    return found


def is_same(said, printed):
    """Whether two lines agree: numbers to rounding, and '...' at the end stands for anything."""
    left, right = NUMBER.split(said.removesuffix("...")), NUMBER.split(printed)
    if said.endswith("..."):
        right = right[: len(left)]
        right[-1] = right[-1][: len(left[-1])]
    return len(left) == len(right) and all(map(is_same_part, left, right))


def is_same_part(said, printed):
    if NUMBER.fullmatch(said) and NUMBER.fullmatch(printed):
        return abs(float(said) - float(printed)) <= ROUND_OFF * max(1.0, abs(float(said)))
    return said == printed


def compare(said, printed):
    """Compare line by line; a line '...' stands for any number of lines."""
    where = 0
    for k, line in enumerate(said):
        if line == "...":
            rest = said[k + 1 :]
            where = next((n for n in range(where, len(printed)) if rest and is_same(rest[0], printed[n])), len(printed))
            continue
        assert where < len(printed), f"not printed: {line}"
        assert is_same(line, printed[where]), f"the page says\n{line}\nbut this is printed\n{printed[where]}"
        where += 1
    assert where == len(printed), f"the page does not say\n{printed[where]}"


def answer(command, run, tmp_path):
    """What a command prints on both outputs, line by line."""
    if command.startswith("gough ") and "|" not in command:
        ran = run(*shlex.split(command)[1:])
        text = ran.out + ran.err
    else:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block[-1][0])
def test_examples_print_what_the_page_says(block, run, tmp_path):
    for earlier in blocks():  # a file shown once serves the rest of the page
        for command, said in earlier:
            if command.startswith("cat "):
                (tmp_path / command[4:]).write_text("\n".join(said) + "\n")
    for command, said in block:
        if not command.startswith("cat "):
            compare(said, answer(command, run, tmp_path))


def test_every_command_has_an_example():
    shown = {command.split()[1] for block in blocks() for command, _ in block if command.startswith("gough ")}
    assert shown == COMMANDS


def test_comparing_notices_differences():
    compare(["a 1.0", "...", "c"], ["a 1.0000000000001", "b", "b", "c"])
    compare(["1.5,2.25,..."], ["1.5,2.25,3.75"])
    for said, printed in (
        (["a 1.0"], ["a 1.1"]),
        (["a"], ["a", "b"]),
        (["a", "b"], ["a"]),
        (["1.5,2.25,..."], ["1.5,2.35,3.75"]),
        (["x..."], ["y..."]),
    ):
        with pytest.raises(AssertionError):
            compare(said, printed)
