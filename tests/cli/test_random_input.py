"""Whatever is typed or read: an answer or a sentence, never a traceback."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gough.cli import main

COMMANDS = st.sampled_from(["inverse", "forward", "margins", "travel"])
MACHINES = st.sampled_from(["hexel", "sinatra2009", "servo"])
ANSWERED, NO_ANSWER, REFUSED = 0, 1, 2

any_text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
any_number = st.one_of(st.floats(), st.integers(), st.sampled_from([0, 1, 800, -1e308, 5e-324])).map(repr)
any_numbers = st.lists(any_number, max_size=16).map(",".join)
any_value = st.one_of(any_text, any_numbers, st.sampled_from(["XYZ", "zxz", "pi", "hexel", "rx", "-z"]))
valued = st.sampled_from(
    ["--at", "--angles", "--quaternion", "--matrix", "--sequence", "--convention", "--joints", "--near", "--along"]
)
any_option = st.one_of(
    st.tuples(valued, any_value),
    st.sampled_from(["--json", "--si", "--as-matrix", "--help", "--nothing"]).map(lambda name: (name,)),
    st.just(("--csv", "-")),
    st.tuples(any_text.filter(lambda text: text not in ("-o", "--output"))),
)
columns = st.sampled_from(["x", "y", "z", "a", "b", "c", "qx", "qw", "x_mm", "q1", "q6_deg", "m00", "m33", "status"])
any_table = st.one_of(
    any_text,
    st.tuples(
        st.lists(columns, min_size=1, max_size=8).map(",".join),
        st.lists(st.one_of(any_numbers, any_text), max_size=4).map("\n".join),
    ).map("\n".join),
)


def run(arguments, stdin=""):
    out, err = io.StringIO(), io.StringIO()
    source = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", source):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


@given(COMMANDS, MACHINES, st.lists(any_option, max_size=4), any_table)
@example("inverse", "hexel", [("--at", "1e308,1e308,1e308")], "")
@example("margins", "servo", [("--at", "0,0,0")], "")
@example("travel", "hexel", [("--along", "1e-320,0,0")], "")
@example("travel", "hexel", [("--along", "1e308,1e308,0,1e308,0,0")], "")
@example("forward", "hexel", [("--joints", "1e308,0,0,0,0,-1")], "")
@example("forward", "servo", [("--joints", "0,0,0,0,0,0"), ("--near", "1e300,0,0")], "")
@settings(max_examples=250, deadline=None)
def test_any_options_and_any_table_are_answered_or_refused(command, machine, options, table):
    code, out, err = run([command, machine, *(part for option in options for part in option)], table)
    assert code in (ANSWERED, NO_ANSWER, REFUSED)
    if code == REFUSED:
        assert out == ""
        assert err.startswith("error: ")
        assert len(err) > len("error: .\n")


@given(st.one_of(any_text, st.text("abcdefhxl", min_size=3, max_size=6)))
@example("x" * 5000)
@example("x" * 5000 + ".toml")
@example("../" * 2000)
@settings(max_examples=50, deadline=None)
def test_any_machine_name_is_answered_or_refused(name):
    code, out, err = run(["inverse", "--", name])
    assert code in (ANSWERED, REFUSED)
    assert bool(out) == (code == ANSWERED)
    assert err.startswith("error: ") == (code == REFUSED)


numbers = st.floats(-1e300, 1e300)
rows_of_six = st.lists(st.tuples(*[numbers] * 6), min_size=1, max_size=5)


@given(COMMANDS, MACHINES, rows_of_six, st.booleans(), st.sampled_from(["XYZ", "zyx", "ZXZ"]))
@settings(max_examples=150, deadline=None)
def test_any_finite_rows_are_answered(command, machine, rows, as_json, sequence):
    header = "q1,q2,q3,q4,q5,q6" if command == "forward" else "x,y,z,a,b,c"
    table = "\n".join([header, *(",".join(map(repr, row)) for row in rows)])
    arguments = [command, machine, "--csv", "-", "--sequence", sequence] + ["--json"] * as_json
    code, out, err = run(arguments, table)
    assert code in ((ANSWERED, NO_ANSWER) if command == "forward" else (ANSWERED,))
    assert code == ANSWERED or "note: no pose found" in err
    if as_json:
        assert json.loads(out)["machine"] == machine
    else:
        assert len(out.splitlines()) == 1 + len(rows)
