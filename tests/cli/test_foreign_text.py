"""Texts of files and keys that others wrote: none commands a terminal, a spreadsheet or a reader of XML."""

import csv
import io
import re
import unicodedata
from xml.etree import ElementTree

import pytest

from gough.cli import main
from gough.description.parse import machine_text
from gough.errors import MachineFileError, PathFileError, one_line, printable
from gough.present.write import csv_text, print_table

HOSTILE = "\x1b[31mred\x07 \x1b]8;;http://a\x1b\\link \u202ereversed\u2066 \x9b2J \u2028 x--->\x00"
FORGED = "\nerror: forged"
COMMANDS = "C", "Zl", "Zp"
"""Categories of Unicode whose characters have no picture: controls, formats, surrogates, separators of lines."""


def has_commands(text):
    return any(unicodedata.category(letter).startswith(COMMANDS) for letter in text if letter not in "\n\t")


def machine_with(tmp_path, replaced):
    text = re.sub("(?m)^title = .*$", lambda _: replaced, machine_text("hexel-head")[1])
    (tmp_path / "m.toml").write_text(text)
    return str(tmp_path / "m.toml")


def basic(text):
    """A text as a TOML string."""
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in text) + '"'


def test_every_character_that_commands_a_terminal_is_escaped():
    letters = "".join(map(chr, range(0x3000))) + "\ufeff\ud800\udfff"
    kept = [letter for letter in letters if printable(letter) == letter]
    dangerous = [x for x in letters if unicodedata.category(x) in ("Cc", "Cs", "Zl", "Zp") and x not in "\n\t"]
    directions = [x for x in letters if unicodedata.bidirectional(x) in ("LRE", "RLE", "PDF", "LRO", "RLO")]
    directions += [x for x in letters if unicodedata.bidirectional(x) in ("LRI", "RLI", "FSI", "PDI")]
    assert not {*kept} & {*dangerous, *directions}
    assert printable("Ünïts: 1 µm, 2°\n\tΔx") == "Ünïts: 1 µm, 2°\n\tΔx"
    assert "\n" not in one_line("a\nb")


def test_a_title_reaches_no_terminal_raw(tmp_path, capsys):
    file = machine_with(tmp_path, f"title = {basic(HOSTILE.replace(chr(0), '') + FORGED)}")
    assert main(["check", file]) == 0
    out = capsys.readouterr().out
    assert not has_commands(out)
    assert not any(line.startswith("error:") for line in out.splitlines())


@pytest.mark.parametrize("where", ["", "[base]\n", "[limits]\n"])
def test_a_key_forges_no_further_error(tmp_path, capsys, where):
    (tmp_path / "m.toml").write_text(f'name = "m"\n{where}{basic(HOSTILE + FORGED)} = 1\n')
    assert main(["check", str(tmp_path / "m.toml")]) == 2
    err = capsys.readouterr().err
    assert not has_commands(err)
    assert all(line.startswith(f"error: {tmp_path}") for line in err.splitlines())


@pytest.mark.parametrize("kind", [MachineFileError, PathFileError])
def test_problems_of_files_are_a_line_each(kind):
    error = kind("f", [HOSTILE + FORGED, "other"])
    assert len(str(error).splitlines()) == 2
    assert not has_commands(str(error))


def test_a_file_name_forges_no_line(tmp_path, capsys):
    assert main(["inverse", "hexel", "--csv", str(tmp_path / f"a{HOSTILE}b".replace("\0", ""))]) == 2
    assert not has_commands(capsys.readouterr().err)


@pytest.mark.parametrize("name", ["a,b", "=1+1", "\x1b[2J", "a\nb", "x" * 41, '"', "@SUM(A1)"])
def test_names_of_head_joints_are_plain(tmp_path, capsys, name):
    file, text = str(tmp_path / "m.toml"), machine_text("hexel-head")[1]
    text = re.sub(
        r"(?m)^\[\[head\.joints\]\]\n(name = .*\n)?",
        lambda _: f"[[head.joints]]\nname = {basic(name)}\n",
        text,
        count=1,
    )
    (tmp_path / "m.toml").write_text(text)
    assert main(["check", file]) == 2
    assert "at most 40 letters, digits" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["a,b", 'say "a"', "=HYPERLINK(1)", "+cmd", "-cmd", "@A1", "a\nb", "\t=1"])
def test_cells_of_csv_are_texts(text):
    rows = [*csv.reader(io.StringIO(csv_text({text: [1.0], "b": ["=1"], "c": [text]})))]
    assert [len(row) for row in rows] == [3, 3]
    assert not any(cell[:1] in "=+-@\t\r" for row in rows for cell in row)
    assert rows[0][0].lstrip("'") == one_line(text)


def test_numbers_in_csv_stay_numbers():
    assert csv_text({"x_mm": [-1.5], "ok": [True], "n": [-3]}) == "x_mm,ok,n\n-1.5,yes,-3\n"


def test_cells_of_tables_are_a_line_each(capsys):
    print_table(["leg"], [["a" + FORGED], [HOSTILE]])
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 4
    assert not has_commands(out)


def test_a_title_does_not_end_the_comment_of_a_model(tmp_path):
    title = "x---><worldbody/><!--\x01--"
    text = re.sub("(?m)^title = .*$", lambda _: f"title = {basic(title)}", machine_text("dumitriu2017")[1])
    (tmp_path / "m.toml").write_text(text)
    assert main(["export", "mjcf", str(tmp_path / "m.toml"), "-o", str(tmp_path / "m.xml")]) == 0
    written = (tmp_path / "m.xml").read_text()
    comment = written[4 : written.index("-->")]
    assert "worldbody" in comment
    assert "--" not in comment
    assert ElementTree.fromstring(written).tag == "mujoco"
