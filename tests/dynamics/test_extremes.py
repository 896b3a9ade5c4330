"""Extremes, travel and root mean squares between samples: against calculus, brute force and laws."""

from pathlib import Path

import numpy as np
import pytest
from tests.thorough import thorough

import gough
from gough.dynamics.drive_peaks import motion_extremes
from gough.dynamics.extremes import extremes
from gough.dynamics.histories import Whole
from gough.motion.recorded import RecordedMotion

MACHINES = Path(__file__).parents[1] / "machines"
SKEW = ("skew-struts", "skew-sliders", "skew-cranks")
STATED = 1e-6
"""Of peaks and means: the tolerance that is stated, 1e-7 of each interval, with some reserve."""
DENSE, PUSH = 100_001, np.linspace(6.0, 6.3, 300_001)
BRUTE = 1e-5
"""Of peaks and means over so many times, most of them where friction changes within microseconds."""
SECONDS = 1e-12
"""Of times and values that are exact but for rounding."""


def test_peaks_of_known_functions_are_where_calculus_has_them():
    def wave(t):
        return {"a": np.stack([np.exp(-t) * np.sin(7 * t), t**2 - t], axis=-1)}

    found = extremes(wave, np.array([0.0, 4.0]), integrals=("a",))["a"]
    # The derivative vanishes where tan 7 t = 7.
    high, low = np.arctan(7.0) / 7, (np.arctan(7.0) + np.pi) / 7
    np.testing.assert_allclose(found.highest, [np.exp(-high) * np.sin(7 * high), 12.0], rtol=STATED)
    np.testing.assert_allclose(found.lowest, [np.exp(-low) * np.sin(7 * low), -0.25], rtol=STATED)
    assert found.when_highest[1] == pytest.approx(4.0, abs=SECONDS)
    assert found.when_lowest[1] == pytest.approx(0.5, abs=1e-6)
    # The integral of |t^2 - t| is 1/6 up to 1, then t^3 / 3 - t^2 / 2.
    assert found.path[1] == pytest.approx(1 / 6 + (64 / 3 - 8) - (1 / 3 - 1 / 2), rel=STATED)
    assert found.rms[1] == pytest.approx(np.sqrt((4**5 / 5 - 2 * 4**4 / 4 + 4**3 / 3) / 4), rel=STATED)
    assert found.is_resolved


def test_both_sides_of_a_jump_count_at_a_knot_and_elsewhere():
    def jump(t):
        return {"a": np.where(t < 1 / 3, t, 5.0 - t)[:, None]}

    for knots in ([0.0, 1 / 3, 1.0], [0.0, 1.0]):
        found = extremes(jump, np.array(knots))["a"]
        assert found.highest[0] == pytest.approx(5 - 1 / 3, rel=STATED)
        assert found.rms[0] == pytest.approx(np.sqrt(1 / 81 + (14 / 3) ** 3 / 3 - 64 / 3), rel=STATED)


def test_a_steep_change_is_found_and_a_hopeless_one_admitted():
    found = extremes(lambda t: {"a": np.tanh((t - 0.7) / 1e-6)[:, None] * np.cos(t)[:, None]}, np.array([0.0, 2.0]))[
        "a"
    ]
    assert found.highest[0] == pytest.approx(np.cos(0.7), abs=1e-5)
    assert found.lowest[0] == pytest.approx(-1.0, rel=STATED)
    wild = extremes(lambda t: {"a": np.sin(1e7 * t**2)[:, None]}, np.array([0.0, 2.0]), most=100)["a"]
    assert not wild.is_resolved


def test_what_is_undefined_has_no_peak_and_says_where():
    found = extremes(lambda t: {"a": np.sqrt(np.where(t > 1.25, np.nan, t))[:, None]}, np.array([0.0, 2.0]))["a"]
    assert np.isnan(found.peak).all()
    assert found.undefined == pytest.approx(1.25, abs=1e-6)


def _force(machine):
    return lambda t, states: gough.inverse_dynamics(machine, *states)


def _of(machine, motion, **how):
    whole = Whole(machine, motion)
    return motion_extremes(machine, whole, _force(machine), **how)


def _spiky(machine):
    """Ten seconds near home with one push within a tenth of a second."""
    t = np.union1d(np.linspace(0, 10, 41), 6.13 + 0.02 * np.arange(-5, 6))
    push = np.exp(-(((t - 6.13) / 0.03) ** 2))
    shift = machine.size * np.outer(1e-3 * np.sin(t) + 4e-3 * push, [0.3, -0.5, 1.0])
    return gough.dynamics.SplineMotion(t, gough.frames.displaced(machine, gough.pose(shift)).as_matrix())


def _telemetry(machine, rate=20.0, duration=6.0):
    """Samples at a rate [Hz] with content to 5 Hz."""
    rng, t = np.random.default_rng(7), np.arange(0, duration + 0.5 / rate, 1 / rate)
    waves = rng.normal(size=(6, 8)) @ np.sin(
        2 * np.pi * np.outer(np.linspace(0.5, 5, 8), t) + rng.uniform(0, 6, (8, 1))
    )
    x = 5e-4 * waves.T * ([machine.size] * 3 + [1.0] * 3)
    return RecordedMotion(t, gough.frames.displaced(machine, gough.pose(x[:, :3], x[:, 3:], "XYZ")).as_matrix())


OTHERS = [(make, name) for make in (_spiky, _telemetry) for name in SKEW]
CASES = [OTHERS.pop(k) for k in (4, 2)]


@pytest.mark.parametrize(("make", "name"), [*CASES, *thorough(*OTHERS)])
def test_peaks_of_a_motion_are_those_of_brute_force(name, make):
    m = gough.load(MACHINES / f"{name}.toml")
    m = m if m.platform is not None else m.with_payload(2.0, [0.0, 0.0, 0.1 * m.size], np.eye(3))
    motion = make(m)
    data = gough.dynamics.motion_forces(m, motion)
    t = np.unique(np.concatenate([np.linspace(*motion.span, DENSE), motion.knots, PUSH[motion.span[1] > PUSH]]))
    X, V, A = motion(t)
    rate, force = gough.joint_rates(m, X, V), gough.inverse_dynamics(m, X, V, A)
    dense = {
        "speed": rate,
        "acceleration": gough.kinematics.joint_accelerations(m, X, V, A),
        "force": force,
        "power": force * rate,
    }
    for what, values in dense.items():
        np.testing.assert_allclose(data.attrs[f"peak_{what}"], np.abs(values).max(axis=0), rtol=BRUTE)
        rms = np.sqrt(np.trapezoid(values**2, t, axis=0) / (t[-1] - t[0]))
        np.testing.assert_allclose(data.attrs[f"rms_{what}"], rms, rtol=BRUTE)
    q = gough.inverse_kinematics(m, X)
    found = _of(m, motion)
    np.testing.assert_allclose(found["joint_rate"].path, np.abs(np.diff(q, axis=0)).sum(axis=0), rtol=BRUTE)
    assert data.attrs["unresolved"] == ""


@pytest.mark.parametrize("rate", [1e3, *thorough(4e3)])
@pytest.mark.parametrize("name", [SKEW[2], *thorough(*SKEW[:2])])
def test_peaks_of_power_are_those_of_brute_force_at_high_rates_of_samples(name, rate):
    """Where rounding of the samples is large in the accelerations of the splines through them."""
    m = gough.load(MACHINES / f"{name}.toml")
    m = m if m.platform is not None else m.with_payload(2.0, [0.0, 0.0, 0.1 * m.size], np.eye(3))
    motion = _telemetry(m, rate, 1.0)
    data = gough.dynamics.motion_forces(m, motion)
    t = np.union1d(np.linspace(*motion.span, DENSE), motion.knots)
    X, V, A = motion(t)
    power = np.abs(gough.joint_rates(m, X, V) * gough.inverse_dynamics(m, X, V, A))
    np.testing.assert_allclose(data.attrs["peak_power"], power.max(axis=0), rtol=STATED)
    assert data.attrs["unresolved"] == ""


def test_a_product_is_resolved_to_the_rounding_errors_of_its_factors():
    """Sine times cosine is at most 1/2; eps / width^2 is the size of errors of a second derivative."""
    width, pace, few = 1e-5, 300.0, 100
    error = np.finfo(float).eps / width**2

    def factors(t):
        a, b = np.cos(pace * t) + error * np.sin(1e9 * t), np.sin(pace * t)
        return {"a": a[:, None], "b": b[:, None], "ab": (a * b)[:, None]}

    knots = np.arange(0.0, 0.01, width)
    found = extremes(factors, knots, noise={"a": [(1.0, 2)]}, products={"ab": ("a", "b")}, most=few)["ab"]
    assert found.is_resolved
    assert found.peak[0] == pytest.approx(0.5, abs=2.0 * error)
    assert np.sin(2.0 * pace * found.when[0]) == pytest.approx(1.0, abs=1e-3)


class _Slowed:
    """A motion at another pace, with a rest at its end."""

    def __init__(self, motion, pace, rest):
        self.motion, self.pace, (begin, end) = motion, pace, motion.span
        self.end = begin + (end - begin) * pace
        self.span, self.begin = (begin, self.end + rest), begin
        self.knots = np.append(begin + (motion.knots - begin) * pace, self.end + rest)

    def __call__(self, time):
        t = np.asarray(time)
        X, V, A = self.motion(self.begin + (np.minimum(t, self.end) - self.begin) / self.pace)
        moves = (t < self.end)[..., None]
        return X, V * moves / self.pace, A * moves / self.pace**2


@pytest.mark.parametrize("name", SKEW)
def test_more_knots_another_pace_and_rests_change_what_they_must(name):
    m = gough.load(MACHINES / f"{name}.toml")
    motion = _spiky(m)
    once = motion_extremes(m, motion)
    split = motion_extremes(m, motion, knots=np.linspace(0.013, 9.7, 77))
    slow = motion_extremes(m, _Slowed(motion, 3.0, 100.0))
    for name in once:
        for part in ("lowest", "highest", "rms"):
            size = np.abs(getattr(once[name], part)).max()
            np.testing.assert_allclose(
                getattr(split[name], part), getattr(once[name], part), rtol=0, atol=STATED * size
            )
    travel = once["joint_rate"].path
    np.testing.assert_allclose(split["joint_rate"].path, travel, rtol=STATED)
    np.testing.assert_allclose(slow["joint_rate"].path, travel, rtol=STATED)
    np.testing.assert_allclose(slow["joint_rate"].peak, once["joint_rate"].peak / 3, rtol=STATED)
    np.testing.assert_allclose(slow["joint"].highest, once["joint"].highest, rtol=STATED)
    rms = once["joint_rate"].rms / 3 * np.sqrt(30 / 130)
    np.testing.assert_allclose(slow["joint_rate"].rms, rms, rtol=STATED)


@pytest.mark.thorough
def test_dynamics_and_a_simulation_of_the_same_motion_agree():
    m = gough.load("sinatra2009")
    motion = gough.dynamics.named_motion(m, "vertical")
    asked = gough.dynamics.motion_forces(m, motion).attrs
    done = gough.simulate(m, force=gough.dynamics.ComputedTorque(m, motion, bandwidth=60.0), samples=11).attrs
    for what in ("force", "power", "speed"):
        np.testing.assert_allclose(done[f"peak_{what}"], asked[f"peak_{what}"], rtol=STATED)
        np.testing.assert_allclose(done[f"rms_{what}"], asked[f"rms_{what}"], rtol=STATED)


def test_the_number_of_times_changes_no_peak():
    m = gough.load("sinatra2009")
    motion = gough.dynamics.named_motion(m, "rotation")
    few, many = (gough.dynamics.motion_forces(m, motion, np.linspace(0, 3, n)).attrs for n in (2, 501))
    for name in ("peak_force", "rms_force", "peak_power", "rms_power", "peak_speed"):
        np.testing.assert_array_equal(few[name], many[name])


def test_of_many_that_tie_and_of_what_is_nearly_nothing_the_first_has_the_share():
    """In sync from rest on, to rounding noise: no number of halvings tells them apart."""
    noise = np.random.default_rng(5).normal(size=12)

    def in_sync(t):
        waves = 1e-9 * np.sin(np.outer(1e3 * t, noise))
        return {"a": np.minimum(t, 1.0)[:, None] + waves, "b": 1e-12 * waves}

    found = extremes(in_sync, np.linspace(0, 2, 200), limits={"a": np.ones(12), "b": 1.0}, idle=np.array([[1.5, 2.0]]))
    # But for the first millisecond, where the noise is more than a millionth.
    np.testing.assert_allclose(found["a"].share, np.arange(12) == 0, atol=1e-3)
    np.testing.assert_allclose(found["b"].share, 0.0, atol=1e-6)
    still = extremes(lambda t: {"a": np.zeros((len(t), 3))}, np.array([0.0, 1.0]), limits={"a": 1.0})["a"].share
    np.testing.assert_allclose(still, [1.0, 0.0, 0.0])


@pytest.mark.parametrize("name", SKEW)
def test_limits_that_are_broken_for_an_instant_are_named_at_their_worst(name):
    """A knock within minutes of rest, as far again as it is to a limit: brute force about it alone."""
    m = gough.load(MACHINES / f"{name}.toml")
    far = gough.travel(m, [0, 0, 1, 0, 0, 0]).distance
    t = np.union1d(np.arange(0.0, 300.0, 5.0), np.linspace(100.3, 100.5, 21))
    shift = np.zeros((len(t), 3))
    shift[:, 2] = 1.2 * far * np.exp(-(((t - 100.4) / 0.02) ** 2))
    X = gough.frames.displaced(m, gough.pose(shift)).as_matrix()
    motion = gough.dynamics.SplineMotion(t, X)
    said = gough.dynamics.motion_forces(m, motion, np.array([0.0, 295.0])).attrs["limits_broken"]
    dense = np.linspace(100.2, 100.6, 40_001)
    found = gough.margins(m, motion(dense)[0])
    worst = np.argmin(found.values, axis=0)
    least = gough.margins(m, motion(dense[worst])[0])
    broken = np.flatnonzero(np.diagonal(least.values) < 0)
    assert len(broken)
    assert said.count("; ") == len(broken) - 1
    for c in broken:
        one = gough.margins(m, motion(dense[worst[c]])[0])
        assert any(part.startswith(one.sentence_of(c)[:5]) and part.endswith("at 100.4 s") for part in said.split("; "))
    still = gough.dynamics.motion_forces(m, motion, np.array([110.0, 295.0])).attrs["limits_broken"]
    assert still == ""
