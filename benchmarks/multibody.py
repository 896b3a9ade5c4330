"""The thirteen solids of the hexapod of Dumitriu (2017): one evaluation, and half a second of its motion.

Peers: the same 306 equations solved at once; Exudyn (Gerstmayr 2024) on the same machine where it is installed (extra
`bench`), with its index-2 generalised-alpha steps.
"""

from __future__ import annotations

import importlib.util
import time
import warnings
from collections.abc import Callable

import numpy as np

import gough
from benchmarks.timing import interleaved, repeated
from gough import multibody

Row = tuple[str, float, str, float, str]
US, MS = 1e6, 1e3
FORCES = (9.5, 9.5, 8.5105, 8.5105, 8.5105, 8.5105)
"""[N]"""
DURATION, STEPS = 0.5, 500
"""Of the simulated motion [s]; Exudyn's steps in it, at which it is off by 3e-7 m."""
AXIAL = 1e-5
"""Inertia of the rods about their axes that Exudyn is given, zero in the paper [kg m2]."""


def cases() -> list[Row]:
    """One evaluation of 156 accelerations and 150 multipliers; half a second of motion."""
    system = multibody.hexapod(gough.load("dumitriu2017"), forces=FORCES)
    state = system.state({"platform": [0.1, 0.2, 0.1, 0.3, -0.2, 0.5]})
    chains, saddle = multibody.solver_for(system, "chains"), multibody.solver_for(system, "saddle")
    calls = 500
    times = interleaved(
        [
            ("Gough", repeated(lambda: chains.solve(0.0, *state), calls)),
            ("dense", repeated(lambda: saddle.solve(0.0, *state), calls // 50)),
        ]
    )
    one = times["Gough"] * US / calls
    rows = [("13 bodies, one evaluation", one, "saddle, dense", times["dense"] * US * 50 / calls, "us")]
    if importlib.util.find_spec("exudyn") is None:
        return rows
    times = interleaved(
        [
            ("Gough", lambda: multibody.simulate(system, times=[0.0, DURATION], rtol=1e-9, atol=1e-10)),
            ("Exudyn", exudyn_motion()),
        ],
        rounds=5,
    )
    rows.append(("13 bodies, one evaluation; a step", one, "Exudyn, a step", times["Exudyn"] * US / STEPS, "us"))
    rows.append(("13 bodies, half a second to 3e-7 m", times["Gough"] * MS, "Exudyn", times["Exudyn"] * MS, "ms"))
    return rows


def two_step() -> list[Row]:
    """One evaluation by the two-step elimination of Dumitriu and Margaritescu (2016), in time of all cores.

    It inverts Poinsot matrices: a thousandth of their largest principal value makes those of thin parts regular.
    """
    system = multibody.hexapod(gough.load("dumitriu2017"), forces=FORCES).regularised(1e-3)
    state = system.state({"platform": [0.1, 0.2, 0.1, 0.3, -0.2, 0.5]})
    solvers = {name: multibody.solver_for(system, name) for name in ("two-step", "saddle")}
    calls = 20
    parties = [(name, repeated(lambda one=one: one.solve(0.0, *state), calls)) for name, one in solvers.items()]
    times = interleaved(parties, clock=time.process_time)
    ours, theirs = (times[name] * US / calls for name in solvers)
    return [("13 bodies of regular inertia, two-step", ours, "saddle, dense", theirs, "us")]


def exudyn_motion() -> Callable[[], None]:
    """The same motion by Exudyn, to be run again and again; the model is built before the clock starts."""
    import exudyn

    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime = DURATION
    settings.timeIntegration.numberOfSteps = STEPS
    settings.timeIntegration.verboseMode = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        settings.solutionSettings.writeSolutionToFile = False
        settings.displayStatistics = False
        system = exudyn_system(exudyn.SystemContainer())

    def run() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            system.SolveDynamic(settings)

    return run


def exudyn_system(container):
    """The thirteen solids with generic joints."""
    from exudyn.utilities import RigidBodyInertia

    machine = gough.load("dumitriu2017")
    gravity = list(machine.gravity)
    system = container.AddSystem()
    ground = system.CreateGround()

    def part(mass, moments, centre, R):
        inertia = RigidBodyInertia(mass=mass, inertiaTensor=np.diag(moments))
        return system.CreateRigidBody(
            inertia=inertia, referencePosition=list(centre), referenceRotationMatrix=R, gravity=gravity
        )

    def joint(first, second, place, R, axes):
        system.CreateGenericJoint(
            bodyNumbers=[first, second],
            position=list(place),
            rotationMatrixAxes=R,
            constrainedAxes=axes,
            useGlobalFrame=True,
            show=False,
        )

    platform = part(3.0, [0.0324, 0.0324, 0.0648], machine.X_home[:3, 3], np.eye(3))
    for foot, head, force in zip(machine.legs.a_B, machine.b_home, FORCES, strict=True):
        z = (head - foot) / np.linalg.norm(head - foot)
        x = np.cross(z, [0, 0, 1]) / np.linalg.norm(np.cross(z, [0, 0, 1]))
        R = np.column_stack([x, np.cross(z, x), z])
        lower = part(0.7, [0.0071, 0.0071, AXIAL], foot + 0.2 * z, R)
        upper = part(0.3, [0.0031, 0.0031, AXIAL], head - 0.2 * z, R)
        joint(ground, lower, foot, R, [1, 1, 1, 0, 0, 1])
        joint(lower, upper, head, R, [1, 1, 0, 1, 1, 0])
        joint(upper, platform, head, R, [1, 1, 1, 0, 0, 1])
        system.CreateForce(bodyNumber=upper, localPosition=[0, 0, 0.2], loadVector=[0, 0, force], bodyFixed=True)
    system.Assemble()
    return system
