"""The viewer's state, one frozen value, and the store that replaces it: every change of the page passes here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.dynamics.bodies import locked
from gough.errors import GoughError, InputError
from gough.machine import Machine
from gough.present.units import in_file_units, to_si
from gough.stacked import StackedMachine
from gough.viewer.applied_forces import NOTHING, AppliedForces, ForceInputs, carrying
from gough.viewer.clips import Clip
from gough.viewer.scheduler import Loop, Throttle
from gough.viewer.stage import HOME, PoseCoordinates, Stage, pivots

PLAYER = "player"
"""Name of the control that moves the machine while a motion plays or is scrubbed."""

MODES = "modes"
"""Name of the assembly modes among the overlays."""


class Computed(NamedTuple):
    """Result of background work, and the key of everything on which it depended."""

    key: Hashable
    value: Any


class Progress(NamedTuple):
    """Progress of background work: words and the part that is done [%]; None where no work runs."""

    words: str = ""
    percent: float | None = None


@dataclass(frozen=True, eq=False)
class State:
    """Machine, pose, load, overlays, motion and settings; everything on the page is a function of it.

    Attributes
    ----------
    source : str
        Name or path under which the machine was loaded.
    machine : Machine or StackedMachine
        As loaded.
    stages : tuple of Stage
        From the ground up.
    active : int
        The stage that sliders, keys and gizmo move, from 0.
    hand : str
        The control that moved the machine last: it is not written, as its user may be dragging it on.
    is_held : bool
        Whether the gizmo is being dragged.
    pivot, convention, origin : str
        The meaning of the six numbers of the pose, as in `PoseCoordinates`.
    force_inputs : ForceInputs
    frames, numbers, shadows : bool
        What is drawn.
    gizmo, key_step : str
        One of `gizmo.MODES`, one of `move.STEPS`.
    overlays : frozenset of str
        Names of those that are on.
    motion : str or None
        Key of the motion that is chosen.
    clip, recipe : Clip, callable or None
        The motion that can be played, and the function that computes it for another load.
    time, speed : float
        Time since the start of the clip [s], and the factor of the speed at which it plays.
    is_playing, loops : bool
    remembered : tuple of (4, 4) arrays
        Poses to go through.
    results, progress : mapping
        Results and progress of background work, by its name.

    """

    source: str
    machine: Machine | StackedMachine
    stages: tuple[Stage, ...]
    active: int
    hand: str = ""
    is_held: bool = False
    pivot: str = ""
    convention: str = "pi"
    origin: str = HOME
    force_inputs: ForceInputs = NOTHING
    frames: bool = False
    numbers: bool = True
    shadows: bool = True
    gizmo: str = "move and turn"
    key_step: str = "medium"
    overlays: frozenset[str] = frozenset()
    motion: str | None = None
    clip: Clip | None = None
    recipe: Callable[[AppliedForces], Clip] | None = None
    time: float = 0.0
    is_playing: bool = False
    loops: bool = True
    speed: float = 1.0
    remembered: tuple[Array, ...] = ()
    results: Mapping[str, Computed] = field(default_factory=dict)
    progress: Mapping[str, Progress] = field(default_factory=dict)

    @property
    def stage(self) -> Stage:
        """The active stage."""
        return self.stages[self.active]

    @property
    def model(self) -> Machine:
        """The active stage's machine as loaded, its head where the file has it."""
        return self.machine.stages[self.active]

    @cached_property
    def coordinates(self) -> PoseCoordinates:
        """The coordinates of the pose, about the chosen pivot where the machine has it."""
        known = pivots(self.stage.machine)
        return PoseCoordinates(known.get(self.pivot, next(iter(known.values()))), self.convention, self.origin)

    @cached_property
    def bases(self) -> list[Array]:
        """Pose (4, 4) of each stage's base in the first one's."""
        found = [np.eye(4)]
        # X_W,next = X_WB X_BP X_P,next, with the mount of the next stage on the platform of the one below.
        for stage, mount in zip(self.stages, self.machine.mounts[1:], strict=False):
            found.append(found[-1] @ stage.X @ mount)
        return found

    @property
    def end(self) -> Array:
        """Pose (4, 4) of the last platform in the first base."""
        return np.asarray(self.bases[-1] @ self.stages[-1].X)

    @property
    def has_stage_above(self) -> bool:
        """Whether another stage is mounted on the active one."""
        return self.active + 1 < len(self.stages)

    @cached_property
    def applied(self) -> AppliedForces:
        """The load on the active stage in SI, and gravity in its base; a stage above carries the payload itself."""
        given, is_stacked = self.force_inputs, len(self.stages) > 1
        # A row vector times X_WB's rotation is its inverse times the vector: gravity in the base of the active stage.
        gravity = np.asarray(self.machine.gravity @ self.bases[self.active][:3, :3]) if is_stacked else None
        centre = to_si(self.machine, given.centre, "m")
        wrench = np.array([*given.force, *given.moment], dtype=float)
        applied = AppliedForces(
            given.mass, centre, given.tensor, wrench, np.array(given.direction, dtype=float), None, gravity
        )
        if not self.has_stage_above:
            return applied
        above = self.stages[self.active + 1]
        try:
            body = locked(carrying(above.machine, applied), above.X)
        except InputError:  # unknown masses, or an inertia that no body has, which `carrying` reports later
            return applied
        # The stage above, with its drives held and its payload, is one rigid body on the active stage's platform.
        return replace(applied, mass=0.0, above=body.seen_from(self.machine.mounts[self.active + 1]))

    def moved(self, stage: Stage, hand: str) -> State:
        """Return the state with another active stage value, from the control `hand`; playback pauses unless the player
        moves it."""
        stages = (*self.stages[: self.active], stage, *self.stages[self.active + 1 :])
        return replace(self, stages=stages, hand=hand, is_playing=self.is_playing and hand == PLAYER)

    def activated(self, active: int) -> State:
        """Return the state with another active stage, without poses and motions of the previous one."""
        return replace(self, active=active, hand="", is_held=False, remembered=(), **NO_CLIP)

    def opened(self, source: str, machine: Machine | StackedMachine, poses: Sequence[ArrayLike] = ()) -> State:
        """Return the state with another machine, each stage at its pose, home where none is given; settings stay."""
        new = initial(source, machine, keeps_limits=self.stage.keeps_limits)
        applied = self.force_inputs._replace(centre=new.force_inputs.centre)
        kept = replace(self, source=source, machine=machine, stages=new.stages, force_inputs=applied)
        return kept.activated(new.active).posed(poses)

    def posed(self, poses: Sequence[ArrayLike]) -> State:
        """Return the state with each stage at a pose (4, 4) in its base, or as far towards it from home as limits
        allow."""
        found = [stage.home().to(X) for stage, X in zip(self.stages, poses, strict=False)]
        return replace(self, stages=(*found, *self.stages[len(found) :]), hand="", is_playing=False)

    def at_time(self, time: float) -> State:
        """Return the state with the machine at the clip's pose at a time [s]."""
        if self.clip is None:
            return self
        X, joints = self.clip.pose_at(time), self.clip.head_at(time)
        stage = self.stage if joints is None else self.stage.with_head(joints)
        return replace(self.moved(stage.assembled(X), PLAYER), time=time)

    def with_clip(self, clip: Clip | None, recipe: Callable[[AppliedForces], Clip] | None = None) -> State:
        """Add another motion to play, and the function that computes it for another load, where known."""
        return replace(self, clip=clip, recipe=recipe, time=0.0, is_playing=False)

    def with_forces(self, inputs: ForceInputs) -> State:
        """Return the state under another load; the clip is computed again where its recipe is known, and dropped where
        that fails."""
        state = replace(self, force_inputs=inputs)
        if self.clip is None or self.recipe is None:
            return state
        try:
            clip = self.recipe(state.applied)
        except GoughError:
            return replace(state, **NO_CLIP)
        return replace(state, clip=clip, time=min(self.time, clip.duration))

    def with_result(self, name: str, key: Hashable, value: Any) -> State:
        """Add a result of background work."""
        return replace(self, results={**self.results, name: Computed(key, value)})

    def without_result(self, name: str) -> State:
        """Remove a result."""
        return replace(self, results={k: v for k, v in self.results.items() if k != name})


NO_CLIP: dict[str, Any] = {"motion": None, "clip": None, "recipe": None, "time": 0.0, "is_playing": False}


def initial(source: str, machine: Machine | StackedMachine, *, keeps_limits: bool = True) -> State:
    """Return a machine at home, its last stage active; a payload's centre is first the end platform's point of
    interest."""
    stages = tuple(Stage.at_home(stage, keeps_limits=keeps_limits) for stage in machine.stages)
    centre = in_file_units(machine, machine.stages[-1].point_of_interest, "m").round(6).tolist()
    return State(source, machine, stages, len(stages) - 1, force_inputs=ForceInputs(centre=tuple(centre)))


Show = Callable[[State], None]
"""Shows a state on a part of the page."""


class Store:
    """The holder of the state, and the threads of the viewer.

    Attributes
    ----------
    state : State
        Any thread may read it and post changes; only `loop` replaces it.
    loop : Loop
        Changes the state and shows it.
    slow : Loop
        For results that follow the machine.
    background : Loop
        For work of seconds.

    """

    def __init__(self, state: State, on_error: Callable[[Exception], None]) -> None:
        self.state = state
        self.loop = Loop("viewer", on_error)
        self.slow = Loop("viewer, slowly", on_error)
        self.background = Loop("viewer, in the background", on_error)
        self._views: list[Throttle] = []

    def stop(self) -> None:
        """End the threads."""
        for loop in (self.background, self.slow, self.loop):
            loop.stop()

    def follow(self, name: str, show: Show, period: float) -> Throttle:
        """Call `show` with the state after changes, at most once in a period [s]."""
        throttle = Throttle(self.loop, name, lambda: show(self.state), period)
        self._views.append(throttle)
        return throttle

    def update(self, key: str, change: Callable[[State], State], delay: float = 0.0) -> None:
        """Replace the state by `change` of it; a newer change with the same key replaces one that has not begun."""
        self.loop.post(key, lambda: self.set(change(self.state)), delay)

    def put(self, **changes: Any) -> None:
        """Replace fields of the state."""
        self.update("put " + " ".join(changes), lambda state: replace(state, **changes))

    def set(self, state: State) -> None:
        """Replace the state. On the loop."""
        # Identity, not equality: a change that changes nothing returns the same object, and nothing is drawn.
        if state is not self.state:
            self.state = state
            for view in self._views:
                view.note()

    def is_waiting(self, key: str) -> bool:
        """Test whether a change of this key has not begun yet."""
        return self.loop.is_waiting(key)

    def report(self, name: str, words: str = "", percent: float | None = None) -> None:
        """Report the progress of background work."""
        said = Progress(words, percent)
        self.update(f"progress {name}", lambda state: replace(state, progress={**state.progress, name: said}))
