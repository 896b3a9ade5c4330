"""Panels as declarations: each widget is bound to functions of the state, for what it shows and for what it changes.

The quantities shown are listed by the label next to their numbers, whose tooltips have their definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from gough.limits.velocity_envelope import VelocityEnvelope
from gough.quantity import Quantity, Unit
from gough.singularity.conditioning import Conditioning
from gough.viewer.scheduler import BackgroundTask, Loop, by_hand
from gough.viewer.store import Progress, Show, State, Store

if TYPE_CHECKING:
    import viser


def _shown(label: str, unit: Unit, doc: str, name: str = "") -> tuple[str, Quantity]:
    return label, Quantity(name or label.replace(" ", "_"), unit, (), doc, label)


QUANTITIES = dict(
    [
        _shown("position", "m",
            "x, y, z of the pivot: its displacement from home along the base axes, or its position in the base, "
            "as chosen under coordinates."),
        _shown("angles", "rad",
            "Angles of the rotation from home, or of the platform's orientation in the base, as chosen under "
            "coordinates, by the convention chosen under angles (docs/conventions.md).", "angle"),
        _shown("leg values", ("m", "rad"),
            "Joint coordinate q of the leg; where the file has no limit the range ends 0.4 times the machine's "
            "size, or half a turn, from home.", "leg"),
        _shown("head", ("rad", "m"), "Coordinate of a joint of the tool head."),
        _shown("end platform", "m", "Position of the end platform's origin in the base.", "pose"),
        _shown("key steps", ("m", "rad"),
            "Displacement of the pivot, or turn about it, of one key stroke: 10 % (coarse), 2 % (medium) or 0.4 "
            "% (fine) of the shortest half range of the sliders of position (of angles), rounded down to 1, 2 or "
            "5 times a power of ten.", "step"),
        _shown("verdict", ("m", "rad", "1"),
            "The limit with the smallest relative margin at this pose (see margins): the limited quantity, and "
            "what is allowed; a refused pose: the same of each limit that it breaks.", "nearest_limit"),
        _shown("other limits", "1",
            "Of each kind of limit but those of q: the smallest relative margin at this pose (see margins), over "
            "the legs.", "limits"),
        _shown("nearest pose", ("m", "rad"),
            "Of the allowed pose that minimises |d|^2 + (l a)^2: d the displacement of the point of interest "
            "from the requested pose, a the angle of the rotation from it, l the characteristic length."),
        _shown("forces", ("N", "N m"),
            "What each actuator gives at rest under the load and the weights of all known bodies: J_qV^T f = "
            "dV/dx - F, V their potential energy, F the applied wrench; positive drives q up. Under the bars: "
            "their half width, the largest actuator_force, or without one the first of 1, 2, 5 times a power of "
            "ten of which the largest of the six forces is at most 80 %.", "force"),
        _shown("payload", "kg", "Mass that the end platform carries in addition to its own."),
        _shown("payload mass centre", "m",
            "Mass centre of the payload, in the end platform's frame.", "payload_centre"),
        _shown("moments of inertia", "kg m2",
            "Moments of inertia of the payload about its mass centre: entries xx, yy, zz of its inertia tensor "
            "in the end platform's axes.", "payload_inertia"),
        _shown("products of inertia", "kg m2",
            "Entries xy, xz, yz of that tensor: minus the integral of x y over the mass, and so on.",
            "payload_products"),
        _shown("force", "N", "Force on the point of interest, base axes.", "applied_force"),
        _shown("moment", "N m", "Moment on the platform, base axes.", "applied_moment"),
        _shown("stiffness along", "1",
            "Direction of the stiffness that is shown, base axes, of any length.", "direction"),
        _shown("stiffness along the direction", "N/m",
            "Force along the direction over the point of interest's displacement along it, the platform free to "
            "turn: 1 / (e^T C e), C the first three rows and columns of K^-1, drives held. K as under stiffness, "
            "plus the geometric stiffness: second derivative of the potential energy of all weights and of the "
            "applied force, and that of the rods under them, in equilibrium.", "stiffness"),
        _shown("principal, rotation held", "N/m",
            "Least and greatest eigenvalue of A, the first three rows and columns of that K about the point of "
            "interest: rotation held.", "principal_stiffness"),
        _shown("lowest natural frequencies", "Hz",
            "The three lowest f of K s = (2 pi f)^2 M s at this pose, with the load (see modes), and with that "
            "geometric stiffness.", "frequency"),
        _shown("motion", "Hz", "Of a natural mode: f at home, with the load (see modes).", "home_frequency"),
        _shown("assembly modes", "1",
            "Poses with these joint coordinates, and those of them that keep every limit, the singularity's side "
            "among them."),
        _shown("time", "s", "Time of the motion from its beginning."),
        _shown("speed", "1", "Time of the motion over time on the clock."),
        _shown("powers", "W", "Actuator force times joint rate of each leg.", "power"),
    ]
)  # fmt: skip
QUANTITIES |= {
    "condition number": Conditioning.QUANTITIES["condition_number"],
    "dexterity": Conditioning.QUANTITIES["dexterity"],
    "distance to a singularity": Conditioning.QUANTITIES["distance"],
    "speed in every direction": VelocityEnvelope.QUANTITIES["guaranteed_translation"],
    "top speed": VelocityEnvelope.QUANTITIES["fastest_translation"],
}


Of = Callable[[State], Any]
"""A function of the state."""
STYLE = "margin:0.5em 1.1em 0.5em 0.8em;font-size:0.85em;line-height:1.4"
"""CSS of a block of HTML on the page."""


class Panel:
    """A part of the page: widgets in the order of their declaration, all functions of the state.

    Each method declares one widget. Widgets are shown with the state of the store at once, and by `show` later.

    Parameters
    ----------
    gui : viser.GuiApi
    store : Store

    """

    def __init__(self, gui: viser.GuiApi, store: Store) -> None:
        self.gui, self.store = gui, store
        self._parts: list[Show] = []

    def show(self, state: State) -> None:
        """Show a state."""
        for part in self._parts:
            part(state)

    def add(self, part: Show) -> None:
        """Call `part` with each state that is shown."""
        self._parts.append(part)
        part(self.store.state)

    def follow(self, handle: Any, **properties: Of) -> None:
        """Set properties of a widget to functions of the state."""

        def show(state: State) -> None:
            for name, of in properties.items():
                value = of(state)
                if getattr(handle, name) != value:  # viser sends equal options again
                    setattr(handle, name, value)

        self.add(show)

    def text(self, content: Callable[[Any], str], of: Of = lambda state: state) -> None:
        """Add HTML made from a part of the state, hidden while empty; made again only when that part, or one of a tuple
        of parts, is another object."""
        handle, shown = self.gui.add_html("", visible=False), None

        def show(state: State) -> None:
            nonlocal shown
            part = of(state)
            if part != shown:  # states and stages are equal only to themselves
                shown, handle.content = part, content(part)
                handle.visible = bool(handle.content)

        self.add(show)

    def progress(self, of: Callable[[State], Progress]) -> None:
        """Show text and a bar for background work, hidden while there is none."""
        words = self.gui.add_markdown("", visible=False)
        bar = self.gui.add_progress_bar(0.0, visible=False, animated=True)
        self.follow(words, content=lambda state: of(state).words, visible=lambda state: bool(of(state).words))
        self.follow(
            bar, visible=lambda state: of(state).percent is not None, value=lambda state: of(state).percent or 0.0
        )

    def button(
        self, label: str, key: str, change: Callable[[State], State], /, color: Any = None, **properties: Of
    ) -> viser.GuiButtonHandle:
        """Return a button that changes the state; a second click replaces a change of this key that has not begun."""
        handle = self.gui.add_button(label, color=color)
        handle.on_click(by_hand(lambda _: self.store.update(key, change)))
        self.follow(handle, **properties)
        return handle

    def bind(self, handle: Any, read: Of, change: Callable[[State, Any], State]) -> None:
        """Let an input show a value of the state, `read` of it, and change the state to `change` of it and a value."""
        key, known = f"input {id(handle)}", handle.value

        def show(state: State) -> None:
            nonlocal known
            value = read(state)
            # Text that is being typed stays: the input is written only where the value differs from the last one read
            # or written, and not while its own change waits on the loop.
            if value != known and not self.store.is_waiting(key):
                known = handle.value = value

        def typed(_: object) -> None:
            nonlocal known
            value = known = handle.value
            self.store.update(key, lambda state: change(state, value))

        handle.on_update(by_hand(typed))
        self.add(show)

    def field(self, handle: Any, name: str) -> None:
        """Let an input show and change one field of the state."""
        self.bind(handle, lambda state: getattr(state, name), lambda state, value: replace(state, **{name: value}))

    def choice(
        self,
        label: str,
        options: Callable[[State], dict[str, Any]],
        read: Of,
        change: Callable[[State, Any], State],
        hint: str | None = None,
        **properties: Of,
    ) -> None:
        """Add a dropdown bound to a value of the state; its options, words and their values, depend on the state."""
        handle = self.gui.add_dropdown(label, tuple(options(self.store.state)), hint=hint)

        def words(state: State) -> str:
            known, shown = options(state), read(state)
            return next((words for words, value in known.items() if value == shown), next(iter(known)))

        def chosen(state: State, words: Any) -> State:
            known = options(state)
            return change(state, known[words]) if words in known else state

        # The options first: a value that is not among them cannot be written.
        self.follow(handle, options=lambda state: tuple(options(state)), **properties)
        self.bind(handle, words, chosen)

    def compute(
        self,
        name: str,
        key: Callable[[State], Hashable | None],
        compute: Callable[[State, Callable[[], None]], object],
        *,
        loop: Loop,
        delay: float,
        may_lag: bool = False,
    ) -> None:
        """Add background work whose result becomes part of the state, again for each key; None is a state that needs
        none.

        `compute` takes the state and a check that raises when the result is no longer needed.
        """

        def done(key: Hashable, value: object) -> None:
            self.store.update(f"result {name}", lambda state: state.with_result(name, key, value))

        task = BackgroundTask(loop, name, done, delay, may_lag=may_lag)
        self.add(lambda state: task.request(key(state), lambda check: compute(state, check)))


def hint(label: str) -> str:
    """Return the definition of the numbers next to a label, which may end with a unit in brackets; "" without one."""
    quantity = QUANTITIES.get(label.partition(" [")[0])
    return "" if quantity is None else quantity.doc


def block(label: str, inner: str, more: str = "", name: str = "") -> str:
    """Return a block of HTML of class `name`, with the definition of its numbers as tooltip."""
    return f'<div class="{name}" style="{STYLE}{more}" title="{escape(hint(label))}">{inner}</div>'
