"""Documents with a few things wrong: keys, types, numbers, units and nesting; then their text, then their bytes."""

import copy
import datetime
import json

NUMBERS = [0, -1, 1, 3, 6, 7, 90, 180, 1e-320, 1e-200, 1e-12, 1e-9, 1e9, 1e16, 1e155, 1.7e308, -1e18, 2**63, 10**30]
NUMBERS += [float("nan"), float("inf"), -float("inf"), 5e-324, -0.0, 10**400]
WORDS = [
    "",
    "mm",
    "in",
    "deg",
    "kg",
    "UPS",
    "PUS",
    "RUS",
    "origin",
    "hexel",
    "xyz",
    "line",
    "arc",
    "é",
    "\0",
    "x" * 3000,
]
OTHERS = [True, False, [], {}, [[]], [{}], {"a": 1}, datetime.date(2026, 1, 1), datetime.time(12)]
UNITS = {
    "length": ["mm", "m", "in", "um"],
    "angle": ["deg", "rad", "mrad"],
    "mass": ["kg", "g", "lb"],
    "force": ["N", "lbf"],
}


def toml(value):
    """A value as TOML, tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, str) else str(value)


def document_text(document):
    """A document as a TOML file."""
    return "\n".join(f"{json.dumps(str(key))} = {toml(value)}" for key, value in document.items())


def places(value, path=()):
    """Paths of everything inside a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def holder(document, path):
    """What holds the thing at a path, and its key there."""
    for key in path[:-1]:
        document = document[key]
    return document, path[-1]


def value(rng):
    """Anything a file may hold."""
    kind = rng.randrange(6)
    if kind == 0:
        return [rng.choice(NUMBERS) for _ in range(rng.choice([0, 3, 3, 6, 36]))]
    if kind == 1:
        return [[rng.choice(NUMBERS) for _ in range(3)] for _ in range(6)]
    if kind == 2:
        return copy.deepcopy(rng.choice(OTHERS))
    if kind == 3:
        return rng.choice(WORDS)
    return rng.choice(NUMBERS) if kind == 4 else rng.uniform(-10, 10)


def mutated(rng, document):
    """A copy with one small thing changed, or one to four things changed at will."""
    document = copy.deepcopy(document)
    is_mild = rng.random() < 0.7
    for _ in range(1 if is_mild else rng.randint(1, 4)):
        paths = list(places(document))
        if paths:
            inner, key = holder(document, rng.choice(paths))
            rng.choice(MILD if is_mild else CHANGES)(rng, inner, key, document)
    return document


def points_anywhere(rng):
    """Geometry alone: any points, home, guides, arms and cones."""
    vectors = lambda: [[rng.choice([rng.uniform(-10, 10), rng.choice(NUMBERS)]) for _ in range(3)] for _ in range(6)]  # noqa: E731
    kind = rng.choice(["UPS", "PUS", "RUS"])
    legs = {"kind": kind} | {key: vectors() for key in {"UPS": (), "PUS": ("guide",), "RUS": ("axis", "arm")}[kind]}
    document = {"name": "m", "base": {"points": vectors()}, "platform": {"points": vectors()}, "legs": legs}
    if rng.random() < 0.5:
        document["home"] = {"translation": vectors()[0], "angles": vectors()[0]}
    if rng.random() < 0.5:
        document["limits"] = {"base_cone": {"half_angle": 1, "axis": vectors()}, "base_plate_angle": 0.1}
    return document


def anything(rng):
    """A document of known keys with any values."""
    return {key: value(rng) for key in rng.sample(["name", "units", "base", "platform", "legs", "home", "limits"], 4)}


def _delete(rng, inner, key, document):
    del inner[key]


def _replace(rng, inner, key, document):
    inner[key] = value(rng)


def _scale(rng, inner, key, document):
    if isinstance(inner[key], (int, float)) and abs(inner[key]) != 10**400:
        inner[key] *= rng.choice([-1, 0, 1e-12, 1e-3, 1.5, 1e3, 1e12])


def _copy(rng, inner, key, document):
    other, name = holder(document, rng.choice(list(places(document))))
    inner[key] = copy.deepcopy(other[name])


def _repeat(rng, inner, key, document):
    if isinstance(inner, list):
        inner.insert(key, copy.deepcopy(inner[key]))


def _rename(rng, inner, key, document):
    if isinstance(inner, dict):
        inner[rng.choice(["x", "lenght", "joint_min", "travel_min", "axis", "inertia", "mount", "kind"])] = inner.pop(
            key
        )


def _units(rng, inner, key, document):
    document["units"] = {name: rng.choice(known) for name, known in UNITS.items()}


def _nest(rng, inner, key, document):
    for _ in range(rng.choice([1, 2, 50])):
        inner[key] = [inner[key]]


def _nudge(rng, inner, key, document):
    """A number of the document moved by some percent."""
    numbers = [path for path in places(document) if type(_at(document, path)) in (int, float)]
    if numbers:
        inner, key = holder(document, rng.choice(numbers))
        inner[key] = type(inner[key])(inner[key] * rng.uniform(0.8, 1.2)) if inner[key] else rng.choice([0, 1e-9, -0.0])


def _at(document, path):
    inner, key = holder(document, path)
    return inner[key]


def _shuffle(rng, inner, key, document):
    if isinstance(inner[key], list):
        rng.shuffle(inner[key])


def _drop(rng, inner, key, document):
    """A table that may be left out."""
    for name in rng.sample(OPTIONAL, len(OPTIONAL)):
        if name in document:
            del document[name]
            return


def _scale_all(rng, inner, key, document):
    """Every length times one factor, by its unit."""
    document["units"] = {**document.get("units", {}), "length": rng.choice(UNITS["length"])}


OPTIONAL = ["limits", "published", "actuators", "title", "source", "notes", "gravity", "tool", "blend", "feed"]
MILD = (_nudge, _nudge, _nudge, _shuffle, _drop, _scale_all)
CHANGES = (_delete, _replace, _replace, _scale, _copy, _repeat, _rename, _units, _nest)


def spoilt_text(rng, text):
    """A text with some characters wrong, parts of it twice or cut off."""
    for _ in range(rng.randint(1, 3)):
        at, cut = rng.randint(0, len(text)), rng.randint(0, 3)
        new = "".join(rng.choice("0123456789.-e[]{}=\"', \n#_abnGXYZFIJ;\0é") for _ in range(rng.randint(0, 3)))
        text = text[:at] + new + text[at + cut :]
    if rng.random() < 0.05:
        text = text[: rng.randint(0, len(text))]
    if rng.random() < 0.02:
        text += "\nx = " + "[" * rng.choice([100, 100_000])
    if rng.random() < 0.002:
        text += "\n#" + "x" * 3_000_000
    return text


def spoilt_bytes(rng, text):
    """The bytes of a file, now and then no UTF-8, with zeros or a mark of byte order."""
    content = text.encode("utf-8", "replace")
    if rng.random() < 0.05:
        at = rng.randint(0, len(content))
        content = content[:at] + rng.choice([b"\xff", b"\x00", b"\xef\xbb\xbf", b"\r", b"\xed\xa0\x80"]) + content[at:]
    return content
