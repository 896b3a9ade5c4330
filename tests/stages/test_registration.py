"""Where functions find what they do for two stages."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import gough
from gough.machine import Machine
from gough.stacked import by_machine

MADE = {
    "loaded": "m = gough.load('double-hexapod')",
    "built": "one = gough.load('dumitriu2017')\nm = gough.StackedMachine(name='two', stages=(one, one))",
    "stacked": "one = gough.load('dumitriu2017')\nm = gough.stages.stack(one, one)",
    "unpickled": "m = pickle.loads(sys.stdin.buffer.read())",
}


@pytest.mark.parametrize("how", MADE)
def test_a_stack_brings_its_implementations_into_a_new_process(how):
    code = f"import pickle, sys, gough\n{MADE[how]}\nprint(*gough.inverse_kinematics(m, m.X_home))"
    m = gough.load("double-hexapod")
    ran = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(m), capture_output=True, check=True)
    q = np.array(ran.stdout.split(), dtype=float)
    assert q.shape == (12,)
    if how in ("loaded", "unpickled"):
        np.testing.assert_array_equal(q, gough.inverse_kinematics(m, m.X_home))


def test_the_kind_of_machine_selects_by_position_and_by_keyword():
    @by_machine
    def legs(machine: Machine, per: int = 1) -> int:
        return 6 // per

    legs.register(gough.StackedMachine)(lambda machine, per=1: 12 // per)
    one, two = gough.load("hexel"), gough.load("double-hexapod")
    assert [legs(one), legs(two), legs(machine=one, per=2), legs(machine=two, per=2)] == [6, 12, 3, 6]
