"""`gough simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli import motion_input, options

if TYPE_CHECKING:
    import xarray

    from gough.cli.pose_input import Array, PoseOptions
    from gough.dynamics.controllers import Controller
    from gough.dynamics.motions import Motion
    from gough.machine import Machine

Duration = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="How long; with --motion as long as that takes, if not given."),
]
Force = Annotated[
    str | None,
    typer.Option(
        metavar="F1,...,F6",
        help="Constant actuator forces [N or N m], one number for all; without it what holds the weight at the start.",
    ),
]
ControllerName = Annotated[
    Literal["computed-torque", "pid", "pd"], typer.Option(help="What follows --motion: on the model, or leg by leg.")
]
Bandwidth = Annotated[float, typer.Option(metavar="HZ", help="Of the controller.")]
Twist = Annotated[
    str | None, typer.Option(metavar="VX,VY,VZ[,WX,WY,WZ]", help="Twist at the start, in the file's units per second.")
]
Samples = Annotated[int, typer.Option(metavar="NUMBER", min=2, max=1_000_000, help="Times in the answer.")]
NoStop = Annotated[bool, typer.Option("--no-stop", help="Go on beyond limits and near singularities.")]
Rtol = Annotated[float, typer.Option(metavar="NUMBER", help="Relative error allowed in each step.")]

ROUND_OFF = 1e-9
"""Coordinates below this part of the machine's size are told as 0."""


def simulate(
    context: typer.Context,
    machine: options.Machine,
    duration: Duration = None,
    force: Force = None,
    motion: motion_input.NamedOrFile = None,
    amplitude: motion_input.Amplitude = None,
    half_period: motion_input.HalfPeriod = 3.0,
    controller: ControllerName = "computed-torque",
    bandwidth: Bandwidth = 10.0,
    twist: Twist = None,
    wrench: options.Wrench = None,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    samples: Samples = 201,
    no_stop: NoStop = False,
    rtol: Rtol = 1e-9,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Move the machine in time under actuator forces.

    Constant forces, or a controller that follows --motion. It ends early
    where a limit is reached or a singularity is near, and says so. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time.
    """
    from gough.cli.beside import counts_only_with, note_stage
    from gough.cli.machine import load_machine
    from gough.cli.pose_input import PoseOptions
    from gough.cli.timeline import write_history
    from gough.dynamics.motions import NAMED
    from gough.errors import InputError

    given = PoseOptions(at, angles, quaternion, matrix, sequence, convention)
    m = load_machine(machine, si=si)
    note_stage(machine)
    if (force is not None and motion is not None) or (motion is None and amplitude is not None):
        raise InputError("--force is instead of --motion, --amplitude is of a named motion: give one or the other")
    if motion is None:
        counts_only_with(context, "--motion", "controller", "bandwidth", "half_period")
    elif motion not in NAMED:
        counts_only_with(context, "a named motion", "half_period")
    wanted = None if motion is None else motion_input.read_motion(motion, m, amplitude, half_period, given.orientation)
    X, V = _start(m, given, twist, wanted)
    how = {"rtol": rtol, "stop_at": () if no_stop else ("limits", "singularity")}
    data = _run(
        m, X, V, _drive(m, X, force, wanted, controller, bandwidth), _span(duration, wanted), wrench, samples, how
    )
    if as_json or output is not None:
        write_history(data, m, given.orientation, as_json=as_json, output=output)
    _tell(data, m, is_brief=as_json or output is not None)


def _start(machine: Machine, given: PoseOptions, twist: str | None, motion: Motion | None) -> tuple[Array, Array]:
    """Pose and twist at the start: the motion's own where none are given."""
    from gough.cli.pose_input import read_poses

    if motion is None or given.at is not None or given.matrix is not None:
        return read_poses(given, machine), _twist(twist, machine)
    X, V, _ = motion(0.0)
    return X, V if twist is None else _twist(twist, machine)


def _span(duration: float | None, motion: Motion | None) -> float:
    from gough.errors import InputError

    if duration is not None:
        return duration
    if motion is None:
        raise InputError("--duration: give how long to simulate, in s")
    if motion.span[0] != 0.0:
        raise InputError(f"--motion: its time begins at {motion.span[0]:g} s, a simulation at 0 s")
    return motion.span[1]


def _twist(text: str | None, machine: Machine) -> Array:
    """Twist [v, w] (6,) in SI."""
    import numpy as np

    from gough.cli.numbers import numbers

    V = np.zeros(6)
    if text is not None:
        given = numbers("--twist", text, (3, 6))
        V[: len(given)] = given
    V[:3] *= machine.units.metres
    V[3:] *= machine.units.radians
    return V


def _drive(
    machine: Machine, X: Array, force: str | None, motion: Motion | None, controller: str, bandwidth: float
) -> Array | Controller:
    """Actuator forces: a controller's, constant ones, or what holds the weight at the start."""
    import numpy as np

    from gough.cli.numbers import numbers
    from gough.dynamics.controllers import ComputedTorque, LegPID
    from gough.dynamics.inverse import inverse_dynamics

    if motion is not None:
        if controller == "computed-torque":
            return ComputedTorque(machine, motion, bandwidth=2 * np.pi * bandwidth)
        return LegPID.tuned(machine, motion, 2 * np.pi * bandwidth, has_integral=controller == "pid")
    if force is None:
        return inverse_dynamics(machine, X, np.zeros(6), np.zeros(6))
    return np.broadcast_to(numbers("--force", force, (1, 6)), 6).copy()


def _run(
    machine: Machine,
    X: Array,
    V: Array,
    force: Array | Controller,
    duration: float,
    wrench: str | None,
    samples: int,
    how: dict[str, Any],
) -> xarray.Dataset:
    import numpy as np

    from gough.cli.progress import progress
    from gough.cli.wrench import read_wrench
    from gough.dynamics.simulate import simulate as simulate_machine

    load = read_wrench(wrench)
    if load is not None:
        how |= {"wrench": load, "point": machine.point_of_interest}
    times = np.linspace(0.0, duration, samples) if np.isfinite(duration) and duration > 0 else None
    reached = 0

    with progress("simulating", 1000) as advance:

        def tell(t: float) -> None:
            nonlocal reached
            now = int(1000 * t / duration)
            if now > reached:
                advance(now - reached)
                reached = now

        return simulate_machine(
            machine, X, V, force, duration, times=times, atol=1e-3 * how["rtol"], progress=tell, **how
        )


def _tell(data: xarray.Dataset, machine: Machine, *, is_brief: bool) -> None:
    """How it ended, for people; the reason beside an answer that is written."""
    import numpy as np

    from gough.cli.output import note
    from gough.cli.timeline import tell_limits, tell_loads

    reason, end = data.attrs["stopped_by"], float(data["time"][-1])
    if is_brief:
        if reason:
            note(f"stopped at {end:.6g} s: {reason}")
        tell_limits(data, machine, has_stopped=bool(reason))
        return
    units, q = machine.units, data["joint"].to_numpy()[-1] / machine.joint_scale
    p = data["pose"].to_numpy()[-1, :3, 3]
    place = ", ".join(f"{x / units.metres:.6g}" for x in np.where(np.abs(p) < ROUND_OFF * machine.size, 0.0, p))
    print(f"Stopped at {end:.6g} s: {reason}." if reason else f"Ran to its end at {end:.6g} s.")
    print(
        f"The platform is at ({place}) {units.length}, the joints at ({', '.join(f'{x:.6g}' for x in q)}) "
        f"{machine.joint_unit}."
    )
    if "joint_error" in data:
        worst = float(np.abs(data["joint_error"]).max()) / machine.joint_scale
        print(f"Largest error of a joint: {worst:.3g} {machine.joint_unit}.")
    tell_loads(data, machine)
    tell_limits(data, machine, has_stopped=bool(reason))
