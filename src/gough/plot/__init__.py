"""Plotly figures, one function each; every one returns a `plotly.graph_objects.Figure` with its units on its axes.

Lengths and angles are drawn in the units of the machine's file. Plotly is imported when a figure is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough._lazy import lazy_names

if TYPE_CHECKING:
    from gough.plot.animation_figure import animation as animation
    from gough.plot.capacity_figure import load_capacity as load_capacity
    from gough.plot.conditioning_figure import conditioning_map as conditioning_map
    from gough.plot.corners_figure import corners as corners
    from gough.plot.dexterous_figure import dexterous_workspace as dexterous_workspace
    from gough.plot.fitted_motion_figure import fitted_motion as fitted_motion
    from gough.plot.force_balance_figure import force_balance as force_balance
    from gough.plot.forces_figure import leg_forces as leg_forces
    from gough.plot.histories_figure import histories as histories
    from gough.plot.leg_histories_figure import leg_histories as leg_histories
    from gough.plot.linear_map_figure import linear_map_error as linear_map_error
    from gough.plot.machine_figure import machine as machine
    from gough.plot.margins_figure import margins as margins
    from gough.plot.modes_figure import assembly_modes as assembly_modes
    from gough.plot.orientation_workspace_figure import orientation_workspace as orientation_workspace
    from gough.plot.position_map_figure import position_map as position_map
    from gough.plot.resolution_figure import resolution as resolution
    from gough.plot.sensitivity_figure import sensitivity as sensitivity
    from gough.plot.singular_surface_figure import singular_surface as singular_surface
    from gough.plot.stacked_machine_figure import stacked_machine as stacked_machine
    from gough.plot.stiffness_figure import stiffness as stiffness
    from gough.plot.straightness_figure import straightness as straightness
    from gough.plot.timing_figure import timing as timing
    from gough.plot.tool_path_figure import tool_path as tool_path
    from gough.plot.travel_figure import travel as travel
    from gough.plot.velocity_envelope_figure import velocity_envelope as velocity_envelope
    from gough.plot.velocity_map_figure import velocity_map as velocity_map
    from gough.plot.workspace_figure import workspace as workspace
    from gough.plot.workspace_gain_figure import workspace_gain as workspace_gain
    from gough.plot.workspace_lower_figure import workspace_lower as workspace_lower
    from gough.plot.workspace_upper_figure import workspace_upper as workspace_upper

_HOME = {
    "assembly_modes": "modes_figure",
    "conditioning_map": "conditioning_figure",
    "corners": "corners_figure",
    "fitted_motion": "fitted_motion_figure",
    "histories": "histories_figure",
    "linear_map_error": "linear_map_figure",
    "machine": "machine_figure",
    "margins": "margins_figure",
    "load_capacity": "capacity_figure",
    "force_balance": "force_balance_figure",
    "leg_forces": "forces_figure",
    "leg_histories": "leg_histories_figure",
    "position_map": "position_map_figure",
    "resolution": "resolution_figure",
    "sensitivity": "sensitivity_figure",
    "singular_surface": "singular_surface_figure",
    "stacked_machine": "stacked_machine_figure",
    "stiffness": "stiffness_figure",
    "straightness": "straightness_figure",
    "timing": "timing_figure",
    "travel": "travel_figure",
    "velocity_envelope": "velocity_envelope_figure",
    "velocity_map": "velocity_map_figure",
    "dexterous_workspace": "dexterous_figure",
    "orientation_workspace": "orientation_workspace_figure",
    "workspace": "workspace_figure",
    "workspace_gain": "workspace_gain_figure",
    "workspace_lower": "workspace_lower_figure",
    "workspace_upper": "workspace_upper_figure",
    "animation": "animation_figure",
    "tool_path": "tool_path_figure",
}
"""Function -> module that defines it."""

__all__ = [*_HOME]  # noqa: PLE0604
__getattr__, __dir__ = lazy_names(__name__, _HOME)
