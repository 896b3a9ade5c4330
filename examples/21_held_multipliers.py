"""Dumitriu: multipliers held over a step.

Multipliers held over a step, as in the papers, compared with multipliers at every evaluation: holding them reduces the
order of the integration.
"""

import numpy as np

from gough import multibody, plot

time = np.linspace(0, 0.5, 101)
system = multibody.double_pendulum()


def angles(motion):
    R = motion.Z[:, :2, :, 1:]
    return np.unwrap(np.arctan2(R[..., 1, 0], R[..., 0, 0]), axis=0)


truth = angles(multibody.simulate(system, times=time))
methods = {
    "held, as in the papers": {"multipliers": "held", "project": False, "solver": "two-step"},
    "held, projected": {"multipliers": "held"},
    "at every evaluation": {"project": False},
    "at every evaluation, projected": {},
}
quarter = time[:51]  # where the order is measured
errors, residuals = {}, {}
for name, options in methods.items():
    motion = multibody.simulate(system, times=time, step=1e-3, **options)
    half = multibody.simulate(system, times=quarter, step=5e-4, **options)
    errors[name] = np.maximum(np.abs(angles(motion) - truth).max(axis=1), 1e-17)
    residuals[name] = np.maximum(motion.residuals()[0], 1e-17)
    order = np.log2(errors[name][:51].max() / np.abs(angles(half) - truth[:51]).max())
    off, gap = errors[name].max(), residuals[name].max()
    print(f"{name}: angles off by {off:.1e} rad, constraints by {gap:.1e}, with steps of 1 ms; order {order:.2f}")

panels = {"error of the angles [rad]": errors, "departure from the constraints [m, 1]": residuals}
figure = plot.histories(time, panels, logarithmic=True)
figure.write_html("held-multipliers.html", include_plotlyjs=True)
print("both errors over time in held-multipliers.html")
