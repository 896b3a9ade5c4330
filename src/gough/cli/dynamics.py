"""Commands of dynamics: frequencies, dynamics, simulate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import pi
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Context, Option

import gough
from gough.cli.options import (
    Amplitude,
    At,
    Centre,
    Figure,
    HalfPeriod,
    Json,
    MachineName,
    Map,
    Motion,
    Output,
    Payload,
    Samples,
    Sequences,
    Share,
    Si,
    Table,
    Times,
    flag,
    number,
    request_of,
    text,
)
from gough.cli.workspaces import lowest as lowest_answer
from gough.errors import InputError
from gough.present.answer import Answer, Words, json_keys, json_of, of_result, sentence

if TYPE_CHECKING:
    import xarray

    from gough.arrays import Array
    from gough.cli.request import Request
    from gough.dynamics import motions


def frequencies(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, payload: Payload = None, centre: Centre = None,
    inertia: Annotated[
        str | None, text("XX,YY,ZZ[,XY,XZ,YZ]", "Payload's inertia about its centre, platform axes [kg m2]; default 0.")
    ] = None,
    loaded: Annotated[bool, flag("--loaded", "Include the geometric stiffness of all known weights.")] = False,
    lowest: Annotated[bool, flag("--lowest", "Find the pose of the lowest frequency in the workspace.")] = False,
    as_map: Map = False, samples: Samples = 15, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute natural frequencies and mode shapes.

    The undamped vibration of the platform and its payload on elastic legs,
    with the drives held. At one pose specified by options, at several in a CSV
    file, or at home. --map evaluates the positions of the workspace.
    """
    request = request_of(context)
    request.at_most_one("as_map", "lowest", "loaded")
    request.note_stage()
    find = gough.dynamics.lowest_frequency
    request.write_at_poses(
        lambda: _frequencies(request, loaded=loaded),
        lambda: request.map("frequency map", gough.dynamics.frequency_map),
        lambda: lowest_answer(request, {"frequency": request.over_grid("lowest frequency", find)}),
        "lowest",
    )


def _frequencies(request: Request, *, loaded: bool) -> Answer:
    from gough.dynamics.natural_frequencies import SHAPE
    from gough.statics.weights import inertia_in_words

    m = request.any_machine
    found = gough.natural_frequencies(m, request.postures, gravity=loaded)
    weights, missing = inertia_in_words(m, has_drives=False), found.missing()
    fields = [
        *of_result(found, "frequency", labels=request.legs),
        *json_of(found, "square", "is_stable"),
        *json_of(found, ("energy_shares", "energy_share")),
        *json_keys("", SHAPE * len(m.stages), "base", shape=found.shape.swapaxes(-1, -2)),
        *json_keys(geometric=loaded, weights=weights),
    ]
    words = partial(_frequencies_words, request, found, weights, loaded=loaded)
    return Answer(fields, words, notes=[missing] if missing else [])


def _frequencies_words(
    request: Request, found: gough.dynamics.NaturalFrequencies, weights: str, *, loaded: bool
) -> Words:
    yield found.table()
    of = found.machine.moving_platforms
    yield f"Shares of the {of}'s kinetic energy: translation of the mass centre along, rotation about the axes."
    yield sentence(weights)
    geometric = "included" if loaded else "not included; see --loaded"
    yield f"Drives held, no damping; the geometric stiffness of the weights and of the legs under them is {geometric}."


def dynamics(
    context: Context, machine: MachineName, motion: Motion = None, amplitude: Amplitude = None,
    half_period: HalfPeriod = 3.0, samples: Times = 301,
    passive: Annotated[bool, flag("--passive", "With --json or --output: add universal and ball joints.")] = False,
    share: Share = None, sequence: Sequences = None, payload: Payload = None, centre: Centre = None,
    figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute inverse dynamics: actuator forces and powers.

    Prints peak and root mean square of each along a motion, with the masses,
    friction and rotors in the machine file; peak speeds; and the utilisation
    of each limit. In a machine of two stages the motion is that of the end
    platform, and --share divides it. --json or --output (CSV; netCDF for
    .nc) writes the time histories, --figure plots them.
    """
    import numpy as np

    from gough.cli.histories import history_answer, read_motion

    request = request_of(context)
    m, moved = request.any_machine, read_motion(request)
    if not (request.options.as_json or request.options.output):
        request.counts_only_with("--json or --output", "passive")
    request.note_stage()
    if moved is None:
        raise InputError(
            "no motion defined: specify --motion vertical, horizontal or rotation, or a CSV file of times and poses"
        )
    times = np.linspace(*moved.span, samples)
    with request.progress("dynamics"):
        data = gough.dynamics.motion_forces(m, moved, times)
    request.draw(lambda: gough.plot.leg_histories(m, data, ["force", "power", "joint_rate", "joint"]))
    answer = history_answer(request, data)
    request.write(_with_passive_joints(request, data, answer) if passive else answer)


def _with_passive_joints(request: Request, data: xarray.Dataset, answer: Answer) -> Answer:
    """The answer with angles, rates and accelerations of the universal and ball joints."""
    states = [data[name].to_numpy() for name in ("pose", "twist", "acceleration")]

    def with_joints() -> xarray.Dataset:
        found = gough.dynamics.passive_joints(request.any_machine, *states).dataset.rename(
            pose="time", row="ball_row", column="ball_column"
        )
        return data.merge(found.drop_vars([name for name in found if name in data]), combine_attrs="override")

    return replace(answer, fields=[*answer.fields, *request.passive_joints(*states)], data=with_joints)


def simulate(
    context: Context, machine: MachineName,
    duration: Annotated[float | None, number("SECONDS", "Duration; default: the duration of --motion.")] = None,
    force: Annotated[
        str | None, text("F1,...,F6", "Constant actuator forces [N or N m], six or one; default: hold the weight.")
    ] = None,
    motion: Motion = None, amplitude: Amplitude = None, half_period: HalfPeriod = 3.0,
    controller: Annotated[
        Literal["computed-torque", "pid", "pd"],
        Option(help="Controller that follows --motion: computed torque, or PID or PD of each leg and weight."),
    ] = "computed-torque",
    bandwidth: Annotated[float, number("HZ", "Bandwidth of the controller.")] = 10.0,
    at: At = None, sequence: Sequences = None, share: Share = None, samples: Times = 201, as_json: Json = False,
    output: Output = None,
) -> None:  # fmt: skip
    """Simulate forward dynamics under forces or a controller.

    Constant forces, or a controller that follows --motion. The simulation
    ends early, with a message, if a limit is reached or a singularity is
    near. --json or --output (CSV; netCDF for .nc) writes the time histories.
    A machine of two stages starts at rest in the posture of --share, with
    twelve forces; --share also divides --motion.
    """
    from gough.cli.histories import history_answer, read_motion

    request = request_of(context)
    moved, w = read_motion(request), 2 * pi * bandwidth
    request.note_stage()
    drive = _drive(request, moved, force, controller, w)
    X = request.postures if request.has_pose else None
    data = request.watched("simulating", gough.simulate, request.any_machine, X, None, drive, duration, samples=samples)
    answer = history_answer(request, data, lambda: _simulate_words(request, data))
    # Words say how it ended; with CSV and JSON a note does.
    stopped = [data.attrs["ended"]] if data.attrs["stopped_by"] and not request.is_for_people else []
    unstable = (
        [data.attrs["unstable"] + _stable_instead(request, moved, controller, w)] if data.attrs["unstable"] else []
    )
    request.write(replace(answer, notes=[*stopped, *unstable, *answer.notes]))


def _drive(
    request: Request, motion: motions.Motion | None, force: str | None, controller: str, bandwidth: float
) -> Array | gough.dynamics.Controller | None:
    """Constant actuator forces, or a controller of a bandwidth [rad/s]; None where neither is given."""
    machine, legs = request.any_machine, len(request.legs)
    constant = request.numbers("--force", force, (1, legs))
    if motion is None:
        request.counts_only_with("--motion", "controller", "bandwidth")
        return None if constant is None else constant.repeat(legs // len(constant))
    if constant is not None:
        raise InputError("--force and --motion are mutually exclusive")
    if controller == "computed-torque":
        return gough.dynamics.ComputedTorque(machine, motion, bandwidth=bandwidth)
    how = {"has_integral": controller == "pid", "holds_weight": True}
    return gough.dynamics.LegPID.tuned(machine, motion, bandwidth, **how)


def _stable_instead(request: Request, motion: motions.Motion | None, controller: str, bandwidth: float) -> str:
    """Advice on a bandwidth at which the loop of an unstable controller of each leg settles within the motion."""
    from gough.dynamics.plant import settling_pid

    if motion is None or controller == "computed-torque":
        return ""
    decay, has_integral = 1 / motion.span[1], controller == "pid"
    _, w, poles = settling_pid(request.any_machine, motion, bandwidth, decay, has_integral=has_integral)
    return f"; at home it is stable with --bandwidth {w / (2 * pi):g}" if poles[-1].real <= -decay else ""


def _simulate_words(request: Request, data: xarray.Dataset) -> Words:
    """How it ended, and what it needed of the actuators."""
    import numpy as np

    from gough.cli.histories import peak_words

    m, end = request.any_machine, data.isel(time=-1)
    parts = zip(np.split(end["joint"].to_numpy(), len(m.stages)), m.stages, strict=True)
    joints = m.by_stage(request.show.point(q, stage.legs.joint_unit) for q, stage in parts)
    yield sentence(data.attrs["ended"])
    place = request.show.point(m.end_pose(end["pose"].to_numpy())[:3, 3])
    yield f"The platform is at {place}, the joints at {joints}."
    if "largest_error" in data.attrs:
        yield f"Largest error of a joint: {data.attrs['largest_error']}."
    yield from peak_words(request, data)
