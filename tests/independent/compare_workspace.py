"""The whole workspace: volumes, shares and means within both sides' errors; nothing worse than the worst named."""

import numpy as np
from tests.independent import dynamics, kinematics, statics, workspace
from tests.independent.comparison import DIFFERENCES, EXACT, SIGMAS
from tests.independent.margins import reach_margin, size

GRID = 0.06
"""Relative error of a share counted by the nodes of a grid."""


def volumes(c, m, there, hits):
    box = workspace.extent(m, hits)
    c.same("extent", box, [there["extent"]["low"], there["extent"]["high"]], 1e-6)
    ours = workspace.volume(m, box)
    c.same(f"workspace volume, printed to {there['volume_error'] / ours.value:.1%}", ours.value, there["volume"],
           (SIGMAS * ours.error + there["volume_error"]) / ours.value)  # fmt: skip
    boundary(c, m, there, box)
    if there.get("share_of_all_orientations") is not None:
        share = workspace.share_of_orientations(m)
        error = np.hypot(share.error, there["share_of_all_orientations_error"])
        allowed = SIGMAS * error / share.value
        c.same("share of all orientations", share.value, there["share_of_all_orientations"], allowed)
        c.same("share of orientations around home", workspace.share_of_orientations_around_home(m),
               there["share_of_orientations_around_home"], GRID)  # fmt: skip
    if there.get("dexterous"):
        d = there["dexterous"]
        ours = workspace.volume(m, box, 10, lambda positions: workspace.cone_allowed(m, positions, d["tilt"]))
        allowed = SIGMAS * ours.error + d["volume_error"]
        c.same("dexterous volume", ours.value, d["volume"], allowed / ours.value)


def mean_dexterity(c, m, extent, there):
    """Over the slice of the workspace across y through home."""
    if there.get("average_dexterity") is not None:
        box = np.array([extent["extent"]["low"], extent["extent"]["high"]])
        ours, error = workspace.mean_dexterity(m, box), there["average_dexterity_error"]
        c.same(f"mean dexterity, printed to {error:.2g}, here to {ours.error:.2g}", ours.value,
               there["average_dexterity"], SIGMAS * ours.error + error + EXACT, scale=1)  # fmt: skip


def boundary(c, m, there, box):
    """Of limits that end the workspace together, as parallel plates' angles do, either may be named."""
    surely, perhaps, count = workspace.boundary_shares(m, box)
    for name in sorted({*there["boundary_share"], *perhaps}):
        low, high = surely.get(name, 0.0), perhaps.get(name, 0.0)
        share, error = (there[key].get(name, 0.0) for key in ("boundary_share", "boundary_share_error"))
        slack = SIGMAS * np.hypot(np.sqrt(max(high * (1 - high), 1 / count) / count), error)
        c.holds(f"share of {name}: here {low:.4f} to {high:.4f}, there {share:.4f}, allowed {slack:.4f}",
                low - slack <= share <= high + slack)  # fmt: skip


def lowest(c, m, numbers, hits):
    """No allowed position is worse than the worst that the product names."""
    t, R = workspace.at(m, hits[:: max(1, len(hits) // 2000)])
    bound = numbers.get("singularity", {}).get("workspace", {})
    if bound.get("bound") is not None:
        least = kinematics.singular_value(m, t, R).min()
        c.holds(f"singular value {least:.6g} is below the proven bound {bound['bound']:.6g}", least >= bound["bound"])
    there = numbers.get("speeds", {}).get("anywhere_in_the_workspace", {})
    if there:
        speeds = kinematics.top_speeds(m, t, R)[1:]
        spare = reach_margin(m, t, R) >= there.get("reach_margin", 0)
        for kind, ours in zip(("translation", "rotation"), speeds, strict=True):
            for name, least in (kind, ours.min()), (f"{kind}_with_reach_margin", ours[spare].min(initial=np.inf)):
                if there.get(name) is not None:
                    c.holds(f"least speed {name} {least:.6g} is below {there[name]:.6g}",
                            least >= there[name] * (1 - 1e-9))  # fmt: skip
    if "weakest_in_the_workspace" in numbers.get("stiffness", {}):
        there = numbers["stiffness"]["weakest_in_the_workspace"]
        found = statics.principal_stiffnesses(statics.stiffness(m, t, R, m.poi))
        for kind, values in zip(("translation", "rotation"), found, strict=True):
            value = there[kind]["value"]
            c.holds(f"weakest {kind} {values.min():.6g} is below {value:.6g}", values.min() >= value * (1 - 1e-9))
            place = np.array(there[kind]["position"])
            at_place = statics.principal_stiffnesses(statics.stiffness(m, *workspace.at(m, place), m.poi))
            c.same(f"weakest {kind} at its place", at_place[("translation", "rotation").index(kind)].min(), value, 1e-7)
    lowest_frequency(c, m, numbers.get("modes", {}), hits)


def lowest_frequency(c, m, there, hits):
    """Nor does it swing slower than at the place that the product names."""
    named = there.get("lowest_in_the_workspace")
    if not named:
        return
    value, place = named["frequency"], np.array(named["position"])
    at_place = dynamics.natural_frequencies(m, *workspace.at(m, place))[0]
    c.same("lowest natural frequency at its place", at_place, value, DIFFERENCES)
    found = [dynamics.natural_frequencies(m, *workspace.at(m, hit))[0] for hit in hits[:: max(1, len(hits) // 50)]]
    c.holds(f"lowest natural frequency {min(found):.6g} is below {value:.6g}", min(found) >= value * (1 - DIFFERENCES))


def singular(c, m, there):
    distance = there["distance"]
    upper = np.inf if distance["upper"] is None else distance["upper"]
    ours = workspace.nearest_singular(m, min(1.2 * upper, 2 * size(m)))
    c.holds(f"a singular position at {ours:.9g} is nearer than the lower bound {distance['lower']:.9g}",
            ours >= distance["lower"] * (1 - 1e-9))  # fmt: skip
    if distance["position"] is not None:
        place = np.array(distance["position"])
        c.same("distance of the singular position", np.linalg.norm(place - m.t0 - m.R0 @ m.poi), upper)
        values = np.linalg.svd(kinematics.singularity_rows(m, *workspace.at(m, place)), compute_uv=False)
        c.holds(f"the position named as singular has singular values {values}", values[-1] <= EXACT * values[0])
    else:
        c.holds(f"a singular position is found at {ours:.12g}, and none there", np.isinf(ours))
