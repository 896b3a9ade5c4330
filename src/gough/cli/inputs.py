"""The options of a command in SI: its machine, poses and numbers."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias, TypeVar, cast, overload

import numpy as np

from gough.arrays import Array
from gough.cli.options import Options
from gough.cli.pose_input import Orientation, displacements_note, parse_pose, read_pose_rows
from gough.cli.table import numbers
from gough.errors import InputError, nearest
from gough.frames.conventions import CONVENTIONS
from gough.frames.euler_rates import EulerRates, euler_rates
from gough.kinematics.inverse import postures
from gough.loading import load_with_files, one_machine
from gough.machine import DisplayUnits, Machine
from gough.present.units import unit_of
from gough.quantity import ALONG_AXES, AXES, TWELVE_LEGS
from gough.stacked import AnyMachine

M = TypeVar("M", bound=AnyMachine)
Amount = TypeVar("Amount", float, float | None)
Units: TypeAlias = str | Sequence[str]


class Inputs:
    """The options that commands share, parsed when they are first used."""

    def __init__(self, name: str, options: Options, machine: AnyMachine | None = None) -> None:
        self.name, self.options = name, options
        self.time: Array | None = None
        self._angles: Array | None = None
        """Times (n,) [s] of the table of poses or joints, once that is read."""
        if machine is not None:
            self.any_machine = machine

    @cached_property
    def any_machine(self) -> AnyMachine:
        """The machine, of one stage or two, with payload, share and units of the options."""
        given, m = self.options, load_with_files(self.name)[0]
        # With --si the display units are metres and radians, for what is read and what is written.
        m = carrying(replace(m, units=DisplayUnits()) if given.si else m, given)
        if given.share is None:
            return m
        if isinstance(m, Machine):
            raise InputError(f"--share requires a machine of two stages; {m.name!r} has one")
        return replace(m, share=given.share)

    @cached_property
    def machine(self) -> Machine:
        """The machine of one stage; `InputError` for two."""
        return one_machine(self.any_machine, self.name)

    @cached_property
    def orientation(self) -> Orientation:
        """Meaning of angles."""
        return Orientation.named(self.options.sequence)

    @cached_property
    def X(self) -> Array:
        """Poses of the (end) platform, (4, 4) or of a table (n, 4, 4)."""
        self.time, X, self._angles = read_pose_rows(self.options, self.any_machine)
        if X.ndim == 3:
            self.note_displacements(X)
        return X

    @cached_property
    def euler_rates(self) -> EulerRates | None:
        """Rates of the angles of --sequence at the poses; None without it."""
        X, name = self.X, self.orientation.name
        return None if name is None else euler_rates(X, name, angles=self._angles)

    def maps_for(self, option: str) -> EulerRates:
        """`euler_rates` for the numbers of an option that counts in angles."""
        maps = self.euler_rates
        if maps is None:
            raise InputError(
                f"{option} counts in angles: specify --sequence XYZ (moving axes), --sequence xyz (fixed axes), or "
                f"--convention {', '.join(CONVENTIONS)}, by which they are meant"
            )
        return maps

    def note_displacements(self, X: Array) -> None:
        """Note that poses X (n, 4, 4) of a table look like displacements from home, where they do."""
        if said := displacements_note(self.any_machine, X):
            print(f"note: {said}", file=sys.stderr)

    @cached_property
    def postures(self) -> Array:
        """Poses of all platforms: of two stages (..., 2, 4, 4), by the machine's share."""
        return postures(self.any_machine, self.X)

    @property
    def has_pose(self) -> bool:
        """Whether the options give a pose."""
        given = self.options
        return any(text is not None for text in (given.at, given.angles, given.quaternion))

    @property
    def X_one(self) -> Array:
        """The pose (4, 4) whose orientation a search of the workspace has."""
        if self.X.ndim != 2:
            raise InputError("a search of the workspace uses a single orientation; specify one pose, without --csv")
        return self.X

    @cached_property
    def wrench(self) -> Array | None:
        """Wrench [f, m] (6,) [N, N m] of the options at the point of interest, of a generalized force (..., 6)."""
        option, text = "--generalized-force", self.options.generalized_force
        if text is None:
            return self.twist("--wrench", self.options.wrench, "")
        if self.options.wrench is not None:
            raise InputError(f"specify either --wrench or {option}")
        maps = self.maps_for(option)
        if maps.is_locked.any():
            raise InputError(
                f"{option}: {maps.sentence()}, nor a moment along their axes; specify --wrench, or other axes"
            )
        return maps.wrench(self.numbers(option, text, (6,)))

    @cached_property
    def wrench_at_origin(self) -> Array:
        """The wrench of the options, zero without, about the origin of the (end) platform (..., 6) [N, N m]."""
        from gough.statics.capacity import at_origin

        return at_origin(self.any_machine, self.X, np.zeros(6) if self.wrench is None else self.wrench)

    @property
    def wrenches(self) -> Array:
        """Wrenches on all platforms, of two stages (..., 2, 6): only the end platform is loaded."""
        return self.any_machine.end_wrench(self.wrench_at_origin)

    @property
    def legs(self) -> tuple[str, ...]:
        """Labels of all legs, the lower stage's first."""
        return TWELVE_LEGS[: 6 * len(self.any_machine.stages)]

    @property
    def is_for_people(self) -> bool:
        """Whether the answer is for people: of one pose, to a terminal."""
        return not (self.options.as_json or self.options.output is not None or self.options.csv is not None)

    def sizes(self, units: Sequence[str]) -> Array:
        """Return sizes in SI of the units in which quantities of these SI units are written."""
        return np.array([unit_of(self.any_machine.units, each)[0] for each in units])

    def unit(self, si_unit: str) -> str:
        """Return the name of the unit in which a quantity of this SI unit is written."""
        return unit_of(self.any_machine.units, si_unit)[1]

    @overload
    def numbers(self, option: str, text: str, counts: Collection[int], unit: Units = ...) -> Array: ...

    @overload
    def numbers(self, option: str, text: str | None, counts: Collection[int], unit: Units = ...) -> Array | None: ...

    def numbers(self, option: str, text: str | None, counts: Collection[int], unit: Units = "") -> Array | None:
        """Return the numbers of an option in SI, from the file's units for these SI units; None if omitted."""
        if text is None:
            return None
        values, sizes = numbers(option, text, counts), self.sizes([unit] if isinstance(unit, str) else unit)
        # Trailing numbers may be left out, and their units with them.
        return np.asarray(values * (sizes if len(sizes) == 1 else sizes[: len(values)]))

    def twist(self, option: str, text: str | None, unit: Units) -> Array | None:
        """Return six numbers of an option in SI, the last three of which may be left out."""
        values = self.numbers(option, text, (3, 6), unit)
        return None if values is None else np.append(values, np.zeros(6 - len(values)))

    def direction(self, option: str, text: str) -> Array:
        """Return direction [v, w] (6,) in SI of an option: "-x", "rz", three numbers or six; their ratios count."""
        sign, axis = (-1.0, text[1:]) if text[:1] == "-" else (1.0, text.removeprefix("+"))
        if axis in AXES:
            return np.where(np.array(AXES) == axis, sign, 0.0)
        if axis.isalpha():
            raise InputError(f"{option}: no axis {text!r}, expected one of {', '.join(AXES)}.{nearest(axis, AXES)}")
        given = self.numbers(option, text, (3, 6))
        values = np.append(given, np.zeros(6 - len(given))) / (np.abs(given).max() or 1.0)  # huge ones would overflow
        sizes = self.sizes(ALONG_AXES)
        return np.asarray(values * sizes / sizes[0])  # a ratio of angle to length, in the file's units

    def amount(self, value: Amount, unit: str) -> Amount:
        """Return a number of an option in SI."""
        return None if value is None else value * unit_of(self.any_machine.units, unit)[0]

    @staticmethod
    def names(text: str | None) -> list[str]:
        """Return names of an option, separated by commas."""
        return [part.strip() for part in (text or "").split(",") if part.strip()]

    def pose(self, option: str, text: str | None) -> Array | None:
        """Return one pose (4, 4) of an option."""
        return None if text is None else parse_pose(option, text, self.orientation, self.any_machine.units)


def carrying(machine: M, given: Options) -> M:
    """Return the machine with the payload of the options --payload, --centre and --inertia, if there is one."""
    centre, inertia = given.centre, given.inertia
    if given.payload is None:
        for option, text in (("--centre", centre), ("--inertia", inertia)):
            if text is not None:
                raise InputError(f"{option} requires --payload KG")
        return machine
    if given.no_weight:
        raise InputError("--no-weight and --payload are mutually exclusive")
    if centre is None:
        raise InputError("--payload: specify --centre X,Y,Z too, its mass centre in the platform frame")
    J = None
    if inertia is not None:
        xx, yy, zz, xy, xz, yz = (*numbers("--inertia", inertia, (3, 6)), 0.0, 0.0, 0.0)[:6]
        J = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    place = numbers("--centre", centre, (3,)) * machine.units.metres
    return cast(M, machine.with_payload(given.payload, place, J))
