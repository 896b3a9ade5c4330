"""Every number that the viewer shows has its definition where the pointer rests, and is in the unit beside it."""

import re
import time
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.recorded import Recorder, has
from tests.rendered import Written, unit_of, written
from tests.skew import SKEW_OF_KIND, SKEW_STACK
from tests.viewer.conftest import until

import gough
from gough.viewer.clips import named_clip
from gough.viewer.panels.panel import QUANTITIES, hint
from gough.viewer.panels.player import CHOICES, quantity
from gough.viewer.scene.handles import has_modes
from gough.viewer.store import MODES, initial

WORDS = {each.doc: each for each in QUANTITIES.values()}
EXACT = 1e-9
"""Of numbers in charts, which nothing rounds."""
PATIENCE = 20.0
"""Before an answer that does not come fails the test [s]."""
NO_RESULT = {
    "step",
    "speed",
    "payload",
    "payload_centre",
    "payload_inertia",
    "payload_products",
    "applied_force",
    "applied_moment",
}
NO_RESULT |= {"direction"}
"""What people put in, and steps of keys: nothing computes it."""
COUNTS = hint("assembly modes")
"""What means whole numbers without a unit."""
SILENT = {"GuiButtonHandle", "GuiButtonGroupHandle", "GuiUploadButtonHandle", "GuiCheckboxHandle", "GuiTextHandle"}
SILENT |= {"GuiFolderHandle", "GuiTabHandle", "GuiTabGroupHandle", "GuiProgressBarHandle", "PanelHandle"}
"""Widgets that show no results: names, what people put in, and how far a computation is."""


def allowed(quantity):
    """The dimensions of a quantity's units."""
    return {unit_of(each).dimension for each in np.atleast_1d(quantity.unit)}


class Titled(HTMLParser):
    """Text of HTML by the innermost words that a pointer shows over it; what is bold is a label."""

    def __init__(self, content):
        super().__init__()
        self.found, self._open, self._nothing = {}, [], 0
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        self._open.append((tag, dict(attributes).get("title")))

    def handle_endtag(self, tag):
        self._open.pop()

    def handle_data(self, data):
        if "b" not in [tag for tag, _ in self._open]:
            words = next((title for _, title in reversed(self._open) if title), "")
            self.found[words] = f"{self.found.get(words, '')} {data}".strip()


def numbers_on(gui):
    """Words over it and number of everything that the viewer's page shows."""
    for handle in everything(gui):
        kind = type(handle).__name__
        if kind in SILENT or not handle.visible:
            continue
        if kind in ("GuiHtmlHandle", "GuiMarkdownHandle"):
            for words, text in Titled(handle.content).found.items():
                units = {one.unit for one in written(text) if one.unit}
                one_unit = units.pop() if len(units) == 1 else ""
                for one in written(text, one_unit):
                    if words == COUNTS:
                        yield words, replace(one, half=0.0)
                    elif one.unit or not one.value.is_integer():
                        yield words, one
        elif kind == "GuiDropdownHandle":
            for option in handle.options:
                yield from ((handle.hint or "", one) for one in written(option) if one.unit)
        elif kind == "GuiUplotHandle":
            yield from drawn_in(handle)
        else:
            assert kind in ("GuiSliderHandle", "GuiNumberHandle", "GuiVector3Handle"), f"a {kind} is not walked"
            unit = re.search(r"\[(.+)\]", handle.label)
            for value in np.atleast_1d(handle.value):
                yield handle.hint or "", written(f"{value:.12g}", unit[1] if unit else "")[0]


def drawn_in(chart):
    """Words over it and number of every point of a chart: its title names the quantity and the unit."""
    label, unit = re.fullmatch(r"(.+) \[(.+)\]", chart.title).groups()
    time, *curves = chart.data[:-1]  # the last one is the line at now
    for words, name, values in [("time", "s", time), *((label, unit, curve) for curve in curves)]:
        for value in values[np.isfinite(values)].tolist():
            yield hint(words), Written(value, EXACT * abs(value), name)


def everything(gui):
    """All handles of the page, each once."""
    found, left = {}, list(gui._container_handle_from_uuid.values())
    while left:
        handle = left.pop()
        for child in getattr(handle, "_children", {}).values():
            if id(child) not in found:
                found[id(child)] = child
                left.append(child)
    return list(found.values())


def short_clip(machine):
    """A circle with few samples, so that a number that is wrong is not among them by chance."""
    clip = named_clip(machine, "circle", "a circle", machine.X_home)
    few = {name: getattr(clip, name)[::20] for name in ("time", "X", "q", "force", "power")}
    return replace(clip, **few, tip=None)


def pages(machine, recorder):
    """Numbers on the page of a machine at a pose under a load, and at a refused pose; with a motion in its charts, and
    all assembly modes."""
    from gough.viewer.applied_forces import ForceInputs
    from gough.viewer.server import start_server, stop_server
    from gough.viewer.view import View

    load = ForceInputs(mass=1.5, centre=(0.3, -0.2, 0.1), force=(3.0, -2.0, 1.0), moment=(0.1, 0.2, -0.3))
    with recorder:
        server = start_server()
        view = View(server, machine)
        clip = short_clip(view.stage.machine)
        view.store.put(overlays=frozenset({MODES}))
        recorder.keep([clip.time, clip.q, clip.force, clip.power])
        try:
            for part, answer, choices in ((0.004, "forces", CHOICES[:2]), (0.9, "nearest", CHOICES[3:])):
                view.carry(load)
                view.move("test", lambda stage, part=part: stage.to(aside(stage.machine, part)))
                assert until(lambda answer=answer: answer in view.state.results, PATIENCE)
                assert until(lambda: MODES in view.state.results and has_modes(view.state), PATIENCE)
                for chart, choice in zip(view.player._charts, choices, strict=True):
                    chart._choice.value = choice
                view.store.update("clip", lambda state: state.with_clip(clip))
                found = view.state.results[MODES].value
                recorder.keep([len(found), int(found.within_limits.sum()), *(np.flatnonzero(~found.on_own_branch) + 1)])
                time.sleep(0.5)  # for what follows from the last state
                if len(stages := view.state.stages) > 1:  # where the end platform is follows from both
                    recorder.keep(stages[0].X @ machine.X_IU @ stages[1].X)
                yield list(numbers_on(server.gui))
        finally:
            view.stop()
            stop_server(server)


def aside(machine, part):
    """A pose that is a part of the machine's size from home, and turned by as much."""
    turned = gough.pose_matrix([part * machine.size, -0.7 * part * machine.size, 0], [part, -0.5 * part, part], "XYZ")
    X = machine.X_home.copy()
    X[:3, 3] += turned[:3, 3]
    X[:3, :3] = turned[:3, :3] @ X[:3, :3]
    return X


@pytest.mark.parametrize("name", [SKEW_OF_KIND["RUS"], SKEW_STACK])
def test_every_number_is_defined_and_in_the_unit_beside_it(name):
    recorder, seen, wrong = Recorder(), set(), []
    for numbers in pages(gough.load(name), recorder):
        few = recorder.few()
        for words, one in numbers:
            assert words in WORDS, (words, one)
            name = WORDS[words].name
            seen.add(name)
            unit = unit_of(one.unit)
            is_right = unit is not None and unit.dimension in allowed(WORDS[words])
            is_computed = name not in NO_RESULT
            if not is_right or (is_computed and not has(few, one.value * unit.size, 1.01 * one.half * unit.size)):
                wrong.append((name, one))
    assert wrong == [], wrong
    assert {"condition_number", "frequency", "leg", "limits", "nearest_pose", "assembly_modes", "time", "force"} <= seen
    assert "power" in seen or len(gough.load(name).stages) > 1


def test_charts_are_in_the_unit_that_they_name():
    m = gough.load(SKEW_OF_KIND["RUS"])
    few = short_clip(m)
    with Recorder() as recorder:
        drawn = {choice: quantity(m, few, choice, initial(m.name, m).coordinates) for choice in CHOICES}
    recorder.keep([few.q, few.force, few.power])
    exact = recorder.all()
    for choice, (_, values, name) in drawn.items():
        unit = unit_of(name)
        assert unit.dimension in allowed(QUANTITIES[choice]), choice
        assert all(has(exact, value * unit.size) for value in values.ravel()), choice


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def test_what_a_file_and_an_error_say_stays_text_on_the_page(view):
    before = view.state.source, view.state.machine
    machine = replace(gough.load(SKEW_OF_KIND["UPS"]), name=HOSTILE, title=HOSTILE, source=HOSTILE, notes=HOSTILE)
    view.store.update("test", lambda state: state.opened(HOSTILE, machine))
    view.move("test", lambda stage: stage.to(machine.X_home + np.eye(4, k=3) * machine.size * 9))
    view.files.show_error(HOSTILE)
    shown = lambda: [each.content for each in everything(view.server.gui) if hasattr(each, "content")]  # noqa: E731
    try:
        assert until(lambda: any("Refused" in text for text in shown()) and any("script" in text for text in shown()))
        assert [text for text in shown() if "<script" in text or "<img src=x" in text] == []
    finally:
        view.files.show_error("")
        view.store.update("test", lambda state: state.opened(*before))
