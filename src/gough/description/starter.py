"""The commented machine file from which `gough new` starts.

Prose begins with "# ", a setting that is switched off with "#" alone: without the "#" the file is still a right one.
"""

from __future__ import annotations

from gough.errors import InputError, nearest

_HEAD = """\
# A machine file for Gough: {what}.
# Change the numbers, then: gough check FILE. The page docs/machine-files.md explains every key.

name = "{name}"
title = "My hexapod"
source = "where the numbers come from"
#notes = "what a reader of the numbers must know"
#gravity = [0, 0, -9.80665] # m/s2, in the base frame

# Units of all numbers below; SI where a line is missing.
[units]
length = "mm"
angle = "deg"
#mass = "kg"
#time = "s"
#force = "N"
#torque = "N m"
#inertia = "kg m2"
#stiffness = "N/m"
#pressure = "Pa"
#area = "m2"
"""

_LEGS = {
    "UPS": """
# Joints of the base, in the base frame: six points, or fewer and `of_leg` where legs share a joint. Here: three pairs
# on a circle, at 270, 30 and 150 deg, minus and plus half the pair's angle.
[base]
pitch_circle = { radius = 200, pair_angle = 20 }

# Joints of the platform, in the platform frame, in the same order.
[platform]
pitch_circle = { radius = 120, pair_angle = 100 }
#mass = 5
#mass_centre = [0, 0, 0]
#inertia = { xx = 0.02, yy = 0.02, zz = 0.035 }

# UPS and UCU legs extend; the joint coordinate is the leg's length.
[legs]
kind = "UPS"

# Parts of a leg: the frame of the cylinder stands on the base joint, that of the piston on the platform joint; z points
# along the leg from base to platform.
#[legs.bodies.cylinder]
#mass = 1.2
#mass_centre = [0, 0, 100]

#[legs.bodies.piston]
#mass = 0.4
#mass_centre = [0, 0, -80]

# Pose of the platform in the base.
[home]
translation = [0, 0, 280]
#angles = [0, 0, 0]
#sequence = "XYZ" # upper case: about the moving axes, R = Rx Ry Rz; lower case: about the fixed ones

[limits]
joint_min = 260 # shortest leg
joint_max = 360 # longest leg
#joint_speed = 50
#joint_acceleration = 1000
#actuator_force = 500
""",
    "PUS": """
# Slider points at zero, in the base frame: six points, or fewer and `of_leg` where several begin at one point.
[base]
points = [[295, 52, 0], [295, -52, 0], [-193, 230, 0], [-103, 282, 0], [-103, -282, 0], [-193, -230, 0]]

# Joints of the platform, in the platform frame, in the same order.
[platform]
points = [[90, 120, 0], [90, -120, 0], [-149, 18, 0], [59, 138, 0], [59, -138, 0], [-149, -18, 0]]
#mass = 5
#mass_centre = [0, 0, 0]
#inertia = { xx = 0.03, yy = 0.03, zz = 0.05 }

# PUS legs are rods whose foot slides on a guide; the joint coordinate is the displacement along it.
[legs]
kind = "PUS"
guide = [0, 0, 1] # one direction for all, or six
#rod_length = 450 # without it: what puts the sliders at zero at home
#branch = -1 # the slider lies -1 behind or +1 ahead of the foot of the perpendicular; without it: as at home

# Parts of a leg: the frames of slider, joint and rod stand on the driven point; the rod's z points to the platform
# joint.
#[legs.bodies.slider]
#mass = 1.5

#[legs.bodies.rod]
#mass = 0.6
#mass_centre = [0, 0, 220]

# Pose of the platform in the base.
[home]
translation = [0, 0, 400]
#angles = [0, 0, 0]
#sequence = "XYZ" # upper case: about the moving axes, R = Rx Ry Rz; lower case: about the fixed ones

[limits]
joint_min = -120
joint_max = 120
#joint_speed = 500
#joint_acceleration = 5000
#actuator_force = 500
""",
    "RUS": """
# Crank centres, in the base frame: six points, or fewer and `of_leg` where cranks share an axis.
[base]
points = [[120, 30, 0], [120, -30, 0], [-86, 89, 0], [-34, 119, 0], [-34, -119, 0], [-86, -89, 0]]

# Joints of the platform, in the platform frame, in the same order.
[platform]
points = [[55, 68, 0], [55, -68, 0], [-86, 14, 0], [31, 81, 0], [31, -81, 0], [-86, -14, 0]]
#mass = 2
#mass_centre = [0, 0, 0]
#inertia = { xx = 0.004, yy = 0.004, zz = 0.008 }

# RUS legs are rods whose foot turns on a crank; the joint coordinate is the crank's angle, by the right hand about
# `axis` from where `arm` shows it.
[legs]
kind = "RUS"
axis = [[1, 0, 0], [-1, 0, 0], [-0.5, 0.866, 0], [0.5, -0.866, 0], [-0.5, -0.866, 0], [0.5, 0.866, 0]]
arm = [[0, 30, 0], [0, -30, 0], [-26, -15, 0], [26, 15, 0], [26, -15, 0], [-26, 15, 0]]
#rod_length = 180 # without it: what puts the cranks at zero at home
#branch = -1 # the crank lies -1 behind or +1 ahead of the direction to the platform joint; without it: as at home

# Parts of a leg: the crank's frame stands on its centre, z along the axis, x along the arm; the rod's on its foot, z to
# the platform joint.
#[legs.bodies.crank]
#mass = 0.05
#mass_centre = [15, 0, 0]

#[legs.bodies.rod]
#mass = 0.03
#mass_centre = [0, 0, 90]

# Pose of the platform in the base.
[home]
translation = [0, 0, 170]
#angles = [0, 0, 0]
#sequence = "XYZ" # upper case: about the moving axes, R = Rx Ry Rz; lower case: about the fixed ones

[limits]
joint_min = -60
joint_max = 60
#joint_speed = 360
#joint_acceleration = 3600
#actuator_force = 2 # the torque of a crank
""",
}

_TAIL = """\
#leg_radius = {leg_radius} # keeps the legs apart
#base_plate_angle = 15 # smallest angle between a leg and the base's plate
#platform_plate_angle = 15
#radius = 80 # of the tool, horizontally from its home
#tilt = 30 # of the tool's z axis, from home
#rotation = 45 # of the tool about z, from home
#singular_value = 0.05 # smallest distance to a singularity
#base_cone = {{ half_angle = 40 }} # about the leg's direction at home, or about `axis`
#platform_cone = {{ half_angle = 40 }}

# Where the tool may be, in the base frame.
#[limits.box]
#z_min = {z_min}
#z_max = {z_max}

# The tool's pose in the platform; without it, the platform frame.
#[tool]
#translation = [0, 0, 40]

# A tool head: joints in a row on the platform, by Denavit-Hartenberg parameters.
#[head]
#convention = "modified" # Craig's rows; "standard" for Denavit and Hartenberg's
#[[head.joints]]
#name = "swivel"
#d = 40
#min = -90
#max = 90

#[actuators]
#resolution = {resolution}
#stiffness = 2e7
#base_joint_stiffness = 1e8
#platform_joint_stiffness = 1e8
#{transmission}
#rotor_inertia = 1e-6
#coulomb_friction = {friction}
#viscous_friction = {friction}

# Figures that the source prints, for comparison; any names.
#[published]
#stroke_mm = 100
"""

_WORDS = {
    "UPS": {
        "what": "six extending struts",
        "name": "my-hexapod",
        "leg_radius": "15",
        "z_min": "200",
        "z_max": "400",
        "resolution": "0.001",
        "transmission": "screw_lead = 2",
        "friction": "5",
    },
    "PUS": {
        "what": "six rods on sliders",
        "name": "my-slider-hexapod",
        "leg_radius": "12",
        "z_min": "250",
        "z_max": "600",
        "resolution": "0.001",
        "transmission": "screw_lead = 10",
        "friction": "5",
    },
    "RUS": {
        "what": "six rods on cranks",
        "name": "my-crank-hexapod",
        "leg_radius": "4",
        "z_min": "120",
        "z_max": "260",
        "resolution": "0.01",
        "transmission": "gear_ratio = 50",
        "friction": "0.02",
    },
}


def starter_text(kind: str) -> str:
    """A commented machine file to start from.

    Parameters
    ----------
    kind : str
        "UPS" (or "UCU"), "PUS" or "RUS".

    Raises
    ------
    InputError
        Another kind.

    """
    base = "UPS" if kind == "UCU" else kind
    if base not in _LEGS:
        raise InputError(f"no leg kind {kind!r}, expected UPS, UCU, PUS or RUS.{nearest(kind, _LEGS)}")
    words = _WORDS[base]
    legs = _LEGS[base].replace('kind = "UPS"', f'kind = "{kind}"')
    return _HEAD.format(**words) + legs + _TAIL.format(**words)
