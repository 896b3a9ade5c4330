"""Two controllers, one motion.

PID control of each leg compared with inverse dynamics of the whole machine: joint errors along the vertical motion of
the sliding-leg hexapod of Sinatra, Xi and Staicu (2009).
"""

import numpy as np

import gough

m = gough.load("sinatra2009")
motion = gough.dynamics.named_motion(m, "vertical")
controllers = {
    "each leg by itself": gough.dynamics.LegPID.tuned(m, motion, 200.0, holds_weight=True),
    "computed torque": gough.dynamics.ComputedTorque(m, motion, bandwidth=200.0, model=m.with_payload(0.5, [0, 0, 0])),
}
errors = {}
for name, controller in controllers.items():
    run = gough.simulate(m, m.home, np.zeros(6), controller, 0.5, times=np.linspace(0, 0.5, 101))
    errors[name] = 1e6 * np.abs(run.joint_error).max("leg").to_numpy()
    print(f"{name}: joints off by {errors[name].max():.1f} um at most")
print("(computed torque believes in half a kilogram that is not there)")
gough.plot.histories(run.time, {"largest error of a joint [um]": errors}).write_html("controllers.html")
