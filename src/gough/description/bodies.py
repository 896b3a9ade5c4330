"""Rigid bodies of a machine file, in SI: the platform and the parts of the legs."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.description.problems import Problems
from gough.description.schema import BodyModel, MachineFile, Platform
from gough.description.units import INERTIA, Units
from gough.errors import nearest
from gough.legs import Legs
from gough.machine import Body
from gough.machine_parts import LegBodies, steiner

ROUND_OFF = 1e-9
"""Rounding error of an inertia in a file, relative to its largest element."""
TURNING = ("cylinder", "piston", "joint", "rod")
"""Parts whose rotation about the leg's axis depends on the first axis of the universal joint."""


def platform_body(file: MachineFile, problems: Problems) -> Body | None:
    """The platform, or None where the file gives no mass."""
    platform = file.platform
    if platform.mass is None:
        for key in ("mass_centre", "inertia"):
            if getattr(platform, key) is not None:
                problems.add(f"platform.{key}", "needs `mass` beside it")
        return None
    return rigid_body(platform, file.units, "platform", problems)


def leg_bodies(file: MachineFile, kind: type[Legs], problems: Problems) -> dict[str, LegBodies]:
    """The parts of the legs by name."""
    bodies = {}
    for part, model in file.legs.bodies.items():
        where = f"legs.bodies.{part}"
        if part not in kind.parts:
            known = ", ".join(kind.parts)
            problems.add(where, f"{kind.kind} legs have no such part, only {known}.{nearest(part, kind.parts)}")
            continue
        six = [body_of(model.of_leg(i), file.units) for i in range(6)]
        bodies[part] = LegBodies.of([body for body, _ in six])
        problems.add_legs(f"{where}.inertia", {i: said for i, (_, said) in enumerate(six) if said})
        if part in TURNING and file.legs.joint_axis is None:
            words = (
                "is not axisymmetric about its z axis, so its rotation about it must be known; "
                "give the first axes of the universal joints, `legs.joint_axis`"
            )
            problems.add_legs(where, {i: words for i, (body, _) in enumerate(six) if not _is_round(body)})
    return bodies


def rigid_body(model: BodyModel | Platform, units: Units, where: str, problems: Problems) -> Body:
    """The body, with a problem at the key `where` if no rigid body has its inertia."""
    body, said = body_of(model, units)
    if said:
        problems.add(f"{where}.inertia", said)
    return body


def body_of(model: BodyModel | Platform, units: Units) -> tuple[Body, str]:
    """The body, and a sentence if no rigid body has its inertia, else ""."""
    mass = (model.mass or 0.0) * units.kilograms
    centre = np.array(model.mass_centre or (0.0, 0.0, 0.0)) * units.metres
    J, said = np.zeros((3, 3)), ""
    if model.inertia is not None:
        i = model.inertia
        J = np.array([[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]]) * INERTIA[units.inertia]
        tolerance = ROUND_OFF * float(np.abs(J).max())
        if model.inertia_about == "origin":  # Steiner's theorem; may leave an impossible inertia
            J = J - steiner(mass, centre)
        said = _impossible(J, tolerance, units)
    return Body(mass=mass, mass_centre=centre, inertia=J), said


def _impossible(J: Array, tolerance: float, units: Units) -> str:
    """A sentence unless principal moments are positive and none exceeds the sum of the others, else ""."""
    low, middle, high = np.linalg.eigvalsh(J) / INERTIA[units.inertia]
    tolerance /= INERTIA[units.inertia]
    about = "no rigid body has it: about the mass centre"
    if low < -tolerance:
        return f"{about}, a principal moment is {low:.4g} {units.inertia}, below 0"
    if high > low + middle + tolerance:
        return (
            f"{about}, the largest principal moment {high:.4g} {units.inertia} exceeds the sum of the others, "
            f"{low + middle:.4g} {units.inertia}"
        )
    return ""


def _is_round(body: Body) -> bool:
    """Whether mass centre and inertia are symmetric about the body's z axis."""
    J, (x, y, _) = body.inertia, body.mass_centre
    uneven = max(abs(J[0, 0] - J[1, 1]), abs(J[0, 1]), abs(J[0, 2]), abs(J[1, 2]))
    return bool(x == 0.0 and y == 0.0 and uneven <= ROUND_OFF * np.abs(J).max())
