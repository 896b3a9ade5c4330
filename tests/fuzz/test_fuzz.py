"""A part of what `python -m tests.fuzz` does: whatever Gough reads, it answers, or refuses in a sentence."""

import random

import pytest
from tests.fuzz import commands, kinds, run
from tests.fuzz.run import cases
from tests.fuzz.small import SMALL

from gough.errors import InputError

DEEP = ("machine_file", "path_file", "stack_file")
"""Kinds of which at least half are to be answered: refusals alone would try the readers only."""


@pytest.mark.thorough
def test_random_input_is_answered_or_refused():
    counts, failures = cases("suite", range(400))
    assert not failures, "\n".join(f"--seed suite --from {number}: {text}" for number, text in failures.items())
    named = {kind for kind in run.KINDS if kind not in (commands.command_line, kinds.report_page)}
    assert {kind for kind, _ in counts} >= {kind.__name__ for kind in named}
    answered = sum(counts[kind, "answered"] for kind in DEEP)
    assert answered > sum(counts[kind, "refused"] for kind in DEEP)


def test_small_cases_and_rewrites():
    counts, failures = cases("suite", range(1500), kinds=SMALL)
    assert not failures, "\n".join(f"--small --seed suite --from {number}: {text}" for number, text in failures.items())
    assert {kind for kind, _ in counts} >= {kind.__name__ for kind, weight in SMALL.items() if weight >= 1}
    for kind in ("machine_document", "view_document", "api", "netcdf_history", "netcdf_covariance"):
        assert counts[kind, "answered"]
        assert counts[kind, "refused"]


def test_every_option_of_every_command_is_tried():
    rng, tried = random.Random("options"), set()
    for name, one in commands.commands().items():
        for _ in range(300):
            chosen = commands.chosen(rng, name, [parameter.name for parameter in one.params], 0.3)
            tried |= {(name, option) for option in chosen}
    for name, one in commands.commands().items():
        for parameter in one.params:
            if parameter.param_type_name == "option" and parameter.name != "open_page":
                assert (name, parameter.name) in tried


@pytest.mark.parametrize(
    ("error", "is_found"), [(InputError("a sentence"), False), (InputError(""), True), (IndexError("a"), True)]
)
def test_other_errors_and_empty_refusals_are_found(monkeypatch, tmp_path, error, is_found):
    def kind(rng, folder):
        yield "given"
        raise error

    monkeypatch.setattr(run, "KINDS", {kind: 1})
    assert bool(run.case("suite", 0, tmp_path)[2]) is is_found
