"""What is wrong is said in one sentence, with exit code 2, and nothing is written."""

import json

import pytest

from gough.cli import main

POSE_COMMANDS = ("inverse", "margins", "travel")


@pytest.fixture
def refused(run, tmp_path):
    """Run a command that must be refused: its sentence. Nothing may be printed or written."""

    def run_refused(*arguments, stdin=None):
        before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        for extra in ([], ["--json"]):
            sentence = run(arguments[0], *extra, *arguments[1:], stdin=stdin).complaint
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
        return sentence

    return run_refused


@pytest.mark.parametrize("command", ["check", "inverse", "margins", "travel", "report"])
def test_an_unknown_machine_names_the_nearest(refused, command):
    sentence = refused(command, "hexl")
    assert "'hexl'" in sentence
    assert "Did you mean 'hexel'" in sentence


def test_a_file_that_is_not_there(refused):
    assert refused("check", "nowhere.toml") == "cannot read the machine file nowhere.toml: No such file or directory"


GOOD_FILE = """\
name = "mine"
[units]
length = "mm"
[base]
points = [[400, 122, 0], [-94, 408, 0], [-306, 286, 0], [-306, -286, 0], [-94, -408, 0], [400, -122, 0]]
[platform]
points = [[87, 150, 0], [85, 151, 0], [-173, 1, 0], [-173, -1, 0], [85, -151, 0], [87, -150, 0]]
[home]
translation = [0, 0, 800]
[limits]
joint_max = 970
"""

# What is done to the good file, and what must be said about it.
BAD_FILES = {
    "broken TOML": ("[base]", "[base", ["is not valid TOML", "at line 4"]),
    "missing leg": ("[400, 122, 0], ", "", ["base.points: 5 points, expected 6", "leg 6 has none"]),
    "seventh leg": ("[[87, 150, 0], ", "[[87, 150, 0], [0, 9, 0], ", ["platform.points: 7 points", "no leg 7"]),
    "duplicate points": ("[-94, 408, 0]", "[400, 122, 0]", ["points 1 and 2 are the same, (400, 122, 0) mm", "of_leg"]),
    "unit misspelt": ('"mm"', '"mmm"', ["units.length: 'mmm' is not known", "'mm'"]),
    "min above max": ("joint_max", "joint_min = 980\njoint_max", ["980", "970 mm"]),
    "NaN": ("joint_max = 970", "joint_max = nan", ["limits.joint_max: nan", "is not a finite number"]),
    "negative mass": ("[platform]", "[platform]\nmass = -1", ["platform.mass: -1 kg is below 0 kg"]),
    "unknown key": ("[home]", "[home]\nangle = 3", ["home.angle: unknown key", "Did you mean 'angles'"]),
}


def test_the_good_file_is_good(run, tmp_path):
    tmp_path.joinpath("mine.toml").write_text(GOOD_FILE)
    assert run("check", "mine.toml").code == 0


@pytest.mark.parametrize("what", BAD_FILES)
@pytest.mark.parametrize("command", ["check", "inverse", "report"])
def test_a_bad_machine_file_is_explained(refused, tmp_path, what, command):
    right, wrong, told = BAD_FILES[what]
    assert GOOD_FILE.count(right) == 1
    tmp_path.joinpath("mine.toml").write_text(GOOD_FILE.replace(right, wrong))
    sentence = refused(command, "mine.toml")
    assert sentence.startswith("mine.toml: ")
    for part in told:
        assert part in sentence


def test_a_machine_file_that_is_no_text(refused, tmp_path):
    tmp_path.joinpath("mine.toml").write_bytes(b"\xff\xfe\x00")
    assert "not a text file in UTF-8" in refused("inverse", "mine.toml")


NOT_ORTHONORMAL = "1,0,0,0,0,1,0,0,0,0,1.001,800,0,0,0,1"
MIRROR = "1,0,0,0,0,1,0,0,0,0,-1,800,0,0,0,1"
MATRIX_HEADER = ",".join(f"m{row}{column}" for row in range(4) for column in range(4))


@pytest.mark.parametrize("command", POSE_COMMANDS)
@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        (NOT_ORTHONORMAL, "not orthonormal: R^T R departs from the unit matrix by 0.002"),
        (MIRROR, "mirrors"),
        (NOT_ORTHONORMAL[:-1] + "2", "the last row is [0.0, 0.0, 0.0, 2.0]"),
    ],
)
def test_a_matrix_that_is_no_pose(refused, command, matrix, told):
    good = NOT_ORTHONORMAL.replace("1.001", "1")
    sentence = refused(command, "hexel", "--csv", "-", stdin=f"{MATRIX_HEADER}\n{good}\n{matrix}\n")
    assert told in sentence
    assert "row 3" in sentence


def test_a_quaternion_that_is_none(refused):
    assert "quaternion's length is 2, expected 1" in refused(
        "inverse", "hexel", "--at", "0,0,800", "--quaternion", "0,0,0,2"
    )
    sentence = refused("inverse", "hexel", "--csv", "-", stdin="x,y,z,qx,qy,qz,qw\n0,0,8,0,0,0,1\n0,0,8,0,0,0,0\n")
    assert "row 3" in sentence
    assert "length is 0" in sentence


BAD_OPTIONS = [
    (["--at", "0,0,abc"], "--at: 'abc' is not a number (position 3 of 3"),
    (["--at", "0,0"], "--at: 2 numbers in '0,0', expected 3 or 6 or 7"),
    (["--at", "0,0,0,0"], "--at: 4 numbers"),
    (["--at", "0,,800"], "--at: there is no number (position 2 of 3"),
    (["--at", ""], "--at: 0 numbers"),
    (["--at", "0,0,nan"], "--at: nan is not a finite number"),
    (["--at", "0,0,1e999"], "--at: 1e999 is not a finite number"),
    (["--at", "0,0,800,1,2,3"], "--sequence XYZ (moving axes)"),
    (["--at", "0,0,800,1,2,3", "--sequence", "XYX2"], "--sequence XYX2: expected three of x, y, z"),
    (["--at", "0,0,800,1,2,3", "--sequence", "XXY"], "neighbours different"),
    (["--at", "0,0,800,1,2,3", "--convention", "pie"], "Did you mean 'pi'"),
    (["--at", "0,0,800,1,2,3", "--convention", "pi", "--sequence", "XYZ"], "specify either"),
    (["--matrix", NOT_ORTHONORMAL], "unknown option --matrix"),
    (["--at", "0,0,800", "--csv", "poses.csv"], "specify either"),
    (["--csv", "poses.csv"], "cannot read poses.csv: No such file or directory"),
    (["--csv", "."], "cannot read .: Is a directory"),
    (["--wrong", "1"], "unknown option --wrong"),
    (["--rpy", "1,2,3"], "unknown option --rpy; use --at X,Y,Z,ROLL,PITCH,YAW --sequence xyz; see gough "),
    (["--yaw", "3"], "use --at X,Y,Z,ROLL,PITCH,YAW --sequence xyz"),
    (["--pose", "1,2,3"], "unknown option --pose; use --at X,Y,Z; see gough "),
    (["--at", "0,0,800,1,2,3", "--convention", "rpy"], "are 'xyz'"),
    (["--at", "0,0,800,1,2,3", "--convention", "yaw-pitch-roll"], "are 'ZYX'"),
    (["another"], "unexpected argument 'another' after machine"),
    (["--at"], "--at needs a value"),
]


def in_turn(cases):
    """Each case with one of the commands that read poses, all by the same reader."""
    return [(POSE_COMMANDS[k % len(POSE_COMMANDS)], case) for k, case in enumerate(cases)]


@pytest.mark.parametrize(("command", "case"), in_turn(BAD_OPTIONS))
def test_bad_options_are_explained(refused, command, case):
    options, told = case
    assert told in refused(command, "hexel", *options)


BAD_TABLES = {
    "": "standard input is empty",
    "\n\n": "standard input is empty",
    "x,y,z\n": "has a header but no rows",
    "x,y,z\n0,0,800\n0,zero,800\n": "row 3 (the header is row 1), column 'y': 'zero' is not a number",
    "x,y,z_mm\n0,0,800\n0,0,\n": "row 3 (the header is row 1), column 'z_mm': the cell is empty, expected a number",
    "x,y,z\n0,'0,5',800\n": "4 cells, expected 3",
    "x;y;z\n0;0,5;800.5\n": "row 2 (the header is row 1), column 'z': '800.5' has a point, other numbers have decimal",
    "x;y;z\n0;1,234,5;800\n": "'1,234,5' is not a number",
    "x,y,z\n0,1_0,800\n": "row 2 (the header is row 1), column 'y': '1_0' is not a number",
    "x,y,z\n0,\u0661,800\n": "column 'y': '\u0661' is not a number",
    "x,y,z\n0,0,nan\n": "row 2 (the header is row 1), column 'z': nan is not a finite number",
    "x,y,z\n0,0,-inf\n": "column 'z': -inf is not a finite number",
    "x,y,z\n0,0\n": "row 2 (the header is row 1): 2 cells, expected 3",
    "x,y,z\n0,0,800\n\n0,0\n": "row 4 (the header is row 1): 2 cells, expected 3",
    "x,y,z\n0,0,800,9\n": "4 cells, expected 3",
    "x,y\n0,0\n": "missing z; a pose is columns x, y, z",
    "x,y,z,a,b\n0,0,8,0,0\n": "missing c;",
    "x,y,z,qx,qy,qz\n0,0,8,0,0,0\n": "missing qw;",
    "m00,m01\n1,0\n": "missing m02, m03,",
    "x,y,z,v,foo\n0,0,8,0,0\n": "unknown column 'foo'. Known here",
    "x,y,z,u,v,w\n0,0,8,0,0,0\n": "angles u, v, w mean nothing alone",
    "0,0,800,0\n0,0,800,0\n": "has no header, and 4 columns are none of what is read here: x, y, z or x, y, z, qx",
    "x,y,zz,foo\n0,b,c,d\n": "unknown column 'zz'. Did you mean 'z' or 'rz' or 'qz'? Unknown column 'foo'",
    "x,y,z,x\n0,0,8,0\n": "column 'x' is there twice",
    "x,y,z,x_m\n0,0,8,0\n": "column 'x' is there twice",
    "x_deg,y,z\n0,0,8\n": "unit 'deg' of column 'x_deg' is not known, expected one of m, cm, mm",
    "x,y,z,a_mm,b,c\n0,0,8,0,0,0\n": "unit 'mm' of column 'a_mm' is not known, expected one of rad",
    "x,y,z,qx_m,qy,qz,qw\n0,0,8,0,0,0,1\n": "unit 'm' of column 'qx_m' is not known, it has none",
    "x,y,z,a,b,c\n0,0,8,0,0,0\n": "--sequence XYZ (moving axes)",
    "x,y,z,a,b,c,qx,qy,qz,qw\n0,0,8,0,0,0,0,0,0,1\n": "given twice",
    'x,y,z\n0,"0,8\n': "2 cells, expected 3",
    "x,y,z\n0,0,8\0\n": "standard input",
    "\xff": "unknown column",
}


@pytest.mark.parametrize(("command", "table"), in_turn(BAD_TABLES))
def test_bad_tables_are_explained(refused, command, table):
    sentence = refused(command, "hexel", "--csv", "-", stdin=table)
    assert BAD_TABLES[table] in sentence
    assert "standard input" in sentence or "--sequence" in sentence


def test_a_table_that_is_no_text(refused):
    assert "not a text file in UTF-8 (byte 0)" in refused("inverse", "hexel", "--csv", "-", stdin=b"\xff\xfe\x00")


@pytest.mark.parametrize(
    ("options", "stdin", "told"),
    [
        ([], None, "specify the joint coordinates with --joints"),
        (["--joints", "1,2,3,4,5,6", "--csv", "-"], "", "specify the joint coordinates with --joints"),
        (["--joints", "1,2,3"], None, "--joints: 3 numbers in '1,2,3', expected 6"),
        (["--joints", "1,2,3,4,5,x"], None, "'x' is not a number"),
        (["--joints", "800,800,800,800,800,800", "--near", "0,0"], None, "--near: 2 numbers in '0,0', expected 3 or 6"),
        (["--joints", "800,800,800,800,800,800", "--near", "0,0,8,1,2,3"], None, "--sequence XYZ (moving axes)"),
        (["--joints", "800,800,800,800,800,800", "--near", "0,0,8,0,0,0,9"], None, "quaternion's length is 9"),
        (["--csv", "-"], "q1,q2,q3\n1,2,3\n", "columns missing: q4, q5, q6; joint coordinates are q1 to q6"),
        (["--csv", "-"], "q1,q2,q3,q4,q5,q7\n1,2,3,4,5,6\n", "unknown column 'q7'. Did you mean"),
        (["--csv", "-"], "q1_deg,q2,q3,q4,q5,q6\n1,2,3,4,5,6\n", "unit 'deg' of column 'q1_deg'"),
        (["--csv", "-"], "q1,q2,q3,q4,q5,q6\n1,2,3,4,5,six\n", "row 2 (the header is row 1), column 'q6': 'six'"),
    ],
)
def test_bad_joints_are_explained(refused, options, stdin, told):
    assert told in refused("forward", "hexel", *options, stdin=stdin)


@pytest.mark.parametrize(
    ("along", "told"),
    [
        ("w", "--along: no axis 'w', expected one of x, y, z, rx, ry, rz."),
        ("-rw", "no axis '-rw'"),
        ("roll", "no axis 'roll', expected one of x, y, z, rx, ry, rz. It is 'rx' here, about x."),
        ("-yaw", "It is 'rz' here, about z."),
        ("heave", "It is 'z' here."),
        ("X", "Did you mean 'x'?"),
        ("1,2", "--along: 2 numbers in '1,2', expected 3 or 6"),
        ("0,0,0", "not all zero"),
        ("nan,0,0", "nan is not a finite number"),
    ],
)
def test_bad_directions_are_explained(refused, along, told):
    assert told in refused("travel", "hexel", "--along", along)


@pytest.mark.parametrize("command", ["inverse", "margins", "travel"])
def test_an_output_that_cannot_be_written(run, tmp_path, command):
    tmp_path.joinpath("folder").mkdir()
    for place, told in (("nowhere/q.csv", "the folder"), ("folder", "it is a folder")):
        sentence = run(command, "hexel", "-o", place).complaint
        assert sentence.startswith(f"cannot write {place}: ")
        assert told in sentence
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert list(tmp_path.joinpath("folder").iterdir()) == []


def test_a_refused_request_leaves_an_old_output_as_it_was(run, tmp_path):
    old = tmp_path / "q.csv"
    old.write_text("yesterday's")
    assert "not a number" in run("inverse", "hexel", "--at", "0,0,abc", "-o", "q.csv").complaint
    assert old.read_text() == "yesterday's"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["xqzw"], "unknown command 'xqzw'; see gough --help"),
        (["inverse"], "machine is missing"),
        (["new", "mine.toml", "--kind", "UPX"], "no template named 'UPX', expected UPS, UCU, SPS, "),
        (["new", "nowhere/mine.toml"], "the folder"),
    ],
)
def test_bad_commands_are_explained(run, tmp_path, arguments, told):
    assert told in run(*arguments).complaint
    assert list(tmp_path.iterdir()) == []


def test_a_defect_of_gough_is_not_hidden(monkeypatch):
    def broken(*_):
        raise RuntimeError("a defect")

    monkeypatch.setattr("gough.cli.inputs.numbers", broken)
    monkeypatch.setattr("gough.cli.pose_input.numbers", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        main(["inverse", "hexel", "--at", "0,0,8"])


def test_json_stays_empty_when_there_is_an_error(run):
    ran = run("forward", "hexel", "--joints", "1,1,1,1,1,9000", "--json")
    assert (ran.code, ran.out) == (1, "")
    json.loads(run("inverse", "hexel", "--json").out)
