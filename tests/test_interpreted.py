"""Kernels that are interpreted give what compiled ones give, without the compiler; and are compiled where need be."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import _compile
from gough._compile import INTERPRETER, Kernel, inline, interpret_first, interpret_new, kernel
from gough.batches import run_batch

MACHINES = ["hexel", "rotopod", "linapod", "servo", *SKEW]
RELATIVE = 1e-9
"""Iterations that end where steps are rounding; homotopy paths have another twin in NumPy."""


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
        "travel": [[row.minus, row.plus] for row in rows],
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


@pytest.mark.parametrize("name", ["hexel", *thorough(*MACHINES[1:4]), *MACHINES[4:]])
def test_interpreted_and_compiled_answers_agree(name):
    program = (
        "import json, sys, numpy as np\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from gough._compile import interpret_first\n"
        "interpret_first(1000.0)\n"
        "from tests.test_interpreted import answers\n"
        f"found = {{key: np.asarray(value).tolist() for key, value in answers({name!r}).items()}}\n"
        "assert 'numba' not in sys.modules\n"
        "print(json.dumps(found))"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for key, value in answers(name).items():
        scale = np.abs(np.asarray(value)[np.isfinite(value)]).max(initial=0.0)
        np.testing.assert_allclose(found[key], value, rtol=RELATIVE, atol=RELATIVE * scale, err_msg=key)


def test_threads_interpret_side_by_side(allowed):
    """One thread's kernel ends while another's still calls its helpers."""

    @inline
    def half(x):
        time.sleep(1e-3)
        return x / 2

    @kernel
    def halved(values):
        for k in range(len(values)):
            values[k] = half(values[k])

    interpret_first(100.0)
    arrays = [np.ones(count) for count in (1, 5, 20, 40)]
    with ThreadPoolExecutor(len(arrays)) as pool:
        list(pool.map(halved, arrays))
    assert all((values == 0.5).all() for values in arrays)


@pytest.fixture
def allowed(monkeypatch):
    monkeypatch.setattr(INTERPRETER, "allowed", 0.0, raising=False)
    monkeypatch.setattr(INTERPRETER, "each", 0.0, raising=False)
    return interpret_first


@inline
def part(x):
    return 1.0 / x


def test_where_python_refuses_arithmetic_the_kernel_is_compiled_and_starts_afresh(allowed):
    @kernel
    def inverse(x, out):
        out[0] += 1.0
        out[1] = part(x)

    allowed(5.0)
    out = np.zeros(2)
    inverse(0.0, out)
    assert out.tolist() == [1.0, np.inf]
    assert inverse.signatures


def test_time_that_is_used_up_ends_interpretation(allowed):
    @kernel
    def counted(out):
        for _ in range(10_000_000):
            out[0] += part(1.0)

    allowed(0.2)
    out = np.zeros(1)
    start = time.perf_counter()
    counted(out)
    assert out[0] == 10_000_000
    assert counted.signatures
    assert INTERPRETER.allowed <= 0
    assert time.perf_counter() - start < 60


def test_a_batch_on_several_threads_is_answered_while_kernels_are_interpreted(allowed):
    @kernel
    def summed(out):
        for k in range(20_000):
            out[0] += part(1.0 + k)

    allowed(1000.0)
    alone, shared = np.zeros(1), np.zeros(64)
    summed(alone)
    assert "dispatcher" not in vars(summed)
    run_batch(lambda s: [summed(shared[k : k + 1]) for k in range(s.start, s.stop)], 64, from_count=1)
    np.testing.assert_allclose(shared, alone[0], rtol=RELATIVE)


def test_batches_are_compiled(allowed):
    @kernel
    def doubled(x):
        x *= 2.0

    allowed(5.0)
    few, many = np.ones(5), np.ones(_compile.MOST_NUMBERS + 1)
    doubled(few)
    assert "dispatcher" not in vars(doubled)
    doubled(many)
    assert doubled.signatures
    assert few[0] == many[0] == 2.0


def doubled_once(x):
    for k in range(len(x)):
        x[k] = 2.0 * part(1.0 / x[k])


def test_new_kernels_are_interpreted_each_for_its_time_and_those_on_disk_are_not(allowed, monkeypatch, tmp_path):
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))
    interpret_new(0.05)
    new, other = Kernel(doubled_once), Kernel(doubled_once)
    x = np.ones(3)
    new(x)
    assert (x == 2.0).all()
    assert not new.signatures
    while not new.signatures:
        new(x)
        assert new._spent < 60
    assert not other.signatures
    other(x)  # on disk by now
    assert other.signatures
    assert not other._spent
    many = Kernel(doubled_once)
    many(np.ones(_compile.FEW_NUMBERS + 1))
    assert many.signatures
