"""Findings on a machine file that is valid and yet looks wrong, as a careful colleague would report them.

Each rule compares a number of the file with the machine's own size, strokes, weights or drives. Its bounds are wide:
they lie outside what can be built, so that only slips (a wrong unit, sign, order or zero) cross them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.description.units import FORCE, INERTIA, MASS, STIFFNESS, TORQUE, Units, size_of, unit_of
from gough.kinematics.inverse import leg_spins
from gough.limits.margins import limits_sentence, margins
from gough.limits.ties import TIE, listed
from gough.limits.travel import travel
from gough.machine import Body, Limits, Machine
from gough.present.show import plain
from gough.statics.capacity import leg_forces

STEEL = 7850.0
"""Density [kg/m3]."""
STEEL_MODULUS = 210e9
"""[Pa]."""
LIGHTEST = 0.5
"""Mass of the lightest platform for its disc [kg/m2]: half a millimetre of plywood."""
ROUND_OFF = 1e-9
"""Part of the leg's length that joint points of nine digits leave of a distance of zero."""
MEET = 0.02
"""Legs closer than this part of their length meet: half of it is the radius of a leg fifty times as long as thick."""
EDGE = 0.02
"""Part of a limit's scale below which home is at its edge."""
EARLY = 0.25
"""Part of the travel of the strokes below which joint cones end it long before."""
FASTEST_STROKE, SLOWEST_STROKE = 0.02, 3600.0
"""Shortest and longest time of a stroke at top speed [s]."""
SUDDEN = 1e-4
"""Shortest time in which a drive reaches its top speed [s]."""
RUN_UP = 10.0
"""Top speeds this many times above the speed that a stroke lets the drive reach are out of reach."""
MOST_TURNS = 1000.0
"""Fastest motors [turns per second]."""


@dataclass(frozen=True)
class Finding:
    """A number of a machine file that looks wrong.

    Attributes
    ----------
    key : str
        Of the file: "platform.mass".
    value : float
        In the file's unit `unit`: the number itself, or the quantity that follows from it.
    unit : str
    sentence : str
        What is found, with its value, unit and measure.
    look_at : str
        What to check in the file.

    """

    key: str
    value: float
    unit: str
    sentence: str
    look_at: str


def findings(machine: Machine, units: Units) -> list[Finding]:
    """List what looks wrong in a machine of one stage; `units` are those that its file declares."""
    look = _Look(machine, units)
    if not np.isfinite(look.q_home).all():
        return []
    rules = (look.home, look.crossing, look.cones, look.bodies, look.weight, look.stiffness, look.drives, look.screws)
    return [found for rule in rules for found in rule()]


@dataclass(frozen=True, eq=False)
class _Look:
    """A machine at home and its file's units; each rule yields findings."""

    machine: Machine
    units: Units

    @cached_property
    def q_home(self) -> Array:
        return self.machine.legs.joints_at(self.machine.b_home)

    @cached_property
    def length(self) -> float:
        """Length of the longest leg or rod [m]."""
        m = self.machine
        now = np.linalg.norm(m.b_home - m.legs.driven_points(self.q_home), axis=1)
        most = m.limits.joint_max if m.legs.rod() is None else now
        return float(np.maximum(now, np.where(np.isfinite(most), most, 0.0)).max())

    @cached_property
    def arm(self) -> float:
        """Length of the longest arm, from the centre of a crank to the rod [m]."""
        legs, q = self.machine.legs, self.q_home
        return float(np.linalg.norm(legs.driven_points(q) - legs.carriers(q)[:, :3, 3], axis=1).max())

    @cached_property
    def radius(self) -> float:
        """Largest distance of a platform joint from their mean [m]."""
        return float(np.linalg.norm(self.machine.b_P - self.machine.platform_centre, axis=1).max())

    @cached_property
    def stroke(self) -> float:
        """Longest stroke [m or rad]; infinite where one is."""
        return float(np.max(self.machine.limits.joint_max - self.machine.limits.joint_min))

    def find(self, key: str, value: float, sentence: str, look_at: str, as_key: str = "") -> Finding:
        """A finding on a value [SI] with the unit of a key, or of `as_key`; "{}" in the sentence is its number."""
        name = (as_key or key).rpartition(".")[2]
        unit = unit_of(name, self.units, self.machine.legs.joint)
        number = value / _size(name, self.units, self.machine)
        return Finding(key, number, unit, sentence.format(f"{plain(number, 4)} {unit}"), look_at)

    def metres(self, value: float) -> str:
        return f"{plain(value / self.units.metres, 4)} {self.units.length}"

    def home(self) -> Iterator[Finding]:
        """Limits that home violates, or at whose edge it is."""
        found = margins(self.machine, self.machine.X_home)
        kinds: dict[tuple[str, bool], list[int]] = {}
        for c, column in enumerate(found.columns):
            if not column.is_singularity and found.relative[c] < EDGE:
                kinds.setdefault((column.quantity, column.is_lower), []).append(c)
        for which in kinds.values():
            percent = 100.0 * float(found.relative[which].min())
            where = "beyond a limit" if percent < -100.0 * TIE else "at the edge of a limit"
            words = limits_sentence(self.machine, [found.columns[c] for c in which], found.values[which].tolist())
            said = f"home is {where}: {words} (margin {plain(percent, 2)} % of its scale)"
            yield Finding("home", percent, "%", said, "[home], and the limit itself")

    def crossing(self) -> Iterator[Finding]:
        """Legs that meet between their joints at home, where the file gives no thickness."""
        limits = self.machine.limits
        if limits.leg_radius is not None:
            return
        thin = replace(self.machine, limits=Limits(leg_radius=np.full(6, MEET / 2 * self.length)))
        found = margins(thin, thin.X_home)
        gaps = {
            "-".join(map(str, column.legs)): column.value(float(margin))
            for column, margin in zip(found.columns, found.values, strict=True)
            if len(column.legs) == 2 and margin < 0
        }
        if gaps:
            gap = min(gaps.values())
            yield self.find(
                "platform",
                gap if gap > ROUND_OFF * self.length else 0.0,
                f"legs {listed(gaps)} meet at home: they pass each other at {{}}, legs of {self.metres(self.length)}",
                "the order of the joint points, whether two are swapped, and the sign of pair_angle",
                "length",
            )

    def cones(self) -> Iterator[Finding]:
        """Cones that end most travels long before the strokes do."""
        m = self.machine
        if m.limits.base_cone is None and m.limits.platform_cone is None:
            return
        if not margins(m, m.X_home).is_allowed:
            return
        free = replace(m, limits=replace(m.limits, base_cone=None, platform_cone=None))
        directions = np.concatenate([np.eye(6), -np.eye(6)])
        with np.errstate(invalid="ignore"):
            part = travel(m, directions, m.X_home).distance / travel(free, directions, m.X_home).distance
        if np.count_nonzero(part < EARLY) < 6:
            return
        middle = 100.0 * float(np.median(part))
        cones = (("base_cone", m.limits.base_cone), ("platform_cone", m.limits.platform_cone))
        name, angle = min(((name, cone.half_angle.min()) for name, cone in cones if cone), key=lambda each: each[1])
        yield self.find(
            f"limits.{name}.half_angle",
            float(angle),
            f"the joint cones end the travel from home long before the strokes do, at {middle:.3g} % of it in the "
            "median of twelve directions; the narrowest has a half angle of {}",
            f"limits.{name}: half_angle, its unit, and axis",
        )

    def bodies(self) -> Iterator[Finding]:
        """Masses, mass centres and inertias that the bodies cannot have."""
        m = self.machine
        parts = {"platform": m.bare_platform if m.payload is not None else m.platform}
        if m.head is not None:
            parts["platform"] = m.head.carrier
        if parts["platform"] is not None:
            yield from self._platform(parts["platform"])
        for part, six in m.leg_bodies.items():
            heaviest = STEEL * self.length**3
            for i in [0] if six.is_shared else range(6):
                who = f"the {part}" if six.is_shared else f"leg {i + 1}'s {part}"
                key = f"legs.bodies.{part}"
                yield from self._mass(key, who, six[i].mass, (1e-6 * heaviest, heaviest), self.length, "leg")
                yield from self._centre(part, key, who, six[i])
                yield from self._inertia(key, who, six[i], (self.length / 100, 1.5 * self.length))

    def _platform(self, body: Body) -> Iterator[Finding]:
        m, r = self.machine, self.radius
        bounds = LIGHTEST * np.pi * r**2, STEEL * 4 / 3 * np.pi * (2 * r) ** 3
        yield from self._mass("platform", "the platform", body.mass, bounds, r, "platform")
        points = np.concatenate([m.b_P, m.X_PT[None, :3, 3], m.point_of_interest[None], np.zeros((1, 3))])
        centre = points.mean(axis=0)
        reach = float(np.linalg.norm(points - centre, axis=1).max())
        off = float(np.linalg.norm(body.mass_centre - centre))
        if off > 4 * reach:
            yield self.find(
                "platform.mass_centre",
                off,
                "the platform's mass centre is {} from the middle of its joints and tool, which lie within "
                f"{self.metres(reach)} of it",
                "platform.mass_centre and units.length: is it given in the platform frame?",
            )
        yield from self._inertia("platform", "the platform", body, (r / 20, 10 * max(r, reach)))

    def _mass(
        self, key: str, who: str, mass: float, bounds: tuple[float, float], size: float, what: str
    ) -> Iterator[Finding]:
        low, high = bounds
        if mass == 0 or low <= mass <= high:
            return
        side, bound = ("above", high) if mass > high else ("below", low)
        limit = f"{plain(bound / MASS[self.units.mass], 3)} {self.units.mass}"
        yield self.find(
            f"{key}.mass",
            mass,
            f"{who} has {{}}, {side} the {limit} that a {what} of {self.metres(size)} has at "
            f"{'most, of solid steel' if mass > high else 'least'}",
            f"{key}.mass and units.mass",
        )

    def _centre(self, part: str, key: str, who: str, body: Body) -> Iterator[Finding]:
        """Mass centres of parts along the leg, which reach half a leg beyond the joint that carries them at most."""
        along = {"cylinder": (-0.5, 1.0), "piston": (-1.0, 0.5), "rod": (-0.5, 1.5)}.get(part, (-1.0, 1.0))
        low, high = (end * self.length for end in along)
        # A crank's arm points across the z axis of its frame.
        wide, axis = (1.5 * self.arm, "the crank's") if part == "crank" else (0.5 * self.length, "the leg's")
        x, y, z = body.mass_centre
        across = float(np.hypot(x, y))
        if low <= z <= high and across <= wide:
            return
        value, side = (across, f"off {axis} axis") if low <= z <= high else (float(z), f"along {axis} axis")
        yield self.find(
            f"{key}.mass_centre",
            value,
            f"{who}'s mass centre is {{}} {side} from its frame, outside the part: "
            + (f"arms of {self.metres(self.arm)}" if part == "crank" else f"legs of {self.metres(self.length)}"),
            f"{key}.mass_centre: z points from the base to the platform joint, a piston's is counted from the latter",
        )

    def _inertia(self, key: str, who: str, body: Body, bounds: tuple[float, float]) -> Iterator[Finding]:
        moments = float(np.trace(body.inertia))
        if moments == 0 or body.mass == 0:
            return
        radius = float(np.sqrt(moments / 2 / body.mass))
        if bounds[0] <= radius <= bounds[1]:
            return
        side, bound = ("above", bounds[1]) if radius > bounds[1] else ("below", bounds[0])
        yield self.find(
            f"{key}.inertia",
            radius,
            f"{who}'s inertia and mass have a radius of gyration of {{}}, {side} {self.metres(bound)}, the "
            f"{'largest' if radius > bounds[1] else 'smallest'} of a body of that size",
            f"{key}.mass, {key}.inertia and units.inertia",
            "radius",
        )

    def weight(self) -> Iterator[Finding]:
        """Gravity; drives that cannot hold the machine at home, or are out of all proportion to it."""
        m = self.machine
        pull = float(np.linalg.norm(m.gravity))
        if pull != 0 and not 1.0 <= pull <= 30.0:
            yield self.find("gravity", pull, "gravity is {}, 9.81 on earth", "gravity, always in m/s2")
        effort = m.limits.actuator_force
        if effort is None or self.held is None:
            return
        part = self.held / effort
        i = int(np.argmax(part))
        name = "force" if m.legs.joint == "length" else "torque"
        unit = unit_of("actuator_force", self.units, m.legs.joint)
        size = _size("actuator_force", self.units, m)
        needed = f"{plain(self.held[i] / size, 4)} {unit}"
        look_at = "limits.actuator_force, the masses and their units"
        if part[i] > 1:
            words = f"leg {i + 1} needs {needed} to hold the machine's weight at home, its drive has {{}}"
            yield self.find("limits.actuator_force", float(effort[i]), words, look_at)
        elif part[i] < 1e-4 and m.platform is not None:
            words = f"a drive has a {name} of {{}}, and holds the machine's weight at home with {needed}"
            yield self.find("limits.actuator_force", float(effort[i]), words, look_at)

    @cached_property
    def held(self) -> Array | None:
        """Sizes (6,) of the forces or torques that hold the weight at home; None without weight, or where singular."""
        m = self.machine
        if not m.has_weight or not m.gravity.any():
            return None
        forces = np.abs(leg_forces(m, m.X_home, gravity=True))
        return forces if np.isfinite(forces).all() else None

    def stiffness(self) -> Iterator[Finding]:
        """Stiffnesses above a steel rod a quarter as thick as long, or that yield under the machine's loads."""
        m = self.machine
        if m.actuators.stiffness is None:
            return
        k = float(m.actuators.stiffness.max())
        solid = STEEL_MODULUS * np.pi * self.length / 64
        look_at = "actuators.stiffness and units.stiffness"
        if k > solid:
            most = f"{plain(solid / STIFFNESS[self.units.stiffness], 3)} {self.units.stiffness}"
            yield self.find(
                "actuators.stiffness",
                k,
                f"a leg has {{}}, above the {most} of a rod of solid steel a quarter as thick as the leg is long",
                look_at,
            )
        k = float(m.actuators.stiffness.min())
        forces = (m.limits.actuator_force, self.held) if m.legs.joint == "length" else ()
        known = [float(force.max()) for force in forces if force is not None]
        give = max(known, default=0.0) / k
        if give > 0.2 * self.length or k < 1e-7 * solid:
            words = (
                f": under {plain(max(known), 4)} N, its drive or its load, it yields by {self.metres(give)}"
                if known
                else ""
            )
            yield self.find("actuators.stiffness", k, f"a leg has {{}} only{words}", look_at)

    def drives(self) -> Iterator[Finding]:
        """Speeds, accelerations, steps, friction and rotors out of proportion to strokes and drives."""
        m, limits, drives = self.machine, self.machine.limits, self.machine.actuators
        speed, acceleration = limits.joint_speed, limits.joint_acceleration
        stroke = self.stroke if np.isfinite(self.stroke) else (self.length if m.legs.joint == "length" else np.pi)
        far = f"{plain(stroke / self._joint, 4)} {m.displayed_joint_unit}"
        if speed is not None:
            time, look_at = stroke / float(speed.max()), "limits.joint_speed, units.length and units.time"
            if time < FASTEST_STROKE or stroke / float(speed.min()) > SLOWEST_STROKE:
                time = time if time < FASTEST_STROKE else stroke / float(speed.min())
                words = f"at the top speed of {{}} a stroke of {far} takes {plain(time, 3)} s"
                yield self.find("limits.joint_speed", stroke / time, words, look_at)
            elif acceleration is not None and (v := float(speed.max())) > RUN_UP * np.sqrt(acceleration.max() * stroke):
                words = f"the top speed of {{}} is out of reach: {plain(v * v / acceleration.max() / self._joint, 3)} "
                words += f"{m.displayed_joint_unit} of run-up and braking, stroke {far}"
                yield self.find("limits.joint_speed", v, words, f"{look_at}, limits.joint_acceleration")
            if acceleration is not None and (rise := float((speed / acceleration).min())) < SUDDEN:
                words = f"with {{}} a drive reaches its top speed in {plain(rise, 2)} s"
                yield self.find(
                    "limits.joint_acceleration", float(acceleration.max()), words, "limits.joint_acceleration"
                )
            if drives.transmission is not None:
                turns = float(np.max(speed * drives.transmission)) / (2 * np.pi)
                if turns > MOST_TURNS:
                    words = f"at the top joint speed of {{}} the motors turn at {plain(60 * turns, 3)} rpm"
                    key = "actuators.screw_lead" if m.legs.joint == "length" else "actuators.gear_ratio"
                    yield self.find("limits.joint_speed", float(speed.max()), words, f"limits.joint_speed and {key}")
        if drives.resolution is not None and not 1e-10 <= (step := float(drives.resolution.max())) / stroke <= 0.05:
            words = f"the smallest step is {{}}, {plain(step / stroke, 2)} of the stroke of {far}"
            yield self.find("actuators.resolution", step, words, "actuators.resolution")
        friction, effort = drives.coulomb_friction, limits.actuator_force
        if friction is not None and effort is not None and (friction > effort).any():
            words = "the friction of {} is above what the drive can overcome"
            yield self.find("actuators.coulomb_friction", float(friction.max()), words, "actuators.coulomb_friction")
        yield from self._rotors()

    @property
    def _joint(self) -> float:
        return self.machine.displayed_joint_size

    def _rotors(self) -> Iterator[Finding]:
        """Rotors heavier than steel cylinders half as long and half as wide as the leg."""
        if self.machine.actuators.rotor_inertia is None:
            return
        J = float(self.machine.actuators.rotor_inertia.max())
        largest = STEEL * np.pi / 4 * (self.length / 4) ** 4 * self.length
        smallest = 1e-9 * largest
        if J and not smallest <= J <= largest:
            side, bound = ("below", smallest) if smallest > J else ("above", largest)
            limit = f"{plain(bound / INERTIA[self.units.inertia], 2)} {self.units.inertia}"
            words = f"a rotor has {{}}, {side} {limit} for legs of {self.metres(self.length)}"
            yield self.find("actuators.rotor_inertia", J, words, "actuators.rotor_inertia and units.inertia")

    def screws(self) -> Iterator[Finding]:
        """Screws of legs whose ends both are universal joints: the platform turns nut and screw against each other."""
        m = self.machine
        if m.leg_kind not in ("UCU", "UPU") or m.actuators.transmission is None or m.legs.joint != "length":
            return
        ends = travel(m, np.concatenate([np.eye(6), -np.eye(6)]), m.X_home).matrix
        ends = ends[np.isfinite(ends).all(axis=(-1, -2))]
        if not len(ends):
            return
        turn = np.abs(leg_spins(m, ends))
        k, i = np.unravel_index(np.argmax(turn / m.actuators.transmission), turn.shape)
        off = float(turn[k, i] / m.actuators.transmission[i])
        step = m.actuators.resolution
        if off <= (float(step.max()) if step is not None else 1e-6 * self.length):
            return
        angle = f"{plain(turn[k, i] / self.units.radians, 3)} {self.units.angle}"
        yield self.find(
            "actuators.screw_lead",
            off,
            f"within the travel the platform turns the nut of leg {i + 1} against its screw by {angle}, which changes "
            "the length by {} and is not modelled",
            "whether the struts are kept from turning; if not, correct the commands by the turns times screw_lead",
            "length",
        )


def _size(key: str, units: Units, machine: Machine) -> float:
    """Size in SI of the file's unit of a key."""
    joint, is_length = machine.displayed_joint_size, machine.legs.joint == "length"
    sizes: dict[str, Any] = {
        "mass": MASS[units.mass],
        "stiffness": STIFFNESS[units.stiffness],
        "rotor_inertia": INERTIA[units.inertia],
        "joint_speed": joint / units.seconds,
        "joint_acceleration": joint / units.seconds**2,
        **dict.fromkeys(
            ("actuator_force", "coulomb_friction"), FORCE[units.force] if is_length else TORQUE[units.torque]
        ),
    }
    return float(sizes[key]) if key in sizes else size_of(key, units, machine.legs.joint)
