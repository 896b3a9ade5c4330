"""The examples of docs/cli.md and docs/workspace.md print what the pages say."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.thorough import thorough

PAGES = [Path(__file__).parents[2] / "docs" / name for name in ("cli.md", "workspace.md")]
NUMBER = re.compile(r"((?<![\w.])[+-]?\d+\.?\d*(?:e[+-]?\d+)?(?!\w))")
ROUND_OFF = 1e-9
"""Of the page's numbers: the last digits differ from one processor to another."""
COMMANDS = {"machines", "check", "new", "schema", "report", "inverse", "forward", "modes", "margins", "travel"}
COMMANDS |= {"dynamics", "frequencies", "simulate", "export", "calibrate", "choose", "linear-map", "corners"}
COMMANDS |= {"velocity", "stiffness", "forces", "accuracy", "capacity"}
COMMANDS |= {"nearest", "volume", "certify", "singularity", "conditioning"}
COMMANDS |= {"view", "workspace", "playback", "follow", "place", "path", "warm"}


def blocks():
    """The console blocks: lists of (command, lines it prints)."""
    found = []
    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    for text in re.findall(r"```console\n(.*?)```", pages, re.DOTALL):
        parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
        found.append([(part.splitlines()[0], part.splitlines()[1:]) for part in parts])
    return found


def is_same(said, printed):
    """Whether two lines agree: numbers in their last digit, promises in what they promise, sets of legs as sets.

    '...' at the end stands for anything.
    """
    for pattern, holds in PROMISES.items():
        found = [re.match(pattern, line) for line in (said, printed)]
        if all(found):
            values = [[float(number) for number in match.groups()] for match in found]
            return holds(*values) and is_same(
                *(line[match.end() :] for line, match in zip((said, printed), found, strict=True))
            )
    said, printed = (LEGS.sub(in_order, re.sub(r"[ ─]{2,}", "  ", line).strip()) for line in (said, printed))
    left, right = NUMBER.split(said.removesuffix("...")), NUMBER.split(printed)
    if said.endswith("..."):
        right = right[: len(left)]
        right[-1] = right[-1][: len(left[-1])]
    return len(left) == len(right) and all(map(is_same_part, left, right))


LEGS = re.compile(r"\blegs? (\d(?:(?:, | and )\d)*)")


def in_order(match):
    """Legs that tie in their order, in the words of a set."""
    return match[0].partition(" ")[0] + " " + " ".join(sorted(re.findall(r"\d", match[1])))


def enclose_one(said, printed):
    """Bounds from below and above of one number, which lies in both."""
    return said[0] <= said[1] and printed[0] <= printed[1] and max(said[0], printed[0]) <= min(said[1], printed[1])


def bound_and_best(said, printed):
    """Proven bounds from below and the best value found, which no bound of the same number passes."""
    return max(said[0], printed[0]) <= min(said[1], printed[1]) and printed[0] >= (1 - SHARPNESS) * said[0]


NUMERAL = r"([+-]?\d+\.?\d*(?:e[+-]?\d+)?)"
SHARPNESS = 0.05
"""Part of a proven bound that another order of the search may cost."""


def within_errors(said, printed):
    """Estimates with their errors in percent: hits of samples may differ where rounding decides."""
    return abs(said[0] - printed[0]) <= 0.01 * (said[1] * said[0] + printed[1] * printed[0])


PROMISES = {
    rf"volume   {NUMERAL} m3 rad3, to {NUMERAL} %": within_errors,
    rf"distance   {NUMERAL} to {NUMERAL}": enclose_one,
    rf"workspace  proven: .* is at least {NUMERAL},? and at most {NUMERAL}, found": bound_and_best,
}
"""Lines whose numbers depend on the order of a search, and so on rounding: bounds. All else is the same everywhere."""


def is_same_part(said, printed):
    if NUMBER.fullmatch(said) and NUMBER.fullmatch(printed):
        unit = min(unit_of(said), unit_of(printed))
        rounding = ROUND_OFF * max(1.0, abs(float(said)))
        return abs(float(said) - float(printed)) <= max(rounding, 1.01 * unit if unit < 1 else 0.0)
    return said == printed


def unit_of(number):
    """Unit of its last digit; that of a number without decimals says nothing, as zeros at the end are not printed."""
    mantissa, _, exponent = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals) if decimals or exponent else 1.0


def compare(said, printed):
    """Compare line by line; a line '...' stands for any number of lines."""
    where = 0
    for k, line in enumerate(said):
        if line == "...":
            rest = said[k + 1 :]
            where = next((n for n in range(where, len(printed)) if rest and is_same(rest[0], printed[n])), len(printed))
            continue
        assert where < len(printed), f"not printed: {line}"
        if not is_same(line, printed[where]):
            put_in_order(line, printed, where)
        assert is_same(line, printed[where]), f"the page says\n{line}\nbut this is printed\n{printed[where]}"
        where += 1
    assert where == len(printed), f"the page does not say\n{printed[where]}"


def put_in_order(line, printed, where):
    """Bring to `where` the line that the page has there, if those between differ by their leg only: a tie."""
    for n in range(where + 1, len(printed)):
        if not is_same(legless(printed[n]), legless(printed[where])):
            return
        if is_same(line, printed[n]):
            printed.insert(where, printed.pop(n))
            return


def legless(line):
    return LEGS.sub("leg", line)


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


SLOW = re.compile(
    r"gough (report linuxcnc|workspace hexel --s|choose|velocity hexel --map|singularity tsai|volume|certify|corners)"
)


def is_slow(block):
    return any(SLOW.match(command) for command, _ in block)


@pytest.mark.parametrize(
    "block",
    [*(each for each in blocks() if not is_slow(each)), *thorough(*((each,) for each in blocks() if is_slow(each)))],
    ids=lambda block: block[-1][0],
)
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
    assert shown == COMMANDS - {"warm"}  # it compiles for a minute


LEG_3, LEG_4, LEG_5 = "  leg 3 needs 996.126 mm", "  leg 4 needs 996.126 mm", "  leg 5 needs 996.120 mm"
FREE = "workspace  proven: the smallest singular value of all is at least {}, and at most {}, found"
DIFFERENT = {
    "number": (["a 1.0"], ["a 1.2"]),
    "two last digits": (["a 494.888 mm"], ["a 494.890 mm"]),
    "whole number": (["columns 9 of 289"], ["columns 10 of 289"]),
    "sign": (["a 0.25 mm"], ["a -0.25 mm"]),
    "a line more": (["a"], ["a", "b"]),
    "a line less": (["a", "b"], ["a"]),
    "before the cut": (["1.5,2.25,..."], ["1.5,2.35,3.75"]),
    "words before the cut": (["x..."], ["y..."]),
    "leg": (["x 1.5 mm leg 3"], ["x 1.5 mm leg 4"]),
    "set": (["legs 2 and 5 longest"], ["legs 2 and 4 longest"]),
    "one of a set": (["legs 2 and 5 longest"], ["leg 2 longest"]),
    "order without a tie": ([LEG_4, LEG_5], [LEG_5, LEG_4]),
    "a tie with another leg": ([LEG_3, LEG_4], [LEG_3, LEG_3]),
    "bounds that do not meet": (["distance   1.5 to 2.5 mm"], ["distance   2.6 to 3.5 mm"]),
    "bounds the wrong way round": (["distance   1.5 to 2.5 mm"], ["distance   2.4 to 2.3 mm"]),
    "a bound past a value": ([FREE.format(0.2153, 0.2155)], [FREE.format(0.2157, 0.2158)]),
    "a bound that says little": ([FREE.format(0.2153, 0.2155)], [FREE.format(0.1, 0.2155)]),
}


@pytest.mark.parametrize(("said", "printed"), DIFFERENT.values(), ids=DIFFERENT)
def test_comparing_notices_differences(said, printed):
    with pytest.raises(AssertionError):
        compare(said, printed)


def test_the_table_of_commands_has_all():
    page = PAGES[0].read_text("utf-8")
    assert {*re.findall(r"^\| \[`gough ([\w-]+)`\]", page, re.MULTILINE)} == COMMANDS
