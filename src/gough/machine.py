"""A machine: joint points, legs, limits, masses and frames, in SI units. No algorithms.

Frames: B is the base, P the platform (the frame in which the machine file gives the platform points), T the tool,
fixed to the platform.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, ReadOnly, read_only
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.head import Head as Head
from gough.legs import Legs
from gough.machine_parts import STANDARD_GRAVITY, Encoders, LegBodies, joined, rigid_body
from gough.machine_parts import Actuators as Actuators
from gough.machine_parts import Body as Body
from gough.machine_parts import Cone as Cone
from gough.machine_parts import DisplayUnits as DisplayUnits
from gough.machine_parts import Limits as Limits
from gough.machine_parts import NamedRegion as NamedRegion
from gough.machine_parts import PlateAngle as PlateAngle

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform


def function_above(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a module in a higher layer, imported when this is called, so that no import goes upwards.

    For figures in notebooks.
    """
    return cast(Callable[..., Any], getattr(import_module(module), name))


class ShownAtHome:
    """Base of both kinds of machine: home, gravity, and a table with the figure at home in notebooks."""

    name: Any
    X_home: Any
    end_home: Any
    point_of_interest: Any
    gravity: Any

    def free_fall(self, gravity: bool | ArrayLike | None) -> Array:
        """Return the acceleration of free fall (..., 3) in the base [m/s2] that an argument `gravity` of any function
        means.

        `None` and `True` are the machine's own, `False` is none, an array is the acceleration itself.
        """
        if gravity is None or gravity is True:
            return np.asarray(self.gravity)
        return np.zeros(3) if gravity is False else of_shape("gravity", gravity, "(..., 3)")

    @property
    def home(self) -> RigidTransform:
        """Home pose of the platform in the base; for a stack of both platforms, the intermediate one first."""
        from scipy.spatial.transform import RigidTransform

        return RigidTransform.from_matrix(self.X_home)

    @property
    def home_point(self) -> Array:
        """The point of interest of the (end) platform at home, in the base (3,) [m]."""
        return np.asarray(self.end_home[:3, :3] @ self.point_of_interest + self.end_home[:3, 3])

    def _repr_html_(self) -> str:
        return str(function_above("gough.plot.machine_figures", "machine_html")(self))

    def _ipython_display_(self) -> None:
        # Plotly's own renderer needs no network; the figure as HTML alone would have to load plotly.js.
        function_above("gough.plot.machine_figures", "display_machine")(self)


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class Machine(ShownAtHome, ReadOnly):
    """A hexapod, frozen, in SI units. Arrays are read-only.

    Attributes
    ----------
    name, title, source, notes : str
        Its names, the source of its numbers, and remarks on them.
    legs : Legs
        The six legs, all of one kind (`gough.legs`).
    leg_kind : str
        Their kind as in its file: "UCU" or "SPS" of struts that move as UPS struts do; default: `legs.kind`.
    X_home : (4, 4) array
        Home pose of the platform in the base; `.home` gives it as a `RigidTransform`.
    X_PT : (4, 4) array
        The tool's pose in the platform.
    tool_side : "+z", "-z" or None
        Side of the spindle along z of the tool frame, for part programs; None where its file leaves it open.
    point_of_interest : (3,) array
        Point about which displacements are given, in the platform frame [m].
    limits : Limits
    actuators : Actuators
    encoders : Encoders or None
        Readings and commands of its controller, where they differ from the joint coordinates.
    tolerances : mapping of str to float
        Standard deviations of its parts from the drawing, by the names of `gough.calibration` [SI].
    calibration : mapping
        If its numbers were calibrated: date, data, residuals, and what the data left undetermined.
    platform : Body or None
        The platform with all that is fixed to it; a head as it is at `head.q`.
    payload, bare_platform : Body or None
        The part of `platform` that `with_payload` added, and the platform without it, where its mass is known.
    head : Head or None
        Serial joints on the platform that carry the tool.
    leg_bodies : mapping of part name to LegBodies
        Every leg has the same parts; frames as in `docs/machine-files.md`. A single `Body` serves all six legs.
    joint_axis : (6, 3) array or None
        First axis of each base universal joint, in the base frame.
    gravity : (3,) array
        Acceleration of free fall in the base frame [m/s2].
    regions : tuple of NamedRegion
        Regions of poses that its file names; `gough.regions.named_regions` makes them.
    published : mapping
        Figures its source prints, by name, as printed.
    units : DisplayUnits

    """

    name: str
    legs: Legs
    X_home: Array
    leg_kind: str = ""
    title: str = ""
    source: str = ""
    notes: str = ""
    X_PT: Array = field(default_factory=lambda: np.eye(4))
    tool_side: Literal["+z", "-z"] | None = None
    point_of_interest: Array = field(default_factory=lambda: np.zeros(3))
    limits: Limits = field(default_factory=Limits)
    actuators: Actuators = field(default_factory=Actuators)
    encoders: Encoders | None = None
    tolerances: Mapping[str, float] = field(default_factory=dict)
    calibration: Mapping[str, Any] = field(default_factory=dict)
    platform: Body | None = None
    payload: Body | None = None
    bare_platform: Body | None = None
    head: Head | None = None
    leg_bodies: Mapping[str, LegBodies] = field(default_factory=dict)
    joint_axis: Array | None = None
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    regions: tuple[NamedRegion, ...] = ()
    published: Mapping[str, Any] = field(default_factory=dict)
    units: DisplayUnits = field(default_factory=DisplayUnits)

    def __post_init__(self) -> None:
        object.__setattr__(self, "leg_kind", self.leg_kind or self.legs.kind)
        low, high = self.limits.joint_min, self.limits.joint_max
        object.__setattr__(self, "legs", self.legs.ranging(low, high, self.b_home))
        object.__setattr__(self, "leg_bodies", {part: LegBodies.of(body) for part, body in self.leg_bodies.items()})
        super().__post_init__()

    def __repr__(self) -> str:
        return f"<Machine {self.name!r}: six {self.leg_kind} legs, {self.size:.3g} m{self._payload_in_words}>"

    @property
    def _payload_in_words(self) -> str:
        return "" if self.payload is None else f", payload {self.payload.mass:g} kg"

    @property
    def stages(self) -> tuple[Machine, ...]:
        """The machine itself; a machine of stages on one another has two."""
        return (self,)

    @property
    def stage_shape(self) -> tuple[int, ...]:
        """Leading shape of the poses of all platforms: () of one stage, (2,) of two."""
        return ()

    @property
    def stage_dims(self) -> tuple[str, ...]:
        """Names of the dimensions of that shape: () of one stage, ("stage",) of two."""
        return ()

    @property
    def has_weight(self) -> bool:
        """Whether the mass of any body is known; for a stack of every platform, on which all their forces depend."""
        return self.platform is not None or bool(self.leg_bodies)

    def poses_of_platforms(self, X: Array) -> tuple[Array, ...]:
        """Return the poses (..., 4, 4) of each platform; for a single stage, X itself."""
        return (X,)

    @property
    def share(self) -> float:
        """The part of displacements that the stage on the ground contributes: all of it."""
        return 1.0

    @property
    def end_home(self) -> Array:
        """Home pose (4, 4) of the platform, for a stack of the end platform."""
        return self.X_home

    def end_pose(self, X: Array) -> Array:
        """Return the poses (..., 4, 4) of the (end) platform; for a single stage, X itself."""
        return X

    def end_wrench(self, F: Array) -> Array:
        """Expand wrenches on the (end) platform (..., 6) to all platforms; for a single stage, F itself."""
        return F

    @property
    def mounts(self) -> tuple[Array, ...]:
        """Pose of each stage's base (4, 4) in the platform below it; for the first the base itself."""
        return (np.eye(4),)

    @property
    def moving_platforms(self) -> str:
        """The moving platforms in words."""
        return "platform"

    def by_platform(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Label quantities of each platform, e.g. "x end"; for a single stage, return the labels unchanged."""
        return tuple(labels)

    def by_stage(self, words: Iterable[str]) -> str:
        """Join the texts of all stages; for a single stage, return its text."""
        return "".join(words)

    @checks_arguments
    def with_head(self, joints: ArrayLike) -> Machine:
        """Return the machine with its head held at other joint coordinates (n,) [rad or m].

        `platform` is then the body of platform and head together, for all of statics and dynamics; forces of a moving
        head are `gough.motion.heads.head_dynamics`. A point of interest at the tool's tip moves with the tip; limits of
        the tool (box, tilt, ...) stay with the frame `X_PT`, which is fixed to the platform.
        """
        if self.head is None:
            raise InputError(f"machine {self.name!r} has no head; describe one under [head] in its file")
        q = self.head.checked(joints).copy()
        head = replace(self.head, q=q)
        is_tip = np.allclose(self.point_of_interest, self.head.tip()[:3, 3], rtol=0.0, atol=1e-12 * self.size)
        interest = head.tip()[:3, 3] if is_tip else self.point_of_interest
        return replace(self, head=head, platform=head.platform(), point_of_interest=interest)

    def without_coulomb_friction(self) -> Machine:
        """Return the machine without Coulomb friction of its drives, which has no derivative at rest."""
        return replace(self, actuators=replace(self.actuators, coulomb_friction=None))

    def limited_by_strokes(self) -> Machine:
        """Return the machine with the strokes of its joints as its only limits."""
        return replace(self, limits=self.limits.strokes)

    def with_payload(self, mass: float, centre: ArrayLike, inertia: ArrayLike | None = None) -> Machine:
        """Return the machine with a payload fixed to its platform, for all of statics and dynamics.

        Parameters
        ----------
        mass : float
            [kg].
        centre : (3,) array
            The payload's mass centre, in the platform frame [m].
        inertia : (3, 3) array, optional
            About that centre, in the axes of the platform frame [kg m2]; default: a point mass.

        Returns
        -------
        Machine
            Its `platform` is platform and payload as one body (Steiner's theorem); a platform of unknown mass counts as
            massless. A head stays movable on both.

        Raises
        ------
        InputError
            The mass is below zero, or no rigid body can have the inertia.

        """
        payload = rigid_body(mass, centre, inertia)
        if payload.mass == 0.0:
            return self
        # The payload is joined to the platform without its head, so that `with_head` does not lose it.
        carrier = self.platform if self.head is None else self.head.carrier
        total = joined([body for body in (carrier, payload) if body is not None])
        machine = replace(
            self,
            payload=payload if self.payload is None else joined([self.payload, payload]),
            bare_platform=carrier if self.payload is None else self.bare_platform,
        )
        if self.head is None:
            return replace(machine, platform=total)
        head = replace(self.head, carrier=total)
        return replace(machine, head=head, platform=head.platform())

    @property
    def platform_parts(self) -> dict[str, Body]:
        """Known bodies that move with the platform, by name; with a payload or a head each one and their sum."""
        if self.platform is None:
            return {}
        carrier, links = self.platform, dict[str, Body]()
        if self.head is not None and self.head.carrier is not None:
            carrier = self.head.carrier
            links = {f"head {joint.name}": joint.body for joint in self.head.joints if joint.body is not None}
        own = (
            {"platform": carrier} if self.payload is None else {"platform": self.bare_platform, "payload": self.payload}
        )
        parts = {name: body for name, body in own.items() if body is not None}
        more = [name for name, is_there in (("payload", len(parts) > 1), ("head", bool(links))) if is_there]
        return {**parts, **links, **({f"platform with {' and '.join(more)}": self.platform} if more else {})}

    @property
    def leg_parts(self) -> dict[str, Body]:
        """Known bodies of the legs by name: "rod, each leg", or "rod, leg 1" and so on where they differ."""
        return {
            f"{part}, each leg" if bodies.is_shared else f"{part}, leg {i}": body
            for part, bodies in self.leg_bodies.items()
            for i, body in enumerate(bodies, 1)
        }

    @property
    def b_P(self) -> Array:
        """Platform joint points in the platform frame, (6, 3) [m]."""
        return self.legs.b_P

    @cached_property
    def table(self) -> Array:
        """The legs as kernels read them (`gough.legs.leg`)."""
        return read_only(self.legs.table())

    @cached_property
    def start(self) -> Array:
        """X_home as kernels of forward kinematics read it, (1, 4, 4)."""
        return np.array(self.X_home).reshape(1, 4, 4)

    @cached_property
    def forward_model(self) -> tuple[int, Array, Array, float, float]:
        """The machine as kernels of forward kinematics and certificates read it: code of the leg kind, leg table,
        `platform_centre`, `size`, and period of the joint coordinates (0: none)."""
        low, high = self.legs.joint_range
        period = high - low if np.isfinite(high - low) else 0.0
        return self.legs.code, self.table, self.platform_centre, self.size, float(period)

    @cached_property
    def b_home(self) -> Array:
        """Platform joint points at home in the base frame, (6, 3) [m]."""
        return read_only(self.b_P @ self.X_home[:3, :3].T + self.X_home[:3, 3])

    @cached_property
    def joints_home(self) -> Array:
        """The twelve joint points at home in base axes [m], those of the base side first.

        Sliders and cranks are where they are at home, or at q = 0 where a leg cannot close there.
        """
        q = self.legs.joints_at(self.b_home)
        feet = self.legs.driven_points(q) if np.isfinite(q).all() else self.legs.rest()
        return read_only(np.concatenate([feet, self.b_home]))

    @cached_property
    def size(self) -> float:
        """The machine's size [m]: the largest distance between any two of its joint points at home."""
        points = self.joints_home
        return float(np.linalg.norm(points[:, None] - points[None], axis=-1).max())

    @cached_property
    def platform_centre(self) -> Array:
        """Mean of the platform joint points, in the platform frame [m]."""
        return read_only(self.b_P.mean(axis=0))

    @cached_property
    def characteristic_length(self) -> float:
        """Root mean square distance of the platform joints from their mean [m]; scales rotations to translations."""
        return float(np.sqrt(np.mean(np.sum((self.b_P - self.platform_centre) ** 2, axis=1))))

    @property
    def displayed_joint_size(self) -> float:
        """Size in SI of the unit in which the file counts the joint coordinate."""
        return self.units.metres if self.legs.joint == "length" else self.units.radians

    @property
    def displayed_joint_unit(self) -> str:
        """Unit in which the file counts the joint coordinate."""
        return self.units.length if self.legs.joint == "length" else self.units.angle
