"""Dumitriu: direct dynamics of thirteen solids.

Figures 2 to 4 of the paper (2017), under its forces: 9.5 N in legs 1 and 2, 8.5105 N in the others.

Differences: the paper prints a static force of 8.5105 N in each leg. With parts of 0.40 m, as in its text, first
principles and three independent codes yield 8.53329 N at g = 9.81 m/s2. Its Poinsot values, 0.0071 and 0.0031, belong
to parts of 0.35 m with mass centres at 0.175 m, for which the force is 8.5104 N for legs of the printed 0.5320 m, and
8.5105 N for 0.53197 m, which rounds to the same. The first figure has both machines. The paper states that only the
angle α2 varies; by its own matrix (18) a rotation about x0 is α1, which varies here. Its l1 = l2, l5 = l4 and l6 = l3
hold.

Equations (10) and (11) as printed hold close to the initial configuration only (`struts="UCU-printed"`): dotted lines
in the second figure.
"""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

import gough
from gough import multibody, plot

machine = gough.load("dumitriu2017")
system = multibody.hexapod(machine)
counts = system.counts
print(f"{counts.differential} differential equations, {counts.orthogonality} + {counts.joints} constraints")

drives = [f"drive {i}" for i in range(1, 7)]
held = multibody.inverse_dynamics(system, {"platform": np.zeros(6)}, drives)
print(f"force in each leg at rest: {held.magnitudes[0]:.5f} N; printed: {machine.published['static_leg_force_N']} N")


def with_parts_of(length):
    """The machine with homogeneous parts of this length [m], whose mass centres lie at its half."""
    half = np.array([0, 0, length / 2])
    ends = {"cylinder": half, "piston": -half}
    return replace(
        machine,
        leg_bodies={
            name: replace(part, mass_centre=np.tile(ends[name], (6, 1))) for name, part in machine.leg_bodies.items()
        },
    )


PRINTED = machine.published["static_leg_force_N"]
shorter = with_parts_of(0.35)
lighter = gough.inverse_dynamics(shorter, shorter.home, np.zeros(6), np.zeros(6))
K = [mass * 0.35**2 / 12 for mass in (0.7, 0.3)]
print(f"parts of 0.35 m: Poinsot values {K[0]:.5f} and {K[1]:.5f} kg m2 (printed 0.0071, 0.0031), {lighter[0]:.4f} N")
rest = go.Figure()
for name, forces, color in (("parts of 0.40 m", held.magnitudes, "#c2410c"), ("parts of 0.35 m", lighter, "#0f766e")):
    marker = {"color": color, "size": 12}
    rest.add_scatter(x=[f"leg {k}" for k in range(1, 7)], y=forces, mode="markers", marker=marker, name=name)
rest.add_hline(PRINTED, line_dash="dash", annotation_text=f"printed: {PRINTED} N", annotation_position="top right")
rest.update_yaxes(range=[8.49, 8.55], title="force at rest [N]")
rest.update_layout(title=f"At rest: {held.magnitudes[0]:.5f} N and {lighter[0]:.4f} N", template="plotly_white")
rest.write_html("at-rest.html")

FORCES = [9.5, 9.5] + [PRINTED] * 4
motion = multibody.simulate(multibody.hexapod(machine, forces=FORCES), 0.5)
shift = motion.position("platform") - motion.position("platform")[0]
angles = np.degrees(gough.euler_angles(motion.pose("platform"), "XYZ"))
lengths = gough.inverse_kinematics(machine, motion.pose("platform"))
figure = plot.histories(
    motion.time,
    {
        "translation [m]": {f"along {axis}": shift[:, k] for k, axis in enumerate("xyz")},
        "Tait-Bryant angle [deg]": {f"α{k + 1}": angles[:, k] for k in range(3)},
        "leg length [m]": {f"l{k + 1}": lengths[:, k] for k in range(6)},
        "force on the platform [N]": {
            f"joint {k}": np.linalg.norm(motion.reaction(f"platform {k}")[:, :3], axis=1) for k in range(1, 7)
        },
    },
)
printed = multibody.simulate(multibody.hexapod(machine, forces=FORCES, struts="UCU-printed"), 0.5)
way = printed.position("platform") - printed.position("platform")[0]
turns = np.degrees(gough.euler_angles(printed.pose("platform"), "XYZ"))
line = {"dash": "dot", "color": "#64748b"}
for row, name, values in ((1, "along z, (10) as printed", way[:, 2]), (2, "α1, (10) as printed", turns[:, 0])):
    legend = "legend" if row == 1 else "legend2"
    figure.add_scatter(x=printed.time, y=values, line=line, name=name, legend=legend, row=row, col=1)
figure.write_html("thirteen-solids.html", include_plotlyjs=True)
print(f"after 0.5 s the platform is {shift[-1, 2]:.6f} m higher and turned by {angles[-1, 0]:.4f} deg about x")
print(f"  (10) and (11) as printed: {way[-1, 2]:.6f} m higher, turned by {turns[-1, 0]:.4f} deg")
fall = multibody.simulate(multibody.hexapod(shorter, forces=FORCES), 0.5)
rise = fall.position("platform")[-1, 2] - fall.position("platform")[0, 2]
turn = np.degrees(gough.euler_angles(fall.pose("platform")[-1], "XYZ"))[0]
print(f"  parts of 0.35 m: {rise:.6f} m higher, turned by {turn:.4f} deg")
pairs = max(np.abs(lengths[:, i] - lengths[:, j]).max() for i, j in ((0, 1), (4, 3), (5, 2)))
print(f"l1 = l2, l5 = l4, l6 = l3 to {pairs:.0e} m; α2 and α3 stay below {np.abs(angles[:, 1:]).max():.0e} deg")
print(f"constraints: {motion.residuals()[0].max():.1e}")
print("figures 2 to 4, and the reactions at the platform, in thirteen-solids.html")
