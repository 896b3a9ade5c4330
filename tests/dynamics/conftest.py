"""Machines whose legs have masses: the built-in ones, and uneven ones of every leg kind with friction and rotors."""

from dataclasses import replace

import numpy as np
import pytest
from tests.poses import poses_near_home, twists
from tests.skew import SKEW, SKEW_OF_KIND

import gough
from gough.machine import Actuators, Body

WITH_MASSES = ("dumitriu2017", "tsai2000", "dehaeze", "pitch-circle", "sinatra2009", "hexaglide", "servo", *SKEW)
UNEVEN = SKEW_OF_KIND


def some_body(rng, mass, length):
    """A body with nothing symmetric about it, of about this length [m]."""
    spread = rng.normal(size=(8, 3)) * length / 4
    inertia = mass / 8 * sum(r @ r * np.eye(3) - np.outer(r, r) for r in spread)
    return Body(mass=mass, mass_centre=rng.uniform(-0.3, 0.3, 3) * length, inertia=inertia)


def uneven(kind):
    """A machine of this leg kind whose bodies, joint axes and gravity share no symmetry, each leg with its own."""
    m = gough.load(UNEVEN[kind])
    rng = np.random.default_rng(7)
    drives = Actuators(
        viscous_friction=rng.uniform(0.5, 1, 6) * m.platform.mass,
        coulomb_friction=rng.uniform(0.1, 0.2, 6) * m.platform.mass,
        rotor_inertia=rng.uniform(1e-6, 2e-6, 6) * m.platform.mass,
        transmission=np.full(6, 300.0),
    )
    return replace(
        m,
        name=f"uneven {kind}",
        platform=some_body(rng, m.platform.mass, m.size / 2),
        leg_bodies={
            part: [some_body(rng, rng.uniform(0.1, 0.3) * m.platform.mass, m.size / 3) for _ in range(6)]
            for part in m.legs.parts
        },
        actuators=drives,
        gravity=np.array([1.0, -2.0, -9.0]),
    )


def some_states(machine, rng, count, turn=0.1, way=0.02):
    """Poses about home within reach of every leg, twists and accelerations."""
    X = poses_near_home(machine, rng, (count,), turn, way)
    V, A = twists(machine, rng, (2, count))
    return X, V, A


@pytest.fixture(params=[*WITH_MASSES, *(f"uneven {kind}" for kind in UNEVEN)], scope="session")
def massive(request):
    """Every machine whose legs have masses."""
    name = request.param
    return uneven(name.split()[1]) if name.startswith("uneven") else gough.load(name)


@pytest.fixture(params=[f"uneven {kind}" for kind in UNEVEN], scope="session")
def lopsided(request):
    """One uneven machine of each leg kind."""
    return uneven(request.param.split()[1])


@pytest.fixture
def states():
    """The function that makes random poses about home, twists and accelerations."""
    return some_states


@pytest.fixture
def without_friction():
    """The function that takes friction from a machine."""
    return lambda m: replace(m, actuators=replace(m.actuators, viscous_friction=None, coulomb_friction=None))
