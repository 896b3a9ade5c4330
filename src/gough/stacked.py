"""A machine of two stages, a hexapod on the platform of another, and the dispatch of functions on the kind of machine.

Frames: B is the base of the lower stage, I its platform (the intermediate platform), U the base of the upper stage,
fixed to I, P the end platform. X_BP = X_BI X_IU X_UP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatch, wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, ReadOnly, read_only
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, StagesError
from gough.machine import DisplayUnits, Machine, ShownAtHome
from gough.poses import as_matrices


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class StackedMachine(ShownAtHome, ReadOnly):
    """Two hexapods on one another, frozen, in SI units. Arrays are read-only.

    Functions that mean the same for one stage and for two take it as they take a `Machine`, with a pose and a twist of
    every platform where that has one: X (..., 2, 4, 4), V (..., 2, 6), the intermediate platform first, and joint
    coordinates q (..., 12), the lower stage's first. It has no legs and limits of its own: other functions take one of
    its `stages`, or raise `StagesError`. What only stages have is in `gough.stages`.

    Attributes
    ----------
    name, title, source, notes : str
        Its names, the source of its numbers, and remarks on them.
    stages : (Machine, Machine)
        The lower and the upper stage, each a machine as any other, in its own base.
    X_IU : (4, 4) array
        The upper stage's base in the lower stage's platform.
    share : float
        The lower stage's part of displacements of the end platform from home, 0 to 1: how travel and workspaces resolve
        the redundancy (others: `gough.stages.resolve_redundancy`).
    published : mapping
        Figures its source prints, by name, as printed.
    units : DisplayUnits

    """

    name: str
    stages: tuple[Machine, Machine]
    X_IU: Array = field(default_factory=lambda: np.eye(4))
    share: float = 0.5
    title: str = ""
    source: str = ""
    notes: str = ""
    published: Mapping[str, Any] = field(default_factory=dict)
    units: DisplayUnits = field(default_factory=DisplayUnits)

    def __post_init__(self) -> None:
        if len(self.stages) != 2:
            raise InputError(f"machine {self.name!r}: {len(self.stages)} stages, expected two, the lower one first")
        if not 0 <= self.share <= 1:
            raise InputError(f"machine {self.name!r}: share {self.share:g}, expected a part from 0 to 1")
        object.__setattr__(self, "X_IU", as_matrices(self.X_IU))
        super().__post_init__()
        of_shape("X_IU", self.X_IU, "(4, 4): one pose")

    def __repr__(self) -> str:
        lower, upper = self.stages
        legs = f"{upper.leg_kind} legs on {lower.leg_kind} legs"
        return f"<StackedMachine {self.name!r}: {legs}, {self.size:.3g} m{upper._payload_in_words}>"

    def __getattr__(self, name: str) -> NoReturn:
        # Called only for attributes that do not exist; `StagesError` is an AttributeError, so `hasattr` is False.
        if name in _OF_ONE_MACHINE:
            raise StagesError(
                f"machine {self.name!r} has two stages, expected a single machine: use .stages[0] or .stages[1], or "
                "load the name followed by :1 or :2"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def without_coulomb_friction(self) -> StackedMachine:
        """Return the machine with both stages as of `Machine.without_coulomb_friction`."""
        return replace(self, stages=(self.lower.without_coulomb_friction(), self.upper.without_coulomb_friction()))

    def limited_by_strokes(self) -> StackedMachine:
        """Return the machine with both stages as of `Machine.limited_by_strokes`."""
        return replace(self, stages=(self.lower.limited_by_strokes(), self.upper.limited_by_strokes()))

    def with_payload(self, mass: float, centre: ArrayLike, inertia: ArrayLike | None = None) -> StackedMachine:
        """Return the machine with a payload fixed to the end platform, see `Machine.with_payload`."""
        return replace(self, stages=(self.lower, self.upper.with_payload(mass, centre, inertia)))

    @property
    def lower(self) -> Machine:
        """The stage on the ground."""
        return self.stages[0]

    @property
    def upper(self) -> Machine:
        """The stage on the intermediate platform."""
        return self.stages[1]

    @property
    def n(self) -> int:
        """Number of joint coordinates: those of the lower stage come first."""
        return 6 * len(self.stages)

    @property
    def stage_shape(self) -> tuple[int, ...]:
        """Leading shape of the poses of all platforms."""
        return (len(self.stages),)

    @property
    def stage_dims(self) -> tuple[str, ...]:
        """Names of the dimensions of that shape."""
        return ("stage",)

    @property
    def has_weight(self) -> bool:
        """Whether the mass of every platform is known, on which all forces depend."""
        return all(stage.platform is not None for stage in self.stages)

    def poses_of_platforms(self, X: Array) -> tuple[Array, ...]:
        """Return the poses (..., 4, 4) of each platform, the intermediate platform first."""
        return X[..., 0, :, :], X[..., 1, :, :]

    @property
    def moving_platforms(self) -> str:
        """The moving platforms in words."""
        return "intermediate and the end platform"

    def by_platform(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Label quantities of each platform, the intermediate platform first: "x mid", "x end"."""
        return tuple(f"{label} {platform}" for platform in ("mid", "end") for label in labels)

    def by_stage(self, words: Iterable[str]) -> str:
        """Join the texts of both stages, without empty texts: "stage 1: ...; stage 2: ..."."""
        return "; ".join(f"stage {k}: {said}" for k, said in enumerate(words, 1) if said)

    @cached_property
    def X_home(self) -> Array:
        """Home poses of both platforms in the base of the lower stage, (2, 4, 4): the intermediate one first."""
        return read_only(np.stack([self.lower.X_home, self.lower.X_home @ self.X_IU @ self.upper.X_home]))

    @property
    def end_home(self) -> Array:
        """Home pose of the end platform (4, 4)."""
        return np.asarray(self.X_home[1])

    def end_pose(self, X: Array) -> Array:
        """Return the poses (..., 4, 4) of the end platform."""
        return np.asarray(X[..., 1, :, :])

    def end_wrench(self, F: Array) -> Array:
        """Expand wrenches on the end platform (..., 6) to both platforms (..., 2, 6), with zeros for the intermediate
        platform."""
        return np.stack([np.zeros_like(F), F], axis=-2)

    @property
    def mounts(self) -> tuple[Array, ...]:
        """Pose of each stage's base (4, 4) in the platform below it; for the lower one the base itself."""
        return (np.eye(4), self.X_IU)

    @property
    def X_PT(self) -> Array:
        """The tool's pose in the end platform (4, 4)."""
        return self.upper.X_PT

    @property
    def point_of_interest(self) -> Array:
        """Point about which displacements are given, in the end platform's frame [m]."""
        return self.upper.point_of_interest

    @property
    def characteristic_length(self) -> float:
        """Scales rotations of the end platform to its translations [m], see `Machine`."""
        return self.upper.characteristic_length

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall in the base of the lower stage, whose file gives it [m/s2]."""
        return self.lower.gravity

    @cached_property
    def size(self) -> float:
        """The largest distance between any two of the 24 joint points at home [m]."""
        X_BU = self.lower.X_home @ self.X_IU
        above = self.upper.joints_home @ X_BU[:3, :3].T + X_BU[:3, 3]
        points = np.concatenate([self.lower.joints_home, above])
        return float(np.linalg.norm(points[:, None] - points[None], axis=-1).max())


AnyMachine: TypeAlias = Machine | StackedMachine
"""Argument of functions that are written once for one stage and for two."""


def joint_limits(machine: AnyMachine, name: str) -> Array:
    """Return the limit of all joints (legs,) with a name such as "joint_speed"; infinite in stages without it."""
    known = (getattr(stage.limits, name) for stage in machine.stages)
    return np.concatenate([np.full(6, np.inf) if each is None else each for each in known])


_OF_ONE_MACHINE = frozenset(
    name for name in {*Machine.__dataclass_fields__, *vars(Machine)} - {*vars(StackedMachine)} if name[0] != "_"
)
"""Attributes of `Machine` that a machine of two stages lacks: asking for one is a `StagesError`."""

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
Implementation = TypeVar("Implementation", bound=Callable[..., Any])


class OfMachine(Protocol[P, R_co]):
    """A function of a machine of one stage or of two."""

    def __call__(self, machine: Machine | StackedMachine, *args: P.args, **named: P.kwargs) -> R_co:
        """The function's value for either."""
        ...

    def register(self, kind: type) -> Callable[[Implementation], Implementation]:
        """Decorate the implementation for another kind of machine."""
        ...


def by_machine(function: Callable[Concatenate[Machine, P], R_co]) -> OfMachine[P, R_co]:
    """Let the type of the machine select the implementation, as `functools.singledispatch` does."""
    implementations = singledispatch(function)

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        kind = type(given[0] if given else named.get("machine"))
        implementation = function if kind is Machine else implementations.dispatch(kind)
        return implementation(*given, **named)

    call.register = implementations.register  # type: ignore[attr-defined]
    return cast("OfMachine[P, R_co]", call)
