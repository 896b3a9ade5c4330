"""Whatever a file says, it is a machine with a home, or refused in sentences: nothing else is raised, nothing hangs."""

import copy
import datetime
import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gough
from gough.description.describe import describe
from gough.description.load import checked, machine_of, machine_text, parse
from gough.errors import MachineFileError

DOCUMENTS = {machine.name: tomllib.loads(machine_text(machine.name)[1]) for machine in gough.machines(stages=1)}
TEXTS = {name: machine_text(name)[1] for name in DOCUMENTS}

THOROUGH = settings(max_examples=300, deadline=datetime.timedelta(seconds=2), derandomize=True, database=None)
"""A document takes some milliseconds; one that takes seconds hangs for its user."""

NUMBERS = st.one_of(
    st.sampled_from([0, -1, 1, 6, 7, 180, -180, 90, float("nan"), float("inf"), -float("inf"), 10**30, -(10**400)]),
    st.sampled_from([1e-320, -1e-200, 1e-30, 1e-9, 1e9, 1e17, -1e18, 1.1e18, 1e155, 1.7e308, -1.7e308]),
    st.floats(),
    st.floats(-10, 10),
    st.integers(-7, 7),
)
VALUES = st.one_of(
    NUMBERS,
    st.lists(NUMBERS, min_size=3, max_size=3),
    st.lists(NUMBERS, min_size=6, max_size=6),
    st.lists(st.lists(NUMBERS, max_size=4), max_size=7),
    st.sampled_from(
        ["", "mm", "UPS", "PUS", "RUS", "origin", "ZYX", "text", True, False, [], {}, [[]], [{}], {"a": 1}]
    ),
    st.sampled_from([datetime.date(2026, 1, 1), datetime.time(12), {"radius": 1, "pair_angle": 0.3}]),
)


def places(value, path=()):
    """Paths of everything inside a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def holder(document, path):
    for key in path[:-1]:
        document = document[key]
    return document, path[-1]


def delete(data, inner, key, document):
    del inner[key]


def replace(data, inner, key, document):
    inner[key] = data.draw(VALUES)


def scale(data, inner, key, document):
    if isinstance(inner[key], (int, float)):
        inner[key] *= data.draw(st.sampled_from([-1, 0, 1e-12, 1e-3, 1.5, 1e3, 1e12]))


def copy_from_elsewhere(data, inner, key, document):
    other, name = holder(document, data.draw(st.sampled_from(list(places(document)))))
    inner[key] = copy.deepcopy(other[name])


def shuffle(data, inner, key, document):
    if isinstance(inner[key], list):
        inner[key] = data.draw(st.permutations(inner[key]))


def repeat(data, inner, key, document):
    if isinstance(inner, list):
        inner.insert(key, copy.deepcopy(inner[key]))


def rename(data, inner, key, document):
    if isinstance(inner, dict):
        inner[data.draw(st.sampled_from(["x", "lenght", "joint_min", "travel_min", "axis", "inertia"]))] = inner.pop(
            key
        )


MUTATIONS = (delete, replace, scale, copy_from_elsewhere, shuffle, repeat, rename)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compilation does not count as a hang."""
    for name in ("hexel", "sinatra2009", "servo"):
        m = gough.load(name)
        gough.inverse_kinematics(m, m.home)


def attempt(make):
    """What `make` returns, and the refusal it raised instead."""
    try:
        return make(), None
    except MachineFileError as error:
        return None, error


def check(document):
    """Either way it ends is a right one."""
    file, refusal = attempt(lambda: checked(document, "m.toml"))
    if refusal is None:
        machine, refusal = attempt(lambda: machine_of(file, "m.toml"))
    if refusal is None:
        assert np.isfinite(gough.inverse_kinematics(machine, machine.home)).all()
        assert 0 < machine.size < np.inf
        assert describe(machine, file).sections
        return
    assert refusal.problems
    for problem in refusal.problems:
        key, _, sentence = problem.partition(": ")
        assert key
        assert sentence.strip()
        assert "\n" not in problem


@given(st.data())
@THOROUGH
def test_documents_with_a_few_things_wrong(data):
    document = copy.deepcopy(DOCUMENTS[data.draw(st.sampled_from(sorted(DOCUMENTS)))])
    for _ in range(data.draw(st.integers(1, 4))):
        paths = list(places(document))
        if not paths:
            break
        inner, key = holder(document, data.draw(st.sampled_from(paths)))
        data.draw(st.sampled_from(MUTATIONS))(data, inner, key, document)
    check(document)


@given(st.dictionaries(st.sampled_from(["name", "units", "base", "platform", "legs", "home", "limits", "x"]), VALUES))
@THOROUGH
def test_documents_of_anything(document):
    check(document)


@given(st.data())
@THOROUGH
def test_points_anywhere(data):
    """Geometry alone: any points, any home, any guides and arms that a file may hold."""
    vectors = st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=6, max_size=6)
    kind = data.draw(st.sampled_from(["UPS", "PUS", "RUS"]))
    legs = {"kind": kind}
    for key in {"UPS": (), "PUS": ("guide",), "RUS": ("axis", "arm")}[kind]:
        legs[key] = data.draw(vectors)
    document = {
        "name": "m",
        "base": {"points": data.draw(vectors)},
        "platform": {"points": data.draw(vectors)},
        "legs": legs,
    }
    if data.draw(st.booleans()):
        document["home"] = {"translation": data.draw(vectors)[0], "angles": data.draw(vectors)[0]}
    if data.draw(st.booleans()):
        document["limits"] = {"base_cone": {"half_angle": 1, "axis": data.draw(vectors)}, "base_plate_angle": 0.1}
    check(document)


@given(st.data())
@THOROUGH
def test_texts_with_some_characters_wrong(data):
    text = TEXTS[data.draw(st.sampled_from(sorted(TEXTS)))]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        text = text[:at] + data.draw(st.text("0123456789.-e[]{}=\"', \n#_abn\0é", max_size=3)) + text[at + cut :]
    document, refusal = attempt(lambda: parse(text, "m.toml"))
    if refusal is None:
        check(document)
    else:
        assert str(refusal).startswith("m.toml: is not valid TOML: ")
