"""Sinatra, Xi and Staicu: forces of three motions.

Figures 3 to 8 of the paper (2009): what a motion asks of the actuators of a sliding-leg hexapod.

The paper's J3 is about the Hooke joint, and the rod's mass centre is taken at mid-length; with that the curves are
the paper's, and an independent model with the full set of constraints gives the same to 1e-6 N (docs/dynamics.md).
"""

import gough

m = gough.load("sinatra2009")
for number, name in ((3, "vertical"), (5, "horizontal"), (7, "rotation")):
    motion = gough.dynamics.named_motion(m, name)  # through amplitude (1 - cos(pi t / 3)), 0 to 3 s
    data = gough.dynamics.motion_loads(m, motion)
    figure = gough.plot.leg_histories(m, data, ["force", "power"])
    figure.update_layout(title=f"Figures {number} and {number + 1}: {name} motion", margin_t=80)
    figure.write_html(f"figures-{number}-and-{number + 1}.html")
    force, power = data.attrs["peak_force"], data.attrs["peak_power"]
    print(f"{name:10}  largest force {force.max():6.3f} N, largest power {power.max():5.3f} W")
    working = [str(i + 1) for i in range(6) if data["power"][75, i] > 0]  # a quarter of the way in time
    print(f"{'':10}  actuators that work while it speeds up: {', '.join(working)}")
