"""Dynamics against general engines: MuJoCo on the model that Gough exports, Pinocchio on the same bodies and loops.

Both are in the extra `bench`. Before anything is timed, their accelerations are compared with ours.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from rich.console import Console

import gough
from benchmarks.timing import interleaved, repeated
from gough.dynamics._equations import forward_batch, inverse_batch
from gough.dynamics.model import model_of
from gough.export.mjcf import mjcf

Row = tuple[str, float, str, float, str]
US, MS = 1e6, 1e3
CALLS = 500
"""Evaluations in one turn of each party."""
FORCE = np.array([9.5, 9.5, 8.5105, 8.5105, 8.5105, 8.5105])
AGREE = {"MuJoCo": 1e-2, "Pinocchio": 1e-8}
"""Largest difference of an acceleration, relative: MuJoCo's loops are soft."""


def dynamics() -> list[Row]:
    """One evaluation of the thirteen-solid machine, and its half second."""
    m = gough.load("dumitriu2017")
    ours = parties_of(m)
    rows = []
    for name, make in (("MuJoCo", mujoco_party), ("Pinocchio", pinocchio_party)):
        try:
            peer = make(m)
        except ImportError:
            Console().print(f"[dim]{name} is not installed: pip install gough\\[bench][/dim]")
            continue
        check(name, peer.acceleration(), gough.forward_dynamics(m, m.home, np.zeros(6), FORCE))
        times = interleaved(
            [("forward", ours["forward"]), ("inverse", ours["inverse"]), (name, repeated(peer.evaluate, CALLS))],
            rounds=21,
        )
        scale = US / CALLS
        label = f"{name}, forward"
        rows.append(("forward dynamics, one evaluation", times["forward"] * scale, label, times[name] * scale, "us"))
        rows.append(("inverse dynamics, one evaluation", times["inverse"] * scale, label, times[name] * scale, "us"))
        if name == "MuJoCo":
            rows.append(half_second(m, peer))
    return rows


def parties_of(machine: gough.Machine) -> dict[str, object]:
    """Our two kernels on a batch of the same pose, one core."""
    model = model_of(machine)
    X = np.tile(machine.X_home, (CALLS, 1, 1))
    V, A, F, f = (np.zeros((CALLS, 6)) for _ in range(4))
    V[:] = 0.1
    f[:] = FORCE
    g, out = np.tile(machine.gravity, (CALLS, 1)), np.empty((CALLS, 6))
    return {
        "forward": lambda: forward_batch(model, X, V, f, F, g, out),
        "inverse": lambda: inverse_batch(model, X, V, A, F, g, out),
    }


def check(name: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Stop where the peer computes something else."""
    off = float(np.abs(found - expected).max() / np.abs(expected).max())
    if off > AGREE[name]:
        raise SystemExit(f"{name} accelerates the machine otherwise than Gough: by {off:.3g}, relative")


def half_second(machine: gough.Machine, peer: SimpleNamespace) -> Row:
    """The motion of Dumitriu et al. (2017): ours at a relative tolerance of 1e-9, MuJoCo's Runge-Kutta at 1 ms."""
    still = np.zeros(6)
    times = interleaved(
        [
            ("Gough", lambda: gough.simulate(machine, machine.home, still, FORCE, 0.5, times=np.linspace(0, 0.5, 11))),
            ("MuJoCo", peer.half_second),
        ],
        rounds=9,
    )
    return (
        "half a second, rtol 1e-9, with its history",
        times["Gough"] * MS,
        "MuJoCo, 1 ms steps",
        times["MuJoCo"] * MS,
        "ms",
    )


def mujoco_party(machine: gough.Machine) -> SimpleNamespace:
    """`mj_forward` on the exported model."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf(machine))
    data = mujoco.MjData(model)

    def begin() -> None:
        mujoco.mj_resetDataKeyframe(model, data, 0)
        data.ctrl[:] = FORCE

    def acceleration() -> np.ndarray:
        begin()
        mujoco.mj_forward(model, data)
        return data.qacc[:6].copy()

    def half_a_second() -> None:
        begin()
        model.opt.timestep = 1e-3
        mujoco.mj_step(model, data, 500)

    def evaluate() -> None:
        mujoco.mj_forward(model, data)

    return SimpleNamespace(acceleration=acceleration, evaluate=evaluate, half_second=half_a_second)


def pinocchio_party(machine: gough.Machine) -> SimpleNamespace:
    """`constraintDynamics` on the platform and six legs, each closed by a point constraint."""
    import pinocchio as pin

    model, constraints, q = pinocchio_model(pin, machine)
    data, v = model.createData(), np.zeros(model.nv)
    tau = np.zeros(model.nv)
    tau[8::3] = FORCE
    constraint_data = pin.StdVec_RigidConstraintData()
    for constraint in constraints:
        constraint_data.append(constraint.createData())
    settings = pin.ProximalSettings(1e-12, 1e-12, 1)
    pin.initConstraintDynamics(model, data, constraints, constraint_data)

    def evaluate() -> np.ndarray:
        return pin.constraintDynamics(model, data, q, v, tau, constraints, constraint_data, settings)

    return SimpleNamespace(acceleration=lambda: np.array(evaluate()[:6]), evaluate=evaluate)


def pinocchio_model(pin, machine):
    """Struts as two hinges and a slide from the base; the legs' upper ends on the platform."""
    model, constraints = pin.Model(), pin.StdVec_RigidConstraintModel()
    model.gravity.linear = machine.gravity
    here = pin.SE3.Identity()
    platform = model.addJoint(0, pin.JointModelFreeFlyer(), here, "platform")
    append(pin, model, platform, machine.platform)
    motion = gough.dynamics.body_motions(machine, machine.X_home)["cylinder"]
    q = [*machine.X_home[:3, 3], 0, 0, 0, 1]
    for i in range(6):
        foot = pin.SE3(motion.matrix[i, :3, :3], motion.matrix[i, :3, 3])
        first = model.addJoint(0, pin.JointModelRX(), foot, f"first {i}")
        second = model.addJoint(first, pin.JointModelRY(), here, f"second {i}")
        slide = model.addJoint(second, pin.JointModelPZ(), here, f"slide {i}")
        append(pin, model, second, machine.leg_bodies["cylinder"][i])
        append(pin, model, slide, machine.leg_bodies["piston"][i])
        q += [0, 0, gough.inverse_kinematics(machine, machine.X_home)[i]]
    for i in range(6):
        slide, end = model.getJointId(f"slide {i}"), pin.SE3(np.eye(3), np.array(machine.b_P[i]))
        point = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, slide, here, platform, end, pin.LOCAL)
        constraints.append(point)
    return model, constraints, np.array(q)


def append(pin, model, joint, body) -> None:
    """A body on a joint."""
    model.appendBodyToJoint(joint, pin.Inertia(body.mass, body.mass_centre, body.inertia), pin.SE3.Identity())
