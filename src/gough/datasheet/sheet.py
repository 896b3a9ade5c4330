"""Data of the sections: results of Gough's functions for a machine at home, each computed once, when first needed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cached_property
from math import floor, isfinite, log10
from typing import Generic, Literal, TypeVar

import numpy as np

import gough
from gough import stages
from gough.arrays import Array
from gough.errors import InputError
from gough.limits.margins import Margins
from gough.limits.travel import TravelRow
from gough.machine import Machine
from gough.motion.report import PathReport
from gough.present.answer import MOTIONS
from gough.present.show import Show
from gough.present.units import percent
from gough.quantity import TWELVE_LEGS
from gough.regions.corners import Corners
from gough.regions.guaranteed import GuaranteedRegion
from gough.regions.proof import RegionProof
from gough.results import ShowsFacts
from gough.singularity.conditioning import Conditioning
from gough.singularity.distance import SingularDistance
from gough.singularity.free_regions import SingularityFreeProof
from gough.stacked import AnyMachine, StackedMachine
from gough.stages.frames import upper_base
from gough.stages.redundancy import Choice, StackedInverse
from gough.stages.statics import ForceBalance
from gough.stages.workspace_gain import WorkspaceGain
from gough.statics.capacity import excess_force
from gough.statics.capacity_table import CapacityRow
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import Mesh
from gough.workspaces.minimum import REACH_MARGIN, Motion, WorkspaceMinimum, has_rods
from gough.workspaces.position_maps import extent
from gough.workspaces.ray_workspace import RayWorkspace
from gough.workspaces.workspace import Workspace

M = TypeVar("M", bound=AnyMachine)
GRID = 9
"""Positions along each axis at which searches for minima over the workspace start."""
MOST_BOXES = 24_000
"""Largest number of boxes of the proof that the workspace is free of singularities: about a second."""
REGION_BOXES = 10_000
"""Largest number of boxes of the proof of each region that the machine's file names: about a second."""

WORKSPACE_SAMPLES, CONE_SAMPLES = 33, 17
"""Columns along x and y of the workspace, and of the part that allows a cone of orientations."""


class Sheet(ShowsFacts, Generic[M]):
    """Results of a machine of one stage or of two."""

    shared = of_rates = ""
    """Sentences on how two stages share a displacement, and on which of the possible joint rates are meant."""

    def __init__(self, machine: M, command: str = "", when: datetime | None = None) -> None:
        self.machine, self.command = machine, command
        self.when = datetime.now().astimezone() if when is None else when
        self.legs = TWELVE_LEGS[: 6 * len(machine.stages)]
        self.all_legs = {6: "six", 12: "twelve"}[len(self.legs)]
        self.show = Show(machine)

    def facts(self) -> dict[str, str]:
        """Return its machine, its date, and the results that are computed."""
        known = [name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)]
        made = f"{self.when:%Y-%m-%d %H:%M}"
        return {"machine": self.machine.name, "made": made, "results so far": ", ".join(known) or "none"}

    @cached_property
    def travel(self) -> tuple[TravelRow, ...]:
        """Travel of the (end) platform along and about each axis from home."""
        return gough.travel_table(self.machine)

    @cached_property
    def margins(self) -> Margins:
        """Margins at home."""
        return gough.margins(self.machine, self.machine.X_home)

    @property
    def is_elastic(self) -> bool:
        """Whether the stiffness of all legs is known."""
        drives = [stage.actuators for stage in self.machine.stages]
        return all(each.stiffness is not None or each.axial_rigidity is not None for each in drives)

    @property
    def is_home_allowed(self) -> bool:
        """Whether home keeps every limit."""
        return bool(self.margins.is_allowed)

    @cached_property
    def corners(self) -> dict[Motion, Corners]:
        """Corners of the ranges of translations and of rotations."""
        return {motion: gough.regions.corners(self.machine, motion) for motion in MOTIONS}

    @cached_property
    def has_workspace(self) -> bool:
        """Whether limits end the positions at home's orientation, so that there are maps of them."""
        if self.is_singular:
            return False
        try:
            extent(self.machine, self.machine.end_home)
        except InputError:
            return False
        return True

    @cached_property
    def held(self) -> Array:
        """Actuator forces (legs,) that hold the machine's own weights at home [N or N m]; 0 without known masses."""
        return gough.leg_forces(self.machine, self.machine.X_home, gravity=self.machine.has_weight)

    @cached_property
    def capacity(self) -> tuple[CapacityRow, ...]:
        """Largest forces and moments by axis at home, besides the machine's own weights."""
        return gough.statics.capacity_table(self.machine, self.machine.X_home, gravity=self.machine.has_weight)

    @cached_property
    def guaranteed_wrench(self) -> dict[str, float]:
        """Largest force in every direction [N] and moment about every axis [N m] at home, besides its own weights."""
        m, weigh = self.machine, self.machine.has_weight
        kinds: tuple[Literal["force", "moment"], ...] = ("force", "moment")
        return {kind: float(gough.statics.guaranteed_wrench(m, m.X_home, kind, gravity=weigh)) for kind in kinds}

    @cached_property
    def slowest(self) -> dict[tuple[Motion, float], WorkspaceMinimum]:
        """Positions with the smallest speed in every direction at home's orientation, by motion and margin to the reach
        of the rods."""
        margins = (0.0, REACH_MARGIN) if has_rods(self.machine) else (0.0,)
        return {
            (k, r): gough.workspaces.slowest_pose(self.machine, motion=k, reach_margin=r)
            for k in MOTIONS
            for r in margins
        }

    @cached_property
    def weakest(self) -> dict[Motion, WorkspaceMinimum]:
        """Positions with the smallest principal stiffness at home's orientation."""
        return {motion: gough.statics.weakest_pose(self.machine, motion=motion, samples=GRID) for motion in MOTIONS}

    @cached_property
    def conditioning(self) -> Conditioning:
        """Conditioning at home."""
        return gough.singularity.conditioning(self.machine, self.machine.X_home)

    @property
    def is_singular(self) -> bool:
        """Whether home is a singular pose."""
        return not bool(self.conditioning.dexterity > 0)  # so that NaN counts as singular


class Datasheet(Sheet[Machine]):
    """Results of one machine.

    Parameters
    ----------
    machine : Machine
    command : str
        The command that made the datasheet, for its last section.
    when : datetime, optional
        Default: now.
    path : PathReport, optional
        A path for the machine; the datasheet has a section on it.

    """

    def __init__(
        self,
        machine: Machine,
        command: str = "",
        when: datetime | None = None,
        path: PathReport | None = None,
    ) -> None:
        super().__init__(machine, command, when)
        self.path = path

    @cached_property
    def q(self) -> Array:
        """Joint coordinates at home (6,) [m or rad]."""
        return gough.inverse_kinematics(self.machine, self.machine.X_home)

    @cached_property
    def guaranteed(self) -> GuaranteedRegion:
        """The proven region of all six coordinates at the same time."""
        return gough.regions.guaranteed_region(self.machine)

    @cached_property
    def named_regions(self) -> dict[str, RegionProof]:
        """Proofs of the regions that the machine's file names."""
        named = gough.regions.named_regions(self.machine)
        return {
            name: gough.certify_region(self.machine, region, max_boxes=REGION_BOXES) for name, region in named.items()
        }

    @cached_property
    def workspace(self) -> Workspace | None:
        """Workspace at home's orientation; None where the legs have no largest length."""
        try:
            return gough.workspace(self.machine, samples=WORKSPACE_SAMPLES)
        except InputError:
            return None

    @cached_property
    def workspace_mesh(self) -> Mesh | None:
        """Boundary of the workspace; None where it is empty or has no end."""
        return None if self.workspace is None or self.workspace.is_empty else self.workspace.mesh()

    @cached_property
    def orientations(self) -> RayWorkspace:
        """Allowed turns about the point of interest at home."""
        return gough.workspaces.orientation_workspace(self.machine)

    @cached_property
    def orientations_mesh(self) -> Mesh | None:
        """Boundary of those around home's; None where home is not allowed."""
        return None if self.orientations.is_empty else self.orientations.mesh()

    @cached_property
    def dexterous(self) -> tuple[DexterousWorkspace, Mesh] | None:
        """The part of the workspace that allows half of home's tilt to all sides; None where home has no tilt."""
        ends = [np.rad2deg(side) for row in self.travel[3:5] for side in (-row.minus, row.plus)]
        if self.workspace_mesh is None or not all(isfinite(end) and end > 0 for end in ends):
            return None
        # One digit of degrees, whatever the file's unit: the same cone for the same machine.
        tilt = float(np.deg2rad(one_digit(0.5 * min(ends))))
        found = gough.workspaces.dexterous_workspace(self.machine, tilt=tilt, samples=CONE_SAMPLES)
        return None if found.is_empty else (found, found.mesh())

    @cached_property
    def u_B(self) -> Array:
        """Rod directions at home in the base frame, (6, 3)."""
        p_B = self.machine.legs.driven_points(self.q)
        d_B = self.machine.b_home - p_B
        return np.asarray(d_B / np.linalg.norm(d_B, axis=1, keepdims=True))

    @cached_property
    def singularity_proof(self) -> SingularityFreeProof | None:
        """Proof that the workspace at home's orientation is free of singularities; None where no limit ends it."""
        try:
            return gough.singularity.free_of_singularities(self.machine, max_boxes=MOST_BOXES)
        except InputError:
            return None

    @cached_property
    def singular_distance(self) -> SingularDistance:
        """Distance of home from the singular surface."""
        return gough.singularity.singular_distance(self.machine)


def one_digit(value: float) -> float:
    """Return a positive number, rounded down to one significant digit."""
    power = floor(log10(value))
    return float(f"{floor(value / 10.0**power)}e{power}")


class StackedSheet(Sheet[StackedMachine]):
    """Results of a machine of two stages; `stages` are those of each."""

    def __init__(self, machine: StackedMachine, command: str = "", when: datetime | None = None) -> None:
        super().__init__(machine, command, when)
        self.shared = f" The lower stage goes {percent(machine.share, 4)} of each displacement, the upper one the rest."
        self.of_rates = " Among the twelve joint rates, the rates of least norm that move the end platform."
        # Gravity is the lower stage's, in axes of the upper stage's base at home, whatever the upper one's file has.
        R_BU = upper_base(machine, machine.X_home)[:3, :3]
        of_stages = (machine.lower, replace(machine.upper, gravity=R_BU.T @ machine.gravity))
        self.stages = tuple(Datasheet(stage, command, self.when) for stage in of_stages)

    @cached_property
    def balance(self) -> ForceBalance | None:
        """Forces that hold both stages at home; None where a stage has no masses or is singular."""
        if any(stage.platform is None for stage in self.machine.stages):
            return None
        found = stages.force_balance(self.machine, self.machine.X_home)
        return found if np.isfinite(found.forces).all() else None

    @property
    def excess_force(self) -> str:
        """The actuators that cannot hold home, as a sentence without its stop; nothing if all can or it is unknown."""
        return "" if self.balance is None else excess_force(self.machine, self.balance.forces)

    @property
    def is_singular(self) -> bool:
        """Whether a stage is singular at home."""
        return any(stage.is_singular for stage in self.stages)

    @cached_property
    def gain(self) -> WorkspaceGain | None:
        """Workspace of both together and of each alone; None where no limit ends it or home is not allowed."""
        try:
            return stages.workspace_gain(self.machine)
        except InputError:
            return None

    @cached_property
    def choices(self) -> dict[Choice, StackedInverse]:
        """Postures at home by choice; the one of smallest forces only where these are known and have one unit."""
        names: list[Choice] = ["fixed", "margin"]
        if self.balance is not None and len({stage.legs.joint for stage in self.machine.stages}) == 1:
            names.append("force")
        return {name: stages.resolve_redundancy(self.machine, self.machine.X_home[1], name) for name in names}


def sheet_of_stack(machine: StackedMachine, command: str = "", *, path: object = None) -> StackedSheet:
    """See `gough.datasheet.build.sheet_of`; paths are for machines of one stage."""
    if path is not None:
        raise InputError(
            f"a path requires a single machine; {machine.name!r} has two stages: use {machine.name}:1 or :2"
        )
    return StackedSheet(machine, command)
