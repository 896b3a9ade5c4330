"""Calibration of a machine as built.

Jugglebot's platform on strings, measured by cameras: 108 poses, and 60 on another day, after a part had moved. The
calibrated file is sufficient for a controller: `gough inverse` computes the readings of a pose.
"""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import gough
from gough.calibration import expected_accuracy, rehome, validate, write

DATA = Path(__file__).parent / "data"
MM = 1e-3


def session(name):
    rows = np.genfromtxt(DATA / name, delimiter=",", skip_header=1)
    X = np.tile(np.eye(4), (len(rows), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = Rotation.from_quat(rows[:, 9:13]).as_matrix(), rows[:, 6:9] * MM
    turns = rows[:, :6] * 2 * np.pi / m.actuators.transmission
    return 0.6657 + turns, X  # a leg is about 665.7 mm long at motor angle zero


m = gough.load("jugglebot")
q, X = session("jugglebot_108.csv")
parts = ("base_points", "platform_points", "joint_zeros", "gains", "curvatures")
c = gough.calibrate(m, q, X, parameters=parts)
print(c)
print(f"rows kept out of the fit: {c.cross_validation.rms / MM:.3f} mm RMS")
for words in c.undetermined:
    print(f"not determined: {words}")

q_2, X_2 = session("jugglebot_60.csv")
other = validate(c, q_2, X_2)
print(other.shift)
print(f"the other session as it is: {other.rms / MM:.2f} mm RMS")
near = gough.forward_kinematics(c.machine, c.machine.encoders.coordinates(q_2)).matrix
six = gough.choose_poses(c.machine, near, 6, parameters=("joint_zeros",))
again = rehome(c, q_2[six], X_2[six])
rest = np.setdiff1d(np.arange(60), six)
print(f"re-homed by 6 poses, the other 54: {validate(again, q_2[rest], X_2[rest]).rms / MM:.3f} mm RMS")

write(c, "jugglebot-calibrated.toml", like="jugglebot", data=DATA / "jugglebot_108.csv")
built = gough.load("jugglebot-calibrated.toml")
wanted = gough.pose([0, 0, 0.78], [3, 0, 0], "xyz", degrees=True)
readings = built.encoders.readings(gough.inverse_kinematics(built, wanted))
print(f"for 780 mm and 3 deg the controller is given {np.round((readings - 0.6657) / MM, 2)} mm of string")

drawn = gough.forward_kinematics(m, q).matrix
drawn = drawn[gough.limits.is_allowed(m, drawn)]
for count in (12, 18, 36):
    chosen = gough.choose_poses(m, drawn, count, parameters=parts)
    good = expected_accuracy(m, drawn[chosen], region=drawn, parameters=parts, noise={"joints": c.noise["joints"]})
    print(f"{count} chosen poses: {np.sqrt(np.mean(good.position**2)) / MM:.2f} mm expected")

gough.plot.calibration(built, result=c).write_html("jugglebot-calibrated.html")
gough.plot.calibration(built).write_html("jugglebot-remaining-error.html")
