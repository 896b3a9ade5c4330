"""De Sapio: from strut displacements to a pose.

Figures 22 and 23 of the report (1998): its animator (appendix D) moves to given strut displacements in 50 increments;
position and Euler angles are incremented by the inverse Jacobian times the remaining strut displacements. The report
draws the motion without numbers.

Differences: the animator does not end exactly at the pose with these lengths; its error decreases with the square of
the number of increments. Forward kinematics here solves the leg equations. The line marks the report's 50 increments.
"""

import numpy as np
import plotly.graph_objects as go

import gough
from gough import motion

m = gough.load("hexel")
displacement = 1e-3 * np.array([10, -5, 20, 0, 15, -10])
counts = [5, 10, 25, 50, 100, 200, 400]
runs = [motion.joint_space.incremental_forward(m, m.home, displacement, increments=n) for n in counts]
errors = 1e6 * np.array([run.position_error[-1] for run in runs])
for n, run, error in zip(counts, runs, errors, strict=True):
    print(f"{n:4} increments: {error:9.4f} um off, struts lack up to {1e6 * np.abs(run.joint_error[-1]).max():.4f} um")
print(f"twice the increments, {errors[4] / errors[3]:.2f} of the error")

figure = go.Figure(go.Scatter(x=counts, y=errors, mode="lines+markers", line_color="#c2410c", name="error"))
dash = {"dash": "dash", "color": "#64748b"}
ends = [errors.max(), errors.min()]
figure.add_scatter(x=[50, 50], y=ends, mode="lines", line=dash, name="the report's 50 increments")
figure.update_xaxes(type="log", title="increments", tickvals=counts)
figure.update_yaxes(type="log", title="animator's pose less the exact one [um]", exponentformat="power")
figure.update_layout(title="Appendix D: the error of the animator", template="plotly_white", legend={"x": 0.6, "y": 1})
figure.write_html("increments.html")
moved = motion.leg_motion(m, motion.Spline(runs[3].matrix)).rename(s="time")  # figure 23 is the report's animation
gough.plot.animation(m, moved, frames=25).write_html("figure-23.html", include_plotlyjs="directory", auto_play=False)
