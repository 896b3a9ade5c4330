"""Which functions promise bounds, found by their docstrings, and by which claims each of them is attacked."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import gough

SOURCES = Path(gough.__file__).parent
ROOMS = {
    "accuracy",
    "assembly",
    "dynamics",
    "kinematics",
    "legs",
    "limits",
    "motion",
    "regions",
    "singularity",
    "stages",
}
ROOMS |= {"statics", "workspaces"}
WORDS = re.compile(
    r"\b(bounds?|proven|at worst|guarantee\w*|enclos\w*|every direction|largest departure|largest distance|can have)\b"
    r"|\b(no|nor) [^.;:]*\b(farther|further|nearer|smaller|faster)\b"
    r"|\bMost of\b|worst signs|none is missed|Path\.rates",
    re.IGNORECASE,
)
"""What a promise of a bound says."""

ATTACKED = {
    "legs": ["leg.Enclosure", "leg.Legs.enclosure", "ups.UPS.enclosure", "pus.PUS.enclosure", "rus.RUS.enclosure"],
    "legs, cranks": ["rus.crank_enclosure"],
    "boxes": ["box_limits.Family"],
    "cells": [
        "box_limits.BoxLimits",
        "box_limits.limits_over",
        "limits_over_cells",
        "cells.Motion",
        "Motion.over",
        "Motion.moved",
        "displacement_bounds.margin_bounds",
        "leg_enclosure",
        "rod_turns",
        "singular_growth",
    ],
    "requested": ["StiffnessLimit", "ResolutionLimit"],
    "cuts": [
        "branching.Boxes",
        "branching.Bounded",
        "branching.Record",
        "Record.proven",
        "branching.Search.bound",
        "Search.bound_whole",
        "branching.Search.run",
        "Search.tasks",
        "RegionLimits.tasks",
        "certify_region",
    ],
    "cells, as functions": ["quantities.Limited", "per_size", "tasks.Values.margins", "singular_limit"],
    "cells, as models": [
        "models.Model",
        "Model.spread",
        "Model.change",
        "Model.unknown_where",
        "Model.within",
        "Model.enclosed",
        "minorant.Minorant",
        "minorant.minorant",
        "minorant.lower_bounds",
    ],
    "requested, by inverses": ["singularity.inverse", "bounded_solution"],
    "cells, proven": [
        "proof.RegionProof",
        "RegionProof.bounds",
        "RegionProof.table_of",
        "largest.LargestRegion",
        "LargestRegion.verdict",
        "largest_region",
        "GuaranteedRegion",
        "guaranteed_region",
    ],
    "proofs": ["certificate.Certificate", "Certificate.proven", "certify_pose"],
    "solutions": ["ForwardSolution.certificate", "ForwardSolution.certified", "StackedSolution.certified"],
    "cubics": ["SingularityCubic.bounds"],
    "surfaces": ["SingularityCubic.excludes", "RodSurface.excludes"],
    "lines": ["RodSurface.along"],
    "distances": ["SingularDistance", "singular_distance"],
    "covers": ["SingularityFreeProof", "free_of_singularities"],
    "covers, on the way": ["search.Leaf", "search.Search.target", "search.bounded"],
    "reach": ["interval_search.reach_box"],
    "steps": ["table.path_speed", "table.lever"],
    "cones": ["OrientationCone.spacing"],
    "envelopes": [
        "VelocityEnvelope.guaranteed",
        "VelocityEnvelope.guaranteed_translation",
        "guaranteed_wrench",
        "accuracy.resolution",
    ],
    "paths": [
        "path.Rates",
        "Path.rates",
        "PlannedPath.rates",
        "Spline.rates",
        "SegmentPath.rates",
        "PiecewisePath.rates",
    ],
    "paths, framed": ["Framed.rates", "RecordedMotion.rates", "RolledPath.rates", "SharedPath.rates", "under_tool"],
    "paths, in joints": ["JointSpacePath.rates", "path.platform_rates"],
    "journeys": ["check.Intervals", "PathModels", "PathModels.of", "PathModels.about", "PathModels.moved"],
    "tubes": ["Tube.bounds", "Tube.along", "Tube.around", "Tube.halved"],
    "verdicts": ["check_path", "check.Violation", "check.PathCheck", "WithVerdict.is_proven"],
    "heads": ["HeadSpline.bounds", "joint_bounds", "motion.TipRates", "tip_rates"],
    "corners": ["lines.via", "SegmentPath"],
}
"""Claims, and whose promises they are: ends of qualified names."""

ELSEWHERE = {
    "FunctionPath": "bounds are given to it",
    "FunctionPath.rates": "bounds are given to it",
    "assembly_modes.AssemblyModes": "the certificate of its poses: solutions",
    "AssemblyModes.certified": "the certificate of its poses: solutions",
    "AssemblyModes.proofs": "the certificate of its poses: solutions",
    "surface.surface_dataset": "names them",
    "SingularDistance.sentence": "names them",
    "limits.proof": "there is none",
    "assembly_modes.assembly_modes": "the certificate of its poses: solutions",
    "joint_motion.playback": "the certificate of its poses: solutions",
    "PathReport.is_feasible": "the verdict of check_path: verdicts",
    "extremes.Extremes": "tests/motion/test_paths.py",
    "limits.table.Column": "a limit",
    "shapes.PoseRegion": "a boundary",
    "simulate.simulate": "the forces' bound",
    "tool_path.follow_tool": "tests/motion/test_tool_head.py",
    "JointProgram": "measured in the middle of every piece",
    "path.Straightness": "measured along the path",
    "accuracy.ErrorBudget": "sums over the groups' tolerances: tests/accuracy",
    "time_optimal.TimingGrid": "an input",
    "SCurves.within": "bounds are given to it",
    "climb.quadratic_step": "bounds are given to it",
    "wrench_envelope": "its argument",
    **dict.fromkeys(
        ("corners.corners", "corners.Corners", "farther.open_directions", "Violations.where", "Violations.quantities"),
        "tests/limits/test_corners.py",
    ),
    "capacity_table.capacity_rows": "a table of numbers it is given",
    "Conditioning.is_singular": "no bound",
    "slowest_pose": "a search's answer",
    "workspace_minimum": "a search's answer",
    "largest.best_place": "a search's answer",
    "velocity_map": "of VelocityEnvelope: envelopes",
    "workspace_rays": "ends of intervals, no bounds",
    "Paving.sentence": "how much is proven: of Paving.contains, tests/volume.py",
    "Mesh.volume": "a volume",
    "extent.Rays": "ranges of a search",
    "columns_extent": "ranges of a search",
    "workspace.Workspace": "ranges of a search",
    "Workspace.extent": "ranges of a search",
    **dict.fromkeys(
        (
            "displacement_bounds.LegReach",
            "displacement_bounds.least_angle",
            "cells.measure_bounds",
            "pave.enclosing_region",
            "workspace_volume_6d",
        ),
        "tests/regions/test_volume.py",
    ),
    **dict.fromkeys(
        ("pave.PavingTask", "pave.first_order_bounds", "paving.Paving"),
        "tests/volume.py: pavings",
    ),
    **dict.fromkeys(("Paving.bounds", "Paving.contains", "volume.PoseVolume"), "tests/volume.py: pavings"),
    **dict.fromkeys(("PoseVolume.lower", "PoseVolume.upper"), "tests/volume.py: pavings"),
    **dict.fromkeys(("PoseVolume.region", "PoseVolume.sentence"), "names them"),
    **dict.fromkeys(("volume.Line", "Line.length", "cells.projected"), "of measures: tests/regions/test_volume.py"),
}
"""Where the words mean something else, or what is promised follows from an attacked bound."""


def promising() -> Iterator[str]:
    """Qualified names of public functions, methods and classes whose docstrings promise a bound."""
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        if parts[0] in ROOMS and not any(part.startswith("_") for part in parts):
            for name, docstring in _documented(ast.parse(path.read_text("utf8")), parts):
                if WORDS.search(" ".join(docstring.split())):
                    yield name


def _documented(node: ast.AST, outer: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef) and not child.name.startswith("_"):
            yield ".".join((*outer, child.name)), " ".join([ast.get_docstring(child) or "", *_attributes(child)])
            yield from _documented(child, (*outer, child.name))


def _attributes(node: ast.AST) -> Iterator[str]:
    """Definitions of the quantities that a class declares."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.AnnAssign) and isinstance(child.value, ast.Call):
            yield from (ast.unparse(each.value) for each in child.value.keywords if each.arg == "doc")
