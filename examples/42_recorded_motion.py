"""A ship's motion on a platform that is too small for it: scaled by the coupled workspace, not by single axes."""

from pathlib import Path

import numpy as np

import gough
from gough import motion, plot

m = gough.load("nasa-msfc")
rows = np.genfromtxt(Path(__file__).parent / "data" / "vessel_motion.csv", delimiter=",", skip_header=1)
X = gough.pose(rows[:, 1:4], rows[:, 4:], "xyz", degrees=True)
ship = motion.RecordedMotion(rows[:, 0], X, cutoff=1.0).relative("mean")
heave = ship(ship.time)[0][:, 2, 3]
print(f"The ship heaves by {np.ptp(heave):.2f} m in a minute; {m.title} has 1.91 m.")

axes = motion.per_axis_scale(m, ship)
found = {
    "one gain": motion.fit_motion(m, ship, fade=3.0),
    "varying gain": motion.fit_motion(m, ship, gain="varying", fade=3.0),
}
print(
    f"Gain by a safe box on six axes: {axes.safe:.3f}; by each axis alone, which the legs cannot do: {axes.alone:.3f}."
)
for name, fit in found.items():
    print(
        f"Gain by the coupled workspace, {name}: {fit.gain.max():.3f} at most, {fit.scale:.3f} in the mean; smallest "
        f"margin {fit.worst:.3f} ({fit.binding}), fastest leg at {100 * fit.speed_used:.0f} % of its speed."
    )
figure = plot.fitted_motion(found, axes)
figure.write_html("fitted_motion.html", include_plotlyjs="directory")

# What riders would feel of it: onsets, and tilt for what lasts. The whole of it fits.
felt = motion.fit_motion(m, motion.washout(ship, m.gravity), fade=0.0)
print(f"Washed out it fits with a gain of {felt.gain.max():.2f} and a margin of {felt.worst:.2f}.")
