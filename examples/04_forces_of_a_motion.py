"""Sinatra, Xi and Staicu: forces of three motions.

Figures 3 to 8 of the paper (2009): input forces and powers of the six actuators of a sliding-leg hexapod. The paper has
curves without numbers and makes two statements about them, which the figures show with the computed result. Markers are
an independent formulation: rigid bodies with multipliers for all joints, at seven times.

Differences: the sign of the forces. Here a positive force drives a slider along its guide, inwards and down (the
paper's z0 points down, as does gravity); the paper does not state the sign of its curves. Its J3 is taken about the
Hooke joint, and the rod's mass centre, which is not printed, at mid-length.
"""

import numpy as np

import gough
from gough import multibody

m = gough.load("sinatra2009")
drives = [f"drive {leg}" for leg in range(1, 7)]
instants = np.linspace(0, 3, 7)


def with_multipliers(motion):
    """Forces of the six drives at the instants, by the multibody engine."""
    found = []
    for X, V, A in zip(*motion(instants), strict=True):
        solids = multibody.hexapod(m, pose=X)
        state = solids.state({"platform": V})
        found.append(multibody.inverse_dynamics(solids, {"platform": A}, drives, state).magnitudes)
    return np.array(found)


def answer(name, force, power):
    """What the paper says of a motion, and whether it is so here."""
    if name == "vertical":
        equal = np.ptp(force, axis=1).max() < 1e-9
        return "“all input forces ... are permanently equal”", equal and np.abs(force[-1, 0]) > np.abs(force[0, 0])
    if name == "rotation":
        rise = np.abs(force[-1]) > np.abs(force[0])
        working = (power[1:-1] > 0).all(axis=0)
        return "“B, D, F only are working ... with increasing forces”", (working & rise).tolist() == 3 * [False, True]
    return "", True


for number, name in ((3, "vertical"), (5, "horizontal"), (7, "rotation")):
    motion = gough.dynamics.named_motion(m, name)  # through amplitude (1 - cos(pi t / 3)), 0 to 3 s
    data = gough.dynamics.motion_forces(m, motion)
    force, power = data["force"].to_numpy(), data["power"].to_numpy()
    words, holds = answer(name, force, power)
    figure = gough.plot.leg_histories(m, data, ["force", "power"])
    other = with_multipliers(motion)
    for leg in range(6):
        marker = {"color": "#334155", "size": 6, "symbol": "circle-open"}
        figure.add_scatter(
            x=instants, y=other[:, leg], mode="markers", marker=marker, name="with multipliers",
            showlegend=leg == 0, row=1, col=1,
        )  # fmt: skip
    words = (
        f"The paper: {words}: {'so here' if holds else 'not so here'}" if words else "The paper only shows the curves"
    )
    title = f"Figures {number} and {number + 1}: {name} motion<br><sub>{words}</sub>"
    figure.update_layout(title=title, margin_t=90)
    figure.write_html(f"figures-{number}-and-{number + 1}.html")
    print(f"{name:10}  largest force {np.abs(force).max():6.3f} N, largest power {np.abs(power).max():5.3f} W")
    print(f"{'':10}  {words}")
    exact = gough.dynamics.motion_forces(m, motion, instants)["force"].to_numpy()
    print(f"{'':10}  the two formulations differ by {np.abs(other - exact).max():.0e} N")
