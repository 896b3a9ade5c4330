"""`gough dynamics`."""

from __future__ import annotations

from typing import Annotated

import typer

from gough.cli import motion_input, options

Samples = Annotated[
    int, typer.Option(metavar="NUMBER", min=2, max=1_000_000, help="Times at which forces are computed.")
]


def dynamics(
    context: typer.Context,
    machine: options.Machine,
    motion: motion_input.NamedOrFile = None,
    amplitude: motion_input.Amplitude = None,
    half_period: motion_input.HalfPeriod = 3.0,
    samples: Samples = 301,
    wrench: options.Wrench = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Forces and powers that a motion asks of the actuators.

    Peak and root mean square of each, with the masses of platform and
    legs, friction and rotors, as far as the machine file gives them; the
    peak speeds and what of each limit is used. With
    --json or --output (CSV; netCDF for names in .nc) all of it over time.
    """
    import numpy as np

    from gough.cli.beside import counts_only_with, note_stage
    from gough.cli.machine import load_machine
    from gough.cli.motion_input import read_motion
    from gough.cli.pose_input import Orientation
    from gough.cli.progress import progress
    from gough.cli.timeline import tell_limits, tell_loads, write_history
    from gough.cli.wrench import read_wrench
    from gough.dynamics.histories import motion_loads
    from gough.dynamics.motions import NAMED
    from gough.errors import InputError

    orientation = Orientation(sequence, convention)
    m = load_machine(machine, si=si)
    note_stage(machine)
    if motion is None:
        raise InputError("--motion: give vertical, horizontal or rotation, or a CSV file of times and poses")
    if motion not in NAMED:
        counts_only_with(context, "a named motion", "half_period")
    wanted = read_motion(motion, m, amplitude, half_period, orientation)
    with progress("dynamics"):
        times = np.linspace(*wanted.span, samples)
        data = motion_loads(m, wanted, times, wrench=read_wrench(wrench), point=m.point_of_interest)
    if as_json or output is not None:
        write_history(data, m, orientation, as_json=as_json, output=output)
    else:
        tell_loads(data, m)
    tell_limits(data, m)
