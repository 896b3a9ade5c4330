"""A call for one pose goes straight from the public function to the kernel."""

import sys
from pathlib import Path

import pytest

import gough

MOST_FILES = 6
"""Files of Gough that a reader follows from a call to its kernel."""
ROOT = Path(gough.__file__).parent
CALLS = {
    "forward_kinematics": lambda m: (m, gough.inverse_kinematics(m, m.X_home)),
    "inverse_kinematics": lambda m: (m, m.X_home),
    "jacobian": lambda m: (m, m.home),
    "margins": lambda m: (m, m.home),
}


def files_entered(call):
    entered, before = set(), sys.getprofile()

    def watch(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            entered.add(path.relative_to(ROOT).as_posix())

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(before)
    return entered


@pytest.mark.parametrize("name", CALLS)
def test_a_call_for_one_pose_enters_few_files_and_checks_no_annotations(name, machine):
    function, arguments = getattr(gough, name), CALLS[name](machine)
    function(*arguments)  # later calls find the machine's model and limits, and the kernel, ready
    entered = files_entered(lambda: function(*arguments))
    assert len(entered) <= MOST_FILES, sorted(entered)
    assert "checks/annotations.py" not in entered
    assert "_compile.py" in entered, "the call reaches a kernel"
