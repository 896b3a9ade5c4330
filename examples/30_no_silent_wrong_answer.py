"""Forward kinematics without silent errors.

2000 poses rotated by up to 45 degrees: which solutions are the drawn pose? And all poses with the same joint
coordinates.
"""

import numpy as np

import gough

SAME = 1e-6  # of pose matrices, machine sizes
COUNT, PARTS = 2000, 2000


def controller(m, q, steps=100, fits=1e-9):
    """Poses (n, 4, 4) by Newton's method from home, rotation steps added to roll, pitch and yaw; which fit the legs."""
    x = np.tile([*m.X_home[:3, 3], 0.0, 0.0, 0.0], (len(q), 1))
    for _ in range(steps):
        R = gough.pose_matrix(x[:, :3], x[:, 3:], "xyz")[:, :3, :3]
        arm = np.einsum("nij,lj->nli", R, m.b_P)
        d = arm + x[:, None, :3] - m.legs.a_B
        length = np.linalg.norm(d, axis=2)
        u = d / length[..., None]
        J = np.concatenate([u, np.cross(arm, u)], axis=2)
        x += np.linalg.solve(J, (q - length)[..., None])[..., 0]
    X = gough.pose_matrix(x[:, :3], x[:, 3:], "xyz")
    return X, np.abs(gough.inverse_kinematics(m, X) - q).max(axis=1) < fits


def is_same(m, X, Y):
    off = np.abs(X - Y)
    return np.maximum(off[..., :3, 3].max(axis=-1) / m.size, off[..., :3, :3].max(axis=(-2, -1))) < SAME


def is_continued(m, q, answer, drawn):
    """Whether both poses are modes of q, and the legs led there from home in small parts give the answer."""
    modes = gough.assembly_modes(m, q)
    if not (is_same(m, modes.matrix, answer).any() and is_same(m, modes.matrix, drawn).any()):
        return False
    q_home = gough.inverse_kinematics(m, m.home)
    way = gough.ForwardSolver(m).follow(q_home + np.linspace(0, 1, PARTS)[:, None] * (q - q_home))
    return way.is_near.all() and is_same(m, way.matrix[-1], answer)


m = gough.load("linuxcnc")
rng = np.random.default_rng(45)
X = gough.pose_matrix(
    m.X_home[:3, 3] + 0.1 * m.size * rng.uniform(-1, 1, (COUNT, 3)),
    rng.uniform(-45, 45, (COUNT, 3)),
    "xyz",
    degrees=True,
)
q = gough.inverse_kinematics(m, X)

s = gough.forward_kinematics(m, q, throw=False)
back = s.is_near & is_same(m, s.matrix, X)
flagged = ~s.is_near
other = np.flatnonzero(s.is_near & ~back)
continued = np.array([is_continued(m, q[k], s.matrix[k], X[k]) for k in other], dtype=bool)
print(
    f"Gough: {back.sum()} of {COUNT} the drawn pose, {flagged.sum()} flagged, {continued.sum()} another mode than the"
)
print(f"drawn one, to which the legs lead from home; {len(other) - continued.sum()} silent wrong answers")

Y, says_so = controller(m, q)
drawn, led_to = is_same(m, Y, X), s.is_near & is_same(m, Y, s.matrix)
print(f"roll, pitch and yaw: {(says_so & drawn).sum()} the drawn pose, {(~says_so).sum()} without an answer,")
print(
    f"{(says_so & ~drawn & led_to).sum()} the mode to which the legs lead; {(says_so & ~drawn & ~led_to).sum()} silent"
)
print("wrong answers: poses that fit the legs, where the machine is not")

m = gough.load("hexel")
modes = gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
print(f"hexel at home: {len(modes)} poses have the same legs, {modes.within_limits.sum()} of them within the limits,")
print(f"{modes.certified.sum()} proven; the next one is {1e3 * modes.matrix[1, 2, 3]:.1f} mm high instead of 800")
gough.plot.assembly_modes(m, modes).write_html("modes.html")
