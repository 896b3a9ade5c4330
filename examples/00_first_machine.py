"""First machine in ten minutes.

From a drawing to a datasheet, with every line explained. Install Gough with ``pip install .`` in a checkout, and run
the text below as a script, or cell by cell as a notebook (download at the end of this page).
"""

# %%
# The drawing
# -----------
#
# A small positioner: a base plate, a platform, six struts that extend. A drawing gives where the struts' joints are:
# on the base, three pairs on a circle of 150 mm, the joints of a pair 24 degrees apart; on the platform, three pairs on
# a circle of 100 mm that meet the other way round. At mid-stroke the platform's joints are 190 mm above the base's.
#
# .. image:: /_generated/first-machine.svg
#    :alt: Plan and side view of the machine: pitch circles, pairs of joints, heights
#
# Legs are numbered 1 to 6 counterclockwise from the pair at 270 degrees, joints of a leg in the same place in both
# lists. The base frame B is in the middle of the base's joints, z up; the platform frame P in the middle of the
# platform's joints.
#
# The machine file
# ----------------
#
# A machine is a text file. Numbers are in the units that the file names; everything but the joints may be left out, and
# each thing that you add lets Gough say more. :doc:`/machine-files` explains every key.

from pathlib import Path

import numpy as np

import gough

Path("first.toml").write_text(
    """
name = "first"
title = "My first machine"

[units]                          # of every number below
length = "mm"
angle = "deg"

[base]                           # the joints that stay
pitch_circle = { radius = 150, pair_angle = 24 }

[platform]                       # the joints that move, leg by leg in the same order
pitch_circle = { radius = 100, pair_angle = 96 }
mass = 4.2                       # kg, with all that is fixed to it

[home]                           # where the platform is at mid-stroke
translation = [0, 0, 190]

[limits]
travel_min = -25                 # of the struts, counted from home
travel_max = 25
joint_speed = 10                 # mm/s
actuator_force = 250             # N
leg_radius = 8                   # legs must not touch
base_cone = { half_angle = 25 }  # how far the base joints let the legs lean

[actuators]
resolution = 0.0001              # smallest step of a strut
stiffness = 4e7                  # N/m, along a strut
""",
    encoding="utf-8",
)

# %%
# Load it. A mistake in the file is refused with one sentence for each problem: which key, what was expected.

m = gough.load("first.toml")
print(m.title, "-", m.legs.title)

# %%
# Look at it: drag to turn, scroll to zoom. If it does not look like your machine, a joint is in the wrong place.

gough.plot.machine(m).write_html("machine.html")

# %%
# A pose
# ------
#
# A pose is where the platform frame is in the base frame: a translation in metres, and angles about axes that you name.
# Capitals turn about the moving axes: ``"XYZ"`` is R = Rx Ry Rz. There is no default, because controllers differ
# (:doc:`/conventions`).
#
# .. image:: /_generated/frames.svg
#    :alt: Base frame B, platform frame P and tool frame T, with the pose that leads from one to the other
#
# ``displaced`` moves the platform from home instead, here by 5 mm along x and 3 degrees about y.

X = gough.frames.displaced(m, gough.pose([0.005, 0, 0], [0, 3, 0], "XYZ", degrees=True))
q = gough.inverse_kinematics(m, X)  # six strut lengths from joint to joint [m]
print("struts [mm]:", (1e3 * q).round(3))

# %%
# Back again: from strut lengths to the pose. The answer carries its evidence: how well the legs fit, and whether
# exactly one pose is proven to be there.

s = gough.forward_kinematics(m, q)
print(f"fits to {s.residual:.0e} m, proven: {bool(s.certified)}, off by {np.abs(s.matrix - X.as_matrix()).max():.0e}")

# %%
# Can it go there?
# ----------------
#
# Margins are signed distances to every limit: positive is allowed. The sentence names what is closest.

g = gough.margins(m, X)
print("allowed:", bool(g.is_allowed), "- closest:", g.sentence())
far = gough.frames.displaced(m, gough.pose([0, 0, 0.06]))
print("60 mm up:", gough.margins(m, far).sentence())

# %%
# How far can it go along each axis, and what ends it?

print(gough.travel_table(m))
gough.plot.travel(m).write_html("travel.html")

# %%
# Where can it go without turning? The colours say which limit ends the workspace where.

w = gough.workspace(m, samples=25)
print(f"{1e6 * w.volume:.0f} cm3")
gough.plot.workspace(m, result=w).write_html("workspace.html")

# %%
# How well does it do it?
# -----------------------
#
# The file knows the struts' steps, stiffness, speed and force, so:

print(f"smallest step, worst case: {1e6 * gough.accuracy.resolution(m, m.home).worst_translation:.2f} um")
print(f"speed in every direction: {1e3 * gough.velocity_envelope(m, m.home).guaranteed():.1f} mm/s")
stiff = gough.statics.principal_stiffness(gough.stiffness(m, m.home))
print("stiffness [N/um]:", (stiff.translation / 1e6).round(1))
print("payload:", gough.statics.payload_table(m, m.home)[-1])

# %%
# The datasheet
# -------------
#
# All of this, and more, on one page that you can send by mail. On the command line: ``gough report first.toml``.

sheet = gough.report(m, summary=True)
sheet.write("first-datasheet.html")
print(sheet)

# %%
# Ways on
# -------
#
# - Drive it: a page on which the machine moves, ``gough view first.toml`` (:doc:`/viewer`).
# - Put it on a path, and prove that no limit is crossed between its points: :doc:`/motion`, part programs in G-code:
#   :doc:`/part-programs`.
# - Measure what was built: :doc:`/calibration`.
# - Simulate it: give its parts masses, then :doc:`/dynamics`.
# - Know every pose with the same strut lengths: :doc:`/assembly-modes`.
# - Write it for another program: :doc:`/api/export`.
# - Questions by what you do with hexapods: :doc:`/readers/index`.
