"""Quantities that the viewer shows, by the label beside their numbers, whose tooltips have their definitions."""

from __future__ import annotations

from gough.limits.velocity_envelope import VelocityEnvelope
from gough.quantity import Quantity, Unit
from gough.singularity.conditioning import Conditioning


def _shown(label: str, unit: Unit, doc: str, name: str = "") -> tuple[str, Quantity]:
    return label, Quantity(name or label.replace(" ", "_"), unit, (), doc, label)


QUANTITIES = dict(
    [
        _shown("position", "m",
            "x, y, z of the pivot: its displacement from home along the base axes, or its position in the base, "
            "as chosen under coordinates."),
        _shown("angles", "rad",
            "Angles of the rotation from home, or of the platform's orientation in the base, as chosen under "
            "coordinates, by the convention chosen under angles (docs/conventions.md).", "angle"),
        _shown("leg values", ("m", "rad"),
            "Joint coordinate q of the leg; where the file has no limit the range ends 0.4 times the machine's "
            "size, or half a turn, from home.", "leg"),
        _shown("head", ("rad", "m"), "Coordinate of a joint of the tool head."),
        _shown("end platform", "m", "Position of the end platform's origin in the base.", "pose"),
        _shown("key steps", ("m", "rad"),
            "Displacement of the pivot, or turn about it, of one key stroke: 10 % (coarse), 2 % (medium) or 0.4 "
            "% (fine) of the shortest half range of the sliders of position (of angles), rounded down to 1, 2 or "
            "5 times a power of ten.", "step"),
        _shown("verdict", ("m", "rad", "1"),
            "The limit with the smallest relative margin at this pose (see margins): the limited quantity, and "
            "what is allowed; a refused pose: the same of each limit that it breaks.", "nearest_limit"),
        _shown("other limits", "1",
            "Of each kind of limit but those of q: the smallest relative margin at this pose (see margins), over "
            "the legs.", "limits"),
        _shown("nearest pose", ("m", "rad"),
            "Of the allowed pose that minimises |d|^2 + (l a)^2: d the displacement of the point of interest "
            "from the requested pose, a the angle of the rotation from it, l the characteristic length."),
        _shown("forces", ("N", "N m"),
            "What each actuator gives at rest under the load and the weights of all known bodies: J_qV^T f = "
            "dV/dx - F, V their potential energy, F the applied wrench; positive drives q up. Under the bars: "
            "their half width, the largest actuator_force, or without one the first of 1, 2, 5 times a power of "
            "ten of which the largest of the six forces is at most 80 %.", "force"),
        _shown("payload", "kg", "Mass that the end platform carries beside its own."),
        _shown("payload's centre", "m", "Mass centre of the payload, in the end platform's frame.", "payload_centre"),
        _shown("its inertia", "kg m2",
            "Moments of inertia of the payload about its mass centre: entries xx, yy, zz of its inertia tensor "
            "in the end platform's axes.", "payload_inertia"),
        _shown("its products", "kg m2",
            "Entries xy, xz, yz of that tensor: minus the integral of x y over the mass, and so on.",
            "payload_products"),
        _shown("force", "N", "Force on the point of interest, base axes.", "applied_force"),
        _shown("moment", "N m", "Moment on the platform, base axes.", "applied_moment"),
        _shown("stiffness along", "1",
            "Direction of the stiffness that is shown, base axes, of any length.", "direction"),
        _shown("stiffness along the direction", "N/m",
            "Force along the direction over the point of interest's displacement along it, the platform free to "
            "turn: 1 / (e^T C e), C the first three rows and columns of K^-1, drives held. K as under stiffness, "
            "plus the geometric stiffness: second derivative of the potential energy of all weights and of the "
            "applied force, and that of the rods under them, in equilibrium.", "stiffness"),
        _shown("principal, rotation held", "N/m",
            "Least and greatest eigenvalue of A, the first three rows and columns of that K about the point of "
            "interest: rotation held.", "principal_stiffness"),
        _shown("lowest natural frequencies", "Hz",
            "The three lowest f of K s = (2 pi f)^2 M s at this pose, with the load (see modes), and with that "
            "geometric stiffness.", "frequency"),
        _shown("motion", "Hz", "Of a natural mode: f at home, with the load (see modes).", "home_frequency"),
        _shown("assembly modes", "1",
            "Poses with these joint coordinates, and those of them that keep every limit, the singularity's side "
            "among them."),
        _shown("time", "s", "Time of the motion from its begin."),
        _shown("speed", "1", "Time of the motion over time on the clock."),
        _shown("powers", "W", "Actuator force times joint rate of each leg.", "power"),
    ]
)  # fmt: skip
QUANTITIES |= {
    "condition number": Conditioning.QUANTITIES["condition_number"],
    "dexterity": Conditioning.QUANTITIES["dexterity"],
    "distance to a singularity": Conditioning.QUANTITIES["distance"],
    "speed in every direction": VelocityEnvelope.QUANTITIES["guaranteed_translation"],
    "top speed": VelocityEnvelope.QUANTITIES["fastest_translation"],
}
