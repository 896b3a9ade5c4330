"""Docstrings are whole and their references lead somewhere; so do the names in the documentation."""

import builtins
import functools
import importlib
import inspect
import re
import unicodedata

import pytest
from tests.architecture.test_public_names import ENTRIES, PACKAGE, ROOT

import gough

FUNCTIONS = {
    thing: f"{home}.{name}"
    for _, name, home in ENTRIES
    if home is not None and inspect.isfunction(thing := getattr(importlib.import_module(home), name))
}
SECTION = re.compile(r"^(Parameters|Returns|Raises|Attributes)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
DIMENSIONAL = {
    "A", "V", "actuator_force", "amplitude", "blend", "centre", "direction", "force", "gravity", "half_period",
    "high",
    "joint_acceleration", "joint_jerk", "joint_speed", "length", "low", "mass", "mass_centre", "pivot", "point",
    "position", "q", "qd", "qdd", "roll", "tilt", "time", "tolerance", "translation", "turn", "wrench",
}  # fmt: skip
"""Parameters of these names have a unit, which their entry gives in brackets or leaves to the function it refers to."""
REFERS = re.compile(r"\b(as|see|part|place)\b", re.IGNORECASE)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += [path for path in sorted((ROOT / "docs").glob("*/*.md")) if not path.parent.name.startswith("_")]
SOURCES = sorted(PACKAGE.rglob("*.py"))
DOTTED = re.compile(r"(?<![\w./\-\"'*])gough(?:\.[A-Za-z_]\w*)+(?![\w/])")
PLAIN = re.compile(r"(?:[Ss]ee|[Aa]s|[Oo]f|for|by|from) `([A-Za-z_]\w*)`")
COMPUTING = {
    "accuracy", "assembly", "calibration", "dynamics", "frames", "kinematics", "limits", "multibody", "regions",
    "singularity", "stages", "statics", "workspaces",
}  # fmt: skip
"""Rooms whose public functions compute formulas, and name where these come from."""
WITHOUT_SOURCE = {
    "ball": "a region as given", "box": "a region as given", "cylinder": "a region as given",
    "ellipsoid": "a region as given", "union": "regions as given", "named_regions": "regions of the machine's file",
    "stack": "a machine of two given ones", "hexapod": "a system of a given machine",
    "stacked": "a system of given machines",
    "solver_for": "chooses a class, which has its source", "write": "writes files",
    "random_poses": "a sample, computes nothing",
    "from_convention": "the table of conventions has a source for each",
    "to_convention": "the table of conventions has a source for each",
    "displacement": "the inverse of `displaced`", "tool_pose": "the inverse of `platform_pose`",
    "assembly_mode_count_map": "`assembly_modes` over a grid", "conditioning_map": "`conditioning` over a grid",
    "displacement_map": "`deflection` over a grid", "frequency_map": "`natural_frequencies` over a grid",
    "stiffness_map": "`principal_stiffness` over a grid", "velocity_map": "`velocity_envelope` over a grid",
    "map_over_positions": "a given function over a grid",
    "capacity_table": "`wrench_capacity` along each axis", "travel_table": "`travel` along each axis",
    "travel_tradeoff": "`largest_region` for several angles", "motion_forces": "`inverse_dynamics` over time",
    "error_by_group": "`pose_error` and `resolution`, added up", "rehome": "`calibrate` with fewer parameters",
    "validate": "residuals of `calibrate` for other measurements",
}  # fmt: skip
"""Public functions of these rooms without a formula of their own, and why."""
SOURCED = re.compile(
    r"\([^()]*\b(?:1[6-9]|20)\d\d\b|\b(?:1[6-9]|20)\d\d\)|arXiv|doi\.org|\bby\s+definition\b", re.IGNORECASE
)
CITED = re.compile(r"\b([A-Z][\w-]+(?:,? and\b|,| et al\.| [A-Z][\w-]+)*) \(?((?:1[6-9]|20)\d\d)\b")
FILE_ENDINGS = {"toml", "html", "csv", "md", "py", "json", "nc", "org"}


def sections(thing):
    """Title and body of each section of a docstring."""
    return dict(SECTION.findall(inspect.getdoc(thing) or ""))


def entries_of(body):
    """Names and text of the entries of a section: "low, high : (3,) array" is two names."""
    found: dict[str, str] = {}
    for entry in filter(None, re.split(r"\n(?=\S)", body.strip("\n"))):
        names = re.split(r"\s*,\s*", entry.partition("\n")[0].partition(" :")[0])
        found |= {name.lstrip("*"): entry for name in names}
    return found


def arguments_results_and_failures_are_described(function):
    found = sections(function)
    names = list(inspect.signature(function).parameters)
    if names:
        assert "Parameters" in found
        assert set(entries_of(found["Parameters"])) == set(names)
    first, _, more = found["Returns"].strip("\n").partition("\n")
    assert more.strip() or not re.fullmatch(r"[\w.]+", first.strip()), "more than a class: what of it, shapes and units"
    assert "Raises" in found or "NaN" in (inspect.getdoc(function) or "")


def parameters_with_a_dimension_name_their_unit(function):
    entries = entries_of(sections(function).get("Parameters", ""))
    bare = [
        name for name in DIMENSIONAL & set(entries) if "[" not in entries[name] and not REFERS.search(entries[name])
    ]
    assert not bare


def named_exceptions_exist(function):
    for name in entries_of(sections(function).get("Raises", "")):
        kind = getattr(gough.errors, name, None) or getattr(builtins, name, None)
        assert isinstance(kind, type), name
        assert issubclass(kind, Exception), name


def an_array_a_result_a_table_or_a_figure_is_returned(function):
    """The rule of CONTRIBUTING: no list, and no tuple of different things."""
    kind = str(inspect.unwrap(function).__annotations__["return"])
    assert not re.search(r"\b(list|List|Any)\[", kind)
    assert "tuple[" not in kind or re.search(r"tuple\[\w+, \.\.\.\]", kind)
    assert "dict[" not in kind or re.search(r"dict\[str, [A-Z]\w+\]", kind)


def computes(function):
    """Whether a public function is one of a room that computes."""
    return inspect.unwrap(function).__module__.split(".")[1] in COMPUTING


def without_accents(text):
    """Letters without their accents: "Margaritescu"."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


@functools.cache
def words_of_the_pages():
    return without_accents(" ".join(path.read_text("utf-8") for path in PAGES))


def description(function):
    """A docstring without its sections of arguments and results."""
    return (inspect.getdoc(function) or "").partition("\nReturns\n---")[0]


def a_formula_has_its_source(function):
    """A year in parentheses, or the formula itself, "by definition"."""
    assert not computes(function) or bool(SOURCED.search(description(function))) or function.__name__ in WITHOUT_SOURCE


def test_exemptions_are_public_functions_that_name_others():
    named = {function.__name__: name for function, name in FUNCTIONS.items() if computes(function)}
    assert set(WITHOUT_SOURCE) <= set(named)
    for reason in WITHOUT_SOURCE.values():
        assert set(re.findall(r"`(\w+)`", reason)) <= set(named) - set(WITHOUT_SOURCE), "not of another exempt one"


def cited_papers_are_in_the_documentation(function):
    pages = words_of_the_pages()
    for authors, year in CITED.findall(re.sub(r"\s+", " ", description(function))) if computes(function) else ():
        for name in re.findall(r"[A-Z][\w-]+", authors):
            assert re.search(rf"\b{name}\b[^|#]{{0,400}}?\b{year}\b", pages), (name, year)


def a_pose_says_of_what_and_in_which_frame(function):
    bare = [
        entry
        for entry in set(entries_of(sections(function).get("Parameters", "")).values())
        if "PoseLike" in entry and not entry.partition("\n")[2].strip()
    ]
    assert not bare


CHECKS = (
    arguments_results_and_failures_are_described,
    parameters_with_a_dimension_name_their_unit,
    named_exceptions_exist,
    an_array_a_result_a_table_or_a_figure_is_returned,
    a_formula_has_its_source,
    cited_papers_are_in_the_documentation,
    a_pose_says_of_what_and_in_which_frame,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_of_every_public_function(check):
    wrong = {}
    for function, name in FUNCTIONS.items():
        try:
            check(function)
        except (AssertionError, KeyError) as error:
            wrong[name] = error
    assert not wrong


@functools.cache
def leads_somewhere(dotted):
    """Whether a dotted name is a module or an attribute, of an instance too as far as a class is annotated."""
    parts = dotted.split(".")
    thing = gough
    for k, part in enumerate(parts[1:], 2):
        if part in getattr(thing, "__annotations__", {}):
            return k == len(parts)
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = importlib.import_module(".".join(parts[:k]))
            except ImportError:
                return False
    return True


def lost_in(text):
    found = {name for name in DOTTED.findall(text) if name.rpartition(".")[2] not in FILE_ENDINGS}
    return sorted(name for name in found if not leads_somewhere(name))


def test_names_in_the_documentation_docstrings_and_comments_exist():
    lost = {str(path.relative_to(ROOT)): lost_in(path.read_text("utf-8")) for path in (*PAGES, *SOURCES)}
    assert not {path: names for path, names in lost.items() if names}


def lost_plain_in(text, known):
    """Names to which a text refers without a package, "see `travel`", and that stand nowhere else in it."""
    found = set(PLAIN.findall(text)) - known
    return sorted(name for name in found if not re.search(rf"(?<![`\w]){name}(?![`\w])", text))


def test_plain_references_exist():
    public = {name for _, name, _ in ENTRIES} | {"X_BP", "R_BP", "p_BP", "class"}
    lost = {}
    for path in SOURCES:
        beside = {each.stem for each in path.parent.glob("*.py")}
        lost[str(path.relative_to(PACKAGE))] = lost_plain_in(path.read_text("utf-8"), public | beside)
    assert not {path: names for path, names in lost.items() if names}
