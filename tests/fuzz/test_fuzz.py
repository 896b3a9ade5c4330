"""A part of what `python -m tests.fuzz` does: whatever Gough reads, it answers, or refuses in a sentence."""

import pytest
from tests.fuzz import run
from tests.fuzz.run import cases

from gough.errors import InputError


def test_random_input_is_answered_or_refused():
    counts, failures = cases("suite", range(1000))
    assert not failures, "\n".join(f"--seed suite --from {number}: {text}" for number, text in failures.items())
    kinds = {kind for kind, _ in counts}
    assert kinds == {kind.__name__ for kind in run.KINDS}
    assert sum(count for (_, end), count in counts.items() if end == "answered") > 50, "all of it is refused at once"


@pytest.mark.parametrize(
    ("error", "is_found"), [(InputError("a sentence"), False), (InputError(""), True), (IndexError("a"), True)]
)
def test_other_errors_and_empty_refusals_are_found(monkeypatch, tmp_path, error, is_found):
    def kind(rng, folder):
        yield "given"
        raise error

    monkeypatch.setattr(run, "KINDS", {kind: 1})
    assert bool(run.case("suite", 0, tmp_path)[2]) is is_found
