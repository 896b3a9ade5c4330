"""`gough follow`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.pose_input import Array, Orientation
    from gough.machine import Machine
    from gough.motion.recorded.fitting import FittedMotion, PerAxisScale
    from gough.motion.recorded.recorded_motion import RecordedMotion

File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="CSV file with a column time [s] beside those of poses; - for standard input."),
]
Gain = Annotated[
    Literal["single", "varying"],
    typer.Option(help="One gain for all of the motion, or one that gives way where it must."),
]
Reserve = Annotated[
    float, typer.Option(metavar="NUMBER", help="Smallest relative margin to any limit that is left.", min=0.0, max=1.0)
]
Cutoff = Annotated[
    float | None, typer.Option(metavar="HZ", help="Leave out what is quicker; all is kept where not given.")
]
Washout = Annotated[
    bool, typer.Option("--washout", help="Through a motion simulator's filter: onsets, and tilt for what lasts.")
]
Breaks = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z,R,T",
        help="Break frequencies of --washout [rad/s]: of ways along x, y, z, of rotations and of the tilt; "
        "1,1,1,0.5,0.5 if not given.",
    ),
]
Fade = Annotated[float, typer.Option(metavar="SECONDS", help="Time to come in from home and to go back.", min=0.0)]
Reference = Annotated[
    Literal["mean", "first"], typer.Option(help="Pose of the record that stands for the machine's home.")
]
Rate = Annotated[float, typer.Option(metavar="HZ", help="Samples a second in what is written.", min=0.001)]


def follow(
    machine: options.Machine,
    file: File,
    gain: Gain = "single",
    reserve: Reserve = 0.05,
    cutoff: Cutoff = None,
    washout: Washout = False,
    breaks: Breaks = None,
    fade: Fade = 2.0,
    reference: Reference = "mean",
    rate: Rate = 50.0,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Follow a recorded motion as far as there is room.

    Poses of a ship or a vehicle over time in; scaled about home until the
    worst margin of all limits together, and the legs' speeds, allow it.
    Says the gain, beside what limits on single axes would allow, and what
    the legs must do. With --json or --output poses and legs over time.
    """
    from gough.cli.machine import load_machine
    from gough.cli.output import is_netcdf
    from gough.cli.pose_input import Orientation

    orientation = Orientation(sequence, convention)
    if output is not None:
        is_netcdf(output, as_json=as_json)
    m = load_machine(machine, si=si)
    wanted = _wanted(file, m, orientation, cutoff, reference)
    if washout or breaks is not None:
        wanted = _washed_out(m, wanted, breaks, washout=washout)
    found, axes = _fitted(m, wanted, gain, reserve, fade)
    if as_json or output is not None:
        _write(m, found, axes, orientation, rate, as_json=as_json, output=output)
    else:
        _tell(m, found, axes, gain)


def _wanted(
    file: str, machine: Machine, orientation: Orientation, cutoff: float | None, reference: Any
) -> RecordedMotion:
    """Displacements from home that the record asks for."""
    from gough.cli.pose_input import read_timed_poses
    from gough.motion.recorded.recorded_motion import RecordedMotion

    return RecordedMotion(*read_timed_poses(file, orientation, machine.units), cutoff=cutoff).relative(reference)


def _washed_out(machine: Machine, wanted: RecordedMotion, breaks: str | None, *, washout: bool) -> RecordedMotion:
    from gough.cli.numbers import numbers
    from gough.errors import InputError
    from gough.motion.recorded.washout import washout as wash_out

    if not washout:
        raise InputError("--breaks are those of the washout filter: give --washout as well")
    if breaks is None:
        return wash_out(wanted, machine.gravity)
    w = numbers("--breaks", breaks, (5,))
    return wash_out(wanted, machine.gravity, translation=w[:3], rotation=w[3], tilt=float(w[4]))


def _fitted(
    machine: Machine, wanted: RecordedMotion, gain: Any, reserve: float, fade: float
) -> tuple[FittedMotion, PerAxisScale]:
    from gough.cli.progress import watched
    from gough.motion.recorded.fitting import fit_motion, per_axis_scale

    found = watched("fitting the motion", fit_motion, machine, wanted, reserve=reserve, gain=gain, fade=fade)
    return found, per_axis_scale(machine, wanted, reserve=reserve)


def _tell(machine: Machine, found: FittedMotion, axes: PerAxisScale, gain: str) -> None:
    import numpy as np

    from gough.cli.output import note, print_table
    from gough.cli.timeline import tell_limits, tell_loads
    from gough.dynamics.histories import motion_loads
    from gough.motion.check import check_path

    top = (
        f"{found.gain.max():.4g}"
        if gain == "single"
        else f"{found.gain.max():.4g} at most, {found.scale:.4g} in the mean"
    )
    print(f"Gain: {top}.")
    print(f"Limits on single axes would allow {axes.safe:.4g}; each axis alone promises {axes.alone:.4g}.")
    print(f"Smallest relative margin: {found.worst:.4g} ({found.binding}).")
    proof = check_path(machine, found.motion).sentence()
    print(f"{proof[0].upper()}{proof[1:]}.")
    if np.isfinite(found.speed_used):
        print(f"The fastest leg is at {100 * found.speed_used:.3g} % of its top speed.")
    if machine.platform is not None:
        data = motion_loads(machine, found.motion)
        tell_loads(data, machine)
        tell_limits(data, machine)
        return
    q, qd = _legs(machine, found, np.linspace(*found.motion.span, 4 * len(found.time)))[1:]
    unit, scale = machine.joint_unit, machine.joint_scale
    header = ["leg", f"lowest [{unit}]", f"highest [{unit}]", f"top speed [{unit}/s]"]
    rows = [
        [str(i + 1), *(f"{x / scale:.6g}" for x in (q[:, i].min(), q[:, i].max(), np.abs(qd[:, i]).max()))]
        for i in range(6)
    ]
    print_table(header, rows, numeric=range(len(header)))
    note(f"machine {machine.name!r} has no masses, so the forces are not known")


def _legs(machine: Machine, found: FittedMotion, t: Array) -> tuple[Array, Array, Array]:
    from gough.kinematics.inverse import inverse_kinematics
    from gough.kinematics.rates import joint_rates

    X, V, _ = found.motion(t)
    return X, inverse_kinematics(machine, X), joint_rates(machine, X, V)


def _loads(machine: Machine, found: FittedMotion, t: Array) -> dict[str, Array]:
    """Forces and powers (n, 6) of the actuators by column name; nothing where the machine has no masses."""
    from gough.cli.dataset import titled
    from gough.dynamics.histories import motion_loads

    if machine.platform is None:
        return {}
    data = motion_loads(machine, found.motion, t)
    return {titled(name, data[name].attrs["units"]): data[name].to_numpy() for name in ("force", "power")}


def _write(
    machine: Machine, found: FittedMotion, axes: PerAxisScale, orientation: Orientation, rate: float, **where: Any
) -> None:
    import numpy as np

    from gough.cli.dataset import titled
    from gough.cli.machine import units_of
    from gough.cli.output import emit
    from gough.cli.pose_output import pose_columns, pose_values

    t, _ = found.motion.resampled(rate)
    X, q, qd = _legs(machine, found, t)
    q, qd, unit = q / machine.joint_scale, qd / machine.joint_scale, machine.joint_unit
    gain = np.interp(t, found.time, found.gain)
    poses = pose_values(X, orientation, machine.units)
    columns: dict[str, Any] = {"time_s": t, **pose_columns(poses, machine.units)}
    columns |= {titled(f"q{i + 1}", unit): q[:, i] for i in range(6)}
    columns |= {titled(f"qd{i + 1}", f"{unit}/s"): qd[:, i] for i in range(6)}
    loads = _loads(machine, found, t)
    for name, values in loads.items():
        columns |= {f"{name.partition('_')[0]}{i + 1}_{name.partition('_')[2]}": values[:, i] for i in range(6)}
    document = {
        "machine": machine.name,
        "units": units_of(machine),
        "single_axes": {"safe": axes.safe, "alone": axes.alone},
        "worst_margin": found.worst,
        "binding": found.binding,
        "speed_used": found.speed_used,
        "time_s": t,
        "gain": gain,
        **poses,
        titled("joint", unit): q,
        titled("joint_rate", f"{unit}/s"): qd,
        **loads,
    }
    emit(columns | {"gain": gain}, document, **where)
