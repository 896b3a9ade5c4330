"""What a figure draws: every number on an axis, as a colour or under the pointer, with the unit written there."""

import base64
import re
from itertools import product

import numpy as np
from tests.rendered import unit_of, written
from tests.rescaled import SAME, is_scaled, scale

POINTS = 6
"""Of a trace whose words under the pointer are read."""
LEAST = 1e-9
"""Part of an array's largest number below which numbers are rounding."""
SPACE = ("scatter3d", "mesh3d", "surface", "cone")


def with_arrays(plain):
    """Decode what Plotly writes of arrays."""
    if isinstance(plain, dict) and "bdata" in plain:
        values = np.frombuffer(base64.b64decode(plain["bdata"]), plain["dtype"])
        return values.reshape([int(n) for n in str(plain.get("shape", len(values))).split(",")])
    if isinstance(plain, dict):
        return {key: with_arrays(part) for key, part in plain.items()}
    return [with_arrays(part) for part in plain] if isinstance(plain, list | tuple) else plain


class Drawn:
    """The figure as JSON: its traces, those of frames too, and the axes they are on."""

    def __init__(self, figure):
        plain = with_arrays(figure.to_plotly_json())
        self.layout, self.traces = plain["layout"], list(enumerate(plain["data"]))
        self.at_first = self.traces.copy()
        for frame in plain.get("frames", ()):
            at = frame.get("traces") or range(len(frame["data"]))
            self.traces += [(k, {**plain["data"][k], **one}) for k, one in zip(at, frame["data"], strict=True)]

    def numbers(self):
        """Place, unit's name and numbers on axes and as colours; those of all frames together."""
        found = {}
        for place, unit, values in self._numbers():
            found.setdefault((place, unit), []).append(values)
        return [(*place, np.concatenate(values)) for place, values in found.items()]

    def _numbers(self):
        for k, trace in self.traces:
            place = f"{trace['type']} {k} {trace.get('name') or ''}".strip()
            for end, axis in self._axes_of(trace):
                yield f"{place}: {end}", self._unit(axis), numbers(trace.get(end))
            for values, title in colours(trace):
                yield f"{place}: colour", unit_in(title), numbers(values)
        for axis in (key for key in self.layout if re.fullmatch(r"[xyz]axis\d*", key)):
            yield f"{axis} range", self._unit(axis), numbers(self.layout[axis].get("range"))
        for each in (*self.layout.get("shapes", ()), *self.layout.get("annotations", ())):
            for end, side in product("xy", ("", "0", "1")):
                ref = each.get(f"{end}ref", end)
                if ref[0] == end and not ref.endswith("domain"):
                    yield f"mark: {end}", self._unit(f"{end}axis{ref[1:]}"), numbers(each.get(f"{end}{side}"))

    def words(self):
        """What is written at points and under the pointer before anything moves, numbers put in: place and text."""
        for k, trace in self.at_first:
            if isinstance(template := trace.get("hovertemplate"), str) and np.size(trace["x"]):
                yield from ((f"{k}: pointer", filled(template, trace, n)) for n in range(POINTS))
            for text in np.ravel(trace["text"])[:POINTS] if trace.get("text") is not None else ():
                yield f"{k}: text", str(text)
        for each in self.layout.get("annotations", ()):
            yield "annotation", each.get("text") or ""

    def _axes_of(self, trace):
        if trace["type"] in SPACE:
            return [(end, f"{trace.get('scene', 'scene')} {end}axis") for end in "xyz"]
        return [(end, f"{end}axis{trace.get(f'{end}axis', end)[1:]}") for end in "xy"]

    def _unit(self, name):
        """The unit of an axis: in its title, in that of an axis that it goes with, or in the title above its panel."""
        scene, _, end = name.rpartition(" ")
        axis = (self.layout[scene] if scene else self.layout)[end]
        if (title := title_of(axis)) is not None:
            return unit_in(title)
        if scene:
            return None
        together = {axis.get("matches"), *(o.get("matches") for k, o in self.layout.items() if k.startswith(end[:5]))}
        shared = [title_of(self.layout.get(f"{ref[0]}axis{ref[1:]}", {})) for ref in together if ref]
        if end[0] == "x" and any(shared):
            return unit_in(next(filter(None, shared)))
        panels = [a for a in self.layout.get("annotations", ()) if a.get("xref") == "paper"] if end[0] == "y" else []
        beside = self.layout.get(f"xaxis{end[5:]}", {})
        corner = beside.get("domain", (0, 1))[0], axis.get("domain", (0, 1))[1]
        above = [a for a in panels if a["y"] == corner[1]]
        at_corner = [a for a in above if a["x"] == corner[0]]
        return next((unit_in(a["text"]) for a in at_corner or above), None)


def title_of(thing):
    return (thing.get("title") or {}).get("text")


def unit_in(title):
    """The unit that a title names: in brackets, or it is one itself; none is a pure number."""
    bracket = re.search(r"\[([^\]]+)\]", title or "")
    name = bracket[1].replace("% of its scale", "%") if bracket else title or ""
    return name if bracket or (name and unit_of(name) is not None) else "1"


def colours(trace):
    """Numbers shown as colours, and the title of their bar."""
    marker = trace.get("marker", {})
    for owner, key in ((trace, "intensity"), (trace, "surfacecolor"), (marker, "color")):
        if owner.get("colorbar") and not isinstance(owner.get(key), str | None):
            yield owner[key], title_of(owner["colorbar"])
    if trace["type"] in ("heatmap", "contour"):
        yield trace["z"], title_of(trace.get("colorbar", {}))


def numbers(values):
    """Those that are finite; rounding is 0. Empty for names."""
    found = np.ravel(np.asarray(values, dtype=object)) if values is not None else np.zeros(0)
    if any(isinstance(value, str) for value in found):
        return np.zeros(0)
    found = np.array([np.nan if value is None else value for value in found], dtype=float)
    found = found[np.isfinite(found)]
    return np.where(np.abs(found) > LEAST * np.abs(found).max(initial=0.0), found, 0.0)


def filled(template, trace, n):
    """The words under the pointer, with all digits of numbers: their least, and largest, however points are ordered;
    of what is written already that at place n."""

    def value(match):
        values = trace[match[1]]
        values = np.asarray([values] if isinstance(values, str) else values, dtype=object)
        values = values[..., int(match[2])] if match[2] is not None else values
        if isinstance(values.flat[0], str | None):
            return str(values.flat[min(n, values.size - 1)])
        found = values.astype(float)
        return f"{(np.nanmin if n % 2 else np.nanmax)(found):.15g}"

    text = re.sub(r"%\{(\w+)(?:\[(\d+)\])?(?::[^}]*)?\}", value, template)
    return re.sub(r"<[^>]+>", "\n", text)


def figures_apart(here, there):
    """What of a machine's figure is not what is drawn of the scaled machine."""
    found = []
    for (place, unit, values), (_, other, others) in zip(here.numbers(), there.numbers(), strict=True):
        are_names = unit is None and other is None and np.array_equal(values, others)  # places between names
        if (values.size or others.size) and not (are_names or is_scaled(values, unit, others, other)):
            found.append((place, unit, other, values[:4], others[:4]))
    return found + not_scaled(written_numbers(here.words()), written_numbers(there.words()))


def not_scaled(words, others):
    """Numbers that are written of a machine and are not those of the scaled one, to their digits: with their places."""
    found = []
    for (place, one), (_, two) in zip(words, others, strict=True):
        here, there = unit_of(one.unit), unit_of(two.unit)
        grown = here.size * scale(here.dimension)
        within = 1.01 * (one.half * grown + two.half * there.size) + SAME * abs(one.value * grown)
        if here.dimension != there.dimension or abs(one.value * grown - two.value * there.size) > within:
            found.append((place, one, two))
    return found


def written_numbers(words):
    """Place and numbers with units in words; line by line."""
    for place, text in words:
        for line in re.split(r"\n|<br>", text):
            yield from ((place, one) for one in written(line) if one.unit)
