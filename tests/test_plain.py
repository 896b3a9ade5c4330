"""Kernels give the same bits compiled, as plain Python, and compiled without the accelerator."""

import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import _accelerator, _compile
from gough._compile import Compiled, Mode, expect_rows, inline, kernel, run_plain

MACHINES = ["hexel", "rotopod", *SKEW]


def answers(name):
    """What commands for one pose compute."""
    m = gough.load(name)
    X = gough.frames.displaced(m, gough.pose(0.01 * m.size * np.array([1, -2, 1]), [0.01, 0.02, -0.01], "XYZ"))
    q = gough.inverse_kinematics(m, X)
    rows = gough.travel_table(m)
    return {
        "joints": q,
        "pose": gough.forward_kinematics(m, q).matrix,
        "margins": gough.margins(m, X).values,
        "travel": np.array([[row.minus, row.plus] for row in rows]),
        "jacobian": gough.jacobian(m, X),
        "speed": gough.velocity_envelope(m, X, joint_speed=1.0).guaranteed("translation"),
        "resolution": gough.accuracy.resolution(m, X, joint_step=1e-6).rms,
        "proof": proof_bounds(m),
        "modes": gough.assembly_modes(m, q).matrix,
    }


def proof_bounds(m):
    """Bounds of the worst margins over a region."""
    at_home = {"about": m.point_of_interest, "reference": m.X_home}
    region = gough.regions.box(m.home_point, np.full(3, 0.02 * m.size), turn=0.05, **at_home)
    found = gough.certify_region(m, region, max_boxes=20)
    return np.concatenate([found.lower, found.upper])


PROGRAM = """
import pickle, sys
sys.path.insert(0, {root!r})
from gough._compile import run_plain
run_plain({rows})
from tests.test_plain import answers
found = answers({name!r})
assert {rows} == 0 or "numba" not in sys.modules
sys.stdout.buffer.write(pickle.dumps(found))
"""


def answers_of_a_process(name, rows=0, **environment):
    """`answers` in a process of its own, with plain Python for up to so many rows."""
    program = PROGRAM.format(root=str(Path(__file__).parents[1]), rows=rows, name=name)
    run = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(run, capture_output=True, check=False, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def assert_same_bits(found, expected):
    for key, value in expected.items():
        np.testing.assert_array_equal(found[key], value, err_msg=key)


@pytest.mark.parametrize("name", [*thorough("hexel", *MACHINES[1:-1]), MACHINES[-1]])
def test_plain_python_gives_the_bits_of_compiled_code(name):
    assert_same_bits(answers_of_a_process(name, 10**9), answers(name))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_public_numba_gives_the_bits_of_the_accelerator(name):
    assert_same_bits(answers_of_a_process(name, GOUGH_PLAIN_NUMBA="1"), answers(name))


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """No dispatchers, no machine code on disk, and an accelerator that has not failed."""
    monkeypatch.setattr(Compiled, "made", {})
    monkeypatch.setattr(_accelerator.Accelerator, "has_failed", False)
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))
    _compile.cache_folder.cache_clear()
    yield
    _compile.cache_folder.cache_clear()


@pytest.mark.parametrize("part", ["helper", "compiling"])
def test_where_the_accelerator_fails_kernels_are_compiled_without_it(part, fresh, monkeypatch, caplog):
    def broken(*_, **__):
        raise AttributeError("a private part that is not there")

    monkeypatch.setattr(_accelerator, part, broken)

    @inline
    def half(x):
        return x / 2

    @kernel
    def quarter(x):
        return half(half(x))

    @kernel
    def eighth(x):
        return half(half(half(x)))

    with caplog.at_level(logging.DEBUG, "gough"):
        assert quarter(1.0) == 0.25
        assert eighth(1.0) == 0.125
    assert quarter.signatures
    if _accelerator.is_tested():
        assert [record.levelno for record in caplog.records] == [logging.DEBUG]
    assert not _accelerator.is_active()


@pytest.fixture
def plain(monkeypatch):
    """Kernels run as plain Python for up to ten rows."""
    monkeypatch.setattr(Mode, "is_plain", False)
    monkeypatch.setattr(Mode, "most_rows", 0)
    run_plain(10)


def test_an_input_with_more_rows_is_compiled(plain):
    @kernel
    def doubled(x):
        x *= 2.0

    few, many = np.ones(5), np.ones(11)
    expect_rows(10)
    doubled(few)
    assert not doubled.signatures
    expect_rows(11)
    doubled(many)
    assert doubled.signatures
    assert few[0] == many[0] == 2.0


def test_where_python_raises_compiled_code_continues(plain):
    @inline
    def part(x):
        return 1.0 / x

    @kernel
    def inverse(x, out):
        out[0] = 1.0
        out[1] = part(x)

    out = np.zeros(2)
    inverse(0.0, out)
    assert out.tolist() == [1.0, np.inf]
    assert inverse.signatures
