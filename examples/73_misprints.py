"""Misprints of the papers and their corrections.

Every line is computed from the printed form and from the form that works. docs/papers.md quotes these lines, figure by
figure, with the symbols of each document.
"""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

import gough
from gough import multibody

# The supplier's kinematics page: T^-1.
m = gough.load("pitch-circle")
linear = gough.kinematics.linear_map(m)
shift = np.array([1e-3, 1e-3, 0, 0, 0, 0])
row = np.diag(linear.T_inv)  # s_1(dx) / dx, s_2(dy) / dy, ...: one row of six numbers, as printed
true = 1e6 * linear.joint_displacements(shift)
print("kinematics page, T^-1, 1 mm along x and y:")
print(f"  as columns off by {abs(1e6 * linear.T_inv @ shift - true).max():.1f} um,")
print(f"  as the row printed by {abs(1e6 * row * shift - true).max():.0f} um")

# De Sapio 1998, appendix C: displacement in um, printed as mm.
m = gough.load("hexel")
X = gough.pose([0, 0, 0.8])
J, lengths = gough.jacobian(m, X), 1e3 * gough.inverse_kinematics(m, X)
mm = np.diag([1, 1, 1, 1e3, 1e3, 1e3])
Kc = mm @ J.T @ np.diag(0.00042333 * 203250000000 / lengths) @ J @ mm  # N/mm, N, N mm: area times modulus is in N
printed = 1000 * np.linalg.solve(Kc, [0, 0, 1000, 0, 0, 0])
moved = gough.statics.deflection(m, X, [0, 0, 1000, 0, 0, 0])
print(f'De Sapio, appendix C, 1000 N along z: "{printed[2]:.3f} mm" is {1e6 * moved[2]:.3f} um')

# Sinatra, Xi and Staicu 2009, (2) and (3): matrices of a leg.
L0, l0, l3, alpha0 = 0.6, 0.3, 0.5, np.pi / 36
l1 = 2 * (L0 - l0) * np.sin(np.pi / 3 - alpha0) / np.sqrt(2)
beta0, beta = np.arcsin((L0 - l0) / l1), np.arcsin(2 * l0 / l3 * np.sin(np.pi / 6 - alpha0))
h = l1 * np.cos(beta0) + l3 * np.cos(beta)
u1, u2, u3 = np.eye(3)
theta1, theta2 = np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]]), np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
theta3 = np.diag([-1, -1, 1])


def about_z(angle):
    """a_alpha and a_beta of (3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def leg(turn, is_mended):
    """How far a leg at alpha_1 misses the platform at home [m], and the angle of its joint's axes z_2 and z_3 [deg]."""
    sign = 1 if np.isclose((turn - alpha0) % (2 * np.pi / 3), 0) else -1  # A, C, E; B, D, F
    a2 = about_z(-sign * (np.pi / 3 + alpha0))
    tilt = np.array([[np.cos(beta0), 0, -np.sin(beta0)], [0, 1, 0], [np.sin(beta0), 0, np.cos(beta0)]])
    a10 = tilt @ theta3 @ about_z(turn)
    a20 = theta1 @ (a2 if is_mended else a2.T) @ tilt.T @ a10
    a30 = about_z(beta) @ (theta1 if is_mended else np.eye(3)) @ theta2 @ a20
    end = L0 * about_z(turn).T @ u1 + l1 * a10.T @ u3 + l3 * a30.T @ u2  # (7), (8) with lambda = 0
    target = h * u3 + l0 * (about_z(sign * (np.pi / 3 - 2 * alpha0)) @ about_z(turn)).T @ u1
    return np.linalg.norm(end - target), np.degrees(np.arccos(min(abs(a20[2] @ a30[2]), 1.0)))


part = 2 * np.pi / 3
turns = [alpha0, part - alpha0, part + alpha0, -part - alpha0, -part + alpha0, -alpha0]
for words, is_mended in (("as printed", False), ("with a_2alpha not transposed and theta_1 in a_32", True)):
    misses, angles = np.transpose([leg(turn, is_mended) for turn in turns])
    print(f"Sinatra, (2), {words}: legs A, C, E miss the platform at home by {misses[0]:.3f} m,")
    print(f"  B, D, F by {misses[1]:.3f} m; the axes of the Hooke joint are {angles.max():.0f} deg apart")

# Sinatra (20): m_k before the moments of inertia, and J_3.
m = gough.load("sinatra2009")


def largest(machine):
    """Largest force of the vertical motion [N]."""
    motion = gough.dynamics.named_motion(machine, "vertical")
    return abs(gough.dynamics.motion_forces(machine, motion, np.linspace(0, 3, 61)).force.to_numpy()).max()


rod = m.leg_bodies["rod"]
mass, J3 = 0.398, 0.0722  # (24); J_3 about the Hooke joint
literally = replace(rod, inertia=rod.inertia - (1 - mass) * J3 * np.diag([1.0, 1.0, 0.0]))
once = largest(m), largest(replace(m, leg_bodies={**m.leg_bodies, "rod": literally}))
print(f"Sinatra, (20): largest force of the vertical motion {once[0]:.4f} N; with m_k before J_k {once[1]:.4f} N")
uniform = mass * l3**2 / 3
print(f"Sinatra, (24): J_3 = {J3} kg m2 is {J3 / uniform:.2f} times {uniform:.4f} kg m2, that of a uniform rod")

# Dumitriu and Margaritescu 2016, (27): the angle of the second bar.
motion = multibody.simulate(multibody.double_pendulum(), 0.5)
T, R = motion.Z[:, 1, :, 0], motion.Z[:, 1, :, 1:]
bar = R @ [0.1 * np.cos(np.pi / 18), 0.1 * np.sin(np.pi / 18), 0]
psi, wrong = (np.arctan2(each[:, 1], each[:, 0]) for each in (bar, T + bar))
apart = motion.position("bar 2") - motion.position("bar 1", motion.system.joints[1].centre)  # H1G2 by (3)
other = np.arctan2(apart[:, 1], apart[:, 0])
print(f"Dumitriu 2016, (27): psi with T* off by up to {abs(wrong - other).max():.2f} rad in 0.5 s,")
print(f"  without by {abs(psi - other).max():.0e} rad")

# Dumitriu et al. 2017, (6), (10), the force at rest, (18).
m = gough.load("dumitriu2017")
ranks = [int(np.linalg.matrix_rank(np.diag(K))) for K in ([0, 0, 0.0071], [0, 0, 0.0031], [0.0324, 0.0324, 0])]
print(f"Dumitriu 2017, (6): ranks of K_G of lower part, upper part and platform: {ranks}; inverted in (6)")
FORCES = [9.5, 9.5] + [8.5105] * 4
exact, printed = (multibody.hexapod(m, forces=FORCES, struts=struts) for struts in ("UCU", "UCU-printed"))
x0, y0, _ = np.eye(3)
joints = [replace(each, first_axis=x0, second_axis=y0) if each.kind == "universal" else each for each in printed.joints]
upright = multibody.System(printed.bodies, joints, printed.force_elements, printed.gravity)
motions = {}
for words, system in (("exact", exact), ("as printed, axes across the legs", printed), ("axes x0 and y0", upright)):
    start = multibody.solver_for(system).solve(0.0, *system.state()).acceleration[12]
    motions[words] = multibody.simulate(system, 0.5).pose("platform")
    off = abs(motions[words] - motions["exact"])[-1]
    print(f"Dumitriu 2017, (10), {words}: the platform starts with {start[2, 2]:.4f} rad/s2 about x;")
    print(f"  after 0.5 s {1e3 * np.linalg.norm(off[:3, 3]):.1f} mm apart, elements of R by {off[:3, :3].max():.3f}")
angles = np.degrees(gough.euler_angles(motions["exact"][-1], "XYZ"))
print(f"Dumitriu 2017, (18): angles after 0.5 s {angles[0]:.2f}, {abs(angles[1]):.2f}, {abs(angles[2]):.2f} deg")

figure = go.Figure(layout={"template": "plotly_white", "title": "Equation (27) of 2016: angle of the second bar"})
for name, values in (("as printed, with T*", wrong), ("without T*", psi)):
    figure.add_scatter(x=motion.time, y=values, name=name)
figure.update_xaxes(title="time [s]").update_yaxes(title="ψ [rad]")
figure.write_html("misprints.html")
