"""What commands print with --json fits their published schemas, on machines of all kinds of legs and of two stages.

`tests/cli/test_every_number.py` checks all commands so, on one machine.
"""

import io
import json
from contextlib import redirect_stderr, redirect_stdout

import jsonschema
import pytest
from tests import schemas
from tests.skew import SKEW_OF_KIND, SKEW_STACK

from gough.cli import main
from gough.cli.request import Request

LINES = (
    "inverse", "margins", "nearest", "travel", "travel --along 1,0,0.5", "velocity", "velocity --along rz", "stiffness",
    "stiffness --wrench 1,2,3", "forces --wrench 1,2,3", "capacity", "conditioning", "frequencies", "linear-map",
    "corners --strokes", "modes", "accuracy --tolerance 0.01", "dynamics --motion vertical --samples 3",
)  # fmt: skip
REFUSED = 2
"""Exit code of commands for which the machine lacks the data."""


@pytest.mark.parametrize("machine", [SKEW_OF_KIND["UPS"], SKEW_OF_KIND["PUS"], SKEW_STACK])
def test_every_command_fits_its_schema(monkeypatch, machine):
    seen = []

    def check(request, answer, **_):
        name = request.context.command_path.removeprefix("gough ")
        schemas.check(name, json.loads(request._text(answer, as_json=True)), answer.fields)
        seen.append(name)

    monkeypatch.setattr(Request, "print", check)
    for line in LINES:
        command, *options = line.split()
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert main([command, machine, *options, "--json"]) in (0, 1, REFUSED)
    assert len(set(seen)) > 9


def test_what_a_schema_does_not_know_is_seen():
    known = schemas.published("travel")
    document = {"machine": "hexel", "units": {}, "minus": [None, -1.0]}
    jsonschema.validate(document, known)
    for wrong in ({"minus": "far"}, {"sideways": 1.0}, {"units": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**document, **wrong}, known)
