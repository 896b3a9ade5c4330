"""Gough: a toolbox for hexapods, six-legged parallel robots with extending, sliding or rotating drives.

>>> import gough
>>> m = gough.load("hexel")
>>> q = gough.inverse_kinematics(m, m.home)

Names are imported when first used: `import gough` costs nothing and compiles nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gough import motion as motion
    from gough import multibody as multibody
    from gough import plot as plot
    from gough import stages as stages
    from gough.analysis.accuracy import Resolution as Resolution
    from gough.analysis.accuracy import parameter_sensitivity as parameter_sensitivity
    from gough.analysis.accuracy import pose_error as pose_error
    from gough.analysis.accuracy import resolution as resolution
    from gough.analysis.capacity import CapacityRow as CapacityRow
    from gough.analysis.capacity import LoadCapacity as LoadCapacity
    from gough.analysis.capacity import capacity_table as capacity_table
    from gough.analysis.capacity import guaranteed_load as guaranteed_load
    from gough.analysis.capacity import load_capacity as load_capacity
    from gough.analysis.capacity import load_envelope as load_envelope
    from gough.analysis.capacity import payload as payload
    from gough.analysis.conditioning import Conditioning as Conditioning
    from gough.analysis.conditioning import conditioning as conditioning
    from gough.analysis.conditioning import conditioning_map as conditioning_map
    from gough.analysis.corners import Corners as Corners
    from gough.analysis.corners import corners as corners
    from gough.analysis.dexterous import Dexterous as Dexterous
    from gough.analysis.dexterous import dexterous_workspace as dexterous_workspace
    from gough.analysis.extreme import LowestPose as LowestPose
    from gough.analysis.extreme import lowest_in_workspace as lowest_in_workspace
    from gough.analysis.extreme import slowest_pose as slowest_pose
    from gough.analysis.extreme import weakest_pose as weakest_pose
    from gough.analysis.forces import leg_forces as leg_forces
    from gough.analysis.freedom import Freedom as Freedom
    from gough.analysis.freedom import free_of_singularities as free_of_singularities
    from gough.analysis.gradient import MarginGradient as MarginGradient
    from gough.analysis.gradient import margin_gradient as margin_gradient
    from gough.analysis.maps import map_over_positions as map_over_positions
    from gough.analysis.margins import Margins as Margins
    from gough.analysis.margins import margins as margins
    from gough.analysis.mesh import Mesh as Mesh
    from gough.analysis.mounting import PayloadRow as PayloadRow
    from gough.analysis.mounting import payload_table as payload_table
    from gough.analysis.nearest import NearestPose as NearestPose
    from gough.analysis.nearest import nearest_pose as nearest_pose
    from gough.analysis.rays import orientation_workspace as orientation_workspace
    from gough.analysis.rays import workspace_rays as workspace_rays
    from gough.analysis.singular_mesh import SingularMesh as SingularMesh
    from gough.analysis.singular_mesh import singular_mesh as singular_mesh
    from gough.analysis.singular_surface import RodSurface as RodSurface
    from gough.analysis.singular_surface import SingularDistance as SingularDistance
    from gough.analysis.singular_surface import singular_distance as singular_distance
    from gough.analysis.singular_surface import singular_surface as singular_surface
    from gough.analysis.singularity import SingularityCubic as SingularityCubic
    from gough.analysis.singularity import singularity_cubic as singularity_cubic
    from gough.analysis.star import Star as Star
    from gough.analysis.stiffness import PrincipalStiffness as PrincipalStiffness
    from gough.analysis.stiffness import axial_forces as axial_forces
    from gough.analysis.stiffness import displacement_under_load as displacement_under_load
    from gough.analysis.stiffness import principal_stiffness as principal_stiffness
    from gough.analysis.stiffness import stiffness as stiffness
    from gough.analysis.stiffness_map import displacement_map as displacement_map
    from gough.analysis.stiffness_map import stiffness_map as stiffness_map
    from gough.analysis.travel import Travel as Travel
    from gough.analysis.travel import TravelRow as TravelRow
    from gough.analysis.travel import travel as travel
    from gough.analysis.travel import travel_table as travel_table
    from gough.analysis.velocity import VelocityEnvelope as VelocityEnvelope
    from gough.analysis.velocity import velocity_envelope as velocity_envelope
    from gough.analysis.velocity_map import velocity_map as velocity_map
    from gough.analysis.workspace import Workspace as Workspace
    from gough.analysis.workspace import workspace as workspace
    from gough.assembly.ambiguity import modes_map as modes_map
    from gough.assembly.between import ModePath as ModePath
    from gough.assembly.between import path_between as path_between
    from gough.assembly.modes import AssemblyModes as AssemblyModes
    from gough.assembly.modes import assembly_modes as assembly_modes
    from gough.conventions import CONVENTIONS as CONVENTIONS
    from gough.conventions import Convention as Convention
    from gough.conventions import from_convention as from_convention
    from gough.conventions import to_convention as to_convention
    from gough.description.load import from_points as from_points
    from gough.description.load import load as load
    from gough.description.load import machines as machines
    from gough.dynamics.bodies import BodyMotion as BodyMotion
    from gough.dynamics.bodies import body_motions as body_motions
    from gough.dynamics.controllers import ComputedTorque as ComputedTorque
    from gough.dynamics.controllers import Controller as Controller
    from gough.dynamics.controllers import GravityCompensation as GravityCompensation
    from gough.dynamics.controllers import LegPID as LegPID
    from gough.dynamics.forward import forward_dynamics as forward_dynamics
    from gough.dynamics.histories import motion_loads as motion_loads
    from gough.dynamics.inverse import inverse_dynamics as inverse_dynamics
    from gough.dynamics.modes import NaturalFrequencies as NaturalFrequencies
    from gough.dynamics.modes import frequency_map as frequency_map
    from gough.dynamics.modes import lowest_frequency as lowest_frequency
    from gough.dynamics.modes import natural_frequencies as natural_frequencies
    from gough.dynamics.motions import CosineMotion as CosineMotion
    from gough.dynamics.motions import SplineMotion as SplineMotion
    from gough.dynamics.motions import named_motion as named_motion
    from gough.dynamics.simulate import simulate as simulate
    from gough.dynamics.terms import coriolis_wrench as coriolis_wrench
    from gough.dynamics.terms import gravity_wrench as gravity_wrench
    from gough.dynamics.terms import kinetic_energy as kinetic_energy
    from gough.dynamics.terms import mass_matrix as mass_matrix
    from gough.dynamics.terms import potential_energy as potential_energy
    from gough.errors import GoughError as GoughError
    from gough.errors import InputError as InputError
    from gough.errors import MachineFileError as MachineFileError
    from gough.errors import NotConvergedError as NotConvergedError
    from gough.errors import PathFileError as PathFileError
    from gough.errors import PoseError as PoseError
    from gough.errors import RedundantConstraintsError as RedundantConstraintsError
    from gough.errors import ShapeError as ShapeError
    from gough.errors import SolverError as SolverError
    from gough.errors import StagesError as StagesError
    from gough.errors import UnknownMachineError as UnknownMachineError
    from gough.export.mjcf import mjcf as mjcf
    from gough.frames import about_pivot as about_pivot
    from gough.frames import displaced as displaced
    from gough.frames import displacement as displacement
    from gough.frames import platform_pose as platform_pose
    from gough.frames import tool_pose as tool_pose
    from gough.kinematics.certificate import Certificate as Certificate
    from gough.kinematics.certificate import certify as certify
    from gough.kinematics.forward import ForwardSolution as ForwardSolution
    from gough.kinematics.forward import Status as Status
    from gough.kinematics.forward import forward_kinematics as forward_kinematics
    from gough.kinematics.inverse import inverse_kinematics as inverse_kinematics
    from gough.kinematics.linear_map import LinearMap as LinearMap
    from gough.kinematics.linear_map import linear_map as linear_map
    from gough.kinematics.rates import inverse_jacobian as inverse_jacobian
    from gough.kinematics.rates import jacobian as jacobian
    from gough.kinematics.rates import joint_accelerations as joint_accelerations
    from gough.kinematics.rates import joint_rates as joint_rates
    from gough.kinematics.rates import platform_acceleration as platform_acceleration
    from gough.kinematics.rates import platform_twist as platform_twist
    from gough.kinematics.solver import ForwardSolver as ForwardSolver
    from gough.machine import Machine as Machine
    from gough.poses import euler_angles as euler_angles
    from gough.poses import pose as pose
    from gough.poses import pose_matrix as pose_matrix
    from gough.stacked import StackedMachine as StackedMachine

__version__ = "0.1.0"

_HOME = {
    "GoughError": "errors",
    "InputError": "errors",
    "MachineFileError": "errors",
    "NotConvergedError": "errors",
    "PathFileError": "errors",
    "PoseError": "errors",
    "RedundantConstraintsError": "errors",
    "ShapeError": "errors",
    "SolverError": "errors",
    "StagesError": "errors",
    "UnknownMachineError": "errors",
    "Machine": "machine",
    "StackedMachine": "stacked",
    "load": "description.load",
    "from_points": "description.load",
    "machines": "description.load",
    "pose": "poses",
    "pose_matrix": "poses",
    "euler_angles": "poses",
    "CONVENTIONS": "conventions",
    "Convention": "conventions",
    "about_pivot": "frames",
    "displaced": "frames",
    "displacement": "frames",
    "from_convention": "conventions",
    "platform_pose": "frames",
    "to_convention": "conventions",
    "tool_pose": "frames",
    "inverse_kinematics": "kinematics.inverse",
    "ForwardSolution": "kinematics.forward",
    "Status": "kinematics.forward",
    "forward_kinematics": "kinematics.forward",
    "Certificate": "kinematics.certificate",
    "certify": "kinematics.certificate",
    "modes_map": "assembly.ambiguity",
    "ModePath": "assembly.between",
    "path_between": "assembly.between",
    "AssemblyModes": "assembly.modes",
    "assembly_modes": "assembly.modes",
    "ForwardSolver": "kinematics.solver",
    "LinearMap": "kinematics.linear_map",
    "linear_map": "kinematics.linear_map",
    "jacobian": "kinematics.rates",
    "inverse_jacobian": "kinematics.rates",
    "joint_rates": "kinematics.rates",
    "joint_accelerations": "kinematics.rates",
    "platform_twist": "kinematics.rates",
    "platform_acceleration": "kinematics.rates",
    "parameter_sensitivity": "analysis.accuracy",
    "pose_error": "analysis.accuracy",
    "resolution": "analysis.accuracy",
    "Resolution": "analysis.accuracy",
    "leg_forces": "analysis.forces",
    "axial_forces": "analysis.stiffness",
    "displacement_under_load": "analysis.stiffness",
    "principal_stiffness": "analysis.stiffness",
    "PrincipalStiffness": "analysis.stiffness",
    "stiffness": "analysis.stiffness",
    "velocity_envelope": "analysis.velocity",
    "VelocityEnvelope": "analysis.velocity",
    "SingularityCubic": "analysis.singularity",
    "singularity_cubic": "analysis.singularity",
    "Freedom": "analysis.freedom",
    "free_of_singularities": "analysis.freedom",
    "SingularMesh": "analysis.singular_mesh",
    "singular_mesh": "analysis.singular_mesh",
    "RodSurface": "analysis.singular_surface",
    "SingularDistance": "analysis.singular_surface",
    "singular_distance": "analysis.singular_surface",
    "singular_surface": "analysis.singular_surface",
    "LoadCapacity": "analysis.capacity",
    "load_capacity": "analysis.capacity",
    "load_envelope": "analysis.capacity",
    "payload": "analysis.capacity",
    "NearestPose": "analysis.nearest",
    "nearest_pose": "analysis.nearest",
    "MarginGradient": "analysis.gradient",
    "margin_gradient": "analysis.gradient",
    "LowestPose": "analysis.extreme",
    "lowest_in_workspace": "analysis.extreme",
    "slowest_pose": "analysis.extreme",
    "weakest_pose": "analysis.extreme",
    "displacement_map": "analysis.stiffness_map",
    "stiffness_map": "analysis.stiffness_map",
    "velocity_map": "analysis.velocity_map",
    "CapacityRow": "analysis.capacity",
    "capacity_table": "analysis.capacity",
    "guaranteed_load": "analysis.capacity",
    "PayloadRow": "analysis.mounting",
    "payload_table": "analysis.mounting",
    "Dexterous": "analysis.dexterous",
    "dexterous_workspace": "analysis.dexterous",
    "Mesh": "analysis.mesh",
    "orientation_workspace": "analysis.rays",
    "workspace_rays": "analysis.rays",
    "Star": "analysis.star",
    "workspace": "analysis.workspace",
    "Workspace": "analysis.workspace",
    "Conditioning": "analysis.conditioning",
    "conditioning": "analysis.conditioning",
    "conditioning_map": "analysis.conditioning",
    "Corners": "analysis.corners",
    "corners": "analysis.corners",
    "map_over_positions": "analysis.maps",
    "Margins": "analysis.margins",
    "margins": "analysis.margins",
    "Travel": "analysis.travel",
    "TravelRow": "analysis.travel",
    "travel": "analysis.travel",
    "travel_table": "analysis.travel",
    "inverse_dynamics": "dynamics.inverse",
    "forward_dynamics": "dynamics.forward",
    "mass_matrix": "dynamics.terms",
    "coriolis_wrench": "dynamics.terms",
    "gravity_wrench": "dynamics.terms",
    "kinetic_energy": "dynamics.terms",
    "potential_energy": "dynamics.terms",
    "body_motions": "dynamics.bodies",
    "BodyMotion": "dynamics.bodies",
    "simulate": "dynamics.simulate",
    "Controller": "dynamics.controllers",
    "GravityCompensation": "dynamics.controllers",
    "LegPID": "dynamics.controllers",
    "ComputedTorque": "dynamics.controllers",
    "CosineMotion": "dynamics.motions",
    "SplineMotion": "dynamics.motions",
    "named_motion": "dynamics.motions",
    "motion_loads": "dynamics.histories",
    "natural_frequencies": "dynamics.modes",
    "NaturalFrequencies": "dynamics.modes",
    "frequency_map": "dynamics.modes",
    "mjcf": "export.mjcf",
    "lowest_frequency": "dynamics.modes",
}
"""Public name -> module that defines it."""

_MODULES = ("motion", "multibody", "plot", "stages")

__all__ = ["__version__", *_HOME, *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"gough.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'gough' has no attribute {name!r}")
    value = getattr(import_module(f"gough.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
