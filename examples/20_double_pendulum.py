"""Dumitriu and Margaritescu: the double pendulum.

Figures 2 to 6 of the paper (2016), with all nine elements of each rotation matrix as coordinates. Dashed lines are the
paper's initial angles, 20 and 10 degrees; markers in figure 2 are its own check, the classical Lagrange equations (26),
integrated here.

Differences: the paper holds its multipliers constant over a step and states that this has "no major influence on the
accuracy"; here they are computed at every evaluation. The example on held multipliers shows the error. The paper has
curves without numbers.
"""

import numpy as np
from scipy.integrate import solve_ivp

from gough import multibody, plot

m, length, width, g = 0.108, 0.2, 0.02, 9.81


def lagrange(time, y):
    """Equations (26) of the paper."""
    phi, psi, phi_t, psi_t = y
    inertia = m * (length**2 + width**2) / 12
    half, c, s = m * length**2 / 2, np.cos(phi - psi), np.sin(phi - psi)
    mass = [[inertia + 1.25 * m * length**2, half * c], [half * c, inertia + 0.25 * m * length**2]]
    load = [
        -half * s * psi_t**2 - 1.5 * m * g * length * np.sin(phi),
        half * s * phi_t**2 - 0.5 * m * g * length * np.sin(psi),
    ]
    return [phi_t, psi_t, *np.linalg.solve(mass, load)]


time = np.linspace(0, 3, 601)
motion = multibody.simulate(multibody.double_pendulum(), times=time)
start = [np.pi / 9, np.pi / 18, 0, 0]
reference = solve_ivp(lagrange, (0, 3), start, method="DOP853", t_eval=time, rtol=1e-12, atol=1e-13).y

hinge = motion.position("bar 1", motion.system.joints[1].centre)
bar = motion.position("bar 2") - hinge
phi, psi = np.arctan2(hinge[:, 1], hinge[:, 0]), np.arctan2(bar[:, 1], bar[:, 0])
one, two = motion.orthogonality("bar 1"), motion.orthogonality("bar 2")
at_O, at_H = motion.multipliers("O"), motion.multipliers("H")

figure = plot.histories(
    time,
    {
        "angle [rad]": {
            "φ, R and T*": phi,
            "ψ, R and T*": psi,
        },
        "Λ₁ [N m]": {"Λ₁,₁₁": one[:, 0, 0], "Λ₁,₁₂": one[:, 0, 1], "Λ₁,₂₂": one[:, 1, 1]},
        "Λ₂ [N m]": {"Λ₂,₁₁": two[:, 0, 0], "Λ₂,₁₂": two[:, 0, 1], "Λ₂,₂₂": two[:, 1, 1]},
        "force on the ground at O [N]": {"Λ₀₁ along x": at_O[:, 0], "along y": at_O[:, 1], "along z": at_O[:, 2]},
        "force on bar 1 at H [N]": {"Λ₁₂ along x": at_H[:, 0], "along y": at_H[:, 1], "along z": at_H[:, 2]},
    },
)
for k, name in enumerate(("φ, eq. (26)", "ψ, eq. (26)")):
    some = slice(None, None, 20)
    marker = {"symbol": "circle-open", "size": 7, "color": "#334155"}
    figure.add_scatter(x=time[some], y=reference[k][some], mode="markers", marker=marker, name=name, row=1, col=1)
    figure.add_hline(start[k], line_dash="dash", line_color="#94a3b8", row=1, col=1)
figure.write_html("double-pendulum.html", include_plotlyjs=True)
inertia = 1e4 * m * (length**2 + width**2) / 12
print(f"moment of inertia of a bar: {inertia:.3f} kg cm2; printed: 3.636")

print(f"angles against eq. (26): {max(np.abs(phi - reference[0]).max(), np.abs(psi - reference[1]).max()):.1e} rad")
print(f"out of the plane: {np.abs(motion.Z[:, :2, 2, :3]).max():.1e}; constraints: {motion.residuals()[0].max():.1e}")
print(f"energy drift: {np.ptp(motion.energy()) / abs(motion.energy()[0]):.1e}")
newton = m * (2 * np.array([g, 0, 0]) - motion.acceleration("bar 1") - motion.acceleration("bar 2"))
print(f"multipliers at O less Newton's reaction: {np.abs(at_O - newton).max():.1e} N")
print("figures 2 to 6 in double-pendulum.html")
