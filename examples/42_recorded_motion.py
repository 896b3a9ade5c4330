"""A ship's motion on a platform that is too small.

The motion is scaled in the coupled workspace, not axis by axis.
"""

from pathlib import Path

import numpy as np

import gough
from gough import motion, plot

m = gough.load("nasa-msfc")
rows = np.genfromtxt(Path(__file__).parent / "data" / "vessel_motion.csv", delimiter=",", skip_header=1)
X = gough.pose(rows[:, 1:4], rows[:, 4:], "xyz", degrees=True)
ship = motion.recorded.RecordedMotion(rows[:, 0], X, cutoff=1.0).relative("mean")
heave = ship(ship.time)[0][:, 2, 3]
print(f"The ship heaves by {np.ptp(heave):.2f} m in a minute; {m.title} has 1.91 m.")

axes = motion.recorded.per_axis_scale(m, ship)
found = {
    "one gain": motion.recorded.fit_motion(m, ship, fade=3.0),
    "varying gain": motion.recorded.fit_motion(m, ship, gain="varying", fade=3.0),
}
print(
    f"Gain by a safe box on six axes: {axes.safe:.3f}; by each axis alone, which the legs cannot do: {axes.alone:.3f}."
)
for name, fit in found.items():
    print(
        f"Gain by the coupled workspace, {name}: {fit.gain.max():.3f} at most, {fit.scale:.3f} in the mean; smallest "
        f"margin {fit.worst:.3f} ({fit.binding}), fastest leg at {100 * fit.speed_used:.0f} % of its speed."
    )
plot.fitted_motion(found, axes).write_html("fitted_motion.html", include_plotlyjs="directory")

# Washed out: the surge is felt by tilting, the heave, whose swell takes 14 s, by a filter that is slow along z.
filters = {"translation": [0.7, 0.7, 0.2], "third": 0.0, "tilt": 1.0, "rotation": 0.3, "damping": 0.7}
felt = motion.recorded.fit_motion(m, motion.recorded.washout(ship, m.gravity, **filters))
print(f"Washed out it fits with a gain of {felt.gain.max():.3f}.")
t = np.linspace(ship.span[0] + 3, ship.span[1] - 3, 541)
forces = {
    name: motion.recorded.specific_force(one, t, m.gravity) for name, one in (("ship", ship), ("rider", felt.motion))
}
alike = [np.corrcoef(forces["ship"][:, k], forces["rider"][:, k])[0, 1] for k in (0, 2)]
print(f"What is felt goes with the ship's motion: correlation of surge {alike[0]:.2f} and heave {alike[1]:.2f}.")
plot.histories(
    t,
    {
        "specific force along x [m/s2]": {name: f[:, 0] for name, f in forces.items()},
        "along z, less its mean [m/s2]": {name: f[:, 2] - f[:, 2].mean() for name, f in forces.items()},
    },
).write_html("felt.html", include_plotlyjs="directory")

# The other way round: on the ship, and the platform still in space. Heave, roll and pitch count; the deck may surge.
held = motion.recorded.compensate(m, ship, mount=gough.pose([0, 0, 2.0]), axes=("z", "rx", "ry"), gain="varying")
before, after = held.rms("uncompensated"), held.rms("remaining")
print(
    f"Compensated: heave {1e3 * before[2]:.0f} -> {1e3 * after[2]:.0f} mm, roll {np.degrees(before[3]):.2f} -> "
    f"{np.degrees(after[3]):.2f} deg, RMS, with a gain of {held.fitted.scale:.2f} in the mean."
)
plot.compensated_motion(held).write_html("compensated.html", include_plotlyjs="directory")
