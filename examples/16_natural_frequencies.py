"""Natural frequencies over the workspace.

Vibration modes of the platform on its elastic legs, and the pose with the lowest frequency.
"""

import gough

m = gough.load("pitch-circle")
found = gough.natural_frequencies(m, m.home)
print("at home:", found.frequency.round(1), "Hz")
lowest = gough.dynamics.lowest_frequency(m, samples=7)
print(f"lowest {lowest.value:.1f} Hz at {1e3 * lowest.position.round(4)} mm, held by {', '.join(lowest.active_limits)}")
over = gough.dynamics.frequency_map(m, y=float(m.X_home[1, 3]), samples=15)
gough.plot.position_map(m, over.frequency[..., 0], "first natural frequency [Hz]").write_html("frequencies.html")
