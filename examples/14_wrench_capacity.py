"""Payload and wrench capacity.

Payloads in every mounting, exact for the worst direction of gravity; forces along every direction; the force of each
leg.
"""

import gough

m = gough.load("pitch-circle")
for row in gough.statics.payload_table(m, m.home):
    print(f"{row.mounting:>14}: {row.mass:.2f} kg, leg {row.leg} at its limit")
print(f"in any direction {gough.statics.guaranteed_wrench(m, m.home):.1f} N")
gough.plot.wrench_capacity(m).write_html("capacity.html")

force = gough.leg_forces(m, m.home, [50, 0, -200, 0, 0, 0], gravity=True)
print("leg forces under 50 N along x, 200 N down and the weight:", force.round(1), "N")
gough.plot.leg_forces(m, force).write_html("leg-forces.html")
